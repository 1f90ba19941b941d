#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "codegen/loop/cost.h"
#include "frontend/report/drawn.h"
#include "frontend/report/report_data.h"
#include "ir/hash_map.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "runtime/thread_pool.h"

namespace reel::internal {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLoops = size_t{16} << 10, kMaxAllLoops = size_t{2} << 20;  // bytes of loops as text
constexpr size_t kMaxName = 300;
constexpr size_t kMaxSteps = 200000;  // shown of an entry point
constexpr size_t kMaxPoints = 2000;   // of a curve
constexpr size_t kMaxKernels = 8;     // that are named of those which compute a value inside themselves

std::string Text(std::string_view text, size_t limit = kMaxName) {
  std::string out = ir::Printable(text.substr(0, limit));
  return text.size() > limit ? out + "..." : out;
}

// A list of texts, each once.
class Texts {
 public:
  int64_t Add(const std::string& text) {
    const auto [it, added] = index_.emplace(text, static_cast<int64_t>(list_.size()));
    if (added) list_.push_back(text);
    return it->second;
  }
  const Json& list() const { return list_; }

 private:
  Json list_ = Json::array();
  HashMap<std::string, int64_t> index_;
};

// Kernels that compute each value: its own, or those of all that read it.
std::vector<std::vector<int32_t>> KernelsOf(const codegen::PlanRecord::Graph& graph) {
  const ir::Function& f = graph.f;
  std::vector<std::vector<int32_t>> out(static_cast<size_t>(f.num_values()));
  const auto add = [&out](ir::Value v, int32_t kernel) {
    std::vector<int32_t>& list = out[v.index()];
    if (list.size() < kMaxKernels && std::find(list.begin(), list.end(), kernel) == list.end()) list.push_back(kernel);
  };
  for (size_t v = 0; v < graph.kernels.size() && v < out.size(); ++v) {
    if (graph.kernels[v] >= 0) out[v] = {graph.kernels[v]};
  }
  for (size_t n = f.nodes().size(); n-- > 0;) {
    const ir::Node& node = f.nodes()[n];
    for (int r = 0; r < node.num_results; ++r) {
      const std::vector<int32_t> kernels = out[node.result(r).index()];
      for (const ir::Value v : node.operands) {
        const bool inside = v.index() < graph.kernels.size() && graph.kernels[v.index()] < 0 && !f.is_parameter(v);
        for (size_t k = 0; inside && k < kernels.size(); ++k) add(v, kernels[k]);
      }
    }
  }
  return out;
}

constexpr const char* kKinds[] = {"argument", "variable", "op", "result", "new variable"};

class GraphJson {
 public:
  GraphJson(const codegen::PlanRecord::Graph& graph, const ReportData& data) : graph_(graph), data_(data) {}

  Json Run() {
    const ir::Function& f = graph_.f;
    const DrawnGraph drawn = Draw(f);
    const std::vector<std::vector<int32_t>> kernels = KernelsOf(graph_);
    box_of_.assign(static_cast<size_t>(f.num_values()), -1);
    for (size_t i = 0; i < drawn.nodes.size(); ++i) Add(drawn.nodes[i], static_cast<int64_t>(i), kernels);
    static constexpr const char* kRoles[] = {"entry point", "loop body", "branch"};
    Json nodes = {
        {"kind", kinds_},           {"label", labels_},  {"name", names_}, {"type", types_},       {"line", lines_},
        {"part", parts_},           {"x", x_},           {"y", y_},        {"partner", partners_}, {"in", inputs_},
        {"kernels", kernel_lists_}, {"detail", details_}};
    return {{"name", Text(f.name())},
            {"role", kRoles[static_cast<size_t>(graph_.role)]},
            {"texts", texts_.list()},
            {"lines", line_list_},
            {"first_column", drawn.first_column},
            {"columns", drawn.columns},
            {"rows", drawn.rows},
            {"nodes", std::move(nodes)},
            {"graphs", named_}};
  }
  /// The box that computes a value; -1: none does.
  int64_t BoxOf(int32_t value) const { return value < 0 ? -1 : box_of_[static_cast<size_t>(value)]; }

