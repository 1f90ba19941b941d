#ifndef REEL_IR_TYPES_H_
#define REEL_IR_TYPES_H_

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/half.h"

// Element types, extents, shapes: the part of the IR that every layer, public headers included, may
// see. Standard library only.

namespace reel {

/// Element type of a tensor. The enumerators are also visible as reel::kFloat32 and so on.
enum class DType : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};
using enum DType;
inline constexpr int kNumDTypes = 15;

/// Bytes of one element: 1 for bool, 4 for f32, ...
int64_t SizeOf(DType dtype);
/// Short name used in the text form: "bool", "i32", "f32", "c64", ...
std::string_view Name(DType dtype);
/// NumPy's name: "bool", "int32", "float32", "complex64", ...
std::string_view NumPyName(DType dtype);
/// Parses the short name; false if there is no such dtype.
bool ParseDType(std::string_view name, DType* dtype);

bool IsFloat(DType dtype);      ///< f16 bf16 f32 f64
bool IsHalf(DType dtype);       ///< f16 bf16: stored in 16 bits, computed in f32
bool IsInteger(DType dtype);    ///< signed and unsigned, not bool
bool IsUnsigned(DType dtype);   ///< u8 u16 u32 u64
bool IsComplex(DType dtype);    ///< c64 c128
/// The dtype of the parts of a complex number: f32 or f64; any other dtype itself.
DType RealOf(DType dtype);
/// The bits of the smallest and largest value of bool or an integer dtype, as an int64_t holds them:
/// u64's largest is -1.
int64_t LowestInt(DType dtype);
int64_t HighestInt(DType dtype);
/// Dtypes that carry gradients: floats and complex numbers.
inline bool IsDifferentiable(DType dtype) { return IsFloat(dtype) || IsComplex(dtype); }

// clang-format off
template <typename T> struct DTypeOf;
template <> struct DTypeOf<bool> { static constexpr DType value = kBool; };
template <> struct DTypeOf<int8_t> { static constexpr DType value = kInt8; };
template <> struct DTypeOf<int16_t> { static constexpr DType value = kInt16; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = kInt32; };
template <> struct DTypeOf<int64_t> { static constexpr DType value = kInt64; };
template <> struct DTypeOf<uint8_t> { static constexpr DType value = kUInt8; };
template <> struct DTypeOf<uint16_t> { static constexpr DType value = kUInt16; };
template <> struct DTypeOf<uint32_t> { static constexpr DType value = kUInt32; };
template <> struct DTypeOf<uint64_t> { static constexpr DType value = kUInt64; };
template <> struct DTypeOf<Float16> { static constexpr DType value = kFloat16; };
template <> struct DTypeOf<BFloat16> { static constexpr DType value = kBFloat16; };
template <> struct DTypeOf<float> { static constexpr DType value = kFloat32; };
template <> struct DTypeOf<double> { static constexpr DType value = kFloat64; };
template <> struct DTypeOf<std::complex<float>> { static constexpr DType value = kComplex64; };
template <> struct DTypeOf<std::complex<double>> { static constexpr DType value = kComplex128; };
// clang-format on

/// What happens where a symbolic extent is used as a number: must throw. The front's says which op of the user's
/// program wants it; without a front it is a std::logic_error.
using SymbolicExtentHandler = void (*)(int32_t symbol);
void SetSymbolicExtentHandler(SymbolicExtentHandler handler);

/// One dimension: a constant, or a symbol of the module's symbol table (a name with a range).
class Extent {
 public:
  constexpr Extent() = default;
  constexpr Extent(int64_t value) : value_(value) {}  // NOLINT: 784 is an extent
  static constexpr Extent Symbol(int32_t index) { return Extent(-1 - int64_t{index}, 0); }

  constexpr bool is_constant() const { return value_ >= 0; }
  /// The constant. Only for constants, else throws (SymbolicExtentHandler): an op that can do without asks
  /// is_constant() first.
  constexpr int64_t value() const {
    if (value_ < 0) [[unlikely]]
      NeedNumber(symbol());
    return value_;
  }
  constexpr int32_t symbol() const { return static_cast<int32_t>(-1 - value_); }
  friend constexpr bool operator==(Extent, Extent) = default;

 private:
  constexpr Extent(int64_t raw, int) : value_(raw) {}
  [[noreturn]] static void NeedNumber(int32_t symbol);
  int64_t value_ = 0;
};

/// The largest rank of any tensor.
inline constexpr int kMaxRank = 10;

/// Extents of a tensor, outermost first; rank 0 is a scalar. Holds at most kMaxRank of them.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Extent> extents);
  explicit Shape(std::span<const Extent> extents);
  explicit Shape(const std::vector<int64_t>& extents);

  int rank() const { return rank_; }
  Extent operator[](int axis) const { return extents_[static_cast<size_t>(axis)]; }
  /// The constant extent of an axis.
  int64_t dim(int axis) const { return (*this)[axis].value(); }
  void set(int axis, Extent extent) { extents_[static_cast<size_t>(axis)] = extent; }
  void push_back(Extent extent);
  /// Before the axis; drops an axis.
  void insert(int axis, Extent extent);
  void erase(int axis);
  const Extent* begin() const { return extents_.data(); }
  const Extent* end() const { return extents_.data() + rank_; }
  bool is_constant() const;
  /// Number of elements (1 for rank 0). Only for constant shapes.
  int64_t size() const;
  /// Whether an extent is the constant 0: the shape has no elements, whatever its symbols.
  bool has_zero() const;
  /// The extents. Only for constant shapes.
  std::vector<int64_t> dims() const;
  /// "[2,3]"; symbols print as "?0".
  std::string ToString() const;
  friend bool operator==(const Shape& a, const Shape& b);

 private:
  int rank_ = 0;
  std::array<Extent, kMaxRank> extents_{};
};

/// Type of a tensor value: dtype and shape. Prints as f32[2,3].
struct Type {
  DType dtype = kFloat32;
  Shape shape;

  int64_t bytes() const { return shape.size() * SizeOf(dtype); }
  std::string ToString() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// The extents of a constant shape that are not 1.
std::vector<int64_t> WithoutOnes(const Shape& shape);
/// Row-major strides in elements of a constant shape: [2,3,4] -> {12,4,1}.
std::vector<int64_t> RowMajorStrides(const Shape& shape);
/// True if the element count of a constant shape times 16 bytes fits in 62 bits and no extent is negative.
bool FitsInMemory(const Shape& shape);

}  // namespace reel

#endif  // REEL_IR_TYPES_H_
