// Functions of the process that compiled code calls: when, in which order, what becomes of errors.

#include "frontend/ops/callback.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "ir/callback.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using internal::CallBack;
using internal::CallbackOrder;
using testing::ElementsAre;
using testing::HasSubstr;

// Numbers that callbacks have seen.
std::vector<float> seen;

int64_t Note() {
  static const int64_t id = ir::AddCallback([](absl::Span<const ir::CallbackTensor> in, const ir::CallbackTensor& out) {
    const float x = *static_cast<const float*>(in[1].data);
    seen.push_back(x);
    if (x > 100) throw std::runtime_error("too large");
    *static_cast<int32_t*>(out.data) = *static_cast<const int32_t*>(in[0].data) + 1;
  });
  return id;
}

// An effect of the trace in progress.
void Note(const Tensor& x) {
  const Tensor now = CallbackOrder().value();
  CallbackOrder().Assign(CallBack(Note(), "note", true, now.type(), {now, x}));
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
  const int64_t id = ir::AddCallback([](absl::Span<const ir::CallbackTensor> in, const ir::CallbackTensor& out) {
    const float n = *static_cast<const float*>(in[1].data);
    *static_cast<float*>(out.data) = n > 0 ? again(Tensor(n - 1))[0].item<float>() : 0;
  });
  again =
      Trace([&](const Tensor& n) { return n + CallBack(id, "again", false, n.type(), {CallbackOrder().value(), n}); },
            {Spec(kFloat32, {})});
  EXPECT_EQ(again(Tensor(4.0f))[0].item<float>(), 10);
  again = {};
}

TEST(Callback, AnExecutableDoesNotWaitForItself) {
  static Executable run;
  const int64_t id = ir::AddCallback([](absl::Span<const ir::CallbackTensor> in, const ir::CallbackTensor& out) {
    const Tensor x(*static_cast<const float*>(in[1].data));
    if (x.item<float>() > 0) ExpectError(ErrorCode::kFailedPrecondition, "NewInstance", [&] { run("main", x); });
    *static_cast<float*>(out.data) =
        x.item<float>() > 0 ? Tensor(run.NewInstance()("main", x - 1.0f)).item<float>() : 5;
  });
  const Function f =
      Trace([&](const Tensor& n) { return CallBack(id, "again", false, n.type(), {CallbackOrder().value(), n}); },
            {Spec(kFloat32, {})});
  run = Compile(Module::Lift({{"main", f}}));
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

}  // namespace
}  // namespace reel
