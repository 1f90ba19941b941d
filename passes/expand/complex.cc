#include "passes/expand/complex.h"

#include <string>

#include "ir/names.h"
#include "ir/strings.h"
#include "passes/rewrite.h"

// The bits of complex arithmetic, each real operation rounded by itself:
//   (a + bi)(c + di) = (ac - bd) + (ad + bc)i, also for contractions
//   (a + bi)/(c + di): Smith's method, see Divide

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

// c64[S] -> f32[S, 2]; a real type itself.
Type Interleaved(const Type& type) {
  if (!IsComplex(type.dtype)) return type;
  Type out{RealOf(type.dtype), type.shape};
  out.shape.push_back(2);
  return out;
}

ir::Literal Retyped(const ir::Literal& literal) {
  const auto bytes = literal.bytes();
  return ir::Literal(Interleaved(literal.type()), {bytes.begin(), bytes.end()});
}

// Ops that treat both parts alike.
bool IsPartwise(Op op) {
  switch (op) {
    case Op::kIdentity:
    case Op::kStopGradient:
    case Op::kNeg:
    case Op::kAdd:
    case Op::kSub:
    case Op::kSelect:
    case Op::kReduceSum:
    case Op::kReshape:
    case Op::kTranspose:
    case Op::kReverse:
    case Op::kWindow:
    case Op::kSlice:
    case Op::kBroadcast:
    case Op::kPad:
    case Op::kGather:
    case Op::kScatterAdd:
    case Op::kScatterSet:
    case Op::kDynamicSlice:
    case Op::kDynamicUpdate:
    case Op::kAllGather:
    case Op::kAllToAll:
    case Op::kBroadcastFrom: return true;
    default: return false;
  }
}

// Rewrites one function. Complex values have parts, or are whole (interleaved) in the copier, or both.
class Splitter {
 public:
  Splitter(const ir::Function& from, ir::Function* to, const ir::Module& m)
      : from_(from), to_(to), b_(to, &m), copier_(from, to), parts_(static_cast<size_t>(from.num_values())) {}

  absl::Status Run() {
    for (int i = 0; i < from_.num_parameters(); ++i) {
      const ir::Parameter& p = from_.parameter(i);
      const Type type = Interleaved(p.type);
      copier_.Map({i}, i < from_.num_arguments() ? to_->AddParameter(p.name, type) : to_->AddState(p.name, type));
    }
    for (const ir::Node& node : from_.nodes()) {
      b_.set_location(copier_.MapLocation(node.location));
      Visit(node);
      if (!b_.status().ok()) return b_.status();
    }
    for (Value v : from_.results()) Whole(v);
    CopyResults(from_, to_, copier_);
    return b_.status();
  }

 private:
  struct Parts {
    Value re, im;
  };

  bool IsSplit(Value v) const { return IsComplex(from_.type(v).dtype); }

  bool Touches(const ir::Node& node) const {
    for (Value v : node.operands) {
      if (IsSplit(v)) return true;
    }
    for (int i = 0; i < node.num_results; ++i) {
      if (IsSplit(node.result(i))) return true;
    }
    return false;
  }

  // The value in one piece: x[..., 0] and x[..., 1] are the parts.
  Value Whole(Value v) {
    if (!IsSplit(v) || copier_(v).valid()) return copier_(v);
    const auto [re, im] = parts_[static_cast<size_t>(v.id)];
    const Shape shape = Interleaved(from_.type(v)).shape;
    std::vector<int64_t> axes;
    for (int64_t k = 0; k + 1 < shape.rank(); ++k) axes.push_back(k);
    const Value part = b_.Iota(kInt32, shape, shape.rank() - 1);
    const Value first = b_.Equal(part, b_.ScalarLike(part, 0));
    const Value left = b_.Broadcast(re, shape, axes), right = b_.Broadcast(im, shape, axes);
    const Value whole = b_.Select(first, left, right);
    copier_.Map(v, whole);
    return whole;
  }

