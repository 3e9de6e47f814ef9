// The tape in front of a class: how high it stands in the window, and the one turn that is in focus on a projector.

// The tape fills the window from where it stands to the bottom.
export function fit(root) {
  const box = root.getBoundingClientRect()
  const scrolled = root.getRootNode().host?.closest("[data-testid=stMain]")?.scrollTop ?? 0
  const least = root.classList.contains("projector") ? 240 : 420
  root.style.height = `${Math.round(Math.max(least, window.innerHeight - (box.top + scrolled) - 16))}px`
}

// On a projector the turn of the selected message is in focus and all else steps back; off it again, nothing is.
export function project(view) {
  const on = view.root.classList.contains("projector")
  if (!on && !view.projected) return
  view.projected = on
  const place = on ? view.store.places.get(view.selected) : undefined
  const turn = place === undefined ? null : view.store.turnOf(place)
  if ((turn?.uid ?? null) === (view.focused?.uid ?? null)) return
  view.focused = null
  focusTurn(view, turn ? place : null)
}

// Lets everything but one turn step back; the same turn again, or none, ends it.
export function focusTurn(view, i) {
  const turn = i === null ? null : view.store.turnOf(i)
  view.focused = turn && view.focused?.uid === turn.uid ? null : turn
  markFocus(view)
  view.address.say()
}

// Shows on the cards that are there which turn is in focus.
export function markFocus(view) {
  view.root.classList.toggle("focusing", Boolean(view.focused))
  if (!view.focused) return
  const start = view.store.places.get(view.focused.uid)
  const next = view.store.turnStarts.find((place) => place > start) ?? view.store.length
  for (const item of view.list.window.children) {
    const place = view.list.place(item.dataset.key) - 1
    item.classList.toggle("in-focus", place >= start && place < next)
  }
}
