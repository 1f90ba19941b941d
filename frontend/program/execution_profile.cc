#include "frontend/program/execution_profile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "codegen/loop/cost.h"
#include "ir/file/writer.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/environment.h"
#include "runtime/fork.h"

namespace reel {
namespace internal {
namespace {

using Json = nlohmann::ordered_json;
using runtime::ProfileEvent;
using runtime::Profiler;

// Text of a name that may be any bytes, as JSON wants it.
std::string Utf8(const std::string& name) {
  const Json quoted = name;
  return Json::parse(quoted.dump(-1, ' ', true, Json::error_handler_t::replace)).get<std::string>();
}

Json Metadata(const char* what, int process, int thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json Slice(const codegen::Program& program, const std::vector<codegen::KernelCost>& costs, const ProfileEvent& event,
           int process, int64_t start) {
  Json slice = {{"name", "copy"},
                {"cat", "kernel"},
                {"ph", "X"},
                {"ts", 1e-3 * static_cast<double>(event.begin - start)},
                {"dur", 1e-3 * static_cast<double>(event.end - event.begin)},
                {"pid", process},
                {"tid", event.thread}};
  if (event.site == ProfileEvent::kRun) {
    slice["name"] = Utf8(program.entries[static_cast<size_t>(event.entry)].name);
    slice["cat"] = "run";
  } else if (event.site >= 0) {
    const auto k = static_cast<size_t>(event.site);
    slice["name"] = Utf8(program.kernels[k].name);
    slice["args"] = {{"kernel", event.site},
                     {"chunks", event.chunks},
                     {"of", program.kernels[k].chunks()},
                     {"flops", costs[k].flops},
                     {"bytes_read", costs[k].bytes_read},
                     {"bytes_written", costs[k].bytes_written}};
  }
  return slice;
}

// Appends the slices of one program as one process of the trace; times count from `start`.
void AddSlices(const codegen::Program& program, const Profiler::Data& data, int process, int64_t start, Json* events) {
  std::vector<codegen::KernelCost> costs;
  for (const codegen::Kernel& kernel : program.kernels) costs.push_back(codegen::CostOf(kernel));
  events->push_back(Metadata("process_name", process, 0, Utf8(program.name)));
  std::set<int32_t> callers, threads;
  for (const ProfileEvent& event : data.events) {
    threads.insert(event.thread);
    if (event.site == ProfileEvent::kRun) callers.insert(event.thread);
  }
  for (const int32_t thread : threads) {
    const char* const role = callers.contains(thread) ? "caller " : "worker ";
    events->push_back(Metadata("thread_name", process, thread, StrCat(role, thread)));
  }
  for (const ProfileEvent& event : data.events) events->push_back(Slice(program, costs, event, process, start));
}

std::string TraceText(Json events) {
  const Json trace = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
  return trace.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

// The trace of all instances of this process that have gone, in the file of REEL_PROFILE.
class TraceFile {
 public:
  void Add(const codegen::Program& program, const Profiler::Data& data) {
    if (data.events.empty()) return;
    const std::lock_guard lock(mutex_);
    if (processes_ == 0) start_ = data.events[0].begin;
    AddSlices(program, data, ++processes_, start_, &events_);
    const std::string& path = runtime::GetEnvironment().profile_to;
    const absl::Status written = ir::WriteFile(path, TraceText(events_));
    if (!written.ok()) std::fprintf(stderr, "reel: REEL_PROFILE: %s\n", std::string(written.message()).c_str());
  }

 private:
  runtime::Mutex mutex_;
  Json events_ = Json::array();
  int processes_ = 0;
  int64_t start_ = 0;
};

std::string Header(bool limit) {
  char line[160];
  std::snprintf(line, sizeof line, "%-40s %7s %10s %6s %10s %10s %10s %8s %8s", "kernel", "calls", "ms", "%", "best us",
                "MB", "Mflop", "GB/s", "GFLOP/s");
  return std::string(line) + (limit ? "  % of limit\n" : "\n");
}

std::string Row(const std::string& name, int64_t calls, double seconds, double share, double best, double bytes,
                double flops) {
  const double least = std::max(seconds, 1e-9);
  char line[240];
  std::snprintf(line, sizeof line, "%-40s %7lld %10.3f %6.1f %10.3f %10.3f %10.3f %8.1f %8.1f", name.c_str(),
                static_cast<long long>(calls), seconds * 1e3, share, best * 1e6, bytes * 1e-6, flops * 1e-6,
                bytes / least * 1e-9, flops / least * 1e-9);
  return line;
}

}  // namespace

ExecutionProfile ProfileOf(const codegen::Program& program, const Profiler& profiler) {
  const Profiler::Data data = profiler.Get();
  ExecutionProfile out;
  out.calls = data.runs.calls;
  out.seconds = 1e-9 * static_cast<double>(data.runs.nanoseconds);
  out.best = 1e-9 * static_cast<double>(data.runs.least);
  for (size_t k = 0; k < data.kernels.size(); ++k) {
    const runtime::ProfileSums& sums = data.kernels[k];
    if (sums.calls == 0) continue;
    const codegen::KernelCost cost = codegen::CostOf(program.kernels[k]);
    const auto calls = static_cast<double>(sums.calls);
    out.kernels.push_back({program.kernels[k].name, static_cast<int64_t>(k), sums.calls,
                           1e-9 * static_cast<double>(sums.nanoseconds), 1e-9 * static_cast<double>(sums.least),
                           calls * cost.flops, calls * static_cast<double>(cost.bytes_read),
                           calls * static_cast<double>(cost.bytes_written), cost.dtype});
  }
  if (data.copies.calls > 0) {
    const auto bytes = static_cast<double>(data.copies.bytes);
    out.kernels.push_back({"copy", -1, data.copies.calls, 1e-9 * static_cast<double>(data.copies.nanoseconds),
                           1e-9 * static_cast<double>(data.copies.least), 0, bytes, bytes, kFloat32});
  }
  std::stable_sort(out.kernels.begin(), out.kernels.end(),
                   [](const KernelProfile& a, const KernelProfile& b) { return a.seconds > b.seconds; });
  return out;
}

std::string TraceOf(const codegen::Program& program, const Profiler& profiler) {
  const Profiler::Data data = profiler.Get();
  Json events = Json::array();
  AddSlices(program, data, 1, data.events.empty() ? 0 : data.events[0].begin, &events);
  return TraceText(std::move(events));
}

std::string ProfileTable(const ExecutionProfile& profile,
                         const std::function<double(const KernelProfile&)>& limit_seconds) {
  std::string out = Header(limit_seconds != nullptr);
  const double all = std::max(profile.seconds, 1e-9);
  double seconds = 0, best = 0, bytes = 0, flops = 0, limit = 0;
  int64_t calls = 0;
  const auto add = [&](const std::string& row, double least, double took) {
    out += row;
    char cell[32] = "\n";
    if (limit_seconds) std::snprintf(cell, sizeof cell, "  %10.1f\n", 100 * least / std::max(took, 1e-9));
    out += cell;
  };
  for (const KernelProfile& k : profile.kernels) {
    const double moved = k.bytes_read + k.bytes_written, least = limit_seconds ? limit_seconds(k) : 0;
    const std::string name = k.kernel < 0 ? k.name : StrCat("#", k.kernel, " ", k.name);
    add(Row(name.substr(0, 40), k.calls, k.seconds, 100 * k.seconds / all, k.best, moved, k.flops), least, k.seconds);
    calls += k.calls;
    seconds += k.seconds;
    best += k.best * static_cast<double>(k.calls) / std::max(1.0, static_cast<double>(profile.calls));
    bytes += moved;
    flops += k.flops;
    limit += least;
  }
  add(Row("all kernels", calls, seconds, 100 * seconds / all, best, bytes, flops), limit, seconds);
  add(Row("runs", profile.calls, profile.seconds, 100, profile.best, bytes, flops), limit, profile.seconds);
  return out;
}

void ReportProfile(const codegen::Program& program, const Profiler& profiler) noexcept {
  try {
    const runtime::Environment& environment = runtime::GetEnvironment();
    if (!environment.profile) return;
    if (!environment.profile_to.empty()) {
      static constinit Lazy<TraceFile> file;  // for static destructors, too
      file.Get().Add(program, profiler.Get());
      return;
    }
    const ExecutionProfile profile = ProfileOf(program, profiler);
    if (profile.calls == 0) return;
    std::fprintf(stderr, "profile of %s\n%s", program.name.c_str(), ProfileTable(profile).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reel: REEL_PROFILE: %s\n", error.what());
  }
}

}  // namespace internal

std::string ExecutionProfile::Table() const { return internal::ProfileTable(*this); }

}  // namespace reel
