// Checkpoints: runs that go on, begin anew, and what does not fit.
#include <functional>

#include "tests/frontend/keep_testing.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Training with dropout: model, optimizer and generator.
struct Experiment {
  explicit Experiment(const Optimizer& optimizer_) : optimizer(optimizer_) {}
  Generator generator{11};
  Sequential model{Dense(6, Tanh, {.generator = generator}), Dropout(0.5, generator),
                   Dense(1, {}, {.generator = generator})};
  Optimizer optimizer;
  int64_t step = 0;

  float Step() {
    const TrainingScope training;
    const Tensor x = RandomNormal({8, 3}, {.generator = generator});
    GradientTape tape;
    const Tensor loss = ReduceMean(Square(model(x) - ReduceSum(x, 1, {.keepdims = true})));
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    ++step;
    return loss.item<float>();
  }
  std::vector<std::pair<std::string, StateRef>> parts() {
    return {{"model", model}, {"optimizer", optimizer}, {"generator", generator}, {"step", &step}};
  }
};

std::vector<std::pair<const char*, std::function<Optimizer()>>> Optimizers() {
  return {{"sgd", [] { return Sgd(); }},
          {"momentum", [] { return Sgd({.momentum = 0.9}); }},
          {"adam", [] { return Adam({.learning_rate = CosineDecay({.steps = 9}), .amsgrad = true}); }},
          {"adamw", [] { return AdamW(); }},
          {"adamax", [] { return Adamax(); }},
          {"nadam", [] { return Nadam(); }},
          {"rmsprop", [] { return RmsProp({.momentum = 0.9, .centered = true}); }},
          {"adagrad", [] { return Adagrad(); }},
          {"adadelta", [] { return Adadelta(); }},
          {"lion", [] { return Lion(); }},
          {"lamb", [] { return Lamb(); }},
          {"adafactor", [] { return Adafactor(); }}};
}

TEST(Checkpoint, GoesOnWhereItWasWithEveryOptimizer) {
  for (const auto& [name, make] : Optimizers()) {
    const Folder folder;
    Experiment whole(make());
    std::string path;
    for (int i = 0; i < 5; ++i) {
      if (i == 3) path = Checkpoint(folder / "run", whole.parts()).Save();
      whole.Step();
    }
    EXPECT_EQ(path, folder / "run-1.safetensors");
    Experiment resumed(make());
    EXPECT_EQ(Checkpoint(folder / "run", resumed.parts()).Restore(), path);
    EXPECT_EQ(resumed.step, 3);
    // Saved again before the first step has made the slots, nothing is lost.
    Checkpoint(folder / "again", resumed.parts()).Save();
    Experiment again(make());
    Checkpoint(folder / "again", again.parts()).Restore();
    for (Experiment* run : {&resumed, &again}) {
      run->Step();
      run->Step();
      EXPECT_TRUE(Same(GetState(StateRef(run->parts())), GetState(StateRef(whole.parts())))) << name;
    }
  }
}

TEST(Checkpoint, FromBeforeTheFirstStepBeginsAnew) {
  for (const auto& [name, make] : Optimizers()) {
    const Folder folder;
    Experiment run(make());
    run.model(Zeros({1, 3}));  // makes its variables
    const Checkpoint checkpoint(folder / "run", run.parts());
    checkpoint.Save();
    std::vector<float> first, again;
    for (int i = 0; i < 3; ++i) first.push_back(run.Step());
    const StateDict last = GetState(StateRef(run.parts()));
    checkpoint.Restore();
    for (int i = 0; i < 3; ++i) again.push_back(run.Step());
    EXPECT_EQ(again, first) << name;
    EXPECT_TRUE(Same(last, GetState(StateRef(run.parts())))) << name;
  }
}

TEST(Checkpoint, SlotsUnderOtherNamesAreNoBeginning) {
  Experiment run{Adam()};
  run.Step();
  StateDict renamed = GetState(StateRef(run.parts()));
  for (auto& [name, value] : renamed) {
    if (name.ends_with("/m") || name.ends_with("/v")) name.insert(name.find('/') + 1, "old_");
  }
  EXPECT_THAT(ErrorOf([&] { LoadState(StateRef(run.parts()), renamed); }),
              HasSubstr("missing: \"optimizer/dense/kernel/m\" f32[3,6]"));
  // Of an optimizer whose hyperparameters are missing, too, nothing is known.
  StateDict model;
  for (auto& [name, value] : GetState(StateRef(run.parts()))) {
    if (!name.starts_with("optimizer/")) model.emplace_back(name, value);
  }
  EXPECT_THAT(ErrorOf([&] { LoadState(StateRef(run.parts()), model); }),
              HasSubstr("missing: \"optimizer/dense/kernel/m\" f32[3,6]"));
}

