#include <cstring>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "callback.h"
#include "frontend/ops/callback.h"
#include "frontend/ops/index.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/static_value.h"
#include "ir/lazy.h"
#include "register.h"
#include "runtime/fork.h"

// Python functions that compiled code calls; reel/tf/_callbacks.py makes ops of them.

namespace reel::python {
namespace {

using internal::CallbackTensor;

// Functions whose last graph or program has ended. That happens on any thread, under any lock, so no Python runs there:
// the interpreter ends them between two of its instructions.
class Ended {
 public:
  void Add(std::unique_ptr<nb::object> function) {
    const std::lock_guard lock(mutex_);
    functions_.push_back(std::move(function));
    if (!called_) called_ = Py_AddPendingCall(&Clear, this) == 0;  // full: with the next
  }
  // With the GIL.
  static int Clear(void* ended) {
    auto* const self = static_cast<Ended*>(ended);
    std::vector<std::unique_ptr<nb::object>> functions;
    {
      const std::lock_guard lock(self->mutex_);
      self->called_ = false;
      functions.swap(self->functions_);
    }
    return 0;
  }

 private:
  runtime::Mutex mutex_;
  bool called_ = false;
  std::vector<std::unique_ptr<nb::object>> functions_;
};
constinit Lazy<Ended> ended;

std::shared_ptr<nb::object> Kept(nb::handle function) {
  return {new nb::object(nb::borrow(function)), [](nb::object* object) {
            if (Py_IsInitialized()) ended.Get().Add(std::unique_ptr<nb::object>(object));  // else the process ends
          }};
}

// function(operands) -> a tensor of the result's type; None: its bytes are zeros.
internal::CallbackPtr Make(nb::handle function) {
  return internal::MakeCallback(
      [f = Kept(function)](absl::Span<const CallbackTensor> operands, const CallbackTensor& result) {
        const auto bytes = static_cast<size_t>(result.type.bytes());
        const nb::gil_scoped_acquire lock;
        const internal::SuspendScope eager;  // what listens to the call that this is a part of does not see its inside
        std::vector<Tensor> tensors;
        for (const CallbackTensor& x : operands) {
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
          ThrowInvalid(Text({"a callback returned ", made.type().ToString(), ", it was traced for ",
                             result.type.ToString(), "; return that type in every call"}));
        }
        std::memcpy(result.data, made.raw_data(), bytes);
      });
}

}  // namespace

void RegisterCallbacks(nb::module_& m) {
  m.def("_callback",
        [](nb::handle function, std::string of, bool effect, bool guarded, nb::handle like, nb::handle operands) {
          return Wrap(internal::CallBack(Make(function), {std::move(of), effect, guarded}, ToTensor(like).type(),
                                         ToTensors(operands)));
        });
  m.def("_callback_order", [] { return WrapVariable(internal::CallbackOrder()); });
  m.def("_check_integers", [](nb::handle values, const std::string& of, bool negative) {
    const Tensor x = ToTensor(values), known = internal::StaticValue(x);
    if (!known.defined()) return Wrap(internal::CheckIntegers(of.c_str(), x, negative));
    std::ignore = internal::CheckIntegers(of.c_str(), known, negative);  // now, in a trace too
    return Wrap(x);
  });
}

}  // namespace reel::python
