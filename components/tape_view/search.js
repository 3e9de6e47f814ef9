// Searching: the hits that the server found, stepping through them, and marks on the words that are in the page.

import { number } from "./dom.js"

const PAUSE = 220
const MARKS = 400
const NAME = "tapedeck-hits"

export class Search {
  constructor(view) {
    this.view = view
    this.field = view.root.querySelector(".query")
    this.found = view.root.querySelector(".found")
    this.field.addEventListener("input", () => {
      clearTimeout(this.typing)
      this.typing = setTimeout(() => this.run(), PAUSE)
    })
    this.field.addEventListener("keydown", (event) => this.#key(event))
    this.forget()
  }

  destroy() {
    clearTimeout(this.typing)
    CSS.highlights?.delete(NAME)
  }

  // Another session: what was asked is asked again there.
  forget() {
    this.hits = []
    this.at = -1
    this.asked = ""
    this.reaching = null
    this.ranges = []
    if (this.field.value) this.run()
  }

  clear() {
    this.field.value = ""
    return this.run()
  }

  #key(event) {
    if (event.key === "Enter") {
      event.preventDefault()
      this.step(event.shiftKey ? -1 : 1)
    } else if (event.key === "Escape") {
      this.clear()
      this.view.scroller.focus({ preventScroll: true })
    }
  }

  async run() {
    const { view } = this
    const query = this.field.value
    if (query === this.asked) return
    this.asked = query
    this.hits = []
    this.at = -1
    if (query.trim()) {
      const answer = await view.api.get("search", { q: query, ...view.of })
      if (answer.q !== this.field.value) return
      this.hits = answer.hits.filter(([uid]) => view.store.places.has(uid))
    }
    this.#tell()
    this.mark()
    view.minimap.draw()
    view.address.say()
    if (this.hits.length) this.#go(this.#nearest())
  }

  // The first hit at or below the top of the window.
  #nearest() {
    const { view } = this
    const here = view.list.heights.find(view.list.top) - 1
    return Math.max(0, this.hits.findIndex(([uid]) => view.store.places.get(uid) >= here))
  }

  step(by) {
    clearTimeout(this.typing)
    if (this.field.value !== this.asked) return this.run()
    const { length } = this.hits
    if (length) this.#go((this.at + by + length) % length)
  }

  #go(at) {
    this.at = at
    this.#tell()
    const { view } = this
    const [uid, block, start] = this.hits[at]
    const i = view.store.places.get(uid)
    if (i === undefined) return
    view.folds.open(uid, block)
    this.reaching = { uid, block, start }
    view.redraw(uid)
    view.go(i, null, false)
    this.reach()
  }

  #tell() {
    const { length } = this.hits
    this.found.textContent = !this.field.value.trim() ? "" : length ? `${number(this.at + 1)} / ${number(length)}` : "none"
  }

  // Scrolls to the hit itself once its card is there.
  reach() {
    const hit = this.reaching
    const element = hit && this.view.list.mounted.get(hit.uid)
    const strip = element?.querySelector(`.strip[data-uid="${CSS.escape(hit.block)}"]`)
    if (!strip) return
    this.reaching = null
    const range = this.ranges.find((one) => strip.contains(one.startContainer))
    const inside = (range ?? strip).getBoundingClientRect().top - element.getBoundingClientRect().top
    this.view.list.show(this.view.store.places.get(hit.uid) + 1, "near", inside)
  }

  // Marks the words that were searched for in what is mounted, without touching the cards.
  mark() {
    if (!CSS.highlights) return
    const query = this.asked.trim().toLowerCase()
    this.ranges = query ? findRanges(this.view.list.window, query) : []
    if (this.ranges.length) CSS.highlights.set(NAME, new Highlight(...this.ranges))
    else CSS.highlights.delete(NAME)
  }
}

function findRanges(root, query) {
  const ranges = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode() && ranges.length < MARKS) {
    const node = walker.currentNode
    if (!node.parentElement.closest(".strip, .preview")) continue
    const text = node.data.toLowerCase()
    for (let at = text.indexOf(query); at >= 0 && ranges.length < MARKS; at = text.indexOf(query, at + query.length)) {
      const range = new Range()
      range.setStart(node, Math.min(at, node.length))
      range.setEnd(node, Math.min(at + query.length, node.length))
      ranges.push(range)
    }
  }
  return ranges
}
