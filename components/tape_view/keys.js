// Keys on the tape. They do nothing while somebody types in a field, and none of them reaches the page around, whose
// own keys run scripts and clear caches.

import { help } from "./help.js"
import { focusTurn } from "./projecting.js"

export const KEYS = [
  ["j / k", "next / previous message"],
  ["n / p", "next / previous turn"],
  ["h / l", "fold / unfold the message"],
  ["H / L", "fold / unfold all"],
  ["gg / G", "first / last message"],
  ["# then a number", "go to that message"],
  ["/", "search; Enter and Shift+Enter step through the hits"],
  ["t", "follow the thread to its other end"],
  ["f", "focus the turn"],
  ["F", "filter by role, mark, tool, turn or file"],
  ["o", "outline of the turns"],
  ["→ / ←", "one beat on / back"],
  ["e", "edit the message; Ctrl+Enter saves, Esc leaves"],
  ["?", "this sheet"],
]

export function listen(view) {
  let g = 0
  const press = (event, inside = true) => {
    if (inside) event.stopPropagation()
    const target = event.composedPath()[0]
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (target.closest("input, textarea, select, dialog")) return
    const act = acts(view, () => {
      const twice = Date.now() - g < 600
      g = twice ? 0 : Date.now()
      if (twice) view.go(0)
    })[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  // Where nothing has the focus, the keys are the tape's as well; all others go on to the page.
  const elsewhere = (event) => {
    const loose = event.target === document.body || event.target === document.documentElement
    if (loose && view.root.isConnected && !view.data.options?.beside) press(event, false)
  }
  // Who clicks or tabs into a message means that message.
  const entered = (event) => {
    const card = event.target.closest(".card[data-uid]")
    if (card && view.store.places.has(card.dataset.uid)) view.select(card.dataset.uid, false)
  }
  view.root.addEventListener("keydown", press)
  view.root.addEventListener("focusin", entered)
  document.addEventListener("keydown", elsewhere, true)
  for (const kind of ["keyup", "keypress"]) view.root.addEventListener(kind, (event) => event.stopPropagation())
  return () => {
    view.root.removeEventListener("keydown", press)
    view.root.removeEventListener("focusin", entered)
    document.removeEventListener("keydown", elsewhere, true)
  }
}

function acts(view, g) {
  const here = () => place(view)
  return {
    j: () => view.go(view.selected === null ? here() : Math.min(here() + 1, view.shown - 1)),
    k: () => view.go(Math.max(0, here() - 1)),
    n: () => turn(view, 1),
    p: () => turn(view, -1),
    h: () => view.folds.fold(view.store.rows[here()][0], -1),
    l: () => view.folds.fold(view.store.rows[here()][0], 1),
    H: () => view.folds.step(-1),
    L: () => view.folds.step(1),
    g,
    G: () => view.go(view.shown - 1),
    "#": () => view.bar.number.focus(),
    "/": () => view.search.field.select(),
    t: () => follow(view),
    f: () => focusTurn(view, here()),
    F: () => view.filters.toggle(),
    o: () => view.turnList.toggle(),
    e: () => view.actions.edit(here()),
    ArrowRight: () => view.bar.press("next"),
    ArrowLeft: () => view.bar.press("previous"),
    "?": () => help(view),
    Escape: () => view.leave(),
  }
}

function place(view) {
  const selected = view.store.places.get(view.selected)
  if (selected !== undefined) return selected
  return Math.max(0, Math.min(view.list.heights.find(view.list.top + 20) - 1, view.shown - 1))
}

function turn(view, by) {
  const starts = view.store.turnStarts
  const here = place(view)
  const next = by > 0 ? starts.find((i) => i > here) : starts.findLast((i) => i < here)
  if (next !== undefined && next < view.shown) view.go(next)
}

// Around the ends of all threads of the selected message: to the far end, and from there to the next one.
function follow(view) {
  const i = place(view)
  const ends = [...view.store.rows[i][2]].flatMap((_, block) =>
    view.store.threadsOf(i, block).flatMap(({ call, result }) =>
      call && result ? [call.i === i && call.block === block ? result : call] : [],
    ),
  )
  const other = ends.find((end) => end.i !== i) ?? ends[0]
  if (other) view.go(other.i, other.block)
  else view.bar.say("No thread starts or ends in this message.")
}
