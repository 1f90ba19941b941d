// Compiled programs against eager execution, bit for bit; instances, state and memory.

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/allocator.h"
#include "tests/frontend/classifier.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Tensor kInput = Tensor({{1.f, -2.f, 3.f, 0.5f}, {0.f, 1.f, -1.f, 2.f}});
const Tensor kLabels = Tensor({2, 0});

TEST(Compile, ContinuesTheEagerTrainingBitForBit) {
  Classifier s;
  for (int i = 0; i < 3; ++i) s.Train(kInput, kLabels);
  Recording recording;
  const Tensor recorded = s.Train(kInput, kLabels);
  const Function step = recording.Lift({kInput, kLabels}, {{"loss", recorded}});
  const Module module = Module::Lift({{"train", step}, {"predict", s.model, {Spec(kFloat32, {2, 4})}}});
  for (const int level : {0, 2}) {
    const Executable run = Compile(module, {.opt_level = level});
    run.LoadFrom(step.variables());
    std::vector<Tensor> saved;
    for (const Variable& v : step.variables()) saved.push_back(v.value());
    for (int i = 0; i < 4; ++i) {
      const Tensor compiled = run("train", kInput, kLabels), eager = s.Train(kInput, kLabels);
      ASSERT_EQ(compiled.item<float>(), eager.item<float>()) << "step " << i << ", level " << level;
    }
    for (const Variable& v : s.model.variables()) {
      EXPECT_EQ(Values(run.variable(v.name())), Values(v.value())) << v.name();
    }
    EXPECT_EQ(Values(run("predict", kInput)), Values(s.model(kInput)));
    for (size_t i = 0; i < saved.size(); ++i) step.variables()[i].Assign(saved[i]);
  }
}

// Functions share the bytes of their constants and variables with the tensors they come from.
TEST(Compile, SharedValuesAreNeverWrittenTo) {
  const Variable w(Tensor({10.f, 20.f}));
  std::vector<Tensor> constant = {Tensor({1.f, 2.f})};
  const Function f = Trace([&](const Tensor& x) { return x * constant[0] + w; }, {Spec(kFloat32, {2})});
  w.Assign(Tensor({0.f, 0.f}));
  const std::vector<Tensor> x = {Tensor({3.f, 4.f})};
  for (int i = 0; i < 2; ++i) {
    const Executable run = Compile(f);
    run.Run("main", x, constant);  // the second result goes into the first one's memory
    EXPECT_THAT(Values(constant[0]), ElementsAre(13, 28));
    run.set_variable(run.variables()[0], Tensor({5.f, 5.f}));
    run.Run("main", x, constant);
    EXPECT_THAT(Values(constant[0]), ElementsAre(8, 13));
  }
  EXPECT_THAT(Values(w.value()), ElementsAre(0, 0));
}

TEST(Compile, LargeZerosStayZero) {
  const Variable w(Zeros({1 << 20})), v(Zeros({1 << 20}));
  const auto assign = [&](const Tensor& x) {
    w.Assign(x);
    return x;
  };
  const Executable run = Compile(Trace(assign, {Spec(w.value())}));
  const Executable other = run.NewInstance();
  run("main", Ones({1 << 20}));
  EXPECT_EQ(ReduceSum(run.variable(run.variables()[0])).item<float>(), 1 << 20);
  EXPECT_EQ(ReduceSum(other.variable(other.variables()[0])).item<float>(), 0);
  EXPECT_EQ(ReduceSum(w.value()).item<float>(), 0);
  v.Assign(v + 1.f);
  EXPECT_EQ(ReduceSum(Zeros({1 << 20})).item<float>(), 0);
}

TEST(Compile, SM03_ResultsByPositionAndName) {
  const Executable run = Compile(
      Trace([](const Tensor& x) { return std::pair(NamedTensor("twice", x + x), NamedTensor("square", x * x)); },
            {Spec(kFloat32, {}, "x")}));
  const Results r = run("main", 3.f);
  EXPECT_EQ(r[0].item<float>(), 6);
  EXPECT_EQ(r["square"].item<float>(), 9);
  ExpectError(ErrorCode::kInvalidArgument, "there are 2 results", [&] { Tensor t = r; });
  ExpectError(ErrorCode::kNotFound, "there are: twice, square", [&] { r["cube"]; });
}

TEST(Compile, AO17_Mistakes) {
  const Executable run = Compile(Trace([](const Tensor& x) { return x + x; }, {Spec(kFloat32, {2}, "x")}));
  ExpectError(ErrorCode::kNotFound, "no entry point 'test'; there are: main", [&] { run("test", 1.f); });
  ExpectError(ErrorCode::kInvalidArgument, "takes 1 arguments, got 2", [&] { run("main", 1.f, 2.f); });
  ExpectError(ErrorCode::kInvalidArgument, "argument 0 ('x') must be f32[2], got f32[3]",
              [&] { run("main", Zeros({3})); });
  ExpectError(ErrorCode::kFailedPrecondition, "null executable", [] { Executable()("main"); });
}

