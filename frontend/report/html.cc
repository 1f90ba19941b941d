#include "frontend/report/html.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "codegen/loop/cost.h"
#include "frontend/report/drawn.h"
#include "frontend/report/report_data.h"
#include "ir/strings.h"
#include "ir/text/printer.h"

namespace reel::internal {
namespace {

constexpr size_t kMaxRows = 100;      // of a table
constexpr size_t kMaxPlan = 1 << 16;  // bytes of the plan's text
constexpr size_t kMaxShown = 80;      // bytes of a name
constexpr int kWidth = 104, kHeight = 34, kGapX = 12, kGapY = 16, kGapParts = 30;
constexpr std::string_view kBox = "<div style=\"font:13px/1.4 system-ui,sans-serif;max-width:70em\">";
constexpr std::string_view kCell = "<td style=\"text-align:left;padding:1px 12px 1px 0\">";
constexpr std::array<std::string_view, 3> kColors = {"#3b82c4", "#d97a2b", "#3f9d63"};  // by Part

// Cut between characters.
std::string Shown(std::string_view text, size_t limit = kMaxShown) {
  if (text.size() <= limit) return HtmlText(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return HtmlText(text.substr(0, limit)) + "&hellip;";
}

// A table whose rows come one by one; those beyond the limit are counted.
class Table {
 public:
  Table(std::string* out, std::initializer_list<std::string_view> heads) : out_(out) {
    *out_ += "<table style=\"font:inherit;border-collapse:collapse;margin:4px 0\"><tr style=\"opacity:.65\">";
    for (const std::string_view head : heads) StrAppend(out_, kCell, head, "</td>");
    *out_ += "</tr>";
  }
  ~Table() {
    if (rows_ > kMaxRows) StrAppend(out_, "<tr>", kCell, "and ", rows_ - kMaxRows, " more</td></tr>");
    *out_ += "</table>";
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Cells are HTML.
  void Row(std::initializer_list<std::string> cells) {
    if (++rows_ > kMaxRows) return;
    *out_ += "<tr>";
    for (const std::string& cell : cells) StrAppend(out_, kCell, cell, "</td>");
    *out_ += "</tr>";
  }

 private:
  std::string* out_;
  size_t rows_ = 0;
};

std::string Folded(std::string_view summary, std::string_view body, bool open = false) {
  return StrCat("<details", open ? " open" : "", "><summary style=\"cursor:pointer\">", summary, "</summary>", body,
                "</details>");
}

std::string Code(std::string_view text) { return StrCat("<code>", Shown(text), "</code>"); }

std::string Number(double x, std::string_view unit) {
  static constexpr const char* kUnits[] = {"", "&nbsp;k", "&nbsp;M", "&nbsp;G", "&nbsp;T"};
  size_t u = 0;
  while (x >= 999.5 && u + 1 < std::size(kUnits)) x /= 1000, ++u;
  char text[40];
  std::snprintf(text, sizeof text, "%.3g%s", x, kUnits[u]);
  return StrCat(text, u == 0 && !unit.empty() ? "&nbsp;" : "", unit);
}

// "1 step", "2 steps".
std::string Counted(size_t n, std::string_view what) { return StrCat(n, " ", what, n == 1 ? "" : "s"); }

std::string Signature(const ir::Module& module, const ir::Function& f) {
  std::string out;
  {
    Table table(&out, {"", "name", "type"});
    for (int i = 0; i < f.num_parameters(); ++i) {
      const char* kind = i < f.num_arguments() ? "argument" : "variable";
      table.Row({kind, Code(f.parameter(i).name), Code(ir::Print(f.parameter(i).type, module))});
    }
    for (int i = 0; i < f.num_outputs(); ++i) {
      const ir::Value v = f.results()[static_cast<size_t>(i)];
      table.Row({"result", Code(f.result_name(i)), Code(ir::Print(f.type(v), module))});
    }
  }
  return out;
}

// How many of each op, the most frequent first, and how many of them are gradients.
std::string Ops(const DrawnGraph& graph, const ir::Function& f) {
  std::map<std::string_view, std::array<int64_t, 3>> counts;
  for (const DrawnNode& node : graph.nodes) {
    if (node.kind != DrawnNode::Kind::kOp) continue;
    ++counts[ir::Name(f.nodes()[static_cast<size_t>(node.node)].op)][static_cast<size_t>(node.part)];
  }
  const auto sum = [](const auto& row) { return row.second[0] + row.second[1] + row.second[2]; };
  std::vector<std::pair<std::string_view, std::array<int64_t, 3>>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return sum(a) > sum(b); });
  std::string out;
  {
    Table table(&out, {"op", kPartNames[0], kPartNames[1], kPartNames[2]});
    for (const auto& [op, n] : rows) table.Row({Code(op), StrCat(n[0]), StrCat(n[1]), StrCat(n[2])});
  }
  return out;
}

struct Point {
  int x, y;
};

Point PlaceOf(const DrawnNode& node) {
  const int gaps = static_cast<int>(node.part) * kGapParts;
  return {4 + node.x * (kWidth + kGapX) + gaps, 18 + node.y * (kHeight + kGapY)};
}

void AppendBox(const DrawnNode& node, const ir::Function& f, std::string* out) {
  const auto [x, y] = PlaceOf(node);
  const std::string type = node.value.valid() ? f.type(node.value).ToString() : "";
  const std::string_view color = kColors[static_cast<size_t>(node.part)];
  const bool op = node.kind == DrawnNode::Kind::kOp;
  std::string title = StrCat(LabelOf(f, node), ": ", type);
  if (op) {
    const ir::Node& of = f.nodes()[static_cast<size_t>(node.node)];
    const std::string detail = DetailOf(f, node);
    if (!detail.empty()) StrAppend(&title, "\n", detail);
    if (of.location >= 0) {
      const ir::Location& location = f.locations()[static_cast<size_t>(of.location)];
      StrAppend(&title, "\n", location.file, ":", location.line);
    }
  }
  StrAppend(out, "<g><title>", Shown(title, 600), "</title><rect x=\"", x, "\" y=\"", y, "\" width=\"", kWidth,
            "\" height=\"", kHeight, "\" rx=\"", op ? 4 : 16, "\" fill=\"", color, "\" fill-opacity=\".16\" stroke=\"",
            color, "\"/><text x=\"", x + kWidth / 2, "\" y=\"", y + 14, "\">", Shown(LabelOf(f, node), 15),
            "</text><text x=\"", x + kWidth / 2, "\" y=\"", y + 27, "\" font-size=\"10\" opacity=\".7\">",
            Shown(type, 18), "</text></g>");
}

void AppendEdge(const DrawnNode& from, const DrawnNode& to, std::string* out) {
  const Point a = PlaceOf(from), b = PlaceOf(to);
  const int x1 = a.x + kWidth / 2, x2 = b.x + kWidth / 2;
  const bool down = a.y < b.y, level = a.y == b.y;
  const int y1 = level ? a.y + kHeight / 2 : down ? a.y + kHeight : a.y;
  const int y2 = level ? b.y + kHeight / 2 : down ? b.y : b.y + kHeight;
  const int middle = (y1 + y2) / 2;
  StrAppend(out, "<path d=\"M", x1, " ", y1, "C", x1, " ", middle, " ", x2, " ", middle, " ", x2, " ", y2, "\"/>");
}

std::string Drawing(const DrawnGraph& graph, const ir::Function& f) {
  const int columns = graph.first_column[2] + graph.columns[2];
  const int width = 8 + columns * (kWidth + kGapX) + 2 * kGapParts, height = 22 + graph.rows * (kHeight + kGapY);
  std::string out =
      StrCat("<div style=\"overflow:auto;max-height:40em\"><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width,
             "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
             "\" font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"currentColor\" "
             "text-anchor=\"middle\">");
  for (size_t part = 0; part < 3; ++part) {
    if (graph.columns[part] == 0) continue;
    const int x = 4 + graph.first_column[part] * (kWidth + kGapX) + static_cast<int>(part) * kGapParts;
    StrAppend(&out, "<text text-anchor=\"start\" x=\"", x, "\" y=\"11\" opacity=\".6\">", kPartNames[part], "</text>");
  }
  out += "<g fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".35\">";
  for (const DrawnNode& node : graph.nodes) {
    for (const int32_t from : node.operands) AppendEdge(graph.nodes[static_cast<size_t>(from)], node, &out);
  }
  out += "</g>";
  for (const DrawnNode& node : graph.nodes) AppendBox(node, f, &out);
  return out + "</svg></div>";
}

// Without a heading.
std::string Body(const ir::Module& module, const ir::Function& f) {
  const DrawnGraph graph = Draw(f);
  std::string out = Signature(module, f);
  out += Folded(StrCat(f.nodes().size(), " ops"), Ops(graph, f));
  if (graph.nodes.size() > kMaxDrawn) {
    return StrCat(out, "<div style=\"opacity:.65\">a graph of ", graph.nodes.size(),
                  " boxes: <code>reel report</code> draws it</div>");
  }
  return out + Folded("graph", Drawing(graph, f));
}

}  // namespace

std::string HtmlOf(const ir::Module& module, const ir::Function& f) {
  return StrCat(kBox, "<b>Function</b> ", Code(f.name()), Body(module, f), "</div>");
}

std::string HtmlOf(const ir::Module& module, const std::vector<const ir::Function*>& functions) {
  std::string out = StrCat(kBox, "<b>Module</b> ", Code(module.name()), ": ", Counted(functions.size(), "entry point"),
                           ", ", Counted(module.variables().size(), "variable"));
  for (size_t i = 0; i < std::min(functions.size(), kMaxRows); ++i) {
    out += Folded(Code(functions[i]->name()), Body(module, *functions[i]), functions.size() == 1);
  }
  return out + "</div>";
}

std::string HtmlOf(const codegen::Program& program, const std::string& plan) {
  std::string out = StrCat(kBox, "<b>Executable</b> ", Code(program.name), ": ", program.kernels.size(), " kernels, ",
                           program.variables.size(), " variables; instance ",
                           Number(static_cast<double>(program.instance_bytes), "B"), ", arena ",
                           Number(static_cast<double>(program.arena_bytes), "B"));
  std::string kernels;
  {
    Table table(&kernels, {"", "kernel", "flop", "reads", "writes", "why"});
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const codegen::Kernel& kernel = program.kernels[k];
      const codegen::KernelCost cost = k < kMaxRows ? codegen::CostOf(kernel) : codegen::KernelCost();
      table.Row(
          {StrCat("#", k), Code(kernel.name), Number(cost.flops, ""), Number(static_cast<double>(cost.bytes_read), "B"),
           Number(static_cast<double>(cost.bytes_written), "B"), kernel.why.empty() ? "" : Shown(kernel.why[0], 120)});
    }
  }
  for (const codegen::EntryPoint& entry : program.entries) {
    StrAppend(&out, "<div>entry point ", Code(entry.name), ": ", Counted(entry.arguments.size(), "argument"), ", ",
              Counted(entry.results.size(), "result"), ", ", Counted(entry.steps.size(), "step"), "</div>");
  }
  out += Folded(StrCat(program.kernels.size(), " kernels"), kernels);
  out += Folded("plan", StrCat("<pre style=\"overflow:auto;max-height:30em\">", Shown(plan, kMaxPlan), "</pre>"));
  return out + "</div>";
}

std::string HtmlOf(const std::string& title, const std::vector<Variable>& variables) {
  std::string rows;
  double elements = 0, bytes = 0;
  {
    Table table(&rows, {"variable", "type", "elements", ""});
    for (const Variable& v : variables) {
      const Type type{v.dtype(), v.shape()};
      elements += static_cast<double>(v.shape().size());
      bytes += static_cast<double>(type.bytes());
      table.Row({Code(v.name()), Code(type.ToString()), StrCat(v.shape().size()), v.trainable() ? "" : "not trained"});
    }
  }
  return StrCat(kBox, "<b>", Shown(title), "</b>: ", Counted(variables.size(), "variable"), ", ", Number(elements, ""),
                elements == 1 ? " element, " : " elements, ", Number(bytes, "B"), variables.empty() ? "" : rows,
                "</div>");
}

}  // namespace reel::internal
