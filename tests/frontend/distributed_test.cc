// Groups: collectives among threads, and training steps whose bits do not depend on the number of members.

#include "reel/distributed.h"

#include <dlfcn.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "frontend/program/agreement.h"
#include "frontend/record/event_log.h"
#include "ir/strings.h"
#include "reel/reel.h"
#include "runtime/buffer.h"
#include "runtime/communicator.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"
#include "tests/frontend/training_steps.h"

namespace reel {
namespace {

using testing::HasSubstr;

Tensor Numbers(const Shape& shape, double first) { return first + Reshape(Iota({shape.size()}, 0, kInt64), shape); }

// --- collectives ---

TEST(Collectives, AloneIsTheIdentity) {
  EXPECT_EQ(GroupSize(), 1);
  EXPECT_EQ(GroupRank(), 0);
  const Tensor x = RandomNormal({4, 3});
  for (const Tensor& y : {AllReduce(x), AllReduce(x, Combine::kMean), AllReduce(x, Combine::kMax), AllGather(x),
                          ReduceScatter(x), AllToAll(x), BroadcastFrom(x)}) {
    EXPECT_TRUE(SameBits(x, y));
  }
}

// Sizes on both sides of what is gathered at once, with and without equal parts.
TEST(Collectives, EveryMemberHasTheSameResult) {
  for (const int64_t size : {2, 3, 5}) {
    for (const int64_t n : {1, 7, 4096, 20001}) {
      std::vector<Tensor> sum(static_cast<size_t>(size)), mean = sum, max = sum, all = sum, part = sum, from = sum;
      RunMembers(size, [&](int64_t rank) {
        EXPECT_EQ(GroupSize(), size);
        EXPECT_EQ(GroupRank(), rank);
        const auto r = static_cast<size_t>(rank);
        const Tensor x = Cast(Numbers({n}, static_cast<double>(rank)), kFloat32) * static_cast<double>(rank + 1);
        sum[r] = AllReduce(x);
        mean[r] = AllReduce(x, Combine::kMean);
        max[r] = AllReduce(-x, Combine::kMax);
        all[r] = AllGather(x);
        part[r] = ReduceScatter(Concat(std::vector<Tensor>(static_cast<size_t>(size), x), 0));
        from[r] = BroadcastFrom(x, size - 1);
      });
      for (int64_t i = 0; i < n; ++i) {
        double want = 0;
        for (int64_t k = 0; k < size; ++k) want += static_cast<double>((k + i) * (k + 1));
        const auto e = static_cast<size_t>(i);
        ASSERT_FLOAT_EQ(sum[0].data<float>()[e], static_cast<float>(want)) << size << " of " << n;
        ASSERT_FLOAT_EQ(mean[0].data<float>()[e], static_cast<float>(want / static_cast<double>(size)));
        ASSERT_EQ(max[0].data<float>()[e], static_cast<float>(-i));
        ASSERT_EQ(from[0].data<float>()[e], static_cast<float>((size - 1 + i) * size));
        ASSERT_EQ(all[0].data<float>()[e + static_cast<size_t>(n)], static_cast<float>((1 + i) * 2));
        ASSERT_FLOAT_EQ(part[0].data<float>()[e], static_cast<float>(want));
      }
      for (size_t r = 1; r < static_cast<size_t>(size); ++r) {
        EXPECT_TRUE(SameBits(sum[0], sum[r]) && SameBits(mean[0], mean[r]) && SameBits(max[0], max[r]));
        EXPECT_TRUE(SameBits(all[0], all[r]) && SameBits(part[0], part[r]) && SameBits(from[0], from[r]));
      }
    }
  }
}

TEST(Collectives, AllToAllTransposesParts) {
  RunMembers(3, [](int64_t rank) {
    const Tensor x = Cast(Numbers({3, 2}, 100.0 * static_cast<double>(rank)), kInt64);
    const Tensor y = AllToAll(x);
    for (int64_t from = 0; from < 3; ++from) {
      EXPECT_EQ(y.data<int64_t>()[static_cast<size_t>(2 * from)], 100 * from + 2 * rank);
    }
  });
}

// The gradient of the sum over members of sum(w f(x)), by differences of one member's x.
TEST(Collectives, GradientsAreThoseOfTheSumOfTargets) {
  using F = std::function<Tensor(const Tensor&)>;
  const std::vector<std::pair<const char*, F>> functions = {
      {"sum", [](const Tensor& x) { return AllReduce(x * x); }},
      {"mean", [](const Tensor& x) { return AllReduce(x * x, Combine::kMean); }},
      {"max", [](const Tensor& x) { return AllReduce(x * x, Combine::kMax); }},
      {"gather", [](const Tensor& x) { return AllGather(x * x); }},
      {"scatter", [](const Tensor& x) { return ReduceScatter(x * x); }},
      {"scatter max", [](const Tensor& x) { return ReduceScatter(x * x, Combine::kMax); }},
      {"to all", [](const Tensor& x) { return AllToAll(x * x); }},
      {"from", [](const Tensor& x) { return BroadcastFrom(x * x, 1); }},
  };
  constexpr int64_t kMembers = 2;
  for (const auto& [name, f] : functions) {
    const auto input = [](int64_t rank) { return Cast(Numbers({4}, 0.3 + 0.7 * static_cast<double>(rank)), kFloat64); };
    // Sum of all members' targets, where member `moved` adds `by` to its element i.
    const auto target = [&](int64_t moved, int64_t i, double by) {
      double total = 0;
      RunMembers(kMembers, [&](int64_t rank) {
        Tensor x = input(rank);
        if (rank == moved) x = x + OneHot(Tensor(i), 4, kFloat64) * by;
        const Tensor y = f(x);
        const Tensor weight = Cast(Numbers(y.shape(), 1.0 + static_cast<double>(rank)), kFloat64);
        const Tensor all = AllReduce(ReduceSum(weight * y));
        if (rank == 0) total = all.item<double>();
      });
      return total;
    };
    std::vector<Tensor> gradients(kMembers);
    RunMembers(kMembers, [&](int64_t rank) {
      const Tensor x = input(rank);
      GradientTape tape;
      tape.Watch(x);
      const Tensor y = f(x);
      const Tensor weight = Cast(Numbers(y.shape(), 1.0 + static_cast<double>(rank)), kFloat64);
      gradients[static_cast<size_t>(rank)] = *tape.Gradient(ReduceSum(weight * y), x);
    });
    for (int64_t rank = 0; rank < kMembers; ++rank) {
      for (int64_t i = 0; i < 4; ++i) {
        const double h = 1e-5, want = (target(rank, i, h) - target(rank, i, -h)) / (2 * h);
        EXPECT_NEAR(gradients[static_cast<size_t>(rank)].data<double>()[static_cast<size_t>(i)], want, 1e-6)
            << name << ", member " << rank << ", element " << i;
      }
    }
  }
}

TEST(Collectives, AMemberThatEndsOrFailsEndsTheOthers) {
  try {
    RunMembers(3, [](int64_t rank) {
      if (rank == 1) throw std::runtime_error("out of luck");
      AllReduce(Ones({8}));
    });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), testing::AnyOf(HasSubstr("out of luck"), HasSubstr("member 1 of 3 has ended or failed")));
  }
  ExpectError(ErrorCode::kUnavailable, "member 0 of 2 has ended or failed", [] {
    RunMembers(2, [](int64_t rank) {
      if (rank == 1) AllGather(Ones({8}));
    });
  });
  ExpectError(ErrorCode::kUnavailable, "different collectives",
              [] { RunMembers(2, [](int64_t rank) { AllGather(Ones({8 + rank})); }); });
}

