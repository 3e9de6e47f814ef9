// Lines in the gutter from each call to its result: one lane and one hue a pair. Drawn for what is mounted, in the
// coordinates of the content, so that they scroll with the cards; ends that are out of sight become stubs.

import { makeSvg } from "./dom.js"
import { BROKEN_WORDS } from "./store.js"

const HUES = 7
const BEND = 6

export class Threads {
  constructor(view) {
    this.view = view
    this.svg = view.root.querySelector(".threads")
    this.edges = { up: view.root.querySelector(".stubs.up"), down: view.root.querySelector(".stubs.down") }
    this.svg.addEventListener("pointerover", (event) => view.light(this.#thread(event.target)))
    this.svg.addEventListener("pointerout", (event) => {
      if (!this.#thread(event.relatedTarget)) view.light(null)
    })
    this.svg.addEventListener("click", (event) => {
      const id = this.#thread(event.target)
      if (id !== null) view.follow(id, event.offsetY)
    })
  }

  #thread(target) {
    const path = target?.closest?.("[data-thread]")
    return path ? Number(path.dataset.thread) : null
  }

  get size() {
    return parseFloat(getComputedStyle(this.view.root).fontSize)
  }

  // The width of the gutter is that of the busiest place the session ever had, so that it does not change on the way.
  get width() {
    this.lanes = Math.max(2, this.view.store.laneCount, this.lanes ?? 0)
    return Math.round(this.size * (1.7 + 0.75 * this.lanes))
  }

  draw() {
    const { view } = this
    const { store, list } = view
    const unit = this.size
    const width = this.width
    view.root.style.setProperty("--gutter", `${width}px`)
    const paths = []
    const ends = []
    const stubs = { up: [], down: [] }
    const shown = view.shown
    const from = Math.max(0, list.from - 1)
    const to = Math.min(shown, list.to - 1)
    for (const id of from < to ? store.crossing(from, to) : []) {
      const thread = store.threads[id]
      const first = thread.call ?? thread.result
      if (first.i >= shown) continue
      this.#one(thread, id, { unit, width, paths, ends, stubs, shown })
    }
    this.svg.setAttribute("width", width)
    this.svg.setAttribute("height", Math.max(1, list.heights.total))
    this.svg.replaceChildren(...paths, ...ends)
    for (const side of ["up", "down"]) this.edges[side].replaceChildren(...stubs[side])
    this.relight()
  }

  #one(thread, id, drawing) {
    const { unit, width, paths, ends, stubs, shown } = drawing
    const { view } = this
    const x = Math.round(width - unit * (0.95 + 0.75 * view.store.lane[id])) + 0.5
    const edge = width
    const hue = `hue-${id % HUES}`
    const call = thread.call && this.#place(thread.call)
    const result = thread.result && thread.result.i < shown ? this.#place(thread.result) : null
    const word = BROKEN_WORDS[thread.state]
    const kind = thread.broken ? "broken" : thread.state === "pending" || !result ? "pending" : thread.state
    const classes = `${hue} ${kind}`
    const before = ends.length
    let path
    if (call && result) {
      const [top, bottom] = call.y <= result.y ? [call.y, result.y] : [result.y, call.y]
      path = `M${edge} ${top}H${x + BEND}Q${x} ${top} ${x} ${top + BEND}V${bottom - BEND}Q${x} ${bottom} ${x + BEND} ${bottom}H${edge}`
      if (bottom - top < 2 * BEND) path = `M${edge} ${top}H${x}V${bottom}H${edge}`
      ends.push(dot(edge - 3, call.y, `${classes} end`), arrow(edge - 1, result.y, `${classes} end`))
    } else {
      // A call that waits hangs its line down, a result without a call hangs it up.
      const { y } = call ?? result
      const reach = unit * 2.2
      const turn = call ? 1 : -1
      path = `M${edge} ${y}H${x + BEND}Q${x} ${y} ${x} ${y + turn * BEND}V${y + turn * reach}`
      ends.push(call ? dot(edge - 3, y, `${classes} end`) : arrow(edge - 1, y, `${classes} end`))
      if (thread.broken) ends.push(cross(x, y + turn * (reach + 4), `${classes} end`))
    }
    const data = { "data-thread": id }
    for (const end of ends.slice(before)) end.dataset.thread = id
    paths.push(makeSvg("path", { d: path, class: "halo" }), makeSvg("path", { d: path, class: `thread ${classes}`, ...data }))
    const hit = makeSvg("path", { d: path, class: "hit", ...data })
    hit.append(makeSvg("title", {}))
    hit.firstChild.textContent = this.#says(thread, word)
    ends.push(hit)
    if (call && result) this.#stub(thread, id, x, call, result, classes, stubs)
  }

  #says(thread, word) {
    const { call, result, name } = thread
    const calls = call ? `call of ${name || "a tool"} in #${call.i}` : "no call"
    const answers = result ? `result in #${result.i}` : "no result"
    return `${calls} → ${answers}${word ? `: ${word}` : ""}`
  }

