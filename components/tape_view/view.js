// One tape on the page: what is open, selected, folded and lit, and how the parts tell one another. Each part draws
// itself: the list, the cards, the threads, the bar.

import { Api, Refused } from "./api.js"
import { Actions } from "./actions.js"
import { Address } from "./address.js"
import { Bar } from "./bar.js"
import { Beats } from "./beats.js"
import { Cards } from "./cards.js"
import { Cuts } from "./cuts.js"
import { make } from "./dom.js"
import { Fading } from "./fading.js"
import { Film } from "./film.js"
import { Filters } from "./filters.js"
import { Folds } from "./folds.js"
import { Follow } from "./follow.js"
import { Items } from "./items.js"
import { listen } from "./keys.js"
import { List } from "./list.js"
import { Marks } from "./marks.js"
import { Minimap } from "./minimap.js"
import { Outline } from "./outline.js"
import { fit, focusTurn, markFocus, project } from "./projecting.js"
import { Queue } from "./queue.js"
import { Resume } from "./resume.js"
import { Search } from "./search.js"
import { Store } from "./store.js"
import { Streaming } from "./streaming.js"
import { Telling } from "./telling.js"
import { Threads } from "./threads.js"

// The rest of the page follows when nothing was changed for so long (milliseconds).
const SETTLED = 600
const FOCUSABLE = "button, textarea, input, select, a, [tabindex]"
const EMPTY = { v: -1, head: {}, rows: [], links: [], broken: [], turns: [], asides: [], gone: [], lanes: [], branches: [] }

// The options that change how tall cards are.
const shapes = ({ fading, cut, ...others }) => JSON.stringify(others)

