#include "reel/indexed_slices.h"

#include <atomic>
#include <cstdio>

#include "frontend/autodiff/custom_gradient.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {
namespace {

constexpr int64_t kLarge = 100'000'000;

void WarnOfSize(const Type& type) {
  static std::atomic<int> warnings{0};
  if (type.shape.size() < kLarge || warnings.fetch_add(1) >= 5) return;
  std::fprintf(stderr,
               "reel: converting sparse IndexedSlices to a dense %s with %lld elements; this may "
               "take much memory\n",
               type.ToString().c_str(), static_cast<long long>(type.shape.size()));
}

}  // namespace

IndexedSlices::IndexedSlices(Tensor values, Tensor indices, std::optional<Shape> dense_shape)
    : values_(std::move(values)), indices_(std::move(indices)), dense_shape_(std::move(dense_shape)) {
  const Shape& v = values_.shape();
  const Shape& i = indices_.shape();
  const bool integers = indices_.dtype() == kInt32 || indices_.dtype() == kInt64;
  bool fits = integers && i.rank() == 1 && v.rank() >= 1 && v.dim(0) == i.dim(0);
  if (fits && dense_shape_) {
    fits = dense_shape_->rank() == v.rank();
    for (int k = 1; fits && k < v.rank(); ++k) fits = dense_shape_->dim(k) == v.dim(k);
  }
  if (fits) return;
  internal::ThrowInvalid(StrCat("indexed_slices: values ", values_.type().ToString(), " with indices ",
                                indices_.type().ToString(), " and dense shape ",
                                dense_shape_ ? Type{values_.dtype(), *dense_shape_}.ToString() : "none",
                                "; they must be [n, ...], [n] of i32 or i64, and [rows, ...] with the same rest"));
}

Tensor IndexedSlices::Dense(std::source_location location) const {
  const internal::LocationScope scope(location);
  if (!dense_shape_) {
    internal::ThrowInvalid("Tensor conversion requested for IndexedSlices without dense_shape; give it one");
  }
  WarnOfSize({dtype(), *dense_shape_});
  return ScatterAdd(Zeros(*dense_shape_, dtype()), indices_, values_);
}

const IndexedSlices& GradientValue::slices() const {
  if (!sparse()) {
    internal::ThrowError(ErrorCode::kFailedPrecondition, StrCat("gradient: it is a dense ", Dense().type().ToString(),
                                                                ", not slices; look at sparse() first"));
  }
  return std::get<IndexedSlices>(value_);
}

namespace internal {

GradientValue JoinRows(const std::vector<std::pair<Tensor, Tensor>>& parts, const Type& type) {
  std::vector<Tensor> indices, rows;
  std::vector<int64_t> row_shape = type.shape.dims();
  bool mixed = false;
  for (const auto& [i, r] : parts) {
    row_shape[0] = i.size();
    indices.push_back(i.rank() == 1 ? i : Reshape(i, {i.size()}));
    rows.push_back(i.rank() == 1 ? r : Reshape(r, row_shape));
    mixed = mixed || i.dtype() != indices[0].dtype();
  }
  for (Tensor& i : indices) {
    if (mixed && i.dtype() != kInt64) i = Cast(i, kInt64);
  }
  if (rows.size() == 1) return GradientValue(IndexedSlices(rows[0], indices[0], type.shape));
  return GradientValue(IndexedSlices(Concat(rows), Concat(indices), type.shape));
}

}  // namespace internal
}  // namespace reel
