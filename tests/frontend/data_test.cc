// Datasets: what steps make of a source, places that are kept, threads that read ahead, and files that are wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <set>
#include <thread>

#include "frontend/data/image.h"
#include "ir/strings.h"
#include "runtime/philox.h"
#include "tests/frontend/keep_testing.h"
#include "tests/frontend/same_bits.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<int64_t>;

/// All numbers of what is left of an iterator over numbers, or over batches of them.
Numbers Drain(const DatasetIterator& iterator) {
  Numbers out;
  while (const auto example = iterator.Next()) {
    const auto values = (*example)[0].data<int64_t>();
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}
Numbers Epoch(const Dataset& dataset, int64_t epoch = 0) { return Drain(dataset.Iterate(epoch)); }

Numbers Iota(int64_t n, int64_t first = 0) {
  Numbers out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), first);
  return out;
}

Example Squared(const Example& x) { return {x[0], Square(x[0])}; }

TEST(Data, ArraysAreRowsAndBatches) {
  const Tensor x({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}), y({7, 8, 9});
  const Dataset data = Dataset::FromArrays({x, y});
  EXPECT_EQ(data.size(), 3);
  EXPECT_EQ(data.At(-1)[0].ToVector<float>(), (std::vector<float>{5, 6}));
  const Example batch = data.Batch(2).At(0);
  const auto [bx, by] = batch.As<2>();
  EXPECT_EQ(bx.type(), (Type{kFloat32, {2, 2}}));
  EXPECT_EQ(by.ToVector<int32_t>(), (std::vector<int32_t>{7, 8}));
  const Dataset all = data.Batch(2, false);
  EXPECT_EQ(all.size(), 2);
  EXPECT_EQ(all.At(1)[0].type(), (Type{kFloat32, {1, 2}}));
  const std::vector<Spec> specs = all.specs();
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_FALSE(specs[0].type.shape[0].is_constant());
  EXPECT_EQ(specs[0].symbols.at(0).max, 2);
  EXPECT_EQ(data.Batch(2).specs()[0].type, (Type{kFloat32, {2, 2}}));
  EXPECT_EQ(data.Batch(1).Batch(3).At(0)[0].type(), (Type{kFloat32, {3, 1, 2}}));
}

TEST(Data, NamesStay) {
  const Dataset data = Dataset::FromArrays(Example::Named({{"x", Tensor({1, 2})}, {"label", Tensor({3, 4})}}));
  const Example batch = data.Shuffle(1).Batch(2).At(0);
  EXPECT_THAT(batch.names(), ElementsAre("x", "label"));
  EXPECT_EQ(batch["label"].size(), 2);
  EXPECT_THAT(ErrorOf([&] { std::ignore = batch["y"]; }), HasSubstr(R"(no tensor "y"; there are "x", "label")"));
  EXPECT_THAT(ErrorOf([&] { std::ignore = batch.As<3>(); }), HasSubstr("it has 2 tensors, expected 3"));
}

TEST(Data, ShuffleIsAPermutationOfItsOwnForEachEpoch) {
  const Dataset data = Dataset::Range(2500).Shuffle(5);
  std::set<Numbers> orders;
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    Numbers order = Epoch(data, epoch);
    EXPECT_TRUE(orders.insert(order).second);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, Iota(2500));
  }
  EXPECT_EQ(Epoch(data, 2), Epoch(Dataset::Range(2500).Shuffle(5), 2));
  EXPECT_NE(Epoch(data), Epoch(Dataset::Range(2500).Shuffle(6)));
  Numbers seen;
  for (int i = 0; i < 2; ++i) {
    for (const Example& x : data) seen.push_back(x[0].item<int64_t>());
  }
  Numbers expected = Epoch(data, 0), second = Epoch(data, 1);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(seen, expected);
}

TEST(Data, ShuffleIsFisherAndYatesOfTheGeneratorsKeys) {
  const int64_t n = 1500, epoch = 3;
  const Generator generator(9);
  const Tensor keys = generator.Split(epoch + 1);
  const int64_t key = keys.data<int64_t>()[static_cast<size_t>(2 * epoch)];
  std::vector<uint32_t> words(2 * n);
  runtime::RandomBits(key, 0, 0, words);
  Numbers order = Iota(n);
  for (size_t i = order.size(); i-- > 1;) {
    const uint64_t bits = uint64_t{words[2 * i + 1]} << 32 | words[2 * i];
    std::swap(order[i], order[static_cast<size_t>((static_cast<unsigned __int128>(bits) * (i + 1)) >> 64)]);
  }
  EXPECT_EQ(Epoch(Dataset::Range(n).Shuffle(9), epoch), order);
}