 private:
  void Add(const DrawnNode& node, int64_t index, const std::vector<std::vector<int32_t>>& kernels) {
    const ir::Function& f = graph_.f;
    const bool op = node.kind == DrawnNode::Kind::kOp;
    kinds_.push_back(static_cast<int>(node.kind));
    labels_.push_back(texts_.Add(Text(LabelOf(f, node))));
    const std::string_view hint = op && node.value.valid() ? f.name_hint(node.value) : std::string_view();
    names_.push_back(hint.empty() ? -1 : texts_.Add(Text(hint)));
    types_.push_back(node.value.valid() ? texts_.Add(f.type(node.value).ToString()) : -1);
    lines_.push_back(op ? LineOf(f.nodes()[static_cast<size_t>(node.node)]) : -1);
    parts_.push_back(static_cast<int>(node.part));
    x_.push_back(node.x), y_.push_back(node.y);
    partners_.push_back(node.partner);
    inputs_.push_back(node.operands);
    kernel_lists_.push_back(op && node.value.valid() ? Json(kernels[node.value.index()]) : Json::array());
    const std::string detail = DetailOf(f, node);
    details_.push_back(detail.empty() ? -1 : texts_.Add(Text(detail)));
    if (node.kind == DrawnNode::Kind::kArgument || node.kind == DrawnNode::Kind::kVariable) {
      box_of_[node.value.index()] = index;
    }
    if (!op) return;
    const ir::Node& of = f.nodes()[static_cast<size_t>(node.node)];
    for (int r = 0; r < of.num_results; ++r) box_of_[of.result(r).index()] = index;
    AddNamed(of, index);
  }

  int64_t LineOf(const ir::Node& node) {
    if (node.location < 0) return -1;
    const ir::Location& location = graph_.f.locations()[static_cast<size_t>(node.location)];
    const auto [it, added] =
        line_index_.emplace(StrCat(location.file, ":", location.line), static_cast<int64_t>(line_list_.size()));
    if (!added) return it->second;
    const auto quoted = data_.lines.find({location.file, location.line});
    line_list_.push_back({Text(location.file), location.line, quoted == data_.lines.end() ? "" : Text(quoted->second)});
    return it->second;
  }

  // Graphs that a control op runs: {"box", "as", "graph"}.
  void AddNamed(const ir::Node& node, int64_t index) {
    if (!ir::Info(node.op).Has(ir::kControl)) return;
    for (const auto& [name, value] : node.attrs().entries()) {
      const auto* function = std::get_if<std::string>(&value);
      for (size_t g = 0; function != nullptr && g < data_.record.graphs.size(); ++g) {
        if (data_.record.graphs[g].f.name() != *function) continue;
        named_.push_back({{"box", index}, {"as", Text(name)}, {"graph", g}});
        break;
      }
    }
  }

