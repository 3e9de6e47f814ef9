// What stands before the first message and after the last: the system prompt with the tools, and the end of the
// array with what the page has to say about it.

import { asides, tombstone } from "./card.js"
import { count, make } from "./dom.js"
import { icon } from "./icons.js"
import { strip } from "./strips.js"

export function headCard(view) {
  const { store, top } = view
  const parts = []
  const system = top?.system
  const tools = top?.tools
  if (system) {
    const element = make(
      "article",
      { class: "card system", "data-uid": "system", tabindex: -1, "aria-label": "system prompt" },
      make(
        "header",
        { class: "card-head" },
        icon("system"),
        make("h3", { class: "role", text: "system" }),
        make("span", { class: "sub", text: "sent beside the array with every call" }),
        make("span", { class: "spring" }),
      ),
    )
    const strips = make("div", { class: "strips" })
    system.forEach((one, j) => strips.append(strip(view, -1, j, one)))
    if (tools) strips.append(toolList(view, tools, top.more))
    element.append(strips)
    view.actions.dressSystem(element)
    parts.push(element)
  } else {
    parts.push(
      make(
        "div",
        { class: "slim system" },
        icon("system"),
        make("span", { text: "system prompt: not in this file" }),
        view.frozen ? null : make("button", { type: "button", class: "plain", text: "Add one", onclick: () => view.actions.editSystem() }),
      ),
    )
    if (tools) parts.push(make("div", { class: "card system lone" }, make("div", { class: "strips" }, toolList(view, tools, top.more))))
  }
  if (view.actions.systemEditor) parts.push(view.actions.systemEditor)
  if (store.asidesAfter.has(null)) parts.push(asides(view, null, store.asidesAfter.get(null)))
  for (const gone of store.goneAfter.get(null) ?? []) parts.push(tombstone(view, gone))
  return parts
}

function toolList(view, tools, more) {
  const open = view.isOpen("tools", false)
  const names = tools.map((tool) => tool.name)
  const section = make(
    "section",
    { class: "strip tools" },
    make(
      "div",
      { class: "strip-head" },
      make(
        "button",
        { type: "button", class: "folder", "aria-expanded": String(open), onclick: () => view.toggle("tools", !open) },
        icon("chevron"),
        make("span", { class: "strip-name", text: tools.length ? count(tools.length + more, "tool") : "no tools" }),
      ),
      make("span", { class: "summary", text: names.join("  ") }),
    ),
  )
  if (open) {
    const list = make("dl", { class: "fields" })
    for (const tool of tools) {
      list.append(
        make("dt", {}, make("code", { class: "tool", text: tool.name })),
        make("dd", {}, make("p", { text: tool.description }), make("pre", { class: "output", text: tool.schema })),
      )
    }
    section.append(list)
  }
  return section
}

export function endCard(view) {
  const parts = []
  const { notice } = view.data
  if (view.beat !== null) {
    parts.push(make("p", { class: "caption", role: "status", text: view.bar.caption() }))
    return parts
  }
  if (view.actions.inserting?.at === "end") parts.push(view.actions.inserting.element)
  else {
    parts.push(
      make(
        "div",
        { class: "slim" },
        make("span", { class: "quiet", text: `end of the array · ${count(view.store.length, "message")}` }),
        view.frozen ? null : make("button", { type: "button", class: "plain", text: "Add a message", onclick: () => view.actions.insert("end") }),
      ),
    )
  }
  if (notice) {
    parts.push(
      make(
        "article",
        { class: `notice ${notice.kind === "error" ? "bad" : ""}`, role: "alert" },
        icon(notice.kind === "error" ? "error" : "help"),
        make(
          "div",
          {},
          make("h3", { text: notice.title }),
          make("p", { text: notice.text }),
          ...(notice.uids ?? []).slice(0, 8).map((uid) => place(view, uid)),
        ),
      ),
    )
  }
  return parts
}

function place(view, uid) {
  const owner = view.store.places.has(uid) ? uid : uid.split(".")[0]
  const i = view.store.places.get(owner)
  if (i === undefined) return null
  return make("button", { type: "button", class: "plain", text: `Go to #${i}`, onclick: () => view.go(i) })
}
