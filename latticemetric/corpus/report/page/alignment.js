// Return the steps of an alignment, and the words of a side in one line with its errors marked.
const MARKS = { S: "≠", I: "+", D: "−" };
const MOST_SAID = 60;

function stepsOf(side) {
  const expected = side.expected[Symbol.iterator](), hypothesis = (side.hypothesis ?? side.words)[Symbol.iterator]();
  return [...side.edits].map((edit) => ({
    edit,
    hypothesis: edit === "D" ? null : hypothesis.next().value,
    expected: edit === "S" || edit === "D" ? expected.next().value : null,
  }));
}

// Words run in the direction of the first letter that has one; each word keeps its own direction.
function saidView(side) {
  const steps = stepsOf(side);
  const shown = steps.slice(0, MOST_SAID).map(({ edit, hypothesis, expected }) => {
    if (edit === "C") return element("span", { class: "own" }, hypothesis);
    const mark = edit === "D" ? "missing: " : edit === "S" ? "wrong: " : "added: ";
    return element("span", { class: edit.toLowerCase() }, unseen(mark), element("span", { class: "own" }, edit === "D" ? expected : hypothesis));
  });
  const all = shown.flatMap((part) => [part, " "]);
  return element("bdi", {}, ...all, steps.length > MOST_SAID ? "…" : "");
}
