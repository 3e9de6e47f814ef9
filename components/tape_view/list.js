// A list of any length of which only the part near the window is in the page. Items have the height they turn out to
// have; what is being looked at stays where it is while others above it settle, open or arrive.

import { Heights } from "./heights.js"
import { make } from "./dom.js"

const OVERSCAN = 0.9

export class List {
  // `source` has length, key(i), place(key), estimate(i), and build(i) -> element; `shifted(laid)` is called after each
  // scroll, with true where what is mounted changed or moved.
  constructor(scroller, source, shifted) {
    this.scroller = scroller
    this.source = source
    this.shifted = shifted
    this.content = scroller.querySelector(".content")
    this.window = scroller.querySelector(".window")
    this.mounted = new Map()
    this.pinned = new Set()
    this.heights = new Heights([])
    this.known = new Map()
    this.from = 0
    this.to = 0
    this.held = null
    this.placed = 0
    this.laid = true
    this.frame = 0
    this.sizes = new ResizeObserver((entries) => this.#measured(entries))
    this.frameSize = new ResizeObserver(() => this.#resized())
    this.frameSize.observe(scroller)
    this.onScroll = () => {
      // Somebody else scrolled: what was jumped to is no longer held in place.
      if (Math.abs(scroller.scrollTop - this.placed) > 2) this.held = null
      this.#schedule()
    }
    scroller.addEventListener("scroll", this.onScroll, { passive: true })
  }

  destroy() {
    cancelAnimationFrame(this.frame)
    this.sizes.disconnect()
    this.frameSize.disconnect()
    this.scroller.removeEventListener("scroll", this.onScroll)
  }

  // The items changed: takes over heights and mounted elements by key, and keeps what is being looked at in place.
  // `stale` holds keys whose elements must be built again, `anchor` is what `anchor()` gave before the change, `moves`
  // what happened to the order, `[at, removed, added]` each; without it that may be anything.
  reload(stale = new Set(), anchor = this.anchor(), moves = null) {
    for (const key of stale) this.known.delete(key)
    if (!moves || !this.#move(moves)) this.#measure()
    for (const key of stale) {
      const i = this.place(key)
      if (i !== undefined) this.heights.set(i, this.source.estimate(i))
    }
    this.laid = true
    for (const [key, element] of this.mounted) {
      if (stale.has(key) || this.place(key) === undefined) this.#drop(key, element)
    }
    this.#restore(anchor)
    this.render()
  }

  // Builds some elements again; nothing has moved.
  again(keys) {
    this.reload(keys, undefined, [])
  }

  // The height of every item, as far as it is known.
  #measure() {
    this.heights.reset(this.#filled(new Float64Array(this.source.length).fill(NaN)))
  }

  // The heights after some items came or went, each move in the order that the ones before it left; false where
  // that is not all that happened.
  #move(moves) {
    let { values } = this.heights
    for (const [at, removed, added] of moves) {
      const next = new Float64Array(values.length + added - removed).fill(NaN, at, at + added)
      next.set(values.subarray(0, at))
      next.set(values.subarray(at + removed), at + added)
      values = next
    }
    if (values.length !== this.source.length) return false
    if (moves.length) this.heights.reset(this.#filled(values))
    return true
  }

  // Puts what is known or likely where there is no height yet.
  #filled(values) {
    for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) values[i] = this.known.get(this.source.key(i)) ?? this.source.estimate(i)
    return values
  }

  // Forgets what was measured, as after a change of type size or of what is folded.
  forget() {
    this.known.clear()
    this.reload(new Set(this.mounted.keys()))
  }

  place(key) {
    return this.source.place(key)
  }

  element(i) {
    return this.mounted.get(this.source.key(i))
  }

  // Where an item starts in the content, measured in pixels from the top.
  offset(i) {
    return this.heights.offset(i)
  }

  get top() {
    return this.scroller.scrollTop
  }

  get bottom() {
    return this.scroller.scrollTop + this.scroller.clientHeight
  }

  get atEnd() {
    return this.bottom >= this.scroller.scrollHeight - 60
  }

  // Brings an item into view: to a place `at` (0 top, 1 bottom) of the window, or only as far as needed ("near").
  // It stays there until somebody scrolls, however much around it still settles.
  show(i, at = "near", inside = 0) {
    const view = this.scroller.clientHeight
    const start = this.offset(i) + inside
    const height = inside ? 60 : this.heights.get(i)
    let top = start - 16
    if (at === "near") {
      if (start >= this.top + 8 && start + height <= this.bottom - 8) return
      if (start >= this.top && start + Math.min(height, view * 0.6) > this.bottom) {
        top = start + Math.min(height, view - 32) - view + 16
      }
    } else if (at > 0) top = start - Math.max(0, view - height) * at
    this.#place(Math.max(0, top))
    this.held = { key: this.source.key(i), relative: this.offset(i) - this.scroller.scrollTop }
    this.render()
  }

  // Puts the window somewhere; the browser may not go all the way, nor to a fraction.
  #place(top) {
    this.scroller.scrollTop = top
    this.placed = this.scroller.scrollTop
  }

