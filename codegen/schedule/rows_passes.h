#ifndef REEL_CODEGEN_SCHEDULE_ROWS_PASSES_H_
#define REEL_CODEGEN_SCHEDULE_ROWS_PASSES_H_

#include <map>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace reel::codegen {

/// A value that a row-wise kernel computes: one for each row, or one for each element of a row.
struct RowMember {
  ir::Value v;
  bool per_element = false, reduces = false;
  std::vector<size_t> reads;  ///< members
  int pass = 0;               ///< in which it is computed, or accumulated
  int last_use = -1;          ///< pass of the last reader
  /// Whether it is read again after its pass.
  bool waits() const { return per_element && last_use > pass; }
};

/// A reduction over the rows themselves.
struct RowColumn {
  ir::Value root, partials;
  std::vector<size_t> reads;  ///< members
  int pass = 0;
};

/// What is computed in which pass over a row: pass p computes what needs the row reductions of the passes before it.
struct RowPasses {
  explicit RowPasses(const ScheduleContext& context);

  const ScheduleContext& c;
  const RowWiseKernel& plan;
  std::vector<RowMember> members;
  std::vector<RowColumn> columns;
  int last = 0;

  bool IsPerElement(ir::Value v) const;
  /// What a pass accumulates or stores.
  std::vector<ir::Value> ResultsOf(int pass) const;
  /// The values, one per element, of elementwise ops that a pass evaluates for these.
  std::vector<ir::Value> ComputedFor(std::vector<ir::Value> results, int pass) const;
  /// Where parts of a row begin that padding cuts it into, and its end. One part if there is more than one pass, or
  /// parts are short.
  std::vector<int64_t> Cuts() const;

 private:
  void FindMembers();
  void FindPasses();
  std::vector<size_t> Reads(ir::Value v) const;

  std::map<int32_t, size_t> member_of_;  // by value
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_ROWS_PASSES_H_
