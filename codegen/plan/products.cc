#include "codegen/plan/products.h"

#include <algorithm>

#include "codegen/plan/view.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;
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

// Strides of what the first view shows, by which the last one lies in order.
std::optional<Axes> LayoutBehind(const ir::Function& f, const std::vector<const Node*>& views) {
  Axes strides = RowMajorStrides(f.type(views.back()->result()).shape);
  for (size_t i = views.size(); i-- > 0;) {
    const Node& view = *views[i];
    const Shape &from = f.type(view.operands[0]).shape, &to = f.type(view.result()).shape;
    Axes before(static_cast<size_t>(from.rank()));
    if (view.op == Op::kTranspose) {
      const auto& permutation = view.attr<Axes>("permutation");
      for (size_t a = 0; a < strides.size(); ++a) before[static_cast<size_t>(permutation[a])] = strides[a];
    } else {
      const auto cut = ReshapeStrides(to, strides, from);
      if (!cut) return std::nullopt;
      before = *cut;
    }
    strides = std::move(before);
  }
  return strides;
}

}  // namespace

std::optional<Axes> ProductLayout(const ir::Function& function, const ir::Node& product,
                                  const std::vector<const ir::Node*>& views, const View& x, const View& w) {
  const auto moves = [](const Node* view) { return view->op == Op::kTranspose; };
  if (std::none_of(views.begin(), views.end(), moves)) return std::nullopt;
  auto strides = LayoutBehind(function, views);
  const Shape& from = function.type(product.result()).shape;
  if (!strides || from.size() == 0) return std::nullopt;
  int lanes = -1;
  for (int a = 0; a < from.rank(); ++a) {
    if (from.dim(a) != 1 && (*strides)[static_cast<size_t>(a)] == 1) lanes = a;
  }
  if (lanes < 0) return std::nullopt;
  const auto batches = static_cast<int>(product.attr<Axes>("a_batch").size());
  const int columns =
      function.type(product.operands[0]).shape.rank() - static_cast<int>(product.attr<Axes>("a_contract").size());
  const int column = LastAxis(from, columns, from.rank());
  if (column != lanes) {
    const auto a = static_cast<size_t>(lanes);
    if (column >= 0 || lanes >= batches || x.strides[a] != 1 || w.strides[a] != 1) return std::nullopt;
  }
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

bool IsWidening(const ir::Function& f, const Node& node) {
  return node.op == Op::kCast && IsHalf(f.type(node.operands[0]).dtype) && f.type(node.result()).dtype == kFloat32;
}

std::optional<View> WidenedView(const ir::Function& f, const PlanGraph& plan, Value v) {
  std::vector<const Node*> chain;
  bool widens = false;
  while (!plan.views[static_cast<size_t>(v.id)]) {
    const Node* node = f.producer(v);
    const bool cast = !widens && IsWidening(f, *node);
    if (!cast && !IsView(node->op)) break;
    widens |= cast;
    chain.push_back(node);
    v = node->operands[0];
  }
  const auto& known = plan.views[static_cast<size_t>(v.id)];
  std::optional<View> view = known ? *known : View{v, 0, RowMajorStrides(f.type(v).shape)};
  if (!IsHalf(f.type(view->base).dtype)) return std::nullopt;
  for (; view && !chain.empty(); chain.pop_back()) view = ViewThrough(f, *chain.back(), *view);
  return view;
}

bool AddsInTiles(const ir::Function& f, const Node& node) {
  return node.op == Op::kContract && f.type(node.result()).dtype == kBFloat16;
}

bool MultipliesPairs(const ir::Function& f, const Node& node, const View& x, const View& w, const Tuning& tuning) {
  if (f.type(x.base).dtype != kBFloat16 || f.type(w.base).dtype != kBFloat16) return false;
  const Shape &xs = f.type(node.operands[0]).shape, &ws = f.type(node.operands[1]).shape;
  const auto batch = node.attr<std::vector<int64_t>>("a_batch").size(),
             deep = node.attr<std::vector<int64_t>>("a_contract").size();
  const auto x_rank = static_cast<size_t>(xs.rank()), w_rank = static_cast<size_t>(ws.rank());
  const auto product = [](const Shape& shape, size_t begin, size_t end) {
    int64_t n = 1;
    for (size_t i = begin; i < end; ++i) n *= shape.dim(static_cast<int>(i));
    return n;
  };
  const int64_t rows = product(xs, batch, x_rank - deep), columns = product(ws, batch + deep, w_rank),
                depth = product(ws, batch, batch + deep);
  if (rows < tuning.pairs_min_rows || columns < tuning.pairs_min_columns) return false;
  if (depth < tuning.pairs_min_depth || depth % 2 != 0) return false;
  // The innermost axis of some extent in [begin, end): its stride; whether the axes there are walked as one.
  const auto innermost = [](const Shape& shape, const View& view, size_t begin, size_t end, bool* one) {
    int64_t stride = 0, next = 0;
    for (size_t i = end; i-- > begin;) {
      const int64_t n = shape.dim(static_cast<int>(i));
      if (n == 1) continue;
      if (stride == 0) stride = next = view.strides[i];
      *one = *one && view.strides[i] == next;
      next *= n;
    }
    return stride;
  };
  const auto even = [](const Shape& shape, const View& view, size_t begin, size_t end) {
    bool all = view.offset % 2 == 0;
    for (size_t i = 0; i < view.strides.size(); ++i) {
      const bool deep_axis = i >= begin && i < end;
      all = all && (deep_axis || shape.dim(static_cast<int>(i)) == 1 || view.strides[i] % 2 == 0);
    }
    return all;
  };
  bool one = true, any = true;
  const int64_t x_deep = innermost(xs, x, x_rank - deep, x_rank, &one),
                w_deep = innermost(ws, w, batch, batch + deep, &one),
                x_row = innermost(xs, x, batch, x_rank - deep, &one),
                lane = innermost(ws, w, batch + deep, w_rank, &any);
  const bool x_fits = x_deep == 1 ? even(xs, x, x_rank - deep, x_rank) : x_row == 1;
  const bool w_fits = lane == 1 || (w_deep == 1 && even(ws, w, batch, batch + deep));
  return one && x_fits && w_fits;
}

}  // namespace reel::codegen
