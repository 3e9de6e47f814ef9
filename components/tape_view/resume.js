// A tab that is loaded again asks for the session that it showed. It alone remembers which: the token stays in this
// tab's storage and never stands in an address.

const NAME = "tapedeck-deck"

export class Resume {
  constructor(view) {
    this.view = view
    this.before = loadedAgain() ? read() : null
    // Whether another session was asked for and has not come yet.
    this.waiting = false
  }

  // Called with the token of every session that is shown.
  shown(token) {
    if (this.view.data.options.beside) return
    this.waiting = Boolean(this.before) && this.before !== token
    if (this.waiting) this.view.queue.push({ do: "resume", deck: this.before })
    this.before = null
    write(token)
  }
}

// Whoever follows a link in this tab wants what the link says.
function loadedAgain() {
  return performance.getEntriesByType("navigation")[0]?.type !== "navigate"
}

// A browser may refuse storage; then a reload begins anew, as a new visit does.
function read() {
  try {
    return sessionStorage.getItem(NAME)
  } catch {
    return null
  }
}

function write(token) {
  try {
    sessionStorage.setItem(NAME, token)
  } catch {
    return
  }
}
