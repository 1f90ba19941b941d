#include <cstring>

#include "frontend/ops/callback.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

// The elements of the second operand in the opposite order.
void Turn(absl::Span<const internal::CallbackTensor> operands, const internal::CallbackTensor& result) {
  const auto size = static_cast<size_t>(SizeOf(result.type.dtype)), n = static_cast<size_t>(result.type.shape.size());
  const auto* from = static_cast<const std::byte*>(operands[1].data);
  auto* to = static_cast<std::byte*>(result.data);
  for (size_t i = 0; i < n; ++i) std::memcpy(to + i * size, from + (n - 1 - i) * size, size);
}

}  // namespace

ir::EvalOptions WithCallbacks() {
  ir::EvalOptions options;
  options.callback = internal::EvaluateCallback;
  return options;
}

// What fails, and the order of calls, is in tests/frontend/callback_test.cc.
void MakeCallbackCases(const OpRow& row, std::vector<OpCase>* cases) {
  static const auto* const turn = new internal::CallbackPtr(internal::MakeCallback(Turn));
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{7}, Shape{3, 5}}) {
      const Type type{dtype, shape};
      CaseBuilder c(row.op, Text(type));
      const ir::Value order = c.InputInts(kInt32, {}, {0}), x = c.Input(type, row.domain);
      c.Emit({order, x}, {{"dtype", dtype},
                          {"effect", false},
                          {"guarded", false},
                          {"id", (*turn)->id()},
                          {"of", std::string("turn")},
                          {"shape", shape}});
      cases->push_back(c.Build());
    }
  }
}

}  // namespace reel::optable
