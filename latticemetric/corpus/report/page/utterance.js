// The details that open below an utterance: sizes, references, the sides aligned in columns, and the graph.
const EDITS = ["matches", "substitutions", "deletions", "insertions"];

function utteranceView(one, data) {
  const references = one.references.map((words, place) => referenceView(words,
    one.references.length > 1 ? `Reference ${place + 1}` : "Reference"));
  if (one.error) return element("div", { class: "opened-up" }, element("p", {}, word(one.error)), ...references);
  const sides = SIDES.filter((side) => one.sides[side]);
  return element("div", { class: "opened-up" },
    chips(one),
    element("div", {}, ...references),
    element("div", { class: "sides" }, ...sides.map((side) => sideView(side, one, data))),
    alignmentView(one),
    one.mbr_problem ? element("p", { class: "note" }, "MBR: ", word(one.mbr_problem)) : null,
    alignmentKey(),
    one.drawing ? new Drawing(one).element : element("p", { class: "note" }, whyNotDrawn(data)));
}

function referenceView(words, title) {
  if (words.length > MOST_STEPS) {
    return element("details", { class: "reference" },
      element("summary", {}, `${title} `, element("span", { class: "note" }, `· ${words.length} words`)), word(words.join(" ")));
  }
  return element("p", { class: "reference" }, element("span", { class: "note" }, title),
    words.length ? word(words.join(" ")) : "(no words)");
}

function whyNotDrawn(data) {
  const [drawn, sketched] = data.drawn;
  if (drawn === 0 || drawn === sketched) return "This graph is not drawn.";
  return `Not drawn: only the ${drawn === 1 ? "graph" : `${drawn} graphs`} with the most headroom ${drawn === 1 ? "is" : "are"}.`;
}

// Return the expected rate as text; if it is not exact, return its proven bounds.
function expectedText([value, low, high, exact]) {
  return exact ? rate(value) : `${rate(low).replace("%", "")} … ${rate(high)}`;
}

function chips(one) {
  const [state, arc, path] = one.kind === "forest" ? ["node", "edge", "derivation"] : ["state", "arc", "path"];
  const parts = [[one.states, state], [one.arcs, arc], [one.paths, path], [one.best_paths[1], `best ${path}`]];
  return element("ul", { class: "chips", role: "list" },
    ...parts.map(([value, name]) => element("li", {}, element("b", {}, String(value)), ` ${String(value) === "1" ? name : `${name}s`}`)),
    element("li", {}, one.exact ? "the oracle is exact" : "the oracle is a bound"),
    one.expected ? element("li", {}, "expected ", element("b", {}, expectedText(one.expected))) : null,
    ...Object.entries(one.further ?? {}).map(([metric, values]) => furtherChip(metric, values)),
    one.at_k ? element("li", {}, "oracle@k ", ...one.at_k.flatMap(([k, value], place) => [place ? " · " : "", `${k}: `, element("b", {}, rate(value))])) : null);
}

// The rate of each side by a further metric; its oracle is a path of its own.
function furtherChip(metric, values) {
  const sides = SIDES.filter((side) => side in values);
  return element("li", {}, `${metric}: `, ...sides.flatMap((side, place) => [
    `${place ? " · " : ""}${side === "mbr" ? "MBR" : LABELS[side].toLowerCase()} `, element("b", {}, rate(values[side]))]));
}

function sideView(name, one, data) {
  const side = one.sides[name];
  const counts = EDITS.map((edit, place) => [side.counts[place], edit]).filter(([count]) => count);
  const errors = counts.map(([count, edit]) => `${count} ${count === 1 ? edit.replace(/(ch)?e?s$/, "$1") : edit}`).join(", ");
  const same = name !== "oracle" && side.words.join("\n") === one.sides.oracle.words.join("\n");
  const scores = Object.entries(one.scores ?? {}).map(([metric, values]) => `${metric} ${data.fractions.includes(metric)
    ? rate(values[name]) : figure(values[name], 5)}`);
  const more = [side.cost === undefined ? null : `cost ${figure(side.cost, 6)}`, ...scores,
    side.method ? `by ${side.method}` : null,
    side.distance ? `on no path of the graph; ${side.distance} word errors from the nearest path` : null].filter(Boolean);
  return element("section", { class: `side ${name}` },
    element("header", {}, element("h3", {}, LABELS[name]),
      element("span", { class: "rate" }, `${data.metric} ${rate(side.score)}`),
      element("span", { class: "note" }, `${side.fraction.map((part) => figure(part, 6)).join("/")} · ${errors || "no words"}`),
      element("span", { class: "note" }, more.join(" · "))),
    same ? element("p", { class: "note" }, "The same words as the oracle.") : null);
}
