#ifndef REEL_CODEGEN_TARGET_TARGET_H_
#define REEL_CODEGEN_TARGET_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/target/tuning.h"

namespace reel::codegen {

/// What objects are for an architecture and an operating system: a row of levels.def.
struct Platform {
  std::string os;                      ///< "linux", "windows", "macos" or "none"
  std::string triple;                  ///< LLVM triple
  std::string baseline_cpu;            ///< LLVM CPU that every machine of the architecture is: wrappers run on it
  std::string baseline_features;       ///< its features
  int pointer_bytes = 8;
  int register_words = 0;              ///< an entry point's words in registers before those on the stack, or 0
  bool has_cpuid = false;              ///< `init` asks the CPU what it can do
  bool has_distances = false;          ///< read-only data may say how far away a function is
  bool has_own_memory = false;         ///< memcpy, memmove and memset are in the object
  bool position_independent = false;
};

/// What schedules and lowering know of a CPU. A named table, never a measurement: same name, same object bytes.
struct Target {
  std::string name;           ///< a level, a class of CPUs, or that of a target file
  std::string level;          ///< of instructions: a row of levels.def
  std::string cpu;            ///< LLVM CPU name
  std::string features;       ///< LLVM feature string
  int vector_bits = 512;      ///< widest useful vector
  int vector_registers = 32;
  bool has_fma = true;        ///< the FMA class of law 8
  bool has_f16c = true;       ///< conversions between f16 and f32
  bool has_masks = true;      ///< masked loads and stores are cheap
  bool has_scale = true;      ///< AVX-512: multiplication by a power of two (vscalef)
  bool has_bf16 = false;      ///< AVX512-BF16: products of pairs of bf16 (Combine::kDotPair)
  bool tile_products = false;  ///< products of bf16 add in tiles: a class of bits of its own (README.md)
  bool has_amx = false;       ///< AMX-BF16 does, else fma and additions give the same bits
  bool has_permute = true;    ///< AVX2: a table of eight floats in a register (vpermps)
  bool has_register_call = true;  ///< x86's calls that pass 16 vectors in registers
  Platform platform;
  Machine machine;
  Tuning tuning;

  int lanes(int64_t element_bytes) const { return static_cast<int>(vector_bits / 8 / element_bytes); }
};

/// "native" (what REEL_CPU says, else the best level this CPU supports), a level (of x86-64 also "v3"), a class of
/// CPUs, or the path of a target file (file.h), which ends in .target. `os`: "linux", "windows", "macos", "none", or
/// "", the first one that the table has for the architecture. Unknown names give an error that lists the known ones.
absl::StatusOr<Target> FindTarget(std::string_view cpu, std::string_view os = "");
/// An object's targets: `cpu` as for FindTarget, or several of its names with commas between them ("v2,v3,v4"), of
/// different levels of x86-64. Ascending by level, whatever their order.
absl::StatusOr<std::vector<Target>> FindTargets(std::string_view cpu, std::string_view os = "");
/// One of the levels.
absl::StatusOr<Target> FindLevel(std::string_view name);
/// Their names, of all architectures.
std::vector<std::string_view> TargetNames();
/// The operating systems of a level's objects, the default first.
std::vector<std::string_view> SystemsOf(std::string_view level);
/// Classes of CPUs: a level each, and the caches and ports of its cores (classes.def).
std::vector<std::string_view> ClassNames();

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TARGET_TARGET_H_
