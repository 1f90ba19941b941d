// Sparse gradients: rows IS.

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Tensors = std::vector<Tensor>;

constexpr TapeOptions kPersistent{.persistent = true};

const Tensor kTable({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});

std::vector<int64_t> Indices(const IndexedSlices& s) { return Cast(s.indices(), kInt64).ToVector<int64_t>(); }

TEST(IndexedSlices, IS01_GatherOfATensorAndOfAVariable) {
  const Variable v(kTable);
  GradientTape tape(kPersistent);
  tape.Watch(kTable);
  const GradientList of_tensor = tape.Gradient(Gather(kTable, Tensor({2, 0})) * 3, {kTable}),
                     of_variable = tape.Gradient(Gather(v, Tensor({2, 0})) * 3, {v});
  for (const GradientList* g : {&of_tensor, &of_variable}) {
    ASSERT_TRUE((*g)[0].gradient->sparse());
    const IndexedSlices& s = (*g)[0].gradient->slices();
    EXPECT_THAT(Indices(s), ElementsAre(2, 0));
    EXPECT_THAT(Values(s.values()), ElementsAre(3, 3, 3, 3));
    EXPECT_EQ(*s.dense_shape(), Shape({3, 2}));
    EXPECT_THAT(Values(g->Dense(0)), ElementsAre(3, 3, 0, 0, 3, 3));
  }
  EXPECT_THAT(Values(*tape.Gradient(Gather(v, Tensor({1})), v)), ElementsAre(0, 0, 1, 1, 0, 0));
}

