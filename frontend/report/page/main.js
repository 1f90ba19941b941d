// The page: panes, what is chosen, the search.

const kMostFound = 60, kMostListed = 30;

class Report {
  constructor(data) {
    this.data = data;
    this.graphs = data.graphs.map((graph, i) => new Graph(graph, i));
    this.chosen = {graph: -1, node: -1, kernel: -1};
    this.graphPane = new GraphPane(this);
    this.kernelsPane = new KernelsPane(this);
    this.panes = [new OverviewPane(this), this.graphPane, this.kernelsPane, new MemoryPane(this), new CompilePane(this)];
    if (data.logs.length) this.panes.push(new CurvesPane(this));
  }
  start() {
    const byId = (id) => document.getElementById(id);
    byId("title").textContent = this.data.module;
    this.detail = byId("detail");
    for (const pane of this.panes) {
      pane.element.hidden = true;
      pane.tab = make("button", {role: "tab", id: "tab-" + pane.id, onclick: () => this.open(pane.id)}, pane.title);
      byId("tabs").append(pane.tab);
      byId("panes").append(pane.element);
    }
    const entry = byId("entry");
    entry.append(...this.data.entries.map((e, i) => make("option", {value: i}, e.name)));
    entry.addEventListener("change", () => this.enter(+entry.value));
    byId("entry-label").hidden = this.data.entries.length < 2;
    this.search = new Search(this, byId("search"), byId("found"));
    addEventListener("hashchange", () => this.open(location.hash.slice(1)));
    // The entry point with most to show.
    const most = this.data.entries.reduce((best, e, i, all) => e.steps.length > all[best].steps.length ? i : best, 0);
    entry.value = most;
    this.open(location.hash.slice(1));
    this.enter(most);
  }
  enter(index) {
    this.entry = this.data.entries[index];
    this.chosen = {graph: -1, node: -1, kernel: -1};
    if (!this.entry) return;
    for (const pane of this.panes) pane.enter(this.entry);
    this.describe(make("p", {class: "soft"}, "Click on a box, a kernel or a value for what it is, or search."));
  }
  open(id) {
    const chosen = this.panes.find((pane) => pane.id === id) ?? this.panes[0];
    for (const pane of this.panes) {
      pane.element.hidden = pane !== chosen;
      pane.tab.setAttribute("aria-selected", pane === chosen);
    }
    if (location.hash.slice(1) !== chosen.id) history.replaceState(null, "", "#" + chosen.id);
  }

  // Kernels that an entry point calls: [{kernel, calls, seconds}].
  kernelsOf(entry) {
    const kernels = [...new Set(entry.steps.filter((s) => s[1] === "kernel").map((s) => s[2]))];
    return kernels.map((kernel) => ({kernel, calls: entry.kernel_calls?.[kernel] ?? 0, seconds: entry.kernel_seconds?.[kernel] ?? 0}));
  }
  // Part of the time of the entry point's kernels; null: unknown.
  share(kernel) {
    const times = this.entry.kernel_seconds;
    return times ? times[kernel] / (this.kernelsPane.total()) : null;
  }
  // The least time that the machine allows as a part of the time taken; null: unknown.
  limitShare(row) {
    const limit = this.data.kernels[row.kernel].limit_s;
    return limit === undefined || row.seconds === 0 ? null : limit * row.calls / row.seconds;
  }

  chooseNode(graph, node, reveal = false) {
    this.chosen = {graph, node, kernel: -1};
    if (reveal) {
      this.open("graph");
      this.graphPane.reveal(graph, node);
    }
    this.describe(...nodeDetail(this, this.graphs[graph], node));
    this.changed();
  }
  chooseKernel(kernel) {
    this.chosen = {graph: -1, node: -1, kernel};
    this.describe(...kernelDetail(this, kernel));
    this.changed();
  }
  describe(...content) { this.detail.replaceChildren(...content.filter(Boolean)); }
  changed() {
    this.graphPane.view.redraw();
    for (const pane of this.panes) pane.chosen?.();
  }
  // Boxes of all graphs that the entry point runs in a kernel: [[graph, box]].
  boxesOf(kernel) {
    return (this.graphPane.reached ?? []).flatMap((g) => (this.graphs[g].kernels.get(kernel) ?? []).map((i) => [this.graphs[g], i]));
  }
}

