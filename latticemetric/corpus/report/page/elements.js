// Make elements from texts, never from markup, since words are data.
const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null) made.append(child);
  return made;
}

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// Isolate the writing direction of a word from its neighbours.
function word(text, attributes = {}) {
  return element("bdi", attributes, text);
}

function unseen(text) {
  return element("span", { class: "unseen", dir: "ltr" }, text);
}

function swatch(side) {
  return element("span", { class: `swatch ${side}`, "aria-hidden": "true" });
}

const LABELS = { oracle: "Oracle", mbr: "MBR", corrected: "Corrected", one_best: "1-best" };
const SIDES = ["oracle", "mbr", "corrected", "one_best"];

function decimals(value, digits) {
  return value.toFixed(digits).replace(/^-(?=[0.]+$)/, "").replace("-", "−");
}

// Return a rate in per cent, as on the command line.
function rate(value) {
  return value === null || value === undefined ? "–" : `${decimals(100 * value, 2)}%`;
}

function figure(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}
