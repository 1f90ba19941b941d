#include <algorithm>

#include "codegen/fusion/fusion.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/view.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

// Whether a padding shows all that it reads, with one number around.
bool OnlySurrounds(const ir::Function& f, const Node& pad) {
  const auto &low = pad.attr<Ints>("low"), &high = pad.attr<Ints>("high"), &interior = pad.attr<Ints>("interior");
  const auto cuts = [](int64_t n) { return n < 0; };
  const auto spreads = [](int64_t n) { return n != 0; };
  return f.type(pad.operands[0]).shape.size() > 0 && IsUniformConstant(f, pad.operands[1]) &&
         std::none_of(low.begin(), low.end(), cuts) && std::none_of(high.begin(), high.end(), cuts) &&
         std::none_of(interior.begin(), interior.end(), spreads);
}

// Whether a kernel stores the value element by element, wherever it has to be.
bool StoresAnywhere(const ir::Function& f, const PlanGraph& plan, Value v) {
  const int g = plan.kernel_of[v.index()];
  if (g < 0 || f.is_parameter(v) || !IsWhole(f, v, *plan.views[v.index()])) return false;
  const KernelPlan& kernel = plan.kernel(g);
  const Op op = f.producer(v)->op;
  const bool computes =
      op == Op::kContract || op == Op::kDynamicUpdate || (Info(op).Has(ir::kElementwise) && op != Op::kIdentity);
  const auto* matmul = kernel.As<MatmulKernel>();
  return computes && (kernel.kind() == KernelKind::kMap || (matmul != nullptr && !matmul->split_k.valid()));
}

// Where x, a view of the whole of a value, is in what pads it; that value, too. Not if its elements are no strided
// part.
struct Place {
  View x, inside;
};
std::optional<Place> PlaceOf(const ir::Function& f, const PlanGraph& plan, const Node& pad) {
  const Value x = pad.operands[0];
  const Shape &shape = f.type(x).shape, &all = f.type(pad.result()).shape;
  const Value inside = plan.views[x.index()]->base;
  View view{{}, 0, RowMajorStrides(all)};
  for (size_t i = 0; i < view.strides.size(); ++i) view.offset += pad.attr<Ints>("low")[i] * view.strides[i];
  const auto strides = ReshapeStrides(shape, view.strides, f.type(inside).shape);
  if (!strides) return std::nullopt;
  return Place{view, {{}, view.offset, *strides}};
}

}  // namespace

void StoreInBorders(ir::Function* f, PlanGraph* plan) {
  const std::vector<std::vector<int>> readers = ReadersOf(*f, *plan);
  for (size_t g = 0; g < plan->kernels.size(); ++g) {
    KernelPlan& kernel = plan->kernels[g];
    if (kernel.kind() != KernelKind::kMap || kernel.epilogue.size() != 1) continue;
    const Value padded = kernel.epilogue[0];
    const Node& pad = *f->producer(padded);
    if (pad.op != Op::kPad || !OnlySurrounds(*f, pad)) continue;
    const Value x = pad.operands[0];
    const auto& view = plan->views[x.index()];
    if (!view || !IsWhole(*f, x, *view) || !StoresAnywhere(*f, *plan, view->base)) continue;
    const Value inside = view->base;
    const bool alone = readers[inside.index()] == std::vector<int>{static_cast<int>(g)};
    if (!Holds(Rule::kBorderReaders, alone)) continue;
    auto place = PlaceOf(*f, *plan, pad);
    if (!place) continue;
    const Value buffer = AddPartials(f, plan, padded, f->type(padded).shape);
    place->x.base = place->inside.base = buffer;
    plan->views[x.index()] = place->x;
    plan->views[inside.index()] = place->inside;
    plan->kernel_of[buffer.index()] = plan->kernel_of[inside.index()];
    kernel.detail = DetailOf(KernelKind::kUpdate);
    kernel.root = padded;
    kernel.epilogue.clear();
  }
}

}  // namespace reel::codegen
