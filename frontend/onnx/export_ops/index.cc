#include <limits>

#include "frontend/onnx/export_node.h"
#include "ir/strings.h"

// Gathers and scatters, slices at places that are computed, checks of indices.

namespace reel::onnx {
namespace {

Extent ExtentOfCheck(const ir::Node& check) {
  return check.attr<Shape>("shape")[static_cast<int>(check.attr<int64_t>("axis"))];
}

// Whether all numbers of a constant are indices of an axis.
bool InRange(const ir::Literal& literal, Extent extent) {
  if (!extent.is_constant()) return false;
  for (int64_t i = 0; i < literal.size(); ++i) {
    if (literal.AsInt(i) < 0 || literal.AsInt(i) >= extent.value()) return false;
  }
  return true;
}

// Whether indices are known to be in range: they are checked for this extent, or constant; moved since then.
bool InRange(const ir::Function& f, ir::Value indices, Extent extent) {
  while (const ir::Node* node = f.producer(indices)) {
    switch (node->op) {
      case ir::Op::kCheckIndex: return ExtentOfCheck(*node) == extent;
      case ir::Op::kConstant: return InRange(node->attr<ir::Literal>("value"), extent);
      case ir::Op::kIota: {
        const Extent count = f.type(node->result()).shape[static_cast<int>(node->attr<int64_t>("axis"))];
        return count == extent || (count.is_constant() && extent.is_constant() && count.value() <= extent.value());
      }
      case ir::Op::kCast:
        if (!IsInteger(f.type(node->operands[0]).dtype) ||
            SizeOf(f.type(indices).dtype) < SizeOf(f.type(node->operands[0]).dtype))
          return false;
        break;
      case ir::Op::kIdentity:
      case ir::Op::kStopGradient:
      case ir::Op::kReshape:
      case ir::Op::kTranspose:
      case ir::Op::kSlice:
      case ir::Op::kReverse:
      case ir::Op::kBroadcast: break;
      default: return false;
    }
    indices = node->operands[0];
  }
  return false;
}

Val ScalarOf(GraphWriter& w, Extent extent) {
  if (extent.is_constant()) return w.ScalarInt(kInt64, extent.value());
  return w.One("Squeeze", {w.ExtentOf(extent)}, kInt64);
}

Val Inside(GraphWriter& w, const Val& indices, Extent extent) {
  const Val low = w.Compare("GreaterOrEqual", indices, w.ScalarInt(kInt64, 0));
  return w.One("And", {low, w.Compare("Less", indices, ScalarOf(w, extent))}, kBool);
}

// A gather of zeros by the index fails as the check does: kernels check indices, but count negative ones from the end.
void CheckIndex(const Site& s) {
  GraphWriter& w = s.w();
  const Extent extent = ExtentOfCheck(s.node);
  const Val x = ToIndex(w, s.x());
  const Val wrong_if_negative = w.Where(w.Compare("Less", x, w.ScalarInt(kInt64, 0)), ScalarOf(w, extent), x);
  const Val zeros = w.One("Expand", {w.ScalarInt(kInt64, 0), w.ExtentOf(extent)}, kInt64);
  const Val zero = w.One("Gather", {zeros, wrong_if_negative}, kInt64, {Int("axis", 0)});
  s.Set(w.Cast(w.Same("Add", {x, zero}), s.result().dtype));
}

// The same with one zero, and index 1 where an element is 0, or negative.
void CheckInteger(const Site& s) {
  GraphWriter& w = s.w();
  const Val x = ToIndex(w, s.x());
  const char* const wrong = s.node.attr<bool>("negative") ? "Less" : "Equal";
  const Val index =
      w.Where(w.Compare(wrong, x, w.ScalarInt(kInt64, 0)), w.ScalarInt(kInt64, 1), w.ScalarInt(kInt64, 0));
  const Val zeros = w.One("Expand", {w.ScalarInt(kInt64, 0), w.ExtentOf(Extent(1))}, kInt64);
  const Val zero = w.One("Gather", {zeros, index}, kInt64, {Int("axis", 0)});
  s.Set(w.Cast(w.Same("Add", {x, zero}), s.result().dtype));
}

void Gather(const Site& s) {
  GraphWriter& w = s.w();
  const int64_t axis = s.axis();
  const Extent extent = s.shape()[static_cast<int>(axis)];
  if (s.shape().has_zero()) return s.Set(w.Full(s.result(), 0));
  const Val indices = ToIndex(w, s.x(1));
  if (InRange(s.frame.f, s.node.operands[1], extent))
    return s.Set(w.One("Gather", {s.x(0), indices}, s.result().dtype, {Int("axis", axis)}));
  const Val inside = Inside(w, indices, extent);
  const Val safe = w.Where(inside, indices, w.ScalarInt(kInt64, 0));
  const Val rows = w.One("Gather", {s.x(0), safe}, s.result().dtype, {Int("axis", axis)});
  Ints after;
  for (int64_t k = axis + s.shape(1).rank(); k < s.result().shape.rank(); ++k) after.push_back(k - axis);
  s.Set(w.Where(w.Unsqueeze(inside, after), rows, w.Scalar(s.result().dtype, 0)));
}

// Where the axis comes first: which axis of the operand each one is.
Ints AxisFirst(int rank, int64_t axis) {
  Ints order{axis};
  for (int64_t k = 0; k < rank; ++k) {
    if (k != axis) order.push_back(k);
  }
  return order;
}

Ints Inverse(const Ints& permutation) {
  Ints out(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) out[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return out;
}

// The updates of a scatter with the axes of the indices first.
Val UpdatesFirst(const Site& s) {
  const int64_t axis = s.axis(), places = s.shape(1).rank();
  Ints order;
  for (int64_t k = 0; k < places; ++k) order.push_back(axis + k);
  for (int64_t k = 0; k < s.shape(2).rank(); ++k) {
    if (k < axis || k >= axis + places) order.push_back(k);
  }
  return s.w().Transpose(s.x(2), order);
}

// As ScatterElements wants them: one axis of places, and an index for each element.
Val SetRows(const Site& s, const Val& data, const Val& indices, const Val& updates) {
  GraphWriter& w = s.w();
  int64_t count = 1;
  Ints after;
  for (const Extent e : s.shape(1)) count *= e.value();
  Shape rows{count};
  for (int k = 0; k < s.shape(0).rank(); ++k) {
    if (k == s.axis()) continue;
    rows.push_back(s.shape(0)[k]);
    after.push_back(static_cast<int64_t>(after.size()) + 1);
  }
  const Val places = w.Expand(w.Unsqueeze(w.Reshape(indices, Shape{count}), after), rows);
  return w.One("ScatterElements", {data, places, w.Reshape(updates, rows)}, data.dtype, {Int("axis", 0)});
}

std::string_view ReductionOf(ir::Op op) {
  switch (op) {
    case ir::Op::kScatterAdd: return "add";
    case ir::Op::kScatterMul: return "mul";
    case ir::Op::kScatterMax: return "max";
    case ir::Op::kScatterMin: return "min";
    default: return "none";
  }
}

// Updates combined into data at places along its first axis.
Val Combine(const Site& s, const Val& data, const Val& indices, const Val& updates) {
  GraphWriter& w = s.w();
  const std::string reduction(ReductionOf(s.node.op));
  if (reduction == "none") return SetRows(s, data, indices, updates);
  const Val places = w.Unsqueeze(indices, {-1});
  const auto scatter = [&](const Val& to, const Val& from, const std::string& how) {
    return w.One("ScatterND", {to, places, from}, to.dtype, {Text("reduction", how)});
  };
  const Val out = scatter(data, updates, reduction);
  if ((reduction != "max" && reduction != "min") || !IsFloat(data.dtype)) return out;
  // Kernels lose a NaN: which elements meet one is a scatter of its own.
  const auto is_nan = [&](const Val& x) { return w.Cast(w.One("IsNaN", {x}, kBool), kInt32); };
  const Val met = w.Cast(scatter(is_nan(data), is_nan(updates), "max"), kBool);
  return w.Where(met, w.Scalar(data.dtype, std::numeric_limits<double>::quiet_NaN()), out);
}

void Scatter(const Site& s) {
  GraphWriter& w = s.w();
  const int64_t axis = s.axis();
  const Extent extent = s.shape()[static_cast<int>(axis)];
  if (s.shape(2).has_zero() || s.shape(0).has_zero()) return s.Set(s.x(0));
  const Ints order = AxisFirst(s.shape().rank(), axis);
  Val data = w.Transpose(s.x(0), order), indices = ToIndex(w, s.x(1));
  const bool checked = InRange(s.frame.f, s.node.operands[1], extent);
  if (!checked) {  // what is out of range goes to one row more, which is cut off
    Shape row = s.shape();
    row.erase(static_cast<int>(axis));
    row.insert(0, 1);
    data = w.Concat({data, w.Full({data.dtype, row}, 0)}, 0);
    indices = w.Where(Inside(w, indices, extent), indices, ScalarOf(w, extent));
  }
  Val out = Combine(s, data, indices, UpdatesFirst(s));
  if (!checked) out = w.One("Slice", {out, w.List({0}), w.ExtentOf(extent), w.List({0})}, out.dtype);
  s.Set(w.Transpose(out, Inverse(order)));
}

std::string WhyNoSet(const Asked& a) {
  return a.type(1).shape.is_constant() ? "" : "how many rows it writes is a symbolic extent; give it a number";
}

std::string WhyNoExtreme(const Asked& a) {
  return a.opset >= 18 ? "" : "ScatterND with max and min is in ONNX since opset 18; write that or a newer one";
}

// The first place of `size` elements of an axis, in range, as i64[1].
Val Clamped(const Site& s, const Val& start, int64_t size) {
  GraphWriter& w = s.w();
  const Extent extent = s.shape()[static_cast<int>(s.axis())];
  const Val last =
      extent.is_constant() ? w.List({extent.value() - size}) : w.Same("Sub", {w.ExtentOf(extent), w.List({size})});
  const Val first = w.Reshape(ToIndex(w, start), Shape{1});
  return w.Same("Max", {w.Same("Min", {first, last}), w.List({0})});
}

void DynamicSlice(const Site& s) {
  GraphWriter& w = s.w();
  const int64_t size = s.node.attr<int64_t>("size");
  const Val first = Clamped(s, s.x(1), size);
  const Val end = w.Same("Add", {first, w.List({size})});
  const Val part = w.One("Slice", {s.x(0), first, end, w.List({s.axis()})}, s.result().dtype);
  // Says the extent, which the bounds do not.
  s.Set(s.result().shape.is_constant() ? w.Reshape(part, s.result().shape) : part);
}

void DynamicUpdate(const Site& s) {
  GraphWriter& w = s.w();
  const int64_t axis = s.axis();
  const Extent size = s.shape(1)[static_cast<int>(axis)];
  if (size == s.shape()[static_cast<int>(axis)]) return s.Set(s.x(1));
  const Val first = Clamped(s, s.x(2), size.value());
  const Val end = w.Same("Add", {first, w.List({size.value()})}), axes = w.List({axis});
  const Val before = w.One("Slice", {s.x(0), w.List({0}), first, axes}, s.result().dtype);
  const Val after = w.One("Slice", {s.x(0), end, w.List({HighestInt(kInt64)}), axes}, s.result().dtype);
  const Val whole = w.Concat({before, s.x(1), after}, axis);
  s.Set(s.result().shape.is_constant() ? w.Reshape(whole, s.result().shape) : whole);
}

std::string WhyNoUpdate(const Asked& a) {
  const auto axis = static_cast<int>(a.node.attr<int64_t>("axis"));
  const Extent size = a.type(1).shape[axis];
  return size.is_constant() || size == a.type(0).shape[axis] ? "" : "it writes a symbolic extent; give it a number";
}

constexpr std::string_view kOrder = "in the runtime's order; out of range into a row that is cut off";

// clang-format off
constexpr ExportRow kRows[] = {
    {ir::Op::kGather, Gather, "Gather", "indices that nobody checked are chosen before, and their rows 0 after"},
    {ir::Op::kScatterAdd, Scatter, "ScatterND", kOrder},
    {ir::Op::kScatterSet, Scatter, "ScatterElements", "whose order for equal indices ONNX leaves open; ONNX Runtime's last one stays", WhyNoSet},
    {ir::Op::kScatterMax, Scatter, "ScatterND", "from opset 18; NaN by IsNaN beside it", WhyNoExtreme},
    {ir::Op::kScatterMin, Scatter, "ScatterND", "from opset 18; NaN by IsNaN beside it", WhyNoExtreme},
    {ir::Op::kScatterMul, Scatter, "ScatterND", kOrder},
    {ir::Op::kDynamicSlice, DynamicSlice, "Slice"},
    {ir::Op::kDynamicUpdate, DynamicUpdate, "Slice, Concat", "", WhyNoUpdate},
    {ir::Op::kCheckIndex, CheckIndex, "Gather", "of zeros, which fails out of range; its result is added"},
    {ir::Op::kCheckInteger, CheckInteger, "Gather", "of one zero, which fails where an element is wrong; its result is added"},
};
// clang-format on

}  // namespace

ExportRows IndexExports() { return kRows; }

}  // namespace reel::onnx
