#include "frontend/eager/dispatch.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {

using internal::BroadcastTensor;
using internal::Dispatch;
using internal::LocationScope;
using internal::Promote;
using internal::TensorList;

Tensor Contract(const Operand& a, const Operand& b, const ContractAxes& axes) {
  const LocationScope scope(a);
  const TensorList t = Promote(ir::Op::kContract, {&a, &b});
  return Dispatch(ir::Op::kContract, t,
                  {{"a_batch", axes.a_batch},
                   {"a_contract", axes.a_contract},
                   {"b_batch", axes.b_batch},
                   {"b_contract", axes.b_contract}});
}

namespace {

[[noreturn]] void MatMulError(const Tensor& a, const Tensor& b, const char* hint) {
  internal::ThrowInvalid(
      StrCat("matmul: shapes ", a.shape().ToString(), " and ", b.shape().ToString(), " do not multiply; ", hint));
}

// Leading axes of x broadcast to `batch`, its last two kept.
Tensor BroadcastBatch(const Tensor& x, const Shape& batch) {
  Shape shape = batch;
  shape.push_back(x.shape()[x.rank() - 2]);
  shape.push_back(x.shape()[x.rank() - 1]);
  return BroadcastTensor(x, shape);
}

Shape Leading(const Shape& shape) { return Shape(std::span<const Extent>(shape.begin(), shape.end() - 2)); }

}  // namespace

Tensor MatMul(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const TensorList t = Promote(ir::Op::kContract, {&a, &b});
  Tensor x = t[0], y = t[1];
  if (x.rank() == 0 || y.rank() == 0) MatMulError(x, y, "scalars take Mul");
  const int64_t k_of_y = y.rank() == 1 ? 0 : y.rank() - 2;
  if (x.shape()[x.rank() - 1] != y.shape()[static_cast<int>(k_of_y)]) {
    MatMulError(x, y,
                "the last axis of the left must equal the last but one of the right; Transpose one "
                "of them");
  }
  if (x.rank() <= 2 && y.rank() <= 2) {
    return Contract(x, y, {.a_batch = {}, .b_batch = {}, .a_contract = {x.rank() - 1}, .b_contract = {k_of_y}});
  }
  // A vector on either side, or a matrix on the right of a stack, needs no batch axes.
  if (y.rank() <= 2) {
    return Contract(x, y, {.a_batch = {}, .b_batch = {}, .a_contract = {x.rank() - 1}, .b_contract = {k_of_y}});
  }
  if (x.rank() == 1) {
    return Contract(y, x, {.a_batch = {}, .b_batch = {}, .a_contract = {k_of_y}, .b_contract = {0}});
  }
  const Shape batch = internal::BroadcastShapes(ir::Op::kContract, Leading(x.shape()), Leading(y.shape()));
  x = BroadcastBatch(x, batch);
  y = BroadcastBatch(y, batch);
  std::vector<int64_t> axes;
  for (int i = 0; i < batch.rank(); ++i) axes.push_back(i);
  return Contract(x, y,
                  {.a_batch = axes, .b_batch = axes, .a_contract = {batch.rank() + 1}, .b_contract = {batch.rank()}});
}

}  // namespace reel
