#include <concepts>
#include <type_traits>
#include <utility>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tensor, Literals) {
  EXPECT_EQ(Tensor(2.5f).type().ToString(), "f32[]");
  EXPECT_EQ(Tensor(2.5).type().ToString(), "f64[]");
  EXPECT_EQ(Tensor(2).type().ToString(), "i32[]");
  EXPECT_EQ(Tensor(true).type().ToString(), "bool[]");
  EXPECT_EQ(Tensor({1.f, 2.f}).type().ToString(), "f32[2]");
  EXPECT_EQ(Tensor({{1.f, 2.f}, {3.f, 4.f}}).type().ToString(), "f32[2,2]");
  EXPECT_EQ(Tensor({{{1, 2, 3}}, {{4, 5, 6}}}).type().ToString(), "i32[2,1,3]");
  EXPECT_EQ(Tensor({{{{true}}}}).type().ToString(), "bool[1,1,1,1]");
  EXPECT_THAT(Tensor({{1, 2}, {3, 4}}).ToVector<int>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Tensor({true, false}).ToVector<bool>(), ElementsAre(true, false));
}

// x[0] = 5 would change nothing. What has a name is assigned to as ever.
static_assert(!std::is_assignable_v<decltype(std::declval<Tensor&>()[0]), int>);
static_assert(!std::is_assignable_v<Tensor, const Tensor&> && !std::is_assignable_v<Tensor, Tensor>);
static_assert(std::is_assignable_v<Tensor&, int> && std::is_assignable_v<Tensor&, const Tensor&>);
static_assert(std::is_nothrow_move_assignable_v<Tensor> && std::is_nothrow_move_constructible_v<Tensor>);
static_assert(std::is_copy_constructible_v<Tensor> && std::is_swappable_v<Tensor> && std::movable<Tensor>);

TEST(Tensor, RaggedLiteral) {
  ExpectError(ErrorCode::kInvalidArgument, "rows of 2 and of 1 elements", [] { Tensor({{1, 2}, {3}}); });
}

TEST(Tensor, FromData) {
  const Tensor x = Tensor::FromData(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.dtype(), kFloat32);
  EXPECT_EQ(x.rank(), 2);
  EXPECT_EQ(x.size(), 6);
  EXPECT_EQ(x.data<float>()[5], 6);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.raw_data()) % 64, 0u);
  ExpectError(ErrorCode::kInvalidArgument, "5 elements do not fill shape [2,3]",
              [] { Tensor::FromData(std::vector<float>(5), {2, 3}); });
}

TEST(Tensor, ItemConverts) {
  EXPECT_EQ(Tensor(2.75f).item<double>(), 2.75);
  EXPECT_EQ(Tensor(2.75f).item<int>(), 2);
  EXPECT_EQ(Tensor(int64_t{1} << 60).item<int64_t>(), int64_t{1} << 60);
  EXPECT_TRUE(Tensor({{3}}).item<bool>());
  ExpectError(ErrorCode::kInvalidArgument, "has 2 elements, not one", [] { Tensor({1, 2}).item<int>(); });
}

TEST(Tensor, DataChecksTheDtype) {
  ExpectError(ErrorCode::kInvalidArgument, "are not f64; use data<float32>", [] { Tensor({1.f}).data<double>(); });
}

TEST(Tensor, NullHandle) {
  const Tensor x;
  EXPECT_FALSE(x.defined());
  ExpectError(ErrorCode::kFailedPrecondition, "null tensor", [&] { x.shape(); });
  ExpectError(ErrorCode::kFailedPrecondition, "null tensor", [&] { Neg(Tensor(1.f) + x); });
}

TEST(Tensor, Indexing) {
  const Tensor x({{1, 2}, {3, 4}});
  EXPECT_THAT(x[1].ToVector<int>(), ElementsAre(3, 4));
  EXPECT_EQ(x[-2][1].item<int>(), 2);
  ExpectError(ErrorCode::kOutOfRange, "index 2", [&] { x[2]; });
}

TEST(Errors, NameTheUsersLine) {
  const Tensor a = Zeros({2, 3}), b = Zeros({4, 3});
  int line = 0;
  try {
    line = __LINE__ + 1;
    a + b;
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(e.what(), HasSubstr("add: shapes [2,3] and [4,3] do not broadcast: axis -2 has 2 and 4"));
    EXPECT_THAT(e.what(), HasSubstr("tensor_test.cc:" + std::to_string(line)));
  }
  const Dense layer(3, 2);
  try {
    line = __LINE__ + 1;
    layer(Zeros({2, 4}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("matmul: shapes [2,4] and [3,2] do not multiply"));
    EXPECT_THAT(e.what(), HasSubstr("tensor_test.cc:" + std::to_string(line)));
  }
}

TEST(Errors, ShapesOfTooManyExtents) {
  const std::vector<int64_t> extents(kMaxRank + 1, 1);
  const auto expect = [](const auto& make) {
    ExpectError(ErrorCode::kInvalidArgument, "a shape has at most 10 extents; reshape so that", make);
  };
  expect([&] { Shape shape(extents); });
  expect([] { Shape shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}; });
  expect([&] { Shape(std::vector<int64_t>(kMaxRank, 1)).insert(0, 1); });
  EXPECT_EQ(Shape(std::vector<int64_t>(kMaxRank, 1)).rank(), kMaxRank);
}

TEST(Variable, AssignDoesNotChangeWhatWasRead) {
  const Variable v(Tensor({1.f, 2.f}), {.name = "w"});
  const Tensor before = v.value();
  v.Assign(Tensor({3.f, 4.f}));
  v.AssignAdd(1.0);
  v.AssignSub(Tensor({0.5f, 0.f}));
  EXPECT_THAT(before.ToVector<float>(), ElementsAre(1, 2));
  EXPECT_THAT(v.value().ToVector<float>(), ElementsAre(3.5, 5));
  EXPECT_EQ(v.name(), "w");
  EXPECT_TRUE(v.trainable());
  ExpectError(ErrorCode::kInvalidArgument, "variable 'w' is f32[2], the value is f32[3]",
              [&] { v.Assign(Zeros({3})); });
}

static_assert(!std::is_convertible_v<Variable, Tensor>);

TEST(Promotion, WeakNumbersAndTheTable) {
  const Tensor f = Tensor({1.f}), d = Tensor({1.0}), i = Tensor({1}), l = Tensor({int64_t{1}});
  EXPECT_EQ((f + 2.0).dtype(), kFloat32);
  EXPECT_EQ((2 * f).dtype(), kFloat32);
  EXPECT_EQ((i + 2).dtype(), kInt32);
  EXPECT_EQ((i * 2.5).dtype(), kFloat32);
  EXPECT_EQ((f + d).dtype(), kFloat64);
  EXPECT_EQ((i + l).dtype(), kInt64);
  EXPECT_EQ(Add(1, 2).dtype(), kInt64);
  EXPECT_EQ(Add(1.0, 2).dtype(), kFloat32);
  ExpectError(ErrorCode::kInvalidArgument, "dtypes f32 and i32 do not mix; Cast", [&] { f + i; });
}

}  // namespace
}  // namespace reel
