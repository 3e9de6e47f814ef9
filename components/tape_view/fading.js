// Cards that an operation which is looked at would take away: greyed, never hidden, until it is done or put aside.

export class Fading {
  constructor(view) {
    this.view = view
    this.ranges = []
  }

  // `ranges` are positions, from and up to but not including, in the version that is shown.
  update(ranges = []) {
    if (JSON.stringify(ranges) === JSON.stringify(this.ranges)) return
    this.ranges = ranges
    this.mark()
  }

  mark() {
    const { store, list, original } = this.view
    for (const [uid, element] of list.mounted) {
      const i = original ? undefined : store.places.get(uid)
      const fades = i !== undefined && this.ranges.some(([from, to]) => from <= i && i < to)
      element.classList.toggle("fading", fades)
    }
  }
}
