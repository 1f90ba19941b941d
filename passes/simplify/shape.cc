// Rules on shapes and attributes. They move elements only, so bits cannot change.

#include <algorithm>

#include "passes/simplify/site.h"
#include "passes/sink_transposes.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

bool AllEqual(const Ints& v, int64_t x) {
  return std::all_of(v.begin(), v.end(), [x](int64_t e) { return e == x; });
}

// The node that makes x if it is of this op, else null.
const ir::Node* Producer(const Site& site, Op op) {
  return site.f().Is(site.x(), op) ? site.f().producer(site.x()) : nullptr;
}

// reshape(x) to its own shape = x; reshape(reshape(x)) = reshape(x)
Value Reshape(Site& s) {
  if (s.f().type(s.x()).shape == s.type.shape) return s.x();
  const ir::Node* inner = Producer(s, Op::kReshape);
  return inner ? s.b.Reshape(inner->operands[0], s.type.shape) : Value{};
}

// transpose by the identity = x; of a transpose = one transpose; that moves only axes of extent 1 =
// reshape
Value Transpose(Site& s) {
  Ints permutation = s.attr<Ints>("permutation");
  if (ir::IsIdentity(permutation)) return s.x();
  if (const ir::Node* inner = Producer(s, Op::kTranspose)) {
    const Value x = inner->operands[0];
    const auto& first = inner->attr<Ints>("permutation");
    for (int64_t& axis : permutation) axis = first[static_cast<size_t>(axis)];
    return ir::IsIdentity(permutation) ? x : s.b.Transpose(x, std::move(permutation));
  }
  const Shape shape = s.f().type(s.x()).shape;
  std::erase_if(permutation, [&](int64_t axis) { return shape[static_cast<int>(axis)] == Extent(1); });
  if (!std::is_sorted(permutation.begin(), permutation.end())) return {};
  return s.b.Reshape(s.x(), s.type.shape);
}

// broadcast to the same shape = x; of a broadcast = one broadcast
Value Broadcast(Site& s) {
  if (s.f().type(s.x()).shape == s.type.shape) return s.x();
  const ir::Node* inner = Producer(s, Op::kBroadcast);
  if (!inner) return {};
  const auto& outer = s.attr<Ints>("axes");
  const Value x = inner->operands[0];
  Ints axes;
  for (int64_t axis : inner->attr<Ints>("axes")) axes.push_back(outer[static_cast<size_t>(axis)]);
  return s.b.Broadcast(x, s.type.shape, std::move(axes));
}

// Where a dynamic_slice or dynamic_update of `size` elements of an axis begins, if that is known.
std::optional<int64_t> StartOf(const ir::Function& f, Value start, int64_t extent, int64_t size) {
  const auto literal = SplatOf(f, start);
  if (!literal || literal->dtype() == kUInt64) return std::nullopt;
  return std::clamp<int64_t>(literal->AsInt(0), 0, extent - size);
}

// The slice with its start along an axis, or along all of them, moved back.
Value MovedSlice(Site& s, Value x, const Ints& back) {
  Ints starts = s.attr<Ints>("starts"), limits = s.attr<Ints>("limits");
  for (size_t i = 0; i < back.size(); ++i) {
    starts[i] -= back[i];
    limits[i] -= back[i];
  }
  return s.b.Slice(x, std::move(starts), std::move(limits), s.attr<Ints>("strides"));
}

// slice of a dynamic_update: of what it left alone, or of what it wrote
Value SliceOfUpdate(Site& s, const ir::Node& inner) {
  const Value x = inner.operands[0], update = inner.operands[1];
  const int axis = static_cast<int>(inner.attr<int64_t>("axis"));
  const int64_t size = s.f().type(update).shape.dim(axis);
  const auto a = static_cast<size_t>(axis);
  const auto start = StartOf(s.f(), inner.operands[2], s.f().type(x).shape.dim(axis), size);
  if (!start) return {};
  const int64_t begin = s.attr<Ints>("starts")[a], end = s.attr<Ints>("limits")[a];
  Ints back(s.attr<Ints>("starts").size(), 0);
  if (end <= *start || begin >= *start + size) return MovedSlice(s, x, back);
  if (begin < *start || end > *start + size) return {};
  back[a] = *start;
  return MovedSlice(s, update, back);
}

