#include <algorithm>

#include "codegen/fusion/fusion.h"
#include "codegen/plan/order.h"
#include "codegen/plan/products.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/view.h"
#include "codegen/schedule/contract_shape.h"

namespace reel::codegen {
namespace {

using ir::Value;

class EpilogueReductionFuser {
 public:
  EpilogueReductionFuser(const ir::Function& f, const Target& target, PlanGraph* plan)
      : f_(f), target_(target), out_(*plan), into_(plan->kernels.size(), -1) {}

  void Run() {
    for (size_t g = 0; g < out_.kernels.size(); ++g) into_[g] = ProductOf(out_.kernels[g]);
    if (std::all_of(into_.begin(), into_.end(), [](int p) { return p < 0; })) return;
    for (size_t g = 0; g < out_.kernels.size(); ++g) {
      if (into_[g] < 0) continue;
      auto& joined = out_.kernel(into_[g]).Get<MatmulKernel>().row_reductions;
      for (const PartialReduction& r : out_.kernels[g].Partials()) joined.push_back(r);
    }
    FindStored();
    DropMerged(&out_, into_);
  }

 private:
  // The product's kernel that can do what this one does, which is nothing but sums over rows; -1: none. They are of one
  // value: kernels share rows for what they all read, and each of these reads nothing else.
  int ProductOf(const KernelPlan& kernel) const {
    const bool sums = kernel.kind() == KernelKind::kReduce || kernel.kind() == KernelKind::kRowWise;
    const std::vector<PartialReduction> partials = kernel.Partials();
    if (!sums || partials.empty()) return -1;
    if (!Holds(Rule::kSumsAlone, kernel.producer.empty() && kernel.epilogue.empty())) return -1;
    int into = -1;
    for (const auto& [root, to] : partials) {
      const Value x = f_.producer(root)->operands[0];
      const auto& view = out_.views[x.index()];
      if (!Holds(Rule::kSumsOfRows, f_.type(to).shape.rank() == 2) || !view) return -1;
      if (!Holds(Rule::kSumsWhole, IsWhole(f_, x, *view))) return -1;
      const int p = out_.kernel_of[view->base.index()];
      if (p < 0) return -1;
      if (!MakesGroups(p, view->base, f_.type(root).shape.size())) return -1;
      into = p;
    }
    return into;
  }

  // Whether v, a value of kernel p, comes in a product's blocks of whole groups of rows of so many elements.
  bool MakesGroups(int p, Value v, int64_t width) const {
    const KernelPlan& product = out_.kernel(p);
    if (product.kind() != KernelKind::kMatmul || !product.Partials().empty()) return false;
    if (AddsInTiles(f_, *f_.producer(product.root))) return false;
    if (f_.type(v).bytes() <= target_.machine.l2_bytes) return false;
    const ir::Node& node = *f_.producer(product.root);
    const Shape& shape = f_.type(product.root).shape;
    const auto rank = [&](size_t k) { return static_cast<size_t>(f_.type(node.operands[k]).shape.rank()); };
    const auto batch = node.attr<std::vector<int64_t>>("a_batch").size(),
               deep = node.attr<std::vector<int64_t>>("a_contract").size();
    const auto& view = out_.views[product.root.index()];
    const bool same = shape.dim(shape.rank() - 1) == width && f_.type(v).shape == shape;
    if (rank(1) != batch + deep + 1 || !Holds(Rule::kSumsShape, same)) return false;
    if (!view || !IsWhole(f_, product.root, *view)) return false;
    const std::vector<int64_t> dims = shape.dims();
    if (IsOneBlock(node, batch, deep)) return false;
    const std::vector<int64_t> rows{dims.begin() + static_cast<std::ptrdiff_t>(batch), dims.end() - 1};
    return Holds(Rule::kSumsGroups, GroupsOfRows(rows, target_.tuning).block > 0);
  }

  // Whether rows of one axis take one block of k: they go to memory from registers, or through L2 in a chain.
  bool IsOneBlock(const ir::Node& node, size_t batch, size_t deep) const {
    const Shape& x = f_.type(node.operands[0]).shape;
    const auto& strides = out_.views[node.operands[0].index()]->strides;
    const size_t end = static_cast<size_t>(x.rank()) - deep;
    int64_t depth = 1;
    for (size_t i = end; i < end + deep; ++i) depth *= x.dim(static_cast<int>(i));
    bool one_axis = true;
    for (size_t i = batch; i + 1 < end; ++i) {
      one_axis = one_axis && strides[i] == strides[i + 1] * x.dim(static_cast<int>(i + 1));
    }
    return one_axis && depth <= kProductBlock;
  }

  // What only the sums read is not stored any more.
  void FindStored() {
    const std::vector<std::vector<int>> readers = ReadersOf(f_, out_);
    for (int p : into_) {
      if (p < 0) continue;
      const auto needs = [&](int g) {
        return static_cast<size_t>(g) == into_.size() || (g != p && into_[static_cast<size_t>(g)] < 0);
      };
      const auto store = [&](Value v) {
        out_.stored[v.index()] = std::any_of(readers[v.index()].begin(), readers[v.index()].end(), needs);
      };
      store(out_.kernel(p).root);
      for (Value v : out_.kernel(p).epilogue) store(v);
    }
  }

  const ir::Function& f_;
  const Target& target_;
  PlanGraph& out_;
  std::vector<int> into_;  // by kernel: that of the product that it joins, -1
};

}  // namespace

void FuseEpilogueReductions(const ir::Function& function, const Target& target, PlanGraph* plan) {
  EpilogueReductionFuser(function, target, plan).Run();
}

}  // namespace reel::codegen
