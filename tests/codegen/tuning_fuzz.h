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
#include "codegen/plan/text.h"
#include "codegen/plan/verify.h"
#include "codegen/program/phases.h"
#include "codegen/schedule/book.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/file.h"
#include "ir/calls.h"
#include "ir/verifier.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/thread_pool.h"
#include "tests/codegen/graph_variants.h"
#include "tests/codegen/random_arrays.h"
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

/// Of a seed and a name, so that a row that is added moves no other's draws.
inline Random RandomOf(uint32_t seed, std::string_view name) {
  std::vector<uint32_t> words(name.begin(), name.end());
  words.push_back(seed);
  std::seed_seq sequence(words.begin(), words.end());
  return Random(sequence);
}

/// Of a level that this machine runs, or of this one.
inline Target RandomTarget(uint32_t seed, std::string_view level = "") {
  Random random(seed);
  std::vector<std::string_view> levels;
  for (std::string_view name : TargetNames()) {
    if (level.empty() && FindTarget(name)->tile_products) continue;  // whose products of bf16 have bits of their own
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
    Random own = RandomOf(seed, name);
    const int64_t few = std::min<int64_t>(row.most, row.least + own() % 3);
    const int64_t drawn = Draw(row.value, row.least, row.most, &own);
    target.tuning.*row.field = !small || !is_least ? drawn : no_rows && name.substr(0, 3) == "row" ? row.most : few;
  }
  return target;
}

inline ir::Literal RandomLiteral(const Type& type, Random* random) {
  std::vector<float> values(static_cast<size_t>(type.shape.size()));  // RandomGroups has no other type
  for (float& x : values) x = static_cast<float>((*random)() % 2001) / 1000 - 1;
  return ir::Literal::From<float>(type.shape, values);
}

inline void AddInputs(Graph* graph, Random* random) {
  const ir::Function& main = *graph->module.FindFunction("main");
  for (int i = 0; i < main.num_arguments(); ++i) graph->inputs.push_back(RandomLiteral(main.parameter(i).type, random));
}

enum class Generator : uint8_t { kOps, kGroups, kLayers, kConvolutions, kArrays };
inline Generator GeneratorOf(uint32_t seed) {
  if (seed % 5 == 4) return Generator::kArrays;
  if (seed % 6 == 3) return Generator::kConvolutions;
  return seed % 3 == 0 ? Generator::kOps : seed % 3 == 1 ? Generator::kLayers : Generator::kGroups;
}

inline Graph WithInputs(const ir::Module& module, Random* random) {
  Graph graph{module, {}};
  ir::KeepReached(&graph.module, {graph.module.FindFunction("main")});  // nothing but @main is an entry point
  AddInputs(&graph, random);
  return graph;
}

// What one of the generators draws.
inline Graph DrawnModule(uint32_t seed) {
  Random random(seed);
  switch (GeneratorOf(seed)) {
    case Generator::kArrays: return WithInputs(RandomArrays(seed).module(), &random);
    case Generator::kConvolutions: return WithInputs(RandomConvolutions(seed).module(), &random);
    case Generator::kLayers: return WithInputs(RandomLayers(seed).module(), &random);
    case Generator::kOps: {
      optable::RandomGraph g = optable::MakeRandomGraph(seed);
      return {std::move(g.module), std::move(g.inputs)};
    }
    default: break;
  }
  constexpr std::pair<int64_t, int64_t> kSizes[] = {{17, 17}, {5, 7},   {33, 40},   {130, 24},
                                                    {64, 64}, {300, 9}, {140, 270}, {90, 16}};
  const auto [rows, width] = kSizes[random() % std::size(kSizes)];
  const int ops = 4 + static_cast<int>(random() % 16);
  const bool gradient = random() % 3 != 0;
  return WithInputs(RandomGroups(seed, rows, width, ops, gradient).module(), &random);
}

// Half of them as they are drawn; the others in another dtype, in a loop, with variables, or over their arguments.
inline Graph RandomModule(uint32_t seed) {
  Graph graph = DrawnModule(seed);
  Random random(seed + 2);
  if (random() % 2 == 0) return graph;
  const Generator generator = GeneratorOf(seed);
  const bool all_f32 = generator != Generator::kOps && generator != Generator::kArrays;
  constexpr DType kNarrow[] = {kBFloat16, kBFloat16, kFloat16}, kOthers[] = {kBFloat16, kFloat16, kFloat64};
  const auto kind = random() % 4;
  const DType narrow = kNarrow[random() % std::size(kNarrow)], other = kOthers[random() % std::size(kOthers)];
  if (all_f32 && kind == 0) graph = WithDType(graph, other);
  if (all_f32 && kind == 1) graph = WithNarrowInputs(graph, narrow);
  if (generator != Generator::kOps && random() % 3 == 0) graph = InLoop(graph);  // its arguments may be indices
  if (random() % 2 == 0) return WithState(graph);
  if (random() % 2 == 0) graph.in_place = InPlaceOf(PairsOf(graph.module));
  return graph;
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
  if (random() % 16 == 0) switches.disable.emplace_back(kHorizontalFusion);
  return switches;
}

