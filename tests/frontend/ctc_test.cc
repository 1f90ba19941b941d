// Connectionist temporal classification against values that PyTorch printed.

#include <limits>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

const Tensor kLogits = Wave({3, 5, 4}, 0.3), kLabels({{1, 2, 2}, {3, 1, -1}, {2, -1, -1}});

class Ctc : public testing::TestWithParam<CompositionCase> {};

TEST_P(Ctc, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Ctc,
    testing::Values(CompositionCase{"LabelLengths",
                                    [](const TensorVector& x) {
                                      return CtcLoss(x[0], x[1], {.reduction = kNone, .label_lengths = x[2]});
                                    },
                                    {kLogits, kLabels, Tensor({3, 2, 1})},
                                    {7.541822748169, 4.876803505711, 5.310960511835}},
                    CompositionCase{"BothLengths",
                                    [](const TensorVector& x) {
                                      return CtcLoss(
                                          x[0], x[1],
                                          {.reduction = kNone, .logit_lengths = x[2], .label_lengths = x[3]});
                                    },
                                    {kLogits, kLabels, Tensor({5, 4, 2}), Tensor({3, 2, 0})},
                                    {7.541822748169, 4.199590957688, 6.311582610989}},
                    CompositionCase{
                        "OtherBlank",
                        [](const TensorVector& x) { return CtcLoss(x[0], x[1], {.reduction = kSum, .blank = 3}); },
                        {kLogits, Tensor({{1, 2, 2}, {0, 1, 0}, {2, 0, 1}})},
                        {23.66156553505}}),
    CaseName);

TEST(CtcEdges, WithoutAnAlignment) {
  const Tensor logits = Wave({1, 2, 3}), labels({{1, 1}});  // needs a blank between: three steps
  GradientTape tape;
  tape.Watch(logits);
  const Tensor loss = CtcLoss(logits, labels);
  EXPECT_EQ(loss.item<double>(), std::numeric_limits<double>::infinity());
  EXPECT_THAT(Values(*tape.Gradient(loss, logits)), testing::Each(0));
}

TEST(CtcEdges, WithoutLabelsAllIsBlank) {
  const Tensor logits = Wave({2, 3, 4});
  const Tensor blanks = ReduceSum(Gather(LogSoftmax(logits), Tensor(0), 2), 1);
  ExpectNear(CtcLoss(logits, Zeros({2, 0}, kInt32), {.reduction = kNone}), Values(-blanks), 1e-14, "loss");
}

TEST(CtcEdges, AnEmptyBatch) {
  EXPECT_EQ(CtcLoss(Zeros({0, 3, 4}), Zeros({0, 2}, kInt32), {.reduction = kNone}).shape(), Shape({0}));
}

TEST(CtcErrors, NameTheShapes) {
  ExpectError(ErrorCode::kInvalidArgument, "ctc_loss: logits f32[2,3] and labels i32[2,1]",
              [] { CtcLoss(Zeros({2, 3}), Zeros({2, 1}, kInt32)); });
  ExpectError(ErrorCode::kOutOfRange, "ctc_loss: label 4 is not one of 4 classes",
              [] { CtcLoss(kLogits, Full({3, 1}, 4, kInt32)); });
  ExpectError(ErrorCode::kInvalidArgument, "blank 4 is not one of 4 classes",
              [] { CtcLoss(kLogits, Zeros({3, 1}, kInt32), {.blank = 4}); });
}

}  // namespace
}  // namespace reel
