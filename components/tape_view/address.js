// The address bar: it holds what is open, the message, the turn in focus, the search, the filters and which view of
// the session is shown, and opens there again. A file of one's own is not in it: the address leads to the message only
// where the same file was opened before.

import { focusTurn } from "./projecting.js"
import { WAYS } from "./search.js"

const KEYS = { message: "m", query: "q", ways: "s", filter: "f", turn: "t", view: "v" }
const ORIGINAL = "original"
const SOON = 300

export class Address {
  constructor(view) {
    this.view = view
    this.wanted = new URLSearchParams(location.search)
  }

  destroy() {
    clearTimeout(this.timer)
  }

  // A session was opened: goes where the address says, once.
  async open() {
    const { wanted, view } = this
    if (view.resume.waiting || view.data.options.beside) return
    this.wanted = null
    if (!wanted) return this.say()
    if (wanted.get(KEYS.view) === ORIGINAL) await view.showOriginal(true)
    for (const pair of wanted.getAll(KEYS.filter)) {
      const [group, ...name] = pair.split(":")
      view.filters.want(group, name.join(":"))
    }
    if (view.filters.on) view.filters.changed()
    const query = wanted.get(KEYS.query)
    if (query) {
      for (const way of wanted.getAll(KEYS.ways)) if (WAYS.includes(way)) view.search.turn(way, true)
      view.search.field.value = query
      view.search.run()
    }
    const start = view.store.turnStarts[Number.parseInt(wanted.get(KEYS.turn), 10) - 1]
    if (start !== undefined) {
      view.go(start, null, false)
      if (!view.focused) focusTurn(view, start)
    }
    const message = wanted.get(KEYS.message)
    if (message !== null) {
      const place = view.store.places.get(message) ?? Number.parseInt(message, 10)
      if (Number.isInteger(place)) view.go(place, null, false)
    }
    view.filters.mark()
  }

  // What is looked at has changed; the address follows soon.
  say() {
    if (this.wanted || this.view.data.options?.beside) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.#write(), SOON)
  }

  #write() {
    const { view } = this
    const asked = new URLSearchParams(location.search)
    for (const key of Object.values(KEYS)) asked.delete(key)
    const link = view.data.options?.link
    if (link) asked.set("sample", link)
    else asked.delete("sample")
    const place = view.store.places.get(view.selected)
    if (place !== undefined) asked.set(KEYS.message, view.selected)
    const query = view.search.field.value.trim()
    if (query) {
      asked.set(KEYS.query, query)
      for (const way of WAYS) if (view.search.ways[way]) asked.append(KEYS.ways, way)
    }
    if (view.focused) asked.set(KEYS.turn, view.focused.number)
    if (view.original) asked.set(KEYS.view, ORIGINAL)
    for (const [group, names] of Object.entries(view.filters.chosen)) {
      for (const name of names) asked.append(KEYS.filter, `${group}:${name}`)
    }
    const text = asked.toString()
    const to = `${location.pathname}${text ? `?${text}` : ""}${location.hash}`
    if (to !== `${location.pathname}${location.search}${location.hash}`) history.replaceState(history.state, "", to)
  }
}
