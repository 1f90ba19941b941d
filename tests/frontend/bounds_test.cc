// Indices and labels out of range: one rule, whoever runs the program. Every function that looks at indices raises the
// same error, eager, compiled from a trace or a recording at levels 0 and 2, and in the reference evaluator.

#include <functional>

#include "frontend/ops/index.h"
#include "ir/eval/eval.h"
#include "ir/text/parser.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::HasSubstr;

using Inputs = std::vector<Tensor>;
using F = std::function<Tensor(const Inputs&)>;

struct Case {
  std::string name;
  F f;           // of the indices, then of the others
  Inputs good;
  Tensor bad;    // in the place of good[0]
  std::string says;
};

Tensor Table() { return Reshape(Iota({12}, 0, kFloat32), {4, 3}); }

std::vector<Case> Cases() {
  const Tensor table = Table(), ones = Ones({2, 3});
  const Tensor good({int64_t{0}, int64_t{3}}), low({int64_t{0}, int64_t{-1}}), high({int64_t{4}, int64_t{1}});
  const Tensor good32({0, 3}), high32({2, 2147483647}), low32({-2147483647, 1});
  const Tensor pair({{int64_t{0}, int64_t{2}}, {int64_t{3}, int64_t{1}}}),
      bad_pair({{int64_t{0}, int64_t{2}}, {int64_t{3}, int64_t{3}}});
  const Tensor along({{int64_t{0}, int64_t{3}, int64_t{1}}}), bad_along({{int64_t{0}, int64_t{9}, int64_t{1}}});
  const std::string of = " for axis 0 of f32[4,3]; indices must be in [0, 4)";
  std::vector<Case> cases{{"gather",
                           [](const Inputs& x) { return Gather(x[1], x[0]); },
                           {good, table},
                           low,
                           "gather: index -1 is out of range" + of},
                          {"gather",
                           [](const Inputs& x) { return Gather(x[1], x[0]); },
                           {good, table},
                           high,
                           "gather: index 4 is out of range" + of},
                          {"gather",
                           [](const Inputs& x) { return Gather(x[1], x[0]); },
                           {good32, table},
                           high32,
                           "gather: index 2147483647 is"},
                          {"gather",
                           [](const Inputs& x) { return Gather(x[1], x[0]); },
                           {good32, table},
                           low32,
                           "gather: index -2147483647 is"},
                          {"gather of one",
                           [](const Inputs& x) { return Gather(x[1], x[0], 1); },
                           {Tensor(int64_t{2}), table},
                           Tensor(int64_t{3}),
                           "gather: index 3 is out of range for axis 1 of f32[4,3]; indices must be in [0, 3)"},
                          {"gather of part",
                           [](const Inputs& x) { return Gather(x[1], Slice(x[0], {1}, {2})); },
                           {good, table},
                           low,
                           "index -1 is"},
                          {"gather of sums",
                           [](const Inputs& x) { return Gather(x[1], Add(Mul(x[0], 2), -3)); },
                           {Tensor({int64_t{2}, int64_t{3}}), table},
                           high,
                           "index -1 is"},
                          {"gather_nd",
                           [](const Inputs& x) { return GatherNd(x[1], x[0]); },
                           {pair, table},
                           bad_pair,
                           "gather_nd: index 3 is out of range for axis 1 of f32[4,3]"},
                          {"take_along_axis",
                           [](const Inputs& x) { return TakeAlongAxis(x[1], x[0], 0); },
                           {along, table},
                           bad_along,
                           "take_along_axis: index 9 is out of range" + of},
                          {"put_along_axis",
                           [](const Inputs& x) { return PutAlongAxis(x[1], x[0], Ones({1, 3}), 0, ScatterMode::kSet); },
                           {along, table},
                           bad_along,
                           "put_along_axis: index 9 is out of range" + of},
                          {"tensor_scatter",
                           [](const Inputs& x) { return TensorScatter(x[1], x[0], Ones({2}), ScatterMode::kAdd); },
                           {pair, table},
                           bad_pair,
                           "tensor_scatter: index 3 is out of range for axis 1"},
                          {"softmax_cross_entropy",
                           [](const Inputs& x) { return SoftmaxCrossEntropy(x[1], x[0]); },
                           {Tensor({0, 2, 1, 1}), table},
                           Tensor({0, 2, 3, 1}),
                           "softmax_cross_entropy: label 3 is not one of 3 classes"},
                          {"negative_log_likelihood",
                           [](const Inputs& x) { return NegativeLogLikelihood(x[1], x[0]); },
                           {Tensor({0, 2, 1, 1}), table},
                           Tensor({0, 2, -1, 1}),
                           "negative_log_likelihood: label -1 is not one of 3 classes"},
                          {"ctc_loss",
                           [](const Inputs& x) { return CtcLoss(x[1], x[0]); },
                           {Tensor({{1, 2}}), Reshape(Iota({12}, 0, kFloat32), {1, 4, 3})},
                           Tensor({{1, 3}}),
                           "ctc_loss: label 3 is not one of 3 classes"},
                          {"gradient",
                           [](const Inputs& x) {
                             GradientTape tape;
                             tape.Watch(x[1]);
                             const Tensor y = ReduceSum(Gather(x[1], x[0]));
                             return *tape.Gradient(y, x[1]);
                           },
                           {good, table},
                           low,
                           "gather: index -1 is"}};
  const std::pair<const char*, std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>> scatters[] = {
      {"scatter_add", [](const Tensor& x, const Tensor& i, const Tensor& u) { return ScatterAdd(x, i, u); }},
      {"scatter_set", [](const Tensor& x, const Tensor& i, const Tensor& u) { return ScatterSet(x, i, u); }},
      {"scatter_mul", [](const Tensor& x, const Tensor& i, const Tensor& u) { return ScatterMul(x, i, u); }},
      {"scatter_max", [](const Tensor& x, const Tensor& i, const Tensor& u) { return ScatterMax(x, i, u); }},
      {"scatter_min", [](const Tensor& x, const Tensor& i, const Tensor& u) { return ScatterMin(x, i, u); }},
      {"segment_sum", [](const Tensor&, const Tensor& i, const Tensor& u) { return SegmentSum(u, i, 4); }},
      {"segment_prod", [](const Tensor&, const Tensor& i, const Tensor& u) { return SegmentProd(u, i, 4); }},
      {"segment_max", [](const Tensor&, const Tensor& i, const Tensor& u) { return SegmentMax(u, i, 4); }},
      {"segment_min", [](const Tensor&, const Tensor& i, const Tensor& u) { return SegmentMin(u, i, 4); }},
  };
  for (const auto& [name, f] : scatters) {
    cases.push_back({name,
                     [f](const Inputs& x) { return f(x[1], x[0], x[2]); },
                     {good, table, ones},
                     high,
                     std::string(name) + ": index 4 is out of range" + of});
  }
  return cases;
}

