#include "passes/check_numerics.h"

#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "ir/builder.h"
#include "ir/calls.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

// A fault as one number: site, element, kind.
constexpr int kKindBits = 2, kElementBits = 39, kSiteBits = 22;
constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
const Type kScalar{kInt64, {}};

// What stands for a function of the module.
struct Variant {
  enum class Kind : uint8_t {
    kEntry,   // its results, then the fault, then its state
    kCallee,  // takes the fault so far as its last parameter, returns it as its last result
    kCond,    // of a loop: also false after a fault; takes the fault and, if timed, the iterations so far
    kBody,    // of a loop: returns them too
  };
  Kind kind;
  std::string function;
  std::string cond = {};  // of a body whose condition is looked at (timed)
  int64_t limit = -1;     // of its iterations; -1: none
  bool timed = false;
  friend auto operator<=>(const Variant&, const Variant&) = default;
};

// One function being written.
class Writer {
 public:
  Writer(const ir::Function& from, std::string name, const Variant& variant)
      : from(from), variant(variant), out(std::move(name)), b(&out), copier(from, &out) {
    const bool entry = variant.kind == Variant::Kind::kEntry;
    HashSet<std::string> taken;
    const auto add = [&](std::string parameter, const Type& type) {
      while (!taken.insert(parameter).second) parameter += "_";
      return out.AddParameter(parameter, type);
    };
    for (int i = 0; i < from.num_parameters(); ++i) {
      const ir::Parameter& p = from.parameter(i);
      const bool state = entry && i >= from.num_arguments();
      copier.Map({i}, state ? out.AddState(p.name, p.type) : add(p.name, p.type));
    }
    if (!entry) fault = add("fault", kScalar);
    if (variant.timed) iterations = add("iterations", kScalar);
    none = Int(kNone);
    if (entry) fault = none;
  }

  Value Int(int64_t x) { return b.Constant(ir::Literal::ScalarInt(kInt64, x)); }
  Value Ints(Shape shape, int64_t x) { return b.BroadcastTo(Int(x), shape); }  // by value: Int adds a node

  /// The node with other functions, and `extra` as further operands and results; the first of those is the new fault.
  void AddControl(const ir::Node& node, ir::Attributes attributes, absl::Span<const Value> extra) {
    ir::ValueList operands = copier(node.operands);
    operands.insert(operands.end(), extra.begin(), extra.end());
    std::vector<Type> types;
    for (int i = 0; i < node.num_results; ++i) types.push_back(from.type(node.result(i)));
    types.insert(types.end(), extra.size(), kScalar);
    const int32_t location = copier.MapLocation(node.location);
    const auto shared = std::make_shared<const ir::Attributes>(std::move(attributes));
    const Value first = out.AddNode(node.op, operands, shared, types, location).result();
    for (int i = 0; i < node.num_results; ++i) {
      const Value copy{first.id + i};
      copier.Map(node.result(i), copy);
      if (const auto hint = from.name_hint(node.result(i)); !hint.empty()) out.set_name_hint(copy, std::string(hint));
    }
    fault = {first.id + node.num_results};
  }

  /// The fault after a condition was computed from these values.
  Value AfterCondition(const std::string& cond, ir::ValueList operands) {
    operands.push_back(fault);
    const auto attributes = std::make_shared<const ir::Attributes>(ir::Attributes{{"callee", cond}});
    return out.AddNode(Op::kCall, operands, attributes, {Type{kBool, {}}, kScalar}).result(1);
  }

  const ir::Function& from;
  const Variant& variant;
  ir::Function out;
  ir::Builder b;
  Copier copier;
  Value fault, iterations, none;
  std::map<int32_t, Value> infinite;  // by value of `from`: bool[], whether it has an infinity
};

class NumericsPass {
 public:
  NumericsPass(ir::Module* m, bool infinities) : m_(*m), infinities_(infinities) {}

