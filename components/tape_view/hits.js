// The list of everything that a search found: in the array, and beside it.

import { count, fill, make, number } from "./dom.js"
import { icon } from "./icons.js"

const PAGE = 100
const BESIDE = {
  system: () => "system prompt",
  tools: (name) => `tool ${name}`,
  aside: () => "not sent to the model",
  lane: (name, view) => `sub-agent ${laneOf(view, name)?.agent || name + 1}`,
}

export class Hits {
  constructor(search) {
    this.search = search
    this.view = search.view
    this.root = this.view.root.querySelector(".hits")
    this.root.addEventListener("keydown", (event) => this.#key(event))
    this.rows = PAGE
  }

  get shown() {
    return !this.root.hidden
  }

  toggle() {
    if (this.shown) this.close()
    else this.open()
  }

  open() {
    this.root.hidden = false
    this.rows = Math.max(PAGE, this.search.at + 20)
    this.draw()
    ;(this.root.querySelector("[aria-current]") ?? this.root.querySelector(".row"))?.focus()
  }

  close() {
    this.root.hidden = true
    this.search.found.setAttribute("aria-expanded", "false")
    this.search.field.focus()
  }

  draw() {
    const { search } = this
    const { hits, beside } = search
    search.found.setAttribute("aria-expanded", String(this.shown))
    if (!hits.length && !beside.length) this.root.hidden = true
    if (!this.shown) return
    const head = make("header", {}, make("b", { text: this.#sum() }))
    if (search.next !== null) head.append(make("button", { type: "button", class: "quiet worded", text: "Search on", onclick: () => search.more() }))
    head.append(make("button", { type: "button", class: "quiet", "aria-label": "Close the list", title: "Close the list", onclick: () => this.close() }, icon("close")))
    const list = make("ol", {}, ...hits.slice(0, this.rows).map((hit, at) => this.#row(hit, at)))
    const more = hits.length - this.rows
    if (more > 0) list.append(make("li", {}, make("button", { type: "button", class: "row more", text: `${number(more)} more`, onclick: () => this.#further() })))
    const { scrollTop } = this.root
    this.root.replaceChildren(head, list)
    if (beside.length) fill(this.root, make("h3", { text: "Beside the array" }), make("ol", {}, ...beside.map((hit) => this.#besideRow(hit))))
    this.mark(false)
    this.root.scrollTop = scrollTop
  }

  #sum() {
    const { hits, times, next } = this.search
    if (!hits.length) return "nothing in the array"
    return `${number(times)}${next === null ? "" : "+"} in ${count(hits.length, "block")}`
  }

  #further() {
    const from = this.rows
    this.rows += PAGE
    this.draw()
    this.root.querySelectorAll(".row")[from]?.focus()
  }

  #row([uid, , , times, before, hit, after], at) {
    const { store } = this.view
    const i = store.places.get(uid)
    const tone = i === undefined ? "" : store.tone(i)
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: `row ${tone}`, "data-at": String(at), onclick: () => this.search.go(at) },
        make("span", { class: "at", text: i === undefined ? "gone" : `#${i}` }),
        excerpt(before, hit, after),
        times > 1 ? make("span", { class: "times", text: `${number(times)}×` }) : null,
      ),
    )
  }

  #besideRow([place, name, before, hit, after]) {
    const { view } = this
    const words = (BESIDE[place] ?? (() => place))(name, view)
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "row", onclick: () => goBeside(view, place, name) },
        make("span", { class: "at", text: words }),
        excerpt(before, hit, after),
      ),
    )
  }

  // Shows which hit one is at.
  mark(scrolls = true) {
    if (!this.shown) return
    for (const row of this.root.querySelectorAll(".row[aria-current]")) row.removeAttribute("aria-current")
    const row = this.root.querySelector(`.row[data-at="${this.search.at}"]`)
    row?.setAttribute("aria-current", "true")
    if (scrolls) row?.scrollIntoView({ block: "nearest" })
  }

  #key(event) {
    if (event.key === "Escape") this.close()
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const rows = [...this.root.querySelectorAll(".row")]
      const at = rows.indexOf(this.root.getRootNode().activeElement)
      const next = rows[at + (event.key === "ArrowDown" ? 1 : -1)]
      if (next) next.focus()
      else if (event.key === "ArrowUp") this.search.field.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

// The message that a sub-agent hangs at, and its name.
export function laneOf({ store }, wanted) {
  const found = store.lanes.find(([, , number]) => number === wanted)
  return found ? { uid: found[0], agent: found[4] } : null
}

// Goes to what stands outside of the array, and opens it.
function goBeside(view, place, name) {
  const uid = place === "aside" ? name : place === "lane" ? laneOf(view, name)?.uid : null
  if (place === "system" || place === "tools") view.folds.toggle(place, true)
  else if (place === "aside") view.folds.toggle(`asides ${name ?? "start"}`, true)
  else view.folds.toggle(`lanes ${uid ?? "end"} ${name}`, true)
  const i = uid === null || uid === undefined ? undefined : view.store.places.get(uid)
  if (i !== undefined) view.go(i, null, false)
  else view.list.show(place === "lane" ? view.items.length - 1 : 0, 0)
}

function excerpt(before, hit, after) {
  return make("span", { class: "words" }, make("span", { text: `${before}` }), make("mark", { text: hit }), make("span", { text: `${after}` }))
}
