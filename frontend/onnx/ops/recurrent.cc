#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/ops/common.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/loops.h"

// RNN, GRU and LSTM as scans over time. x [time, batch, input], w [directions, gates * hidden,
// input], r [directions, gates * hidden, hidden], b [directions, 2 * gates * hidden].

namespace reel::onnx {
namespace {

using Function = std::function<Tensor(const Tensor&)>;

Function ActivationOf(const std::string& name, double alpha, double beta) {
  if (name == "Relu") return [](const Tensor& x) { return Relu(x); };
  if (name == "Tanh") return [](const Tensor& x) { return Tanh(x); };
  if (name == "Sigmoid") return [](const Tensor& x) { return Sigmoid(x); };
  if (name == "Softsign") return [](const Tensor& x) { return Softsign(x); };
  if (name == "Softplus") return [](const Tensor& x) { return Softplus(x); };
  if (name == "Elu") return [=](const Tensor& x) { return Elu(x, alpha); };
  if (name == "LeakyRelu") return [=](const Tensor& x) { return LeakyRelu(x, alpha); };
  if (name == "Affine") return [=](const Tensor& x) { return x * alpha + beta; };
  if (name == "ScaledTanh") return [=](const Tensor& x) { return Tanh(x * beta) * alpha; };
  if (name == "HardSigmoid") return [=](const Tensor& x) { return Minimum(Maximum(x * alpha + beta, 0.0), 1.0); };
  Refuse(StrCat("activation ", name));
}

// alpha and beta of an activation for which the node names none.
std::pair<double, double> Defaults(const std::string& name) {
  if (name == "LeakyRelu") return {0.01, 0};
  if (name == "HardSigmoid") return {0.2, 0.5};
  return {1, name == "ScaledTanh" ? 1 : 0};
}

bool HasBeta(const std::string& name) { return name == "Affine" || name == "ScaledTanh" || name == "HardSigmoid"; }
bool HasAlpha(const std::string& name) { return HasBeta(name) || name == "Elu" || name == "LeakyRelu"; }

// What a cell sees of one direction.
struct Cell {
  int64_t hidden = 0;
  Tensor r;       // [hidden, gates * hidden]
  Tensor bias_r;  // [gates * hidden]: inside the reset of a GRU
  Tensor peephole;
  std::vector<Function> f;
  double clip = 0;
  bool linear_before_reset = false, input_forget = false;

