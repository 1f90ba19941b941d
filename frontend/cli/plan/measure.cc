#include "frontend/cli/plan/measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "frontend/cli/cli.h"
#include "frontend/record/event_log.h"
#include "reel/reel.h"
#include "runtime/communicator.h"

namespace reel::cli {
namespace {

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void Require(int32_t status) {
  if (status != REEL_OK) Fail(kInvalid, StrCat("plan: MPI fails: ", runtime::TakeCommunicationError()));
}

// The largest of the members' values.
double Largest(const reel_communicator& group, double own) {
  std::vector<double> all(static_cast<size_t>(group.size));
  Require(group.all_gather(group.context, &own, all.data(), sizeof own));
  return *std::max_element(all.begin(), all.end());
}

// The lower quartile over rounds of f's time, of the slowest member of each, which other programs on the machine
// disturb little; members begin a round together. As many rounds as fit into so many seconds, four at least.
template <typename F>
double SlowestOfRounds(const reel_communicator& group, double seconds, const F& f) {
  constexpr size_t kLeast = 4, kMost = 400;
  std::vector<double> times;
  for (double all = 0; times.size() < kLeast || (all < seconds && times.size() < kMost); all += times.back()) {
    Largest(group, 0);
    const double start = Seconds();
    f();
    times.push_back(Largest(group, Seconds() - start));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

// A group of one process that takes itself for the others, and its time.
struct Loopback {
  int64_t size = 1;
  double seconds = 0;
  reel_communicator communicator = {};

  explicit Loopback(int64_t members) : size(members) {
    communicator = {
        REEL_COMMUNICATOR_VERSION, 0, members, this, AllToAll, AllGather, Broadcast, nullptr, nullptr, nullptr};
  }
  static int32_t AllToAll(void* context, const void* send, void* receive, int64_t bytes) {
    auto* const self = static_cast<Loopback*>(context);
    return self->Timed([&] { std::memcpy(receive, send, static_cast<size_t>(self->size * bytes)); });
  }
  static int32_t AllGather(void* context, const void* send, void* receive, int64_t bytes) {
    auto* const self = static_cast<Loopback*>(context);
    return self->Timed([&] {
      for (int64_t i = 0; i < self->size; ++i)
        std::memcpy(static_cast<char*>(receive) + i * bytes, send, static_cast<size_t>(bytes));
    });
  }
  static int32_t Broadcast(void*, void*, int64_t, int64_t) { return REEL_OK; }
  template <typename F>
  int32_t Timed(const F& f) {
    const double start = Seconds();
    f();
    seconds += Seconds() - start;
    return REEL_OK;
  }
};

}  // namespace

Measured MeasureNetwork(const reel_communicator& group) {
  constexpr int64_t kAll = 32 << 20, kTogether = 8;  // a step has several, one after the other
  constexpr double kSeconds = 0.2;                   // of a size
  std::vector<char> send(static_cast<size_t>(kAll)), receive(send.size());
  const auto exchange = [&](int64_t bytes, int64_t times) {
    return [&, bytes, times] {
      for (int64_t i = 0; i < times; ++i) {
        Require(group.all_to_all(group.context, send.data(), receive.data(), bytes));
        Require(group.all_gather(group.context, send.data(), receive.data(), bytes));
      }
    };
  };
  SlowestOfRounds(group, 0, exchange(kAll / group.size, 1));  // pages are touched, connections made
  Measured measured;
  for (int64_t bytes = 8; bytes * group.size <= kAll; bytes *= bytes < (1 << 10) ? 16 : 2) {
    measured[bytes] = SlowestOfRounds(group, kSeconds, exchange(bytes, kTogether)) / (2 * kTogether);
  }
  // What takes longer than more bytes do was disturbed.
  for (auto point = std::next(measured.rbegin()); point != measured.rend(); ++point) {
    point->second = std::min(point->second, std::prev(point)->second);
  }
  return measured;
}

double MeasureCollectives(const reel_communicator& group, const std::vector<codegen::CollectiveSite>& collectives) {
  int64_t most = 0;
  for (const codegen::CollectiveSite& site : collectives) most = std::max(most, site.bytes);
  std::vector<char> send(static_cast<size_t>(most * group.size)), receive(send.size());
  const auto run = [&] {
    for (const codegen::CollectiveSite& site : collectives) {
      if (site.op == ir::Op::kBroadcastFrom)
        Require(group.broadcast(group.context, receive.data(), site.bytes, site.root));
      else
        Require((site.op == ir::Op::kAllGather ? group.all_gather : group.all_to_all)(group.context, send.data(),
                                                                                      receive.data(), site.bytes));
    }
  };
  SlowestOfRounds(group, 0, run);
  return SlowestOfRounds(group, 1, run);
}

double MeasureCompute(const ir::Module& module, const std::string& function, int64_t shards, int64_t members) {
  auto data = std::make_shared<internal::ModuleData>();
  data->module = module;
  data->entry = function;
  Loopback loopback(members);
  const runtime::CommunicatorScope scope(members > 1 ? &loopback.communicator : nullptr);
  const Function step = DataParallel(Function(std::move(data)), {.shards = shards, .members = members});
  const Executable run = Compile(step);
  const ir::Function& f = *step.internal_data()->module.FindFunction(step.internal_data()->entry);
  std::vector<Tensor> arguments;
  for (int i = 0; i < f.num_arguments(); ++i) {
    const Type& type = f.parameter(i).type;
    arguments.push_back(IsFloat(type.dtype) ? Cast(RandomUniform(type.shape), type.dtype)
                                            : Zeros(type.shape, type.dtype));
  }
  std::vector<double> times;
  constexpr double kLeast = 1;  // seconds
  for (double all = 0; all < kLeast || times.size() < 5;) {
    loopback.seconds = 0;
    const double start = Seconds();
    run(f.name(), arguments);
    const double step_seconds = Seconds() - start;
    times.push_back(step_seconds - loopback.seconds);
    all += step_seconds;
  }
  return Median(times);
}

}  // namespace reel::cli
