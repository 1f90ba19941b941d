#include <algorithm>
#include <bit>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/contract_loops.h"

// A transposed second operand for few rows: y = A x with A as it lies, one row after the other, has lanes along its
// rows and neighbours along k. A few k of as many rows as a register has lanes are loaded, turned and multiplied at
// once; a packed copy would be read too seldom.

namespace reel::codegen {
namespace {

class TurnedProduct {
 public:
  TurnedProduct(const ContractLoops& loops, const Panel& panel, const AlongK& k, LocalId sums)
      : l_(loops),
        p_(panel),
        k_(k),
        sums_(sums),
        n_(loops.register_lanes()),
        block_(std::min(n_, kShuffleBytes / SizeOf(l_.dtype))),
        step_(std::max(block_, std::min(n_, PowerOfTwo(l_.c.target.tuning.matmul_turned_step)))),
        group_(StepsOfLine()) {}

  std::vector<Stmt> Run() {
    const int64_t depth = l_.shape.depth, rest = depth % step_, last = (depth - 1) / l_.k_block;
    const int64_t line = group_ * step_, whole = depth / line, left = (depth - whole * line) / step_;
    std::vector<Stmt> out;
    if (whole > 0) {
      const Affine in_block = AxisAffine(l_.k->AddAxis("q"), line);
      Stmt lines = SerialLoop(in_block.terms[0].first, l_.deep() / line, Line(in_block));
      if (l_.EndsInBlock()) Clip(&lines, AxisAffine(k_.block, l_.k_block / line), whole);
      out.push_back(std::move(lines));
    }
    std::vector<Stmt> end;
    const auto in_last = [&](const Affine& k) { return k + -last * l_.k_block; };
    if (left > 0) {
      const Affine k = AxisAffine(l_.k->AddAxis("q"), step_) + whole * line;
      end.push_back(SerialLoop(k.terms[0].first, left, Step(k, in_last(k), 0)));
    }
    if (rest > 0) {  // once more the last few k, of which the first have been taken in
      const Affine k{depth - step_, {}};
      Append(Step(k, in_last(k), step_ - rest), &end);
    }
    if (end.empty()) return out;
    if (last > 0) {
      ExprBuilder& b = *l_.c.builder;
      const ExprId is_last = b.Apply(ir::Op::kEqual, kBool, {b.Position(AxisAffine(k_.block)), b.Number(last)});
      end = Body(If(l_.k, is_last, std::move(end)));
    }
    Append(std::move(end), &out);
    return out;
  }

 private:
  // Steps that are unrolled; what is in L1, and a last, narrower panel, are not worth the code.
  int64_t StepsOfLine() const {
    if (p_.width < l_.tiles.lanes || !TurnsFar(l_)) return 1;
    const int64_t steps = std::clamp<int64_t>(l_.c.target.machine.line_bytes / (SizeOf(l_.dtype) * step_), 1, n_);
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(steps)));  // blocks of k are whole ones
  }

  // The k of a cache line, from `in_block` on: a few at a time, and with each a share of the lines that come next.
  std::vector<Stmt> Line(const Affine& in_block) {
    const AxisId part = l_.k->AddAxis("s");
    const Affine inner = in_block + AxisAffine(part, step_);
    std::vector<Stmt> body = Step(l_.OfBlock(k_.block, inner), inner, 0);
    const int64_t rows = p_.width / group_;
    PrefetchTurned(l_, p_, {AxisAffine(part, rows), rows}, l_.OfBlock(k_.block, in_block), &body);
    return Body(UnrolledLoop(part, group_, std::move(body)));
  }

  // For each register of the panel: a few k from `k` on, which is `inner` in the block; those before `first` are left
  // out.
  std::vector<Stmt> Step(const Affine& k, const Affine& inner, int64_t first) {
    const AxisId part = l_.k->AddAxis("p");
    std::vector<Stmt> body = Load(part, k, inner);
    body.push_back(Multiply(part, k, inner, first));
    return Body(UnrolledLoop(part, p_.width / n_, std::move(body)));
  }

  std::vector<Stmt> Load(AxisId part, const Affine& k, const Affine& inner) {
    ExprBuilder& b = *l_.c.builder;
    const int64_t stride = l_.shape.lane.w;
    square_ = OpenSquare(l_.k, l_.dtype, n_, step_, block_);
    const Affine lane = AxisAffine(part, n_) + square_.rows(), along_k = square_.lanes();
    Affine from = l_.w_base + p_.base * stride;
    ExprId row = -1;  // past the end: the last one again
    if (p_.columns == p_.width) {
      from.Add(lane, stride);
    } else {
      const ExprId inside = b.Apply(ir::Op::kMin, kInt64, {b.Position(lane), b.Number(p_.columns - 1)});
      row = b.Apply(ir::Op::kMul, kInt64, {inside, b.Number(stride)});
    }
    const bool table = k_.w.table >= 0;  // of runs of whole steps
    return LoadTransposed(square_, table ? l_.Load(1, from + along_k, k_.w, {}, inner, row)
                                         : l_.Load(1, from, k_.w, k + along_k, {}, row));
  }

  Stmt Multiply(AxisId part, const Affine& k, const Affine& inner, int64_t first) {
    const AxisId v = l_.k->AddAxis("v"), i = l_.k->AddAxis("i"), j = l_.k->AddAxis("j");
    const Affine in_step = AxisAffine(v) + first;
    Affine x = l_.x_base;
    const ExprId row = l_.Row(p_, k_.tile, i, &x);
    const ExprId a = l_.Load(0, x, k_.x, k + in_step, inner + in_step, row);
    const ExprId b = LocalExpr(l_.k, square_.local, in_step * n_ + AxisAffine(j));
    const Affine sum = AxisAffine(i, p_.width) + AxisAffine(part, n_) + AxisAffine(j);
    Stmt lanes = VectorLoop(j, n_, n_, Body(MakeAccumulate(sums_, sum, Combine::kFma, a, b)));
    return UnrolledLoop(v, step_ - first, Body(UnrolledLoop(i, l_.tiles.rows, Body(std::move(lanes)))));
  }

  const ContractLoops& l_;
  const Panel& p_;
  const AlongK& k_;
  const LocalId sums_;
  const int64_t n_, block_, step_;
  const int64_t group_;  // steps through a cache line
  BlockedSquare square_ = {};
};

}  // namespace

std::vector<Stmt> MultiplyTurned(const ContractLoops& loops, const Panel& panel, const AlongK& k, LocalId sums) {
  return TurnedProduct(loops, panel, k, sums).Run();
}

}  // namespace reel::codegen
