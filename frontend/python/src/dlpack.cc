#include "dlpack.h"

#include <memory>

#include "frontend/values/adopt_memory.h"
#include "frontend/values/tensor_data.h"

namespace reel::python {
namespace {

// The structures of DLPack 1.0, as its specification has them.
struct DlDevice {
  int32_t type, id;
};
struct DlType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlType type;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct Managed {
  DlTensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  DlTensor tensor;
};
constexpr uint64_t kReadOnly = 1;
enum : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBoolean = 6 };

DlType TypeOf(DType dtype) {
  const auto bits = static_cast<uint8_t>(SizeOf(dtype) * 8);
  if (dtype == kBool) return {kBoolean, 8, 1};
  if (dtype == kBFloat16) return {kBfloat, bits, 1};
  if (IsInteger(dtype)) return {IsUnsigned(dtype) ? kUInt : kInt, bits, 1};
  return {IsComplex(dtype) ? kComplex : kFloat, bits, 1};
}

std::optional<DType> DTypeOf(DlType type) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DlType t = TypeOf(static_cast<DType>(i));
    if (t.code == type.code && t.bits == type.bits && type.lanes == 1) return static_cast<DType>(i);
  }
  return std::nullopt;
}

// What a capsule of ours owns.
template <typename M>
struct Exported {
  M managed;
  Tensor tensor;
  std::vector<int64_t> shape, strides;
};

template <typename M>
void DestroyCapsule(PyObject* capsule) {
  const char* name = std::is_same_v<M, Managed> ? "dltensor" : "dltensor_versioned";
  if (!PyCapsule_IsValid(capsule, name)) return;  // a consumer took it
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

// What describes a tensor and keeps it.
template <typename M>
std::unique_ptr<Exported<M>> Describe(const Tensor& x) {
  auto e = std::make_unique<Exported<M>>();
  e->tensor = x;
  e->shape = x.shape().dims();
  e->strides = RowMajorStrides(x.shape());
  e->managed.context = e.get();
  e->managed.deleter = [](M* m) { delete static_cast<Exported<M>*>(m->context); };
  e->managed.tensor = {const_cast<void*>(x.raw_data(std::source_location{})),
                       {1, 0},
                       x.rank(),
                       TypeOf(x.dtype()),
                       e->shape.data(),
                       e->strides.data(),
                       0};
  if constexpr (std::is_same_v<M, ManagedVersioned>) {
    e->managed.major = 1;
    e->managed.minor = 0;
    e->managed.flags = kReadOnly;
  }
  return e;
}

template <typename M>
nb::object Export(const Tensor& x) {
  std::unique_ptr<Exported<M>> e = Describe<M>(x);
  const char* name = std::is_same_v<M, Managed> ? "dltensor" : "dltensor_versioned";
  PyObject* capsule = PyCapsule_New(&e->managed, name, &DestroyCapsule<M>);
  if (!capsule) throw nb::python_error();
  (void)e.release();
  return nb::steal(capsule);
}

template <typename M>
void ReleaseManaged(void* context) {
  if (!Py_IsInitialized()) return;
  const nb::gil_scoped_acquire lock;  // deleters may be Python's
  auto* managed = static_cast<M*>(context);
  if (managed->deleter) managed->deleter(managed);
}

bool Contiguous(const DlTensor& t, const Shape& shape) {
  if (!t.strides || shape.size() == 0) return true;
  const std::vector<int64_t> strides = RowMajorStrides(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) > 1 && t.strides[i] != strides[static_cast<size_t>(i)]) return false;
  }
  return true;
}

Tensor StridedCopy(const DlTensor& t, const Type& type, const char* first) {
  const auto size = static_cast<size_t>(SizeOf(type.dtype));
  std::vector<char> elements(static_cast<size_t>(type.bytes()));
  std::vector<int64_t> at(static_cast<size_t>(type.shape.rank()), 0);
  for (size_t i = 0; i < elements.size(); i += size) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * t.strides[axis];
    std::memcpy(&elements[i], first + offset * static_cast<int64_t>(size), size);
    for (size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < type.shape.dim(static_cast<int>(axis))) break;
      at[axis] = 0;
    }
  }
  return Tensor::FromBytes(type.dtype, type.shape, elements.data());
}

enum class CopyMode { kAllowed, kAlways, kNever };

// The tensor, and whether it took the memory; else the caller gives it back.
template <typename M>
std::pair<Tensor, bool> Take(M* managed, CopyMode mode) {
  if constexpr (std::is_same_v<M, ManagedVersioned>) {
    if (managed->major != 1) ThrowInvalid("from_dlpack: version " + std::to_string(managed->major) + " is not known");
  }
  const DlTensor& t = managed->tensor;
  const std::optional<DType> dtype = DTypeOf(t.type);
  if (!dtype) ThrowType("from_dlpack: elements of this type are no tensor's");
  if (t.device.type != 1) ThrowInvalid("from_dlpack: the elements are not in the CPU's memory; move them first");
  if (t.rank > kMaxRank) ThrowInvalid("from_dlpack: more than 10 axes");
  Shape shape;
  for (int i = 0; i < t.rank; ++i) shape.push_back(t.shape[i]);
  const Type type{*dtype, shape};
  const char* first = static_cast<const char*>(t.data) + t.byte_offset;
  const bool contiguous = Contiguous(t, shape);
  const int64_t unit = IsComplex(*dtype) ? SizeOf(*dtype) / 2 : SizeOf(*dtype);
  const bool aligned = reinterpret_cast<uintptr_t>(first) % static_cast<uintptr_t>(unit) == 0;
  if (mode == CopyMode::kNever && !(contiguous && aligned))
    ThrowInvalid("from_dlpack: elements that are not contiguous need a copy, which copy=False forbids");
  if (!contiguous) return {StridedCopy(t, type, first), false};
  if (!aligned || mode == CopyMode::kAlways || shape.size() == 0)
    return {Tensor::FromBytes(*dtype, shape, first), false};
  return {internal::AdoptMemory(type, first, &ReleaseManaged<M>, managed), true};
}

