#ifndef REEL_TESTS_CODEGEN_BITS_UTIL_H_
#define REEL_TESTS_CODEGEN_BITS_UTIL_H_

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "reel/reel.h"
#include "runtime/thread_pool.h"
#include "tests/frontend/same_bits.h"

// Results in f32 whose bits must depend on nothing.

namespace reel {

/// Compares the function compiled for a CPU, on so many threads, with what it must give.
inline void ExpectBits(const Function& f, const std::vector<Tensor>& in, const std::vector<Tensor>& want,
                       const char* cpu, std::initializer_list<int> numbers) {
  const Executable run = Compile(f, {.cpu = cpu});
  for (const int threads : numbers) {
    runtime::SetNumThreads(threads);
    const std::vector<Tensor> got = run("main", in).tensors();
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(SameBits(got[i], want[i])) << cpu << ", " << threads << " threads, result " << i;
    }
  }
  runtime::SetNumThreads(0);
}

/// Compares eager results with the compiled function's: level 0, two CPUs, 1 to 8 threads.
inline void ExpectSameBits(const Function& f, const std::vector<Tensor>& in, const std::vector<Tensor>& eager) {
  const std::vector<Tensor> plain = Compile(f, {.opt_level = 0})("main", in).tensors();
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(SameBits(eager[i], plain[i])) << "eager result " << i;
  for (const char* cpu : {"native", "x86-64-v3"}) ExpectBits(f, in, plain, cpu, {1, 2, 3, 8});
}

/// Compares level 0 with level 2 for SSE2, where there is no FMA, and products have other bits.
inline void ExpectSameBitsWithoutFma(const Function& f, const std::vector<Tensor>& in) {
  const char* cpu = "x86-64-v2";
  ExpectBits(f, in, Compile(f, {.cpu = cpu, .opt_level = 0})("main", in).tensors(), cpu, {1, 3});
}

}  // namespace reel

#endif  // REEL_TESTS_CODEGEN_BITS_UTIL_H_
