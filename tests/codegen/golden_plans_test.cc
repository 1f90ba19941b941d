// What is planned of a dozen models: a line a kernel, in tests/codegen/golden/plans.txt. REEL_UPDATE_GOLDEN=1 rewrites
// it: a change of planning is read there as a difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "codegen/plan/text.h"
#include "codegen/program/program.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "reel/reel.h"
#include "tests/paths.h"

namespace reel {
namespace {

using Tensors = std::vector<Tensor>;

struct Model {
  const char* name;
  std::vector<Spec> specs;  // of parameters; the gradients of the loss by all of them are results, too
  std::function<Tensor(const Tensors&)> loss;
};

Spec F32(Shape shape) { return Spec(kFloat32, std::move(shape)); }

Tensor Normalized(const Tensor& x) {
  const Tensor centered = x - ReduceMean(x, {-1}, {.keepdims = true});
  return centered / Sqrt(ReduceMean(Square(centered), {-1}, {.keepdims = true}) + 1e-5);
}

const std::vector<Model>& Models() {
  static const auto* models = new std::vector<Model>{
      {"dense",
       {F32({64, 784}), F32({784, 128}), F32({128})},
       [](const Tensors& p) { return ReduceSum(Relu(MatMul(p[0], p[1]) + p[2])); }},
      {"two_dense",
       {F32({256, 64}), F32({64, 96}), F32({96}), F32({96, 10})},
       [](const Tensors& p) { return ReduceSum(LogSoftmax(MatMul(Tanh(MatMul(p[0], p[1]) + p[2]), p[3]))); }},
      {"softmax", {F32({512, 768})}, [](const Tensors& p) { return ReduceSum(Square(Softmax(p[0]))); }},
      {"layer_norm",
       {F32({1024, 256}), F32({256}), F32({256})},
       [](const Tensors& p) { return ReduceSum(Square(Normalized(p[0]) * p[1] + p[2])); }},
      {"attention",
       {F32({4, 128, 32}), F32({4, 128, 32}), F32({4, 128, 32})},
       [](const Tensors& p) {
         return ReduceSum(MatMul(Softmax(MatMul(p[0], p[1], {.transpose_b = true}) * 0.17), p[2]));
       }},
      {"convolution",
       {F32({8, 14, 14, 16}), F32({3, 3, 16, 32})},
       [](const Tensors& p) { return ReduceSum(Relu(Conv2D(p[0], p[1], {.padding = kSame}))); }},
      {"depthwise",
       {F32({2, 28, 28, 32}), F32({3, 3, 32, 1})},
       [](const Tensors& p) { return ReduceSum(Square(DepthwiseConv2D(p[0], p[1], {.padding = kSame}))); }},
      {"pooling", {F32({8, 16, 16, 8})}, [](const Tensors& p) { return ReduceSum(Square(MaxPool2D(p[0], {2, 2}))); }},
      {"deep_product",
       {F32({16384, 10}), F32({16384, 10})},
       [](const Tensors& p) { return ReduceSum(Square(MatMul(p[0], p[1], {.transpose_a = true}))); }},
      {"whole_sum", {F32({1 << 18})}, [](const Tensors& p) { return ReduceSum(Exp(p[0])); }},
      {"mixture",
       {F32({1000, 10}), F32({25, 10})},
       [](const Tensors& p) {
         const Tensor apart = Reshape(p[0], {1000, 1, 10}) - p[1];
         return ReduceSum(LogSumExp(ReduceSum(Square(apart), {2}) * -0.5, {1}));
       }},
      {"rows_of_table",
       {F32({5000, 16})},
       [](const Tensors& p) { return ReduceSum(Square(Gather(p[0], Tensor({3, 1, 4, 1, 5})))); }},
  };
  return *models;
}

// The lines about kernels of the last plan of each function.
std::string PlanOf(const Model& model) {
  const Function f = Trace(
      [&model](std::span<const Tensor> inputs) {
        const Tensors p(inputs.begin(), inputs.end());
        GradientTape tape;
        for (const Tensor& x : p) tape.Watch(x);
        const Tensor loss = model.loss(p);
        Tensors results{loss};
        const GradientList gradients = tape.Gradient(loss, Sources(p));
        for (size_t i = 0; i < p.size(); ++i) results.push_back(gradients.Dense(i));
        return results;
      },
      model.specs);
  const auto module = ir::ParseModule(Module::Lift({EntrySpec("main", f)}).ToText(), model.name);
  EXPECT_TRUE(module.ok()) << module.status();
  std::string kernels;
  codegen::PlanOptions options;
  options.phases.after = [&](std::string_view phase, const ir::Function& function, const codegen::PlanGraph& plan) {
    const std::string text = Print(function, plan);
    if (phase == "plan.early_updates") StrAppend(&kernels, text.substr(0, text.find("  values ")), "}\n");
  };
  const auto program = codegen::BuildProgram(*module, *codegen::FindTarget("x86-64-v4"), options);
  EXPECT_TRUE(program.ok()) << program.status();
  return kernels;
}

TEST(GoldenPlans, AreAsBefore) {
  std::string all = "// Plans of golden_plans_test.cc for x86-64-v4; REEL_UPDATE_GOLDEN=1 rewrites them.\n";
  for (const Model& model : Models()) StrAppend(&all, "\n// ", model.name, "\n", PlanOf(model));
  const std::string path = SourceDir() + "/tests/codegen/golden/plans.txt";
  if (std::getenv("REEL_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << all;
  std::ifstream in(path);
  std::stringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(all, golden.str()) << "REEL_UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace
}  // namespace reel
