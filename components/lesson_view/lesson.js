// The lesson on the page: the sentence of the step, the question, what came of it. Everything shown is text; what was
// pressed goes to the server through the same queue as on the tape.

import { Presenter, remember, remembered } from "./presenting.js"
import { Queue } from "./queue.js"

const views = new WeakMap()
const DESK = "tapedeck-desk"
const LONG = 110
const OUTCOMES = { refused: "Refused.", answered: "Answered." }

export async function render(component) {
  const { parentElement } = component
  if (!views.has(parentElement)) views.set(parentElement, start(component))
  const view = await views.get(parentElement)
  view.update(component)
}

export async function forget(parentElement) {
  const view = await views.get(parentElement)
  views.delete(parentElement)
  view?.destroy()
}

async function start(component) {
  const { parentElement, data } = component
  await new Promise((done, failed) => {
    const link = document.createElement("link")
    link.rel = "stylesheet"
    link.addEventListener("load", done)
    link.addEventListener("error", () => failed(new Error("no style sheet of the lesson")))
    link.href = `${data.base}/assets/${data.build}/lesson.css`
    parentElement.append(link)
  })
  const root = make("section", "lesson")
  parentElement.append(root)
  return new View(root, component)
}

function make(tag, name = "", text = "") {
  const element = document.createElement(tag)
  if (name) element.className = name
  if (text) element.textContent = text
  return element
}

class View {
  constructor(root, component) {
    this.root = root
    this.component = component
    const client = crypto.getRandomValues(new Uint32Array(2)).join("-")
    this.queue = new Queue((sent) => this.component.setTriggerValue("queue", sent), { client })
    this.queue.open("lesson")
    this.presenter = new Presenter(this)
    this.drawn = ""
    // The panes below fill what is left of the window: they measure anew when the window says so.
    this.height = -1
    this.watcher = new ResizeObserver(() => this.#leave(Math.round(root.getBoundingClientRect().height)))
    this.watcher.observe(root)
  }

  #leave(height) {
    if (height === this.height) return
    this.height = height
    document.documentElement.style.setProperty("--lesson-height", height ? `${height + 10}px` : "0px")
    window.dispatchEvent(new Event("resize"))
  }

  destroy() {
    this.watcher.disconnect()
    this.#leave(0)
    this.queue.close()
    this.presenter.destroy()
  }

  // One press at a time: what is pressed while the server still works on the last one is dropped, so that two clicks of
  // a nervous thumb are one step.
  press(item) {
    if (this.busy) return
    this.pressed = this.queue.push(item)
    this.root.classList.add("busy")
  }

  get busy() {
    return this.queue.items.some((item) => item.seq === this.pressed)
  }

  update(component) {
    this.component = component
    const { data } = component
    this.data = data
    this.lesson = data.lesson
    this.queue.acknowledge(data.ack)
    this.root.classList.toggle("busy", this.busy)
    this.root.classList.toggle("projector", data.projector)
    this.root.hidden = !data.lesson
    this.presenter.update(data.projector)
    this.#keepDesk(data.links.desk)
    const now = JSON.stringify([data.lesson, data.links, data.projector])
    if (now === this.drawn) return
    const moved = !this.shown || this.shown.step !== data.lesson?.step || this.shown.waits !== data.lesson?.waits
    this.drawn = now
    this.shown = data.lesson
    if (data.lesson) this.#draw(data.lesson, data.links, moved)
    else this.root.replaceChildren()
  }

