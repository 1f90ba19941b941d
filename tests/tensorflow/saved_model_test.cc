// Folders in TensorFlow's SavedModel format: that what they say fits together, whatever the names; what is refused.
// Whether TensorFlow runs them is the job of `third_party/setup interop`.

#include "frontend/tensorflow/saved_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/tensorflow/saved_model.pb.h"
#include "ir/file/folder.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "reel/error.h"

namespace reel::tensorflow {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kSmall = R"(variable @"dense/kernel": f32[2] = [1, 2]
variable @count frozen: i64[] = 3
func @train(%x: f32[2]) state(@"dense/kernel": f32[2], @count: i64[]) -> (loss: f32[], "a b": f32[2]) {
  %0 = sub @"dense/kernel", %x : f32[2]
  %1 = reduce_sum %0 {axes=[0]} : f32[]
  %2 = constant 1 : i64[]
  %3 = add @count, %2 : i64[]
  return %1, %0 state(%0, %3)
}
func @predict(%x: f32[2]) state(@"dense/kernel": f32[2]) -> (f32[2]) {
  %0 = mul @"dense/kernel", %x : f32[2]
  return %0 state(@"dense/kernel")
}
)";

ir::Module ModuleOf(std::string_view body) {
  auto module = ir::ParseModule(StrCat("reel 1\nmodule \"m\"\n", body));
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

std::string ReadAll(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class SavedModelTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return StrCat(folder_.path(), "/", name); }
  proto::MetaGraphDef Save(const ir::Module& module, const std::string& entry = "", const Dims& dims = {}) {
    const absl::Status status = WriteSavedModel(module, Path("model"), entry, dims);
    EXPECT_TRUE(status.ok()) << status;
    proto::SavedModel saved;
    EXPECT_TRUE(saved.ParseFromString(ReadAll(Path("model/saved_model.pb"))));
    EXPECT_EQ(saved.saved_model_schema_version(), 1);
    EXPECT_EQ(saved.meta_graphs_size(), 1);
    return saved.meta_graphs(0);
  }
  std::string ErrorOf(const ir::Module& module, const std::string& path, const std::string& entry = "") {
    try {
      return std::string(WriteSavedModel(module, path, entry, {}).message());
    } catch (const Error& e) {
      return e.what();
    }
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_.path())) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  ir::TemporaryFolder folder_;
};

template <typename Map>
std::set<std::string> KeysOf(const Map& map) {
  std::set<std::string> out;
  for (const auto& entry : map) out.insert(entry.first);
  return out;
}

// The output_args that a TensorInfo names are there, and all functions that nodes call are in the library.
void ExpectGraphFits(const proto::MetaGraphDef& meta) {
  static const std::regex valid("[A-Za-z0-9.][A-Za-z0-9_./-]*[A-Za-z0-9_.-]|[A-Za-z0-9.]");
  std::map<std::string, const proto::FunctionDef*> functions;
  for (const auto& f : meta.graph_def().library().function()) functions[f.signature().name()] = &f;
  EXPECT_EQ(static_cast<int>(functions.size()), meta.graph_def().library().function_size());
  std::map<std::string, const proto::NodeDef*> nodes;
  for (const proto::NodeDef& node : meta.graph_def().node()) {
    EXPECT_TRUE(std::regex_match(node.name(), valid)) << node.name();
    EXPECT_TRUE(nodes.emplace(node.name(), &node).second) << node.name();
    for (std::string input : node.input()) {
      if (input.starts_with('^')) input = input.substr(1);
      EXPECT_TRUE(nodes.count(input.substr(0, input.find(':')))) << input;
    }
    if (node.op() != "StatefulPartitionedCall") continue;
    const auto f = functions.find(node.attr().at("f").func().name());
    ASSERT_TRUE(f != functions.end());
    const proto::OpDef& signature = f->second->signature();
    ASSERT_EQ(signature.input_arg_size(), node.input_size());
    for (int i = 0; i < node.input_size(); ++i)
      EXPECT_EQ(signature.input_arg(i).type(), node.attr().at("Tin").list().type(i));
    for (int i = 0; i < signature.output_arg_size(); ++i)
      EXPECT_EQ(signature.output_arg(i).type(), node.attr().at("Tout").list().type(i));
  }
  const auto expect_node = [&](const std::string& tensor) {
    EXPECT_TRUE(nodes.count(tensor.substr(0, tensor.find(':')))) << tensor;
  };
  for (const auto& [key, signature] : meta.signature_def()) {
    for (const auto& [name, info] : signature.inputs()) expect_node(info.name());
    for (const auto& [name, info] : signature.outputs()) expect_node(info.name());
  }
  expect_node(meta.saver_def().filename_tensor_name());
  expect_node(meta.saver_def().save_tensor_name());
  expect_node(meta.saver_def().restore_op_name());
}