TEST(Collectives, BadInput) {
  RunMembers(2, [](int64_t) {
    ExpectError(ErrorCode::kInvalidArgument, "has no 2 equal parts", [] { ReduceScatter(Ones({3})); });
    ExpectError(ErrorCode::kInvalidArgument, "a scalar has no axis 0", [] { AllGather(Ones({})); });
    ExpectError(ErrorCode::kInvalidArgument, "root must be from 0 to 1", [] { BroadcastFrom(Ones({2}), 2); });
    ExpectError(ErrorCode::kInvalidArgument, "a mean needs floats",
                [] { AllReduce(Ones({2}, kInt32), Combine::kMean); });
  });
  Function two;
  RunMembers(2, [&](int64_t rank) {
    if (rank == 0) two = Trace([](const Tensor& x) { return AllReduce(x); }, {Spec(kFloat32, {4})});
  });
  ExpectError(ErrorCode::kFailedPrecondition, "for a group of 2 members, this one has 1", [&] { two(Ones({4})); });
}

// --- data parallel ---

TrainingStep Mlp() {
  const Sequential model{Dense(12, 33, Relu), Dropout(0.3), Dense(33, 5)};
  return MakeTraining(
      model, [](const Tensor& z, const Tensor& y) { return SoftmaxCrossEntropy(z, y); },
      {Spec(kFloat32, {kBatch, 12}, "x"), Spec(kInt32, {kBatch}, "y")},
      [](int64_t i) { return std::vector<Tensor>{Inputs({kBatch, 12}, i), Labels(kBatch, 5, i)}; });
}

