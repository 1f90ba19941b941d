// Gradients through call, if and while, nested and of second order.

#include <gtest/gtest.h>

#include <cmath>

#include "ir/calls.h"
#include "ir/strings.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using P = const Values&;

const Type kBool0{kBool, {}};

Value Less(Builder& b, Value i, int n) { return b.Less(i, b.ScalarLike(i, n)); }
Value Next(Builder& b, Value i) { return b.Add(i, b.ScalarLike(i, 1)); }
Values List(const ir::ValueList& v) { return Values(v.begin(), v.end()); }

TEST(CallGradient, TG39FunctionsAndTheirComposition) {
  ir::Module m;
  Define(&m, "f", {F64(), F64()}, [](Builder& b, P p) { return Values{b.Add(b.Mul(p[0], p[0]), p[1])}; });
  Define(&m, "once", {F64(), F64()}, [](Builder& b, P p) { return List(b.Call("f", {p[0], p[1]})); });
  Define(&m, "twice", {F64(), F64()},
         [](Builder& b, P p) { return List(b.Call("f", {b.Call("f", {p[0], p[1]})[0], p[1]})); });
  const auto once = AddGradientFunction(&m, "once", {}, {});
  const auto twice = AddGradientFunction(&m, "twice", {}, {});
  ASSERT_TRUE(once.ok() && twice.ok());
  EXPECT_EQ(RunFunction(m, once->name, {{2}, {1}}), (std::vector<Doubles>{{4}, {1}}));
  EXPECT_EQ(RunFunction(m, twice->name, {{2}, {1}}), (std::vector<Doubles>{{40}, {11}}));
  CheckDerivatives(&m, "twice", {{0.5}, {1.5}}, 3);
}

TEST(CallGradient, TG40VjpStandsForTheGradient) {
  ir::Module m;
  Define(&m, "f", {F64(), I32()}, [](Builder& b, P p) { return Values{b.Mul(p[0], p[0]), p[1]}; });
  Define(&m, "g", {F64(), I32(), F64()}, [](Builder& b, P p) {  // ten times the seed
    return Values{b.Mul(p[2], b.Scalar(kFloat64, 10))};
  });
  Define(&m, "main", {F64(), I32()}, [](Builder& b, P p) { return Values{b.Call("f", {p[0], p[1]}, "g")[0]}; });
  const auto g = AddGradientFunction(&m, "main", {}, {"p0"});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(RunFunction(m, g->name, {{3}, {1}}), (std::vector<Doubles>{{10}}));
}

TEST(CallGradient, TG43AnUnusedArgumentIsNone) {
  ir::Module m;
  Define(&m, "f", {F64(), F64()}, [](Builder& b, P p) {
    b.Sin(p[1]);
    return Values{b.Mul(p[0], p[0])};
  });
  Define(&m, "main", {F64(), F64()}, [](Builder& b, P p) { return List(b.Call("f", {p[0], p[1]})); });
  const auto g = AddGradientFunction(&m, "main", {}, {});
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(g->connected, (std::vector<bool>{true, false}));
}

// f1 calls f0 twice, f2 calls f1 twice, ...: the gradient must not have 2^40 parts. Each function
// has two: one that starts a sum, one that adds to it.
TEST(CallGradient, SharedCalleesAreDifferentiatedOnce) {
  ir::Module m;
  Define(&m, "f0", {F64()}, [](Builder& b, P p) { return Values{b.Sin(p[0])}; });
  for (int i = 1; i <= 40; ++i) {
    Define(&m, StrCat("f", i), {F64()}, [i](Builder& b, P p) {
      const std::string callee = StrCat("f", i - 1);
      return Values{b.Add(b.Call(callee, {p[0]})[0], b.Call(callee, {p[0]})[0])};
    });
  }
  ASSERT_TRUE(AddGradientFunction(&m, "f40", {}, {}).ok());
  EXPECT_LT(m.functions().size(), 130u);
}

