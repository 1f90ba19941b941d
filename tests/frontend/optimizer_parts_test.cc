// Steps whose optimizers are in parts: what a member holds, and what others see of it.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "frontend/record/event_log.h"
#include "frontend/values/variable_data.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/shard/shard.h"
#include "reel/distributed.h"
#include "reel/reel.h"
#include "runtime/buffer.h"
#include "runtime/communicator.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"
#include "tests/frontend/training_steps.h"

namespace reel {
namespace {

constexpr int64_t kSlotBytes = 2 * (80 * 80 + 80 * 80 + 80 * 64) * 4;  // Adam's of Wide()'s weights

Function Parted(const TrainingStep& t, int64_t members) {
  return DataParallel(t.step, {.members = members, .shard_optimizer = true});
}

std::vector<Tensor> Values(const std::vector<Variable>& variables) {
  std::vector<Tensor> out;
  for (const Variable& v : variables) out.push_back(v.value());
  return out;
}

void ExpectSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(SameBits(a[i], b[i])) << what << ", value " << i;
}

// Steps from `first` on of an instance that begins with the variables and leaves its values there; the losses.
std::vector<Tensor> Go(const TrainingStep& t, const Executable& code, int64_t members, int64_t first, int64_t steps) {
  std::vector<Tensor> losses(static_cast<size_t>(steps));
  RunMembers(members, [&](int64_t rank) {
    const Executable run = code.NewInstance();
    run.LoadFrom(t.step.variables());
    for (int64_t i = 0; i < steps; ++i) {
      std::vector<Tensor> own;
      for (const Tensor& x : t.batch(first + i)) own.push_back(RowsOf(x, rank, members));
      const Tensor loss = run("train", own)[0];
      if (rank == 0) losses[static_cast<size_t>(i)] = loss;
    }
    run.StoreTo(t.step.variables());
  });
  return losses;
}

TEST(OptimizerParts, AnInstanceHoldsItsPartOfSlots) {
  const TrainingStep t = Wide();
  const auto state_bytes = [](const Executable& code) { return code.size().instance_bytes - code.size().arena_bytes; };
  const int64_t whole = state_bytes(Compile(DataParallel(t.step, {.members = 4})));
  for (const int64_t members : {2, 4, 8}) {
    const Executable code = Compile(Module::Lift({{"train", Parted(t, members)}}));
    int64_t bytes = 0, written = 0;
    for (const std::string& name : code.variables()) {
      bytes += code.variable(name).type().bytes();
      written += t.module.value(name).type().bytes();
    }
    EXPECT_EQ(written - bytes, kSlotBytes - kSlotBytes / members) << members << " members";
    EXPECT_EQ(whole - state_bytes(code), kSlotBytes - kSlotBytes / members) << members << " members";
  }
}

// The slot @v, which @read has too, and the counts, which cannot begin as NaN; @m begins with other rows for each
// member.
TEST(OptimizerParts, WhatOthersReadStaysWhole) {
  std::string zeros = "[0", numbers = zeros;
  for (int i = 1; i < 512; ++i) StrAppend(&zeros, ", 0"), StrAppend(&numbers, ", ", i);
  ir::Module m =
      Module::FromText(StrCat("reel 1\nmodule \"step\"\nvariable @w: f32[512] = ", zeros,
                              "]\nvariable @m frozen: f32[512] = ", numbers,
                              "]\nvariable @u frozen: f32[512] = ", zeros, "]\nvariable @v frozen: f32[512] = ", zeros,
                              "]\nvariable @n frozen: i32[512] = ", zeros, R"(]
func @train(%x: f32[8,512]) state(@w: f32[512], @m: f32[512], @u: f32[512], @v: f32[512], @n: i32[512]) -> () {
  %0 = reduce_sum %x {axes=[0]} : f32[512]
  %1 = add @m, %0 : f32[512]
  %2 = add @u, %1 : f32[512]
  %3 = add @v, %2 : f32[512]
  %4 = add @n, @n : i32[512]
  %5 = reduce_sum @w {axes=[0]} : f32[]
  %6 = broadcast %5 {axes=[], shape=[512]} : f32[512]
  %7 = sub %6, %3 : f32[512]
  return state(%7, %1, %2, %3, %4)
}
func @read() state(@v: f32[512]) -> (v: f32[512]) {
  return @v state(@v)
}
)"))
          .internal_data()
          ->module;
  const auto parts = passes::Shard(&m, "train", {.shards = 8, .members = 4, .split = {true}, .shard_optimizer = true});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].name, "m");
  EXPECT_FALSE((*parts)[0].begins_alike);
  EXPECT_TRUE(std::isnan(std::get<ir::Literal>(m.FindVariable("m")->initial).AsDouble(0)));
  EXPECT_EQ((*parts)[1].name, "u");
  EXPECT_TRUE((*parts)[1].begins_alike);
  EXPECT_EQ(std::get<ir::Literal>(m.FindVariable("u")->initial), ir::Literal::Zeros({kFloat32, {128}}));
  for (const char* whole : {"w", "v"}) EXPECT_EQ(m.FindVariable(whole)->type, (Type{kFloat32, {512}})) << whole;
  EXPECT_EQ(m.FindVariable("n")->type, (Type{kInt32, {512}}));
  EXPECT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
}

