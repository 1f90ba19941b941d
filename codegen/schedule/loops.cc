#include <algorithm>
#include <bit>

#include "codegen/loop/ceil.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

constexpr int64_t kMaxChunks = 1024;  // of a kernel: the least and most of Tuning::max_chunks

}  // namespace

Stmt ScheduleContext::Store(ir::Value v, const Index& index, ExprId value) const {
  return MakeStore(builder->BufferOf(builder->BaseOf(v), true), builder->Place(v, index), value);
}

std::vector<Stmt> ScheduleContext::Stores(const std::vector<ir::Value>& values, const Index& index) const {
  std::vector<Stmt> stores;
  for (ir::Value v : values) {
    if (!stored(v)) continue;
    const ExprId value = builder->Build(v, index);
    stores.push_back(Store(v, index, value));
  }
  return stores;
}

Index AddAxes(Kernel* kernel, const std::vector<int64_t>& extents, LoopAxes* axes) {
  Index index;
  for (size_t i = 0; i < extents.size(); ++i) {
    index.push_back(AxisAffine(axes->Add(kernel, "i" + std::to_string(i), extents[i])));
  }
  return index;
}

Stmt PeelLast(ExprBuilder* builder, Kernel* kernel, AxisId axis, int64_t whole, std::vector<Stmt> body,
              std::vector<Stmt> last) {
  const ExprId count = builder->Number(whole), at = builder->Position(AxisAffine(axis));
  Stmt others = If(kernel, builder->Apply(ir::Op::kLess, kBool, {at, count}), std::move(body));
  Stmt peeled = If(kernel, builder->Apply(ir::Op::kEqual, kBool, {at, count}), std::move(last));
  return SerialLoop(axis, whole + 1, Body(std::move(others), std::move(peeled)));
}

std::vector<Stmt> Prefetches(const Kernel& kernel, size_t begin, const std::vector<Stmt>& stores, AxisId lane,
                             AxisId row) {
  std::vector<Stmt> out;
  const auto add = [&](BufferId buffer, const Affine& index) {
    if (index.coefficient(row) != 0 && index.coefficient(lane) == 1) out.push_back(MakePrefetch(buffer, index));
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

// Chunks that so many elements, of `cost` cycles each, are worth.
static int64_t ChunksWorth(const ScheduleContext& c, int64_t elements, int64_t cost) {
  // The product may be too large for integers: shapes come before budgets.
  const double chunks_of_work =
      static_cast<double>(elements) * static_cast<double>(cost) / static_cast<double>(c.target.tuning.chunk_cycles);
  return static_cast<int64_t>(std::min(chunks_of_work, static_cast<double>(c.target.tuning.max_chunks)));
}

int64_t ChooseChunks(const ScheduleContext& c, int64_t elements, int64_t cost, int64_t most) {
  const int64_t worth = ChunksWorth(c, elements, cost);
  most = std::clamp<int64_t>(most, 1, kMaxChunks);  // of nothing: one that is empty
  return c.choices->Choose("chunks", std::clamp<int64_t>(worth, 1, most), 1, most, {1, 2, 4, 8, 16, 32, 64});
}

std::vector<Stmt> ByValue(std::vector<std::vector<Stmt>> stores) {
  std::vector<Stmt> out;
  for (size_t v = 0; v < stores[0].size(); ++v) {
    for (std::vector<Stmt>& list : stores) out.push_back(std::move(list[v]));
  }
  return out;
}

void Parallelize(const ScheduleContext& c, int64_t elements, int64_t cost) {
  Kernel* kernel = c.kernel;
  if (!c.options.vectorize || kernel->body.size() != 1 || kernel->body[0].kind != Stmt::Kind::kLoop) return;
  Stmt& loop = kernel->body[0];
  const int64_t extent = loop.extent.value();
  const int64_t granule = loop.width;
  const int64_t most = Ceil(extent, granule), wanted = ChooseChunks(c, elements, cost, most);
  if (wanted < 2) return;
  // All that this loop has may be too few: another one may have more.
  kernel->wanted_chunks = wanted < most ? wanted : std::max(wanted, ChunksWorth(c, elements, cost));
  const int64_t size = RoundUp(Ceil(extent, wanted), granule), chunks = Ceil(extent, size);
  if (chunks < 2) return;
  const AxisId chunk = kernel->AddAxis("c");
  const AxisId axis = loop.axis;
  ShiftAxis(kernel, &kernel->body, axis, AxisAffine(chunk, size));
  loop.extent = size;
  if (extent % size != 0) Clip(&loop, AxisAffine(chunk, size), extent);
  kernel->body = Body(MakeLoop(chunk, chunks, LoopKind::kParallel, 1, std::move(kernel->body)));
}

int64_t VectorWidth(const ScheduleContext& c, int64_t extent, int registers) {
  if (!c.options.vectorize) return 1;
  const std::vector<bool> varies = Varying(*c.kernel);
  int64_t bytes = 4;
  for (size_t i = 0; i < varies.size(); ++i) {
    if (varies[i]) bytes = std::max(bytes, SizeOf(c.kernel->exprs[i].dtype));
  }
  int64_t width = c.target.lanes(bytes) * registers;
  while (width > 1 && width / 2 >= extent) width /= 2;
  return width;
}

bool LoadsByTurns(const Kernel& kernel, AxisId along) {
  return std::all_of(kernel.exprs.begin(), kernel.exprs.end(), [&](const Expr& e) {
    if (e.kind != Expr::Kind::kLoad) return true;
    const int64_t step = e.index.coefficient(along);
    return step >= 0 && step <= kMaxTurns && e.dynamic < 0 && (step < 2 || SizeOf(e.dtype) >= 4);
  });
}

bool TakesTurns(const ScheduleContext& c, const LoopAxes& axes) {
  if (!c.options.vectorize || axes.size() < 2 || axes.innermost() < 2 || axes.innermost() > kMaxTurns) return false;
  const AxisId last = axes.ids.back(), before = axes.ids[axes.size() - 2];
  if (axes.extents[axes.size() - 2] < kMaxUnrolled) return false;
  const bool together = std::all_of(c.kernel->exprs.begin(), c.kernel->exprs.end(), [&](const Expr& e) {
    return e.index.coefficient(before) == axes.innermost() * e.index.coefficient(last);
  });
  return !together && LoadsByTurns(*c.kernel, before);
}

bool StoresByTurns(const ScheduleContext& c) {
  bool may = true;
  c.kernel_plan().VisitMembers([&](ir::Value v) { may = may && (!c.stored(v) || SizeOf(c.dtype(v)) >= 4); });
  return may;
}

int ChooseRegisters(const ScheduleContext& c, int usual) {
  if (!c.options.vectorize) return 1;
  const auto registers = static_cast<uint64_t>(c.choices->Choose("registers", usual, 1, 8, {1, 2, 4, 8}));
  return static_cast<int>(std::bit_floor(registers));
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

}  // namespace reel::codegen
