// The list of utterances: its columns, its order, its filters, and movement by keyboard.
const PAGE = 100;

// Cells are narrow: the line above the list says that rates are in per cent.
const plainRate = (value) => rate(value).replace("%", "");

function columnsOf(data) {
  const score = (side) => (one) => one.sides?.[side]?.score ?? null;
  const best = data.higher ? -1 : 1;
  const columns = [
    { key: "id", title: "Id", value: (one) => one.id, first: 1 },
    { key: "length", title: "Words", value: (one) => one.length ?? null, show: (value) => figure(value), first: -1, spare: true },
    { key: "oracle", title: "Oracle", value: score("oracle"), show: plainRate, first: -best },
    { key: "mbr", title: "MBR", value: score("mbr"), show: plainRate, first: -best },
    { key: "corrected", title: "Corrected", value: score("corrected"), show: plainRate, first: -best, spare: true },
    { key: "one_best", title: "1-best", value: score("one_best"), show: plainRate, first: -best },
    { key: "expected", title: "Expected", value: (one) => one.expected?.[0] ?? null, show: plainRate, first: -best, spare: true },
    { key: "headroom", title: "Headroom", value: (one) => one.headroom ?? null, show: plainRate, first: -1 },
    { key: "density", title: "Density", value: (one) => one.density ?? null, show: (value) => figure(value), first: -1, spare: true },
    { key: "arcs", title: "Arcs", value: (one) => one.arcs ?? null, show: (value) => figure(value), first: -1, spare: true },
    { key: "best_paths", title: "Best paths", value: (one) => one.best_paths?.[0] ?? null,
      show: (value, one) => one.best_paths?.[1] ?? "–", first: -1, spare: true },
  ];
  const missing = [data.decoded ? null : "mbr", data.corrected ? null : "corrected", data.expected ? null : "expected"];
  return columns.filter((column) => !missing.includes(column.key));
}

// Sort numbers by size and ids in natural order (2 before 10); utterances without a value come last.
const byText = new Intl.Collator("en", { numeric: true }).compare;

function sorted(items, column, direction) {
  const keyed = items.map((one) => [column.value(one), one]);
  keyed.sort(([a, first], [b, second]) => {
    if (a === null || b === null) return (a === null) - (b === null) || first.place - second.place;
    const order = typeof a === "string" ? byText(a, b) : a - b;
    return order * direction || first.place - second.place;
  });
  return keyed.map(([, one]) => one);
}

function haystack(one) {
  one.hay ??= [one.id, ...one.references.flat(), ...Object.values(one.sides ?? {}).flatMap((side) => side.words)]
    .join(" ").toLowerCase();
  return one.hay;
}

// An utterance is harmed if its corrected text has more errors than its 1-best.
const wrongIn = ({ counts: [, replaced, deleted, inserted] }) => replaced + deleted + inserted;
const isHarmed = ({ sides }) => sides !== undefined && wrongIn(sides.corrected) > wrongIn(sides.one_best);

class List {
  constructor(data) {
    this.data = data;
    this.columns = columnsOf(data);
    this.column = this.columns[0];
    this.direction = 0; // the order of the input
    this.limit = PAGE;
    this.table = document.getElementById("list");
    this.search = document.getElementById("search");
    this.most = data.utterances.reduce((most, one) => Math.max(most, one.headroom ?? 0), 0);
    this.filters = { headroom: document.getElementById("only-headroom"), failed: document.getElementById("only-failed") };
    if (data.corrected) this.filters.harmed = document.getElementById("only-harmed");
    this.narrow = matchMedia("(max-width: 64rem)"); // the same limit as in page.css
    this.table.classList.toggle("many", data.expected || data.corrected);
    this.makeHeader();
    this.makeSort();
    this.listen();
    for (const id of ["tools", "keys", "list"]) document.getElementById(id).hidden = false;
    this.show();
  }

  makeHeader() {
    this.headers = this.columns.map((column) => element("th", { scope: "col", class: column.spare ? "spare" : column.key === "headroom" ? "wider" : "" },
      element("button", { type: "button", onclick: () => this.sortBy(column) }, column.title)));
    this.table.tHead.rows[0].append(...this.headers);
  }

  makeSort() {
    this.select = document.getElementById("sort");
    this.select.append(element("option", { value: "" }, "input order"),
      ...this.columns.map((column) => element("option", { value: column.key }, column.title.toLowerCase())));
    this.select.addEventListener("change", () => {
      this.direction = 0;
      const column = this.columns.find((one) => one.key === this.select.value);
      if (column) this.sortBy(column); else this.show();
    });
  }

