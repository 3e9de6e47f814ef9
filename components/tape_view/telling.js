// Tells the page what a person looks at: the message that was selected, and the one that the stepper came to. Only the
// last of several that follow one another at once is told.

const SOON = 250

export class Telling {
  constructor(view) {
    this.view = view
    this.timers = {}
  }

  select(uid) {
    this.#say("select", uid)
  }

  // The newest message at the present beat, or the answer that is being waited for; none at the end of the array.
  step() {
    const { view } = this
    const i = view.phase === "call" ? view.shown : view.shown - 1
    this.#say("step", view.beat === null ? null : (view.store.rows[i]?.[0] ?? null))
  }

  #say(what, uid) {
    clearTimeout(this.timers[what])
    if (!this.view.data.options?.select || this.view.original) return
    this.timers[what] = setTimeout(() => this.view.send({ do: what, uid }), SOON)
  }
}
