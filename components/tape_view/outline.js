// The outline: what was asked, and under it the turns in a line each, a page of them at a time.

import { count, duration, make, number } from "./dom.js"
import { icon } from "./icons.js"

const PAGE = 100
const TOOLS = 3

export class Outline {
  constructor(view) {
    this.view = view
    this.root = view.root.querySelector(".outline")
    this.button = view.root.querySelector("[data-do=outline]")
    this.root.addEventListener("keydown", (event) => this.#key(event))
    this.page = 0
  }

  get shown() {
    return !this.root.hidden
  }

  toggle() {
    if (this.shown) this.close()
    else this.open()
  }

  // Opens at the turn that one is in.
  async open() {
    this.root.hidden = false
    this.button.setAttribute("aria-expanded", "true")
    const turn = this.#here()
    this.page = Math.floor(((turn?.number ?? 1) - 1) / PAGE)
    await this.#read()
    ;(this.root.querySelector("[aria-current]") ?? this.root.querySelector(".row"))?.focus()
  }

  close() {
    this.root.hidden = true
    this.button.setAttribute("aria-expanded", "false")
    this.button.focus()
  }

  // Another session or another version of it.
  changed() {
    clearTimeout(this.later)
    if (this.shown) this.later = setTimeout(() => this.#read(), 300)
  }

  #here() {
    const { view } = this
    const i = view.store.places.get(view.selected) ?? Math.max(0, view.list.heights.find(view.list.top + 40) - 1)
    return view.store.turnOf(i) ?? view.store.turnAt.get(view.store.turnStarts[0])
  }

  async #read() {
    const { view } = this
    const { api } = view
    const answer = await api.get("outline", { from: this.page * PAGE, n: PAGE, ...view.of })
    if (api !== view.api || !this.shown) return
    const list = make("ol", {})
    for (const [uid, words, asked, seconds] of answer.turns) {
      if (asked) list.append(this.#asked(asked))
      const row = this.#turn(uid, words, seconds)
      if (row) list.append(row)
    }
    const { scrollTop } = this.root
    this.root.replaceChildren(this.#head(answer.of), list, ...this.#pages(answer.of))
    this.root.scrollTop = scrollTop
    this.mark()
  }

  #head(many) {
    return make(
      "header",
      {},
      make("b", { text: count(many, "turn") }),
      make("button", { type: "button", class: "quiet", "aria-label": "Close the outline", title: "Close the outline", onclick: () => this.close() }, icon("close")),
    )
  }

  #pages(many) {
    const go = (page, words) => make("button", { type: "button", class: "quiet worded", text: words, onclick: () => this.#turnPage(page) })
    const last = Math.max(0, Math.ceil(many / PAGE) - 1)
    if (!last) return []
    const from = this.page * PAGE
    return [
      make(
        "footer",
        {},
        this.page ? go(this.page - 1, "earlier") : null,
        make("span", { text: `${number(from + 1)} to ${number(Math.min(from + PAGE, many))} of ${number(many)}` }),
        this.page < last ? go(this.page + 1, "later") : null,
      ),
    ].filter(Boolean)
  }

  async #turnPage(page) {
    this.page = page
    this.root.scrollTop = 0
    await this.#read()
    this.root.querySelector(".row")?.focus()
  }

  #asked([uid, words]) {
    const i = this.view.store.places.get(uid)
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "row user ask", onclick: () => i !== undefined && this.view.go(i, null, false) },
        make("span", { class: "words", text: words || "asked" }),
        make("span", { class: "at", text: i === undefined ? "" : `#${i}` }),
      ),
    )
  }

  #turn(uid, words, seconds) {
    const { store } = this.view
    const i = store.places.get(uid)
    const turn = store.turnAt.get(i)
    if (!turn) return null
    const tools = new Map()
    for (const name of store.rows[i][5] ?? []) tools.set(name, (tools.get(name) ?? 0) + 1)
    const named = [...tools].slice(0, TOOLS).map(([name, times]) => (times > 1 ? `${name} ×${times}` : name))
    if (tools.size > TOOLS) named.push(`${tools.size - TOOLS} more`)
    const sign = turn.source === "estimated" ? "≈\u2009" : ""
    const cost = turn.prompt === null ? "" : `${sign}${number(turn.prompt)} → ${turn.output === null ? "?" : number(turn.output)}`
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "row assistant", "data-turn": String(turn.number), onclick: () => this.view.go(i, null, false) },
        make("span", { class: "number", text: number(turn.number) }),
        make("span", { class: "words" }, named.length ? make("code", { text: named.join(", ") }) : null, make("span", { text: words })),
        make("span", { class: "at", title: "tokens sent → answered", text: cost }),
        make("span", { class: "took", text: seconds === null ? "" : duration(seconds) }),
      ),
    )
  }

  // Shows which turn one is in.
  mark() {
    if (!this.shown) return
    const here = this.#here()
    for (const row of this.root.querySelectorAll(".row[data-turn]")) {
      if (Number(row.dataset.turn) !== here?.number) row.removeAttribute("aria-current")
      else if (!row.hasAttribute("aria-current")) {
        row.setAttribute("aria-current", "true")
        row.scrollIntoView({ block: "nearest" })
      }
    }
  }

  #key(event) {
    if (event.key === "Escape") this.close()
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const rows = [...this.root.querySelectorAll(".row")]
      rows[rows.indexOf(this.root.getRootNode().activeElement) + (event.key === "ArrowDown" ? 1 : -1)]?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}
