#include <algorithm>
#include <memory>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/key_hash.h"
#include "ir/strings.h"
#include "passes/gradient/rule.h"
#include "passes/gradient/sweep.h"
#include "passes/rewrite.h"

// Forward mode, node by node: one rule serves both directions.
//   real elementwise ops: the Jacobian is diagonal, so the rule itself, given tangents for cotangents;
//   other ops, and calls with a vjp: the rule g(u) = J'u is linear in u; its transpose is J;
//   call, if, while: the same of functions that carry tangents beside values.

namespace reel::passes {
namespace {

using ir::Value;
using ir::ValueList;

}  // namespace

/// Asks for a function of (parameters, tangents of those marked) -> (results, tangents of those marked).
struct JvpKey {
  std::string function;
  Mask parameters, results;
  template <typename H>
  friend H AbslHashValue(H h, const JvpKey& k) {
    return H::combine(std::move(h), k.function, k.parameters, k.results);
  }
  friend bool operator==(const JvpKey&, const JvpKey&) = default;
};

/// Functions made by the way.
struct JvpFunctions {
  explicit JvpFunctions(ir::Module* m) : module(m), gradients(m) {}
  std::string AddFunction(ir::Function f) {
    std::string name = module->UniqueFunctionName(f.name());
    f.set_name(name);
    module->AddFunction(std::move(f));
    return name;
  }
  ir::Module* module;
  FunctionGradients gradients;  // of what calls with a vjp name: shared, so that each is built once
  HashMap<JvpKey, std::string, ir::KeyHash> names;  // of what is built
};

/// The tangents of one node's results.
class NodeJvp {
 public:
  /// `source` is the node where it was found, in `from`; `node` the same in the function of the
  /// builder. Control ops read `source` and the operands of `node` alone: they compute the results
  /// again, with the tangents.
  NodeJvp(ir::Builder* b, JvpFunctions* functions, const ir::Function& from, const ir::Node& source, ir::Node node,
          ValueList tangents)
      : b_(*b),
        functions_(functions),
        from_(from),
        source_(source),
        node_(std::move(node)),
        in_(std::move(tangents)),
        tangents_(static_cast<size_t>(node_.num_results)) {}

  /// Null when done, else the function to build before a new attempt. Errors are the builder's.
  std::optional<JvpKey> Run() {
    const bool vjp = node_.op == ir::Op::kCall && node_.attrs().Find("vjp") != nullptr;
    if (ir::Info(node_.op).Has(ir::kControl) && !vjp) {
      node_.op == ir::Op::kWhile ? While() : Branches();
    } else if (IsDiagonal()) {
      Diagonal();
    } else {
      Transpose();
    }
    return std::move(request_);
  }
  /// One per result; invalid = zero.
  const ValueList& tangents() const { return tangents_; }
  /// What a control op computed beside the tangents.
  const ValueList& results() const { return results_; }

 private:
  bool IsDiagonal() const {
    if (!ir::Info(node_.op).Has(ir::kElementwise)) return false;
    const DType dtype = b_.type(node_.result()).dtype;
    for (size_t i = 0; i < in_.size(); ++i) {
      if (in_[i].valid() && b_.type(node_.operands[i]).dtype != dtype) return false;
    }
    return IsFloat(dtype);
  }

  void Diagonal() {
    for (size_t i = 0; i < in_.size(); ++i) {
      if (!in_[i].valid()) continue;
      GradContext g(&b_, node_, nullptr);
      g.wanted_[i] = g.active_[i] = true;
      g.needs_ = NeededByGradient(node_.op, 1u << i);
      g.cotangents_[0] = {in_[i]};
      RuleOf(node_.op).emit(g, b_);
      const Value part = g.gradients_[i].value;
      if (part.valid()) tangents_[0] = tangents_[0].valid() ? b_.Add(tangents_[0], part) : part;
    }
  }