// What a plan's text says is the plan.
inline void ExpectPlanFromText(std::string_view phase, const ir::Function& f, const PlanGraph& plan) {
  const std::string text = Print(f, plan);
  const auto parsed = ParsePlan(text);
  EXPECT_TRUE(parsed.ok() && *parsed == plan) << phase << "\n" << parsed.status() << "\n" << text;
}

inline PlanOptions RandomPlanOptions(const Graph& graph, uint32_t seed, bool fuse_tiles) {
  PlanOptions options{.list_schedules = true, .phases = RandomSwitches(seed), .in_place = graph.in_place};
  if (!fuse_tiles) options.phases.disable.emplace_back(kTileFusion);
  return options;
}

inline absl::StatusOr<Program> Plan(const Graph& graph, const Target& target, uint32_t seed, bool fuse_tiles = true) {
  PlanOptions options = RandomPlanOptions(graph, seed, fuse_tiles);
  options.decide = RandomChoices(seed);
  if (seed % 8 == 0) options.phases.after = ExpectPlanFromText;
  return BuildProgram(graph.module, target, options);
}

// Which NaN a NaN is, nobody says.
template <typename Bits>
void EraseNans(Bits infinity, std::vector<std::byte>* bytes) {
  std::vector<Bits> all(bytes->size() / sizeof(Bits));
  std::memcpy(all.data(), bytes->data(), bytes->size());
  const auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  for (Bits& x : all) {
    if ((x & ~sign) > infinity) x = static_cast<Bits>(~Bits{0});
  }
  std::memcpy(bytes->data(), all.data(), bytes->size());
}
inline void EraseNans(DType dtype, std::vector<std::byte>* bytes) {
  switch (dtype) {
    case kFloat16: return EraseNans<uint16_t>(0x7c00, bytes);
    case kBFloat16: return EraseNans<uint16_t>(0x7f80, bytes);
    case kFloat32:
    case kComplex64: return EraseNans<uint32_t>(0x7f800000, bytes);
    case kFloat64:
    case kComplex128: return EraseNans<uint64_t>(0x7ff0000000000000, bytes);
    default: return;
  }
}

// A program in memory of its own.
class Instance {
 public:
  Instance(const CompiledModule& code, bool threads) : code_(code) {
    const auto bytes = static_cast<size_t>(code.program().instance_bytes);
    memory_ = runtime::Buffer::Allocate(bytes);
    std::memset(memory_.data(), 0xAB, bytes);  // what the arena held before must not matter
    auto* header = new (memory_.data()) reel_instance{};
    header->magic = REEL_INSTANCE_MAGIC;
    if (threads) header->parallel_for = reel_gang_parallel_for;
    for (const VariableSlot& v : code.program().variables) {
      std::memcpy(At(v), v.initial.bytes().data(), v.initial.bytes().size());
    }
  }

  /// Calls @main, and adds its results to those that are there.
  absl::Status Run(const std::vector<ir::Literal>& inputs, std::vector<std::vector<std::byte>>* results) {
    const EntryPoint& entry = code_.program().entries[0];
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const ir::Literal& l : inputs) in.push_back(l.bytes().data());
    const size_t first = results->size();
    for (const ir::Parameter& p : entry.results) {
      results->emplace_back(static_cast<size_t>(p.type.bytes()), std::byte{0xCD});
      out.push_back(results->back().data());
    }
    for (const InPlace& pair : entry.in_place) {
      const auto old = inputs[static_cast<size_t>(pair.parameter)].bytes();
      std::memcpy(out[static_cast<size_t>(pair.result)], old.data(), old.size());
      in[static_cast<size_t>(pair.parameter)] = nullptr;  // nobody looks there
    }
    const int32_t status = code_.entry(0)(memory_.data(), in.data(), out.data());
    if (status != REEL_OK) return absl::InternalError(reel_status_message(status));
    for (size_t i = 0; i < entry.results.size(); ++i) EraseNans(entry.results[i].type.dtype, &(*results)[first + i]);
    return absl::OkStatus();
  }

  /// Adds the variables' values.
  void Read(std::vector<std::vector<std::byte>>* results) {
    for (const VariableSlot& v : code_.program().variables) {
      results->emplace_back(At(v), At(v) + v.type.bytes());
      EraseNans(v.type.dtype, &results->back());
    }
  }

 private:
  std::byte* At(const VariableSlot& v) { return static_cast<std::byte*>(memory_.data()) + v.offset; }

  const CompiledModule& code_;
  runtime::Buffer memory_;
};

// Its results; with variables those of two calls, and their values.
inline absl::StatusOr<std::vector<std::vector<std::byte>>> Run(const Graph& graph, Program program,
                                                               const Target& target, int level, bool threads) {
  if (program.entries.size() != 1) return absl::InternalError("several entry points");
  auto code = JitCompile(std::move(program), target, {.opt_level = level});
  if (!code.ok()) return code.status();
  Instance instance(**code, threads);
  std::vector<std::vector<std::byte>> results;
  for (int call = (*code)->program().variables.empty() ? 1 : 0; call < 2; ++call) {
    if (absl::Status s = instance.Run(graph.inputs, &results); !s.ok()) return s;
  }
  instance.Read(&results);
  return results;
}

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_TUNING_FUZZ_H_
