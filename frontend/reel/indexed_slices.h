#ifndef REEL_INDEXED_SLICES_H_
#define REEL_INDEXED_SLICES_H_

#include <concepts>
#include <optional>
#include <source_location>
#include <variant>
#include <vector>

#include "reel/tensor.h"

namespace reel {

/// A tensor that is 0 but for some rows: row indices[i] has values[i] added to it, duplicates
/// included. The gradient of a table by lookups in it.
///
///   Tensor table = Zeros({100000, 64});   // tape.Gradient(loss, {table})[0].gradient->slices()
class IndexedSlices {
 public:
  /// values [n, ...], indices [n] of i32 or i64, and the shape [rows, ...] of the whole. Throws
  /// InvalidArgument if they do not fit together. Without a shape it cannot be made dense.
  IndexedSlices(Tensor values, Tensor indices, std::optional<Shape> dense_shape = std::nullopt);

  /// What it was made of.
  const Tensor& values() const { return values_; }
  const Tensor& indices() const { return indices_; }
  const std::optional<Shape>& dense_shape() const { return dense_shape_; }
  DType dtype() const { return values_.dtype(); }

  /// The whole tensor. Warns, some times in a process, from 100,000,000 elements on.
  Tensor Dense(std::source_location location = std::source_location::current()) const;
  operator Tensor() const { return Dense(); }  // NOLINT: a seed, a source, an assigned value

 private:
  Tensor values_, indices_;
  std::optional<Shape> dense_shape_;
};

/// A gradient: a tensor, or the rows of one. Whatever takes a tensor takes it, made dense.
class GradientValue {
 public:
  explicit GradientValue(Tensor tensor) : value_(std::move(tensor)) {}
  explicit GradientValue(IndexedSlices slices) : value_(std::move(slices)) {}

  /// True of slices.
  bool sparse() const { return std::holds_alternative<IndexedSlices>(value_); }
  /// The rows; throws FailedPrecondition if it is dense.
  const IndexedSlices& slices() const;
  Tensor Dense(std::source_location location = std::source_location::current()) const {
    return sparse() ? std::get<IndexedSlices>(value_).Dense(location) : std::get<Tensor>(value_);
  }
  operator Tensor() const { return Dense(); }  // NOLINT: implicit by design

  /// Of the elements.
  DType dtype() const { return sparse() ? slices().dtype() : std::get<Tensor>(value_).dtype(); }
  /// Of the whole; throws InvalidArgument for slices without one.
  Shape shape() const { return sparse() && slices().dense_shape() ? *slices().dense_shape() : Dense().shape(); }
  template <internal::Element T>
  T item(std::source_location location = std::source_location::current()) const {
    return Dense(location).item<T>(location);
  }
  template <internal::Element T>
  std::vector<T> ToVector(std::source_location location = std::source_location::current()) const {
    return Dense(location).ToVector<T>(location);
  }

 private:
  std::variant<Tensor, IndexedSlices> value_;
};

namespace internal {
/// What ops take as a dense tensor.
template <typename T>
concept MaybeSparse = std::same_as<T, IndexedSlices> || std::same_as<T, GradientValue>;
}  // namespace internal

}  // namespace reel

#endif  // REEL_INDEXED_SLICES_H_
