// Functions called on live variables: compiled, one op with a gradient to tapes.

#include <cstring>

#include "frontend/values/tensor_data.h"
#include "tests/semantics/derivatives.h"

namespace reel {
namespace {

using testing::HasSubstr;
using ListFn = std::function<Tensors(const Tensor&)>;

constexpr TapeOptions kPersistent{.persistent = true};

Variable V(const Tensor& value, const std::string& name = "v", bool trainable = true) {
  return Variable(value, {.name = name, .trainable = trainable});
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.type().ToString(), b.type().ToString());
  EXPECT_EQ(std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.type().bytes())), 0) << a << " is not " << b;
}

// Results of a function, then of the tape's gradients of each alone and of all by the sources; a null tensor is None.
Tensors Observations(const ListFn& f, const Tensor& x, const std::vector<Variable>& variables) {
  Tensors out;
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Tensors ys = f(x);
  std::vector<Source> sources{x};
  sources.insert(sources.end(), variables.begin(), variables.end());
  std::vector<Source> floating;
  for (const Tensor& y : ys) {
    out.push_back(y);
    if (IsDifferentiable(y.dtype())) floating.push_back(y);
  }
  std::vector<std::vector<Source>> targets{floating};
  for (const Source& y : floating) targets.push_back({y});
  for (const auto& target : targets) {
    for (const GradientEntry& e : tape.Gradient(target, sources)) {
      out.push_back(e.gradient ? e.gradient->Dense() : Tensor());
    }
  }
  for (const Variable& v : variables) out.push_back(v.value());
  return out;
}

class LiveFunctions : public testing::Test {
 protected:
  const Variable w = V({{0.5f, -1.25f, 2.f}, {1.5f, 0.25f, -0.75f}}, "w");
  const Variable b = V({0.1f, 0.2f, -0.3f}, "b");
  const Variable frozen = V({2.f, 3.f, 4.f}, "frozen", false);
  const Variable table = V({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}, "table");
  const std::vector<Variable> all{w, b, frozen, table};
  const Tensor x{{1.f, -2.f}, {0.5f, 3.f}, {-1.f, 0.f}, {2.f, 2.f}};

  // The same bits from the body and from the function, by tapes around them.
  void ExpectParity(const ListFn& body) {
    const Tensors before = Values();
    const Tensors want = Observations(body, x, all);
    Restore(before);
    const Function f = Trace(body, {Spec(x)}, "f");
    const Tensors got = Observations([&](const Tensor& t) { return f(t).tensors(); }, x, all);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_EQ(got[i].defined(), want[i].defined());
      if (want[i].defined()) ExpectSame(got[i], want[i]);
    }
  }
  Tensors Values() const {
    Tensors out;
    for (const Variable& v : all) out.push_back(v.value());
    return out;
  }
  void Restore(const Tensors& values) const {
    for (size_t i = 0; i < all.size(); ++i) all[i].Assign(values[i]);
  }
};

