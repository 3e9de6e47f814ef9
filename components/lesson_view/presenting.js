// Keys of a presenter: a clicker's, the arrows, space, b for a black screen, + and − for the size of the type. Without a
// lesson the same keys step through the tape.

const SIZES = [0.75, 0.85, 1, 1.15, 1.3, 1.5, 1.75, 2]
const SIZE = "tapedeck-size"
const FIELDS = "input, textarea, select, dialog, [contenteditable], [role=textbox]"

export class Presenter {
  constructor(view) {
    this.view = view
    this.projector = false
    this.black = null
    this.press = (event) => this.#press(event)
    // Before the tape's own keys, which listen on the document.
    window.addEventListener("keydown", this.press, true)
  }

  destroy() {
    window.removeEventListener("keydown", this.press, true)
    this.#lift()
    this.update(false)
  }

  update(projector) {
    this.projector = projector
    document.documentElement.classList.toggle("projected-page", projector)
    this.#scale(projector)
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const target = event.composedPath()[0]
    // A clicker's two keys turn the page even while somebody types the class's guess.
    const turns = event.key === "PageDown" || event.key === "PageUp"
    if (target.closest?.(FIELDS) && !(turns && this.view.root.contains(target))) return
    if (this.black) {
      this.#lift()
      return eat(event)
    }
    const act = this.#acts(target)[event.key]
    if (!act) return
    eat(event)
    act()
  }

  #acts(target) {
    const { view } = this
    const pressing = target.closest?.("button, a, summary, [role=tab], [role=button]")
    const ontape = Boolean(target.getRootNode?.().querySelector?.(".tape"))
    const lesson = Boolean(view.lesson)
    const acts = {}
    if (!lesson && !this.projector) return acts
    const next = () => (lesson ? view.next() : step("ArrowRight"))
    const back = () => (lesson ? view.back() : step("ArrowLeft"))
    acts.PageDown = next
    acts.PageUp = back
    // On the tape itself the arrows stay the tape's, unless it is projected.
    if (!ontape || this.projector) Object.assign(acts, { ArrowRight: next, ArrowLeft: back })
    if (!pressing) acts[" "] = next
    if (lesson) for (let i = 0; i < 6; i++) acts[String(i + 1)] = () => view.choose(i)
    if (this.projector) {
      Object.assign(acts, {
        b: () => this.#darken(),
        B: () => this.#darken(),
        ".": () => this.#darken(),
        "+": () => this.#resize(1),
        "=": () => this.#resize(1),
        "-": () => this.#resize(-1),
        Escape: () => view.press({ do: "projector", on: false }),
      })
    }
    return acts
  }

  #darken() {
    this.black = document.createElement("div")
    this.black.className = "tapedeck-black"
    this.black.style.cssText = "position:fixed;inset:0;background:#000;z-index:2147483647;cursor:none"
    this.black.addEventListener("click", () => this.#lift())
    document.body.append(this.black)
  }

  #lift() {
    this.black?.remove()
    this.black = null
  }

  get #size() {
    const kept = Number(remembered("localStorage", SIZE) ?? this.chosen)
    return SIZES.includes(kept) ? kept : 1
  }

  #resize(by) {
    const at = SIZES.indexOf(this.#size) + by
    if (at < 0 || at >= SIZES.length) return
    this.chosen = SIZES[at]
    remember("localStorage", SIZE, String(SIZES[at]))
    this.#scale(true)
    window.dispatchEvent(new Event("resize"))
  }

  // The tape and the lesson take the size of their type from this.
  #scale(on) {
    const { style } = document.documentElement
    if (on) style.setProperty("--projector-size", String(this.#size))
    else style.removeProperty("--projector-size")
  }
}

// A browser may refuse storage: then nothing is remembered beyond this page.
export function remembered(where, name) {
  try {
    return window[where].getItem(name)
  } catch {
    return null
  }
}

export function remember(where, name, value) {
  try {
    window[where].setItem(name, value)
  } catch {
    return
  }
}

function eat(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

// Presses a key on the tape, wherever it stands on the page.
function step(key) {
  for (const host of document.querySelectorAll("[data-testid=stBidiComponentRegular], .stBidiComponent, *")) {
    const tape = host.shadowRoot?.querySelector(".tape .scroller")
    if (!tape) continue
    tape.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: false }))
    return
  }
}
