// Objects of graphs with symbolic extents: the bits of compiled programs, for the extents that they take.

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/buffer.h"
#include "tests/frontend/symbolic_util.h"

namespace reel {
namespace {

using testing::HasSubstr;

// A library made of an object.
class Object {
 public:
  Object(const Module& module, const std::string& name, const CompileOptions& options = {})
      : path_(testing::TempDir() + name) {
    CompileToObject(module, path_, options);
    const std::string command = "cc -shared -o " + path_ + ".so " + path_ + ".o";
    EXPECT_EQ(std::system(command.c_str()), 0);
    handle_ = dlopen((path_ + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    std::ifstream header(path_ + ".h");
    header_.assign(std::istreambuf_iterator<char>(header), {});
    memory_ = runtime::Buffer::Allocate(Find<size_t()>("size")());
    instance_ = Find<void*(void*, size_t, int*)>("init")(memory_.data(), memory_.size(), nullptr);
    EXPECT_NE(instance_, nullptr);
  }
  ~Object() {
    dlclose(handle_);
    for (const char* suffix : {".o", ".h", ".so"}) std::filesystem::remove(path_ + suffix);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  template <typename F>
  F* Find(const std::string& function) const {
    const std::string name = path_.substr(path_.rfind('/') + 1) + "_" + function;
    void* const found = dlsym(handle_, name.c_str());
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<F*>(found);
  }
  void* instance() const { return instance_; }
  const std::string& header() const { return header_; }

 private:
  std::string path_, header_;
  void* handle_ = nullptr;
  runtime::Buffer memory_;
  void* instance_ = nullptr;
};

// predict goes row by row: any number of them. train does not: those that were asked for.
TEST(SymbolicObject, AO06_TakesTheExtentAndGivesTheBitsOfTheJit) {
  Classifier c;
  const Module module = c.Lift(Dim("B", 1, 4096));
  const Executable run = Compile(module);
  const Object object(module, "symbolic_object", {.extents = {{"B", 3}, {"B", 32}}});
  EXPECT_THAT(object.header(), HasSubstr("/* x f32[B,4], labels i32[B] -> result0 f32[]; B one of 3, 32 */\n"
                                         "int symbolic_object_train(symbolic_object* instance, int64_t B, const float* "
                                         "x, const int32_t* labels, float* result0);"));
  auto* const train = object.Find<int(void*, int64_t, const float*, const int32_t*, float*)>("train");
  auto* const predict = object.Find<int(void*, int64_t, const float*, float*)>("predict");
  for (const int64_t b : {3, 32, 3}) {
    const Tensor x = Argument({kFloat32, {b, 4}}, 1), y = Argument({kInt32, {b}}, 2);
    float loss = 0;
    ASSERT_EQ(train(object.instance(), b, x.data<float>().data(), y.data<int32_t>().data(), &loss), 0);
    EXPECT_TRUE(SameBits(run("train", x, y), Tensor(loss))) << b;
  }
  EXPECT_THAT(object.header(), HasSubstr("/* x f32[B,4] -> result0 f32[B,3]; B from 1 to 4096 */"));
  for (const int64_t b : {3, 32, 1, 35, 200}) {
    const Tensor x = Argument({kFloat32, {b, 4}}, 1);
    std::vector<float> scores(static_cast<size_t>(3 * b));
    ASSERT_EQ(predict(object.instance(), b, x.data<float>().data(), scores.data()), 0);
    EXPECT_TRUE(SameBits(run("predict", x), Tensor::FromData(scores, {b, 3}))) << b;
  }
  const Tensor x = Argument({kFloat32, {8, 4}}, 1), y = Argument({kInt32, {8}}, 2);
  float loss = 0;
  for (const int64_t b : {0, 2, 8, -3, 4097}) {
    EXPECT_EQ(train(object.instance(), b, x.data<float>().data(), y.data<int32_t>().data(), &loss), 1) << b;
  }
}

TEST(SymbolicObject, RowsInChunks) {
  Classifier c;
  c.model(Zeros({1, 4}));
  const Module module = Module::Lift({{"predict",
                                       [&](const Tensor& x, const Tensor& bias) {
                                         const Tensor y = Softmax(c.model(x) + bias);
                                         return std::tuple(ArgMax(y), y, ReduceSum(bias));
                                       },
                                       {Spec(kFloat32, {Dim("B", 2, 1000), 4}, "x"), Spec(kFloat32, {3}, "bias")}}});
  const Executable run = Compile(module);
  const Object object(module, "symbolic_rows");
  EXPECT_THAT(object.header(), HasSubstr("B from 2 to 1000"));
  auto* const predict =
      object.Find<int(void*, int64_t, const float*, const float*, int64_t*, float*, float*)>("predict");
  const Tensor bias = Argument({kFloat32, {3}}, 5);
  for (const int64_t b : {2, 3, 63, 64, 127, 129, 1000}) {
    const Tensor x = Argument({kFloat32, {b, 4}}, 1);
    std::vector<int64_t> best(static_cast<size_t>(b + 1), -7);
    std::vector<float> y(static_cast<size_t>(3 * b + 1), -7);
    float sum = 0;
    ASSERT_EQ(
        predict(object.instance(), b, x.data<float>().data(), bias.data<float>().data(), best.data(), y.data(), &sum),
        0);
    EXPECT_EQ(best.back(), -7);
    EXPECT_EQ(y.back(), -7);
    best.pop_back();
    y.pop_back();
    const Results want = run("predict", x, bias);
    EXPECT_TRUE(SameBits(Tensor::FromData(best, {b}), want[0])) << b;
    EXPECT_TRUE(SameBits(Tensor::FromData(y, {b, 3}), want[1])) << b;
    EXPECT_TRUE(SameBits(Tensor(sum), want[2])) << b;
  }
  const Tensor x = Zeros({2, 4});
  std::vector<int64_t> best(2);
  float y[6], sum = 0;
  for (const int64_t b : {0, 1, 1001, -1}) {
    EXPECT_EQ(predict(object.instance(), b, x.data<float>().data(), bias.data<float>().data(), best.data(), y, &sum),
              1);
  }
  EXPECT_EQ(predict(object.instance(), 2, nullptr, bias.data<float>().data(), best.data(), y, &sum), 2);
  EXPECT_EQ(predict(object.instance(), 2, x.data<float>().data(), y, best.data(), y, &sum), 4);  // overlaps
}

TEST(SymbolicObject, ASmallRangeIsCompiledWhole) {
  const Module module =
      Module::Lift({{"mean", [](const Tensor& x) { return ReduceMean(x, 0); }, {Spec(kFloat32, {Dim("B", 2, 5), 3})}}});
  const Object object(module, "symbolic_range");
  EXPECT_THAT(object.header(), HasSubstr("B from 2 to 5"));
  auto* const mean = object.Find<int(void*, int64_t, const float*, float*)>("mean");
  for (int64_t b = 2; b <= 5; ++b) {
    const Tensor x = Argument({kFloat32, {b, 3}}, 1);
    std::vector<float> y(3);
    ASSERT_EQ(mean(object.instance(), b, x.data<float>().data(), y.data()), 0);
    EXPECT_TRUE(SameBits(Tensor::FromData(y, {3}), ReduceMean(x, 0))) << b;
  }
}

TEST(SymbolicObject, OneValueIsANumber) {
  Classifier c;
  const Object object(c.Lift(Dim("B", 1, 4096)), "symbolic_one", {.extents = {{"B", 32}}});
  EXPECT_THAT(object.header(), HasSubstr("int symbolic_one_predict(symbolic_one* instance, const float* x"));
  EXPECT_THAT(object.header(), HasSubstr("x f32[32,4]"));
}

TEST(SymbolicErrors, OfObjects) {
  Classifier c;
  const Module module = c.Lift(Dim("B", 1, 4096));
  const auto error = [&](ErrorCode code, const std::string& text, const CompileOptions& options) {
    ExpectError(code, text, [&] { CompileToObject(module, testing::TempDir() + "symbolic_error", options); });
  };
  error(ErrorCode::kUnimplemented,
        "@train: results depend on all of extent B, from 1 to 4096: an object has one "
        "program for each of its values; choose them, with CompileOptions::extents or --extent B=NUMBER",
        {});
  error(ErrorCode::kInvalidArgument, "the module has no symbolic extent \"T\"", {.extents = {{"T", 5}}});
  error(ErrorCode::kInvalidArgument, "B = 5000 is not in its range [1, 4096]", {.extents = {{"B", 5}, {"B", 5000}}});
  std::vector<std::pair<std::string, int64_t>> many;
  for (int64_t b = 1; b <= 65; ++b) many.emplace_back("B", b);
  error(ErrorCode::kInvalidArgument, "more than 64 combinations of extents", {.extents = many});
}

}  // namespace
}  // namespace reel