TEST_F(LiveFunctions, ElementwiseHasTheBitsOfTheBody) {
  ExpectParity([](const Tensor& t) { return Tensors{Tanh(t) * Exp(t) + t}; });
}
TEST_F(LiveFunctions, VariablesGetGradients) {
  ExpectParity([&](const Tensor& t) { return Tensors{Relu(MatMul(t, w) + b) * frozen}; });
}
TEST_F(LiveFunctions, ReductionsAreResiduals) {
  ExpectParity([&](const Tensor& t) { return Tensors{ReduceSum(Softmax(MatMul(t, w) + b) * frozen)}; });
}
TEST_F(LiveFunctions, AVariableUsedTwice) {
  ExpectParity([&](const Tensor& t) { return Tensors{MatMul(MatMul(t, w) * b, Transpose(w))}; });
}
TEST_F(LiveFunctions, EachOfSeveralResultsHasItsGradient) {
  ExpectParity([&](const Tensor& t) { return Tensors{Sin(t), ReduceSum(MatMul(t, w)), Exp(b)}; });
}
TEST_F(LiveFunctions, ResultsWithoutGradient) {
  ExpectParity([](const Tensor& t) { return Tensors{t * t, Greater(t, 0.f), Cast(t, kInt32)}; });
}
TEST_F(LiveFunctions, ArgumentsAndVariablesAsResults) {
  ExpectParity([&](const Tensor& t) { return Tensors{t, b.value(), Square(t)}; });
}
TEST_F(LiveFunctions, LookupsStayRows) {
  const auto once = [&](const Tensor& t) { return Tensors{Gather(table, Tensor({0, 2, 0, 1})) * t}; };
  const auto twice = [&](const Tensor& t) {
    return Tensors{Gather(table, Tensor({0, 2, 0, 1})) * t * Gather(table, Tensor({1, 1, 1, 2}))};
  };
  for (const ListFn& body : {ListFn(once), ListFn(twice)}) {
    ExpectParity(body);
    const Function f = Trace(body, {Spec(x)}, "f");
    GradientTape tape;
    const Tensor y = f(x);
    const GradientList d = tape.Gradient(y, {table});
    EXPECT_TRUE(d[0].gradient->sparse());
  }
}
// What else is done with such a gradient takes it dense.
TEST_F(LiveFunctions, RowsAreAddedToOtherGradients) {
  const Function f = Trace([&](const Tensor& t) { return Gather(table, Tensor({0, 2, 0, 1})) * t; }, {Spec(x)}, "f");
  GradientTape tape;
  const Tensor y = ReduceSum(Tensor(f(x))) + ReduceSum(table);
  const GradientList d = tape.Gradient(y, {table});
  EXPECT_FALSE(d[0].gradient->sparse());
  EXPECT_THAT(reel::Values(d.Dense(0)), testing::ElementsAre(1, -1, 3, 3, 1.5, 4));
}
TEST_F(LiveFunctions, StopGradientGivesNone) {
  ExpectParity([&](const Tensor& t) { return Tensors{StopGradient(t) * t + StopGradient(ReduceSum(b))}; });
}
TEST_F(LiveFunctions, Branches) {
  ExpectParity([&](const Tensor& t) {
    return Tensors{
        Cond(Greater(ReduceSum(t), 0.f), [&] { return ReduceSum(MatMul(t, w)); }, [&] { return ReduceSum(t) * 3.f; })};
  });
}
TEST_F(LiveFunctions, Loops) {
  ExpectParity([&](const Tensor& t) {
    const auto values =
        WhileLoop([](const Tensors& s) { return Less(s[0], 3); },
                  [&](const Tensors& s) { return Tensors{s[0] + 1, Tanh(MatMul(s[1], MatMul(w, Transpose(w))))}; },
                  {Tensor(0), t}, {.maximum_iterations = 5});
    return Tensors{values[1]};
  });
}
TEST_F(LiveFunctions, AssignsRunOnce) {
  ExpectParity([&](const Tensor& t) {
    const Tensor y = MatMul(t, w);
    frozen.AssignAdd(1.f);
    w.Assign(w.value() * 2.f);
    return Tensors{y};
  });
}
TEST_F(LiveFunctions, TapesInside) {
  ExpectParity([&](const Tensor& t) {
    GradientTape tape;
    tape.Watch(t);
    const Tensor y = ReduceSum(Square(MatMul(t, w)));
    return Tensors{tape.Gradient(y, t).value(), y};
  });
}
TEST_F(LiveFunctions, CustomGradientsInside) {
  const auto twice =
      CustomGradient([](const Tensor& t) { return std::pair(t * t, [](const Tensor& dy) { return 7 * dy; }); });
  ExpectParity([&](const Tensor& t) { return Tensors{twice(MatMul(t, w)) + b}; });
}

// Other functions than f around it, before and after.
TEST_F(LiveFunctions, AreOpsAmongOthers) {
  const auto body = [&](const Tensor& t) { return Tanh(MatMul(t, w)); };
  const Function f = Trace(body, {Spec(x)}, "f");
  const auto run = [&](const Fn& g) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = ReduceSum(g(Sin(x)) * 2.f);
    const GradientList d = tape.Gradient(y, {x, w});
    return Tensors{d.Dense(0), d.Dense(1)};
  };
  const Tensors want = run(body), got = run([&](const Tensor& t) -> Tensor { return f(t); });
  for (size_t i = 0; i < want.size(); ++i) ExpectSame(got[i], want[i]);
}

