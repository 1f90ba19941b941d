// ForLoop, Scan, Map, folds and switches: eager, traced and compiled at both levels, with gradients.

#include <gmock/gmock.h>

#include <cmath>

#include "frontend/record/event_log.h"
#include "reel/loops.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"

namespace reel {
namespace {

using testing::ElementsAre;
using Tensors = std::vector<Tensor>;

// The function's results for x, eagerly; compiled code must agree within `tolerance`.
std::vector<double> Everywhere(const std::function<Tensor(const Tensor&)>& f, const Tensor& x, double tolerance = 0) {
  const std::vector<double> eager = Values(f(x));
  const Function traced = Trace(f, {Spec(x)});
  for (const int level : {0, 2}) {
    const std::vector<double> got = Values(Compile(traced, {.opt_level = level})(traced.name(), x));
    EXPECT_EQ(got.size(), eager.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], eager[i], tolerance * (1 + std::fabs(eager[i]))) << i << ", level " << level;
    }
  }
  return eager;
}

// The gradient of the sum of f's result.
std::function<Tensor(const Tensor&)> GradientOf(std::function<Tensor(const Tensor&)> f) {
  return [f](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return *tape.Gradient(ReduceSum(f(x)), x);
  };
}

const Tensor kRows = Tensor({{1.f, 2.f}, {3.f, -1.f}, {0.5f, 4.f}});

TEST(ForLoop, PowersAndTheirGradient) {
  const auto cube = [](const Tensor& x) {
    return ForLoop(3, [x](const Tensor&, const Tensor& y) { return y * x; }, OnesLike(x));
  };
  EXPECT_THAT(Everywhere(cube, Tensor({2.f, 3.f})), ElementsAre(8, 27));
  EXPECT_THAT(Everywhere(GradientOf(cube), Tensor({2.f, 3.f})), ElementsAre(12, 27));
  EXPECT_THAT(Everywhere(GradientOf(GradientOf(cube)), Tensor({2.f, 3.f})), ElementsAre(12, 18));
}

TEST(ForLoop, CountsAndMayNotRunAtAll) {
  const auto sum = [](const Tensor& x) {  // x + 0 + 1 + 2 + 3
    return ForLoop(4, [](const Tensor& i, const Tensor& y) { return y + Cast(i, kFloat32); }, x);
  };
  EXPECT_THAT(Everywhere(sum, Tensor(1.f)), ElementsAre(7));
  const auto none = [](const Tensor& x) { return ForLoop(0, [](const Tensor&, const Tensor& y) { return y * y; }, x); };
  EXPECT_THAT(Everywhere(none, Tensor(3.f)), ElementsAre(3));
  EXPECT_THAT(Everywhere(GradientOf(none), Tensor(3.f)), ElementsAre(1));
}

TEST(ForLoop, ATripCountThatIsComputed) {
  for (const int64_t bound : {10, -1}) {
    const auto doubled = [bound](const Tensor& x) {  // x * 2^x
      return ForLoop(Cast(x, kInt64), [](const Tensor&, const Tensor& y) { return y + y; }, x,
                     {.maximum_iterations = bound});
    };
    EXPECT_THAT(Everywhere(doubled, Tensor(3.f)), ElementsAre(24));
    EXPECT_THAT(Everywhere(GradientOf(doubled), Tensor(3.f)), ElementsAre(8));
  }
}

TEST(Scan, CarriesAndStacks) {
  const auto cumulative = [](const Tensor& xs) {
    const ScanStep r = Scan(
        [](const Tensors& c, const Tensors& x) {
          const Tensor sum = c[0] + x[0];
          return ScanStep{{sum}, {sum, sum * x[0]}};
        },
        {Zeros({2})}, {xs});
    return Concat({r.ys[0], r.ys[1], ExpandDims(r.carry[0], 0)});
  };
  EXPECT_THAT(Everywhere(cumulative, kRows), ElementsAre(1, 2, 4, 1, 4.5, 5, 1, 4, 12, -1, 2.25, 20, 4.5, 5));
  // d/dx[t] of the sum: rows t.. of sum and of sum * x, then the carry.
  EXPECT_THAT(Everywhere(GradientOf(cumulative), kRows), ElementsAre(9.5, 11, 10.5, 7, 7, 11));
  EXPECT_THAT(Everywhere(GradientOf(GradientOf(cumulative)), kRows), testing::Each(4));
}

TEST(Scan, Reverse) {
  const auto suffix = [](const Tensor& xs) {
    return Scan([](const Tensors& c, const Tensors& x) { return ScanStep{{c[0] + x[0]}, {c[0]}}; }, {Zeros({2})}, {xs},
                {.reverse = true})
        .ys[0];
  };
  EXPECT_THAT(Everywhere(suffix, kRows), ElementsAre(3.5, 3, 0.5, 4, 0, 0));
  EXPECT_THAT(Everywhere(GradientOf(suffix), kRows), ElementsAre(0, 0, 1, 1, 2, 2));
}

