// Kernels over rows: softmax, normalizations, losses and their gradients. What becomes a kernel is in golden/rows.txt
// (REEL_UPDATE_GOLDEN=1 rewrites it); that fusing changes no bit is checked for many shapes.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "codegen/program/program.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "reel/reel.h"
#include "tests/paths.h"

namespace reel {
namespace {

using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor>;

struct Case {
  std::function<Tensors(Inputs)> function;
  std::function<std::vector<Spec>(int64_t rows, int64_t width)> inputs;
};

std::vector<Spec> Rows(int64_t rows, int64_t width, int count, int vectors = 0) {
  std::vector<Spec> specs;
  for (int i = 0; i < count; ++i) specs.emplace_back(kFloat32, Shape{rows, width});
  for (int i = 0; i < vectors; ++i) specs.emplace_back(kFloat32, Shape{width});
  return specs;
}

// f, then its gradient by the first n inputs, with the last input as the seed.
std::function<Tensors(Inputs)> WithGradient(std::function<Tensor(Inputs)> f, size_t n) {
  return [f, n](Inputs in) {
    GradientTape tape;
    for (size_t i = 0; i < n; ++i) tape.Watch(in[i]);
    const Tensor y = f(in);
    std::vector<Source> sources(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n));
    const GradientList gradients = tape.Gradient(y, sources);
    Tensors out{y};
    for (size_t i = 0; i < n; ++i) out.push_back(gradients.Dense(i));
    return out;
  };
}

const std::map<std::string, Case>& Cases() {
  static const auto* cases = new std::map<std::string, Case>{
      {"softmax",
       {[](Inputs in) { return Tensors{Softmax(in[0])}; }, [](int64_t r, int64_t w) { return Rows(r, w, 1); }}},
      {"softmax_gradient",
       {WithGradient([](Inputs in) { return ReduceSum(Softmax(in[0]) * in[1]); }, 1),
        [](int64_t r, int64_t w) { return Rows(r, w, 2); }}},
      {"log_softmax_gradient",
       {WithGradient([](Inputs in) { return ReduceSum(LogSoftmax(in[0]) * in[1]); }, 1),
        [](int64_t r, int64_t w) { return Rows(r, w, 2); }}},
      {"cross_entropy_gradient",
       {WithGradient([](Inputs in) { return SoftmaxCrossEntropy(in[0], Cast(in[1] * 5 + 8, kInt32)); }, 1),
        [](int64_t r, int64_t w) { return std::vector<Spec>{Spec(kFloat32, {r, w}), Spec(kFloat32, {r})}; }}},
      {"layer_norm",
       {[](Inputs in) { return Tensors{LayerNormalize(in[0], in[1], in[2])}; },
        [](int64_t r, int64_t w) { return Rows(r, w, 1, 2); }}},
      {"layer_norm_gradient",
       {WithGradient([](Inputs in) { return ReduceSum(LayerNormalize(in[0], in[2], in[3]) * in[1]); }, 4),
        [](int64_t r, int64_t w) { return Rows(r, w, 2, 2); }}},
      {"layer_norm_gelu_gradient",  // values beyond 16, too
       {WithGradient([](Inputs in) { return ReduceSum(GeluTanh(8 * LayerNormalize(in[0], in[2], in[3])) * in[1]); }, 4),
        [](int64_t r, int64_t w) { return Rows(r, w, 2, 2); }}},
      {"rms_norm_gradient",
       {WithGradient([](Inputs in) { return ReduceSum(RmsNormalize(in[0], in[2]) * in[1]); }, 3),
        [](int64_t r, int64_t w) { return Rows(r, w, 2, 1); }}},
      {"batch_norm_gradient",
       {WithGradient(
            [](Inputs in) {
              const auto [mean, variance] = Moments(in[0], {0});
              return ReduceSum(BatchNormalize(in[0], mean, variance, in[2], in[3]) * in[1]);
            },
            4),
        [](int64_t r, int64_t w) { return Rows(r, w, 2, 2); }}},
      // A row of the result needs other rows of the sums: those are not fused.
      {"reversed_rows",
       {[](Inputs in) {
          const Tensor m = ReduceMax(in[0], -1, {.keepdims = true});
          return Tensors{Exp(in[0] - Flip(m, {0})), in[0] - m};
        },
        [](int64_t r, int64_t w) { return Rows(r, w, 1); }}},
      // A map between two steps over the rows that needs all of them.
      {"all_rows_between",
       {[](Inputs in) {
          const Tensor e = Exp(in[0]), mean = ReduceMean(ReduceSum(e, -1));
          return Tensors{ReduceMax(e / mean, -1), e};
        },
        [](int64_t r, int64_t w) { return Rows(r, w, 1); }}},
  };
  return *cases;
}

Function TraceCase(const Case& c, int64_t rows, int64_t width) {
  return Trace([&c](Inputs in) { return c.function(in); }, c.inputs(rows, width));
}

codegen::Program Plan(const Case& c, int64_t rows, int64_t width) {
  const std::string text = TraceCase(c, rows, width).ToText();
  auto module = ir::ParseModule(text, "rows");
  EXPECT_TRUE(module.ok()) << module.status();
  auto program = codegen::BuildProgram(*module, *codegen::FindTarget("x86-64-v4"), {.check_bounds = false});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

TEST(Rows, GoldenPrograms) {
  std::string text;
  for (const char* name : {"softmax", "softmax_gradient", "layer_norm", "layer_norm_gradient"}) {
    StrAppend(&text, "=== ", name, " 512x256\n", codegen::ToString(Plan(Cases().at(name), 512, 256)));
  }
  const std::string path = SourceDir() + "/tests/codegen/golden/rows.txt";
  if (std::getenv("REEL_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(text, wanted.str());
}

// Kernels and bytes of arena at 1024 x 768: intermediates of the size of the input cost no memory.
TEST(Rows, CountsAndBytes) {
  constexpr int64_t kRow = 768 * 4, kSums = 1024 / 64 * kRow;
  struct Wanted {
    const char* name;
    size_t kernels;
    int64_t bytes;
  };
  for (const Wanted& w :
       {Wanted{"softmax", 1, 0}, Wanted{"softmax_gradient", 2, 4096}, Wanted{"log_softmax_gradient", 2, 4096},
        Wanted{"cross_entropy_gradient", 2, 2 * 4096}, Wanted{"layer_norm", 1, 0},
        Wanted{"layer_norm_gradient", 4, 2 * kSums + 4096}, Wanted{"rms_norm_gradient", 3, kSums + 4096}}) {
    const codegen::Program p = Plan(Cases().at(w.name), 1024, 768);
    EXPECT_EQ(p.entries[0].steps.size(), w.kernels) << w.name << "\n" << codegen::ToString(p);
    EXPECT_LE(p.arena_bytes, w.bytes) << w.name << "\n" << codegen::ToString(p);
  }
}

// A row's pass of exponentials asks for the next row, if it is long; for that and the result's, if rows of some KiB are
// more than L2 holds.
TEST(Rows, FarRowsAreWantedEarly) {
  struct Wanted {
    int64_t rows, width;
    int prefetched;
  };
  for (const Wanted& w : {Wanted{64, 1000, 0}, Wanted{64, 9000, 1}, Wanted{8000, 1000, 2}, Wanted{80000, 100, 0}}) {
    const std::string text = codegen::ToString(Plan(Cases().at("softmax"), w.rows, w.width));
    std::set<std::string> names;
    for (size_t at = text.find("prefetch "); at != std::string::npos; at = text.find("prefetch ", at + 1)) {
      names.insert(text.substr(at, text.find('[', at) - at));
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(w.prefetched)) << text;
  }
}

// The sigmoids of a long pass wait in a row of their own, if rows are not short and fit the stack.
TEST(Rows, FunctionsOfLongPassesComeFirst) {
  for (const int64_t width : {128, 1000, 9000}) {
    const std::string text = codegen::ToString(Plan(Cases().at("layer_norm_gelu_gradient"), 64, width));
    EXPECT_EQ(text.find("[e] = sigmoid(") != std::string::npos, width == 1000) << text;
  }
}

uint64_t Bits(const Tensor& t) {
  uint64_t hash = 1469598103934665603u;
  for (const float x : t.data<float>()) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

class RowBits : public testing::TestWithParam<std::string> {};

// Widths around 64 and 4096 and above, and of one step or two; rows that 64 and 4096 divide and do not.
TEST_P(RowBits, FusingChangesNone) {
  const Case& c = Cases().at(GetParam());
  Generator generator(7);
  for (const auto& [rows, width] : std::vector<std::pair<int64_t, int64_t>>{{8, 32},
                                                                            {9, 63},
                                                                            {17, 65},
                                                                            {256, 128},
                                                                            {300, 130},
                                                                            {16, 4096},
                                                                            {9, 4097},
                                                                            {8, 8255},
                                                                            {4097, 40},
                                                                            {8320, 33},
                                                                            {1, 500},
                                                                            {500, 1},
                                                                            {70, 3},
                                                                            {300, 10},
                                                                            {41, 12},
                                                                            {130, 20},
                                                                            {270, 1023}}) {
    const Function f = TraceCase(c, rows, width);
    Tensors in;
    for (const Spec& spec : c.inputs(rows, width))
      in.push_back(RandomNormal(spec.type.shape, {.generator = generator}));
    const auto scalar = [&](const char* cpu) {  // random numbers are no labels: bounds are not checked
      return Compile(f, {.cpu = cpu, .opt_level = 0, .check_bounds = false})("main", in).tensors();
    };
    const Tensors with_fma = scalar("native"), without = scalar("x86-64-v2");
    for (const std::string cpu : {"native", "x86-64-v3", "x86-64-v2"}) {
      const Tensors fused = Compile(f, {.cpu = cpu, .check_bounds = false})("main", in).tensors();
      const Tensors& plain = cpu == "x86-64-v2" ? without : with_fma;
      for (size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(Bits(fused[i]), Bits(plain[i])) << cpu << " " << rows << "x" << width << " result " << i;
      }
    }
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, c] : Cases()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, RowBits, testing::ValuesIn(Names()), [](const auto& p) { return p.param; });

}  // namespace
}  // namespace reel
