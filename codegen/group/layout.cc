#include "codegen/group/layout.h"

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

}  // namespace

std::optional<Axes> ProductLayout(const ir::Function& function, const ir::Node& product, const ir::Node& transpose,
                                  const View& x, const View& w) {
  const Shape &from = function.type(product.result()).shape, &to = function.type(transpose.result()).shape;
  const auto& permutation = transpose.attr<Axes>("permutation");
  const int last = LastAxis(to, 0, to.rank());
  if (last < 0 || from.size() == 0) return std::nullopt;
  const auto lanes = static_cast<int>(permutation[static_cast<size_t>(last)]);
  const auto batches = static_cast<int>(product.attr<Axes>("a_batch").size());
  const int columns = function.type(product.operands[0]).shape.rank() -
                      static_cast<int>(product.attr<Axes>("a_contract").size());
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

}  // namespace reel::codegen