TEST(Data, StepsTakeTheirParts) {
  const Dataset ten = Dataset::Range(10);
  const std::pair<Dataset, Numbers> table[] = {
      {ten.Take(3), {0, 1, 2}},
      {ten.Take(99), Iota(10)},
      {ten.Skip(8), {8, 9}},
      {ten.Skip(99), {}},
      {ten.Skip(7).Repeat(2), {7, 8, 9, 7, 8, 9}},
      {ten.Repeat().Skip(8).Take(4), {8, 9, 0, 1}},
      {ten.Take(3).Repeat(3).Batch(2), {0, 1, 2, 0, 1, 2, 0, 1}},
      {ten.Take(3).Repeat(3).Batch(2, false), {0, 1, 2, 0, 1, 2, 0, 1, 2}},
      {ten.Batch(4), Iota(8)},
      {ten.Batch(4, false), Iota(10)},
      {ten.Batch(2).Take(2).Batch(2), Iota(4)},
      {ten.Repeat(0), {}},
      {Dataset::Range(0).Repeat(), {}},
      {ten.Split(0.75, std::nullopt).first, Iota(8)},
      {ten.Split(0.75, std::nullopt).second, {8, 9}},
      {ten.Map([](const Example& x) { return x[0] + int64_t{1}; }).Batch(5), Iota(10, 1)},
  };
  for (const auto& [data, expected] : table) EXPECT_EQ(Epoch(data), expected) << data.str();
  EXPECT_EQ(ten.Repeat().size(), -1);
  const auto [a, b] = ten.Split(0.3, 4);
  Numbers parts = Epoch(a), rest = Epoch(b);
  EXPECT_EQ(parts.size(), 3u);
  EXPECT_TRUE(std::is_sorted(rest.begin(), rest.end()));
  parts.insert(parts.end(), rest.begin(), rest.end());
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts, Iota(10));
}

TEST(Data, RepeatShufflesEachEpochAnew) {
  const Dataset once = Dataset::Range(50).Shuffle(3);
  Numbers expected = Epoch(once, 0), second = Epoch(once, 1);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(Epoch(once.Repeat(2)), expected);
  EXPECT_EQ(Epoch(once.Repeat().Take(100)), expected);
  EXPECT_EQ(Epoch(once.Repeat(2).Batch(20)), expected);
  EXPECT_NE(Epoch(once.Repeat(2), 1), expected);
}

// What one process sees, batch after batch, is what several see together; each of them makes its own examples alone.
TEST(Data, ShardsAreTheRowsOfEachBatch) {
  const auto pipeline = [](int64_t rank, int64_t size, int64_t* made) {
    const auto count = [made](const Example& x, const Generator& g) {
      if (made) ++*made;
      return Example{x[0], RandomNormal({2}, {.generator = g})};
    };
    return Dataset::Range(30).Shuffle(7).Map(count, 9).Batch(12).Shard(rank, size).Repeat();
  };
  for (const int64_t size : {1, 2, 4}) {
    int64_t made = 0;
    std::vector<DatasetIterator> parts;
    for (int64_t rank = 0; rank < size; ++rank)
      parts.push_back(pipeline(rank, size, rank == 0 ? &made : nullptr).Iterate(0));
    const DatasetIterator whole = pipeline(0, 1, nullptr).Iterate(0);
    for (int step = 0; step < 5; ++step) {
      std::vector<Tensor> indices, draws;
      for (const DatasetIterator& part : parts) {
        const Example own = *part.Next();
        EXPECT_EQ(own[0].shape(), Shape({12 / size}));
        indices.push_back(own[0]);
        draws.push_back(own[1]);
      }
      const Example all = *whole.Next();
      EXPECT_TRUE(SameBits(Concat(indices, 0), all[0]) && SameBits(Concat(draws, 0), all[1])) << size << ", " << step;
    }
    EXPECT_EQ(made, 5 * 12 / size) << "rows of others are not read";
    // A place is that of all, and of any number of them.
    const DatasetIterator other = pipeline(1, 3, nullptr).Iterate(4);
    LoadState(other, GetState(parts[0]));
    EXPECT_EQ(other.position(), 5);
    EXPECT_EQ(pipeline(size - 1, size, nullptr).specs()[1].type, (Type{kFloat32, {12 / size, 2}}));
  }
  EXPECT_EQ(pipeline(1, 3, nullptr).str(), "range(30).shuffle(7).map(f, seed=9).batch(12).shard(1, 3).repeat()");
  EXPECT_EQ(Epoch(Dataset::Range(8).Batch(4, false).Shard(1, 2)), (Numbers{2, 3, 6, 7}));
}

