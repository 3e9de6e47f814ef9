// The whole session as a strip beside the list: what stands where, where one is, and a way to get anywhere. Every
// message has the same share of the height; where several share a pixel, what is wrong shows before what is not.

import { make, number } from "./dom.js"

const ROLES = ["--user", "--assistant", "--result", "--system"]
const TONES = { user: 0, assistant: 1, result: 2, system: 3 }
const LONGEST = 90

export class Minimap {
  constructor(view) {
    this.view = view
    this.root = view.root.querySelector(".minimap")
    this.canvas = make("canvas", { role: "img", "aria-label": "Map of the session" })
    this.lens = make("div", { class: "lens" })
    this.hint = make("div", { class: "hint", hidden: true })
    this.root.append(this.canvas, this.lens, this.hint)
    this.size = new ResizeObserver(() => this.draw())
    this.size.observe(this.root)
    this.root.addEventListener("pointerdown", (event) => this.#grab(event))
    this.root.addEventListener("pointermove", (event) => this.#hover(event))
    this.root.addEventListener("pointerleave", () => (this.hint.hidden = true))
  }

  destroy() {
    this.size.disconnect()
    cancelAnimationFrame(this.frame)
    clearTimeout(this.later)
  }

  // Something that the map shows has changed.
  draw() {
    cancelAnimationFrame(this.frame)
    clearTimeout(this.later)
    // The cards are painted first.
    this.frame = requestAnimationFrame(() => (this.later = setTimeout(() => this.#paint())))
  }

  #paint() {
    const { view, canvas } = this
    const { store } = view
    const height = this.root.clientHeight
    const width = this.root.clientWidth
    this.root.classList.toggle("empty", store.length < 2)
    if (!height || !width || !store.length) return
    const scale = window.devicePixelRatio || 1
    canvas.width = width * scale
    canvas.height = height * scale
    const pen = canvas.getContext("2d")
    pen.scale(scale, scale)
    const probe = make("i", {})
    this.root.append(probe)
    const color = (name) => {
      probe.style.color = `var(${name})`
      return getComputedStyle(probe).color
    }
    const colors = Object.fromEntries([...ROLES, "--bad", "--call", "--accent", "--soft", "--thinking"].map((name) => [name, color(name)]))
    probe.remove()
    this.each = height / store.length
    this.#context(pen, width, colors["--soft"])
    this.#roles(pen, height, colors)
    const mark = (i, from, wide, name, least = 2) => {
      pen.fillStyle = colors[name]
      pen.fillRect(from, Math.min(i * this.each, height - least), wide, Math.max(this.each, least))
    }
    store.rows.forEach(([, , , , , , marks = "", origin], i) => {
      if (marks.includes("k")) mark(i, 0, width, "--thinking", 3)
      if (origin) mark(i, 8, 3, "--accent")
      if (marks.includes("e")) mark(i, 8, 4, "--call")
    })
    for (const thread of store.threads) {
      if (thread.broken) for (const end of [thread.call, thread.result]) if (end) mark(end.i, 8, width - 8, "--bad", 3)
    }
    const seen = new Set()
    for (const [uid] of view.search.hits) {
      const i = store.places.get(uid)
      if (i === undefined || seen.has(i)) continue
      seen.add(i)
      mark(i, width - 5, 5, "--system", 2)
    }
    this.where()
  }

  // How large each call was, as a faint area from the left.
  #context(pen, width, color) {
    const { store } = this.view
    const most = Math.max(...[...store.turnAt.values()].map((turn) => turn.prompt ?? 0), 1)
    pen.fillStyle = color
    pen.globalAlpha = 0.16
    const starts = store.turnStarts
    starts.forEach((at, n) => {
      const end = starts[n + 1] ?? store.length
      const wide = ((store.turnAt.get(at).prompt ?? 0) / most) * (width - 8)
      pen.fillRect(8, at * this.each, wide, Math.max((end - at) * this.each, 1))
    })
    pen.globalAlpha = 1
  }

  // The role that most messages of a pixel have.
  #roles(pen, height, colors) {
    const { store } = this.view
    const rows = Math.min(Math.ceil(height), store.length)
    const counts = new Uint16Array(rows * ROLES.length)
    for (let i = 0; i < store.length; i++) {
      counts[Math.floor((i * rows) / store.length) * ROLES.length + (TONES[store.tone(i)] ?? 0)]++
    }
    const tall = height / rows
    for (let row = 0; row < rows; row++) {
      let best = 0
      for (let k = 1; k < ROLES.length; k++) if (counts[row * ROLES.length + k] > counts[row * ROLES.length + best]) best = k
      pen.fillStyle = colors[ROLES[best]]
      pen.fillRect(0, row * tall, 6, tall > 4 ? tall - 1 : tall)
    }
  }

  // The part that is in the window.
  where() {
    const { list, store } = this.view
    if (!store.length || !this.each || !list.heights.length) return
    const from = Math.max(0, list.heights.find(list.top) - 1)
    const to = Math.min(store.length, Math.max(list.heights.find(list.bottom), from + 1))
    this.lens.style.transform = `translateY(${from * this.each}px)`
    this.lens.style.height = `${Math.max((to - from) * this.each, 8)}px`
    if (!this.hint.hidden && this.hinted < store.length) this.#say(this.hinted)
  }

  #place(event) {
    const box = this.root.getBoundingClientRect()
    const share = (event.clientY - box.top) / Math.max(box.height, 1)
    return Math.max(0, Math.min(this.view.shown - 1, Math.floor(share * this.view.store.length)))
  }

  #grab(event) {
    if (event.button !== 0 || !this.view.store.length) return
    event.preventDefault()
    this.root.setPointerCapture(event.pointerId)
    this.dragging = true
    const end = () => {
      this.dragging = false
      this.root.removeEventListener("pointerup", end)
      this.root.removeEventListener("pointercancel", end)
    }
    this.root.addEventListener("pointerup", end)
    this.root.addEventListener("pointercancel", end)
    this.view.list.show(this.#place(event) + 1, 0.3)
  }

  #hover(event) {
    const { view } = this
    if (!view.store.length) return
    const i = this.#place(event)
    if (this.dragging) view.list.show(i + 1, 0.3)
    this.#say(i)
    const top = event.clientY - this.root.getBoundingClientRect().top
    this.hint.style.top = `${Math.max(0, Math.min(top - 14, this.root.clientHeight - 52))}px`
  }

  // The place and, once they are there, the first words of a message.
  #say(i) {
    const { view } = this
    this.hinted = i
    const [uid] = view.store.rows[i]
    const turn = view.store.turnOf(i)
    const words = (view.cards.get(uid)?.line ?? "").slice(0, LONGEST)
    if (!words) view.cards.want(i)
    const place = [`#${i}`, turn ? `turn ${number(turn.number)}` : "before the first turn", view.store.tone(i)].join(" · ")
    this.hint.replaceChildren(make("b", { text: place }), ...(words ? [make("span", { text: words })] : []))
    this.hint.hidden = false
  }
}