TrainingStep Cnn() {
  const Sequential model{Convolution2D(6, {3, 3}, Relu), BatchNorm(), MaxPooling2D({2, 2}),
                         Convolution2D(9, {3, 3}, Relu), Flatten(),   Dense(10)};
  return MakeTraining(
      model, [](const Tensor& z, const Tensor& y) { return SoftmaxCrossEntropy(z, y); },
      {Spec(kFloat32, {kBatch, 12, 12, 2}, "x"), Spec(kInt32, {kBatch}, "y")},
      [](int64_t i) { return std::vector<Tensor>{Inputs({kBatch, 12, 12, 2}, i), Labels(kBatch, 10, i)}; });
}

TrainingStep Gpt() {
  const Sequential model{Embedding(17, 16),
                         Residual(LayerNorm(), MultiHeadAttention(16, 4, {.causal = true, .dropout = 0.1})),
                         Residual(LayerNorm(), Dense(16, 32, Gelu), Dense(32, 16)), LayerNorm(), Dense(16, 17)};
  const auto tokens = [](int64_t step) { return Reshape(Labels(kBatch * 8, 17, step), {kBatch, 8}); };
  return MakeTraining(
      model, [](const Tensor& z, const Tensor& y) { return SoftmaxCrossEntropy(z, y); },
      {Spec(kInt32, {kBatch, 8}, "x"), Spec(kInt32, {kBatch, 8}, "y")},
      [tokens](int64_t i) { return std::vector<Tensor>{tokens(i), tokens(i + 1)}; });
}

// What a run leaves: losses, then variables.
using Trail = std::vector<Tensor>;

Trail RunWith(const TrainingStep& t, int64_t members, int64_t shards, int64_t steps, int opt_level,
              DataParallelOptions options = {}) {
  options.shards = shards;
  options.members = members;
  const Executable code = Compile(Module::Lift({{"train", DataParallel(t.step, options)}}), {.opt_level = opt_level});
  std::vector<Trail> trails(static_cast<size_t>(members));
  RunMembers(members, [&](int64_t rank) {
    const Executable run = code.NewInstance();
    run.LoadFrom(t.step.variables());
    Trail& trail = trails[static_cast<size_t>(rank)];
    for (int64_t i = 0; i < steps; ++i) {
      std::vector<Tensor> own;
      for (const Tensor& x : t.batch(i)) own.push_back(RowsOf(x, rank, members));
      trail.push_back(run("train", own)[0]);
    }
    for (const Tensor& value : WholeValues(run, t.module)) trail.push_back(value);
  });
  for (const Trail& other : trails) {
    for (size_t i = 0; i < other.size(); ++i) EXPECT_TRUE(SameBits(trails[0][i], other[i])) << "members differ, " << i;
  }
  return trails[0];
}

using Model = std::pair<std::string, TrainingStep (*)()>;
class DataParallelTest : public testing::TestWithParam<Model> {};

TEST_P(DataParallelTest, TheBitsDoNotDependOnTheNumberOfMembers) {
  const TrainingStep t = GetParam().second();
  constexpr int64_t kSteps = 8;
  const Trail one = RunWith(t, 1, 8, kSteps, 2);
  for (const int64_t members : {2, 4, 8}) {
    const Trail many = RunWith(t, members, 8, kSteps, members == 4 ? 0 : 2);
    ASSERT_EQ(one.size(), many.size());
    for (size_t i = 0; i < one.size(); ++i)
      ASSERT_TRUE(SameBits(one[i], many[i])) << members << " members, value " << i;
  }
}

