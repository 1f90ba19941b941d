#ifndef REEL_CODEGEN_SCHEDULE_OPTIONS_H_
#define REEL_CODEGEN_SCHEDULE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/plan/plan.h"
#include "codegen/schedule/choices.h"
#include "ir/budget_meter.h"

namespace reel::codegen {

class ScheduleBook;
struct PlanRecord;

/// What of the phases of planning (phases.h) runs, and what is written of them.
struct PhaseSwitches {
  std::vector<std::string> disable = {};  ///< names
  int64_t limit = -1;  ///< run so many at most; < 0: all
  std::string dump_to = {};  ///< folder for plans; empty: none
  std::vector<std::string> dump_phases = {};  ///< empty: all
  /// Called after each.
  std::function<void(std::string_view phase, const ir::Function& f, const PlanGraph& plan)> after = {};
  int64_t first = 0;  ///< number of the first, in names of files: passes came before
};

struct PlanOptions {
  bool fuse = true;  ///< false: one kernel per op, scalar loops (-O0)
  bool vectorize = true;
  int64_t memory_budget =
      0;  ///< bytes of the arena; above them values are computed again instead of kept; 0 = no limit
  bool share_kernels = true;  ///< false: every group is scheduled, though equal to another (tests)
  bool profile = false;  ///< Program::profile; kernels run one after the other, in no chains
  bool check_bounds = true;  ///< false: check_index and check_integer check nothing
  const ScheduleBook* schedules = nullptr;  ///< schedules by kernel, where it has some (schedule/book.h)
  bool list_schedules = false;  ///< Kernel::other_schedules
  PhaseSwitches phases = {};
  Choices::Decide decide = {};  ///< of kernels that the book does not have
  /// Results of the only entry point that may be written over parameters of their types. None of them is where a call
  /// could fail after it has begun to, or go on for long: a call changes all of that memory, or nothing.
  std::vector<InPlace> in_place = {};
  PlanRecord* record = nullptr;  ///< gets what planning knows (program/record.h); null: nobody asks
  const ir::BudgetMeter* meter = nullptr;  ///< looked at between steps of bounded size; null = no limits
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_OPTIONS_H_
