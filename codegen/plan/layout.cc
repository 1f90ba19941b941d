#include "codegen/plan/layout.h"

namespace reel::codegen {
namespace {

using Axes = std::vector<int64_t>;

// The last axis of several elements in [begin, end); -1: none.
int LastAxis(const Shape& shape, int begin, int end) {
  int last = -1;
  for (int a = begin; a < end; ++a) {
    if (shape.dim(a) > 1) last = a;
  }
  return last;
}

// b of a product has the elements of its last axes side by side: lanes run along them.
bool HasLanes(const Shape& b, const View& view, int first) {
  const int last = LastAxis(b, first, b.rank());
  return last < 0 || view.strides[static_cast<size_t>(last)] == 1;
}

}  // namespace

std::optional<Axes> ProductLayout(const ir::Function& function, const ir::Node& product, const ir::Node& transpose,
                                  const View& x, const View& w) {
  const Shape &from = function.type(product.result()).shape, &to = function.type(transpose.result()).shape;
  const auto& permutation = transpose.attr<Axes>("permutation");
  const int last = LastAxis(to, 0, to.rank());
  if (last < 0 || from.size() == 0) return std::nullopt;
  const auto lanes = static_cast<int>(permutation[static_cast<size_t>(last)]);
  const auto batches = static_cast<int>(product.attr<Axes>("a_batch").size());
  const int columns =
      function.type(product.operands[0]).shape.rank() - static_cast<int>(product.attr<Axes>("a_contract").size());
  const int column = LastAxis(from, columns, from.rank());
  if (column != lanes) {
    const auto a = static_cast<size_t>(lanes);
    if (column >= 0 || lanes >= batches || x.strides[a] != 1 || w.strides[a] != 1) return std::nullopt;
  }
  const Axes ordered = RowMajorStrides(to);
  Axes strides(ordered.size());
  for (size_t i = 0; i < ordered.size(); ++i) strides[static_cast<size_t>(permutation[i])] = ordered[i];
  return strides;
}

bool MakesLanes(const ir::Function& function, const ir::Node& product, const View& w, const Tuning& tuning) {
  const Shape &a = function.type(product.operands[0]).shape, &b = function.type(product.operands[1]).shape;
  const auto batch = static_cast<int>(product.attr<Axes>("b_batch").size()),
             deep = static_cast<int>(product.attr<Axes>("b_contract").size());
  if (HasLanes(b, w, batch + deep)) return true;
  int64_t rows = 1;
  for (int i = batch; i < a.rank() - deep; ++i) rows *= a.dim(i);
  const int last = LastAxis(b, batch, batch + deep);
  const bool small = b.size() <= tuning.matmul_transposed_small;
  return rows <= (small ? tuning.matmul_transposed_rows_small : tuning.matmul_transposed_rows) && last >= 0 &&
         w.strides[static_cast<size_t>(last)] == 1;
}

}  // namespace reel::codegen