// Buckets of one number, of a few, and all in one.
TEST_P(DataParallelTest, TheBitsDoNotDependOnBuckets) {
  const TrainingStep t = GetParam().second();
  const Trail one = RunWith(t, 1, 8, 3, 2);
  for (const int64_t bytes : {1, 600, 1 << 30}) {
    const Trail many = RunWith(t, 4, 8, 3, 2, {.bucket_bytes = bytes});
    for (size_t i = 0; i < one.size(); ++i) ASSERT_TRUE(SameBits(one[i], many[i])) << bytes << " bytes, value " << i;
  }
}

// Messages of the kind that one member's step sends.
int64_t Messages(const TrainingStep& t, const std::string& kind, const DataParallelOptions& options) {
  const std::string text = DataParallel(t.step, options).ToText(), call = "= " + kind + " ";
  int64_t count = 0;
  for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) ++count;
  return count;
}

TEST(DataParallel, SmallGradientsTravelTogether) {
  const TrainingStep t = Mlp();  // two layers of weights and biases, and the loss
  EXPECT_EQ(Messages(t, "all_reduce", {.members = 4, .bucket_bytes = 1}), 5);
  EXPECT_EQ(Messages(t, "all_reduce", {.members = 4, .bucket_bytes = 2 * 12 * 33 * 4}), 2);
  EXPECT_EQ(Messages(t, "reduce_scatter", {.members = 4}), 0);
  EXPECT_EQ(Messages(t, "reduce_scatter", {.members = 4, .shard_optimizer = true}), 1);
}

TEST_P(DataParallelTest, TheBitsDoNotDependOnWhoUpdates) {
  const TrainingStep t = GetParam().second();
  const Trail one = RunWith(t, 1, 8, 5, 2);
  for (const int64_t members : {1, 2, 4}) {
    const Trail many = RunWith(t, members, 8, 5, 2, {.bucket_bytes = 5000, .shard_optimizer = true});
    ASSERT_EQ(one.size(), many.size());
    for (size_t i = 0; i < one.size(); ++i)
      ASSERT_TRUE(SameBits(one[i], many[i])) << members << " members, value " << i;
  }
}

// Shards that are no power of two: the tree has other leaves in each member.
TEST_P(DataParallelTest, OtherShards) {
  const TrainingStep t = GetParam().second();
  const Trail one = RunWith(t, 1, 16, 2, 2), four = RunWith(t, 4, 16, 2, 2);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(SameBits(one[i], four[i])) << i;
}

// The step as it was written, up to the order of additions.
TEST_P(DataParallelTest, ComputesWhatOneMachineDoes) {
  const TrainingStep t = GetParam().second();
  const Executable run = Compile(t.module);
  const Trail sharded = RunWith(t, 2, 8, 4, 2);
  for (int64_t i = 0; i < 4; ++i) {
    const float loss = Tensor(run("train", t.batch(i))[0]).item<float>();
    EXPECT_NEAR(sharded[static_cast<size_t>(i)].item<float>(), loss, 1e-4 * std::fabs(loss)) << "step " << i;
  }
}

// A library made of an object, one for each number of members.
std::vector<float> LossesOfObject(const TrainingStep& t, const std::string& name, int64_t members, int64_t steps) {
  const std::string path = testing::TempDir() + name;
  CompileToSharedLibrary(Module::Lift({{"train", DataParallel(t.step, {.members = members})}}), path);
  void* const library = ::dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto find = [&](const char* function) { return ::dlsym(library, (name + "_" + function).c_str()); };
  const auto size = reinterpret_cast<size_t (*)()>(find("size"));
  const auto init = reinterpret_cast<void* (*)(void*, size_t, int*)>(find("init"));
  const auto set = reinterpret_cast<void (*)(void*, const reel_communicator*)>(find("set_communicator"));
  const auto train = reinterpret_cast<int (*)(void*, const void*, const void*, float*)>(find("train"));
  EXPECT_EQ(set != nullptr, members > 1) << "it is there where it is needed";
  std::vector<std::vector<float>> losses(static_cast<size_t>(members));
  RunMembers(members, [&](int64_t rank) {
    const runtime::Buffer memory = runtime::Buffer::Allocate(size());
    void* const instance = init(memory.data(), memory.size(), nullptr);
    reel_communicator table;
    if (set) {
      float loss = 0;
      const std::vector<Tensor> batch = t.batch(0);
      EXPECT_EQ(train(instance, batch[0].raw_data(), batch[1].raw_data(), &loss), REEL_NO_COMMUNICATOR);
      table = *runtime::CurrentCommunicator();
      if (rank % 2 == 1) table.start_all_to_all = nullptr, table.start_all_gather = nullptr, table.wait = nullptr;
      set(instance, &table);
    }
    for (int64_t i = 0; i < steps; ++i) {
      const std::vector<Tensor> batch = t.batch(i);
      const Tensor x = RowsOf(batch[0], rank, members), y = RowsOf(batch[1], rank, members);
      float loss = 0;
      ASSERT_EQ(train(instance, x.raw_data(), y.raw_data(), &loss), REEL_OK);
      losses[static_cast<size_t>(rank)].push_back(loss);
    }
  });
  ::dlclose(library);
  for (const char* suffix : {".so", ".h"}) std::filesystem::remove(path + suffix);
  for (const auto& other : losses) EXPECT_EQ(losses[0], other);
  return losses[0];
}

