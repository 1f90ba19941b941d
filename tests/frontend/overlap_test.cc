// Collectives that are under way: what is asked of a group and when, and what happens if that fails.

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "reel/distributed.h"
#include "reel/reel.h"
#include "runtime/communicator.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"
#include "tests/frontend/training_steps.h"

namespace reel {
namespace {

using testing::HasSubstr;

// More at once than a group keeps, waited for in another order by each member.
TEST(Overlap, ThreadsMayWaitInAnyOrder) {
  constexpr int64_t kSize = 3, kCalls = 600;
  RunMembers(kSize, [](int64_t rank) {
    const reel_communicator& group = *runtime::CurrentCommunicator();
    std::vector<int64_t> sent, numbers(kCalls);
    for (int64_t i = 0; i < kCalls; ++i) sent.push_back(1000 * rank + i);
    std::vector<std::vector<int64_t>> got(kCalls, std::vector<int64_t>(kSize));
    for (size_t i = 0; i < kCalls; ++i) {
      ASSERT_EQ(group.start_all_gather(group.context, &sent[i], got[i].data(), sizeof sent[i], &numbers[i]), REEL_OK);
    }
    for (size_t i = 0; i < kCalls; ++i) {
      const size_t k = rank == 0 ? i : rank == 1 ? kCalls - 1 - i : (i * 7) % kCalls;
      ASSERT_EQ(group.wait(group.context, numbers[k]), REEL_OK);
      for (int64_t from = 0; from < kSize; ++from) {
        EXPECT_EQ(got[k][static_cast<size_t>(from)], 1000 * from + static_cast<int64_t>(k));
      }
    }
  });
}

// What a program asks of its group, in order: a, g: all_to_all and all_gather are started; A, G: they are waited for;
// o: one is done at once.
class Recorder {
 public:
  enum Table { kWhole, kWithoutStarts };
  // Call `failing` of these fails.
  explicit Recorder(Table table, int64_t failing = -1) : inner_(*runtime::CurrentCommunicator()), failing_(failing) {
    table_ = inner_;
    table_.context = this;
    table_.all_to_all = AllToAll;
    table_.all_gather = AllGather;
    table_.broadcast = Broadcast;
    table_.start_all_to_all = nullptr;
    table_.start_all_gather = nullptr;
    table_.wait = nullptr;
    if (table == kWithoutStarts) return;
    table_.start_all_to_all = StartAllToAll;
    table_.start_all_gather = StartAllGather;
    table_.wait = Wait;
  }
  const reel_communicator* table() const { return &table_; }
  const std::string& calls() const { return calls_; }

 private:
  static Recorder& Of(void* context) { return *static_cast<Recorder*>(context); }
  bool Note(char call) {
    calls_ += call;
    return static_cast<int64_t>(calls_.size()) - 1 == failing_;
  }
  static int32_t AllToAll(void* c, const void* send, void* receive, int64_t bytes) {
    Recorder& r = Of(c);
    return r.Note('o') || r.inner_.all_to_all(r.inner_.context, send, receive, bytes);
  }
  static int32_t AllGather(void* c, const void* send, void* receive, int64_t bytes) {
    Recorder& r = Of(c);
    return r.Note('o') || r.inner_.all_gather(r.inner_.context, send, receive, bytes);
  }
  static int32_t Broadcast(void* c, void* buffer, int64_t bytes, int64_t root) {
    Recorder& r = Of(c);
    return r.Note('o') || r.inner_.broadcast(r.inner_.context, buffer, bytes, root);
  }
  static int32_t StartAllToAll(void* c, const void* send, void* receive, int64_t bytes, int64_t* number) {
    Recorder& r = Of(c);
    if (r.Note('a') || r.inner_.start_all_to_all(r.inner_.context, send, receive, bytes, number)) return 1;
    r.kinds_[*number] = 'A';
    return 0;
  }
  static int32_t StartAllGather(void* c, const void* send, void* receive, int64_t bytes, int64_t* number) {
    Recorder& r = Of(c);
    if (r.Note('g') || r.inner_.start_all_gather(r.inner_.context, send, receive, bytes, number)) return 1;
    r.kinds_[*number] = 'G';
    return 0;
  }
  static int32_t Wait(void* c, int64_t number) {
    Recorder& r = Of(c);
    const auto it = r.kinds_.find(number);
    if (it == r.kinds_.end()) {
      ADD_FAILURE() << "a wait for what has not been started, or has been waited for";
      return 1;
    }
    const char kind = it->second;
    r.kinds_.erase(it);
    return r.Note(kind) || r.inner_.wait(r.inner_.context, number);
  }

