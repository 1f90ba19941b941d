#include "codegen/schedule/row_reduction.h"

#include <algorithm>

#include "codegen/loop/ceil.h"

namespace reel::codegen {

void RowReduction::Add(const std::string& name, Combine combine, DType dtype) {
  Sum sum{combine, dtype, {}};
  for (int64_t n = width_;; n = Ceil(n, kReducedBlock)) {
    const std::string level = sum.locals.empty() ? "" : "_" + std::to_string(sum.locals.size());
    sum.locals.push_back(k_->AddLocal(name + level, dtype, PowerOfTwo(std::min(n, kPartials))));
    if (n <= kReducedBlock) break;
  }
  sums_.push_back(std::move(sum));
}

std::vector<Stmt> RowReduction::Build(const ElementLoop& elements) {
  const size_t top = sums_[0].locals.size() - 1;
  return Block(elements, top, {}, Elements(top));
}

// Elements of a level: those of the row, then sums of blocks.
int64_t RowReduction::Elements(size_t level) const {
  int64_t n = width_;
  for (size_t l = 0; l < level; ++l) n = Ceil(n, kReducedBlock);
  return n;
}

// Reduces `count` elements of level l from base on; both are multiples of kReducedBlock but in the last block.
std::vector<Stmt> RowReduction::Block(const ElementLoop& elements, size_t l, const Affine& base, int64_t count) {
  std::vector<Stmt> out;
  for (const Sum& sum : sums_) out.push_back(MakeLocal(sum.locals[l], IdentityBits(sum.combine, sum.dtype)));
  // All elements below level 0 are whole blocks but perhaps the very last.
  const bool last = base.terms.empty() && base.constant + count == Elements(l);
  const bool ragged = l > 0 && last && Elements(l - 1) % kReducedBlock != 0;
  const int64_t whole = ragged ? count - 1 : count, full = whole / kPartials, rest = whole % kPartials;
  const auto lanes = [&](const Affine& from, int64_t n) {
    const AxisId j = k_->AddAxis("j");
    const Affine position = from + AxisAffine(j);
    return l == 0 ? elements(j, n, position)
                  : SerialLoop(j, n, BlockBelow(elements, l, position, AxisAffine(j), kReducedBlock));
  };
  if (full == 1) out.push_back(lanes(base, kPartials));
  if (full > 1) {
    const AxisId r = k_->AddAxis("r");
    out.push_back(SerialLoop(r, full, Body(lanes(base + AxisAffine(r, kPartials), kPartials))));
  }
  if (rest > 0) out.push_back(lanes(base + full * kPartials, rest));
  if (ragged) {
    const Affine at{base.constant + whole, {}}, partial{whole % kPartials, {}};
    Append(BlockBelow(elements, l, at, partial, Elements(l - 1) % kReducedBlock), &out);
  }
  for (const Sum& sum : sums_) {
    const LocalId p = sum.locals[l];
    if (k_->locals[static_cast<size_t>(p)].size > 1) out.push_back(MakeTree(p, sum.combine));
  }
  return out;
}

// Block `at` of the level below, of `count` elements, into one partial.
std::vector<Stmt> RowReduction::BlockBelow(const ElementLoop& elements, size_t l, const Affine& at,
                                           const Affine& partial, int64_t count) {
  std::vector<Stmt> out = Block(elements, l - 1, at * kReducedBlock, count);
  for (const Sum& sum : sums_) {
    out.push_back(MakeAccumulate(sum.locals[l], partial, sum.combine, LocalExpr(k_, sum.locals[l - 1], {})));
  }
  return out;
}

}  // namespace reel::codegen
