#include "codegen/schedule/contract_ahead.h"

#include <utility>

namespace reel::codegen {

void PrefetchAhead(const ScheduleContext& c, const ContractShape& shape, const ContractTiles& tiles, Affine x,
                   const Affine& row, const Affine& position, std::vector<Stmt>* out) {
  constexpr int64_t kAhead = 128, kMatrix = 32 << 10;  // bytes
  if (!c.options.vectorize || shape.pairs || shape.rows.size() != 1 || shape.k.size() != 1 || shape.lane.x != 0) return;
  const ContractAxis &rows = shape.rows[0], &k = shape.k[0];
  if (rows.x != 1 || k.x <= 1 || !c.group().columns.empty()) return;
  const ir::Value operand = c.f.producer(c.group().root)->operands[0];
  const View& view = *c.grouping.views[static_cast<size_t>(operand.id)];
  const int64_t element = SizeOf(c.f.type(view.base).dtype), matrix = shape.depth * rows.extent * element;
  int64_t matrices = 1;
  for (const ContractAxis& a : shape.outer) matrices *= a.x == 0 ? 1 : a.extent;
  if (matrices * matrix <= c.target.l2_bytes / 4) return;  // it is near
  const bool small = matrix <= kMatrix && matrices > 1 && shape.outer.back().x > 0;
  x.constant += view.offset + (small ? shape.outer.back().x : tiles.rows + kAhead / element);
  x.Add(row);
  x.Add(position, k.x);
  Stmt s;
  s.kind = Stmt::Kind::kPrefetch;
  s.buffer = c.builder->BufferOf(view.base, false);
  s.index = std::move(x);
  out->push_back(std::move(s));
}

}  // namespace reel::codegen
