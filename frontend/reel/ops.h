#ifndef REEL_OPS_H_
#define REEL_OPS_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "reel/elementary.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// The ops. Elementwise ops broadcast as NumPy does and promote by the array API table: f32 with f64
// is f64, i32 with i64 is i64, C++ numbers take the dtype of the other operand, mixing kinds is an
// error.

namespace reel {

// --- elementwise; more in elementary.h and functions.h ---
Tensor Identity(const Operand& x);      ///< x, as a new tensor
Tensor StopGradient(const Operand& x);  ///< x; no gradient flows back
Tensor Neg(const Operand& x);
Tensor Abs(const Operand& x);
Tensor Sign(const Operand& x);
Tensor Floor(const Operand& x);
Tensor Ceil(const Operand& x);
Tensor Sqrt(const Operand& x);
Tensor Square(const Operand& x);      ///< x * x
Tensor Reciprocal(const Operand& x);  ///< 1 / x
Tensor LogicalNot(const Operand& x);  ///< of bool; bitwise for integers
Tensor Cast(const Operand& x, DType dtype);

/// Arithmetic of two tensors, element by element.
Tensor Add(const Operand& a, const Operand& b);
Tensor Sub(const Operand& a, const Operand& b);
Tensor Mul(const Operand& a, const Operand& b);
Tensor Div(const Operand& a, const Operand& b);  ///< integers truncate toward zero
Tensor Maximum(const Operand& a, const Operand& b);
Tensor Minimum(const Operand& a, const Operand& b);
Tensor LogicalAnd(const Operand& a, const Operand& b);
Tensor LogicalOr(const Operand& a, const Operand& b);
Tensor LogicalXor(const Operand& a, const Operand& b);
Tensor ShiftLeft(const Operand& a, const Operand& b);
Tensor ShiftRight(const Operand& a, const Operand& b);  ///< logical: fills with zeros
Tensor Equal(const Operand& a, const Operand& b);
Tensor NotEqual(const Operand& a, const Operand& b);
Tensor Less(const Operand& a, const Operand& b);
Tensor LessEqual(const Operand& a, const Operand& b);
Tensor Greater(const Operand& a, const Operand& b);
Tensor GreaterEqual(const Operand& a, const Operand& b);
/// a where condition (bool) is true, else b; all three broadcast.
Tensor Where(const Operand& condition, const Operand& a, const Operand& b);

Tensor operator-(const Operand& x);
Tensor operator~(const Operand& x);  ///< LogicalNot
Tensor operator+(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a, const Operand& b);
Tensor operator*(const Operand& a, const Operand& b);
Tensor operator/(const Operand& a, const Operand& b);
Tensor operator==(const Operand& a, const Operand& b);
Tensor operator!=(const Operand& a, const Operand& b);
Tensor operator<(const Operand& a, const Operand& b);
Tensor operator<=(const Operand& a, const Operand& b);
Tensor operator>(const Operand& a, const Operand& b);
Tensor operator>=(const Operand& a, const Operand& b);
Tensor operator&(const Operand& a, const Operand& b);
Tensor operator|(const Operand& a, const Operand& b);
Tensor operator^(const Operand& a, const Operand& b);

// --- reduce ---
/// Axes of a reduction: all (the default), one, or several; negative ones count from the end.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : all_(false), list_(1, axis) {}      // NOLINT: implicit
  Axes(int64_t axis) : all_(false), list_(1, axis) {}  // NOLINT: implicit
  Axes(std::initializer_list<int64_t> axes) : all_(false), list_(axes) {}
  Axes(std::vector<int64_t> axes) : all_(false), list_(std::move(axes)) {}  // NOLINT: implicit
  /// All axes, or those of the list.
  bool all() const { return all_; }
  const std::vector<int64_t>& list() const { return list_; }

