// What benchmarks/tape_page.py does inside of the page: watches frames, finds cards, presses buttons.

(() => {
  const tape = () => document.querySelector(".tape") ?? [...document.querySelectorAll("*")].map((e) => e.shadowRoot?.querySelector(".tape")).find(Boolean)
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const visible = () => {
    if (!tape()) return []
    const box = tape().querySelector(".scroller").getBoundingClientRect()
    return [...tape().querySelectorAll(".item")].filter((item) => {
      const at = item.getBoundingClientRect()
      return at.bottom > box.top && at.top < box.bottom
    })
  }
  const bench = {
    tape, visible,
    positions: () => visible().map((item) => Number(item.querySelector(".position")?.textContent.replace(/[^0-9]/g, "") ?? -1)),
    bodies: () => visible().length > 0 && visible().every((item) => !item.querySelector(".skeleton")),
    counts: () => tape()?.querySelector(".counts").textContent ?? "",
    holds: (words) => bench.counts().includes(words),
    // Milliseconds from `act` until `done` holds in a painted frame.
    async until(act, done) {
      const start = performance.now()
      await act()
      for (;;) {
        await frame()
        if (done()) return performance.now() - start
        if (performance.now() - start > 180_000) throw new Error("waited three minutes in vain")
      }
    },
    async scroll(step, milliseconds) {
      const scroller = tape().querySelector(".scroller")
      const times = []
      let last = null, blank = 0
      const start = performance.now()
      for (;;) {
        const now = await new Promise((done) => requestAnimationFrame(done))
        if (last !== null) times.push(now - last)
        last = now
        scroller.scrollTop += step
        if (!visible().length) blank++
        if (performance.now() - start > milliseconds) return { times, blank }
      }
    },
    nodes() {
      let count = 0
      const walk = (root) => {
        for (const element of root.querySelectorAll("*")) {
          count++
          if (element.shadowRoot) walk(element.shadowRoot)
        }
      }
      walk(document)
      return count
    },
    card: (i) => [...tape().querySelectorAll("article.card")].find((card) => card.querySelector(".position")?.textContent === `#${i}`),
    says: (i, words) => Boolean(bench.card(i)?.textContent.includes(words)),
    button: (words) => [...tape().querySelectorAll("form.editor button")].find((one) => one.textContent === words),
    editing: () => Boolean(tape().querySelector("form.editor")),
    confirm: () => tape().querySelector("[role=alertdialog] button").click(),
    press: (i, name) => bench.card(i).querySelector(`.actions [aria-label="${name}"]`).click(),
    do: (name) => tape().querySelector(`.bar [data-do=${name}]`).click(),
    go(i) {
      const field = tape().querySelector(".goto")
      field.value = String(i)
      field.form.requestSubmit()
    },
    index() {
      const names = performance.getEntriesByType("resource").map((entry) => entry.name)
      return fetch(names.filter((name) => name.endsWith("/index")).at(-1)).then((answer) => answer.arrayBuffer()).then((body) => body.byteLength)
    },
    find(words) {
      const field = tape().querySelector(".query")
      field.value = words
      field.dispatchEvent(new Event("input"))
    },
  }
  window.bench = bench
})()