export class View {
  constructor(root, component) {
    this.root = root
    this.component = component
    this.client = crypto.getRandomValues(new Uint32Array(2)).join("-")
    this.queue = new Queue((sent) => this.component.setTriggerValue("queue", sent), { client: this.client })
    this.scroller = root.querySelector(".scroller")
    this.data = {}
    this.store = new Store({ ...EMPTY })
    this.lit = new Set()
    this.dims = false
    this.folds = new Folds(this)
    this.cards = new Cards(this, (uids) => this.#arrived(uids))
    this.#forgetSession()
    this.items = new Items(this)
    this.list = new List(this.scroller, this.items, (laid) => this.#shifted(laid))
    this.threads = new Threads(this)
    this.marks = new Marks(this)
    this.fading = new Fading(this)
    this.cuts = new Cuts(this)
    this.streaming = new Streaming(this)
    this.actions = new Actions(this)
    this.telling = new Telling(this)
    this.film = new Film(this)
    this.bar = new Bar(this)
    this.search = new Search(this)
    this.filters = new Filters(this)
    this.turnList = new Outline(this)
    this.minimap = new Minimap(this)
    this.address = new Address(this)
    this.live = new Follow(this)
    this.resume = new Resume(this)
    this.stopListening = listen(this)
    this.fit = () => fit(root)
    this.around = new ResizeObserver(this.fit)
    this.around.observe(document.documentElement)
    window.addEventListener("resize", this.fit)
  }

  destroy() {
    clearTimeout(this.catching)
    this.queue.close()
    this.list.destroy()
    this.streaming.destroy()
    this.bar.destroy()
    this.search.destroy()
    this.minimap.destroy()
    this.cuts.destroy()
    this.address.destroy()
    this.live.destroy()
    this.stopListening()
    this.around.disconnect()
    window.removeEventListener("resize", this.fit)
  }

  #forgetSession() {
    this.cards.clear()
    this.folds.forget()
    this.filters?.forget()
    this.compared = new Map()
    this.drafts = new Map()
    this.selected = null
    this.beat = null
    this.original = false
    this.went = -1
    this.noticed = -1
    this.focused = null
    if (this.threads) this.threads.lanes = 0
    this.actions?.close()
    this.list?.known.clear()
  }

  // New data from the server: another document, another version, an acknowledgment, a wish to go somewhere.
  async update(component) {
    this.component = component
    const { data } = component
    const before = this.data
    this.data = data
    this.root.classList.toggle("projector", Boolean(data.options.projector))
    this.fit()
    this.shining = new Set(data.options.lit ?? [])
    if (data.doc !== before.doc) {
      this.api = new Api(data.base, data.doc, this.lost)
      this.queue.open(data.doc)
      this.#forgetSession()
      await this.#read()
    } else if (Boolean(before.options.reveals) !== Boolean(data.options.reveals) || (!this.original && !this.#step(data))) await this.#read()
    if (this.data !== data) return
    this.marks.update(data.wrong)
    this.queue.acknowledge(data.ack)
    if (!this.cuts.held) {
      this.fading.update(data.options.fading)
      this.cuts.update(data.options.cut)
    }
    this.actions.settle(data.ack, data.refused)
    if (before.options && shapes(before.options) !== shapes(data.options)) this.list.forget()
    this.#notice(data.notice, before.notice)
    this.streaming.update(data.run?.id ?? 0)
    if (data.doc !== before.doc) {
      this.search.forget()
      this.live.open(this.api)
      this.resume.shown(data.doc)
    }
    this.bar.draw()
    if (data.doc !== before.doc) this.address.open()
    this.#goto(data.goto)
    project(this)
    clearTimeout(this.catching)
    if (data.behind) this.catching = setTimeout(() => this.queue.push({ do: "settled" }), SETTLED)
  }

  // What came to a file that is followed, before the page knows of it.
  async grow({ v, patches }) {
    this.data = { ...this.data, v, patches }
    if (!this.#step(this.data)) await this.#read()
  }

  // Follows the patches in `data`; false where the index must be read again.
  #step(data) {
    if (data.v === this.store.v) return true
    const anchor = this.list.anchor()
    const follow = data.options.follow || (this.list.atEnd && this.store.length > 0)
    const changed = new Set()
    const { length } = this.store
    const head = JSON.stringify(this.store.head)
    if (!this.store.follow(data.v, data.patches, changed)) return false
    for (const uid of changed) this.#drop(uid)
    const moves = this.beat === null ? this.store.moves.map(([at, ...rest]) => [at + 1, ...rest]) : null
    this.#arrange(this.#stale(changed), anchor, moves)
    if (JSON.stringify(this.store.head) !== head) this.#readTop()
    if (follow && this.store.length > length) this.list.toEnd()
    return true
  }

  async #read() {
    const { api, original } = this
    const again = this.store.v >= 0 && this.read === this.data.doc
    const anchor = again ? this.list.anchor() : null
    const [index, top] = await Promise.all([this.api.get("index", this.of), this.api.get("card/system", this.of)])
    // Another document, or the other side of this one, was asked for meanwhile.
    if (api !== this.api || original !== this.original) return
    this.top = top
    this.read = this.data.doc
    this.store.load(index)
    this.cards.clear()
    this.compared.clear()
    this.#arrange(new Set(this.list.mounted.keys()), anchor)
    if (!again) this.scroller.scrollTop = 0
  }

  async #readTop() {
    this.top = await this.api.get("card/system", this.of)
    this.redraw("head")
  }

  #drop(uid) {
    this.cards.drop(uid)
    this.compared.delete(uid)
  }