TEST(IndexedSlices, IS01_IndicesOfAnyRankAndOtherAxes) {
  GradientTape tape(kPersistent);
  tape.Watch(kTable);
  const GradientList matrix = tape.Gradient(Gather(kTable, Tensor({{0, 1}, {1, 1}})), {kTable});
  EXPECT_EQ(matrix[0].gradient->slices().values().shape(), Shape({4, 2}));
  EXPECT_THAT(Indices(matrix[0].gradient->slices()), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(Values(matrix.Dense(0)), ElementsAre(1, 1, 3, 3, 0, 0));
  const GradientList scalar = tape.Gradient(Gather(kTable, 1), {kTable});
  EXPECT_THAT(Values(scalar.Dense(0)), ElementsAre(0, 0, 1, 1, 0, 0));
  const GradientList columns = tape.Gradient(Gather(kTable, Tensor({1}), 1), {kTable});
  EXPECT_FALSE(columns[0].gradient->sparse());
  EXPECT_THAT(Values(columns.Dense(0)), ElementsAre(0, 1, 0, 1, 0, 1));
  const GradientList none = tape.Gradient(Gather(kTable, Zeros({0}, kInt32)), {kTable});
  EXPECT_EQ(none[0].gradient->slices().values().shape(), Shape({0, 2}));
  EXPECT_THAT(Values(none.Dense(0)), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(IndexedSlices, IS02_SeveralLookupsAreOneConcatenation) {
  const Variable v(kTable);
  GradientTape tape;
  const Tensor read = v.value();  // both lookups of one read, and two more
  const Tensor y = ReduceSum(Gather(read, Tensor({0, 1}))) + 2 * ReduceSum(Gather(read, Tensor({1}))) +
                   3 * ReduceSum(Gather(v, Tensor({1}))) + 4 * ReduceSum(Gather(v, Tensor({2})));
  const GradientList g = tape.Gradient(y, {v});
  ASSERT_TRUE(g[0].gradient->sparse());
  const IndexedSlices& s = g[0].gradient->slices();
  EXPECT_EQ(s.indices().size(), 5);
  EXPECT_THAT(Values(g.Dense(0)), ElementsAre(1, 1, 6, 6, 4, 4));
}

TEST(IndexedSlices, IS03_WithADensePartItIsDense) {
  GradientTape tape;
  tape.Watch(kTable);
  const Tensor y = ReduceSum(Gather(kTable, Tensor({0}))) + ReduceSum(kTable);
  const GradientList g = tape.Gradient(y, {kTable});
  EXPECT_FALSE(g[0].gradient->sparse());
  EXPECT_THAT(Values(g.Dense(0)), ElementsAre(2, 2, 1, 1, 1, 1));
}

TEST(IndexedSlices, IS04_TracedGradients) {
  const Function f = Trace(
      [](const Tensor& t) {
        const Tensor lookups = ReduceSum(Gather(t, Tensor({0, 1}))) + ReduceSum(Gather(t, Tensor({1})));
        const GradientList sparse = Gradients(lookups, {t});
        EXPECT_TRUE(sparse[0].gradient->sparse());
        EXPECT_EQ(sparse[0].gradient->slices().values().shape(), Shape({3, 2}));
        const GradientList dense = Gradients(lookups + ReduceSum(t), {t});
        EXPECT_FALSE(dense[0].gradient->sparse());
        return Tensors{sparse.Dense(0), dense.Dense(0)};
      },
      {Spec(kTable)});
  const Results r = Compile(f)("main", kTable);
  EXPECT_THAT(Values(r[0]), ElementsAre(1, 1, 2, 2, 0, 0));
  EXPECT_THAT(Values(r[1]), ElementsAre(2, 2, 3, 3, 1, 1));
}

TEST(IndexedSlices, IS06_IndicesOfTwoTypesBecomeInt64) {
  GradientTape tape;
  tape.Watch(kTable);
  const Tensor y = ReduceSum(Gather(kTable, Tensor({0}))) + ReduceSum(Gather(kTable, Tensor({int64_t{2}})));
  const GradientList g = tape.Gradient(y, {kTable});
  EXPECT_EQ(g[0].gradient->slices().indices().dtype(), kInt64);
  EXPECT_THAT(Values(g.Dense(0)), ElementsAre(1, 1, 0, 0, 1, 1));
}

// The cotangent that enters a function's backward part may be of a lookup.
TEST(IndexedSlices, IS07_ThroughAFunction) {
  const Tensor x({1.f});
  const auto f = CustomGradient([](const Tensor& t) { return std::pair(t + 1, [](const Tensor& dy) { return dy; }); });
  GradientTape tape;
  tape.Watch(x);
  EXPECT_THAT(Values(*tape.Gradient(Gather(f(x), Tensor({0})), x)), ElementsAre(1));
}

TEST(IndexedSlices, IS08_TracedAndEagerAgree) {
  const Tensor at({2, 0, 2});
  const auto both = [&](const Tensor& t) {
    GradientTape tape;
    tape.Watch(t);
    const IndexedSlices s = tape.Gradient(Gather(t, at) * Gather(t, at), {t})[0].gradient->slices();
    EXPECT_EQ(*s.dense_shape(), Shape({3, 2}));
    return Tensors{s.values(), s.indices()};
  };
  const Tensors eager = both(kTable);
  const Results traced = Compile(Trace(both, {Spec(kTable)}))("main", kTable);
  EXPECT_EQ(Values(eager[0]), Values(traced[0]));
  EXPECT_EQ(Values(eager[1]), Values(traced[1]));
}

TEST(IndexedSlices, IS10_WithoutShape) {
  const IndexedSlices s(Ones({1, 2}), Tensor({0}));
  ExpectError(ErrorCode::kInvalidArgument, "Tensor conversion requested for IndexedSlices without dense_shape",
              [&] { s.Dense(); });
  ExpectError(ErrorCode::kInvalidArgument, "without dense_shape", [&] { GradientValue(s).shape(); });
}

TEST(IndexedSlices, IS12_LargeOnesWarn) {
  testing::internal::CaptureStderr();
  Trace([](const Tensor& rows) { return IndexedSlices(rows, Tensor({5}), Shape({50'000'000, 2})).Dense()[5]; },
        {Spec(kFloat32, {1, 2})});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("with 100000000 elements"));
  testing::internal::CaptureStderr();
  IndexedSlices(Ones({1, 2}), Tensor({0}), Shape({4, 2})).Dense();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(IndexedSlices, IS13_OpsTakeItDense) {
  for (const Tensor& at : {Tensor({1, 1}), Tensor({int64_t{1}, int64_t{1}})}) {
    const IndexedSlices s(Tensor({{1.f, 2.f}, {3.f, 4.f}}), at, Shape({2, 2}));
    EXPECT_THAT(Values(s * 2), ElementsAre(0, 0, 8, 12));
    EXPECT_THAT(Values(Stack({s, s})), ElementsAre(0, 0, 4, 6, 0, 0, 4, 6));
  }
}

TEST(IndexedSlices, IS14_AsASeed) {
  const IndexedSlices seed(Tensor({{7.f, 8.f}}), Tensor({1}), Shape({3, 2}));
  GradientTape tape;
  tape.Watch(kTable);
  const GradientList g = tape.Gradient(Identity(kTable), {kTable}, {.output_gradients = {seed}});
  EXPECT_THAT(Values(g.Dense(0)), ElementsAre(0, 0, 7, 8, 0, 0));
}

TEST(IndexedSlices, BadOnes) {
  const auto bad = [](const Tensor& values, const Tensor& indices, std::optional<Shape> shape) {
    ExpectError(ErrorCode::kInvalidArgument, "indexed_slices: values ",
                [&] { IndexedSlices(values, indices, std::move(shape)); });
  };
  bad(Ones({2, 2}), Tensor({1}), Shape({3, 2}));
  bad(Ones({1, 2}), Tensor({1.f}), Shape({3, 2}));
  bad(Ones({1, 2}), Tensor({1}), Shape({3, 3}));
  bad(Ones({1, 2}), Tensor(1), std::nullopt);
  ExpectError(ErrorCode::kFailedPrecondition, "not slices", [] { GradientValue(Ones({2})).slices(); });
}

// Second order: the rows are values like others.
TEST(IndexedSlices, GradientOfASparseGradient) {
  GradientTape outer;
  outer.Watch(kTable);
  GradientTape inner;
  inner.Watch(kTable);
  const Tensor rows = Gather(kTable, Tensor({0, 0}));
  const GradientList g = inner.Gradient(rows * rows * rows, {kTable});
  ASSERT_TRUE(g[0].gradient->sparse());
  EXPECT_THAT(Values(*outer.Gradient(g.Dense(0), kTable)), ElementsAre(12, 24, 0, 0, 0, 0));
}

// OP11: a sparse step is the dense one.
TEST(SparseStep, OP11_EqualsTheDenseOne) {
  const Tensor at({2, 0, 2});
  const std::vector<std::function<std::unique_ptr<Optimizer>()>> makers = {
      [] { return std::make_unique<Sgd>(SgdOptions{.learning_rate = 0.25}); },
      [] { return std::make_unique<Sgd>(SgdOptions{.learning_rate = 0.25, .momentum = 0.5}); },
      [] { return std::make_unique<Sgd>(SgdOptions{.weight_decay = {0.5}}); },
      [] { return std::make_unique<Adam>(); },
      [] { return std::make_unique<Adagrad>(); },
      [] { return std::make_unique<RmsProp>(); },
  };
  for (const auto& make : makers) {
    const Variable sparse(kTable), dense(kTable);
    const auto a = make(), b = make();
    for (int i = 0; i < 3; ++i) {
      GradientTape tape(kPersistent);
      const Tensor x = Square(Gather(sparse, at)), y = Square(Gather(dense, at));
      const GradientList g = tape.Gradient(x, {sparse});
      ASSERT_TRUE(g[0].gradient->sparse());
      a->Apply(g);
      b->Apply(GradientList({{dense, tape.Gradient(y, dense)}}));
    }
    EXPECT_EQ(Values(sparse.value()), Values(dense.value()));
  }
}

TEST(SparseStep, CompiledAsEagerAndWithACondition) {
  const Tensor at({1, 1});
  const Variable v(kTable, {.name = "table"});
  const Sgd sgd({.learning_rate = 0.5});
  const auto step = [&](const Tensor& on) {
    GradientTape tape;
    const Tensor loss = ReduceSum(Square(Gather(v, at)));
    sgd.ApplyIf(on, tape.Gradient(loss, {v}));
    return loss;
  };
  const Executable run = Compile(Trace(step, {Spec(kBool, {})}));
  run("main", Tensor(false));
  EXPECT_EQ(Values(run.variable("table")), Values(kTable));
  run("main", Tensor(true));
  step(Tensor(true));
  EXPECT_EQ(Values(run.variable("table")), Values(v.value()));
  EXPECT_THAT(Values(v.value()), ElementsAre(1, 2, -3, -4, 5, 6));
}

}  // namespace
}  // namespace reel
