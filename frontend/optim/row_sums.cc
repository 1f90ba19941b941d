#include "frontend/optim/row_sums.h"

#include <initializer_list>

#include "frontend/eager/dispatch.h"
#include "reel/functions.h"
#include "reel/indexing.h"
#include "reel/reductions.h"

namespace reel::internal {
namespace {

Tensor Along0(ir::Op op, std::initializer_list<Tensor> operands) {
  return Dispatch(op, operands, {{"axis", int64_t{0}}});
}

}  // namespace

RowSums::RowSums(const IndexedSlices& g) {
  const Shape& shape = g.indices().shape();
  const Tensor order = Argsort(g.indices()), sorted = RowsAt(g.indices(), order);
  const Tensor place = Iota(shape, 0, kInt64);
  const Tensor first = LogicalOr(Equal(place, 0), NotEqual(sorted, RowsAt(sorted, Sub(place, 1))));
  const Tensor sum = Sub(CumSum(Cast(first, kInt64)), 1);
  rows = Along0(ir::Op::kScatterSet, {Full(shape, -1, sorted.dtype()), sum, sorted});
  values = Along0(ir::Op::kScatterAdd, {ZerosLike(g.values()), sum, RowsAt(g.values(), order)});
}

Tensor RowsAt(const Tensor& x, const Tensor& indices) { return Along0(ir::Op::kGather, {x, indices}); }

}  // namespace reel::internal
