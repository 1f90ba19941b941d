#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "expect.h"
#include "tests/paths.h"

// Values, gradients and Hessian-vector products as TensorFlow 2.21 prints them
// (tests/data/tf221_oracle.json), and the places where TensorFlow is wrong.

namespace reel {
namespace {

using Json = nlohmann::json;
using Inputs = std::vector<Tensor>;
using Op = std::function<Tensor(const Inputs& x, const Json& attributes)>;

double NumberOf(const Json& number) {
  if (!number.is_string()) return number.get<double>();
  const std::string name = number;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return name == "inf" ? kInf : name == "-inf" ? -kInf : std::nan("");
}

Tensor TensorOf(const Json& json) {
  std::vector<double> values;
  for (const Json& number : json["data"]) values.push_back(NumberOf(number));
  return Tensor::FromData(values, Shape(json["shape"].get<std::vector<int64_t>>()));
}

// A nested list of integers as a tensor [rows] or [rows, columns].
Tensor IndicesOf(const Json& list) {
  if (!list[0].is_array()) {
    return Tensor::FromData(list.get<std::vector<int64_t>>(), {static_cast<int64_t>(list.size())});
  }
  std::vector<int64_t> values;
  for (const Json& row : list) {
    for (const Json& value : row) values.push_back(value);
  }
  return Tensor::FromData(values, {static_cast<int64_t>(list.size()), static_cast<int64_t>(list[0].size())});
}

Axes AxesOf(const Json& a) {
  if (!a.contains("axis")) return {};
  return a["axis"].is_array() ? Axes(a["axis"].get<std::vector<int64_t>>()) : Axes(a["axis"].get<int64_t>());
}
bool KeepDims(const Json& a) { return a.value("keepdims", false); }

Padding PaddingOf(const Json& a) { return a["padding"] == "SAME" ? kSame : kValid; }

template <Tensor (*kOp)(const Operand&)>
Op Unary() {
  return [](const Inputs& x, const Json&) { return kOp(x[0]); };
}
template <Tensor (*kOp)(const Operand&, const Operand&)>
Op Binary() {
  return [](const Inputs& x, const Json&) { return kOp(x[0], x[1]); };
}
template <Tensor (*kOp)(const Operand&, const Axes&, ReduceOptions)>
Op Reduction() {
  return [](const Inputs& x, const Json& a) { return kOp(x[0], AxesOf(a), {KeepDims(a)}); };
}

Tensor Pool(const Tensor& x, const Json& a, bool max) {
  const std::vector<int64_t> window(2, a["ksize"].get<int64_t>());
  const PoolOptions options{.strides = {a["strides"].get<int64_t>()}, .padding = PaddingOf(a)};
  return max ? MaxPool2D(x, window, options) : AvgPool2D(x, window, options);
}

const std::map<std::string, Op>& Ops() {
  static const std::map<std::string, Op> ops = {
      {"abs", Unary<Abs>()},
      {"add", Binary<Add>()},
      {"asinh", Unary<Asinh>()},
      {"atan", Unary<Atan>()},
      {"atan2", Binary<Atan2>()},
      {"avg_pool2d", [](const Inputs& x, const Json& a) { return Pool(x[0], a, false); }},
      {"bias_add", Binary<Add>()},
      {"broadcast_to",
       [](const Inputs& x, const Json& a) { return BroadcastTo(x[0], Shape(a["shape"].get<std::vector<int64_t>>())); }},
      {"cholesky", Unary<Cholesky>()},
      {"concat", [](const Inputs& x, const Json& a) { return Concat(x, a["axis"].get<int64_t>()); }},
      {"conv2d",
       [](const Inputs& x, const Json& a) {
         return Conv2D(x[0], x[1], {.strides = {a["strides"].get<int64_t>()}, .padding = PaddingOf(a)});
       }},
      {"cos", Unary<Cos>()},
      {"cosh", Unary<Cosh>()},
      {"cumprod", [](const Inputs& x, const Json&) { return CumProd(x[0], 0); }},
      {"cumsum",
       [](const Inputs& x, const Json& a) {
         return CumSum(x[0], a["axis"].get<int64_t>(), {.exclusive = a["exclusive"].get<bool>()});
       }},
      {"divide", Binary<Div>()},
      {"divide_no_nan", Binary<DivNoNan>()},
      {"einsum", [](const Inputs& x, const Json& a) { return Einsum(a["equation"].get<std::string>(), x); }},
      {"elu", [](const Inputs& x, const Json&) { return Elu(x[0]); }},
      {"erf", Unary<Erf>()},
      {"exp", Unary<Exp>()},
      {"expm1", Unary<Expm1>()},
      {"gather",
       [](const Inputs& x, const Json& a) { return Gather(x[0], IndicesOf(a["indices"]), a["axis"].get<int64_t>()); }},
      {"gather_nd", [](const Inputs& x, const Json& a) { return GatherNd(x[0], IndicesOf(a["indices"])); }},
      {"inv", Unary<Inverse>()},
      {"lgamma", Unary<Lgamma>()},
      {"log", Unary<Log>()},
      {"log1p", Unary<Log1p>()},
      {"log_softmax", [](const Inputs& x, const Json& a) { return LogSoftmax(x[0], a["axis"].get<int64_t>()); }},
      {"matmul",
       [](const Inputs& x, const Json& a) {
         return MatMul(x[0], x[1], {a.value("transpose_a", false), a.value("transpose_b", false)});
       }},
      {"max_pool2d", [](const Inputs& x, const Json& a) { return Pool(x[0], a, true); }},
      {"maximum", Binary<Maximum>()},
      {"minimum", Binary<Minimum>()},
      {"multiply", Binary<Mul>()},
      {"pad",
       [](const Inputs& x, const Json& a) {
         std::vector<int64_t> low, high;
         for (const Json& p : a["paddings"]) {
           low.push_back(p[0]);
           high.push_back(p[1]);
         }
         return Pad(x[0], low, high);
       }},
      {"pow", Binary<Pow>()},
      {"reciprocal", Unary<Reciprocal>()},
      {"reduce_logsumexp", Reduction<LogSumExp>()},
      {"reduce_max", Reduction<ReduceMax>()},
      {"reduce_mean", Reduction<ReduceMean>()},
      {"reduce_prod", Reduction<ReduceProd>()},
      {"reduce_sum", Reduction<ReduceSum>()},
      {"reduce_variance",
       [](const Inputs& x, const Json& a) { return ReduceVariance(x[0], AxesOf(a), {.keepdims = KeepDims(a)}); }},
      {"relu", Unary<Relu>()},
      {"relu6", Unary<Relu6>()},
      {"reshape", [](const Inputs& x, const Json& a) { return Reshape(x[0], a["shape"].get<std::vector<int64_t>>()); }},
      {"reverse", [](const Inputs& x, const Json& a) { return Flip(x[0], AxesOf(a)); }},
      {"rsqrt", Unary<Rsqrt>()},
      {"sigmoid", Unary<Sigmoid>()},
      {"sigmoid_cross_entropy_with_logits",
       [](const Inputs& x, const Json& a) {
         const auto labels = a["labels"].get<std::vector<double>>();
         return SigmoidCrossEntropy(x[0], Tensor::FromData(labels, x[0].shape()), {.reduction = kNone});
       }},
      {"sign", Unary<Sign>()},
      {"silu", Unary<Silu>()},
      {"sin", Unary<Sin>()},
      {"slogdet.log_abs", [](const Inputs& x, const Json&) { return SlogDet(x[0]).log_abs; }},
      {"softmax", [](const Inputs& x, const Json& a) { return Softmax(x[0], a["axis"].get<int64_t>()); }},
      {"softmax_cross_entropy_with_logits",
       [](const Inputs& x, const Json& a) {
         const auto labels = a["labels"][0].get<std::vector<double>>();
         return SoftmaxCrossEntropy(x[0], Tensor::FromData(labels, x[0].shape()), {.reduction = kNone});
       }},
      {"softplus", Unary<Softplus>()},
      {"sparse_softmax_cross_entropy_with_logits",
       [](const Inputs& x, const Json& a) {
         return SoftmaxCrossEntropy(x[0], IndicesOf(a["labels"]), {.reduction = kNone});
       }},
      {"sqrt", Unary<Sqrt>()},
      {"square", Unary<Square>()},
      {"squared_difference", [](const Inputs& x, const Json&) { return Square(x[0] - x[1]); }},
      {"stack", [](const Inputs& x, const Json& a) { return Stack(x, a["axis"].get<int64_t>()); }},
      {"strided_slice",
       [](const Inputs& x, const Json& a) {
         EXPECT_EQ("x[1:, ::2]", a["spec"]);
         return Slice(x[0], {1, 0}, x[0].shape().dims(), {1, 2});
       }},
      {"subtract", Binary<Sub>()},
      {"tanh", Unary<Tanh>()},
      {"tile", [](const Inputs& x, const Json& a) { return Tile(x[0], a["multiples"].get<std::vector<int64_t>>()); }},
      {"transpose",
       [](const Inputs& x, const Json& a) { return Transpose(x[0], a["perm"].get<std::vector<int64_t>>()); }},
      {"unsorted_segment_sum",
       [](const Inputs& x, const Json& a) {
         return SegmentSum(x[0], IndicesOf(a["segment_ids"]), a["num_segments"].get<int64_t>());
       }},
      {"where",
       [](const Inputs& x, const Json& a) {
         std::vector<int64_t> on;
         for (const bool b : a["condition"]) on.push_back(b);
         return Where(Tensor::FromData(on, x[0].shape()) != 0, x[0], x[1]);
       }},
      {"xlogy", Binary<Xlogy>()},
  };
  return ops;
}

// Near the number that was printed; TensorFlow's own functions are good to a few ULP.
void ExpectNear(const Tensor& got, const Json& want, const std::string& what) {
  const Tensor expected = TensorOf(want);
  ASSERT_EQ(expected.type(), got.type()) << what;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.data<double>()[static_cast<size_t>(i)];
    const double b = expected.data<double>()[static_cast<size_t>(i)];
    if (std::isnan(b) ? std::isnan(a) : a == b) continue;
    EXPECT_NEAR(a, b, 1e-13 + 1e-12 * std::abs(b)) << what << ", element " << i;
  }
}

std::vector<Tensor> OrZeros(const GradientList& gradients) {
  std::vector<Tensor> out;
  for (const GradientEntry& g : gradients) out.push_back(g.gradient ? *g.gradient : ZerosLike(g.source.tensor()));
  return out;
}

// value, gradients, and with directions Hessian-vector products, by two tapes inside a trace.
Results RunTapes(const Op& op, const Json& c, const Inputs& inputs) {
  const bool second = c.contains("hessian_vector_product");
  const auto program = [&](std::span<const Tensor> arguments) {
    const Inputs x(arguments.begin(), arguments.end());
    GradientTape outer;
    outer.Watch(x);
    GradientTape inner;
    inner.Watch(x);
    const Tensor value = op(x, c["attributes"]);
    const GradientList first = inner.Gradient(value, x, {.output_gradients = {TensorOf(c["upstream"])}});
    std::vector<Tensor> out = {value};
    for (size_t k = 0; k < x.size(); ++k) out.push_back(first.Dense(k));
    if (!second) return out;
    Tensor product = Tensor(0.0);
    for (size_t k = 0; k < x.size(); ++k) product = product + ReduceSum(first.Dense(k) * TensorOf(c["direction"][k]));
    for (const Tensor& h : OrZeros(outer.Gradient(product, x))) out.push_back(h);
    return out;
  };
  std::vector<Spec> specs;
  for (const Tensor& x : inputs) specs.emplace_back(x);
  return Compile(Trace(program, specs))("main", inputs);
}

TEST(TfOracle, ValuesGradientsAndHessianVectorProducts) {
  std::ifstream file(SourceDir() + "/tests/data/tf221_oracle.json");
  const Json oracle = Json::parse(file);
  size_t cases = 0;
  for (const Json& c : oracle["cases"]) {
    const std::string name = c["op"].get<std::string>() + " " + c["attributes"].dump();
    SCOPED_TRACE(name);
    const auto op = Ops().find(c["op"]);
    ASSERT_NE(Ops().end(), op) << name;
    Inputs inputs;
    for (const Json& x : c["inputs"]) inputs.push_back(TensorOf(x));
    ExpectNear(op->second(inputs, c["attributes"]), c["value"], "eager value");
    const Results results = RunTapes(op->second, c, inputs);
    ExpectNear(results[0], c["value"], "value");
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Json zero = {{"shape", inputs[k].shape().dims()},
                         {"data", std::vector<double>(static_cast<size_t>(inputs[k].size()))}};
      ExpectNear(results[1 + k], c["gradients"][k], "gradient");
      if (!c.contains("hessian_vector_product")) continue;
      const Json& want = c["hessian_vector_product"][k];
      ExpectNear(results[1 + inputs.size() + k], want.is_null() ? zero : want, "Hessian-vector product");
    }
    ++cases;
  }
  EXPECT_EQ(85u, cases);
}

