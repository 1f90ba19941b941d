#include "frontend/report/drawn.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "frontend/report/layout.h"
#include "ir/strings.h"

namespace reel::internal {
namespace {

constexpr std::string_view kGradientSuffix =
    ".grad";  // of names that the gradient pass gives (passes/gradient/sweep.cc)
constexpr size_t kMaxUsers = 16;  // users of a value among which a gradient's forward op is looked for
constexpr size_t kMaxDetail = 240;

bool IsConstant(const ir::Function& f, ir::Value v) {
  const ir::Node* const node = f.producer(v);
  if (node == nullptr) return false;
  return node->op == ir::Op::kConstant ||
         (node->op == ir::Op::kBroadcast && f.Is(node->operands[0], ir::Op::kConstant));
}

// "tanh" of a node whose values are called tanh.grad; empty: it is no gradient by its name.
std::string_view GradientOf(const ir::Function& f, const ir::Node& node) {
  for (int i = 0; i < node.num_results; ++i) {
    std::string_view hint = f.name_hint(node.result(i));
    if (hint.size() <= kGradientSuffix.size() || !hint.ends_with(kGradientSuffix)) continue;
    hint.remove_suffix(kGradientSuffix.size());
    return hint;
  }
  return {};
}

// What gradients call an op: by its value's name, or by the op's.
std::string_view NameForGradients(const ir::Function& f, const ir::Node& node) {
  const std::string_view hint = node.num_results > 0 ? f.name_hint(node.result()) : std::string_view();
  return hint.empty() ? ir::Name(node.op) : hint;
}

class Drawer {
 public:
  explicit Drawer(const ir::Function& f) : f_(f), box_of_(static_cast<size_t>(f.num_values()), -1) {}

  DrawnGraph Run() {
    AddBoxes();
    FindParts();
    FindUpdates();
    FindPartners();
    Place(&graph_);
    return std::move(graph_);
  }

 private:
  DrawnNode& box(int32_t i) { return graph_.nodes[static_cast<size_t>(i)]; }

  void AddBox(DrawnNode node) { graph_.nodes.push_back(std::move(node)); }
  int32_t Next() const { return static_cast<int32_t>(graph_.nodes.size()); }

  void AddBoxes() {
    for (int i = 0; i < f_.num_parameters(); ++i) {
      box_of_[static_cast<size_t>(i)] = Next();
      const bool state = i >= f_.num_arguments();
      AddBox({.kind = state ? DrawnNode::Kind::kVariable : DrawnNode::Kind::kArgument, .value = {i}});
    }
    for (size_t n = 0; n < f_.nodes().size(); ++n) {
      const ir::Node& node = f_.nodes()[n];
      if (node.num_results > 0 && IsConstant(f_, node.result())) continue;
      DrawnNode drawn{.node = static_cast<int32_t>(n), .value = node.num_results > 0 ? node.result() : ir::Value{}};
      for (const ir::Value v : node.operands) {
        if (box_of_[v.index()] >= 0) drawn.operands.push_back(box_of_[v.index()]);
      }
      for (int i = 0; i < node.num_results; ++i) box_of_[node.result(i).index()] = Next();
      AddBox(std::move(drawn));
    }
    for (size_t i = 0; i < f_.results().size(); ++i) {
      const ir::Value v = f_.results()[i];
      const bool state = static_cast<int>(i) >= f_.num_outputs();
      if (state && f_.is_parameter(v)) continue;  // a variable that keeps its value
      DrawnNode drawn{.kind = state ? DrawnNode::Kind::kNewVariable : DrawnNode::Kind::kResult, .value = v};
      drawn.node = static_cast<int32_t>(i);
      if (box_of_[v.index()] >= 0) drawn.operands.push_back(box_of_[v.index()]);
      AddBox(std::move(drawn));
    }
  }

  // By names; what has none and stands between gradients is one, what is made of them is an update.
  void FindParts() {
    std::vector<bool> before(graph_.nodes.size()), named(graph_.nodes.size());
    for (int32_t i = Next() - 1; i >= 0; --i) {
      const DrawnNode& node = box(i);
      named[static_cast<size_t>(i)] = node.kind == DrawnNode::Kind::kOp && !GradientOf(f_, Node(node)).empty();
      if (!named[static_cast<size_t>(i)] && !before[static_cast<size_t>(i)]) continue;
      for (const int32_t from : node.operands) before[static_cast<size_t>(from)] = true;
    }
    for (int32_t i = 0; i < Next(); ++i) {
      DrawnNode& node = box(i);
      const auto reads = [&](Part part) {
        return std::any_of(node.operands.begin(), node.operands.end(),
                           [&](int32_t from) { return box(from).part == part; });
      };
      const bool leads = before[static_cast<size_t>(i)];
      if (named[static_cast<size_t>(i)] || (leads && reads(Part::kGradient))) {
        node.part = Part::kGradient;
      } else if (!leads && (reads(Part::kGradient) || reads(Part::kUpdate))) {
        node.part = node.kind == DrawnNode::Kind::kResult && !reads(Part::kUpdate) ? Part::kGradient : Part::kUpdate;
      }
    }
  }

  // New values of variables are updates, and so is what they alone are made of: an optimizer's slots, a moving average.
  void FindUpdates() {
    std::vector<bool> read(graph_.nodes.size()), otherwise(graph_.nodes.size());
    for (int32_t i = Next() - 1; i >= 0; --i) {
      DrawnNode& node = box(i);
      const auto at = static_cast<size_t>(i);
      if (node.kind == DrawnNode::Kind::kNewVariable) node.part = Part::kUpdate;
      if (node.part == Part::kForward && read[at] && !otherwise[at]) node.part = Part::kUpdate;
      for (const int32_t from : node.operands) {
        read[static_cast<size_t>(from)] = true;
        if (node.part != Part::kUpdate) otherwise[static_cast<size_t>(from)] = true;
      }
    }
  }

