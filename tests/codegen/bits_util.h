#ifndef REEL_TESTS_CODEGEN_BITS_UTIL_H_
#define REEL_TESTS_CODEGEN_BITS_UTIL_H_

#include <gtest/gtest.h>

#include <vector>

#include "reel/reel.h"
#include "runtime/thread_pool.h"
#include "tests/frontend/same_bits.h"

// Results in f32 whose bits must depend on nothing.

namespace reel {

/// Compares eager results with the compiled function's: level 0, two CPUs, 1 to 8 threads.
inline void ExpectSameBits(const Function& f, const std::vector<Tensor>& in, const std::vector<Tensor>& eager) {
  const std::vector<Tensor> plain = Compile(f, {.opt_level = 0})("main", in).tensors();
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(SameBits(eager[i], plain[i])) << "eager result " << i;
  for (const char* cpu : {"native", "x86-64-v3"}) {
    const Executable run = Compile(f, {.cpu = cpu});
    for (const int threads : {1, 2, 3, 8}) {
      runtime::SetNumThreads(threads);
      const std::vector<Tensor> got = run("main", in).tensors();
      for (size_t i = 0; i < plain.size(); ++i) {
        EXPECT_TRUE(SameBits(got[i], plain[i])) << cpu << ", " << threads << " threads, result " << i;
      }
    }
  }
  runtime::SetNumThreads(0);
}

}  // namespace reel

#endif  // REEL_TESTS_CODEGEN_BITS_UTIL_H_