std::string ErrorOf(const std::function<void()>& body, ErrorCode code = ErrorCode::kOutOfRange) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  return "no error";
}

Function Traced(const F& f, const Inputs& x) {
  std::vector<Spec> specs;
  for (const Tensor& t : x) specs.push_back(Spec(t));
  return Trace([&](std::span<const Tensor> xs) { return NamedTensors{f({xs.begin(), xs.end()})}; }, specs);
}

Function Recorded(const F& f, const Inputs& x) {
  Recording recording;
  const Tensor y = f(x);
  return recording.Lift(NamedTensors(x.begin(), x.end()), NamedTensors{y});
}

std::string Evaluated(const Function& f, const Inputs& x) {
  const auto module = ir::ParseModule(f.ToText());
  if (!module.ok()) return std::string(module.status().message());
  std::vector<ir::Literal> arguments;
  for (const Tensor& t : x) {
    const auto* first = static_cast<const std::byte*>(t.raw_data());
    arguments.emplace_back(t.type(), std::vector<std::byte>(first, first + t.type().bytes()));
  }
  const auto result = ir::EvaluateEntry(*module, f.name(), arguments, {});
  return result.ok() ? "no error" : std::string(result.status().message());
}

TEST(Bounds, EveryIndexFunctionInEveryEngine) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Inputs bad = c.good;
    bad[0] = c.bad;
    const Tensor value = c.f(c.good);
    EXPECT_THAT(ErrorOf([&] { c.f(bad); }), HasSubstr(c.says)) << "eager";
    for (const Function& f : {Traced(c.f, c.good), Recorded(c.f, c.good)}) {
      EXPECT_THAT(Evaluated(f, bad), HasSubstr(c.says));
      for (const int level : {0, 2}) {
        const Executable run = Compile(f, {.opt_level = level});
        EXPECT_THAT(ErrorOf([&] { run(run.entries()[0], bad); }), HasSubstr(c.says)) << level;
        EXPECT_EQ(Values(run(run.entries()[0], c.good)), Values(value)) << level;
        const Executable trusting = Compile(f, {.opt_level = level, .check_bounds = false});
        EXPECT_EQ(ErrorOf([&] { trusting(trusting.entries()[0], bad); }), "no error") << level;
      }
    }
  }
}

