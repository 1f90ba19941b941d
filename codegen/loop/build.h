#ifndef REEL_CODEGEN_LOOP_BUILD_H_
#define REEL_CODEGEN_LOOP_BUILD_H_

#include <iterator>
#include <utility>
#include <vector>

#include "codegen/loop/loop.h"

// How loop trees are made and rewritten: by schedules, and by what cuts finished kernels into chunks.

namespace reel::codegen {

/// These statements, one after the other.
template <typename... Stmts>
std::vector<Stmt> Body(Stmts... statements) {
  std::vector<Stmt> body;
  (body.push_back(std::move(statements)), ...);
  return body;
}
/// Puts these statements behind the others.
inline void Append(std::vector<Stmt> statements, std::vector<Stmt>* to) {
  to->insert(to->end(), std::make_move_iterator(statements.begin()), std::make_move_iterator(statements.end()));
}

/// A vector loop of width 1 is a serial one.
Stmt MakeLoop(AxisId axis, int64_t extent, LoopKind kind, int64_t width, std::vector<Stmt> body);
inline Stmt SerialLoop(AxisId axis, int64_t extent, std::vector<Stmt> body) {
  return MakeLoop(axis, extent, LoopKind::kSerial, 1, std::move(body));
}
inline Stmt UnrolledLoop(AxisId axis, int64_t extent, std::vector<Stmt> body) {
  return MakeLoop(axis, extent, LoopKind::kUnrolled, 1, std::move(body));
}
inline Stmt VectorLoop(AxisId axis, int64_t extent, int64_t width, std::vector<Stmt> body) {
  return MakeLoop(axis, extent, LoopKind::kVector, width, std::move(body));
}
/// if (guard) { body }
Stmt If(Kernel* kernel, ExprId guard, std::vector<Stmt> body);
/// Leaves out iterations from total - base on.
void Clip(Stmt* loop, Affine base, int64_t total);
Stmt MakeStore(BufferId buffer, Affine index, ExprId value);
Stmt MakeLocal(LocalId local, uint64_t init);
/// Without a fill: the kernel writes before it reads.
Stmt MakeScratch(LocalId local);
Stmt MakeAccumulate(LocalId local, Affine index, Combine combine, ExprId a, ExprId b = -1);
Stmt MakeTree(LocalId local, Combine combine);
Stmt MakePrefetch(BufferId buffer, Affine index);
/// Stmt::Kind::kTileProduct. Rows of a are `a_row` elements apart, those of b and of the sums `row`.
Stmt MakeTileProduct(LocalId sums, Affine index, ExprId a, ExprId b, ExprId steps, int64_t a_row, int64_t row);
ExprId LocalExpr(Kernel* kernel, LocalId local, const Affine& index);

/// A local of n x n vectors of n lanes, and axes along its rows and lanes.
struct Square {
  LocalId local;
  AxisId row, lane;
  int64_t n;
};
/// to[at] = value at [lane, row]: through the square, whose rows are computed one by one.
std::vector<Stmt> TransposedSquare(Kernel* kernel, const Square& square, ExprId value, LocalId to, const Affine& at);
inline constexpr int64_t kMaxSquare = 16;  ///< rows of one: code for each of its elements
inline constexpr int64_t kShuffleBytes =
    16;  ///< within which a shuffle moves what it likes, in one cycle on every target
/// The same in registers, which stay there: blocks of `block` x `block` elements are swapped as they are loaded, so
/// that no shuffle leaves one. It need be no square, then.
struct BlockedSquare {
  LocalId local;
  int64_t n, depth, block;  ///< rows that are read, elements of each; both are multiples of the last
  AxisId row_block, row, lane_block, lane;  ///< of what is read
  Affine rows() const { return AxisAffine(row_block, block) + AxisAffine(row); }
  Affine lanes() const { return AxisAffine(lane_block, block) + AxisAffine(lane); }
};
BlockedSquare OpenSquare(Kernel* kernel, DType dtype, int64_t n, int64_t depth, int64_t block);
/// local[n * lane + row] = value at [row, lane], which is made of the square's axes.
std::vector<Stmt> LoadTransposed(const BlockedSquare& square, ExprId value);

/// Axes that loops go along, outermost first.
struct LoopAxes {
  std::vector<AxisId> ids;
  std::vector<int64_t> extents;

  /// A new axis of the kernel, inside of the others.
  AxisId Add(Kernel* kernel, std::string name, int64_t extent);
  void Add(AxisId id, int64_t extent);
  void Erase(size_t i);
  bool empty() const { return ids.empty(); }
  int64_t innermost() const { return empty() ? 1 : extents.back(); }
  size_t size() const { return ids.size(); }
};
/// Merges neighbouring axes that every access walks as one, and drops axes of extent 1.
void CollapseAxes(Kernel* kernel, std::vector<Stmt>* statements, LoopAxes* axes);
/// Wraps statements in serial loops, the innermost a vector loop if width is more than 1.
std::vector<Stmt> Nest(const LoopAxes& axes, int64_t width, std::vector<Stmt> body);
/// Replaces axis by axis + coefficient * other in every expression and statement.
void ShiftAxis(Kernel* kernel, std::vector<Stmt>* statements, AxisId axis, const Affine& by);
/// The statements, with expressions of their own, `by` further along the axis.
std::vector<Stmt> CopyShifted(Kernel* kernel, const std::vector<Stmt>& body, AxisId axis, int64_t by);
/// Per expression: whether it depends on an axis.
std::vector<bool> Varying(const Kernel& kernel);
/// Drops expressions no statement uses.
void PruneExprs(Kernel* kernel);

/// visit(Stmt&) for all statements of a tree, in no order; they may be const. Where it changes a statement's body, the
/// new one is visited.
template <typename Statements, typename Visit>
void VisitStatements(Statements* body, const Visit& visit) {
  std::vector<Statements*> stack{body};
  while (!stack.empty()) {
    Statements& list = *stack.back();
    stack.pop_back();
    for (auto& s : list) {
      visit(s);
      if (!s.body.empty()) stack.push_back(&s.body);
    }
  }
}

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_BUILD_H_