TEST(CallGradient, DeepCallsDoNotRecurse) {
  ir::Module m;
  constexpr int kDepth = 20000;
  Define(&m, "f0", {F64()}, [](Builder& b, P p) { return Values{b.Sin(p[0])}; });
  for (int i = 1; i <= kDepth; ++i) {
    Define(&m, StrCat("f", i), {F64()}, [i](Builder& b, P p) { return List(b.Call(StrCat("f", i - 1), {p[0]})); });
  }
  ASSERT_TRUE(AddGradientFunction(&m, StrCat("f", kDepth), {}, {}).ok());
}

void DefineBranches(ir::Module* m) {
  Define(m, "then", {F64(), F64()}, [](Builder& b, P p) { return Values{b.Mul(b.Mul(p[0], p[0]), p[0])}; });
  Define(m, "else", {F64(), F64()}, [](Builder& b, P p) { return Values{b.Mul(b.Sin(p[0]), p[1])}; });
  Define(m, "main", {kBool0, F64(), F64()},
         [](Builder& b, P p) { return List(b.If(p[0], "then", "else", {p[1], p[2]})); });
}

TEST(IfGradient, MatchesFiniteDifferencesInBothBranches) {
  for (double taken : {0.0, 1.0}) {
    ir::Module m;
    DefineBranches(&m);
    CheckDerivatives(&m, "main", {{taken}, {0.7}, {1.3}}, 3);
  }
}

TEST(IfGradient, TG38AValueOfTheOtherBranchGetsZero) {
  ir::Module m;
  DefineBranches(&m);
  const auto g = AddGradientFunction(&m, "main", {}, {"p1", "p2"});
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(g->connected, (std::vector<bool>{true, true}));
  EXPECT_EQ(RunFunction(m, g->name, {{1}, {2}, {5}}), (std::vector<Doubles>{{12}, {0}}));
}

// while i < n: (i, acc, w) -> (i + 1, sin(acc * w) + acc, w)
void DefineLoop(ir::Module* m, int n, int64_t bound) {
  const std::vector<Type> types{I32(), F64({2}), F64({2})};
  Define(m, "more", types, [n](Builder& b, P p) { return Values{Less(b, p[0], n)}; });
  Define(m, "step", types,
         [](Builder& b, P p) { return Values{Next(b, p[0]), b.Add(b.Sin(b.Mul(p[1], p[2])), p[1]), p[2]}; });
  Define(m, "main", {F64({2}), F64({2})}, [bound](Builder& b, P p) {
    return Values{b.While("more", "step", {b.Scalar(kInt32, 0), p[0], p[1]}, bound)[1]};
  });
}

TEST(WhileGradient, MatchesFiniteDifferences) {
  for (int n : {0, 1, 4}) {
    ir::Module m;
    DefineLoop(&m, n, 6);
    CheckDerivatives(&m, "main", {{0.3, -0.8}, {1.1, 0.6}}, 3);
  }
}

TEST(WhileGradient, StopsAtTheBound) {
  ir::Module m;
  DefineLoop(&m, 100, 3);
  CheckDerivatives(&m, "main", {{0.3, -0.8}, {1.1, 0.6}}, 2);
}

TEST(WhileGradient, ABoundOfZeroIsTheIdentity) {
  ir::Module m;
  DefineLoop(&m, 100, 0);
  const auto g = AddGradientFunction(&m, "main", {}, {});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(RunFunction(m, g->name, {{3, 4}, {1, 2}}), (std::vector<Doubles>{{1, 1}, {0, 0}}));
}

TEST(WhileGradient, ACountedLoopNeedsNoBound) {
  for (int n : {-2, 0, 1, 4}) {
    ir::Module m;
    DefineLoop(&m, n, -1);
    CheckDerivatives(&m, "main", {{0.3, -0.8}, {1.1, 0.6}}, 2);
  }
}

