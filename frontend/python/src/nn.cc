#include "bind.h"
#include "reel/activations.h"
#include "reel/losses.h"
#include "register.h"

// reel.nn: activations and losses.

namespace reel::python {
namespace {

// An activation with a number: name(x, /, parameter=value).
template <Tensor (*F)(const Operand&, double)>
void WithNumber(nb::module_& m, const char* name, const char* parameter, double value, const char* doc) {
  m.def(
      name, [](TensorLike x, double p) { return F(x.operand(), p); }, "x"_a, nb::arg(parameter) = value,
      nb::sig(Text({"def ", name, "(x: TensorLike, /, ", parameter, ": float = ", std::to_string(value), ") -> Tensor"})
                  .c_str()),
      doc);
}

template <Tensor (*F)(const Operand&, int64_t)>
void OverAxis(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, int64_t axis) {
        const Operand a = x.operand();
        const Unlocked other_threads(Work(a) * kFunctionWork);
        return F(a, axis);
      },
      "x"_a, "axis"_a = -1, nb::sig(Signature(name, "(x: TensorLike, /, axis: int = -1) -> Tensor").c_str()), doc);
}

void RegisterActivations(nb::module_& m) {
  Unary<Relu>(m, "relu",
              "max(x, 0); its derivative at 0 is 0."
              "\n\n>>> reel.nn.relu([-1.0, 2.0])\nTensor([0., 2.], dtype=float32)");
  Unary<Relu6>(m, "relu6", "min(max(x, 0), 6).");
  Unary<Sigmoid>(m, "sigmoid", "1 / (1 + exp(-x)).");
  Unary<Tanh>(m, "tanh", "Hyperbolic tangent.");
  Unary<Selu>(m, "selu", "1.0507 elu(x, 1.6733).");
  Unary<Silu>(m, "silu", "x sigmoid(x).");
  Unary<Silu>(m, "swish", "x sigmoid(x).");
  Unary<Softplus>(m, "softplus", "log(1 + e^x), without overflow.");
  Unary<LogSigmoid>(m, "log_sigmoid", "log(sigmoid(x)).");
  Unary<Softsign>(m, "softsign", "x / (1 + |x|).");
  Unary<Mish>(m, "mish", "x tanh(softplus(x)).");
  Unary<HardSigmoid>(m, "hard_sigmoid", "relu6(x + 3) / 6.");
  Unary<HardSwish>(m, "hard_swish", "x hard_sigmoid(x).");
  Unary<HardTanh>(m, "hard_tanh", "min(max(x, -1), 1).");
  Unary<TanhShrink>(m, "tanh_shrink", "x - tanh(x).");
  WithNumber<Elu>(m, "elu", "alpha", 1.0, "x from 0 on, else alpha (e^x - 1).");
  WithNumber<Celu>(m, "celu", "alpha", 1.0, "x from 0 on, else alpha (e^(x / alpha) - 1).");
  WithNumber<HardShrink>(m, "hard_shrink", "bound", 0.5, "x where |x| > bound, else 0.");
  WithNumber<SoftShrink>(m, "soft_shrink", "bound", 0.5, "sign(x) max(|x| - bound, 0).");
  m.def(
      "leaky_relu", [](TensorLike x, TensorLike slope) { return LeakyRelu(x.operand(), slope.operand()); }, "x"_a,
      "slope"_a = 0.2, nb::sig("def leaky_relu(x: TensorLike, /, slope: TensorLike = 0.2) -> Tensor"),
      "x above 0, else slope x.");
  m.def(
      "gelu",
      [](TensorLike x, bool approximate) {
        const Operand a = x.operand();
        const Unlocked other_threads(Work(a) * kFunctionWork);
        return approximate ? GeluTanh(a) : Gelu(a);
      },
      "x"_a, "approximate"_a = false, nb::sig("def gelu(x: TensorLike, /, approximate: bool = False) -> Tensor"),
      "x/2 (1 + erf(x / sqrt 2)), or its approximation by tanh.");
  OverAxis<Glu>(m, "glu", "The first half of x along axis times the sigmoid of the second.");
  OverAxis<Softmax>(m, "softmax",
                    "e^x / sum e^x along axis."
                    "\n\n>>> reel.nn.softmax([0.0, 0.0])\nTensor([0.5, 0.5], dtype=float32)");
  OverAxis<LogSoftmax>(m, "log_softmax", "x - log sum e^x along axis.");
}

Reduction ToReduction(const char* reduction) {
  return ToEnum<Reduction>("reduction", reduction, {{"mean", kMean}, {"sum", kSum}, {"none", kNone}});
}

// A loss without options but the reduction.
template <Tensor (*F)(const Operand&, const Operand&, const LossOptions&)>
void Loss(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, TensorLike y, const char* reduction) {
        const Operand a = x.operand(), b = y.operand();
        const LossOptions options{.reduction = ToReduction(reduction)};
        const Unlocked other_threads(Work(a) * kFunctionWork);
        return F(a, b, options);
      },
      "prediction"_a, "target"_a, nb::kw_only(), "reduction"_a = "mean",
      nb::sig(Signature(name, "(prediction: TensorLike, target: TensorLike, *, reduction: str = 'mean') -> Tensor")
                  .c_str()),
      doc);
}