  Parts PartsOf(Value v) {
    Parts& parts = parts_[static_cast<size_t>(v.id)];
    if (parts.re.valid()) return parts;
    const Value whole = copier_(v);
    const Shape shape = from_.type(v).shape;
    const auto rank = static_cast<size_t>(shape.rank());
    const auto part = [&](int64_t k) {
      std::vector<int64_t> starts(rank + 1, 0), limits = b_.shape(whole).dims();
      starts[rank] = k;
      limits[rank] = k + 1;
      return b_.Reshape(b_.Slice(whole, starts, limits, std::vector<int64_t>(rank + 1, 1)), shape);
    };
    parts = {part(0), part(1)};
    return parts;
  }

  void Set(const ir::Node& node, Parts parts) {
    const Value result = node.result();
    parts_[static_cast<size_t>(result.id)] = parts;
    const std::string hint(from_.name_hint(result));
    if (hint.empty() || hint.size() + 3 > ir::kMaxNameBytes || !b_.status().ok()) return;
    if (parts.re.id >= first_new_) to_->set_name_hint(parts.re, hint + "_re");
    if (parts.im.id >= first_new_) to_->set_name_hint(parts.im, hint + "_im");
  }

  void Visit(const ir::Node& node) {
    first_new_ = to_->num_values();
    if (!Touches(node)) return copier_.CopyNode(node);
    if (ir::Info(node.op).Has(ir::kControl)) return Control(node);
    const auto& x = node.operands;
    switch (node.op) {
      case Op::kComplex: return Set(node, {copier_(x[0]), copier_(x[1])});
      case Op::kReal: return copier_.Map(node.result(), PartsOf(x[0]).re);
      case Op::kImag: return copier_.Map(node.result(), PartsOf(x[0]).im);
      case Op::kConstant: return Set(node, Constants(node.attr<ir::Literal>("value")));
      case Op::kCast: return Cast(node);
      case Op::kDiv: return Set(node, Divide(node));
      case Op::kMul:
      case Op::kContract: return Set(node, Multiply(node));
      case Op::kEqual:
      case Op::kNotEqual: return copier_.Map(node.result(), Compare(node));
      default: return EachPart(node);
    }
  }

  // Functions take and give whole values; the types are those of the rewritten callee.
  void Control(const ir::Node& node) {
    ir::ValueList operands;
    for (Value v : node.operands) operands.push_back(Whole(v));
    ir::TypeList types;
    for (int i = 0; i < node.num_results; ++i) types.push_back(Interleaved(from_.type(node.result(i))));
    const Value first =
        to_->AddNode(node.op, operands, node.attributes, types, copier_.MapLocation(node.location)).result(0);
    for (int i = 0; i < node.num_results; ++i) copier_.Map(node.result(i), {first.id + i});
  }

  void EachPart(const ir::Node& node) {
    if (!IsPartwise(node.op)) {
      b_.Fail(absl::UnimplementedError(StrCat(ir::Name(node.op), ": no code for complex operands; use Real and Imag")));
      return;
    }
    ir::ValueList re, im;
    for (Value v : node.operands) {
      const Parts p = IsSplit(v) ? PartsOf(v) : Parts{copier_(v), copier_(v)};
      re.push_back(p.re);
      im.push_back(p.im);
    }
    const Value result_re = b_.Emit(node.op, re, node.attrs());
    Set(node, {result_re, b_.Emit(node.op, im, node.attrs())});
  }

  Parts Constants(const ir::Literal& literal) {
    const Type type{RealOf(literal.dtype()), literal.shape()};
    const auto part = static_cast<size_t>(SizeOf(type.dtype));
    std::vector<std::byte> re, im;
    for (size_t at = 0; at < literal.bytes().size(); at += 2 * part) {
      const std::byte* from = literal.bytes().data() + at;
      re.insert(re.end(), from, from + part);
      im.insert(im.end(), from + part, from + 2 * part);
    }
    const Value real = b_.Constant(ir::Literal(type, std::move(re)));
    return {real, b_.Constant(ir::Literal(type, std::move(im)))};
  }

  void Cast(const ir::Node& node) {
    const Value x = node.operands[0];
    const DType part = RealOf(from_.type(node.result()).dtype);
    if (!IsSplit(x)) {
      const Value re = b_.Cast(copier_(x), part);
      return Set(node, {re, b_.ScalarLike(re, 0)});
    }
    const Parts p = PartsOf(x);
    const Value re = b_.Cast(p.re, part);
    Set(node, {re, b_.Cast(p.im, part)});
  }

