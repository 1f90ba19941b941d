#ifndef REEL_CODEGEN_COMPILER_H_
#define REEL_CODEGEN_COMPILER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/jit/compiled_module.h"
#include "codegen/program/code.h"
#include "codegen/program/program.h"
#include "codegen/target/cpuid.h"
#include "ir/budget_meter.h"
#include "ir/graph.h"

// The compiler's door: plans, and has the code from the cache or from LLVM (backend.h).

namespace reel::codegen {

struct CompilerOptions {
  std::string cpu = "native";  ///< FindTarget; of an object, FindTargets
  std::string os;            ///< of an object: FindTarget
  int opt_level = 2;         ///< 0: one scalar kernel per op, LLVM level 0; 2: fused, vectorised
  int64_t memory_budget = 0; ///< bytes of temporaries, 0 = no limit: PlanOptions
  bool profile = false;      ///< of Compile: steps are timed (runtime/profile.h)
  bool check_bounds = true;  ///< PlanOptions
  std::vector<InPlace> in_place = {};  ///< PlanOptions, of Compile
  std::string dump_to;       ///< folder for program text, LLVM IR and assembly; empty = none
  std::string cache_dir;     ///< machine code is kept and looked for there; empty = nowhere
  /// Of an object: values of symbolic extents by name (aot/sized.h); modules that are compiled here have none.
  std::vector<std::pair<std::string, int64_t>> extents;
  std::shared_ptr<const ScheduleBook> schedules = {};  ///< PlanOptions; null: as usual
  bool list_schedules = false;                          ///< PlanOptions
  PlanRecord* record = nullptr;                         ///< PlanOptions
  Budget budget;
  ir::Clock clock = ir::SteadySeconds;  ///< of the budget
  std::optional<double> start = {};     ///< when the budget's time began, by its clock; none: when compiling does
  int cores = 0;  ///< that share a call (target/cores.h); 0: as the target is tuned
  const volatile int32_t* stop = nullptr;  ///< compiling ends, Cancelled, when that is not 0
  bool (*host_supports)(std::string_view target) = HostSupports;
};

/// What of these is for planning.
PlanOptions PlanFor(const CompilerOptions& options, const ir::BudgetMeter* meter);

class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(const ir::Module& module,
                                                                  const CompilerOptions& options) = 0;
  /// `name`: prefix of every symbol, a C identifier.
  virtual absl::StatusOr<ObjectFiles> CompileToObject(const ir::Module& module, const std::string& name,
                                                      const CompilerOptions& options) = 0;
  /// LLVM IR ("llvm") or assembly ("asm") of the module; its plan as text ("plan") or Graphviz source ("dot").
  virtual absl::StatusOr<std::string> EmitText(const ir::Module& module, const std::string& name,
                                               const std::string& kind, const CompilerOptions& options) = 0;
  /// A static library of an object that was compiled with such options.
  virtual absl::StatusOr<std::string> Archive(const std::string& object, const std::string& member,
                                              const CompilerOptions& options) = 0;
};

}  // namespace reel::codegen

/// The process-wide compiler. Never null.
extern "C" reel::codegen::Compiler* reel_compiler();

#endif  // REEL_CODEGEN_COMPILER_H_
