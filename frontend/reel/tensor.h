#ifndef REEL_TENSOR_H_
#define REEL_TENSOR_H_

#include <complex>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ir/types.h"
#include "reel/error.h"

namespace reel {

namespace internal {

struct TensorData;
struct VariableData;

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// The dtype of a C++ number; `long long` counts as int64_t and so on.
template <typename T>
consteval DType ElementDType() {
  if constexpr (std::is_same_v<T, bool> || kIsComplex<T> || kIsHalf<T>)
    return DTypeOf<T>::value;
  else if constexpr (std::is_same_v<T, float>)
    return kFloat32;
  else if constexpr (std::is_floating_point_v<T>)
    return kFloat64;
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? kInt8 : kUInt8;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? kInt16 : kUInt16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? kInt32 : kUInt32;
  else
    return std::is_signed_v<T> ? kInt64 : kUInt64;
}

template <typename T>
concept Element = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>) || kIsComplex<T> || kIsHalf<T>;

/// Matches {1, 2.f}: only to say what is wrong with it.
struct MixedElements {
  template <typename A, typename B, typename... Rest>
  MixedElements(A, B, Rest...) {  // NOLINT: implicit by design
    static_assert(sizeof...(Rest) == static_cast<size_t>(-1),
                  "the elements of a tensor literal must have one type: write {1.f, 2.f}, not {1, 2.f}");
  }
};

}  // namespace internal

/// An immutable array of numbers: a shared handle with value semantics. Inside a trace a tensor is
/// symbolic: it has a type but no elements.
///
///   Tensor a({{1.f, 2.f}, {3.f, 4.f}});   // f32[2,2]
///   Tensor b = 2.5f;                      // f32[]
class Tensor {
 public:
  /// The null handle, to be assigned to. Everything but defined() throws.
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  Tensor& operator=(const Tensor&) && = delete;  // x[0] = 5 cannot be: tensors are immutable; use ScatterSet or Where