// slice of a pad without the padding
Value SliceOfPad(Site& s, const ir::Node& inner) {
  const auto &low = inner.attr<Ints>("low"), &interior = inner.attr<Ints>("interior");
  const auto &starts = s.attr<Ints>("starts"), &limits = s.attr<Ints>("limits");
  const Shape shape = s.f().type(inner.operands[0]).shape;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t n = shape.dim(static_cast<int>(i));
    if (interior[i] != 0 || starts[i] < low[i] || limits[i] > low[i] + n) return {};
  }
  return MovedSlice(s, inner.operands[0], low);
}

// slice of everything = x; slice of a slice = one slice
Value Slice(Site& s) {
  if (s.f().type(s.x()).shape == s.type.shape) return s.x();
  if (!s.type.shape.is_constant()) return {};
  if (const ir::Node* update = Producer(s, Op::kDynamicUpdate)) return SliceOfUpdate(s, *update);
  if (const ir::Node* pad = Producer(s, Op::kPad)) return SliceOfPad(s, *pad);
  const ir::Node* inner = Producer(s, Op::kSlice);
  if (!inner) return {};
  const Value x = inner->operands[0];
  const auto &starts0 = inner->attr<Ints>("starts"), &strides0 = inner->attr<Ints>("strides");
  Ints starts = s.attr<Ints>("starts"), limits, strides = s.attr<Ints>("strides");
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t n = s.type.shape.dim(static_cast<int>(i));
    starts[i] = starts0[i] + starts[i] * strides0[i];
    if (n == 0) starts[i] = starts0[i];
    // The product may overflow only where it is not used: with one element or none.
    strides[i] = n > 1 ? strides[i] * strides0[i] : 1;
    limits.push_back(n == 0 ? starts[i] : starts[i] + (n - 1) * strides[i] + 1);
  }
  return s.b.Slice(x, std::move(starts), std::move(limits), std::move(strides));
}

// dynamic_slice of all = x, since the start is clamped to 0; from a known start = slice, whose
// gradient would add more to a sum.
Value DynamicSlice(Site& s) {
  const Shape shape = s.f().type(s.x()).shape;
  if (shape == s.type.shape) return s.x();
  if (!shape.is_constant()) return {};
  const int64_t axis = s.attr<int64_t>("axis"), size = s.attr<int64_t>("size");
  const auto start = StartOf(s.f(), s.operands[1], shape.dim(static_cast<int>(axis)), size);
  if (!start || !s.differentiation_done) return {};
  Ints starts(static_cast<size_t>(shape.rank()), 0), limits = shape.dims();
  Ints strides(starts.size(), 1);
  starts[static_cast<size_t>(axis)] = *start;
  limits[static_cast<size_t>(axis)] = *start + size;
  return s.b.Slice(s.x(), std::move(starts), std::move(limits), std::move(strides));
}

// reverse of axes of extent 1 = x; of the same axes twice = what was reversed
Value Reverse(Site& s) {
  const auto& axes = s.attr<Ints>("axes");
  const bool unmoved = std::all_of(axes.begin(), axes.end(),
                                   [&s](int64_t axis) { return s.type.shape[static_cast<int>(axis)] == Extent(1); });
  if (unmoved) return s.x();
  const ir::Node* inner = Producer(s, Op::kReverse);
  return inner && inner->attr<Ints>("axes") == axes ? inner->operands[0] : Value{};
}

