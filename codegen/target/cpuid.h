#ifndef REEL_CODEGEN_TARGET_CPUID_H_
#define REEL_CODEGEN_TARGET_CPUID_H_

#include <cstdint>
#include <span>
#include <string_view>

// CPU features by CPUID bits, never by family: what "native" looks at here and what an object's
// init checks.

namespace reel::codegen {

enum class CpuRegister : uint8_t { kEax, kEbx, kEcx, kEdx };

/// All bits of `mask` in one register of one CPUID leaf must be set.
struct CpuCheck {
  uint32_t leaf;
  uint32_t subleaf;
  CpuRegister reg;
  uint32_t mask;
};

/// What a target name needs: CPUID bits, and state that the operating system saves (bits of XCR0, 0
/// = none), of which it gives tiles only to processes that ask (TileRequest).
struct CpuNeeds {
  std::string_view name;
  std::span<const CpuCheck> checks;
  uint32_t xcr0;
  bool tiles = false;
};

/// Linux for x86-64: arch_prctl(ARCH_REQ_XCOMP_PERM, 18: XTILEDATA) is 0 if the process, with all its threads, may use
/// AMX's tiles from then on. To ask again costs nothing.
struct TileRequest {
  static constexpr uint64_t kArchPrctl = 158, kRequest = 0x1023, kTileData = 18;
};

/// The needs of a level by name, including those of the levels below it. Null if it is none of x86-64: other
/// architectures cannot ask without an operating system.
const CpuNeeds* NeedsOf(std::string_view name);
/// True if this machine has what the level needs, which this process then may use; false for levels of other
/// architectures.
bool HostSupports(std::string_view name);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TARGET_CPUID_H_
