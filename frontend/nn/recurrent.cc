#include "reel/recurrent.h"

#include <algorithm>

#include "frontend/nn/layer_data.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/loops.h"

namespace reel {

using internal::As;
using internal::CheckAtLeast;
using internal::LayerData;
using internal::LocationScope;
using internal::Materialize;
using internal::ThrowInvalid;

namespace {

/// Sizes, variables, and the rule of a step.
struct RecurrentData : LayerData {
  RecurrentData(const char* kind_, int64_t units_, int64_t gates_, size_t states_, RecurrentOptions run_,
                LayerOptions options_)
      : LayerData(kind_, std::move(options_)), units(units_), gates(gates_), states(states_), run(run_) {
    CheckAtLeast(kind, "units", units);
  }

  /// The next state from x kernel + bias [batch, gates units] and the present one.
  virtual RecurrentState Next(const Tensor& projected, const RecurrentState& state) const = 0;
  virtual Initializer GateBias() const { return BiasInit(); }
  virtual void BuildMore() {}
  void BuildKept() override {
    if (const Shape* kernel_shape = internal::KeptShape("kernel", 2)) Build(kernel_shape->dim(0));
  }

  std::string Arguments() const override { return StrCat(units); }

  void Build(int64_t features) {
    BuildOnce([&] {
      kernel = Create("kernel", {features, gates * units}, KernelInit(GlorotUniform()));
      recurrent = Create("recurrent_kernel", {units, gates * units}, KernelInit(GlorotUniform()));
      if (!options.use_bias) return;
      bias = Create("bias", {gates * units}, GateBias());
      BuildMore();
    });
  }

  /// x kernel + bias, for one step or all.
  Tensor Project(const Tensor& x) const {
    const Tensor y = MatMul(x, kernel);
    return bias.defined() ? Add(y, bias) : y;
  }
  /// Gate i of [batch, gates units].
  Tensor Gate(const Tensor& all, int64_t i) const { return Slice(all, {0, i * units}, {kEnd, (i + 1) * units}); }

  int64_t units, gates;
  size_t states;
  RecurrentOptions run;
  Variable kernel, recurrent, bias;
};

void CheckState(const RecurrentData& d, const RecurrentState& state, Extent batch) {
  bool fits = state.size() == d.states;
  for (const Tensor& s : state) fits = fits && s.shape() == Shape({batch, d.units});
  if (fits) return;
  ThrowInvalid(StrCat(d.kind, ": the state must be ", d.states, " tensors ", Shape({batch, d.units}).ToString(),
                      ", got ", state.size(), state.empty() ? "" : StrCat(", the first ", state[0].type().ToString()),
                      "; begin with ZeroState(x.shape()[0])"));
}

// An input of the layer, built for its features.
Tensor Input(RecurrentData* d, const Operand& x, int rank) {
  const Tensor t = Materialize(x);
  if (t.rank() != rank) {
    ThrowInvalid(StrCat(d->kind, ": needs ", rank == 3 ? "[batch, time, features]" : "[batch, features]", ", got ",
                        t.type().ToString()));
  }
  d->Build(t.shape().dim(rank - 1));
  return t;
}

}  // namespace

RecurrentState Recurrent::ZeroState(Extent batch) const {
  const auto& d = As<RecurrentData>(data_);
  return RecurrentState(d.states, Zeros({batch, d.units}, d.options.dtype));
}

RecurrentState Recurrent::Step(const Operand& x, const RecurrentState& state) const {
  const LocationScope scope(x);
  auto& d = As<RecurrentData>(data_);
  const Tensor t = Input(&d, x, 2);
  CheckState(d, state, t.shape()[0]);
  return d.Next(d.Project(t), state);
}

Tensor Recurrent::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const Tensor t = Input(&As<RecurrentData>(data_), x, 3);
  return Run(t, ZeroState(t.shape()[0])).output;
}

Recurrent::Result Recurrent::Run(const Operand& x, const RecurrentState& state) const {
  const LocationScope scope(x);
  auto& d = As<RecurrentData>(data_);
  const Tensor t = Input(&d, x, 3);
  const int64_t time = t.shape().dim(1);
  CheckState(d, state, t.shape()[0]);
  if (time == 0) ThrowInvalid(StrCat(d.kind, ": no steps in ", t.type().ToString()));
  const auto step = [&d](const std::vector<Tensor>& state, const std::vector<Tensor>& x) {
    const RecurrentState next = d.Next(x[0], state);
    return ScanStep{next, d.run.sequence ? std::vector<Tensor>{next[0]} : std::vector<Tensor>()};
  };
  const Tensor steps = Transpose(d.Project(t), {1, 0, 2});
  const ScanStep all = Scan(step, state, {steps}, {.reverse = d.run.reverse});
  const Tensor output = d.run.sequence ? Transpose(all.ys[0], {1, 0, 2}) : all.carry[0];
  return {output, all.carry};
}

