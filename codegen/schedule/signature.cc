#include "codegen/schedule/signature.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
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
  Writer(const ir::Function& f, const PlanGraph& plan, int index) : f_(f), plan_(plan), index_(index) {}

  KernelSignature Run() {
    WriteKernel(plan_.kernel(index_));
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
  void Add(ReduceKernel::Stage stage) { Add(static_cast<int64_t>(stage)); }
  /// The value's position.
  void Add(Value v) {
    if (!v.valid()) return Add(-1);
    const auto [it, added] = positions_.emplace(v.id, static_cast<int64_t>(out_.values.size()));
    if (added) out_.values.push_back(v);
    Add(it->second);
  }
  void Add(const PartialReduction& r) {
    Add(r.root);
    Add(r.to);
  }
  void Add(const std::optional<PartialReduction>& r) {
    Add(r.has_value());
    if (r) Add(std::vector{*r});
  }
  template <typename T>
  void Add(const std::vector<T>& list) {
    Add(static_cast<int64_t>(list.size()));
    for (const T& x : list) Add(x);
  }

  void WriteKernel(const KernelPlan& kernel) {
    Add(static_cast<int64_t>(kernel.kind()));
    Add(kernel.root);
    Add(kernel.producer);
    Add(kernel.epilogue);
    VisitFields(&kernel.detail, [this](std::string_view, const auto& field) { Add(field); });
    Add(kernel.nodes);
  }

  void AddShape(const Shape& shape) {
    Add(shape.rank());
    for (Extent e : shape) Add(e.value());
  }

  /// Its type and place, and how it is computed where the kernel may do that.
  void Describe(Value v) {
    const size_t i = v.index();
    const bool own = plan_.kernel_of[i] == index_;
    const auto& view = plan_.views[i];
    Add(static_cast<int64_t>(f_.type(v).dtype));
    AddShape(f_.type(v).shape);
    Add(own | plan_.stored[i] << 1 | plan_.materialized[i] << 2 | view.has_value() << 3 |
        (plan_.kernel_of[i] >= 0) << 4 | IsUniformConstant(f_, v) << 5);
    if (view) {
      Add(view->base);
      Add(view->offset);
      Add(view->strides);
    }
    const Node* node = f_.producer(v);
    if (node == nullptr) return Add(-1);
    Add(static_cast<int64_t>(node->op));
    Add(v.id - node->result().id);
    // The first stage of a sum computes a root that is another kernel's.
    const bool is_leaf = !own && view && !IsUniformConstant(f_, v) && v != plan_.kernel(index_).root;
    if (is_leaf) return;
    Add(static_cast<int64_t>(node->attrs().entries().size()));
    for (const auto& [name, value] : node->attrs().entries()) {
      AddAttribute(name);
      Add(static_cast<int64_t>(value.index()));
      std::visit([this](const auto& x) { AddAttribute(x); }, value);
    }
    Add(std::vector<Value>(node->operands.begin(), node->operands.end()));
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
  const int index_;
  KernelSignature out_;
  HashMap<int32_t, int64_t> positions_;
};

}  // namespace

std::string KernelSignature::Name() const {
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

KernelSignature SignatureOf(const ir::Function& f, const PlanGraph& plan, int index) {
  return Writer(f, plan, index).Run();
}

}  // namespace reel::codegen
