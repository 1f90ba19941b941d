// The graph: boxes in the grid that the report gives, in three parts side by side.

const kBoxWidth = 116, kBoxHeight = 38, kStepX = 132, kStepY = 62, kGapParts = 40;
const kHead = 28;  // pixels above, for the names of the parts
const kMostEdges = 20000;  // drawn at once

// A graph of the data with what drawing and searching ask for.
class Graph {
  constructor(data, index) {
    this.data = data;
    this.index = index;
    const nodes = data.nodes;
    this.size = nodes.kind.length;
    this.byRow = Array.from({length: data.rows}, () => []);
    this.users = Array.from({length: this.size}, () => []);
    this.kernels = new Map();  // kernel -> boxes
    for (let i = 0; i < this.size; ++i) {
      this.byRow[nodes.y[i]].push(i);
      for (const from of new Set(nodes.in[i])) this.users[from].push(i);
      for (const kernel of nodes.kernels[i]) {
        if (!this.kernels.has(kernel)) this.kernels.set(kernel, []);
        this.kernels.get(kernel).push(i);
      }
    }
    this.width = data.columns.reduce((a, b) => a + b, 0) * kStepX + 2 * kGapParts;
    this.height = Math.max(data.rows, 1) * kStepY;
  }
  place(i) {
    const nodes = this.data.nodes;
    return [nodes.x[i] * kStepX + nodes.part[i] * kGapParts, nodes.y[i] * kStepY + 6];
  }
  text(column, i) {
    const at = this.data.nodes[column][i];
    return at < 0 ? "" : this.data.texts[at];
  }
  label(i) { return this.text("label", i); }
  type(i) { return this.text("type", i); }
  line(i) {
    const at = this.data.nodes.line[i];
    return at < 0 ? null : this.data.lines[at];
  }
  where(i) {
    const line = this.line(i);
    return line ? line[0] + ":" + line[1] : "";
  }
  about(i) {
    const name = this.text("name", i), detail = this.text("detail", i);
    return [this.label(i) + (name ? "  " + name : ""), this.type(i), detail, this.where(i)].filter(Boolean).join("\n");
  }
}

class GraphPane {
  constructor(report) {
    this.report = report;
    this.title = "Graph";
    this.id = "graph";
    this.element = make("div", {class: "pane full", id: "pane-graph"});
    this.select = make("select", {"aria-label": "graph", onchange: () => this.show(+this.select.value)});
    this.coloring = make("select", {"aria-label": "colours", onchange: () => this.view.redraw()},
                         make("option", {value: "part"}, "colour by part"), make("option", {value: "kernel"}, "colour by kernel"),
                         make("option", {value: "time"}, "colour by time"));
    const tool = (text, label, action) => make("button", {class: "tool", title: label, "aria-label": label, onclick: action}, text);
    const keys = report.data.parts.map((part) => make("span", {class: "key", style: `--swatch: var(--${part})`}, part));
    const stage = make("div", {class: "stage"});
    this.element.append(make("div", {class: "tools"}, this.select, this.coloring, tool("+", "zoom in", () => this.view.zoomCenter(1.4)),
                             tool("\u2212", "zoom out", () => this.view.zoomCenter(1 / 1.4)),
                             tool("all", "show all of it", () => this.view.fitAll()), ...keys), stage);
    this.view = new View(stage, {
      head: kHead,
      draw: (context, view) => this.draw(context, view),
      pick: (x, y) => this.pick(x, y),
      about: (i) => this.graph.about(i),
      choose: (i) => report.chooseNode(this.graph.index, i),
    });
  }
  // Graphs of the entry point: its own and those that it runs.
  enter(entry) {
    const {graphs} = this.report, wanted = [entry.graph];
    for (let n = 0; n < wanted.length; ++n) {
      if (wanted[n] < 0) continue;
      for (const named of graphs[wanted[n]].data.graphs) if (!wanted.includes(named.graph)) wanted.push(named.graph);
    }
    this.reached = wanted.filter((g) => g >= 0);
    this.select.replaceChildren(...this.reached.map((g) => make(
        "option", {value: g}, `${graphs[g].data.name} (${graphs[g].data.role}, ${graphs[g].size} boxes)`)));
    if (this.reached.length) this.show(this.reached[0]);
  }
  show(index) {
    const graph = this.report.graphs[index];
    if (this.graph === graph) return;
    this.graph = graph;
    this.select.value = index;
    this.view.world = {x: -24, y: 0, width: graph.width + 24, height: graph.height};
    this.view.fit(1);
  }
  reveal(index, i) {
    this.show(index);
    const [x, y] = this.graph.place(i);
    this.view.center(x + kBoxWidth / 2, y + kBoxHeight / 2, 0.6);
  }
  pick(x, y) {
    const row = Math.floor((y - 6) / kStepY);
    for (const i of this.graph?.byRow[row] ?? []) {
      const [left, top] = this.graph.place(i);
      if (x >= left && x <= left + kBoxWidth && y >= top && y <= top + kBoxHeight) return i;
    }
    return null;
  }