Example Noisy(const Example& x, const Generator& generator) {
  return {x[0], RandomNormal({3}, {.generator = generator})};
}

TEST(Data, MapDrawsFromSeedEpochAndPlaceAlone) {
  const Dataset data = Dataset::Range(6).Map(Noisy, 7);
  const auto noise = [](const Example& x) { return x[1].ToVector<float>(); };
  EXPECT_EQ(noise(data.At(2)), noise(data.At(2)));
  EXPECT_NE(noise(data.At(2)), noise(data.At(3)));
  const DatasetIterator ahead = data.Prefetch(3).Iterate(1);
  const DatasetIterator plain = data.Iterate(1);
  plain.Seek(1, 4);
  for (int i = 0; i < 4; ++i) ahead.Next();
  EXPECT_EQ(noise(*ahead.Next()), noise(*plain.Next()));
  EXPECT_NE(noise(*data.Iterate(0).Next()), noise(*data.Iterate(1).Next()));
}

/// Pipelines whose every place is tested.
std::vector<Dataset> Pipelines() {
  const Dataset source = Dataset::Range(23);
  std::vector<Dataset> out;
  for (const Dataset& d :
       {source, source.Shuffle(1), source.Shuffle(1).Repeat(3), source.Shuffle(2).Repeat().Take(61),
        source.Map(Squared), source.Shuffle(3).Repeat(2).Shuffle(4), source.Split(0.5).first.Shuffle(1).Repeat(4)}) {
    for (const Dataset& batched : {d, d.Batch(4), d.Batch(4, false)}) {
      out.push_back(batched);
      out.push_back(batched.Prefetch(2));
    }
  }
  return out;
}

TEST(Data, AKeptPlaceGoesOnWithTheSameExamples) {
  const Folder folder;
  const std::vector<Dataset> pipelines = Pipelines();
  for (size_t k = 0; k < pipelines.size(); ++k) {
    const Numbers all = Epoch(pipelines[k], 5);
    for (int64_t taken = 0; taken <= pipelines[k].size(); taken += 3) {
      const DatasetIterator first = pipelines[k].Iterate(5);
      for (int64_t i = 0; i < taken; ++i) first.Next();
      // Of each pipeline one place goes through a file, the others through the values that it would hold.
      const bool in_file = taken == 6;
      const Checkpoint file(StrCat(folder / "run", k), {{"data", first}});
      const StateDict values = GetState(first);
      if (in_file) file.Save();
      const Numbers rest = Drain(first);
      // Prefetched or not, the place is the same.
      for (const Dataset& other : {pipelines[k], pipelines[k].Prefetch(3)}) {
        const DatasetIterator resumed = other.Iterate();
        resumed.Next();
        if (in_file)
          Checkpoint(StrCat(folder / "run", k), {{"data", resumed}}).Restore();
        else
          LoadState(resumed, values);
        EXPECT_EQ(resumed.position(), taken);
        EXPECT_EQ(resumed.epoch(), 5);
        EXPECT_EQ(Drain(resumed), rest) << other.str();
        EXPECT_EQ(other.Iterate().epoch(), 6);
      }
    }
    EXPECT_TRUE(std::equal(all.begin(), all.end(), Epoch(pipelines[k].Prefetch(5), 5).begin()));
  }
}

