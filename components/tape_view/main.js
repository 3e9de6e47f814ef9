// The way in: the component's small loader calls `render` for every change of its data and `forget` once it is gone.

import { View } from "./view.js"

const views = new WeakMap()

export async function render(component) {
  const { parentElement } = component
  if (!views.has(parentElement)) views.set(parentElement, start(component))
  const view = await views.get(parentElement)
  await view.update(component)
}

export async function forget(parentElement) {
  const view = await views.get(parentElement)
  views.delete(parentElement)
  view?.destroy()
}

async function start(component) {
  const { parentElement, data } = component
  const assets = `${data.base}/assets/${data.build}`
  const [skeleton] = await Promise.all([
    fetch(`${assets}/index.html`).then((response) => response.text()),
    ...["style", "bar", "cards", "strips", "threads", "forms", "prose", "marks", "minimap", "filters", "search", "streaming", "follow", "projecting", "film"].map((name) => style(parentElement, `${assets}/${name}.css`)),
  ])
  const root = new DOMParser().parseFromString(skeleton, "text/html").querySelector(".tape")
  parentElement.append(document.adoptNode(root))
  return new View(root, component)
}

function style(parent, href) {
  return new Promise((done, failed) => {
    const link = document.createElement("link")
    link.rel = "stylesheet"
    link.addEventListener("load", done)
    link.addEventListener("error", () => failed(new Error(`no style sheet at ${href}`)))
    link.href = href
    parent.append(link)
  })
}
