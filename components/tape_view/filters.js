// Filters: which messages are meant, by role, mark, tool, turn and file touched, with counts. The others step back, or
// shrink to a line.

import { count, make, number } from "./dom.js"

const TOOLS = 24
const FILES = 12
const SPAN = /^([0-9]+)-([0-9]+)$/
const MARKS = [
  ["errors", "error results"],
  ["broken", "broken pairs"],
  ["thinking", "thinking"],
  ["images", "images"],
  ["edited", "edited or new"],
  ["summary", "summaries"],
]
const ROLES = ["user", "assistant", "result", "system"]

export class Filters {
  constructor(view) {
    this.view = view
    this.panel = view.root.querySelector(".filters")
    this.button = view.root.querySelector("[data-do=filter]")
    this.forget()
  }

  forget() {
    this.chosen = { role: new Set(), mark: new Set(), tool: new Set(), turn: new Set(), file: new Set() }
    this.files = null
    this.hides = false
    this.sorted = null
    this.panel.hidden = true
  }

  get on() {
    return Object.values(this.chosen).some((set) => set.size > 0)
  }

  // Another version of the session: what is where is found out again when it is asked for.
  changed() {
    this.sorted = null
    if (this.files && (!this.panel.hidden || this.chosen.file.size)) this.#readFiles()
    if ((!this.panel.hidden || this.on) && this.#sizes() !== this.drawn) this.draw()
  }

  #sizes() {
    return [...this.#sort()].map(([key, places]) => `${key} ${places.size}`).join()
  }

  // Positions by what they are: `role user`, `mark errors`, `tool Bash`.
  #sort() {
    if (this.sorted) return this.sorted
    const { store } = this.view
    const found = new Map()
    const put = (key, i) => {
      if (!found.has(key)) found.set(key, new Set())
      found.get(key).add(i)
    }
    store.rows.forEach(([, , kinds, , , names = [], marks = "", origin], i) => {
      put(`role ${store.tone(i)}`, i)
      if (marks.includes("e")) put("mark errors", i)
      if (/[km]/.test(marks)) put("mark summary", i)
      if (origin) put("mark edited", i)
      if (kinds.includes("h")) put("mark thinking", i)
      if (kinds.includes("i")) put("mark images", i)
      for (const name of names) put(`tool ${name}`, i)
    })
    for (const { call, result, broken, name } of store.threads) {
      if (broken) for (const end of [call, result]) if (end) put("mark broken", end.i)
      if (result && name) put(`tool ${name}`, result.i)
    }
    for (const [path, places] of this.files?.files ?? []) {
      for (const [uid, block] of places) {
        const i = store.places.get(uid)
        if (i === undefined) continue
        put(`file ${path}`, i)
        for (const { result } of store.threadsOf(i, block)) if (result) put(`file ${path}`, result.i)
      }
    }
    for (const span of this.chosen.turn) {
      const [, first, last] = span.match(SPAN) ?? []
      if (!first) continue
      const { turnStarts } = store
      const end = turnStarts[Number(last)] ?? store.length
      for (let i = turnStarts[Number(first) - 1] ?? store.length; i < end; i++) put(`turn ${span}`, i)
    }
    this.sorted = found
    return found
  }

