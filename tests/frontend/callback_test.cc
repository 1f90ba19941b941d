// Functions of the process that compiled code calls: when, in which order, what becomes of errors.

#include "frontend/ops/callback.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/eval/eval.h"
#include "ir/text/parser.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using internal::CallBack;
using internal::CallbackOrder;
using internal::CallbackPtr;
using internal::CallbackTensor;
using internal::MakeCallback;
using testing::ElementsAre;
using testing::HasSubstr;

// Numbers that callbacks have seen.
std::vector<float> seen;

CallbackPtr Note() {
  static const auto* const note =
      new CallbackPtr(MakeCallback([](absl::Span<const CallbackTensor> in, const CallbackTensor& out) {
        const float x = *static_cast<const float*>(in[1].data);
        seen.push_back(x);
        if (x > 100) throw std::runtime_error("too large");
        *static_cast<int32_t*>(out.data) = *static_cast<const int32_t*>(in[0].data) + 1;
      }));
  return *note;
}

// An effect of the trace in progress.
void Note(const Tensor& x) {
  const Tensor now = CallbackOrder().value();
  CallbackOrder().Assign(CallBack(Note(), {"note", true}, now.type(), {now, x}));
}

TEST(Callback, RunsEachTimeInOrder) {
  const Variable w(Tensor(1.0f));
  const Function f = Trace(
      [&](const Tensor& x) {
        Note(x);
        w.Assign(w + x);
        Note(w.value());
        const Tensor y = x * 2.0f;
        Note(y);
        return y;
      },
      {Spec(kFloat32, {})});
  for (int run = 0; run < 2; ++run) {
    seen.clear();
    EXPECT_EQ(f(Tensor(3.0f))[0].item<float>(), 6);
    EXPECT_THAT(seen, ElementsAre(3, 4 + 3 * run, 6));
  }
  for (const int level : {0, 2}) {
    seen.clear();
    Compile(f, {.opt_level = level})("main", Tensor(3.0f));
    EXPECT_EQ(seen.size(), 3u) << level;
  }
}

TEST(Callback, BranchesAndLoopsCallWhatRuns) {
  const Function f = Trace(
      [](const Tensor& x) {
        const auto body = [](const std::vector<Tensor>& v) {
          Note(v[1]);
          return std::vector<Tensor>{v[0] + 1, v[1] * 2.0f};
        };
        const Tensor a = WhileLoop([](const std::vector<Tensor>& v) { return v[0] < 3; }, body, {Tensor(0), x})[1];
        const auto noted = [&] {
          Note(a);
          return a;
        };
        return Cond(a > 50.0f, std::function<Tensor()>(noted), std::function<Tensor()>([&] { return a; }));
      },
      {Spec(kFloat32, {})});
  seen.clear();
  GradientTape tape;
  const Tensor x(1.0f);
  tape.Watch(x);
  const Tensor y = f(x);
  EXPECT_THAT(seen, ElementsAre(1, 2, 4));
  EXPECT_EQ(tape.Gradient(y, x)->item<float>(), 8);
  EXPECT_THAT(seen, ElementsAre(1, 2, 4)) << "a gradient that runs the loop again does not act again";
  seen.clear();
  EXPECT_EQ(f(Tensor(10.0f))[0].item<float>(), 80);
  EXPECT_THAT(seen, ElementsAre(10, 20, 40, 80));
}

TEST(Callback, WhatItThrowsEndsTheCallAndVariablesStay) {
  const Variable w(Ones({1000}));
  const Function f = Trace(
      [&](const Tensor& x) {
        w.Assign(w + x);
        Note(x);
        w.Assign(w * 2.0f);
        return x;
      },
      {Spec(kFloat32, {})});
  f(Tensor(1.0f));
  EXPECT_EQ(w.value().data<float>()[999], 4);
  try {
    f(Tensor(101.0f));
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("too large"));
  }
  EXPECT_EQ(w.value().data<float>()[999], 4);
  f(Tensor(0.0f));
  EXPECT_EQ(w.value().data<float>()[999], 8) << "it goes on";
}

TEST(Callback, MayCallTheFunctionThatCallsIt) {
  static Function again;
  const CallbackPtr f = MakeCallback([](absl::Span<const CallbackTensor> in, const CallbackTensor& out) {
    const float n = *static_cast<const float*>(in[1].data);
    *static_cast<float*>(out.data) = n > 0 ? again(Tensor(n - 1))[0].item<float>() : 0;
  });
  again = Trace([&](const Tensor& n) { return n + CallBack(f, {"again"}, n.type(), {CallbackOrder().value(), n}); },
                {Spec(kFloat32, {})});
  EXPECT_EQ(again(Tensor(4.0f))[0].item<float>(), 10);
  again = {};
}

