#include "codegen/schedule/sum_rows.h"

#include <algorithm>

namespace reel::codegen {
namespace {

constexpr int64_t kRun = 4096;  // elements of neighbouring rows that are read as fast as any number

int64_t Ceil(int64_t n, int64_t by) { return (n + by - 1) / by; }

// The sums of row j are row j of the sums.
void MoveSums(const std::vector<RowSums>& columns, AxisId j, int64_t width, std::vector<Stmt>* body) {
  std::vector<std::vector<Stmt>*> stack{body};
  while (!stack.empty()) {
    std::vector<Stmt>* list = stack.back();
    stack.pop_back();
    for (Stmt& s : *list) {
      if (!s.body.empty()) stack.push_back(&s.body);
      if (s.kind != Stmt::Kind::kAccumulate) continue;
      const bool column =
          std::any_of(columns.begin(), columns.end(), [&s](const RowSums& c) { return c.sums == s.local; });
      if (column) s.index.Add(j, width);
    }
  }
}

}  // namespace

int64_t RowsAtOnce(int64_t width, int64_t bytes, int64_t most) {
  int64_t n = 1;
  while (n < most && 2 * n * width <= kRun && 2 * n * bytes <= kMaxRowStack) n *= 2;
  return n;
}

// With J = at_once: for t in 0..64/J { for b { s = 0; for n { for j in 0..J { row 4096 b + 64 n + J t + j, its sums in
// s[j] } }; partials[64 b + J t + j] = s[j] } }
void SumOverRows(Kernel* k, const std::vector<RowSums>& columns, AxisId j, int64_t rows, int64_t width,
                 int64_t at_once, int64_t lanes, std::vector<Stmt> body) {
  const AxisId t = k->AddAxis("t"), n = k->AddAxis("n"), b = k->AddAxis("b");
  const int64_t blocks = Ceil(rows, kReducedBlock), each = Ceil(rows, kPartials);
  Affine row;
  row.Add(t, at_once);
  row.Add(n, kPartials);
  row.Add(b, blocks > 1 ? kReducedBlock : 0);
  ShiftAxis(k, &body, j, row);
  row.Add(j, 1);
  MoveSums(columns, j, width, &body);
  if (rows % kPartials != 0) {
    Stmt some = MakeLoop(k->AddAxis("some"), 1, LoopKind::kSerial, 1, std::move(body));
    some.clip_base = row;
    some.clip_total = rows;
    body.clear();
    body.push_back(std::move(some));
  }
  Stmt visit = MakeLoop(n, std::min(each, kPartials), LoopKind::kSerial, 1, Nest({j}, {at_once}, 1, std::move(body)));
  if (blocks > 1 && each % kPartials != 0) {
    visit.clip_base = AxisAffine(b, kPartials);
    visit.clip_total = each;
  }
  body.clear();
  for (const RowSums& c : columns) body.push_back(MakeLocal(c.sums, IdentityBits(c.combine, c.dtype)));
  body.push_back(std::move(visit));
  const AxisId e = k->AddAxis("e");
  std::vector<Stmt> stores;
  for (const RowSums& c : columns) {
    Affine to = AxisAffine(e);
    to.Add(t, at_once * width);
    to.Add(b, blocks > 1 ? kPartials * width : 0);
    stores.push_back(MakeStore(c.partials, to, LocalExpr(k, c.sums, AxisAffine(e))));
  }
  body.push_back(MakeLoop(e, at_once * width, LoopKind::kVector, lanes, std::move(stores)));
  if (blocks > 1) body = Nest({b}, {blocks}, 1, std::move(body));
  k->body = Nest({t}, {kPartials / at_once}, 1, std::move(body));
}

void ScheduleRowSums(const ScheduleContext& c) {
  Kernel* k = c.kernel;
  const auto& [root, partials] = c.group().columns[0];
  const ir::Node& node = *c.f.producer(root);
  const Shape& shape = c.f.type(node.operands[0]).shape;
  const auto& reduced = node.attr<std::vector<int64_t>>("axes");
  AxisId row = -1;
  int64_t rows = 1;
  std::vector<AxisId> axes;
  std::vector<int64_t> extents;
  Index index, kept;
  for (int i = 0; i < shape.rank(); ++i) {
    const AxisId axis = k->AddAxis("i" + std::to_string(i));
    const bool is_row = std::binary_search(reduced.begin(), reduced.end(), i);
    index.push_back(shape.dim(i) == 1 ? Affine{} : AxisAffine(axis));
    if (is_row && shape.dim(i) != 1) row = axis, rows = shape.dim(i);
    if (is_row) continue;
    axes.push_back(axis);
    extents.push_back(shape.dim(i));
    kept.push_back(index.back());
  }
  const DType dtype = c.f.type(root).dtype;
  const Combine combine = CombineOf(node.op);
  const int64_t width = c.f.type(root).shape.size(), bytes = width * SizeOf(dtype);
  // Each run from beyond L2 begins slowly; longer ones leave fewer chunks for threads.
  const int64_t at_once = RowsAtOnce(width, bytes, rows * bytes > 4 * c.target.l2_bytes ? 16 : 8);
  const LocalId sums = k->AddLocal("s", dtype, width * at_once);
  // Accumulating reads before the stores write: an output may take the place of an operand.
  std::vector<Stmt> body;
  body.push_back(MakeAccumulate(sums, c.builder->Flat(root, kept), combine, c.builder->BuildOperand(root, 0, index)));
  for (ir::Value v : c.group().pre) {
    if (!c.stored(v)) continue;
    const ExprId value = c.builder->Build(v, index);
    body.push_back(MakeStore(c.builder->BufferOf(v, true), c.builder->Flat(v, index), value));
  }
  CollapseAxes(k, &body, &axes, &extents);
  const int64_t cost = ExprCost(*k);
  const auto lanes = [&](int64_t n) { return c.options.vectorize ? VectorWidth(*k, c.target, n, 4) : 1; };
  body = Nest(axes, extents, c.options.vectorize ? VectorWidth(*k, c.target, extents.back(), 1) : 1, std::move(body));
  SumOverRows(k, {{sums, c.builder->BufferOf(partials, true), combine, dtype}}, row, rows, width, at_once,
              lanes(at_once * width), std::move(body));
  if (c.options.vectorize) Parallelize(k, rows, width * cost);
}

}  // namespace reel::codegen
