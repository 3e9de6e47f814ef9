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
  view.focusTurn(turn ? place : null)
}
