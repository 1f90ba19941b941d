// What writing gpt2_124m in other formats costs, by hand: build/tests/export_cost [LAYERS]. Seconds, and the peak of
// the process's resident memory over the bytes of the variables that are written: of the forward part and of a training
// step from a program that has the live variables, and by `reel convert` from an ONNX model. TMPDIR=/dev/shm leaves out
// the disk; REEL=PATH is the command, if it is not build/bin/reel.
#include <reel/onnx.h>
#include <reel/reel.h>
#include <reel/stablehlo.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace reel;

constexpr double kSeconds = 3, kTimes = 2.5;  // the budget

/// The decoder of frontend/cli/bench/sequence.cc: the last product is with the table of embeddings.
struct Gpt {
  static constexpr int64_t kUnits = 768, kHeads = 12, kWords = 50257, kTime = 64, kBatch = 4;
  Embedding embedding{kWords, kUnits};
  Variable positions{RandomNormal({kTime, kUnits}, {.stddev = 0.02}), {.name = "positions"}};
  std::vector<Residual> blocks;
  LayerNorm norm;

  explicit Gpt(int layers) {
    for (int i = 0; i < layers; ++i) {
      blocks.push_back(Residual(LayerNorm(), MultiHeadAttention(kUnits, kHeads, {.causal = true})));
      blocks.push_back(Residual(LayerNorm(), Dense(4 * kUnits, GeluTanh), Dense(kUnits)));
    }
    Logits(Zeros({1, kTime}, kInt64));
  }
  Tensor Logits(const Tensor& x) const {
    Tensor y = embedding(x) + positions;
    for (const Residual& block : blocks) y = block(y);
    return MatMul(norm(y), Transpose(embedding.variables()[0]));
  }
  std::vector<Variable> variables() const {
    std::vector<Variable> all{embedding.variables()[0], positions};
    for (const Residual& block : blocks) {
      for (const Variable& v : block.variables()) all.push_back(v);
    }
    for (const Variable& v : norm.variables()) all.push_back(v);
    return all;
  }
};

Function Forward(const Gpt& model) {
  return Trace([&](const Tensor& x) { return model.Logits(x); }, {Spec(kInt64, {Gpt::kBatch, Gpt::kTime})});
}

Function Step(const Gpt& model) {
  const AdamW optimizer({.learning_rate = 1e-4});
  const auto step = [&](const Tensor& x, const Tensor& labels) {
    GradientTape tape;
    Tensor loss = SoftmaxCrossEntropy(model.Logits(x), labels);
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    return loss;
  };
  const Tensor tokens = Zeros({Gpt::kBatch, Gpt::kTime}, kInt64);
  step(tokens, tokens);  // the slots have values
  return Trace(step, {Spec(tokens), Spec(tokens)});
}

double BytesOf(const Function& f) {
  double bytes = 0;
  for (const Variable& v : f.variables()) bytes += static_cast<double>(v.value().size()) * 4;
  return bytes;
}

/// Runs in a child process, whose memory is its own; false if it failed.
template <typename Body>
bool InChild(const Body& body) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 0;
    try {
      body();
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
      status = 1;
    }
    std::fflush(stdout);
    ::_exit(status);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

/// VmRSS or VmHWM, its peak.
double Resident(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which + ":")) return std::stod(line.substr(which.size() + 1)) * 1024;
  }
  return 0;
}

struct Way {
  const char* name;
  const char* file;
  const char* options;  // of reel convert
  std::function<void(const Function&, const std::string&)> save;
};

const Way kWays[] = {
    {"onnx", "out.onnx", "", [](const Function& f, const std::string& path) { SaveOnnx(f, path); }},
    {"onnx, external data", "out.onnx", "--external-data",
     [](const Function& f, const std::string& path) { SaveOnnx(f, path, {.external_data = true}); }},
    {"stablehlo", "out.mlir", "",
     [](const Function& f, const std::string& path) { SaveStableHlo(Module::Lift({{"main", f}}), path); }},
};

void Report(const std::string& name, double seconds, double before, double peak, double weights,
            const std::string& folder) {
  double written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    written += static_cast<double>(entry.file_size());
  const bool good = seconds <= kSeconds && peak <= kTimes * weights;
  std::printf("| %s | %.2f s | %.2f | %.2f | %.0f MB | %s |\n", name.c_str(), seconds, before / weights, peak / weights,
              written / 1e6, good ? "yes" : "no");
}

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool Live(const char* what, const Way& way, int layers, bool step, const std::string& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return InChild([&] {
    const Gpt model(layers);
    const Function f = step ? Step(model) : Forward(model);
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
    const double before = Resident("VmRSS");
    const auto start = std::chrono::steady_clock::now();
    way.save(f, folder + "/" + way.file);
    Report(std::string(what) + ", " + way.name, Since(start), before, Resident("VmHWM"), BytesOf(f), folder);
  });
}

bool Convert(const char* what, const Way& way, double weights, const std::string& from, const std::string& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const char* reel = std::getenv("REEL");
  std::vector<std::string> words{reel ? reel : "build/bin/reel", "convert", from, "-o", folder + "/" + way.file};
  if (*way.options) words.push_back(way.options);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stdout)) ::_exit(1);
    ::execv(arguments[0], arguments.data());
    ::_exit(1);
  }
  int status = 1;
  rusage usage;
  ::wait4(child, &status, 0, &usage);
  if (status != 0) return std::printf("%s, %s: status %d\n", what, way.name, status), false;
  Report(std::string(what) + ", reel convert, " + way.name, Since(start), 0,
         static_cast<double>(usage.ru_maxrss) * 1024, weights, folder);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int layers = argc > 1 ? std::atoi(argv[1]) : 12;
  const std::string top = std::filesystem::temp_directory_path() / ("reel_export_cost_" + std::to_string(::getpid()));
  std::filesystem::create_directories(top);
  std::printf(
      "| gpt2_124m, %d layers | time | before / variables | peak / variables | written | within %.0f s, %.1f |\n",
      layers, kSeconds, kTimes);
  std::printf("| --- | ---: | ---: | ---: | ---: | --- |\n");
  bool good = true;
  for (const Way& way : kWays) good &= Live("forward", way, layers, false, top + "/out");
  for (const Way& way : kWays) good &= Live("step", way, layers, true, top + "/out");
  const std::string from = top + "/from.onnx", size = top + "/size";
  good &= InChild([&] {
    const Gpt model(layers);
    const Function f = Forward(model);
    SaveOnnx(f, from, {.external_data = true});
    std::ofstream(size) << BytesOf(f);
  });
  double weights = 1;
  std::ifstream(size) >> weights;
  for (const Way& way : kWays) good &= Convert("forward", way, weights, from, top + "/out");
  std::filesystem::remove_all(top);
  return good ? 0 : 1;
}