TEST(Checkpoint, KeepsTheNewestAndPassesOverDamagedFiles) {
  const Folder folder;
  int64_t step = 0;
  const Checkpoint checkpoint(folder / "a/b/", {{"step", &step}}, {.keep = 2});
  EXPECT_EQ(checkpoint.Restore(), "");
  for (step = 1; step <= 11; ++step) checkpoint.Save();
  EXPECT_THAT(checkpoint.files(),
              ElementsAre(folder / "a/b/checkpoint-10.safetensors", folder / "a/b/checkpoint-11.safetensors"));
  Write(folder / "a/b/checkpoint-x.safetensors", "no number");
  EXPECT_EQ(checkpoint.Restore(), folder / "a/b/checkpoint-11.safetensors");
  EXPECT_EQ(step, 11);
  std::filesystem::resize_file(folder / "a/b/checkpoint-11.safetensors", 40);
  testing::internal::CaptureStderr();
  EXPECT_EQ(checkpoint.Restore(), folder / "a/b/checkpoint-10.safetensors");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("passed over"));
  EXPECT_EQ(step, 10);
  std::filesystem::resize_file(folder / "a/b/checkpoint-10.safetensors", 0);
  EXPECT_THAT(ErrorOf([&] { checkpoint.Restore(); }), HasSubstr("no file is whole"));
  EXPECT_THAT(ErrorOf([&] { checkpoint.Restore(folder / "a/b/checkpoint-9.safetensors"); }), HasSubstr("cannot open"));
  EXPECT_EQ(checkpoint.Save(), folder / "a/b/checkpoint-12.safetensors");
}

// A bit that changed, anywhere in the file, is an error or changes nothing; of an element, the error names its entry.
TEST(Checkpoint, ChangedBitsAreErrors) {
  const Folder folder;
  Experiment run{Adam()};
  run.Step();
  const std::string path = Checkpoint(folder / "run", run.parts()).Save();
  const StateDict saved = ReadWeights(path);
  const std::string good = Bytes(path);
  uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  const size_t elements = 8 + header;
  ASSERT_GT(good.size(), elements + 100);
  int harmless = 0;
  for (size_t bit = 0; bit < 8 * good.size(); bit += bit < 8 * elements ? 5 : 3) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    Write(path, bad);
    std::string error;
    try {
      EXPECT_TRUE(Same(ReadWeights(path), saved)) << bit;
      ++harmless;
    } catch (const Error& e) {
      error = e.what();
      EXPECT_EQ(e.code(), ErrorCode::kDataLoss) << bit;
      EXPECT_THAT(error, HasSubstr("run-1.safetensors\": damaged safetensors: ")) << bit;
    }
    if (bit < 8 * elements) continue;
    EXPECT_THAT(error, ::testing::ContainsRegex("entry \".+\": its elements do not have its checksum")) << bit;
  }
  EXPECT_LT(harmless, 10);  // spaces that became other white space, at most
}

TEST(Checkpoint, ADamagedElementIsPassedOver) {
  const Folder folder;
  const Variable w(Tensor{1.f, 2.f, 3.f}, {.name = "w"});
  const Checkpoint checkpoint(folder / "run", {{"w", w}});
  checkpoint.Save();
  w.Assign(Tensor{4.f, 5.f, 6.f});
  const std::string newest = checkpoint.Save();
  std::string bytes = Bytes(newest);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  Write(newest, bytes);
  testing::internal::CaptureStderr();
  EXPECT_EQ(checkpoint.Restore(), folder / "run-1.safetensors");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr("run-2.safetensors\": damaged safetensors: entry \"w\": its elements do not have its checksum"));
  EXPECT_TRUE(Same(w.value(), Tensor{1.f, 2.f, 3.f}));
}

// What earlier versions wrote, and other programs write.
TEST(Checkpoint, FilesWithoutChecksumsLoad) {
  const Folder folder;
  const Variable w(Zeros({2}), {.name = "w"});
  const Checkpoint checkpoint(folder / "run", {{"w", w}});
  SaveWeights(folder / "run-1.safetensors", StateDict{{"w", Tensor{1.f, 2.f}}});
  EXPECT_THAT(Bytes(folder / "run-1.safetensors"), ::testing::Not(HasSubstr("crc32")));
  EXPECT_EQ(checkpoint.Restore(), folder / "run-1.safetensors");
  EXPECT_TRUE(Same(w.value(), Tensor{1.f, 2.f}));
}

