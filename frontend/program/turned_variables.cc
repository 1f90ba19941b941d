#include "frontend/program/turned_variables.h"

#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "passes/sink_transposes.h"
#include "reel/ops.h"

namespace reel::internal {
namespace {

// The elements in another order, for no tape or recording.
Tensor InOrder(const Tensor& x, const std::vector<int64_t>& permutation) {
  const SuspendScope eager;
  return Transpose(x, permutation);
}

}  // namespace

void TurnedVariables::Turn(ir::Module* module) {
  list_ = Take(passes::StoreTurned(module, [](const ir::Literal& initial, const std::vector<int64_t>& permutation) {
    return ToLiteral(InOrder(internal::FromLiteral(initial), permutation));
  }));
}

Type TurnedVariables::TypeOf(const codegen::VariableSlot& slot) const {
  const std::vector<int64_t>* const order = Find(slot);
  if (!order) return slot.type;
  Shape shape;
  for (int64_t axis : passes::Inverse(*order)) shape.push_back(slot.type.shape[static_cast<int>(axis)]);
  return {slot.type.dtype, shape};
}

Tensor TurnedVariables::Read(const codegen::VariableSlot& slot, const std::byte* stored) const {
  const Tensor x = Tensor::FromBytes(slot.type.dtype, slot.type.shape, stored);
  const std::vector<int64_t>* const order = Find(slot);
  return order ? InOrder(x, passes::Inverse(*order)) : x;
}

Tensor TurnedVariables::Stored(const codegen::VariableSlot& slot, const Tensor& value) const {
  const std::vector<int64_t>* const order = Find(slot);
  return order ? InOrder(value, *order) : value;
}

const std::vector<int64_t>* TurnedVariables::Find(const codegen::VariableSlot& slot) const {
  for (const passes::TurnedVariable& v : list_) {
    if (v.name == slot.name) return &v.permutation;
  }
  return nullptr;
}

}  // namespace reel::internal
