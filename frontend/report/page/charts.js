// Compile time by phase, and the curves of logs.

class CompilePane {
  constructor(report) {
    this.title = "Compile time";
    this.id = "compile";
    this.element = make("div", {class: "pane", id: "pane-compile"});
    const stages = new Map();
    for (const row of report.data.compile) {
      if (!stages.has(row.stage)) stages.set(row.stage, []);
      stages.get(row.stage).push(row);
    }
    const sum = (rows) => rows.reduce((s, row) => s + row.seconds, 0), total = sum(report.data.compile);
    const colors = {passes: "forward", planning: "update", LLVM: "gradient"};
    const bars = (list, stageOf) => {
      const most = Math.max(...list.map((row) => row.seconds), 1e-9);
      return list.sort((a, b) => b.seconds - a.seconds).map((row) => make("div", {class: "bar"}, make("span", {}, row.name + (row.runs > 1 ? ` (${row.runs})` : "")),
          make("i", {style: `width: ${100 * row.seconds / most}%; background: var(--${colors[stageOf(row)] ?? "other"})`}), make("b", {}, seconds(row.seconds))));
    };
    const card = (title, ...content) => make("div", {class: "card wide"}, make("h2", {}, title), ...content);
    const cards = [card(`All: ${seconds(total)}`, bars([...stages].map(([name, rows]) => ({name, seconds: sum(rows)})), (row) => row.name)),
                   ...[...stages].map(([stage, rows]) => card(`${stage}: ${seconds(sum(rows))}`, bars([...rows], () => stage)))];
    this.element.append(make("p", {}, `Compiled in ${seconds(total)} for ${report.data.cpu}, level ${report.data.opt_level}.`), ...cards);
  }
  enter() {}
}

class CurvesPane {
  constructor(report) {
    this.title = "Curves";
    this.id = "curves";
    this.element = make("div", {class: "pane", id: "pane-curves"});
    const names = new Map();  // curves of one name in one chart
    for (const log of report.data.logs) {
      for (const curve of log.curves) {
        if (!names.has(curve.name)) names.set(curve.name, []);
        names.get(curve.name).push({file: log.file, ...curve});
      }
    }
    this.element.append(make("div", {class: "cards"}, [...names].map(([name, list]) => chart(name, list))));
    if (!names.size) this.element.append(make("p", {class: "soft"}, "The logs have no numbers."));
  }
  enter() {}
}

const kCurveColors = ["forward", "gradient", "update", "mark", "accent", "other"];

function chart(name, list) {
  const card = make("div", {class: "card"});
  let log = false;
  const toggle = make("button", {class: "tool", "aria-pressed": "false", onclick: () => { log = !log; toggle.setAttribute("aria-pressed", log); render(); }}, "log");
  const positive = list.every((c) => c.points.every((p) => p[1] === null || p[1] > 0));
  const render = () => card.replaceChildren(make("h2", {}, name, " ", positive ? toggle : null), plot(list, log),
      list.length > 1 || list[0].file ? make("div", {class: "soft"}, list.map((c, i) => make("span", {class: "key", style: `--swatch: var(--${kCurveColors[i % kCurveColors.length]}); margin-right: 12px`}, `${c.file}, ${c.count} points`))) : null);
  render();
  return card;
}

function plot(list, log) {
  const width = 560, height = 260, left = 62, bottom = 26, top = 8, right = 8;
  const points = list.flatMap((c) => c.points.filter((p) => p[1] !== null));
  if (!points.length) return make("p", {class: "soft"}, "no finite value");
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
  if (y0 === y1) [y0, y1] = log ? [y0 / 2, y1 * 2] : [y0 - 0.5, y1 + 0.5];
  if (x0 === x1) [x0, x1] = [x0 - 0.5, x1 + 0.5];
  const f = log ? Math.log10 : (v) => v, back = log ? (v) => 10 ** v : (v) => v;
  const px = (v) => left + (v - x0) / (x1 - x0) * (width - left - right);
  const py = (v) => height - bottom - (f(v) - f(y0)) / (f(y1) - f(y0)) * (height - bottom - top);
  const svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "curve"});
  for (let i = 0; i <= 4; ++i) {
    const y = back(f(y0) + (f(y1) - f(y0)) * i / 4), x = x0 + (x1 - x0) * i / 4;
    svg.append(makeSvg("line", {class: "axis", x1: left, x2: width - right, y1: py(y), y2: py(y)}),
               makeSvg("text", {x: left - 6, y: py(y) + 4, "text-anchor": "end"}, y.toPrecision(4)),
               makeSvg("text", {x: px(x), y: height - 8, "text-anchor": i === 0 ? "start" : i === 4 ? "end" : "middle"}, String(+x.toPrecision(5))));
  }
  list.forEach((curve, i) => {
    let d = "", pen = "M";
    for (const [x, y] of curve.points) {
      if (y === null) { pen = "M"; continue; }
      d += `${pen}${px(x).toFixed(1)} ${py(y).toFixed(1)}`;
      pen = "L";
    }
    svg.append(makeSvg("path", {d, fill: "none", stroke: `var(--${kCurveColors[i % kCurveColors.length]})`, "stroke-width": 1.6}));
  });
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), x = x0 + ((event.clientX - box.left) * width / box.width - left) / (width - left - right) * (x1 - x0);
    const near = list.map((c) => [c, c.points.reduce((best, p) => p[1] !== null && (!best || Math.abs(p[0] - x) < Math.abs(best[0] - x)) ? p : best, null)]);
    tip.show(near.filter(([, p]) => p).map(([c, p]) => `${list.length > 1 ? c.file + ": " : ""}step ${p[0]}: ${p[1].toPrecision(6)}`).join("\n"), event);
  });
  svg.addEventListener("pointerleave", () => tip.hide());
  return svg;
}