  // Which files the calls touch is looked for once it is wanted: it stands in the bodies.
  async #readFiles() {
    const { view } = this
    const { api } = view
    this.files ??= { files: [], all: true }
    const files = await api.get("files", view.of)
    if (api !== view.api) return
    this.files = files
    this.sorted = null
    this.draw()
    this.mark()
  }

  // Whether a message is meant: one of those chosen in every group where something is.
  fits(i) {
    const found = this.#sort()
    return Object.entries(this.chosen).every(
      ([group, names]) => !names.size || [...names].some((name) => found.get(`${group} ${name}`)?.has(i)),
    )
  }

  // Whether an item is not built, but stands as a line.
  hidden(i) {
    return this.hides && this.on && !this.fits(i)
  }

  toggle() {
    this.panel.hidden = !this.panel.hidden
    if (!this.files) this.#readFiles()
    this.button.setAttribute("aria-expanded", String(!this.panel.hidden))
    if (!this.panel.hidden) {
      this.draw()
      this.panel.querySelector("button")?.focus()
    }
  }

  close() {
    this.panel.hidden = true
    this.button.setAttribute("aria-expanded", "false")
    this.button.focus()
  }

  // What an address asks for.
  want(group, name) {
    if (!(group in this.chosen)) return
    this.chosen[group].add(name)
    if (group === "file" && !this.files) this.#readFiles()
  }

  choose(group, name, on = !this.chosen[group].has(name)) {
    if (on) this.chosen[group].add(name)
    else this.chosen[group].delete(name)
    this.#apply()
  }

  clear() {
    for (const set of Object.values(this.chosen)) set.clear()
    this.#apply()
  }

  #apply() {
    this.sorted = null
    if (this.hides) this.view.list.forget()
    this.draw()
    this.mark()
    this.view.address.say()
  }

  draw() {
    const found = this.#sort()
    this.drawn = this.#sizes()
    const { store } = this.view
    const active = this.panel.contains(this.panel.getRootNode().activeElement) ? this.panel.getRootNode().activeElement.dataset.key : null
    const chips = (group, names, word) => {
      const row = make("div", { class: "chips", role: "group", "aria-label": word }, make("span", { class: "word", text: word }))
      for (const [name, said] of names) {
        const many = found.get(`${group} ${name}`)?.size ?? 0
        const on = this.chosen[group].has(name)
        if (!many && !on) continue
        row.append(
          make(
            "button",
            { type: "button", class: "chip", "aria-pressed": String(on), "data-key": `${group} ${name}`, onclick: () => this.choose(group, name) },
            make("span", { text: said, title: said === name ? null : name }),
            make("i", { text: number(many) }),
          ),
        )
      }
      return row.childElementCount > 1 ? row : null
    }
    const tools = [...found].filter(([key]) => key.startsWith("tool ")).sort((a, b) => b[1].size - a[1].size)
    const rows = [
      chips("role", ROLES.map((name) => [name, name === "result" ? "tool results" : name]), "Role"),
      chips("mark", MARKS, "With"),
      chips("tool", tools.slice(0, TOOLS).map(([key]) => [key.slice(5), key.slice(5)]), "Tool"),
    ]
    const files = this.files?.files ?? []
    const others = [...this.chosen.file].filter((path) => !files.slice(0, FILES).some(([one]) => one === path))
    rows.push(chips("file", [...files.slice(0, FILES).map(([path]) => path), ...others].map((path) => [path, shortened(path)]), "File"), this.#otherFiles(files), this.#turns())
    let fitting = 0
    if (this.on) for (let i = 0; i < store.length; i++) if (this.fits(i)) fitting++
    const said = this.on ? `${number(fitting)} of ${count(store.length, "message")}` : "Choose what to look at; the others step back."
    const press = (text, act, more = {}) => make("button", { type: "button", class: "quiet worded", text, "data-key": text, onclick: act, ...more })
    const foot = make(
      "div",
      { class: "foot" },
      make("span", { role: "status", text: said }),
      ...(this.on
        ? [
            press("previous", () => this.step(-1)),
            press("next", () => this.step(1)),
            press("hide others", () => this.#hide(), { "aria-pressed": String(this.hides) }),
            press("clear", () => this.clear()),
          ]
        : []),
    )
    this.panel.replaceChildren(...rows.filter(Boolean), foot)
    if (active) this.panel.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus()
    this.button.classList.toggle("on", this.on)
  }

  // The files that are not among the first, to choose from.
  #otherFiles(files) {
    if (files.length <= FILES) return null
    const choice = make("select", { "aria-label": "Another file", "data-key": "other file", onchange: () => choice.value && this.choose("file", choice.value, true) })
    choice.append(make("option", { value: "", text: `${count(files.length - FILES, "more file")}${this.files.all ? "" : " in the part that was looked at"}` }))
    for (const [path, places] of files.slice(FILES)) choice.append(make("option", { value: path, text: `${path} · ${number(places.length)}` }))
    return make("div", { class: "chips" }, make("span", { class: "word" }), choice)
  }

  // From which turn to which.
  #turns() {
    const most = this.view.store.turns.length
    if (most < 2) return null
    const [span] = this.chosen.turn
    const [, first = "", last = ""] = span?.match(SPAN) ?? []
    const field = (value, label, key) => make("input", { type: "number", min: "1", max: String(most), value, "aria-label": label, placeholder: key === "turn from" ? "1" : String(most), "data-key": key })
    const from = field(first, "From turn", "turn from")
    const to = field(last, "To turn", "turn to")
    const take = () => {
      const [low, high] = [Number(from.value) || 1, Number(to.value) || most]
      this.chosen.turn.clear()
      if (from.value || to.value) this.chosen.turn.add(`${low}-${Math.max(low, high)}`)
      this.#apply()
    }
    for (const one of [from, to]) one.addEventListener("change", take)
    return make("div", { class: "chips", role: "group", "aria-label": "Turn" }, make("span", { class: "word", text: "Turn" }), from, make("span", { class: "to", text: "to" }), to)
  }

  #hide() {
    this.hides = !this.hides
    this.view.list.forget()
    this.draw()
    this.mark()
  }

  // Marks what is mounted; called whenever that changes.
  mark() {
    const { list, store } = this.view
    const { on } = this
    for (const [uid, element] of list.mounted) {
      const i = on ? store.places.get(uid) : undefined
      element.classList.toggle("out", i !== undefined && !this.fits(i))
    }
  }

  // The next message that is meant, from where one is.
  step(by) {
    const { view } = this
    const here = view.store.places.get(view.selected) ?? (by > 0 ? -1 : view.store.length)
    for (let i = here + by; i >= 0 && i < view.store.length; i += by) {
      if (this.fits(i)) return view.go(i, null, false)
    }
    view.bar.say(by > 0 ? "There is no later one." : "There is no earlier one.")
  }
}

// The end of a path, which tells it from others.
function shortened(path) {
  const parts = path.split(/[\\/]/)
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path
}
