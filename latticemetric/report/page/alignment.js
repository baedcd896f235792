// Return the steps of an alignment, and the words of a side in one line with its errors marked.
const MARKS = { S: "≠", I: "+", D: "−" };
const MOST_SAID = 60;

function stepsOf(side) {
  const expected = side.expected[Symbol.iterator](), candidate = (side.candidate ?? side.words)[Symbol.iterator]();
  return [...side.edits].map((edit) => ({
    edit,
    candidate: edit === "D" ? null : candidate.next().value,
    expected: edit === "S" || edit === "D" ? expected.next().value : null,
  }));
}

function saidView(side) {
  const steps = stepsOf(side);
  const shown = steps.slice(0, MOST_SAID).map(({ edit, candidate, expected }) => {
    if (edit === "C") return word(candidate);
    const mark = edit === "D" ? "missing: " : edit === "S" ? "wrong: " : "added: ";
    return element("span", { class: edit.toLowerCase() }, unseen(mark), word(edit === "D" ? expected : candidate));
  });
  const all = shown.flatMap((part) => [part, " "]);
  return steps.length > MOST_SAID ? [...all, "…"] : all;
}