// Values go from 4 members to 2, to 8, to one that runs whole, to 4 again.
TEST(OptimizerParts, AnyNumberOfMembersGoesOnToTheSameBits) {
  const TrainingStep t = Wide();
  const std::vector<Variable> variables = t.step.variables();
  const std::vector<Tensor> start = Values(variables);
  const std::vector<Tensor> losses =
      Go(t, Compile(Module::Lift({{"train", DataParallel(t.step, {.members = 1})}})), 1, 0, 10);
  const std::vector<Tensor> end = Values(variables);
  for (size_t i = 0; i < start.size(); ++i) variables[i].Assign(start[i]);
  std::vector<Tensor> got;
  for (const int64_t members : {4, 2, 8, 1, 4}) {
    const Executable code = Compile(Module::Lift({{"train", Parted(t, members)}}));
    for (const Tensor& loss : Go(t, code, members, static_cast<int64_t>(got.size()), 2)) got.push_back(loss);
  }
  ExpectSame(losses, got, "losses");
  ExpectSame(end, Values(variables), "variables");
}

// --- functions on live variables ---

TEST(OptimizerParts, WholeSlotsAreFreedAndPutBack) {
  constexpr int64_t kMembers = 2;
  std::vector<TrainingStep> steps;
  for (int64_t i = 0; i <= kMembers; ++i) {
    steps.push_back(Wide());
    for (size_t v = 0; i > 0 && v < steps[0].step.variables().size(); ++v)
      steps.back().step.variables()[v].Assign(steps[0].step.variables()[v].value());
  }
  const TrainingStep& alone = steps[kMembers];
  const Function one = DataParallel(alone.step, {.members = 1});
  std::vector<std::vector<Tensor>> after;  // of three and of five steps
  for (int64_t i = 0; i < 5; ++i) {
    one(alone.batch(i));
    if (i == 2 || i == 4) after.push_back(Values(alone.step.variables()));
  }
  RunMembers(kMembers, [&](int64_t rank) {
    const TrainingStep& t = steps[static_cast<size_t>(rank)];
    const Function step = Parted(t, kMembers), other = Parted(t, kMembers);
    const auto run = [&](const Function& f, int64_t i) {
      std::vector<Tensor> own;
      for (const Tensor& x : t.batch(i)) own.push_back(RowsOf(x, rank, kMembers));
      f(own);
    };
    run(step, 0);
    run(other, 1);  // has the same parts
    run(step, 2);
    int64_t freed = 0;
    for (const Variable& v : step.variables()) {
      if (!v.internal_data()->in_parts) continue;
      freed += v.type().bytes();
      EXPECT_FALSE(v.internal_data()->buffer);
      EXPECT_EQ(v.str(), StrCat(v.name(), ": ", v.type().ToString(), ", in parts"));
      ExpectError(ErrorCode::kFailedPrecondition, "each process has its part, after a step with shard_optimizer",
                  [&] { v.value(); });
    }
    EXPECT_EQ(freed, kSlotBytes);
    ExpectError(ErrorCode::kFailedPrecondition, "each process has its part", [&] { t.step(t.batch(0)); });
    const Results whole = GatherState(step)();
    EXPECT_EQ(whole.size(), 6u);
    ExpectSame(Values(t.step.variables()), after[0], "gathered");
    run(step, 3);
    run(step, 4);
    GatherState(other)();
    ExpectSame(Values(t.step.variables()), after[1], "gathered again");
    // What is assigned is what the next step begins with, gathered or not.
    run(step, 0);
    for (size_t v = 0; v < after[0].size(); ++v) t.step.variables()[v].Assign(after[0][v]);
    run(step, 3);
    run(step, 4);
    GatherState(step)();
    ExpectSame(Values(t.step.variables()), after[1], "assigned");
  });
}

