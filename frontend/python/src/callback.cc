#include "callback.h"

namespace reel::python {

std::shared_ptr<nb::object> SharedObject(nb::handle x) {
  return {new nb::object(nb::borrow(x)), [](nb::object* object) {
            if (!Py_IsInitialized()) return;  // the process ends: leave it
            const nb::gil_scoped_acquire lock;
            delete object;
          }};
}

std::vector<Tensor> LeafTensors(nb::handle tree) {
  std::vector<nb::object> leaves;
  FlattenTree(tree, &leaves);
  std::vector<Tensor> out;
  for (const nb::object& x : leaves) out.push_back(ToTensor(x));
  return out;
}

nb::list TensorObjects(const std::vector<Tensor>& tensors) {
  nb::list out;
  for (const Tensor& t : tensors) out.append(Wrap(t));
  return out;
}

nb::object TreeOf(nb::handle tree, const std::vector<Tensor>& leaves) {
  std::vector<nb::object> objects;
  for (const Tensor& t : leaves) objects.push_back(Wrap(t));
  return RebuildTree(tree, objects);
}

std::vector<Tensor> CallForTensors(const nb::object& function, const nb::tuple& arguments, nb::object* structure) {
  const nb::gil_scoped_acquire lock;
  nb::object result = function(*arguments);
  if (result.is_none()) result = nb::tuple();
  std::vector<Tensor> out = LeafTensors(result);
  if (structure) *structure = result;
  return out;
}

}  // namespace reel::python
