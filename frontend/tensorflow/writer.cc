#include "frontend/tensorflow/writer.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "frontend/export/program.h"
#include "frontend/tensorflow/messages.h"
#include "frontend/tensorflow/operators.h"
#include "frontend/values/status.h"
#include "ir/budget_scope.h"
#include "ir/names.h"
#include "ir/siphash.h"
#include "ir/strings.h"
#include "passes/specialize.h"

namespace reel::tensorflow {
namespace {

using ir::Op;

// Convolutions that TensorFlow's kernels for CPUs have, and products; f16 and bf16 are f32 between casts.
bool IsWrittenOut(const ir::Function& f, const ir::Node& node) {
  if (node.op != Op::kConv) return true;
  const Type &a = f.type(node.operands[0]), &b = f.type(node.operands[1]);
  const int spatial = a.shape.rank() - 3;
  const auto& dilations = node.attr<std::vector<int64_t>>("b_dilation");
  const bool dilated = std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; });
  return !IsFloat(a.dtype) || IsHalf(a.dtype) || (spatial == 3 && (dilated || b.shape[spatial] != Extent(1)));
}

std::string WhyNot(const ir::Function&, const ir::Node& node) {
  const OpRow& row = RowOf(node.op);
  return row.handler ? "" : std::string(row.note);
}

exports::Program PreparedFor(const ir::Module& module, std::string_view entry, const Dims& dims) {
  const std::vector<std::pair<std::string, int64_t>> values(dims.begin(), dims.end());
  const passes::Extents extents = internal::Take(passes::BindNames(module, values));
  const ir::Module numbers = internal::Take(passes::Specialize(module, extents));
  const exports::Format format{.name = "tensorflow", .expands = IsWrittenOut, .refuses = WhyNot};
  return internal::Take(exports::Prepare(numbers, entry, format));
}

// Writes the functions of a prepared program.
class Walk {
 public:
  Walk(const exports::Program& program, Library* library) : module_(program.module), library_(library) {
    for (const auto& f : module_.functions()) {
      if (f->name() != program.entry) symbols_[f->name()] = library->names->Unique(StrCat("reel_", f->name()));
    }
    for (const auto& f : module_.functions()) {
      if (f->name() != program.entry) AddCallee(*f);
    }
  }

  /// The nodes of a function whose parameters are `values` so far; its results.
  Values Run(const ir::Function& f, Emitter* e, Values values) {
    values.resize(static_cast<size_t>(f.num_values()));
    ir::ChargeVisits(f.nodes().size());
    for (const ir::Node& node : f.nodes()) AddNode(f, node, e, &values);
    Values results;
    for (const ir::Value v : f.results()) results.push_back(values[v.index()]);
    return results;
  }

 private:
  void AddCallee(const ir::Function& f);
  void AddNode(const ir::Function& f, const ir::Node& node, Emitter* e, Values* values);
  void NeedSymbols(const OpContext& c) const;

  const ir::Module& module_;
  Library* library_;
  std::unordered_map<std::string, std::string> symbols_;  // names in the library
};

void Walk::AddCallee(const ir::Function& f) {
  Emitter e(library_);
  Values values;
  for (int i = 0; i < f.num_parameters(); ++i) values.push_back(e.Argument(f.parameter(i).name, f.parameter(i).type));
  Values results = Run(f, &e, std::move(values));
  std::vector<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) names.push_back(StrCat("y", i));
  library_->functions.push_back(e.Finish(symbols_.at(f.name()), std::move(results), std::move(names)));
}

// Refuses a node whose types have an extent that can be read nowhere in its function.
void Walk::NeedSymbols(const OpContext& c) const {
  for (const Type& type : c.types) {
    int32_t missing = 0;
    if (c.e.Knows(type.shape, &missing)) continue;
    const std::string name = ir::Quoted(module_.symbols()[static_cast<size_t>(missing)].name);
    Refuse(c, StrCat("no argument of the function has the extent ", name, "; give it a value (dims, --dim NAME=N)"));
  }
}

