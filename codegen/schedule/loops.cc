#include <algorithm>
#include <bit>
#include <cstring>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

// Calls fn(Affine&) for every index of the statements and of all expressions.
template <typename Fn>
void ForEachAffine(Kernel* kernel, std::vector<Stmt>* statements, const Fn& fn) {
  for (Expr& e : kernel->exprs) fn(e.index);
  std::vector<std::vector<Stmt>*> stack{statements};
  while (!stack.empty()) {
    std::vector<Stmt>* list = stack.back();
    stack.pop_back();
    for (Stmt& s : *list) {
      fn(s.index);
      fn(s.clip_base);
      if (!s.body.empty()) stack.push_back(&s.body);
    }
  }
}

void RemoveAxis(Affine* a, AxisId axis) {
  a->terms.erase(std::remove_if(a->terms.begin(), a->terms.end(), [axis](const auto& t) { return t.first == axis; }),
                 a->terms.end());
}

constexpr int64_t kMaxChunks = 1024;  // of a kernel: the least and most of Tuning::max_chunks

}  // namespace

Stmt MakeLoop(AxisId axis, int64_t extent, LoopKind kind, int64_t width, std::vector<Stmt> body) {
  Stmt s;
  s.kind = Stmt::Kind::kLoop;
  s.axis = axis;
  s.extent = extent;
  s.loop_kind = kind == LoopKind::kVector && width == 1 ? LoopKind::kSerial : kind;
  s.width = s.loop_kind == LoopKind::kVector ? width : 1;
  s.body = std::move(body);
  return s;
}

std::vector<Stmt> Only(Stmt statement) {
  std::vector<Stmt> list;
  list.push_back(std::move(statement));
  return list;
}

Stmt Once(Kernel* kernel, ExprId guard, std::vector<Stmt> body) {
  Stmt once = MakeLoop(kernel->AddAxis("once"), 1, LoopKind::kSerial, 1, std::move(body));
  once.guard = guard;
  return once;
}

Stmt WithLast(ExprBuilder* builder, Kernel* kernel, AxisId axis, int64_t whole, std::vector<Stmt> body,
              std::vector<Stmt> last) {
  const ExprId count = builder->Constant(kInt64, static_cast<double>(whole)), at = builder->Position(AxisAffine(axis));
  std::vector<Stmt> either;
  either.push_back(Once(kernel, builder->Apply(ir::Op::kLess, kBool, {at, count}), std::move(body)));
  either.push_back(Once(kernel, builder->Apply(ir::Op::kEqual, kBool, {at, count}), std::move(last)));
  return MakeLoop(axis, whole + 1, LoopKind::kSerial, 1, std::move(either));
}

void Clip(Stmt* loop, Affine base, int64_t total) {
  loop->clip_base = std::move(base);
  loop->clip_total = total;
}

Stmt MakeStore(BufferId buffer, Affine index, ExprId value) {
  Stmt s;
  s.kind = Stmt::Kind::kStore;
  s.buffer = buffer;
  s.index = std::move(index);
  s.a = value;
  return s;
}

Stmt MakeLocal(LocalId local, uint64_t init) {
  Stmt s;
  s.kind = Stmt::Kind::kLocal;
  s.local = local;
  s.init = init;
  return s;
}

Stmt MakeScratch(LocalId local) {
  Stmt s = MakeLocal(local, 0);
  s.fill = false;
  return s;
}

Stmt MakeAccumulate(LocalId local, Affine index, Combine combine, ExprId a, ExprId b) {
  Stmt s;
  s.kind = Stmt::Kind::kAccumulate;
  s.local = local;
  s.index = std::move(index);
  s.combine = combine;
  s.a = a;
  s.b = b;
  return s;
}

Stmt MakeTree(LocalId local, Combine combine) {
  Stmt s;
  s.kind = Stmt::Kind::kTree;
  s.local = local;
  s.combine = combine;
  return s;
}

Stmt MakeTranspose(LocalId local) {
  Stmt s;
  s.kind = Stmt::Kind::kTranspose;
  s.local = local;
  return s;
}

std::vector<Stmt> Prefetches(const Kernel& kernel, size_t begin, const std::vector<Stmt>& stores, AxisId lane,
                             AxisId row) {
  std::vector<Stmt> out;
  const auto add = [&](BufferId buffer, const Affine& index) {
    if (index.coefficient(row) == 0 || index.coefficient(lane) != 1) return;
    Stmt s;
    s.kind = Stmt::Kind::kPrefetch;
    s.buffer = buffer;
    s.index = index;
    out.push_back(std::move(s));
  };
  for (size_t i = begin; i < kernel.exprs.size(); ++i) {
    const Expr& e = kernel.exprs[i];
    if (e.kind != Expr::Kind::kLoad || e.dynamic >= 0 || e.guard >= 0) continue;
    if (!kernel.buffers[static_cast<size_t>(e.buffer)].is_output) add(e.buffer, e.index);
  }
  for (const Stmt& s : stores) {
    if (s.kind == Stmt::Kind::kStore) add(s.buffer, s.index);
  }
  return out;
}

