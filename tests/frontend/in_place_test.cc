// Calls of functions write over the values of variables that nobody else has, and of no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <reel/reel.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace reel {
namespace {

using Doubles = std::vector<double>;

Doubles Values(const Tensor& x) { return Cast(x, kFloat64).ToVector<double>(); }
Doubles Values(const Variable& v) { return Values(v.value()); }
const void* Place(const Variable& v) { return v.value().raw_data(); }

Tensor Rows(int64_t a, int64_t b) { return Tensor({a, b}); }

constexpr int64_t kRows = 6;
Tensor Start(double from) { return Reshape(Iota({kRows * 2}, 0, kFloat32) + from, {kRows, 2}); }

// A row, and which one it replaces: known when it runs.
Tensor Row(const Tensor& x) { return Slice(x, {2, 0}, {3, 2}); }
Tensor At(const Tensor& x) { return Cast(ReduceMin(x) + 1, kInt64); }

/// Variables and what a call does with them.
struct Case {
  std::string name;
  std::function<Tensor(const std::vector<Variable>&, const Tensor&)> body;
  bool stays = true;  // the first variable's value stays where it is
};

// Twice and one more while all are below a number; with a bound or without one that anybody knows.
Tensor Grow(const Tensor& x, float below, int64_t most) {
  using List = std::vector<Tensor>;
  return WhileLoop([=](const List& y) { return Less(ReduceMax(y[0]), below); },
                   [](const List& y) { return List{y[0] * 2 + 1}; }, {x}, {.maximum_iterations = most})[0];
}

const Case kCases[] = {
    {"a row", [](auto& v, auto& x) { return v[0].Assign(DynamicUpdate(v[0], Row(x), At(x))), ReduceSum(x); }},
    {"a row read after",
     [](auto& v, auto& x) { return v[0].Assign(DynamicUpdate(v[0], Row(x), At(x))), ReduceSum(v[0] * v[0]); }},
    {"a row and the old ones read before",
     [](auto& v, auto& x) {
       const Tensor old = v[0].value(), at = At(x);
       v[0].Assign(DynamicUpdate(old, Row(x), at));
       return ReduceSum(old) + ReduceSum(DynamicSlice(old, at, 1));
     }},
    {"a row made of the one before",
     [](auto& v, auto& x) {
       const Tensor at = At(x), row = DynamicSlice(v[0], at, 1);
       return v[0].Assign(DynamicUpdate(v[0], row * Row(x) + 1, at)), ReduceSum(x);
     }},
    {"two rows",
     [](auto& v, auto& x) {
       v[0].Assign(DynamicUpdate(v[0], Row(x), At(x)));
       v[0].Assign(DynamicUpdate(v[0], Row(x) * 2, At(x) + 1));
       return ReduceSum(x);
     }},
    {"most rows",
     [](auto& v, auto& x) {
       v[0].Assign(DynamicUpdate(v[0], Slice(x, {0, 0}, {kRows - 1, 2}), At(x)));
       return ReduceSum(x);
     }},
    {"once", [](auto& v, auto& x) { return v[0].AssignAdd(x), ReduceSum(x); }},
    {"twice", [](auto& v, auto& x) { return v[0].AssignAdd(x), v[0].AssignAdd(v[0] * x), ReduceSum(x); }},
    {"read after", [](auto& v, auto& x) { return v[0].AssignAdd(x), ReduceSum(v[0] * v[0]); }},
    {"read before",
     [](auto& v, auto& x) {
       const Tensor old = v[0].value();
       v[0].AssignAdd(x);
       return ReduceSum(old * x);
     }},
    {"the old value",
     [](auto& v, auto& x) {
       Tensor old = v[0].value();
       v[0].AssignAdd(x);
       return old;
     }},
    {"the new value", [](auto& v, auto& x) { return v[0].AssignAdd(x), v[0].value(); }},
    {"not read", [](auto& v, auto& x) { return v[0].Assign(x * 2), ReduceSum(x); }},
    {"an argument", [](auto& v, auto& x) { return v[0].Assign(x), ReduceSum(x); }},
    {"itself", [](auto& v, auto& x) { return v[0].Assign(v[0].value()), ReduceSum(x); }},
    {"swapped",
     [](auto& v, auto& x) {
       const Tensor old = v[0].value();
       v[0].Assign(v[1]);
       v[1].Assign(old);
       return ReduceSum(x);
     }},
    {"two of one",
     [](auto& v, auto& x) {
       const Tensor sum = v[0] + v[1] * x;
       v[0].Assign(sum);
       v[1].Assign(sum);
       return ReduceSum(sum);
     }},
    {"reversed", [](auto& v, auto& x) { return v[0].Assign(Flip(v[0], {0})), ReduceSum(x); }},
    {"rows",
     [](auto& v, auto& x) {
       v[0].Assign(ScatterAdd(v[0], Tensor({1, 4, 1}), Slice(x, {0, 0}, {3, 2})));
       return ReduceSum(x);
     }},
    {"set by rows of itself",
     [](auto& v, auto& x) {
       const Tensor at({1, 4, 5});
       v[0].Assign(ScatterSet(v[0], at, Gather(v[0], Tensor({4, 1, 0})) + Gather(x, at)));
       return ReduceSum(x);
     }},
    {"a short loop",
     [](auto& v, auto& x) {
       v[0].Assign(Grow(Abs(v[0]), 100, 9));
       return ReduceSum(x);
     }},
    {"a loop that may be long",
     [](auto& v, auto& x) { return v[0].Assign(Grow(Abs(v[0] * x), 100, -1)), ReduceSum(x); }, false},
};

class InPlace : public testing::TestWithParam<Case> {};

// Eager code, which knows nothing of all this, is what calls are compared with; old values are looked at again.
TEST_P(InPlace, CallsAreEagerCodeAndOldValuesStay) {
  const Case& c = GetParam();
  enum Sharing { kNothing, kTensors, kEachOther, kTheArgument };
  for (const Sharing sharing : {kNothing, kTensors, kEachOther, kTheArgument}) {
    SCOPED_TRACE(sharing);
    const Tensor first = Start(1) * 1.f;
    std::vector<Variable> want = {Variable(Start(1)), Variable(Start(sharing == kEachOther ? 1 : 2))};
    std::vector<Variable> have = {Variable(first), Variable(sharing == kEachOther ? first : Start(2))};
    const Function f = Trace([&](const Tensor& x) { return c.body(have, x); }, {Spec(kFloat32, {kRows, 2})});
    std::vector<std::pair<Tensor, Doubles>> seen;
    for (int i = 0; i < 4; ++i) {
      Tensor x = Start(i) * 0.5;
      if (sharing == kTheArgument) x = have[0].value();
      const Doubles argument = Values(x);
      if (sharing == kTensors) {
        for (const Variable& v : have) seen.emplace_back(v.value(), Values(v));
      }
      EXPECT_EQ(Values(f(x)), Values(c.body(want, x * 1))) << "call " << i;
      for (size_t k = 0; k < 2; ++k) EXPECT_EQ(Values(have[k]), Values(want[k])) << "call " << i << " variable " << k;
      EXPECT_EQ(Values(x), argument);
      for (const auto& [tensor, values] : seen) EXPECT_EQ(Values(tensor), values) << "call " << i;
    }
    EXPECT_EQ(Values(first), Values(Start(1)));
  }
}

TEST_P(InPlace, TheValueStaysWhereItIs) {
  const std::vector<Variable> v = {Variable(Start(1)), Variable(Start(2))};
  const Function f = Trace([&](const Tensor& x) { return GetParam().body(v, x); }, {Spec(kFloat32, {kRows, 2})});
  const Tensor x = Start(0);
  f(x);
  const void* const place = Place(v[0]);
  f(x);
  if (GetParam().stays) {
    EXPECT_EQ(Place(v[0]), place);
  }
  const Tensor kept = v[0].value();
  f(x);
  if (Values(v[0]) != Values(kept)) {
    EXPECT_NE(Place(v[0]), kept.raw_data());
  }
}

INSTANTIATE_TEST_SUITE_P(All, InPlace, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(InPlaceCalls, OfFunctionsThatCallOthers) {
  const Variable v(Start(0));
  const Tensor x = Start(1);
  const Function inner = Trace([&](const Tensor& y) { return v.AssignAdd(y), ReduceSum(v * y); }, {Spec(x)});
  const Function outer = Trace(
      [&](const Tensor& y) {
        const Tensor sum = inner(y);
        v.Assign(v * 2);
        return sum + Tensor(inner(y));
      },
      {Spec(x)});
  outer(x);
  const void* const place = Place(v);
  outer(x);
  inner(x);
  EXPECT_EQ(Place(v), place);
  Doubles want = Values(Start(0));
  for (size_t i = 0; i < want.size(); ++i) {
    const double add = static_cast<double>(i) + 1;
    want[i] = ((want[i] + add) * 2 + add + add) * 2 + add + add;
  }
  EXPECT_EQ(Values(v), want);
}

TEST(InPlaceCalls, OfAnyBatch) {
  const Variable v(Zeros({4}));
  const Function f = Trace([&](const Tensor& x) { return v.AssignAdd(ReduceSum(x, {0})), ReduceSum(v); },
                           {Spec(kFloat32, {Dim("B", 1, 64), 4})});
  f(Ones({3, 4}));
  const void* const place = Place(v);
  f(Ones({5, 4}));
  f(Ones({3, 4}));
  EXPECT_EQ(Place(v), place);
  EXPECT_EQ(Values(v), Doubles(4, 11));
}

// The check of indices comes first where it can, else nothing is in place.
TEST(InPlaceCalls, ThatFailChangeNothing) {
  for (const bool late : {false, true}) {
    SCOPED_TRACE(late);
    const Variable table(Start(0)), steps(Tensor(0.f));
    const auto body = [&](const Tensor& i) {
      steps.AssignAdd(1.f);
      table.AssignAdd(ReduceSum(table) * 0.25);
      Tensor at = i;
      if (late) {  // known after a loop, in front of which variables have changed
        at = Cast(Abs(Grow(Cast(i, kFloat32), 3, 9) - 3), kInt64);
      }
      const Tensor rows = Gather(table, at);
      table.Assign(ScatterAdd(table, at, rows));
      return ReduceSum(rows);
    };
    const Function f = Trace(body, {Spec(kInt64, {2})});
    f(Rows(0, 1));
    for (const bool held : {false, true}) {
      const Doubles before = Values(table);
      const Tensor old = held ? table.value() : Tensor();
      EXPECT_THROW(f(Rows(late ? 0 : 1, 70)), Error);
      EXPECT_EQ(Values(table), before);
      EXPECT_EQ(steps.value().item<float>(), held ? 2 : 1);
      f(Rows(0, 1));
      EXPECT_NE(Values(table), before);
      if (held) {
        EXPECT_EQ(Values(old), before);
      }
    }
  }
}

TEST(InPlaceCalls, TapesAndRecordingsHaveTheValuesTheySaw) {
  const Variable v(Start(0));
  const Function add =
      Trace([&](const Tensor& x) { return v.AssignAdd(x), ReduceSum(v * v); }, {Spec(kFloat32, {kRows, 2})});
  const Tensor x = Start(3);
  GradientTape tape;
  const Tensor loss = ReduceSum(v * v * v);
  const Doubles old = Values(v);
  {
    const auto stop = tape.StopRecording();
    add(x);
    add(x);
  }
  Doubles want;
  for (const double a : old) want.push_back(3 * a * a);
  EXPECT_EQ(Values(*tape.Gradient(loss, v)), want);

  Recording recording;
  const Tensor first = v.value();
  const Doubles then = Values(first);
  const Tensor y = add(x);
  const Function step = recording.Lift({{"x", x}}, {{"y", y}});
  EXPECT_EQ(Values(first), then);
  const Doubles now = Values(v);
  const Executable run = Compile(step);
  EXPECT_EQ(Values(run("main", x)), Values(add(x))) << "from the values that the lift left";
  EXPECT_NE(Values(v), now);
}

// Each sees all of a value or nothing of it, and no call is lost.
TEST(InPlaceCalls, OfManyThreads) {
  constexpr int kCalls = 300;
  const Variable a(Zeros({5000})), b(Zeros({5000}));
  const Function both =
      Trace([&](const Tensor& x) { return a.AssignAdd(b + x), b.AssignAdd(x), ReduceSum(x); }, {Spec(kFloat32, {})});
  const Function one =
      Trace([&](const Tensor& x) { return b.AssignAdd(x), a.AssignAdd(0 * b), ReduceMax(b); }, {Spec(kFloat32, {})});
  const Function read = Trace([&](const Tensor& x) { return ReduceMax(b) - ReduceMin(b) + x; }, {Spec(kFloat32, {})});
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (const Function& f : {both, one}) {
    threads.emplace_back([&, f] {
      for (int i = 0; i < kCalls; ++i) f(Tensor(1.f));
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      const Tensor now = b.value();
      EXPECT_EQ(ReduceMax(now).item<float>(), ReduceMin(now).item<float>());
      EXPECT_EQ(Tensor(read(Tensor(0.f))).item<float>(), 0);
    }
  });
  threads[0].join();
  threads[1].join();
  stop = true;
  threads[2].join();
  EXPECT_EQ(Values(b), Doubles(5000, 2 * kCalls));
}

// A child has a whole value, and goes on.
TEST(InPlaceCalls, ForksWaitForThem) {
  const Variable v(Zeros({1 << 18})), w(Zeros({1 << 18}));
  const Function f =
      Trace([&](const Tensor& x) { return v.AssignAdd(x), w.AssignAdd(x), Tensor(x); }, {Spec(kFloat32, {})});
  std::atomic<bool> stop = false;
  std::thread caller([&] {
    while (!stop) f(Tensor(1.f));
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(30);
      const float a = ReduceMin(v).item<float>(), b = ReduceMax(v).item<float>(), c = ReduceMax(w).item<float>();
      f(Tensor(1.f));
      ::_exit(a == b && b == c && ReduceMax(v).item<float>() == a + 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  caller.join();
}

// The values are written by steps that fail late or run long: not over the old ones.
TEST(InPlaceCalls, WithCheckedNumbersChangeNothing) {
  const Variable v(Full({4}, 1e30));
  const Function f = Trace([&](const Tensor& x) { return v.Assign(v * x), ReduceSum(x); }, {Spec(kFloat32, {4})});
  f(Ones({4}));
  CheckNumerics(NumericsCheck::kNanAndInf);
  EXPECT_THROW(f(Full({4}, 1e30)), Error);
  CheckNumerics(NumericsCheck::kOff);
  EXPECT_EQ(Values(v), Values(Full({4}, 1e30)));
}

}  // namespace
}  // namespace reel
