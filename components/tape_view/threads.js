// Lines in the gutter from each call to its result: one lane and one hue a pair. Drawn for what is mounted and moved
// with it, so that they scroll with the cards; ends that are out of sight become stubs. What shares the last lane is
// one bundle with a count.

import { count, make, makeSvg, number } from "./dom.js"
import { LANES } from "./lanes.js"
import { BROKEN_WORDS } from "./store.js"

const HUES = 7
const BEND = 6
const FAR = 4_000
const SOLO = 8

export class Threads {
  constructor(view) {
    this.view = view
    this.svg = view.root.querySelector(".threads")
    this.base = 0
    this.drawn = []
    this.edges = { up: view.root.querySelector(".stubs.up"), down: view.root.querySelector(".stubs.down") }
    this.bundle = null
    this.pointing = false
    // A line may be drawn anew under the pointer, and then never tells that it was left: so everything else does.
    view.root.addEventListener("pointerover", (event) => this.#point(this.#pointed(event.target)))
    view.root.addEventListener("pointerleave", () => this.#point(null))
    this.svg.addEventListener("click", (event) => {
      const ids = this.#pointed(event.target)
      if (ids !== null) view.follow(ids[0], this.base + event.offsetY)
    })
  }

  #point(ids) {
    if (ids === null && !this.pointing) return
    this.pointing = ids !== null
    this.view.light(ids)
  }

  // The threads that a part of the drawing stands for.
  #pointed(target) {
    const path = target?.closest?.("[data-thread]")
    return path ? (path.bundled ?? [Number(path.dataset.thread)]) : null
  }

  get size() {
    return parseFloat(getComputedStyle(this.view.root).fontSize)
  }

  // The width of the gutter is that of the busiest place the session ever had, so that it does not change on the way.
  get width() {
    this.lanes = Math.max(2, this.view.store.laneCount, this.lanes ?? 0)
    return Math.round(this.size * (1.7 + 0.75 * this.lanes))
  }

