// Making elements. Text enters the page through `textContent` alone.

// An element with properties, attributes (`aria-…`, `data-…`, `role`), listeners (`on…`) and children.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
    else if (name === "text") element.textContent = value
    else if (name === "class") element.className = value
    else if (name in element && !name.includes("-") && name !== "role" && name !== "list") element[name] = value
    else element.setAttribute(name, value === true ? "" : value)
  }
  return fill(element, ...children)
}

// Appends what is there of the children.
export function fill(element, ...children) {
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false))
  return element
}

const SVG = "http://www.w3.org/2000/svg"

export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

// A button with an icon, words, or both; without words its label is read out and shown on hover.
export function button(label, { icon, words = true, press, kind = "quiet", ...rest } = {}, draw = null) {
  return make(
    "button",
    { type: "button", class: kind, "aria-label": label, title: words ? undefined : label, onclick: press, ...rest },
    icon && draw ? draw(icon) : null,
    words ? make("span", { text: words === true ? label : words }) : null,
  )
}

export function number(value) {
  return value.toLocaleString("en-US")
}

export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`
}

// Seconds as people say them: `4.2 s`, `3 min 5 s`, `2 h 4 min`.
export function duration(seconds) {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`
  return `${number(Math.floor(minutes / 60))} h ${minutes % 60} min`
}
