#include "frontend/onnx/import.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "frontend/onnx/functions.h"
#include "frontend/onnx/node.h"
#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/imported.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/budget_meter.h"
#include "ir/eval/eval.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"

// Runs the nodes of a model inside a trace: each handler calls the ops of reel/ops.h on symbolic
// tensors, so a model is imported as the program that a user would have written.

namespace reel {
namespace onnx {
namespace {

// Larger values are not computed at import, even where all inputs are known.
constexpr int64_t kMaxFolded = 1 << 16;
// Larger constants become frozen variables.
constexpr int64_t kMaxConstant = 1 << 12;
constexpr int64_t kMaxFoldOperations = 100'000'000;

using Scope = internal::NameScope<Value>;
using internal::kDeepestCall;

std::string Describe(const Node& node, size_t index) {
  std::string out = StrCat("node ", index + 1);
  if (!node.name.empty()) StrAppend(&out, " ", ir::Quoted(node.name));
  return StrCat(out, " (", node.domain.empty() ? "" : node.domain + ".", node.op, ")");
}

class Importer {
 public:
  Importer(const Model& model, const std::string& name, const OnnxOptions& options)
      : model_(model),
        functions_(model),
        file_(name.substr(name.rfind('/') + 1)),
        options_(options),
        meter_(options.budget) {}

  Module Import();

 private:
  void CheckModel();
  void SplitInputs();
  Type InputType(const ValueInfo& input) const;
  Value Initial(const std::string& name, const ir::Literal& literal);
  NamedTensors RunMain(std::span<const Tensor> arguments);
  std::vector<Value> RunSubgraph(const Graph& graph, const std::vector<Value>& arguments, const Scope* outer);
  void AddInitializers(const Graph& graph, Scope* scope);
  void RunNodes(const std::vector<Node>& nodes, Scope* scope);
  void RunNode(const Node& node, Scope* scope);
  void RunFunction(const FunctionBody& body, const Node& node, Scope* scope);
  std::vector<Value> ReadInputs(const Node& node, const Scope& scope) const;
  Tensors Fold(const OpRow& row, const Node& node, const std::vector<Value>& inputs,
               std::map<size_t, int64_t>* small) const;
  void Define(Scope* scope, const std::string& name, Value value) const;
  const Value& Lookup(const Scope& scope, const std::string& name) const;

