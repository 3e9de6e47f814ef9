// The two cuts of a stretch that an operation would replace, drawn across the tape: dragged, or moved with the arrow
// keys, from one place where no pair is torn to the next. What they take away fades meanwhile.

import { make } from "./dom.js"

const NEAR = 48
const SCROLL = 14

export class Cuts {
  constructor(view) {
    this.view = view
    this.range = null
    this.dragging = false
    this.handles = ["first", "last"].map((end) => this.#handle(end))
    view.root.querySelector(".content").append(...this.handles)
  }

  destroy() {
    cancelAnimationFrame(this.frame)
  }

  // `range` are positions, from and up to but not including; none where nothing is to be cut.
  update(range = null) {
    this.range = range
    this.place()
  }

  // While a cut is moved, or the server has not heard of it, what it says of the stretch is of before.
  get held() {
    return this.dragging || this.view.queue.items.some((item) => item.do === "cut")
  }

  // Puts the handles where their messages begin and end.
  place() {
    const { range, handles, view } = this
    const shown = Boolean(range) && !view.original && view.beat === null
    handles.forEach((handle, k) => {
      handle.hidden = !shown
      if (!shown) return
      handle.style.top = `${view.list.offset(range[k] + 1)}px`
      const at = k ? range[1] - 1 : range[0]
      handle.setAttribute("aria-valuenow", at)
      handle.setAttribute("aria-valuemin", k ? range[0] : 0)
      handle.setAttribute("aria-valuemax", k ? view.store.length - 1 : range[1] - 1)
      handle.setAttribute("aria-valuetext", `#${at}`)
      handle.firstChild.textContent = k ? `to #${at}` : `from #${at}`
    })
  }

  #handle(end) {
    const handle = make(
      "div",
      {
        class: `cut ${end}`,
        role: "slider",
        tabindex: 0,
        "aria-orientation": "vertical",
        "aria-label": end === "first" ? "First message to replace" : "Last message to replace",
        hidden: true,
      },
      make("span", {}),
    )
    handle.addEventListener("pointerdown", (event) => this.#grab(event, end))
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key]
      if (!by) return
      event.preventDefault()
      event.stopPropagation()
      this.#move(end, this.#next(this.range[end === "first" ? 0 : 1], by))
      this.#say()
    })
    return handle
  }

  #grab(event, end) {
    if (event.button) return
    event.preventDefault()
    const { scroller } = this.view
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    this.dragging = true
    let y = event.clientY
    const step = () => {
      const box = scroller.getBoundingClientRect()
      if (y < box.top + NEAR) scroller.scrollTop -= SCROLL
      else if (y > box.bottom - NEAR) scroller.scrollTop += SCROLL
      this.#move(end, this.#boundary(y - box.top + scroller.scrollTop))
      this.frame = requestAnimationFrame(step)
    }
    const follow = (moved) => (y = moved.clientY)
    const drop = () => {
      cancelAnimationFrame(this.frame)
      handle.removeEventListener("pointermove", follow)
      this.dragging = false
      this.#say()
    }
    handle.addEventListener("pointermove", follow)
    handle.addEventListener("lostpointercapture", drop, { once: true })
    step()
  }

  // The boundary between two messages that is nearest to a place of the content.
  #boundary(y) {
    const { list } = this.view
    const item = list.heights.find(y)
    const below = y - list.offset(item) > list.heights.get(item) / 2
    const near = item - 1 + (below ? 1 : 0)
    const before = this.#next(near + 1, -1)
    const behind = this.#next(near - 1, 1)
    return y - list.offset(before + 1) <= list.offset(behind + 1) - y ? before : behind
  }

  // The next boundary that lies inside of no pair.
  #next(boundary, by) {
    const torn = inside(this.view.store)
    let at = Math.max(0, Math.min(boundary + by, torn.length - 1))
    while (torn[at]) at += by
    return at
  }

  #move(end, boundary) {
    const [first, last] = this.range
    if (end === "first") this.range = [Math.max(0, Math.min(boundary, last - 1)), last]
    else this.range = [first, Math.max(first + 1, Math.min(boundary, this.view.store.length))]
    this.view.fading.update([this.range])
    this.place()
  }

  #say() {
    const [first, last] = this.range
    this.view.send({ do: "cut", first, last: last - 1 })
  }
}

// Of each boundary between messages, how many pairs have their two ends on different sides of it.
function inside({ threads, length }) {
  const opened = new Int32Array(length + 1)
  for (const { call, result } of threads) {
    if (!call || !result) continue
    opened[Math.min(call.i, result.i) + 1]++
    if (Math.max(call.i, result.i) < length) opened[Math.max(call.i, result.i) + 1]--
  }
  for (let i = 1; i <= length; i++) opened[i] += opened[i - 1]
  return opened
}
