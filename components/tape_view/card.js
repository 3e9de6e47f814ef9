// One message as a card: who speaks, where it stands, what it holds, where it comes from.

import { count, fill, make, number } from "./dom.js"
import { icon } from "./icons.js"
import { skeleton } from "./list.js"
import { differences, strip } from "./strips.js"

const ROLES = { u: "user", a: "assistant", s: "system" }

export const ORIGINS = {
  scripted: "scripted",
  live: "live",
  edited: "edited",
  inserted: "inserted",
  replayed: "recorded result",
  workspace: "workspace",
  loop: "from the loop",
  "by hand": "by hand",
}

export function card(view, i) {
  const element = built(view, i)
  view.marks.dress(element, element.dataset.uid)
  return element
}

function built(view, i) {
  const { store } = view
  const [uid, role, kinds, , , , marks = "", origin = ""] = store.rows[i]
  const tone = store.tone(i)
  const data = view.cards.get(uid)
  const title = `message-${uid}`
  const element = make("article", {
    class: `card ${tone}`,
    tabindex: -1,
    "data-uid": uid,
    "aria-labelledby": title,
    "aria-posinset": i + 1,
    "aria-setsize": store.length,
  })
  if (origin) element.dataset.origin = origin
  if (view.selected === uid) element.classList.add("selected")
  if (view.shining?.has(uid)) element.classList.add("shining")
  const head = make(
    "header",
    { class: "card-head" },
    icon(tone),
    make("h3", { class: "role", id: title, text: marks.includes("x") && data?.role ? data.role : ROLES[role] }),
    tone === "result" ? make("span", { class: "sub", text: kinds.length > 1 ? `${kinds.length} tool results` : "tool result" }) : null,
    role === "u" && tone !== "result" && kinds.includes("r") ? make("span", { class: "sub", text: "with tool results" }) : null,
    data?.role && !marks.includes("x") ? make("span", { class: "sub", text: `written as “${data.role}”` }) : null,
    ...notes(marks, data),
    make("span", { class: "spring" }),
    provenance(view, uid, origin, data),
    figure(view, i, data),
    make("span", { class: "position", text: `#${i}`, title: `messages[${i}]` }),
  )
  element.append(head)
  if (view.folds.level(uid) === 0) {
    element.classList.add("folded")
    const names = store.rows[i][5] ?? []
    fill(
      head.querySelector(".spring"),
      make("span", { class: "preview", text: data ? data.line : "" }),
      names.length ? make("code", { class: "calls", text: `→ ${names.slice(0, 4).join(", ")}${names.length > 4 ? " …" : ""}` }) : null,
    )
    if (!data) view.cards.want(i)
    return element
  }
  if (!data) {
    view.cards.want(i)
    element.append(skeleton(Math.max(24, view.items.estimate(i + 1) - 60)))
    return element
  }
  const strips = make("div", { class: "strips" })
  data.strips.forEach((one, j) => {
    strips.append(strip(view, i, j, one))
    for (const found of store.lanesOf.get(uid) ?? []) if (found[0] === j) strips.lastChild.append(lane(view, uid, found))
  })
  if (!data.strips.length) strips.append(make("p", { class: "nothing", text: "no content" }))
  if (data.more) {
    strips.append(
      make("button", {
        type: "button",
        class: "show-all",
        text: `Show ${count(data.more, "more block")}`,
        onclick: () => view.cards.whole(uid),
      }),
    )
  }
  element.append(strips)
  if (view.compared.has(uid)) element.append(comparison(view, uid))
  view.dress(element, i, data)
  return element
}

function notes(marks, data) {
  const found = []
  const add = (text, title) => found.push(make("span", { class: "mark", text, title }))
  if (marks.includes("j") && !(data?.strips.length > 1)) add("injected", "Holds text that a program put into the user's turn")
  if (marks.includes("k") && marks.includes("c")) add("compacted", "The array begins anew here: a compaction put this in place of all before")
  if (/[km]/.test(marks) && !marks.includes("c")) add("summary", "Written by a compaction: it stands for what was before it")
  if (marks.includes("c")) add("carried over", "Said before; the compaction kept it in the array")
  if (marks.includes("x")) add("unknown role", "No endpoint knows this role")
  if (marks.includes("b")) add("interrupted", "Broken off before it was complete")
  if (data?.marks.includes("synthetic")) add("not from a model", "The harness wrote this itself")
  return found
}

function provenance(view, uid, origin, data) {
  if (!origin) return null
  const from = data?.origin ?? {}
  const told = origin === "workspace" || origin === "loop" ? from.note : null
  const model = origin === "scripted" ? null : from.model
  const words = [told || ORIGINS[origin] || origin, model, from.at ? time(from.at) : null].filter(Boolean).join(" · ")
  if (origin !== "edited" || view.frozen) return make("span", { class: "chip", text: words, title: from.note })
  return make("button", {
    type: "button",
    class: "chip changed",
    text: view.compared.has(uid) ? `${words} · hide original` : `${words} · show original`,
    title: from.note,
    onclick: () => view.compare(uid),
  })
}

function time(at) {
  const when = new Date(at)
  return Number.isNaN(when.getTime()) ? at : when.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
}

// Tokens: of an answer what its call says, of everything else an estimate.
function figure(view, i, data) {
  const turn = view.store.turnAt.get(i)
  if (turn && turn.output !== null) {
    const sign = turn.source === "estimated" ? "≈\u2009" : ""
    return make("span", { class: "figure", text: `${sign}${number(turn.output)} tok`, title: `output tokens, ${turn.source}` })
  }
  return make("span", { class: "figure", text: data ? `≈\u2009${number(data.tokens)} tok` : "", title: "tokens, estimated" })
}

