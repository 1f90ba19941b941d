#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "frontend/tensorflow/saved_model_parts.h"
#include "frontend/tensorflow/schema.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

using proto::StructuredValue;

constexpr std::string_view kNotNames[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "self", "try",    "while",  "with",     "yield"};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool InIdentifier(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '_'; }

std::string InPython(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (!InIdentifier(c)) c = '_';
  }
  return out;
}

/// Adds objects and gives their children names that TensorFlow's objects can have as attributes: none begins with an
/// underscore, as their own do.
class Objects {
 public:
  explicit Objects(proto::SavedObjectGraph* out) : out_(*out) {}

  int Add() {
    names_.emplace_back();
    out_.add_nodes();
    return out_.nodes_size() - 1;
  }
  int AddUserObject(std::string_view identifier) {
    const int id = Add();
    proto::SavedUserObject& user = *at(id).mutable_user_object();
    user.set_identifier(std::string(identifier));
    user.mutable_version()->set_producer(1);
    user.mutable_version()->set_min_consumer(1);
    return id;
  }
  proto::SavedObject& at(int id) { return *out_.mutable_nodes(id); }

  std::string Name(int parent, std::string_view wanted) {
    std::string name = InPython(wanted);
    if (name.empty() || name[0] == '_') name = "v" + name;
    return names_[static_cast<size_t>(parent)].Unique(name);
  }
  void Link(int parent, int child, const std::string& name) {
    proto::ObjectReference& reference = *at(parent).add_children();
    reference.set_node_id(child);
    reference.set_local_name(name);
  }

 private:
  proto::SavedObjectGraph& out_;
  std::vector<exports::Names> names_;  // of the children, by object
};

/// A variable below the root: an object for each part of its name but the last, shared by variables.
class VariableTree {
 public:
  VariableTree(Objects* objects, int root) : objects_(*objects), root_(root) {}

  void Add(SavedVariable* variable) {
    int parent = root_;
    std::string path;
    std::string_view rest = variable->name;
    for (size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
      Inner& inner = InnerOf(parent, rest.substr(0, slash));
      StrAppend(&path, inner.name, "/");
      parent = inner.object;
      rest.remove_prefix(slash + 1);
    }
    const std::string name = objects_.Name(parent, rest);
    variable->object = objects_.Add();
    variable->key = StrCat(path, name, "/.ATTRIBUTES/VARIABLE_VALUE");
    objects_.Link(parent, variable->object, name);
    proto::SavedVariable& saved = *objects_.at(variable->object).mutable_variable();
    saved.set_dtype(DataTypeOf(variable->initial.dtype()));
    SetShape(variable->initial.shape(), saved.mutable_shape());
    saved.set_trainable(variable->trainable);
    saved.set_name(variable->node);
  }

 private:
  struct Inner {
    int object = 0;
    std::string name;
  };

  Inner& InnerOf(int parent, std::string_view part) {
    const auto [it, added] = inner_.try_emplace({parent, std::string(part)});
    if (added) {
      it->second = {objects_.AddUserObject("_generic_user_object"), objects_.Name(parent, part)};
      objects_.Link(parent, it->second.object, it->second.name);
    }
    return it->second;
  }

  Objects& objects_;
  const int root_;
  std::map<std::pair<int, std::string>, Inner> inner_;
};

void SetSpec(const std::string& name, const Type& type, StructuredValue* out) {
  proto::TensorSpecProto& spec = *out->mutable_tensor_spec_value();
  spec.set_name(name);
  SetShape(type.shape, spec.mutable_shape());
  spec.set_dtype(DataTypeOf(type.dtype));
}

/// inspect.FullArgSpec of a function with arguments by position, or by keyword only.
void SetArguments(const std::vector<std::string>& names, bool by_keyword, proto::FunctionSpec* out) {
  proto::NamedTupleValue& spec = *out->mutable_fullargspec()->mutable_named_tuple_value();
  spec.set_name("FullArgSpec");
  const auto field = [&spec](std::string_view key) {
    proto::PairValue& pair = *spec.add_values();
    pair.set_key(std::string(key));
    return pair.mutable_value();
  };
  const auto set_names = [&names](bool have, StructuredValue* value) {
    proto::ListValue& list = *value->mutable_list_value();
    for (size_t i = 0; have && i < names.size(); ++i) list.add_values()->set_string_value(names[i]);
  };
  set_names(!by_keyword, field("args"));
  field("varargs")->mutable_none_value();
  field("varkw")->mutable_none_value();
  field("defaults")->mutable_none_value();
  set_names(by_keyword, field("kwonlyargs"));
  field("kwonlydefaults")->mutable_none_value();
  field("annotations")->mutable_dict_value();
  out->mutable_input_signature()->mutable_none_value();
}

