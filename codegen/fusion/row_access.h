#ifndef REEL_CODEGEN_FUSION_ROW_ACCESS_H_
#define REEL_CODEGEN_FUSION_ROW_ACCESS_H_

#include <functional>
#include <vector>

#include "codegen/plan/view.h"

namespace reel::codegen {

/// How a kernel walks rows: once a row, or once an element of a row.
struct RowForm {
  bool ok = false;
  bool column = false;  ///< a reduction over the rows themselves
  std::vector<int64_t> rows;
  int64_t width = 0;

  int64_t num_rows() const { return Product(rows); }
};
/// The form of a map or reduction, if its rows are worth it by the tuning.
RowForm RowFormOf(const ir::Function& f, const KernelPlan& kernel, const Tuning& tuning);

/// What the accesses of a kernel are like as part of one that walks rows.
struct RowAccesses {
  bool in_row = true;  ///< of the region's values: at the own row and position only
  bool flat = true;    ///< the rows are walked as one axis
  bool contiguous = true;  ///< lanes along the row are neighbours in memory
};
/// Of kernel g, which still owns its values; in_region: whether a stored value is one of the region that it joins.
RowAccesses RowAccessesOf(const ir::Function& f, const PlanGraph& plan, int g, const RowForm& form,
                          const std::function<bool(ir::Value)>& in_region);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_FUSION_ROW_ACCESS_H_