void Walk::AddNode(const ir::Function& f, const ir::Node& node, Emitter* e, Values* values) {
  const std::function<std::string(const std::string&)> callee = [&](const std::string& name) {
    return symbols_.at(name);
  };
  OpContext c{*e, f, node, RowOf(node.op).said, {}, {}, callee};
  std::vector<std::string> hints;
  for (const ir::Value v : node.operands) c.x.push_back((*values)[v.index()]);
  for (int i = 0; i < node.num_results; ++i) {
    c.types.push_back(f.type(node.result(i)));
    hints.emplace_back(f.name_hint(node.result(i)));
  }
  const bool control = ir::Info(node.op).Has(ir::kControl);
  if (!control) NeedSymbols(c);
  const int first = e->num_nodes();
  const Values results = e->NameNodes(first, RowOf(node.op).handler(c), hints, ir::Name(node.op));
  for (int i = 0; i < node.num_results; ++i) {
    (*values)[node.result(i).index()] = results[static_cast<size_t>(i)];
    if (control) e->BindSymbols(results[static_cast<size_t>(i)]);
  }
}

// Arguments, then resources that are read at once.
Values AddArguments(const ir::Function& f, const exports::Program& program, Emitter* e, FunctionGraph* out) {
  Values values, resources;
  for (int i = 0; i < f.num_parameters(); ++i) {
    const auto& [name, type] = f.parameter(i);
    const auto state = static_cast<size_t>(std::max(i - f.num_arguments(), 0));
    const bool variable = i >= f.num_arguments();
    const Value value = e->Argument(variable ? f.state()[state] : name, type, variable);
    if (!variable) {
      out->inputs.push_back({name, e->node(value.node).name, type});
      values.push_back(value);
      continue;
    }
    const exports::State& of = program.state[state];
    out->variables.push_back({of.variable, e->node(value.node).name, of.initial, of.updated});
    resources.push_back(value);
  }
  for (size_t i = 0; i < resources.size(); ++i) {
    const int first = e->num_nodes();
    values.push_back(e->Emit("ReadVariableOp", {resources[i]}, resources[i].type));
    e->NameNodes(first, {values.back()}, {StrCat(out->variables[i].name, "/Read")}, "");
  }
  return values;
}

// A result of the entry point, or the new value of a variable.
struct Result {
  size_t index;              // among the function's results
  std::string name, node;    // wanted, and claimed before nodes within take it
  const exports::State* state = nullptr;
};

std::vector<Result> ResultsOf(const exports::Program& program, Emitter* e) {
  const ir::Function& f = program.main();
  const auto outputs = static_cast<size_t>(f.num_outputs());
  std::vector<Result> out;
  for (size_t i = 0; i < f.results().size(); ++i) {
    const exports::State* state = i < outputs ? nullptr : &program.state[i - outputs];
    if (state && !state->updated) continue;
    const std::string name = state ? StrCat(state->variable, "_next") : f.result_name(static_cast<int>(i));
    out.push_back({i, name, e->Claim(name), state});
  }
  return out;
}

// What is assigned comes after what was read.
void AddUpdates(const FunctionGraph& graph, const Values& values, const Values& results, Emitter* e,
                std::vector<int>* assigned) {
  const auto arguments = graph.inputs.size(), outputs = graph.outputs.size();
  for (size_t i = 0; i < graph.variables.size(); ++i) {
    if (!graph.variables[i].updated) continue;
    const Value& read = values[arguments + i];
    const Value resource = e->node(read.node).inputs[0];
    const Value& next = results[outputs + i];
    const int at = e->num_nodes();
    e->EmitAll("AssignVariableOp", {resource, next}, {}, {{"dtype", next.type.dtype}, {"validate_shape", false}});
    e->node(at).after.push_back(read.node);
    e->NameNode(at, StrCat(graph.variables[i].name, "/Assign"));
    assigned->push_back(at);
  }
}

// A constant, or what may be fed; the default is what the variable begins with.
Value AddState(const exports::State& state, int64_t index, Emitter* e) {
  const int first = e->num_nodes();
  Value value = e->Emit("Const", {}, state.initial.type(), {{"value", state.initial}});
  if (state.updated)
    value =
        e->Emit("PlaceholderWithDefault", {value}, value.type, {{"shape", value.type.shape}, {"_reel_input", index}});
  e->node(value.node).attrs.push_back({"_reel_variable", state.variable});
  e->NameNodes(first, {value}, {state.variable}, "variable");
  return value;
}