// while acc < limit: acc = acc * w + sin(acc): checkpoints and recomputation.
TEST(WhileGradient, AnUnboundedLoopNeedsNoBound) {
  for (double limit : {0.1, 3.0, 40.0}) {  // 0, a few, more than 16 iterations
    ir::Module m;
    const std::vector<Type> types{F64(), F64(), F64()};
    Define(&m, "more", types, [](Builder& b, P p) { return Values{b.Less(p[0], p[2])}; });
    Define(&m, "step", types, [](Builder& b, P p) {
      const Value bend = b.Mul(b.Sin(p[0]), b.Scalar(kFloat64, 0.01));
      return Values{b.Add(b.Mul(p[0], p[1]), bend), p[1], p[2]};
    });
    Define(&m, "main", {F64(), F64()}, [limit](Builder& b, P p) {
      return Values{b.While("more", "step", {p[0], p[1], b.Scalar(kFloat64, limit)})[0]};
    });
    CheckDerivatives(&m, "main", {{0.5}, {1.2}}, 2);
  }
}

// Values that the body returns unchanged are not copied per iteration.
TEST(WhileGradient, InvariantsAreNotStacked) {
  ir::Module m;
  DefineLoop(&m, 3, 1000);
  ASSERT_TRUE(AddGradientFunction(&m, "main", {}, {}).ok());
  const ir::Function* forward = m.FindFunction("step.fwd");
  ASSERT_NE(forward, nullptr);
  int stacks = 0;
  for (int i = 0; i < forward->num_parameters(); ++i) {
    stacks += forward->parameter(i).type.shape == Shape{1000, 2};
  }
  EXPECT_EQ(stacks, 1);  // acc, not w
}

// x = tanh(x w), twice: the backward body has the two products of the gradient; it has none of the forward run where
// that is a long one.
TEST(WhileGradient, LongProductsAreStacked) {
  for (const int64_t k : {int64_t{4}, int64_t{64}}) {
    ir::Module m;
    const std::vector<Type> types{I32(), F64({1, k}), F64({k, k})};
    Define(&m, "more", types, [](Builder& b, P p) { return Values{Less(b, p[0], 2)}; });
    Define(&m, "step", types, [](Builder& b, P p) {
      const Value y = b.Contract(p[1], p[2], {{}, {}, {1}, {0}});
      return Values{Next(b, p[0]), b.Tanh(b.Mul(y, y)), p[2]};
    });
    Define(&m, "main", {F64({1, k}), F64({k, k})}, [](Builder& b, P p) {
      return Values{b.ReduceSum(b.While("more", "step", {b.Scalar(kInt32, 0), p[0], p[1]}, 2)[1], {0, 1})};
    });
    if (k == 4) {
      const std::vector<double> w{.1, -.2, .3, .4, .5, .6, -.7, .8, .9, -.3, .2, .1, .4, .2, -.6, .5};
      CheckDerivatives(&m, "main", {{.4, -.3, .9, .2}, w}, 2);
    } else {
      ASSERT_TRUE(AddGradientFunction(&m, "main", {}, {}).ok());
    }
    const ir::Function* backward = m.FindFunction("step.bwd");
    ASSERT_NE(backward, nullptr);
    int products = 0;
    for (const ir::Node& call : backward->nodes()) {
      for (std::string_view callee : ir::CalledFunctions(call)) {
        for (const ir::Node& node : m.FindFunction(callee)->nodes()) {
          products += node.op == ir::Op::kContract;
        }
      }
    }
    EXPECT_EQ(products, k == 4 ? 3 : 2);
  }
}

