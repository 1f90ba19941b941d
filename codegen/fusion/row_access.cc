#include "codegen/fusion/row_access.h"

#include <algorithm>

#include "codegen/schedule/expr_builder.h"

namespace reel::codegen {
namespace {

using ir::Value;
using Ints = std::vector<int64_t>;

// The extents of what a kernel walks, the last of them that of a row; column: whether the others are reduced. Empty: it
// does not go by rows.
Ints WalkedBy(const ir::Function& f, const KernelPlan& kernel, bool* column) {
  if (kernel.kind() == KernelKind::kMap && !kernel.epilogue.empty()) {
    return WithoutOnes(f.type(kernel.epilogue[0]).shape);
  }
  if (kernel.kind() != KernelKind::kReduce) return {};
  const ir::Node& node = *f.producer(kernel.root);
  const Shape& from = f.type(node.operands[0]).shape;
  const auto& axes = node.attr<Ints>("axes");
  Ints dims, reduced;
  for (int i = 0; i < from.rank(); ++i) {
    if (from.dim(i) == 1) continue;
    dims.push_back(from.dim(i));
    reduced.push_back(std::binary_search(axes.begin(), axes.end(), i));
  }
  if (dims.size() < 2) return {};
  *column = reduced.back() == 0;
  return std::count(reduced.begin(), reduced.end() - 1, reduced.back()) == 0 ? dims : Ints();
}

}  // namespace

RowForm RowFormOf(const ir::Function& f, const KernelPlan& kernel, const Tuning& tuning) {
  RowForm form;
  form.rows = WalkedBy(f, kernel, &form.column);
  if (form.rows.size() < 2) return {};
  form.width = form.rows.back();
  form.rows.pop_back();
  const int64_t rows = form.num_rows(), elements = rows * form.width;
  form.ok = form.width >= tuning.rows_min_width && form.width * 8 <= tuning.rows_max_bytes &&
            (rows >= tuning.rows_min_rows || elements <= tuning.rows_small);
  if (form.column && (rows < tuning.row_sums_min_rows || elements < tuning.row_sums_min_elements)) form.ok = false;
  return form;
}

RowAccesses RowAccessesOf(const ir::Function& f, const PlanGraph& plan, int g, const RowForm& form,
                          const std::function<bool(Value)>& in_region) {
  const KernelPlan& from = plan.kernel(g);
  Kernel kernel;
  ExprBuilder builder(f, plan, g, &kernel);
  std::vector<AxisId> rows;
  codegen::Index row;
  for (size_t i = 0; i < form.rows.size(); ++i) {
    rows.push_back(kernel.AddAxis("r"));
    row.push_back(AxisAffine(rows.back()));
  }
  const AxisId inner = kernel.AddAxis("i");
  const auto index_of = [&](Value v) { return RowIndexOf(f.type(v).shape, row, AxisAffine(inner)); };
  const auto build = [&](Value v) {
    if (v == from.root) {
      builder.BuildOperand(v, 0, index_of(f.producer(v)->operands[0]));
      builder.SetRoot(v, builder.Constant(f.type(v).dtype, 0));
    } else if (WithoutOnes(f.type(v).shape).size() >= form.rows.size()) {
      builder.Build(v, index_of(v));
    }
  };
  for (Value v : from.producer) build(v);
  if (from.root.valid()) build(from.root);
  for (Value v : from.epilogue) {
    if (!form.column) build(v);
  }
  RowAccesses out;
  // A stack asks for a position though its condition is memory.
  for (const AxisId axis : rows) out.flat = out.flat && !builder.choices().contains(axis);
  for (const Expr& e : kernel.exprs) {
    for (size_t i = 1; i < form.rows.size(); ++i) {
      out.flat = out.flat && e.index.coefficient(rows[i - 1]) == e.index.coefficient(rows[i]) * form.rows[i];
    }
    if (e.kind != Expr::Kind::kLoad) continue;
    const int64_t step = e.index.coefficient(inner);
    out.contiguous = out.contiguous && (step == 0 || step == 1);
    const Value base = builder.bound()[static_cast<size_t>(e.buffer)];
    if (!in_region(base)) continue;
    const bool own = e.dynamic < 0 && e.guard < 0 && e.index == builder.Flat(base, index_of(base));
    out.in_row = out.in_row && own;
  }
  return out;
}

}  // namespace reel::codegen
