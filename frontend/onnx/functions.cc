#include "frontend/onnx/functions.h"

#include <algorithm>
#include <string_view>

#include "frontend/onnx/node.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::onnx {
namespace {

const Attribute* FindByName(const std::vector<Attribute>& list, std::string_view name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const Attribute& a) { return a.name == name; });
  return it == list.end() ? nullptr : &*it;
}

// The attributes of a call, and the defaults of those that it leaves out.
std::vector<Attribute> Arguments(const FunctionBody& body, const Node& call) {
  std::vector<Attribute> arguments = call.attributes;
  for (const Attribute& a : arguments) {
    const bool declared = std::find(body.attributes.begin(), body.attributes.end(), a.name) != body.attributes.end();
    if (!declared && !FindByName(body.defaults, a.name))
      Wrong(StrCat("the function has no attribute ", ir::Quoted(a.name)));
  }
  for (const Attribute& a : body.defaults) {
    if (!FindByName(arguments, a.name)) arguments.push_back(a);
  }
  return arguments;
}

std::vector<Node> Bound(std::vector<Node> nodes, const std::vector<Attribute>& arguments);

// Attributes of one node, those of subgraphs too.
std::vector<Attribute> Bound(const std::vector<Attribute>& attributes, const std::vector<Attribute>& arguments) {
  std::vector<Attribute> out;
  for (Attribute a : attributes) {
    if (!a.reference.empty()) {
      const Attribute* value = FindByName(arguments, a.reference);
      if (!value) continue;
      a.value = value->value;
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

std::vector<Node> Bound(std::vector<Node> nodes, const std::vector<Attribute>& arguments) {
  for (Node& node : nodes) node.attributes = Bound(node.attributes, arguments);
  return nodes;
}

}  // namespace

const FunctionBody* FindFunction(const Model& model, const Node& node) {
  for (const FunctionBody& body : model.functions) {
    if (body.name == node.op && body.domain == node.domain && body.overload == node.overload) return &body;
  }
  return nullptr;
}

Calls WithAttributes(const FunctionBody& body, const Node& call) { return Bound(body.nodes, Arguments(body, call)); }

}  // namespace reel::onnx
