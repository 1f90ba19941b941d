#include <initializer_list>
#include <string_view>
#include <utility>

#include "frontend/tensorflow/bundle.h"
#include "frontend/tensorflow/emitter.h"
#include "frontend/tensorflow/saved_model_parts.h"
#include "frontend/tensorflow/schema.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

using proto::AttrValue;
using proto::NodeDef;

AttrValue& Attr(NodeDef* node, std::string_view name) { return (*node->mutable_attr())[std::string(name)]; }

void SetNode(std::string name, std::string_view op, std::initializer_list<std::string> inputs, NodeDef* out) {
  out->set_name(std::move(name));
  out->set_op(std::string(op));
  for (const std::string& input : inputs) out->add_input(input);
}

/// A call of a function: its types and the shapes of its results.
void SetCall(const Signature& s, const std::string& function, const std::vector<size_t>& inputs,
             const std::vector<size_t>& outputs, NodeDef* node) {
  node->set_op("StatefulPartitionedCall");
  Attr(node, "f").mutable_func()->set_name(function);
  AttrValue::ListValue& in = *Attr(node, "Tin").mutable_list();
  for (const size_t i : inputs) in.add_type(DataTypeOf(s.graph.inputs[i].type.dtype));
  for (size_t i = 0; i < s.variables.size(); ++i) in.add_type(proto::DT_RESOURCE);
  AttrValue::ListValue& out = *Attr(node, "Tout").mutable_list();
  AttrValue::ListValue& shapes = *Attr(node, "_output_shapes").mutable_list();
  for (const size_t i : outputs) {
    out.add_type(DataTypeOf(s.graph.outputs[i].type.dtype));
    SetShape(s.graph.outputs[i].type.shape, shapes.add_shape());
  }
}

