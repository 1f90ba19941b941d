#include "codegen/loop/loop.h"

#include <algorithm>

namespace reel::codegen {

int64_t Affine::coefficient(AxisId axis) const {
  for (const auto& [a, c] : terms) {
    if (a == axis) return c;
  }
  return 0;
}

void Affine::Add(AxisId axis, int64_t coefficient) {
  auto it =
      std::lower_bound(terms.begin(), terms.end(), axis, [](const auto& term, AxisId a) { return term.first < a; });
  if (it == terms.end() || it->first != axis) {
    if (coefficient != 0) terms.insert(it, {axis, coefficient});
    return;
  }
  it->second += coefficient;
  if (it->second == 0) terms.erase(it);
}

void Affine::Add(const Affine& other, int64_t factor) {
  const Affine copy = other;  // other may be *this
  constant += copy.constant * factor;
  for (const auto& [axis, coefficient] : copy.terms) Add(axis, coefficient * factor);
}

Affine operator*(const Affine& a, int64_t factor) {
  Affine out;
  out.Add(a, factor);
  return out;
}

Affine AxisAffine(AxisId axis, int64_t coefficient) {
  Affine a;
  a.Add(axis, coefficient);
  return a;
}

AxisId Kernel::AddAxis(std::string axis_name) {
  axes.push_back(std::move(axis_name));
  return static_cast<AxisId>(axes.size()) - 1;
}

BufferId Kernel::AddBuffer(std::string buffer_name, DType dtype, bool is_output) {
  buffers.push_back({std::move(buffer_name), dtype, is_output});
  return static_cast<BufferId>(buffers.size()) - 1;
}

LocalId Kernel::AddLocal(std::string local_name, DType dtype, int64_t size) {
  locals.push_back({std::move(local_name), dtype, size});
  return static_cast<LocalId>(locals.size()) - 1;
}

ExprId Kernel::AddExpr(Expr expr) {
  exprs.push_back(std::move(expr));
  return static_cast<ExprId>(exprs.size()) - 1;
}

int64_t ChunksOf(const std::vector<Stmt>& body) {
  const bool parallel =
      body.size() == 1 && body[0].kind == Stmt::Kind::kLoop && body[0].loop_kind == LoopKind::kParallel;
  return parallel ? body[0].extent.value() * ChunksOf(body[0].body) : 1;
}

int64_t Kernel::chunks() const { return ChunksOf(body); }

}  // namespace reel::codegen