TEST(Callback, AnExecutableDoesNotWaitForItself) {
  static Executable run;
  const CallbackPtr f = MakeCallback([](absl::Span<const CallbackTensor> in, const CallbackTensor& out) {
    const Tensor x(*static_cast<const float*>(in[1].data));
    if (x.item<float>() > 0) ExpectError(ErrorCode::kFailedPrecondition, "NewInstance", [&] { run("main", x); });
    *static_cast<float*>(out.data) =
        x.item<float>() > 0 ? Tensor(run.NewInstance()("main", x - 1.0f)).item<float>() : 5;
  });
  const Function traced =
      Trace([&](const Tensor& n) { return CallBack(f, {"again"}, n.type(), {CallbackOrder().value(), n}); },
            {Spec(kFloat32, {})});
  run = Compile(Module::Lift({{"main", traced}}));
  EXPECT_EQ(Tensor(run("main", Tensor(2.0f))).item<float>(), 5);
  run = {};
}

TEST(Callback, ObjectsAndOtherProcessesRefuseIt) {
  const Function f = Trace(
      [](const Tensor& x) {
        Note(x);
        return x;
      },
      {Spec(kFloat32, {})});
  const Module module = Module::Lift({{"main", f}});
  ExpectError(ErrorCode::kUnimplemented, "calls note, a function of this process",
              [&] { CompileToObject(module, testing::TempDir() + "/callback"); });
  const std::string known = module.ToText();
  const size_t at = known.find("id=") + 3;
  const std::string text = known.substr(0, at) + "7" + known.substr(known.find(',', at));
  ExpectError(ErrorCode::kFailedPrecondition, "note is a function of the process that traced it",
              [&] { Compile(Module::FromText(text)); });
}

// Twice as much as it is given, which holds `held`.
CallbackPtr Doubles(std::shared_ptr<int> held) {
  return MakeCallback([held = std::move(held)](absl::Span<const CallbackTensor> in, const CallbackTensor& out) {
    *static_cast<float*>(out.data) = 2 * *static_cast<const float*>(in[0].data);
  });
}

TEST(Callback, EndsWithTheLastGraphOrProgramThatNamesIt) {
  const auto held = std::make_shared<int>(0);
  const auto traced = [&] {
    return Trace([f = Doubles(held)](const Tensor& x) { return CallBack(f, {"double"}, x.type(), {x}); },
                 {Spec(kFloat32, {})});
  };
  {
    Function f = traced();
    EXPECT_EQ(held.use_count(), 2);
    EXPECT_EQ(f(Tensor(2.0f))[0].item<float>(), 4);
    Module module = Module::Lift({{"main", f}});
    f = {};
    EXPECT_EQ(held.use_count(), 2) << "the module names it";
    const std::string text = module.ToText();
    Executable run = Compile(Module::FromText(text));
    module = {};
    EXPECT_EQ(held.use_count(), 2) << "the program calls it";
    EXPECT_EQ(Tensor(run("main", Tensor(3.0f))).item<float>(), 6);
    run = {};
    EXPECT_EQ(held.use_count(), 1);
    ExpectError(ErrorCode::kFailedPrecondition, "double is a function of the process that traced it",
                [&] { Compile(Module::FromText(text)); });
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(traced()(Tensor(2.0f))[0].item<float>(), 4);
  EXPECT_EQ(held.use_count(), 1) << "nor does anything else hold one that was traced again";
}

TEST(Callback, AGuardedOneIsCalledWhereAnElementIsFalse) {
  const Function f = Trace(
      [](const Tensor& ok, const Tensor& x) {
        const Tensor now = CallbackOrder().value();
        return CallBack(Note(), {"note", false, true}, now.type(), {now, ok, x});
      },
      {Spec(kBool, {2}), Spec(kFloat32, {})});
  const Tensor x(3.0f);
  seen.clear();
  f(Tensor({true, true}), x);
  EXPECT_EQ(seen.size(), 0u);
  f(Tensor({true, false}), x);
  EXPECT_EQ(seen.size(), 1u);
}

// Modules that somebody has edited by hand.
TEST(Callback, TheVerifierLooksAtWhatGuardsIt) {
  const auto text = [](const std::string& operands) {
    return "reel 1\nmodule \"m\"\nfunc @main(%n: i32[], %ok: bool[2], %x: f32[]) -> (i32[]) {\n  %0 = callback " +
           operands +
           " {dtype=i32, effect=false, guarded=true, id=1, of=\"assert\", shape=[]} : i32[]\n  return %0\n}\n";
  };
  EXPECT_TRUE(ir::ParseModule(text("%n, %ok, %x")).ok());
  const std::pair<const char*, const char*> kBad[] = {{"%n", "got none"}, {"", "got none"}, {"%n, %x", "got f32[]"}};
  for (const auto& [operands, says] : kBad) {
    const auto module = ir::ParseModule(text(operands));
    ASSERT_FALSE(module.ok()) << operands;
    EXPECT_THAT(std::string(module.status().message()),
                HasSubstr("second operand must be of bool, " + std::string(says)));
  }
}

}  // namespace
}  // namespace reel
