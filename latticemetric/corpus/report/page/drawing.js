// Draw a graph at the positions that the report has; the reader can move it, zoom, and read arc by arc.
const STEP = 1.25;
const APART = 4.5; // The distance between parallel lines of several paths.

const EXPECTED = "expected rate";

class Drawing {
  constructor(one) {
    this.graph = one.drawing;
    this.forest = this.graph.edges !== null;
    this.arc = this.forest ? "rule" : "arc";
    this.distance = one.sides.mbr?.distance;
    this.current = -1;
    this.under = "posterior";
    this.details = element("p", { class: "told", role: "status" }, this.hint());
    const links = this.graph.links.map((link, place) => this.link(link, place));
    const vertices = this.graph.vertices.map((vertex, place) => this.vertex(vertex, place));
    // The elements that the reader can choose: links of a lattice, boxes of the rules of a forest.
    this.things = this.forest ? vertices.slice(this.graph.edges) : links;
    this.svg = shape("svg", { role: "application", tabindex: 0, "aria-label": this.name(one) }, ...links, ...vertices);
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.element = element("div", { class: "drawing" }, this.bar(), this.svg, this.details, this.foot(), this.asTable());
    const [x, y, width, height] = this.graph.box;
    const whole = { x: x - 12, y: y - 12, width: width + 24, height: height + 24 };
    this.svg.style.height = `min(${Math.max(9, Math.min(30, whole.height / 13))}rem, 60vh)`;
    this.view = new View(this.svg, whole, this.graph.vertices[0]?.[1] ?? y + height / 2);
  }

  name(one) {
    return `Drawing of ${one.id}: arrow keys move it, plus and minus change its size, 0 shows all, N and P go from ${this.arc} to ${this.arc}`;
  }

  hint() {
    if (matchMedia("(pointer: coarse)").matches) {
      return `Tap ${this.arc === "arc" ? "an arc" : "a rule"} to read it. Drag sideways with one finger to move, spread two fingers to zoom.`;
    }
    return `Point at ${this.arc === "arc" ? "an arc" : "a rule"}, or press N and P, to read it. Drag to move; the wheel zooms once the drawing is clicked.`;
  }

  bar() {
    const button = (text, name, act) => element("button", { type: "button", class: "quiet", "aria-label": name, title: name, onclick: act }, text);
    const paths = this.graph.paths.map((path) => element("label", {},
      element("input", { type: "checkbox", checked: true, onchange: (event) => this.showPath(path, event.target.checked) }),
      swatch(path), path === "mbr" && this.distance ? "MBR, nearest path" : LABELS[path]));
    const under = element("select", { onchange: (event) => this.write(event.target.value) },
      ...["posterior", ...(this.graph.arcs.some((arc) => arc.length > 4) ? [EXPECTED] : []), "cost", ...this.graph.columns.filter((name) => name !== "cost"), "nothing"].map((name) => element("option", { value: name }, name)));
    return element("div", { class: "bar" }, ...paths, element("label", {}, "Below: ", under),
      element("span", { class: "push" },
        button("−", "Smaller", () => this.view.zoom(1 / STEP)), button("+", "Larger", () => this.view.zoom(STEP)),
        button("Fit", "Show the whole drawing", () => this.view.fit()), button("1:1", "Letters at reading size", () => this.view.read())));
  }

  foot() {
    return this.graph.notes.length ? element("p", { class: "note foot" }, this.graph.notes.join(" ")) : null;
  }