  Parts Multiply(const ir::Node& node) {
    const Parts x = PartsOf(node.operands[0]), y = PartsOf(node.operands[1]);
    const auto times = [&](Value a, Value b) { return b_.Emit(node.op, {a, b}, node.attrs()); };
    const Value ac = times(x.re, y.re), bd = times(x.im, y.im);
    const Value ad = times(x.re, y.im), bc = times(x.im, y.re);
    const Value re = b_.Sub(ac, bd);
    return {re, b_.Add(ad, bc)};
  }

  // With p the larger and q the smaller part of the divisor c + di, r = q / p (0 for a divisor of 0):
  //   |c| >= |d|: (a + b r) / (c + d r), (b - a r) / (c + d r)
  //   otherwise:  (a r + b) / (d + c r), (b r - a) / (d + c r)
  Parts Divide(const ir::Node& node) {
    const auto [a, b] = PartsOf(node.operands[0]);
    const auto [c, d] = PartsOf(node.operands[1]);
    const Value size = b_.Abs(c), real = b_.GreaterEqual(size, b_.Abs(d));
    const Value p = b_.Select(real, c, d), q = b_.Select(real, d, c);
    const Value zero = b_.ScalarLike(p, 0);
    const Value none = b_.Equal(p, zero), r = b_.Select(none, zero, b_.Div(q, p));
    const Value divisor = b_.Add(p, b_.Mul(q, r));
    const Value ar = b_.Mul(a, r), br = b_.Mul(b, r);
    const Value re_real = b_.Add(a, br), re = b_.Select(real, re_real, b_.Add(ar, b));
    const Value im_real = b_.Sub(b, ar), im = b_.Select(real, im_real, b_.Sub(br, a));
    return {b_.Div(re, divisor), b_.Div(im, divisor)};
  }

  Value Compare(const ir::Node& node) {
    const Parts x = PartsOf(node.operands[0]), y = PartsOf(node.operands[1]);
    const Value re = b_.Emit(node.op, {x.re, y.re}), im = b_.Emit(node.op, {x.im, y.im});
    return node.op == Op::kEqual ? b_.And(re, im) : b_.Or(re, im);
  }

  const ir::Function& from_;
  ir::Function* to_;
  ir::Builder b_;
  Copier copier_;
  std::vector<Parts> parts_;  // by value of from_
  int32_t first_new_ = 0;     // of to_, emitted for the node
};

absl::Status CheckRank(std::string_view name, const Type& type) {
  if (!IsComplex(type.dtype) || type.shape.rank() < kMaxRank) return absl::OkStatus();
  return absl::UnimplementedError(StrCat("@", name, ": complex tensors have at most ", kMaxRank - 1,
                                         " axes where they are compiled, got ", type.ToString()));
}

absl::Status CheckRanks(const ir::Module& m) {
  for (const ir::Variable& v : m.variables()) {
    if (absl::Status s = CheckRank(v.name, v.type); !s.ok()) return s;
  }
  for (const auto& f : m.functions()) {
    for (int i = 0; i < f->num_values(); ++i) {
      if (absl::Status s = CheckRank(f->name(), f->type({i})); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool HasComplex(const ir::Module& m) {
  for (const ir::Variable& v : m.variables()) {
    if (IsComplex(v.type.dtype)) return true;
  }
  for (const auto& f : m.functions()) {
    for (int i = 0; i < f->num_values(); ++i) {
      if (IsComplex(f->type({i}).dtype)) return true;
    }
  }
  return false;
}

absl::StatusOr<bool> SplitComplex(ir::Module* m) {
  if (!HasComplex(*m)) return false;
  if (absl::Status s = CheckRanks(*m); !s.ok()) return s;
  for (const auto& f : m->functions()) {
    ir::Function out(f->name());
    if (absl::Status s = Splitter(*f, &out, *m).Run(); !s.ok()) return s;
    *f = std::move(out);
  }
  for (ir::Variable& v : m->mutable_variables()) {
    if (!IsComplex(v.type.dtype)) continue;
    v.type = Interleaved(v.type);
    if (auto* literal = std::get_if<ir::Literal>(&v.initial)) *literal = Retyped(*literal);
  }
  return true;
}

}  // namespace reel::passes
