#include "frontend/report/machine.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "ir/number.h"
#include "ir/strings.h"
#include "runtime/allocator.h"
#include "runtime/buffer.h"

namespace reel::internal {
namespace {

// The first line of a file of the system, or nothing.
std::string Line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// Bytes of the first core's data caches; usual ones where the system does not tell.
std::array<int64_t, 3> CacheSizes() {
  std::array<int64_t, 3> sizes = {32 << 10, 1 << 20, 0};
  for (int i = 0; i < 8; ++i) {
    const std::string folder = StrCat("/sys/devices/system/cpu/cpu0/cache/index", i, "/");
    const std::string level = Line(folder + "level"), size = Line(folder + "size");
    if (level.size() != 1 || level[0] < '1' || level[0] > '3' || size.empty()) continue;
    if (Line(folder + "type") == "Instruction") continue;
    const int64_t unit = size.back() == 'M' ? 1 << 20 : size.back() == 'K' ? 1 << 10 : 1;
    int64_t count = 0;
    if (!ir::ParseNumber(std::string_view(size).substr(0, size.size() - (unit > 1 ? 1 : 0)), &count)) continue;
    const int64_t bytes = count > 0 && count < int64_t{1} << 30 ? unit * count : 0;
    if (bytes > 0) sizes[static_cast<size_t>(level[0] - '1')] = bytes;
  }
  sizes[2] = std::max(sizes[2], sizes[1]);  // no third level: one that adds nothing
  return sizes;
}

}  // namespace

double Machine::PeakOf(DType dtype) const {
  if (dtype == kBFloat16) return std::max(peaks.bf16, peaks.f32);
  return dtype == kFloat64 ? peaks.f64 : peaks.f32;
}

double Machine::RateOf(double resident, double bytes_read, double bytes_written, bool updates) const {
  constexpr double kMostly = 8;  // times as much one way as the other
  size_t level = 0;
  while (level < 3 && resident > static_cast<double>(Capacity(level))) ++level;
  double rate = 0;
  for (size_t l = level; l < rates.size(); ++l) {
    const Rates& r = rates[l];
    rate = std::max({rate, r.copy, updates ? r.update : 0});
    if (bytes_read >= kMostly * bytes_written)
      rate = std::max(rate, r.read);
    else if (bytes_written >= kMostly * bytes_read)
      rate = std::max(rate, r.write);
  }
  return rate;
}

double Machine::LimitSeconds(const KernelProfile& k) const {
  const double bytes = k.bytes_read + k.bytes_written;
  if (k.calls == 0) return 0;
  const double rate = RateOf(bytes / static_cast<double>(k.calls), k.bytes_read, k.bytes_written, true);
  return std::max(k.flops / PeakOf(k.dtype), bytes / rate) * 1e-9;
}

std::vector<Machine> MeasureMachine(const std::vector<int>& threads) {
  const std::array<int64_t, 3> sizes = CacheSizes();
  const auto bytes = static_cast<size_t>(std::clamp<int64_t>(4 * sizes[2], int64_t{64} << 20, int64_t{512} << 20));
  runtime::Buffer buffer = runtime::Buffer::Allocate(bytes);
  std::memset(buffer.data(), 1, bytes);
  const std::span<std::byte> memory(static_cast<std::byte*>(buffer.data()), bytes);
  std::vector<Machine> machines;
  for (const int t : threads) {
    Machine m{.threads = t, .peaks = MeasurePeaks(t), .sizes = sizes};
    for (size_t level = 0; level < 3; ++level) {  // in half of the level's capacity
      const auto half = static_cast<size_t>(m.Capacity(level)) / 2;
      m.rates[level] = MeasureRates(t, memory.first(std::min(half, bytes)));
    }
    m.rates[3] = MeasureRates(t, memory);
    m.fork_join_s = MeasureForkJoin(t);
    machines.push_back(m);
  }
  buffer = {};
  runtime::Allocator::Default().ReleaseCache();  // not to be counted as a workload's memory
  return machines;
}

}  // namespace reel::internal
