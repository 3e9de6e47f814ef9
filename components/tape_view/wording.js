// The words that were searched for, marked where they stand in the page, without touching the cards.

const MARKS = 400
const LONGEST = 200_000
const NAME = "tapedeck-hits"

export class Wording {
  constructor(view) {
    this.view = view
    this.ranges = []
  }

  destroy() {
    CSS.highlights?.delete(NAME)
  }

  // Marks them in all that is mounted; an empty text takes the marks away.
  mark(text, ways) {
    if (!CSS.highlights) return
    const pattern = text.trim() ? patternOf(text, ways) : null
    this.ranges = pattern ? findRanges(this.view.list.window, pattern) : []
    if (this.ranges.length) CSS.highlights.set(NAME, new Highlight(...this.ranges))
    else CSS.highlights.delete(NAME)
  }

  // The first mark inside an element.
  first(element) {
    return this.ranges.find((one) => element.contains(one.startContainer))
  }
}

// As a pattern of the browser; null for one that only the server understands. Of a person's own pattern only what
// cannot take forever is tried here: the server has a time limit, the browser has none.
export function patternOf(text, { case: exact = false, word = false, regex = false } = {}) {
  const escaped = text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&")
  if (regex && /[*+}]\)*[*+{?]|\([^)]*[*+{|]/.test(text)) return null
  const source = regex ? (word ? `\\b(?:${text})\\b` : text) : escaped
  try {
    return new RegExp(word && !regex ? `(?<![\\p{L}\\p{N}_])${source}(?![\\p{L}\\p{N}_])` : source, exact ? "gu" : "giu")
  } catch {
    return null
  }
}

function findRanges(root, pattern) {
  const ranges = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode() && ranges.length < MARKS) {
    const node = walker.currentNode
    if (node.length > LONGEST || !node.parentElement.closest(".strip, .preview")) continue
    for (const match of node.data.matchAll(pattern)) {
      if (!match[0]) continue
      const range = new Range()
      range.setStart(node, match.index)
      range.setEnd(node, match.index + match[0].length)
      ranges.push(range)
      if (ranges.length === MARKS) break
    }
  }
  return ranges
}