// The step never runs; what it would return gives the types.
TEST(Scan, WithoutRows) {
  const Tensor none = Zeros({0, 2});
  const auto step = [](const Tensors& c, const Tensors& x) {
    return ScanStep{{c[0] + x[0]}, {c[0] * x[0], ReduceSum(x[0])}};
  };
  const auto all = [&](const Tensor& start) {
    const ScanStep r = Scan(step, {start}, {none});
    EXPECT_EQ(r.ys[0].shape(), Shape({0, 2}));
    EXPECT_EQ(r.ys[1].shape(), Shape({0}));
    return Concat({r.ys[0], ExpandDims(r.carry[0] * 2.f, 0)});
  };
  EXPECT_THAT(Everywhere(all, Tensor({1.f, 3.f})), ElementsAre(2, 6));
  EXPECT_THAT(Everywhere(GradientOf(all), Tensor({1.f, 3.f})), ElementsAre(2, 2));
  const Variable count(Tensor(0.f), {.name = "count"});
  const auto counted = [&](const Tensor& xs) {
    return Map(
        [&](const Tensor& x) {
          count.AssignAdd(1.f);
          return Outer(x, x);
        },
        xs);
  };
  EXPECT_EQ(counted(none).shape(), Shape({0, 2, 2}));
  EXPECT_THAT(Everywhere(counted, none), testing::IsEmpty());
  EXPECT_EQ(count.value().item<float>(), 0);
}

// h = tanh(h u + x w) over 1,000 steps: the compiled gradient is the eager tape's.
TEST(Scan, ARecurrentNetOverAThousandSteps) {
  std::vector<float> values;
  for (int i = 0; i < 3000; ++i) values.push_back(std::sin(0.37f * static_cast<float>(i)));
  const Tensor xs = Tensor::FromData(values, {1000, 3});
  const Tensor w = Tensor({{0.3f, -0.2f}, {0.1f, 0.4f}, {-0.5f, 0.2f}});
  const auto net = [&](const Tensor& u) {
    const ScanStep r = Scan(
        [&](const Tensors& h, const Tensors& x) {
          const Tensor next = Tanh(MatMul(h[0], u) + MatMul(ExpandDims(x[0], 0), w));
          return ScanStep{{next}, {next}};
        },
        {Zeros({1, 2})}, {xs});
    return ReduceMean(r.ys[0] * r.ys[0]);
  };
  const Tensor u = Tensor({{0.5f, -0.3f}, {0.2f, 0.6f}});
  Everywhere(net, u);
  Everywhere(GradientOf(net), u);
}

TEST(Scan, VariablesAreUpdatedInTheLoop) {
  const Variable total(Zeros({2}), {.name = "total"});
  const auto running = [&](const Tensor& xs) {
    return Map(
        [&](const Tensor& x) {
          total.AssignAdd(x);
          return total.value() * 2.f;
        },
        xs);
  };
  const Function f = Trace(running, {Spec(kRows)});
  for (const int level : {0, 2}) {
    const Executable run = Compile(f, {.opt_level = level});
    EXPECT_THAT(Values(run(f.name(), kRows)), ElementsAre(2, 4, 8, 2, 9, 10));
    EXPECT_THAT(Values(run.variable("total")), ElementsAre(4.5, 5));
  }
  EXPECT_THAT(Values(running(kRows)), ElementsAre(2, 4, 8, 2, 9, 10));
}

TEST(Map, RowsAndFolds) {
  const auto squares = [](const Tensor& xs) { return Map([](const Tensor& x) { return ReduceSum(x * x); }, xs); };
  EXPECT_THAT(Everywhere(squares, kRows), ElementsAre(5, 10, 16.25));
  EXPECT_THAT(Everywhere(GradientOf(squares), kRows), ElementsAre(2, 4, 6, -2, 1, 8));
  const auto step = [](const Tensor& v, const Tensor& x) { return v * 0.5f + x; };
  const auto left = [&](const Tensor& xs) { return FoldL(step, Zeros({2}), xs); };
  const auto right = [&](const Tensor& xs) { return FoldR(step, Zeros({2}), xs); };
  EXPECT_THAT(Everywhere(left, kRows), ElementsAre(2.25, 4));
  EXPECT_THAT(Everywhere(right, kRows), ElementsAre(2.625, 2.5));
  EXPECT_THAT(Everywhere(GradientOf(left), kRows), ElementsAre(0.25, 0.25, 0.5, 0.5, 1, 1));
}

