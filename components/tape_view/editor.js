// The form in which a message or block is written anew: as text where it has one, as JSON always.

import { make } from "./dom.js"

export class Editor {
  // `text` is null where only JSON can be edited; `save` gets {plain: {value}} or {json: {value: "…"}}, in which JSON
  // stays the text that was typed (so that no number changes), and returns the number of the queue item.
  constructor({ title, text, json, role = null, where = null, turn = null, verb = role ? "Insert" : "Save", save, close }) {
    this.seq = null
    this.save = save
    this.role = role
    this.contents = { text, json }
    // A text area would turn other line ends into its own.
    this.textual = text !== null && text !== undefined && !text.includes("\r")
    this.mode = this.textual ? "text" : "json"
    this.area = make("textarea", { spellcheck: false, "aria-label": title, oninput: () => this.#grow() })
    this.why = make("p", { class: "why", role: "alert", hidden: true })
    this.modes = make("div", { class: "modes", role: "group", "aria-label": "Edit as" })
    this.roles = role
      ? make(
          "select",
          { "aria-label": "Role", onchange: (event) => (this.role = event.target.value) },
          ...["user", "assistant", "system"].map((name) => make("option", { value: name, text: name, selected: name === role })),
        )
      : null
    this.saving = make("button", { type: "submit", class: "primary", text: verb, title: "Ctrl+Enter" })
    this.element = make(
      "form",
      { class: "editor", onsubmit: (event) => this.#submit(event), onkeydown: (event) => this.#key(event, close) },
      make("div", { class: "editor-head" }, make("b", { text: title }), this.roles, make("span", { class: "spring" }), this.modes),
      this.area,
      this.why,
      make(
        "div",
        { class: "row" },
        this.saving,
        make("button", { type: "button", class: "plain", text: "Cancel", title: "Esc", onclick: close }),
        turn ? make("button", { type: "button", class: "plain", text: where === "above" ? "Put it below instead" : "Put it above instead", onclick: turn }) : null,
        make("span", { class: "quiet", text: "Ctrl+Enter saves, Esc leaves" }),
      ),
    )
    this.#show(this.mode)
  }

  focus() {
    this.#grow()
    this.area.focus({ preventScroll: false })
    this.area.setSelectionRange(this.area.value.length, this.area.value.length)
  }

  // After a refusal: it can be sent again.
  settle() {
    this.saving.disabled = false
  }

  #show(mode) {
    this.mode = mode
    this.area.value = this.contents[mode] ?? ""
    this.area.classList.toggle("code", mode === "json")
    this.roles?.classList.toggle("off", mode === "json")
    const names = this.textual ? ["text", "json"] : []
    this.modes.replaceChildren(
      ...names.map((name) =>
        make("button", {
          type: "button",
          class: "mode",
          "aria-pressed": String(name === mode),
          text: name === "json" ? "JSON" : "Text",
          onclick: () => {
            this.contents[this.mode] = this.area.value
            this.#show(name)
            this.focus()
          },
        }),
      ),
    )
    this.#grow()
  }

  #grow() {
    this.area.style.height = "auto"
    this.area.style.height = `${Math.min(Math.max(this.area.scrollHeight + 2, 88), window.innerHeight * 0.5)}px`
  }

  #key(event, close) {
    event.stopPropagation()
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#submit(event)
    else if (event.key === "Escape") {
      event.preventDefault()
      close()
    }
  }

  #submit(event) {
    event.preventDefault()
    if (this.seq !== null) return
    const written = this.area.value
    const field = this.role ? "message" : "value"
    this.why.hidden = true
    if (this.mode === "json") {
      try {
        JSON.parse(written)
      } catch (error) {
        this.why.textContent = `This is not JSON yet: ${error.message}`
        this.why.hidden = false
        return
      }
      this.seq = this.save({ plain: {}, json: { [field]: written } })
    } else {
      const value = this.role ? { role: this.role, content: written } : written
      this.seq = this.save({ plain: { [field]: value } })
    }
    this.saving.disabled = true
  }
}