TEST(Data, APlaceOfOtherDataIsRefused) {
  const DatasetIterator from = Dataset::Range(10).Batch(2).Iterate(3);
  from.Next();
  const StateDict place = GetState(from);
  for (const Dataset& other : {Dataset::Range(10).Batch(5), Dataset::Range(11).Batch(2), Dataset::Range(10)}) {
    const DatasetIterator iterator = other.Iterate();
    EXPECT_THAT(ErrorOf([&] { LoadState(iterator, place); }), HasSubstr("is a place in other data"));
    EXPECT_EQ(iterator.position(), 0);
  }
  const DatasetIterator same = Dataset::Range(10).Batch(2).Iterate();
  LoadState(same, place);
  EXPECT_EQ(same.position(), 1);
  const Tensor beyond({int64_t{0}, int64_t{6}, place[0].second.data<int64_t>()[2]});
  EXPECT_THAT(ErrorOf([&] { LoadState(same, {{place[0].first, beyond}}); }), HasSubstr("which has 5"));
  EXPECT_THAT(ErrorOf([&] { same.Seek(0, -1); }), HasSubstr("at example -1"));
}

TEST(Data, ErrorsOfTheThreadArriveInOrder) {
  const auto fails = [](const Example& x) {
    if (x[0].item<int64_t>() % 3 == 1) throw std::runtime_error(StrCat("no ", x[0].item<int64_t>()));
    return x;
  };
  for (const Dataset& data : {Dataset::Range(6).Map(fails), Dataset::Range(6).Map(fails).Prefetch(4)}) {
    const DatasetIterator iterator = data.Iterate();
    std::string seen;
    while (iterator.position() < data.size()) {
      try {
        StrAppend(&seen, (*iterator.Next())[0].item<int64_t>(), " ");
      } catch (const std::runtime_error& error) {
        StrAppend(&seen, error.what(), " ");
      }
    }
    EXPECT_EQ(seen, "0 no 1 2 3 no 4 5 ");
    EXPECT_FALSE(iterator.Next().has_value());
  }
}

TEST(Data, DroppedEarlyNothingHangsAndNothingStays) {
  std::atomic<int> alive = 0;
  struct Counted {
    explicit Counted(std::atomic<int>* n) : count(n) { ++*count; }
    ~Counted() { --*count; }
    std::atomic<int>* count;
  };
  for (int i = 0; i < 50; ++i) {
    const auto counted = std::make_shared<Counted>(&alive);
    const Dataset data = Dataset::Range(1000).Map([counted](const Example& x) { return x; }).Prefetch(i % 5 + 1);
    const DatasetIterator iterator = data.Iterate();
    for (int k = 0; k < i % 4; ++k) iterator.Next();
  }
  for (int i = 0; i < 1000 && alive > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(alive, 0);
}

TEST(Data, ThreadsShareAnIterator) {
  for (const Dataset& data : {Dataset::Range(400).Shuffle(0), Dataset::Range(400).Shuffle(0).Prefetch(3)}) {
    const DatasetIterator iterator = data.Iterate();
    std::vector<Numbers> parts(4);
    std::vector<std::thread> threads;
    for (Numbers& part : parts) threads.emplace_back([&] { part = Drain(iterator); });
    for (std::thread& t : threads) t.join();
    Numbers all;
    for (const Numbers& part : parts) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, Iota(400));
  }
}

TEST(Data, AForkedChildGoesOn) {
  const Dataset data = Dataset::Range(300).Shuffle(0).Prefetch(4);
  const Numbers all = Epoch(data, 0);
  const DatasetIterator iterator = data.Iterate(0);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ((*iterator.Next())[0].item<int64_t>(), all[i]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const Numbers rest = Drain(iterator);
    ::_exit(std::equal(rest.begin(), rest.end(), all.begin() + 5, all.end()) ? 0 : 1);
  }
  const Numbers rest = Drain(iterator);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 5, all.end()));
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Data, MapRunsOutsideOfTapesAndTraces) {
  const Variable w(Tensor(2.f));
  GradientTape tape;
  const Dataset data = Dataset::FromArrays(Tensor({1.f, 2.f})).Map([&](const Example& x) { return x[0] * w; });
  const Tensor x = (*data.Iterate().Next())[0];
  const auto gradient = tape.Gradient(ReduceSum(x * 3.f), w);
  EXPECT_FALSE(gradient.has_value());
  const Function f = Trace([&](const Tensor& y) { return y + (*data.Iterate().Next())[0]; }, {Spec(kFloat32, {})});
  const Tensor sum = f(Tensor(1.f));
  EXPECT_EQ(sum.item<float>(), 3.f);
}