  listen() {
    const again = () => { this.limit = PAGE; this.show(); };
    this.search.addEventListener("input", again);
    this.narrow.addEventListener("change", () => this.span());
    for (const filter of Object.values(this.filters)) filter.addEventListener("change", again);
    document.getElementById("tools").addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("more-button").addEventListener("click", () => this.showMore());
    this.table.tBodies[0].addEventListener("keydown", (event) => this.moved(event));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, select, textarea")) return;
      event.preventDefault();
      this.search.focus();
      this.search.select();
    });
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") { event.preventDefault(); this.openers()[0]?.focus(); }
      if (event.key === "Escape" && this.search.value) { event.preventDefault(); this.search.value = ""; again(); }
    });
  }

  sortBy(column) {
    const turned = this.column === column && this.direction === column.first;
    this.column = column;
    this.direction = turned ? -column.first : column.first;
    this.show();
  }

  found() {
    const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const items = this.data.utterances.filter((one) =>
      (!this.filters.headroom.checked || one.headroom > 0)
      && (!this.filters.failed.checked || one.error)
      && (!this.filters.harmed?.checked || isHarmed(one))
      && wanted.every((part) => haystack(one).includes(part)));
    return this.direction ? sorted(items, this.column, this.direction) : items;
  }

  show() {
    const items = this.found();
    const shown = items.slice(0, this.limit);
    const body = this.table.tBodies[0];
    body.replaceChildren(...shown.flatMap((one) => this.rows(one)));
    if (!shown.length) body.append(element("tr", {}, element("td", { class: "failed all" }, "No utterance matches.")));
    this.span();
    this.headers.forEach((header, place) => {
      const chosen = this.direction && this.columns[place] === this.column;
      if (chosen) header.setAttribute("aria-sort", this.direction > 0 ? "ascending" : "descending");
      else header.removeAttribute("aria-sort");
    });
    this.select.value = this.direction ? this.column.key : "";
    const all = this.data.utterances.length;
    const here = shown.length < items.length ? `, the first ${shown.length} are listed` : "";
    document.getElementById("found").textContent = `${items.length} of ${all} utterance${all === 1 ? "" : "s"}${here}; rates in per cent`;
    document.getElementById("more").hidden = shown.length === items.length;
  }

  showMore() {
    const last = this.openers().length;
    this.limit += 5 * PAGE;
    this.show();
    this.openers()[last]?.focus();
  }

  rows(one) {
    one.row ??= this.row(one);
    one.worded ??= this.worded(one);
    return [one.row, one.worded, one.detail && !one.detail.hidden ? one.detail : null].filter(Boolean);
  }

  row(one) {
    const opener = element("button", { type: "button", "aria-expanded": "false", title: one.id, onclick: (event) => {
      event.stopPropagation();
      this.toggle(one);
    } }, word(one.id));
    one.opener = opener;
    const cells = one.error
      ? [element("td", { class: "failed rest" }, "failed: ", word(one.error))]
      : this.columns.slice(1).map((column) => this.cell(column, one));
    return element("tr", { class: "row", onclick: () => { if (!String(getSelection())) this.toggle(one); } },
      element("th", { scope: "row" }, opener), ...cells);
  }

  // Return the row below an utterance: the words of the 1-best with its errors, visible without opening it.
  worded(one) {
    const side = one.sides?.one_best;
    if (!side?.edits) return null;
    one.row.classList.add("worded");
    return element("tr", { class: "said", onclick: () => { if (!String(getSelection())) this.toggle(one); } },
      element("td", { class: "all" }, unseen("1-best: "), saidView(side)));
  }

  cell(column, one) {
    const text = column.show(column.value(one), one);
    if (column.key !== "headroom") return element("td", { class: column.spare ? "spare" : "" }, text);
    const bar = element("i", { "aria-hidden": "true" });
    bar.style.width = `${this.most ? (70 * (one.headroom ?? 0)) / this.most : 0}%`;
    return element("td", { class: "gap" }, text, bar);
  }

  toggle(one, open = one.opener.getAttribute("aria-expanded") !== "true") {
    if (open && !one.detail) {
      one.detail = element("tr", { class: "detail", id: `detail-${one.place}` },
        element("td", { class: "all" }, utteranceView(one, this.data)));
    }
    if (open) (one.worded ?? one.row).after(one.detail); else one.detail?.remove();
    if (one.detail) one.detail.hidden = !open;
    this.span();
    one.opener.setAttribute("aria-expanded", String(open));
    if (open) one.opener.setAttribute("aria-controls", one.detail.id); else one.opener.removeAttribute("aria-controls");
    one.row.classList.toggle("opened", open);
  }

  // Let wide cells span exactly the visible columns; a larger number would create more columns.
  span() {
    const seen = this.columns.filter((column) => !(column.spare && this.narrow.matches)).length;
    for (const cell of this.table.querySelectorAll("td.all")) cell.colSpan = seen;
    for (const cell of this.table.querySelectorAll("td.rest")) cell.colSpan = seen - 1;
  }

  openers() {
    return [...this.table.querySelectorAll("tr.row > th > button")];
  }

  // Arrow keys move from row to row; Escape closes the utterance that has the focus.
  moved(event) {
    if (event.key === "Escape") {
      const row = event.target.closest("tr");
      const one = this.data.utterances.find((other) => [other.row, other.worded, other.detail].includes(row));
      if (one) { this.toggle(one, false); one.opener.focus(); }
      return;
    }
    if (!event.target.matches("tr.row > th > button")) return;
    const openers = this.openers();
    const here = openers.indexOf(event.target);
    const there = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: openers.length - 1 }[event.key];
    if (there === undefined) return;
    event.preventDefault();
    (there < 0 ? this.search : openers[there])?.focus();
  }
}
