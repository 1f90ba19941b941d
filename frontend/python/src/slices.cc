#include "slices.h"

#include "frontend/eager/update_rows.h"
#include "frontend/ops/index.h"
#include "frontend/optim/row_sums.h"
#include "members.h"

namespace reel::python {

namespace {
PyTypeObject* slices_type = nullptr;  // set when it is registered

// What optimizers that are written in Python make of a variable's slices: (indices, rows), each row once, indices of
// places left over -1; such rows of a variable; and what puts them back, in place where nobody else has the value.
void DefineRows(nb::module_& m) {
  m.def("_sum_rows", [](TensorLike variable, const IndexedSlices& g) {
    const Type& type = VariableOf(variable.object).type();
    const Tensor indices = internal::CheckIndices("scatter_add", type, g.indices(), 0);
    internal::RowSums sums(IndexedSlices(g.values(), indices, type.shape));
    return nb::make_tuple(Wrap(std::move(sums.rows)), Wrap(std::move(sums.values)));
  });
  m.def("_rows_at", [](TensorLike variable, TensorLike indices) {
    return internal::RowsAt(VariableOf(variable.object).value(), indices.tensor());
  });
  m.def("_set_rows", [](TensorLike variable, TensorLike indices, TensorLike rows) {
    internal::UpdateRows(VariableOf(variable.object).internal_data(), ir::Op::kScatterSet, indices.tensor(),
                         rows.tensor());
  });
}
}  // namespace

const IndexedSlices* SlicesOf(nb::handle x) {
  return Py_TYPE(x.ptr()) == slices_type ? nb::inst_ptr<IndexedSlices>(x) : nullptr;
}

void RegisterSlices(nb::module_& m) {
  nb::class_<IndexedSlices> c(
      m, "IndexedSlices", nb::type_slots(OperatorSlots()), nb::is_weak_referenceable(),
      "Rows of a tensor that is zero elsewhere: what gradients of lookups are, duplicates "
      "included. Taken where tensors are, made dense: operators, indexing and members are those of the whole.");
  slices_type = reinterpret_cast<PyTypeObject*>(c.ptr());
  c.def(
      "__init__",
      [](IndexedSlices* self, TensorLike values, TensorLike indices, nb::handle dense_shape) {
        new (self) IndexedSlices(values.tensor(), indices.tensor(),
                                 dense_shape.is_none() ? std::nullopt : std::optional(ToShape(dense_shape)));
      },
      "values"_a, "indices"_a, "dense_shape"_a = nb::none(),
      nb::sig("def __init__(self, values: TensorLike, indices: TensorLike, dense_shape: ShapeLike "
              "| None = None) -> None"));
  DefineMembers(c);
  DefineRows(m);
  c.def_prop_ro("values", [](const IndexedSlices& x) { return x.values(); }, "The rows, [n, ...].");
  c.def_prop_ro("indices", [](const IndexedSlices& x) { return x.indices(); }, "Where they belong, [n].");
  c.def_prop_ro(
      "dense_shape", [](const IndexedSlices& x) { return x.dense_shape() ? ShapeTuple(*x.dense_shape()) : nb::none(); },
      nb::sig("def dense_shape(self) -> tuple[int, ...] | None"), "Shape of the whole.");
  c.def("dense", [](const IndexedSlices& x) { return ValueOf(x); }, "The whole tensor.");
  c.def("__repr__", [](const IndexedSlices& x) {
    return Text({"IndexedSlices(values=", nb::repr(nb::cast(x.values())).c_str(),
                 ", indices=", nb::repr(nb::cast(x.indices())).c_str(),
                 ", dense_shape=", nb::repr(x.dense_shape() ? ShapeTuple(*x.dense_shape()) : nb::none()).c_str(), ")"});
  });
}

}  // namespace reel::python
