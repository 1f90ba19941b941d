#ifndef REEL_TESTS_FRONTEND_EXPECT_H_
#define REEL_TESTS_FRONTEND_EXPECT_H_

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "reel/reel.h"

namespace reel {

/// The elements as doubles.
inline std::vector<double> Values(const Tensor& x) {
  if (x.dtype() != kFloat64) return Values(Cast(x, kFloat64));
  return x.ToVector<double>();
}

/// A scalar gradient that must exist.
inline float ValueOf(const std::optional<Tensor>& gradient) {
  EXPECT_TRUE(gradient.has_value()) << "the gradient is None";
  return gradient ? gradient->item<float>() : 0;
}

/// Runs `body`, which must throw an Error with this code and a message that contains `text`.
inline void ExpectError(ErrorCode code, const std::string& text, const std::function<void()>& body) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(Name(e.code()), std::string(Name(code)));
    EXPECT_THAT(e.what(), testing::HasSubstr(text));
  }
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_EXPECT_H_
