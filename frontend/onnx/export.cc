#include "frontend/onnx/export.h"

#include <algorithm>
#include <deque>
#include <map>

#include "frontend/export/program.h"
#include "frontend/onnx/export_node.h"
#include "frontend/onnx/writer.h"
#include "frontend/record/event_log.h"
#include "frontend/values/status.h"
#include "ir/calls.h"
#include "ir/file/folder.h"
#include "ir/strings.h"
#include "passes/expand/half.h"

namespace reel {
namespace onnx {
namespace {

constexpr int64_t kOldest = 17, kNewest = 28;
// Graphs within graphs: readers of protocol buffers stop at 100 messages within messages, three for each graph.
constexpr int kDeepest = 16;

bool IsLinalg(ir::Op op) {
  switch (op) {
    case ir::Op::kCholesky:
    case ir::Op::kTriangularSolve:
    case ir::Op::kLu:
    case ir::Op::kQr:
    case ir::Op::kEigh:
    case ir::Op::kSvd: return true;
    default: return false;
  }
}

// What kernels do not have is composed: matrices, convolutions of other numbers than f32, arithmetic in 16 bits.
bool IsComposed(const ir::Function& f, const ir::Node& node) {
  if (passes::ComputesInHalf(f, node) || IsLinalg(node.op)) return true;
  if (node.op != ir::Op::kConv) return false;
  const Shape &a = f.type(node.operands[0]).shape, &b = f.type(node.operands[1]).shape;
  if (f.type(node.operands[0]).dtype != kFloat32 || !b.is_constant() || a.has_zero() || b.has_zero()) return true;
  for (int k = 1; k < a.rank(); ++k) {
    if (!a[k].is_constant()) return true;
  }
  for (const char* cut : {"low", "high"}) {  // no more than there is
    const Ints& padding = node.attr<Ints>(cut);
    for (size_t i = 0; i < padding.size(); ++i) {
      if (padding[i] < 0 && -padding[i] >= a.dim(static_cast<int>(i) + 1)) return true;
    }
  }
  return false;
}

std::string ReasonAgainst(const ir::Function& f, const ir::Node& node, int64_t opset) {
  const ExportRow& row = FindExport(node.op);
  if (!row.write && row.composed) return StrCat("its composition wants constant shapes, or is too long: ", row.name);
  if (!row.write) return std::string(row.name);
  return row.refuses ? row.refuses({f, node, opset}) : "";
}

// How deep loops and branches are nested.
int Depth(const ir::Module& module) {
  std::map<std::string, int, std::less<>> depth;
  int deepest = 0;
  for (const std::string& name : ir::CalleesFirst(module)) {
    int& mine = depth[name];
    for (const ir::Node& node : module.FindFunction(name)->nodes()) {
      for (const std::string_view callee : ir::CalledFunctions(node))
        mine = std::max(mine, depth.find(callee)->second + 1);
    }
    deepest = std::max(deepest, mine);
  }
  return deepest;
}

class Exporter {
 public:
  Exporter(const exports::Program& program, const OnnxExportOptions& options)
      : program_(program), options_(options), f_(program.main()) {
    state_.opset = options.opset;
    state_.module = &program.module;
    state_.main.name = program.entry;
  }

  Model Run() {
    GraphWriter w(&state_, &state_.main);
    Frame frame(f_, &w);
    Arguments(&frame);
    Variables(&frame);
    Outputs();
    Symbols(&frame);
    WriteNodes(&frame);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].empty()) continue;
      w.Append("Identity", {frame.Get(f_.results()[i])}, {outputs_[i]});
    }
    Describe();
    model_.opsets = {{"", options_.opset}};
    model_.graph = std::move(state_.main);
    return std::move(model_);
  }

 private:
  void Arguments(Frame* frame) {
    for (int i = 0; i < f_.num_arguments(); ++i) {
      const ir::Parameter& p = f_.parameter(i);
      const std::string name = state_.names.Unique(p.name);
      frame->Set({i}, {name, p.type.dtype});
      state_.main.inputs.push_back(InfoOf(program_.module, name, p.type));
    }
  }

  // A variable is an initializer; one that is updated also an input, whose initializer is what it begins with.
  void Variables(Frame* frame) {
    for (size_t i = 0; i < program_.state.size(); ++i) {
      const exports::State& s = program_.state[i];
      variables_.push_back(state_.names.Unique(s.variable));
      frame->Set({f_.num_arguments() + static_cast<int>(i)}, {variables_.back(), s.initial.dtype()});
      state_.main.initializers.emplace_back(variables_.back(), s.initial);
      if (s.updated || options_.weights_as_inputs)
        state_.main.inputs.push_back(InfoOf(program_.module, variables_.back(), s.initial.type()));
    }
  }

  void Outputs() {
    outputs_.resize(f_.results().size());
    for (int i = 0; i < f_.num_outputs(); ++i) AddOutput(static_cast<size_t>(i), f_.result_name(i));
    for (size_t i = 0; i < program_.state.size(); ++i) {
      if (program_.state[i].updated)
        AddOutput(static_cast<size_t>(f_.num_outputs()) + i, StrCat(variables_[i], ".next"));
    }
  }
  void AddOutput(size_t i, const std::string& wanted) {
    outputs_[i] = state_.names.Unique(wanted);
    state_.main.outputs.push_back(InfoOf(program_.module, outputs_[i], f_.type(f_.results()[i])));
  }

