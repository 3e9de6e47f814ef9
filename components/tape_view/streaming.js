// A run as it happens, under the last message: the answer that arrives, the tools that work, the call that waits for a
// person, and one line on how far it is. Read from the server many times a second, beside the page; what is in the
// array already is drawn by its card.

import { make } from "./dom.js"
import { icon } from "./icons.js"

const STATES = { works: "works …", done: "has its result", error: "has an error", asks: "asks you" }
// After an answer that could not be read, try again (milliseconds).
const AGAIN = 1_000

export class Streaming {
  constructor(view) {
    this.view = view
    this.run = 0
    this.state = null
    this.element = make("div", { class: "happening", role: "status", "aria-live": "off" })
  }

  // `run` is the number of the run that goes on, 0 where there is none.
  update(run) {
    if (run !== this.run) {
      this.run = run
      this.#clear()
      if (run) {
        this.view.list.toEnd()
        this.#read(run, this.view.api)
      }
    }
    this.#arrange()
  }

  // What stands at the end of the tape; nothing where nothing goes on.
  get parts() {
    return this.state?.active && !this.view.original ? [this.element] : []
  }

  destroy() {
    this.run = 0
  }

  #clear() {
    this.state = null
    this.call = 0
    this.seen = 0
    this.grown = 0
    this.blocks = new Map()
    this.form = null
    this.strips = make("div", { class: "strips" })
    this.answer = make(
      "article",
      { class: "card assistant arriving", "aria-label": "the answer that arrives" },
      make("header", { class: "card-head" }, icon("assistant"), make("h3", { class: "role", text: "assistant" }), make("span", { class: "sub", text: "arriving" })),
      this.strips,
    )
    this.tools = make("ul", { class: "at-work" })
    this.asking = make("div", { class: "asking" })
    this.phase = make("span", { class: "phase" })
    this.far = make("span", { class: "far" })
    this.element.replaceChildren(
      this.answer,
      this.tools,
      this.asking,
      make(
        "div",
        { class: "how-far" },
        make("span", { class: "beating", "aria-hidden": "true" }),
        this.phase,
        this.far,
        make("button", { type: "button", class: "plain", text: "Stop", onclick: (event) => this.#stop(event.target) }),
      ),
    )
  }

  #stop(button) {
    button.disabled = true
    button.textContent = "Stopping …"
    this.view.send({ do: "stop" })
  }

  async #read(run, api) {
    let v = -1
    while (this.run === run && api === this.view.api) {
      let state
      try {
        state = await api.get("run", { v, call: this.call, seen: this.seen })
      } catch {
        await new Promise((done) => setTimeout(done, AGAIN))
        continue
      }
      if (this.run !== run || state.run !== run) return
      v = state.v
      this.#take(state)
      if (!state.active) return
    }
  }

  #take(state) {
    const { list } = this.view
    // Who has just scrolled away is not brought back, even where the list has not heard of it yet.
    const moved = Math.abs(list.scroller.scrollTop - list.placed) > 2
    const follows = list.atEnd || (list.held?.end && !moved)
    const shown = this.state?.active
    const { call, answer } = state
    if (call !== this.call) {
      this.call = call
      this.strips.replaceChildren()
      this.blocks.clear()
    }
    for (const piece of answer.pieces) this.#piece(...piece)
    this.seen = answer.from + answer.pieces.length
    this.state = state
    this.phase.textContent = state.phase
    this.far.textContent = state.progress
    this.#ask(state.waiting)
    this.#arrange()
    if (shown !== state.active) this.view.redraw("end")
    // The page takes over what is new in the array, and the end of the run.
    if (state.grown !== this.grown || !state.active) {
      this.grown = state.grown
      this.view.send({ do: "advance" })
    }
    if (follows) list.toEnd()
  }

  // More of one block: words are appended to what is there, and nothing else is drawn again.
  #piece(kind, index, name, text) {
    let words = this.blocks.get(index)
    if (!words) {
      words = make(kind === "call" ? "pre" : "div", { class: { text: "prose words", thinking: "thought", call: "output" }[kind] })
      const heading =
        kind === "call"
          ? make("div", { class: "strip-head" }, icon("call"), make("code", { class: "tool", text: name || "(no name)" }))
          : kind === "thinking"
            ? make("div", { class: "strip-head" }, make("span", { class: "strip-name", text: "thinking" }))
            : null
      const strip = { text: "text", thinking: "thinking", call: "tool-use" }[kind]
      this.strips.append(make("section", { class: `strip ${strip}` }, ...(heading ? [heading] : []), words))
      this.blocks.set(index, words)
    }
    if (words.lastChild) words.lastChild.appendData(text)
    else words.append(document.createTextNode(text))
  }

  // Shows what the array does not hold yet.
  #arrange() {
    const { state } = this
    if (!state) return
    const { length } = this.view.store
    this.answer.hidden = length > state.answer.at || !this.strips.childElementCount
    const works = length <= state.tools.at ? state.tools.list : []
    this.tools.replaceChildren(
      ...works.map(([, name, how, note]) =>
        make("li", { class: how }, icon(how === "error" ? "error" : how === "done" ? "result" : "call"), make("code", { class: "tool", text: name }), make("span", { class: "quiet", text: note || STATES[how] })),
      ),
    )
    this.tools.hidden = !works.length
    this.asking.hidden = !state.waiting
  }

  // The person is the harness: a form for the result of the call that waits. What was typed stays while the run is read.
  #ask(waiting) {
    if ((waiting?.uid ?? "") === (this.form ?? "")) return
    this.form = waiting?.uid ?? null
    this.asking.replaceChildren()
    if (!waiting) return
    const text = make("textarea", { rows: 5, "aria-label": "What the tool returned" })
    const error = make("input", { type: "checkbox" })
    const give = make("button", { type: "submit", class: "primary", text: "Give this result" })
    const more = waiting.of > 1 ? ` (${waiting.done + 1} of ${waiting.of})` : ""
    const form = make(
      "form",
      { class: "card result by-hand" },
      make("header", { class: "card-head" }, icon("result"), make("h3", { class: "role", text: "You are the harness" }), make("span", { class: "sub", text: `no recorded result fits this call${more}` })),
      make(
        "div",
        { class: "strips" },
        make("div", { class: "strip tool-use" }, make("div", { class: "strip-head" }, icon("call"), make("code", { class: "tool", text: waiting.name || "(no name)" })), make("pre", { class: "output", text: waiting.input })),
        make("p", { class: "quiet", text: "What does it return? It goes into the array as you type it." }),
        text,
        make("div", { class: "row" }, give, make("label", {}, error, " it is an error")),
      ),
    )
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      give.disabled = true
      this.view.send({ do: "answer", uid: waiting.uid, text: text.value, is_error: error.checked })
    })
    this.asking.append(form)
    this.view.list.toEnd()
    requestAnimationFrame(() => text.focus({ preventScroll: true }))
  }
}
