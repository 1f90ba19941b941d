// Recurrent layers against values that PyTorch printed with the same weights.

#include "tests/frontend/composition.h"

namespace reel {
namespace {

const Tensor kX = Wave({2, 4, 3}, 0.3), kH = Wave({2, 2}, 0.6, 1), kC = Wave({2, 2}, 0.8, 1);

// Gives a layer of 2 units and 3 features the weights of the other program.
template <typename L>
L Filled(const L& layer, int64_t gates) {
  layer(kX);
  const Tensor values[] = {Wave({3, gates * 2}, 0.1, 0.5), Wave({2, gates * 2}, 0.5, 0.5), Wave({gates * 2}, 0.9, 0.5),
                           Wave({gates * 2}, 1.3, 0.5)};
  for (size_t i = 0; i < layer.variables().size(); ++i) layer.variables()[i].Assign(values[i]);
  return layer;
}
const LayerOptions kDouble = {.dtype = kFloat64};

TEST(Recurrent, RnnAsPyTorch) {
  ExpectNear(Filled(Rnn(2, Tanh, {}, kDouble), 1).Run(kX, {kH}).output,
             {-0.3143469447725, -0.5743596223106, 0.4771630954928, -0.5750537115993, 0.8627192711068, 0.6672547778952,
              0.6735250360256, 0.9040865934733, 0.1374449818144, 0.6539883168998, -0.418582201687, -0.4581780779531,
              0.2184922494076, -0.7056453223599, 0.821341442837, 0.318849838017},
             1e-12, "tanh");
  ExpectNear(Filled(Rnn(2, Relu, {}, kDouble), 1)(kX),
             {0, 0, 0.3971449862195, 0, 1.086949759914, 0.5919250160892, 0.8968226494378, 1.608577317158,
              0.1303642046637, 0.9143574781, 0, 0, 0.1648520327403, 0, 0.9054083099251, 0.08595712221986},
             1e-12, "relu");
}

TEST(Recurrent, LstmAsPyTorch) {
  const auto [output, state] = Filled(Lstm(2, {}, kDouble), 4).Run(kX, {kH, kC});
  ExpectNear(output,
             {0.08181930795947, 0.2405046378992, 0.2096256449921, 0.05672161341888, 0.2254136949668, -0.1122663718904,
              0.07236643440712, 0.02279587711215, -0.2693916289174, 0.0996190856793, 0.05537700671348, 0.2225389305456,
              0.1556857282921, 0.1111902552956, 0.2508135511495, -0.06381705898669},
             1e-12, "h");
  ExpectNear(state[1], {0.1284635018711, 0.0537532663961, 0.5682616137893, -0.07601321653401}, 1e-12, "c");
}

TEST(Recurrent, GruAsPyTorch) {
  ExpectNear(Filled(Gru(2, {}, kDouble), 3).Run(kX, {kH}).output,
             {0.1517497321971, 0.6025671778725, 0.04996770632124, 0.2391623282275, 0.7798164222007, -0.05795728516905,
              0.966050134103, -0.009094737046446, 0.3100671652441, 0.4384961163959, 0.03953892212995, 0.6464602184463,
              -0.1555433426765, 0.2591934851505, 0.5688374522169, 0.008937237090766},
             1e-12, "forward");
  ExpectNear(Filled(Gru(2, {.reverse = true}, kDouble), 3).Run(kX, {kH}).output,
             {0.1618778716539, 0.1639762272637, 0.5949073870849, -0.2775357365334, 0.9405061577711, -0.0621944740276,
              0.9081487945818, 0.3168828218003, 0.539601239141, 0.7367259489081, 0.113291145302, 0.2882805442413,
              0.3130285622678, -0.595801544116, 0.5337278639, -0.6144414661014},
             1e-12, "reverse");
}

template <typename L>
void ExpectStepsAndGradients(const L& layer, int64_t gates) {
  Filled(layer, gates);
  RecurrentState state = layer.ZeroState(2);
  for (int64_t i = 0; i < 4; ++i) state = layer.Step(Squeeze(Slice(kX, {0, i, 0}, {2, i + 1, 3}), 1), state);
  const auto [output, last] = layer.Run(kX, layer.ZeroState(2));
  ExpectNear(state[0], Values(last[0]), 1e-15, "steps");
  ExpectNear(Slice(output, {0, 3, 0}, {2, 4, 2}), Values(last[0]), 0, "last output");
  const Composition run = [&](const TensorVector& x) { return layer(x[0]); };
  ExpectGradients(run, {kX}, 1e-8, "gradient");
  ExpectGradients([&](const TensorVector& x) { return JoinedGradients(run, x); }, {kX}, 1e-7, "second gradient");
  ExpectCompiledBits(run, {kX});
}

TEST(Recurrent, StepsAndGradients) {
  ExpectStepsAndGradients(Rnn(2, Tanh, {}, kDouble), 1);
  ExpectStepsAndGradients(Lstm(2, {}, kDouble), 4);
  ExpectStepsAndGradients(Gru(2, {}, kDouble), 3);
}

TEST(Recurrent, VariablesAndShapes) {
  const Sequential model{Lstm(4), Gru(3, {.sequence = false}), Dense(2)};
  EXPECT_EQ(model(Zeros({5, 6, 2})).shape(), Shape({5, 2}));
  const std::vector<Variable> v = model.variables();
  ASSERT_EQ(v.size(), 9u);
  EXPECT_EQ(v[2].name(), "lstm/bias");
  EXPECT_EQ(Values(v[2].value()), (std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(v[6].name(), "gru/recurrent_bias");
  EXPECT_EQ(Rnn(2)(Zeros({0, 3, 2})).shape(), Shape({0, 3, 2}));
}

TEST(Recurrent, BothDirections) {
  const Lstm forward(2, {}, kDouble), backward(2, {.reverse = true}, kDouble);
  const Sequential model{Bidirectional(Filled(forward, 4), Filled(backward, 4))};
  const Tensor y = model(kX);
  EXPECT_EQ(y.shape(), Shape({2, 4, 4}));
  ExpectNear(Slice(y, {0, 0, 2}, {2, 4, 4}), Values(backward(kX)), 0, "backward");
  EXPECT_EQ(model.variables()[0].name(), "bidirectional/forward/kernel");
  EXPECT_EQ(model.variables()[5].name(), "bidirectional/backward/bias");
}

TEST(Recurrent, Mistakes) {
  const Lstm lstm(2);
  ExpectError(ErrorCode::kInvalidArgument, "lstm: needs [batch, time, features], got f32[3,2]",
              [&] { lstm(Zeros({3, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "lstm: the state must be 2 tensors [3,2], got 1",
              [&] { lstm.Step(Zeros({3, 1}), {Zeros({3, 2})}); });
  ExpectError(ErrorCode::kInvalidArgument, "lstm: no steps", [&] { lstm(Zeros({3, 0, 1})); });
  ExpectError(ErrorCode::kInvalidArgument, "gru: 0 units", [] { Gru(0); });
}

}  // namespace
}  // namespace reel
