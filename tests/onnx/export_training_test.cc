#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "frontend/cli/train/models.h"
#include "ir/strings.h"
#include "reel/onnx.h"
#include "tests/onnx/python.h"
#include "tests/paths.h"

// Whole training steps (forward, backward, update) of the main job's models, run by ONNX Runtime from the same weights
// on the same batches: the losses are Reel's.

namespace reel {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 200;

// Of what a batch is made of, and Reel's losses of kSteps.
struct Run {
  std::string inputs, labels;
  std::vector<float> losses;
};

Run Train(const cli::Model& model, const fs::path& onnx, int64_t opset) {
  Run run;
  const auto& data = model.data;
  const auto row = static_cast<size_t>(data.width) * 4;
  for (int64_t i = 0; i < kSteps * model.batch; ++i) {
    const int64_t at = i % data.num_train;
    run.inputs.append(reinterpret_cast<const char*>(data.row(at).data()), row);
    run.labels.append(reinterpret_cast<const char*>(&data.labels[static_cast<size_t>(at)]), 4);
  }
  const Type input{data.dtype, {model.batch, data.width}}, labels{kInt32, {model.batch}};
  const auto batch = [&](int step) {
    const auto of = [step](const Type& type, const std::string& all) {
      const auto size = static_cast<size_t>(type.bytes());
      return Tensor::FromBytes(type.dtype, type.shape, all.data() + static_cast<size_t>(step) * size);
    };
    return std::vector<Tensor>{of(input, run.inputs), of(labels, run.labels)};
  };
  model.train(batch(0)[0], batch(0)[1]);  // makes the optimizer's variables
  const Function step = Trace(model.train, {Spec(input.dtype, input.shape), Spec(kInt32, labels.shape)}, "train");
  SaveOnnx(step, onnx.string(), {.opset = opset});
  for (int i = 0; i < kSteps; ++i) run.losses.push_back(step(batch(i))[0].item<float>());
  return run;
}

void Compare(const cli::Model& model, int64_t opset) {
  const std::string python = onnx::PythonWithOnnx();
  if (python.empty()) GTEST_SKIP() << onnx::kNoOnnx;
  const fs::path folder = fs::temp_directory_path() / StrCat("reel-training-", ::getpid(), "-", opset);
  fs::create_directories(folder);
  const Run run = Train(model, folder / "step.onnx", opset);
  std::ofstream(folder / "step.in0", std::ios::binary) << run.inputs;
  std::ofstream(folder / "step.in1", std::ios::binary) << run.labels;
  const nlohmann::json list{{{"name", "step"}, {"inputs", 2}, {"steps", kSteps}}};
  std::ofstream(folder / "list.json") << list.dump();
  ASSERT_TRUE(onnx::RunExports(python, folder.string()));
  std::ifstream error(folder / "step.err");
  ASSERT_FALSE(error) << std::string(std::istreambuf_iterator<char>(error), {});
  std::ifstream file(folder / "step.out0", std::ios::binary);
  std::vector<float> losses(kSteps);
  file.read(reinterpret_cast<char*>(losses.data()), kSteps * 4);
  ASSERT_TRUE(file);
  double worst = 0;
  for (size_t i = 0; i < kSteps; ++i)
    worst = std::max(worst, std::abs(static_cast<double>(losses[i]) - static_cast<double>(run.losses[i])));
  std::printf("%s, opset %d: loss %g to %g; ONNX Runtime's differs by at most %g\n", model.name.c_str(),
              static_cast<int>(opset), static_cast<double>(run.losses[0]), static_cast<double>(run.losses[kSteps - 1]),
              worst);
  EXPECT_NEAR(losses[kSteps - 1], run.losses[kSteps - 1], 1e-4);
  EXPECT_LT(run.losses[kSteps - 1], run.losses[0]);
  fs::remove_all(folder);
}

TEST(OnnxTraining, Mlp) { Compare(cli::MakeMnist(SourceDir() + "/tests/data"), 17); }
TEST(OnnxTraining, MlpNewestOpset) { Compare(cli::MakeMnist(SourceDir() + "/tests/data"), 25); }
TEST(OnnxTraining, ConvolutionNet) { Compare(cli::MakeMnistConv(SourceDir() + "/tests/data"), 17); }
TEST(OnnxTraining, Embedding) { Compare(cli::MakeCharacters(SourceDir() + "/tests/data"), 17); }

}  // namespace
}  // namespace reel
