// What an endpoint would refuse, as red marks on cards, blocks and lines; and the flash of what somebody asked to see.

import { make } from "./dom.js"

const FLASH = 1_600
const WHOLE = -1

export class Marks {
  constructor(view) {
    this.view = view
    this.wrong = {}
    this.flashing = null
  }

  // Takes `{uid of a message: {number of a block, or -1: sentence}}`; cards whose marks differ are built again.
  update(wrong = {}) {
    const { list } = this.view
    const old = this.wrong
    this.wrong = wrong
    const changed = [...new Set([...Object.keys(old), ...Object.keys(wrong)])].filter((uid) => JSON.stringify(old[uid]) !== JSON.stringify(wrong[uid]))
    const shown = changed.filter((uid) => list.mounted.has(uid) && !list.pinned.has(uid))
    if (shown.length) this.view.redraw(...shown)
  }

  // Whether both ends of a thread take part in what is refused.
  breaks({ call, result }) {
    return Boolean(call && result && !this.view.original && this.#says(call) && this.#says(result))
  }

  #says({ uid, block }) {
    return this.wrong[uid]?.[block]
  }

  dress(element, uid) {
    const found = this.view.original ? null : this.wrong[uid]
    if (found) {
      element.classList.add("wrong")
      const words = Object.values(found).join("\n")
      element.querySelector(".spring").before(make("span", { class: "mark refused", title: words, text: "refused" }))
      for (const block of Object.keys(found)) this.#strip(element, block)?.classList.add("wrong")
    }
    if (this.flashing?.uid === uid && performance.now() < this.flashing.until) this.#light(element)
  }

  #strip(element, block) {
    return Number(block) === WHOLE ? null : element.querySelector(`.strip[data-block="${block}"]`)
  }

  // Shows for a moment which card, or which block of it, is meant.
  flash(uid, block) {
    this.flashing = { uid, block: block ?? WHOLE, until: performance.now() + FLASH }
    const card = this.view.list.mounted.get(uid)?.querySelector(".card")
    if (card) this.#light(card)
    this.view.root.classList.add("flashing")
    clearTimeout(this.ending)
    this.ending = setTimeout(() => this.view.root.classList.remove("flashing"), FLASH)
  }

  #light(card) {
    const target = this.#strip(card, this.flashing.block) ?? card
    for (const one of [card, target]) {
      one.classList.remove("reached")
      // Reading a size starts the animation anew where it ran before.
      one.getBoundingClientRect()
      one.classList.add("reached")
    }
  }
}