// windows of one element, all of them = reshape
Value Window(Site& s) {
  const bool all = AllEqual(s.attr<Ints>("sizes"), 1) && AllEqual(s.attr<Ints>("strides"), 1);
  return all ? s.b.Reshape(s.x(), s.type.shape) : Value{};
}

// Whether a pad that adds nothing between elements, and nothing elsewhere, pads this axis alone.
bool PadsAxis(const ir::Attributes& pad, size_t axis) {
  const auto &low = pad.Get<Ints>("low"), &high = pad.Get<Ints>("high");
  for (size_t i = 0; i < low.size(); ++i) {
    if (i != axis && (low[i] != 0 || high[i] != 0)) return false;
  }
  return AllEqual(pad.Get<Ints>("interior"), 0);
}

bool IsSameNumber(const ir::Function& f, Value a, Value b) {
  const auto x = SplatOf(f, a), y = SplatOf(f, b);
  return x && y && std::ranges::equal(x->bytes(), y->bytes());
}

// Values joined one after the other: a chain of updates at known places along one axis.
struct Joined {
  struct Part {
    Value update;
    int64_t start;
  };
  Value base;  // what they are written to
  std::vector<Part> parts;  // the last one first
};

// Which values x joins along an axis; without parts: it joins none.
Joined JoinedBy(const ir::Function& f, Value x, int64_t axis) {
  Joined joined{x, {}};
  const int dim = static_cast<int>(axis);
  while (f.Is(joined.base, Op::kDynamicUpdate)) {
    const ir::Node& node = *f.producer(joined.base);
    const Value update = node.operands[1];
    const auto start =
        StartOf(f, node.operands[2], f.type(node.result()).shape.dim(dim), f.type(update).shape.dim(dim));
    if (node.attr<int64_t>("axis") != axis || !start) break;
    joined.parts.push_back({update, *start});
    joined.base = node.operands[0];
  }
  return joined;
}

// The parts of what is joined written to x, which begins `by` before it.
Value Write(ir::Builder& b, const Joined& joined, Value x, int64_t axis, int64_t by) {
  for (size_t i = joined.parts.size(); i-- > 0;) {
    const auto& [update, start] = joined.parts[i];
    x = b.DynamicUpdate(x, update, b.Constant(ir::Literal::ScalarInt(kInt64, start + by)), axis);
  }
  return x;
}

// pad(update(x, u)) = update(pad(x), u), where both go along one axis; pad(pad(x)) = pad(x): what is joined by
// neighbours, and they by theirs, is one chain of updates
Value PadJoined(Site& s) {
  const ir::Node* inner = s.f().producer(s.x());
  if (!inner || inner->op != Op::kDynamicUpdate || !s.sole_user || !s.type.shape.is_constant()) return {};
  const auto axis = inner->attr<int64_t>("axis");
  const auto a = static_cast<size_t>(axis);
  const Joined joined = JoinedBy(s.f(), s.x(), axis);
  if (joined.parts.empty() || !s.differentiation_done || !PadsAxis(s.attributes, a)) return {};
  Ints low = s.attr<Ints>("low"), high = s.attr<Ints>("high");
  const int64_t by = low[a];
  Value x = joined.base;
  const ir::Node* pad = s.f().producer(x);
  if (pad && pad->op == Op::kPad && PadsAxis(pad->attrs(), a) && IsSameNumber(s.f(), s.operands[1], pad->operands[1])) {
    low[a] += pad->attr<Ints>("low")[a];
    high[a] += pad->attr<Ints>("high")[a];
    x = pad->operands[0];
  }
  const Value padded = s.b.Pad(x, s.operands[1], std::move(low), std::move(high), s.attr<Ints>("interior"));
  return Write(s.b, joined, padded, axis, by);
}