  vertex([x, y, width, height, kind, text, detail, paths], place) {
    const box = (less) => shape("rect", { class: less ? "node inner" : "node", x: x - width / 2 + less, y: y - height / 2 + less,
      width: width - 2 * less, height: height - 2 * less, rx: kind === "box" ? 2 : height / 2 - less });
    const ring = (less) => shape("circle", { class: less ? "node inner" : "node", cx: x, cy: y, r: width / 2 - less });
    const outline = ["box", "round", "goal"].includes(kind) ? box : ring;
    const rings = ["end", "goal"].includes(kind) ? [outline(0), outline(3.5)] : [outline(0)];
    const letters = shape("text", { x, y: y + (outline === box ? 5 : 4), class: outline === box ? "label" : "state", "unicode-bidi": "isolate" }, text);
    const below = shape("text", { x, y: y + height / 2 + 13, class: "under" }, detail);
    const isRule = this.forest && place >= this.graph.edges;
    if (isRule) below.textContent = this.figureOf(place - this.graph.edges);
    return shape("g", { class: `vertex${paths.length ? " passed" : ""}${isRule ? " told" : ""}`, ...(isRule ? this.acts(place - this.graph.edges) : {}) },
      ...rings, letters, below);
  }

  link([points, paths, label], place) {
    const line = pathOf(points);
    const lines = paths.map((path, row) => shape("path", { class: `way ${this.graph.paths[path]}`, d: line,
      transform: `translate(0 ${APART * (row - (paths.length - 1) / 2)})` }));
    const shift = (APART * Math.max(0, paths.length - 1)) / 2;
    const texts = label ? [shape("text", { class: "label", x: label[0], y: label[1], "unicode-bidi": "isolate" }, label[2])] : [];
    if (label && !this.forest) texts.push(shape("text", { class: "under", x: label[0], y: label[1] + 20 + 2 * shift }, this.figureOf(place)));
    return shape("g", { class: paths.length ? "arc taken" : "arc", ...(this.forest ? {} : this.acts(place)) },
      shape("path", { class: "line", d: line }), ...lines, this.forest ? null : shape("path", { class: "hit", d: line }),
      shape("path", { class: "head", d: headOf(points, paths.length > 0) }), ...texts);
  }

  acts(place) {
    return { onpointerenter: () => this.tell(place), onclick: () => this.choose(place) };
  }

  figureOf(place) {
    const [, cost, posterior, scores, expected] = this.graph.arcs[place];
    if (this.under === "nothing") return "";
    if (this.under === "posterior") return posterior === null ? "" : posterior.toFixed(2);
    if (this.under === EXPECTED) return expected === undefined ? "" : expected.toFixed(2);
    return figure(this.under === "cost" ? cost : scores[this.graph.columns.indexOf(this.under)], 5);
  }

  write(name) {
    this.under = name;
    this.things.forEach((thing, place) => {
      const text = thing.querySelector(".under");
      if (text) text.textContent = this.figureOf(place);
    });
  }

  showPath(path, shown) {
    for (const line of this.svg.querySelectorAll(`.way.${path}`)) line.setAttribute("visibility", shown ? "visible" : "hidden");
    for (const link of this.svg.querySelectorAll(".arc")) link.classList.toggle("taken", link.querySelector(".way:not([visibility=hidden])") !== null);
  }

  // Return the names of the highlighted paths that pass an arc or rule.
  on(place) {
    const paths = this.forest ? this.graph.vertices[this.graph.edges + place][7] : this.graph.links[place][1];
    return paths.map((path) => LABELS[this.graph.paths[path]]).join(", ");
  }

  textOf(place) {
    const [text, cost, posterior, scores, expected] = this.graph.arcs[place];
    const on = this.on(place);
    const parts = [posterior === null ? null : `posterior ${figure(posterior, 4)}`,
      expected === undefined ? null : `${EXPECTED} ${figure(expected, 4)}`, `cost ${figure(cost, 6)}`,
      ...this.graph.columns.map((name, column) => `${name} ${figure(scores[column], 6)}`), on ? `on ${on}` : null];
    return [text || "ε (no word)", parts.filter(Boolean).join(" · ")];
  }

  tell(place) {
    const [text, rest] = this.textOf(place);
    this.details.replaceChildren(element("strong", {}, word(text)), ` ${rest}`);
  }