// --- where TensorFlow 2.21 is wrong or has no answer ---

using Scalar = std::function<Tensor(const Tensor&)>;

std::vector<double> GradientOf(const Scalar& f, const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  return Values(tape.Gradient(f(x), x).value());
}

// Row i is the gradient of df/dx[i].
std::vector<std::vector<double>> HessianOf(const Scalar& f, const Tensor& x) {
  std::vector<std::vector<double>> rows;
  for (int64_t i = 0; i < x.size(); ++i) {
    rows.push_back(GradientOf(
        [&](const Tensor& at) {
          GradientTape tape;
          tape.Watch(at);
          return Reshape(tape.Gradient(f(at), at).value(), {-1})[i];
        },
        x));
  }
  return rows;
}

using Matrix = std::vector<std::vector<double>>;

TEST(TfIsWrong, WN01_CumulativeProductWithAZero) {
  const Tensor x({2.0, 0.0, 3.0});
  EXPECT_EQ((std::vector<double>{1, 8, 0}), GradientOf([](const Tensor& t) { return ReduceSum(CumProd(t, 0)); }, x));
}

TEST(TfIsWrong, WN02_HessianOfAProductWithAZero) {
  const Tensor x({2.0, 0.0, 3.0});
  EXPECT_EQ((Matrix{{0, 3, 0}, {3, 0, 2}, {0, 2, 0}}), HessianOf([](const Tensor& t) { return ReduceProd(t); }, x));
}