  // In a function of its own: the node, its gradient for u, and the gradient of that by u.
  void Transpose() {
    ir::Function s("transpose");
    Mask moving;
    ValueList operands, xs, dxs;
    for (Value v : node_.operands) operands.push_back(s.AddParameter(StrCat("x", v.id), b_.type(v)));
    for (size_t i = 0; i < in_.size(); ++i) {
      if (!in_[i].valid()) continue;
      xs.push_back(operands[i]);
      dxs.push_back(s.AddParameter(StrCat("d", i), b_.type(in_[i])));
    }
    ir::TypeList types;
    for (int i = 0; i < node_.num_results; ++i) types.push_back(b_.type(node_.result(i)));
    s.AddNode(node_.op, operands, node_.attributes, types);
    const int32_t first = s.nodes()[0].first_result;
    std::vector<Value> ys, us;
    ir::Builder sb(&s, b_.module());
    for (size_t i = 0; i < types.size(); ++i) {
      if (!IsDifferentiable(types[i].dtype)) continue;
      ys.push_back({first + static_cast<int32_t>(i)});
      us.push_back(sb.Ones(types[i]));  // any but 0, for which rules have answers of their own
    }
    const auto g = GradientsWith(&functions_->gradients, &s, ys, xs, {.grad_ys = us, .name_nodes = false});
    if (!g.ok()) return void(b_.Fail(g.status()));
    std::vector<Value> connected;
    GradientOptions along{.name_nodes = false};
    for (size_t i = 0; i < xs.size(); ++i) {
      if (!(*g)[i].valid()) continue;
      connected.push_back((*g)[i]);
      along.grad_ys.push_back(dxs[i]);
    }
    const auto t = GradientsWith(&functions_->gradients, &s, connected, us, along);
    if (!t.ok()) return void(b_.Fail(t.status()));
    s.SetResults(OnlyValid(*t));
    CopyTransposed(s, dxs, *t);
  }

  static std::vector<Value> OnlyValid(const std::vector<Value>& values) {
    std::vector<Value> out;
    for (Value v : values) {
      if (v.valid()) out.push_back(v);
    }
    return out;
  }

  // The nodes of s on which the tangents t depend; `node_` itself exists.
  void CopyTransposed(const ir::Function& s, const ValueList& dxs, const std::vector<Value>& t) {
    Copier copier(s, b_.function());
    for (size_t i = 0; i < node_.operands.size(); ++i) copier.Map({static_cast<int32_t>(i)}, node_.operands[i]);
    size_t next = 0;
    for (Value d : in_) {
      if (d.valid()) copier.Map(dxs[next++], d);
    }
    for (int i = 0; i < node_.num_results; ++i) copier.Map(s.nodes()[0].result(i), node_.result(i));
    const std::vector<bool> live = LiveNodes(s);
    for (size_t n = 1; n < live.size(); ++n) {
      if (live[n]) copier.CopyNode(s.nodes()[n]);
    }
    next = 0;
    for (int i = 0; i < node_.num_results; ++i) {
      if (!IsDifferentiable(b_.type(node_.result(i)).dtype)) continue;
      if (const Value d = t[next++]; d.valid()) tangents_[static_cast<size_t>(i)] = copier(d);
    }
  }

  // The name of a function with tangents; empty after noting that it must be built first.
  std::string Require(JvpKey key) {
    const auto it = functions_->names.find(key);
    if (it != functions_->names.end()) return it->second;
    request_ = std::move(key);
    return {};
  }

  // Values, then the tangents of those marked, zeros where there are none.
  ValueList WithTangents(size_t from, const Mask& mask) {
    ValueList out(node_.operands.begin() + static_cast<std::ptrdiff_t>(from), node_.operands.end());
    for (size_t i = 0; i < mask.size(); ++i) {
      if (!mask[i]) continue;
      const Value d = in_[from + i];
      out.push_back(d.valid() ? d : b_.Zeros(Type(b_.type(node_.operands[from + i]))));
    }
    return out;
  }

  void Split(const ValueList& all, const Mask& mask) {
    if (all.empty()) return;
    auto next = static_cast<size_t>(node_.num_results);
    results_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(next));
    for (size_t i = 0; i < mask.size(); ++i) {
      if (mask[i]) tangents_[i] = all[next++];
    }
  }

  Mask Moving() const {
    Mask moving;
    for (Value d : in_) moving.push_back(d.valid());
    return moving;
  }

