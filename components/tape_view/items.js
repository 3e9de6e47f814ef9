// What the list shows: the system prompt first, then one item a message with its turn header before it and what was
// deleted or left out behind it, and the end.

import { asides, branch, card, tombstone, turnHeader } from "./card.js"
import { make } from "./dom.js"
import { endCard, headCard } from "./ends.js"

const LINE = 21
const WIDE = 92
const LINE_OUT = 8

export class Items {
  constructor(view) {
    this.view = view
  }

  // At a beat only as many messages are there as were appended by then, and the header of the turn that is called.
  get length() {
    const { view } = this
    if (view.store.v < 0) return 0
    return view.shown + 2 + (view.phase === "call" ? 1 : 0)
  }

  key(i) {
    if (i === 0) return "head"
    const { view } = this
    if (i - 1 < view.shown) return view.store.rows[i - 1][0]
    if (view.phase === "call" && i - 1 === view.shown) return "calling"
    return "end"
  }

  // The number of an item; undefined where there is none with that key.
  place(key) {
    const { view } = this
    if (key === "head") return 0
    if (key === "end") return this.length - 1
    if (key === "calling") return view.phase === "call" ? view.shown + 1 : undefined
    const place = view.store.places.get(key)
    return place === undefined || place >= view.shown ? undefined : place + 1
  }

  estimate(i) {
    const key = this.key(i)
    const { view } = this
    if (key === "head") return view.store.head.system ? 76 : 44
    if (key === "end" || key === "calling") return 60
    if (view.filters.hidden(i - 1)) return LINE_OUT
    const [uid, , kinds, chars, lines] = view.store.rows[i - 1]
    const turn = view.store.turnAt.has(i - 1) ? 42 : 0
    if (view.folds.level(uid) === 0) return 46 + turn
    const wrapped = Math.max(lines, Math.ceil(chars / WIDE))
    const most = 14 * Math.max(1, kinds.length)
    return 62 + turn + kinds.length * 34 + Math.min(wrapped, most) * LINE
  }

  build(i) {
    const { view } = this
    const { store } = view
    const key = this.key(i)
    if (key === "head") return make("div", { class: "item head" }, ...headCard(view))
    if (key === "end") return make("div", { class: "item end" }, ...endCard(view))
    if (key === "calling") {
      const turn = store.turnAt.get(view.shown)
      return make(
        "div",
        { class: "item calling" },
        turn ? turnHeader(view, turn, view.shown) : null,
      )
    }
    const place = i - 1
    const uid = key
    if (view.filters.hidden(place)) return make("div", { class: "item line" })
    const turn = store.turnAt.get(place)
    const item = make("div", { class: "item" })
    if (view.phase === "call") item.classList.add(place >= view.shown - (store.turnAt.get(view.shown)?.fresh ?? 0) ? "fresh" : "resent")
    if (turn) item.append(turnHeader(view, turn, place))
    const form = view.actions.inserting?.owner === uid ? view.actions.inserting : null
    if (form?.where === "above") item.append(form.element)
    item.append(card(view, place))
    if (form?.where === "below") item.append(form.element)
    if (store.asidesAfter.has(uid)) item.append(asides(view, uid, store.asidesAfter.get(uid)))
    for (const left of store.branchesAfter.get(uid) ?? []) item.append(branch(view, uid, left))
    for (const gone of store.goneAfter.get(uid) ?? []) item.append(tombstone(view, gone))
    if (this.#inside(place)) item.classList.add("joined")
    return item
  }

  // A round of results that goes on in the next message stands closer.
  #inside(i) {
    const { store } = this.view
    return i + 1 < store.length && store.tone(i) === "result" && store.tone(i + 1) === "result"
  }
}