TEST(Data, WrongStepsSayWhatIsWrong) {
  const Dataset ten = Dataset::Range(10);
  const std::pair<std::function<void()>, const char*> table[] = {
      {[&] { ten.Batch(0); }, "batch: 0 is too small"},
      {[&] { ten.Batch(11); }, "has 10 examples, less than one batch of 11"},
      {[&] { ten.Take(-1); }, "take: -1"},
      {[&] { ten.Skip(-1); }, "skip: -1"},
      {[&] { ten.Repeat(-1); }, "repeat: -1"},
      {[&] { ten.Repeat().Repeat(); }, "range(10).repeat() never ends"},
      {[&] { ten.Repeat(int64_t{1} << 62); }, "too many to count"},
      {[&] { ten.Repeat().Shuffle(0); }, "write shuffle before repeat"},
      {[&] { ten.Repeat().Split(0.5); }, "write split before repeat"},
      {[&] { ten.Split(1); }, "split: the fraction 1 is not between 0 and 1"},
      {[&] { ten.Take(1).Split(0.5); }, "two parts need 2"},
      {[&] { ten.Shard(0, 2); }, "range(10) is not what batch gives; write shard right behind batch"},
      {[&] { ten.Batch(4).Shard(0, 2).Shard(0, 2); }, "write shard right behind batch"},
      {[&] { ten.Batch(4).Shard(2, 2); }, "shard: there is no part 2 of 2"},
      {[&] { ten.Batch(4).Shard(0, 3); }, "shard: 3 processes do not divide a batch of range(10).batch(4)"},
      {[&] { ten.Batch(4, false).Shard(0, 2); }, "do not divide the last batch"},
      {[&] { ten.Prefetch(0); }, "prefetch: 0"},
      {[&] { ten.Prefetch(2000); }, "more than 1024"},
      {[&] { ten.Map(nullptr); }, "the function is null"},
      {[&] { ten.At(10); }, "there is no example 10 in range(10), which has 10"},
      {[&] { ten.Iterate(-1); }, "epoch -1"},
      {[&] { Dataset::Range(-1); }, "-1 is negative"},
      {[&] { Dataset::FromArrays({}); }, "there are no arrays"},
      {[&] { Dataset::FromArrays(Tensor(1.f)); }, "is a scalar"},
      {[&] { Dataset::FromArrays(Tensor()); }, "has no elements"},
      {[&] { Dataset::FromArrays({Zeros({3, 2}), Zeros({4})}); },
       "array 1 f32[4] has 4 rows, but array 0 f32[3,2] has 3; first extents must be equal"},
      {[&] { ten.Map([](const Example&) { return Example(); }).At(0); }, "map: the function gave no tensors"},
      {[&] { ten.Map([](const Example& x) { return Zeros({x[0].item<int64_t>() + 1}); }).Batch(2).At(0); },
       "of example 1 is f32[2], that of the first f32[1]"},
      {[&] { Example::Named({{"x", Zeros({1})}, {"x", Zeros({1})}}); }, "two tensors are called \"x\""},
  };
  for (const auto& [f, text] : table) EXPECT_THAT(ErrorOf(f), HasSubstr(text));
}

TEST(Data, ImagesAreResizedAsResizeDoes) {
  std::vector<std::byte> image(5 * 7 * 3);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::byte>(i * 37 % 256);
  const Tensor x = Cast(Tensor::FromBytes(kUInt8, {5, 7, 3}, image.data()), kFloat32);
  for (const auto& [h, w] : {std::pair<int64_t, int64_t>{9, 4}, {5, 7}, {1, 1}, {3, 20}}) {
    const std::vector<float> ours = internal::ResizeImage(image, {5, 7, 3}, h, w, 3);
    const auto theirs = Resize(x, {h, w}, {.axes = {0, 1}}).ToVector<float>();
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-3) << h << "x" << w << " at " << i;
  }
}

}  // namespace
}  // namespace reel
