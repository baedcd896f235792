// The visible part of a drawing; wheel, pointers and fingers move it and zoom.
class View {
  // `whole` is the box of the whole drawing, `start` the y position of the first vertex.
  constructor(svg, whole, start) {
    this.svg = svg;
    this.whole = whole;
    this.start = start;
    this.pointers = new Map();
    this.listen();
    // The size of the element is known only after it is added to the page.
    requestAnimationFrame(() => this.fit());
  }

  show(box) {
    this.box = box;
    this.svg.setAttribute("viewBox", [box.x, box.y, box.width, box.height].map((value) => value.toFixed(1)).join(" "));
  }

  size() {
    const { width, height } = this.svg.getBoundingClientRect();
    return { width: width || 640, height: height || 320 };
  }

  // Show the whole drawing if letters stay readable; otherwise (at first), show its start at reading size.
  fit() {
    const { width, height } = this.size();
    const all = Math.max(this.whole.width / width, this.whole.height / height);
    if (this.box === undefined && all > 1.7) { this.read(); return; }
    this.place(Math.max(all, 0.6), this.whole.x + this.whole.width / 2, this.whole.y + this.whole.height / 2);
  }

  // Show the left end of the drawing with letters as large as those of the page.
  read() {
    const { width, height } = this.size();
    const fits = this.whole.height <= height;
    this.place(1, this.whole.x + width / 2, fits ? this.whole.y + this.whole.height / 2 : this.start);
  }

  place(units, x, y) {
    const { width, height } = this.size();
    this.show({ x: x - (width * units) / 2, y: y - (height * units) / 2, width: width * units, height: height * units });
  }

  zoom(factor, at = { x: this.box.x + this.box.width / 2, y: this.box.y + this.box.height / 2 }) {
    const width = Math.min(Math.max(this.box.width / factor, 60), 6 * Math.max(this.whole.width, this.size().width));
    const share = width / this.box.width;
    this.show({ x: at.x - (at.x - this.box.x) * share, y: at.y - (at.y - this.box.y) * share, width, height: this.box.height * share });
  }

  move(x, y) {
    const limit = (value, low, high) => Math.min(Math.max(value, low), high);
    const { whole, box } = this;
    this.show({ ...box,
      x: limit(box.x + x, whole.x - box.width * 0.9, whole.x + whole.width - box.width * 0.1),
      y: limit(box.y + y, whole.y - box.height * 0.9, whole.y + whole.height - box.height * 0.1) });
  }

  // Move a position to the middle if it is not visible.
  reveal(x, y) {
    const { x: left, y: top, width, height } = this.box;
    if (x < left || x > left + width || y < top || y > top + height) this.show({ ...this.box, x: x - width / 2, y: y - height / 2 });
  }

  point(event) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return { x: this.box.x + ((event.clientX - left) / width) * this.box.width, y: this.box.y + ((event.clientY - top) / height) * this.box.height };
  }

  listen() {
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== this.svg) return;
      event.preventDefault();
      this.zoom(2 ** (-event.deltaY / (event.deltaMode ? 10 : 400)), this.point(event));
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (event) => { this.pointers.set(event.pointerId, event); });
    this.svg.addEventListener("pointermove", (event) => this.dragged(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      this.svg.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
  }

  dragged(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const unit = this.box.width / this.size().width;
    const others = [...this.pointers.values()].filter((other) => other.pointerId !== event.pointerId);
    if (!this.svg.hasPointerCapture(event.pointerId) && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < 3) return;
    this.svg.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    if (others.length === 1) {
      const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY) || 1;
      this.zoom(apart(event) / apart(before), this.point({ clientX: (event.clientX + others[0].clientX) / 2, clientY: (event.clientY + others[0].clientY) / 2 }));
    } else this.move((before.clientX - event.clientX) * unit, (before.clientY - event.clientY) * unit);
  }
}