  choose(place) {
    this.things[this.current]?.classList.remove("current");
    this.current = place;
    this.things[place].classList.add("current");
    this.tell(place);
  }

  // Return the position of the label of an arc or rule.
  placeOf(place) {
    const at = this.forest ? this.graph.vertices[this.graph.edges + place] : this.graph.links[place][2] ?? this.graph.links[place][0];
    return { x: at[0], y: at[1] };
  }

  // Choose the next (or previous) arc or rule in reading order, and make it visible.
  step(by) {
    this.order ??= this.things.map((_, place) => place).sort((a, b) => {
      const [first, second] = [this.placeOf(a), this.placeOf(b)];
      return first.x - second.x || first.y - second.y;
    });
    const size = this.order.length;
    const here = this.order.indexOf(this.current);
    const next = here < 0 ? (by > 0 ? 0 : size - 1) : (here + by + size) % size;
    this.choose(this.order[next]);
    const { x, y } = this.placeOf(this.current);
    this.view.reveal(x, y);
  }

  asTable() {
    const head = [...(this.forest ? ["Node", "Tails", "Rule"] : ["From", "To", "Word"]), "Posterior", "Cost", "On"];
    const details = element("details", {}, element("summary", {}, "The drawing as a table"));
    details.addEventListener("toggle", () => {
      if (details.childElementCount > 1) return;
      details.append(element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "The drawing as a table" },
        element("table", { class: "numbers" },
          element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
          element("tbody", {}, ...this.graph.arcs.map((_, place) => this.tableRow(place))))));
    });
    return details;
  }

  // Return the sources and targets of an arc; for a rule, the node that it derives, and its tails.
  ends(place) {
    if (!this.forest) return [[this.graph.links[place][3]], [this.graph.links[place][4]]];
    const box = this.graph.edges + place;
    const { links } = this.graph;
    return [links.filter((link) => link[4] === box).map((link) => link[3]), links.filter((link) => link[3] === box).map((link) => link[4])];
  }

  tableRow(place) {
    const [text, cost, posterior] = this.graph.arcs[place];
    const named = (vertices) => vertices.map((vertex) => this.graph.vertices[vertex][5]).join(", ");
    const [from, to] = this.ends(place);
    return element("tr", {}, element("td", {}, word(named(from))), element("td", {}, word(named(to))), element("td", {}, word(text || "ε")),
      element("td", {}, figure(posterior, 4)), element("td", {}, figure(cost, 6)), element("td", {}, this.on(place)));
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = this.view.box.width / 8;
    const acts = {
      ArrowLeft: () => this.view.move(-far, 0), ArrowRight: () => this.view.move(far, 0),
      ArrowUp: () => this.view.move(0, -far), ArrowDown: () => this.view.move(0, far),
      "+": () => this.view.zoom(STEP), "=": () => this.view.zoom(STEP), "-": () => this.view.zoom(1 / STEP),
      0: () => this.view.fit(), n: () => this.step(1), p: () => this.step(-1), N: () => this.step(1), P: () => this.step(-1),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

// Return path data for Bézier curves: `points` has the start, then three points per curve, as x, y, x, y, …
function pathOf(points) {
  let path = `M${points[0]} ${points[1]}`;
  for (let k = 2; k < points.length; k += 6) path += `C${points.slice(k, k + 6).join(" ")}`;
  return path;
}

function headOf(points, large) {
  const [x, y] = points.slice(-2);
  let k = points.length - 4;
  while (k > 0 && points[k] === x && points[k + 1] === y) k -= 2;
  const angle = Math.atan2(y - points[k + 1], x - points[k]);
  const size = large ? 10 : 7;
  const corner = (turn) => `${(x - size * Math.cos(angle + turn)).toFixed(1)} ${(y - size * Math.sin(angle + turn)).toFixed(1)}`;
  return `M${x} ${y}L${corner(0.42)}L${corner(-0.42)}Z`;
}
