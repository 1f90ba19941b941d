#ifndef REEL_TESTS_FRONTEND_TAPE_CACHE_TESTING_H_
#define REEL_TESTS_FRONTEND_TAPE_CACHE_TESTING_H_

#include <cmath>
#include <string>
#include <vector>

#include "frontend/autodiff/tape_cache.h"
#include "tests/frontend/expect.h"

namespace reel {

inline internal::ProgramCache& Cache() { return internal::ProgramCache::Get(); }

/// A cache that knows nothing; the real compiler again afterwards.
class TapeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    Cache().Clear();
    before_ = Cache().stats();
  }
  void TearDown() override {
    Cache().set_enabled(true);
    Cache().set_compile(nullptr);
    Cache().Clear();
  }
  int64_t hits() const { return Cache().stats().hits - before_.hits; }
  int64_t compiled() const { return Cache().stats().compiled - before_.compiled; }
  int64_t failed() const { return Cache().stats().failed - before_.failed; }
  int64_t evicted() const { return Cache().stats().evicted - before_.evicted; }

 private:
  internal::ProgramCacheStats before_;
};

/// Type and bytes, to compare with ==.
inline std::string Bits(const Tensor& t) {
  const auto* first = static_cast<const char*>(t.raw_data());
  return t.type().ToString() + std::string(first, static_cast<size_t>(t.type().bytes()));
}

/// Numbers between -1 and 1.
inline Tensor Data(const Shape& shape, double salt, DType dtype = kFloat32) {
  std::vector<double> values(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.7 * static_cast<double>(i) + salt);
  return Cast(Tensor::FromData(values, shape), dtype);
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_TAPE_CACHE_TESTING_H_
