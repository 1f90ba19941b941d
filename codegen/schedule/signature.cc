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
  Writer(const ir::Function& f, const Grouping& grouping, int group) : f_(f), grouping_(grouping), group_(group) {}

  GroupSignature Run() {
    WriteGroup(grouping_.groups[static_cast<size_t>(group_)]);
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

  void WriteGroup(const Group& group) {
    Add(static_cast<int64_t>(group.root_kind));
    Refer(group.root);
    Refer(group.pre);
    Refer(group.post);
    Add(static_cast<int64_t>(group.columns.size()));
    for (const auto& [root, partials] : group.columns) {
      Refer(root);
      Refer(partials);
    }
    Add(group.row_extents);
    Add(group.width);
    Refer(group.partials);
    Add(group.nodes);
  }

  void AddShape(const Shape& shape) {
    Add(shape.rank());
    for (Extent e : shape) Add(e.value());
  }

  /// Its type and place, and how it is computed where the kernel may do that.
  void Describe(Value v) {
    const auto i = static_cast<size_t>(v.id);
    const bool own = grouping_.group_of[i] == group_;
    const auto& view = grouping_.views[i];
    Add(static_cast<int64_t>(f_.type(v).dtype));
    AddShape(f_.type(v).shape);
    Add(own | grouping_.stored[i] << 1 | grouping_.materialized[i] << 2 | view.has_value() << 3 |
        (grouping_.group_of[i] >= 0) << 4 | IsUniformConstant(f_, v) << 5);
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
  const Grouping& grouping_;
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

GroupSignature SignatureOf(const ir::Function& f, const Grouping& grouping, int group) {
  return Writer(f, grouping, group).Run();
}

}  // namespace reel::codegen