  void Branches() {
    const size_t from = node_.op == ir::Op::kIf ? 1 : 0;  // a condition has no tangent
    const Mask moving = Moving(), results = functions_->gradients.flow().Forward(from_, source_, moving);
    if (!Any(results)) return;
    const Mask parameters(moving.begin() + static_cast<std::ptrdiff_t>(from), moving.end());
    const auto name = [&](std::string_view attribute) {
      return Require({source_.attr<std::string>(attribute), parameters, results});
    };
    if (node_.op == ir::Op::kCall) {
      const std::string callee = name("callee");
      if (!request_) Split(b_.Call(callee, WithTangents(0, parameters)), results);
      return;
    }
    const std::string yes = name("then");
    if (request_) return;
    const std::string no = name("else");
    if (!request_) Split(b_.If(node_.operands[0], yes, no, WithTangents(1, parameters)), results);
  }

  void While() {
    const Mask carried = functions_->gradients.flow().LoopForward(source_, Moving());
    const std::string body = Require({source_.attr<std::string>("body"), carried, carried});
    if (request_) return;
    const ValueList operands = WithTangents(0, carried);
    const std::string cond = AddCondition(operands);
    const auto* bound = source_.attrs().Find("maximum_iterations");
    Split(b_.While(cond, body, operands, bound ? std::get<int64_t>(*bound) : -1), carried);
  }

  // The loop's condition, of values and tangents.
  std::string AddCondition(const ValueList& operands) {
    if (!b_.status().ok()) return {};
    const auto& cond = source_.attr<std::string>("cond");
    ir::Function f(StrCat(cond, ".jvp"));
    ir::Builder b(&f, functions_->module);
    ValueList in;
    for (Value v : operands) in.push_back(f.AddParameter(StrCat("x", in.size()), b_.type(v)));
    const ValueList more = b.Call(cond, absl::MakeSpan(in).first(node_.operands.size()));
    if (!b.status().ok()) b_.Fail(b.status());
    f.SetResults({more.begin(), more.end()});
    return functions_->AddFunction(std::move(f));
  }

  ir::Builder& b_;
  JvpFunctions* functions_;
  const ir::Function& from_;
  const ir::Node& source_;
  const ir::Node node_;  // a copy: emitting moves the function's nodes
  const ValueList in_;   // tangents of the operands; invalid = zero
  ValueList tangents_, results_;
  std::optional<JvpKey> request_;
};

namespace {

// A copy of a function that carries tangents. It stops where it needs another one and goes on when
// called again.
class FunctionJvp {
 public:
  /// As an entry point, state stays state, behind the tangents; else it is ordinary.
  FunctionJvp(JvpKey key, JvpFunctions* functions, bool entry)
      : key_(std::move(key)),
        functions_(functions),
        from_(*functions->module->FindFunction(key_.function)),
        to_(StrCat(key_.function, ".jvp")),
        copier_(from_, &to_),
        b_(&to_, functions->module),
        tangents_(static_cast<size_t>(from_.num_values())),
        entry_(entry) {
    const int plain = entry ? from_.num_arguments() : from_.num_parameters();
    for (int i = 0; i < plain; ++i) AddParameter(i, from_.parameter(i).name);
    for (int i = 0; i < plain; ++i) {
      if (!key_.parameters[static_cast<size_t>(i)]) continue;
      tangents_[static_cast<size_t>(i)] =
          to_.AddParameter(Unique(StrCat("d.", from_.parameter(i).name)), from_.parameter(i).type);
    }
    for (int i = plain; i < from_.num_parameters(); ++i) {
      copier_.Map({i}, to_.AddState(from_.parameter(i).name, from_.parameter(i).type));
    }
  }

  absl::StatusOr<std::optional<JvpKey>> Run() {
    for (; done_ < from_.nodes().size(); ++done_) {
      auto request = Visit(from_.nodes()[done_]);
      if (!b_.status().ok()) return b_.status();
      if (request) return request;
    }
    return std::optional<JvpKey>();
  }

