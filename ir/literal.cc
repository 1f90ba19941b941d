#include "ir/literal.h"

#include <cstring>

namespace reel::ir {
namespace {

template <typename T>
T At(const Literal& l, int64_t i) {
  T v;
  std::memcpy(&v, l.bytes().data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return v;
}

template <typename T>
Literal One(T value) {
  return Literal::From<T>({}, std::span<const T>(&value, 1));
}

}  // namespace

Literal::Literal(Type type, std::vector<std::byte> bytes) : type_(std::move(type)) {
  assert(static_cast<int64_t>(bytes.size()) == type_.bytes());
  bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

Literal Literal::Scalar(DType dtype, double value) {
  switch (dtype) {
    case kFloat32: return One(static_cast<float>(value));
    case kFloat64: return One(value);
    default: return ScalarInt(dtype, static_cast<int64_t>(value));
  }
}

Literal Literal::ScalarInt(DType dtype, int64_t value) {
  switch (dtype) {
    case kInt32: return One(static_cast<int32_t>(value));
    case kInt64: return One(value);
    case kBool: return One(value != 0);
    case kFloat32: return One(static_cast<float>(value));
    case kFloat64: return One(static_cast<double>(value));
    default: assert(false && "dtype without kernels"); return {};
  }
}

Literal Literal::Zeros(Type type) {
  const auto n = static_cast<size_t>(type.bytes());
  return Literal(std::move(type), std::vector<std::byte>(n));
}

double Literal::AsDouble(int64_t i) const {
  switch (dtype()) {
    case kFloat32: return At<float>(*this, i);
    case kFloat64: return At<double>(*this, i);
    default: return static_cast<double>(AsInt(i));
  }
}

int64_t Literal::AsInt(int64_t i) const {
  switch (dtype()) {
    case kBool: return At<uint8_t>(*this, i) != 0;
    case kInt32: return At<int32_t>(*this, i);
    case kInt64: return At<int64_t>(*this, i);
    case kFloat32: return static_cast<int64_t>(At<float>(*this, i));
    case kFloat64: return static_cast<int64_t>(At<double>(*this, i));
    default: assert(false && "dtype without kernels"); return 0;
  }
}

bool operator==(const Literal& a, const Literal& b) {
  return a.type_ == b.type_ &&
         (a.bytes_ == b.bytes_ ||
          (a.bytes().size() == b.bytes().size() &&
           (a.bytes().empty() ||
            std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0)));
}

}  // namespace reel::ir
