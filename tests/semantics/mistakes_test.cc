// The mistakes users make most, and what Reel says: mistakes.golden.txt. After each of them a gradient works and no
// tensor is left.

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

#include "frontend/values/tensor_data.h"
#include "tests/frontend/expect.h"
#include "tests/paths.h"

namespace reel {
namespace {

std::string GoldenPath() { return SourceDir() + "/tests/semantics/mistakes.golden.txt"; }

const Tensor kVector({1.f, 2.f, 3.f}), kMatrix({{1.f, 2.f}, {3.f, 4.f}});

struct Mistake {
  const char* name;
  void (*make)();
};

std::string TemporaryFile(const std::string& bytes) {
  const std::string path = testing::TempDir() + "reel_mistake.reel";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

Executable Step() {
  const auto step = [](const Tensor& images, const Tensor& labels) {
    return NamedTensors{{"loss", SoftmaxCrossEntropy(images, labels)}};
  };
  return Compile(Module::Lift({{"train", step, {Spec(kFloat32, {2, 3}, "images"), Spec(kInt32, {2}, "labels")}}}));
}

Tensor Traced(const std::function<Tensor(const Tensor&)>& f, const Spec& spec = Spec(kFloat32, {3})) {
  Tensor out;
  Trace([&](const Tensor& x) { return out = f(x); }, {spec});
  return out;
}

const Mistake kMistakes[] = {
    // --- tapes ---
    {"gradient called twice",
     [] {
       GradientTape tape;
       const Tensor x(3.f);
       tape.Watch(x);
       const Tensor y = x * x;
       tape.Gradient(y, x);
       tape.Gradient(y, x);
     }},
    {"reset of a stopped tape",
     [] {
       GradientTape tape;
       tape.Stop();
       tape.Reset();
     }},
    {"target is null",
     [] {
       GradientTape tape;
       const Tensor x(3.f);
       tape.Watch(x);
       tape.Gradient(Tensor(), x);
     }},
    {"source is null",
     [] {
       GradientTape tape;
       tape.Gradient(Tensor(3.f), Tensor());
     }},
    {"watch of null",
     [] {
       GradientTape tape;
       tape.Watch(Tensor());
     }},
    {"seeds of another number",
     [] {
       GradientTape tape;
       const Tensor x(3.f);
       tape.Watch(x);
       tape.Gradient(x * x, x, {.output_gradients = {Tensor(1.f), Tensor(1.f)}});
     }},
    {"seed of another shape",
     [] {
       GradientTape tape;
       tape.Watch(kVector);
       tape.Gradient(kVector * 2, kVector, {.output_gradients = {Tensor(1.f)}});
     }},
    {"gradient is None, used",
     [] {
       const Variable w(2.f, {.name = "w"});
       GradientTape tape;
       const Tensor y = Square(kVector);
       tape.Gradient(y, {w}).Dense(0);
     }},
    {"integer source",
     [] {
       GradientTape tape;
       const Tensor i(3);
       const GradientList none = tape.Gradient(Cast(i, kFloat32) * 2, Sources{i});
       none.Dense(0);
     }},
    {"tape entered again on its thread",
     [] {
       const GradientTape tape;
       const TapeScope again(tape);
     }},
    {"computed on another thread",
     [] {
       GradientTape tape;
       const Variable w(2.f, {.name = "w"});
       Tensor y;
       std::thread([&] { y = w * w; }).join();
       tape.Gradient(y, {w}).Dense(0);
     }},
    {"Jacobian of a tape used up",
     [] {
       GradientTape tape;
       tape.Watch(kVector);
       const Tensor y = Square(kVector);
       tape.Gradient(y, kVector);
       tape.Jacobian(y, kVector);
     }},
    {"BatchJacobian of vectors",
     [] {
       GradientTape tape;
       tape.Watch(kVector);
       tape.BatchJacobian(Square(kVector), kVector);
     }},
    // --- traces ---
    {"traced tensor leaks and is read", [] { Traced([](const Tensor& x) { return x * 2; }).ToVector<float>(); }},
    {"traced tensor leaks into an op", [] { Traced([](const Tensor& x) { return x * 2; }) + 1; }},
    {"tensor of a dead trace in another trace",
     [] {
       const Tensor dead = Traced([](const Tensor& x) { return x * 2; });
       Traced([&](const Tensor& x) { return x + dead; });
     }},
    {"item of a traced tensor", [] { Traced([](const Tensor& x) { return x * ReduceSum(x).item<float>(); }); }},
    {"if on a traced tensor", [] { Traced([](const Tensor& x) { return ReduceSum(x) > 0 ? x : -x; }); }},
    {"branches of different types",
     [] {
       Traced([](const Tensor& x) { return Cond(ReduceSum(x) > 0, [&] { return x; }, [&] { return ReduceSum(x); }); });
     }},
    {"loop variable changes its shape, traced",
     [] {
       Traced([](const Tensor& x) {
         return WhileLoop([](const std::vector<Tensor>& v) { return ReduceSum(v[0]) < 9; },
                          [](const std::vector<Tensor>& v) { return std::vector{Concat({v[0], v[0]})}; }, {x})[0];
       });
     }},
    {"loop variable changes its shape, eager",
     [] {
       WhileLoop([](const std::vector<Tensor>& v) { return ReduceSum(v[0]) < 90; },
                 [](const std::vector<Tensor>& v) { return std::vector{Concat({v[0], v[0]})}; }, {kVector});
     }},
    {"condition is a vector",
     [] { Traced([](const Tensor& x) { return Cond(x > 0, [&] { return x; }, [&] { return -x; }); }); }},
    {"captured tensor is too large",
     [] {
       const Tensor large = Zeros({3000, 3000});
       Trace([&](const Tensor& x) { return x + large; }, {Spec(kFloat32, {3000, 3000})});
     }},
    {"function takes more than the specs",
     [] { Trace([](const Tensor& x, const Tensor& y) { return x + y; }, {Spec(kFloat32, {3})}); }},
    // --- ops ---
    {"shapes in add", [] { kVector + kMatrix; }},
    {"shapes in matmul", [] { MatMul(kMatrix, kVector); }},
    {"channels in conv", [] { Conv2D(Zeros({1, 8, 8, 3}), Zeros({3, 3, 4, 16})); }},
    {"float plus integer", [] { kVector + Tensor({1, 2, 3}); }},
    {"matrix of bools", [] { MatMul(kMatrix, kMatrix > 0); }},
    {"axis that is not there", [] { ReduceSum(kMatrix, {2}); }},
    {"reshape to another count", [] { Reshape(kMatrix, {3, 2}); }},
    {"item of a vector", [] { kVector.item<float>(); }},
    {"index out of range", [] { Gather(kVector, Tensor({0, 3})); }},
    {"label out of range", [] { SoftmaxCrossEntropy(kMatrix, Tensor({0, 2})); }},
    {"concat of nothing", [] { Concat({}); }},
    {"concat of ranks", [] { Concat({kVector, kMatrix}); }},
    {"slice out of range", [] { Slice(kVector, {1}, {4}); }},
    {"elements for another shape", [] { Tensor::FromData(std::vector<float>{1, 2, 3}, {2, 2}); }},
    // --- variables, layers, optimizers ---
    {"assign of another shape",
     [] {
       const Variable w(kVector, {.name = "w"});
       w.Assign(kMatrix);
     }},
    {"layer given other features",
     [] {
       const Dense dense(4, 8);
       dense(kMatrix);
     }},
    {"optimizer given a gradient of another shape",
     [] {
       const Variable w(kVector, {.name = "w"});
       const Sgd optimizer;
       optimizer.Apply(GradientList({GradientEntry(w, Tensor(1.f))}));
     }},
    {"optimizer given a tensor",
     [] {
       const Sgd optimizer;
       optimizer.Apply(GradientList({GradientEntry(kVector, kVector)}));
     }},
    {"optimizer given nothing but None",
     [] {
       const Variable w(kVector, {.name = "w"});
       const Sgd optimizer;
       GradientTape tape;
       optimizer.Apply(tape.Gradient(kVector * 2, {w}));
     }},
    // --- custom gradients ---
    {"custom gradient of another shape",
     [] {
       const auto f = CustomGradient(
           [](const Tensor& x) { return std::pair(x * 2, [](const Tensor& dy) { return ReduceSum(dy); }); });
       GradientTape tape;
       tape.Watch(kVector);
       tape.Gradient(f(kVector), kVector);
     }},
    {"custom gradient of another number",
     [] {
       const auto f = CustomGradient([](const Tensor& x, const Tensor& y) {
         return std::pair(x * y, [](const Tensor& dy) { return std::vector{dy}; });
       });
       GradientTape tape;
       tape.Watch(kVector);
       tape.Gradient(f(kVector, kVector), kVector);
     }},
    {"custom gradient without its variables",
     [] {
       const Variable w(kVector, {.name = "w"});
       const auto f =
           CustomGradient([&](const Tensor& x) { return std::pair(x * w, [](const Tensor& dy) { return dy; }); });
       GradientTape tape;
       tape.Watch(kVector);
       tape.Gradient(f(kVector), kVector);
     }},
    // --- compiled code and files ---
    {"argument missing in a call", [] { Step()("train", kMatrix); }},
    {"argument of another type", [] { Step()("train", Zeros({2, 3}), Zeros({2})); }},
    {"entry point that is not there", [] { Step()("predict", kMatrix); }},
    {"result that is not there", [] { Step()("train", Zeros({2, 3}), Tensor({0, 1}))["accuracy"]; }},
    {"variable that is not there", [] { Step().variable("w"); }},
    {"extent out of range",
     [] {
       const Spec x(kFloat32, {Dim("B", 1, 4)}, "x");
       const Executable run = Compile(Trace([](const Tensor& v) { return v * 2; }, {x}));
       run("main", Zeros({5}));
     }},
    {"extents that disagree",
     [] {
       const Dim batch("B", 1, 4);
       const Executable run = Compile(Trace([](const Tensor& x, const Tensor& y) { return x + y; },
                                            {Spec(kFloat32, {batch}, "x"), Spec(kFloat32, {batch}, "y")}));
       run("main", Zeros({2}), Zeros({3}));
     }},
    {"gradient by a name that is not there",
     [] { Gradients(Trace([](const Tensor& x) { return x * 2; }, {Spec(kFloat32, {3}, "x")}), {.xs = {"w"}}); }},
    {"file that is not there", [] { Module::Load("/no/such/model.reel"); }},
    {"file that is no module", [] { Module::Load(TemporaryFile("PK\003\004 a zip file")); }},
    {"file cut short",
     [] {
       const std::string path = TemporaryFile("");
       Module::Lift({{"f", [](const Tensor& x) { return x * 2; }, {Spec(kFloat32, {3})}}}).Save(path);
       std::ifstream in(path, std::ios::binary);
       std::string bytes{std::istreambuf_iterator<char>(in), {}};
       Module::Load(TemporaryFile(bytes.substr(0, bytes.size() - 1)));
     }},
    {"text with a typing error",
     [] { Module::FromText("reel 1\nmodule \"m\"\nfunc @f(%x: f32[2]) -> (f32[2]) {\n  %0 = expp %x : f32[2]\n}\n"); }},
    {"object under a name C does not take",
     [] { CompileToObject(Trace([](const Tensor& x) { return x * 2; }, {Spec(kFloat32, {3})}), "my-model"); }},
};

// Without what changes with lines, folders and numbers of addresses.
std::string Normalized(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex("[^ (\"]*/mistakes_test\\.cc:[0-9]+"), "mistakes_test.cc:LINE");
  return std::regex_replace(out, std::regex("[^ (\"]*/reel_mistake\\.reel"), "TEMP/reel_mistake.reel");
}

std::string TextOf(const Mistake& mistake) {
  testing::internal::CaptureStderr();
  std::string text = "nothing is said";
  try {
    mistake.make();
    const std::string warning = testing::internal::GetCapturedStderr();
    return warning.empty() ? text : "warning: " + warning.substr(0, warning.find('\n'));
  } catch (const Error& e) {
    text = std::string(Name(e.code())) + ": " + e.what();
  }
  const std::string warning = testing::internal::GetCapturedStderr();
  return warning.empty() ? text : text + "\n(stderr) " + warning.substr(0, warning.find('\n'));
}

void ExpectUnharmed() {
  GradientTape tape;
  const Variable w(3.f);
  EXPECT_EQ(ValueOf(tape.Gradient(w * w, w)), 6);
  EXPECT_EQ(Compile(Trace([](const Tensor& x) { return x * 2; }, {Spec(kFloat32, {1})}))("main", Tensor({4.f}))[0]
                .item<float>(),
            8);
}

// "# name" and the text, a paragraph each.
std::map<std::string, std::string> Golden() {
  std::map<std::string, std::string> out;
  std::ifstream in(GoldenPath());
  std::string line, name;
  while (std::getline(in, line)) {
    if (line.starts_with("# ")) {
      name = line.substr(2);
    } else if (!name.empty() && !line.empty()) {
      std::string& text = out[name];
      text += (text.empty() ? "" : "\n") + line;
    }
  }
  return out;
}

TEST(Mistakes, TextsAreTheGoldenOnes) {
  const char* update = std::getenv("REEL_UPDATE_GOLDEN");
  const auto golden = Golden();
  std::ostringstream all;
  all << "What Reel says about the mistakes of mistakes_test.cc; REEL_UPDATE_GOLDEN=1 rewrites it.\n";
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.name);
    const int64_t live = internal::LiveTensors();
    const std::string text = Normalized(TextOf(mistake));
    ExpectUnharmed();
    EXPECT_EQ(internal::LiveTensors(), live) << "tensors are left";
    EXPECT_NE(text, "nothing is said");
    EXPECT_LT(text.size(), 600u);
    EXPECT_EQ(text.find('\n'), std::string::npos) << "not one paragraph";
    all << "\n# " << mistake.name << "\n" << text << "\n";
    if (update) continue;
    const auto it = golden.find(mistake.name);
    EXPECT_EQ(text, it == golden.end() ? "" : it->second);
  }
  EXPECT_EQ(golden.size(), update ? golden.size() : std::size(kMistakes)) << "texts without a mistake";
  std::remove((testing::TempDir() + "reel_mistake.reel").c_str());
  if (update) std::ofstream(GoldenPath()) << all.str();
}

}  // namespace
}  // namespace reel