template <typename M>
Tensor Import(nb::handle capsule, const char* name, CopyMode mode) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!managed) throw nb::python_error();
  auto [out, taken] = Take(managed, mode);
  if (taken) PyCapsule_SetName(capsule.ptr(), std::is_same_v<M, Managed> ? "used_dltensor" : "used_dltensor_versioned");
  return out;
}

// x.__dlpack__ of a producer that may not know versions.
nb::object Capsule(nb::handle x) {
  const nb::object method = x.attr("__dlpack__");
  try {
    return method(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    return method();
  }
}

// Version 1 of the table of functions that a library's type of tensors has.
struct ExchangeHeader {
  uint32_t major, minor;
  const ExchangeHeader* previous;
};
struct ExchangeTable {
  ExchangeHeader header;
  void* allocate;
  int (*from_object)(void* object, ManagedVersioned** out);
  int (*to_object)(ManagedVersioned* tensor, void** out);
};

}  // namespace

Exchange::Exchange(nb::handle capsule) : table_(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api")) {
  if (!table_) throw nb::python_error();
  const uint32_t major = static_cast<const ExchangeTable*>(table_)->header.major;
  if (major != 1) ThrowInvalid("DLPack: version " + std::to_string(major) + " of its C interface is not known");
}

Tensor Exchange::From(nb::handle x) const {
  ManagedVersioned* managed = nullptr;
  const auto& table = *static_cast<const ExchangeTable*>(table_);
  if (table.from_object(x.ptr(), &managed) != 0) throw nb::python_error();
  const auto give_back = [](ManagedVersioned* m) {
    if (m->deleter) m->deleter(m);
  };
  std::unique_ptr<ManagedVersioned, decltype(give_back)> owner(managed, give_back);
  Shape shape;
  for (int i = 0; i < managed->tensor.rank && i < kMaxRank; ++i) shape.push_back(managed->tensor.shape[i]);
  if (managed->tensor.rank <= kMaxRank && !Contiguous(managed->tensor, shape) && nb::hasattr(x, "contiguous")) {
    owner.reset();
    const nb::object copy = x.attr("contiguous")();  // by its library: faster than element by element
    return From(copy);
  }
  auto [out, taken] = Take(managed, CopyMode::kAllowed);
  if (taken) (void)owner.release();
  return out;
}

nb::object Exchange::To(Tensor x) const {
  const bool alone = x.internal_data().use_count() == 1 && x.internal_data()->buffer().unique();
  if (!alone) x = Tensor::FromBytes(x.dtype(), x.shape(), x.raw_data(std::source_location{}));
  auto e = Describe<ManagedVersioned>(x);
  e->managed.flags = 0;  // nobody else has it
  void* out = nullptr;
  ManagedVersioned* const managed = &e.release()->managed;
  if (static_cast<const ExchangeTable*>(table_)->to_object(managed, &out) != 0) throw nb::python_error();
  return nb::steal(static_cast<PyObject*>(out));
}

nb::object ToDLPack(const Tensor& x, nb::handle stream, nb::handle max_version, nb::handle device, nb::handle copy) {
  (void)Concrete(x, "__dlpack__");
  if (!stream.is_none()) ThrowInvalid("__dlpack__: the stream of a CPU tensor is None");
  if (!device.is_none() && nb::cast<int>(device[0]) != 1)
    ThrowInvalid("__dlpack__: the only device is the CPU, (1, 0)");
  const bool fresh = !copy.is_none() && nb::cast<bool>(copy);
  const Tensor y = fresh ? Tensor::FromBytes(x.dtype(), x.shape(), x.raw_data(std::source_location{})) : x;
  const bool versioned = !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1;
  return versioned ? Export<ManagedVersioned>(y) : Export<Managed>(y);
}

Tensor FromDLPack(nb::handle x, nb::handle device, nb::handle copy) {
  if (!device.is_none() && !device.equal(nb::str("cpu"))) ThrowInvalid("from_dlpack: the only device is 'cpu'");
  const CopyMode mode = copy.is_none()         ? CopyMode::kAllowed
                        : nb::cast<bool>(copy) ? CopyMode::kAlways
                                               : CopyMode::kNever;
  if (!nb::hasattr(x, "__dlpack__")) ThrowType("from_dlpack: " + TypeName(x) + " has no __dlpack__");
  if (IsTensor(x.ptr()) && mode != CopyMode::kAlways) return TensorOf(x.ptr());
  const nb::object capsule = Capsule(x);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
    return Import<ManagedVersioned>(capsule, "dltensor_versioned", mode);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) return Import<Managed>(capsule, "dltensor", mode);
  ThrowType("from_dlpack: __dlpack__ did not return a DLPack capsule");
}

}  // namespace reel::python
