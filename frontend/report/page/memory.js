// The arena over time: a rectangle for each value, from the step that writes it to the last that reads it.

class MemoryPane {
  constructor(report) {
    this.report = report;
    this.title = "Memory";
    this.id = "memory";
    this.element = make("div", {class: "pane full", id: "pane-memory"});
    this.text = make("span", {id: "memory-text"});
    const keys = report.data.parts.map((part) => make("span", {class: "key", style: `--swatch: var(--${part})`}, part));
    const stage = make("div", {class: "stage"});
    this.element.append(make("div", {class: "tools"}, this.text, ...keys, make("span", {class: "key", style: "--swatch: var(--other)"}, "frames of chains"),
                             make("button", {class: "tool", onclick: () => this.goToPeak()}, "peak"),
                             make("button", {class: "tool", onclick: () => this.view.fit()}, "all")), stage);
    this.view = new View(stage, {
      locked: true,
      draw: (context, view) => this.draw(context, view),
      pick: (x, y) => this.pick(x, y),
      about: (i) => this.about(i),
      choose: (i) => this.choose(i),
    });
  }
  enter(entry) {
    this.lives = entry.lives.map(([node, graph, offset, size, begin, end]) => ({node, graph, offset, size, begin, end}));
    this.steps = stepsOf(entry.steps);
    const change = new Array(this.steps.length + 1).fill(0);
    this.size = 1;
    for (const life of this.lives) {
      change[Math.min(life.begin, this.steps.length)] += life.size;
      change[Math.min(life.end, this.steps.length)] -= life.size;
      this.size = Math.max(this.size, life.offset + life.size);
    }
    this.live = [];
    for (let t = 0, now = 0; t < this.steps.length; ++t) this.live.push(now += change[t]);
    this.peak = this.live.reduce((best, x, t) => x > this.live[best] ? t : best, 0);
    const {data} = this.report, fixed = data.variables.reduce((sum, v) => sum + v.bytes, 0);
    this.text.textContent = this.lives.length
        ? `arena ${bytes(this.size)}, live at once ${bytes(this.live[this.peak])} at the peak, step ${this.peak} of ${this.steps.length}; variables ${bytes(fixed)}`
        : `nothing lives in the arena; variables ${bytes(fixed)}`;
    this.view.world = {x: 0, y: 0, width: Math.max(this.steps.length, 1), height: 1};
    this.view.fit();
  }
  goToPeak() {
    this.view.scaleX = Math.max(this.view.scaleX, 24);
    this.view.center(this.peak + 0.5, 0);
  }
  // Of the stage, in pixels: lives above, the sum below.
  heights() {
    const all = this.view.stage.clientHeight, curve = Math.min(110, all / 4);
    return {lives: all - curve - 34, curve};
  }
  boxOf(life, view) {
    const {lives} = this.heights();
    return [(life.begin - view.x) * view.scaleX, lives * (1 - (life.offset + life.size) / this.size) + 8,
            (life.end - life.begin) * view.scaleX, lives * life.size / this.size];
  }
  pick(x, y) {
    const view = this.view, px = (x - view.x) * view.scaleX, py = (y - view.y) * view.scaleY;
    for (let i = 0; i < this.lives.length; ++i) {
      const [left, top, width, height] = this.boxOf(this.lives[i], view);
      if (px >= left && px <= left + width && py >= top && py <= top + Math.max(height, 1)) return i;
    }
    return null;
  }
  about(i) {
    const life = this.lives[i], graph = this.report.graphs[life.graph];
    const what = life.node < 0 ? "frames of a chain" : graph.about(life.node);
    return `${what}\n${bytes(life.size)} at ${life.offset}, steps ${life.begin} to ${life.end - 1}`;
  }
  choose(i) {
    const life = this.lives[i];
    if (life.node >= 0) this.report.chooseNode(life.graph, life.node);
  }
  chosen() { this.view.redraw(); }
  draw(context, view) {
    if (!this.lives) return;
    const {lives, curve} = this.heights(), width = this.view.stage.clientWidth, chosen = this.report.chosen;
    for (const life of this.lives) {
      const [left, top, w, h] = this.boxOf(life, view);
      if (left > width || left + w < 0) continue;
      const graph = this.report.graphs[life.graph];
      const part = life.node < 0 ? "other" : this.report.data.parts[graph.data.nodes.part[life.node]];
      const isChosen = life.node >= 0 && chosen.node === life.node && chosen.graph === life.graph;
      context.fillStyle = isChosen ? color("mark") : color(part);
      context.globalAlpha = isChosen ? 0.9 : 0.55;
      context.fillRect(left, top, Math.max(w - (w > 3 ? 1 : 0), 0.7), Math.max(h - (h > 3 ? 1 : 0), 0.7));
      context.globalAlpha = 1;
      if (w > 60 && h > 13 && life.node >= 0) {
        context.font = "11px system-ui, sans-serif";
        context.textAlign = "left";
        context.fillStyle = color("ink");
        const shown = Math.max(left, 0) + 4;
        context.save();
        context.beginPath();
        context.rect(left, top, w - 2, h);
        context.clip();
        context.fillText(`${graph.label(life.node)} ${graph.type(life.node)}`, shown, top + Math.min(h / 2 + 4, 15));
        context.restore();
      }
    }
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillStyle = color("soft");
    for (let i = 0; i <= 4; ++i) context.fillText(bytes(this.size * i / 4), width - 6, 8 + lives * (1 - i / 4) + (i === 4 ? 12 : -3));
    this.drawCurve(context, view, lives + 24, curve);
  }
  drawCurve(context, view, top, height) {
    const width = this.view.stage.clientWidth, most = Math.max(this.live[this.peak] ?? 0, 1);
    const y = (x) => top + height * (1 - 0.9 * x / most);
    context.beginPath();
    context.moveTo(-view.x * view.scaleX, top + height);
    this.live.forEach((x, t) => {
      context.lineTo((t - view.x) * view.scaleX, y(x));
      context.lineTo((t + 1 - view.x) * view.scaleX, y(x));
    });
    context.lineTo((this.live.length - view.x) * view.scaleX, top + height);
    context.fillStyle = color("forward");
    context.globalAlpha = 0.3;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = color("forward");
    context.stroke();
    const at = (this.peak + 0.5 - view.x) * view.scaleX;
    context.strokeStyle = context.fillStyle = color("mark");
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(at, 0);
    context.lineTo(at, top + height);
    context.stroke();
    context.setLineDash([]);
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = at > width / 2 ? "right" : "left";
    context.fillText(`peak ${bytes(most)}: step ${this.peak}, ${this.stepText(this.peak)}`, at + (at > width / 2 ? -6 : 6), top - 4);
  }
  stepText(t) {
    const step = this.steps[t];
    if (!step) return "";
    const [, what, number] = step, name = what === "kernel" ? this.report.data.kernels[number].name : "";
    return what === "kernel" ? `#${number} ${name}` : what === "copy" ? `copy of ${bytes(number)}` : what;
  }
}

// Those that have a place in time: no branch or loop itself, nor what runs in a chain or beside others.
function stepsOf(list) {
  const out = [];
  let chain = -1;  // depth of the chain, or of the kernels beside each other, that is open
  for (const step of list) {
    const [depth, what] = step;
    if (chain >= 0 && depth > chain) continue;
    chain = ["chain", "beside"].includes(what) ? depth : -1;
    if (["kernel", "copy", "check", "chain", "beside"].includes(what)) out.push(step);
  }
  return out;
}