  const codegen::PlanRecord::Graph& graph_;
  const ReportData& data_;
  Texts texts_;
  HashMap<std::string, int64_t> line_index_;
  std::vector<int64_t> box_of_;  // by value
  std::vector<int64_t> kinds_, labels_, names_, types_, lines_, parts_, x_, y_, partners_, details_;
  Json line_list_ = Json::array(), inputs_ = Json::array(), kernel_lists_ = Json::array(), named_ = Json::array();
};

// [depth, what, number]: as deep as control ops are nested.
void AddSteps(const std::vector<codegen::Step>& steps, int depth, Json* out) {
  using Control = codegen::Step::Control;
  for (const codegen::Step& step : steps) {
    if (out->size() >= kMaxSteps) return;
    if (step.control == Control::kNone) {
      if (step.kernel >= 0 && step.bytes > 0) continue;  // another part of the same call
      out->push_back({depth, step.kernel >= 0 ? "kernel" : "copy", step.kernel >= 0 ? step.kernel : step.bytes});
    } else if (step.control == Control::kCheck) {
      out->push_back({depth, "check", step.bytes});
    } else if (step.control == Control::kCallback) {
      out->push_back({depth, "callback", step.bytes});
    } else if (step.control == Control::kCollective) {
      out->push_back({depth, "collective", step.bytes});
    } else if (step.control == Control::kWait) {
      out->push_back({depth, "wait", step.bytes});
    } else {
      const bool chain = step.control == Control::kChain, beside = step.control == Control::kBeside;
      const bool loop = step.control == Control::kWhile;
      out->push_back({depth, chain ? "chain" : beside ? "beside" : loop ? "while" : "if", step.chunks});
      AddSteps(step.first, depth + 1, out);
      if (chain || beside) continue;
      out->push_back({depth, loop ? "do" : "else", 0});
      AddSteps(step.second, depth + 1, out);
    }
  }
}

Json ParametersJson(const std::vector<ir::Parameter>& list) {
  Json out = Json::array();
  for (const ir::Parameter& p : list) out.push_back({{"name", Text(p.name)}, {"type", p.type.ToString()}});
  return out;
}

// Of the entry point's lives, [box, graph, offset, bytes, begin, end].
Json LivesJson(const ReportData& data, const std::vector<GraphJson>& graphs, int32_t entry) {
  Json out = Json::array();
  for (const codegen::PlanRecord::Life& life : data.record.lives) {
    if (life.entry != entry || life.bytes == 0) continue;
    const bool known = life.graph >= 0 && static_cast<size_t>(life.graph) < graphs.size();
    out.push_back({known ? graphs[static_cast<size_t>(life.graph)].BoxOf(life.value) : -1, life.graph, life.offset,
                   life.bytes, life.begin, life.end});
  }
  return out;
}

Json EntriesJson(const ReportData& data, const std::vector<GraphJson>& graphs) {
  Json out = Json::array();
  for (size_t e = 0; e < data.program().entries.size(); ++e) {
    const codegen::EntryPoint& entry = data.program().entries[e];
    Json steps = Json::array();
    AddSteps(entry.steps, 0, &steps);
    int64_t graph = -1;
    for (size_t g = 0; g < data.record.graphs.size(); ++g) {
      const codegen::PlanRecord::Graph& candidate = data.record.graphs[g];
      if (candidate.role == codegen::Role::kEntry && candidate.f.name() == entry.name) graph = static_cast<int64_t>(g);
    }
    Json row = {{"name", Text(entry.name)},
                {"graph", graph},
                {"arguments", ParametersJson(entry.arguments)},
                {"results", ParametersJson(entry.results)},
                {"steps", std::move(steps)},
                {"lives", LivesJson(data, graphs, static_cast<int32_t>(e))}};
    if (e < data.runs.size() && data.runs[e].problem.empty()) {
      row["seconds"] = data.runs[e].seconds;
      row["kernel_seconds"] = data.runs[e].kernel_seconds;
      row["kernel_calls"] = data.runs[e].kernel_calls;
    } else if (e < data.runs.size()) {
      row["problem"] = Text(data.runs[e].problem);
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json KernelsJson(const ReportData& data) {
  Json out = Json::array();
  size_t bytes = 0;
  for (const codegen::Kernel& kernel : data.program().kernels) {
    const codegen::KernelCost cost = codegen::CostOf(kernel);
    std::string loops = bytes < kMaxAllLoops ? ToString(kernel) : "";
    if (loops.size() > kMaxLoops) loops = loops.substr(0, kMaxLoops) + "\n...";
    bytes += loops.size();
    Json why = Json::array();
    for (const std::string& line : kernel.why) why.push_back(Text(line));
    out.push_back({{"name", Text(kernel.name)},
                   {"chunks", kernel.chunks()},
                   {"flops", cost.flops},
                   {"dtype", Name(cost.dtype)},
                   {"bytes_read", cost.bytes_read},
                   {"bytes_written", cost.bytes_written},
                   {"schedule", Text(kernel.schedule)},
                   {"why", std::move(why)},
                   {"loops", Text(loops, kMaxLoops + 4)}});
    if (!data.machine) continue;
    const auto read = static_cast<double>(cost.bytes_read), written = static_cast<double>(cost.bytes_written);
    const KernelProfile one{"", -1, 1, 0, 0, cost.flops, read, written, cost.dtype};
    out.back()["limit_s"] = data.machine->LimitSeconds(one);
  }
  return out;
}

Json MachineOf(const Machine& m) {
  Json levels = Json::array();
  for (size_t l = 0; l < Machine::kLevels.size(); ++l) {
    const Rates& r = m.rates[l];
    levels.push_back({{"name", Machine::kLevels[l]},
                      {"bytes", l < 3 ? Json(m.Capacity(l)) : Json()},
                      {"gb_s", std::max({r.copy, r.update, r.read, r.write})}});
  }
  return {{"threads", m.threads},
          {"gflop_s", {{"f32", m.peaks.f32}, {"f64", m.peaks.f64}, {"bf16", m.peaks.bf16}}},
          {"levels", std::move(levels)}};
}

Json CompileJson(const ReportData& data) {
  Json out = Json::array();
  const codegen::CompiledModule::Times times = data.code->times();
  double known = 0;
  for (const auto& t : data.record.times) {
    known += t.seconds;
    out.push_back({{"stage", t.stage}, {"name", t.name}, {"seconds", t.seconds}, {"runs", t.runs}});
  }
  const auto add = [&out](const char* stage, const char* name, double seconds) {
    out.push_back({{"stage", stage}, {"name", name}, {"seconds", seconds}, {"runs", 1}});
  };
  add("planning", "everything else", std::max(times.plan - known, 0.0));
  if (!times.cached) {
    add("LLVM", "emit", times.emit);
    add("LLVM", "optimise and generate code", times.codegen);
  }
  add("load", times.cached ? "load from the cache" : "load", times.load);
  return out;
}

Json LogsJson(const std::vector<Log>& logs) {
  Json out = Json::array();
  for (const Log& log : logs) {
    Json curves = Json::array();
    for (const Curve& curve : log.curves) {
      Json points = Json::array();
      for (const auto& [x, y] : Thinned(curve.points, kMaxPoints)) {
        points.push_back({x, std::isfinite(y) ? Json(y) : Json()});
      }
      curves.push_back({{"name", Text(curve.name)}, {"count", curve.points.size()}, {"points", std::move(points)}});
    }
    out.push_back({{"file", Text(log.file)}, {"curves", std::move(curves)}});
  }
  return out;
}

// Of constants and variables: what an instance holds beside the arena.
Json VariablesJson(const codegen::Program& program) {
  Json out = Json::array();
  for (const codegen::VariableSlot& v : program.variables) {
    out.push_back({{"name", Text(v.name)}, {"type", v.type.ToString()}, {"bytes", v.type.bytes()}});
  }
  return out;
}

}  // namespace

std::string JsonOf(const ReportData& data) {
  const codegen::Program& program = data.program();
  std::vector<GraphJson> makers;
  Json graphs = Json::array();
  for (const codegen::PlanRecord::Graph& graph : data.record.graphs) {
    graphs.push_back(makers.emplace_back(graph, data).Run());
  }
  Json json = {{"version", 1},
               {"module", Text(program.name)},
               {"cpu", data.cpu},
               {"opt_level", data.opt_level},
               {"threads", runtime::NumThreads()},
               {"instance_bytes", program.instance_bytes},
               {"arena_bytes", program.arena_bytes},
               {"live_bytes", program.live_bytes},
               {"kinds", kKinds},
               {"parts", kPartNames},
               {"variables", VariablesJson(program)},
               {"entries", EntriesJson(data, makers)},
               {"graphs", std::move(graphs)},
               {"kernels", KernelsJson(data)},
               {"compile", CompileJson(data)},
               {"machine", data.machine ? MachineOf(*data.machine) : Json()},
               {"logs", LogsJson(data.logs)}};
  std::string out;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out.push_back(c);
  }
  return out;
}

}  // namespace reel::internal
