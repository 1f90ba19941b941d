#include "passes/gradient/gradient.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "ir/suggest.h"
#include "passes/gradient/rule.h"
#include "passes/gradient/sweep.h"
#include "passes/rewrite.h"

namespace reel::passes {

#define OP(Enum, ...) extern const GradRule k##Enum##Gradient;
#include "ir/ops.def"
#undef OP

const GradRule& RuleOf(ir::Op op) {
  static const GradRule* const kRules[] = {
#define OP(Enum, ...) &k##Enum##Gradient,
#include "ir/ops.def"
#undef OP
  };
  return *kRules[static_cast<size_t>(op)];
}

ir::Value ShiftAlong(ir::Builder& b, ir::Value x, int64_t axis, int64_t by, double fill) {
  const Type type = b.type(x);
  const auto k = static_cast<size_t>(axis);
  const std::vector<int64_t> zeros(static_cast<size_t>(type.shape.rank()), 0);
  const std::vector<int64_t> ones(zeros.size(), 1);
  std::vector<int64_t> starts = zeros, limits, low = zeros, high = zeros;
  for (Extent e : type.shape) limits.push_back(e.is_constant() ? e.value() : -1);  // symbolic axes stay whole
  by = std::clamp(by, -limits[k], limits[k]);
  (by < 0 ? starts[k] -= by : limits[k] -= by);
  (by < 0 ? high : low)[k] = std::abs(by);
  const ir::Value rest = b.Slice(x, starts, limits, ones);
  return b.Pad(rest, b.Scalar(type.dtype, fill), low, high, zeros);
}

Needs NeededByGradient(ir::Op op) { return RuleOf(op).needs; }
Needs NeededByGradient(ir::Op op, uint32_t wanted) {
  const GradRule& rule = RuleOf(op);
  if (!rule.by_operand) return rule.needs;
  const Needs a = wanted & 1 ? rule.first : Needs(), b = wanted & 2 ? rule.second : Needs();
  return {a.operands | b.operands, a.results | b.results};
}
bool HasGradient(ir::Op op) { return RuleOf(op).emit != nullptr; }

namespace {

absl::Status Error(std::string_view message) { return absl::InvalidArgumentError(StrCat("gradients: ", message)); }

absl::Status CheckValues(const ir::Function& f, std::string_view what, absl::Span<const ir::Value> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].valid() || values[i].id >= f.num_values()) {
      return Error(StrCat(what, " ", i, " is not a value of @", f.name()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(const ir::Function& f, const ir::Module* m, absl::Span<const ir::Value> ys,
                            absl::Span<const ir::Value> xs, const GradientOptions& options) {
  if (absl::Status s = CheckValues(f, "y", ys); !s.ok()) return s;
  if (absl::Status s = CheckValues(f, "x", xs); !s.ok()) return s;
  if (absl::Status s = CheckValues(f, "stop_gradients", options.stop_gradients); !s.ok()) return s;
  const auto& seeds = options.grad_ys;
  if (!seeds.empty() && seeds.size() != ys.size()) {
    return Error(StrCat("length mismatch: ", seeds.size(), " grad_ys for ", ys.size(), " ys"));
  }
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (!seeds[i].valid()) continue;
    if (absl::Status s = CheckValues(f, "grad_ys", {seeds[i]}); !s.ok()) return s;
    if (f.type(seeds[i]) != f.type(ys[i])) {
      return Error(StrCat("grad_ys ", i, " is ", f.type(seeds[i]).ToString(), ", its y is ", f.type(ys[i]).ToString(),
                          "; they must have the same type"));
    }
  }
  ir::ChargeVisits(f.nodes().size());
  for (const ir::Node& node : f.nodes()) {
    if (!m && ir::Info(node.op).Has(ir::kControl)) {
      return Error(
          StrCat("@", f.name(), " has the control op ", ir::Name(node.op), ": pass the module of its functions"));
    }
  }
  return absl::OkStatus();
}

// Whether y can hold a cotangent: floats, and integers that are their own x.
bool TakesSeed(DType dtype) { return IsDifferentiable(dtype) || IsInteger(dtype); }

}  // namespace

absl::StatusOr<std::vector<ir::Value>> Gradients(ir::Function* f, ir::Module* m, absl::Span<const ir::Value> ys,
                                                 absl::Span<const ir::Value> xs, const GradientOptions& options) {
  FunctionGradients functions(m);
  return GradientsWith(&functions, f, ys, xs, options);
}

absl::StatusOr<std::vector<ir::Value>> GradientsWith(FunctionGradients* functions, ir::Function* f,
                                                     absl::Span<const ir::Value> ys, absl::Span<const ir::Value> xs,
                                                     const GradientOptions& options) {
  if (absl::Status s = CheckArguments(*f, functions->module(), ys, xs, options); !s.ok()) return s;
  Sweep sweep(f, functions, options.name_nodes);
  ir::Builder& b = sweep.builder();
  std::vector<bool> is_x(static_cast<size_t>(f->num_values()));
  for (ir::Value x : xs) is_x[static_cast<size_t>(x.id)] = true;
  std::vector<ir::Value> seeds(ys.size());
  for (size_t i = 0; i < ys.size(); ++i) {
    const Type type = f->type(ys[i]);
    if (i < options.grad_ys.size()) seeds[i] = options.grad_ys[i];
    const bool useful = IsDifferentiable(type.dtype) || is_x[static_cast<size_t>(ys[i].id)];
    if (!seeds[i].valid() && useful && TakesSeed(type.dtype)) seeds[i] = b.Ones(type);
  }
  std::vector<Cotangent> cotangents;
  for (ir::Value seed : seeds) cotangents.push_back({seed});
  sweep.Start(ys, cotangents, xs, options.stop_gradients);
  if (absl::Status s = RunSweep(&sweep, functions); !s.ok()) return s;

  std::vector<ir::Value> gradients;
  for (ir::Value x : xs) {
    ir::Value d = WithMissing(b, sweep.Found(x), true).value;
    if (!IsDifferentiable(f->type(x).dtype)) {  // an integer is connected to itself alone
      for (size_t i = 0; i < ys.size(); ++i) {
        if (ys[i] == x && seeds[i].valid()) d = d.valid() ? b.Add(d, seeds[i]) : seeds[i];
      }
    }
    if (!d.valid() && options.zero_unconnected) d = b.Zeros(Type(f->type(x)));
    gradients.push_back(d);
  }
  if (!b.status().ok()) return b.status();
  return gradients;
}

namespace {

absl::Status NotFound(const ir::Function& f, std::string_view what, std::string_view name,
                      const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& k : known) StrAppend(&list, list.empty() ? "" : ", ", k);
  return absl::NotFoundError(
      StrCat("gradients: @", f.name(), " has no ", what, " '", name, "'; it has: ", list, ir::DidYouMean(name, known)));
}

// Where the first of each name stands.
HashMap<std::string_view, int> Positions(const std::vector<std::string>& names) {
  HashMap<std::string_view, int> at;
  for (size_t i = 0; i < names.size(); ++i) at.emplace(names[i], static_cast<int>(i));
  return at;
}

// Positions in f.results() of the selected ys.
absl::StatusOr<std::vector<int>> FindResults(const ir::Function& f, absl::Span<const std::string> names) {
  std::vector<std::string> known;
  std::vector<int> found;
  for (int i = 0; i < f.num_outputs(); ++i) {
    known.push_back(f.result_name(i));
    if (names.empty()) found.push_back(i);
  }
  const auto positions = Positions(known);
  for (const std::string& name : names) {
    const auto it = positions.find(name);
    int at = it == positions.end() ? f.num_outputs() : it->second;
    if (at == f.num_outputs()) {
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), at);
      if (error != std::errc() || end != name.data() + name.size() || at < 0) at = f.num_outputs();
    }
    if (at >= f.num_outputs()) return NotFound(f, "result", name, known);
    found.push_back(at);
  }
  return found;
}

