// What is folded: a level for all cards or one (a line, normal, everything), and strips that were opened or closed.

export const LEVELS = { lines: 0, normal: 1, full: 2 }

export class Folds {
  constructor(view) {
    this.view = view
    this.forget()
  }

  forget() {
    this.all = LEVELS.normal
    this.levels = new Map()
    this.opened = new Map()
  }

  get full() {
    return this.all === LEVELS.full
  }

  level(uid) {
    return this.levels.get(uid) ?? this.all
  }

  isOpen(key, otherwise) {
    return this.opened.get(key) ?? otherwise
  }

  toggle(key, open) {
    this.opened.set(key, open)
    const [, at] = key.match(/^(?:asides|branches|lanes) (.*?)(?: \d+)?$/) ?? []
    this.view.redraw(at === undefined ? this.view.owner(key) : at === "start" ? "head" : at)
  }

  // A block that must be seen, and its card.
  open(uid, block) {
    if (this.level(uid) === LEVELS.lines) this.levels.set(uid, LEVELS.normal)
    this.opened.set(block, true)
  }

  // One step more or less of every card.
  step(by) {
    this.all = Math.max(LEVELS.lines, Math.min(LEVELS.full, this.all + by))
    this.levels.clear()
    this.opened.clear()
    this.view.list.forget()
    this.view.bar.draw()
  }

  // One step more or less of one card.
  fold(uid, by) {
    const level = Math.max(LEVELS.lines, Math.min(LEVELS.full, this.level(uid) + by))
    this.levels.set(uid, level)
    for (const one of this.view.cards.get(uid)?.strips ?? []) {
      if (level === LEVELS.full) this.opened.set(one.uid, true)
      else this.opened.delete(one.uid)
    }
    this.view.redraw(uid)
  }
}
