#ifndef REEL_CODEGEN_LOOP_VERIFY_H_
#define REEL_CODEGEN_LOOP_VERIFY_H_

#include "absl/status/status.h"
#include "codegen/loop/loop.h"

// Loops are trusted by what makes code of them. So tests and fuzzers look at each kernel first.

namespace reel::codegen {

/// Internal if a kernel is none: an expression before its operands, an axis that is bound twice or not at all, a local
/// before its declaration, a parallel loop inside another.
///
/// Then its loops are walked. Internal if an index is outside its buffer or local, what is stored is made of an element
/// of a local that was not written, or two chunks write one element. In kernels of more than 65,536 steps only the
/// first and last two iterations of each loop are, for the indices alone. Nothing is known of addresses that depend on
/// data, of what a guard on data protects, and of loops whose length comes at run time.
absl::Status VerifyKernel(const Kernel& kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_VERIFY_H_