 private:
  bool all_ = true;
  std::vector<int64_t> list_;
};
/// Options of reductions.
struct ReduceOptions {
  bool keepdims = false;  ///< reduced axes stay, with extent 1
};
Tensor ReduceSum(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor ReduceMean(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor ReduceMax(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor ReduceMin(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor ReduceAll(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});  ///< of bool
Tensor ReduceAny(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});  ///< of bool
/// log sum exp(x), without overflow.
Tensor LogSumExp(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});
/// Index (i64) of the first maximum along an axis; the first NaN counts as the maximum.
Tensor ArgMax(const Operand& x, int64_t axis = -1);
Tensor ArgMin(const Operand& x, int64_t axis = -1);

// --- shape ---
/// A tensor of one number everywhere.
Tensor Zeros(const Shape& shape, DType dtype = kFloat32);
Tensor Ones(const Shape& shape, DType dtype = kFloat32);
Tensor Full(const Shape& shape, double value, DType dtype = kFloat32);
Tensor ZerosLike(const Operand& x);
Tensor OnesLike(const Operand& x);
/// start, start + 1, ... below stop.
Tensor Arange(int64_t start, int64_t stop, DType dtype = kInt64);
/// The number of positions along `axis` at every element of a shape.
Tensor Iota(const Shape& shape, int64_t axis, DType dtype = kInt64);
/// Row-major elements in another shape; one extent may be -1: what is left.
Tensor Reshape(const Operand& x, const std::vector<int64_t>& shape);
Tensor ReshapeTo(const Operand& x, const Shape& shape);
/// The same with a Shape, whose extents may be symbolic: Reshape(x, Shape{x.shape()[0], 28, 28}).
template <std::same_as<Shape> S>
Tensor Reshape(const Operand& x, const S& shape) {
  return ReshapeTo(x, shape);
}
/// The extent of an axis as an i64 scalar; of a symbolic one, what it is when the function runs.
Tensor ExtentOf(const Operand& x, int64_t axis);
/// Result axis i is axis permutation[i]; without one, the axes are reversed.
Tensor Transpose(const Operand& x, const std::vector<int64_t>& permutation = {});
Tensor ExpandDims(const Operand& x, int64_t axis);
/// Without axes of extent 1: all of them, or those named.
Tensor Squeeze(const Operand& x, const Axes& axes = {});
Tensor BroadcastTo(const Operand& x, const Shape& shape);
/// A limit of Slice: the end of the axis, whatever its extent.
inline constexpr int64_t kEnd = INT64_MAX;
/// Elements start, start + stride, ... below limit of every axis; strides default to 1. Negative
/// starts and limits count from the end. A symbolic axis stays whole: start 0, limit kEnd.
Tensor Slice(const Operand& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
             const std::vector<int64_t>& strides = {});
/// x with copies of `value` before (low) and after (high) every axis.
Tensor Pad(const Operand& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high, double value = 0);
Tensor Concat(const std::vector<Tensor>& parts, int64_t axis = 0);
Tensor Stack(const std::vector<Tensor>& parts, int64_t axis = 0);

// --- contract ---
/// Matrix product with NumPy's rule: leading axes broadcast, vectors are rows on the left, columns
/// on the right.
Tensor MatMul(const Operand& a, const Operand& b);
/// Sum over the named axes of a * b; result axes: batch, rest of a, rest of b.
struct ContractAxes {
  std::vector<int64_t> a_batch, b_batch, a_contract, b_contract;
};
Tensor Contract(const Operand& a, const Operand& b, const ContractAxes& axes);

// --- index ---
/// Slices of x along axis at integer indices, whose axes take the place of axis. Out of range
/// throws; compiled code reads 0 there.
Tensor Gather(const Operand& x, const Operand& indices, int64_t axis = 0);
/// x plus the slices `updates`, added along axis at the indices, in order.
Tensor ScatterAdd(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis = 0);
/// `size` elements along axis from a computed start, clamped into range.
Tensor DynamicSlice(const Operand& x, const Operand& start, int64_t size, int64_t axis = 0);
/// x with `update` written over it along axis from a computed start, clamped into range.
Tensor DynamicUpdate(const Operand& x, const Operand& update, const Operand& start, int64_t axis = 0);
/// [..., depth]: 1 at the index, 0 elsewhere (everywhere if the index is out of range).
Tensor OneHot(const Operand& indices, int64_t depth, DType dtype = kFloat32);

// --- control ---
/// then_branch() if the bool scalar is true, else else_branch(). Eager: calls one. In a trace: an
/// `if` of both, whose results must agree in number and type.
std::vector<Tensor> Cond(const Operand& condition, const std::function<std::vector<Tensor>()>& then_branch,
                         const std::function<std::vector<Tensor>()>& else_branch);
/// The same for branches of one result.
Tensor Cond(const Operand& condition, const std::function<Tensor()>& then_branch,
            const std::function<Tensor()>& else_branch);
/// Options of WhileLoop.
struct WhileOptions {
  int64_t maximum_iterations = -1;  ///< negative: no bound
};
/// values = body(values) as long as cond(values). Eager: a plain loop. In a trace: a `while`.
std::vector<Tensor> WhileLoop(const std::function<Tensor(const std::vector<Tensor>&)>& cond,
                              const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                              const std::vector<Tensor>& values, WhileOptions options = {});

}  // namespace reel

#endif  // REEL_OPS_H_
