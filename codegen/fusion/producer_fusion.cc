#include <algorithm>

#include "codegen/fusion/fusion.h"
#include "codegen/plan/order.h"
#include "codegen/plan/products.h"
#include "codegen/plan/rules.h"
#include "codegen/plan/view.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

class ProducerFuser {
 public:
  ProducerFuser(const ir::Function& f, const Target& target, PlanGraph* plan)
      : f_(f), target_(target), out_(*plan), into_(plan->kernels.size(), -1) {}

  void Run() {
    for (size_t p = 0; p < out_.kernels.size(); ++p) {
      if (const int s = ProducerOf(static_cast<int>(p)); s >= 0) Merge(static_cast<size_t>(s), p);
    }
    if (merged_ > 0) DropMerged(&out_, into_);
  }

 private:
  // The kernel of sums whose rows are the second operand of product p; -1: none that p could take in.
  int ProducerOf(int p) {
    const KernelPlan& product = out_.kernel(p);
    const auto* matmul = product.As<MatmulKernel>();
    if (matmul == nullptr || !matmul->row_reductions.empty()) return -1;
    const Node& node = *f_.producer(product.root);
    if (AddsInTiles(f_, node)) return -1;
    const auto& view = out_.views[node.operands[1].index()];
    const int s = view ? out_.kernel_of[view->base.index()] : -1;
    if (s < 0 || s >= p || out_.kernel(s).kind() != KernelKind::kReduce || !out_.kernel(s).LeavesRoot()) return -1;
    if (!Holds(Rule::kOperandMoves, MayMove(product, s))) return -1;
    const Value v = view->base;
    const bool fits = Holds(Rule::kOperandRows, IsRowByRow(node, *view)) &&
                      Holds(Rule::kOperandSums, SumsOf(out_.kernel(s), v)) &&
                      Holds(Rule::kOperandPlain, IsPlain(v, s)) && Holds(Rule::kOperandReaders, IsReadBy(v, s, p));
    return fits ? s : -1;
  }

  // What the product reads is there before kernel s; s + 1 only adds up the sums of s, and stands for both
  // (SplitReductions).
  bool MayMove(const KernelPlan& product, int s) {
    const auto is_there = [&](int d) {
      const int into = into_[static_cast<size_t>(d)];
      return (into < 0 ? d : into) <= s || d == s + 1;
    };
    const auto is_sum = [&](Value v) {
      const std::vector<Value> leaves = LeavesOf(f_, out_, v);
      return std::any_of(leaves.begin(), leaves.end(),
                         [&](Value leaf) { return out_.kernel_of[leaf.index()] == s + 1; });
    };
    return std::all_of(product.inputs.begin(), product.inputs.end(), is_there) && !is_sum(product.root) &&
           std::none_of(product.epilogue.begin(), product.epilogue.end(), is_sum);
  }

  // The view has v's rows as those that the product goes along: [depth, columns].
  bool IsRowByRow(const Node& node, const View& view) const {
    const Shape &x = f_.type(node.operands[0]).shape, &w = f_.type(node.operands[1]).shape;
    if (!node.attr<Ints>("a_batch").empty() || x.rank() != 2 || w.rank() != 2) return false;
    const Ints dims = WithoutOnes(f_.type(view.base).shape);
    const bool rows = dims.size() >= 2 && dims.size() <= 3 && dims[0] == w.dim(0);
    const bool same = f_.type(view.base).dtype == f_.type(node.result()).dtype && IsFloat(f_.type(node.result()).dtype);
    // What is one for each inner row is loaded twice for a register; of shorter ones it would be gathered.
    if (dims.size() == 3 && dims[2] * SizeOf(f_.type(view.base).dtype) < target_.machine.line_bytes) return false;
    return rows && same && x.size() > 0 && x.dim(0) <= target_.tuning.matmul_producer_rows && view.offset == 0 &&
           view.strides == Ints{w.dim(1), 1} && f_.type(view.base).shape.size() == w.size();
  }

