#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <complex>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "frontend/onnx/node.h"
#include "frontend/record/event_log.h"
#include "frontend/values/tensor_data.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "reel/compile.h"
#include "reel/onnx.h"
#include "reel/optimizers.h"
#include "reel/tape.h"
#include "tests/paths.h"

namespace reel::onnx {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The wire format of protocol buffers, and of it as much as models need.
std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string Number(uint64_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Bytes(uint64_t field, const std::string& bytes) {
  return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string Int(const std::string& name, int64_t value) {
  return Bytes(5, Bytes(1, name) + Number(3, static_cast<uint64_t>(value)) + Number(20, 2));
}
std::string Ints(const std::string& name, const std::vector<int64_t>& values) {
  std::string list;
  for (const int64_t value : values) list += Number(8, static_cast<uint64_t>(value));
  return Bytes(5, Bytes(1, name) + list + Number(20, 7));
}
std::string Floats(const std::string& name, const std::vector<float>& values) {
  const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return Bytes(5, Bytes(1, name) + Bytes(7, raw) + Number(20, 6));
}
std::string String(const std::string& name, const std::string& value) {
  return Bytes(5, Bytes(1, name) + Bytes(4, value) + Number(20, 3));
}
std::string Strings(const std::string& name, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += Bytes(9, value);
  return Bytes(5, Bytes(1, name) + list + Number(20, 8));
}
std::string Subgraph(const std::string& name, const std::string& graph) {
  return Bytes(5, Bytes(1, name) + Bytes(6, graph) + Number(20, 5));
}
std::string Op(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
               const std::string& attributes = "") {
  std::string node;
  for (const std::string& x : inputs) node += Bytes(1, x);
  for (const std::string& y : outputs) node += Bytes(2, y);
  return Bytes(1, node + Bytes(3, "n") + Bytes(4, op) + attributes);
}
// dims: numbers, or names of open extents; type 1 is float, 7 i64, 9 bool.
std::string Info(uint64_t field, const std::string& name, const std::vector<std::string>& dims, uint64_t type = 1) {
  std::string shape;
  for (const std::string& d : dims) {
    const bool number = d.find_first_not_of("0123456789") == std::string::npos;
    shape += Bytes(1, number ? Number(1, std::stoull(d)) : Bytes(2, d));
  }
  return Bytes(field, Bytes(1, name) + Bytes(2, Bytes(1, Number(1, type) + Bytes(2, shape))));
}
std::string Input(const std::string& name, const std::vector<std::string>& dims, uint64_t type = 1) {
  return Info(11, name, dims, type);
}
std::string Output(const std::string& name) { return Info(12, name, {}); }
template <typename T>
std::string Initializer(const std::string& name, const std::vector<uint64_t>& dims, const std::vector<T>& values) {
  std::string tensor;
  for (const uint64_t d : dims) tensor += Number(1, d);
  const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  const uint64_t type = std::is_same_v<T, float> ? 1 : std::is_same_v<T, int64_t> ? 7 : 14;
  return Bytes(5, tensor + Number(2, type) + Bytes(8, name) + Bytes(9, raw));
}
std::string ModelOf(const std::string& graph, uint64_t opset = 15) {
  return Number(1, 8) + Bytes(7, graph) + Bytes(8, Number(2, opset));
}

Module Import(const std::string& graph, const OnnxOptions& options = {}) {
  return ImportOnnxBytes(ModelOf(graph), "model", options);
}
std::string ErrorOf(const std::string& model, const OnnxOptions& options = {}) {
  try {
    ImportOnnxBytes(model, "model", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string kLinear =
    Input("x", {"2", "3"}) + Initializer<float>("w", {3, 1}, {1, 2, 3}) + Op("MatMul", {"x", "w"}, {"y"}) + Output("y");

TEST(OnnxImport, WeightsAreTrainable) {
  const Module module = Import(kLinear);
  EXPECT_THAT(module.variables(), testing::ElementsAre("w"));
  const Tensor x({{1.f, 0.f, 0.f}, {0.f, 1.f, 1.f}});
  EXPECT_EQ((std::vector<float>{1, 5}), Tensor(Compile(module)("main", x)).ToVector<float>());
  ir::Module graph = module.internal_data()->module;
  EXPECT_TRUE(graph.variables()[0].trainable);
  const auto gradient = passes::AddGradientFunction(&graph, "main", {}, {"w"}, false);
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  const auto dw = ir::EvaluateEntry(graph, gradient->name, {internal::ToLiteral(x)});
  ASSERT_TRUE(dw.ok()) << dw.status();
  EXPECT_EQ(internal::FromLiteral(dw->outputs.at(0)).ToVector<float>(), (std::vector<float>{1, 1, 1}));
  const Module frozen = Import(kLinear, {.trainable = false});
  EXPECT_FALSE(frozen.internal_data()->module.variables()[0].trainable);
}

// Single numbers are exponents and epsilons, running moments are not trained.
TEST(OnnxImport, WhatIsNoWeight) {
  const std::string graph = Input("x", {"1", "2"}) + Initializer<float>("two", {}, {2}) +
                            Initializer<float>("scale", {2}, {1, 1}) + Initializer<float>("offset", {2}, {0, 0}) +
                            Initializer<float>("mean", {2}, {0, 0}) + Initializer<float>("variance", {2}, {1, 1}) +
                            Op("Pow", {"x", "two"}, {"p"}) +
                            Op("BatchNormalization", {"p", "scale", "offset", "mean", "variance"}, {"y"}) + Output("y");
  std::vector<std::string> trainable;
  const Module module = Import(graph);
  for (const Variable& v : module.function("main").variables()) {
    if (v.trainable()) trainable.push_back(v.name());
  }
  EXPECT_THAT(module.variables(), testing::UnorderedElementsAre("scale", "offset", "mean", "variance"));
  EXPECT_THAT(trainable, testing::UnorderedElementsAre("scale", "offset"));
}

// The powers that exporters write for GELU and for mean squares are products, bit for bit.
TEST(OnnxImport, PowersOfTwoAndThreeAreProducts) {
  const std::vector<float> values = {-1.1f, 0.3f, 1.7f};
  const Tensor x({-1.1f, 0.3f, 1.7f});
  for (const float exponent : {2.f, 3.f}) {
    const Function power = Import(Input("x", {"3"}) + Initializer<float>("exponent", {}, {exponent}) +
                                  Op("Pow", {"x", "exponent"}, {"y"}) + Output("y"))
                               .function("main");
    std::vector<float> products;
    for (const float v : values) products.push_back(exponent == 2 ? v * v : v * v * v);
    EXPECT_EQ(Tensor(power(x)).ToVector<float>(), products);
  }
}

TEST(OnnxImport, AnImportedModelIsTrained) {
  const Function model = Import(kLinear).function("main");
  const Tensor x({{1.f, 0.f, 0.f}, {0.f, 1.f, 1.f}});
  const Sgd optimizer({.learning_rate = 0.125});
  GradientTape tape;
  const Tensor loss = ReduceSum(Tensor(model(x)));
  ASSERT_EQ(model.variables().size(), 1u);
  optimizer.Apply(tape.Gradient(loss, model.variables()));
  EXPECT_EQ(model.variables()[0].value().ToVector<float>(), (std::vector<float>{0.875, 1.875, 2.875}));
  EXPECT_EQ(Tensor(model(x)).ToVector<float>(), (std::vector<float>{0.875, 4.75}));
}

TEST(OnnxImport, OpenExtents) {
  const std::string graph = Input("x", {"batch", "3"}) + Op("Neg", {"x"}, {"y"}) + Output("y");
  EXPECT_THAT(ErrorOf(ModelOf(graph)), HasSubstr("--dim batch=8"));
  EXPECT_THAT(ErrorOf(ModelOf(graph), {.dims = {{"Batch", 4}}}),
              HasSubstr("dim \"Batch\": no input has an axis of that name; open axes: \"batch\""));
  const Module module = Import(graph, {.dims = {{"batch", 4}}});
  EXPECT_THAT(module.ToText(), HasSubstr("f32[4,3]"));
}

// shape(x)[0] and -1 make a shape that is known at import.
TEST(OnnxImport, ShapesAreComputedAtImport) {
  const std::string graph =
      Input("x", {"2", "3", "4"}) + Initializer<int64_t>("zero", {1}, {0}) + Initializer<int64_t>("rest", {1}, {-1}) +
      Op("Shape", {"x"}, {"s"}) + Op("Gather", {"s", "zero"}, {"n"}) +
      Op("Concat", {"n", "rest"}, {"shape"}, Int("axis", 0)) + Op("Reshape", {"x", "shape"}, {"y"}) + Output("y");
  const Module module = Import(graph);
  const auto& nodes = module.internal_data()->module.functions()[0]->nodes();
  ASSERT_EQ(1u, nodes.size());
  EXPECT_EQ("reshape", ir::Name(nodes[0].op));
}

TEST(OnnxImport, InputsThatDecideShapes) {
  const std::string graph = Input("x", {"4"}) + Input("shape", {"2"}, 7) + Op("Abs", {"shape"}, {"s"}) +
                            Op("Reshape", {"x", "s"}, {"y"}) + Output("y");
  try {
    Import(graph);
    FAIL();
  } catch (const UnknownElements& error) {
    EXPECT_EQ("shape", error.input());
    EXPECT_THAT(error.what(), HasSubstr("--constant shape="));
  }
  const Module module = Import(graph, {.constants = {{"shape", Tensor({int64_t{2}, int64_t{-2}})}}});
  EXPECT_EQ(1, module.internal_data()->module.functions()[0]->num_arguments());
}

TEST(OnnxImport, ErrorsNameTheNode) {
  const std::string x = Input("x", {"2"}), y = Output("y");
  const struct {
    std::string model, message;
  } kCases[] = {
      {"", "no graph"},
      {"hello", "truncated or damaged"},
      {ModelOf(x + Op("Nonsense", {"x"}, {"y"}) + y), "node 1 \"n\" (Nonsense)"},
      {ModelOf(x + Op("Neg", {"z"}, {"y"}) + y), "\"z\" is used before"},
      {ModelOf(x + Op("Neg", {"x"}, {"x"}) + y), "\"x\" is defined twice"},
      {ModelOf(x + Op("Neg", {}, {"y"}) + y), "input 0 is missing"},
      {ModelOf(x + Op("Neg", {"x"}, {"y"}, Int("odd", 1)) + y), "attribute \"odd\""},
      {ModelOf(Initializer<int64_t>("k", {1}, {2}) + Op("Neg", {"k"}, {"y"}, Int("odd", 1)) + y), "attribute \"odd\""},
      {ModelOf(x + Op("Neg", {"x", "x"}, {"y"}) + y), "input 1, \"x\", is not supported"},
      {ModelOf(x + Op("Split", {"x"}, {}) + Output("x")), "it has no outputs"},
      {ModelOf(x + Op("Transpose", {"x"}, {"y"}, Int("perm", 1)) + y), "has the wrong type"},
      {ModelOf(x + Op("Softmax", {"x"}, {"y"}, Int("axis", 7)) + y), "axis 7 is out of range"},
      {ModelOf(x + Op("Add", {"x", "x"}, {"y"}) + y, 3), "opset 3"},
      {ModelOf(x + Op("Neg", {"x"}, {"z"}) + y), "\"y\" is used before"},
      {ModelOf(Input("x", {"2"}, 8) + Output("x")), "strings are not supported"},
      {ModelOf(Initializer<float>("w", {3}, {1, 2}) + Output("w")), "f32[3] comes with 8 bytes"},
      {ModelOf(Initializer<float>("w", {1ull << 40, 1ull << 40}, {1, 2}) + Output("w")), "fit in memory"},
      {ModelOf(x + Op("Reshape", {"x", "x"}, {"y"}) + y), "must be known at import"},
      {ModelOf(Input("x", {"99999999999", "99999999999"}) + Output("x")), "too large"},
  };
  for (const auto& c : kCases) EXPECT_THAT(ErrorOf(c.model), HasSubstr(c.message));
  EXPECT_THAT(ErrorOf(ModelOf(kLinear), {.constants = {{"nothing", Tensor(1.f)}}}), HasSubstr("\"nothing\""));
  EXPECT_THAT(ErrorOf(ModelOf(kLinear), {.budget = {.max_ops = 0}}), HasSubstr("max_ops"));
  EXPECT_THAT(ErrorOf(ModelOf(kLinear), {.budget = {.max_memory = 10}}), HasSubstr("max_memory"));
}

// Subgraphs in subgraphs end in an error, not in an overflow of the stack.
TEST(OnnxImport, DeepSubgraphs) {
  std::string graph = Output("c");
  for (int i = 0; i < 2000; ++i) graph = Op("If", {"c"}, {"y"}, Subgraph("then_branch", graph)) + Output("y");
  EXPECT_THAT(ErrorOf(ModelOf(Input("c", {}, 9) + graph)), HasSubstr("truncated or damaged"));
}

TEST(OnnxImport, BranchesSeeTheGraphAround) {
  const std::string yes = Op("Add", {"x", "x"}, {"a"}) + Output("a");
  const std::string no = Op("Neg", {"x"}, {"b"}) + Output("b");
  const std::string graph = Input("c", {}, 9) + Input("x", {"2"}) +
                            Op("If", {"c"}, {"y"}, Subgraph("then_branch", yes) + Subgraph("else_branch", no)) +
                            Output("y");
  const Module module = Import(graph);
  const Tensor x({1.f, 2.f});
  EXPECT_EQ((std::vector<float>{2, 4}), Tensor(Compile(module)("main", true, x)).ToVector<float>());
  EXPECT_EQ((std::vector<float>{-1, -2}), Tensor(Compile(module)("main", false, x)).ToVector<float>());
}

// Axes, extents and dtypes that a handler would have trusted.
TEST(OnnxImport, HostileShapes) {
  using Complex = std::complex<float>;
  const std::string x = Input("x", {"4"}), y = Output("y");
  const std::string wide = Input("x", {"1", "1", "1", "1", "1", "1", "1", "1", "1", "2"});
  const std::string line = Input("x", {"1", "1", "1099511627776"});
  const std::string weight = Initializer<float>("w", {1, 1, 1}, {1});
  const std::string two = Initializer<float>("s", {2}, {1, 2});
  const std::string complex = Initializer<Complex>("z", {1}, {Complex(1, 1)});
  const std::string far = Ints("strides", {1 << 30});
  const auto pool = [&](const std::string& op, int64_t kernel) {
    return Op(op, {"x"}, {"y"}, Ints("kernel_shape", {kernel})) + y;
  };
  const auto norm = Op("InstanceNormalization", {"x", "s", "s"}, {"y"}) + y;
  const auto pad = [&](const std::string& mode, int64_t low = int64_t{1} << 39) {
    return x + Initializer<int64_t>("p", {2}, {low, 0}) + Op("Pad", {"x", "p"}, {"y"}, String("mode", mode)) + y;
  };
  const struct {
    std::string model, message;
  } kCases[] = {
      {ModelOf(x + two + norm), "axis 1 is out of range for rank 1"},
      {ModelOf(Input("x", {}) + two + norm), "axis 1 is out of range for rank 0"},
      {ModelOf(x + two + Op("PRelu", {"x", "s"}, {"y"}) + y, 6), "axis 1 is out of range"},
      {ModelOf(complex + Op("NonZero", {"z"}, {"y"}) + y), "complex numbers, c64[1]"},
      {ModelOf(complex + Op("Range", {"z", "z", "z"}, {"y"}) + y), "must be real numbers"},
      {ModelOf(x + complex + Op("Resize", {"x", "", "z"}, {"y"}) + y), "must be real numbers"},
      {ModelOf(pad("edge")), "padded to"},
      {ModelOf(pad("reflect")), "padded to"},
      {ModelOf(pad("wrap")), "padded to"},
      {ModelOf(pad("odd", 1)), "mode odd; constant, edge, reflect and wrap"},
      {ModelOf(line + pool("AveragePool", int64_t{1} << 40)), "among the kernel_shape"},
      {ModelOf(line + pool("MaxPool", -1)), "-1 among the kernel_shape"},
      {ModelOf(line + Op("MaxUnpool", {"x", "x"}, {"y"}, Ints("kernel_shape", {1}) + far) + y),
       "1099511627776 elements, 1073741824 apart, are too many"},
      {ModelOf(line + weight + Op("ConvTranspose", {"x", "w"}, {"y"}, String("auto_pad", "SAME_UPPER") + far) + y),
       "are too many"},
      {ModelOf(line + weight + Op("ConvTranspose", {"x", "w"}, {"y"}, far) + y), "is too large"},
      {ModelOf(line + weight + Op("Conv", {"x", "w"}, {"y"}, String("auto_pad", "odd")) + y),
       "auto_pad \"odd\" must be NOTSET"},
      {ModelOf(wide + Initializer<int64_t>("r", {10}, std::vector<int64_t>(10, 2)) + Op("Tile", {"x", "r"}, {"y"}) + y),
       "has 10 axes"},
  };
  for (const auto& c : kCases) EXPECT_THAT(ErrorOf(c.model), HasSubstr(c.message));
  // A thousand windows of 2^30 elements are counted, not walked.
  const std::string many = Input("x", {"1", "1", "1073742823"}) +
                           Op("AveragePool", {"x"}, {"y"}, Ints("kernel_shape", {1 << 30}) + Ints("pads", {1, 0})) + y;
  EXPECT_EQ(ErrorOf(ModelOf(many)), "");
}

// int4, which comes packed, is only taken where it is converted.
TEST(OnnxImport, SmallTypes) {
  const auto four = [](const std::string& name, const std::vector<uint64_t>& dims, const std::string& packed) {
    std::string tensor;
    for (const uint64_t d : dims) tensor += Number(1, d);
    return Bytes(5, tensor + Number(2, 22) + Bytes(8, name) + Bytes(9, packed));
  };
  const std::string w = four("w", {3}, "\x2f\x08"), scale = Initializer<float>("s", {}, {0.5});
  const std::string used = w + scale + Op("DequantizeLinear", {"w", "s"}, {"y"}) + Output("y");
  EXPECT_EQ((std::vector<float>{-0.5, 1, -4}),
            Tensor(Compile(ImportOnnxBytes(ModelOf(used, 21), "model"))("main")).ToVector<float>());
  const std::string negated = w + Op("Neg", {"w"}, {"y"}) + Output("y");
  EXPECT_THAT(ErrorOf(ModelOf(negated, 21)), HasSubstr("input 0 of int4, which only Cast"));
  EXPECT_THAT(ErrorOf(ModelOf(four("w", {5}, "12") + Output("w"), 21)), HasSubstr("comes with 2 bytes"));
}

// A loop that is written out has its weights once.
TEST(OnnxImport, WeightsOfAnUnrolledLoop) {
  const std::string body = Input("i", {}, 7) + Input("c", {}, 9) + Input("v", {"1"}) +
                           Initializer<float>("w", {1}, {10}) + Initializer<int64_t>("one", {1}, {1}) +
                           Op("Reshape", {"i", "one"}, {"s"}) + Op("Add", {"s", "one"}, {"e"}) +
                           Op("Slice", {"x", "s", "e"}, {"r"}) + Op("Mul", {"r", "w"}, {"m"}) +
                           Op("Add", {"v", "m"}, {"v2"}) + Op("Identity", {"c"}, {"c2"}) + Output("c2") + Output("v2");
  const std::string graph = Input("x", {"3"}) + Input("v", {"1"}) + Initializer<int64_t>("n", {}, {3}) +
                            Op("Loop", {"n", "", "v"}, {"y"}, Subgraph("body", body)) + Output("y");
  const Module module = Import(graph);
  EXPECT_THAT(module.variables(), testing::ElementsAre("w"));
  EXPECT_EQ((std::vector<float>{61}),
            Tensor(Compile(module)("main", Tensor({1.f, 2.f, 3.f}), Tensor({1.f}))).ToVector<float>());
}

// The values belong to those activations that have one, in order.
TEST(OnnxImport, ParametersOfActivations) {
  const std::string graph = Input("x", {"1", "1", "1"}) + Initializer<float>("w", {1, 3, 1}, {0, 0, -4}) +
                            Initializer<float>("r", {1, 3, 1}, {0, 0, 0}) +
                            Op("GRU", {"x", "w", "r"}, {"y"},
                               Strings("activations", {"Sigmoid", "LeakyRelu"}) + Floats("activation_alpha", {0.5})) +
                            Output("y");
  const Tensor y = Compile(Import(graph))("main", Ones({1, 1, 1}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{-1}));  // (1 - sigmoid(0)) leaky(-4)
}

// From opset 20 on the axis of a DFT is an input.
TEST(OnnxImport, InputsOfNewerOpsets) {
  const std::string x = Input("x", {"2", "4", "1"}), one = Int("onesided", 1);
  const std::string axis =
      x + Initializer<int64_t>("axis", {}, {0}) + Op("DFT", {"x", "", "axis"}, {"y"}, one) + Output("y");
  EXPECT_THAT(ErrorOf(ModelOf(axis, 17)), HasSubstr("input 2, \"axis\", is not supported"));
  EXPECT_THAT(ImportOnnxBytes(ModelOf(axis, 20), "model").ToText(), HasSubstr("f32[2,4,2]"));
  const std::string last = x + Op("DFT", {"x"}, {"y"}, one) + Output("y");
  EXPECT_THAT(ImportOnnxBytes(ModelOf(last, 20), "model").ToText(), HasSubstr("f32[2,3,2]"));
}

// An operator that the model defines: domain "d", name "f".
std::string FunctionOf(const std::string& body, const std::vector<std::string>& attributes = {},
                       const std::string& defaults = "") {
  std::string function = Bytes(1, "f") + Bytes(4, "a") + Bytes(5, "b");
  for (const std::string& name : attributes) function += Bytes(6, name);
  return Bytes(25, function + body + defaults + Bytes(9, Bytes(1, "d") + Number(2, 1)) + Bytes(9, Number(2, 15)) +
                       Bytes(10, "d"));
}

// A node as a message of its own.
std::string NodeOf(const std::string& op, const std::string& in, const std::string& out, const std::string& more = "",
                   const std::string& domain = "") {
  const std::string of = domain.empty() ? "" : Bytes(7, domain);
  return Bytes(1, in) + Bytes(2, out) + Bytes(4, op) + more + of;
}
// An attribute whose value is that of the call.
std::string Referring(const std::string& name, const std::string& to, uint64_t type) {
  return Bytes(5, Bytes(1, name) + Bytes(21, to) + Number(20, type));
}

TEST(OnnxImport, FunctionsOfTheModel) {
  const auto model = [](const std::string& body, const std::string& call, const std::vector<std::string>& attributes,
                        const std::string& defaults = "") {
    return ModelOf(Input("x", {"2", "3"}) + Bytes(1, NodeOf("f", "x", "y", call, "d")) + Output("y")) +
           FunctionOf(Bytes(7, body), attributes, defaults);
  };
  const std::string softmax = NodeOf("ReduceSum", "a", "b", Referring("keepdims", "keep", 2));
  const auto shape = [&](const std::string& bytes) { return ImportOnnxBytes(bytes, "model").ToText(); };
  EXPECT_THAT(shape(model(softmax, Int("keep", 0), {"keep"})), HasSubstr("-> (y: f32[])"));
  EXPECT_THAT(shape(model(softmax, "", {"keep"})), HasSubstr("f32[1,1]"));  // the operator's own default
  const std::string zero = Bytes(11, Bytes(1, "keep") + Number(3, 0) + Number(20, 2));
  EXPECT_THAT(shape(model(softmax, "", {}, zero)), HasSubstr("-> (y: f32[])"));
  EXPECT_THAT(ErrorOf(model(softmax, Int("odd", 1), {"keep"})), HasSubstr("the function has no attribute \"odd\""));
  EXPECT_THAT(ErrorOf(model(NodeOf("f", "a", "b", "", "d"), "", {})), HasSubstr("the function calls itself"));
  EXPECT_THAT(ErrorOf(model(NodeOf("g", "a", "b", "", "d"), "", {})), HasSubstr("Reel does not have this domain"));
  EXPECT_THAT(ErrorOf(model(NodeOf("Neg", "x", "b"), "", {})), HasSubstr("\"x\" is used before"));
  EXPECT_THAT(ErrorOf(ModelOf(Input("x", {"2"}) + Op("NonMaxSuppression", {"x"}, {"y"}) + Output("y"))),
              HasSubstr("the shape of the result depends on data"));
}

// Functions that call functions twice cannot grow without end.
TEST(OnnxImport, FunctionsThatDouble) {
  std::string functions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = StrCat("f", i + 1);
    const std::string body = Bytes(7, NodeOf(next, "a", "c", "", "d")) + Bytes(7, NodeOf(next, "c", "b", "", "d"));
    functions += Bytes(25, Bytes(1, StrCat("f", i)) + Bytes(4, "a") + Bytes(5, "b") + body + Bytes(10, "d"));
  }
  functions +=
      Bytes(25, Bytes(1, "f40") + Bytes(4, "a") + Bytes(5, "b") + Bytes(7, NodeOf("Neg", "a", "b")) + Bytes(10, "d"));
  const std::string graph = Input("x", {"2"}) + Bytes(1, NodeOf("f0", "x", "y", "", "d")) + Output("y");
  EXPECT_THAT(ErrorOf(ModelOf(graph) + functions, {.budget = {.max_ops = 1000}}), HasSubstr("max_ops"));
}

TEST(OnnxImport, SequencesExistAtImport) {
  const std::string graph = Input("x", {"4"}) + Initializer<int64_t>("n", {}, {2}) +
                            Initializer<int64_t>("i", {}, {-1}) + Op("SplitToSequence", {"x", "n"}, {"s"}) +
                            Op("SequenceAt", {"s", "i"}, {"last"}) + Op("SequenceInsert", {"s", "last"}, {"t"}) +
                            Op("ConcatFromSequence", {"t"}, {"y"}, Int("axis", 0)) + Output("y");
  EXPECT_EQ((std::vector<float>{1, 2, 3, 4, 3, 4}),
            Tensor(Compile(Import(graph))("main", Tensor({1.f, 2.f, 3.f, 4.f}))).ToVector<float>());
  const std::string wrong =
      Input("x", {"4"}) + Op("SequenceConstruct", {"x"}, {"s"}) + Op("Neg", {"s"}, {"y"}) + Output("y");
  EXPECT_THAT(ErrorOf(ModelOf(wrong)), HasSubstr("a sequence of 1 where a tensor is needed"));
}

// REEL_UPDATE_GOLDEN=1 writes the page anew.
TEST(OnnxImport, OperatorsPageIsTheTable) {
  const std::string path = SourceDir() + "/frontend/onnx/OPERATORS.md";
  if (std::getenv("REEL_UPDATE_GOLDEN")) std::ofstream(path) << OperatorsTable();
  std::stringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(OperatorsTable(), page.str()) << "REEL_UPDATE_GOLDEN=1 writes it anew";
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / StrCat("reel-onnx-", ::getpid())) {
    fs::create_directories(path_ / "model");
  }
  ~Folder() { fs::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

TEST(OnnxImport, DataFilesStayInTheFolder) {
  const Folder folder;
  const auto external = [](const std::string& location, const std::string& offset = "4") {
    const auto entry = [](const std::string& key, const std::string& value) {
      return Bytes(13, Bytes(1, key) + Bytes(2, value));
    };
    return ModelOf(Bytes(5, Number(1, 2) + Number(2, 1) + Bytes(8, "w") + entry("location", location) +
                                entry("offset", offset) + Number(14, 1)) +
                   Op("Neg", {"w"}, {"y"}) + Output("y"));
  };
  const float numbers[] = {0, 1, 2};
  const std::string data(reinterpret_cast<const char*>(numbers), sizeof numbers);
  folder.Write("secret", data);
  const fs::path model = fs::path(folder.Write("model/data", data)).parent_path();
  fs::create_symlink("../secret", model / "link");
  fs::create_symlink("..", model / "links");
  fs::create_hard_link(model / "../secret", model / "hard");
  ASSERT_EQ(::mkfifo((model / "pipe").c_str(), 0600), 0);
  EXPECT_EQ((std::vector<float>{1, 2}),
            ImportOnnx(folder.Write("model/a.onnx", external("data"))).value("w").ToVector<float>());
  for (const char* location :
       {"../secret", "/etc/passwd", "", ".", "nothing", "link", "links/secret", "hard", "pipe", "../model/data"}) {
    EXPECT_THROW(ImportOnnx(folder.Write("model/b.onnx", external(location))), Error) << location;
  }
  EXPECT_THROW(ImportOnnx(folder.Write("model/b.onnx", external(std::string("data\0", 5)))), Error);
  // Not a number that can be an offset: none is read as another.
  for (const char* offset : {"9223372036854775808", "18446744073709551616", "18446744073709551620", "-4", "+4", "4x",
                             " 4", "", "0x4", "4.0", "5", "9223372036854775807"}) {
    EXPECT_THROW(ImportOnnx(folder.Write("model/b.onnx", external("data", offset))), Error) << offset;
  }
  EXPECT_THAT(ErrorOf(external("data")), HasSubstr("another file"));
  EXPECT_THROW(ImportOnnx("/nowhere/model.onnx"), Error);
}

// Damaged models of every kind give a module or an error.
TEST(OnnxImport, DamagedBytes) {
  std::mt19937 random(20261121);
  int modules = 0, errors = 0;
  const std::string old = "/usr/share/libonnx-testdata/data/node/test_", cases = BinaryDir() + "/tests/onnx/cases/";
  const std::string newer = cases + "newer/test_", exports = cases + "exports/";
  for (const std::string& name :
       {old + "loop11", old + "scan9_sum", old + "if", old + "gemm_all_attributes", old + "slice_neg_steps",
        old + "nllloss_NCd1_weight_ii_expanded", newer + "attention_4d_causal", newer + "col2im_pads",
        newer + "resize_downsample_scales_cubic_antialias", newer + "basic_deform_conv_with_padding",
        newer + "dequantizelinear_int4", newer + "cast_FLOAT_to_FLOAT8E4M3FN", newer + "linear_attention_decode_step",
        newer + "center_crop_pad_crop", exports + "embedding_bag.dynamo", exports + "unet.dynamo"}) {
    std::ifstream file(name + "/model.onnx");
    std::stringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    ASSERT_FALSE(bytes.empty()) << name << ": install the package libonnx-testdata";
    const auto attempt = [&](const std::string& damaged) {
      try {
        ImportOnnxBytes(damaged, name, {.budget = {.max_memory = int64_t{1} << 28, .max_seconds = 5}});
        ++modules;
      } catch (const Error&) {
        ++errors;
      }
    };
    for (size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / 100) attempt(bytes.substr(0, n));
    for (int i = 0; i < 300; ++i) {
      std::string damaged = bytes;
      for (unsigned k = 0; k <= random() % 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
      attempt(damaged);
    }
  }
  EXPECT_GT(modules, 0);
  EXPECT_GT(errors, 0);
}

}  // namespace
}  // namespace reel::onnx
