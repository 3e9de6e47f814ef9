// Content blocks as strips inside a card. Everything here is built from what the server cut and made safe; text is
// set as text, Markdown comes through `safe_html.js`.

import { count, duration, fill, make, number } from "./dom.js"
import { icon } from "./icons.js"
import { safeHtml } from "./safe_html.js"
import { BROKEN_WORDS } from "./store.js"

const CLIP = { text: 26, thinking: 30, tool_use: 16, tool_result: 12, error: 30, document: 12, other: 12 }
const WIDE = 92

// The strip of block `j` of message `i`. `data` is what the server said of it.
export function strip(view, i, j, data) {
  const element = make("section", { class: `strip ${data.kind.replace("_", "-")}`, "data-block": j, "data-uid": data.uid })
  const builder = { text, thinking, tool_use: call, tool_result: result, image, document: paper, other }[data.kind]
  builder(view, element, data, i, j)
  return element
}

function text(view, element, data, i) {
  if (data.injected && view.store.rows[i][2].length > 1) element.append(mark("injected", "Put here by the program, not typed by the user"))
  if (data.chars === 0) element.append(empty("empty text"))
  const prose = make("div", { class: "prose" }, safeHtml(data.html))
  element.append(clipped(view, data, prose, lines(prose.textContent, data.chars)))
}

function thinking(view, element, data) {
  const open = view.folds.isOpen(data.uid, false)
  const said = data.redacted ? "withheld by the provider" : data.chars ? count(data.chars, "character") : "text not in this file"
  element.append(
    head(
      view,
      element,
      folder(view, data, open, make("span", { class: "strip-name", text: "thinking" })),
      make("span", { class: "quiet", text: said }),
    ),
  )
  if (!open) return
  const words = data.text || (data.redacted ? "The provider sent this thinking encrypted." : "The file does not hold the words.")
  fill(
    element,
    make("div", { class: "thought", text: words }),
    rest(view, data),
    data.signed
      ? make("p", { class: "why", text: "Read-only: its signature binds these words to everything before them." })
      : null,
  )
}

function call(view, element, data, i, j) {
  element.append(
    head(
      view,
      element,
      make("span", { class: "anchor" }),
      icon("call"),
      make("code", { class: "tool", text: data.name || "(no name)" }),
      data.server ? mark("server tool", "Runs at the provider; its result is in the same message") : null,
      make("span", { class: "summary", text: data.summary ?? "", title: data.summary ?? "" }),
      pills(view, i, j, "call"),
    ),
  )
  const fields = make("dl", { class: "fields" })
  let size = 0
  for (const [name, value, kind] of data.fields ?? []) {
    if (value === data.summary) continue
    fields.append(make("dt", { text: name }), make("dd", { class: kind ?? "", text: value }))
    size += lines(value, value.length)
  }
  if (data.odd !== undefined) {
    element.append(mark("input is no object", "An endpoint expects a JSON object here"))
    fields.append(make("dt", { text: "input" }), make("dd", { class: "json", text: data.odd }))
    size += lines(data.odd, data.odd.length)
  }
  if (data.diff) {
    fields.append(make("dt", { text: "change" }), make("dd", {}, differences(data.diff)))
    size += data.diff.length
  }
  if (fields.childElementCount) element.append(clipped(view, data, fields, size))
}

function result(view, element, data, i, j) {
  const bad = Boolean(data.error)
  element.classList.toggle("bad", bad)
  const threads = view.store.threadsOf(i, j)
  const name = threads.find((thread) => thread.call && thread.result)?.name
  element.append(
    head(
      view,
      element,
      make("span", { class: "anchor" }),
      icon(bad ? "error" : "result"),
      make("span", { class: "strip-name", text: `${bad ? "error" : "result"} ${name ? (bad ? "from" : "of") : "for"}` }),
      make("code", { class: "tool", text: name || data.id || "?" }),
      data.server ? mark(data.server, "Answered by the provider inside the same message") : null,
      make("span", { class: "summary" }),
      data.took === undefined ? null : make("span", { class: "figure", title: "how long the command ran", text: duration(data.took) }),
      data.exit === undefined ? null : make("span", { class: data.exit ? "figure failed" : "figure", title: "how the command ended", text: `exit ${data.exit}` }),
      pills(view, i, j, "result"),
    ),
  )
  if (data.absent) element.append(empty("no content in this file"))
  else if (!data.chars && !data.inner) element.append(empty("empty result"))
  if (data.chars) {
    const output = make("pre", { class: "output" })
    for (const [words, style] of data.runs) output.append(style ? make("span", { class: style, text: words }) : words)
    element.append(clipped(view, data, output, lines(output.textContent, data.chars, data.lines)))
  }
  for (const inner of data.inner ?? []) element.append(strip(view, i, j, inner))
}

function image(view, element, data) {
  if (!data.shown) {
    element.append(make("div", { class: "left-out" }, icon("image"), `picture not loaded: ${data.note ?? ""}`))
    return
  }
  const picture = make("img", { alt: `picture, ${data.media}`, loading: "lazy", src: view.picture(data.uid) })
  const failed = make("div", { class: "left-out", hidden: true }, icon("image"), "This picture cannot be shown.")
  const open = make(
    "button",
    { type: "button", class: "thumbnail", "aria-label": "Show the picture large", onclick: () => view.enlarge(picture.src) },
    picture,
  )
  picture.addEventListener("error", () => {
    open.hidden = true
    failed.hidden = false
  })
  element.append(open, failed)
}

