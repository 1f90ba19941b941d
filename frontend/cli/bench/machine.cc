#include "frontend/cli/bench/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "codegen/target/file.h"
#include "codegen/target/target.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

struct Row {
  std::string key;
  std::function<double(const Machine&)> value;
};

// Figures by their keys in machine.json.
std::vector<Row> Rows() {
  std::vector<Row> rows = {{"float32", [](const Machine& m) { return m.peaks.f32; }},
                           {"float64", [](const Machine& m) { return m.peaks.f64; }},
                           {"bfloat16", [](const Machine& m) { return m.peaks.bf16; }}};
  using internal::Rates;
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

double LimitSeconds(const Machine& machine, const Workload& w) {
  const bool updates = w.kind == Workload::Kind::kTrain || w.kind == Workload::Kind::kUpdate;
  const double rate = machine.RateOf(w.resident > 0 ? w.resident : w.bytes, 1, 1, updates);
  return std::max(w.flops / machine.PeakOf(w.dtype), w.bytes / rate) * 1e-9;
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
