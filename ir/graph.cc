#include "ir/graph.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "ir/budget_scope.h"
#include "ir/siphash.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

const Attributes kNoAttributes;

// Hashes what two functions of one structure share, with a fixed key: fingerprints are stable across processes.
class Mixer {
 public:
  void Add(uint64_t x) { hash_.Add(x); }
  void Add(std::string_view s) { hash_.Add(s); }
  void Add(Value v) { Add(static_cast<uint64_t>(v.id)); }
  void Add(const Shape& shape) {
    Add(static_cast<uint64_t>(shape.rank()));
    for (Extent e : shape) {
      Add(static_cast<uint64_t>(e.is_constant() ? e.value() : -1 - int64_t{e.symbol()}));
    }
  }
  void Add(const Type& type) {
    Add(static_cast<uint64_t>(type.dtype));
    Add(type.shape);
  }
  void Add(const Attributes& attributes) {
    Add(attributes.entries().size());
    for (const auto& [name, value] : attributes.entries()) {
      Add(std::string_view(name));
      Add(static_cast<uint64_t>(value.index()));
      std::visit([this](const auto& v) { AddOne(v); }, value);
    }
  }
  uint64_t value() const { return hash_.Sum()[0]; }

 private:
  void AddOne(int64_t v) { Add(static_cast<uint64_t>(v)); }
  void AddOne(bool v) { Add(uint64_t{v}); }
  void AddOne(const std::string& v) { Add(std::string_view(v)); }
  void AddOne(DType v) { Add(static_cast<uint64_t>(v)); }
  void AddOne(const Shape& v) { Add(v); }
  void AddOne(const std::vector<int64_t>& v) {
    Add(v.size());
    for (int64_t x : v) Add(static_cast<uint64_t>(x));
  }
  void AddOne(const Literal& v) {
    Add(v.type());
    Add(std::string_view(reinterpret_cast<const char*>(v.bytes().data()), v.bytes().size()));
  }
  SipHash hash_{{0x243f6a8885a308d3u, 0x13198a2e03707344u}};
};

// "name.7" -> {"name", 7}; 0 if there is no such number, or one too large to count on from.
std::pair<std::string_view, int64_t> SplitSuffix(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {name, 0};
  int64_t n = 0;
  const char* end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + dot + 1, end, n);
  const bool counts = error == std::errc() && last == end && n < (int64_t{1} << 62);
  return {name.substr(0, dot), counts ? n : 0};
}

}  // namespace

const Attributes& Node::attrs() const { return attributes ? *attributes : kNoAttributes; }

Value Function::AddParameter(std::string name, Type type) {
  if (!nodes_.empty() || !state_.empty()) throw std::logic_error("parameters come before states and nodes");
  ChargeParameter(name.size());
  parameters_.push_back({std::move(name), type});
  types_.push_back(std::move(type));
  producers_.push_back(-1);
  return {num_values() - 1};
}

Value Function::AddState(std::string variable, Type type) {
  if (!nodes_.empty()) throw std::logic_error("states come before nodes");
  ChargeParameter(variable.size());
  parameters_.push_back({variable, type});
  state_.push_back(std::move(variable));
  types_.push_back(std::move(type));
  producers_.push_back(-1);
  return {num_values() - 1};
}

const Node& Function::AddNode(Op op, absl::Span<const Value> operands, std::shared_ptr<const Attributes> attributes,
                              absl::Span<const Type> types, int32_t location) {
  ChargeNode(operands.size(), types.size());
  Node node{op,           ValueList(operands.begin(), operands.end()), std::move(attributes),
            num_values(), static_cast<int32_t>(types.size()),          location};
  for (const Type& type : types) {
    types_.push_back(type);
    producers_.push_back(static_cast<int32_t>(nodes_.size()));
  }
  nodes_.push_back(std::move(node));
  return nodes_.back();
}

std::string Function::result_name(int i) const {
  const auto n = static_cast<size_t>(i);
  if (n < result_names_.size() && !result_names_[n].empty()) return result_names_[n];
  return StrCat("result", i);
}

const Node* Function::producer(Value v) const {
  const int32_t index = producer_index(v);
  return index < 0 ? nullptr : &nodes_[static_cast<size_t>(index)];
}

bool Function::Is(Value v, Op op) const {
  const Node* node = producer(v);
  return node && node->op == op;
}

