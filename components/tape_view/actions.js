// What can be done to a card: edit, delete, insert, move, run again, copy. Sends operations and shows what became of
// them; what an operation does is decided on the server.

import { count, make } from "./dom.js"
import { Editor } from "./editor.js"
import { icon } from "./icons.js"
import { explained } from "./rerun.js"

export class Actions {
  constructor(view) {
    this.view = view
    this.editor = null
    this.confirming = null
    this.inserting = null
    this.systemEditor = null
    this.waiting = new Map()
  }

  // Adds the row of actions, and an open editor or question, to a card that was just built.
  dress(element, i, data) {
    const { view } = this
    const uid = data.uid
    const meta = make("div", { class: "meta" })
    const head = element.querySelector(".card-head")
    const spring = head.querySelector(".spring")
    meta.append(...[...head.children].slice([...head.children].indexOf(spring) + 1))
    head.append(meta)
    meta.prepend(this.#row(i, uid, data))
    if (!view.frozen) {
      for (const strip of element.querySelectorAll(":scope > .strips > .strip")) this.#stripActions(strip, i, data)
    }
    if (this.editor?.owner === uid) {
      const strip = this.editor.block === null ? element.querySelector(".strips") : element.querySelector(`.strip[data-block="${this.editor.block}"]`)
      if (this.editor.after) strip?.after(this.editor.element)
      else strip?.replaceWith(this.editor.element)
    }
    if (this.confirming?.owner === uid) element.append(this.confirming.element)
  }

  dressSystem(element) {
    if (this.view.frozen) return
    const edit = this.#button("Edit", "edit", () => this.editSystem())
    element.querySelector(".meta").prepend(make("div", { class: "actions" }, edit))
  }

  #row(i, uid, data) {
    const { view } = this
    const row = make("div", { class: "actions", role: "group", "aria-label": `Message ${i}` })
    if (!view.frozen) {
      const last = view.store.length - 1
      row.append(
        this.#button("Edit", "edit", () => this.edit(i)),
        this.#button("Delete", "delete", () => this.remove(i)),
        this.#button("Insert above", "insert", () => this.insert(uid, "above"), "Insert"),
        this.#button("Move up", "up", () => this.#move(uid, i - 1), false, i === 0),
        this.#button("Move down", "down", () => this.#move(uid, i + 1), false, i === last),
      )
      if (view.data.options.run) {
        const again = this.#button("Re-run from here", "run", () => view.send({ do: "run", mode: "from", uid }), "Re-run")
        row.append(...explained(view, again, i))
      }
    }
    row.append(
      this.#button("Copy as text", "copy", () => this.#copy(uid, "text"), "Copy"),
      this.#button("Copy as Markdown", "document", () => this.#copy(uid, "markdown"), "Markdown"),
      this.#button("Copy as JSON", "other", () => this.#copy(uid, "json"), "JSON"),
    )
    return row
  }

