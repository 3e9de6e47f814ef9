// The cards of the session as the server gives them: asked for in blocks, kept while there is room, dropped when their
// message changes.

const AHEAD = 64
const KEPT = 1_000
const FULL = 100_000

export class Cards {
  // `arrived(uids)` is called when cards came.
  constructor(view, arrived) {
    this.view = view
    this.arrived = arrived
    this.known = new Map()
    this.asking = new Map()
  }

  get(uid) {
    return this.known.get(uid)
  }

  has(uid) {
    return this.known.has(uid)
  }

  drop(uid) {
    this.known.delete(uid)
    this.asking.delete(uid)
  }

  clear() {
    this.known.clear()
    this.asking.clear()
  }

  // The message that a block stands in.
  owner(block) {
    for (const [uid, card] of this.known) {
      if (card.strips.some((one) => one.uid === block || one.inner?.some((inner) => inner.uid === block))) return uid
    }
    return null
  }

  // Asks for the card of a message and those around it, once for each version.
  want(i) {
    const { store } = this.view
    if (this.asking.get(store.rows[i][0]) === store.v) return
    const block = Math.floor(i / AHEAD) * AHEAD
    const missing = (k) => !this.known.has(store.rows[k][0])
    let start = i
    let end = i + 1
    // After a change little of the block is missing.
    for (let k = block; k < Math.min(block + AHEAD, store.length); k++) {
      if (!missing(k)) continue
      start = Math.min(start, k)
      end = Math.max(end, k + 1)
    }
    for (const [uid] of store.rows.slice(start, end)) this.asking.set(uid, store.v)
    this.#ask(start, end - start, store.v)
  }

  async #ask(start, n, v) {
    const { view } = this
    const { api } = view
    let answer
    try {
      answer = await api.get("cards", { from: start, n, v, ...view.of })
    } catch {
      // The view has been told; the next look asks again.
      return this.#allow(start, n)
    }
    if (api !== view.api || v !== view.store.v) return
    // The server is ahead: the news that is on its way asks again; until then these stay open.
    if (!view.original && answer.v !== v) {
      this.#allow(start, n)
      return
    }
    const fresh = []
    for (const card of answer.cards) {
      if (!view.store.places.has(card.uid)) continue
      this.known.delete(card.uid)
      this.known.set(card.uid, card)
      fresh.push(card.uid)
    }
    for (const uid of this.known.keys()) {
      if (this.known.size <= KEPT) break
      if (!view.list.mounted.has(uid)) this.drop(uid)
    }
    this.arrived(fresh)
  }

  // Lets a block be asked for again.
  #allow(start, n) {
    for (const [uid] of this.view.store.rows.slice(start, start + n)) this.asking.delete(uid)
  }

  // Reads a card again with its whole bodies and all of its blocks.
  async whole(uid) {
    const { view } = this
    const card = this.known.get(uid)
    if (!card || card.coming) return
    card.coming = true
    const whole = await view.api.get(`card/${encodeURIComponent(uid)}`, { strips: 5000, ...view.of })
    if (this.known.get(uid) !== card) return
    for (const one of whole.strips) {
      one.whole = true
      one.given = FULL
    }
    this.known.set(uid, whole)
    this.arrived([uid])
  }
}