  absl::StatusOr<std::vector<NumericsSite>> Run() {
    std::vector<ir::Function> built;
    std::vector<std::string> entries;
    for (const ir::Function* entry : ir::EntryFunctions(m_)) {
      entries.push_back(entry->name());
      names_[{Variant::Kind::kEntry, entry->name()}] = entry->name();
      open_.push_back({Variant::Kind::kEntry, entry->name()});
    }
    while (!open_.empty()) {
      const Variant variant = open_.front();
      open_.pop_front();
      auto f = Write(variant);
      if (!f.ok()) return f.status();
      built.push_back(*std::move(f));
    }
    for (ir::Function& f : built) m_.AddFunction(std::move(f));
    std::vector<const ir::Function*> roots;
    for (const std::string& entry : entries) roots.push_back(m_.FindFunction(entry));
    ir::KeepReached(&m_, std::move(roots));  // not the functions without checks
    if (absl::Status s = ir::Verify(m_); !s.ok()) return s;
    return std::move(sites_);
  }

 private:
  // The name of a variant, which is written later unless it is already.
  std::string Name(const Variant& variant) {
    std::string& name = names_[variant];
    if (!name.empty()) return name;
    do {
      name = StrCat(variant.function, ".checked", ++suffix_);
    } while (m_.FindFunction(name));
    open_.push_back(variant);
    return name;
  }

  absl::StatusOr<ir::Function> Write(const Variant& variant) {
    Writer w(*m_.FindFunction(variant.function), names_.at(variant), variant);
    const bool looks = variant.kind != Variant::Kind::kCond;  // a kCond has a kCallee beside it that does
    for (const ir::Node& node : w.from.nodes()) {
      w.b.set_location(w.copier.MapLocation(node.location));
      if (looks && ir::Info(node.op).Has(ir::kControl)) {
        Control(node, &w);
        continue;
      }
      w.copier.CopyNode(node);
      for (int i = 0; looks && ChecksNumerics(node.op) && i < node.num_results; ++i) Look(node, node.result(i), &w);
    }
    Results(&w);
    if (!w.b.status().ok()) return w.b.status();
    if (sites_.size() >> kSiteBits != 0) {
      return absl::ResourceExhaustedError(
          StrCat("check_numerics: the module has more than ", int64_t{1} << kSiteBits, " values; compile less"));
    }
    return std::move(w.out);
  }

  void Control(const ir::Node& node, Writer* w) {
    const auto callee = [&](std::string_view attribute) {
      return Name({Variant::Kind::kCallee, node.attr<std::string>(attribute)});
    };
    switch (node.op) {
      case Op::kCall: return w->AddControl(node, {{"callee", callee("callee")}}, {w->fault});
      case Op::kIf: return w->AddControl(node, {{"then", callee("then")}, {"else", callee("else")}}, {w->fault});
      default: return While(node, w);
    }
  }

  // The condition returns no fault: where it computes, it is called again to be looked at, on what the loop begins
  // with and on what each iteration leaves, if the loop would look at it then.
  void While(const ir::Node& node, Writer* w) {
    const auto &cond = node.attr<std::string>("cond"), &body = node.attr<std::string>("body");
    const auto* bound = node.attrs().Find("maximum_iterations");
    const int64_t limit = bound ? std::get<int64_t>(*bound) : -1;
    const bool timed = Computes(*m_.FindFunction(cond));
    if (timed && limit != 0) {
      w->fault = w->AfterCondition(Name({Variant::Kind::kCallee, cond}), w->copier(node.operands));
    }
    ir::Attributes attributes = node.attrs();
    attributes.Set("cond", Name({Variant::Kind::kCond, cond, "", -1, timed}));
    attributes.Set("body", Name({Variant::Kind::kBody, body, timed ? cond : "", timed ? limit : -1, timed}));
    if (timed) return w->AddControl(node, std::move(attributes), {w->fault, w->Int(0)});
    w->AddControl(node, std::move(attributes), {w->fault});
  }

  static bool Computes(const ir::Function& f) {
    for (const ir::Node& node : f.nodes()) {
      if (ir::Info(node.op).Has(ir::kControl)) return true;
      for (int i = 0; ChecksNumerics(node.op) && i < node.num_results; ++i) {
        if (IsDifferentiable(f.type(node.result(i)).dtype)) return true;
      }
    }
    return false;
  }

