#include "callback.h"
#include "gradients.h"
#include "reel/custom_gradient.h"
#include "register.h"

// Functions with gradients of their own, on lists of tensors; reel/_custom.py adds structures and names.

namespace reel::python {
namespace {

std::vector<std::optional<Tensor>> OptionalTensors(nb::handle list) {
  std::vector<std::optional<Tensor>> out;
  for (const nb::handle x : list) out.push_back(x.is_none() ? std::optional<Tensor>() : ToTensor(x));
  return out;
}

std::vector<Operand> ToOperands(nb::handle list) {
  std::vector<Operand> out;
  for (const nb::handle x : list) out.push_back(ToOperand(x));
  return out;
}

[[noreturn]] void RefuseWithoutVariables(const std::string& names) {
  ThrowType("custom_gradient: grad_fn must accept keyword argument 'variables', since function uses variables: " +
            names + "; write grad_fn(*dys, variables=None) and return (input gradients, variable gradients)");
}

// function(inputs) -> (results, backward, takes_variables); backward(dys, variables) -> both lists of gradients.
internal::CustomForward Forward(const nb::object& function, const std::vector<Tensor>& inputs) {
  const nb::gil_scoped_acquire lock;
  const nb::object made = function(TensorObjects(inputs));
  internal::CustomForward out{ToTensors(made[0]), {}, nb::cast<bool>(made[2])};
  out.refuse = RefuseWithoutVariables;
  out.backward = [backward = SharedObject(made[1])](const std::vector<Tensor>& dys,
                                                    const std::vector<Variable>& variables) {
    const nb::gil_scoped_acquire lock;
    const nb::object gradients = (*backward)(TensorObjects(dys), VariableTuple(variables));
    return CustomGradients{OptionalTensors(gradients[0]), OptionalTensors(gradients[1])};
  };
  return out;
}

nb::list CallCustom(nb::handle function, nb::handle inputs) {
  return TensorObjects(internal::CallCustom(
      "custom_gradient", [f = nb::borrow(function)](const std::vector<Tensor>& xs) { return Forward(f, xs); },
      ToOperands(inputs)));
}

using MakeForward = internal::CustomForward (*)(const internal::ListFunction&, const std::vector<Tensor>&);

// The same of function(inputs) -> results, with a gradient that Reel makes.
template <MakeForward kMake>
nb::list CallMade(const char* name, nb::handle function, nb::handle inputs) {
  const internal::ListFunction list = [f = SharedObject(function)](const std::vector<Tensor>& xs) {
    const nb::gil_scoped_acquire lock;
    return ToTensors((*f)(TensorObjects(xs)));
  };
  return TensorObjects(internal::CallCustom(
      name, [list](const std::vector<Tensor>& xs) { return kMake(list, xs); }, ToOperands(inputs)));
}

}  // namespace

void RegisterCustom(nb::module_& m) {
  m.def("_call_custom", &CallCustom);
  m.def("_connected", [](nb::handle x) { return Wrap(internal::Connected(ToOperand(x))); });
  m.def("_refused",
        [](nb::handle x, std::string text) { return Wrap(internal::Refused(ToOperand(x), std::move(text))); });
  m.def("_call_recompute", [](nb::handle f, nb::handle inputs) {
    return CallMade<&internal::ForwardToRecompute>("recompute", f, inputs);
  });
  m.def("_call_pass_through", [](nb::handle f, nb::handle inputs) {
    return CallMade<&internal::ForwardToPassThrough>("grad_pass_through", f, inputs);
  });
}

}  // namespace reel::python
