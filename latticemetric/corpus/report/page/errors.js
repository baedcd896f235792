// Error analysis: confused, inserted and deleted words, by side and by group.
const MOST_ERRORS = 50;
const KINDS = { S: "confusion", I: "insertion", D: "deletion" };

// Counts of edits per group, and counts of each kind of error with the same words.
class Errors {
  constructor() {
    this.groups = new Map();
    this.kinds = new Map();
  }

  add(one, side, group) {
    const counts = this.groups.get(group) ?? { group, utterances: 0, wrong: 0, C: 0, S: 0, D: 0, I: 0 };
    this.groups.set(group, counts);
    counts.utterances += 1;
    if (/[^C]/.test(side.edits)) counts.wrong += 1;
    for (const { edit, hypothesis, expected } of stepsOf(side)) {
      counts[edit] += 1;
      if (edit === "C") continue;
      const key = JSON.stringify([edit, expected, hypothesis]);
      const found = this.kinds.get(key) ?? { kind: KINDS[edit], expected, hypothesis, count: 0, where: new Set() };
      this.kinds.set(key, found);
      found.count += 1;
      found.where.add(one.place);
    }
  }

  // Return one row per group, with its sums and its error rate.
  groupRows() {
    return [...this.groups.values()].map((counts) => {
      const words = counts.C + counts.S + counts.D, errors = counts.S + counts.D + counts.I;
      return { ...counts, words, errors, rate: words ? errors / words : null };
    });
  }

  kindRows() {
    const all = [...this.kinds.values()].reduce((sum, one) => sum + one.count, 0);
    return [...this.kinds.values()].map(({ where, ...one }) => ({ ...one, share: one.count / all, utterances: where.size }));
  }
}

function errorsOf(data, side, grouping = null, group = null) {
  const errors = new Errors();
  for (const one of data.utterances) {
    const own = grouping === null ? "" : one.groups[grouping];
    if (one.sides?.[side] && (group === null || own === group)) errors.add(one, one.sides[side], own);
  }
  return errors;
}

// A table that the reader sorts with its headers; rows with equal values are sorted by count, then by words.
class SortedTable {
  constructor(columns, most, name) {
    Object.assign(this, { columns, most, name, column: columns.find((one) => one.chosen), rows: [] });
    this.direction = this.column.first;
    this.headers = columns.map((column) => element("th", { scope: "col", class: column.text ? "text" : null },
      element("button", { type: "button", onclick: () => this.sortBy(column) }, column.title)));
    this.body = element("tbody");
    this.rest = element("p", { class: "note", role: "status" });
    this.csv = element("button", { type: "button", class: "quiet", onclick: () => saveRows(this.sorted(), this.columns, this.name()) }, "Save as CSV");
    this.all = element("button", { type: "button", class: "quiet", onclick: () => { this.most *= 10; this.show(this.rows); } }, "Show more");
    this.element = element("div", { class: "errors" }, this.rest,
      element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Errors" },
        element("table", { class: "numbers sorted" }, element("thead", {}, element("tr", {}, ...this.headers)), this.body)),
      element("div", { class: "bar" }, this.all, this.csv));
  }

  sortBy(column) {
    this.direction = this.column === column ? -this.direction : column.first;
    this.column = column;
    this.show(this.rows);
  }

  sorted() {
    const { key } = this.column;
    const order = (a, b) => (a === null || b === null ? (a === null) - (b === null)
      : this.direction * (typeof a === "string" ? byText(a, b) : a - b));
    return [...this.rows].sort((a, b) => order(a[key], b[key]) || b.count - a.count || byText(wordsOf(a), wordsOf(b)));
  }

  show(rows) {
    this.rows = rows;
    const shown = this.sorted().slice(0, this.most);
    this.body.replaceChildren(...shown.map((row) => element("tr", {}, ...this.columns.map((column) =>
      element(column.head ? "th" : "td", { class: column.text ? "text" : null, ...(column.head ? { scope: "row" } : {}) },
        column.text ? word(row[column.key] ?? "–") : column.show(row[column.key]))))));
    this.headers.forEach((header, place) => {
      if (this.columns[place] === this.column) header.setAttribute("aria-sort", this.direction > 0 ? "ascending" : "descending");
      else header.removeAttribute("aria-sort");
    });
    this.all.hidden = shown.length === rows.length;
    const listed = this.all.hidden ? "" : `, the first ${shown.length} are listed`;
    this.rest.textContent = rows.length ? `${rows.length} ${rows.length === 1 ? "row" : "rows"}${listed}` : "There are no errors.";
  }
}