// Children have names that Python's objects can have, each once; functions take what they are bound to.
void ExpectObjectsFit(const proto::MetaGraphDef& meta) {
  static const std::regex attribute("[A-Za-z0-9][A-Za-z0-9_]*"), keyword("[A-Za-z][A-Za-z0-9_]*");
  std::map<std::string, const proto::FunctionDef*> functions;
  for (const auto& f : meta.graph_def().library().function()) functions[f.signature().name()] = &f;
  const proto::SavedObjectGraph& objects = meta.object_graph_def();
  std::set<int> reached{0};
  for (const proto::SavedObject& object : objects.nodes()) {
    std::set<std::string> names;
    const bool signatures = object.user_object().identifier() == "signature_map";
    for (const proto::ObjectReference& child : object.children()) {
      EXPECT_TRUE(names.insert(child.local_name()).second) << child.local_name();
      EXPECT_TRUE(signatures || std::regex_match(child.local_name(), attribute)) << child.local_name();
      ASSERT_LT(child.node_id(), objects.nodes_size());
      reached.insert(child.node_id());
    }
    for (const std::string& name : object.bare_concrete_function().argument_keywords())
      EXPECT_TRUE(std::regex_match(name, keyword)) << name;
  }
  EXPECT_EQ(static_cast<int>(reached.size()), objects.nodes_size());
  for (const auto& [name, concrete] : objects.concrete_functions()) {
    ASSERT_TRUE(functions.count(name)) << name;
    const proto::OpDef& signature = functions[name]->signature();
    const auto& call = concrete.canonicalized_input_signature().tuple_value();
    const int arguments =
        call.values(0).tuple_value().values_size() + static_cast<int>(call.values(1).dict_value().fields().size());
    EXPECT_EQ(signature.input_arg_size(), arguments + concrete.bound_inputs_size()) << name;
    EXPECT_EQ(signature.output_arg_size(), static_cast<int>(concrete.output_signature().dict_value().fields().size()));
    for (int i = 0; i < concrete.bound_inputs_size(); ++i) {
      EXPECT_TRUE(objects.nodes(concrete.bound_inputs(i)).has_variable());
      EXPECT_EQ(signature.input_arg(arguments + i).type(), proto::DT_RESOURCE);
    }
  }
}

TEST_F(SavedModelTest, HasSignaturesVariablesAndObjects) {
  const proto::MetaGraphDef meta = Save(ModuleOf(kSmall));
  ExpectGraphFits(meta);
  ExpectObjectsFit(meta);
  EXPECT_THAT(meta.meta_info_def().tags(), ElementsAre("serve"));
  EXPECT_THAT(KeysOf(meta.signature_def()), ElementsAre("__saved_model_init_op", "predict", "train"));
  EXPECT_THAT(KeysOf(meta.signature_def().at("train").outputs()), ElementsAre("a b", "loss"));
  EXPECT_THAT(KeysOf(meta.signature_def().at("train").inputs()), ElementsAre("x"));
  std::vector<std::string> root;
  for (const auto& child : meta.object_graph_def().nodes(0).children()) root.push_back(child.local_name());
  EXPECT_THAT(root, testing::UnorderedElementsAre("signatures", "dense", "count", "train", "predict", "variables",
                                                  "trainable_variables"));
  std::map<std::string, bool> trainable;
  for (const auto& object : meta.object_graph_def().nodes()) {
    if (object.has_variable()) trainable[object.variable().name()] = object.variable().trainable();
  }
  EXPECT_EQ(trainable, (std::map<std::string, bool>{{"dense/kernel", true}, {"count", false}}));
  const std::string data = ReadAll(Path("model/variables/variables.data-00000-of-00001"));
  const float kernel[] = {1, 2};
  EXPECT_EQ(data.substr(0, 8), std::string(reinterpret_cast<const char*>(kernel), 8));
  EXPECT_THAT(ReadAll(Path("model/variables/variables.index")), HasSubstr("dense/kernel/.ATTRIBUTES/VARIABLE_VALUE"));
  const std::string first = ReadAll(Path("model/saved_model.pb"));
  Save(ModuleOf(kSmall));
  EXPECT_EQ(ReadAll(Path("model/saved_model.pb")), first);
}