  const reel_communicator inner_;
  const int64_t failing_;
  reel_communicator table_ = {};
  std::map<int64_t, char> kinds_;  // under way
  std::string calls_;
};

// One step of each member with its own kind of table; the calls of each, or why they failed.
std::vector<std::string> CallsOf(const std::vector<Executable>& runs, const TrainingStep& t,
                                 const std::vector<Recorder::Table>& tables, int64_t failing = -1) {
  const auto members = static_cast<int64_t>(tables.size());
  std::vector<std::string> calls(tables.size());
  RunMembers(members, [&](int64_t rank) {
    const auto r = static_cast<size_t>(rank);
    Recorder recorder(tables[r], rank == 0 ? failing : -1);
    const runtime::CommunicatorScope scope(recorder.table());
    std::vector<Tensor> own;
    for (const Tensor& x : t.batch(0)) own.push_back(RowsOf(x, rank, members));
    try {
      runs[r]("train", own);
      calls[r] = recorder.calls();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnavailable);
      calls[r] = e.what();
    }
  });
  return calls;
}

std::string StartsOf(std::string calls) {
  std::erase_if(calls, [](char c) { return c != 'a' && c != 'g'; });
  return calls;
}

class OverlapTest : public testing::Test {
 protected:
  // Instances with memory that others may read until all members have ended.
  std::vector<Executable> Instances() const { return {code_.NewInstance(), code_.NewInstance()}; }

  const TrainingStep t_ = Wide();
  const Executable code_ =
      Compile(Module::Lift({{"train", DataParallel(t_.step, {.shards = 2, .members = 2, .bucket_bytes = 8192})}}));
};

TEST_F(OverlapTest, GradientsAreUnderWayWhileOthersAreComputed) {
  const auto calls = CallsOf(Instances(), t_, {Recorder::kWhole, Recorder::kWhole});
  EXPECT_EQ(calls[0], calls[1]);
  EXPECT_EQ(StartsOf(calls[0]), "aagaggg") << calls[0];
  std::istringstream plan(code_.Plan());
  int under_way = 0, beside = 0;
  for (std::string line; std::getline(plan, line);) {
    under_way += line.find("  start all_") == 0;
    under_way -= line.find("  wait for all_") == 0;
    beside += line.find("  #") == 0 && under_way > 0;
  }
  EXPECT_EQ(under_way, 0);
  EXPECT_GE(beside, 6) << code_.Plan();
}

// Parts of variables go out as soon as they are updated, while other gradients are computed.
TEST_F(OverlapTest, PartsOfAnOptimizerAreUnderWayToo) {
  const DataParallelOptions options{.shards = 2, .members = 2, .bucket_bytes = 8192, .shard_optimizer = true};
  const Executable code = Compile(Module::Lift({{"train", DataParallel(t_.step, options)}}));
  const std::vector<Executable> runs = {code.NewInstance(), code.NewInstance()};
  const std::string calls = CallsOf(runs, t_, {Recorder::kWhole, Recorder::kWhole})[0];
  EXPECT_EQ(StartsOf(calls), "aagaggg") << calls;
}

TEST_F(OverlapTest, TablesWithoutStartsGiveTheSameBits) {
  using Tables = std::vector<Recorder::Table>;
  const std::vector<Executable> whole = Instances();
  CallsOf(whole, t_, {Recorder::kWhole, Recorder::kWhole});
  for (const Tables& tables : {Tables{Recorder::kWhole, Recorder::kWithoutStarts},
                               Tables{Recorder::kWithoutStarts, Recorder::kWithoutStarts}}) {
    const std::vector<Executable> runs = Instances();
    EXPECT_EQ(CallsOf(runs, t_, tables)[1], "ooooooo");
    for (const Executable& run : runs) {
      for (const std::string& name : run.variables()) {
        EXPECT_TRUE(SameBits(run.variable(name), whole[0].variable(name))) << name;
      }
    }
  }
}

// The order is that of the graph, not of the kernels that a level or a machine makes of it.
TEST_F(OverlapTest, MembersMayBeCompiledAtOtherLevels) {
  const Function step = DataParallel(t_.step, {.shards = 2, .members = 2, .bucket_bytes = 8192});
  const Executable plain = Compile(Module::Lift({{"train", step}}), {.opt_level = 0});
  const std::vector<Executable> runs = {code_.NewInstance(), plain.NewInstance()};
  const auto calls = CallsOf(runs, t_, {Recorder::kWhole, Recorder::kWhole});
  EXPECT_EQ(StartsOf(calls[0]), "aagaggg");
  EXPECT_THAT(calls[1], testing::Not(HasSubstr("failed")));
  for (const std::string& name : runs[0].variables()) {
    EXPECT_TRUE(SameBits(runs[0].variable(name), runs[1].variable(name))) << name;
  }
}

TEST_F(OverlapTest, AFailedStartOrWaitEndsTheRun) {
  const std::string all = CallsOf(Instances(), t_, {Recorder::kWhole, Recorder::kWhole})[0];
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<Executable> runs = Instances();
    const auto calls = CallsOf(runs, t_, {Recorder::kWhole, Recorder::kWhole}, static_cast<int64_t>(i));
    EXPECT_THAT(calls[0], HasSubstr("train: communication with the group failed")) << i;
    if (all[i] == 'A' || all[i] == 'G') continue;  // the other may have had what it waits for
    EXPECT_THAT(calls[1], HasSubstr("failed: member 0 of 2 has ended or failed")) << i;
  }
}

}  // namespace
}  // namespace reel