// update of everything = what is written; update(x, update(pad(y), u)) = update(update(x, pad(y)), u): the same
Value Update(Site& s) {
  const Value written = s.operands[1];
  if (s.f().type(written).shape == s.type.shape) return written;
  if (!s.differentiation_done || !s.type.shape.is_constant()) return {};
  const auto axis = s.attr<int64_t>("axis");
  const Joined joined = JoinedBy(s.f(), written, axis);
  if (joined.parts.empty() || !s.f().Is(joined.base, Op::kPad)) return {};
  const int dim = static_cast<int>(axis);
  const auto start = StartOf(s.f(), s.operands[2], s.type.shape.dim(dim), s.f().type(written).shape.dim(dim));
  if (!start) return {};
  const Value base = s.b.DynamicUpdate(s.x(), joined.base, s.b.Constant(ir::Literal::ScalarInt(kInt64, *start)), axis);
  return Write(s.b, joined, base, axis, *start);
}

// pad by nothing = x; pad(transpose(x)) = transpose(pad(x)): the padded image of a convolution serves
// its gradient by the filter too, and is read where it lies
Value Pad(Site& s) {
  const auto &low = s.attr<Ints>("low"), &high = s.attr<Ints>("high");
  const bool nothing = AllEqual(low, 0) && AllEqual(high, 0);
  if (nothing && s.f().type(s.x()).shape == s.type.shape) return s.x();
  const ir::Node* inner = Producer(s, Op::kTranspose);
  if (!inner) return PadJoined(s);
  return PadBelow(s.b, s.x(), s.operands[1], s.attributes);
}

// The second cast undoes the first, which was exact.
bool IsExactRoundTrip(DType narrow, DType wide) {
  const int64_t narrow_bits = 8 * SizeOf(narrow), wide_bits = 8 * SizeOf(wide);
  if (narrow == kBool) return true;
  if (IsFloat(narrow)) return IsFloat(wide) && narrow_bits < wide_bits;
  if (!IsInteger(narrow)) return narrow == kComplex64 && wide == kComplex128;
  if (IsInteger(wide)) return narrow_bits <= wide_bits;  // a sign comes back: both wrap
  const int64_t precision = wide == kFloat64 ? 53 : wide == kFloat32 ? 24 : wide == kFloat16 ? 11 : 8;
  return IsFloat(wide) && narrow_bits <= precision;
}

Value Cast(Site& s) {
  const DType from = s.f().type(s.x()).dtype, to = s.type.dtype;
  if (from == to) return s.x();
  const ir::Node* inner = Producer(s, Op::kCast);
  if (!inner) return {};
  const Value x = inner->operands[0];
  return s.f().type(x).dtype == to && IsExactRoundTrip(to, from) ? x : Value{};
}

// Over axes of extent 1 a sum is -0 + x = x, a product 1 * x = x, and so are maximum and minimum.
Value Reduce(Site& s) {
  const Shape shape = s.f().type(s.x()).shape;
  for (int64_t axis : s.attr<Ints>("axes")) {
    if (shape[static_cast<int>(axis)] != Extent(1)) return {};
  }
  return s.b.Reshape(s.x(), s.type.shape);
}

}  // namespace

Value SimplifyShape(Site& site) {
  switch (site.op) {
    case Op::kReshape: return Reshape(site);
    case Op::kTranspose: return Transpose(site);
    case Op::kBroadcast: return Broadcast(site);
    case Op::kSlice: return Slice(site);
    case Op::kPad: return Pad(site);
    case Op::kReverse: return Reverse(site);
    case Op::kWindow: return Window(site);
    case Op::kCast: return Cast(site);
    case Op::kReduceSum:
    case Op::kReduceMax:
    case Op::kReduceMin:
    case Op::kReduceProd: return Reduce(site);
    case Op::kDynamicSlice: return DynamicSlice(site);
    case Op::kDynamicUpdate: return Update(site);
    case Op::kStopGradient: return site.differentiation_done ? site.x() : Value{};
    default: return {};
  }
}

}  // namespace reel::passes