  // Coordinates are those of the mounted window, so that they stay small however long the content is.
  draw() {
    const { view } = this
    const { store, list } = view
    const { shown } = view
    const width = this.width
    if (width !== this.gutter) view.root.style.setProperty("--gutter", `${width}px`)
    this.gutter = width
    this.base = list.offset(list.from)
    this.svg.style.transform = `translateY(${this.base}px)`
    this.svg.setAttribute("width", width)
    const drawing = { unit: this.size, width, origin: this.svg.getBoundingClientRect().top, shown }
    const from = Math.max(0, list.from - 1)
    const to = Math.min(shown, list.to - 1)
    const near = from < to ? store.crossing(from, to) : []
    const last = near.filter((id) => store.lane[id] === LANES - 1)
    const single = last.length > 1 ? near.filter((id) => store.lane[id] < LANES - 1) : near
    this.drawn = single.flatMap((id) => this.#measure(store.threads[id], id, drawing))
    this.drawing = drawing
    this.bundle = last.length > 1 ? this.#gather(last, drawing) : null
    const lines = this.drawn.map((one) => this.#line(one, drawing))
    const bundle = this.bundle ? this.#tie(this.bundle, drawing) : []
    this.svg.replaceChildren(...bundle, ...lines.flatMap((one) => one.under), ...lines.flatMap((one) => one.over))
    this.drawStubs()
    this.relight()
  }

  // The threads of the last lane with the heights of their ends; of a card every strip is measured once.
  #gather(ids, { unit, width, origin, shown }) {
    const { store } = this.view
    const cards = new Map()
    const height = ({ i, block }) => {
      if (!cards.has(i)) cards.set(i, this.#strips(i, origin))
      const { strips, rest } = cards.get(i)
      return strips.get(block) ?? rest
    }
    const ends = ids.map((id) => {
      const pair = [store.threads[id].call, store.threads[id].result].map((end) => (end && end.i < shown ? { end, y: height(end) } : null))
      return { id, pair }
    })
    return { ids, ends, x: Math.round(width - unit * (0.95 + 0.75 * (LANES - 1))) + 0.5 }
  }

  // The heights of the strips of a message, and of what stands for those that are not there.
  #strips(i, origin) {
    const strips = new Map()
    let rest = this.#place({ i, block: -1 }, origin)
    for (const strip of this.view.list.element(i + 1)?.querySelectorAll(".strip[data-block]") ?? []) {
      const { top, height } = (strip.querySelector(".strip-head") ?? strip).getBoundingClientRect()
      rest = Math.round(top + height / 2 - origin) + 0.5
      strips.set(Number(strip.dataset.block), rest)
    }
    return { strips, rest }
  }

  // One line for all of them, with a branch to each end and how many they are.
  #tie({ ids, ends, x }, { unit, width }) {
    const { list } = this.view
    const height = list.offset(list.to) - this.base
    const there = ends.flatMap(({ pair }) => pair.filter(Boolean))
    if (!there.length) return []
    const heights = [...new Set(there.map(({ y }) => y))]
    const seen = heights.filter((y) => y > -FAR && y < height + FAR)
    const reach = heights.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [Infinity, -Infinity])
    const [trunk, twigs] = [`M${x} ${reach[0]}V${reach[1]}`, seen.map((y) => `M${width} ${y}H${x}`).join("")]
    const title = makeSvg("title")
    title.textContent = `${count(ids.length, "more thread")} in one line; the cards name their ends`
    const parts = [
      makeSvg("path", { d: twigs, class: "thread twigs" }),
      makeSvg("path", { d: trunk, class: "thread bundle" }),
      makeSvg("path", { d: trunk + twigs, class: "hit" }, title),
    ]
    const firsts = new Map()
    const shown = new Set(seen)
    for (const { end, y } of there) if (shown.has(y)) firsts.set(end.i, Math.min(y, firsts.get(end.i) ?? y))
    for (const y of firsts.values()) {
      const label = makeSvg("text", { x: x + 4, y: y - unit * 0.3, class: "many end" })
      label.textContent = `${number(ids.length)}×`
      parts.push(label)
    }
    for (const part of parts) {
      part.dataset.thread = ids[0]
      part.bundled = ids
    }
    return parts
  }

  // Where a thread runs: its lane and the heights of its ends. Nothing is changed here, so that the page lays out once.
  #measure(thread, id, { unit, width, origin, shown }) {
    const first = thread.call ?? thread.result
    if (first.i >= shown) return []
    const x = Math.round(width - unit * (0.95 + 0.75 * this.view.store.lane[id])) + 0.5
    const call = thread.call && this.#place(thread.call, origin)
    const result = thread.result && thread.result.i < shown ? this.#place(thread.result, origin) : null
    const waits = thread.state === "pending" || !result
    const broken = thread.broken || this.view.marks.breaks(thread)
    const kind = broken && (result || !thread.result) ? "broken" : waits ? "pending" : thread.state
    return [{ thread, id, x, call, result, kind, classes: `hue-${id % HUES} ${kind}` }]
  }

  #line({ thread, id, x, call, result, kind, classes }, { unit, width: edge }) {
    const ends = []
    let path
    if (call !== null && result !== null) {
      const [top, bottom] = [Math.min(call, result), Math.max(call, result)]
      const bend = Math.min(BEND, (bottom - top) / 2)
      path = `M${edge} ${top}H${x + bend}Q${x} ${top} ${x} ${top + bend}V${bottom - bend}Q${x} ${bottom} ${x + bend} ${bottom}H${edge}`
      ends.push(dot(edge - 3, call, `${classes} end`), arrow(edge - 1, result, `${classes} end`))
    } else {
      // A call that waits hangs its line down, a result without a call hangs it up.
      const y = call ?? result
      const turn = call !== null ? 1 : -1
      const reach = y + turn * unit * 2.2
      path = `M${edge} ${y}H${x + BEND}Q${x} ${y} ${x} ${y + turn * BEND}V${reach}`
      ends.push(call !== null ? dot(edge - 3, y, `${classes} end`) : arrow(edge - 1, y, `${classes} end`))
      if (kind === "broken") ends.push(cross(x, reach + turn * 4, `${classes} end`))
    }
    const title = makeSvg("title")
    title.textContent = this.#says(thread, BROKEN_WORDS[thread.state])
    ends.push(makeSvg("path", { d: path, class: "hit" }, title))
    const line = makeSvg("path", { d: path, class: `thread ${classes}` })
    for (const part of [line, ...ends]) part.dataset.thread = id
    return { under: [makeSvg("path", { d: path, class: "halo" }), line], over: ends }
  }

  #says(thread, word) {
    const { call, result, name } = thread
    const calls = call ? `call of ${name || "a tool"} in #${call.i}` : "no call"
    const answers = result ? `result in #${result.i}` : "no result"
    return `${calls} → ${answers}${word ? `: ${word}` : ""}`
  }

  // Where an end stands in the drawing: at its strip, or well beyond the window when it is not mounted.
  #place(end, origin) {
    const { list } = this.view
    const item = list.element(end.i + 1)
    const strip = item?.querySelector(`.strip[data-block="${end.block}"]`)
    const head = strip?.querySelector(".strip-head") ?? strip ?? item?.querySelector(".card-head")
    if (head) {
      const { top, height } = head.getBoundingClientRect()
      // Ends that meet at a folded card stand a little apart.
      const apart = strip ? 0 : ((end.block % 5) - 2) * 4
      return Math.round(top + height / 2 + apart - origin) + 0.5
    }
    return end.i + 1 < list.from ? -FAR : list.offset(list.to) - this.base + FAR
  }

  // Lines that leave the window say where they go.
  drawStubs() {
    const { list } = this.view
    const [top, bottom] = [list.top - this.base, list.bottom - this.base]
    const stubs = { up: [], down: [] }
    for (const { thread, id, x, call, result, classes } of this.drawn) {
      if (call === null || result === null) continue
      for (const [mine, far, end] of [
        [call, result, thread.result],
        [result, call, thread.call],
      ]) {
        if (mine <= top || mine >= bottom) continue
        const side = far >= bottom ? "down" : far <= top ? "up" : null
        const what = end === thread.result ? "result" : "call"
        const words = `${what} in #${end?.i}`
        if (side) stubs[side].push({ id, x, end, classes, words, text: end.i })
      }
    }
    this.#bundleStubs(stubs, top, bottom)
    for (const side of ["up", "down"]) this.#showStubs(side, stubs[side])
  }

  // One stub a side for all ends of the bundle that are out of sight there; it leads to the nearest.
  #bundleStubs(stubs, top, bottom) {
    if (!this.bundle) return
    const { ends, x } = this.bundle
    const found = { up: [], down: [] }
    for (const { id, pair } of ends) {
      for (const [mine, far] of [pair, [...pair].reverse()]) {
        if (!mine || !far || mine.y <= top || mine.y >= bottom) continue
        const side = far.y >= bottom ? "down" : far.y <= top ? "up" : null
        if (side) found[side].push({ id, end: far.end })
      }
    }
    for (const side of ["up", "down"]) {
      const many = found[side]
      if (!many.length) continue
      const nearest = many.reduce((best, one) => ((one.end.i < best.end.i) === (side === "down") ? one : best))
      const words = `${count(many.length, "end")} of the bundle, the nearest in #${nearest.end.i}`
      stubs[side].push({ ...nearest, x, classes: "bundle", words, text: `${number(many.length)}×` })
    }
  }

  #showStubs(side, stubs) {
    const now = stubs.map(({ id, words, x, classes }) => `${id} ${words} ${x} ${classes}`).join()
    const edge = this.edges[side]
    if (edge.dataset.now === now) return
    edge.dataset.now = now
    edge.replaceChildren(
      ...stubs.map(({ id, x, end, classes, words, text }, row) =>
        make("button", {
          type: "button",
          class: `stub-end ${classes}`,
          "data-thread": id,
          style: `left: ${x}px; --row: ${row % 4}`,
          title: words,
          "aria-label": `Go to the ${words}`,
          text: `${side === "down" ? "↓" : "↑"}${text}`,
          onclick: () => this.view.go(end.i, end.block),
        }),
      ),
    )
  }

  // Lights up what is pointed at and dims the rest.
  relight() {
    const { view } = this
    const lit = view.lit
    view.root.classList.toggle("lighting", lit.size > 0)
    view.root.classList.toggle("dimming", lit.size > 0 && view.dims)
    this.#solo(lit)
    for (const element of this.svg.children) {
      const on = element.bundled ? element.bundled.some((id) => lit.has(id)) : lit.has(Number(element.dataset.thread))
      element.classList.toggle("lit", on)
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

  // A few lit threads of the bundle are drawn as lines of their own, over it.
  #solo(lit) {
    for (const part of this.svg.querySelectorAll(".solo")) part.remove()
    if (!this.bundle || lit.size > SOLO) return
    for (const id of this.bundle.ids) {
      if (!lit.has(id)) continue
      for (const one of this.#measure(this.view.store.threads[id], id, this.drawing)) {
        const { under, over } = this.#line(one, this.drawing)
        for (const part of [...under, ...over]) part.classList.add("solo")
        this.svg.append(...under, ...over)
      }
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