  draw(context, view) {
    const graph = this.graph;
    if (!graph) return;
    const area = view.area(), nodes = graph.data.nodes;
    const first = Math.max(Math.floor((area.y - 6) / kStepY), 0);
    const last = Math.min(Math.ceil((area.y + area.height) / kStepY), graph.data.rows);
    const visible = [];
    for (let row = first; row < last; ++row) visible.push(...graph.byRow[row]);
    context.save();
    context.scale(view.scaleX, view.scaleY);
    context.translate(-view.x, -view.y);
    this.drawParts(context, view);
    this.drawEdges(context, visible, view);
    for (const i of visible) this.drawBox(context, i, view.scaleX);
    const chosen = this.report.chosen;
    if (chosen.node >= 0 && chosen.graph === graph.index && nodes.partner[chosen.node] >= 0) {
      context.setLineDash([5, 4]);
      this.edge(context, chosen.node, nodes.partner[chosen.node], color("mark"), 1.5);
      context.setLineDash([]);
    }
    context.restore();
    this.drawHeads(context, view);
  }
  // Names of the parts, above all.
  drawHeads(context, view) {
    const {first_column: starts, columns} = this.graph.data;
    context.fillStyle = color("page");
    context.globalAlpha = 0.85;
    context.fillRect(0, 0, view.stage.clientWidth, kHead - 2);
    context.globalAlpha = 1;
    context.font = "600 13px system-ui, sans-serif";
    context.textAlign = "left";
    let end = 0;  // of the name before: names do not overlap
    this.report.data.parts.forEach((part, p) => {
      if (!columns[p]) return;
      const x = Math.max(view.toScreen(starts[p] * kStepX + p * kGapParts, 0)[0], end + 12);
      context.fillStyle = color(part);
      context.fillText(part, x, 18);
      end = x + context.measureText(part).width;
    });
  }
  drawParts(context, view) {
    const {first_column: starts, columns} = this.graph.data;
    this.report.data.parts.forEach((part, p) => {
      if (!columns[p]) return;
      const x = starts[p] * kStepX + p * kGapParts;
      context.fillStyle = color(part + "-fill");
      context.globalAlpha = 0.28;
      context.fillRect(x - 14, view.y, columns[p] * kStepX + 12, view.area().height);
      context.globalAlpha = 1;
    });
  }
  drawEdges(context, visible, view) {
    const chosen = this.report.chosen, graph = this.graph;
    let left = view.scaleX < 0.1 ? kMostEdges / 4 : kMostEdges;
    context.beginPath();
    for (const i of visible) {
      for (const from of graph.data.nodes.in[i]) if (left-- > 0) this.path(context, from, i);
    }
    context.strokeStyle = color("edge");
    context.globalAlpha = 0.5;
    context.lineWidth = Math.min(1 / view.scaleX, 3);
    context.stroke();
    context.globalAlpha = 1;
    if (chosen.node < 0 || chosen.graph !== graph.index) return;
    for (const from of graph.data.nodes.in[chosen.node]) this.edge(context, from, chosen.node, color("accent"), 2);
    for (const to of graph.users[chosen.node].slice(0, 500)) this.edge(context, chosen.node, to, color("accent"), 2);
  }
  edge(context, from, to, style, width) {
    context.beginPath();
    this.path(context, from, to);
    context.strokeStyle = style;
    context.lineWidth = width;
    context.stroke();
  }
  path(context, from, to) {
    const [ax, ay] = this.graph.place(from), [bx, by] = this.graph.place(to);
    const x1 = ax + kBoxWidth / 2, x2 = bx + kBoxWidth / 2;
    if (ay === by) {
      const right = ax < bx;
      context.moveTo(ax + (right ? kBoxWidth : 0), ay + kBoxHeight / 2);
      context.lineTo(bx + (right ? 0 : kBoxWidth), by + kBoxHeight / 2);
      return;
    }
    const down = ay < by, y1 = ay + (down ? kBoxHeight : 0), y2 = by + (down ? 0 : kBoxHeight);
    const bend = Math.min(Math.abs(y2 - y1) / 2, 60) * (down ? 1 : -1);
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
  }
  // [fill, line] of a box.
  colors(i) {
    const nodes = this.graph.data.nodes, part = this.report.data.parts[nodes.part[i]], mode = this.coloring.value;
    const kernel = nodes.kernels[i][0];
    if (mode === "part") return [color(part + "-fill"), color(part)];
    if (kernel === undefined) return [color("other-fill"), color("other")];
    if (mode === "kernel") {
      const hue = (kernel * 137.5) % 360;
      return [`hsl(${hue} 60% ${dark.matches ? 24 : 90}%)`, `hsl(${hue} 55% ${dark.matches ? 65 : 42}%)`];
    }
    const share = this.report.share(kernel);
    const heat = share === null ? 0 : Math.min(Math.sqrt(share) * 1.6, 1);
    return [`hsl(14 ${90 * heat}% ${dark.matches ? 17 + 22 * heat : 96 - 30 * heat}%)`, `hsl(14 ${20 + 60 * heat}% ${dark.matches ? 62 : 45}%)`];
  }
  drawBox(context, i, scale) {
    const nodes = this.graph.data.nodes, [x, y] = this.graph.place(i), chosen = this.report.chosen;
    const [inside, line] = this.colors(i);
    context.fillStyle = inside;
    context.strokeStyle = line;
    const isChosen = chosen.node === i && chosen.graph === this.graph.index;
    const inKernel = chosen.kernel >= 0 && nodes.kernels[i].includes(chosen.kernel);
    context.lineWidth = isChosen ? 3.5 : inKernel ? 2.5 : 1;
    if (isChosen || inKernel) context.strokeStyle = color("mark");
    context.beginPath();
    if (scale < 0.15) context.rect(x, y, kBoxWidth, kBoxHeight);
    else context.roundRect(x, y, kBoxWidth, kBoxHeight, nodes.kind[i] === 2 ? 5 : 19);
    context.fill();
    if (scale > 0.08 || isChosen || inKernel) context.stroke();
    if (scale < 0.32) return;
    context.textAlign = "center";
    context.fillStyle = color("ink");
    context.font = "12px system-ui, sans-serif";
    context.fillText(shortened(this.graph.label(i), 17), x + kBoxWidth / 2, y + 16, kBoxWidth - 8);
    context.fillStyle = color("soft");
    context.font = "10px ui-monospace, monospace";
    context.fillText(shortened(this.graph.type(i), 20), x + kBoxWidth / 2, y + 30, kBoxWidth - 8);
  }
}

function shortened(text, most) { return text.length > most ? text.slice(0, most - 1) + "\u2026" : text; }