std::vector<size_t> InOrder(size_t n) {
  std::vector<size_t> out;
  for (size_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

/// A function with the arguments in an order and the results in that of their names, which calls the entry point.
void AddCall(const Signature& s, const std::string& name, const std::vector<size_t>& order,
             proto::FunctionDefLibrary* library) {
  exports::Names names;
  for (const std::string& keyword : s.keywords) names.Unique(keyword);
  proto::FunctionDef& f = *library->add_function();
  proto::OpDef& signature = *f.mutable_signature();
  signature.set_name(name);
  signature.set_is_stateful(true);
  NodeDef& call = *f.add_node_def();
  call.set_name(names.Unique("call"));
  AttrValue::ListValue& shapes = *(*f.mutable_attr())["_input_shapes"].mutable_list();
  const auto add_argument = [&](const std::string& argument, proto::DataType type, const std::string& said) {
    proto::OpDef::ArgDef& arg = *signature.add_input_arg();
    arg.set_name(argument);
    arg.set_type(type);
    const auto index = static_cast<uint32_t>(signature.input_arg_size() - 1);
    (*(*f.mutable_arg_attr())[index].mutable_attr())["_user_specified_name"].set_s(said);
    return shapes.add_shape();
  };
  for (const size_t i : order) {
    const Port& port = s.graph.inputs[i];
    SetShape(port.type.shape, add_argument(s.keywords[i], DataTypeOf(port.type.dtype), s.keywords[i]));
  }
  for (const std::string& keyword : s.keywords) call.add_input(keyword);
  for (size_t i = 0; i < s.variables.size(); ++i) {
    const std::string argument = names.Unique("variable");
    add_argument(argument, proto::DT_RESOURCE, argument);
    call.add_input(argument);
  }
  SetCall(s, s.graph.function, InOrder(s.graph.inputs.size()), InOrder(s.graph.outputs.size()), &call);
  for (size_t i = 0; i < s.output_order.size(); ++i) {
    proto::OpDef::ArgDef& arg = *signature.add_output_arg();
    arg.set_name(names.Unique("result"));
    arg.set_type(DataTypeOf(s.graph.outputs[s.output_order[i]].type.dtype));
    (*f.mutable_ret())[arg.name()] = StrCat(call.name(), ":output:", s.output_order[i]);
  }
  signature.add_control_output("call");
  (*f.mutable_control_ret())["call"] = call.name();
}

/// The graph and the names of its nodes.
class GraphBuilder {
 public:
  GraphBuilder(const SavedModelParts& parts, proto::MetaGraphDef* out) : parts_(parts), out_(*out), names_(InNodeName) {
    for (const SavedVariable& v : parts.variables) names_.Unique(v.node);
  }

  void AddVariables();
  void AddSignature(const Signature& s);
  void AddInitOp();
  /// Nodes that write and read a checkpoint whose place is fed.
  void AddSaver(const std::string& objects);

 private:
  NodeDef& Add(std::string_view name, std::string_view op, std::initializer_list<std::string> inputs = {}) {
    NodeDef& node = *out_.mutable_graph_def()->add_node();
    SetNode(names_.Unique(name), op, inputs, &node);
    return node;
  }
  NodeDef& AddPlaceholder(std::string_view name, proto::DataType type, const Shape& shape) {
    NodeDef& node = Add(name, "Placeholder");
    Attr(&node, "dtype").set_type(type);
    SetShape(shape, Attr(&node, "shape").mutable_shape());
    return node;
  }
  std::string AddTexts(std::string_view name, const std::vector<std::string>& texts, bool scalar);
  std::string AddSave(const std::string& file, const std::string& objects);
  std::string AddRestore(const std::string& file);
  static void SetInfo(const std::string& tensor, const Type& type, proto::TensorInfo* out) {
    out->set_name(tensor);
    out->set_dtype(DataTypeOf(type.dtype));
    SetShape(type.shape, out->mutable_tensor_shape());
  }

  const SavedModelParts& parts_;
  proto::MetaGraphDef& out_;
  exports::Names names_;
};

void GraphBuilder::AddVariables() {
  for (const SavedVariable& v : parts_.variables) {
    NodeDef& node = *out_.mutable_graph_def()->add_node();
    SetNode(v.node, "VarHandleOp", {}, &node);
    Attr(&node, "dtype").set_type(DataTypeOf(v.initial.dtype()));
    SetShape(v.initial.shape(), Attr(&node, "shape").mutable_shape());
    Attr(&node, "shared_name").set_s(v.node);
    if (v.node != v.name) Attr(&node, "_reel_name").set_s(v.name);
  }
}

void GraphBuilder::AddSignature(const Signature& s) {
  proto::SignatureDef& out = (*out_.mutable_signature_def())[s.key];
  out.set_method_name("tensorflow/serving/predict");
  std::vector<std::string> inputs;
  for (const size_t i : s.input_order) {
    const Port& port = s.graph.inputs[i];
    NodeDef& node = AddPlaceholder(StrCat(s.method, "_", s.keywords[i]), DataTypeOf(port.type.dtype), port.type.shape);
    if (port.name != s.keywords[i]) Attr(&node, "_reel_name").set_s(port.name);
    SetInfo(StrCat(node.name(), ":0"), port.type, &(*out.mutable_inputs())[s.keywords[i]]);
    inputs.push_back(node.name());
  }
  NodeDef& call = Add(s.method, "");
  for (const std::string& input : inputs) call.add_input(input);
  for (const size_t v : s.variables) call.add_input(parts_.variables[v].node);
  SetCall(s, s.by_keyword, s.input_order, s.output_order, &call);
  for (size_t k = 0; k < s.output_order.size(); ++k) {
    const size_t i = s.output_order[k];
    SetInfo(StrCat(call.name(), ":", k), s.graph.outputs[i].type, &(*out.mutable_outputs())[s.results[i]]);
  }
}

void GraphBuilder::AddInitOp() {
  proto::SignatureDef& init = (*out_.mutable_signature_def())[kInitSignature];
  proto::TensorInfo& info = (*init.mutable_outputs())[kInitSignature];
  info.set_name(Add("init", "NoOp").name());
  info.mutable_tensor_shape()->set_unknown_rank(true);
}

std::string GraphBuilder::AddTexts(std::string_view name, const std::vector<std::string>& texts, bool scalar) {
  NodeDef& node = Add(name, "Const");
  Attr(&node, "dtype").set_type(proto::DT_STRING);
  proto::TensorProto& tensor = *Attr(&node, "value").mutable_tensor();
  tensor.set_dtype(proto::DT_STRING);
  proto::TensorShapeProto& shape = *tensor.mutable_tensor_shape();
  if (!scalar) shape.add_dim()->set_size(static_cast<int64_t>(texts.size()));
  for (const std::string& text : texts) tensor.add_string_val(text);
  return node.name();
}

std::string GraphBuilder::AddSave(const std::string& file, const std::string& objects) {
  std::vector<std::string> keys{kObjectGraphKey}, values{AddTexts("save/objects", {objects}, true)};
  for (const SavedVariable& v : parts_.variables) {
    NodeDef& read = Add("save/read", "ReadVariableOp", {v.node});
    Attr(&read, "dtype").set_type(DataTypeOf(v.initial.dtype()));
    keys.push_back(v.key);
    values.push_back(read.name());
  }
  const std::string names = AddTexts("save/names", keys, false);
  const std::string slices = AddTexts("save/slices", std::vector<std::string>(keys.size()), false);
  NodeDef& save = Add("save/write", "SaveV2", {file, names, slices});
  for (const std::string& value : values) save.add_input(value);
  AttrValue::ListValue& types = *Attr(&save, "dtypes").mutable_list();
  types.add_type(proto::DT_STRING);
  for (const SavedVariable& v : parts_.variables) types.add_type(DataTypeOf(v.initial.dtype()));
  NodeDef& path = Add("save/path", "Identity", {file, StrCat("^", save.name())});
  Attr(&path, "T").set_type(proto::DT_STRING);
  return path.name();
}

std::string GraphBuilder::AddRestore(const std::string& file) {
  std::vector<std::string> keys, assigned;
  for (const SavedVariable& v : parts_.variables) keys.push_back(v.key);
  if (!keys.empty()) {
    const std::string names = AddTexts("restore/names", keys, false);
    const std::string slices = AddTexts("restore/slices", std::vector<std::string>(keys.size()), false);
    NodeDef& read = Add("restore/read", "RestoreV2", {file, names, slices});
    AttrValue::ListValue& types = *Attr(&read, "dtypes").mutable_list();
    for (size_t i = 0; i < keys.size(); ++i) {
      const SavedVariable& v = parts_.variables[i];
      types.add_type(DataTypeOf(v.initial.dtype()));
      NodeDef& assign = Add("restore/assign", "AssignVariableOp", {v.node, StrCat(read.name(), ":", i)});
      Attr(&assign, "dtype").set_type(DataTypeOf(v.initial.dtype()));
      assigned.push_back(assign.name());
    }
  }
  NodeDef& done = Add("restore/all", "NoOp");
  for (const std::string& name : assigned) done.add_input("^" + name);
  return done.name();
}

void GraphBuilder::AddSaver(const std::string& objects) {
  const std::string file = AddPlaceholder("saver_filename", proto::DT_STRING, {}).name();
  proto::SaverDef& saver = *out_.mutable_saver_def();
  saver.set_filename_tensor_name(file + ":0");
  saver.set_save_tensor_name(AddSave(file, objects) + ":0");
  saver.set_restore_op_name(AddRestore(file));
  saver.set_version(proto::SaverDef::V2);
}

}  // namespace

std::string SavedNameNear(std::string_view text) {
  const bool begins = !text.empty() && text[0] != '/' && text[0] != '_' && text[0] != '-' && InNodeName(text[0]);
  std::string out = StrCat(begins ? "" : "v", text);
  if (out.ends_with('/')) out.back() = '_';  // a name with a slash at its end is that of a scope
  return out;
}

void AddCalls(const SavedModelParts& parts, proto::FunctionDefLibrary* library) {
  for (const Signature& s : parts.signatures) {
    AddCall(s, s.by_position, InOrder(s.graph.inputs.size()), library);
    AddCall(s, s.by_keyword, s.input_order, library);
  }
}

void AddGraph(const SavedModelParts& parts, const std::string& objects, proto::MetaGraphDef* out) {
  GraphBuilder graph(parts, out);
  graph.AddVariables();
  for (const Signature& s : parts.signatures) graph.AddSignature(s);
  graph.AddInitOp();
  graph.AddSaver(objects);
}

}  // namespace reel::tensorflow