const wordsOf = (row) => `${row.group ?? ""} ${row.expected ?? ""} ${row.hypothesis ?? ""}`;

// Put a quote before texts that look like a formula, which spreadsheet programs would run.
function csvCell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const plain = typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function csvText(rows, columns) {
  const lines = [columns.map((column) => column.key), ...rows.map((row) => columns.map((column) => row[column.key]))];
  return `${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

function saveRows(rows, columns, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([csvText(rows, columns)], { type: "text/csv" })), download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const whole = (value) => figure(value, 12);

class ErrorAnalysis {
  constructor(data) {
    this.data = data;
    this.sides = SIDES.filter((side) => data.utterances.some((one) => one.sides?.[side])).reverse();
    this.side = this.sides[0];
    this.grouping = null;
    this.group = null;
    const count = (key, title, more = {}) => ({ key, title, show: whole, first: -1, ...more });
    const text = (key, title) => ({ key, title, text: true, first: 1 });
    const name = (part) => () => [document.querySelector("h1").textContent, this.side, part].join(".").replace(/[^\p{L}\p{N}._-]+/gu, "_");
    this.kinds = new SortedTable([text("kind", "Kind"), text("expected", "Reference"), text("hypothesis", "Instead"),
      count("count", "Count", { chosen: true }), count("share", "Share", { show: rate }), count("utterances", "Utterances")], MOST_ERRORS, name("errors"));
    this.groups = new SortedTable([{ ...text("group", "Group"), head: true }, count("utterances", "Utterances"), count("words", "Words"),
      count("S", "Confused"), count("D", "Deleted"), count("I", "Inserted"), count("errors", "Errors"),
      count("rate", "Rate", { chosen: true, show: rate }), count("wrong", "With errors")], MOST_ERRORS, name("groups"));
    this.place = document.getElementById("errors");
    this.place.append(this.tools(), this.sums(), this.kinds.element, element("div", {}, this.groups.element));
    this.place.parentElement.hidden = false;
    this.show();
  }

  chooser(title, options, act) {
    const select = element("select", { onchange: () => act(select.value) }, options.map(([value, name]) => element("option", { value }, name)));
    return element("label", {}, element("span", {}, title), select);
  }

  tools() {
    const sides = this.chooser("Errors of", this.sides.map((side) => [side, LABELS[side]]), (side) => { this.side = side; this.show(); });
    const kinds = this.chooser("Kind", [["", "all"], ...Object.values(KINDS).map((kind) => [kind, `${kind}s`])], (kind) => { this.kind = kind; this.show(); });
    const { groupings } = this.data;
    if (!groupings.length) return element("div", { class: "tools" }, sides, kinds);
    const by = this.chooser("By", [["", "nothing"], ...groupings.map((name, place) => [place, name])], (value) => {
      this.grouping = value === "" ? null : Number(value);
      this.group = null;
      this.chooseGroups();
      this.show();
    });
    this.which = element("div");
    return element("div", { class: "tools" }, sides, kinds, by, this.which);
  }

  chooseGroups() {
    this.which.replaceChildren();
    if (this.grouping === null) return;
    const names = [...new Set(this.data.utterances.map((one) => one.groups[this.grouping]))].sort(byText);
    this.which.append(this.chooser("Only", [["", "all of them"], ...names.map((name, place) => [place, name])], (value) => {
      this.group = value === "" ? null : names[Number(value)];
      this.show();
    }));
  }

  sums() {
    this.totals = element("p", { class: "note", role: "status" });
    return this.totals;
  }

  show() {
    const errors = errorsOf(this.data, this.side, this.grouping, this.group);
    const groups = errors.groupRows();
    const sum = (key) => groups.reduce((all, one) => all + one[key], 0);
    const amount = (key, noun) => `${whole(sum(key))} ${noun}${sum(key) === 1 ? "" : "s"}`;
    this.totals.textContent = `${amount("errors", "error")} in ${amount("words", "word")}: ${whole(sum("S"))} confused, `
      + `${whole(sum("D"))} deleted, ${whole(sum("I"))} inserted; errors in ${whole(sum("wrong"))} of ${amount("utterances", "utterance")}.`;
    this.kinds.show(errors.kindRows().filter((row) => !this.kind || row.kind === this.kind));
    this.groups.element.hidden = this.grouping === null;
    this.groups.show(groups);
  }
}