  // Where an end stands in the content: at its strip, or beyond the window when it is not mounted.
  #place(end) {
    const { list } = this.view
    const item = list.element(end.i + 1)
    const strip = item?.querySelector(`.strip[data-block="${end.block}"]`)
    const head = strip?.querySelector(".strip-head") ?? strip ?? item?.querySelector(".card-head")
    if (head) {
      const { top, height } = head.getBoundingClientRect()
      // Ends that meet at a folded card stand a little apart.
      const apart = strip ? 0 : ((end.block % 5) - 2) * 4
      return { y: Math.round(top + height / 2 + apart - this.origin) + 0.5 }
    }
    return { y: Math.round(list.offset(end.i + 1) + 30) + 0.5 }
  }

  get origin() {
    return this.svg.getBoundingClientRect().top
  }

  // Lines that leave the window say where they go.
  #stub(thread, id, x, call, result, classes, stubs) {
    const { list } = this.view
    for (const [side, mine, other, far] of [
      ["down", call, thread.result, result],
      ["down", result, thread.call, call],
      ["up", call, thread.result, result],
      ["up", result, thread.call, call],
    ]) {
      const inside = mine.y > list.top && mine.y < list.bottom
      const beyond = side === "down" ? far.y >= list.bottom : far.y <= list.top
      if (!inside || !beyond) continue
      const stub = document.createElement("button")
      stub.type = "button"
      stub.className = `stub-end ${classes}`
      stub.dataset.thread = id
      stub.style.left = `${x}px`
      stub.textContent = `${side === "down" ? "↓" : "↑"}${other.i}`
      const what = other === thread.result ? "result" : "call"
      stub.title = `${what} in #${other.i}`
      stub.setAttribute("aria-label", `Go to the ${what} in #${other.i}`)
      stub.addEventListener("click", () => this.view.go(other.i, other.block))
      stub.style.setProperty("--row", stubs[side].length % 4)
      stubs[side].push(stub)
    }
  }

  // Lights up what is pointed at and dims the rest.
  relight() {
    const { view } = this
    const lit = view.lit
    view.root.classList.toggle("lighting", lit.size > 0)
    view.root.classList.toggle("dimming", lit.size > 0 && view.dims)
    for (const element of this.svg.children) {
      element.classList.toggle("lit", lit.has(Number(element.dataset.thread)))
    }
    for (const stub of [...this.edges.up.children, ...this.edges.down.children]) {
      stub.classList.toggle("lit", lit.has(Number(stub.dataset.thread)))
    }
    const strips = new Set()
    for (const id of lit) {
      const thread = view.store.threads[id]
      for (const end of [thread?.call, thread?.result]) if (end) strips.add(`${end.i} ${end.block}`)
    }
    for (const item of view.list.window.children) {
      const i = view.list.place(item.dataset.key) - 1
      let here = false
      for (const strip of item.querySelectorAll(".strip[data-block]")) {
        const on = strips.has(`${i} ${strip.dataset.block}`)
        strip.classList.toggle("lit", on)
        here ||= on
      }
      item.classList.toggle("lit", here)
    }
  }
}

function dot(x, y, classes) {
  return makeSvg("circle", { cx: x, cy: y, r: 3, class: classes })
}

function arrow(x, y, classes) {
  return makeSvg("path", { d: `M${x} ${y}l-6 -3.5v7z`, class: classes })
}

function cross(x, y, classes) {
  return makeSvg("path", { d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`, class: `${classes} cross` })
}