// Graphs that are imported into one share its library, where a name means one function: what it does is a part of it.
void NameByContent(Body* main, Library* library) {
  proto::FunctionDefLibrary functions;
  for (const Body& f : library->functions) ToFunctionDef(f, functions.add_function());
  ir::SipHash hash({0, 0});
  hash.Add(Serialized(functions));
  std::string tag = "_";
  for (uint64_t sum = hash.Sum()[0]; tag.size() < 9; sum >>= 4) tag += "0123456789abcdef"[sum & 15];
  const auto rename = [&](Body* body) {
    for (GraphNode& node : body->nodes) {
      for (Attr& attr : node.attrs) {
        if (auto* f = std::get_if<FunctionName>(&attr.value)) f->name += tag;
      }
    }
  };
  rename(main);
  for (Body& f : library->functions) {
    f.name += tag;
    rename(&f);
  }
}

}  // namespace

bool InFunctionName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

FunctionGraph AddEntry(const ir::Module& module, std::string_view entry, const Dims& dims, exports::Names* functions,
                       proto::FunctionDefLibrary* library) {
  const exports::Program program = PreparedFor(module, entry, dims);
  const ir::Function& f = program.main();
  FunctionGraph out{program.entry, functions->Unique(StrCat("reel_", program.entry)), {}, {}, {}};
  Library added{functions, {}};
  Emitter e(&added);
  const Values values = AddArguments(f, program, &e, &out);
  const std::vector<Result> wanted = ResultsOf(program, &e);
  const Values results = Walk(program, &added).Run(f, &e, values);
  exports::Names result_names;
  std::vector<std::string> names;
  Values returned;
  for (const Result& result : wanted) {
    if (result.state) continue;  // assigned
    names.push_back(ArgumentNear(result.name, &result_names));
    out.outputs.push_back({result.name, names.back(), results[result.index].type});
    returned.push_back(e.Named(results[result.index], result.node, result.name));
  }
  std::vector<int> assigned;
  AddUpdates(out, values, results, &e, &assigned);
  Body body = e.Finish(out.function, std::move(returned), std::move(names));
  body.control_results = std::move(assigned);
  for (const Body& function : added.functions) ToFunctionDef(function, library->add_function());
  ToFunctionDef(body, library->add_function());
  return out;
}

std::string WriteGraphDef(const ir::Module& module, std::string_view entry, const Dims& dims) {
  const exports::Program program = PreparedFor(module, entry, dims);
  const ir::Function& f = program.main();
  exports::Names functions(InFunctionName);
  Library library{&functions, {}};
  Emitter e(&library);
  Values values;
  for (int i = 0; i < f.num_arguments(); ++i) {
    const Type& type = f.parameter(i).type;
    const int first = e.num_nodes();
    values.push_back(e.Emit("Placeholder", {}, type, {{"shape", type.shape}, {"_reel_input", int64_t{i}}}));
    e.NameNodes(first, {values.back()}, {f.parameter(i).name}, "input");
    e.BindSymbols(values.back());
  }
  for (const exports::State& state : program.state)
    values.push_back(AddState(state, static_cast<int64_t>(values.size()), &e));
  const std::vector<Result> wanted = ResultsOf(program, &e);
  const Values results = Walk(program, &library).Run(f, &e, values);
  for (const Result& result : wanted) {
    const Value value = e.Named(results[result.index], result.node, result.name);
    Attrs& attrs = e.node(value.node).attrs;
    attrs.push_back({"_reel_output", static_cast<int64_t>(result.index)});
    if (result.state) attrs.push_back({"_reel_variable", result.state->variable});
  }
  proto::GraphDef graph;
  Body main = e.Finish("", {}, {});
  NameByContent(&main, &library);
  ToGraphDef(main, library, &graph);
  if (graph.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    internal::ThrowInvalid("tensorflow: the graph is over 2 GiB, the limit of a GraphDef: write a SavedModel");
  return Serialized(graph);
}

}  // namespace reel::tensorflow