absl::StatusOr<std::vector<int>> FindParameters(const ir::Function& f, absl::Span<const std::string> names) {
  std::vector<std::string> known;
  std::vector<int> found;
  for (int i = 0; i < f.num_parameters(); ++i) {
    known.push_back(f.parameter(i).name);
    if (names.empty() && IsDifferentiable(f.parameter(i).type.dtype)) found.push_back(i);
  }
  const auto positions = Positions(known);
  for (const std::string& name : names) {
    const auto it = positions.find(name);
    if (it == positions.end()) return NotFound(f, "parameter or variable", name, known);
    found.push_back(it->second);
  }
  return found;
}

std::string Unique(HashSet<std::string>* taken, std::string name) {
  while (!taken->insert(name).second) name += "_";
  return name;
}

}  // namespace

absl::StatusOr<GradientFunction> AddGradientFunction(ir::Module* m, std::string_view function,
                                                     absl::Span<const std::string> ys, absl::Span<const std::string> xs,
                                                     bool has_grad_ys) {
  const ir::Function* forward = m->FindFunction(function);
  if (!forward) return absl::NotFoundError(StrCat("gradients: there is no function @", function));
  const auto y = FindResults(*forward, ys);
  if (!y.ok()) return y.status();
  const auto x = FindParameters(*forward, xs);
  if (!x.ok()) return x.status();

  ir::Function g(m->UniqueFunctionName(StrCat(function, ".grad")));
  Copier copier(*forward, &g);
  GradientOptions options;
  HashSet<std::string> taken;
  for (int i = 0; i < forward->num_arguments(); ++i) {
    const ir::Parameter& p = forward->parameter(i);
    copier.Map({i}, g.AddParameter(Unique(&taken, p.name), p.type));
  }
  for (int i : *y) {
    if (!has_grad_ys) break;
    const Type& type = forward->type(forward->results()[static_cast<size_t>(i)]);
    options.grad_ys.push_back(g.AddParameter(Unique(&taken, StrCat("d.", forward->result_name(i))), type));
  }
  for (int i = forward->num_arguments(); i < forward->num_parameters(); ++i) {
    copier.Map({i}, g.AddState(forward->parameter(i).name, forward->parameter(i).type));
  }
  copier.CopyNodes();

  std::vector<ir::Value> y_values, x_values;
  for (int i : *y) y_values.push_back(copier(forward->results()[static_cast<size_t>(i)]));
  for (int i : *x) x_values.push_back(copier(ir::Value{i}));
  auto results = Gradients(&g, m, y_values, x_values, options);
  if (!results.ok()) return results.status();
  GradientFunction out{g.name(), {}};
  std::vector<std::string> names;
  ir::Builder b(&g, m);
  for (size_t i = 0; i < x->size(); ++i) {
    ir::Value& d = (*results)[i];
    names.push_back(StrCat("d.", forward->parameter((*x)[i]).name));
    out.connected.push_back(d.valid());
    if (!d.valid()) d = b.Zeros(g.type(x_values[i]));
  }
  if (!b.status().ok()) return b.status();
  for (int i = forward->num_arguments(); i < forward->num_parameters(); ++i) {
    results->push_back(copier(ir::Value{i}));
  }
  g.SetResults(*std::move(results));
  g.set_result_names(std::move(names));
  m->AddFunction(WithoutDeadNodes(g));
  return out;
}

}  // namespace reel::passes
