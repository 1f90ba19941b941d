#include "codegen/schedule/signature.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <variant>

#include "absl/strings/str_format.h"
#include "ir/hash_map.h"
#include "ir/siphash.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Value;

class Writer {
 public:
  Writer(const ir::Function& f, const PlanGraph& plan, int group) : f_(f), plan_(plan), group_(group) {}

  GroupSignature Run() {
    WriteGroup(plan_.kernels[static_cast<size_t>(group_)]);
    for (size_t i = 0; i < out_.values.size(); ++i) Describe(out_.values[i]);  // adds values it refers to
    // Schedules may go by the order of values.
    std::vector<int64_t> order(out_.values.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::sort(order.begin(), order.end(), [this](int64_t a, int64_t b) {
      return out_.values[static_cast<size_t>(a)] < out_.values[static_cast<size_t>(b)];
    });
    Add(order);
    return std::move(out_);
  }

 private:
  void Add(int64_t word) { out_.words.push_back(word); }
  void Add(std::span<const int64_t> words) {
    Add(static_cast<int64_t>(words.size()));
    out_.words.insert(out_.words.end(), words.begin(), words.end());
  }
  /// The value's position.
  void Refer(Value v) {
    if (!v.valid()) return Add(-1);
    const auto [it, added] = positions_.emplace(v.id, static_cast<int64_t>(out_.values.size()));
    if (added) out_.values.push_back(v);
    Add(it->second);
  }
  void Refer(const std::vector<Value>& values) {
    Add(static_cast<int64_t>(values.size()));
    for (Value v : values) Refer(v);
  }

  void Refer(const std::vector<PartialReduction>& reductions) {
    Add(static_cast<int64_t>(reductions.size()));
    for (const auto& [root, to] : reductions) {
      Refer(root);
      Refer(to);
    }
  }

  void WriteGroup(const KernelPlan& group) {
    Add(static_cast<int64_t>(group.kind()));
    Refer(group.root);
    Refer(group.producer);
    Refer(group.epilogue);
    std::visit([this](const auto& detail) { WriteDetail(detail); }, group.detail);
    Add(group.nodes);
  }

  void WriteDetail(const MapKernel&) {}
  void WriteDetail(const ReduceKernel& reduce) {
    Add(static_cast<int64_t>(reduce.stage));
    Refer(reduce.partials);
  }
  void WriteDetail(const MatmulKernel& matmul) {
    Refer(matmul.split_k);
    Refer(matmul.row_reductions);
    Add(matmul.rhs_reduction.has_value());
    if (matmul.rhs_reduction) Refer(std::vector{*matmul.rhs_reduction});
  }
  void WriteDetail(const RowWiseKernel& rows) {
    Add(rows.extents);
    Add(rows.width);
    Refer(rows.reductions);
  }
  template <KernelKind kKind>
  void WriteDetail(const PlainKernel<kKind>&) {}

  void AddShape(const Shape& shape) {
    Add(shape.rank());
    for (Extent e : shape) Add(e.value());
  }

  /// Its type and place, and how it is computed where the kernel may do that.
  void Describe(Value v) {
    const auto i = static_cast<size_t>(v.id);
    const bool own = plan_.kernel_of[i] == group_;
    const auto& view = plan_.views[i];
    Add(static_cast<int64_t>(f_.type(v).dtype));
    AddShape(f_.type(v).shape);
    Add(own | plan_.stored[i] << 1 | plan_.materialized[i] << 2 | view.has_value() << 3 |
        (plan_.kernel_of[i] >= 0) << 4 | IsUniformConstant(f_, v) << 5);
    if (view) {
      Refer(view->base);
      Add(view->offset);
      Add(view->strides);
    }
    const Node* node = f_.producer(v);
    if (node == nullptr) return Add(-1);
    Add(static_cast<int64_t>(node->op));
    Add(v.id - node->result().id);
    const bool is_leaf = !own && view && !IsUniformConstant(f_, v);
    if (is_leaf) return;
    Add(static_cast<int64_t>(node->attrs().entries().size()));
    for (const auto& [name, value] : node->attrs().entries()) {
      AddAttribute(name);
      Add(static_cast<int64_t>(value.index()));
      std::visit([this](const auto& x) { AddAttribute(x); }, value);
    }
    Refer(std::vector<Value>(node->operands.begin(), node->operands.end()));
    if (const auto step = StackStepOf(f_, *node)) {  // schedules know it though the condition may be memory
      Add(step->axis);
      Add(step->position);
    }
  }

  void AddAttribute(int64_t x) { Add(x); }
  void AddAttribute(bool x) { Add(x); }
  void AddAttribute(DType x) { Add(static_cast<int64_t>(x)); }
  void AddAttribute(const Shape& x) { AddShape(x); }
  void AddAttribute(const std::vector<int64_t>& x) { Add(x); }
  void AddAttribute(const std::string& x) {
    Add(static_cast<int64_t>(x.size()));
    for (char c : x) Add(c);
  }
  void AddAttribute(const ir::Literal& x) {
    constexpr size_t kFew = 64;
    Add(static_cast<int64_t>(x.dtype()));
    AddShape(x.shape());
    const auto bytes = x.bytes();
    if (bytes.size() > kFew) {
      out_.addresses.push_back(out_.words.size());
      return Add(reinterpret_cast<intptr_t>(bytes.data()));  // alive as long as the function
    }
    for (std::byte b : bytes) Add(static_cast<int64_t>(b));
  }

  const ir::Function& f_;
  const PlanGraph& plan_;
  const int group_;
  GroupSignature out_;
  HashMap<int32_t, int64_t> positions_;
};

}  // namespace

std::string GroupSignature::Name() const {
  ir::SipHash hash({0x5c8ed0151e56ae0bu, 0x8f1bbcdc9a3d70e4u});  // any two numbers
  auto address = addresses.begin();
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_address = address != addresses.end() && *address == i;
    hash.Add(is_address ? 0 : static_cast<uint64_t>(words[i]));
    if (is_address) ++address;
  }
  const auto [low, high] = hash.Sum();
  return absl::StrFormat("%016x%016x", low, high);
}

GroupSignature SignatureOf(const ir::Function& f, const PlanGraph& plan, int group) {
  return Writer(f, plan, group).Run();
}

}  // namespace reel::codegen
