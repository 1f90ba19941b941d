#include "frontend/cli/bench/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "codegen/target/file.h"
#include "codegen/target/target.h"
#include "ir/number.h"
#include "ir/strings.h"
#include "runtime/allocator.h"
#include "runtime/buffer.h"

namespace reel::cli {
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

// Bytes of all caches of a level that these threads have.
int64_t Capacity(const Machine& m, size_t level) { return m.sizes[level] * (level < 2 ? m.threads : 1); }

// GB/s of the level that holds so many bytes; what is measured of a level may be slower than the next one.
template <typename RateOf>
double BestRate(const Machine& m, double resident, const RateOf& rate_of) {
  size_t level = 0;
  while (level < 3 && resident > static_cast<double>(Capacity(m, level))) ++level;
  double rate = 0;
  for (size_t l = level; l < m.rates.size(); ++l) rate = std::max(rate, rate_of(m.rates[l]));
  return rate;
}

struct Row {
  std::string key;
  std::function<double(const Machine&)> value;
};

// GFLOP/s; of bf16 where the CPU multiplies it, and of f32 where it does not.
double PeakOf(const Peaks& peaks, DType dtype) {
  if (dtype == kBFloat16 && peaks.bf16 > 0) return peaks.bf16;
  return dtype == kFloat64 ? peaks.f64 : peaks.f32;
}

// Figures by their keys in machine.json.
std::vector<Row> Rows() {
  std::vector<Row> rows = {{"float32", [](const Machine& m) { return m.peaks.f32; }},
                           {"float64", [](const Machine& m) { return m.peaks.f64; }},
                           {"bfloat16", [](const Machine& m) { return m.peaks.bf16; }}};
  using Part = std::pair<const char*, double Rates::*>;
  for (size_t l = 0; l < Machine::kLevels.size(); ++l) {
    const std::string level = Machine::kLevels[l];
    for (const auto& [suffix, part] : {Part("", &Rates::copy), Part("_update", &Rates::update),
                                       Part("_read", &Rates::read), Part("_write", &Rates::write)}) {
      rows.push_back({level + suffix, [l, part = part](const Machine& m) { return m.rates[l].*part; }});
    }
  }
  rows.push_back({"fork_join_us", [](const Machine& m) { return m.fork_join_s * 1e6; }});
  return rows;
}

}  // namespace

double Machine::LimitSeconds(const Workload& w) const {
  const bool updates = w.kind == Workload::Kind::kTrain || w.kind == Workload::Kind::kUpdate;
  const double rate = BestRate(*this, w.resident > 0 ? w.resident : w.bytes,
                               [updates](const Rates& r) { return std::max(r.copy, updates ? r.update : 0); });
  return std::max(w.flops / PeakOf(peaks, w.dtype), w.bytes / rate) * 1e-9;
}

double Machine::LimitSeconds(const KernelProfile& k) const {
  constexpr double kMostly = 8;  // times as much one way as the other
  const double bytes = k.bytes_read + k.bytes_written;
  if (k.calls == 0) return 0;
  const double rate = BestRate(*this, bytes / static_cast<double>(k.calls), [&k](const Rates& r) {
    const double both = std::max(r.copy, r.update);
    if (k.bytes_read >= kMostly * k.bytes_written) return std::max(both, r.read);
    return k.bytes_written >= kMostly * k.bytes_read ? std::max(both, r.write) : both;
  });
  return std::max(k.flops / PeakOf(peaks, k.dtype), bytes / rate) * 1e-9;
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
      const auto half = static_cast<size_t>(Capacity(m, level)) / 2;
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

Json MachineJson(const std::vector<Machine>& machines) {
  Json out = Json::object();
  for (const Row& row : Rows()) {
    Json values = Json::array();
    for (const Machine& m : machines) values.push_back(row.value(m));
    if (values[0] != 0) out[row.key] = std::move(values);
  }
  for (size_t l = 0; l < 3; ++l) out[StrCat(Machine::kLevels[l], "_bytes")] = machines[0].sizes[l];
  return out;
}

std::string TargetFile(const Machine& m, const std::string& file) {
  codegen::Target target = Take(codegen::FindTarget("native"));
  target.name = file.substr(0, file.find('.'));
  codegen::Machine& to = target.machine;
  to.l1_bytes = m.sizes[0];
  to.l2_bytes = m.sizes[1];
  to.l3_bytes = m.sizes[2];
  // Cycles a second: at the peak every port begins a multiply-add of a vector in each of them.
  const double a_cycle = 2.0 * target.lanes(4) * static_cast<double>(to.fma_ports);
  const double gigahertz = m.peaks.f32 / a_cycle;
  const auto rate = [&](size_t level) { return static_cast<int64_t>(std::max(1.0, m.rates[level].read / gigahertz)); };
  to.l2_rate = rate(1);
  to.l3_rate = rate(2);
  to.memory_rate = rate(3);
  for (const auto& row : codegen::MachineTable()) to.*row.field = std::clamp(to.*row.field, row.least, row.most);
  std::string text = codegen::PrintTarget(target);
  Take(codegen::ParseTarget(text, file));  // a file may be called what a target may not
  return text;
}

std::string MachineTable(const std::vector<Machine>& machines) {
  char cell[64];
  std::snprintf(cell, sizeof cell, "%-14s", "threads");
  std::string out = cell;
  for (const Machine& m : machines) {
    std::snprintf(cell, sizeof cell, "%10d", m.threads);
    out += cell;
  }
  out += "\n";
  for (const Row& row : Rows()) {
    if (row.value(machines[0]) == 0) continue;
    std::snprintf(cell, sizeof cell, "%-14s", row.key.c_str());
    out += cell;
    for (const Machine& m : machines) {
      const double value = row.value(m);
      std::snprintf(cell, sizeof cell, "%10.*f", value < 10 ? 2 : 1, value);
      out += cell;
    }
    out += "\n";
  }
  StrAppend(&out,
            "float*: GFLOP/s of multiply-adds; levels: GB/s of copies and of updates in "
            "place (read and written), of reads, of writes\ncaches:");
  for (const int64_t bytes : machines[0].sizes) StrAppend(&out, " ", bytes >> 10, " KiB");
  return out + "\n";
}

}  // namespace reel::cli
