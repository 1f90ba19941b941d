#include <cstring>

#include "operators.h"

// Tensors as NumPy arrays and DLPack capsules that share the elements.

namespace reel::python {
namespace {

// What a Py_buffer of a tensor points to.
struct BufferShape {
  Tensor tensor;
  std::vector<Py_ssize_t> shape, strides;
};

const char* Format(DType dtype) {
  switch (dtype) {
    case kBool: return "?";
    case kInt8: return "b";
    case kInt16: return "h";
    case kInt32: return "i";
    case kInt64: return "l";  // what NumPy calls int64 itself, without a dtype in its repr
    case kUInt8: return "B";
    case kUInt16: return "H";
    case kUInt32: return "I";
    case kUInt64: return "L";
    case kFloat16: return "e";
    case kFloat32: return "f";
    case kFloat64: return "d";
    case kComplex64: return "Zf";
    case kComplex128: return "Zd";
    case kBFloat16: break;
  }
  return nullptr;
}

int BufferError(const char* text) {
  PyErr_SetString(PyExc_BufferError, text);
  return -1;
}

std::vector<Py_ssize_t> ByteStrides(const Tensor& x) {
  std::vector<Py_ssize_t> out;
  for (const int64_t s : RowMajorStrides(x.shape())) out.push_back(s * SizeOf(x.dtype()));
  return out;
}

}  // namespace

// Read only; holds a handle of the tensor.
int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  if (!IsTensor(self)) return BufferError("a variable has no buffer: its value changes; use value()");
  const Tensor& x = TensorOf(self);
  if (flags & PyBUF_WRITABLE) return BufferError("tensors are read only");
  if (!x.defined() || x.symbolic()) return BufferError("a symbolic tensor has no elements");
  if (!Format(x.dtype())) return BufferError("NumPy has no bfloat16; cast to float32 first");
  auto owned = std::make_unique<BufferShape>(BufferShape{x, {}, ByteStrides(x)});
  for (const int64_t n : x.shape().dims()) owned->shape.push_back(n);
  static char none = 0;
  view->buf = x.size() ? const_cast<void*>(x.raw_data()) : &none;
  view->obj = Py_NewRef(self);
  view->len = x.type().bytes();
  view->readonly = 1;
  view->itemsize = SizeOf(x.dtype());
  view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(Format(x.dtype())) : nullptr;
  view->ndim = x.rank();
  view->shape = (flags & PyBUF_ND) ? owned->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? owned->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = owned.release();
  return 0;
}

void ReleaseBuffer(PyObject*, Py_buffer* view) {
  const std::unique_ptr<BufferShape> owned(static_cast<BufferShape*>(view->internal));
}

nb::object NumPyView(const Tensor& x) {
  (void)Concrete(x, "numpy");
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (x.dtype() == kBFloat16) {
    const nb::object dtype = DTypeObject(kBFloat16).attr("dtype");  // throws without ml_dtypes
    const Tensor bits = Tensor::FromBytes(kUInt16, x.shape(), x.raw_data({}));
    return NumPyView(bits).attr("view")(dtype);
  }
  const nb::object owner = Wrap(x);
  const nb::object view = nb::steal(PyMemoryView_FromObject(owner.ptr()));
  if (!view.is_valid()) throw nb::python_error();
  return numpy.attr("asarray")(view);
}

}  // namespace reel::python
