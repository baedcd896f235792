// Show alignments in columns: a reference word, and below it the aligned word of each side.
// Long alignments are divided into passages; a passage is built when the reader opens it.
const MOST_STEPS = 400, PASSAGE = 250;

// Return one slot per reference word, with the words inserted before it and the step that aligns it; the last slot has
// the words inserted at the end.
function slotsOf(side) {
  const slots = [{ added: [], step: null }];
  for (const step of stepsOf(side)) {
    const last = slots[slots.length - 1];
    if (step.edit === "I") last.added.push(step);
    else { last.step = step; slots.push({ added: [], step: null }); }
  }
  return slots;
}

const wordOf = (step) => (step.edit === "C" ? step.hypothesis : step.expected);

// Return one column per reference word, and per insertion of a side: `steps` has the step of each side, or null.
function columnsOfSides(sides) {
  const all = sides.map(slotsOf);
  const columns = [];
  all[0].forEach((slot, place) => {
    const added = Math.max(...all.map((slots) => slots[place].added.length));
    for (let k = 0; k < added; k += 1) columns.push({ reference: null, steps: all.map((slots) => slots[place].added[k] ?? null) });
    if (slot.step) columns.push({ reference: wordOf(slot.step), steps: all.map((slots) => slots[place].step) });
  });
  return columns;
}

// Group the sides that are aligned with the same reference, to show them below each other.
function sidesByReference(one) {
  const groups = new Map();
  for (const name of SIDES.filter((side) => one.sides[side])) {
    const key = JSON.stringify(stepsOf(one.sides[name]).filter(({ edit }) => edit !== "I").map(wordOf));
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()];
}

function stepCell(step) {
  if (step === null) return element("td", { class: "none" });
  if (step.edit === "C") return element("td", {}, word(step.hypothesis));
  const mark = element("span", { class: "mark", "aria-hidden": "true" }, MARKS[step.edit]);
  if (step.edit === "D") return element("td", { class: "d" }, unseen("missing"), mark);
  return element("td", { class: step.edit.toLowerCase() }, unseen(step.edit === "I" ? "added: " : "instead: "), mark, word(step.hypothesis));
}

const pen = document.createElement("canvas").getContext("2d");

// Return the width in pixels of a column's longest word, with mark and padding.
function widthOf(column) {
  pen.font = getComputedStyle(document.body).font;
  const words = [column.reference, ...column.steps.map((step) => (step === null || step.edit === "D" ? "" : `${MARKS[step.edit] ?? ""} ${step.hypothesis}`))];
  return 16 + Math.max(...words.map((text) => pen.measureText(text ?? "").width));
}

// Divide columns into lines that each fit into `room` pixels.
function lines(columns, room) {
  const made = [[]];
  let used = 0;
  for (const column of columns) {
    column.width ??= widthOf(column);
    if (used + column.width > room && made[made.length - 1].length) { made.push([]); used = 0; }
    used += column.width;
    made[made.length - 1].push(column);
  }
  return made;
}

function lineView(columns, names, label) {
  const row = (head, cells, kind) => element("tr", { class: kind }, element("th", { scope: "row" }, ...head), ...cells);
  return element("table", { class: "aligned", "aria-label": label },
    row(["Reference"], columns.map(({ reference }) => element("td", { class: reference === null ? "none" : null }, reference === null ? "" : word(reference))), "reference"),
    ...names.map((name, place) => row([swatch(name), LABELS[name]], columns.map(({ steps }) => stepCell(steps[place])), name)));
}

// Show columns in lines; divide them again when the width of the page changes.
function linesView(columns, names, label) {
  const view = element("div", { class: "lines" });
  let drawn = 0;
  new ResizeObserver(() => {
    const room = Math.floor(view.clientWidth);
    if (!room || room === drawn) return;
    drawn = room;
    view.replaceChildren(...lines(columns, room - 112).map((part) => lineView(part, names, label)));
  }).observe(view);
  return view;
}

function alignmentView(one) {
  const groups = sidesByReference(one);
  return element("div", { class: "columns" }, ...groups.map((names) => {
    const columns = columnsOfSides(names.map((name) => one.sides[name]));
    if (!columns.length) return element("p", { class: "note" }, "no words");
    const label = `Alignment of ${names.map((name) => LABELS[name]).join(", ")} with the reference`;
    if (columns.length <= MOST_STEPS) return linesView(columns, names, label);
    const passages = [];
    for (let begin = 0; begin < columns.length; begin += PASSAGE) passages.push(passageView(columns, begin, names, label));
    passages[0].open = true;
    return element("div", { class: "passages" }, ...passages);
  }));
}

function passageView(columns, begin, names, label) {
  const part = columns.slice(begin, begin + PASSAGE);
  const errors = part.flatMap(({ steps }) => steps).filter((step) => step !== null && step.edit !== "C").length;
  const view = element("details", {},
    element("summary", {}, `Words ${begin + 1} to ${begin + part.length} of ${columns.length} `,
      element("span", { class: "note" }, `· ${errors} ${errors === 1 ? "error" : "errors"}`)));
  view.addEventListener("toggle", () => { if (view.open && !view.querySelector(".lines")) view.append(linesView(part, names, label)); });
  return view;
}

function alignmentKey() {
  const part = (kind, text) => element("span", {}, element("span", { "aria-hidden": "true" }, `${MARKS[kind]} `), text);
  return element("p", { class: "note key" }, part("S", "not the word of the reference"), part("D", "missing"), part("I", "added"));
}