// A module that was written with its variables in parts has them in parts when it is read again.
TEST(OptimizerParts, FilesKnowOfParts) {
  constexpr int64_t kMembers = 2;
  const TrainingStep t = Wide();
  const std::vector<Variable> variables = t.step.variables();
  const Module parted = Module::Lift({{"train", Parted(t, kMembers)}});
  const std::string path = testing::TempDir() + "parted.reel";
  parted.Save(path);
  const std::vector<Module> read = {Module::Load(path), Module::FromText(parted.ToText())};
  const Executable one = Compile(Module::Lift({{"train", DataParallel(t.step, {.members = 1})}}));
  const std::vector<Tensor> start = Values(variables), losses = Go(t, one, 1, 0, 3), end = Values(variables);
  for (const Module& module : read) {
    int64_t parts = 0;
    for (const Variable& v : module.function("train").variables()) {
      if (!v.internal_data()->in_parts) continue;
      ++parts;
      ExpectError(ErrorCode::kFailedPrecondition, "each process has its part", [&] { v.value(); });
      ExpectError(ErrorCode::kFailedPrecondition, "there is one of 2 parts", [&] { module.value(v.name()); });
    }
    EXPECT_EQ(parts, 6);
    ExpectError(ErrorCode::kFailedPrecondition, "this process has its part", [&] { Compile(module).Save(path); });
    RunMembers(kMembers, [&](int64_t rank) {
      const Module own = Module::FromText(module.ToText());
      const Function step = own.function("train");
      const auto run = [&](int64_t i) {
        std::vector<Tensor> rows;
        for (const Tensor& x : t.batch(i)) rows.push_back(RowsOf(x, rank, kMembers));
        return Tensor(step(rows)[0]);
      };
      // Adam's have taken a step: their parts differ.
      ExpectError(ErrorCode::kFailedPrecondition, "of which the module has no values", [&] { run(0); });
      for (size_t v = 0; v < start.size(); ++v) step.variables()[v].Assign(start[v]);
      for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(SameBits(run(i), losses[static_cast<size_t>(i)])) << "step " << i;
      GatherState(step)();
      ExpectSame(Values(step.variables()), end, "variables");
    });
  }
}

