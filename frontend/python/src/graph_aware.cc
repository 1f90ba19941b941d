#include <cstddef>

#include "operators.h"
#include "register.h"

#include <structmember.h>  // after Python.h

// Public functions of reel.tf. Called on a thread that builds a tf.Graph, they add a node to it; elsewhere that costs
// one look at a flag.

namespace reel::python {
namespace {

struct GraphAware {
  PyObject_HEAD PyObject* function;
  PyObject* in_graph;
  PyObject* dict;
  PyObject* weak_references;
  vectorcallfunc call;
};

GraphAware* Of(PyObject* self) { return reinterpret_cast<GraphAware*>(self); }

PyObject* Call(PyObject* self, PyObject* const* args, size_t n, PyObject* names) {
  return PyObject_Vectorcall(BuildsGraph() ? Of(self)->in_graph : Of(self)->function, args, n, names);
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject *function = nullptr, *in_graph = nullptr;
  if (kwargs || !PyArg_ParseTuple(args, "OO", &function, &in_graph)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "two functions, by position");
    return nullptr;
  }
  PyObject* const self = PyType_GenericAlloc(type, 0);
  if (!self) return nullptr;
  Of(self)->function = Py_NewRef(function);
  Of(self)->in_graph = Py_NewRef(in_graph);
  Of(self)->call = &Call;
  return self;
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(Of(self)->function);
  Py_VISIT(Of(self)->in_graph);
  Py_VISIT(Of(self)->dict);
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(Of(self)->function);
  Py_CLEAR(Of(self)->in_graph);
  Py_CLEAR(Of(self)->dict);
  return 0;
}

void Delete(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (Of(self)->weak_references) PyObject_ClearWeakRefs(self);
  Clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Bound to objects whose class has it, as functions are.
PyObject* Bind(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return Guarded(
      [&] { return nb::module_::import_("types").attr("MethodType")(nb::handle(self), nb::handle(object)); });
}

// Pickled by name, as functions are.
PyObject* Reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }
PyObject* Show(PyObject* self) { return PyObject_Repr(Of(self)->function); }

PyMethodDef methods[] = {{"__reduce__", &Reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(GraphAware, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(GraphAware, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GraphAware, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(&New)},
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void*>(&Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(&Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&Delete)},
    {Py_tp_descr_get, reinterpret_cast<void*>(&Bind)},
    {Py_tp_repr, reinterpret_cast<void*>(&Show)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, nullptr},
};
PyType_Spec spec = {"reel._core._GraphAware", sizeof(GraphAware), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

}  // namespace

void RegisterGraphAware(nb::module_& m) { m.attr("_GraphAware") = nb::steal(PyType_FromSpec(&spec)); }

}  // namespace reel::python