  // The fault so far, or that of this value.
  void Look(const ir::Node& node, Value v, Writer* w) {
    const Type type = w->from.type(v);
    if (!IsDifferentiable(type.dtype) || type.shape.size() == 0) return;
    ir::Builder& b = w->b;
    const auto site = static_cast<int64_t>(sites_.size());
    const bool known = node.location >= 0 && static_cast<size_t>(node.location) < w->from.locations().size();
    sites_.push_back({node.op, type, std::string(w->from.name_hint(v)), w->from.name(),
                      known ? w->from.locations()[static_cast<size_t>(node.location)] : ir::Location()});
    const Shape flat{type.shape.size()};
    const Value x = b.Reshape(w->copier(v), flat);
    const Value first = b.Add(b.Mul(b.Iota(kInt64, flat, 0), w->Ints(flat, 1 << kKindBits)),
                              w->Ints(flat, site << (kElementBits + kKindBits)));
    Value faults;
    const Value brought = infinities_ ? b.BroadcastTo(AnyInfinite(node, w), flat) : Value();
    if (IsComplex(type.dtype)) {
      faults = b.Min(Faults(w, b.Real(x), first, brought), Faults(w, b.Imag(x), first, brought));
    } else {
      faults = Faults(w, IsHalf(type.dtype) ? b.Cast(x, kFloat32) : x, first, brought);
    }
    w->fault = b.Select(b.Equal(w->fault, w->none), b.ReduceMin(faults, {0}), w->fault);
  }

  // Whether an operand of the node has an infinity: then one in the result was not born there.
  Value AnyInfinite(const ir::Node& node, Writer* w) {
    ir::Builder& b = w->b;
    Value any;
    for (Value v : node.operands) {
      const Type type = w->from.type(v);
      if (!IsDifferentiable(type.dtype)) continue;
      Value& infinite = w->infinite[v.id];
      if (!infinite.valid()) {
        const Value x = b.Reshape(w->copier(v), {type.shape.size()});
        infinite = IsComplex(type.dtype) ? b.Or(Infinite(w, b.Real(x)), Infinite(w, b.Imag(x))) : Infinite(w, x);
      }
      any = any.valid() ? b.Or(any, infinite) : infinite;
    }
    return any.valid() ? any : b.Constant(ir::Literal::Scalar(kBool, 0));
  }

  static Value Infinite(Writer* w, Value x) {
    ir::Builder& b = w->b;
    const Value wide = IsHalf(b.type(x).dtype) ? b.Cast(x, kFloat32) : x;
    const Value is = b.Equal(b.Abs(wide), b.ScalarLike(wide, std::numeric_limits<double>::infinity()));
    const Value least = b.ReduceMin(b.Select(is, w->Ints(b.shape(is), 0), w->Ints(b.shape(is), 1)), {0});
    return b.Equal(least, w->Int(0));
  }

  // Per element: its fault or kNone. Infinities are none where `brought`.
  Value Faults(Writer* w, Value x, Value first, Value brought) const {
    ir::Builder& b = w->b;
    const Shape flat = b.shape(x);
    const auto kind = [&](NumericsFault::Kind k) { return w->Ints(flat, static_cast<int64_t>(k)); };
    const Value number = b.Equal(x, x), none = w->Ints(flat, kNone);
    if (!infinities_) return b.Select(number, none, first);
    const Value finite =
        b.Or(b.Less(b.Abs(x), b.ScalarLike(x, std::numeric_limits<double>::infinity())), b.And(brought, number));
    const Value sign =
        b.Select(b.Less(x, b.ScalarLike(x, 0)), kind(NumericsFault::Kind::kMinusInf), kind(NumericsFault::Kind::kInf));
    return b.Select(finite, none, b.Add(first, b.Select(number, sign, kind(NumericsFault::Kind::kNaN))));
  }

