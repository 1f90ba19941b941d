#ifndef REEL_CODEGEN_LIBRARY_LIBRARY_H_
#define REEL_CODEGEN_LIBRARY_LIBRARY_H_

#include <cstdint>

// The kernels of eager ops, compiled when the project is built: no compiler, no LLVM at run time.
// libreel_kernels.so holds them for every CPU level; libreel.so opens it on the first eager op.

namespace reel::codegen {

/// Code of one op for contiguous operands of any length.
///
/// Elementwise ops: results[i] for i in 0..length. Reductions: elements 0..length of the operand to
/// one result, by the rule of one block; length in 1..4096 (64 for the short variant). Of columns: 64 rows of `length`
/// elements to one row; they are so far apart as operand 1, an i64, says.
struct LibraryKernel {
  uint8_t op;          ///< ir::Op
  uint8_t operand[3];  ///< dtypes of the operands, 0xff = none
  uint8_t result;      ///< dtype
  uint8_t variant;     ///< of a reduction: kWhole, ...
  uint8_t order[4];    ///< what buffer i is: an operand's number, or kResult
  void (*code)(const void* const* buffers, int64_t length);

  static constexpr uint8_t kResult = 3, kNone = 0xff;
  static constexpr uint8_t kWhole = 0, kShort = 1, kColumns = 2, kVariants = 3;
};

struct Library {
  const LibraryKernel* kernels;
  int64_t count;
};

}  // namespace reel::codegen

/// The kernels for this machine's CPU; none if it is older than all levels.
extern "C" reel::codegen::Library reel_kernels();

#endif  // REEL_CODEGEN_LIBRARY_LIBRARY_H_
