#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/export/names.h"
#include "frontend/onnx/export.h"
#include "frontend/onnx/export_node.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "frontend/record/event_log.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "tests/onnx/bytes.h"
#include "tests/paths.h"

// What the exporter writes and refuses; ONNX Runtime is asked in export_cases_test.cc.

namespace reel::onnx {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Pair;

ir::Module Parse(std::string_view text) {
  auto module = ir::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

Model Exported(std::string_view text, const OnnxExportOptions& options = {}) {
  auto model = Export(Parse(text), options);
  EXPECT_TRUE(model.ok()) << model.status();
  return *model;
}

std::string ErrorOf(std::string_view text, const OnnxExportOptions& options = {}) {
  return std::string(Export(Parse(text), options).status().message());
}

std::vector<std::string> NamesOf(const std::vector<ValueInfo>& values) {
  std::vector<std::string> out;
  for (const ValueInfo& v : values) out.push_back(v.name);
  return out;
}

constexpr char kStep[] = R"(reel 1
module "m"
variable @w: f32[2] = [1, 2]
variable @scale: f32[] = 3
func @main(%x: f32[2]) state(@w: f32[2], @scale: f32[]) -> (loss: f32[]) {
  %0 = mul @w, %x : f32[2]
  %1 = reduce_sum %0 {axes=[0]} : f32[]
  %2 = mul %1, @scale : f32[]
  %3 = sub @w, %x : f32[2]
  return %2 state(%3, @scale)
}
)";

TEST(OnnxExport, EveryPrimitiveHasARow) {
  for (const ir::Op op : ir::AllOps()) {
    EXPECT_EQ(FindExport(op).op, op);
    EXPECT_FALSE(FindExport(op).name.empty() && FindExport(op).note.empty()) << ir::Name(op);
  }
}

// REEL_UPDATE_GOLDEN=1 writes the page anew.
TEST(OnnxExport, PageIsTheTable) {
  const std::string path = SourceDir() + "/frontend/onnx/EXPORT.md";
  if (std::getenv("REEL_UPDATE_GOLDEN")) std::ofstream(path) << ExportTable();
  std::stringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(ExportTable(), page.str()) << "REEL_UPDATE_GOLDEN=1 writes it anew";
}

// An updated variable is an input with a default and an output; one that is only read a constant.
TEST(OnnxExport, StateGoesInAndOut) {
  const Model model = Exported(kStep);
  EXPECT_EQ(NamesOf(model.graph.inputs), (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(NamesOf(model.graph.outputs), (std::vector<std::string>{"loss", "w.next"}));
  EXPECT_THAT(model.metadata, Contains(Pair("reel.state.w", "w.next")));
  std::vector<std::string> constants;
  for (const auto& [name, value] : model.graph.initializers) constants.push_back(name);
  EXPECT_THAT(constants, testing::IsSupersetOf({"w", "scale"}));
  const Model open = Exported(kStep, {.weights_as_inputs = true});
  EXPECT_EQ(NamesOf(open.graph.inputs), (std::vector<std::string>{"x", "w", "scale"}));
}

TEST(OnnxExport, SymbolicExtentsAreNames) {
  const Model model = Exported(R"(reel 1
module "m"
symbol "B" in [1, 64]
func @main(%x: f32[B,3]) -> (y: f32[B,3]) {
  %0 = exp %x : f32[B,3]
  return %0
}
)");
  EXPECT_EQ(model.graph.inputs[0].shape[0].name, "B");
  EXPECT_EQ(model.graph.outputs[0].shape[0].name, "B");
  EXPECT_THAT(model.metadata, Contains(Pair("reel.extent.B", "1..64")));
}

TEST(OnnxExport, RefusalsNameOpAndFunction) {
  constexpr char kGamma[] = R"(reel 1
module "m"
func @main(%x: f32[2]) -> (y: f32[2]) {
  %0 = lgamma %x : f32[2]
  return %0
}
)";
  EXPECT_THAT(ErrorOf(kGamma), HasSubstr("onnx: lgamma in @main: ONNX has no such function"));
  EXPECT_THAT(ErrorOf(kStep, {.opset = 16}), HasSubstr("opset 16 is not one of 17 to 28"));
  EXPECT_THAT(ErrorOf(kStep, {.entry = "mian"}), HasSubstr("has no function \"mian\"; it has: main; did you mean"));
  // Nothing is at the path afterwards, and what was there stays.
  const fs::path path = fs::temp_directory_path() / StrCat("reel-export-", ::getpid(), ".onnx");
  EXPECT_FALSE(Save(Parse(kGamma), path.string(), {}).ok());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(Save(Parse(kStep), path.string(), {}).ok());
  const auto size = fs::file_size(path);
  EXPECT_FALSE(Save(Parse(kGamma), path.string(), {}).ok());
  EXPECT_EQ(fs::file_size(path), size);
  fs::remove(path);
}

TEST(Names, AreAllowedAndUnique) {
  exports::Names names([](char c) { return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9'); });
  EXPECT_EQ(names.Unique("a.b"), "a_b");
  EXPECT_EQ(names.Unique("a/b"), "a_b_1");
  EXPECT_EQ(names.Unique("a_b"), "a_b_2");
  EXPECT_EQ(names.Unique(""), "value");
}

// What is exported and imported again computes the same bits, where ops are exact.
TEST(OnnxExport, ImportGivesTheSameBits) {
  const ir::Module module = Parse(R"(reel 1
module "m"
func @main(%x: f32[2,3], %i: i64[2]) -> (y: f32[3,2], z: f32[2,3], n: i64[2]) {
  %0 = transpose %x {permutation=[1,0]} : f32[3,2]
  %1 = floor %0 : f32[3,2]
  %2 = neg %x : f32[2,3]
  %3 = max %2, %x : f32[2,3]
  %4 = reverse %3 {axes=[1]} : f32[2,3]
  %5 = mul %i, %i : i64[2]
  return %1, %4, %5
}
)");
  const auto model = Export(module, {});
  ASSERT_TRUE(model.ok()) << model.status();
  const reel::Module back = Import(BytesOf(*model), "again", {}, nullptr);
  const ir::Module& again = back.internal_data()->module;
  const std::vector<ir::Literal> inputs{
      ir::Literal::From<float>({2, 3}, std::vector<float>{1.5f, -2.25f, 0, 3, -0.5f, 1e30f}),
      ir::Literal::From<int64_t>({2}, std::vector<int64_t>{-3, int64_t{1} << 40})};
  const auto want = ir::EvaluateLiterals(module, *module.FindFunction("main"), inputs);
  const auto got = ir::EvaluateLiterals(again, *again.FindFunction("main"), inputs);
  ASSERT_TRUE(want.ok() && got.ok()) << got.status();
  EXPECT_EQ(*got, *want);
}

// Weights in a file beside the model: what is imported has them.
TEST(OnnxExport, DataMayBeBeside) {
  const fs::path folder = fs::temp_directory_path() / StrCat("reel-export-", ::getpid());
  fs::create_directories(folder);
  ir::Module module;
  const Type type{kFloat32, {30, 40}};
  std::vector<float> values(1200);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  module.AddVariable({"w", type, true, ir::Literal::From<float>(type.shape, values)});
  ir::Function f("main");
  const ir::Value x = f.AddParameter("x", type), w = f.AddState("w", type);
  ir::Builder b(&f, &module);
  f.SetResults({b.Mul(x, w), w});
  module.AddFunction(std::move(f));
  const std::string path = (folder / "m.onnx").string();
  ASSERT_TRUE(Save(module, path, {.external_data = true}).ok());
  EXPECT_LT(fs::file_size(path), 1000u);
  EXPECT_EQ(fs::file_size(path + ".data"), 4800u);
  const reel::Module back = ImportOnnx(path);
  EXPECT_EQ(back.internal_data()->module.variables()[0].name, "w");
  EXPECT_EQ(std::get<ir::Literal>(back.internal_data()->module.variables()[0].initial),
            ir::Literal::From<float>(type.shape, values));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace reel::onnx