  /// A scalar of the number's own type.
  template <internal::Element T>
  Tensor(T value) : Tensor(internal::ElementDType<T>(), Shape{}, &value) {}  // NOLINT: implicit
  /// Literals of rank 1 to 4; all rows must have one length.
  template <internal::Element T>
  Tensor(std::initializer_list<T> values) : Tensor(Collect<T, 1>(values)) {}
  template <internal::Element T>
  Tensor(std::initializer_list<std::initializer_list<T>> values) : Tensor(Collect<T, 2>(values)) {}
  template <internal::Element T>
  Tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>> values)
      : Tensor(Collect<T, 3>(values)) {}
  template <internal::Element T>
  Tensor(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>> values)
      : Tensor(Collect<T, 4>(values)) {}
  Tensor(internal::MixedElements);  // NOLINT: explains an error
  Tensor(std::initializer_list<internal::MixedElements>);  // NOLINT: the same for rows

  /// A copy of row-major elements; their number must be shape.size().
  template <internal::Element T>
  static Tensor FromData(std::span<const T> values, const Shape& shape) {
    CheckCount(static_cast<int64_t>(values.size()), shape);
    return Tensor(internal::ElementDType<T>(), shape, values.data());
  }
  template <internal::Element T>
    requires(!std::is_same_v<T, bool>)
  static Tensor FromData(const std::vector<T>& values, const Shape& shape) {
    return FromData(std::span<const T>(values), shape);
  }
  /// A copy of shape.size() elements of a dtype.
  static Tensor FromBytes(DType dtype, const Shape& shape, const void* elements) {
    return Tensor(dtype, shape, elements);
  }

  /// False of the null handle alone.
  bool defined() const { return data_ != nullptr; }
  /// Dtype and shape.
  const Type& type() const;
  DType dtype() const { return type().dtype; }
  const Shape& shape() const { return type().shape; }
  int rank() const { return shape().rank(); }
  /// Number of elements.
  int64_t size() const { return shape().size(); }
  /// True inside a trace: there are no elements to read.
  bool symbolic() const;
  /// Identity: no two results of ops share it, whatever their values.
  uint64_t id() const;

  /// The elements, row-major. T must be the dtype's type; null only for empty tensors.
  template <internal::Element T>
  std::span<const T> data(std::source_location location = std::source_location::current()) const {
    return {static_cast<const T*>(Elements(internal::ElementDType<T>(), location)), static_cast<size_t>(size())};
  }
  /// A copy of the elements, row-major.
  template <internal::Element T>
  std::vector<T> ToVector(std::source_location location = std::source_location::current()) const {
    const auto elements = data<T>(location);
    return std::vector<T>(elements.begin(), elements.end());
  }
  /// The only element, converted to T; a complex number only to complex.
  template <internal::Element T>
  T item(std::source_location location = std::source_location::current()) const {
    if constexpr (internal::kIsComplex<T>)
      return static_cast<T>(ItemComplex(location));
    else if constexpr (std::is_floating_point_v<T> || internal::kIsHalf<T>)
      return static_cast<T>(ItemDouble(location));
    else if constexpr (std::is_same_v<T, bool>)
      return ItemDouble(location) != 0;
    else
      return static_cast<T>(ItemInt(location));
  }
  /// Truth of the only element.
  explicit operator bool() const { return item<bool>(); }
  /// Row i of the first axis; negative i counts from the end.
  Tensor operator[](int64_t i) const;
  /// The elements without their type check; for engines and file formats.
  const void* raw_data(std::source_location location = std::source_location::current()) const;

  /// As NumPy prints it: 8 digits, aligned, summarised above 1000 elements.
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

  explicit Tensor(std::shared_ptr<internal::TensorData> data) : data_(std::move(data)) {}
  const std::shared_ptr<internal::TensorData>& internal_data() const { return data_; }

 private:
  template <typename T>
  struct Elements1 {
    Shape shape;
    std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> values;
  };

  Tensor(DType dtype, const Shape& shape, const void* elements);
  template <typename T>
  explicit Tensor(const Elements1<T>& e) : Tensor(internal::ElementDType<T>(), e.shape, e.values.data()) {}

  template <typename T, int kRank, typename List>
  static Elements1<T> Collect(const List& list) {
    Elements1<T> out;
    std::vector<int64_t> dims(kRank, -1);
    Append<T, kRank>(list, 0, &dims, &out);
    for (int64_t& d : dims) d = d < 0 ? 0 : d;
    out.shape = Shape(dims);
    return out;
  }
  template <typename T, int kRank, typename List>
  static void Append(const List& list, size_t axis, std::vector<int64_t>* dims, Elements1<T>* out) {
    const auto n = static_cast<int64_t>(list.size());
    if ((*dims)[axis] >= 0 && (*dims)[axis] != n) RaggedLiteral((*dims)[axis], n);
    (*dims)[axis] = n;
    for (const auto& element : list) {
      if constexpr (kRank == 1)
        out->values.push_back(element);
      else
        Append<T, kRank - 1>(element, axis + 1, dims, out);
    }
  }
  [[noreturn]] static void RaggedLiteral(int64_t first, int64_t other);
  static void CheckCount(int64_t count, const Shape& shape);
  const void* Elements(DType dtype, std::source_location location) const;
  double ItemDouble(std::source_location location) const;
  int64_t ItemInt(std::source_location location) const;
  std::complex<double> ItemComplex(std::source_location location) const;

  std::shared_ptr<internal::TensorData> data_;
};

/// A named extent with its range, 1 <= min <= max: symbolic in the trace, the same in all specs with
/// its name, a number when the function runs. One value (min == max) is a constant.
struct Dim {
  Dim(int64_t value) : min(value), max(value) {}  // NOLINT: 784 is a dimension
  Dim(std::string name_, int64_t min_, int64_t max_) : name(std::move(name_)), min(min_), max(max_) {}
  std::string name;
  int64_t min, max;
};

/// Type of an argument of a traced function, with the name it gets.
struct Spec {
  Spec(DType dtype_, std::initializer_list<Dim> dims, std::string name_ = "");
  Spec(DType dtype_, const Shape& shape, std::string name_ = "") : type{dtype_, shape}, name(std::move(name_)) {}
  /// The type of a tensor.
  explicit Spec(const Tensor& like, std::string name_ = "") : type(like.type()), name(std::move(name_)) {}
  Type type;
  std::string name;
  std::vector<Dim> symbols;  ///< what Extent::Symbol(i) in the type's shape is
};

}  // namespace reel

#endif  // REEL_TENSOR_H_
