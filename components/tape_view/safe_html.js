// The one door through which HTML enters the page: what the server rendered from Markdown and sanitized. It is read
// into a document that runs nothing and loads nothing, and only known elements and attributes are copied over.

const ELEMENTS = new Set(
  "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul".split(" "),
)
const LINK = /^(https?:|mailto:)/i

export function safeHtml(html) {
  const source = new DOMParser().parseFromString(html, "text/html")
  const target = document.createDocumentFragment()
  copy(source.body, target)
  return target
}

function copy(from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data)
    else if (node.nodeType === Node.ELEMENT_NODE) {
      const name = node.localName
      if (!ELEMENTS.has(name)) continue
      const element = document.createElement(name)
      if ((name === "span" || name === "code") && node.className) element.className = node.className
      if (name === "ol" && /^\d{1,9}$/.test(node.getAttribute("start") ?? "")) element.start = Number(node.getAttribute("start"))
      if (name === "a" && LINK.test(node.getAttribute("href") ?? "")) {
        element.href = node.getAttribute("href")
        element.target = "_blank"
        element.rel = "noopener noreferrer nofollow"
      }
      copy(node, element)
      to.append(element)
    }
  }
}