  absl::Status Finish() {
    const auto outputs = entry_ ? static_cast<size_t>(from_.num_outputs()) : from_.results().size();
    std::vector<Value> results;
    std::vector<std::string> names = from_.result_names();
    names.resize(static_cast<size_t>(from_.num_outputs()));
    const auto value = [&](size_t i) { return copier_(from_.results()[i]); };
    for (size_t i = 0; i < outputs; ++i) results.push_back(value(i));
    for (size_t i = 0; i < outputs; ++i) {
      if (!key_.results[i]) continue;
      const Value d = tangents_[from_.results()[i].index()];
      results.push_back(d.valid() ? d : b_.Zeros(Type(b_.type(value(i)))));
      if (entry_) names.push_back(StrCat("d.", from_.result_name(static_cast<int>(i))));
    }
    for (size_t i = outputs; i < from_.results().size(); ++i) results.push_back(value(i));
    if (!b_.status().ok()) return b_.status();
    to_.SetResults(std::move(results));
    if (entry_) to_.set_result_names(std::move(names));
    functions_->names.emplace(key_, functions_->AddFunction(WithoutDeadNodes(to_)));
    return absl::OkStatus();
  }

 private:
  std::string Unique(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }
  void AddParameter(int i, const std::string& name) {
    copier_.Map({i}, to_.AddParameter(Unique(name), from_.parameter(i).type));
  }

  std::optional<JvpKey> Visit(const ir::Node& node) {
    ir::ChargeVisits(1);
    ValueList tangents;
    bool moves = false;
    for (Value v : node.operands) {
      tangents.push_back(tangents_[v.index()]);
      moves = moves || tangents.back().valid();
    }
    const bool carries = moves && ir::Info(node.op).Has(ir::kControl) && !node.attrs().Find("vjp");
    ir::Node here = node;
    if (carries) {
      here.operands = copier_(node.operands);
    } else {
      copier_.CopyNode(node);
      here = to_.nodes().back();
    }
    if (!moves || !HasGradient(node.op)) return std::nullopt;
    b_.set_location(copier_.MapLocation(node.location));
    NodeJvp jvp(&b_, functions_, from_, node, std::move(here), std::move(tangents));
    auto request = jvp.Run();
    if (request || !b_.status().ok()) return request;
    if (carries && jvp.results().empty()) {
      copier_.CopyNode(node);  // nothing differentiable comes out
      return std::nullopt;
    }
    for (int i = 0; i < node.num_results; ++i) {
      if (carries) copier_.Map(node.result(i), jvp.results()[static_cast<size_t>(i)]);
      tangents_[node.result(i).index()] = jvp.tangents()[static_cast<size_t>(i)];
    }
    return std::nullopt;
  }

  const JvpKey key_;
  JvpFunctions* functions_;
  const ir::Function& from_;
  ir::Function to_;
  Copier copier_;
  ir::Builder b_;
  std::vector<Value> tangents_;  // by value of from_, in to_
  HashSet<std::string> names_;
  bool entry_;
  size_t done_ = 0;  // nodes
};

// Builds a function and those that it asks for, without recursion.
absl::Status Build(JvpKey key, JvpFunctions* functions, bool entry) {
  std::vector<std::unique_ptr<FunctionJvp>> stack;
  stack.push_back(std::make_unique<FunctionJvp>(std::move(key), functions, entry));
  while (!stack.empty()) {
    auto request = stack.back()->Run();
    if (!request.ok()) return request.status();
    if (request->has_value()) {
      stack.push_back(std::make_unique<FunctionJvp>(**std::move(request), functions, false));
      continue;
    }
    if (absl::Status s = stack.back()->Finish(); !s.ok()) return s;
    stack.pop_back();
  }
  return absl::OkStatus();
}

absl::Status CheckTangents(const ir::Function& f, absl::Span<const Value> xs, absl::Span<const Value> dxs) {
  if (dxs.size() != xs.size()) {
    return absl::InvalidArgumentError(StrCat("jvp: length mismatch: ", dxs.size(), " tangents for ", xs.size(), " xs"));
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!dxs[i].valid() || f.type(dxs[i]) == f.type(xs[i])) continue;
    return absl::InvalidArgumentError(StrCat("jvp: tangent ", i, " is ", f.type(dxs[i]).ToString(), ", its x is ",
                                             f.type(xs[i]).ToString(), "; they must have the same type"));
  }
  return absl::OkStatus();
}

