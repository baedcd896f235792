// An alignment as a sentence: where it differs, what was expected stands above what was said, with a mark.
const MARKS = { S: "≠", I: "+", D: "−" };

function stepsOf(side) {
  const expected = side.expected[Symbol.iterator](), said = (side.said ?? side.words)[Symbol.iterator]();
  return [...side.edits].map((edit) => ({
    edit,
    said: edit === "D" ? null : said.next().value,
    expected: edit === "S" || edit === "D" ? expected.next().value : null,
  }));
}

function stepView({ edit, said, expected }) {
  if (edit === "C") return element("li", {}, element("span", { class: "below" }, word(said)));
  const mark = element("span", { class: "mark" }, MARKS[edit]);
  if (edit === "S") {
    return element("li", { class: "s" }, unseen("instead of "), element("span", { class: "above" }, word(expected)),
      unseen(": "), element("span", { class: "below" }, element("span", { class: "mark", "aria-hidden": "true" }, MARKS.S), word(said)));
  }
  mark.setAttribute("aria-hidden", "true");
  return edit === "D"
    ? element("li", { class: "d" }, unseen("missing: "), element("span", { class: "below" }, mark, word(expected)))
    : element("li", { class: "i" }, unseen("added: "), element("span", { class: "below" }, mark, word(said)));
}

// Longer alignments are passages that open one by one, and are made when they do.
const MOST_STEPS = 400, PASSAGE = 250;

function stepList(steps) {
  return element("ol", { class: "words", role: "list" }, ...steps.map(stepView));
}

function alignmentView(side) {
  const steps = stepsOf(side);
  if (!steps.length) return element("p", { class: "note" }, "no words");
  if (steps.length <= MOST_STEPS) return stepList(steps);
  const passages = [];
  for (let begin = 0; begin < steps.length; begin += PASSAGE) passages.push(passageView(steps, begin));
  passages[0].open = true;
  return element("div", { class: "passages" }, ...passages);
}

function passageView(steps, begin) {
  const part = steps.slice(begin, begin + PASSAGE);
  const errors = part.filter(({ edit }) => edit !== "C").length;
  const view = element("details", {},
    element("summary", {}, `Words ${begin + 1} to ${begin + part.length} of ${steps.length} `,
      element("span", { class: "note" }, `· ${errors} ${errors === 1 ? "error" : "errors"}`)));
  view.addEventListener("toggle", () => { if (view.open && !view.querySelector("ol")) view.append(stepList(part)); });
  return view;
}

function alignmentKey() {
  const part = (kind, text) => element("span", {}, element("span", { "aria-hidden": "true" }, `${MARKS[kind]} `), text);
  return element("p", { class: "note key" }, part("S", "another word, below the expected one"), part("D", "missing"), part("I", "added"));
}
