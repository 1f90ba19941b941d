#include "codegen/schedule/join_sums.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/schedule/fuse_rows.h"
#include "codegen/schedule/renumber.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

using ir::Value;

class SumJoiner {
 public:
  SumJoiner(const ir::Function& f, const Target& target, Grouping* grouping)
      : f_(f), target_(target), out_(*grouping), into_(grouping->groups.size(), -1) {}

  void Run() {
    for (size_t g = 0; g < out_.groups.size(); ++g) into_[g] = ProductOf(out_.groups[g]);
    if (std::all_of(into_.begin(), into_.end(), [](int p) { return p < 0; })) return;
    for (size_t g = 0; g < out_.groups.size(); ++g) {
      if (into_[g] < 0) continue;
      auto& joined = out_.groups[static_cast<size_t>(into_[g])].columns;
      joined.insert(joined.end(), out_.groups[g].columns.begin(), out_.groups[g].columns.end());
    }
    FindStored();
    DropMerged(&out_, into_);
  }

 private:
  // The product's group that can do what this one does, which is nothing but sums over rows; -1: none.
  int ProductOf(const Group& group) const {
    const bool sums = group.root_kind == Group::Root::kReduce || group.root_kind == Group::Root::kRows;
    if (!sums || group.columns.empty() || !group.pre.empty() || !group.post.empty()) return -1;
    int into = -1;
    for (const auto& [root, partials] : group.columns) {
      const Value x = f_.producer(root)->operands[0];
      const auto& view = out_.views[x.index()];
      if (f_.type(partials).shape.rank() != 2 || !view || !IsWhole(f_, x, *view)) return -1;
      const int p = out_.group_of[view->base.index()];
      if (p < 0 || (into >= 0 && p != into) || !MakesGroups(p, view->base, f_.type(root).shape.size())) return -1;
      into = p;
    }
    return into;
  }

  // Whether v, a value of group p, comes in a product's blocks of whole groups of rows of so many elements.
  bool MakesGroups(int p, Value v, int64_t width) const {
    const Group& product = out_.groups[static_cast<size_t>(p)];
    if (product.root_kind != Group::Root::kContract || !product.columns.empty()) return false;
    if (f_.type(v).bytes() <= target_.machine.l2_bytes) return false;
    const ir::Node& node = *f_.producer(product.root);
    const Shape& shape = f_.type(product.root).shape;
    const auto rank = [&](size_t k) { return static_cast<size_t>(f_.type(node.operands[k]).shape.rank()); };
    const auto batch = node.attr<std::vector<int64_t>>("a_batch").size(),
               deep = node.attr<std::vector<int64_t>>("a_contract").size();
    const auto& view = out_.views[product.root.index()];
    if (rank(1) != batch + deep + 1 || shape.dim(shape.rank() - 1) != width || !(f_.type(v).shape == shape))
      return false;
    if (!view || !IsWhole(f_, product.root, *view)) return false;
    const std::vector<int64_t> dims = shape.dims();
    if (IsOneBlock(node, batch, deep)) return false;
    return GroupsOfRows({dims.begin() + static_cast<std::ptrdiff_t>(batch), dims.end() - 1}, target_.tuning).block > 0;
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
    std::vector<bool> needed(out_.stored.size(), false);
    for (Value v : f_.results()) {
      needed[v.index()] = true;
      if (const auto& view = out_.views[v.index()]) needed[view->base.index()] = true;
    }
    for (size_t g = 0; g < out_.groups.size(); ++g) {
      if (into_[g] >= 0) continue;
      const Group& group = out_.groups[g];
      const auto read = [&](Value member) {
        for (Value leaf : LeavesOf(f_, out_, member)) {
          if (out_.group_of[leaf.index()] != static_cast<int>(g)) needed[leaf.index()] = true;
        }
      };
      for (Value v : group.pre) read(v);
      if (group.root.valid() && !group.partials.valid()) read(group.root);
      for (Value v : group.post) read(v);
      if (group.root_kind == Group::Root::kRows) {
        for (const auto& [root, partials] : group.columns) read(root);
      }
    }
    for (size_t g = 0; g < out_.groups.size(); ++g) {
      if (into_[g] < 0) continue;
      const Group& product = out_.groups[static_cast<size_t>(into_[g])];
      for (Value v : product.post) out_.stored[v.index()] = needed[v.index()];
      out_.stored[product.root.index()] = needed[product.root.index()];
    }
  }

  const ir::Function& f_;
  const Target& target_;
  Grouping& out_;
  std::vector<int> into_;  // by group: the product's group that it joins, -1
};

}  // namespace

BlockOfGroups GroupsOfRows(const std::vector<int64_t>& extents, const Tuning& tuning) {
  int64_t inner = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    const int64_t block = kPartials / std::gcd(inner, kPartials);
    if (block * inner > tuning.matmul_sum_rows) break;
    // Blocks of the whole axis, too, are whole groups.
    if (extents[axis] >= block && extents[axis] * inner % kPartials == 0) return {axis, block};
    inner *= extents[axis];
  }
  return {};
}

void JoinSums(const ir::Function& function, const Target& target, Grouping* grouping) {
  SumJoiner(function, target, grouping).Run();
}

}  // namespace reel::codegen
