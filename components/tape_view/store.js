// The index of a session in the browser: rows, threads and turns, kept right by splices. No page is known here.

import { assignLanes, byStart, crossings } from "./lanes.js"

export const BROKEN_WORDS = {
  unanswered: "never answered",
  orphan: "answers nothing",
  pending: "waiting for its result",
  late: "answered too late",
  duplicate: "answered twice",
  split: "answers split over messages",
  reused: "id used twice",
  misplaced: "not first in its message",
  "given-up": "interrupted",
}
const FINE = new Set(["ok", "server", "given-up"])
const LISTS = ["rows", "links", "broken", "turns", "asides", "gone", "lanes", "branches"]

export class Store {
  constructor(index) {
    this.load(index)
  }

  load(index) {
    this.v = index.v
    this.moves = []
    this.reshaped = true
    this.head = index.head
    for (const name of LISTS) this[name] = index[name]
    this.#derive()
  }

  // Takes the patches that lead on from this version; false where one is missing and the index must be read again.
  // Uids of rows that are new or were replaced are added to `changed`. Afterwards `moves` holds what happened to the
  // rows, `[at, removed, added]` each in order, without those that were replaced where they stood; `reshaped` says
  // whether roles or kinds are others now.
  follow(version, patches, changed = new Set()) {
    this.moves = []
    this.reshaped = false
    if (version === this.v) return true
    const wanted = patches.filter(([v]) => v > this.v && v <= version)
    if (version < this.v || wanted.length !== version - this.v) return false
    const lists = new Set()
    const replaced = new Set()
    let summaries = false
    for (const [v, splices] of wanted) {
      if (splices.head) this.head = splices.head
      for (const name of LISTS) {
        for (const [at, removed, added] of splices[name] ?? []) {
          const old = this[name].splice(at, removed, ...added)
          lists.add(name)
          if (name !== "rows") continue
          for (const row of [...old, ...added]) changed.add(row[0])
          summaries ||= old.some(isSummary) || added.some(isSummary)
          if (old.length === added.length && old.every(([uid], k) => uid === added[k][0])) {
            for (const row of added) replaced.add(row[0])
            this.reshaped ||= old.some(([, role, kinds], k) => role !== added[k][1] || kinds !== added[k][2])
          } else {
            this.moves.push([at, removed, added.length])
            for (const [uid] of [...old, ...added]) if (this.byMessage.has(uid)) lists.add("links")
          }
        }
      }
      this.v = v
    }
    this.reshaped ||= this.moves.length > 0
    if (lists.has("links") || lists.has("broken")) this.#derive()
    else this.#adjust(lists, replaced, summaries)
    return true
  }

  #derive() {
    this.#place()
    this.threads = [...this.#pairs(), ...this.#loose()]
    this.intervals = this.threads.map((thread) => [thread.from, thread.to])
    this.lane = assignLanes(this.intervals)
    this.starts = byStart(this.intervals)
    this.crossing = crossings(this.intervals, this.starts)
    this.laneCount = this.lane.reduce((most, lane) => Math.max(most, lane + 1), 0)
    this.byMessage = new Map()
    this.threads.forEach(({ call, result }, number) => {
      const at = [call?.uid, result?.uid]
      for (const uid of at[0] === at[1] ? [at[0]] : at) {
        if (uid === undefined) continue
        const here = this.byMessage.get(uid)
        if (here) here.push(number)
        else this.byMessage.set(uid, [number])
      }
    })
    this.#deriveTurns()
    this.#group(LISTS)
  }