const link = (text, action, note = "") => make("button", {class: "link", title: text, onclick: action}, text, note ? make("small", {}, " " + note) : null);
const listOf = (items) => make("ul", {}, items.slice(0, kMostListed).map((item) => make("li", {}, item)),
                               items.length > kMostListed ? make("li", {class: "soft"}, `and ${items.length - kMostListed} more`) : null);
const rows = (pairs) => make("dl", {}, pairs.filter(([, value]) => value).map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

function lineOf(line) {
  return make("span", {class: "source-line"}, `${line[0]}:${line[1]}`, line[2] ? make("pre", {}, line[2].trim()) : null);
}

function nodeDetail(report, graph, i) {
  const nodes = graph.data.nodes, kinds = report.data.kinds, line = graph.line(i);
  const boxes = (list) => listOf(list.map((n) => link(graph.label(n), () => report.chooseNode(graph.index, n, true), graph.type(n))));
  const named = graph.data.graphs.filter((g) => g.box === i);
  const kernelOf = (k) => link(`#${k} ${report.data.kernels[k].name}`, () => report.chooseKernel(k));
  const partner = nodes.partner[i];
  return [
    make("h2", {}, graph.label(i)),
    rows([["what", kinds[nodes.kind[i]]], ["part", report.data.parts[nodes.part[i]]], ["name", graph.text("name", i)],
          ["type", make("code", {}, graph.type(i))], ["with", graph.text("detail", i)], ["line", line ? lineOf(line) : ""]]),
    nodes.kernels[i].length ? make("h3", {}, nodes.kernels[i].length > 1 ? "computed in kernels" : "kernel") : null,
    nodes.kernels[i].length ? listOf(nodes.kernels[i].map(kernelOf)) : null,
    named.length ? make("h3", {}, "runs") : null,
    named.length ? listOf(named.map((g) => link(`${g.as}: ${report.graphs[g.graph].data.name}`, () => { report.open("graph"); report.graphPane.show(g.graph); }))) : null,
    partner >= 0 ? make("h3", {}, "gradient of") : null, partner >= 0 ? boxes([partner]) : null,
    nodes.in[i].length ? make("h3", {}, "reads") : null, nodes.in[i].length ? boxes(nodes.in[i]) : null,
    graph.users[i].length ? make("h3", {}, "read by") : null, graph.users[i].length ? boxes(graph.users[i]) : null,
    make("p", {}, link("show in the graph", () => report.chooseNode(graph.index, i, true))),
  ];
}

function kernelDetail(report, number) {
  const kernel = report.data.kernels[number], boxes = report.boxesOf(number);
  const row = report.kernelsPane.rows.find((r) => r.kernel === number) ?? {kernel: number, calls: 0, seconds: 0};
  const limit = report.limitShare(row), traffic = kernel.bytes_read + kernel.bytes_written;
  const lines = new Map();
  for (const [graph, i] of boxes) {
    const line = graph.line(i);
    if (line) lines.set(graph.where(i), line);
  }
  return [
    make("h2", {}, `#${number} ${kernel.name}`),
    rows([["time", row.seconds ? `${seconds(row.seconds)} a run, ${percent(report.share(number))}` : ""],
          ["limit", limit === null ? "" : `${percent(limit)} of the time is what this machine needs`],
          ["calls", row.calls ? String(+row.calls.toPrecision(4)) : ""],
          ["work", `${count(kernel.flops)} flop on ${kernel.dtype}`],
          ["memory", `reads ${bytes(kernel.bytes_read)}, writes ${bytes(kernel.bytes_written)}`],
          ["intensity", traffic ? `${(kernel.flops / traffic).toPrecision(3)} flop/byte` : ""], ["chunks", String(kernel.chunks)]]),
    lines.size ? make("h3", {}, "source lines") : null, lines.size ? listOf([...lines.values()].map(lineOf)) : null,
    kernel.why.length ? make("h3", {}, "how and why") : null, kernel.why.length ? listOf(kernel.why) : null,
    boxes.length ? make("h3", {}, "ops") : null,
    boxes.length ? listOf(boxes.map(([graph, i]) => link(graph.label(i), () => report.chooseNode(graph.index, i, true), graph.type(i)))) : null,
    boxes.length ? make("p", {}, link("show in the graph", () => { report.open("graph"); report.graphPane.reveal(boxes[0][0].index, boxes[0][1]); })) : null,
    kernel.loops ? make("h3", {}, "loops") : null, kernel.loops ? make("pre", {}, kernel.loops) : null,
  ];
}

class OverviewPane {
  constructor(report) {
    this.report = report;
    this.title = "Overview";
    this.id = "overview";
    this.element = make("div", {class: "pane", id: "pane-overview"});
  }
  enter(entry) {
    const {data} = this.report, graph = this.report.graphs[entry.graph], timed = entry.seconds !== undefined;
    const counts = data.parts.map((part, p) => graph ? graph.data.nodes.part.filter((x, i) => x === p && graph.data.nodes.kind[i] === 2).length : 0);
    const compiled = data.compile.reduce((sum, row) => sum + row.seconds, 0);
    const kernels = this.report.kernelsOf(entry).sort((a, b) => b.seconds - a.seconds);
    const total = kernels.reduce((sum, row) => sum + row.seconds, 0) || 1;
    const typed = (list) => make("table", {}, list.slice(0, 100).map((p) => make("tr", {}, make("td", {class: "name", title: p.name}, p.name), make("td", {}, make("code", {}, p.type)))),
                                 list.length > 100 ? make("tr", {}, make("td", {class: "soft"}, `and ${list.length - 100} more`)) : null);
    const card = (title, ...content) => make("div", {class: "card"}, make("h2", {}, title), ...content);
    this.element.replaceChildren(make("div", {class: "cards"}, ...[
      card(`Entry point ${entry.name}`, rows([
        ["time", timed ? `${seconds(entry.seconds)} a run with ${data.threads} ${data.threads === 1 ? "thread" : "threads"}, timed kernel by kernel` : entry.problem ?? "not run"],
        ["ops", data.parts.map((part, p) => `${counts[p]} ${part}`).join(", ")],
        ["kernels", `${kernels.length} of ${data.kernels.length}, ${entry.steps.length} steps`],
        ["memory", `instance ${bytes(data.instance_bytes)}: variables ${bytes(data.variables.reduce((s, v) => s + v.bytes, 0))}, arena ${bytes(data.arena_bytes)}`],
        ["compiled", `in ${seconds(compiled)} for ${data.cpu}`]])),
      timed ? card("Slowest kernels", kernels.slice(0, 8).map((row) => make("div", {class: "bar"},
          link(`#${row.kernel} ${data.kernels[row.kernel].name}`, () => { this.report.open("kernels"); this.report.chooseKernel(row.kernel); }),
          make("i", {style: `width: ${100 * row.seconds / total}%; background: var(--forward)`}), make("b", {}, seconds(row.seconds))))) : null,
      card("Arguments", entry.arguments.length ? typed(entry.arguments) : make("p", {class: "soft"}, "none")),
      card("Results", entry.results.length ? typed(entry.results) : make("p", {class: "soft"}, "none")),
      data.variables.length ? card("Variables", typed(data.variables)) : null].filter(Boolean)));
  }
}

// Finds boxes by op, name, type and line, and kernels by name.
class Search {
  constructor(report, input, list) {
    Object.assign(this, {report, input, list});
    input.addEventListener("input", () => this.find());
    input.addEventListener("focus", () => this.find());
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") list.querySelector("button")?.click();
      if (event.key === "Escape") this.close();
      if (event.key === "ArrowDown") list.querySelector("button")?.focus();
    });
    document.addEventListener("pointerdown", (event) => { if (!input.parentElement.contains(event.target)) this.close(); });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.matches("input")) return;
      event.preventDefault();
      input.focus();
    });
  }
  close() { this.list.hidden = true; }
  find() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean), found = [];
    if (!words.length) return this.close();
    const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
    const {report} = this;
    for (const {kernel} of report.kernelsPane.rows) {
      const text = `#${kernel} ${report.data.kernels[kernel].name}`;
      if (found.length < kMostFound / 2 && fits(text)) found.push(link(text, () => { this.close(); report.open("kernels"); report.chooseKernel(kernel); }, "kernel"));
    }
    for (const g of report.graphPane.reached ?? []) {
      const graph = report.graphs[g];
      for (let i = 0; i < graph.size && found.length < kMostFound; ++i) {
        const name = graph.text("name", i), text = `${graph.label(i)} ${name} ${graph.type(i)} ${graph.where(i)}`;
        if (fits(text)) found.push(link(graph.label(i), () => { this.close(); report.chooseNode(g, i, true); }, `${name} ${graph.type(i)} ${graph.where(i)}`));
      }
    }
    this.list.replaceChildren(...(found.length ? found.map((f) => make("li", {}, f)) : [make("li", {class: "soft"}, "nothing found")]));
    this.list.hidden = false;
  }
}

const report = new Report(JSON.parse(document.getElementById("data").textContent));
report.start();
