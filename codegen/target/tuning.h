#ifndef REEL_CODEGEN_TARGET_TUNING_H_
#define REEL_CODEGEN_TARGET_TUNING_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace reel::codegen {

/// Thresholds of the planner and the schedules: tuning.def says what each trades, and in what unit.
struct Tuning {
#define REEL_TUNING(name, value, least, most, unit, text) int64_t name = value;
#include "codegen/target/tuning.def"
#undef REEL_TUNING
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// Caches, ports and rates of a CPU: machine.def.
struct Machine {
#define REEL_MACHINE(name, value, least, most, unit, text) int64_t name = value;
#include "codegen/target/machine.def"
#undef REEL_MACHINE
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// A row of tuning.def (of T = Tuning) or machine.def (of T = Machine).
template <typename T>
struct Threshold {
  std::string_view name;
  int64_t T::* field;
  int64_t value, least, most;  ///< default, and what it may be
  std::string_view unit, text;
};
std::span<const Threshold<Tuning>> TuningTable();
std::span<const Threshold<Machine>> MachineTable();

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TARGET_TUNING_H_
