#ifndef REEL_CODEGEN_PROGRAM_CODE_H_
#define REEL_CODEGEN_PROGRAM_CODE_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"
#include "ir/budget_meter.h"

// The machine code of a program, and what makes it.

namespace reel::codegen {

/// What CompileToObject writes.
struct ObjectFiles {
  std::string object;    ///< ELF, COFF, Mach-O or WebAssembly bytes
  std::string header;    ///< C99 / C++ header
  std::string manifest;  ///< JSON, also embedded in the object
};

/// A program and the target it was planned for.
struct TargetProgram {
  const Program& program;
  const Target& target;
};

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
  /// One object that stands alone, of one module for levels of one architecture, ascending: its `init` takes the last
  /// that the CPU has.
  virtual absl::StatusOr<ObjectFiles> CompileToObject(std::span<const TargetProgram> levels, const std::string& name,
                                                      const CodeOptions& options) = 0;
  /// LLVM IR or assembly of that object.
  virtual absl::StatusOr<std::string> EmitText(std::span<const TargetProgram> levels, const std::string& name,
                                               const CodeOptions& options, bool assembly) = 0;
  /// A static library with one object, `member`, for a platform of that operating system. Same input, same bytes.
  virtual absl::StatusOr<std::string> Archive(const std::string& object, const std::string& member,
                                              const std::string& os) = 0;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_CODE_H_