std::vector<Stmt> TransposedSquare(Kernel* kernel, const Square& square, ExprId value, LocalId to, const Affine& at) {
  const auto& [local, row, lane, n] = square;
  Affine in_square = AxisAffine(row, n);
  in_square.Add(lane, 1);
  const auto set = [&, row = row, lane = lane, n = n](LocalId result, const Affine& index, ExprId x) {
    std::vector<Stmt> element, lanes;
    element.push_back(MakeAccumulate(result, index, Combine::kSet, x));
    lanes.push_back(MakeLoop(lane, n, LoopKind::kVector, n, std::move(element)));
    return MakeLoop(row, n, LoopKind::kUnrolled, 1, std::move(lanes));
  };
  std::vector<Stmt> out;
  out.push_back(MakeScratch(local));
  out.push_back(set(local, in_square, value));
  out.push_back(MakeTranspose(local));
  out.push_back(set(to, at, LocalExpr(kernel, local, in_square)));
  return out;
}

ExprId LocalExpr(Kernel* kernel, LocalId local, const Affine& index) {
  Expr e;
  e.kind = Expr::Kind::kLocal;
  e.dtype = kernel->locals[static_cast<size_t>(local)].dtype;
  e.local = local;
  e.index = index;
  return kernel->AddExpr(std::move(e));
}

uint64_t Bits(DType dtype, double value) {
  const ir::Literal literal = ir::Literal::Scalar(dtype, value);
  uint64_t bits = 0;
  std::memcpy(&bits, literal.bytes().data(), literal.bytes().size());
  return bits;
}

