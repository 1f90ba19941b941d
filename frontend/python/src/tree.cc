#include "tree.h"

#include "register.h"

namespace reel::python {
namespace {

constexpr int kMaxDepth = 200;

nb::list SortedKeys(nb::handle dict) {
  nb::list keys = nb::borrow<nb::dict>(dict).keys();
  if (PyList_Sort(keys.ptr()) != 0) PyErr_Clear();  // keys that do not compare stay in their order
  return keys;
}

void Flatten(nb::handle tree, std::vector<nb::object>* leaves, int depth) {
  if (!IsTree(tree)) return leaves->push_back(nb::borrow(tree));
  if (depth > kMaxDepth) ThrowInvalid("a structure is nested more than 200 deep");
  if (PyDict_Check(tree.ptr())) {
    for (const nb::handle key : SortedKeys(tree)) Flatten(tree[key], leaves, depth + 1);
    return;
  }
  for (const nb::handle x : tree) Flatten(x, leaves, depth + 1);
}

nb::object Rebuild(nb::handle tree, const std::vector<nb::object>& leaves, size_t* next) {
  if (!IsTree(tree)) return leaves.at((*next)++);
  if (PyDict_Check(tree.ptr())) {
    nb::dict values;
    for (const nb::handle key : SortedKeys(tree)) values[key] = Rebuild(tree[key], leaves, next);
    nb::object out = nb::steal(PyDict_Copy(tree.ptr()));  // the order of the original
    for (const auto [key, value] : values) out[key] = value;
    return out;
  }
  nb::list items;
  for (const nb::handle x : tree) items.append(Rebuild(x, leaves, next));
  if (PyList_Check(tree.ptr())) return items;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(tree.ptr())));
  if (nb::hasattr(tree, "_fields")) return type(*nb::tuple(items));
  return nb::tuple(items);
}

}  // namespace

bool IsTree(nb::handle x) { return PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()) || PyDict_Check(x.ptr()); }

void FlattenTree(nb::handle tree, std::vector<nb::object>* leaves) { Flatten(tree, leaves, 0); }

nb::object RebuildTree(nb::handle tree, const std::vector<nb::object>& leaves) {
  size_t next = 0;
  return Rebuild(tree, leaves, &next);
}

}  // namespace reel::python