function paper(view, element, data) {
  element.append(
    head(
      view,
      element,
      icon("document"),
      make("span", { class: "strip-name", text: data.title || "document" }),
      make("span", { class: "quiet", text: data.note ?? "" }),
    ),
  )
  if (data.text) {
    element.append(clipped(view, data, make("pre", { class: "output", text: data.text }), lines(data.text, data.chars)))
  }
}

function other(view, element, data) {
  const open = view.folds.isOpen(data.uid, false)
  element.append(
    head(
      view,
      element,
      folder(view, data, open, make("code", { class: "tool", text: data.type || "untyped" })),
      make("span", { class: "quiet", text: `not a type we know · ${count(data.chars, "character")}` }),
    ),
  )
  if (open) fill(element, make("pre", { class: "output", text: data.text }), rest(view, data))
}

function head(view, element, ...parts) {
  return make("div", { class: "strip-head" }, ...parts)
}

function folder(view, data, open, name) {
  return make(
    "button",
    { type: "button", class: "folder", "aria-expanded": String(open), onclick: () => view.folds.toggle(data.uid, !open) },
    icon("chevron"),
    name,
  )
}

function mark(words, title) {
  return make("span", { class: "mark", text: words, title })
}

function empty(words) {
  return make("p", { class: "nothing", text: words })
}

// Where the other end of each thread stands, as buttons; what is broken says how.
function pills(view, i, j, side) {
  const found = view.store.threadsOf(i, j).map((thread) => {
    const { number: id, call: from, broken } = thread
    const there = thread.result && thread.result.i < view.shown
    const to = there ? thread.result : null
    const other = side === "call" ? to : from
    const word = BROKEN_WORDS[thread.result && !there ? "pending" : thread.state]
    if (!other || from?.i === to?.i) {
      return word ? make("span", { class: `pill ${broken && (there || !thread.result) ? "broken" : "waiting"}`, text: word, "data-thread": id }) : null
    }
    const label = `Go to the ${side === "call" ? "result" : "call"} in #${other.i}`
    return make(
      "button",
      {
        type: "button",
        class: broken ? "pill broken" : "pill",
        "data-thread": id,
        "aria-label": word ? `${word}. ${label}` : label,
        title: label,
        onclick: () => view.go(other.i, other.block),
        onpointerenter: () => view.light(id),
        onpointerleave: () => view.light(null),
      },
      broken ? `${word} ` : null,
      make("span", { text: side === "call" ? `→ #${other.i}` : `← #${other.i}` }),
    )
  })
  return make("div", { class: "ends" }, ...found)
}

// How many lines a text will take, newlines and wrapping together.
function lines(text, chars, counted = 0) {
  let total = 0
  for (const line of text.split("\n")) total += Math.max(1, Math.ceil(line.length / WIDE))
  return Math.max(total, counted, text.length < chars ? Math.ceil(chars / WIDE) : 0)
}

// A body that is shown as far as its kind allows, with a button that says what is hidden.
function clipped(view, data, body, size) {
  const most = CLIP[data.error ? "error" : data.kind]
  const open = view.folds.isOpen(data.uid, view.folds.full)
  const holder = make("div", { class: "body" }, body)
  if (size <= most + 3 && !data.cut) return holder
  if (open) {
    if (data.cut && !data.whole) view.whole(data.uid)
    fill(holder, rest(view, data))
    if (size > most + 3) {
      holder.append(make("button", { type: "button", class: "show-less", text: "Show less", onclick: () => view.folds.toggle(data.uid, false) }))
    }
    return holder
  }
  if (size > most + 3) {
    body.classList.add("clip")
    body.style.setProperty("--lines", most)
  }
  const hidden = size > most + 3 ? `about ${count(size, "line")}, ` : ""
  holder.append(
    make("button", {
      type: "button",
      class: "show-all",
      text: `Show all · ${hidden}${count(data.chars, "character")}`,
      onclick: () => view.folds.toggle(data.uid, true),
    }),
  )
  return holder
}

// The rest of a body that is too long to be sent at once, on request.
function rest(view, data) {
  if (!data.cut || !data.whole) return null
  const more = make("button", { type: "button", class: "show-all", text: `Show the next part of ${number(data.chars)} characters` })
  const parts = make("div", { class: "parts" }, more)
  let next = data.given
  more.addEventListener("click", async () => {
    more.disabled = true
    const part = await view.part(data.uid, next)
    next = part.next
    more.before(make("pre", { class: "output", text: part.text }))
    more.disabled = false
    if (part.next >= part.chars) more.remove()
  })
  return parts
}

// Lines of a comparison, as `[sign, line]`, a line being a text or pieces of it.
export function differences(list) {
  const block = make("pre", { class: "diff" })
  const ends = list.length && list.at(-1)[0] === " " && list.at(-1)[1] === ""
  for (const [sign, line] of ends ? list.slice(0, -1) : list) {
    const kind = { "-": "less", "+": "plus", "…": "skip" }[sign] ?? "same"
    const row = make("span", { class: kind }, sign === "…" ? "  ⋯ " : `${sign} `)
    for (const [changed, words] of Array.isArray(line) ? line : [[false, line]]) row.append(changed ? make("b", { text: words }) : words)
    row.append("\n")
    block.append(row)
  }
  return block
}