// A tensor of integers that all grow by one constant is counted with, not stacked.
TEST(WhileGradient, ATensorOfCounters) {
  ir::Module m;
  const std::vector<Type> types{I32(), I32({3}), F64({9}), F64()};
  Define(&m, "more", types, [](Builder& b, P p) { return Values{Less(b, p[0], 3)}; });
  Define(&m, "step", types, [](Builder& b, P p) {
    const Value row = b.Gather(p[2], p[1], 0);
    const Value next = b.Add(b.ScalarLike(p[1], 2), p[1]);
    return Values{Next(b, p[0]), next, p[2], b.Add(p[3], b.ReduceSum(b.Mul(row, row), {0}))};
  });
  Define(&m, "main", {I32({3}), F64({9}), F64()},
         [](Builder& b, P p) { return Values{b.While("more", "step", {b.Scalar(kInt32, 0), p[0], p[1], p[2]})[3]}; });
  CheckDerivatives(&m, "main", {{0, 2, 3}, {0.3, -1, 2, 0.7, 1.1, -0.4, 0.9, 1.7, -2}, {0.5}}, 2);
}

// What is saved gets parameters of its own, whatever the user's are called.
TEST(WhileGradient, NamesOfSavedRowsAreUnique) {
  constexpr int kInvariants = 40;
  ir::Module m;
  const std::vector<Type> types(kInvariants + 2, F64());
  Define(&m, "more", types, [](Builder& b, P p) { return Values{Less(b, p[0], 3)}; });
  ir::Function step("step");
  Builder b(&step, &m);
  const Value i = step.AddParameter("i", F64());
  Values results{i, step.AddParameter("acc", F64())};
  for (int k = 0; k < kInvariants; ++k) {
    results.push_back(step.AddParameter(StrCat("row", k), F64()));
  }
  results[0] = Next(b, i);
  for (int k = 0; k < kInvariants; ++k) {
    results[1] = b.Sin(b.Mul(results[1], results[static_cast<size_t>(k + 2)]));
  }
  ASSERT_TRUE(b.status().ok()) << b.status();
  step.SetResults(std::move(results));
  m.AddFunction(std::move(step));
  Define(&m, "main", {F64(), F64()}, [](Builder& b, P p) {
    Values operands{b.Scalar(kFloat64, 0), p[0]};
    operands.resize(kInvariants + 2, p[1]);
    return Values{b.While("more", "step", operands, 5)[1]};
  });
  CheckDerivatives(&m, "main", {{0.3}, {1.1}}, 1);
}

TEST(WhileGradient, TG37ProductOfAnIntegerCountedLoop) {
  ir::Module m;  // n0 = 2, x = 2: while n < 10: n *= x: n = 16 = n0 x^3, dn/dx = 24
  Define(&m, "more", {F64(), F64()}, [](Builder& b, P p) { return Values{b.Less(p[0], b.Scalar(kFloat64, 10))}; });
  Define(&m, "step", {F64(), F64()}, [](Builder& b, P p) { return Values{b.Mul(p[0], p[1]), p[1]}; });
  Define(&m, "main", {F64()},
         [](Builder& b, P p) { return Values{b.While("more", "step", {b.Scalar(kFloat64, 2), p[0]}, 8)[0]}; });
  const auto g = AddGradientFunction(&m, "main", {}, {});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(RunFunction(m, g->name, {{2}})[0], Doubles{24});
}

// A value that nothing in the loop mixes with the result stays None, however often it is carried.
TEST(WhileGradient, CarriedButUnrelatedIsNone) {
  ir::Module m;
  const std::vector<Type> types{I32(), F64(), F64()};
  Define(&m, "more", types, [](Builder& b, P p) { return Values{Less(b, p[0], 3)}; });
  Define(&m, "step", types, [](Builder& b, P p) { return Values{Next(b, p[0]), b.Sin(p[1]), b.Cos(p[2])}; });
  Define(&m, "main", {F64(), F64()},
         [](Builder& b, P p) { return Values{b.While("more", "step", {b.Scalar(kInt32, 0), p[0], p[1]}, 3)[1]}; });
  const auto g = AddGradientFunction(&m, "main", {}, {});
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(g->connected, (std::vector<bool>{true, false}));
}