  Tensor Clipped(const Tensor& x) const { return clip > 0 ? Minimum(Maximum(x, -clip), clip) : x; }
  Tensor Apply(size_t i, const Tensor& x) const { return f[i](Clipped(x)); }
};

// Columns of gate i.
Tensor Gate(const Tensor& x, int64_t i, int64_t hidden) {
  if (x.rank() < 1) Wrong("a bias must have one number a gate and unit");
  return internal::SliceAxis(x, x.rank() - 1, i * hidden, (i + 1) * hidden);
}

// One step: xw = x w' + bias of the input's side, state {h} or {h, c}.
using Step = Tensors (*)(const Cell& cell, const Tensor& xw, const Tensors& state);

Tensors RnnStep(const Cell& cell, const Tensor& xw, const Tensors& state) {
  return {cell.Apply(0, xw + MatMul(state[0], cell.r) + cell.bias_r)};
}

Tensors GruStep(const Cell& cell, const Tensor& xw, const Tensors& state) {
  const Tensor& h = state[0];
  const int64_t n = cell.hidden;
  const auto recurrent = [&](const Tensor& x, int64_t gate) {
    return MatMul(x, Gate(cell.r, gate, n)) + Gate(cell.bias_r, gate, n);
  };
  const Tensor z = cell.Apply(0, Gate(xw, 0, n) + recurrent(h, 0));
  const Tensor r = cell.Apply(0, Gate(xw, 1, n) + recurrent(h, 1));
  const Tensor inner = cell.linear_before_reset ? r * recurrent(h, 2) : recurrent(r * h, 2);
  const Tensor candidate = cell.Apply(1, Gate(xw, 2, n) + inner);
  return {(1.0 - z) * candidate + z * h};
}

Tensors LstmStep(const Cell& cell, const Tensor& xw, const Tensors& state) {
  const Tensor& c = state[1];
  const int64_t n = cell.hidden;
  const Tensor all = xw + MatMul(state[0], cell.r) + cell.bias_r;
  const auto gate = [&](int64_t i, int64_t peephole, const Tensor& memory) {
    const Tensor g = Gate(all, i, n);
    if (!cell.peephole.defined()) return g;
    return g + Gate(cell.peephole, peephole, n) * memory;
  };
  const Tensor i = cell.Apply(0, gate(0, 0, c));
  const Tensor f = cell.input_forget ? 1.0 - i : cell.Apply(0, gate(2, 2, c));
  const Tensor next = f * c + i * cell.Apply(1, Gate(all, 3, n));
  const Tensor o = cell.Apply(0, gate(1, 1, next));
  return {o * cell.Apply(2, next), next};
}

struct Kind {
  Step step;
  int64_t gates;
  size_t states;
  std::vector<std::string> activations;
};

// Direction d of a tensor whose first axis is directions.
Tensor Direction(const Tensor& x, int64_t d) {
  if (x.rank() < 1) Wrong("a bias and an initial state must have an axis of directions");
  return Squeeze(internal::SliceAxis(x, 0, d, d + 1), 0);
}

std::vector<Function> ReadActivations(const NodeContext& c, const Kind& kind, int64_t directions) {
  std::vector<std::string> names = c.Strings("activations");
  const std::vector<double> alphas = c.Floats("activation_alpha"), betas = c.Floats("activation_beta");
  if (names.empty()) {
    for (int64_t d = 0; d < directions; ++d)
      names.insert(names.end(), kind.activations.begin(), kind.activations.end());
  }
  if (names.size() != kind.activations.size() * static_cast<size_t>(directions))
    Wrong(StrCat(names.size(), " activations"));
  std::vector<Function> out;
  auto next_alpha = alphas.begin(), next_beta = betas.begin();  // of those that have one
  for (const std::string& name : names) {
    auto [alpha, beta] = Defaults(name);
    if (HasAlpha(name) && next_alpha != alphas.end()) alpha = *next_alpha++;
    if (HasBeta(name) && next_beta != betas.end()) beta = *next_beta++;
    out.push_back(ActivationOf(name, alpha, beta));
  }
  return out;
}

// Runs one direction: y [time, batch, hidden] and the last states. Beyond a sequence's length the
// state stays and y is 0.
ScanStep RunDirection(const Kind& kind, const Cell& cell, const Tensor& xw, const Tensors& initial,
                      const Tensor& lengths, bool backward) {
  const Tensor time = Iota({xw.shape().dim(0)}, 0);
  const auto step = [&](const std::vector<Tensor>& state, const std::vector<Tensor>& x) {
    Tensors next = kind.step(cell, x[0], state);
    Tensor y = next[0];
    if (lengths.defined()) {
      const Tensor inside = ExpandDims(x[1] < lengths, 1);
      for (size_t i = 0; i < next.size(); ++i) next[i] = Where(inside, next[i], state[i]);
      y = Where(inside, y, ScalarLike(y, 0));
    }
    return ScanStep{next, {y}};
  };
  return Scan(step, initial, {xw, time}, {.reverse = backward});
}

Tensors ImportRecurrent(const NodeContext& c, const Kind& kind) {
  const bool batch_first = c.Int("layout", 0) != 0;
  const Tensor x = batch_first ? Transpose(c.In(0), {1, 0, 2}) : c.In(0);
  const Tensor w = c.In(1), r = c.In(2);
  const std::string direction = c.String("direction", "forward");
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3 || w.shape().dim(0) != directions ||
      r.shape().dim(0) != directions)
    Wrong("x, w and r must have rank 3, w and r one matrix a direction");
  const int64_t batch = x.shape().dim(1), hidden = r.shape().dim(2);
  c.Ignore("hidden_size");
  const std::vector<Function> activations = ReadActivations(c, kind, directions);
  Cell cell;
  cell.hidden = hidden;
  cell.clip = c.Float("clip", 0);
  cell.linear_before_reset = c.Int("linear_before_reset", 0) != 0;
  cell.input_forget = c.Int("input_forget", 0) != 0;
  const Tensor lengths = c.Has(4) ? Cast(c.In(4), kInt64) : Tensor();
  Tensors ys;
  std::vector<Tensors> states(kind.states);
  for (int64_t d = 0; d < directions; ++d) {
    cell.f.assign(activations.begin() + d * static_cast<int64_t>(kind.activations.size()), activations.end());
    cell.r = Transpose(Direction(r, d));
    const Tensor bias = c.Has(3) ? Direction(c.In(3), d) : Zeros({2 * kind.gates * hidden}, x.dtype());
    cell.bias_r = Gate(bias, 1, kind.gates * hidden);
    if (c.Has(7)) cell.peephole = Direction(c.In(7), d);
    const Tensor xw = MatMul(x, Transpose(Direction(w, d))) + Gate(bias, 0, kind.gates * hidden);
    Tensors initial;
    for (size_t i = 0; i < kind.states; ++i) {
      const Tensor all = c.Has(5 + i) ? c.In(5 + i) : Tensor();
      initial.push_back(!all.defined() ? Zeros({batch, hidden}, x.dtype())
                                       : Direction(batch_first ? Transpose(all, {1, 0, 2}) : all, d));
    }
    const ScanStep run = RunDirection(kind, cell, xw, initial, lengths, direction == "reverse" || d == 1);
    ys.push_back(run.ys[0]);
    for (size_t i = 0; i < kind.states; ++i) states[i].push_back(run.carry[i]);
  }
  Tensors out = {Stack(ys, 1)};  // [time, directions, batch, hidden]
  if (batch_first) out[0] = Transpose(out[0], {2, 0, 1, 3});
  for (const Tensors& state : states) out.push_back(Stack(state, batch_first ? 1 : 0));
  return out;
}

Tensors ImportRnn(const NodeContext& c) { return ImportRecurrent(c, {RnnStep, 1, 1, {"Tanh"}}); }
Tensors ImportGru(const NodeContext& c) { return ImportRecurrent(c, {GruStep, 3, 1, {"Sigmoid", "Tanh"}}); }
Tensors ImportLstm(const NodeContext& c) { return ImportRecurrent(c, {LstmStep, 4, 2, {"Sigmoid", "Tanh", "Tanh"}}); }

constexpr OpRow kRows[] = {
    {"GRU", 7, ImportGru, false},
    {"LSTM", 7, ImportLstm, false},
    {"RNN", 7, ImportRnn, false},
};

}  // namespace

absl::Span<const OpRow> RecurrentOps() { return kRows; }

}  // namespace reel::onnx