// 2/n (I - 1/n)
TEST(TfIsWrong, WN03_HessianOfVariance) {
  const Tensor x({1.0, 2.0, 4.0, -1.0});
  for (const Scalar& f : {Scalar([](const Tensor& t) { return ReduceVariance(t); }),
                          Scalar([](const Tensor& t) { return Moments(t).variance; })}) {
    const Matrix h = HessianOf(f, x);
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(h[i][j], (i == j ? 0.5 : 0) - 0.125, 1e-15);
    }
  }
}

// The Hessian of sum(layer_norm(x) w), against differences of the gradient.
TEST(TfIsWrong, WN03_HessianOfLayerNormalization) {
  const Tensor x({0.5, -1.0, 2.0, 0.25}), w({1.0, -0.5, 0.75, 2.0});
  const Scalar f = [&](const Tensor& t) { return ReduceSum(LayerNormalize(t) * w); };
  const Matrix h = HessianOf(f, x);
  constexpr double kStep = 1e-5;
  for (int64_t j = 0; j < 4; ++j) {
    const Tensor step = OneHot(Tensor(j), 4, kFloat64) * kStep;
    const std::vector<double> up = GradientOf(f, x + step), down = GradientOf(f, x - step);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(h[i][static_cast<size_t>(j)], (up[i] - down[i]) / (2 * kStep), 1e-8);
  }
}

