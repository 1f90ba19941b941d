#include "codegen/cost/footprint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace reel::codegen {
namespace {

constexpr int64_t kSetBytes = 4096;  // the sets of L1 are chosen by bits of an address below a page's size
// Cycles of a line of L2 for each time that the lines which are wanted at once exceed the ways of their sets, and at
// most: each one's way is free when another one has left (measured on Zen 4: 2 to 9).
constexpr double kCrowded = 2, kCrowdedMost = 7;
constexpr double kFollowed = 4096;  // bytes in a row, a page, from which on hardware prefetches ahead of their reader
constexpr double kUnforeseen =
    1.5;  // times as long for lines from beyond L2 in shorter runs, which nothing asks for early

// What an access touches: neighbours in memory, so often, at multiples of a step.
struct Runs {
  double bytes, count = 1;
  int64_t step = kSetBytes;
};
Runs RunsOf(const MemoryAccess& a, size_t first, int64_t line) {
  std::vector<std::pair<double, double>> strides;  // of loops that move, and how often
  for (size_t d = first; d < a.loops.size(); ++d) {
    if (a.loops[d].stride != 0)
      strides.emplace_back(std::abs(static_cast<double>(a.loops[d].stride)), a.loops[d].trips);
  }
  std::sort(strides.begin(), strides.end());
  Runs runs{static_cast<double>(a.element)};
  for (const auto& [stride, trips] : strides) {
    if (stride <= std::max(runs.bytes, static_cast<double>(line))) {
      runs.bytes += stride * (trips - 1);
    } else {
      runs.count *= trips;
      runs.step = std::gcd(runs.step, static_cast<int64_t>(stride));
    }
  }
  return runs;
}

bool IsUnknown(const MemoryAccess& a, size_t first) {
  return std::any_of(a.loops.begin() + static_cast<std::ptrdiff_t>(first), a.loops.end(),
                     [](const MemoryAccess::Loop& loop) { return loop.unknown; });
}

}  // namespace

double MemoryAccess::Bytes(size_t first, int64_t line) const {
  const auto one = static_cast<double>(line);
  auto [run, runs, step] = RunsOf(*this, first, line);
  // Neighbours, nobody knows which: the windows of a convolution.
  for (size_t d = first; d < loops.size(); ++d) {
    if (loops[d].unknown) run *= loops[d].trips;
  }
  const double bytes = runs * (run < one && runs == 1 ? run : std::ceil(run / one) * one);
  return most > 0 ? std::min(bytes, std::max(most, one)) : bytes;
}

double MemoryAccess::Sets(size_t first, int64_t line, int64_t set_bytes) const {
  if (IsUnknown(*this, first)) return 1;
  const auto one = static_cast<double>(line), all = static_cast<double>(set_bytes);
  const Runs runs = RunsOf(*this, first, line);
  const double places = std::min(runs.count, all / static_cast<double>(std::max(runs.step, line)));
  return std::min(1.0, places * std::ceil(runs.bytes / one) * one / all);
}

bool MemoryAccess::IsForeseen(int64_t line) const {
  const auto mixed = std::find_if(loops.rbegin(), loops.rend(), [](const Loop& loop) { return loop.mixed; });
  const auto first = static_cast<size_t>(loops.rend() - mixed);
  return prefetched || (!IsUnknown(*this, 0) && RunsOf(*this, first, line).bytes >= kFollowed);
}

namespace {

class Caches {
 public:
  Caches(const std::vector<MemoryAccess>& accesses, const Machine& machine) : accesses_(accesses), m_(machine) {}

  std::vector<Traffic> Cycles() {
    std::vector<Traffic> cycles(accesses_.size());
    std::vector<double> further(accesses_.size());  // bytes that the next cache did not have either
    const std::pair<int64_t, int64_t> levels[] = {
        {m_.l3_bytes, m_.memory_rate}, {m_.l2_bytes, m_.l3_rate}, {m_.l1_bytes, m_.l2_rate}};
    for (const auto& [size, rate] : levels) {
      first_ = size == m_.l1_bytes;
      Measure();
      if (whole_ <= static_cast<double>(size)) continue;  // it was there before
      for (const auto& [place, most] : Missed(static_cast<double>(size))) {
        const auto [bytes, i, crowd] = most;
        const MemoryAccess& a = accesses_[i];
        if (a.near && !first_) continue;
        const double here = first_ ? bytes : std::max(bytes - further[i], 0.0);
        const bool foreseen = first_ || a.IsForeseen(m_.line_bytes);
        const double lines = here / static_cast<double>(m_.line_bytes);
        const double turns = first_ ? lines * std::min(kCrowded * (crowd - 1), kCrowdedMost) : 0;
        const double waits = std::max((foreseen ? 1 : kUnforeseen) * here / static_cast<double>(rate), turns);
        further[i] = std::max(further[i], bytes);
        (a.writes ? cycles[i].any : first_ ? cycles[i].near : a.prefetched ? cycles[i].any : cycles[i].far) += waits;
      }
    }
    return cycles;
  }

