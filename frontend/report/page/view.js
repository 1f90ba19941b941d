"use strict";
// What all panes use: elements, numbers as text, and a canvas that zooms and pans.

// Text of a module goes into the page by this function alone: as text, never as HTML.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  return fill(element, properties, children);
}
function makeSvg(tag, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return element;
}

function scaled(x, units, base) {
  let u = 0;
  while (Math.abs(x) >= 0.9995 * base && u + 1 < units.length) { x /= base; ++u; }
  return (Math.abs(x) >= 100 || Number.isInteger(x) ? x.toFixed(0) : x.toPrecision(3)) + units[u];
}
const count = (x) => scaled(x, ["", " k", " M", " G", " T", " P"], 1000);
const bytes = (x) => scaled(x, [" B", " KiB", " MiB", " GiB", " TiB"], 1024);
function seconds(x) {
  if (x === 0) return "0 s";
  if (x < 1e-6) return (x * 1e9).toPrecision(3) + " ns";
  if (x < 1e-3) return (x * 1e6).toPrecision(3) + " us";
  return x < 1 ? (x * 1e3).toPrecision(3) + " ms" : x.toPrecision(3) + " s";
}
const percent = (x) => (100 * x).toFixed(x < 0.0995 ? 1 : 0) + " %";
// A colour of page.css, read once for each of light and dark.
const colors = new Map(), dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", () => colors.clear());
function color(name) {
  if (!colors.has(name)) colors.set(name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
  return colors.get(name);
}

// A line of text that follows the pointer.
const tip = {
  element: null,
  show(text, event) {
    if (!this.element) document.body.append(this.element = make("div", {id: "tip"}));
    this.element.textContent = text;
    this.element.hidden = false;
    const box = this.element.getBoundingClientRect();
    this.element.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 4) + "px";
    this.element.style.top = Math.min(event.clientY + 14, innerHeight - box.height - 4) + "px";
  },
  hide() { if (this.element) this.element.hidden = true; },
};

// A canvas on a world of its own units. `draw(context, view)` draws what lies in view.area(); `pick(x, y)` says what is at
// a point of the world; `about(what)` is its tip, `choose(what)` is called for a click. `locked`: y always fits.
// `head`: pixels above that the drawing covers.
class View {
  constructor(stage, {draw, pick, about, choose, locked = false, head = 0}) {
    Object.assign(this, {draw, pick, about, choose, locked, head});
    this.canvas = make("canvas", {tabindex: 0});
    this.stage = stage;
    stage.append(this.canvas);
    this.scaleX = this.scaleY = 1;
    this.x = this.y = 0;  // of the world, at the canvas' corner
    this.world = {x: 0, y: 0, width: 1, height: 1};
    this.fitted = false;
    new ResizeObserver(() => this.resize()).observe(stage);
    dark.addEventListener("change", () => this.redraw());
    this.listen();
  }
  resize() {
    const ratio = devicePixelRatio || 1, {clientWidth, clientHeight} = this.stage;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    if (clientWidth > 0 && !this.fitted) this.fit();
    if (this.locked) this.fitY();
    this.redraw();
  }
  // Shows the world's width, but no part of it larger than it is drawn.
  fit(most = this.most) {
    this.most = most;
    const {clientWidth, clientHeight} = this.stage;
    if (clientWidth === 0) return;
    const {x, y, width, height} = this.world;
    this.scaleX = Math.min(clientWidth / width, most ?? Infinity);
    this.scaleY = this.scaleX;
    this.x = x + (width - clientWidth / this.scaleX) / 2;
    this.y = y - this.head / this.scaleY;
    if (this.locked) this.fitY();
    this.fitted = true;
    this.redraw();
  }
  fitY() {
    this.scaleY = this.stage.clientHeight / this.world.height;
    this.y = this.world.y;
  }
  // All of the world.
  fitAll() {
    const {clientWidth, clientHeight} = this.stage;
    const {x, y, width, height} = this.world;
    this.scaleX = this.scaleY = Math.min(clientWidth / width, (clientHeight - this.head) / height, this.most ?? Infinity);
    this.x = x + (width - clientWidth / this.scaleX) / 2;
    this.y = y + (height - (clientHeight + this.head) / this.scaleY) / 2;
    if (this.locked) this.fit();
    this.redraw();
  }
  center(x, y, least = 0) {
    if (this.stage.clientWidth === 0) { this.after = () => this.center(x, y, least); return; }
    if (!this.locked && this.scaleX < least) this.scaleX = this.scaleY = least;
    this.x = x - this.stage.clientWidth / this.scaleX / 2;
    if (!this.locked) this.y = y - this.stage.clientHeight / this.scaleY / 2;
    this.redraw();
  }
  area() {
    return {x: this.x, y: this.y, width: this.stage.clientWidth / this.scaleX, height: this.stage.clientHeight / this.scaleY};
  }
  toWorld(event) {
    const box = this.canvas.getBoundingClientRect();
    return [this.x + (event.clientX - box.left) / this.scaleX, this.y + (event.clientY - box.top) / this.scaleY];
  }
  toScreen(x, y) { return [(x - this.x) * this.scaleX, (y - this.y) * this.scaleY]; }
  zoom(factor, x, y) {
    const least = Math.min(this.stage.clientWidth / this.world.width, this.stage.clientHeight / this.world.height) / 2;
    const scale = Math.min(Math.max(this.scaleX * factor, this.locked ? this.stage.clientWidth / this.world.width : least), 1e4);
    this.x = x - (x - this.x) * this.scaleX / scale;
    if (!this.locked) {
      this.y = y - (y - this.y) * this.scaleY / scale;
      this.scaleY = scale;
    }
    this.scaleX = scale;
    this.redraw();
  }
  zoomCenter(factor) {
    const {x, y, width, height} = this.area();
    this.zoom(factor, x + width / 2, y + height / 2);
  }
  pan(dx, dy) {
    this.x -= dx / this.scaleX;
    if (!this.locked) this.y -= dy / this.scaleY;
    this.redraw();
  }
  listen() {
    const canvas = this.canvas;
    let from = null, moved = false;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...this.toWorld(event));
    }, {passive: false});
    canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      moved = false;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from) {
        const dx = event.clientX - from[0], dy = event.clientY - from[1];
        if (!moved && Math.hypot(dx, dy) < 4) return;
        moved = true;
        from = [event.clientX, event.clientY];
        this.pan(dx, dy);
        tip.hide();
        return;
      }
      const what = this.pick(...this.toWorld(event));
      canvas.style.cursor = what === null ? "grab" : "pointer";
      if (what === null) tip.hide();
      else tip.show(this.about(what), event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const what = moved || !from ? null : this.pick(...this.toWorld(event));
      from = null;
      if (what !== null) this.choose(what);
    });
    canvas.addEventListener("pointerleave", () => tip.hide());
    canvas.addEventListener("dblclick", () => this.fitAll());
    canvas.addEventListener("keydown", (event) => {
      const step = 60, moves = {ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]};
      if (moves[event.key]) this.pan(...moves[event.key]);
      else if (event.key === "+" || event.key === "=") this.zoomCenter(1.3);
      else if (event.key === "-") this.zoomCenter(1 / 1.3);
      else if (event.key === "0") this.fitAll();
      else return;
      event.preventDefault();
    });
  }
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.stage.clientWidth === 0) return;
      if (this.after) { const after = this.after; this.after = null; after(); }
      const ratio = devicePixelRatio || 1, context = this.canvas.getContext("2d");
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.draw(context, this);
    });
  }
}
