#include "codegen/schedule/contract_pairs.h"

#include <algorithm>

#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

using ir::Op;

constexpr int64_t kLanes = 64;

ExprId Int32(ExprBuilder* b, ExprId x) { return b->Apply(Op::kCast, kInt32, {x}); }
ExprId Number(ExprBuilder* b, int64_t x) { return b->Constant(kInt32, static_cast<double>(x)); }

}  // namespace

ExprId PairAt(ExprBuilder* b, ir::Value operand, const PairedOperand& paired, const Affine& at, ExprId dynamic) {
  const ExprId half = Number(b, 16);
  if (paired.joined) {
    const ExprId both = b->LoadBits(operand, at, kInt32, dynamic);
    return b->Apply(Op::kOr, kInt32,
                    {b->Apply(Op::kShiftLeft, kInt32, {both, half}), b->Apply(Op::kShiftRight, kInt32, {both, half})});
  }
  const ExprId high = Int32(b, b->LoadBits(operand, at, kUInt16, dynamic)),
               low = Int32(b, b->LoadBits(operand, at + paired.next, kUInt16, dynamic));
  return b->Apply(Op::kOr, kInt32, {b->Apply(Op::kShiftLeft, kInt32, {high, half}), low});
}

void LeastOf(Kernel* k, ExprBuilder* b, Elements e, LocalId* least, std::vector<Stmt>* out) {
  const AxisId chunk = k->AddAxis("g"), lane = k->AddAxis("v");
  if (*least < 0) *least = k->AddLocal("least", kUInt16, kLanes);
  const Affine at = e.at + AxisAffine(chunk, kLanes) + AxisAffine(lane);
  const auto number = [b](int64_t x) { return b->Constant(kUInt16, static_cast<double>(x)); };
  const ExprId magnitude = b->Apply(Op::kAnd, kUInt16, {b->LoadBits(e.operand, at, kUInt16), number(0x7FFF)});
  const ExprId less = b->Apply(Op::kSub, kUInt16, {magnitude, number(1)});  // 0 becomes the largest
  Stmt set = MakeAccumulate(*least, AxisAffine(lane), Combine::kMin, less);
  Stmt vector = VectorLoop(lane, std::min(e.lanes, kLanes), kLanes, Body(std::move(set)));
  if (e.clip_total >= 0 || (e.lanes > kLanes && e.lanes % kLanes != 0)) {
    Clip(&vector, e.clip_base + AxisAffine(chunk, kLanes), e.clip_total >= 0 ? e.clip_total : e.lanes);
  }
  e.loop.body.push_back(SerialLoop(chunk, Ceil(e.lanes, kLanes), Body(std::move(vector))));
  Append(Body(MakeLocal(*least, Bits(kUInt16, 0xFFFF)), std::move(e.loop), MakeTree(*least, Combine::kMin)), out);
}

ExprId MayDot(Kernel* k, ExprBuilder* b, LocalId x_least, LocalId w_least) {
  // The biased exponent; of zeros alone beyond all.
  const auto exponent = [&](LocalId least) {
    const ExprId bits = b->Apply(Op::kAdd, kInt32, {Int32(b, LocalExpr(k, least, {})), Number(b, 1)});
    return b->Apply(Op::kShiftRight, kInt32, {bits, Number(b, 7)});
  };
  const ExprId x = exponent(x_least), w = exponent(w_least);
  const auto at_least = [b](ExprId e, int64_t n) { return b->Apply(Op::kGreaterEqual, kBool, {e, Number(b, n)}); };
  const auto both = [b](ExprId p, ExprId q) { return b->Apply(Op::kAnd, kBool, {p, q}); };
  // The last bits are 2^(x - 127 - 7) and 2^(w - 127 - 7), the smallest normal number is 2^-126.
  constexpr int64_t kMinSum = 2 * (127 + 7) - 126;
  return both(both(at_least(x, 1), at_least(w, 1)), at_least(b->Apply(Op::kAdd, kInt32, {x, w}), kMinSum));
}

}  // namespace reel::codegen
