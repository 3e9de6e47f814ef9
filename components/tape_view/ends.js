// What stands before the first message and after the last: the system prompt with the tools, and the end of the
// array with what the page has to say about it.

import { asides, branch, lane, tombstone } from "./card.js"
import { count, make } from "./dom.js"
import { icon } from "./icons.js"
import { safeHtml } from "./safe_html.js"
import { strip } from "./strips.js"

const SHORT = 160

export function headCard(view) {
  const { store, top } = view
  const parts = []
  const inside = store.rows.slice(0, 8).findIndex(([, role]) => role === "s")
  const system = top?.system
  const tools = top?.tools
  if (system) parts.push(systemCard(view, system, tools, top.more))
  else {
    parts.push(
      make(
        "div",
        { class: "slim system" },
        icon("system"),
        make("span", { text: inside < 0 ? "system prompt: not in this file" : `system prompt: in the array, #${inside}` }),
        view.frozen || inside >= 0 ? null : make("button", { type: "button", class: "plain", text: "Add one", onclick: () => view.actions.editSystem() }),
      ),
    )
    if (tools) parts[0].append(toolButton(view, tools, top.more))
    if (tools && view.folds.isOpen("tools", false)) parts.push(make("div", { class: "card system" }, toolList(tools)))
  }
  if (view.actions.systemEditor) parts.push(view.actions.systemEditor)
  if (store.asidesAfter.has(null)) parts.push(asides(view, null, store.asidesAfter.get(null)))
  for (const left of store.branchesAfter.get(null) ?? []) parts.push(branch(view, null, left))
  for (const gone of store.goneAfter.get(null) ?? []) parts.push(tombstone(view, gone))
  return parts
}

// A long system prompt is one line until it is opened: the first message stands near the top.
function systemCard(view, system, tools, more) {
  const chars = system.reduce((sum, one) => sum + one.chars, 0)
  const long = chars > SHORT || system.length > 1
  const open = view.folds.isOpen("system", !long)
  const element = make(
    "article",
    { class: open ? "card system" : "card system folded", "data-uid": "system", tabindex: -1, "aria-label": "system prompt" },
    make(
      "header",
      { class: "card-head" },
      icon("system"),
      make("h3", { class: "role", text: "system" }),
      make("span", { class: "sub", text: "sent beside the array with every call" }),
      make("span", { class: "spring" }, open ? null : make("span", { class: "preview", text: preview(system) })),
      make(
        "div",
        { class: "meta" },
        long ? folder(view, "system", open, count(chars, "character")) : null,
        tools ? toolButton(view, tools, more) : null,
      ),
    ),
  )
  const strips = make("div", { class: "strips" })
  if (open) system.forEach((one, j) => strips.append(strip(view, -1, j, one)))
  if (tools && view.folds.isOpen("tools", false)) strips.append(toolList(tools))
  if (strips.childElementCount) element.append(strips)
  view.actions.dressSystem(element)
  return element
}

function preview(system) {
  const first = system.find((one) => one.html)
  return first ? safeHtml(first.html).textContent.slice(0, 200) : ""
}

function folder(view, key, open, words) {
  return make(
    "button",
    { type: "button", class: "folder", "aria-expanded": String(open), onclick: () => view.folds.toggle(key, !open) },
    icon("chevron"),
    make("span", { text: words }),
  )
}

function toolButton(view, tools, more) {
  const words = tools.length ? count(tools.length + more, "tool") : "no tools"
  return folder(view, "tools", view.folds.isOpen("tools", false), words)
}

function toolList(tools) {
  const list = make("dl", { class: "fields tools" })
  for (const tool of tools) {
    list.append(
      make("dt", {}, make("code", { class: "tool", text: tool.name })),
      make("dd", {}, make("p", { text: tool.description }), parameters(tool)),
    )
  }
  return list
}

function parameters({ parameters: known, schema }) {
  if (!known) return make("pre", { class: "output", text: schema })
  const list = make("ul", { class: "parameters" })
  for (const [name, type, words] of known) {
    list.append(make("li", {}, make("b", { text: name }), make("i", { text: type }), make("span", { text: words })))
  }
  return list
}

export function endCard(view) {
  const parts = []
  const { notice } = view.data
  if (view.beat !== null) {
    parts.push(make("p", { class: "caption", role: "status", text: view.bar.caption() }))
    return parts
  }
  if (view.streaming.parts.length) return [...view.streaming.parts]
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
  for (const found of view.store.lanesOf.get(null) ?? []) parts.push(lane(view, "end", found))
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