// A loss with one option more, a number.
template <typename Options, auto kMember, Tensor (*F)(const Operand&, const Operand&, const Options&)>
void LossWith(nb::module_& m, const char* name, const char* prediction, const char* option, const char* doc) {
  using Value = std::decay_t<decltype(std::declval<Options>().*kMember)>;
  const Value value = Options{}.*kMember;
  const std::string text = std::is_same_v<Value, bool> ? (value ? "True" : "False") : std::to_string(value);
  const std::string type = std::is_same_v<Value, bool> ? "bool" : "float";
  m.def(
      name,
      [](TensorLike x, TensorLike y, Value v, const char* reduction) {
        const Operand a = x.operand(), b = y.operand();
        Options options;
        options.reduction = ToReduction(reduction);
        options.*kMember = v;
        const Unlocked other_threads(Work(a) * kFunctionWork);
        return F(a, b, options);
      },
      nb::arg(prediction), "target"_a, nb::kw_only(), nb::arg(option) = value, "reduction"_a = "mean",
      nb::sig(Text({"def ", name, "(", prediction, ": TensorLike, target: TensorLike, *, ", option, ": ", type, " = ",
                    text, ", reduction: str = 'mean') -> Tensor"})
                  .c_str()),
      doc);
}

void RegisterLosses(nb::module_& m) {
  LossWith<CrossEntropyOptions, &CrossEntropyOptions::label_smoothing, SoftmaxCrossEntropy>(
      m, "softmax_cross_entropy", "logits", "label_smoothing",
      "-sum t log softmax(logits) over the last axis; the target is integer labels or a "
      "distribution. The mean of the batch."
      "\n\n>>> reel.nn.softmax_cross_entropy([[0.0, 100.0]], [1])\nTensor(0.0, dtype=float32)");
  LossWith<BinaryCrossEntropyOptions, &BinaryCrossEntropyOptions::label_smoothing, SigmoidCrossEntropy>(
      m, "sigmoid_cross_entropy", "logits", "label_smoothing", "-t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)).");
  LossWith<BinaryCrossEntropyOptions, &BinaryCrossEntropyOptions::label_smoothing, BinaryCrossEntropy>(
      m, "binary_cross_entropy", "probabilities", "label_smoothing", "-t log p - (1 - t) log(1 - p).");
  LossWith<HuberOptions, &HuberOptions::delta, Huber>(m, "huber", "prediction", "delta",
                                                      "d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2).");
  LossWith<KlDivergenceOptions, &KlDivergenceOptions::log_prediction, KlDivergence>(
      m, "kl_divergence", "prediction", "log_prediction", "sum t (log t - log q) over the last axis.");
  LossWith<PoissonOptions, &PoissonOptions::log_prediction, PoissonLoss>(m, "poisson_loss", "prediction",
                                                                         "log_prediction", "rate - target log rate.");
  Loss<MeanSquaredError>(m, "mean_squared_error",
                         "(prediction - target)^2."
                         "\n\n>>> reel.nn.mean_squared_error([1.0, 3.0], [1.0, 1.0])\nTensor(2.0, dtype=float32)");
  Loss<MeanAbsoluteError>(m, "mean_absolute_error", "|prediction - target|; the derivative at 0 is 0.");
  Loss<LogCosh>(m, "log_cosh", "log cosh(prediction - target), without overflow.");
  Loss<Hinge>(m, "hinge", "max(0, 1 - t x), target t -1 or 1.");
  Loss<SquaredHinge>(m, "squared_hinge", "max(0, 1 - t x)^2.");
  Loss<CategoricalHinge>(m, "categorical_hinge", "max(0, 1 + max (1 - t) x - sum t x) over the last axis.");
  Loss<NegativeLogLikelihood>(m, "negative_log_likelihood", "-log_probabilities[label] over the last axis.");
  Loss<CosineLoss>(m, "cosine_loss", "1 - cos(a, b) over the last axis.");
  m.def(
      "ctc_loss",
      [](TensorLike logits, TensorLike labels, TensorLike logit_lengths, TensorLike label_lengths, int64_t blank,
         const char* reduction) {
        const Operand a = logits.operand(), b = labels.operand();
        CtcOptions options{.reduction = ToReduction(reduction), .blank = blank};
        if (!logit_lengths.none()) options.logit_lengths = logit_lengths.tensor();
        if (!label_lengths.none()) options.label_lengths = label_lengths.tensor();
        const Unlocked other_threads(kLong);
        return CtcLoss(a, b, options);
      },
      "logits"_a, "labels"_a, nb::kw_only(), "logit_lengths"_a = nb::none(), "label_lengths"_a = nb::none(),
      "blank"_a = 0, "reduction"_a = "mean",
      nb::sig("def ctc_loss(logits: TensorLike, labels: TensorLike, *, logit_lengths: TensorLike | None = None, "
              "label_lengths: TensorLike | None = None, blank: int = 0, reduction: str = 'mean') -> Tensor"),
      "-log of the probability of the labels [batch, length] under logits [batch, time, classes], over all ways to put "
      "them on the steps with repetitions and blanks.");
  m.def(
      "cosine_similarity",
      [](TensorLike a, TensorLike b, int64_t axis, double epsilon) {
        return CosineSimilarity(a.operand(), b.operand(), axis, epsilon);
      },
      "x1"_a, "x2"_a, "axis"_a = -1, "epsilon"_a = 1e-8,
      nb::sig("def cosine_similarity(x1: TensorLike, x2: TensorLike, /, axis: int = -1, epsilon: "
              "float = 1e-8) -> Tensor"),
      "sum ab / (|a| |b|) along axis; finite at 0.");
}

}  // namespace

void RegisterNn(nb::module_& m) {
  nb::module_ nn = m.def_submodule("nn", "Activations, losses, normalisation, convolution and layers.");
  RegisterActivations(nn);
  RegisterLosses(nn);
}

}  // namespace reel::python