  // The second window of a presenter follows this tab over a reload: the tab remembers its desk, and no address holds it.
  #keepDesk(desk) {
    if (!desk || desk === this.desk) return
    const kept = remembered("sessionStorage", DESK)
    if (kept && kept !== desk && !this.claimed) {
      this.claimed = true
      this.queue.push({ do: "claim", desk: kept })
      return
    }
    this.claimed = true
    this.desk = desk
    remember("sessionStorage", DESK, desk)
  }

  #draw(lesson, links, moved) {
    const typed = this.root.querySelector("input")?.value ?? ""
    const focused = this.root.getRootNode().activeElement?.dataset?.does
    const said = make("p", lesson.text.length > LONG ? "said long" : "said", lesson.text)
    said.setAttribute("aria-live", "polite")
    this.root.setAttribute("aria-label", `Lesson: ${lesson.title}`)
    Object.assign(this.root.dataset, { kind: lesson.kind, step: lesson.step, waits: lesson.waits })
    this.root.replaceChildren(
      this.#head(lesson, links),
      said,
      ...(lesson.will ? [make("p", lesson.waits ? "will" : "will done", lesson.will)] : []),
      ...(lesson.outcome ? [make("p", `outcome ${lesson.outcome}`, OUTCOMES[lesson.outcome])] : []),
      ...(lesson.classic ? [classic(lesson.classic)] : []),
      ...(lesson.choices.length ? [this.#choices(lesson)] : []),
      ...(lesson.number ? [this.#number(lesson, moved ? "" : typed)] : []),
      ...(lesson.verdict || lesson.answer ? [verdict(lesson)] : []),
      ...(lesson.fault ? [make("p", "fault", lesson.fault)] : []),
      this.#foot(lesson),
    )
    if (focused) this.root.querySelector(`[data-does="${focused}"]`)?.focus({ preventScroll: true })
  }

  #button(does, label, act, disabled = false) {
    const button = make("button", "", label)
    button.type = "button"
    button.dataset.does = does
    button.disabled = disabled
    button.addEventListener("click", act)
    return button
  }

  #head(lesson, links) {
    const head = make("header")
    if (lesson.block) head.append(make("b", "block", lesson.block))
    head.append(make("span", "title", lesson.title))
    head.append(make("span", "count", `${lesson.step} of ${lesson.steps}`))
    const tools = make("span", "tools")
    if (lesson.code) tools.append(make("span", "code", `Code ${lesson.code}`))
    if (links.notes) tools.append(opens("Notes", links.notes, "notes"), opens("Handout", links.handout, "handout"))
    if (!lesson.code) tools.append(this.#button("code", "Code for students", () => this.press({ do: "code" })))
    tools.append(
      this.#button("projector", this.data.projector ? "Leave projector" : "Projector", () =>
        this.press({ do: "projector", on: !this.data.projector }),
      ),
      this.#button("close", "End lesson", () => this.press({ do: "close" })),
    )
    head.append(tools)
    return head
  }

  #choices(lesson) {
    const list = make("div", "choices")
    list.setAttribute("role", "group")
    list.setAttribute("aria-label", "Answers")
    lesson.choices.forEach((text, i) => {
      const button = this.#button(`choice-${i}`, "", () => this.press({ do: "guess", value: i }))
      button.append(make("kbd", "", String(i + 1)), make("span", "", text))
      button.setAttribute("aria-pressed", String(lesson.guess === i))
      list.append(button)
    })
    return list
  }

  #number(lesson, typed) {
    const form = make("form", "number")
    const field = make("input")
    field.type = "text"
    field.inputMode = "decimal"
    field.autocomplete = "off"
    field.dataset.does = "number"
    field.setAttribute("aria-label", "What the class predicts")
    field.value = typed || (lesson.guess ?? "")
    const send = make("button", "", lesson.guess === null ? "That is our guess" : "Change the guess")
    form.append(field, make("span", "", lesson.number.unit), send)
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      const value = Number(field.value.replace(/[\s,_']/g, ""))
      if (!field.value.trim() || !Number.isFinite(value)) return field.select()
      field.blur()
      this.press({ do: "guess", value })
    })
    return form
  }

  #foot(lesson) {
    const foot = make("footer")
    const next = this.#button("next", wanted(lesson), () => this.next(), !this.canNext)
    next.classList.add("next")
    foot.append(this.#button("back", "Back", () => this.back(), lesson.atStart), next)
    const bar = make("span", "progress")
    bar.style.setProperty("--part", String((lesson.step - (lesson.waits ? 1 : 0)) / lesson.steps))
    bar.setAttribute("aria-hidden", "true")
    foot.append(bar)
    return foot
  }

  get canNext() {
    const { lesson } = this
    return Boolean(lesson) && !lesson.running && !lesson.atEnd && !(lesson.waits && lesson.kind === "predict")
  }

  next() {
    if (this.canNext) this.press({ do: "next" })
    else this.root.querySelector(".number input")?.focus()
  }

  back() {
    if (this.lesson && !this.lesson.atStart && !this.lesson.running) this.press({ do: "back" })
  }

  choose(i) {
    if (this.lesson && i < this.lesson.choices.length) this.press({ do: "guess", value: i })
  }
}

function wanted(lesson) {
  if (lesson.running) return "It is answering …"
  if (lesson.atEnd) return "The end"
  if (!lesson.waits) return "Next"
  return { do: "Do it", run: "Send it", predict: lesson.number ? "First guess" : "First choose" }[lesson.kind] ?? "Next"
}

function opens(label, href, does) {
  const link = make("a", "", label)
  link.href = href
  link.target = `tapedeck-${does}`
  link.dataset.does = does
  return link
}

function classic({ then, now, since }) {
  const pair = make("div", "classic")
  for (const [name, text] of [["Then", then], [`Now, since ${since}`, now]]) {
    const side = make("p")
    side.append(make("b", "", name), make("span", "", text))
    pair.append(side)
  }
  return pair
}

function verdict(lesson) {
  const box = make("div", "verdict")
  const found = lesson.verdict
  if (found) {
    const fate = found.correct === null ? "" : found.correct ? "right" : "wrong"
    if (fate) box.classList.add(fate)
    if (found.guessed) {
      const line = make("p")
      line.append(make("b", "", fate === "right" ? "You had it: " : "You said: "), make("span", "", found.guessed))
      box.append(line)
    }
    if (fate !== "right") {
      const line = make("p")
      line.append(make("b", "", "It is: "), make("span", "", found.right))
      box.append(line)
    }
  }
  if (lesson.answer) box.append(make("p", "answer", lesson.answer))
  return box
}