  const Model& model_;
  FunctionTable functions_;
  std::string file_;  // of locations
  const OnnxOptions& options_;
  ir::BudgetMeter meter_;
  int64_t opset_ = 1;
  std::set<std::string, std::less<>> moments_;   // running means and variances
  std::vector<const FunctionBody*> calls_;       // that are running, the innermost last
  std::vector<std::shared_ptr<const std::vector<Node>>> written_;  // bodies of calls; initial_ points into them
  HashMap<const ir::Literal*, Value> initial_;  // a subgraph may run many times
  std::vector<const ValueInfo*> arguments_;
  std::vector<Spec> specs_;
};

// The version of the standard domain among these, else `otherwise`.
int64_t StandardOpset(const Opsets& opsets, int64_t otherwise) {
  for (const auto& [domain, version] : opsets) {
    if (domain.empty() || domain == "ai.onnx") otherwise = version;
  }
  return otherwise;
}

void Importer::CheckModel() {
  opset_ = StandardOpset(model_.opsets, 1);
  for (const auto& [input, tensor] : options_.constants) {
    const auto is_input = [&](const ValueInfo& info) { return info.name == input; };
    if (std::none_of(model_.graph.inputs.begin(), model_.graph.inputs.end(), is_input))
      Wrong(StrCat("constant ", ir::Quoted(input), ": the graph has no such input"));
  }
  std::set<std::string> open;
  for (const ValueInfo& info : model_.graph.inputs) {
    for (const Dimension& dim : info.shape) {
      if (dim.value < 0 && !dim.name.empty()) open.insert(dim.name);
    }
  }
  for (const auto& [name, value] : options_.dims) {
    if (open.contains(name)) continue;
    std::string all;
    for (const std::string& other : open) StrAppend(&all, all.empty() ? "" : ", ", ir::Quoted(other));
    Wrong(StrCat("dim ", ir::Quoted(name),
                 ": no input has an axis of that name; open axes: ", all.empty() ? "none" : all));
  }
}

Type Importer::InputType(const ValueInfo& input) const {
  const std::string what = StrCat("input ", ir::Quoted(input.name));
  if (!input.unsupported.empty()) Refuse(StrCat(what, ": ", input.unsupported, " are not supported"));
  if (!input.has_shape) Refuse(StrCat(what, " has no shape; give it one in the model"));
  if (input.shape.size() > kMaxRank) Refuse(StrCat(what, " has rank ", input.shape.size()));
  std::vector<int64_t> dims;
  for (const Dimension& dim : input.shape) {
    const auto given = options_.dims.find(dim.name);
    if (dim.value < 0 && (dim.name.empty() || given == options_.dims.end())) {
      Refuse(StrCat(what, ": axis ", dims.size(), " is open",
                    dim.name.empty() ? "; give the model a number or a name for it"
                                     : StrCat(" (", ir::Quoted(dim.name), "); give it: OnnxOptions::dims or --dim ",
                                              dim.name, "=8")));
    }
    dims.push_back(dim.value >= 0 ? dim.value : given->second);
    if (dims.back() < 0) Wrong(StrCat("dim ", ir::Quoted(dim.name), " must not be negative"));
  }
  const Type type{input.dtype, Shape(dims)};
  if (!FitsInMemory(type.shape)) Wrong(StrCat(what, ": ", type.ToString(), " is too large"));
  return type;
}

// Inputs that are neither constants nor have an initial value become arguments.
void Importer::SplitInputs() {
  HashMap<std::string_view, bool> initialized;
  for (const auto& [name, literal] : model_.graph.initializers) initialized[name] = true;
  for (const ValueInfo& input : model_.graph.inputs) {
    if (initialized.contains(input.name) || options_.constants.contains(input.name)) continue;
    arguments_.push_back(&input);
    const Type type = InputType(input);
    specs_.emplace_back(type.dtype, type.shape, input.name);
  }
}

Module Importer::Import() {
  CheckModel();
  SplitInputs();
  for (const Node& node : model_.graph.nodes) {
    if (node.op != "BatchNormalization") continue;
    for (size_t i = 3; i < node.inputs.size(); ++i) moments_.insert(node.inputs[i]);
  }
  const auto callable = [this](std::span<const Tensor> arguments) { return RunMain(arguments); };
  return Module::Lift({{options_.entry, callable, specs_}}, model_.graph.name.empty() ? "onnx" : model_.graph.name);
}

NamedTensors Importer::RunMain(std::span<const Tensor> arguments) {
  Scope scope;
  for (const auto& [name, tensor] : options_.constants) Define(&scope, name, {tensor, {}, tensor, ""});
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments_[i]->name;
    Define(&scope, name, {arguments[i], {}, {}, name, nullptr, arguments_[i]->small});
  }
  AddInitializers(model_.graph, &scope);
  RunNodes(model_.graph.nodes, &scope);
  NamedTensors results;
  for (const ValueInfo& output : model_.graph.outputs) {
    if (!output.unsupported.empty())
      Refuse(StrCat("output ", ir::Quoted(output.name), ": ", output.unsupported, " are not supported"));
    results.emplace_back(output.name, Lookup(scope, output.name).Get());
  }
  return results;
}

std::vector<Value> Importer::RunSubgraph(const Graph& graph, const std::vector<Value>& arguments, const Scope* outer) {
  if (arguments.size() != graph.inputs.size()) {
    Wrong(StrCat("subgraph ", ir::Quoted(graph.name), " has ", graph.inputs.size(), " inputs, its node gives ",
                 arguments.size()));
  }
  Scope scope;
  scope.outer = outer;
  for (size_t i = 0; i < arguments.size(); ++i) Define(&scope, graph.inputs[i].name, arguments[i]);
  AddInitializers(graph, &scope);
  RunNodes(graph.nodes, &scope);
  std::vector<Value> results;
  for (const ValueInfo& output : graph.outputs) results.push_back(Lookup(scope, output.name));
  return results;
}

// A value that the model holds: floats are weights, large ones of other dtypes frozen variables. A
// single number is an exponent or an epsilon, not a weight; running moments are not trained either.
Value Importer::Initial(const std::string& name, const ir::Literal& literal) {
  Value& value = initial_[&literal];
  if (value.defined()) return value;
  const Tensor tensor = internal::FromLiteral(literal);
  if (literal.size() <= kMaxFolded) value.known = tensor;
  if ((IsDifferentiable(literal.dtype()) && literal.shape().rank() > 0) || literal.size() > kMaxConstant) {
    const bool trainable = options_.trainable && IsDifferentiable(literal.dtype()) && !moments_.contains(name);
    value.variable = Variable(tensor, {.name = name, .trainable = trainable});
  } else {
    value.tensor = tensor;
  }
  return value;
}

void Importer::AddInitializers(const Graph& graph, Scope* scope) {
  for (const auto& [name, literal] : graph.initializers) {
    if (scope->outer == nullptr && options_.constants.contains(name)) continue;
    Value value = Initial(name, literal);
    if (const auto small = graph.small.find(name); small != graph.small.end()) value.small = small->second;
    Define(scope, name, std::move(value));
  }
}

void Importer::Define(Scope* scope, const std::string& name, Value value) const {
  if (!scope->values.emplace(name, std::move(value)).second)
    Wrong(StrCat("the value ", ir::Quoted(name), " is defined twice"));
}

const Value& Importer::Lookup(const Scope& scope, const std::string& name) const {
  const Value* value = scope.Find(name);
  if (!value) Wrong(StrCat("the value ", ir::Quoted(name), " is used before it is defined"));
  return *value;
}

void Importer::RunNodes(const std::vector<Node>& nodes, Scope* scope) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const internal::ImportedLine location(file_.c_str(), static_cast<uint32_t>(i + 1));  // a model has nodes, not lines
    try {
      RunNode(node, scope);
    } catch (const UnknownElements& error) {
      throw UnknownElements(error.input(), StrCat(Describe(node, i), ": ", error.what()));
    } catch (const Error& error) {
      throw Error(error.code(), StrCat(Describe(node, i), ": ", error.what()));
    }
  }
}