// d/dlabel[j] of d/dlogit[i] is p[i] - [i = j].
TEST(TfIsWrong, WN04_CrossEntropyIsSymmetricInLogitsAndLabels) {
  const Tensor logits({{1.392, -1.015, -0.51}}), labels({{0.25, 0.25, 0.5}});
  const std::vector<double> p = Values(Softmax(logits));
  for (int64_t i = 0; i < 3; ++i) {
    const std::vector<double> row = GradientOf(
        [&](const Tensor& t) {
          GradientTape tape;
          tape.Watch(logits);
          const Tensor loss = SoftmaxCrossEntropy(logits, t, {.reduction = kSum});
          return Reshape(tape.Gradient(loss, logits).value(), {-1})[i];
        },
        labels);
    for (int64_t j = 0; j < 3; ++j)
      EXPECT_NEAR(row[static_cast<size_t>(j)], p[static_cast<size_t>(i)] - (i == j ? 1 : 0), 1e-15);
  }
}

// A bilinear image is linear in its pixels: the Hessian of half its squared sum is constant.
TEST(TfIsWrong, WN05_ResizeHasASecondDerivative) {
  const Tensor x = Reshape(Cast(Arange(0, 4), kFloat64), {1, 2, 2, 1});
  const Matrix h = HessianOf([](const Tensor& t) { return ReduceSum(Square(Resize(t, {4, 4}))) * 0.5; }, x);
  double sum = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_DOUBLE_EQ(h[i][j], h[j][i]);
      sum += h[i][j];
    }
  }
  EXPECT_DOUBLE_EQ(16, sum);  // 1' H 1 of 16 weights that add up to 1 each
}

TEST(TfIsWrong, WN06_DilatedConvolutionHasAGradient) {
  const Tensor x = Reshape(Cast(Arange(0, 9), kFloat64), {1, 3, 3, 1});
  const Tensor filter = Reshape(Tensor({1.0, 2.0, 3.0, 4.0}), {2, 2, 1, 1});
  const auto f = [&](const Tensor& k) { return ReduceSum(Conv2D(x, k, {.dilation = {2}})); };
  EXPECT_EQ((std::vector<double>{0, 2, 6, 8}), GradientOf(f, filter));
}

TEST(TfIsWrong, WN07_Edges) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ((std::vector<double>{0}), GradientOf([](const Tensor& t) { return Pow(t, 0.0); }, Tensor(0.0)));
  EXPECT_EQ((std::vector<double>{1, -1}), Values(Erf(Tensor({kInf, -kInf}))));
  EXPECT_EQ((std::vector<double>{-0.2}), Values(LeakyRelu(Tensor(-1.0))));
  EXPECT_DOUBLE_EQ(0.5 * (1 + std::erf(1 / std::sqrt(2.0))), Gelu(Tensor(1.0)).item<double>());
}

}  // namespace
}  // namespace reel