TEST_F(LiveFunctions, NestAndHaveHigherDerivatives) {
  const Variable a = V(1.5f, "a");
  const auto body = [&](const Tensor& t) { return Sin(t) * Exp(a * t); };
  const Tensor s = 0.7f;
  const Function f = Trace(body, {Spec(s)}, "f");
  const Function outer = Trace([&](const Tensor& t) -> Tensor { return Tensor(f(t)) * t; }, {Spec(s)}, "outer");
  EXPECT_THAT(outer.ToText(), HasSubstr("call"));
  const Fn product = [&](const Tensor& t) { return Tensor(f(t)) * t; };
  const Fn call = [&](const Tensor& t) -> Tensor { return outer(t); };
  for (int n = 0; n <= 4; ++n) {
    SCOPED_TRACE(n);
    const float want = Nth([&](const Tensor& t) { return body(t) * t; }, s, n).item<float>();
    const double tolerance = 1e-4 * n + 1e-6;
    EXPECT_NEAR(Nth(product, s, n).item<float>(), want, tolerance);
    EXPECT_NEAR(Nth(call, s, n).item<float>(), want, tolerance);
  }
}

TEST_F(LiveFunctions, MixedSecondOrderThroughVariables) {
  const auto body = [&](const Tensor& t) { return ReduceSum(Tanh(MatMul(t, w)) * b); };
  const Function f = Trace(body, {Spec(x)}, "f");
  const auto run = [&](const Fn& g) {
    GradientTape outer(kPersistent);
    outer.Watch(x);
    Tensor norm;
    {
      GradientTape inner;
      inner.Watch(x);
      norm = ReduceSum(Square(inner.Gradient(g(x), x).value()));
    }
    const GradientList d = outer.Gradient(norm, {x, w, b});
    return Tensors{d.Dense(0), d.Dense(1), d.Dense(2)};
  };
  const Tensors want = run(body), got = run([&](const Tensor& t) -> Tensor { return f(t); });
  for (size_t i = 0; i < want.size(); ++i) {
    const auto a = reel::Values(got[i]), c = reel::Values(want[i]);
    for (size_t k = 0; k < c.size(); ++k) EXPECT_NEAR(a[k], c[k], 1e-5) << i;
  }
}

TEST_F(LiveFunctions, OnePersistentTapeDifferentiatesItsOwnGradient) {
  const Function f = Trace([](const Tensor& t) { return t * t * t; }, {Spec(kFloat32, {})}, "cube");
  const Tensor s = 2.f;
  GradientTape tape(kPersistent);
  tape.Watch(s);
  const Tensor y = f(s);
  const Tensor dy = tape.Gradient(y, s).value();
  EXPECT_EQ(dy.item<float>(), 12);
  EXPECT_EQ(ValueOf(tape.Gradient(dy, s)), 12);
  EXPECT_EQ(ValueOf(tape.Gradient(y, s)), 12);
}

TEST_F(LiveFunctions, JacobiansAndForwardMode) {
  const auto body = [&](const Tensor& t) { return Tanh(MatMul(t, w)) * b; };
  const Function f = Trace(body, {Spec(x)}, "f");
  const auto jacobian = [&](const Fn& g) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = g(x);
    return tape.Jacobian(y, x).value();
  };
  const auto forward = [&](const Fn& g) {
    ForwardAccumulator accumulator({x}, {Ones({4, 2})});
    const Tensor y = g(x);
    return accumulator.Jvp(y).value();
  };
  const Fn call = [&](const Tensor& t) -> Tensor { return f(t); };
  ExpectSame(jacobian(call), jacobian(body));
  ExpectSame(forward(call), forward(body));
}

TEST_F(LiveFunctions, RunOnTheLiveVariables) {
  const Variable count = V(1.f, "count");
  const Function f = Trace(
      [&](const Tensor& t) {
        count.AssignAdd(1.f);
        return t * count;
      },
      {Spec(kFloat32, {})}, "f");
  const Tensor before = count.value();
  EXPECT_EQ(Tensor(f(Tensor(3.f))).item<float>(), 6);
  EXPECT_EQ(count.value().item<float>(), 2);
  count.Assign(10.f);
  EXPECT_EQ(Tensor(f(Tensor(3.f))).item<float>(), 33);
  EXPECT_EQ(before.item<float>(), 1) << "what was read does not change";
}

// No copy: a variable that is only read is the memory that the program reads.
TEST_F(LiveFunctions, VariablesAreNotCopied) {
  const Function f = Trace([&](const Tensor& t) { return Tensors{MatMul(t, w), w.value()}; }, {Spec(x)}, "f");
  const void* const memory = w.value().raw_data();
  f(x);
  EXPECT_EQ(w.value().raw_data(), memory);
}

