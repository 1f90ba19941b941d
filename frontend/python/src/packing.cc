#include "packing.h"

#include <utility>

#include "register.h"

namespace reel::python {

Packing::Packing(nb::type_object tensor, nb::list steps) : tensor_(reinterpret_cast<PyTypeObject*>(tensor.ptr())) {
  for (const nb::handle pair : steps) steps_.push_back(ToStep(pair));
}

Packing::Step Packing::ToStep(nb::handle pair) {
  using Kind = Step::Kind;
  const std::string name = nb::borrow<nb::str>(pair[0]).c_str();
  const nb::object what = pair[1];
  const auto number = [](nb::handle x) { return static_cast<size_t>(ToInt(x, "packing")); };
  if (name == "tensor") return {Kind::kTensor, number(what), {}};
  if (name == "constant") return {Kind::kConstant, 0, what};
  if (name == "list") return {Kind::kList, number(what), {}};
  if (name == "tuple") return {Kind::kTuple, number(what), {}};
  if (name == "dict") return {Kind::kDict, nb::len(what), what};
  if (name == "call") return {Kind::kCall, number(what[1]), what[0]};
  ThrowInvalid("packing: there is no step '" + name + "'");
}

nb::object Packing::Pack(std::vector<Tensor> tensors) const {
  const auto wrapped = [&](const Step& step) { return WrapAs(tensor_, std::move(tensors.at(step.count))); };
  if (steps_.size() == 1 && steps_[0].kind == Step::Kind::kTensor) return wrapped(steps_[0]);
  std::vector<nb::object> stack;
  stack.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kTensor) {
      stack.push_back(wrapped(step));
    } else if (step.kind == Step::Kind::kConstant) {
      stack.push_back(step.what);
    } else {
      const size_t first = stack.size() - step.count;
      nb::object joined = Join(step, stack.data() + first);
      stack.resize(first);
      stack.push_back(std::move(joined));
    }
  }
  return std::move(stack.at(0));
}

// A structure of the parts, which it takes.
nb::object Packing::Join(const Step& step, nb::object* parts) {
  const auto n = static_cast<Py_ssize_t>(step.count);
  const auto checked = [](PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
  };
  if (step.kind == Step::Kind::kDict) {
    nb::object dict = checked(PyDict_New());
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (PyDict_SetItem(dict.ptr(), NB_TUPLE_GET_ITEM(step.what.ptr(), i), parts[i].ptr()) != 0)
        throw nb::python_error();
    }
    return dict;
  }
  if (step.kind == Step::Kind::kList) {
    nb::object list = checked(PyList_New(n));
    for (Py_ssize_t i = 0; i < n; ++i) PyList_SetItem(list.ptr(), i, parts[i].release().ptr());
    return list;
  }
  nb::object tuple = checked(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SetItem(tuple.ptr(), i, parts[i].release().ptr());
  return step.kind == Step::Kind::kTuple ? tuple : checked(PyObject_CallObject(step.what.ptr(), tuple.ptr()));
}

int Packing::Traverse(visitproc visit, void* arg) const {
  for (const Step& step : steps_) Py_VISIT(step.what.ptr());
  return 0;
}

namespace {

int TraversePacking(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Packing>(self)->Traverse(visit, arg) : 0;
}

int ClearPacking(PyObject* self) {
  nb::inst_ptr<Packing>(self)->Clear();
  return 0;
}

const PyType_Slot packing_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&TraversePacking)},
    {Py_tp_clear, reinterpret_cast<void*>(&ClearPacking)},
    {0, nullptr},
};

}  // namespace

void RegisterPacking(nb::module_& m) {
  nb::class_<Packing> c(m, "_Packing", nb::type_slots(packing_slots));
  c.def(nb::init<nb::type_object, nb::list>());
}

}  // namespace reel::python
