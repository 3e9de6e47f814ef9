// Searching: what the server found of it, stepping through the hits, and how it is searched.

import { number } from "./dom.js"
import { Hits } from "./hits.js"
import { Wording } from "./wording.js"

const PAUSE = 220
const SETTLED = 800
// Blocks with a hit after which it is asked before going on.
const MANY = 2_000
export const WAYS = ["case", "word", "regex"]

export class Search {
  constructor(view) {
    this.view = view
    const form = view.root.querySelector(".find")
    this.field = form.querySelector(".query")
    this.found = form.querySelector(".found")
    this.wrong = form.querySelector(".fault")
    this.searches = 0
    this.ways = { case: false, word: false, regex: false }
    this.wording = new Wording(view)
    this.list = new Hits(this)
    this.field.addEventListener("input", () => {
      clearTimeout(this.typing)
      this.typing = setTimeout(() => this.run(), PAUSE)
    })
    this.field.addEventListener("keydown", (event) => this.#key(event))
    form.addEventListener("submit", (event) => event.preventDefault())
    this.buttons = [...form.querySelectorAll("[data-way]")]
    for (const button of this.buttons) button.addEventListener("click", () => this.turn(button.dataset.way))
    this.found.addEventListener("click", () => this.list.toggle())
    this.forget()
  }

  destroy() {
    clearTimeout(this.typing)
    clearTimeout(this.repeating)
    this.wording.destroy()
  }

  // Another session: what was asked is asked again there.
  forget() {
    this.#empty()
    this.asked = ""
    this.reaching = null
    if (this.field.value) this.run()
  }

  clear() {
    this.field.value = ""
    return this.run()
  }

  // Turns one of the ways of searching on or off.
  turn(way, on = !this.ways[way]) {
    this.ways[way] = on
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(this.ways[button.dataset.way]))
    return this.run()
  }

  #key(event) {
    if (event.key === "Enter") {
      event.preventDefault()
      this.step(event.shiftKey ? -1 : 1)
    } else if (event.key === "ArrowDown" && (this.hits.length || this.beside.length)) {
      event.preventDefault()
      this.list.open()
    } else if (event.key === "Escape") {
      event.preventDefault()
      if (this.list.shown) return this.list.close()
      this.clear()
      this.view.scroller.focus({ preventScroll: true })
    }
  }

  #empty() {
    this.hits = []
    this.beside = []
    this.times = 0
    this.next = null
    this.fault = ""
    this.at = -1
  }

  get #how() {
    return [this.field.value, ...WAYS.filter((way) => this.ways[way])].join("\n")
  }

  async run() {
    const how = this.#how
    if (how === this.asked) return
    this.asked = how
    this.view.address.say()
    await this.#gather(() => this.go(this.#nearest()))
  }

  // What was searched has changed: soon the same is asked again, and nobody is moved.
  changed() {
    clearTimeout(this.repeating)
    if (this.field.value.trim()) this.repeating = setTimeout(() => this.#again(), SETTLED)
  }

  async #again() {
    const hit = this.hits[this.at]
    await this.#gather(() => (this.at = hit ? this.hits.findIndex(([uid, block]) => uid === hit[0] && block === hit[1]) : -1))
  }

  // Starts afresh, and calls `met` when the first hits are there.
  async #gather(met) {
    clearTimeout(this.typing)
    clearTimeout(this.repeating)
    this.#empty()
    this.next = this.field.value.trim() ? 0 : null
    if (this.next === null) this.show()
    await this.#further(met)
  }

  // Goes on from where the server stopped: by itself where a large session took too long, and until there are very
  // many. Of two searches at the same time only the later one counts.
  async #further(met) {
    const search = ++this.searches
    const { view } = this
    const ways = Object.fromEntries(WAYS.filter((way) => this.ways[way]).map((way) => [way, 1]))
    const until = this.hits.length + MANY
    while (this.next !== null && !this.fault && this.hits.length < until) {
      const answer = await view.api.get("search", { q: this.field.value, ...ways, from: this.next, ...view.of })
      if (search !== this.searches) return
      const first = !this.hits.length
      this.hits.push(...answer.hits.filter(([uid]) => view.store.places.has(uid)))
      this.beside.push(...answer.beside)
      this.times += answer.times
      this.next = answer.next
      this.fault = answer.fault
      if (first && this.hits.length) met()
      this.show()
    }
  }

  // Goes on where the search stopped because there were very many.
  more() {
    return this.#further(() => {})
  }

  // The first hit at or below the top of the window.
  #nearest() {
    const { view } = this
    const here = view.list.heights.find(view.list.top) - 1
    return Math.max(0, this.hits.findIndex(([uid]) => view.store.places.get(uid) >= here))
  }

  step(by) {
    clearTimeout(this.typing)
    if (this.#how !== this.asked) return this.run()
    const { length } = this.hits
    if (length) this.go((this.at + by + length) % length)
  }

  go(at) {
    this.at = at
    this.#tell()
    this.list.mark()
    const { view } = this
    const [uid, block] = this.hits[at]
    const i = view.store.places.get(uid)
    if (i === undefined) return
    view.folds.open(uid, block)
    this.reaching = { uid, block }
    view.redraw(uid)
    view.go(i, null, false)
    this.reach()
  }

  show() {
    this.#tell()
    this.mark()
    this.list.draw()
    this.view.minimap.draw()
  }

  #tell() {
    const { length } = this.hits
    const some = this.next === null ? "" : "+"
    let words = ""
    if (this.field.value.trim()) {
      if (length) words = `${number(this.at + 1)} / ${number(length)}${some}`
      else words = this.fault ? "!" : this.next !== null ? "…" : this.beside.length ? `${number(this.beside.length)} beside` : "none"
    }
    this.found.textContent = words
    this.found.hidden = !words
    this.found.disabled = !length && !this.beside.length
    this.found.title = length ? `${number(this.times)} times in ${number(length)} blocks; a click lists them` : "What was found beside the array"
    this.wrong.textContent = this.fault
    this.wrong.hidden = !this.fault
    this.field.setAttribute("aria-invalid", String(Boolean(this.fault)))
  }

  // Scrolls to the hit itself once its card is there.
  reach() {
    const hit = this.reaching
    const element = hit && this.view.list.mounted.get(hit.uid)
    const strip = element?.querySelector(`.strip[data-uid="${CSS.escape(hit.block)}"]`)
    if (!strip) return
    this.reaching = null
    const first = this.wording.first(strip) ?? strip
    const inside = first.getBoundingClientRect().top - element.getBoundingClientRect().top
    this.view.list.show(this.view.store.places.get(hit.uid) + 1, "near", inside)
  }

  // Marks the words that were searched for in what is mounted.
  mark() {
    this.wording.mark(this.fault ? "" : this.field.value, this.ways)
  }
}