function comparison(view, uid) {
  const blocks = view.compared.get(uid)
  const block = make("section", { class: "comparison", "aria-label": "Compared with the original" })
  return fill(
    block,
    make("p", { class: "quiet", text: "Compared with the original: − was there, + is new" }),
    ...(blocks ?? []).map((one) => make("div", { "data-state": one.state }, make("p", { class: "quiet", text: `${one.name}, ${one.state}` }), differences(one.lines))),
    blocks ? (blocks.length ? null : make("p", { class: "quiet", text: "The blocks are the same; their order or the role differs." })) : skeleton(40),
    make("button", { type: "button", class: "plain", text: "Restore this message", onclick: () => view.send({ do: "restore", uid }) }),
  )
}

// The header of the turn whose answer a message is.
export function turnHeader(view, turn, i) {
  const calling = view.phase === "call" && i === view.shown
  const now = view.beat !== null && (calling || (view.phase !== "call" && view.store.turnOf(view.shown - 1) === turn)) ? view.phase : ""
  const kinds = view.store.rows[i][2]
  const calls = [...kinds].filter((kind) => kind === "c").length
  const steps = calls ? ["call", "act", "append"] : ["call", "answer"]
  const flow = make("span", { class: "flow" })
  steps.forEach((step, k) => {
    if (k) flow.append(make("span", { class: "arrow", text: "→", "aria-hidden": "true" }))
    flow.append(make("span", { class: `step ${step}-step ${step === now ? "now" : ""}`, text: step }))
  })
  const sign = turn.source === "estimated" ? "≈\u2009" : ""
  const tokens = []
  if (turn.prompt !== null) tokens.push(`${sign}${number(turn.prompt)} in`)
  if (turn.output !== null && !calling) tokens.push(`${sign}${number(turn.output)} out`)
  if (tokens.length && turn.sum !== null && !calling) tokens.push(`Σ ${turn.sign}${number(turn.sum)}`)
  const again = turn.sent - turn.fresh
  const sends = again > 0 ? `sends ${again} again + ${turn.fresh} new` : `sends ${count(turn.sent, "message")}`
  return make(
    "div",
    { class: "turn", "data-turn": turn.number },
    make("span", { class: "turn-name", text: `turn ${turn.number}` }),
    flow,
    make("span", { class: "quiet sends", text: sends }),
    make("span", { class: "rule" }),
    make("span", { class: "figure", text: tokens.join(" · "), title: tokens.length ? `tokens, ${turn.source}` : undefined }),
  )
}

// A message of the original that is no longer there.
export function tombstone(view, [uid, role, position]) {
  return make(
    "div",
    { class: "tombstone", "data-gone": uid },
    icon("delete"),
    make("span", { text: `deleted: ${ROLES[role]}, was #${position}` }),
    make("button", { type: "button", class: "plain", text: "Restore", onclick: () => view.send({ do: "restore", uid }) }),
  )
}

// Records that are in the file and are no messages.
export function asides(view, after, many) {
  return folded(view, `asides ${after ?? "start"}`, `${count(many, "line")} not sent to the model`, async () => {
    const { asides: found, more } = await view.readAsides(after)
    const rows = found.map(([kind, words, injected]) => [
      make("code", { text: kind }),
      injected ? make("span", { class: "mark", text: "seen by the model" }) : null,
      make("span", { text: words }),
    ])
    return [rows, more]
  })
}

// A way that was left: the messages of a branch, one line each.
export function branch(view, after, [number_, many, name, reason]) {
  const words = `branch ${name ? `“${name}”` : number_ + 1}: ${count(many, "message")} went another way here${reason ? ` (${reason})` : ""}`
  return folded(view, `branches ${after ?? "start"} ${number_}`, words, () => outline(view, "branches", number_))
}

// The messages of a sub-agent, under the call that started it or at the end of the array, and the way to its tape.
export function lane(view, uid, [, number_, many, agent]) {
  const words = `sub-agent${agent ? ` ${agent}` : ""}: ${count(many, "message")} of its own`
  const row = folded(view, `lanes ${uid} ${number_}`, words, () => outline(view, "lanes", number_))
  row.classList.add("side-track")
  if (!view.frozen) {
    row.querySelector(".folder").after(make("button", { type: "button", class: "plain", text: "Open its tape", onclick: () => view.send({ do: "visit", number: number_ }) }))
  }
  return row
}

async function outline(view, list, number_) {
  const { lines, more } = await view.outline(list, number_)
  return [lines.map(([role, words]) => [make("b", { class: role, text: role }), make("span", { text: words })]), more]
}

// A slim row that opens to a list; `read` gives its rows and how many more there are.
function folded(view, key, words, read) {
  const open = view.folds.isOpen(key, false)
  const row = make(
    "div",
    { class: "asides" },
    make(
      "button",
      { type: "button", class: "folder", "aria-expanded": String(open), onclick: () => view.folds.toggle(key, !open) },
      icon("chevron"),
      make("span", { text: words }),
    ),
  )
  if (open) {
    const list = make("ul", {}, skeleton(24))
    row.append(list)
    read().then(([rows, more]) => {
      list.replaceChildren(...rows.map((parts) => make("li", {}, ...parts)))
      if (more) list.append(make("li", { class: "quiet", text: `and ${number(more)} more` }))
    })
  }
  return row
}