  // Everything that is mounted may show a position, a thread or a turn that moved: it is built again.
  #stale(changed) {
    const stale = new Set(this.list.mounted.keys())
    for (const uid of changed) stale.add(uid)
    for (const uid of this.list.pinned) stale.delete(uid)
    return stale
  }

  #arrange(stale, anchor, moves = null) {
    if (this.store.reshaped) this.beats = new Beats(this.store.rows)
    if (this.beat !== null && this.beat >= this.beats.last) this.beat = null
    this.lit.clear()
    this.root.style.setProperty("--gutter", `${this.threads.width}px`)
    this.filters.changed()
    this.search.changed()
    this.turnList.changed()
    this.list.reload(stale, anchor ?? undefined, moves)
    this.bar.draw()
    this.film.draw()
    this.minimap.draw()
  }

  // Draws items again after a change of what they show; the focus stays where it was in them.
  redraw(...keys) {
    const active = this.root.getRootNode().activeElement
    const item = active?.closest(".item")
    const at = item ? [...item.querySelectorAll(FOCUSABLE)].indexOf(active) : -1
    this.list.again(new Set(keys))
    if (at < 0 || item.isConnected) return
    const again = this.list.mounted.get(item.dataset.key)
    if (again) ([...again.querySelectorAll(FOCUSABLE)][at] ?? again.querySelector(".card"))?.focus({ preventScroll: true })
  }

  #arrived(uids) {
    this.redraw(...uids.filter((uid) => this.list.mounted.has(uid)), "")
  }

  #shifted(laid) {
    if (!this.root.isConnected) return
    this.bar.where()
    this.minimap.where()
    this.turnList.mark()
    if (!laid) return this.threads.drawStubs()
    this.threads.draw()
    this.fading.mark()
    this.cuts.place()
    this.filters.mark()
    markFocus(this)
    this.search.mark()
    this.search.reach()
  }

  // How many messages of the array are there at the present beat.
  get shown() {
    return this.beat === null ? this.store.length : this.beats.at(this.beat).count
  }

  get phase() {
    return this.beat === null ? "" : this.beats.at(this.beat).phase
  }

  get frozen() {
    return this.data.options?.frozen || (this.original ? "This is the original; it never changes." : "")
  }

  // What to add to a request so that it speaks of the session that is shown.
  get of() {
    return this.original ? { of: "original" } : {}
  }

  // The message that a block stands in.
  owner(uid) {
    if (this.store.places.has(uid)) return uid
    return this.cards.owner(uid) ?? "head"
  }

  // Something could not be read; of a session that is no longer shown nobody needs to know.
  lost = (error, api = this.api) => {
    if (api !== this.api) return
    const why = error instanceof Refused ? error.message : "The server does not answer."
    this.bar.say(`${why} Reload the page to go on.`, true)
  }

  // The whole bodies of the card that a block stands in.
  whole(block) {
    this.cards.whole(this.owner(block))
  }

  part(uid, from) {
    return this.api.get(`text/${encodeURIComponent(uid)}`, { from, ...this.of })
  }

  // The messages of a sub-agent (`lanes`) or of a branch, one line each.
  outline(list, number) {
    return this.api.get(`${list}/${number}`, this.of)
  }

  readAsides(after) {
    return this.api.get(`asides/${encodeURIComponent(after ?? "start")}`)
  }

  picture(uid) {
    return this.api.picture(uid, this.of)
  }

  enlarge(source) {
    const dialog = this.root.querySelector(".lightbox")
    dialog.replaceChildren(make("img", { src: source, alt: "the picture, large" }))
    dialog.onclick = () => dialog.close()
    dialog.showModal()
  }

  dress(element, i, data) {
    this.actions.dress(element, i, data)
  }

  async compare(uid) {
    if (this.compared.has(uid)) this.compared.delete(uid)
    else {
      this.compared.set(uid, null)
      this.redraw(uid)
      const { blocks } = await this.api.get(`changes/${encodeURIComponent(uid)}`)
      if (this.compared.has(uid)) this.compared.set(uid, blocks)
    }
    this.redraw(uid)
  }

  // Lights up threads and, where `dims`, lets everything else step back.
  light(ids, dims = true) {
    this.lit = new Set(ids === null || ids === undefined ? [] : [ids].flat())
    this.dims = dims && this.lit.size > 0
    this.threads.relight()
  }

  // Goes to the other end of a thread than the one near a place of the content.
  follow(id, y) {
    const { call, result } = this.store.threads[id]
    if (!call || !result) return
    const middle = (this.list.offset(call.i + 1) + this.list.offset(result.i + 1)) / 2
    const other = y < middle === call.i < result.i ? result : call
    this.go(other.i, other.block)
  }

  // Goes to a message, or a block of it, and selects it.
  go(i, block = null, focus = true) {
    if (i < 0 || i >= this.store.length) return
    if (i >= this.shown) this.setBeat(null)
    this.list.show(i + 1)
    const element = this.list.element(i + 1)
    const strip = block === null ? null : element?.querySelector(`.strip[data-block="${block}"]`)
    if (strip) {
      const inside = strip.getBoundingClientRect().top - element.getBoundingClientRect().top
      this.list.show(i + 1, "near", inside)
    }
    this.select(this.store.rows[i][0], focus)
    if (block !== null) {
      this.light(this.store.threadsOf(i, block).map((thread) => thread.number), false)
    }
    if (block !== null || !focus) this.marks.flash(this.store.rows[i][0], block)
  }

  select(uid, focus = true) {
    if (this.selected !== uid) {
      const before = this.selected
      this.selected = uid
      for (const one of [before, uid]) {
        this.list.mounted.get(one)?.querySelector(".card")?.classList.toggle("selected", one === uid)
      }
      this.telling.select(uid)
      this.address.say()
    }
    const i = this.store.places.get(uid)
    const ids = i === undefined ? [] : [...this.store.rows[i][2]].flatMap((_, k) => this.store.threadsOf(i, k).map((one) => one.number))
    this.light(ids, false)
    if (focus) this.list.mounted.get(uid)?.querySelector(".card")?.focus({ preventScroll: true })
    this.bar.where()
  }

  send(item) {
    return this.queue.push(item)
  }

  setBeat(beat) {
    const last = this.beats.last
    this.beat = beat === null || beat >= last ? null : Math.max(0, beat)
    this.film.draw()
    this.list.reload(new Set(this.list.mounted.keys()))
    if (this.beat === null) this.list.toEnd()
    else this.#showNewest()
    this.bar.draw()
    this.telling.step()
  }

  // The end of the array is in sight, and of a card that is too tall for that its beginning.
  #showNewest() {
    this.list.show(this.items.length - 1, 1)
    const newest = this.items.length - 2
    if (this.list.offset(newest) < this.list.top) this.list.show(newest, 0)
  }

  async showOriginal(on) {
    this.original = on
    this.beat = null
    await this.#read()
    this.address.say()
  }

  // Escape: leaves whatever is open, from the inside out.
  leave() {
    if (this.actions.open) this.actions.close()
    else if (this.turnList.shown) this.turnList.close()
    else if (!this.filters.panel.hidden) this.filters.close()
    else if (this.focused) focusTurn(this, null)
    else if (this.search.field.value) this.search.clear()
    else if (this.beat !== null) this.setBeat(null)
    else this.light(null)
  }

  #goto(goto) {
    if (!goto || goto.seq === this.went) return
    this.went = goto.seq
    const { store } = this
    if (goto.turn) {
      const place = store.turnStarts[goto.turn - 1]
      if (place !== undefined) this.go(place, null, false)
    } else if (goto.uid) {
      const owner = store.places.has(goto.uid) ? goto.uid : goto.uid.split(".")[0]
      const i = store.places.get(owner)
      if (i !== undefined) this.go(i, goto.uid === owner ? null : Number(goto.uid.split(".")[1]), false)
    } else if (Number.isInteger(goto.i)) this.go(goto.i, null, false)
  }

  #notice(notice, before) {
    if (JSON.stringify(notice) === JSON.stringify(before)) return
    this.redraw("end")
    if (notice && notice.seq !== this.noticed) {
      this.noticed = notice.seq
      this.list.toEnd()
    }
  }
}
