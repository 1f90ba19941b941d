#ifndef REEL_IR_LITERAL_H_
#define REEL_IR_LITERAL_H_

#include <cassert>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/types.h"

namespace reel::ir {

/// x truncated toward zero into the range of an integer dtype; NaN gives 0. u64 as its bits.
int64_t SaturateInt(DType dtype, double x);

/// An immutable dense tensor value of constant shape, row-major: constants, initial values, inputs
/// and outputs of the reference evaluator. Copies share the bytes.
class Literal {
 public:
  Literal() = default;
  /// Takes the bytes; their number must be type.bytes().
  Literal(Type type, std::vector<std::byte> bytes);
  /// Shares type.bytes() bytes, which never change.
  Literal(Type type, std::shared_ptr<const std::byte> bytes);

  template <typename T>
  static Literal From(const Shape& shape, std::span<const T> values) {
    assert(static_cast<int64_t>(values.size()) == shape.size());
    const auto raw = std::as_bytes(values);
    return Literal({DTypeOf<T>::value, shape}, std::vector<std::byte>(raw.begin(), raw.end()));
  }
  /// A rank-0 literal; floats round, integers truncate and saturate, complex numbers have no imaginary part.
  static Literal Scalar(DType dtype, double value);
  /// The same of an integer, which wraps.
  static Literal ScalarInt(DType dtype, int64_t value);
  /// All elements zero (false).
  static Literal Zeros(Type type);

  const Type& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  int64_t size() const { return type_.shape.size(); }
  std::span<const std::byte> bytes() const { return {bytes_.get(), num_bytes_}; }
  /// Elements; T must be the dtype's C++ type.
  template <typename T>
  std::span<const T> data() const {
    assert(DTypeOf<T>::value == type_.dtype);
    return {reinterpret_cast<const T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  /// Element i as a double (64-bit integers above 2^53 round) or as an integer (u64 as its bits); not
  /// for complex numbers.
  double AsDouble(int64_t i) const;
  int64_t AsInt(int64_t i) const;

  /// Same type and the same bits.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  Type type_;
  std::shared_ptr<const std::byte> bytes_;
  size_t num_bytes_ = 0;
};

}  // namespace reel::ir

#endif  // REEL_IR_LITERAL_H_
