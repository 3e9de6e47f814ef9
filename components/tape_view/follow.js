// A file that is still being written: asks for what came to it, without moving what is being read, and says how much
// there is below. What following is, and when it stops, is decided on the server.

import { count, make } from "./dom.js"

const EVERY = 600
const CAUGHT_UP = 400

export class Follow {
  constructor(view) {
    this.view = view
    this.button = make(
      "button",
      { type: "button", class: "live", hidden: true, "aria-pressed": "false", onclick: () => this.#press() },
      make("span", { class: "dot", "aria-hidden": "true" }),
      make("span", { text: "Live" }),
    )
    this.chip = make("button", { type: "button", class: "below", "aria-label": "To the new messages", hidden: true, onclick: () => this.#toEnd() })
    view.root.querySelector(".bar .format").after(this.button)
    view.root.querySelector(".stage").append(this.chip)
    this.scrolled = () => this.#arrived()
    view.scroller.addEventListener("scroll", this.scrolled, { passive: true })
    this.#stop()
  }

  destroy() {
    this.api = null
    clearTimeout(this.timer)
    clearTimeout(this.telling)
    this.view.scroller.removeEventListener("scroll", this.scrolled)
    this.button.remove()
    this.chip.remove()
  }

  // Another session: one whose file was just written to is followed at once.
  async open(api) {
    this.#stop()
    this.api = api
    this.button.hidden = true
    const answer = await api.get("live", { look: 0, v: this.view.store.v })
    if (api !== this.api || !answer.can) return
    this.button.hidden = false
    if (answer.fresh && !answer.stopped) this.#start()
  }

  #press() {
    if (this.on) this.#stop()
    else this.#start()
  }

  #start() {
    this.on = true
    this.#show("New messages of the file appear as they are written. Press to stop.")
    this.#look()
  }

  #stop() {
    clearTimeout(this.timer)
    this.on = false
    this.below = 0
    this.chip.hidden = true
    this.#show("Follow the file: new messages appear as they are written.")
  }

  #show(says) {
    this.button.setAttribute("aria-pressed", String(this.on))
    this.button.title = says
  }

  async #look() {
    const { api, view } = this
    clearTimeout(this.timer)
    try {
      const answer = await api.get("live", { v: view.store.v })
      if (api !== this.api || !this.on) return
      if (answer.v > view.store.v && !view.original) await this.#grow(answer)
      if (answer.stopped) {
        this.#stop()
        return view.bar.say(answer.stopped, true)
      }
    } catch {
      // The view has said already that the server is lost.
      return this.#stop()
    }
    this.timer = setTimeout(() => this.#look(), EVERY)
  }

  async #grow(answer) {
    const { view } = this
    const { length } = view.store
    const reading = !view.list.atEnd
    await view.grow(answer)
    const more = view.store.length - length
    if (reading && more > 0) {
      this.below += more
      this.chip.textContent = `${count(this.below, "new message")} below`
      this.chip.hidden = false
    }
    clearTimeout(this.telling)
    this.telling = setTimeout(() => view.queue.push({ do: "settled" }), CAUGHT_UP)
  }

  #toEnd() {
    this.view.list.toEnd()
    this.#arrived()
    this.view.scroller.focus({ preventScroll: true })
  }

  #arrived() {
    if (!this.below || !this.view.list.atEnd) return
    this.below = 0
    this.chip.hidden = true
  }
}
