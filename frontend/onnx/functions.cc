#include "frontend/onnx/functions.h"

#include <set>

#include "frontend/onnx/node.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::onnx {
namespace {

using Arguments = std::map<std::string_view, const Attribute*>;

// The attributes of a call, and the defaults of those that it leaves out.
Arguments ArgumentsOf(const FunctionBody& body, const Node& call) {
  std::set<std::string_view> declared(body.attributes.begin(), body.attributes.end());
  for (const Attribute& a : body.defaults) declared.insert(a.name);
  Arguments arguments;
  for (const Attribute& a : call.attributes) {
    if (!declared.contains(a.name)) Wrong(StrCat("the function has no attribute ", ir::Quoted(a.name)));
    arguments.emplace(a.name, &a);
  }
  for (const Attribute& a : body.defaults) arguments.emplace(a.name, &a);
  return arguments;
}

std::vector<Node> Bound(std::vector<Node> nodes, const Arguments& arguments);

// Attributes of one node, those of subgraphs too.
std::vector<Attribute> Bound(const std::vector<Attribute>& attributes, const Arguments& arguments) {
  std::vector<Attribute> out;
  for (Attribute a : attributes) {
    if (!a.reference.empty()) {
      const auto given = arguments.find(a.reference);
      if (given == arguments.end()) continue;
      a.value = given->second->value;
      a.small = given->second->small;
      a.reference.clear();
    } else if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&a.value)) {
      Graph bound = **graph;
      bound.nodes = Bound(std::move(bound.nodes), arguments);
      a.value = std::make_shared<const Graph>(std::move(bound));
    }
    out.push_back(std::move(a));
  }
  return out;
}

std::vector<Node> Bound(std::vector<Node> nodes, const Arguments& arguments) {
  for (Node& node : nodes) node.attributes = Bound(node.attributes, arguments);
  return nodes;
}

}  // namespace

FunctionTable::FunctionTable(const Model& model) {
  for (const FunctionBody& body : model.functions)
    functions_.emplace(Key(body.domain, body.name, body.overload), &body);
}

const FunctionBody* FunctionTable::Find(const Node& node) const {
  const auto it = functions_.find(Key(node.domain, node.op, node.overload));
  return it == functions_.end() ? nullptr : it->second;
}

std::vector<Node> WithAttributes(const FunctionBody& body, const Node& call) {
  return Bound(body.nodes, ArgumentsOf(body, call));
}

}  // namespace reel::onnx
