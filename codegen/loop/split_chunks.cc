#include "codegen/loop/split_chunks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/loop/build.h"
#include "codegen/loop/ceil.h"

namespace reel::codegen {
namespace {

bool IsLoop(const Stmt& s) { return s.kind == Stmt::Kind::kLoop; }

// The first loop of several iterations below the parallel one, as the first of `body`, if loops around it have that
// body alone; none: body is null. Behind it there may be a last panel.
struct Inner {
  std::vector<Stmt>* body = nullptr;

  Stmt& loop() const { return body->front(); }
  bool has_tail() const { return body->size() > 1; }
};

Inner FindInner(Kernel* kernel) {
  std::vector<Stmt>* body = &kernel->body;
  if (body->size() != 1 || !IsLoop(body->front()) || body->front().loop_kind != LoopKind::kParallel) return {};
  do {
    body = &body->front().body;
    if (body->empty() || !IsLoop(body->front())) return {};
    const Stmt& loop = body->front();
    if (body->size() > 1 && loop.axis != kernel->panels) return {};
    if (loop.loop_kind == LoopKind::kParallel || loop.guard >= 0 || !loop.extent.is_constant()) return {};
  } while (body->size() == 1 && body->front().extent.value() == 1);
  const Stmt& loop = body->front();
  const bool plain = loop.loop_kind == LoopKind::kSerial || loop.loop_kind == LoopKind::kVector;
  return plain && loop.clip_total < 0 ? Inner{body} : Inner{};
}

// Whether iterations write to elements that depend on the axis, and what is read of buffers that are written is read
// where it is written.
bool AreIndependent(const Kernel& kernel, const Inner& inner) {
  bool apart = true;
  std::vector<std::vector<Affine>> stored(kernel.buffers.size());
  VisitStatements(inner.body, [&](const Stmt& s) {
    apart = apart && s.kind != Stmt::Kind::kSort && (s.kind != Stmt::Kind::kStore || s.dynamic < 0);
    if (s.kind == Stmt::Kind::kStore) stored[static_cast<size_t>(s.buffer)].push_back(s.index);
  });
  VisitStatements(&inner.loop().body, [&](const Stmt& s) {
    apart = apart && (s.kind != Stmt::Kind::kStore || s.index.coefficient(inner.loop().axis) != 0);
  });
  return apart && std::all_of(kernel.exprs.begin(), kernel.exprs.end(), [&](const Expr& e) {
           if (e.kind != Expr::Kind::kLoad) return true;
           const std::vector<Affine>& own = stored[static_cast<size_t>(e.buffer)];
           return own.empty() || (e.dynamic < 0 && std::find(own.begin(), own.end(), e.index) != own.end());
         });
}

}  // namespace

void SplitChunks(Kernel* kernel) {
  const Inner inner = FindInner(kernel);
  if (inner.body == nullptr || !AreIndependent(*kernel, inner)) return;
  Stmt& loop = inner.loop();
  const int64_t tail = inner.has_tail() ? 1 : 0, extent = loop.extent.value(), steps = Ceil(extent, loop.width);
  const int64_t pieces = std::min(kernel->wanted_chunks / kernel->chunks(), steps + tail) - tail;
  if (pieces + tail < 2 || pieces < 1) return;
  const int64_t size = RoundUp(Ceil(extent, pieces), loop.width), chunks = Ceil(extent, size);
  const AxisId chunk = kernel->AddAxis("c");
  ShiftAxis(kernel, &kernel->body, loop.axis, AxisAffine(chunk, size));
  loop.extent = size;
  if (tail > 0 || extent % size != 0) Clip(&loop, AxisAffine(chunk, size), extent);
  if (tail > 0) {
    std::vector<Stmt> last(std::make_move_iterator(inner.body->begin() + 1),
                           std::make_move_iterator(inner.body->end()));
    inner.body->resize(1);
    Stmt once = SerialLoop(kernel->AddAxis("once"), 1, std::move(last));
    Affine before = AxisAffine(chunk, -1);  // chunks - chunk: 0 in the last one
    before.constant = chunks;
    Clip(&once, std::move(before), 1);
    inner.body->push_back(std::move(once));
  }
  Stmt& parallel = kernel->body[0];
  parallel.body = Body(MakeLoop(chunk, chunks + tail, LoopKind::kParallel, 1, std::move(parallel.body)));
}

}  // namespace reel::codegen