// Nodes that produce ys, or what those need.
std::vector<bool> NeededNodes(const ir::Function& f, absl::Span<const Value> ys) {
  ir::ChargeVisits(f.nodes().size());
  std::vector<bool> needed(f.nodes().size());
  const auto mark = [&](Value v) {
    if (const int32_t i = f.producer_index(v); i >= 0) needed[static_cast<size_t>(i)] = true;
  };
  for (Value y : ys) mark(y);
  for (size_t i = needed.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (Value v : f.nodes()[i].operands) mark(v);
  }
  return needed;
}

}  // namespace

absl::StatusOr<std::vector<ir::Value>> Jvp(ir::Function* f, ir::Module* m, absl::Span<const ir::Value> ys,
                                           absl::Span<const ir::Value> xs, absl::Span<const ir::Value> dxs) {
  if (absl::Status s = CheckTangents(*f, xs, dxs); !s.ok()) return s;
  ir::Builder b(f, m);
  JvpFunctions functions(m);
  std::vector<Value> tangents(static_cast<size_t>(f->num_values())), seeds = tangents;
  const auto add = [&b](Value* sum, Value d) {
    if (d.valid()) *sum = sum->valid() ? b.Add(*sum, d) : d;
  };
  for (size_t i = 0; i < xs.size(); ++i) {
    if (IsDifferentiable(f->type(xs[i]).dtype)) add(&seeds[xs[i].index()], dxs[i]);
  }
  for (int i = 0; i < f->num_parameters(); ++i) tangents[static_cast<size_t>(i)] = seeds[static_cast<size_t>(i)];
  const std::vector<bool> needed = NeededNodes(*f, ys);
  for (size_t n = 0; n < needed.size(); ++n) {
    if (!needed[n]) continue;
    const ir::Node node = f->nodes()[n];
    ValueList in;
    bool moves = false;
    for (Value v : node.operands) {
      in.push_back(tangents[v.index()]);
      moves = moves || in.back().valid();
    }
    while (moves && HasGradient(node.op)) {
      b.set_location(node.location);
      NodeJvp jvp(&b, &functions, *f, node, node, in);
      const auto request = jvp.Run();
      if (!b.status().ok()) return b.status();
      if (request) {
        if (absl::Status s = Build(*request, &functions, false); !s.ok()) return s;
        continue;
      }
      for (int i = 0; i < node.num_results; ++i) {
        tangents[node.result(i).index()] = jvp.tangents()[static_cast<size_t>(i)];
      }
      break;
    }
    for (int i = 0; i < node.num_results; ++i) {
      add(&tangents[node.result(i).index()], seeds[node.result(i).index()]);
    }
  }
  if (!b.status().ok()) return b.status();
  std::vector<Value> out;
  for (Value y : ys) out.push_back(tangents[y.index()]);
  return out;
}

absl::StatusOr<std::string> AddJvpFunction(ir::Module* m, std::string_view function, std::vector<bool> xs) {
  const ir::Function* f = m->FindFunction(function);
  if (!f) return absl::NotFoundError(StrCat("jvp: there is no function @", function));
  if (static_cast<int>(xs.size()) != f->num_arguments()) {
    return absl::InvalidArgumentError(StrCat("jvp: @", function, " has ", f->num_arguments(), " arguments, got ",
                                             xs.size(), " marks; give one for each"));
  }
  for (int i = 0; i < f->num_arguments(); ++i) {
    const ir::Parameter& p = f->parameter(i);
    if (!xs[static_cast<size_t>(i)] || IsDifferentiable(p.type.dtype)) continue;
    return absl::InvalidArgumentError(StrCat("jvp: argument ", p.name, " of @", function, " is ", p.type.ToString(),
                                             ", which has no tangent; only floats and complex numbers do"));
  }
  JvpKey key{std::string(function), std::move(xs), {}};
  key.parameters.resize(static_cast<size_t>(f->num_parameters()), false);
  for (size_t i = 0; i < f->results().size(); ++i) {
    key.results.push_back(i < static_cast<size_t>(f->num_outputs()) &&
                          IsDifferentiable(f->type(f->results()[i]).dtype));
  }
  JvpFunctions functions(m);
  const JvpKey entry = key;
  if (absl::Status s = Build(std::move(key), &functions, true); !s.ok()) return s;
  return functions.names.at(entry);
}

}  // namespace reel::passes
