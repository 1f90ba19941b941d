#include <unordered_map>

#include "frontend/record/observed.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "gradients.h"
#include "ir/printable.h"
#include "members.h"
#include "register.h"
#include "tree.h"

// The class Variable.

namespace reel::python {
namespace {

// Weak references to the objects of variables, by id: what is given back is what was made.
std::unordered_map<uint64_t, nb::object>& Objects() {
  static auto& objects = *new std::unordered_map<uint64_t, nb::object>;
  return objects;
}

nb::object Alive(const nb::object& reference) {
  PyObject* object = PyWeakref_GetObject(reference.ptr());
  return object && object != Py_None ? nb::borrow(object) : nb::object();
}

void Remember(const Variable& variable, nb::handle object) {
  auto& objects = Objects();
  static size_t limit = 256;
  if (objects.size() > limit) {  // drop those of dead objects
    std::erase_if(objects, [](const auto& entry) { return !Alive(entry.second).is_valid(); });
    limit = std::max<size_t>(256, 2 * objects.size());
  }
  nb::object reference = nb::steal(PyWeakref_NewRef(object.ptr(), nullptr));
  if (!reference.is_valid()) throw nb::python_error();
  objects[variable.id()] = std::move(reference);
}

void Init(Variable* self, nb::handle initial, bool trainable, nb::handle name, DTypeLike dtype) {
  nb::object value = nb::borrow(initial);
  if (PyCallable_Check(initial.ptr()) && !IsTensor(initial.ptr()) && !IsVariable(initial.ptr())) value = initial();
  new (self) Variable(
      AsTensor(value, dtype.get()),
      {.name = name.is_none() ? "variable" : std::string(nb::str(name).c_str()), .trainable = trainable}, kNoLocation);
}

// A value of the variable's dtype: lists and arrays of numbers too.
Operand NewValue(const Variable& v, nb::handle x) {
  if (std::optional<Operand> quick = QuickOperand(x.ptr())) return *std::move(quick);
  return Operand(AsTensor(x, PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) ? std::optional(v.dtype()) : std::nullopt),
                 kNoLocation);
}

std::string VariableRepr(const Variable& v) {
  const bool in_parts = [&] {
    const std::lock_guard lock(v.internal_data()->mutex);
    return v.internal_data()->in_parts;
  }();
  if (internal::Observed() || in_parts)
    return "<reel.Variable '" + ir::Printable(v.name()) + "' " + v.type().ToString() + (in_parts ? " in parts>" : ">");
  const std::string prefix = "Variable('" + ir::Printable(v.name()) + "', ";
  return prefix + ElementText(v.value(kNoLocation), prefix) + ", dtype=" + std::string(NumPyName(v.dtype())) + ")";
}

// Without a read that tapes or traces see.
Tensor PresentValue(const Variable& v) { return internal::MakeTensor(v.type(), v.internal_data()->Load()); }

void Assign(const Variable& v, nb::handle value) { v.Assign(NewValue(v, value)); }
void AssignAdd(const Variable& v, nb::handle delta) { v.AssignAdd(NewValue(v, delta)); }
void AssignSub(const Variable& v, nb::handle delta) { v.AssignSub(NewValue(v, delta)); }

// name, value, trainable.
nb::object ReduceVariable(const Variable& v) {
  const nb::object make = nb::module_::import_("reel._pickle").attr("variable");
  return nb::make_tuple(make, nb::make_tuple(v.value(kNoLocation), v.trainable(), v.name()));
}

}  // namespace

nb::object WrapVariable(const Variable& variable) {
  const auto known = Objects().find(variable.id());
  if (known != Objects().end()) {
    if (nb::object object = Alive(known->second); object.is_valid()) return object;
  }
  const nb::object object = nb::cast(variable);
  Remember(variable, object);
  return object;
}

std::vector<Variable> ToVariables(nb::handle tree) {
  std::vector<nb::object> leaves;
  FlattenTree(tree, &leaves);
  std::vector<Variable> out;
  for (const nb::object& x : leaves) {
    if (!IsVariable(x.ptr())) ThrowType("expected variables, not " + TypeName(x));
    out.push_back(VariableOf(x.ptr()));
  }
  return out;
}

nb::object VariableTuple(const std::vector<Variable>& variables) {
  nb::list out;
  for (const Variable& v : variables) out.append(v.defined() ? WrapVariable(v) : nb::none());
  return nb::tuple(out);
}

void RegisterVariable(nb::module_& m) {
  nb::class_<Variable> c(m, "Variable", nb::type_slots(OperatorSlots()), nb::is_weak_referenceable(),
                         nb::dynamic_attr(),
                         "A named, mutable value of fixed dtype and shape. Ops read it when they run; assigning never "
                         "changes a tensor that was read before. A tape watches it if it is trainable.");
  types.variable = reinterpret_cast<PyTypeObject*>(c.ptr());
  c.def(
      "__init__",
      [](nb::pointer_and_handle<Variable> self, nb::handle initial, bool trainable, nb::handle name, DTypeLike dtype) {
        Init(self.p, initial, trainable, name, dtype);
        Remember(*self.p, self.h);
      },
      "initial_value"_a, "trainable"_a = true, "name"_a = nb::none(), "dtype"_a = nb::none(),
      nb::sig("def __init__(self, initial_value: TensorLike | Callable[[], TensorLike], trainable: "
              "bool = True, "
              "name: str | None = None, dtype: DTypeLike | None = None) -> None"));
  DefineMembers(c);
  c.def_prop_ro("name", &Variable::name, "Its name.");
  c.def_prop_ro("_id", &Variable::id);  // they grow
  c.def_prop_ro("trainable", &Variable::trainable, "Whether tapes watch it by themselves.");
  c.def("value", [](const Variable& v) { return v.value(kNoLocation); }, "The present value. Tapes see a read.");
  c.def("read_value", [](const Variable& v) { return v.value(kNoLocation); }, "The present value.");
  const auto define = [&](const char* name, void (*change)(const Variable&, nb::handle), const char* doc) {
    c.def(
        name,
        [change](nb::handle self, nb::handle value) {
          change(VariableOf(self.ptr()), value);
          return nb::borrow(self);
        },
        "value"_a, nb::sig(Signature(name, "(self, value: TensorLike) -> Variable").c_str()), doc);
  };
  define("assign", &Assign,
         "Replaces the value; dtype and shape must be the variable's, numbers are converted. "
         "Returns itself.");
  define("assign_add", &AssignAdd, "assign(value + delta).");
  define("assign_sub", &AssignSub, "assign(value - delta).");
  c.def("__repr__", &VariableRepr);
  c.def(
      "_repr_html_",
      [](const Variable& v) { return HtmlOf(PresentValue(v), "Variable '" + ir::Printable(v.name()) + "'"); },
      nb::sig("def _repr_html_(self) -> str"), "A small table, for notebooks.");
  c.def("__reduce__", &ReduceVariable, nb::sig("def __reduce__(self) -> Any"));
  m.def("_make_variable", [](const Tensor& value, bool trainable, const std::string& name) {
    return WrapVariable(Variable(value, {.name = name, .trainable = trainable}, kNoLocation));
  });
}

}  // namespace reel::python