  // The same threads as before, but messages around them came, went or were replaced: each keeps its lane.
  #adjust(lists, replaced, summaries) {
    const moved = this.moves.length > 0
    if (moved) {
      this.#place()
      for (let number = 0; number < this.threads.length; number++) this.#settle(number)
      this.crossing = crossings(this.intervals, this.starts)
    } else {
      for (const uid of replaced) for (const number of this.byMessage.get(uid) ?? []) this.#settle(number)
    }
    if (moved || summaries || lists.has("turns")) this.#deriveTurns()
    this.#group(lists)
  }

  #place() {
    this.places = new Map()
    for (let i = 0; i < this.rows.length; i++) this.places.set(this.rows[i][0], i)
  }

  #group(lists) {
    const has = new Set(lists)
    if (has.has("asides")) this.asidesAfter = new Map(this.asides)
    if (has.has("gone")) this.goneAfter = grouped(this.gone)
    if (has.has("branches")) this.branchesAfter = grouped(this.branches)
    if (has.has("lanes")) this.lanesOf = grouped(this.lanes)
  }

  // Puts a thread where its ends are now.
  #settle(number) {
    const thread = this.threads[number]
    for (const end of [thread.call, thread.result]) {
      if (!end) continue
      end.i = this.places.get(end.uid)
      end.at = this.#at(end)
    }
    const [from, to] = reach(thread)
    thread.from = this.intervals[number][0] = from
    thread.to = this.intervals[number][1] = to
    if (thread.call) thread.name = this.toolName(thread.call)
  }

  #pairs() {
    const calls = new Map()
    return this.links.map(([callUid, callBlock, resultUid, resultBlock, state]) => {
      const call = this.#end(callUid, callBlock)
      const result = this.#end(resultUid, resultBlock)
      const blocks = calls.get(callUid)
      const again = Boolean(blocks?.has(callBlock))
      if (blocks) blocks.add(callBlock)
      else calls.set(callUid, new Set([callBlock]))
      const thread = { call, result, from: 0, to: 0, state: again ? "duplicate" : state, broken: !FINE.has(state), name: this.toolName(call) }
      ;[thread.from, thread.to] = reach(thread)
      return thread
    })
  }

  #loose() {
    return this.broken.map(([uid, block, state]) => {
      const end = this.#end(uid, block)
      const orphan = state === "orphan"
      const thread = {
        call: orphan ? null : end,
        result: orphan ? end : null,
        from: 0,
        to: 0,
        state,
        broken: state !== "pending",
        name: orphan ? "" : this.toolName(end),
      }
      ;[thread.from, thread.to] = reach(thread)
      return thread
    })
  }

  #end(uid, block) {
    const end = { uid, block, i: this.places.get(uid), at: 0 }
    end.at = this.#at(end)
    return end
  }

  #at({ i, block }) {
    return i + (block + 1) / (this.rows[i][2].length + 2)
  }

  #deriveTurns() {
    this.turnAt = new Map()
    let sum = 0
    let known = true
    let guessed = false
    let from = 0
    let last = 0
    let summary = 0
    this.turns.forEach(([uid, prompt, output, source], i) => {
      const at = this.places.get(uid)
      for (; summary < at; summary++) if (isSummary(this.rows[summary])) from = last = summary
      known &&= prompt !== null && output !== null
      guessed ||= source === "estimated"
      sum += (prompt ?? 0) + (output ?? 0)
      this.turnAt.set(at, {
        number: i + 1,
        uid,
        sent: at - from,
        fresh: at - last,
        prompt,
        output,
        source,
        sum: sum || known ? sum : null,
        sign: guessed ? "≈\u2009" : known ? "" : "≥\u2009",
      })
      last = at
    })
    this.turnStarts = [...this.turnAt.keys()]
  }

  get length() {
    return this.rows.length
  }

  // The name of the tool that a call names.
  toolName({ i, block }) {
    const [, , kinds, , , names = []] = this.rows[i]
    let call = 0
    for (let k = 0; k < block; k++) if (kinds[k] === "c") call++
    return names[call] ?? ""
  }

  threadsOf(i, block) {
    const uid = this.rows[i][0]
    const ends = (end) => end !== null && end.uid === uid && end.block === block
    return (this.byMessage.get(uid) ?? []).filter((number) => ends(this.threads[number].call) || ends(this.threads[number].result)).map((number) => ({ number, ...this.threads[number] }))
  }

  // The other ends that would be left alone if a message, or one block of it, went away.
  partners(i, block = null) {
    const blocks = block === null ? [...this.rows[i][2]].map((_, k) => k) : [block]
    const found = []
    for (const k of blocks) {
      for (const { call, result, name } of this.threadsOf(i, k)) {
        if (!call || !result || call.i === result.i) continue
        const mine = call.i === i && call.block === k
        found.push({ kind: mine ? "result" : "call", i: mine ? result.i : call.i, name })
      }
    }
    return found
  }

  // What a card is drawn as: its role, but results alone are a kind of their own.
  tone(i) {
    const [, role, kinds] = this.rows[i]
    if (role === "u" && kinds && [...kinds].every((kind) => kind === "r")) return "result"
    return { u: "user", a: "assistant", s: "system" }[role] ?? "user"
  }

  // The turn that a message belongs to: the last one that starts at or before it.
  turnOf(i) {
    let low = 0
    let high = this.turnStarts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.turnStarts[middle] <= i) low = middle + 1
      else high = middle
    }
    return low ? this.turnAt.get(this.turnStarts[low - 1]) : null
  }
}

// Entries by their first value.
function grouped(entries) {
  const groups = new Map()
  for (const [key, ...rest] of entries) {
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key).push(rest)
  }
  return groups
}

// Whether the array begins anew here after a compaction: calls after it send nothing from before it.
function isSummary([, role, , , , , marks]) {
  return (marks ?? "").includes("k") && (role !== "a" || marks.includes("c"))
}

// From where to where a thread runs; the line of a lone end hangs beside its message.
function reach({ call, result }) {
  if (call && result) return call.at < result.at ? [call.at, result.at] : [result.at, call.at]
  return call ? [call.at, call.i + 1] : [result.i, result.at]
}
