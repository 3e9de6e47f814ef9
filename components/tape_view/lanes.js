// Which lane of the gutter each thread runs in, so that no two threads share a line, and which threads cross a
// window of the list. A thread is an interval [from, to] of numbers; no page is known here.

export const LANES = 12
const NEAR = 40
const BUCKET = 64

// A lane for each interval, 0 next to the cards. Short ones get the inner lanes, nested ones inside what encloses
// them; long ones stand outside. Beyond the last lane threads share it: that is the bundle.
export function assignLanes(intervals, span = 1) {
  const order = intervals.map((_, i) => i)
  const short = order.filter((i) => length(intervals[i]) <= NEAR * span)
  const long = order.filter((i) => length(intervals[i]) > NEAR * span)
  const lanes = new Uint8Array(intervals.length)
  let inner = 0
  for (const cluster of clusters(intervals, short)) {
    cluster.sort((a, b) => length(intervals[a]) - length(intervals[b]) || intervals[b][0] - intervals[a][0])
    const taken = []
    for (const i of cluster) {
      let lane = 0
      while (lane < LANES - 1 && (taken[lane] ?? []).some((other) => overlap(intervals[i], intervals[other]))) lane++
      ;(taken[lane] ??= []).push(i)
      lanes[i] = lane
      inner = Math.max(inner, lane + 1)
    }
  }
  const first = Math.min(inner, LANES - 2)
  const ends = []
  long.sort((a, b) => intervals[a][0] - intervals[b][0])
  for (const i of long) {
    let lane = 0
    while (first + lane < LANES - 1 && ends[lane] >= intervals[i][0]) lane++
    ends[lane] = Math.max(ends[lane] ?? -1, intervals[i][1])
    lanes[i] = first + lane
  }
  return lanes
}

function length([from, to]) {
  return to - from
}

function overlap(a, b) {
  return a[0] <= b[1] && b[0] <= a[1]
}

// Groups of intervals that touch one another, in order of their starts.
function* clusters(intervals, members) {
  members.sort((a, b) => intervals[a][0] - intervals[b][0])
  let cluster = []
  let end = -1
  for (const i of members) {
    if (cluster.length && intervals[i][0] > end) {
      yield cluster
      cluster = []
      end = -1
    }
    cluster.push(i)
    end = Math.max(end, intervals[i][1])
  }
  if (cluster.length) yield cluster
}

// The numbers of intervals in order of their starts.
export function byStart(intervals) {
  return intervals.map((_, i) => i).sort((a, b) => intervals[a][0] - intervals[b][0])
}

// A function (from, to) -> the numbers of all intervals that touch that window, in order.
export function crossings(intervals, starts = byStart(intervals)) {
  const spanning = new Map()
  for (const i of starts) {
    const last = Math.floor(intervals[i][1] / BUCKET)
    for (let b = Math.floor(intervals[i][0] / BUCKET) + 1; b <= last; b++) {
      if (!spanning.has(b)) spanning.set(b, [])
      spanning.get(b).push(i)
    }
  }
  return (from, to) => {
    const bucket = Math.floor(from / BUCKET)
    const found = (spanning.get(bucket) ?? []).filter((i) => intervals[i][1] >= from)
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (intervals[starts[middle]][0] < bucket * BUCKET) low = middle + 1
      else high = middle
    }
    for (; low < starts.length && intervals[starts[low]][0] <= to; low++) {
      if (intervals[starts[low]][1] >= from) found.push(starts[low])
    }
    return found
  }
}