// The value of x reaches the result only after two rotations of the carried values.
TEST(WhileGradient, DependenceMayTakeSeveralIterations) {
  ir::Module m;
  const std::vector<Type> types{I32(), F64(), F64(), F64()};
  Define(&m, "more", types, [](Builder& b, P p) { return Values{Less(b, p[0], 2)}; });
  Define(&m, "step", types, [](Builder& b, P p) { return Values{Next(b, p[0]), p[2], b.Mul(p[3], p[3]), p[3]}; });
  Define(&m, "main", {F64(), F64()}, [](Builder& b, P p) {
    return Values{b.While("more", "step", {b.Scalar(kInt32, 0), p[1], p[1], p[0]}, 2)[1]};
  });
  const auto g = AddGradientFunction(&m, "main", {}, {});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(RunFunction(m, g->name, {{3}, {7}}), (std::vector<Doubles>{{6}, {0}}));
  CheckDerivatives(&m, "main", {{3}, {7}}, 2);
}

// while { if { call } else { while } }
TEST(NestedControl, MatchesFiniteDifferences) {
  ir::Module m;
  const std::vector<Type> inner{I32(), F64()}, outer{I32(), F64(), F64()};
  Define(&m, "inner_more", inner, [](Builder& b, P p) { return Values{Less(b, p[0], 2)}; });
  Define(&m, "inner_step", inner, [](Builder& b, P p) { return Values{Next(b, p[0]), b.Sin(b.Mul(p[1], p[1]))}; });
  Define(&m, "product", {F64(), F64()}, [](Builder& b, P p) { return Values{b.Mul(p[0], p[1])}; });
  Define(&m, "even", {F64(), F64()}, [](Builder& b, P p) { return List(b.Call("product", {p[0], p[1]})); });
  Define(&m, "odd", {F64(), F64()}, [](Builder& b, P p) {
    const Value y = b.While("inner_more", "inner_step", {b.Scalar(kInt32, 0), p[0]}, 4)[1];
    return Values{b.Add(y, p[1])};
  });
  Define(&m, "outer_more", outer, [](Builder& b, P p) { return Values{Less(b, p[0], 4)}; });
  Define(&m, "outer_step", outer, [](Builder& b, P p) {
    const Value one = b.ScalarLike(p[0], 1);
    const Value is_even = b.Equal(b.And(p[0], one), b.ScalarLike(p[0], 0));
    return Values{Next(b, p[0]), b.If(is_even, "even", "odd", {p[1], p[2]})[0], p[2]};
  });
  Define(&m, "main", {F64(), F64()}, [](Builder& b, P p) {
    return Values{b.While("outer_more", "outer_step", {b.Scalar(kInt32, 0), p[0], p[1]}, 5)[1]};
  });
  CheckDerivatives(&m, "main", {{0.7}, {1.2}}, 2);
}

TEST(NestedControl, StateIsCarriedThroughLoops) {
  ir::Module m;
  m.AddVariable({"w", F64(), true, ir::Literal::Scalar(kFloat64, 1)});
  const auto define = [&m](const std::string& name, bool is_cond) {
    ir::Function f(name);
    const Value i = f.AddParameter("i", I32()), x = f.AddParameter("x", F64());
    const Value w = f.AddState("w", F64());
    Builder b(&f, &m);
    if (is_cond) {
      f.SetResults({Less(b, i, 3), w});
    } else {
      f.SetResults({Next(b, i), b.Mul(x, w), b.Add(w, x)});
    }
    m.AddFunction(std::move(f));
  };
  define("more", true);
  define("step", false);
  ir::Function f("main");
  const Value x = f.AddParameter("x", F64()), w = f.AddState("w", F64());
  Builder b(&f, &m);
  const auto r = b.While("more", "step", {b.Scalar(kInt32, 0), x, w}, 5);
  ASSERT_TRUE(b.status().ok()) << b.status();
  f.SetResults({r[1], r[2]});
  m.AddFunction(std::move(f));
  CheckDerivatives(&m, "main", {{0.7}, {1.2}}, 1);
}

}  // namespace
}  // namespace reel::passes
