#include "frontend/record/event_log.h"
#include "ir/printable.h"
#include "ir/strings.h"

// Graphviz source of functions: boxes for arguments, folders for variables, ellipses for ops.

namespace reel::internal {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

void AppendVertex(std::string* out, const std::string& id, std::string_view label, std::string_view style) {
  StrAppend(out, "    ", id, " [label=\"", label, "\"", style, "];\n");
}

void AppendFunction(std::string* out, const ir::Function& f, size_t index) {
  const std::string prefix = StrCat("f", index, "_");
  StrAppend(out, "  subgraph cluster_", index, " {\n    label=\"@", Escaped(f.name()), "\";\n");
  for (int i = 0; i < f.num_parameters(); ++i) {
    const bool state = i >= f.num_arguments();
    AppendVertex(out, StrCat(prefix, "v", i),
                 StrCat(Escaped(f.parameter(i).name), "\\n", f.parameter(i).type.ToString()),
                 state ? ", shape=folder, style=filled, fillcolor=\"#dbe9f6\"" : ", shape=box");
  }
  const auto vertex = [&](ir::Value v) {
    return f.is_parameter(v) ? StrCat(prefix, "v", v.id) : StrCat(prefix, "n", f.producer_index(v));
  };
  for (size_t n = 0; n < f.nodes().size(); ++n) {
    const ir::Node& node = f.nodes()[n];
    const std::string id = StrCat(prefix, "n", n);
    const std::string type =
        node.num_results == 0 ? "()" : f.type(node.result()).ToString();  // a call may give nothing
    AppendVertex(out, id, StrCat(ir::Name(node.op), "\\n", type),
                 node.op == ir::Op::kConstant ? ", shape=plaintext" : "");
    for (ir::Value v : node.operands) StrAppend(out, "    ", vertex(v), " -> ", id, ";\n");
  }
  for (size_t i = 0; i < f.results().size(); ++i) {
    const int n = static_cast<int>(i);
    const bool state = n >= f.num_outputs();
    const std::string& name = state ? f.state()[i - static_cast<size_t>(f.num_outputs())] : f.result_name(n);
    const std::string id = StrCat(prefix, "r", i);
    AppendVertex(out, id, Escaped(name),
                 state ? ", shape=folder, style=filled, fillcolor=\"#dbe9f6\""
                       : ", shape=box, style=filled, fillcolor=\"#e4f2dc\"");
    StrAppend(out, "    ", vertex(f.results()[i]), " -> ", id, ";\n");
  }
  out->append("  }\n");
}

}  // namespace

std::string DotOf(absl::Span<const ir::Function* const> functions) {
  std::string out = "digraph reel {\n  node [fontname=\"sans-serif\", fontsize=10];\n";
  for (size_t i = 0; i < functions.size(); ++i) AppendFunction(&out, *functions[i], i);
  return ir::Printable(out + "}\n");
}

}  // namespace reel::internal