std::string_view Function::name_hint(Value v) const {
  if (is_parameter(v)) return parameter(v.id).name;
  const auto it = hints_.find(v.id);
  return it == hints_.end() ? std::string_view() : it->second;
}

int32_t Function::AddLocation(Location location) {
  // Neighbouring nodes share their line: looking at the last few keeps this linear.
  for (size_t i = locations_.size(), n = 0; i-- > 0 && n < 8; ++n) {
    if (locations_[i] == location) return static_cast<int32_t>(i);
  }
  locations_.push_back(std::move(location));
  return static_cast<int32_t>(locations_.size() - 1);
}

Module::Module(const Module& other) { *this = other; }

Module& Module::operator=(const Module& other) {
  if (this == &other) return *this;
  name_ = other.name_;
  functions_.clear();
  for (const auto& f : other.functions_) functions_.push_back(std::make_unique<Function>(*f));
  variables_ = other.variables_;
  function_index_ = other.function_index_;
  last_suffix_ = other.last_suffix_;
  variable_index_ = other.variable_index_;
  symbols_ = other.symbols_;
  metadata_ = other.metadata_;
  return *this;
}

Function& Module::AddFunction(Function function) {
  const auto [it, added] = function_index_.emplace(function.name(), functions_.size());
  if (added) functions_.emplace_back();
  if (const auto [base, n] = SplitSuffix(function.name()); n > 0) {
    int64_t& last = last_suffix_[std::string(base)];
    last = std::max(last, n);
  }
  auto& slot = functions_[it->second];
  slot = std::make_unique<Function>(std::move(function));
  return *slot;
}

const Function* Module::FindFunction(std::string_view name) const {
  const auto it = function_index_.find(std::string(name));
  return it == function_index_.end() ? nullptr : functions_[it->second].get();
}

Function* Module::FindFunction(std::string_view name) {
  return const_cast<Function*>(std::as_const(*this).FindFunction(name));
}

void Module::RemoveFunction(std::string_view name) {
  const auto it = function_index_.find(std::string(name));
  if (it == function_index_.end()) return;
  const size_t at = it->second;
  function_index_.erase(it);
  functions_.erase(functions_.begin() + static_cast<std::ptrdiff_t>(at));
  for (size_t i = at; i < functions_.size(); ++i) function_index_[functions_[i]->name()] = i;
}

std::string Module::UniqueFunctionName(std::string_view name) const {
  std::string candidate(name);
  if (!FindFunction(candidate)) return candidate;
  const auto it = last_suffix_.find(candidate);
  int64_t n = it == last_suffix_.end() ? 0 : it->second;
  do {
    candidate = StrCat(name, ".", ++n);
  } while (FindFunction(candidate));
  return candidate;
}

Type Variable::WholeType() const {
  Type whole = type;
  if (parts > 1) whole.shape.set(0, parts * type.shape.dim(0));
  return whole;
}

Variable& Module::AddVariable(Variable variable) {
  variable_index_.emplace(variable.name, variables_.size());
  variables_.push_back(std::move(variable));
  return variables_.back();
}

const Variable* Module::FindVariable(std::string_view name) const {
  const auto it = variable_index_.find(std::string(name));
  return it == variable_index_.end() ? nullptr : &variables_[it->second];
}

TypeList OperandTypes(const Function& function, absl::Span<const Value> operands) {
  TypeList types;
  for (Value v : operands) types.push_back(function.type(v));
  return types;
}

uint64_t Fingerprint(const Function& function) {
  ChargeVisits(function.nodes().size());
  Mixer mixer;
  mixer.Add(static_cast<uint64_t>(function.num_parameters()));
  for (int i = 0; i < function.num_parameters(); ++i) mixer.Add(function.parameter(i).type);
  mixer.Add(function.state().size());
  for (const std::string& name : function.state()) mixer.Add(std::string_view(name));
  mixer.Add(function.nodes().size());
  for (const Node& node : function.nodes()) {
    mixer.Add(static_cast<uint64_t>(node.op));
    mixer.Add(node.operands.size());
    for (Value v : node.operands) mixer.Add(v);
    mixer.Add(node.attrs());
    mixer.Add(static_cast<uint64_t>(node.num_results));
    for (int i = 0; i < node.num_results; ++i) mixer.Add(function.type(node.result(i)));
  }
  for (Value v : function.results()) mixer.Add(v);
  return mixer.value();
}

}  // namespace reel::ir
