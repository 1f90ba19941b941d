// Random graphs, planned by random thresholds for a machine with tiny caches, with random schedules, some phases left
// out: what a large shape reaches, a small one does, too. Whatever is chosen, the bits are those of level 0, and a book
// of the schedules gives the same kernels again. REEL_TUNING_SEEDS=1000:1200 runs these seeds instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <set>

#include "codegen/jit/jit.h"
#include "codegen/loop/key.h"
#include "codegen/plan/verify.h"
#include "codegen/program/phases.h"
#include "codegen/schedule/book.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/file.h"
#include "ir/verifier.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/thread_pool.h"
#include "tests/codegen/random_groups.h"
#include "tests/ops/random_graph.h"

namespace reel::codegen {
namespace {

using Random = std::mt19937;

// What every eighth threshold is: none, everything, or something between.
int64_t Draw(int64_t usual, int64_t least, int64_t most, Random* random) {
  switch ((*random)() % 8) {
    case 0: return least;
    case 1: return most;
    case 2:
    case 3: {  // small ones are reached by small graphs
      const uint64_t bits = std::bit_width(static_cast<uint64_t>(std::min<int64_t>(most - least, 256)));
      return std::min(most, least + static_cast<int64_t>((*random)() % (uint64_t{1} << (*random)() % (bits + 1))));
    }
    case 4: return std::clamp(usual / 8, least, most);
    default: return usual;
  }
}

Target RandomTarget(uint32_t seed) {
  Random random(seed);
  std::vector<std::string_view> levels;
  for (std::string_view name : TargetNames()) {
    if (HostSupports(name)) levels.push_back(name);
  }
  Target target = *FindTarget(levels[random() % levels.size()]);
  target.name = StrCat("fuzz-", seed);
  const bool has_fma = FindTarget("native")->has_fma;
  if (target.has_fma != has_fma) target = *FindTarget("native");  // bits are those of one FMA class
  if (seed % 4 != 0)
    target.machine.l1_bytes = 512, target.machine.l2_bytes = 4 << 10, target.machine.l3_bytes = 32 << 10;
  for (const auto& row : TuningTable()) target.tuning.*row.field = Draw(row.value, row.least, row.most, &random);
  return target;
}

struct Graph {
  ir::Module module;
  std::vector<ir::Literal> inputs;
};

ir::Literal RandomLiteral(const Type& type, Random* random) {
  std::vector<float> values(static_cast<size_t>(type.shape.size()));  // RandomGroups has no other type
  for (float& x : values) x = static_cast<float>((*random)() % 2001) / 1000 - 1;
  return ir::Literal::From<float>(type.shape, values);
}

Graph RandomModule(uint32_t seed) {
  if (seed % 3 == 0) {
    optable::RandomGraph g = optable::MakeRandomGraph(seed);
    return {std::move(g.module), std::move(g.inputs)};
  }
  Random random(seed);
  constexpr std::pair<int64_t, int64_t> kSizes[] = {{17, 17}, {5, 7}, {33, 40}, {130, 24}, {64, 64}, {300, 9}};
  const auto [rows, width] = kSizes[random() % std::size(kSizes)];
  Graph out{RandomGroups(seed, rows, width, 4 + static_cast<int>(random() % 16), random() % 3 != 0).module(), {}};
  const ir::Function& main = *out.module.FindFunction("main");
  for (int i = 0; i < main.num_arguments(); ++i) out.inputs.push_back(RandomLiteral(main.parameter(i).type, &random));
  return out;
}

// Half of the choices are other than usual: one worth trying, or any legal one.
Choices::Decide RandomChoices(uint32_t seed) {
  return [random = std::make_shared<Random>(seed)](std::string_view, const Choice& choice) -> int64_t {
    const auto draw = static_cast<uint32_t>((*random)());
    if (draw % 4 == 0 && !choice.others.empty()) return choice.others[draw / 4 % choice.others.size()];
    if (draw % 4 == 1) return choice.least + static_cast<int64_t>(draw / 4) % (choice.most - choice.least + 1);
    return choice.value;
  };
}

// One phase in sixteen is left out.
PhaseSwitches RandomSwitches(uint32_t seed) {
  Random random(seed + 1);
  PhaseSwitches switches;
  for (const PlanPhase& phase : PlanPhases()) {
    if (random() % 16 == 0) switches.disable.emplace_back(phase.name);
  }
  if (random() % 16 == 0) switches.disable.emplace_back(kTileFusion);
  return switches;
}

absl::StatusOr<Program> Plan(const Graph& graph, const Target& target, uint32_t seed, bool fuse_tiles = true) {
  PlanOptions plan{.list_schedules = true, .decide = RandomChoices(seed)};
  plan.phases = RandomSwitches(seed);
  if (!fuse_tiles) plan.phases.disable.emplace_back(kTileFusion);
  return BuildProgram(graph.module, target, plan);
}

absl::StatusOr<std::vector<std::vector<std::byte>>> Run(const Graph& graph, Program program, const Target& target,
                                                        int level, bool threads) {
  auto code = JitCompile(std::move(program), target, {.opt_level = level});
  if (!code.ok()) return code.status();
  const EntryPoint& entry = (*code)->program().entries[0];
  const auto bytes = static_cast<size_t>((*code)->program().instance_bytes);
  const auto instance = runtime::Buffer::Allocate(bytes);
  std::memset(instance.data(), 0xAB, bytes);  // what the arena held before must not matter
  auto* header = new (instance.data()) reel_instance{};
  header->magic = REEL_INSTANCE_MAGIC;
  if (threads) header->parallel_for = reel_gang_parallel_for;
  std::vector<const void*> in;
  for (const ir::Literal& l : graph.inputs) in.push_back(l.bytes().data());
  std::vector<std::vector<std::byte>> results;
  std::vector<void*> out;
  for (const ir::Parameter& p : entry.results) {
    results.emplace_back(static_cast<size_t>(p.type.bytes()), std::byte{0xCD});
    out.push_back(results.back().data());
  }
  const int32_t status = (*code)->entry(0)(instance.data(), in.data(), out.data());
  if (status != REEL_OK) return absl::InternalError(reel_status_message(status));
  return results;
}

// What the schedules' lines say makes the same kernels; without tile fusion, which makes them depend on each other.
void ExpectSameFromBook(const Graph& graph, const Target& target, uint32_t seed) {
  const auto planned = Plan(graph, target, seed, /*fuse_tiles=*/false);
  ASSERT_TRUE(planned.ok()) << planned.status();
  const Program& program = *planned;
  ScheduleBook book;
  for (const Kernel& kernel : program.kernels) {
    if (kernel.schedule.empty()) continue;
    auto wish = ParseWish(kernel.schedule);
    ASSERT_TRUE(wish.ok()) << wish.status();
    // Kernels that differ in a large constant alone are one for a book, but were given choices of their own here.
    if (const Wish* known = book.Find(target.name, kernel.problem); known != nullptr && *known != *wish) return;
    book.Set(target.name, kernel.problem, *std::move(wish), kernel.name);
  }
  const ScheduleBook read = ScheduleBook::Parse(book.Print(), "book");
  ASSERT_EQ(read.Print(), book.Print()) << read.problem();
  PlanOptions plan{.schedules = &read};
  plan.phases = RandomSwitches(seed);
  plan.phases.disable.emplace_back(kTileFusion);
  const auto again = BuildProgram(graph.module, target, plan);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(read.refused(), 0) << "seed " << seed;
  // Not the other way round: a kernel that became equal to another one was not seen.
  std::set<std::string> made;
  for (const Kernel& kernel : again->kernels) made.insert(KeyOf(kernel));
  for (const Kernel& kernel : program.kernels) {
    EXPECT_TRUE(made.contains(KeyOf(kernel))) << "seed " << seed << ": " << kernel.schedule << "\n" << book.Print();
  }
}

void Check(uint32_t seed) {
  const Graph graph = RandomModule(seed);
  ASSERT_TRUE(ir::Verify(graph.module).ok()) << "seed " << seed;
  const Target target = RandomTarget(seed);
  auto unfused = BuildProgram(graph.module, target, {.fuse = false, .vectorize = false});
  auto program = Plan(graph, target, seed);
  ASSERT_TRUE(unfused.ok()) << "seed " << seed << ": " << unfused.status();
  ASSERT_TRUE(program.ok()) << "seed " << seed << ": " << program.status() << "\n" << PrintTarget(target);
  ExpectSameFromBook(graph, target, seed);
  const auto plain = Run(graph, *std::move(unfused), target, 0, false);
  const auto tuned = Run(graph, *std::move(program), target, 2, seed % 2 == 0);
  ASSERT_TRUE(plain.ok()) << "seed " << seed << ": " << plain.status();
  ASSERT_TRUE(tuned.ok()) << "seed " << seed << ": " << tuned.status() << "\n" << PrintTarget(target);
  ASSERT_EQ(plain->size(), tuned->size());
  for (size_t i = 0; i < plain->size(); ++i) {
    EXPECT_TRUE((*plain)[i] == (*tuned)[i]) << "seed " << seed << ", result " << i << "\n" << PrintTarget(target);
  }
}

TEST(TuningFuzz, NoThresholdChangesABit) {
  GetPlanChecks() = {.strict = true, .after_phase = {}};
  uint32_t first = 0, last = 160;
  if (const char* seeds = std::getenv("REEL_TUNING_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%u:%u", &first, &last), 2);
  }
  int findings = 0;
  for (uint32_t seed = first; seed < last && findings < 10; ++seed) {
    const bool failed = HasFailure();
    Check(seed);
    findings += !failed && HasFailure();
  }
  GetPlanChecks() = {};
}

}  // namespace
}  // namespace reel::codegen