TEST(SwitchCase, PicksAndClamps) {
  const auto pick = [](const Tensor& x) {
    std::vector<std::function<Tensors()>> branches;
    for (int k = 0; k < 5; ++k) {
      branches.push_back([x, k] { return Tensors{x * static_cast<float>(k)}; });
    }
    return SwitchCase(Cast(x, kInt32), branches)[0];
  };
  for (const float x : {0.f, 1.f, 2.f, 3.f, 4.f, 9.f, -2.f}) {
    const float k = x < 0 || x > 4 ? 4 : x;
    EXPECT_THAT(Everywhere(pick, Tensor(x)), ElementsAre(k * x));
    EXPECT_THAT(Everywhere(GradientOf(pick), Tensor(x)), ElementsAre(k));
  }
}

TEST(Case, TakesTheFirstTrueOne) {
  const auto pieces = [](const Tensor& x) {
    return Case({{x < 0, [x] { return Tensors{-x}; }}, {x < 2, [x] { return Tensors{x * x}; }}},
                [x] { return Tensors{x + x}; })[0];
  };
  for (const auto& [x, y] : {std::pair{-1.f, 1.f}, {1.5f, 2.25f}, {3.f, 6.f}}) {
    EXPECT_THAT(Everywhere(pieces, Tensor(x)), ElementsAre(y));
  }
}

TEST(Loops, MistakesNameTheValueAndTheRemedy) {
  const auto grow = [](const Tensors& c, const Tensors&) { return ScanStep{{Concat({c[0], c[0]})}, {}}; };
  ExpectError(ErrorCode::kInvalidArgument, "carried value 0 changes from f32[2] to f32[4]",
              [&] { Scan(grow, {Zeros({2})}, {kRows}); });
  ExpectError(ErrorCode::kInvalidArgument, "all xs share the leading axis",
              [&] { Scan(grow, {Zeros({2})}, {kRows, Zeros({5})}); });
  const auto wide = [](const Tensors&, const Tensors&) { return ScanStep{{}, {Ones({1, 1, 1, 1, 1, 1, 1, 1, 1, 2})}}; };
  ExpectError(ErrorCode::kInvalidArgument, "to be stacked; it has 10 axes already",
              [&] { Trace([&](const Tensor& xs) { return Scan(wide, {}, {xs}).ys[0]; }, {Spec(kRows)}); });
  ExpectError(ErrorCode::kInvalidArgument, "to be stacked; it has 10 axes already",
              [&] { Scan(wide, {}, {Zeros({0})}); });
  ExpectError(ErrorCode::kInvalidArgument, "give options.length", [&] { Scan(grow, {Zeros({2})}, {}); });
  ExpectError(ErrorCode::kInvalidArgument, "must be an integer scalar, got f32[2]",
              [] { ForLoop(Zeros({2}), [](const Tensor&, const Tensor& y) { return y; }, Tensor(1.f)); });
  ExpectError(ErrorCode::kInvalidArgument, "no branches", [] { SwitchCase(1, {}); });
}

// Gradients have one order of additions: of all values with more than one use, where eager code goes through the same
// tensor and a graph has values of their own. The products of these numbers round.
const Tensor kRounds = Tensor({0.1f, 0.7f, -1.3f, -0.f, 3.3f});

using Loop = std::function<Tensor(int64_t trips, const Tensor& x)>;

struct LoopRow {
  const char* name;
  Loop f;
};

Tensors Repeat(int64_t n, const std::function<Tensors(const Tensors&)>& body, const Tensors& values) {
  return ForLoop(n, [&](const Tensor&, const Tensors& v) { return body(v); }, values);
}

