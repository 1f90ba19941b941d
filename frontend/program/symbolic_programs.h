#ifndef REEL_FRONTEND_PROGRAM_SYMBOLIC_PROGRAMS_H_
#define REEL_FRONTEND_PROGRAM_SYMBOLIC_PROGRAMS_H_

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "frontend/program/compiled_data.h"
#include "runtime/fork.h"

namespace reel::internal {

/// A module with symbolic extents, compiled: a program of its own for each entry point and the extents it is called
/// with, made at the first such call. All have the module's variables at the same places of an instance. Thread-safe.
class SymbolicPrograms {
 public:
  /// The most programs that are kept; the one whose call is the longest ago goes first.
  static constexpr size_t kMaxPrograms = 32;

  SymbolicPrograms(ir::Module module, codegen::CompilerOptions options, NumericsCheck check);

  const codegen::Program& signatures() const { return signatures_; }
  /// The program whose entry point 0 is entry point `entry` for arguments of these types. Throws if they do not fit
  /// the signature: another dtype, rank or constant extent, an extent out of range, two that should be one.
  std::shared_ptr<const CompiledData> Find(size_t entry, std::span<const Tensor> arguments);

 private:
  struct Made {
    size_t entry;
    std::shared_ptr<const CompiledData> program;
  };

  std::shared_ptr<const CompiledData> Look(size_t entry, std::span<const Tensor> arguments);
  std::shared_ptr<const CompiledData> Make(size_t entry, std::span<const Tensor> arguments) const;

  ir::Module module_;  // initial values are literals
  const codegen::CompilerOptions options_;
  const NumericsCheck check_;
  codegen::Program signatures_;
  runtime::Mutex compiling_, mutex_;  // one compiles at a time; mutex_ guards made_
  std::vector<Made> made_;        // the last called first
};

/// The module with these extents fixed, by name; throws for unknown names and values out of range.
ir::Module FixExtents(const ir::Module& module, const std::vector<std::pair<std::string, int64_t>>& extents);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_SYMBOLIC_PROGRAMS_H_
