#include "reel/tensor.h"

#include <cstring>

#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {

using internal::ThrowError;
using internal::ThrowInvalid;

namespace {

const internal::TensorData& Data(const std::shared_ptr<internal::TensorData>& data) {
  if (!data) ThrowError(ErrorCode::kFailedPrecondition, "a null tensor has no value; assign it first");
  return *data;
}

}  // namespace

Tensor::Tensor(DType dtype, const Shape& shape, const void* elements) {
  if (!FitsInMemory(shape)) ThrowInvalid(StrCat("tensor of shape ", shape.ToString(), " is too large"));
  const Type type{dtype, shape};
  const auto bytes = static_cast<size_t>(type.bytes());
  runtime::Buffer buffer = runtime::Buffer::TryAllocate(bytes);
  if (!buffer) {
    ThrowError(ErrorCode::kResourceExhausted, StrCat("no memory for ", type.ToString(), ": ", type.bytes(), " bytes"));
  }
  if (bytes > 0) std::memcpy(buffer.data(), elements, bytes);
  data_ = std::make_shared<internal::TensorData>(type, std::move(buffer));
}

void Tensor::RaggedLiteral(int64_t first, int64_t other) {
  ThrowInvalid(
      StrCat("tensor literal: rows of ", first, " and of ", other, " elements; all rows must have one length"));
}

void Tensor::CheckCount(int64_t count, const Shape& shape) {
  if (!shape.is_constant() || !FitsInMemory(shape) || shape.size() != count) {
    ThrowInvalid(StrCat("FromData: ", count, " elements do not fill shape ", shape.ToString(),
                        "; pass as many elements as the shape has"));
  }
}

const Type& Tensor::type() const { return Data(data_).type; }
bool Tensor::symbolic() const { return Data(data_).trace != 0; }
uint64_t Tensor::id() const { return Data(data_).id; }

const void* Tensor::raw_data(std::source_location location) const {
  const internal::TensorData& data = Data(data_);
  if (data.trace == 0 && !data.is_number()) return data.buffer().data();
  // `if (x > 0)`: a conversion cannot take a location, and has this header's.
  const bool conversion = std::string_view(location.file_name()).ends_with("reel/tensor.h");
  const internal::LocationScope scope(conversion ? std::source_location() : location);
  if (data.trace != 0) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("a symbolic tensor ", data.type.ToString(),
                      " has no elements while its function is traced; use Cond, WhileLoop or Where "
                      "for decisions "
                      "that depend on values"));
  }
  return data.buffer().data();
}

const void* Tensor::Elements(DType dtype, std::source_location location) const {
  const void* elements = raw_data(location);
  if (dtype != this->dtype()) {
    const internal::LocationScope scope(location);
    ThrowInvalid(StrCat("elements of a tensor ", type().ToString(), " are not ", Name(dtype), "; use data<",
                        NumPyName(this->dtype()), "> or Cast"));
  }
  return elements;
}

namespace {

// The only element, checked to be one, in its own type as an argument of `visit`.
template <typename Visit>
auto Item(const Tensor& x, std::source_location location, Visit visit) {
  const void* p = x.raw_data(location);
  if (x.size() != 1) {
    const internal::LocationScope scope(location);
    ThrowInvalid(StrCat("item: a tensor ", x.type().ToString(), " has ", x.size(),
                        " elements, not one; index or reduce it first"));
  }
  const auto as = [&]<typename T>(T*) { return visit(*static_cast<const T*>(p)); };
  switch (x.dtype()) {
    case kBool: return as(static_cast<bool*>(nullptr));
    case kInt8: return as(static_cast<int8_t*>(nullptr));
    case kInt16: return as(static_cast<int16_t*>(nullptr));
    case kInt32: return as(static_cast<int32_t*>(nullptr));
    case kInt64: return as(static_cast<int64_t*>(nullptr));
    case kUInt8: return as(static_cast<uint8_t*>(nullptr));
    case kUInt16: return as(static_cast<uint16_t*>(nullptr));
    case kUInt32: return as(static_cast<uint32_t*>(nullptr));
    case kUInt64: return as(static_cast<uint64_t*>(nullptr));
    case kFloat16: return as(static_cast<Float16*>(nullptr));
    case kBFloat16: return as(static_cast<BFloat16*>(nullptr));
    case kFloat32: return as(static_cast<float*>(nullptr));
    case kFloat64: return as(static_cast<double*>(nullptr));
    case kComplex64: return as(static_cast<std::complex<float>*>(nullptr));
    case kComplex128: break;
  }
  return as(static_cast<std::complex<double>*>(nullptr));
}

[[noreturn]] void ThrowComplexItem(const Tensor& x, std::source_location location) {
  const internal::LocationScope scope(location);
  ThrowInvalid(
      StrCat("item: ", x.type().ToString(), " is complex; use item<std::complex<double>>(), or Real or Imag of it"));
}

}  // namespace

double Tensor::ItemDouble(std::source_location location) const {
  return Item(*this, location, [&]<typename T>(const T& x) -> double {
    if constexpr (internal::kIsComplex<T>)
      ThrowComplexItem(*this, location);
    else
      return static_cast<double>(x);
  });
}
int64_t Tensor::ItemInt(std::source_location location) const {
  return Item(*this, location, [&]<typename T>(const T& x) -> int64_t {
    if constexpr (internal::kIsComplex<T>)
      ThrowComplexItem(*this, location);
    else
      return static_cast<int64_t>(x);
  });
}
std::complex<double> Tensor::ItemComplex(std::source_location location) const {
  return Item(*this, location, []<typename T>(const T& x) -> std::complex<double> {
    if constexpr (internal::kIsComplex<T>)
      return x;
    else
      return static_cast<double>(x);
  });
}

Tensor Tensor::operator[](int64_t i) const {
  if (rank() == 0) ThrowInvalid("operator[]: a scalar cannot be indexed");
  const int64_t n = shape().dim(0);
  if (i < -n || i >= n) {
    internal::ThrowError(ErrorCode::kOutOfRange,
                         StrCat("operator[]: index ", i, " is out of range for ", type().ToString()));
  }
  if (i < 0) i += n;
  Shape rest = shape();
  rest.erase(0);
  return Reshape(internal::SliceAxis(*this, 0, i, i + 1), rest);
}

Spec::Spec(DType dtype_, std::initializer_list<Dim> dims, std::string name_) : name(std::move(name_)) {
  type.dtype = dtype_;
  for (const Dim& dim : dims) {
    if (dim.min == dim.max) {
      if (dim.min < 0) ThrowInvalid(StrCat("Spec: dimension ", dim.min, " is negative"));
      type.shape.push_back(dim.min);
      continue;
    }
    if (dim.name.empty() || dim.min < 1 || dim.min > dim.max) {
      ThrowInvalid(StrCat("Spec: dimension '", dim.name, "' from ", dim.min, " to ", dim.max,
                          "; a range needs a name and 1 <= min <= max"));
    }
    type.shape.push_back(Extent::Symbol(static_cast<int32_t>(symbols.size())));
    symbols.push_back(dim);
  }
}

}  // namespace reel
