#include "codegen/plan/plan.h"

namespace reel::codegen {

KernelDetail DetailOf(KernelKind kind) {
  switch (kind) {
    case KernelKind::kMap: return MapKernel();
    case KernelKind::kReduce: return ReduceKernel();
    case KernelKind::kMatmul: return MatmulKernel();
    case KernelKind::kRowWise: return RowWiseKernel();
    case KernelKind::kScatter: return PlainKernel<KernelKind::kScatter>();
    case KernelKind::kUpdate: return PlainKernel<KernelKind::kUpdate>();
    case KernelKind::kScan: return PlainKernel<KernelKind::kScan>();
    case KernelKind::kSort: return PlainKernel<KernelKind::kSort>();
    case KernelKind::kControl: return PlainKernel<KernelKind::kControl>();
    case KernelKind::kCheck: return PlainKernel<KernelKind::kCheck>();
  }
  return {};
}

std::string_view KindName(KernelKind kind) {
  switch (kind) {
    case KernelKind::kMap: return "map";
    case KernelKind::kReduce: return "reduce";
    case KernelKind::kMatmul: return "matmul";
    case KernelKind::kRowWise: return "rows";
    case KernelKind::kScatter: return "scatter";
    case KernelKind::kUpdate: return "update";
    case KernelKind::kScan: return "scan";
    case KernelKind::kSort: return "sort";
    case KernelKind::kControl: return "control";
    case KernelKind::kCheck: return "check";
  }
  return "";
}

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
