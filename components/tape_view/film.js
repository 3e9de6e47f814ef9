// What travels while a session is stepped through: the whole array flies out with every call, one message comes back,
// and the size of each request stands beside, so that it is seen growing. Drawn under the tape, at a beat alone.

import { count, make, number } from "./dom.js"
import { icon } from "./icons.js"

const CELLS = 90
const BARS = 60
const FLIGHT = 850
const WORDS = {
  start: "nothing was sent yet",
  user: "the user speaks",
  system: "system message",
  act: "it asks for tools",
  answer: "it answers",
  append: "results appended",
}

export class Film {
  constructor(view) {
    this.view = view
    this.root = view.root.querySelector(".film")
    this.array = make("div", { class: "cells" })
    this.way = make("div", { class: "way" })
    this.label = make("span", { class: "travels" })
    this.knows = make("small", {})
    this.sizes = make("div", { class: "sizes" })
    this.root.append(
      make("div", { class: "array" }, make("span", { class: "what" }), this.array),
      make("div", { class: "between" }, this.label, this.way),
      make("div", { class: "model" }, icon("assistant"), make("b", { text: "the model" }), this.knows),
      make("figure", {}, make("figcaption", { class: "what" }), this.sizes),
    )
    this.before = null
  }

  // Draws the beat of now; something flies where it is the one behind the last.
  draw() {
    const { view, root } = this
    const { beat, phase, shown } = view
    root.hidden = beat === null
    view.root.classList.toggle("stepping", beat !== null)
    const forward = this.before !== null && beat === this.before + 1
    this.before = beat
    if (root.hidden) return
    const turn = phase === "call" ? view.store.turnAt.get(shown) : null
    this.#cells(shown, turn)
    this.#letter(phase, turn)
    this.#sizes(phase === "call" ? shown : shown - 1)
    this.root.setAttribute("aria-label", `The request on its way: ${this.label.textContent}`)
    if (forward && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.#fly(phase)
  }

  #cell(i) {
    return make("i", { class: this.view.store.tone(i) })
  }

  #cells(shown, turn) {
    const from = Math.max(0, shown - CELLS)
    const cells = Array.from({ length: shown - from }, (_, k) => this.#cell(from + k))
    const stays = turn ? shown - turn.sent : 0
    cells.forEach((cell, k) => cell.classList.toggle("left-out", from + k < stays))
    this.array.replaceChildren(...cells)
    this.root.querySelector(".array .what").textContent = `the array · ${count(shown, "message")}`
  }

  #letter(phase, turn) {
    const { view } = this
    this.way.replaceChildren()
    this.knows.textContent = phase === "call" ? "reads all of it" : "remembers nothing"
    if (phase === "call") {
      const sent = turn?.sent ?? view.shown
      const first = view.shown - Math.min(sent, CELLS)
      this.way.append(make("div", { class: "cells letter" }, ...Array.from({ length: view.shown - first }, (_, k) => this.#cell(first + k))))
      this.label.textContent = [turn ? `request ${turn.number}` : "", count(sent, "message")].filter(Boolean).join(" · ")
    } else this.label.textContent = WORDS[phase]
  }

  #sizes(place) {
    const { store } = this.view
    const made = store.turnStarts.filter((start) => start <= place)
    const turns = made.slice(-BARS).map((start) => store.turnAt.get(start))
    const known = turns.every((turn) => turn.prompt !== null)
    const sizes = turns.map((turn) => (known ? turn.prompt : turn.sent))
    const most = Math.max(1, ...sizes)
    const bars = sizes.map((size) => {
      const bar = make("i", {})
      bar.style.height = `${Math.max(4, (100 * size) / most)}%`
      return bar
    })
    this.sizes.replaceChildren(...bars)
    const sum = turns.at(-1)
    const words = known ? tokens(sum) : sum ? count(sum.sent, "message") : ""
    this.root.querySelector("figcaption").textContent = sum ? `requests · ${words}` : "requests"
  }

  #fly(phase) {
    const timing = { duration: FLIGHT / Math.max(1, this.view.bar.speed), easing: "cubic-bezier(.4, 0, .2, 1)" }
    const array = this.array.getBoundingClientRect()
    const last = this.array.lastElementChild
    if (phase === "call") {
      const letter = this.way.firstElementChild
      const away = array.left - letter.getBoundingClientRect().left
      letter.animate([{ transform: `translateX(${away}px)`, opacity: 0.5 }, { transform: "none", opacity: 1 }], timing)
      this.sizes.lastElementChild?.animate([{ transform: "scaleY(0)" }, { transform: "none" }], timing)
    } else if (phase === "act" || phase === "answer") {
      const model = this.root.querySelector(".model").getBoundingClientRect()
      const away = model.left - (last?.getBoundingClientRect().left ?? array.left)
      last?.animate([{ transform: `translateX(${away}px)` }, { transform: "none" }], timing)
    } else last?.animate([{ transform: "translateY(-2.4em)", opacity: 0 }, { transform: "none", opacity: 1 }], timing)
  }
}

function tokens(turn) {
  if (!turn || turn.prompt === null) return ""
  return `${turn.source === "estimated" ? "≈\u2009" : ""}${number(turn.prompt)} tokens`
}
