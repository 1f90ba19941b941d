#include "frontend/tensorflow/messages.h"

#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

// Versions of the format: newer readers take older graphs (2.21 writes 2474), and functions want 12.
constexpr int kProducer = 1087, kMinConsumer = 12;

struct SetAttr {
  proto::AttrValue* out;
  void operator()(bool x) const { out->set_b(x); }
  void operator()(int64_t x) const { out->set_i(x); }
  void operator()(const std::string& x) const { out->set_s(x); }
  void operator()(DType x) const { out->set_type(DataTypeOf(x)); }
  void operator()(const Shape& x) const { SetShape(x, out->mutable_shape()); }
  void operator()(const ir::Literal& x) const { SetTensor(x, out->mutable_tensor()); }
  void operator()(const FunctionName& x) const { out->mutable_func()->set_name(x.name); }
  void operator()(const std::vector<int64_t>& all) const {
    auto* list = out->mutable_list();
    for (const int64_t x : all) list->add_i(x);
  }
  void operator()(const std::vector<DType>& all) const {
    auto* list = out->mutable_list();
    for (const DType x : all) list->add_type(DataTypeOf(x));
  }
  void operator()(const std::vector<Shape>& all) const {
    auto* list = out->mutable_list();
    for (const Shape& x : all) SetShape(x, list->add_shape());
  }
};

// "node", "node:1"; in a function "argument", "node:port:0".
std::string Reference(const Body& body, const Value& value, bool in_function) {
  const GraphNode& node = body.nodes[static_cast<size_t>(value.node)];
  if (!node.operation) return node.name;
  if (!in_function) return value.output == 0 ? node.name : StrCat(node.name, ":", value.output);
  const bool one_port = node.operation->ports.find(' ') == std::string_view::npos;
  return StrCat(node.name, ":", PortOf(*node.operation, one_port ? 0 : value.output), ":", one_port ? value.output : 0);
}

void SetNode(const Body& body, const GraphNode& node, bool in_function, proto::NodeDef* out) {
  out->set_name(node.name);
  out->set_op(std::string(node.operation->name));
  for (const Value& v : node.inputs) out->add_input(Reference(body, v, in_function));
  for (const int i : node.after) out->add_input(StrCat("^", body.nodes[static_cast<size_t>(i)].name));
  auto& attrs = *out->mutable_attr();
  for (const Attr& attr : node.attrs) std::visit(SetAttr{&attrs[attr.name]}, attr.value);
  if (!node.original.empty()) attrs["_reel_name"].set_s(node.original);
}

void SetArgument(const GraphNode& node, uint32_t index, proto::FunctionDef* out) {
  proto::OpDef::ArgDef* argument = out->mutable_signature()->add_input_arg();
  argument->set_name(node.name);
  argument->set_type(node.is_resource ? proto::DT_RESOURCE : DataTypeOf(node.types[0].dtype));
  auto& attrs = *(*out->mutable_arg_attr())[index].mutable_attr();
  attrs["_user_specified_name"].set_s(node.original);
  SetShape(node.is_resource ? Shape{} : node.types[0].shape, attrs["_output_shapes"].mutable_list()->add_shape());
}

}  // namespace

void SetVersions(proto::VersionDef* out) {
  out->set_producer(kProducer);
  out->set_min_consumer(kMinConsumer);
}

void ToFunctionDef(const Body& body, proto::FunctionDef* out) {
  proto::OpDef* signature = out->mutable_signature();
  signature->set_name(body.name);
  uint32_t arguments = 0;
  for (const GraphNode& node : body.nodes) {
    if (!node.operation) {
      SetArgument(node, arguments++, out);
      if (node.is_resource) signature->set_is_stateful(true);
    } else {
      SetNode(body, node, true, out->add_node_def());
    }
  }
  for (size_t i = 0; i < body.results.size(); ++i) {
    proto::OpDef::ArgDef* result = signature->add_output_arg();
    result->set_name(body.result_names[i]);
    result->set_type(DataTypeOf(body.results[i].type.dtype));
    (*out->mutable_ret())[body.result_names[i]] = Reference(body, body.results[i], true);
  }
  for (const int i : body.control_results) {
    const std::string& name = body.nodes[static_cast<size_t>(i)].name;
    signature->add_control_output(name);
    (*out->mutable_control_ret())[name] = name;
  }
}

void ToGraphDef(const Body& body, const Library& library, proto::GraphDef* out) {
  SetVersions(out->mutable_versions());
  for (const GraphNode& node : body.nodes) SetNode(body, node, false, out->add_node());
  for (const Body& function : library.functions) ToFunctionDef(function, out->mutable_library()->add_function());
}

}  // namespace reel::tensorflow
