// The sheet behind "?": every key, and what the colors, shapes and lines mean.

import { make } from "./dom.js"
import { icon } from "./icons.js"
import { KEYS } from "./keys.js"

const SIGNS = [
  ["system", "system", "sent beside the array with every call"],
  ["user", "user", "what a person, or a program for them, wrote"],
  ["assistant", "assistant", "what the model answered; its tool calls are orange strips inside"],
  ["result", "user · tool result", "what a tool gave back: a message in the user role"],
  ["thinking", "thinking", "gray and italic; read-only, its signature binds it"],
  ["other", "unknown", "a block of a type we do not know, kept as it is"],
]
const LINES = [
  ["ok", "a call and the result that quotes its id; parallel calls run in parallel lanes"],
  ["pending", "a call at the end that waits for its result"],
  ["broken", "never answered, answers nothing, id used twice, or in the wrong place"],
]

export function help(view) {
  const sheet = view.root.querySelector(".sheet")
  const keys = make("dl", { class: "keys" })
  for (const [key, words] of KEYS) keys.append(make("dt", {}, make("kbd", { text: key })), make("dd", { text: words }))
  const signs = make("ul", { class: "signs" })
  for (const [tone, name, words] of SIGNS) {
    signs.append(make("li", { class: tone }, icon(tone), make("b", { text: name }), make("span", { text: words })))
  }
  for (const [kind, words] of LINES) {
    signs.append(make("li", {}, make("i", { class: `sample ${kind}` }), make("span", { text: words })))
  }
  signs.append(
    make("li", {}, make("b", { text: "≈" }), make("span", { text: "an estimate; numbers without it were recorded or counted" })),
    make("li", {}, make("b", { text: "Σ" }), make("span", { text: "everything sent and received so far, over all calls" })),
  )
  const close = make(
    "button",
    { type: "button", class: "quiet close", "aria-label": "Close", onclick: () => sheet.close() },
    icon("close"),
  )
  sheet.replaceChildren(
    close,
    make("div", {}, make("h3", { text: "Keys" }), keys),
    make("div", {}, make("h3", { text: "Signs" }), signs),
  )
  sheet.onclick = (event) => event.target === sheet && sheet.close()
  sheet.showModal()
}
