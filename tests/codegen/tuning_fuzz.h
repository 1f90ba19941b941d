#ifndef REEL_TESTS_CODEGEN_TUNING_FUZZ_H_
#define REEL_TESTS_CODEGEN_TUNING_FUZZ_H_

// Random graphs, targets, choices and phases left out: what fuzzers of planning and scheduling draw.

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
#include "tests/codegen/random_convolutions.h"
#include "tests/codegen/random_groups.h"
#include "tests/codegen/random_layers.h"
#include "tests/ops/random_graph.h"

namespace reel::codegen {

using Random = std::mt19937;

// What every eighth threshold is: none, everything, or something between.
inline int64_t Draw(int64_t usual, int64_t least, int64_t most, Random* random) {
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

/// Of a level that this machine runs, or of this one.
inline Target RandomTarget(uint32_t seed, std::string_view level = "") {
  Random random(seed);
  std::vector<std::string_view> levels;
  for (std::string_view name : TargetNames()) {
    if (level.empty() ? HostSupports(name) : name == level) levels.push_back(name);
  }
  Target target = *FindTarget(levels[random() % levels.size()]);
  target.name = StrCat("fuzz-", seed);
  const bool has_fma = FindTarget("native")->has_fma;
  if (level.empty() && target.has_fma != has_fma) target = *FindTarget("native");  // bits are those of one FMA class
  if (seed % 4 != 0)
    target.machine.l1_bytes = 512, target.machine.l2_bytes = 4 << 10, target.machine.l3_bytes = 32 << 10;
  // Half of the time all that takes many rows or elements takes few, so that several such conditions meet; then half of
  // the time row fusion, which comes first, takes nothing.
  const bool small = seed % 4 < 2 || seed % 3 == 1, no_rows = seed % 8 < 4;
  for (const auto& row : TuningTable()) {
    const std::string_view name = row.name;
    const bool is_least =
        name.find("_min_") != std::string_view::npos && name != "two_stage_min_width";  // an upper bound, too
    const int64_t few = std::min<int64_t>(row.most, row.least + random() % 3);
    const int64_t drawn = Draw(row.value, row.least, row.most, &random);
    target.tuning.*row.field = !small || !is_least ? drawn : no_rows && name.substr(0, 3) == "row" ? row.most : few;
  }
  return target;
}

struct Graph {
  ir::Module module;
  std::vector<ir::Literal> inputs;
};

inline ir::Literal RandomLiteral(const Type& type, Random* random) {
  std::vector<float> values(static_cast<size_t>(type.shape.size()));  // RandomGroups has no other type
  for (float& x : values) x = static_cast<float>((*random)() % 2001) / 1000 - 1;
  return ir::Literal::From<float>(type.shape, values);
}

inline void AddInputs(Graph* graph, Random* random) {
  const ir::Function& main = *graph->module.FindFunction("main");
  for (int i = 0; i < main.num_arguments(); ++i) graph->inputs.push_back(RandomLiteral(main.parameter(i).type, random));
}

inline Graph RandomModule(uint32_t seed) {
  Random random(seed);
  if (seed % 6 == 3) {
    Graph convolutions{RandomConvolutions(seed).module(), {}};
    AddInputs(&convolutions, &random);
    return convolutions;
  }
  if (seed % 3 == 0) {
    optable::RandomGraph g = optable::MakeRandomGraph(seed);
    return {std::move(g.module), std::move(g.inputs)};
  }
  if (seed % 3 == 1) {
    Graph layers{RandomLayers(seed).module(), {}};
    AddInputs(&layers, &random);
    return layers;
  }
  constexpr std::pair<int64_t, int64_t> kSizes[] = {{17, 17}, {5, 7},   {33, 40},   {130, 24},
                                                    {64, 64}, {300, 9}, {140, 270}, {90, 16}};
  const auto [rows, width] = kSizes[random() % std::size(kSizes)];
  Graph out{RandomGroups(seed, rows, width, 4 + static_cast<int>(random() % 16), random() % 3 != 0).module(), {}};
  AddInputs(&out, &random);
  return out;
}

// Half of the choices are other than usual: one worth trying, or any legal one.
inline Choices::Decide RandomChoices(uint32_t seed) {
  return [random = std::make_shared<Random>(seed)](std::string_view, const Choice& choice) -> int64_t {
    const auto draw = static_cast<uint32_t>((*random)());
    if (draw % 4 == 0 && !choice.others.empty()) return choice.others[draw / 4 % choice.others.size()];
    if (draw % 4 == 1) return choice.least + static_cast<int64_t>(draw / 4) % (choice.most - choice.least + 1);
    return choice.value;
  };
}

// One phase in sixteen is left out.
inline PhaseSwitches RandomSwitches(uint32_t seed) {
  Random random(seed + 1);
  PhaseSwitches switches;
  for (const PlanPhase& phase : PlanPhases()) {
    if (random() % 16 == 0) switches.disable.emplace_back(phase.name);
  }
  if (random() % 16 == 0) switches.disable.emplace_back(kTileFusion);
  return switches;
}

inline absl::StatusOr<Program> Plan(const Graph& graph, const Target& target, uint32_t seed, bool fuse_tiles = true) {
  PlanOptions plan{.list_schedules = true, .decide = RandomChoices(seed)};
  plan.phases = RandomSwitches(seed);
  if (!fuse_tiles) plan.phases.disable.emplace_back(kTileFusion);
  return BuildProgram(graph.module, target, plan);
}

inline absl::StatusOr<std::vector<std::vector<std::byte>>> Run(const Graph& graph, Program program,
                                                               const Target& target, int level, bool threads) {
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

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_TUNING_FUZZ_H_