std::vector<Value> Importer::ReadInputs(const Node& node, const Scope& scope) const {
  std::vector<Value> inputs;
  for (const std::string& name : node.inputs) inputs.push_back(name.empty() ? Value() : Lookup(scope, name));
  return inputs;
}

// The nodes of a function that the model defines, with the attributes of the call, in a scope of
// their own.
void Importer::RunFunction(const FunctionBody& body, const Node& node, Scope* scope) {
  if (std::find(calls_.begin(), calls_.end(), &body) != calls_.end()) Wrong("the function calls itself");
  if (calls_.size() >= kDeepestCall) Refuse(StrCat("calls of functions nest deeper than ", kDeepestCall));
  if (node.inputs.size() > body.inputs.size() || node.outputs.size() > body.outputs.size())
    Wrong(StrCat("the function has ", body.inputs.size(), " inputs and ", body.outputs.size(), " outputs"));
  for (const Node& inner : body.nodes) internal::Check(meter_.AddNode(inner.inputs.size(), inner.outputs.size()));
  const auto written = std::make_shared<const std::vector<Node>>(WithAttributes(body, node));
  written_.push_back(written);
  Scope inside;
  const std::vector<Value> inputs = ReadInputs(node, *scope);
  for (size_t i = 0; i < body.inputs.size(); ++i)
    Define(&inside, body.inputs[i], i < inputs.size() ? inputs[i] : Value());
  const int64_t opset = std::exchange(opset_, StandardOpset(body.opsets, opset_));
  calls_.push_back(&body);
  RunNodes(*written, &inside);
  calls_.pop_back();
  opset_ = opset;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].empty()) Define(scope, node.outputs[i], Lookup(inside, body.outputs[i]));
  }
}

