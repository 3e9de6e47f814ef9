// Filters: which messages are meant, by role, mark and tool, with counts. The others step back, or shrink to a line.

import { count, make, number } from "./dom.js"

const TOOLS = 24
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
    this.chosen = { role: new Set(), mark: new Set(), tool: new Set() }
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
    this.sorted = found
    return found
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
            make("span", { text: said }),
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
