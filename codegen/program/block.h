#ifndef REEL_CODEGEN_PROGRAM_BLOCK_H_
#define REEL_CODEGEN_PROGRAM_BLOCK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/cost/estimate.h"
#include "codegen/plan/normalize.h"
#include "codegen/program/phases.h"
#include "codegen/program/program.h"
#include "codegen/schedule/schedule.h"
#include "ir/graph.h"
#include "ir/hash_map.h"
#include "ir/key_hash.h"

// Functions scheduled but without buffers. A function that several control ops name is one block, placed once for
// each of them.

namespace reel::codegen {

struct Block;

/// What a block does at one point of its order.
struct BlockItem {
  enum class Kind : uint8_t { kKernel, kCopy, kIf, kWhile, kCall, kCheck, kCallback, kCollective, kWait };
  Kind kind = Kind::kKernel;
  int32_t kernel = -1;            ///< kKernel: index into Program::kernels
  /// kKernel: by buffer; kCopy: {to, from}; kWait: a collective's operand and result; else the operands, as whole
  /// buffers
  std::vector<ir::Value> values;
  std::vector<bool> writes;       ///< kKernel: by buffer
  ir::Value result;               ///< control: the first result
  int num_results = 0;
  /// kKernel: this value's bytes must be in the output before the kernel runs; it writes only some of them.
  ir::Value updated;
  int64_t maximum_iterations = -1;  ///< kCheck, kCallback, kCollective, kWait: index into a list of Program
  bool starts = false;              ///< kCollective: a kWait item of the same index ends it
  std::vector<bool> overwritten;  ///< kWhile: by operand: nothing reads what it is (passes/counted_loops.h)
  const Block* first = nullptr;   ///< then, condition, callee
  const Block* second = nullptr;  ///< else, body

  bool Writes(size_t i) const { return kind == Kind::kCopy ? i == 0 : !writes.empty() && writes[i]; }
  bool Overwrites(size_t i) const { return !overwritten.empty() && overwritten[i]; }
  /// visit(v) for the values whose contents it needs.
  template <typename Visit>
  void VisitReads(Visit visit) const {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!Writes(i) && !Overwrites(i)) visit(values[i]);
    }
    if (updated.valid()) visit(updated);
  }
  template <typename Visit>
  void VisitWrites(Visit visit) const {
    for (size_t i = 0; i < values.size(); ++i) {
      if (Writes(i)) visit(values[i]);
    }
    for (int k = 0; k < num_results; ++k) visit(ir::Value{result.id + k});
  }
};

/// Neighbouring kernels that go through a leading axis of their values together: chunk i of each reads of what the
/// others write nothing but what their chunks i wrote (chain.h).
struct Chain {
  int32_t first = 0, last = 0;  ///< items
  int64_t chunks = 1;           ///< of each of the kernels
  HashMap<int32_t, int64_t> slices;  ///< by value they walk: bytes of a chunk, of which the last has fewer
};

/// Neighbouring kernels of which none reads what another writes (beside.h).
struct Beside {
  int32_t first = 0, last = 0;  ///< items
  std::vector<double> cycles;   ///< by item: of all chunks, as estimated
};

struct Block {
  ir::Function f;
  std::vector<BlockItem> items;    ///< in the order of execution
  std::vector<Chain> chains;       ///< in this order, apart
  std::vector<int32_t> constants;  ///< by value: index into Program::constants, -1 = not a constant
  /// By value: the value whose memory it takes over for nothing if that is not read any more; invalid: none.
  std::vector<ir::Value> in_place;
  std::vector<int> source;  ///< by result: the parameter it is an in-place update of, -1: none
  int64_t size = 0;         ///< items, those of branches and bodies included
  int depth = 0;            ///< of control ops in control ops
  int32_t graph = -1;       ///< PlanRecord::graphs, if that is asked for
  std::vector<Beside> beside = {};  ///< in this order, apart from each other and from chains
};

/// Makes blocks; their kernels and constants go to the program.
class BlockBuilder {
 public:
  BlockBuilder(const ir::Module& module, const Target& target, const PlanOptions& options, Program* program)
      : module_(module), target_(target), options_(options), phases_(target, options), program_(program) {}

  /// The block of a function with those it names.
  absl::StatusOr<const Block*> Build(const std::string& function, Role role);

 private:
  using Key = std::pair<std::string, Role>;
  struct Pending;

  absl::StatusOr<std::unique_ptr<Block>> Prepare(const Key& key, std::vector<Key>* named);
  absl::StatusOr<std::unique_ptr<Block>> PrepareAs(const Key& key, bool fuse, std::vector<Key>* named);
  void WarnOfWrongPlan(const Key& key, const absl::Status& wrong) const;
  absl::StatusOr<Kernel> AddKernelItem(const PlanGraph& plan, int index, bool entry, Block* block);
  void AddControlItem(const PlanGraph& plan, const ir::Node& node, std::vector<Key>* named, Block* block);
  void AddCollectiveItem(const PlanGraph& plan, const ir::Node& node, Block* block);
  absl::Status AddCallbackItem(const PlanGraph& plan, const ir::Node& node, Block* block);
  void AddCheckItem(const PlanGraph& plan, const ir::Node& node, Block* block);
  absl::Status Finish(const std::vector<Key>& named, Block* block);
  void Record(const Key& key, const PlanGraph& plan, const std::vector<ir::Value>& origins, Block* block);
  void AddConstants(Block* block);
  int32_t AddConstant(const ir::Node& node);
  int32_t AddKernel(Kernel kernel);
  const KernelCycles& CyclesOf(int32_t kernel);
  ScheduledKernel Schedule(const PlanGraph& plan, int index, const ir::Function& f);

  const ir::Module& module_;
  const Target& target_;
  const PlanOptions& options_;
  PhaseRunner phases_;
  Program* program_;
  HashMap<Key, std::unique_ptr<Block>, ir::KeyHash> blocks_;
  HashMap<std::pair<const std::byte*, size_t>, int32_t, ir::KeyHash> constant_index_;  ///< by its bytes
  HashMap<std::string, int32_t, ir::KeyHash> kernel_index_;  ///< by KeyOf
  std::vector<std::optional<KernelCycles>> cycles_;  ///< by kernel: as estimated, once somebody has asked
  /// By the words of a kernel's signature: its kernel, with positions of values in the place of values.
  HashMap<std::vector<int64_t>, ScheduledKernel, ir::KeyHash> scheduled_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_BLOCK_H_