  toEnd() {
    this.#place(this.heights.total)
    this.held = { end: true }
    this.render()
  }

  render() {
    cancelAnimationFrame(this.frame)
    this.frame = 0
    const { source, heights } = this
    if (!source.length || !this.scroller.clientHeight) return
    const margin = this.scroller.clientHeight * OVERSCAN
    const from = heights.find(Math.max(0, this.top - margin))
    const to = Math.min(source.length, heights.find(this.bottom + margin) + 1)
    const wanted = new Map()
    for (let i = from; i < to; i++) wanted.set(source.key(i), i)
    for (const key of this.pinned) if (this.place(key) !== undefined) wanted.set(key, this.place(key))
    for (const [key, element] of this.mounted) if (!wanted.has(key)) this.#drop(key, element)
    let next = null
    for (const [key, i] of [...wanted].sort((a, b) => b[1] - a[1])) {
      let element = this.mounted.get(key)
      if (!element) {
        element = source.build(i)
        element.dataset.key = key
        this.laid = true
        this.mounted.set(key, element)
        this.sizes.observe(element)
      }
      if (element.parentNode !== this.window || element.nextSibling !== next) this.window.insertBefore(element, next)
      const apart = i < from || i >= to
      element.classList.toggle("apart", apart)
      element.style.top = apart ? `${heights.offset(i) - heights.offset(from)}px` : ""
      next = element
    }
    this.from = from
    this.to = to
    this.#lay()
    const laid = this.laid
    this.laid = false
    this.shifted(laid)
  }

  #lay() {
    this.content.style.height = `${this.heights.total}px`
    this.window.style.transform = `translateY(${this.heights.offset(this.from)}px)`
  }

  #drop(key, element) {
    this.laid = true
    this.sizes.unobserve(element)
    element.remove()
    this.mounted.delete(key)
  }

  #schedule() {
    this.frame ||= requestAnimationFrame(() => this.render())
  }

  #resized() {
    if (this.scroller.clientWidth !== this.width) {
      this.width = this.scroller.clientWidth
      this.known.clear()
    }
    this.render()
  }

  #measured(entries) {
    let anchor = null
    let moved = false
    for (const { target, borderBoxSize } of entries) {
      const key = target.dataset.key
      const i = this.place(key)
      if (i === undefined || !target.isConnected) continue
      const height = borderBoxSize[0].blockSize
      if (!height || Math.abs(height - this.heights.get(i)) < 0.5) {
        this.known.set(key, height)
        continue
      }
      anchor ??= this.anchor()
      moved = true
      this.laid = true
      this.heights.set(i, height)
      this.known.set(key, height)
    }
    if (moved) {
      this.#restore(anchor)
      this.render()
    } else this.shifted(true)
  }

  // What must stay where it is: what was jumped to, else the first item that starts inside the window.
  anchor() {
    if (this.held) return this.held
    if (!this.heights.length) return null
    let i = this.heights.find(this.top)
    if (this.offset(i) < this.top && i + 1 < this.heights.length && this.offset(i + 1) < this.bottom) i++
    return { key: this.source.key(i), relative: this.offset(i) - this.top, near: this.#neighbors(i) }
  }

  // Keys around the anchor, in case it is the one that goes away.
  #neighbors(i) {
    const keys = []
    for (let k = i + 1; k < Math.min(this.source.length, i + 4); k++) keys.push(this.source.key(k))
    return keys
  }

  #restore(anchor) {
    if (!anchor) return
    this.#lay()
    if (anchor.end) {
      this.#place(this.heights.total)
      return
    }
    const i = [anchor.key, ...(anchor.near ?? [])].map((key) => this.place(key)).find((place) => place !== undefined)
    if (i !== undefined) {
      const top = Math.max(0, this.offset(i) - anchor.relative)
      if (Math.abs(this.scroller.scrollTop - top) > 0.5) this.#place(top)
    }
  }
}

export function skeleton(height) {
  return make("div", { class: "skeleton", style: `height:${height}px` })
}
