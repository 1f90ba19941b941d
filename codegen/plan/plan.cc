#include "codegen/plan/plan.h"

#include <iterator>
#include <utility>

namespace reel::codegen {

namespace {

constexpr std::string_view kKindNames[] = {"map",    "reduce", "matmul", "rows",    "scatter",
                                           "update", "scan",   "sort",   "control", "check"};
static_assert(std::size(kKindNames) == std::variant_size_v<KernelDetail>);

template <size_t... kKinds>
KernelDetail MakeDetail(size_t kind, std::index_sequence<kKinds...>) {
  KernelDetail detail;
  ((kind == kKinds ? void(detail.emplace<kKinds>()) : void()), ...);
  return detail;
}

}  // namespace

KernelDetail DetailOf(KernelKind kind) {
  return MakeDetail(static_cast<size_t>(kind), std::make_index_sequence<std::size(kKindNames)>());
}

std::string_view KindName(KernelKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

bool KernelPlan::LeavesRoot() const {
  if (const auto* matmul = As<MatmulKernel>()) return matmul->split_k.valid();
  const auto* reduce = As<ReduceKernel>();
  return reduce != nullptr && reduce->stage == ReduceKernel::Stage::kPartial;
}

ir::Value KernelPlan::BeginsWith() const {
  const auto* reduce = As<ReduceKernel>();
  return reduce != nullptr && reduce->stage == ReduceKernel::Stage::kFinal ? reduce->partials : ir::Value();
}

std::vector<PartialReduction> KernelPlan::Partials() const {
  if (const auto* rows = As<RowWiseKernel>()) return rows->reductions;
  std::vector<PartialReduction> partials;
  if (const auto* matmul = As<MatmulKernel>()) {
    partials = matmul->row_reductions;
    if (matmul->split_k.valid()) partials.insert(partials.begin(), {root, matmul->split_k});
    if (matmul->rhs_reduction) partials.push_back(*matmul->rhs_reduction);
  } else if (LeavesRoot()) {
    partials.push_back({root, As<ReduceKernel>()->partials});
  }
  return partials;
}

}  // namespace reel::codegen
