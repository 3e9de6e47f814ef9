// The index of a session in the browser: rows, threads and turns, kept right by splices. No page is known here.

import { assignLanes, crossings } from "./lanes.js"

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
    this.head = index.head
    for (const name of LISTS) this[name] = index[name]
    this.#derive()
  }

  // Takes the patches that lead on from this version; false where one is missing and the index must be read again.
  // Uids of rows that are new or were replaced are added to `changed`.
  follow(version, patches, changed = new Set()) {
    if (version === this.v) return true
    const wanted = patches.filter(([v]) => v > this.v && v <= version)
    if (version < this.v || wanted.length !== version - this.v) return false
    for (const [v, splices] of wanted) {
      if (splices.head) this.head = splices.head
      for (const name of LISTS) {
        if (!splices[name]) continue
        for (const [at, removed, added] of splices[name]) {
          const old = this[name].splice(at, removed, ...added)
          if (name === "rows") for (const row of [...old, ...added]) changed.add(row[0])
        }
      }
      this.v = v
    }
    this.#derive()
    return true
  }

  #derive() {
    this.places = new Map(this.rows.map(([uid], i) => [uid, i]))
    this.threads = [...this.#pairs(), ...this.#loose()]
    this.intervals = this.threads.map((thread) => [thread.from, thread.to])
    this.lane = assignLanes(this.intervals)
    this.crossing = crossings(this.intervals)
    this.laneCount = this.lane.reduce((most, lane) => Math.max(most, lane + 1), 0)
    this.byStrip = new Map()
    this.threads.forEach((thread, i) => {
      for (const end of [thread.call, thread.result]) {
        if (!end) continue
        const key = stripKey(end.i, end.block)
        if (!this.byStrip.has(key)) this.byStrip.set(key, [])
        this.byStrip.get(key).push(i)
      }
    })
    this.#deriveTurns()
    this.asidesAfter = new Map(this.asides)
    this.goneAfter = grouped(this.gone)
    this.branchesAfter = grouped(this.branches)
    this.lanesOf = grouped(this.lanes)
  }

  #pairs() {
    const ids = new Set()
    return this.links.map(([callUid, callBlock, resultUid, resultBlock, state]) => {
      const call = this.#end(callUid, callBlock)
      const result = this.#end(resultUid, resultBlock)
      const again = ids.has(`${callUid} ${callBlock}`)
      ids.add(`${callUid} ${callBlock}`)
      const [from, to] = [call.at, result.at].sort((a, b) => a - b)
      return { call, result, from, to, state: again ? "duplicate" : state, broken: !FINE.has(state), name: this.toolName(call) }
    })
  }

  #loose() {
    return this.broken.map(([uid, block, state]) => {
      const end = this.#end(uid, block)
      const orphan = state === "orphan"
      return {
        call: orphan ? null : end,
        result: orphan ? end : null,
        // The line of a lone end hangs beside its message.
        from: orphan ? end.i : end.at,
        to: orphan ? end.at : end.i + 1,
        state,
        broken: state !== "pending",
        name: orphan ? "" : this.toolName(end),
      }
    })
  }

  #end(uid, block) {
    const i = this.places.get(uid)
    return { uid, block, i, at: i + (block + 1) / (this.rows[i][2].length + 2) }
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
    return (this.byStrip.get(stripKey(i, block)) ?? []).map((number) => ({ number, ...this.threads[number] }))
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

function stripKey(i, block) {
  return i * 100_000 + block
}
