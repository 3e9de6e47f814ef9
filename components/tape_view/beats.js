// The moments in which a session grows, one after the other: a user message is appended, the whole array is sent,
// the assistant answers, results are appended. No page is known here.

const PHASES = ["start", "user", "call", "act", "answer", "append", "system"]

// Beats for rows of the index. Beat 0 is the empty array; the last one shows everything.
export class Beats {
  constructor(rows) {
    const counts = [0]
    const phases = [0]
    const add = (count, phase) => {
      counts.push(count)
      phases.push(PHASES.indexOf(phase))
    }
    let before = ""
    rows.forEach(([, role, kinds], i) => {
      if (role === "a") {
        if (before !== "a") add(i, "call")
        add(i + 1, kinds.includes("c") ? "act" : "answer")
      } else if (role === "s") add(i + 1, "system")
      else add(i + 1, kinds.includes("r") ? "append" : "user")
      before = role
    })
    this.counts = Uint32Array.from(counts)
    this.phases = Uint8Array.from(phases)
    this.last = counts.length - 1
  }

  // How many messages are in the array at a beat, and what happens in it.
  at(beat) {
    const i = Math.max(0, Math.min(beat, this.last))
    return { count: this.counts[i], phase: PHASES[this.phases[i]] }
  }

  // The first beat at which a message is there.
  showing(position) {
    let low = 0
    let high = this.last
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.counts[middle] > position) high = middle
      else low = middle + 1
    }
    return low
  }
}
