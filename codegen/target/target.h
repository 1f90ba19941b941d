#ifndef REEL_CODEGEN_TARGET_TARGET_H_
#define REEL_CODEGEN_TARGET_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/target/tuning.h"

namespace reel::codegen {

/// What schedules and lowering know of a CPU. A named table, never a measurement: same name, same object bytes.
struct Target {
  std::string name;           ///< a level, a class of CPUs, or that of a target file
  std::string level;          ///< of instructions: "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16"
  std::string triple;         ///< LLVM triple
  std::string cpu;            ///< LLVM CPU name
  std::string features;       ///< LLVM feature string
  int vector_bits = 512;      ///< widest useful vector
  int vector_registers = 32;
  bool has_fma = true;        ///< the FMA class of law 8
  bool has_f16c = true;       ///< conversions between f16 and f32
  bool has_masks = true;      ///< masked loads and stores are cheap
  bool has_scale = true;      ///< AVX-512: multiplication by a power of two (vscalef)
  bool has_bf16 = false;      ///< AVX512-BF16: products of pairs of bf16 (Combine::kDotPair)
  Machine machine;
  Tuning tuning;

  int lanes(int64_t element_bytes) const { return static_cast<int>(vector_bits / 8 / element_bytes); }
};

/// "native" (what REEL_CPU says, else the best level this CPU supports), a level, a class of CPUs, or the path of a
/// target file (file.h), which ends in .target. Unknown names give an error that lists the known ones.
absl::StatusOr<Target> FindTarget(std::string_view cpu);
/// One of the levels.
absl::StatusOr<Target> FindLevel(std::string_view name);
/// Their names.
std::vector<std::string_view> TargetNames();
/// Classes of CPUs: a level each, and the caches and ports of its cores (classes.def).
std::vector<std::string_view> ClassNames();

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TARGET_TARGET_H_
