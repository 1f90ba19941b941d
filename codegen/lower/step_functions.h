#ifndef REEL_CODEGEN_LOWER_STEP_FUNCTIONS_H_
#define REEL_CODEGEN_LOWER_STEP_FUNCTIONS_H_

#include <cstdint>

#include "codegen/llvm/ir_headers.h"
#include "codegen/target/target.h"

// Functions that the steps of all entry points of a module share: they read what a step is from words of data.
//
//   words of a step: number of buffers, chunks, then per buffer (what to add to a base << 2) | base;
//   with profiling at last the kernel's number
//   of a part of a kernel's chunks: number of buffers, end of the chunks, the buffers, first chunk

namespace reel::codegen {

/// Of the address of an argument or a result in its list: a pointer of 32 bits is the first half (little-endian).
inline constexpr uint64_t kWordBytes = 8;
/// In front of a step's words in a table of steps: where its kernel is and how long the step is. Both have 32 bits
/// where the kernel's place is its distance from the table; else it is an address.
uint64_t StepHeadBytes(const Target& target);

/// What a buffer's word adds to. Of the latter two, the sum points to the buffer's address.
enum Base : uint64_t { kInstance, kConstants, kArguments, kResults };

enum class StepKind : uint8_t {
  kPlain,
  kProfiled,  ///< runtime/profile runs and times it
  kPart,      ///< some neighbouring chunks, in the thread of the call
};

/// Internal `void reel.run(kernel, buffers, chunks, instance)`: all chunks, through the instance's parallel_for if it
/// has one.
llvm::Function* RunFunction(llvm::Module* module, const Target& target);

/// Internal `void reel.step(instance, arguments, results, words, kernel)`, `reel.part` of parts: makes the table of
/// buffers, at most `longest` of them, and runs the chunks.
llvm::Function* StepFunction(llvm::Module* module, const Target& target, llvm::Value* constants, uint64_t longest,
                             StepKind kind);

/// Internal `void reel.steps(instance, arguments, results, table, first, count)`, `reel.parts` of parts: so many steps
/// in order, from byte `first` of a table on. Each has a head (StepHeadBytes) and the words of `step`.
llvm::Function* StepsFunction(llvm::Module* module, const Target& target, llvm::Function* step);

/// Internal `void reel.runs(lists, run)`: steps of a run. `lists` has what these take: instance, arguments, results and
/// table; at last an array with first and count of each run.
llvm::Function* RunsFunction(llvm::Module* module, const Target& target, llvm::Function* steps);
/// Pointers in `lists`.
inline constexpr unsigned kListsOfRuns = 5;

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_STEP_FUNCTIONS_H_
