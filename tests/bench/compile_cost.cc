// What compiling costs, by hand: build/tests/compile_cost [NAME...], NAME = mlp, cnn, gpt:LAYERS,
// scalar:OPS, vector:OPS, or a file. Each is compiled in a process of its own that has never
// compiled before.
#include <reel/reel.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace reel;
using Net = std::function<Tensor(const Operand&)>;

/// One training step of a classifier that has its variables already.
Module Train(const Net& net, const Optimizer& optimizer, const std::vector<Variable>& variables, const Tensor& x,
             const Tensor& labels) {
  const auto step = [&](std::span<const Tensor> in) {
    GradientTape tape;
    Tensor loss = SoftmaxCrossEntropy(net(in[0]), in[1]);
    optimizer.Apply(tape.Gradient(loss, variables));
    return std::vector<Tensor>{loss};
  };
  return Module::Lift({{"main", Trace(step, {Spec(x), Spec(labels)})}});
}

Module Mlp() {
  const Sequential net{Dense(784, 512, Relu), Dense(512, 512, Relu), Dense(512, 10)};
  return Train(net, Sgd({.learning_rate = 0.02}), net.variables(), Zeros({128, 784}), Zeros({128}, kInt64));
}

Module Cnn() {
  const ConvOptions same{.padding = Padding::kSame};
  const Sequential net{Convolution2D(32, {3, 3}, Relu, same),
                       Convolution2D(64, {3, 3}, Relu, same),
                       MaxPooling2D({2, 2}),
                       Flatten(),
                       Dense(128, Relu),
                       Dense(10)};
  const Tensor x = Zeros({16, 28, 28, 1});
  net(x);
  return Train(net, Adam({.learning_rate = 1e-3}), net.variables(), x, Zeros({16}, kInt64));
}

/// A decoder of `layers` equal blocks, as gpt_char and gpt2 have them.
Module Gpt(int layers) {
  constexpr int64_t kUnits = 128, kWords = 65, kTime = 64, kBatch = 12;
  const Embedding embedding(kWords, kUnits);
  std::vector<Residual> blocks;
  for (int i = 0; i < layers; ++i) {
    blocks.push_back(Residual(LayerNorm(), MultiHeadAttention(kUnits, 4, {.causal = true})));
    blocks.push_back(Residual(LayerNorm(), Dense(4 * kUnits, GeluTanh), Dense(kUnits)));
  }
  const Sequential head{LayerNorm(), Dense(kWords)};
  const Net net = [&](const Operand& x) {
    Tensor y = embedding(x);
    for (const Residual& block : blocks) y = block(y);
    return head(y);
  };
  const Tensor x = Zeros({kBatch, kTime}, kInt64);
  net(x);
  std::vector<Variable> variables = embedding.variables();
  for (const Residual& block : blocks)
    for (const Variable& v : block.variables()) variables.push_back(v);
  for (const Variable& v : head.variables()) variables.push_back(v);
  return Train(net, AdamW({.learning_rate = 1e-3}), variables, x, x);
}

/// A chain that never repeats: times a, plus b, or tanh.
Module Chain(int ops, const Shape& shape) {
  const auto chain = [&](std::span<const Tensor> in) {
    std::minstd_rand random(1);
    Tensor y = in[0];
    for (int i = 0; i < ops; ++i) {
      const auto choice = random() % 3;
      y = choice == 0 ? y * in[1] : choice == 1 ? y + in[2] : Tanh(y);
    }
    return std::vector<Tensor>{y};
  };
  const Spec spec(kFloat32, shape);
  return Module::Lift({{"main", Trace(chain, {spec, spec, spec})}});
}

Module Make(const std::string& name) {
  const size_t colon = name.find(':');
  const int n = colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1));
  if (name == "mlp") return Mlp();
  if (name == "cnn") return Cnn();
  if (name.starts_with("gpt:")) return Gpt(n);
  if (name.starts_with("scalar:")) return Chain(n, {});
  return Chain(n, {64});
}

/// Runs in a child process; false if it failed.
template <typename Body>
bool InChild(const Body& body) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 0;
    try {
      body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 1;
    }
    std::fflush(stdout);
    ::_exit(status);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

/// Of all threads: what it is on a busy machine, too.
double CpuMilliseconds() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

double PeakMegabytes() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void Report(const std::string& name, const std::string& file) {
  const Module module = Module::Load(file);
  const double before = PeakMegabytes(), cpu = CpuMilliseconds();
  const auto start = std::chrono::steady_clock::now();
  const Executable code = Compile(module);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const std::string plan = code.Plan();
  const size_t line = plan.find('\n') + 1;
  std::printf("%-16s %8.1f ms, cpu %.1f, %.0f MB; %s; %s\n", name.c_str(), took.count(), CpuMilliseconds() - cpu,
              PeakMegabytes() - before, plan.substr(line, plan.find('\n', line) - line).c_str(),
              plan.substr(0, plan.find(';')).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--write") return Make(argv[2]).Save(argv[3]), 0;
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"mlp", "cnn", "gpt:4", "gpt:12", "scalar:10000", "vector:10000"};
  const std::string folder = std::filesystem::temp_directory_path() / ("reel_cost_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  bool ok = true;
  for (const std::string& name : names) {
    const bool is_file = name.ends_with(".reel");
    const std::string file = is_file ? name : folder + "/module.reel";
    ok &= is_file || InChild([&] { Make(name).Save(file); });
    ok &= InChild([&] { Report(name, file); });
  }
  std::filesystem::remove_all(folder);
  return ok ? 0 : 1;
}