  void Results(Writer* w) {
    ir::Builder& b = w->b;
    std::vector<Value> results;
    std::vector<std::string> names;
    for (Value v : w->from.results()) results.push_back(w->copier(v));
    const Variant& variant = w->variant;
    switch (variant.kind) {
      case Variant::Kind::kEntry: {
        const auto outputs = static_cast<size_t>(w->from.num_outputs());
        const Value good = b.Equal(w->fault, w->none);
        for (size_t i = outputs; i < results.size(); ++i) {  // an entry point that fails leaves variables as they were
          const Value old = w->copier({w->from.num_arguments() + static_cast<int32_t>(i - outputs)});
          if (results[i] != old) results[i] = b.Select(b.BroadcastTo(good, b.shape(old)), results[i], old);
        }
        results.insert(results.begin() + static_cast<std::ptrdiff_t>(outputs), w->fault);
        for (int i = 0; i < w->from.num_outputs(); ++i) names.push_back(w->from.result_name(i));
        break;
      }
      case Variant::Kind::kCallee: results.push_back(w->fault); break;
      case Variant::Kind::kCond: results[0] = b.And(results[0], b.Equal(w->fault, w->none)); break;
      case Variant::Kind::kBody: {
        if (!variant.timed) {
          results.push_back(w->fault);
          break;
        }
        const Value next = b.Add(w->iterations, w->Int(1));
        const std::string cond = Name({Variant::Kind::kCallee, variant.cond});
        const Value after = w->AfterCondition(cond, ir::ValueList(results.begin(), results.end()));
        results.push_back(variant.limit < 0 ? after : b.Select(b.Less(next, w->Int(variant.limit)), after, w->fault));
        results.push_back(next);
      }
    }
    w->out.SetResults(std::move(results));
    w->out.set_result_names(std::move(names));
  }

  ir::Module& m_;
  const bool infinities_;
  std::map<Variant, std::string> names_;
  std::deque<Variant> open_;
  int64_t suffix_ = 0;
  std::vector<NumericsSite> sites_;
};

}  // namespace

bool ChecksNumerics(Op op) {
  const ir::OpInfo& info = ir::Info(op);
  return !info.Has(ir::kMoves) && !info.Has(ir::kControl);
}

absl::StatusOr<std::vector<NumericsSite>> AddNumericsChecks(ir::Module* m, bool infinities) {
  return NumericsPass(m, infinities).Run();
}

int64_t NoNumericsFault() { return kNone; }

NumericsFault DecodeNumericsFault(int64_t result) {
  const auto low = [](int64_t x, int bits) { return x & ((int64_t{1} << bits) - 1); };
  return {result >> (kElementBits + kKindBits), low(result >> kKindBits, kElementBits),
          static_cast<NumericsFault::Kind>(low(result, kKindBits))};
}

std::string IndexText(const Shape& shape, int64_t element) {
  std::string text;
  for (int i = shape.rank(); i-- > 0; element /= shape.dim(i)) {
    text = StrCat(element % shape.dim(i), text.empty() ? "" : ",", text);
  }
  return text;
}

std::string NumericsText(Op op, const Type& type, std::string_view gradient_of, const NumericsFault& fault) {
  constexpr std::string_view kKinds[] = {"NaN", "inf", "-inf"};
  const std::string index = IndexText(type.shape, fault.element);
  std::string text = StrCat("the result ", type.ToString(), " of ", ir::Name(op));
  if (!gradient_of.empty()) StrAppend(&text, ", in the gradient of ", gradient_of, ",");
  StrAppend(&text, " is ", kKinds[static_cast<size_t>(fault.kind)]);
  if (!index.empty()) StrAppend(&text, " at [", index, "]");
  return text;
}

std::string NumericsText(const NumericsSite& site, const NumericsFault& fault) {
  constexpr std::string_view kGradient = ".grad";
  std::string_view of = site.name;
  of = of.ends_with(kGradient) ? of.substr(0, of.size() - kGradient.size()) : std::string_view();
  return NumericsText(site.op, site.type, of, fault);
}

}  // namespace reel::passes