// Divisors of 0 and negative exponents of every integer dtype, where a 0 or a MIN stands anywhere.
TEST(Bounds, IntegersThatAreRefused) {
  for (const DType dtype : {kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64}) {
    for (const bool negative : {false, true}) {
      if (negative && IsUnsigned(dtype)) continue;
      const F f = [&](const Inputs& x) {
        const Tensor y = internal::CheckIntegers(negative ? "Pow" : "FloorMod", x[0], negative);
        return negative ? Add(x[1], y) : Div(x[1], y);
      };
      const std::string says = negative ? "Integers to negative integer powers are not allowed [Op:Pow]"
                                        : "Integer division by zero [Op:FloorMod]";
      for (const int64_t n : {1, 3, 100}) {
        SCOPED_TRACE(std::string(Name(dtype)) + " " + std::to_string(n) + " " + says);
        const Inputs good{Full({n}, 2, dtype), Full({n}, 5, dtype)};
        Inputs bad = good;
        bad[0] = Where(Equal(Iota({n}, 0), n / 2), Full({n}, negative ? -128 : 0, dtype), good[0]);
        const auto error = [&](const std::function<void()>& body) {
          return ErrorOf(body, ErrorCode::kInvalidArgument);
        };
        const Tensor value = f(good);
        EXPECT_THAT(error([&] { f(bad); }), HasSubstr(says));
        for (const Function& g : {Traced(f, good), Recorded(f, good)}) {
          EXPECT_THAT(Evaluated(g, bad), HasSubstr(says));
          for (const int level : {0, 2}) {
            const Executable run = Compile(g, {.opt_level = level});
            EXPECT_THAT(error([&] { run(run.entries()[0], bad); }), HasSubstr(says)) << level;
            EXPECT_EQ(Values(run(run.entries()[0], good)), Values(value)) << level;
            const Executable trusting = Compile(g, {.opt_level = level, .check_bounds = false});
            EXPECT_EQ(error([&] { trusting(trusting.entries()[0], bad); }), "no error") << level;
          }
        }
      }
    }
  }
}

TEST(Bounds, DivisorsInLoopsAndWhatIsProven) {
  const F loop = [](const Inputs& x) {
    return ForLoop(
        4,
        [&](const Tensor& i, const Tensor& y) {
          return Add(y, Div(100, internal::CheckIntegers("Div", Sub(x[0], i), false)));
        },
        Tensor(int64_t{0}));
  };
  const Inputs good{Tensor(int64_t{9})}, bad{Tensor(int64_t{3})};
  for (const int level : {0, 2}) {
    const Executable run = Compile(Traced(loop, good), {.opt_level = level});
    EXPECT_EQ(Values(run("main", good)), Values(loop(good)));
    EXPECT_THAT(ErrorOf([&] { run("main", bad); }, ErrorCode::kInvalidArgument),
                HasSubstr("division by zero [Op:Div]"));
  }
  const auto checks = [&](const F& f) {
    return Compile(Traced(f, good)).Plan().find("check of integers") != std::string::npos;
  };
  const auto divided = [](const Tensor& by) { return Div(100, internal::CheckIntegers("Div", by, false)); };
  EXPECT_TRUE(checks([&](const Inputs& x) { return divided(x[0]); }));
  EXPECT_FALSE(checks([&](const Inputs& x) { return divided(Maximum(x[0], 1)); }));
  EXPECT_FALSE(checks([&](const Inputs& x) { return divided(Minimum(x[0], -1)); }));
}

// The line of the call is in the message, of compiled code as in eager code's.
TEST(Bounds, TheLineIsNamed) {
  std::string line;
  const F f = [&](const Inputs& x) {
    line = "bounds_test.cc:" + std::to_string(__LINE__ + 1);
    return Gather(x[1], x[0]);
  };
  const Executable run = Compile(Traced(f, {Tensor({int64_t{0}}), Table()}));
  EXPECT_THAT(ErrorOf([&] { run(run.entries()[0], Inputs{Tensor({int64_t{7}}), Table()}); }), HasSubstr(line));
}