 private:
  // How many times as many lines a run of the loops from d on has as there is room for in its sets of L1.
  double Crowd(const MemoryAccess& a, size_t d) const {
    const double sets = a.Sets(d, m_.line_bytes, kSetBytes);
    return a.Bytes(d, m_.line_bytes) / (sets * static_cast<double>(m_.l1_bytes));
  }

  // Of each loop, and of all. Of several accesses of one buffer the largest counts: they mostly are at one place.
  void Measure() {
    std::map<int32_t, std::map<int32_t, double>> room;  // by loop and memory
    std::map<int32_t, double> all;
    for (const MemoryAccess& a : accesses_) {
      const auto keep = [&a](std::map<int32_t, double>* of, double bytes) {
        double& most = (*of)[a.memory];
        most = std::max(most, bytes);
      };
      keep(&all, a.Bytes(0, m_.line_bytes));
      for (size_t d = 0; d < a.loops.size(); ++d) keep(&room[a.loops[d].id], a.Bytes(d, m_.line_bytes));
    }
    const auto sum = [](const std::map<int32_t, double>& of) {
      double bytes = 0;
      for (const auto& [memory, n] : of) bytes += n;
      return bytes;
    };
    rooms_.clear();
    for (const auto& [loop, of] : room) rooms_[loop] = sum(of);
    whole_ = sum(all);
  }

  // How often the loops outside of `passes` come back to the same memory, or to another part of a line.
  double Repeats(const MemoryAccess& a, size_t passes) const {
    double repeats = 1;
    for (size_t d = 0; d < passes; ++d) {
      const MemoryAccess::Loop& loop = a.loops[d];
      if (loop.unknown) continue;
      const auto stride = std::abs(static_cast<double>(loop.stride)), line = static_cast<double>(m_.line_bytes);
      repeats *= stride == 0 ? loop.trips : std::min(std::max(line / stride, 1.0), std::max(loop.trips, 1.0));
    }
    return repeats;
  }

  struct Miss {
    double bytes = 0;
    size_t access = 0;
    double crowd = 1;  // parts of lines that are so many times as many as their sets of L1 hold
  };

  // Bytes that come from beyond a cache of this size, and for whom, by memory and the loop that they pass through: what
  // one access has brought is there for the others.
  std::map<std::pair<int32_t, int32_t>, Miss> Missed(double size) const {
    std::map<std::pair<int32_t, int32_t>, Miss> missed;
    for (size_t i = 0; i < accesses_.size(); ++i) {
      const MemoryAccess& a = accesses_[i];
      size_t d = 0;
      while (d < a.loops.size() && (rooms_.at(a.loops[d].id) > size || (first_ && Crowd(a, d) > 1))) ++d;
      // Lines stay from one iteration of the loop around these to the next: a run of it brings each once.
      const size_t passes = d == 0 ? 0 : d - 1;
      // Whole lines are asked for early; of writes nobody waits for.
      const bool parts = RunsOf(a, passes, m_.line_bytes).bytes < static_cast<double>(m_.line_bytes);
      const bool again = Repeats(a, passes) > 1;
      const double crowd = first_ && d > 0 && parts && again && !a.writes ? Crowd(a, d - 1) : 1;
      const double runs = passes == 0 ? 1 : a.loops[passes - 1].times;
      double once = a.Bytes(passes, m_.line_bytes) * runs;
      if (a.most > 0) once = std::min(once, std::max(a.most, static_cast<double>(m_.line_bytes)) * Repeats(a, passes));
      const double bytes = (a.writes ? 2 : 1) * once;
      auto& most = missed[{a.memory, a.loops.empty() ? -1 : a.loops[passes].id}];
      if (bytes > most.bytes) most = {bytes, i, crowd};
    }
    return missed;
  }

  const std::vector<MemoryAccess>& accesses_;
  const Machine& m_;
  bool first_ = true;
  std::map<int32_t, double> rooms_;
  double whole_ = 0;
};

}  // namespace

std::vector<Traffic> TrafficCycles(const std::vector<MemoryAccess>& accesses, const Machine& machine) {
  return Caches(accesses, machine).Cycles();
}

}  // namespace reel::codegen