  const ir::Node& Node(const DrawnNode& node) const { return f_.nodes()[static_cast<size_t>(node.node)]; }
  using Key = std::tuple<std::string_view, int32_t, std::string_view>;  // file, line, name
  Key KeyOf(const ir::Node& node, std::string_view name) const {
    if (node.location < 0) return {"", 0, name};
    const ir::Location& location = f_.locations()[static_cast<size_t>(node.location)];
    return {location.file, location.line, name};
  }

  // The forward op of a gradient's name and line: the one that shares a value with it; else the last before that of the
  // gradient it reads, since gradients come from users.
  void FindPartners() {
    std::map<Key, std::vector<int32_t>> forward;
    std::vector<std::vector<int32_t>> users(graph_.nodes.size());
    std::vector<Key> keys(graph_.nodes.size());
    for (int32_t i = 0; i < Next(); ++i) {
      DrawnNode& node = box(i);
      if (node.kind != DrawnNode::Kind::kOp) continue;
      Key& key = keys[static_cast<size_t>(i)];
      if (node.part == Part::kForward) {
        key = KeyOf(Node(node), NameForGradients(f_, Node(node)));
        forward[key].push_back(i);
        for (const int32_t from : node.operands) {
          std::vector<int32_t>& list = users[static_cast<size_t>(from)];
          if (list.size() < kMaxUsers) list.push_back(i);
        }
      } else if (node.part == Part::kGradient) {
        const std::string_view of = GradientOf(f_, Node(node));
        key = KeyOf(Node(node), of.empty() ? ir::Name(Node(node).op) : of);  // what a pass made anew has no name
        node.partner = PartnerOf(i, key, forward, users, keys);
      }
    }
  }

  int32_t PartnerOf(int32_t i, const Key& key, const std::map<Key, std::vector<int32_t>>& forward,
                    const std::vector<std::vector<int32_t>>& users, const std::vector<Key>& keys) {
    int32_t best = -1, from_gradient = -1;
    for (const int32_t from : box(i).operands) {
      if (box(from).part == Part::kGradient) {
        const int32_t partner = box(from).partner;
        if (partner >= 0 && keys[static_cast<size_t>(partner)] == key) best = std::max(best, partner);
        from_gradient = std::max(from_gradient, partner);
        continue;
      }
      if (keys[static_cast<size_t>(from)] == key) best = std::max(best, from);
      for (const int32_t user : users[static_cast<size_t>(from)]) {
        if (keys[static_cast<size_t>(user)] == key) best = std::max(best, user);
      }
    }
    if (best >= 0) return best;
    const auto list = forward.find(key);
    if (list == forward.end()) return from_gradient;
    if (from_gradient < 0) return list->second.back();
    const auto after = std::lower_bound(list->second.begin(), list->second.end(), from_gradient);
    return after == list->second.begin() ? list->second.front() : *(after - 1);
  }

  const ir::Function& f_;
  std::vector<int32_t> box_of_;  // by value
  DrawnGraph graph_;
};

std::string AttributeText(const ir::AttrValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, int64_t>) {
          return StrCat(v);
        } else if constexpr (std::is_same_v<T, bool>) {
          return v ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return v;
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          std::string out = "[";
          for (size_t i = 0; i < v.size() && out.size() < kMaxDetail; ++i) StrAppend(&out, i ? ", " : "", v[i]);
          return out + "]";
        } else if constexpr (std::is_same_v<T, Shape>) {
          const std::string text = Type{kFloat32, v}.ToString();
          return text.substr(text.find('['));
        } else if constexpr (std::is_same_v<T, DType>) {
          return std::string(Name(v));
        } else {
          if (v.size() != 1 || IsComplex(v.dtype())) return v.type().ToString();
          char number[40];
          std::snprintf(number, sizeof number, "%.9g", v.AsDouble(0));
          return number;
        }
      },
      value);
}

}  // namespace

DrawnGraph Draw(const ir::Function& f) { return Drawer(f).Run(); }

std::string LabelOf(const ir::Function& f, const DrawnNode& node) {
  const auto i = static_cast<size_t>(node.node);
  switch (node.kind) {
    case DrawnNode::Kind::kArgument:
    case DrawnNode::Kind::kVariable: return f.parameter(node.value.id).name;
    case DrawnNode::Kind::kResult: return f.result_name(node.node);
    case DrawnNode::Kind::kNewVariable: return StrCat("new ", f.state()[i - static_cast<size_t>(f.num_outputs())]);
    default: return std::string(ir::Name(f.nodes()[i].op));
  }
}

std::string DetailOf(const ir::Function& f, const DrawnNode& drawn) {
  if (drawn.kind != DrawnNode::Kind::kOp) return "";
  const ir::Node& node = f.nodes()[static_cast<size_t>(drawn.node)];
  std::string out;
  for (const auto& [name, value] : node.attrs().entries()) {
    StrAppend(&out, out.empty() ? "" : ", ", name, "=", AttributeText(value));
    if (out.size() > kMaxDetail) break;
  }
  for (const ir::Value v : node.operands) {
    if (!IsConstant(f, v) || out.size() > kMaxDetail) continue;
    const ir::Node* from = f.producer(v);
    if (from->op != ir::Op::kConstant) from = f.producer(from->operands[0]);
    StrAppend(&out, out.empty() ? "" : ", ", "constant ", AttributeText(*from->attrs().Find("value")));
  }
  if (out.size() > kMaxDetail) out = out.substr(0, kMaxDetail) + "...";
  return out;
}

}  // namespace reel::internal
