#include "frontend/summary/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/values/status.h"
#include "ir/lazy.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::summary {
namespace {

// TensorBoard's: 1e-12, each 1.1 times the one before it, below 1e20; the same negative; 0 and the largest double.
const std::vector<double>& BucketLimits() {
  static constinit Lazy<const std::vector<double>> limits;
  return limits.Get([] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(std::numeric_limits<double>::max());
    std::vector<double> all;
    for (size_t i = positive.size(); i > 0; --i) all.push_back(-positive[i - 1]);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return std::make_unique<const std::vector<double>>(std::move(all));
  });
}

template <typename T>
double ToNumber(T x) {
  if constexpr (internal::kIsHalf<T>)
    return double{static_cast<float>(x)};
  else
    return static_cast<double>(x);
}

template <typename T>
std::vector<double> AsDoubles(const Tensor& x) {
  std::vector<double> out;
  out.reserve(static_cast<size_t>(x.size()));
  for (const T& v : x.data<T>()) out.push_back(ToNumber(v));
  return out;
}

std::vector<double> Doubles(const Tensor& x, const std::string& name) {
  switch (x.dtype()) {
    case kBool: return AsDoubles<bool>(x);
    case kInt8: return AsDoubles<int8_t>(x);
    case kInt16: return AsDoubles<int16_t>(x);
    case kInt32: return AsDoubles<int32_t>(x);
    case kInt64: return AsDoubles<int64_t>(x);
    case kUInt8: return AsDoubles<uint8_t>(x);
    case kUInt16: return AsDoubles<uint16_t>(x);
    case kUInt32: return AsDoubles<uint32_t>(x);
    case kUInt64: return AsDoubles<uint64_t>(x);
    case kFloat16: return AsDoubles<Float16>(x);
    case kBFloat16: return AsDoubles<BFloat16>(x);
    case kFloat32: return AsDoubles<float>(x);
    case kFloat64: return AsDoubles<double>(x);
    case kComplex64:
    case kComplex128: break;
  }
  internal::ThrowInvalid(StrCat("histogram ", ir::Quoted(name), ": the values are ", NumPyName(x.dtype()),
                                "; a histogram is of real numbers: take their real or imaginary part, or abs"));
}

void CheckFinite(const std::vector<double>& values, const std::string& name) {
  const auto nans = std::count_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  const auto infinities = std::count_if(values.begin(), values.end(), [](double v) { return std::isinf(v); });
  if (nans + infinities == 0) return;
  internal::ThrowInvalid(StrCat("histogram ", ir::Quoted(name), ": of ", values.size(), " values ", nans,
                                " are NaN and ", infinities, " are infinite; a histogram is of finite numbers"));
}

// Buckets in the middle of an empty run are left out, as TensorBoard's own writer does.
void Compress(const std::vector<double>& counts, HistogramCounts* out) {
  const std::vector<double>& limits = BucketLimits();
  for (size_t i = 0; i < counts.size(); ++i) {
    const bool in_run = counts[i] == 0 && i + 1 < counts.size() && counts[i + 1] == 0;
    if (in_run) continue;
    out->limits.push_back(limits[i]);
    out->counts.push_back(counts[i]);
  }
}

}  // namespace

HistogramCounts CountValues(const Tensor& tensor, const std::string& name) {
  std::vector<double> values = Doubles(tensor, name);
  CheckFinite(values, name);
  HistogramCounts out;
  const std::vector<double>& limits = BucketLimits();
  std::vector<double> counts(limits.size());
  out.count = static_cast<double>(values.size());
  if (!values.empty()) {
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    out.min = *least;
    out.max = *largest;
  }
  for (const double v : values) {
    out.sum += v;
    out.sum_of_squares += v * v;
    const auto above = std::upper_bound(limits.begin(), limits.end(), v) - limits.begin();
    ++counts[std::min(static_cast<size_t>(above), limits.size() - 1)];
  }
  Compress(counts, &out);
  return out;
}

}  // namespace reel::summary