TEST_P(DataParallelTest, ObjectsGiveTheSameBits) {
  const TrainingStep t = GetParam().second();
  constexpr int64_t kSteps = 4;
  const Trail jit = RunWith(t, 1, 8, kSteps, 2);
  for (const int64_t members : {1, 4}) {
    const std::string name = GetParam().first + "_of_" + std::to_string(members);
    const std::vector<float> losses = LossesOfObject(t, name, members, kSteps);
    for (size_t i = 0; i < losses.size(); ++i) EXPECT_EQ(jit[i].item<float>(), losses[i]) << members << " members";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DataParallelTest,
                         testing::Values(Model("mlp", Mlp), Model("cnn", Cnn), Model("gpt", Gpt), Model("wide", Wide)),
                         [](const auto& info) { return info.param.first; });

TEST(DataParallel, AnyNumberOfShards) {
  const Variable w(Ones({3}), {.name = "w"});
  const auto step = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor loss = ReduceMean(Square(Dot(x, w))) + ReduceMax(x);
    w.AssignSub(0.1 * *tape.Gradient(loss, w));
    return std::vector<Tensor>{loss, Dot(x, w), ReduceMin(x, 0), Sort(x, 0)};
  };
  const Function f = Trace(step, {Spec(kFloat32, {24, 3}, "x")}, "step");
  const Tensor x = Inputs({24, 3}, 1);
  for (const int64_t shards : {1, 3, 6, 12, 24}) {
    std::vector<Tensor> first;
    for (int64_t members = 1; members <= shards; ++members) {
      if (shards % members != 0) continue;
      const Executable code =
          Compile(Module::Lift({{"step", DataParallel(f, {.shards = shards, .members = members})}}));
      RunMembers(members, [&](int64_t rank) {
        const Executable run = code.NewInstance();
        std::vector<Tensor> got;
        for (const Tensor& y : run("step", RowsOf(x, rank, members))) got.push_back(y);
        got.push_back(run.variable("w"));
        if (members == 1) first = got;
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_TRUE(SameBits(first[i], got[i])) << i << ": " << shards << " shards, " << members << " members";
        }
      });
    }
    EXPECT_EQ(first[1].shape(), (Shape{24})) << "a row per example is gathered";
  }
}

TEST(DataParallel, BadInput) {
  const Function step = Trace([](const Tensor& x, const Tensor& table) { return ReduceMean(x) + ReduceMean(table); },
                              {Spec(kFloat32, {30, 2}, "x"), Spec(kFloat32, {8}, "table")});
  ExpectError(ErrorCode::kInvalidArgument, "8 shards do not divide the batch of argument 'x', f32[30,2]",
              [&] { DataParallel(step, {.shards = 8}); });
  ExpectError(ErrorCode::kInvalidArgument, "4 processes do not divide 10 shards",
              [&] { DataParallel(step, {.shards = 10, .members = 4, .whole = {"table"}}); });
  ExpectError(ErrorCode::kInvalidArgument, "bucket_bytes must be at least 1, got 0",
              [&] { DataParallel(step, {.shards = 10, .whole = {"table"}, .bucket_bytes = 0}); });
  ExpectError(ErrorCode::kInvalidArgument, "no argument 'tabel'; did you mean",
              [&] { DataParallel(step, {.shards = 10, .whole = {"tabel"}}); });
  ExpectError(ErrorCode::kInvalidArgument, "no argument of the step is a batch",
              [&] { DataParallel(step, {.shards = 10, .whole = {"table", "x"}}); });
  const Function turns = Trace([](const Tensor& x) { return Flip(x, 0); }, {Spec(kFloat32, {8}, "x")});
  ExpectError(ErrorCode::kUnimplemented, "reverse", [&] { DataParallel(turns, {.shards = 2}); });
  const Variable last(Zeros({8}));
  const Function keeps = Trace([&](const Tensor& x) { last.Assign(x); }, {Spec(kFloat32, {8}, "x")});
  ExpectError(ErrorCode::kUnimplemented, "would keep a row per example", [&] { DataParallel(keeps, {.shards = 2}); });
}

