#include <algorithm>
#include <limits>

#include "frontend/onnx/export_node.h"

namespace reel::onnx {
namespace {

// Axes are an input from `since` on, an attribute before.
Val Reduce(GraphWriter& w, std::string_view op, const Val& x, const Ints& axes, int64_t since) {
  if (w.opset() >= since) return w.Same(op, {x, w.List(axes)}, {Int("keepdims", 0)});
  return w.Same(op, {x}, {IntList("axes", axes), Int("keepdims", 0)});
}

// Nothing along an axis: the value that an empty reduction has.
bool IsEmpty(const Site& s, double value) {
  if (!s.shape().has_zero()) return false;
  s.Set(s.w().Full(s.result(), value));
  return true;
}

// The axes as one at the end, where their extents are numbers.
bool MoveToEnd(const Site& s, Val* x, int64_t* count) {
  const Ints& axes = s.ints("axes");
  Ints order;
  *count = 1;
  for (int64_t k = 0; k < s.shape().rank(); ++k) {
    if (std::find(axes.begin(), axes.end(), k) == axes.end()) order.push_back(k);
  }
  for (const int64_t axis : axes) {
    const Extent extent = s.shape()[static_cast<int>(axis)];
    if (!extent.is_constant()) return false;
    *count *= extent.value();
    order.push_back(axis);
  }
  Shape joined = s.result().shape;
  if (joined.rank() == kMaxRank) return false;
  joined.push_back(*count);
  *x = s.w().Reshape(s.w().Transpose(s.x(), order), joined);
  return true;
}

// ONNX Runtime adds and multiplies i64, and multiplies i32, in f64: whole sums are products of matrices, whole products
// those of halves.
bool WholeSum(const Site& s) {
  GraphWriter& w = s.w();
  Val x;
  int64_t count;
  if (Carrier("ReduceSum", s.result().dtype) != kInt64 || !MoveToEnd(s, &x, &count)) return false;
  s.Set(w.Cast(w.One("MatMul", {w.Cast(x, kInt64), w.Expand(w.ScalarInt(kInt64, 1), {count})}, kInt64),
               s.result().dtype));
  return true;
}

bool WholeProduct(const Site& s) {
  GraphWriter& w = s.w();
  Val x;
  int64_t count;
  if (IsFloat(s.result().dtype) || !MoveToEnd(s, &x, &count)) return false;
  const int64_t axis = s.result().shape.rank();
  while (count > 1) {
    const int64_t half = count / 2;
    const Val a = w.Slice(x, {0}, {half}, {axis}, {1}), b = w.Slice(x, {half}, {2 * half}, {axis}, {1});
    const Val product = w.Same("Mul", {a, b});
    x = count % 2 == 0 ? product : w.Concat({product, w.Slice(x, {2 * half}, {count}, {axis}, {1})}, axis);
    count -= half;
  }
  s.Set(w.Reshape(x, s.result().shape));
  return true;
}

void Sum(const Site& s) {
  if (s.ints("axes").empty()) return s.Set(s.x());
  if (IsEmpty(s, 0) || WholeSum(s)) return;
  s.Set(s.w().Same("ReduceSum", {s.x(), s.w().List(s.ints("axes"))}, {Int("keepdims", 0)}));
}

void Product(const Site& s) {
  if (s.ints("axes").empty()) return s.Set(s.x());
  if (IsEmpty(s, 1) || WholeProduct(s)) return;
  s.Set(Reduce(s.w(), "ReduceProd", s.x(), s.ints("axes"), 18));
}

// u64 as i64 in the same order, and back: the highest bit is the other one.
Val Flip(GraphWriter& w, const Val& x) {
  const Val number = w.Cast(x, kInt64);
  return w.Same("Add", {number, w.ScalarInt(kInt64, LowestInt(kInt64))});
}

template <bool highest>
void Extreme(const Site& s) {
  GraphWriter& w = s.w();
  const DType dtype = s.result().dtype;
  if (s.ints("axes").empty()) return s.Set(s.x());
  if (s.shape().has_zero()) {
    const double infinity = std::numeric_limits<double>::infinity();
    const ir::Literal none = IsFloat(dtype)
                                 ? ir::Literal::Scalar(dtype, highest ? -infinity : infinity)
                                 : ir::Literal::ScalarInt(dtype, highest ? LowestInt(dtype) : HighestInt(dtype));
    const Val scalar = w.Constant(none);
    return s.Set(s.result().shape.rank() == 0 ? scalar : w.Expand(scalar, s.result().shape));
  }
  const std::string_view op = highest ? "ReduceMax" : "ReduceMin";
  if (dtype == kUInt64) {
    const Val found = Reduce(w, op, Flip(w, s.x()), s.ints("axes"), 18);
    return s.Set(w.Cast(w.Same("Add", {found, w.ScalarInt(kInt64, LowestInt(kInt64))}), kUInt64));
  }
  const Val found = Reduce(w, op, s.x(), s.ints("axes"), 18);
  if (!IsFloat(dtype)) return s.Set(found);
  // What kernels do with a NaN depends on its place.
  const Val x = w.Cast(s.x(), IsHalf(dtype) ? kFloat32 : dtype);
  const Val is_nan = w.Cast(w.One("IsNaN", {x}, kBool), kInt32);
  const Val any = w.Cast(Reduce(w, "ReduceMax", is_nan, s.ints("axes"), 18), kBool);
  s.Set(w.Where(any, w.Scalar(dtype, std::numeric_limits<double>::quiet_NaN()), found));
}

constexpr ExportRow kRows[] = {
    {ir::Op::kReduceSum, Sum, "ReduceSum", "in the runtime's order; whole numbers of 64 bits by MatMul"},
    {ir::Op::kReduceMax, Extreme<true>, "ReduceMax", "NaN by IsNaN beside it"},
    {ir::Op::kReduceMin, Extreme<false>, "ReduceMin", "NaN by IsNaN beside it"},
    {ir::Op::kReduceProd, Product, "ReduceProd", "in the runtime's order; whole numbers by Mul of halves"},
};

}  // namespace

ExportRows ReduceExports() { return kRows; }

}  // namespace reel::onnx