const LoopRow kLoops[] = {
    {"before other uses",
     [](int64_t n, const Tensor& x) {
       const Tensor y = Repeat(n, [](const Tensors& v) { return Tensors{Tanh(v[0])}; }, {x})[0];
       return y * x * Sin(x) + y * 0.3 + x * 0.7;
     }},
    {"captured before, inside and after",
     [](int64_t n, const Tensor& x) {
       const Tensor z = x * 1.7;
       const Tensor y = Repeat(n, [&](const Tensors& v) { return Tensors{v[0] * z + Sin(z)}; }, {z * 0.9})[0];
       return y * z + Cos(z) * x;
     }},
    {"variable and captured",
     [](int64_t n, const Tensor& x) {
       return Repeat(n, [&](const Tensors& v) { return Tensors{v[0] * x * 0.3 + Sin(x)}; }, {x})[0] * x + x * 0.1;
     }},
    {"passed through",
     [](int64_t n, const Tensor& x) {
       const auto body = [](const Tensors& v) { return Tensors{v[0], v[1] * v[0] + Sin(v[0])}; };
       const Tensors r = Repeat(n, body, {x, x * 0.2});
       return r[0] * r[1] * x + Sin(r[0]);
     }},
    {"swapped, one result used",
     [](int64_t n, const Tensor& x) {
       return Repeat(n, [&](const Tensors& v) { return Tensors{v[1] * x, Tanh(v[0])}; }, {x, Sin(x)})[0] * x;
     }},
    {"one value as two and three results",
     [](int64_t n, const Tensor& x) {
       const auto body = [](const Tensors& v) {
         const Tensor y = v[0] * v[1] + v[2] * 0.3;
         return Tensors{y, y, y};
       };
       const Tensors r = Repeat(n, body, {x, x, Sin(x)});
       return r[0] * r[1] * 0.7 + r[2] * r[0] + r[1] * 0.1;
     }},
    {"returns what it captured",
     [](int64_t n, const Tensor& x) {
       const Tensor y = Repeat(n, [&](const Tensors&) { return Tensors{x}; }, {Sin(x)})[0];
       return y * x * 0.3 + y * Sin(x);
     }},
    {"nested",
     [](int64_t n, const Tensor& x) {
       const auto inner = [&](const Tensor& y) {
         return Repeat(2, [&](const Tensors& v) { return Tensors{v[0] * x + y * 0.1}; }, {y})[0];
       };
       return Repeat(n, [&](const Tensors& v) { return Tensors{inner(v[0]) * 0.7 + Sin(x)}; }, {x})[0] * x;
     }},
    {"branch that returns captures",
     [](int64_t n, const Tensor& x) {
       const Tensor z = Sin(x);
       const Tensors r =
           Cond(Tensor(n > 0), [&] { return Tensors{z, z, z * x}; }, [&] { return Tensors{x, x * 0.3, x}; });
       return r[0] * r[1] + r[2] * z + r[0] * 0.1 + x * 0.7;
     }},
    {"branch of three that returns captures, beside an op of many",
     [](int64_t n, const Tensor& x) {
       const Tensor z = Sin(x);
       const Tensor y = SwitchCase(
           Tensor(n), {[&] { return Tensors{x}; }, [&] { return Tensors{z}; }, [&] { return Tensors{x * z}; }})[0];
       return Abs(y) + y * 1.3 + RmsNormalize(x) * z + LogSoftmax(z);
     }},
    {"branch without one of them",
     [](int64_t n, const Tensor& x) {
       const Tensor z = Log(x - x);  // -inf, of which nothing comes if it is not used
       const Tensor w = -1 * Where(x > 0.5, x, 0.0);
       return Cond(Tensor(n > 0), [&] { return x * -0.3 + w; }, [&] { return z * x; }) * x;
     }},
    {"scan",
     [](int64_t n, const Tensor& x) {
       if (n == 0) return x;
       const auto step = [&](const Tensors& c, const Tensors& e) {
         const Tensor h = Tanh(c[0] * e[0] + ReduceMean(x));
         return ScanStep{{h}, {h, h * e[0]}};
       };
       const ScanStep all = Scan(step, {ReduceSum(x) * 0.1}, {x});
       return all.ys[0] * all.ys[1] * x + all.carry[0] * all.ys[0];
     }},
};

TEST(Loops, FirstGradientsHaveTheBitsOfEagerCode) {
  for (const LoopRow& row : kLoops) {
    for (const int64_t trips : {0, 1, 3}) {
      const auto gradient = GradientOf([&](const Tensor& x) { return row.f(trips, x); });
      const Tensor eager = gradient(kRounds);
      const Function traced = Trace(gradient, {Spec(kRounds)});
      Recording recording;
      const Tensor recorded = gradient(kRounds);
      const Function lifted = recording.Lift({kRounds}, {recorded});
      EXPECT_TRUE(SameBits(eager, recorded)) << row.name << ", " << trips << " trips, recorded";
      for (const int level : {0, 2}) {
        EXPECT_TRUE(SameBits(eager, Compile(traced, {.opt_level = level})(traced.name(), kRounds)[0]))
            << row.name << ", " << trips << " trips, level " << level;
        EXPECT_TRUE(SameBits(eager, Compile(lifted, {.opt_level = level})(lifted.name(), kRounds)[0]))
            << row.name << ", " << trips << " trips, lifted, level " << level;
      }
    }
  }
}

// The values of their own that results get are on the user's line.
TEST(Loops, ResultsHaveTheLocationOfTheOp) {
  const Function f = Trace([](const Tensor& x) { return Cond(x > 0.0, [&] { return x; }, [&] { return -x; }); },
                           {Spec({kFloat32, {}})});
  int identities = 0;
  for (const auto& function : f.internal_data()->module.functions()) {
    for (const ir::Node& node : function->nodes()) {
      if (node.op != ir::Op::kIdentity) continue;
      ++identities;
      ASSERT_GE(node.location, 0);
      EXPECT_THAT(function->locations()[static_cast<size_t>(node.location)].file, testing::EndsWith("loops_test.cc"));
    }
  }
  EXPECT_EQ(identities, 1);
}

}  // namespace
}  // namespace reel
