// What a person did, on its way to the server: sent again until it is acknowledged, because a single event of the
// page may get lost or overwritten. Each item has a number; the server takes each number once and in order.

const AGAIN = 400

export class Queue {
  // `send` gets {client, doc, items}; `later` and `cancel` are setTimeout and clearTimeout, or a test's own.
  constructor(send, { client, later = (act, after) => setTimeout(act, after), cancel = (timer) => clearTimeout(timer) }) {
    this.send = send
    this.client = client
    this.later = later
    this.cancel = cancel
    this.doc = ""
    this.items = []
    this.last = 0
    this.timer = null
  }

  // Items for a document that is no longer open are dropped.
  open(doc) {
    if (doc === this.doc) return
    this.doc = doc
    this.items = []
  }

  push(item) {
    const seq = ++this.last
    this.items.push({ seq, ...item })
    this.flush()
    return seq
  }

  flush() {
    this.cancel(this.timer)
    this.timer = null
    if (!this.items.length) return
    this.send({ client: this.client, doc: this.doc, items: this.items })
    if (this.items.length) this.timer = this.later(() => this.flush(), AGAIN)
  }

  acknowledge(ack) {
    if (!ack || ack.client !== this.client) return
    this.items = this.items.filter((item) => item.seq > ack.seq)
    if (!this.items.length) {
      this.cancel(this.timer)
      this.timer = null
    }
  }

  close() {
    this.cancel(this.timer)
    this.items = []
  }

  get waiting() {
    return this.items.length > 0
  }
}
