#include "frontend/tensorflow/saved_model.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "frontend/tensorflow/bundle.h"
#include "frontend/tensorflow/emitter.h"
#include "frontend/tensorflow/messages.h"
#include "frontend/tensorflow/saved_model_parts.h"
#include "frontend/values/status.h"
#include "ir/calls.h"
#include "ir/eval/eval.h"
#include "ir/file/folder.h"
#include "ir/file/folder_writer.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

constexpr char kModelFile[] = "saved_model.pb", kServe[] = "serve";

std::vector<SavedVariable> Variables(const ir::Module& module) {
  std::vector<ir::Literal> initial = internal::Take(ir::InitialState(module));
  exports::Names nodes(InNodeName);
  std::vector<SavedVariable> out;
  for (size_t i = 0; i < initial.size(); ++i) {
    const ir::Variable& variable = module.variables()[i];
    SavedVariable& saved = out.emplace_back();
    saved.name = variable.name;
    saved.node = nodes.Unique(SavedNameNear(variable.name));
    saved.trainable = variable.trainable;
    saved.initial = std::move(initial[i]);
  }
  return out;
}

/// Indices in the order of names.
std::vector<size_t> Order(const std::vector<std::string>& names) {
  std::vector<size_t> out(names.size());
  std::iota(out.begin(), out.end(), size_t{0});
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) { return names[a] < names[b]; });
  return out;
}

Signature SignatureOf(FunctionGraph graph, const std::map<std::string, size_t>& variables, exports::Names* functions) {
  Signature out;
  exports::Names keywords, results;
  for (const Port& port : graph.inputs) out.keywords.push_back(PythonName(port.name, &keywords));
  for (const Port& port : graph.outputs) out.results.push_back(results.Unique(port.name));
  for (const VariableUse& use : graph.variables) out.variables.push_back(variables.at(use.name));
  out.input_order = Order(out.keywords);
  out.output_order = Order(out.results);
  out.by_keyword = functions->Unique(StrCat(graph.function, "_by_keyword"));
  out.by_position = functions->Unique(StrCat(graph.function, "_by_position"));
  out.graph = std::move(graph);
  return out;
}

std::vector<std::string> Entries(const ir::Module& module, const std::string& entry) {
  if (!entry.empty()) return {entry};
  std::vector<std::string> out;
  for (const ir::Function* f : ir::EntryFunctions(module)) out.push_back(f->name());
  if (out.empty()) internal::ThrowInvalid("tensorflow: the module has no function");
  return out;
}

struct Saved {
  SavedModelParts parts;
  std::string model, objects;  ///< saved_model.pb; what the checkpoint says of objects
};

Saved Build(const ir::Module& module, const std::string& entry, const Dims& dims) {
  Saved out;
  out.parts.variables = Variables(module);
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < out.parts.variables.size(); ++i) index[out.parts.variables[i].name] = i;
  proto::SavedModel model;
  model.set_saved_model_schema_version(1);
  proto::MetaGraphDef& meta = *model.add_meta_graphs();
  meta.mutable_meta_info_def()->add_tags(kServe);
  proto::GraphDef& graph = *meta.mutable_graph_def();
  SetVersions(graph.mutable_versions());
  exports::Names functions(InFunctionName), keys;
  keys.Unique(kInitSignature);
  for (const std::string& name : Entries(module, entry)) {
    FunctionGraph f = AddEntry(module, name, dims, &functions, graph.mutable_library());
    out.parts.signatures.push_back(SignatureOf(std::move(f), index, &functions));
    out.parts.signatures.back().key = keys.Unique(name);
  }
  AddCalls(out.parts, graph.mutable_library());
  AddObjects(&out.parts, meta.mutable_object_graph_def());
  out.objects = Serialized(CheckpointObjects(out.parts, meta.object_graph_def()));
  AddGraph(out.parts, out.objects, &meta);
  if (model.ByteSizeLong() > std::numeric_limits<int32_t>::max())
    internal::ThrowError(
        ErrorCode::kUnimplemented,
        "tensorflow: the graph has more than 2 GiB without its variables, which no SavedModel holds; make "
        "large constants variables");
  out.model = Serialized(model);
  return out;
}

absl::Status Write(const Saved& saved, const std::string& folder) {
  const std::string variables = folder + "/variables";
  if (const int failure = ir::MakeFolders(variables); failure != 0) {
    errno = failure;
    return ir::FileError("cannot make the folder", variables);
  }
  auto bundle = BundleWriter::Open(variables + "/variables");
  if (!bundle.ok()) return bundle.status();
  for (const SavedVariable& v : saved.parts.variables) {
    if (absl::Status s = bundle->Add(v.key, v.initial); !s.ok()) return s;
  }
  if (absl::Status s = bundle->AddString(kObjectGraphKey, saved.objects); !s.ok()) return s;
  if (absl::Status s = bundle->Commit(); !s.ok()) return s;
  return ir::WriteFile(StrCat(folder, "/", kModelFile), saved.model);
}

}  // namespace

absl::Status WriteSavedModel(const ir::Module& module, const std::string& path, const std::string& entry,
                             const Dims& dims) {
  const Saved saved = Build(module, entry, dims);
  auto folder = ir::FolderWriter::Open(path, kModelFile);
  if (!folder.ok()) return folder.status();
  if (absl::Status s = Write(saved, folder->folder()); !s.ok()) return s;
  return folder->Commit();
}

}  // namespace reel::tensorflow