// --- members that would not compute the same ---

// The errors of all members of a group of three.
std::vector<std::string> ErrorsOf(const std::function<void(int64_t rank)>& member) {
  std::vector<std::string> errors(3);
  RunMembers(3, [&](int64_t rank) {
    try {
      member(rank);
    } catch (const Error& e) {
      errors[static_cast<size_t>(rank)] = e.what();
      if (e.code() != ErrorCode::kFailedPrecondition) errors[static_cast<size_t>(rank)] += " (of another code)";
    }
  });
  return errors;
}

// y = mean(x + constant) with a variable of other initial values in each member.
Function StepWith(double constant, int64_t batch, const std::string& variable, int64_t rank) {
  const Variable w(Ones({2}) * static_cast<double>(rank), {.name = variable});
  return Trace([&](const Tensor& x) { return ReduceMean(x * w) + constant; }, {Spec(kFloat32, {batch, 2}, "x")},
               "step");
}

TEST(Agreement, DifferencesAreNoticedByAll) {
  using Member = std::function<void(int64_t)>;
  const std::vector<std::pair<const char*, Member>> rows = {
      {"processes 1, 2 of 3 have another graph than process 0",
       [](int64_t rank) { DataParallel(StepWith(rank == 0 ? 1 : 2, 12, "w", rank), {.shards = 6}); }},
      {"process 2 of 3 has another graph than process 0",
       [](int64_t rank) { DataParallel(StepWith(1, rank == 2 ? 18 : 12, "w", rank), {.shards = 6}); }},
      {"process 1 of 3 has another graph than process 0",
       [](int64_t rank) { DataParallel(StepWith(1, 12, rank == 1 ? "v" : "w", rank), {.shards = 6}); }},
      {"process 1 of 3 has another number of shards than process 0: 3, not 6",
       [](int64_t rank) { DataParallel(StepWith(1, 12, "w", rank), {.shards = rank == 1 ? 3 : 6}); }},
      {"process 2 of 3 has another way to communicate than process 0: buckets of 65536 bytes, parts of optimizers, not",
       [](int64_t rank) { DataParallel(StepWith(1, 12, "w", rank), {.shards = 6, .shard_optimizer = rank == 2}); }},
      {"process 2 of 3 has another version of Reel than process 0: 7, not 6; install one",
       [](int64_t rank) {
         internal::RequireAgreement(
             std::vector<internal::Trait>{{"version of Reel", rank == 2 ? "7" : "6", "install one"}});
       }},
  };
  for (const auto& [text, member] : rows) {
    for (const std::string& error : ErrorsOf(member)) EXPECT_THAT(error, HasSubstr(text));
  }
}

TEST(Agreement, InitialValuesAndLongTextsMayDiffer) {
  const std::string longer(100, 'a');
  for (const std::string& error : ErrorsOf([&](int64_t rank) {
         DataParallel(StepWith(1, 12, "w", rank), {.shards = 6});
         internal::RequireAgreement(std::vector<internal::Trait>{{"text", longer + StrCat(rank), ""}});
       })) {
    EXPECT_EQ(error, "");
  }
}

TEST(Agreement, TraitsAreOfTheTarget) {
  const Function f = StepWith(1, 12, "w", 0);
  const auto traits = internal::TraitsOf(f.internal_data()->module, f.internal_data()->entry, {.shards = 8});
  ASSERT_EQ(traits.size(), 5u);
  EXPECT_THAT(traits[1].text, HasSubstr("fused multiply-add"));
  EXPECT_EQ(traits[2].text, "8");
}

}  // namespace
}  // namespace reel