TEST_F(LiveFunctions, AnyBatch) {
  const std::vector<Fn> bodies{
      [&](const Tensor& t) { return ReduceSum(Square(MatMul(t, w)), {1}); },
      [&](const Tensor& t) { return ReduceSum(t); },
      [&](const Tensor& t) { return ReduceProd(MatMul(t, w)); }};  // its gradient needs numbers
  for (const Fn& body : bodies) {
    const Function f = Trace(body, {Spec(kFloat32, {Dim("B", 1, 64), 2})}, "f");
    for (const int64_t rows : {2, 4}) {
      const Tensor some = Slice(x, {0, 0}, {rows, 2});
      const auto run = [&](const Fn& g) {
        GradientTape tape;
        tape.Watch(some);
        return tape.Gradient(ReduceSum(g(some)), some).value();
      };
      ExpectSame(run([&](const Tensor& t) -> Tensor { return f(t); }), run(body));
    }
  }
}

TEST_F(LiveFunctions, RecordingsSeeTheOps) {
  const Function f = Trace([&](const Tensor& t) { return MatMul(t, w); }, {Spec(x)}, "f");
  Recording recording;
  const Tensor y = f(x);
  EXPECT_THAT(recording.Lift({x}, {y}).ToText(), HasSubstr("contract"));
}

TEST_F(LiveFunctions, TapesSayWhyThereIsNoGradient) {
  const Function f = Trace([&](const Tensor& t) { return Tensors{Sin(t), Exp(b)}; }, {Spec(x)}, "f");
  GradientTape tape(kPersistent);
  tape.Watch(x);
  const Results y = f(x);
  EXPECT_FALSE(tape.Gradient(y[1], {x})[0].gradient.has_value());
  EXPECT_THAT(tape.ExplainNone(y[1], x), HasSubstr("function: what the target uses of its results"));
  EXPECT_THAT(tape.Summary(), HasSubstr("function"));
}

// A tape that is dropped, or has given its gradient, holds nothing.
TEST_F(LiveFunctions, NothingLeaks) {
  const Function f = Trace([&](const Tensor& t) { return Tanh(MatMul(t, w)); }, {Spec(x)}, "f");
  const auto step = [&] {
    GradientTape tape;
    const Tensor y = f(x);
    tape.Gradient(y, w);
  };
  step();
  const int64_t live = internal::LiveTensors();
  step();
  EXPECT_EQ(internal::LiveTensors(), live);
}

TEST_F(LiveFunctions, ErrorsNameTheFunction) {
  const Function f = Trace([&](const Tensor& t) { return MatMul(t, w); }, {Spec(x)}, "f");
  ExpectError(ErrorCode::kInvalidArgument, "call @f: takes 1 arguments, got 2", [&] { f(x, x); });
  ExpectError(ErrorCode::kInvalidArgument, "call @f: argument 0 ('arg0') must be f32[4,2], got f32[2]",
              [&] { f(Tensor({1.f, 2.f})); });
  ExpectError(ErrorCode::kFailedPrecondition, "a null function", [&] { Function()(x); });
}

// Its variables begin with the module's values and are shared by its functions; those it was made from are others.
TEST_F(LiveFunctions, OfALoadedModule) {
  const Function f = Trace([&](const Tensor& t) { return MatMul(t, w); }, {Spec(x)}, "f");
  const Function g = Trace([&] { w.Assign(w * 2.0); }, {}, "g");
  const Module module = Module::FromText(Module::Lift({{"f", f}, {"g", g}}).ToText());
  const Function loaded = module.function("f"), twice = module.function("g");
  const Tensor y = loaded(x), before = w.value();
  EXPECT_EQ(y.ToVector<float>(), Tensor(f(x)).ToVector<float>());
  ASSERT_EQ(loaded.variables().size(), 1u);
  const Variable own = loaded.variables()[0];
  EXPECT_EQ(own.name(), "w");
  EXPECT_EQ(own.trainable(), w.trainable());
  GradientTape tape;
  const Tensor loss = ReduceSum(Tensor(loaded(x)));
  const Tensor gradient = tape.Gradient(loss, own).value();
  GradientTape other;
  const Tensor same = other.Gradient(ReduceSum(MatMul(x, w)), w).value();
  EXPECT_EQ(gradient.ToVector<float>(), same.ToVector<float>());
  twice();
  EXPECT_EQ(w.value().ToVector<float>(), before.ToVector<float>());
  EXPECT_EQ(own.value().ToVector<float>(), Tensor(before * 2.0).ToVector<float>());
  EXPECT_EQ(module.value("w").ToVector<float>(), before.ToVector<float>());
  EXPECT_EQ(module.Snapshot().value("w").ToVector<float>(), own.value().ToVector<float>());
}

}  // namespace
}  // namespace reel