TEST(Compile, RunAllocatesNothing) {
  Classifier s;
  s.Train(kInput, kLabels);
  const Executable run = Compile(s.Lift(2));
  const std::vector<Tensor> in = {kInput, kLabels};
  std::vector<Tensor> out(1);
  run.Run("train", in, out);
  const float first = out[0].item<float>();
  const int64_t before = runtime::Allocator::Default().stats().allocations;
  for (int i = 0; i < 20; ++i) run.Run("train", in, out);
  EXPECT_EQ(runtime::Allocator::Default().stats().allocations, before);
  EXPECT_LT(out[0].item<float>(), first);
  const Tensor kept = out[0];  // shared: the next call must not write into it
  const float value = kept.item<float>();
  run.Run("train", in, out);
  EXPECT_EQ(kept.item<float>(), value);
}

TEST(Compile, AnArgumentMayBeAResult) {
  const Executable run = Compile(Trace([](const Tensor& x) { return Transpose(x) + x; }, {Spec(kFloat32, {2, 2})}));
  std::vector<Tensor> x = {Tensor({{1.f, 2.f}, {3.f, 4.f}})};
  run.Run("main", x, x);
  EXPECT_THAT(Values(x[0]), ElementsAre(2, 5, 5, 8));
}

TEST(Compile, InstancesAreIndependent) {
  Classifier s;
  s.Train(kInput, kLabels);
  const Executable first = Compile(s.Lift(2));
  const Executable second = first.NewInstance();
  const float start = Tensor(first("train", kInput, kLabels)).item<float>();
  for (int i = 0; i < 5; ++i) first("train", kInput, kLabels);
  EXPECT_EQ(Tensor(second("train", kInput, kLabels)).item<float>(), start);
}

TEST(Compile, CallsFromSeveralThreads) {
  const Variable count(Tensor(int64_t{0}), {.name = "count"});
  const Executable run = Compile(Trace(
      [&](const Tensor& x) {
        count.AssignAdd(x);
        return count.value();
      },
      {Spec(kInt64, {})}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) run("main", Tensor(int64_t{1}));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(run.variable("count").item<int64_t>(), 400);
  EXPECT_EQ(count.value().item<int64_t>(), 0);
  run.StoreTo({count});
  EXPECT_EQ(count.value().item<int64_t>(), 400);
  run.set_variable("count", Tensor(int64_t{7}));
  EXPECT_EQ(Tensor(run("main", Tensor(int64_t{1}))).item<int64_t>(), 8);
}

TEST(Compile, LoadFromUnknownVariable) {
  const Variable other(Tensor(1.f), {.name = "other"});
  const Executable run = Compile(Trace([](const Tensor& x) { return x; }, {Spec(kFloat32, {})}));
  ExpectError(ErrorCode::kNotFound, "has no variable 'other'", [&] { run.LoadFrom({other}); });
}

TEST(Compile, AfterSaveAndLoad) {
  Classifier s;
  s.Train(kInput, kLabels);
  const Module module = s.Lift(2);
  const std::string path = testing::TempDir() + "/reel_compile_test.reel";
  module.Save(path);
  const Executable a = Compile(module), b = Compile(Module::Load(path));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Tensor(a("train", kInput, kLabels)).item<float>(), Tensor(b("train", kInput, kLabels)).item<float>());
  }
  b.StoreTo(s.model.variables());  // by name
  EXPECT_EQ(Values(s.model.variables()[0].value()), Values(a.variable("dense/kernel")));
  EXPECT_THAT(a.Plan(), HasSubstr("entry train"));
}

TEST(Compile, SaveAndGoOn) {
  Classifier s;
  s.Train(kInput, kLabels);
  const Executable whole = Compile(s.Lift(2)), first = Compile(s.Lift(2));
  const std::string path = testing::TempDir() + "/reel_snapshot.reel";
  for (int i = 0; i < 3; ++i) whole("train", kInput, kLabels), first("train", kInput, kLabels);
  first.Save(path);
  const Executable second = Compile(Module::Load(path)), third = Compile(first.Snapshot());
  for (int i = 0; i < 3; ++i)
    whole("train", kInput, kLabels), second("train", kInput, kLabels), third("train", kInput, kLabels);
  for (const std::string& name : whole.variables()) {
    EXPECT_EQ(Values(second.variable(name)), Values(whole.variable(name))) << name;
    EXPECT_EQ(Values(third.variable(name)), Values(whole.variable(name))) << name;
    EXPECT_NE(Values(first.variable("dense/kernel")), Values(whole.variable("dense/kernel")));
  }
  EXPECT_EQ(whole.Snapshot().variables(), s.Lift(2).variables());
  ExpectError(ErrorCode::kFailedPrecondition, "null", [] { Executable().Snapshot(); });
}

