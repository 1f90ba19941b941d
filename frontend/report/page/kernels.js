// The kernels: a roofline, a table, and what is known of one.

const kMostRows = 1000;

class KernelsPane {
  constructor(report) {
    this.report = report;
    this.title = "Kernels";
    this.id = "kernels";
    this.element = make("div", {class: "pane", id: "pane-kernels"});
    this.order = {column: report.data.machine ? "time" : "flops", down: true};
  }
  enter(entry) {
    this.entry = entry;
    this.rows = this.report.kernelsOf(entry);
    this.render();
  }
  columns() {
    const timed = this.entry.kernel_seconds !== undefined, k = (row) => this.report.data.kernels[row.kernel];
    const perSecond = (row, x) => row.seconds > 0 ? x * row.calls / row.seconds : -1;
    const all = [
      {id: "kernel", head: "#", value: (r) => r.kernel, text: (r) => "#" + r.kernel},
      {id: "name", head: "kernel", value: (r) => k(r).name, text: (r) => k(r).name, name: true},
      {id: "time", head: "time", value: (r) => r.seconds, text: (r) => seconds(r.seconds), timed: true},
      {id: "share", head: "share", value: (r) => r.seconds, text: (r) => percent(r.seconds / this.total()), timed: true},
      {id: "limit", head: "limit / time", value: (r) => this.report.limitShare(r) ?? -1, timed: true,
       text: (r) => { const x = this.report.limitShare(r); return x === null ? "" : percent(x); }},
      {id: "calls", head: "calls", value: (r) => r.calls, text: (r) => String(+r.calls.toPrecision(4)), timed: true},
      {id: "flops", head: "flop", value: (r) => k(r).flops, text: (r) => count(k(r).flops)},
      {id: "read", head: "reads", value: (r) => k(r).bytes_read, text: (r) => bytes(k(r).bytes_read)},
      {id: "written", head: "writes", value: (r) => k(r).bytes_written, text: (r) => bytes(k(r).bytes_written)},
      {id: "rate", head: "GFLOP/s", value: (r) => perSecond(r, k(r).flops), timed: true,
       text: (r) => { const x = perSecond(r, k(r).flops); return x > 0 ? (x / 1e9).toPrecision(3) : ""; }},
      {id: "traffic", head: "GB/s", value: (r) => perSecond(r, k(r).bytes_read + k(r).bytes_written), timed: true,
       text: (r) => { const x = perSecond(r, k(r).bytes_read + k(r).bytes_written); return x > 0 ? (x / 1e9).toPrecision(3) : ""; }},
    ];
    return all.filter((c) => timed || !c.timed);
  }
  total() { return this.rows.reduce((sum, row) => sum + row.seconds, 0) || 1; }
  render() {
    const columns = this.columns();
    const by = columns.find((c) => c.id === this.order.column) ?? columns[0], sign = this.order.down ? -1 : 1;
    this.rows.sort((a, b) => sign * (by.value(a) < by.value(b) ? -1 : by.value(a) > by.value(b) ? 1 : a.kernel - b.kernel));
    const head = columns.map((c) => make("th", {class: c.name ? "" : "number", "aria-sort": c === by ? (this.order.down ? "descending" : "ascending") : undefined},
        make("button", {onclick: () => this.sort(c.id)}, c.head + (c === by ? (this.order.down ? " \u2193" : " \u2191") : ""))));
    const body = this.rows.slice(0, kMostRows).map((row) => make("tr", {
      class: "row" + (row.kernel === this.report.chosen.kernel ? " chosen" : ""), "data-kernel": row.kernel, tabindex: 0,
      onclick: () => this.report.chooseKernel(row.kernel),
      onkeydown: (event) => { if (event.key === "Enter") this.report.chooseKernel(row.kernel); },
    }, columns.map((c) => make("td", {class: c.name ? "name" : "number", title: c.name ? c.text(row) : undefined}, c.text(row)))));
    const more = this.rows.length > kMostRows ? make("p", {class: "soft"}, `and ${this.rows.length - kMostRows} more`) : null;
    this.element.replaceChildren(
        ...[this.note(), this.entry.kernel_seconds ? this.roofline() : null,
            make("div", {class: "card"}, make("table", {id: "kernels"}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, body)), more)].filter(Boolean));
  }
  note() {
    if (this.entry.kernel_seconds) return null;
    const text = this.entry.problem ? `It was not timed: ${this.entry.problem}` : "It was not run: no times (--no-run).";
    return make("p", {class: "soft"}, text);
  }
  sort(id) {
    this.order = {column: id, down: this.order.column === id ? !this.order.down : id !== "kernel" && id !== "name"};
    this.render();
  }
  chosen() {
    for (const row of this.element.querySelectorAll("tr.row")) row.classList.toggle("chosen", +row.dataset.kernel === this.report.chosen.kernel);
    for (const dot of this.element.querySelectorAll(".dot")) dot.classList.toggle("chosen", +dot.getAttribute("data-kernel") === this.report.chosen.kernel);
  }

  // GFLOP/s over flop per byte, both as logarithms; a dot's area is its share of the time.
  roofline() {
    const {machine, kernels} = this.report.data, width = 860, height = 330, left = 52, bottom = 34, top = 14, right = 120;
    const dots = this.rows.filter((r) => r.seconds > 0 && kernels[r.kernel].flops > 0).map((r) => {
      const k = kernels[r.kernel];
      return {row: r, x: k.flops / Math.max(k.bytes_read + k.bytes_written, 1), y: k.flops * r.calls / r.seconds / 1e9};
    });
    const card = make("div", {class: "card wide"}, make("h2", {}, "Roofline of this machine, " + machine.threads + (machine.threads === 1 ? " thread" : " threads")));
    if (!dots.length) return fill(card, {}, [make("p", {class: "soft"}, "No kernel computes with floats.")]);
    const used = new Set(dots.map((d) => roofOf(kernels[d.row.kernel].dtype, machine)));
    const peaks = Object.entries(machine.gflop_s).filter(([name]) => used.has(name));
    const most = Math.max(...peaks.map((p) => p[1]), ...dots.map((d) => d.y));
    const x0 = Math.min(0.05, ...dots.map((d) => d.x)) / 1.5, x1 = Math.max(100, ...dots.map((d) => d.x)) * 1.5;
    const y0 = Math.min(...dots.map((d) => d.y), most / 1e3) / 2, y1 = most * 1.6;
    const log = (v, a, b) => Math.log(v / a) / Math.log(b / a);
    const px = (v) => left + log(v, x0, x1) * (width - left - right), py = (v) => height - bottom - log(v, y0, y1) * (height - bottom - top);
    const svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "roofline"});
    for (let e = Math.ceil(Math.log10(x0)); 10 ** e <= x1; ++e) {
      svg.append(makeSvg("line", {class: "axis", x1: px(10 ** e), x2: px(10 ** e), y1: top, y2: height - bottom}),
                 makeSvg("text", {x: px(10 ** e), y: height - bottom + 15, "text-anchor": "middle"}, String(10 ** e)));
    }
    for (let e = Math.ceil(Math.log10(y0)); 10 ** e <= y1; ++e) {
      svg.append(makeSvg("line", {class: "axis", x1: left, x2: width - right, y1: py(10 ** e), y2: py(10 ** e)}),
                 makeSvg("text", {x: left - 6, y: py(10 ** e) + 4, "text-anchor": "end"}, String(10 ** e)));
    }
    svg.append(makeSvg("text", {x: (width - right + left) / 2, y: height - 4, "text-anchor": "middle"}, "flop / byte"),
               makeSvg("text", {x: 4, y: top - 2}, "GFLOP/s"));
    const highest = Math.max(...peaks.map((p) => p[1]));
    levelsOf(machine).forEach((level, i) => {
      const from = Math.max(x0, y0 / level.gb_s), to = Math.min(highest / level.gb_s, x1);
      if (from >= to) return;
      const at = Math.min(from * 1.7 ** i, to);
      svg.append(makeSvg("path", {class: "roof", d: `M${px(from)} ${py(from * level.gb_s)}L${px(to)} ${py(to * level.gb_s)}`}),
                 makeSvg("text", {x: px(at) + 4, y: py(at * level.gb_s) - 5, transform: slope(px, py, at, to, level.gb_s)},
                         `${level.name} ${level.gb_s.toFixed(0)} GB/s`));
    });
    const fastest = Math.max(...machine.levels.map((l) => l.gb_s));
    for (const [name, rate] of peaks) {
      svg.append(makeSvg("path", {class: "roof", d: `M${px(Math.max(rate / fastest, x0))} ${py(rate)}L${width - right} ${py(rate)}`}),
                 makeSvg("text", {x: width - right + 4, y: py(rate) + 4}, `${name} ${rate.toFixed(0)} GFLOP/s`));
    }
    for (const d of dots.sort((a, b) => b.row.seconds - a.row.seconds).slice(0, kMostRows)) {
      const k = d.row.kernel, share = d.row.seconds / this.total();
      const text = `#${k} ${kernels[k].name}\n${seconds(d.row.seconds)}, ${percent(share)} of the time\n${d.y.toPrecision(3)} GFLOP/s at ${d.x.toPrecision(3)} flop/byte`;
      svg.append(makeSvg("circle", {class: "dot", cx: px(d.x), cy: py(d.y), r: 3.5 + 16 * Math.sqrt(share), "data-kernel": k,
        onclick: () => this.report.chooseKernel(k), onpointermove: (event) => tip.show(text, event), onpointerleave: () => tip.hide()}));
    }
    card.append(svg);
    return card;
  }
}

// Levels of memory; those whose rates are nearly one are one.
function levelsOf(machine) {
  const out = [];
  for (const level of machine.levels) {
    const last = out.at(-1);
    if (last && level.gb_s > 0.85 * last.gb_s) last.name += ", " + level.name;
    else out.push({name: level.name, gb_s: level.gb_s});
  }
  return out;
}

// Whose peak floats of a type have.
function roofOf(dtype, machine) {
  return dtype === "f64" || (dtype === "bf16" && machine.gflop_s.bf16 > 0) ? dtype : "f32";
}

// Turns text along a line of the plot.
function slope(px, py, from, to, rate) {
  const x = px(from), y = py(from * rate), angle = Math.atan2(py(to * rate) - y, px(to) - x) * 180 / Math.PI;
  return `rotate(${angle} ${x} ${y})`;
}