  // The kernel adds up the rows of v, or of a map of it, and stores v alone.
  bool SumsOf(const KernelPlan& sums, Value v) const {
    if (f_.type(sums.As<ReduceKernel>()->partials).shape.rank() != 2 || !sums.epilogue.empty()) return false;
    const auto other = [&](Value m) { return m != v && out_.stored[m.index()]; };
    if (std::any_of(sums.producer.begin(), sums.producer.end(), other)) return false;
    const Node& node = *f_.producer(sums.root);
    const Shape& shape = f_.type(v).shape;
    if (f_.type(node.operands[0]).shape != shape || f_.type(sums.root).dtype != f_.type(v).dtype) return false;
    int rows = 0;  // the first axis
    while (shape.dim(rows) == 1) ++rows;
    const auto& axes = node.attr<Ints>("axes");
    const auto fits = [&](int64_t a) { return a == rows || shape.dim(static_cast<int>(a)) == 1; };
    return std::all_of(axes.begin(), axes.end(), fits) && std::binary_search(axes.begin(), axes.end(), rows);
  }

  // Elementwise ops, broadcasts and reshapes of what other kernels store: the index of an element is only used to load.
  bool IsPlain(Value v, int s) {
    std::vector<Value> stack{v, f_.producer(out_.kernel(s).root)->operands[0]};
    HashSet<int32_t> seen;
    while (!stack.empty()) {
      const Value o = stack.back();
      stack.pop_back();
      if (!seen.insert(o.id).second || IsUniformConstant(f_, o)) continue;
      const auto& view = out_.views[o.index()];
      if (view && out_.kernel_of[view->base.index()] != s) continue;
      const Node* node = f_.producer(o);
      if (node == nullptr || StackStepOf(f_, *node)) return false;
      const bool plain = Info(node->op).Has(ir::kElementwise) || node->op == Op::kBroadcast || node->op == Op::kReshape;
      if (!plain) return false;
      stack.insert(stack.end(), node->operands.begin(), node->operands.end());
    }
    return true;
  }

  bool IsReadBy(Value v, int s, int p) {
    if (readers_.empty()) readers_ = ReadersOf(f_, out_);
    const std::vector<int>& readers = readers_[v.index()];
    return std::all_of(readers.begin(), readers.end(), [&](int g) { return g == s || g == p; });
  }

  void Merge(size_t s, size_t p) {
    KernelPlan sums = std::move(out_.kernels[s]);
    KernelPlan& product = out_.kernels[s] = std::move(out_.kernels[p]);
    const Value v = out_.views[f_.producer(product.root)->operands[1].index()]->base;
    product.producer = std::move(sums.producer);
    product.Get<MatmulKernel>().rhs_reduction = {sums.root, sums.As<ReduceKernel>()->partials};
    product.inputs.insert(product.inputs.end(), sums.inputs.begin(), sums.inputs.end());
    std::erase_if(product.inputs, [s](int d) { return d == static_cast<int>(s) || d == static_cast<int>(s) + 1; });
    product.last = std::max(product.last, sums.last);
    if (product.apart_from.valid() && out_.kernel_of[product.apart_from.index()] == static_cast<int>(s)) {
      product.apart = sums.apart;  // it waits for what the operand is made of
      product.apart_from = sums.apart_from;
    }
    out_.stored[v.index()] = false;
    into_[p] = static_cast<int>(s);
    ++merged_;
  }

  const ir::Function& f_;
  const Target& target_;
  PlanGraph& out_;
  std::vector<int> into_;  // by kernel: the one that it is now part of, -1
  std::vector<std::vector<int>> readers_;  // as the kernels were
  int merged_ = 0;
};

}  // namespace

void FuseProducers(const ir::Function& f, const Target& target, PlanGraph* plan) {
  ProducerFuser(f, target, plan).Run();
}

}  // namespace reel::codegen