namespace {

struct RnnData : RecurrentData {
  RnnData(int64_t units_, Activation activation_, RecurrentOptions run_, LayerOptions options_)
      : RecurrentData("rnn", units_, 1, 1, run_, std::move(options_)), activation(std::move(activation_)) {}

  RecurrentState Next(const Tensor& projected, const RecurrentState& state) const override {
    return {activation(Add(projected, MatMul(state[0], recurrent)))};
  }

  Activation activation;
};

struct LstmData : RecurrentData {
  LstmData(int64_t units_, RecurrentOptions run_, LayerOptions options_)
      : RecurrentData("lstm", units_, 4, 2, run_, std::move(options_)) {}

  Initializer GateBias() const override {
    if (options.bias_init) return options.bias_init;
    return [n = units](const Shape& shape, DType dtype, const Generator&) {
      const Tensor position = Iota(shape, 0);  // 1 for the second quarter
      return Cast(LogicalAnd(GreaterEqual(position, n), Less(position, 2 * n)), dtype);
    };
  }

  RecurrentState Next(const Tensor& projected, const RecurrentState& state) const override {
    const Tensor all = Add(projected, MatMul(state[0], recurrent));
    const Tensor i = Sigmoid(Gate(all, 0)), f = Sigmoid(Gate(all, 1));
    const Tensor g = Tanh(Gate(all, 2)), o = Sigmoid(Gate(all, 3));
    const Tensor c = Add(Mul(f, state[1]), Mul(i, g));
    return {Mul(o, Tanh(c)), c};
  }
};

struct GruData : RecurrentData {
  GruData(int64_t units_, RecurrentOptions run_, LayerOptions options_)
      : RecurrentData("gru", units_, 3, 1, run_, std::move(options_)) {}

  void BuildMore() override { recurrent_bias = Create("recurrent_bias", {gates * units}, BiasInit()); }

  RecurrentState Next(const Tensor& projected, const RecurrentState& state) const override {
    // Used once, the state's gradient adds up in one order, in a C++ loop and in a compiled one.
    const Tensor h = Identity(state[0]);
    Tensor own = MatMul(h, recurrent);
    if (recurrent_bias.defined()) own = Add(own, recurrent_bias);
    const Tensor r = Sigmoid(Add(Gate(projected, 0), Gate(own, 0)));
    const Tensor z = Sigmoid(Add(Gate(projected, 1), Gate(own, 1)));
    const Tensor n = Tanh(Add(Gate(projected, 2), Mul(r, Gate(own, 2))));
    return {Add(Mul(Sub(1, z), n), Mul(z, h))};
  }

  Variable recurrent_bias;
};

}  // namespace

Rnn::Rnn(int64_t units, Activation activation, RecurrentOptions run, LayerOptions options)
    : Recurrent(std::make_shared<RnnData>(units, std::move(activation), run, std::move(options))) {}
Lstm::Lstm(int64_t units, RecurrentOptions run, LayerOptions options)
    : Recurrent(std::make_shared<LstmData>(units, run, std::move(options))) {}
Gru::Gru(int64_t units, RecurrentOptions run, LayerOptions options)
    : Recurrent(std::make_shared<GruData>(units, run, std::move(options))) {}

namespace {

struct BidirectionalData : LayerData {
  BidirectionalData(const Recurrent& forward_, const Recurrent& backward_, LayerOptions options_)
      : LayerData("bidirectional", std::move(options_)), forward(forward_), backward(backward_) {
    built = true;  // the layers inside have the variables
    children = {forward.internal_data(), backward.internal_data()};
    internal::Rename(children[0].get(), StrCat(options.name, "/forward"));
    internal::Rename(children[1].get(), StrCat(options.name, "/backward"));
  }
  Recurrent forward, backward;
};

}  // namespace

Bidirectional::Bidirectional(const Recurrent& forward, const Recurrent& backward, LayerOptions options)
    : Layer(std::make_shared<BidirectionalData>(forward, backward, std::move(options))) {}

Tensor Bidirectional::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const auto& d = As<BidirectionalData>(data_);
  const Tensor t = Materialize(x), first = d.forward(t);
  return Concat({first, d.backward(t)}, -1);
}

}  // namespace reel
