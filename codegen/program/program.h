#ifndef REEL_CODEGEN_PROGRAM_PROGRAM_H_
#define REEL_CODEGEN_PROGRAM_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/loop/loop.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/options.h"
#include "codegen/target/target.h"
#include "ir/graph.h"
#include "runtime/callback.h"

// The executable before LLVM: kernels, and per entry point the order in which they run on which memory.
// One instance is one block: header (runtime/abi.h), variables, arena, all at constant offsets.

namespace reel::codegen {

/// Where a buffer lives.
struct Slot {
  enum class Kind : uint8_t {
    kArgument,  ///< argument `index` of the entry point, caller's memory, element-aligned
    kResult,    ///< declared result `index`, caller's memory, element-aligned
    kInstance,  ///< `offset` bytes into the instance: a variable or arena space, 64-byte aligned
    kConstant,  ///< constant `index` of the program, 64-byte aligned
    kLane,      ///< of a chain: chunk i's `index` bytes are `offset` bytes into the instance plus the lane's frames
  };
  Kind kind = Kind::kInstance;
  int32_t index = 0;
  int64_t offset = 0;
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// One action of an entry point: a kernel call; a copy of `bytes` when kernel < 0 (buffers = {to, from}); a branch or
/// a loop over steps of its own (buffers = {condition}, one bool); a chain of kernels, all of `chunks` chunks, that run
/// chunk after chunk. A chain's lanes are what may run at once: lane l has the chunks from l * ceil(chunks / lanes) on,
/// one after the other, and a frame of `bytes` for what only the chain reads. Of kernels beside each other the parts of
/// a run come one after the other, runs at once: part p has chunks p.bytes ... p.bytes + p.chunks - 1 of a kernel, and
/// belongs to run p.lanes.
struct Step {
  enum class Control : uint8_t {
    kNone,
    kIf,  ///< condition ? first : second
    kWhile,  ///< first writes the condition; while it holds: second, first
    kChain,  ///< first: the kernel calls
    kBeside,  ///< first: parts of kernel calls, by run; there are `lanes` runs
    kCallback,  ///< a function of the process writes buffers[0], reads the others: Program::callbacks[bytes]; it may
                ///< fail
    kCollective,  ///< the group writes buffers[0] from buffers[1]: Program::collectives[bytes]; it may fail. With
                  ///< buffers[2], an i64, it is only started, and a kWait step comes later
    kWait,  ///< Program::collectives[bytes], which was started with the i64 in buffers[0], is done; it may fail
    kCheck,  ///< the call fails if Program::checks[bytes] refuses the number in buffers[0]
  };
  int32_t kernel = -1;
  std::vector<Slot> buffers;  ///< in the order of Kernel::buffers
  int64_t bytes = 0;  ///< of a copy, of a chain's frames; kCheck, kCallback, kCollective, kWait: which one
  Control control = Control::kNone;
  int64_t maximum_iterations = -1;  ///< kWhile: < 0 = no bound; kCounted: the condition bounds it, to not many
  std::vector<Step> first = {}, second = {};
  int64_t chunks = 0,
          lanes = 0;  ///< kChain, kBeside and its parts; of what may fail: lanes is 1 if a variable may have its new
                      ///< value already
  bool in_line = false;  ///< kWhile: a function of its own that holds its kernels (in_line.h)

  int64_t chunks_per_lane() const { return (chunks + lanes - 1) / lanes; }
};

struct EntryPoint {
  std::string name;
  std::vector<ir::Parameter> arguments;  ///< declared parameters
  std::vector<ir::Parameter> results;  ///< declared results with their names
  std::vector<Step> steps;
  std::vector<InPlace> in_place;  ///< those of PlanOptions, or none: results have memory of their own
};

/// An entry point as an object offers it. One of a module with symbolic extents has a program entry for some of their
/// values. Extents that are symbols in its types are those of its own list.
struct ObjectEntry {
  struct Variant {
    std::vector<int64_t> extents;  ///< by symbol
    int32_t entry = 0;  ///< of Program::entries
  };
  std::string name;
  std::vector<ir::Parameter> arguments, results;
  std::vector<ir::Symbol> symbols;
  std::vector<Variant> variants;
  /// Of one symbol: any value, in chunks of rows, for which variants are there, the last of them one row
  /// (passes/rowwise.h).
  bool rowwise = false;
};

struct VariableSlot {
  std::string name;
  Type type;
  bool trainable = true;
  int64_t offset = 0;  ///< in the instance
  ir::Literal initial;
};

/// Step::maximum_iterations of a loop that counts to kMaxUnwatched at most.
inline constexpr int64_t kCounted = -2;
inline constexpr int64_t kMaxUnwatched = int64_t{1} << 20;
/// Whether a loop must look if it is to stop: it may go on for ever, or for as long as makes no difference.
inline bool MayBeLong(const Step& loop) {
  return loop.maximum_iterations == -1 || loop.maximum_iterations > kMaxUnwatched;
}
/// Whether some loop of these steps may be long. Recursion is as deep as control steps are nested.
bool HaveLongLoop(const std::vector<Step>& steps);

/// What a kCheck step looks for in a number, which stands for all that the check saw.
struct ValueCheck {
  ir::Op op = ir::Op::kCheckIndex;  ///< or check_integer
  DType dtype = kInt64;
  int64_t extent = 0;  ///< check_index
  std::shared_ptr<const ir::Attributes> attributes;  ///< of the op
  ir::Location location;  ///< line 0: unknown
};

/// What a kCallback step calls.
struct CallbackSite {
  std::shared_ptr<const runtime::Callback> function;
  bool guarded = false;
  std::vector<Type> types;  ///< of the buffers: the result, the operands
  std::string of;
};

/// What a kCollective step asks the instance's communicator for.
struct CollectiveSite {
  ir::Op op = ir::Op::kAllGather;  ///< or all_to_all, broadcast_from, group_rank
  int64_t size = 1;  ///< members of the group
  int64_t root = 0;  ///< broadcast_from
  int64_t bytes = 0;  ///< of what this member sends to one other
};

struct Program {
  std::string name;
  std::vector<Kernel> kernels;
  std::vector<ir::Literal> constants;
  std::vector<VariableSlot> variables;
  std::vector<EntryPoint> entries;
  std::vector<ObjectEntry> offered;  ///< of an object of a module with symbolic extents; else empty: ObjectEntries
  int64_t arena_bytes = 0;
  int64_t live_bytes = 0;  ///< largest sum of simultaneously live arena buffers
  int64_t instance_bytes = 0;  ///< header + variables + arena, a multiple of 64
  bool profile = false;  ///< entry points report to runtime/profile.h; kernels are the same
  std::vector<ValueCheck> checks;
  std::vector<CallbackSite> callbacks;  ///< objects have none
  std::vector<CollectiveSite> collectives;
};

/// Verified module without symbolic extents to program: inlines, simplifies, groups, schedules, plans buffers. Its
/// entry points are ir::EntryFunctions (init functions of variables are run here, by the reference rules, not
/// compiled).
absl::StatusOr<Program> BuildProgram(const ir::Module& module, const Target& target, const PlanOptions& options);

/// What an object of the program offers: Program::offered, or each of its entries.
std::vector<ObjectEntry> ObjectEntries(const Program& program);

/// Steps with those of branches and loops; counts up to `limit`.
int64_t CountSteps(const std::vector<Step>& steps, int64_t limit = INT64_MAX);

/// Kernels with their loop trees, slots, bytes and arena, as text.
std::string ToString(const Program& program);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_PROGRAM_H_
