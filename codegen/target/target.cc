#include "codegen/target/target.h"

#include <algorithm>
#include <iterator>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <unistd.h>
#endif
#endif

#include "codegen/target/cpuid.h"
#include "codegen/target/file.h"
#include "ir/file/reader.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "runtime/environment.h"

namespace reel::codegen {
namespace {

constexpr uint32_t Bits(std::initializer_list<int> bits) {
  uint32_t mask = 0;
  for (int bit : bits) mask |= uint32_t{1} << bit;
  return mask;
}

// The x86-64 psABI's levels. ecx of leaf 1: SSE3 0, SSSE3 9, FMA 12, CX16 13, SSE4.1 19, SSE4.2 20,
// MOVBE 22, POPCNT 23, OSXSAVE 27, AVX 28, F16C 29. ebx of leaf 7: BMI1 3, AVX2 5, BMI2 8, AVX512F
// 16, DQ 17, CD 28, BW 30, VL 31. ecx of leaf 0x80000001: LAHF 0, LZCNT 5. Beyond the levels, eax of leaf 7, 1:
// AVX512-BF16 5; edx of leaf 7: AMX-BF16 22, AMX-TILE 24.
constexpr CpuRegister kEax = CpuRegister::kEax, kEbx = CpuRegister::kEbx, kEcx = CpuRegister::kEcx,
                      kEdx = CpuRegister::kEdx;
constexpr uint32_t kV2Leaf1 = Bits({0, 9, 13, 19, 20, 23});
constexpr uint32_t kV3Leaf1 = kV2Leaf1 | Bits({12, 22, 27, 28, 29});
constexpr CpuCheck kV2[] = {{1, 0, kEcx, kV2Leaf1}, {0x80000001, 0, kEcx, Bits({0})}};
constexpr CpuCheck kV3[] = {{1, 0, kEcx, kV3Leaf1}, {7, 0, kEbx, Bits({3, 5, 8})}, {0x80000001, 0, kEcx, Bits({0, 5})}};
constexpr CpuCheck kV4[] = {
    {1, 0, kEcx, kV3Leaf1}, {7, 0, kEbx, Bits({3, 5, 8, 16, 17, 28, 30, 31})}, {0x80000001, 0, kEcx, Bits({0, 5})}};
constexpr CpuCheck kV4Bf16[] = {{1, 0, kEcx, kV3Leaf1},
                                {7, 0, kEbx, Bits({3, 5, 8, 16, 17, 28, 30, 31})},
                                {7, 1, kEax, Bits({5})},
                                {0x80000001, 0, kEcx, Bits({0, 5})}};
constexpr CpuCheck kV4Amx[] = {{1, 0, kEcx, kV3Leaf1},
                               {7, 0, kEbx, Bits({3, 5, 8, 16, 17, 28, 30, 31})},
                               {7, 0, kEdx, Bits({22, 24})},
                               {0x80000001, 0, kEcx, Bits({0, 5})}};
// XCR0: SSE 1, AVX 2, AVX-512 masks and registers 5-7, AMX's configuration and tiles 17, 18.
constexpr CpuNeeds kNeeds[] = {{"x86-64-v2", kV2, 0},
                               {"x86-64-v3", kV3, Bits({1, 2})},
                               {"x86-64-v4", kV4, Bits({1, 2, 5, 6, 7})},
                               {"x86-64-v4-bf16", kV4Bf16, Bits({1, 2, 5, 6, 7})},
                               {"x86-64-v4-amx-emulated", kV4, Bits({1, 2, 5, 6, 7})},
                               {"x86-64-v4-amx", kV4Amx, Bits({1, 2, 5, 6, 7, 17, 18}), true}};

// What a level can do, and what a platform's objects are.
enum Trait : uint32_t {
  kFma = 1,
  kF16c = 2,
  kMasks = 4,
  kScale = 8,
  kBf16 = 16,
  kPermute = 32,
  kRegisterCall = 64,
  kTiles = 128,
  kAmx = 256
};
enum PlatformTrait : uint32_t { kCpuid = 1, kDistances = 2, kIndependent = 4, kOwnMemory = 8 };

// CPUs that have a level whose own instructions are slower than the next lower one's. These
// CPUs, those with AMX-BF16, multiply bf16 in tiles, which add in another order than the rule, and vdpbf16ps at a
// fourth of the rate of f32's fma (measured on Emerald Rapids: 32 flop a cycle, 64 of f32).
constexpr CpuCheck kSlowBf16[] = {{7, 0, kEdx, Bits({22})}};
constexpr CpuNeeds kSlow[] = {{"x86-64-v4-bf16", kSlowBf16, 0}};

// CPUs whose AVX-512 registers go through ports of half their width, in two steps. AMD's Processor Programming
// Reference (57896), 8000_001A: eax has the width of the data path, 256 bits (bit 2) or 512 (bit 3).
constexpr CpuCheck kPath256[] = {{0x8000001A, 0, CpuRegister::kEax, Bits({2})}};
constexpr CpuCheck kPath512[] = {{0x8000001A, 0, CpuRegister::kEax, Bits({3})}};

struct Level {
  std::string_view name, arch, cpu, features;
  int vector_bits, vector_registers;
  uint32_t traits;
};
constexpr Level kLevels[] = {
#define REEL_LEVEL(...) {__VA_ARGS__},
#include "codegen/target/levels.def"
};

struct PlatformRow {
  std::string_view arch, os, triple, cpu, features;
  int pointer_bytes, register_words;
  uint32_t traits;
};
constexpr PlatformRow kPlatforms[] = {
#define REEL_PLATFORM(...) {__VA_ARGS__},
#include "codegen/target/levels.def"
};

const Level* LevelOf(std::string_view name) {
  const auto row = std::find_if(std::begin(kLevels), std::end(kLevels), [&](const Level& l) { return l.name == name; });
  return row == std::end(kLevels) ? nullptr : row;
}

Platform MakePlatform(const PlatformRow& row) {
  const auto has = [&](uint32_t trait) { return (row.traits & trait) != 0; };
  return {std::string(row.os), std::string(row.triple), std::string(row.cpu), std::string(row.features),
          row.pointer_bytes,   row.register_words,      has(kCpuid),          has(kDistances),
          has(kOwnMemory),     has(kIndependent)};
}

// Tiles have to be asked for, which objects can do on Linux alone.
bool MayUse(const PlatformRow& platform, const Level& level) {
  return (level.traits & kAmx) == 0 || platform.os == "linux";
}

// The target's platform for a system, "" the default of its architecture.
absl::Status SetPlatform(std::string_view os, Target* t) {
  const std::string_view arch = LevelOf(t->level)->arch;
  for (const PlatformRow& row : kPlatforms) {
    if (row.arch != arch || (!os.empty() && row.os != os) || !MayUse(row, *LevelOf(t->level))) continue;
    t->platform = MakePlatform(row);
    return absl::OkStatus();
  }
  std::string known;
  for (std::string_view name : SystemsOf(t->level)) StrAppend(&known, known.empty() ? "" : ", ", name);
  return absl::InvalidArgumentError(
      StrCat("no objects of ", t->level, " for \"", ir::Printable(os), "\"; the operating system is one of: ", known));
}

Target MakeTarget(const Level& level) {
  const auto has = [&](uint32_t trait) { return (level.traits & trait) != 0; };
  Target t;
  t.name = t.level = level.name;
  t.cpu = level.cpu;
  t.features = level.features;
  t.vector_bits = level.vector_bits;
  t.vector_registers = level.vector_registers;
  t.has_fma = has(kFma);
  t.has_f16c = has(kF16c);
  t.has_masks = has(kMasks);
  t.has_scale = has(kScale);
  t.has_bf16 = has(kBf16);
  t.tile_products = has(kTiles);
  t.has_amx = has(kAmx);
  t.has_permute = has(kPermute);
  t.has_register_call = has(kRegisterCall);
  (void)SetPlatform("", &t);  // each architecture has one
  return t;
}

struct CpuClass {
  std::string_view name, level;
  int64_t l1_bytes, l2_bytes, l3_bytes, fma_ports, fma_latency, issue, window, l2_rate, l3_rate, memory_rate;
};
constexpr CpuClass kClasses[] = {
#define REEL_CPU_CLASS(...) {__VA_ARGS__},
#include "codegen/target/classes.def"
#undef REEL_CPU_CLASS
};

constexpr std::string_view kHalfPorts = "zen4";  // the class of those whose ports have half a register's width

// Of whole registers.
void HalvePorts(Machine* m) {
  m->fma_ports = m->load_ports = 1;
  m->store_cycles = 2;
}

Target MakeTarget(const CpuClass& cpu) {
  Target t = MakeTarget(*LevelOf(cpu.level));
  t.name = cpu.name;
  t.machine.l1_bytes = cpu.l1_bytes;
  t.machine.l2_bytes = cpu.l2_bytes;
  t.machine.l3_bytes = cpu.l3_bytes;
  t.machine.fma_ports = cpu.fma_ports;
  t.machine.fma_latency = cpu.fma_latency;
  t.machine.issue = cpu.issue;
  t.machine.window = cpu.window;
  t.machine.l2_rate = cpu.l2_rate;
  t.machine.l3_rate = cpu.l3_rate;
  t.machine.memory_rate = cpu.memory_rate;
  if (cpu.name == kHalfPorts) HalvePorts(&t.machine);
  return t;
}

#if defined(__x86_64__)
bool HasBits(const CpuCheck& check) {
  unsigned r[4] = {0, 0, 0, 0};
  if (__get_cpuid_count(check.leaf, check.subleaf, &r[0], &r[1], &r[2], &r[3]) == 0) return false;
  return (r[static_cast<size_t>(check.reg)] & check.mask) == check.mask;
}

uint32_t ReadXcr0() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool MayUseTiles() {
#if defined(__linux__)
  return ::syscall(TileRequest::kArchPrctl, TileRequest::kRequest, TileRequest::kTileData) == 0;
#else
  return false;
#endif
}

bool HostHas(const CpuNeeds& needs) {
  if (!std::all_of(needs.checks.begin(), needs.checks.end(), HasBits)) return false;
  if (needs.xcr0 != 0 && (ReadXcr0() & needs.xcr0) != needs.xcr0) return false;
  return !needs.tiles || MayUseTiles();
}
#else
bool HostHas(const CpuNeeds&) { return false; }
#endif

bool HasHalfPorts() { return HostHas({"", kPath256, 0}) && !HostHas({"", kPath512, 0}); }

absl::StatusOr<Target> FindHost(std::string_view level) {
  auto target = FindLevel(level);
  constexpr int kWide = 512;
  if (target.ok() && target->vector_bits == kWide && HasHalfPorts()) {
    HalvePorts(&target->machine);
    for (const CpuClass& known : kClasses) {
      if (known.name != kHalfPorts) continue;
      target->machine.l3_rate = known.l3_rate;
      target->machine.memory_rate = known.memory_rate;
    }
  }
  return target;
}

// The best level that this CPU has, but those that are slow on it or have bits of their own; empty: it is older than
// all.
std::string_view BestLevel() {
  for (auto needs = std::rbegin(kNeeds); needs != std::rend(kNeeds); ++needs) {
    const bool slow = std::any_of(std::begin(kSlow), std::end(kSlow),
                                  [&](const CpuNeeds& s) { return s.name == needs->name && HostHas(s); });
    const bool own_bits = (LevelOf(needs->name)->traits & kTiles) != 0;
    if (!own_bits && !slow && HostHas(*needs)) return needs->name;
  }
  return {};
}

}  // namespace

const CpuNeeds* NeedsOf(std::string_view name) {
  for (const CpuNeeds& needs : kNeeds) {
    if (needs.name == name) return &needs;
  }
  return nullptr;
}

bool HostSupports(std::string_view name) {
  const CpuNeeds* needs = NeedsOf(name);
  return needs != nullptr && HostHas(*needs);
}

absl::StatusOr<Target> FindLevel(std::string_view name) {
  if (const Level* level = LevelOf(name)) return MakeTarget(*level);
  std::string known;
  for (std::string_view level : TargetNames()) StrAppend(&known, known.empty() ? "" : ", ", level);
  return absl::InvalidArgumentError(StrCat("unknown level \"", ir::Printable(name), "\"; use one of: ", known));
}

namespace {

absl::StatusOr<Target> FindCpu(std::string_view cpu) {
  if (cpu == "native") {
    const std::string& given = runtime::GetEnvironment().cpu;
    if (!given.empty() && given != cpu) return FindCpu(given);
    if (const std::string_view level = BestLevel(); !level.empty()) return FindHost(level);
    return absl::FailedPreconditionError("this CPU is older than x86-64-v2, the lowest level Reel compiles for");
  }
  if (auto level = FindLevel(cpu); level.ok()) return level;
  if (auto level = FindLevel(StrCat("x86-64-", cpu)); level.ok()) return level;  // "v3"
  for (const CpuClass& known : kClasses) {
    if (known.name == cpu) return MakeTarget(known);
  }
  if (cpu.ends_with(kTargetSuffix)) {
    const auto text = ir::ReadFile(std::string(cpu), {});
    return text.ok() ? ParseTarget(*text, cpu) : text.status();
  }
  std::string known = "native";
  for (std::string_view name : TargetNames()) StrAppend(&known, ", ", name);
  for (std::string_view name : ClassNames()) StrAppend(&known, ", ", name);
  return absl::InvalidArgumentError(StrCat("unknown CPU \"", ir::Printable(cpu), "\"; use one of: ", known,
                                           ", or a file that ends in ", kTargetSuffix));
}

}  // namespace

absl::StatusOr<Target> FindTarget(std::string_view cpu, std::string_view os) {
  absl::StatusOr<Target> target = FindCpu(cpu);
  if (!target.ok()) return target;
  if (absl::Status s = SetPlatform(os, &*target); !s.ok()) return s;
  return target;
}

namespace {

// One of the names of an object that chooses.
absl::StatusOr<Target> FindChoice(std::string_view name, std::string_view os) {
  auto target = FindTarget(name, os);
  if (target.ok() && !target->platform.has_cpuid) {
    return absl::InvalidArgumentError(StrCat("an object for several levels asks the CPU which it has, and ",
                                             target->level, " has no instruction for that; name one level"));
  }
  return target;
}

}  // namespace

absl::StatusOr<std::vector<Target>> FindTargets(std::string_view cpu, std::string_view os) {
  std::vector<Target> targets;
  const bool several = cpu.find(',') != cpu.npos && !cpu.ends_with(kTargetSuffix);
  for (size_t from = 0; from <= cpu.size();) {
    const size_t to = several ? std::min(cpu.find(',', from), cpu.size()) : cpu.size();
    const std::string_view name = cpu.substr(from, to - from);
    auto target = several ? FindChoice(name, os) : FindTarget(name, os);
    if (!target.ok()) return target.status();
    targets.push_back(*std::move(target));
    from = to + 1;
  }
  std::sort(targets.begin(), targets.end(),
            [](const Target& a, const Target& b) { return LevelOf(a.level) < LevelOf(b.level); });
  for (size_t i = 1; i < targets.size(); ++i) {
    if (targets[i].level != targets[i - 1].level) continue;
    return absl::InvalidArgumentError(StrCat("CPUs ", targets[i - 1].name, " and ", targets[i].name, " are both ",
                                             targets[i].level, ": an object cannot choose between them; name one"));
  }
  return targets;
}

std::vector<std::string_view> TargetNames() {
  std::vector<std::string_view> names;
  for (const Level& level : kLevels) names.push_back(level.name);
  return names;
}

std::vector<std::string_view> SystemsOf(std::string_view level) {
  std::vector<std::string_view> names;
  for (const PlatformRow& row : kPlatforms) {
    if (row.arch == LevelOf(level)->arch && MayUse(row, *LevelOf(level))) names.push_back(row.os);
  }
  return names;
}

std::vector<std::string_view> ClassNames() {
  std::vector<std::string_view> names;
  for (const CpuClass& known : kClasses) names.push_back(known.name);
  return names;
}

}  // namespace reel::codegen