  // The number of a symbolic extent is that of the first argument that has it.
  void Symbols(Frame* frame) {
    state_.symbols.resize(program_.module.symbols().size());
    for (int i = 0; i < f_.num_arguments(); ++i) {
      const Shape& shape = f_.parameter(i).type.shape;
      for (int k = 0; k < shape.rank(); ++k) {
        if (shape[k].is_constant()) continue;
        Val& symbol = state_.symbols[static_cast<size_t>(shape[k].symbol())];
        if (symbol.name.empty())
          symbol = frame->w.One("Shape", {frame->Get({i})}, kInt64, {Int("start", k), Int("end", k + 1)});
      }
    }
  }

  void Describe() {
    auto& metadata = model_.metadata;
    metadata.emplace_back("reel.entry", program_.entry);
    for (size_t i = 0; i < program_.state.size(); ++i) {
      const std::string& next = outputs_[static_cast<size_t>(f_.num_outputs()) + i];
      if (!next.empty()) metadata.emplace_back(StrCat("reel.state.", variables_[i]), next);
    }
    for (const ir::Symbol& s : program_.module.symbols())
      metadata.emplace_back(StrCat("reel.extent.", s.name), StrCat(s.min, "..", s.max));
  }

  const exports::Program& program_;
  const OnnxExportOptions& options_;
  const ir::Function& f_;
  ExportState state_;
  Model model_;
  std::vector<std::string> variables_;
  std::vector<std::string> outputs_;  // by result; empty: a variable that is not updated
};

// Names that the nodes of a graph, and of the graphs inside it, read.
void Uses(const Graph& graph, HashSet<std::string>* used) {
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.inputs) used->insert(name);
    for (const Attribute& a : node.attributes) {
      if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&a.value)) Uses(**inner, used);
    }
  }
  for (const ValueInfo& out : graph.outputs) used->insert(out.name);
}

// Removes nodes and constants of the outer graph that nobody reads, from the last to the first.
void Prune(Graph* graph) {
  HashSet<std::string> used;
  for (const ValueInfo& value : graph->outputs) used.insert(value.name);
  for (const ValueInfo& value : graph->inputs) used.insert(value.name);
  std::vector<Node> kept;
  for (auto node = graph->nodes.rbegin(); node != graph->nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(), [&](const auto& n) { return used.contains(n); }))
      continue;
    Graph alone;
    alone.nodes.push_back(*node);
    Uses(alone, &used);
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph->nodes = std::move(kept);
  std::erase_if(graph->initializers, [&](const auto& entry) { return !used.contains(entry.first); });
}

}  // namespace

ValueInfo InfoOf(const ir::Module& module, const std::string& name, const Type& type) {
  ValueInfo info;
  info.name = name;
  info.dtype = type.dtype;
  info.has_shape = true;
  for (const Extent e : type.shape) {
    if (e.is_constant()) {
      info.shape.push_back({e.value(), ""});
    } else {
      info.shape.push_back({-1, module.symbols()[static_cast<size_t>(e.symbol())].name});
    }
  }
  return info;
}

absl::StatusOr<Model> Export(const ir::Module& module, const OnnxExportOptions& options) {
  if (options.opset < kOldest || options.opset > kNewest) {
    return absl::InvalidArgumentError(
        std::string(StrCat("onnx: opset ", options.opset, " is not one of ", kOldest, " to ", kNewest)));
  }
  exports::Format format{.name = "onnx", .expands = IsComposed, .has_complex = false};
  format.refuses = [&](const ir::Function& f, const ir::Node& node) { return ReasonAgainst(f, node, options.opset); };
  auto program = exports::Prepare(module, options.entry, format);
  if (!program.ok()) return program.status();
  if (Depth(program->module) > kDeepest) {
    return absl::UnimplementedError(std::string(
        StrCat("onnx: loops and branches are nested more than ", kDeepest, " deep, which readers of files refuse")));
  }
  Model model = Exporter(*program, options).Run();
  Prune(&model.graph);
  return model;
}

absl::Status Write(const ir::Module& module, const std::string& path, const OnnxExportOptions& options,
                   const OpenFile& open) {
  const absl::StatusOr<Model> model = Export(module, options);
  if (!model.ok()) return model.status();
  const auto to = [&open](const std::string& name) -> Sink {
    return [&open, name, file = static_cast<ir::FileWriter*>(nullptr)](std::string_view bytes) mutable {
      if (!file) {
        const absl::StatusOr<ir::FileWriter*> opened = open(name);
        if (!opened.ok()) return opened.status();
        file = *opened;
      }
      return file->Append(bytes);
    };
  };
  ModelSinks sinks{.model = to(path)};
  if (options.external_data) {
    sinks.data_name = StrCat(std::string(ir::FileName(path)), ".data");
    sinks.data = to(path + ".data");
  }
  return WriteModel(*model, sinks);
}

absl::Status Save(const ir::Module& module, const std::string& path, const OnnxExportOptions& options) {
  std::deque<ir::FileWriter> files;
  const auto open = [&](const std::string& name) -> absl::StatusOr<ir::FileWriter*> {
    auto file = ir::FileWriter::Open(name);
    if (!file.ok()) return file.status();
    return &files.emplace_back(*std::move(file));
  };
  if (absl::Status s = Write(module, path, options, open); !s.ok()) return s;
  for (ir::FileWriter& file : files) {
    if (absl::Status s = file.Finish(); !s.ok()) return s;
  }
  for (ir::FileWriter& file : files) {
    if (absl::Status s = file.Commit(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace onnx

void SaveOnnx(const Module& module, const std::string& path, const OnnxExportOptions& options) {
  if (!module.internal_data()) internal::ThrowError(ErrorCode::kFailedPrecondition, "onnx: a null module");
  internal::Check(onnx::Save(module.internal_data()->module, path, options));
}

void SaveOnnx(const Function& function, const std::string& path, const OnnxExportOptions& options) {
  SaveOnnx(Module::Lift({{function.name(), function}}), path, options);
}

}  // namespace reel