  #button(label, name, press, words = label, disabled = false) {
    return make(
      "button",
      { type: "button", class: "act", "aria-label": label, title: label, onclick: press, disabled },
      icon(name),
      words ? make("span", { text: words }) : null,
    )
  }

  // The only block of a message is edited, moved and deleted with its message.
  #stripActions(strip, i, data) {
    const block = Number(strip.dataset.block)
    const kind = strip.classList[1]
    const blocks = data.strips.length + (data.more ?? 0)
    const row = make("div", { class: "strip-actions", role: "group", "aria-label": `Block ${block}` })
    const add = (label, name, press, disabled) => row.append(this.#button(label, name, press, false, disabled))
    if (blocks > 1 && kind !== "thinking") add("Edit this block", "edit", () => this.edit(i, block))
    add("Insert a block below", "insert", () => this.insertBlock(data.uid, i, block))
    if (blocks > 1) {
      add("Move this block up", "up", () => this.#moveBlock(strip.dataset.uid, block - 1), block === 0)
      add("Move this block down", "down", () => this.#moveBlock(strip.dataset.uid, block + 1), block === blocks - 1)
      add("Delete this block", "delete", () => this.remove(i, block))
    }
    const head = strip.querySelector(":scope > .strip-head")
    const ends = head?.querySelector(".ends") ?? head?.appendChild(make("div", { class: "ends" }))
    if (ends) ends.prepend(row)
    else strip.prepend(row)
  }

  // Opens the editor of a message, or of one block of it.
  async edit(i, block = null) {
    const { view } = this
    const row = view.store.rows[i]
    if (!row || view.frozen) return
    const [owner, , kinds] = row
    if (view.folds.level(owner) === 0) view.folds.fold(owner, 1)
    const only = block ?? (kinds.length === 1 && kinds !== "h" ? 0 : null)
    if (!view.cards.has(owner)) view.go(i)
    const strip = only === null ? null : view.cards.get(owner)?.strips[only]
    const target = strip?.uid ?? owner
    const source = await view.api.get(`raw/${encodeURIComponent(target)}`)
    this.#open(
      new Editor({
        title: strip ? `Edit block ${only} of #${i}` : `Edit message #${i}`,
        text: source.text,
        json: source.json,
        save: (value) => view.send({ do: "apply", op: { op: "replace", target, ...value.plain }, json: value.json }),
        close: () => this.close(),
      }),
      owner,
      only,
    )
  }

  #open(editor, owner, block) {
    this.close()
    this.editor = editor
    editor.owner = owner
    editor.block = block
    this.view.list.pinned.add(owner)
    this.view.redraw(owner)
    editor.focus()
  }

  // Opens a form for a new message before or after another, or at the end.
  insert(at, where = "below") {
    const { view } = this
    this.close()
    const i = view.store.places.get(at)
    const role = at === "end" && view.store.rows.at(-1)?.[1] === "u" ? "assistant" : "user"
    const place = where === "above" || at === "end" ? at : (view.store.rows[i + 1]?.[0] ?? "end")
    const editor = new Editor({
      title: at === "end" ? "New message at the end" : `New message ${where} #${i}`,
      text: "",
      json: `{\n  "role": "${role}",\n  "content": [{"type": "text", "text": ""}]\n}`,
      role,
      turn: at === "end" ? null : () => this.insert(at, where === "above" ? "below" : "above"),
      where,
      save: (value) => view.send({ do: "apply", op: { op: "insert", at: place, ...value.plain }, json: value.json }),
      close: () => this.close(),
    })
    this.inserting = editor
    editor.at = at
    editor.where = where
    editor.owner = at
    view.list.pinned.add(at)
    view.redraw(at)
    editor.focus()
  }

  // Opens a form for a new block below another one of the same message.
  insertBlock(owner, i, block) {
    const { view } = this
    const editor = new Editor({
      title: `New block in #${i}, below block ${block}`,
      text: "",
      json: '{\n  "type": "text",\n  "text": ""\n}',
      verb: "Insert",
      save: ({ plain, json }) => {
        const typed = "value" in plain ? { block: { type: "text", text: plain.value } } : {}
        const op = { op: "insert", into: owner, index: block + 1, ...typed }
        return view.send({ do: "apply", op, json: rename(json, "value", "block") })
      },
      close: () => this.close(),
    })
    editor.after = true
    this.#open(editor, owner, block)
  }

  async editSystem() {
    const { view } = this
    this.close()
    const source = await view.api.get("raw/system")
    const editor = new Editor({
      title: "Edit the system prompt",
      text: source.text ?? "",
      json: source.json,
      save: (value) => view.send({ do: "apply", op: { op: "set_system", ...rename(value.plain, "value", "system") }, json: rename(value.json, "value", "system") }),
      close: () => this.close(),
    })
    editor.owner = "head"
    this.systemEditor = editor.element
    this.editor = editor
    view.redraw("head")
    editor.focus()
  }

  close() {
    const owners = [this.editor?.owner, this.inserting?.owner, this.confirming?.owner].filter(Boolean)
    this.editor = null
    this.inserting = null
    this.confirming = null
    this.systemEditor = null
    for (const owner of owners) this.view.list.pinned.delete(owner)
    if (owners.length) this.view.redraw(...owners)
    const i = this.view.store.places.get(owners[0])
    if (i !== undefined) this.view.select(owners[0])
  }

  get open() {
    return Boolean(this.editor || this.inserting || this.confirming)
  }

  // Asks before a message, or one block of it, is deleted; names what it is tied to.
  remove(i, block = null) {
    const { view } = this
    this.close()
    const [owner, , kinds] = view.store.rows[i]
    const target = block === null ? owner : view.cards.get(owner)?.strips[block]?.uid
    if (!target) return
    const partners = view.store.partners(i, block)
    const ask = (more) => {
      this.confirming.seq = view.send({ do: "apply", op: { op: "delete", targets: [target], ...more } })
    }
    const what = block === null ? `message #${i}` : `block ${block} of #${i}`
    const thinking = make("input", { type: "checkbox" })
    const chosen = () => (thinking.checked ? { thinking: true } : {})
    const buttons = partners.length
      ? [
          make("button", { type: "button", class: "danger", text: partners.length > 1 ? `Delete all ${partners.length + 1}` : "Delete both", onclick: () => ask({ partners: true, ...chosen() }) }),
          make("button", { type: "button", class: "plain", text: "Only this, breaking the pair on purpose", onclick: () => ask({ partners: false, ...chosen() }) }),
        ]
      : [make("button", { type: "button", class: "danger", text: "Delete", onclick: () => ask({ partners: true, ...chosen() }) })]
    const element = make(
      "div",
      { class: "question", role: "alertdialog", "aria-label": `Delete ${what}?` },
      make("p", {}, make("b", { text: `Delete ${what}? ` }), make("span", { text: named(partners) })),
      block !== null && kinds[block] === "c" && kinds.includes("h")
        ? make("label", {}, thinking, make("span", { text: "also drop the thinking of this message, which was signed together with the call" }))
        : null,
      make(
        "div",
        { class: "row" },
        ...buttons,
        make("button", { type: "button", class: "plain", text: "Cancel", onclick: () => this.close() }),
      ),
      make("p", { class: "why", role: "alert", hidden: true }),
    )
    this.confirming = { owner, element, seq: null }
    view.list.pinned.add(owner)
    view.redraw(owner)
    element.querySelector("button").focus()
  }

  #move(uid, to) {
    this.view.send({ do: "apply", op: { op: "move", target: uid, to } })
    this.view.selected = uid
  }

  #moveBlock(target, to) {
    this.view.send({ do: "apply", op: { op: "move", target, to } })
  }

  async #copy(uid, kind) {
    const { view } = this
    const source = await view.api.get(`raw/${encodeURIComponent(uid)}`, view.of)
    if (!navigator.clipboard) return view.bar.say("The browser lets a page copy only over https or on this machine.")
    const { text, said } = { json: { text: source.json, said: "JSON" }, markdown: { text: source.markdown, said: "Markdown" } }[kind] ?? { text: source.words, said: "text" }
    await navigator.clipboard.writeText(text)
    view.bar.say(`Copied as ${said}.`)
  }

  // What became of what was sent: an editor or question closes once its item was carried out, or says why not.
  settle(ack, refused) {
    const { view } = this
    if (!ack || ack.client !== view.client) return
    const news = refused && refused.client === view.client && refused.seq !== this.refused ? refused : null
    if (news) this.refused = news.seq
    for (const open of [this.editor, this.inserting, this.confirming]) {
      if (!open?.seq || open.seq > ack.seq) continue
      if (refused?.client === view.client && refused.seq === open.seq) {
        open.seq = null
        const why = open.element.querySelector(".why")
        why.textContent = refused.text
        why.hidden = false
        open.settle?.()
      } else {
        const added = open === this.inserting
        this.close()
        if (added) view.scroller.focus({ preventScroll: true })
      }
      return
    }
    if (news) view.bar.say(news.text, true)
  }
}

function rename(value, from, to) {
  return value && from in value ? { [to]: value[from] } : value
}

function named(partners) {
  if (!partners.length) return ""
  const places = new Map()
  for (const { kind, i, name } of partners) places.set(`${kind} ${i}`, [...(places.get(`${kind} ${i}`) ?? []), name || "a tool"])
  const words = [...places].map(([place, names]) => {
    const [kind, i] = place.split(" ")
    const told = names.length > 3 ? [...names.slice(0, 3), count(names.length - 3, "more")] : names
    return kind === "result" ? `#${i} answers it (${told.join(", ")})` : `it answers #${i} (${told.join(", ")})`
  })
  const said = words.join("; ")
  return `${said[0].toUpperCase()}${said.slice(1)}.`
}
