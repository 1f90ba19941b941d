// The one gang of threads of the process, for parallel steps of microseconds.
//
// A step is n chunks, claimed from a single atomic counter by the caller and by whichever workers
// are awake: several at a time at first, the last ones one by one. The caller waits only for workers that have claimed
// a chunk, so a worker that is asleep or off its core delays nobody. Workers spin about 50 us after a step, then sleep.
//
// A second simultaneous caller, and a step inside a step, get no workers and run serially. Which
// thread runs a chunk is chance; results must not depend on it. Worker threads start with the first
// parallel step, block all signals, take over the caller's floating-point mode, are stopped at
// exit, and start afresh in a forked child.
#ifndef REEL_RUNTIME_THREAD_POOL_H_
#define REEL_RUNTIME_THREAD_POOL_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "runtime/abi.h"

namespace reel::runtime {

// Calls body(argument, chunk) once for each chunk in [0, n) and returns when all have finished. The
// body must not throw (std::terminate), fork, or end its thread.
void ParallelFor(int64_t n, reel_body body, void* argument) noexcept;

// The same for a callable `void(int64_t chunk) noexcept`.
template <typename Body>
void ParallelFor(int64_t n, const Body& body) noexcept {
  static_assert(std::is_nothrow_invocable_v<const Body&, int64_t>, "declare the body noexcept");
  ParallelFor(
      n, [](void* argument, int64_t chunk) { (*static_cast<const Body*>(argument))(chunk); },
      const_cast<Body*>(std::addressof(body)));
}

// Threads of a step, the caller included: REEL_NUM_THREADS, else the number of available cores.
int NumThreads() noexcept;

// Changes NumThreads() from the next step on; clamped to [1, kMaxThreads], 0 = back to the default.
void SetNumThreads(int threads) noexcept;

}  // namespace reel::runtime

// ParallelFor with the signature of reel_instance::parallel_for; `context` is ignored.
extern "C" void reel_gang_parallel_for(void* context, int64_t n, reel_body body, void* argument) noexcept;

#endif  // REEL_RUNTIME_THREAD_POOL_H_