TEST(Checkpoint, SaysAllDifferencesOfAllPartsAtOnce) {
  const Folder folder;
  Experiment adam{Adam()};
  adam.Step();
  Checkpoint(folder / "run", adam.parts()).Save();
  Experiment sgd{Sgd({.momentum = 0.9})};
  const StateDict before = GetState(StateRef(sgd.parts()));
  const Variable more(Zeros({1}));
  auto parts = sgd.parts();
  parts[0].second = Sequential(Dense(3, 6), Dense(6, 2));
  parts.emplace_back("more", more);
  const std::string error = ErrorOf([&] { Checkpoint(folder / "run", parts).Restore(); });
  EXPECT_THAT(error, HasSubstr("run-1.safetensors"));
  EXPECT_THAT(error, HasSubstr("shape: \"model/dense_1/kernel\" is f32[6,1], not f32[6,2]"));
  EXPECT_THAT(error, HasSubstr("missing: \"optimizer/momentum\" f32[]"));
  EXPECT_THAT(error, HasSubstr("extra: \"optimizer/beta_1\" f32[]"));
  EXPECT_THAT(error, HasSubstr("extra: \"optimizer/dense/kernel/m\" f32[3,6]"));
  EXPECT_THAT(error, HasSubstr("missing: \"more\" f32[1]"));
  EXPECT_TRUE(Same(before, GetState(StateRef(sgd.parts()))));
}

TEST(Checkpoint, SlotsOfAnotherModelAreSaidByTheFirstStep) {
  const Variable a(Zeros({2}), {.name = "w"}), b(Zeros({3}), {.name = "w"});
  const auto step = [](const Adam& adam, const std::vector<Variable>& variables) {
    GradientTape tape;
    Tensor loss = Tensor(0.f);
    for (const Variable& v : variables) loss = loss + ReduceSum(Square(v + 1));
    adam.Apply(tape.Gradient(loss, variables));
  };
  const Adam one, two, three;
  step(one, {a, b});
  EXPECT_THAT(NamesOf(GetState(one)), testing::IsSupersetOf({"w/m", "w_1/m"})) << "names of slots are distinct";
  LoadState(two, GetState(one));
  step(two, {a, b});
  LoadState(three, GetState(one));
  EXPECT_THAT(ErrorOf([&] { step(three, {b}); }),
              HasSubstr("loaded for slot 'adam/w/m' is f32[2], the variable needs f32[3]"));
}

TEST(Checkpoint, SlotsOfOtherNamesAreSaidByTheFirstStep) {
  const auto step = [](const Optimizer& optimizer, const Variable& w) {
    GradientTape tape;
    optimizer.Apply(tape.Gradient(ReduceSum(Square(w + 1)), std::vector<Variable>{w}));
  };
  const Variable one(Zeros({2}), {.name = "dense/kernel"}), other(Zeros({2}), {.name = "dense_1/kernel"});
  const Adam first, second, third, fourth;
  step(first, one);
  LoadState(second, GetState(first));
  EXPECT_THAT(ErrorOf([&] { step(second, other); }),
              HasSubstr("slots were loaded for 'dense/kernel', and the step has 'dense_1/kernel'"));
  EXPECT_EQ(ReduceSum(other.value()).item<float>(), 0) << "nothing has moved";
  LoadState(third, GetState(first), {.strict = false});
  step(third, other);  // a new head
  LoadState(fourth, GetState(first));
  step(fourth, one);
  step(fourth, other);  // one that comes later
}

TEST(Checkpoint, SlotsOfAnOptimizerWithOtherOptionsAreAnError) {
  const Variable w(Zeros({2}), {.name = "w"});
  const auto step = [&](const Optimizer& optimizer) {
    GradientTape tape;
    optimizer.Apply(tape.Gradient(ReduceSum(Square(w + 1)), std::vector<Variable>{w}));
  };
  const Adam plain, amsgrad({.amsgrad = true});
  step(plain);
  LoadState(amsgrad, GetState(plain));
  EXPECT_THAT(ErrorOf([&] { step(amsgrad); }), HasSubstr("is it of an optimizer with other options?"));
}

TEST(Checkpoint, AveragesAndLossScales) {
  const Variable w(Tensor({1.f, 2.f}), {.name = "w"});
  const ExponentialMovingAverage one({.decay = 0.5}), two({.decay = 0.9});
  const LossScale scale({.initial = 64}), other;
  one.Update({w});
  w.Assign(Tensor({5.f, 6.f}));
  one.Update({w});
  LoadState(StateRef({{"average", one}, {"scale", scale}}), GetState(StateRef({{"average", one}, {"scale", scale}})));
  LoadState(two, GetState(one));
  LoadState(other, GetState(scale));
  EXPECT_TRUE(Same(one.Average(w).value(), two.Average(w).value()));
  EXPECT_TRUE(Same(GetState(one), GetState(two)));
  EXPECT_TRUE(Same(GetState(scale), GetState(other)));
}

}  // namespace
}  // namespace reel
