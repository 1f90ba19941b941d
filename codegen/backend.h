#ifndef REEL_CODEGEN_BACKEND_H_
#define REEL_CODEGEN_BACKEND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/compiler.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

// The half of the compiler that is LLVM: programs to machine code. libreel_compiler.so implements
// it; libreel.so plans, keeps and loads code without it, and opens it when there is code to make.

namespace reel::codegen {

/// How code is made.
struct CodeOptions {
  int opt_level = 2;
  std::string dump_to = {};                ///< folder for LLVM IR and assembly; empty = none
  const ir::BudgetMeter* meter = nullptr;  ///< time is looked at before every function; null = no limits
  int64_t reserve = 0;                     ///< bytes that a function may take in work: compile_bytes.h
};

inline absl::Status CheckTime(const ir::BudgetMeter* meter) {
  return meter == nullptr ? absl::OkStatus() : meter->CheckTime();
}

/// Machine code of a program: ELF objects, in which reel_entry_<i> is entry point i.
struct CodeObjects {
  std::vector<std::string> objects;
  double emit = 0, codegen = 0;  ///< seconds they took to make
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// Kernels go to several LLVM modules of bounded size, compiled side by side.
  virtual absl::StatusOr<CodeObjects> CompileObjects(const Program& program, const Target& target,
                                                     const CodeOptions& options) = 0;
  /// One object that stands alone.
  virtual absl::StatusOr<ObjectFiles> CompileToObject(const Program& program, const std::string& name,
                                                      const Target& target, const CodeOptions& options) = 0;
  /// LLVM IR or assembly of that object.
  virtual absl::StatusOr<std::string> EmitText(const Program& program, const std::string& name, const Target& target,
                                               const CodeOptions& options, bool assembly) = 0;
};

/// The process's backend; the first call opens libreel_compiler.so, beside libreel.so or by its
/// name.
absl::StatusOr<Backend*> GetBackend();

}  // namespace reel::codegen

/// What GetBackend looks up in the library. Never null.
extern "C" reel::codegen::Backend* reel_backend();

#endif  // REEL_CODEGEN_BACKEND_H_