TEST_F(SavedModelTest, OneEntryPointAndExtents) {
  EXPECT_THAT(KeysOf(Save(ModuleOf(kSmall), "predict").signature_def()),
              ElementsAre("__saved_model_init_op", "predict"));
  const ir::Module symbolic = ModuleOf(
      "symbol \"B\" in [1, 64]\nfunc @f(%x: f32[B,2]) -> (y: f32[B,2]) {\n"
      "  %0 = add %x, %x : f32[B,2]\n  return %0\n}\n");
  const auto rows = [&](const Dims& dims) {
    const proto::MetaGraphDef meta = Save(symbolic, "", dims);
    ExpectObjectsFit(meta);
    return meta.signature_def().at("f").inputs().at("x").tensor_shape().dim(0).size();
  };
  EXPECT_EQ(rows({}), -1);
  EXPECT_EQ(rows({{"B", 16}}), 16);
}

TEST_F(SavedModelTest, NamesAreAnyText) {
  const std::vector<std::string> odd{"a/",         "a",     "/",     "//",   "_x",       "__call__",
                                     "class",      "self",  "None",  "b c",  "b_c",      "variables",
                                     "signatures", "naïve", "日本",  "x:0",  "0",        "a/b",
                                     "save/read",  "train", "Const", "call", "variable", "tensorflow_version"};
  std::string text;
  for (const std::string& name : odd) StrAppend(&text, "variable @\"", name, "\": f32[] = 1\n");
  for (const char* name : {"train", "a", "__saved_model_init_op", "Const", "f g"}) {
    StrAppend(&text, "func @\"", name, "\"(");
    for (size_t i = 0; i < odd.size(); ++i) StrAppend(&text, i ? ", " : "", "%\"", odd[i], "\": f32[]");
    StrAppend(&text, ") state(@\"a/\": f32[]) -> (");
    for (size_t i = 0; i < odd.size(); ++i) StrAppend(&text, i ? ", " : "", "\"", odd[i], "\": f32[]");
    text += ") {\n  return ";
    for (size_t i = 0; i < odd.size(); ++i) StrAppend(&text, i ? ", " : "", "%\"", odd[i], "\"");
    text += " state(%\"a\")\n}\n";
  }
  const proto::MetaGraphDef meta = Save(ModuleOf(text));
  ExpectGraphFits(meta);
  ExpectObjectsFit(meta);
  EXPECT_EQ(meta.signature_def().size(), 6u);
  EXPECT_EQ(meta.signature_def().at("f g").inputs().size(), odd.size());
  const std::set<std::string> results = KeysOf(meta.signature_def().at("f g").outputs());
  EXPECT_EQ(results, std::set<std::string>(odd.begin(), odd.end()));
}

TEST_F(SavedModelTest, WhatIsRefusedLeavesNothing) {
  const ir::Module small = ModuleOf(kSmall);
  EXPECT_THAT(ErrorOf(small, Path("model"), "nothing"), HasSubstr("nothing"));
  EXPECT_THAT(ErrorOf(ModuleOf(""), Path("model")), HasSubstr("no function"));
  EXPECT_THAT(ErrorOf(small, Path("no/where")), HasSubstr("cannot write"));
  EXPECT_TRUE(Names().empty());
  fs::create_directories(Path("photos"));
  std::ofstream(Path("photos/one.png")) << "picture";
  EXPECT_THAT(ErrorOf(small, Path("photos/")), HasSubstr("no saved_model.pb"));
  EXPECT_EQ(ReadAll(Path("photos/one.png")), "picture");
  EXPECT_THAT(Names(), ElementsAre("photos"));
  Save(small, "train");
  std::ofstream(Path("model/left over")) << "";
  Save(small);
  EXPECT_FALSE(fs::exists(Path("model/left over")));
  EXPECT_THAT(Names(), ElementsAre("model", "photos"));
}

}  // namespace
}  // namespace reel::tensorflow