/// How a function is called: the tuple of arguments and the dictionary of keywords; the dictionary that it gives.
void AddConcrete(const SavedModelParts& parts, const Signature& s, bool by_keyword, proto::SavedObjectGraph* out) {
  proto::SavedConcreteFunction& f = (*out->mutable_concrete_functions())[by_keyword ? s.by_keyword : s.by_position];
  for (const size_t v : s.variables) f.add_bound_inputs(parts.variables[v].object);
  proto::TupleValue& call = *f.mutable_canonicalized_input_signature()->mutable_tuple_value();
  proto::TupleValue& positional = *call.add_values()->mutable_tuple_value();
  proto::DictValue& keywords = *call.add_values()->mutable_dict_value();
  for (size_t i = 0; i < s.keywords.size(); ++i) {
    StructuredValue& value = by_keyword ? (*keywords.mutable_fields())[s.keywords[i]] : *positional.add_values();
    SetSpec(s.keywords[i], s.graph.inputs[i].type, &value);
  }
  proto::DictValue& results = *f.mutable_output_signature()->mutable_dict_value();
  for (size_t i = 0; i < s.results.size(); ++i)
    SetSpec(s.results[i], s.graph.outputs[i].type, &(*results.mutable_fields())[s.results[i]]);
}

void AddList(const SavedModelParts& parts, bool trainable_only, const std::string& name, Objects* objects) {
  const int list = objects->AddUserObject("trackable_list_wrapper");
  objects->Link(0, list, name);
  int n = 0;
  for (const SavedVariable& v : parts.variables) {
    if (v.trainable || !trainable_only) objects->Link(list, v.object, StrCat(n++));
  }
}

void AddFunctions(const SavedModelParts& parts, int signatures, Objects* objects, proto::SavedObjectGraph* out) {
  for (const Signature& s : parts.signatures) {
    AddConcrete(parts, s, false, out);
    AddConcrete(parts, s, true, out);
    const int method = objects->Add(), signature = objects->Add();
    objects->Link(0, method, s.method);
    proto::SavedFunction& function = *objects->at(method).mutable_function();
    function.add_concrete_functions(s.by_position);
    SetArguments(s.keywords, false, function.mutable_function_spec());
    objects->Link(signatures, signature, s.key);
    proto::SavedBareConcreteFunction& bare = *objects->at(signature).mutable_bare_concrete_function();
    bare.set_concrete_function_name(s.by_keyword);
    std::vector<std::string> sorted;
    for (const size_t i : s.input_order) sorted.push_back(s.keywords[i]);
    for (const std::string& keyword : sorted) bare.add_argument_keywords(keyword);
    bare.set_allowed_positional_arguments(sorted.size() == 1);
    SetArguments(sorted, true, bare.mutable_function_spec());
  }
}

}  // namespace

std::string PythonName(std::string_view text, exports::Names* names) {
  std::string name = InPython(text);
  if (name.empty() || !IsLetter(name[0])) name = "arg_" + name;
  if (std::find(std::begin(kNotNames), std::end(kNotNames), name) != std::end(kNotNames)) name += "_";
  return names->Unique(name);
}

void AddObjects(SavedModelParts* parts, proto::SavedObjectGraph* out) {
  Objects objects(out);
  const int root = objects.AddUserObject("_generic_user_object");
  // What the root has in any case: three that TensorFlow sets, then ours.
  for (const char* taken : {"graph_debug_info", "tensorflow_git_version", "tensorflow_version", "signatures",
                            "variables", "trainable_variables"})
    objects.Name(root, taken);
  const int signatures = objects.AddUserObject("signature_map");
  objects.Link(root, signatures, "signatures");
  for (Signature& s : parts->signatures) s.method = objects.Name(root, s.graph.entry);
  VariableTree tree(&objects, root);
  for (SavedVariable& v : parts->variables) tree.Add(&v);
  AddFunctions(*parts, signatures, &objects, out);
  AddList(*parts, false, "variables", &objects);
  AddList(*parts, true, "trainable_variables", &objects);
}

proto::TrackableObjectGraph CheckpointObjects(const SavedModelParts& parts, const proto::SavedObjectGraph& objects) {
  proto::TrackableObjectGraph out;
  for (const proto::SavedObject& object : objects.nodes()) {
    proto::TrackableObjectGraph::TrackableObject& node = *out.add_nodes();
    *node.mutable_children() = object.children();
    const bool holds = object.has_user_object() && object.user_object().identifier() != "signature_map";
    node.mutable_has_checkpoint_values()->set_value(object.has_variable() || (holds && !parts.variables.empty()));
  }
  for (const SavedVariable& v : parts.variables) {
    proto::TrackableObjectGraph::SerializedTensor& value = *out.mutable_nodes(v.object)->add_attributes();
    value.set_name("VARIABLE_VALUE");
    value.set_full_name(v.node);
    value.set_checkpoint_key(v.key);
  }
  return out;
}

}  // namespace reel::tensorflow
