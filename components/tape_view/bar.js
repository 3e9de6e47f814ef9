// The bar above the tape: what is open, the stepper, history, folding, search and ways to go.

import { count, make, number } from "./dom.js"
import { help } from "./help.js"
import { icon } from "./icons.js"

const PACE = 1_400
const SPEEDS = [1, 2, 4, 0.5]
const PHASES = {
  start: () => "The array is empty.",
  user: (n) => `The user's message is appended: #${n - 1}.`,
  system: (n) => `A system message is appended: #${n - 1}.`,
  call: (n, fresh) => `call: the whole array is sent, ${count(n, "message")}${fresh < n ? `, ${fresh} of them new` : ""}.`,
  act: (n) => `act: the assistant answers with tool calls, appended as #${n - 1}.`,
  answer: (n) => `The assistant answers, appended as #${n - 1}.`,
  append: (n) => `append: the results go into the array, as user message #${n - 1}.`,
}

export class Bar {
  constructor(view) {
    this.view = view
    this.root = view.root.querySelector(".bar")
    for (const holder of this.root.querySelectorAll("[data-icon]")) holder.prepend(icon(holder.dataset.icon))
    for (const button of this.root.querySelectorAll("[data-do]")) {
      button.title = button.getAttribute("aria-label")
      button.addEventListener("click", () => this.press(button.dataset.do))
    }
    this.number = this.root.querySelector(".goto")
    this.root.querySelector(".number").addEventListener("submit", (event) => {
      event.preventDefault()
      const wanted = Number.parseInt(this.number.value.replace(/^#/, ""), 10)
      if (Number.isInteger(wanted)) view.go(Math.max(0, Math.min(wanted, view.store.length - 1)))
      this.number.value = ""
    })
    this.playing = null
    this.speed = 1
  }

  destroy() {
    this.pause()
  }

  press(what) {
    const { view } = this
    const beat = view.beat ?? view.beats.last
    if (what !== "play" && what !== "speed") this.pause()
    const acts = {
      first: () => view.setBeat(0),
      previous: () => view.setBeat(beat - 1),
      next: () => view.setBeat(beat + 1),
      last: () => view.setBeat(null),
      play: () => (this.playing ? this.pause() : this.#play()),
      speed: () => this.#faster(),
      undo: () => view.send({ do: "undo" }),
      redo: () => view.send({ do: "redo" }),
      original: () => view.showOriginal(!view.original),
      fold: () => view.folds.step(-1),
      unfold: () => view.folds.step(1),
      outline: () => view.turnList.toggle(),
      filter: () => view.filters.toggle(),
      leave: () => view.send({ do: "leave" }),
      help: () => help(view),
    }
    acts[what]()
  }

  // What the bar says of the session; called after every change.
  draw() {
    const { view } = this
    const { store } = view
    const { head } = store
    const put = (name, text, title) => {
      const element = this.root.querySelector(name)
      element.textContent = text
      element.title = title ?? text
    }
    const { within } = view.data.options ?? {}
    const back = this.root.querySelector(".back")
    back.hidden = !within
    back.querySelector("span").textContent = within ? within.of : ""
    put(".title", within ? `${within.name}: ${head.title || "untitled"}` : head.title || "untitled")
    put(".format", head.format ?? "")
    const last = store.turns.length ? view.store.turnAt.get(store.turnStarts.at(-1)) : null
    const tokens = last && last.sum !== null ? `${last.sign}${number(last.sum)} tokens` : null
    const parts = [count(store.length, "message"), count(store.turns.length, "turn"), tokens, head.model]
    put(".counts", parts.filter(Boolean).join(" · "))
    const frozen = Boolean(view.frozen)
    const able = {
      undo: view.data.can?.undo && !frozen,
      redo: view.data.can?.redo && !frozen,
      original: view.original || view.data.can?.undo,
      fold: view.folds.all > 0,
      unfold: view.folds.all < 2,
      first: store.length && view.beat !== 0,
      previous: store.length && view.beat !== 0,
      next: view.beat !== null,
      last: view.beat !== null,
      play: store.length > 0,
    }
    for (const [name, on] of Object.entries(able)) this.root.querySelector(`[data-do=${name}]`).disabled = !on
    const original = this.root.querySelector("[data-do=original]")
    original.setAttribute("aria-pressed", String(view.original))
    view.root.classList.toggle("showing-original", view.original)
    this.#beat()
  }

  #beat() {
    const { view } = this
    if (!view.beats) return
    const { last } = view.beats
    const beat = view.beat ?? last
    this.root.querySelector(".beat").textContent = `${number(beat)} / ${number(last)}`
    this.root.querySelector(".beat").title = this.caption()
    const play = this.root.querySelector("[data-do=play]")
    play.replaceChildren(icon(this.playing ? "pause" : "run"))
    play.setAttribute("aria-label", this.playing ? "Pause" : "Play")
    play.title = this.playing ? "Pause" : "Play the session beat by beat"
    const speed = this.root.querySelector("[data-do=speed]")
    speed.hidden = view.beat === null && !this.playing
    speed.textContent = `${this.speed}×`
  }

  caption() {
    const { view } = this
    const { count: many, phase } = view.beats.at(view.beat ?? view.beats.last)
    return PHASES[phase](many, view.store.turnAt.get(many)?.fresh ?? many)
  }

  #play() {
    const { view } = this
    if (view.beat === null) view.setBeat(0)
    this.playing = setInterval(() => {
      view.setBeat(view.beat + 1)
      if (view.beat === null) this.pause()
    }, PACE / this.speed)
    this.#beat()
  }

  #faster() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length]
    if (this.playing) {
      clearInterval(this.playing)
      this.#play()
    }
    this.#beat()
  }

  pause() {
    clearInterval(this.playing)
    this.playing = null
    if (this.view.beats) this.#beat()
  }

  // Where one is: the placeholder of the number field.
  where() {
    const { view } = this
    const i = view.selected === null ? undefined : view.store.places.get(view.selected)
    const place = i ?? Math.max(0, Math.min(view.list.heights.find(view.list.top + 40) - 1, view.store.length - 1))
    this.number.placeholder = String(place)
  }

  // A sentence for the person at the tape, for a while or until it is closed.
  say(text, stays = false) {
    const box = this.view.root.querySelector(".said")
    clearTimeout(this.saying)
    const close = make("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => (box.hidden = true) }, icon("close"))
    box.replaceChildren(make("span", { text }), close)
    box.classList.toggle("bad", stays)
    box.hidden = false
    if (!stays) this.saying = setTimeout(() => (box.hidden = true), 6_000)
  }
}
