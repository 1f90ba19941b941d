#include "frontend/summary/graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/summary/event.pb.h"
#include "ir/file/folder.h"
#include "ir/hash_map.h"
#include "ir/strings.h"

namespace reel::summary {
namespace {

constexpr int kProducer = 22;  // of the GraphDef; TensorBoard refuses none
constexpr std::string_view kGradientHint = ".grad";

// The enumerators of TensorFlow's types.proto, by DType.
constexpr int kTypeCodes[kNumDTypes] = {10, 6, 5, 3, 9, 4, 17, 22, 23, 19, 14, 1, 2, 8, 18};

// A part of a path that TensorBoard takes: letters, digits and _.-, first a letter, a digit or a dot.
std::string SafePart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    out.push_back(plain || (!out.empty() && (c == '_' || c == '-')) ? c : out.empty() ? '.' : '_');
  }
  return out.empty() ? "." : out;
}

std::string SafePath(std::string_view path) {
  std::string out;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) StrAppend(&out, out.empty() ? "" : "/", SafePart(path.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out.empty() ? "." : out;
}

std::string_view CommonFolder(std::string_view a, std::string_view b) {
  size_t end = 0;
  for (size_t i = 0; i <= a.size() && i <= b.size(); ++i) {
    const bool a_ends = i == a.size() || a[i] == '/', b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

std::string AttributeText(const ir::AttrValue& value) {
  struct Visitor {
    std::string operator()(int64_t v) const { return StrCat(v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const std::vector<int64_t>& v) const {
      std::string out = "[";
      for (const int64_t x : v) StrAppend(&out, out.size() > 1 ? ", " : "", x);
      return out + "]";
    }
    std::string operator()(const Shape& v) const { return v.ToString(); }
    std::string operator()(DType v) const { return std::string(Name(v)); }
    std::string operator()(const ir::Literal& v) const { return v.type().ToString(); }
  };
  return std::visit(Visitor(), value);
}

// All nodes get names that no other has.
class Names {
 public:
  std::string Take(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 1; !taken_.insert(name).second; ++n) name = StrCat(wanted, "_", n);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

void SetType(const Type& type, const ir::Module& module, proto::AttrValue::List* list) {
  list->add_type(kTypeCodes[static_cast<size_t>(type.dtype)]);
  proto::Shape* shape = list->add_shape();
  for (const Extent e : type.shape) {
    proto::Shape::Dim* dim = shape->add_dim();
    dim->set_size(e.is_constant() ? e.value() : -1);
    if (!e.is_constant()) dim->set_name(module.symbols()[static_cast<size_t>(e.symbol())].name);
  }
}

// One function of a module.
class FunctionWriter {
 public:
  FunctionWriter(const ir::Module& module, const ir::Function& f, const HashMap<std::string, std::string>& variables,
                 Names* names, proto::GraphDef* graph)
      : module_(module), f_(f), variables_(variables), names_(names), graph_(graph), root_(SafePart(f.name())) {}

  void Write() {
    values_.resize(static_cast<size_t>(f_.num_values()));
    AddParameters();
    FindSections();
    FindScopes();
    for (size_t n = 0; n < f_.nodes().size(); ++n) AddNode(n);
    AddResults();
  }

 private:
  enum class Section : uint8_t { kForward, kBackward, kUpdate };

  proto::NodeDef* Add(const std::string& name, std::string_view op) {
    proto::NodeDef* node = graph_->add_node();
    node->set_name(names_->Take(name));
    node->set_op(std::string(op));
    return node;
  }

  void AddParameters() {
    for (int i = 0; i < f_.num_parameters(); ++i) {
      const ir::Parameter& p = f_.parameter(i);
      if (i >= f_.num_arguments()) {
        values_[static_cast<size_t>(i)] = variables_.at(p.name);
        continue;
      }
      proto::NodeDef* node = Add(StrCat(root_, "/inputs/", SafePath(p.name)), "Argument");
      SetType(p.type, module_, (*node->mutable_attr())["_output_shapes"].mutable_list());
      values_[static_cast<size_t>(i)] = node->name();
    }
  }

  // Backward is what rules of gradients made; forward what these and the results need; update what is computed from
  // gradients, or for variables alone.
  void FindSections() {
    const auto values = static_cast<size_t>(f_.num_values());
    std::vector<bool> after_gradients(values), needed(values);
    for (const ir::Node& node : f_.nodes()) {
      bool backward = false, after = false;
      for (int i = 0; i < node.num_results; ++i) backward |= f_.name_hint(node.result(i)).ends_with(kGradientHint);
      for (const ir::Value v : node.operands) after |= after_gradients[v.index()];
      for (int i = 0; i < node.num_results; ++i) after_gradients[node.result(i).index()] = backward || after;
      sections_.push_back(backward ? Section::kBackward : after ? Section::kUpdate : Section::kForward);
    }
    for (int i = 0; i < f_.num_outputs(); ++i) needed[f_.results()[static_cast<size_t>(i)].index()] = true;
    std::vector<Section> of_reader(values, Section::kForward);  // of the first
    for (size_t n = f_.nodes().size(); n > 0; --n) {
      const ir::Node& node = f_.nodes()[n - 1];
      Section& section = sections_[n - 1];
      bool wanted = section == Section::kBackward;
      for (int i = 0; i < node.num_results; ++i) wanted |= needed[node.result(i).index()];
      if (section == Section::kForward && !wanted) section = Section::kUpdate;
      if (section == Section::kForward && node.operands.empty()) section = of_reader[node.result().index()];
      for (const ir::Value v : node.operands) {
        if (wanted) needed[v.index()] = true;
        of_reader[v.index()] = section;
      }
    }
  }

  // The folder of the variables that a node reads, "" for none or of no folder.
  std::string OwnScope(const ir::Node& node) const {
    std::string scope;
    bool any = false;
    for (ir::Value v : node.operands) {
      while (f_.Is(v, ir::Op::kIdentity)) v = f_.producer(v)->operands[0];  // a variable as it is read at a line
      if (!f_.is_parameter(v) || v.id < f_.num_arguments()) continue;
      const std::string_view folder = ir::ParentOf(values_[v.index()]);
      scope = any ? CommonFolder(scope, folder) : folder;
      any = true;
    }
    return scope;
  }

  // Of what flows into a node from the same line of the program.
  std::string InheritedScope(const ir::Node& node) const {
    std::string scope;
    bool any = false;
    for (const ir::Value v : node.operands) {
      const int32_t from = f_.producer_index(v);
      if (from < 0 || f_.nodes()[static_cast<size_t>(from)].location != node.location) continue;
      const std::string& other = scopes_[static_cast<size_t>(from)];
      if (other.empty()) continue;
      scope = any ? CommonFolder(scope, other) : other;
      any = true;
    }
    return scope;
  }

  // The node that a gradient rule differentiated: rules go through the nodes from the last to the first, and know op
  // and line. `last` is the one before, or -1.
  int32_t Differentiated(const ir::Node& node, int32_t last) const {
    const std::string_view hint = f_.name_hint(node.result());
    const auto found = forward_.find({std::string(hint.substr(0, hint.size() - kGradientHint.size())), node.location});
    if (found == forward_.end()) return -1;
    const std::vector<int32_t>& nodes = found->second;
    const auto above = last < 0 ? nodes.end() : std::upper_bound(nodes.begin(), nodes.end(), last);
    return above == nodes.begin() ? nodes.back() : *(above - 1);
  }

  void FindScopes() {
    int32_t differentiated = -1;
    for (size_t n = 0; n < f_.nodes().size(); ++n) {
      const ir::Node& node = f_.nodes()[n];
      std::string scope = OwnScope(node);
      if (sections_[n] == Section::kBackward) {
        const int32_t found = node.num_results == 0 ? -1 : Differentiated(node, differentiated);
        if (found >= 0) {
          differentiated = found;
          scope = scopes_[static_cast<size_t>(found)];
        }
      } else if (sections_[n] == Section::kForward && node.location >= 0) {
        forward_[{std::string(ir::Name(node.op)), node.location}].push_back(static_cast<int32_t>(n));
        if (scope.empty()) scope = InheritedScope(node);
      }
      scopes_.push_back(std::move(scope));
    }
  }

  std::string ScopeOf(size_t n) const {
    if (!scopes_[n].empty()) return scopes_[n] + "/";
    const ir::Node& node = f_.nodes()[n];
    if (node.location < 0) return "";
    const ir::Location& line = f_.locations()[static_cast<size_t>(node.location)];
    return StrCat(SafePart(ir::FileName(line.file)), "-L", line.line, "/");
  }

  void AddNode(size_t n) {
    static constexpr std::string_view kSections[] = {"forward", "backward", "update"};
    const ir::Node& node = f_.nodes()[n];
    const std::string_view op = ir::Name(node.op);
    const std::string folder = StrCat(root_, "/", kSections[static_cast<size_t>(sections_[n])], "/", ScopeOf(n));
    proto::NodeDef* out = Add(StrCat(folder, op, "_", node.first_result - f_.num_parameters()), op);
    for (const ir::Value v : node.operands) out->add_input(values_[v.index()]);
    auto& attributes = *out->mutable_attr();
    for (int i = 0; i < node.num_results; ++i) {
      values_[node.result(i).index()] = i == 0 ? out->name() : StrCat(out->name(), ":", i);
      SetType(f_.type(node.result(i)), module_, attributes["_output_shapes"].mutable_list());
    }
    AddAttributes(node, &attributes);
  }

  template <typename Map>
  void AddAttributes(const ir::Node& node, Map* attributes) const {
    for (const auto& [name, value] : node.attrs().entries()) {
      (*attributes)[name].set_s(AttributeText(value));
    }
    if (node.location < 0) return;
    const ir::Location& line = f_.locations()[static_cast<size_t>(node.location)];
    (*attributes)["line"].set_s(StrCat(line.file, ":", line.line));
  }

  void AddResults() {
    for (int i = 0; i < static_cast<int>(f_.results().size()); ++i) {
      const ir::Value v = f_.results()[static_cast<size_t>(i)];
      const bool state = i >= f_.num_outputs();
      if (state && v.id == f_.num_arguments() + i - f_.num_outputs()) continue;  // only read
      const std::string name =
          state ? StrCat("/assigned/", variables_.at(f_.state()[static_cast<size_t>(i - f_.num_outputs())]))
                : StrCat("/outputs/", SafePath(f_.result_name(i)));
      proto::NodeDef* out = Add(root_ + name, state ? "Assign" : "Result");
      out->add_input(values_[v.index()]);
      SetType(f_.type(v), module_, (*out->mutable_attr())["_output_shapes"].mutable_list());
    }
  }

  const ir::Module& module_;
  const ir::Function& f_;
  const HashMap<std::string, std::string>& variables_;
  Names* names_;
  proto::GraphDef* graph_;
  std::string root_;
  std::vector<std::string> values_;  // by value: the name of its node, :i of a further result
  std::vector<Section> sections_;    // by node
  std::vector<std::string> scopes_;
  std::map<std::pair<std::string, int32_t>, std::vector<int32_t>> forward_;  // nodes by op and line
};

}  // namespace

std::string GraphDefOf(const ir::Module& module) {
  proto::GraphDef graph;
  graph.mutable_versions()->set_producer(kProducer);
  Names names;
  HashMap<std::string, std::string> variables;
  for (const ir::Variable& v : module.variables()) {
    proto::NodeDef* node = graph.add_node();
    node->set_name(names.Take(SafePath(v.name)));
    node->set_op("Variable");
    SetType(v.type, module, (*node->mutable_attr())["_output_shapes"].mutable_list());
    variables[v.name] = node->name();
  }
  for (const auto& f : module.functions()) FunctionWriter(module, *f, variables, &names, &graph).Write();
  return graph.SerializeAsString();
}

}  // namespace reel::summary
