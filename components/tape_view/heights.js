// Heights of a long list: where an item starts and which item stands at a place, in about the square root of n.
// Knows numbers only, no page.

const BLOCK = 256

export class Heights {
  constructor(estimates) {
    this.reset(estimates)
  }

  reset(estimates) {
    this.values = Float64Array.from(estimates)
    this.sums = new Float64Array(Math.ceil(this.values.length / BLOCK) || 1)
    for (let i = 0; i < this.values.length; i++) this.sums[Math.floor(i / BLOCK)] += this.values[i]
  }

  get length() {
    return this.values.length
  }

  get total() {
    let total = 0
    for (const sum of this.sums) total += sum
    return total
  }

  set(index, height) {
    this.sums[Math.floor(index / BLOCK)] += height - this.values[index]
    this.values[index] = height
  }

  get(index) {
    return this.values[index]
  }

  // Where an item starts; the length gives the end of the last one.
  offset(index) {
    const block = Math.floor(index / BLOCK)
    let at = 0
    for (let b = 0; b < block; b++) at += this.sums[b]
    for (let i = block * BLOCK; i < index; i++) at += this.values[i]
    return at
  }

  // The item that covers a place; the first or last one where the place is outside.
  find(place) {
    let block = 0
    let at = 0
    while (block < this.sums.length - 1 && at + this.sums[block] <= place) at += this.sums[block++]
    let index = block * BLOCK
    while (index < this.values.length - 1 && at + this.values[index] <= place) at += this.values[index++]
    return Math.max(0, Math.min(index, this.values.length - 1))
  }
}
