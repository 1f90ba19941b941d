#ifndef REEL_CODEGEN_LLVM_GUARD_H_
#define REEL_CODEGEN_LLVM_GUARD_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

// The doors of LLVM. It knows no exceptions: where there is no memory, and where it finds that it is wrong, it ends the
// process. Here that is a status, and the process lives on.

namespace reel::codegen {

/// Memory that a function's code may take, as CompileBytes counts it, if the program is not known.
inline constexpr int64_t kMinReserve = int64_t{16} << 20;

/// Runs `work` on this thread, where alone it may use LLVM; no fork happens meanwhile but in CheckLlvm.
///
/// A reserve of address space is set aside first: too little is ResourceExhausted at once. When operator new fails
/// inside, it is given back and LLVM goes on to the next CheckLlvm, where work ends in order. If that is not enough,
/// malloc fails or LLVM reports a fatal error, control leaves LLVM by a jump, and what it had is lost: a few megabytes,
/// but nothing that others use. So `work` holds no lock, and nothing that others wait for, across LLVM.
absl::Status InLlvm(int64_t reserve, absl::FunctionRef<absl::Status()> work);

/// Between functions: lets a fork happen, and says whether there is memory to go on.
absl::Status CheckLlvm();

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LLVM_GUARD_H_