void Importer::RunNode(const Node& node, Scope* scope) {
  internal::Check(meter_.CheckTime());
  const OpRow* row = FindOp(node.domain, node.op);
  if (!row) {
    if (const FunctionBody* body = functions_.Find(node)) return RunFunction(*body, node, scope);
    Refuse(node.domain.empty() || node.domain == "ai.onnx" ? WhyNot(node.op) : "Reel does not have this domain");
  }
  if (opset_ < row->since) {
    Refuse(
        StrCat("of opset ", opset_, "; it is read from opset ", row->since, " on: convert the model to a newer opset"));
  }
  std::vector<Value> inputs = ReadInputs(node, *scope);
  bool known = !node.inputs.empty(), weights = false;
  std::string origin;
  for (const Value& x : inputs) {
    if (!x.defined()) continue;
    known = known && x.known.defined();
    weights = weights || x.variable.defined() || (x.known.defined() && x.tensor.symbolic());
    if (origin.empty()) origin = x.origin;
  }
  Tensors folded, results;
  std::vector<Value> given;
  std::map<size_t, int64_t> small;
  if (known && row->fold) folded = Fold(*row, node, inputs, &small);
  if (folded.empty() || weights) {
    const NodeContext context(
        node, opset_, std::move(inputs),
        [&](const Graph& graph, const std::vector<Value>& arguments) { return RunSubgraph(graph, arguments, scope); });
    results = row->import(context);
    context.CheckAllRead();
    given = context.given();
    small = context.small();
  } else {
    results = folded;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (i < given.size() && given[i].defined()) {
      Define(scope, node.outputs[i], given[i]);
      continue;
    }
    if (i >= results.size() || !results[i].defined()) Refuse(StrCat("output ", i, " is not supported"));
    Value value{results[i], {}, folded.empty() ? Tensor() : folded[i], origin};
    if (const auto it = small.find(i); it != small.end()) value.small = it->second;
    if (!results[i].symbolic()) {
      if (results[i].size() <= kMaxFolded) value.known = results[i];
      if (results[i].size() > kMaxConstant)
        value.variable = Variable(results[i], {.name = node.outputs[i], .trainable = false});
    }
    Define(scope, node.outputs[i], std::move(value));
  }
}

// The results of a node whose inputs are all known, by the reference evaluator; none if they are
// large or cannot be computed.
Tensors Importer::Fold(const OpRow& row, const Node& node, const std::vector<Value>& inputs,
                       std::map<size_t, int64_t>* small) const {
  const internal::SuspendScope suspend;
  std::vector<Value> known;
  for (const Value& x : inputs) known.push_back({x.known, {}, x.known, "", nullptr, x.small});
  const NodeContext context(node, opset_, known, nullptr);
  const Function f = internal::TraceFunction("fold",
                                             [&](std::span<const Tensor>) {
                                               const Tensors results = row.import(context);
                                               context.CheckAllRead();
                                               return NamedTensors(results.begin(), results.end());
                                             },
                                             {});
  *small = context.small();
  const internal::ModuleData& data = *f.internal_data();
  const ir::Function& function = *data.module.FindFunction(data.entry);
  for (const ir::Value v : function.results()) {
    if (function.type(v).shape.size() > kMaxFolded) return {};
  }
  const auto result =
      ir::EvaluateLiterals(data.module, function, {}, {.max_operations = kMaxFoldOperations, .round_each_op = true});
  if (!result.ok()) return {};
  Tensors out;
  for (const ir::Literal& literal : *result) out.push_back(internal::FromLiteral(literal));
  return out;
}

}  // namespace

Module Import(std::string_view bytes, const std::string& name, const OnnxOptions& options,
              const ReadExternal& external) {
  const Model model = internal::Take(ParseModel(std::as_bytes(std::span(bytes)), name, options.budget, external));
  try {
    return Importer(model, name, options).Import();
  } catch (const UnknownElements& error) {
    throw UnknownElements(error.input(), StrCat("onnx: ", ir::Quoted(name), ": ", error.what()));
  } catch (const Error& error) {
    throw Error(error.code(), StrCat("onnx: ", ir::Quoted(name), ": ", error.what()));
  }
}

}  // namespace onnx
}  // namespace reel
