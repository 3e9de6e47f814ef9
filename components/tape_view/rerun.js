// What "re-run from here" would do, said before it is pressed. The server does it (tape/edits/rerun.py); here are only
// the words for a card, from what the view knows.

import { make } from "./dom.js"

// How many messages are sent from message `i` on: up to it, the whole round of results it belongs to; an answer is
// given anew and not sent.
export function sent(store, i) {
  let at = i
  if (store.rows[at][1] === "a") {
    while (at && store.rows[at - 1][1] === "a") at -= 1
    return at
  }
  at += 1
  while (at < store.length && store.rows[at][1] === "u" && answersBefore(store, at, i)) at += 1
  return at
}

// Whether a message holds a result of a call that stands before message `i`.
function answersBefore(store, at, i) {
  return [...store.rows[at][2]].some((kind, j) => kind === "r" && store.threadsOf(at, j).some((thread) => thread.call && thread.call.i < i))
}

export function sentence(store, i, names) {
  const count = sent(store, i)
  if (!count) return "There is no message before this one to send."
  const later = store.length - count
  const branch = names.edited && names.last < count ? names.edit : names.run
  let said = count === 1 ? "Sends message 0" : `Sends messages 0–${count - 1}`
  if (later) said += `; ${later.toLocaleString("en-US")} later ${later === 1 ? "message moves" : "messages move"} to branch “${branch}”`
  if (names.edited && (branch !== names.edit || !later)) said += `; the array from before the edit is branch “${names.edit}”`
  return `${said}.`
}

// Shows the sentence under a button while it is pointed at or has the focus.
export function explained(view, button, i) {
  const says = make("span", { class: "says", id: `says-${i}`, hidden: true })
  const show = () => {
    if (!view.data.run?.names || i >= view.store.length) return
    says.textContent = sentence(view.store, i, view.data.run.names)
    says.hidden = false
  }
  const hide = () => (says.hidden = true)
  button.setAttribute("aria-describedby", says.id)
  button.removeAttribute("title")
  button.addEventListener("pointerenter", show)
  button.addEventListener("focus", show)
  button.addEventListener("pointerleave", hide)
  button.addEventListener("blur", hide)
  return [button, says]
}
