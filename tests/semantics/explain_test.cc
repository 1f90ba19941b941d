// What a tape says about itself: why a gradient is None, and what was recorded.

#include "frontend/values/tensor_data.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, bool trainable = true) { return Variable(value, {.trainable = trainable}); }

class Explained : public testing::Test {
 protected:
  std::string None(const Source& target, const Source& source) { return tape_.ExplainNone(target, source); }
  const Tensor x_ = 3.f;
  GradientTape tape_{kPersistent};
};

// "file:line" of the call of this macro's own line.
// Of the line before.
#define HERE (std::string("explain_test.cc:") + std::to_string(__LINE__ - 1))

TEST_F(Explained, NotWatched) {
  const Tensor y = x_ * 2;
  const std::string at = HERE;
  EXPECT_THAT(None(y, x_), AllOf(HasSubstr("the source was not watched; Watch it before mul"), HasSubstr(at)));
}

TEST_F(Explained, Integers) {
  EXPECT_THAT(None(x_, Tensor(3)), HasSubstr("the source is i32[]: only floating"));
  tape_.Watch(x_);
  const Tensor i = Cast(x_ * 2, kInt32);
  const std::string at = HERE;
  const Tensor y = Cast(i, kFloat32) * 2;
  EXPECT_FALSE(tape_.Gradient(y, x_));
  EXPECT_THAT(None(y, x_), AllOf(HasSubstr("cast at"), HasSubstr(at + " gives i32")));
  EXPECT_THAT(None(i, x_), AllOf(HasSubstr("the target (cast at"), HasSubstr(at + ") is i32[]")));
}

TEST_F(Explained, StopGradientAndOpsWithoutOne) {
  tape_.Watch(x_);
  const Tensor a = StopGradient(x_ * 2) + 1;
  const std::string first = HERE;
  const Tensor b = Floor(x_) * 3;
  const std::string second = HERE;
  EXPECT_THAT(None(a + b, x_), AllOf(HasSubstr("stop_gradient at "), HasSubstr(first), HasSubstr("cuts the path"),
                                     HasSubstr("floor at "), HasSubstr(second), HasSubstr("has no gradient")));
}

TEST_F(Explained, ComparisonsGiveBools) {
  tape_.Watch(x_);
  const Tensor y = Where(x_ > 1, 2.f, 3.f);
  EXPECT_THAT(None(y, x_), HasSubstr("carries no gradient"));
}

TEST_F(Explained, BeforeItWasWatched) {
  const Tensor y = x_ * 2;
  const std::string at = HERE;
  tape_.Watch(x_);
  EXPECT_THAT(None(y, x_), AllOf(HasSubstr("ran before the source was watched"), HasSubstr(at)));
}

TEST_F(Explained, WhileStopped) {
  tape_.Watch(x_);
  Tensor y;
  std::string at;
  {
    const auto stop = tape_.StopRecording();
    y = x_ * 2;
    at = HERE;
  }
  EXPECT_THAT(None(y * 2, x_), AllOf(HasSubstr("ran while recording was stopped"), HasSubstr(at)));
}

TEST_F(Explained, OutsideOfTheTape) {
  tape_.Watch(x_);
  tape_.Stop();
  const std::string at = HERE;
  const Tensor y = x_ * 2;
  EXPECT_THAT(None(y, x_), AllOf(HasSubstr("was not computed while the tape recorded"), HasSubstr(at)));
}

TEST_F(Explained, Variables) {
  const Variable frozen = V(1.f, false), v = V(1.f), unread = V(1.f);
  const Tensor y = frozen * v;
  EXPECT_THAT(None(y, frozen), HasSubstr("is not trainable, so reading it does not watch it"));
  EXPECT_THAT(None(y, unread), HasSubstr("was not read while the tape recorded"));
  EXPECT_THAT(None(y, v), HasSubstr("nothing: the target"));
  EXPECT_THAT(None(y, x_), HasSubstr("was not computed from the source"));
  GradientTape manual({.watch_accessed_variables = false});
  EXPECT_THAT(manual.ExplainNone(v * 2.f, v), HasSubstr("watch_accessed_variables = false"));
}

TEST_F(Explained, ACustomGradientReturnedNone) {
  tape_.Watch(x_);
  const auto f = CustomGradient(
      [](const Tensor& t) { return std::pair(t * 2, [](const Tensor&) { return std::optional<Tensor>(); }); });
  const Tensor y = f(x_) * 2;
  const std::string at = HERE;
  EXPECT_FALSE(tape_.Gradient(y, x_));
  EXPECT_THAT(None(y, x_),
              AllOf(HasSubstr("custom_gradient at"), HasSubstr(at), HasSubstr("its gradient function returned None")));
}

TEST(ExplainNone, AfterTheGradientOfATapeThatIsNotPersistent) {
  const Tensor x = 3.f;
  const int64_t before = internal::LiveTensors();
  GradientTape tape;
  tape.Watch(x);
  Tensor y = StopGradient(Exp(x)) * 2;
  EXPECT_FALSE(tape.Gradient(y, x));
  EXPECT_THAT(tape.ExplainNone(y, x), HasSubstr("stop_gradient"));
  y = Tensor();
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(ExplainNone, RemembersTheLastOps) {
  const Tensor x = 3.f;
  GradientTape tape;
  Tensor y = x;
  for (int i = 0; i < 70'000; ++i) y = Neg(y);
  EXPECT_THAT(tape.ExplainNone(y, x), HasSubstr("was not computed from the source"));
}

TEST(Summary, CountsAndBytes) {
  const Variable w(Ones({8, 8}), {.name = "w"});
  const Tensor x = Ones({8, 8});
  GradientTape tape(kPersistent);
  Tensor y = x;
  for (int i = 0; i < 3; ++i) y = Tanh(y + w);
  const std::string at = HERE;
  const std::string text = tape.Summary();
  EXPECT_THAT(text, HasSubstr("recording, persistent; 9 ops, 3 tensors of 768 B kept, 1 variables"));
  EXPECT_THAT(text, HasSubstr("variable 'w' f32[8,8]"));
  EXPECT_THAT(text, HasSubstr(at + ": 3 ops, keeps 768 B"));
  tape.Reset();
  EXPECT_THAT(tape.Summary(), HasSubstr("0 ops"));
}

}  // namespace
}  // namespace reel