TEST(Bounds, InBranchesAndLoops) {
  const Inputs good{Tensor(int64_t{1}), Table()}, bad{Tensor(int64_t{4}), Table()};
  // Only the branch that is taken.
  const F branch = [](const Inputs& x) {
    return Cond(Less(x[0], 4), [&] { return Gather(x[1], x[0]); }, [&] { return Gather(x[1], Sub(x[0], 1)); });
  };
  // The fifth round reads row 4 or 7.
  const F loop = [](const Inputs& x) {
    return ForLoop(
        4, [&](const Tensor& i, const Tensor& sum) { return Add(sum, Gather(x[1], Add(Mul(i, x[0]), 0))); },
        Zeros({3}));
  };
  for (const int level : {0, 2}) {
    const Executable a = Compile(Traced(branch, good), {.opt_level = level});
    EXPECT_EQ(Values(a("main", bad)), Values(branch(bad)));
    const Executable b = Compile(Traced(loop, good), {.opt_level = level});
    EXPECT_EQ(Values(b("main", good)), Values(loop(good)));
    EXPECT_THAT(ErrorOf([&] { b("main", bad); }), HasSubstr("gather: index 4 is out of range"));
    const Executable none = Compile(
        Traced(
            [](const Inputs& x) {
              return ForLoop(
                  x[0], [&](const Tensor&, const Tensor& y) { return Add(y, Gather(x[1], Add(x[0], 9))); }, Zeros({3}));
            },
            good),
        {.opt_level = level});
    EXPECT_EQ(Values(none("main", Inputs{Tensor(int64_t{0}), Table()})), Values(Zeros({3}))) << "it does not run";
  }
}

TEST(Bounds, AFailedStepChangesNoVariable) {
  const Variable table(Table(), {.name = "table"}), steps(Tensor(0.f), {.name = "steps"});
  Sgd sgd({.learning_rate = 1});
  const auto step = [&](const Tensor& i) {
    steps.AssignAdd(1.f);
    GradientTape tape;
    const Tensor loss = ReduceSum(Gather(table, i));
    sgd.Apply(tape.Gradient(loss, std::vector<Variable>{table}));
    return loss;
  };
  const Tensor good({0, 1}), bad({0, 4});
  const Module module = Module::Lift({{"step", step, {Spec(good)}}});
  for (const int level : {0, 2}) {
    const Executable run = Compile(module, {.opt_level = level});
    run("step", good);
    const auto before = Values(run.variable("table"));
    EXPECT_THAT(ErrorOf([&] { run("step", bad); }), HasSubstr("gather: index 4 is out of range"));
    EXPECT_EQ(Values(run.variable("table")), before);
    EXPECT_EQ(Values(run.variable("steps")), std::vector<double>{1});
    run("step", good);
    EXPECT_NE(Values(run.variable("table")), before) << "the instance goes on";
  }
}

TEST(Bounds, WhatCannotBeOutOfRangeIsNotChecked) {
  const auto checks = [](const F& f, const Inputs& x) {
    const std::string plan = Compile(Traced(f, x)).Plan();
    return plan.find("check of indices") != std::string::npos;
  };
  const Tensor i({int64_t{0}, int64_t{7}}), t = Table();
  EXPECT_TRUE(checks([](const Inputs& x) { return Gather(x[1], x[0]); }, {i, t}));
  EXPECT_FALSE(checks([](const Inputs& x) { return Gather(x[1], Minimum(Maximum(x[0], 0), 3)); }, {i, t}));
  EXPECT_FALSE(checks([](const Inputs& x) { return Sort(x[0], 0); }, {t}));
  EXPECT_FALSE(checks([](const Inputs& x) { return TopK(x[0], 2).values; }, {t}));
  EXPECT_FALSE(checks([](const Inputs& x) { return Gather(x[0], Iota({4}, 0, kInt64)); }, {t}));
  const auto modulo = [](const Tensor& k, int64_t n) {
    const Tensor rem = Rem(k, n);
    return Where(Less(rem, 0), Add(rem, n), rem);
  };
  EXPECT_FALSE(checks([&](const Inputs& x) { return Gather(x[1], modulo(x[0], 4)); }, {i, t}));
  EXPECT_TRUE(checks([&](const Inputs& x) { return Gather(x[1], modulo(x[0], 5)); }, {i, t}));
  EXPECT_FALSE(checks(
      [](const Inputs& x) { return Cast(SearchSorted(Reshape(x[1], {12}), Cast(x[0], kFloat32)), kFloat32); }, {i, t}));
}

// A row that does not take a branch does not fail for what the branch would read.
TEST(Bounds, VectorizedBranchesAreNotChecked) {
  const Tensor t = Table(), i({int64_t{1}, int64_t{9}});
  const auto one = [&](const Tensor& k) {
    return Cond(Less(k, 4), [&] { return Gather(t, k); }, [&] { return Zeros({3}); });
  };
  const F f = [&](const Inputs& x) { return VectorizedMap(one)(x[0]); };
  const Executable run = Compile(Traced(f, {i}));
  EXPECT_EQ(Values(run("main", Inputs{i})), (std::vector<double>{3, 4, 5, 0, 0, 0}));
}

}  // namespace
}  // namespace reel