// A convolution and a dense layer as other programs store their weights: code that only reads these turns them once.
TEST(Compile, ReadsWeightsInTheOrderOfTheirProducts) {
  const Generator g(5);
  Variable filter(RandomNormal({6, 3, 3, 3}, {.generator = g}), {.name = "filter"});
  Variable matrix(RandomNormal({5, 6}, {.generator = g}), {.name = "matrix"});
  const auto net = [&](const Tensor& x) {
    const Tensor y = Conv2D(x, filter.value(), {.format = kChannelsFirst});
    return MatMul(ReduceMax(y, {2, 3}), matrix.value(), {.transpose_b = true});
  };
  const Tensor x = RandomNormal({2, 3, 7, 8}, {.generator = g}), before = net(x);
  const Function f = Trace(net, {Spec(x)});
  const Executable run = Compile(f, {.cpu = "x86-64-v3"}), other = run.NewInstance();
  EXPECT_THAT(run.Plan(), Not(HasSubstr("f32[3,3,3,6] stored")));
  EXPECT_TRUE(SameBits(run("main", x), Compile(f, {.cpu = "x86-64-v3", .opt_level = 0})("main", x)));
  for (const Variable& v : {filter, matrix}) EXPECT_TRUE(SameBits(run.variable(v.name()), v.value())) << v.name();

  ExpectError(ErrorCode::kInvalidArgument, "variable 'matrix' is f32[5,6], the value is f32[6,5]",
              [&] { run.set_variable("matrix", Zeros({6, 5})); });
  filter.Assign(RandomNormal({6, 3, 3, 3}, {.generator = g}));
  matrix.Assign(RandomNormal({5, 6}, {.generator = g}));
  run.LoadFrom({filter, matrix});
  const Tensor after = run("main", x);
  EXPECT_FALSE(SameBits(after, Tensor(other("main", x))));
  EXPECT_TRUE(SameBits(Tensor(Compile(run.Snapshot(), {.cpu = "x86-64-v3"})("main", x)), after));
  other.StoreTo({filter, matrix});
  EXPECT_TRUE(
      SameBits(Tensor(Compile(Trace(net, {Spec(x)}), {.cpu = "x86-64-v3"})("main", x)), Tensor(other("main", x))));
}

TEST(Compile, RandomStepContinuesTheEagerSequence) {
  const Generator g(11);
  Recording recording;
  const Tensor first = RandomNormal({100}, {.generator = g});
  const Executable run = Compile(recording.Lift({}, {first}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Values(run("main")), Values(RandomNormal({100}, {.generator = g})));
}

TEST(CompileToObject, AO11_WritesObjectAndHeader) {
  Classifier s;
  s.Train(kInput, kLabels);
  const std::string path = testing::TempDir() + "/reel_object";
  CompileToObject(s.Lift(2), path);
  std::ifstream header(path + ".h"), object(path + ".o", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(header), {});
  EXPECT_THAT(text, HasSubstr("reel_object_train"));
  EXPECT_EQ(object.get(), 0x7f);
  ExpectError(ErrorCode::kInvalidArgument, "cannot begin C symbols", [&] { CompileToObject(s.Lift(2), "a-b"); });
}

TEST(CompileToStaticLibrary, HoldsTheObject) {
  const std::string path = testing::TempDir() + "/reel_static";
  const Function square = Trace([](const Tensor& x) { return x * x; }, {Spec(kFloat32, {4})});
  CompileToStaticLibrary(square, path, {.cpu = "v2,v3"});
  std::ifstream library(path + ".a", std::ios::binary), header(path + ".h");
  const std::string bytes(std::istreambuf_iterator<char>(library), {});
  EXPECT_TRUE(bytes.starts_with("!<arch>\n"));
  EXPECT_THAT(bytes, HasSubstr("reel_static_main"));
  EXPECT_TRUE(header.good());
  ExpectError(ErrorCode::kInvalidArgument, "are both x86-64-v3",
              [&] { CompileToStaticLibrary(square, path, {.cpu = "v3,haswell"}); });
  ExpectError(ErrorCode::kInvalidArgument, "unknown CPU \"v2,v3\"", [&] { Compile(square, {.cpu = "v2,v3"}); });
}

TEST(CompileToSharedLibrary, NeedsNothingAndLeavesNothing) {
  const std::string folder = testing::TempDir() + "/reel_shared";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/tmp");
  ::setenv("TMPDIR", (folder + "/tmp").c_str(), 1);
  CompileToSharedLibrary(Trace([](const Tensor& x) { return x * x; }, {Spec(kFloat32, {4})}), folder + "/square");
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/square.h"));
  void* const library = ::dlopen((folder + "/square.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  EXPECT_NE(::dlsym(library, "square_main"), nullptr);
  std::ifstream header(folder + "/square.h");
  const std::string text(std::istreambuf_iterator<char>(header), {});
  EXPECT_THAT(text, HasSubstr("link square.o or square.so, whichever was written with this header"));
  ::dlclose(library);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.c_str(), 1);
  ExpectError(ErrorCode::kUnavailable, "linked by the C compiler `cc`",
              [&] { CompileToSharedLibrary(Trace([] { return Ones({}); }, {}), folder + "/one"); });
  ::setenv("PATH", path.c_str(), 1);
  ::unsetenv("TMPDIR");
  EXPECT_FALSE(std::filesystem::exists(folder + "/one.h"));
}

}  // namespace
}  // namespace reel
