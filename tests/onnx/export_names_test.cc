// Names are whatever users call things: each value of a model has its own, and arguments keep theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "frontend/onnx/export.h"
#include "ir/builder.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "tests/hostile_names.h"
#include "tests/onnx/runtime_folder.h"

namespace reel::onnx {
namespace {

const Type kPair{kFloat32, {2}};

ir::Literal Twice(float value) { return ir::Literal::From<float>({2}, std::vector<float>{value, value}); }

// Sums of three arguments and a variable that is updated, all of them and their values named at random.
ir::Module RandomNames(std::mt19937_64* rng) {
  static const std::vector<std::string> names = HostileNames();
  std::set<std::string> used;
  const auto any = [&] { return names[(*rng)() % names.size()]; };
  const auto distinct = [&] {
    std::string text;
    do {
      text += any();
    } while (text.empty() || used.contains(text));
    used.insert(text);
    return text;
  };
  ir::Function f("main");
  ir::Module module(any());
  std::vector<ir::Value> values;
  for (int i = 0; i < 3; ++i) values.push_back(f.AddParameter(distinct(), kPair));
  if ((*rng)() % 2) used.clear();  // a variable may have the name of an argument
  const std::string variable = distinct();
  module.AddVariable({variable, kPair, true, Twice(4)});
  values.push_back(f.AddState(variable, kPair));
  ir::Builder b(&f, &module);
  for (size_t i = 0; i < 3; ++i) {
    values.push_back(b.Add(values[i], values.back()));
    f.set_name_hint(values.back(), any());
  }
  f.SetResults({values[4], values[5], values[0], values.back()});
  f.set_result_names({any(), any() + "2", "r"});
  module.AddFunction(std::move(f));
  return module;
}

void ExpectApart(const ir::Module& module, const Model& model) {
  const ir::Function& main = *module.FindFunction("main");
  std::set<std::string> given;
  for (const ValueInfo& v : model.graph.inputs) EXPECT_TRUE(given.insert(v.name).second) << v.name;
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(model.graph.inputs[i].name, main.parameter(static_cast<int>(i)).name);
  for (const Node& node : model.graph.nodes) {
    for (const std::string& out : node.outputs) EXPECT_TRUE(!out.empty() && given.insert(out).second) << out;
  }
  const std::string &state = model.graph.inputs[3].name, &next = model.graph.outputs[3].name;
  EXPECT_THAT(model.metadata, testing::Contains(testing::Pair("reel.state." + state, next)));
}

TEST(OnnxExportNames, StayApart) {
  std::mt19937_64 rng(7);
  RuntimeFolder folder("names");
  int tried = 0;
  for (int round = 0; round < 600; ++round) {
    const ir::Module module = RandomNames(&rng);
    if (!ir::Verify(module).ok()) continue;  // results of one name
    ++tried;
    const auto model = Export(module, {});
    ASSERT_TRUE(model.ok()) << model.status();
    ExpectApart(module, *model);
    folder.Add(*model, {Twice(1), Twice(2), Twice(3)});
  }
  EXPECT_GT(tried, 300);
  const std::string python = PythonWithOnnx();
  if (python.empty()) GTEST_SKIP() << kNoOnnx;
  ASSERT_TRUE(folder.Run(python));
  for (size_t n = 0; n < folder.size(); ++n) {
    ASSERT_EQ(folder.Error(n), "") << n;
    EXPECT_EQ(folder.Result(n, 0, kPair), Twice(5));
    EXPECT_EQ(folder.Result(n, 1, kPair), Twice(7));
    EXPECT_EQ(folder.Result(n, 2, kPair), Twice(1));
  }
}

}  // namespace
}  // namespace reel::onnx
