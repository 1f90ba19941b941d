#include "frontend/program/turned_variables.h"

#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "passes/sink_transposes.h"
#include "reel/ops.h"

namespace reel::internal {
namespace {

// The elements as they are stored; for no tape or recording.
Tensor AsStored(const Tensor& x, const passes::TurnedVariable& turned) {
  const SuspendScope eager;
  const Tensor lies = Transpose(x, turned.permutation);
  if (turned.panel == 0) return lies;
  Shape shape = lies.shape();
  const int last = shape.rank() - 1;
  shape.set(last, shape.dim(last) / turned.panel);
  shape.push_back(turned.panel);
  std::vector<int64_t> order{last};  // [..., n, panel] -> [n, ..., panel]
  for (int i = 0; i < last; ++i) order.push_back(i);
  order.push_back(last + 1);
  return Transpose(Reshape(lies, shape), order);
}

// The other way, of a variable of this shape.
Tensor FromStored(const Tensor& stored, const passes::TurnedVariable& turned, const Shape& shape) {
  const SuspendScope eager;
  const std::vector<int64_t> back = passes::Inverse(turned.permutation);
  if (turned.panel == 0) return Transpose(stored, back);
  std::vector<int64_t> order;
  for (int i = 1; i + 1 < stored.shape().rank(); ++i) order.push_back(i);
  order.insert(order.end(), {0, stored.shape().rank() - 1});
  Shape lies;
  for (int64_t axis : turned.permutation) lies.push_back(shape[static_cast<int>(axis)]);
  return Transpose(Reshape(Transpose(stored, order), lies), back);
}

}  // namespace

void TurnedVariables::Turn(ir::Module* module) {
  list_ = Take(passes::StoreTurned(module, [](const ir::Literal& initial, const passes::TurnedVariable& turned) {
    return ToLiteral(AsStored(internal::FromLiteral(initial), turned));
  }));
}

Type TurnedVariables::TypeOf(const codegen::VariableSlot& slot) const {
  const passes::TurnedVariable* const turned = Find(slot);
  return turned ? passes::TypeOfStored(slot.type, *turned) : slot.type;
}

Tensor TurnedVariables::Read(const codegen::VariableSlot& slot, const std::byte* stored) const {
  const Tensor x = Tensor::FromBytes(slot.type.dtype, slot.type.shape, stored);
  const passes::TurnedVariable* const turned = Find(slot);
  return turned ? FromStored(x, *turned, TypeOf(slot).shape) : x;
}

Tensor TurnedVariables::Stored(const codegen::VariableSlot& slot, const Tensor& value) const {
  const passes::TurnedVariable* const turned = Find(slot);
  return turned ? AsStored(value, *turned) : value;
}

const passes::TurnedVariable* TurnedVariables::Find(const codegen::VariableSlot& slot) const {
  for (const passes::TurnedVariable& v : list_) {
    if (v.name == slot.name) return &v;
  }
  return nullptr;
}

}  // namespace reel::internal
