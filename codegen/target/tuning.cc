#include "codegen/target/tuning.h"

namespace reel::codegen {

std::span<const Threshold<Tuning>> TuningTable() {
  static constexpr Threshold<Tuning> kTable[] = {
#define REEL_TUNING(name, value, least, most, unit, text) {#name, &Tuning::name, value, least, most, unit, text},
#include "codegen/target/tuning.def"
#undef REEL_TUNING
  };
  return kTable;
}

std::span<const Threshold<Machine>> MachineTable() {
  static constexpr Threshold<Machine> kTable[] = {
#define REEL_MACHINE(name, value, least, most, unit, text) {#name, &Machine::name, value, least, most, unit, text},
#include "codegen/target/machine.def"
#undef REEL_MACHINE
  };
  return kTable;
}

}  // namespace reel::codegen