TEST(OptimizerParts, Errors) {
  const TrainingStep t = Wide();
  const Function step = Parted(t, 2);
  ExpectError(ErrorCode::kFailedPrecondition, "is in 2 parts, this group has 1 members",
              [&] { step(RowsOf(t.batch(0)[0], 0, 2), RowsOf(t.batch(0)[1], 0, 2)); });
  const Executable code = Compile(step);
  ExpectError(ErrorCode::kFailedPrecondition, "is in 2 parts, this group has 1 members",
              [&] { code.LoadFrom(t.step.variables()); });
  ExpectError(ErrorCode::kFailedPrecondition, "this process has its part; call StoreTo", [&] { code.Snapshot(); });
  ExpectError(ErrorCode::kFailedPrecondition, "take one of the step as it was",
              [&] { Module::Lift({{"train", step}}).Snapshot(); });
}

// --- objects ---

TEST(OptimizerParts, AnObjectTakesAndGivesWholeSlots) {
  constexpr int64_t kMembers = 4;
  const TrainingStep t = Wide();
  const Function step = Parted(t, kMembers), gather = GatherState(step), scatter = ScatterState(step);
  const std::string path = testing::TempDir() + "parts";
  CompileToSharedLibrary(Module::Lift({{"train", step}, {"gather_state", gather}, {"scatter_state", scatter}}), path);
  void* const library = ::dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto find = [&](const char* function) { return ::dlsym(library, StrCat("parts_", function).c_str()); };
  const auto size = reinterpret_cast<size_t (*)()>(find("size"));
  const auto init = reinterpret_cast<void* (*)(void*, size_t, int*)>(find("init"));
  const auto set = reinterpret_cast<void (*)(void*, const reel_communicator*)>(find("set_communicator"));
  const auto train = reinterpret_cast<int (*)(void*, const void*, const void*, float*)>(find("train"));
  using Six = int (*)(void*, void*, void*, void*, void*, void*, void*);
  const auto get = reinterpret_cast<Six>(find("gather_state")), put = reinterpret_cast<Six>(find("scatter_state"));
  const ir::Function& slots = *gather.internal_data()->module.FindFunction("gather_state");
  const auto of_slots = [&](auto visit) {
    for (int i = 0; i < slots.num_outputs(); ++i) visit(t.module.value(slots.result_name(i)));
  };
  const Executable one = Compile(Module::Lift({{"train", DataParallel(t.step, {.members = 1})}}));
  for (int64_t i = 0; i < 3; ++i) one("train", t.batch(i));
  RunMembers(kMembers, [&](int64_t rank) {
    const runtime::Buffer memory = runtime::Buffer::Allocate(size());
    void* const instance = init(memory.data(), memory.size(), nullptr);
    set(instance, runtime::CurrentCommunicator());
    std::vector<std::vector<float>> arrays;
    of_slots([&](const Tensor& x) { arrays.emplace_back(x.data<float>().begin(), x.data<float>().end()); });
    ASSERT_EQ(arrays.size(), 6u);
    const auto call = [&](Six f) {
      std::vector<void*> at;
      for (auto& array : arrays) at.push_back(array.data());
      return f(instance, at[0], at[1], at[2], at[3], at[4], at[5]);
    };
    ASSERT_EQ(call(put), REEL_OK);
    for (int64_t i = 0; i < 3; ++i) {
      const std::vector<Tensor> batch = t.batch(i);
      const Tensor x = RowsOf(batch[0], rank, kMembers), y = RowsOf(batch[1], rank, kMembers);
      float loss = 0;
      ASSERT_EQ(train(instance, x.raw_data(), y.raw_data(), &loss), REEL_OK);
    }
    ASSERT_EQ(call(get), REEL_OK);
    for (int i = 0; i < slots.num_outputs(); ++i) {
      const Tensor want = one.variable(slots.result_name(i));
      const auto& got = arrays[static_cast<size_t>(i)];
      EXPECT_TRUE(std::equal(got.begin(), got.end(), want.data<float>().begin(), want.data<float>().end())) << i;
    }
  });
  ::dlclose(library);
  for (const char* suffix : {".so", ".h"}) std::filesystem::remove(path + suffix);
}

}  // namespace
}  // namespace reel
