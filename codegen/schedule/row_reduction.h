#ifndef REEL_CODEGEN_SCHEDULE_ROW_REDUCTION_H_
#define REEL_CODEGEN_SCHEDULE_ROW_REDUCTION_H_

#include <functional>
#include <string>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace reel::codegen {

/// Reductions over the elements of a row by the rule of reduce.cc, several in one pass: blocks of 4096 elements whose
/// lanes are 64 partials, then a tree; sums of blocks by the same rule again.
class RowReduction {
 public:
  /// The loop over n elements at `position`, along j, that adds the element at j to partial j of each reduction.
  using ElementLoop = std::function<Stmt(AxisId j, int64_t n, const Affine& position)>;

  RowReduction(Kernel* kernel, int64_t width) : k_(kernel), width_(width) {}

  void Add(const std::string& name, Combine combine, DType dtype);
  size_t size() const { return sums_.size(); }
  Combine combine(size_t i) const { return sums_[i].combine; }
  /// Partials of elements; element 0 of the result is the reduction when all is done.
  LocalId partials(size_t i) const { return sums_[i].locals.front(); }
  LocalId result(size_t i) const { return sums_[i].locals.back(); }
  /// All of the row.
  std::vector<Stmt> Build(const ElementLoop& elements);

 private:
  struct Sum {
    Combine combine;
    DType dtype;
    std::vector<LocalId> locals;  // by level
  };

  int64_t Elements(size_t level) const;
  std::vector<Stmt> Block(const ElementLoop& elements, size_t level, const Affine& base, int64_t count);
  std::vector<Stmt> BlockBelow(const ElementLoop& elements, size_t level, const Affine& at, const Affine& partial,
                               int64_t count);

  Kernel* k_;
  const int64_t width_;
  std::vector<Sum> sums_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_ROW_REDUCTION_H_
