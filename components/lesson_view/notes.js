// The presenter's second window: it asks the server every second where the lesson is, and shows what belongs to that
// step. Nothing here is ever projected, and everything is text.

const main = document.querySelector("main")
const address = location.pathname.replace(/notes$/, "now")
let drawn = ""

function make(tag, name, text) {
  const element = document.createElement(tag)
  if (name) element.className = name
  element.textContent = text
  return element
}

function part(title, text, name) {
  const section = make("section", name, "")
  section.append(make("h2", "", title), make("p", "", text))
  return section
}

function clock(now) {
  const minutes = (count) => `${Math.max(0, Math.round(count))} min`
  const line = make("p", "clock", "")
  line.append(make("b", "", `${minutes(now.left)} left`), make("span", "", `this step: ${now.minutes || "–"} min`))
  if (now.over !== null) {
    const late = Math.round(now.over)
    const said = late > 0 ? `${late} min behind` : late < 0 ? `${-late} min ahead` : "on time"
    line.append(make("span", late > 1 ? "late" : "", said))
  }
  return line
}

function draw(now) {
  const head = make("header", "", "")
  head.append(make("b", "", now.title), make("span", "", `${now.step} of ${now.steps}, ${now.kind}`))
  if (now.code) head.append(make("span", "code", `Code ${now.code}`))
  main.replaceChildren(
    head,
    clock(now),
    make("p", "shown", now.text),
    ...(now.notes ? [part("Say", now.notes, "notes")] : []),
    ...(now.board ? [part("On the board", now.board, "board")] : []),
    ...(now.answer ? [part("The answer", now.answer, "answer")] : []),
    part("Checkpoint question", now.question, ""),
    ...(now.next ? [part("Next", now.next, "next")] : []),
  )
}

async function follow() {
  try {
    const response = await fetch(address, { cache: "no-store" })
    const text = await response.text()
    if (text !== drawn) {
      drawn = text
      if (response.ok) draw(JSON.parse(text))
      else main.replaceChildren(make("p", "shown", text))
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    drawn = ""
    main.replaceChildren(make("p", "shown", "The server does not answer. This window goes on once it does."))
  }
  setTimeout(follow, 1000)
}

follow()
