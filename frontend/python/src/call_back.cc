#include <algorithm>
#include <cstring>

#include "callback.h"
#include "frontend/ops/callback.h"
#include "frontend/record/event_stream.h"
#include "ir/callback.h"
#include "register.h"

// Python functions that compiled code calls; reel/tf/_callbacks.py makes ops of them.

namespace reel::python {
namespace {

// Whether all elements of a bool tensor are true.
bool All(const ir::CallbackTensor& x) {
  const auto* bytes = static_cast<const unsigned char*>(x.data);
  return std::find(bytes, bytes + x.type.bytes(), 0) == bytes + x.type.bytes();
}

// function(operands) -> a tensor of the result's type; None: its bytes are zeros, as if it is not called. `guarded`: it
// is only where an element of operand 1, of bool, is false.
int64_t Add(nb::handle function, bool guarded) {
  return ir::AddCallback([f = SharedObject(function), guarded](absl::Span<const ir::CallbackTensor> operands,
                                                               const ir::CallbackTensor& result) {
    const auto bytes = static_cast<size_t>(result.type.bytes());
    if (guarded && All(operands[1])) {
      std::memset(result.data, 0, bytes);
      return;
    }
    const nb::gil_scoped_acquire lock;
    const internal::SuspendScope eager;  // what listens to the call that this is a part of does not see its inside
    std::vector<Tensor> tensors;
    for (const ir::CallbackTensor& x : operands) {
      tensors.push_back(Tensor::FromBytes(x.type.dtype, x.type.shape, x.data));
    }
    const nb::object out = (*f)(TensorObjects(tensors));
    if (bytes == 0) return;
    if (out.is_none()) {
      std::memset(result.data, 0, bytes);
      return;
    }
    const Tensor made = ToTensor(out);
    if (made.type() != result.type) {
      ThrowInvalid(Text({"a callback returned ", made.type().ToString(), ", it was traced for ", result.type.ToString(),
                         "; return that type in every call"}));
    }
    std::memcpy(result.data, made.raw_data(), bytes);
  });
}

}  // namespace

void RegisterCallbacks(nb::module_& m) {
  m.def("_add_callback", &Add);
  m.def("_callback", [](int64_t id, std::string of, bool effect, nb::handle like, nb::handle operands) {
    return Wrap(internal::CallBack(id, std::move(of), effect, ToTensor(like).type(), ToTensors(operands)));
  });
  m.def("_callback_order", [] { return WrapVariable(internal::CallbackOrder()); });
}

}  // namespace reel::python
