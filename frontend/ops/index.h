#ifndef REEL_FRONTEND_OPS_INDEX_H_
#define REEL_FRONTEND_OPS_INDEX_H_

#include "ir/graph.h"
#include "reel/variable.h"

namespace reel::internal {

/// The indices; throws if one is not in [0, extent of x's axis). What is traced or recorded checks them when it runs:
/// it goes on with the tensor that this returns.
[[nodiscard]] Tensor CheckIndices(const char* op, const Type& x, const Tensor& indices, int64_t axis);
[[nodiscard]] inline Tensor CheckIndices(const char* op, const Tensor& x, const Tensor& indices, int64_t axis) {
  return CheckIndices(op, x.type(), indices, axis);
}
/// The same for the numbers of classes.
[[nodiscard]] Tensor CheckLabelRange(const char* op, const Tensor& labels, int64_t classes);
/// The integers, divisors or if `negative` exponents of the op; throws if one is 0, or negative. Else as CheckIndices.
[[nodiscard]] Tensor CheckIntegers(const char* op, const Tensor& values, bool negative);
/// Whether traces have checks; process-wide, and not of this thread inside of an UncheckedScope.
bool ChecksBounds();
class UncheckedScope {
 public:
  UncheckedScope();
  ~UncheckedScope();
  UncheckedScope(const UncheckedScope&) = delete;
  UncheckedScope& operator=(const UncheckedScope&) = delete;
};
/// What a check_index or check_integer does to values.
void CheckValues(ir::Op op, const ir::Attributes& check, const Tensor& values);
/// The operand; throws unless it is i32 or i64.
Tensor IndexTensor(const Operand& x);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_INDEX_H_