void CollapseAxes(Kernel* kernel, std::vector<Stmt>* statements, std::vector<AxisId>* axes,
                  std::vector<int64_t>* extents) {
  for (size_t i = axes->size(); i-- > 0;) {
    if ((*extents)[i] != 1) continue;
    ForEachAffine(kernel, statements, [&](Affine& a) { RemoveAxis(&a, (*axes)[i]); });
    axes->erase(axes->begin() + static_cast<std::ptrdiff_t>(i));
    extents->erase(extents->begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (size_t i = axes->size(); i-- > 1;) {
    const AxisId outer = (*axes)[i - 1], inner = (*axes)[i];
    const int64_t n = (*extents)[i];
    bool together = true;
    ForEachAffine(kernel, statements,
                  [&](Affine& a) { together = together && a.coefficient(outer) == a.coefficient(inner) * n; });
    if (!together) continue;
    ForEachAffine(kernel, statements, [&](Affine& a) { RemoveAxis(&a, outer); });
    // The merged axis keeps the inner id; what lies further out is looked at next.
    (*axes)[i - 1] = inner;
    (*extents)[i - 1] *= n;
    axes->erase(axes->begin() + static_cast<std::ptrdiff_t>(i));
    extents->erase(extents->begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void ShiftAxis(Kernel* kernel, std::vector<Stmt>* statements, AxisId axis, const Affine& by) {
  ForEachAffine(kernel, statements, [&](Affine& a) {
    if (const int64_t c = a.coefficient(axis); c != 0) a.Add(by, c);
  });
}

void Parallelize(const ScheduleContext& c, int64_t elements, int64_t cost) {
  Kernel* kernel = c.kernel;
  if (kernel->body.size() != 1 || kernel->body[0].kind != Stmt::Kind::kLoop) return;
  Stmt& loop = kernel->body[0];
  const int64_t extent = loop.extent.value();
  const int64_t granule = loop.width;
  // The product may be too large for integers: shapes come before budgets.
  const double chunks_of_work =
      static_cast<double>(elements) * static_cast<double>(cost) / static_cast<double>(c.target.tuning.chunk_cycles);
  const auto worth = static_cast<int64_t>(std::min(chunks_of_work, static_cast<double>(c.target.tuning.max_chunks)));
  const int64_t most = std::min(Ceil(extent, granule), kMaxChunks);
  const int64_t usual = std::clamp<int64_t>(worth, 1, std::max<int64_t>(most, 1));
  const int64_t wanted = c.choices->Choose("chunks", usual, 1, most, {1, 2, 4, 8, 16, 32, 64});
  if (wanted < 2) return;
  const int64_t size = RoundUp(Ceil(extent, wanted), granule), chunks = Ceil(extent, size);
  if (chunks < 2) return;
  const AxisId chunk = kernel->AddAxis("c");
  const AxisId axis = loop.axis;
  ShiftAxis(kernel, &kernel->body, axis, AxisAffine(chunk, size));
  loop.extent = size;
  if (extent % size != 0) {
    Clip(&loop, AxisAffine(chunk, size), extent);
  }
  kernel->body = Only(MakeLoop(chunk, chunks, LoopKind::kParallel, 1, std::move(kernel->body)));
}

std::vector<bool> Varying(const Kernel& kernel) {
  std::vector<bool> varies(kernel.exprs.size());
  const auto of = [&](ExprId id) { return id >= 0 && varies[static_cast<size_t>(id)]; };
  for (size_t i = 0; i < varies.size(); ++i) {
    const Expr& e = kernel.exprs[i];
    varies[i] =
        !e.index.terms.empty() || of(e.dynamic) || of(e.guard) || std::any_of(e.operands.begin(), e.operands.end(), of);
  }
  return varies;
}

int64_t VectorWidth(const Kernel& kernel, const Target& target, int64_t extent, int registers) {
  const std::vector<bool> varies = Varying(kernel);
  int64_t bytes = 4;
  for (size_t i = 0; i < varies.size(); ++i) {
    if (varies[i]) bytes = std::max(bytes, SizeOf(kernel.exprs[i].dtype));
  }
  int64_t width = target.lanes(bytes) * registers;
  while (width > 1 && width / 2 >= extent) width /= 2;
  return width;
}

int ChooseRegisters(const ScheduleContext& c, int usual) {
  const auto registers = static_cast<uint64_t>(c.choices->Choose("registers", usual, 1, 8, {1, 2, 4, 8}));
  return static_cast<int>(std::bit_floor(registers));
}

std::vector<Stmt> Nest(const std::vector<AxisId>& axes, const std::vector<int64_t>& extents, int64_t width,
                       std::vector<Stmt> body) {
  for (size_t i = axes.size(); i-- > 0;) {
    const bool innermost = i + 1 == axes.size();
    body = Only(MakeLoop(axes[i], extents[i], innermost && width > 1 ? LoopKind::kVector : LoopKind::kSerial, width,
                         std::move(body)));
  }
  return body;
}

int64_t ExprCost(const Kernel& kernel) {
  int64_t cost = 1;
  for (const Expr& e : kernel.exprs) {
    switch (e.kind) {
      case Expr::Kind::kRandom: cost += 40; break;
      case Expr::Kind::kOp: cost += Info(e.op).Has(ir::kExact) ? 1 : 15; break;
      default: cost += 1;
    }
  }
  return cost;
}

void PruneExprs(Kernel* kernel) {
  std::vector<bool> used(kernel->exprs.size(), false);
  const auto mark = [&used](ExprId e) {
    if (e >= 0) used[static_cast<size_t>(e)] = true;
  };
  std::vector<std::vector<Stmt>*> stack{&kernel->body};
  std::vector<Stmt*> all;
  while (!stack.empty()) {
    std::vector<Stmt>* list = stack.back();
    stack.pop_back();
    for (Stmt& s : *list) {
      all.push_back(&s);
      for (ExprId e : {s.a, s.b, s.dynamic, s.guard}) mark(e);
      if (!s.body.empty()) stack.push_back(&s.body);
    }
  }
  for (size_t i = kernel->exprs.size(); i-- > 0;) {  // operands come before users
    if (!used[i]) continue;
    const Expr& e = kernel->exprs[i];
    for (ExprId o : e.operands) mark(o);
    mark(e.dynamic);
    mark(e.guard);
  }
  std::vector<ExprId> to(kernel->exprs.size(), -1);
  std::vector<Expr> kept;
  const auto renamed = [&to](ExprId e) { return e < 0 ? e : to[static_cast<size_t>(e)]; };
  for (size_t i = 0; i < kernel->exprs.size(); ++i) {
    if (!used[i]) continue;
    to[i] = static_cast<ExprId>(kept.size());
    Expr e = std::move(kernel->exprs[i]);
    for (ExprId& o : e.operands) o = renamed(o);
    e.dynamic = renamed(e.dynamic);
    e.guard = renamed(e.guard);
    kept.push_back(std::move(e));
  }
  kernel->exprs = std::move(kept);
  for (Stmt* s : all) {
    for (ExprId* e : {&s->a, &s->b, &s->dynamic, &s->guard}) *e = renamed(*e);
  }
}

}  // namespace reel::codegen
