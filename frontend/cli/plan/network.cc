#include "frontend/cli/plan/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "frontend/cli/cli.h"
#include "ir/number.h"

namespace reel::cli {
namespace {

double Rounds(int64_t members) { return std::ceil(std::log2(static_cast<double>(members))); }

codegen::CollectiveSite Exchange(int64_t processes, int64_t bytes) {
  return {.op = ir::Op::kAllToAll, .size = processes, .bytes = bytes};
}

[[noreturn]] void Refuse(const std::string& text) {
  Fail(kUsage,
       StrCat("--network ", text,
              ": write LATENCY,SECONDS_PER_BYTE, such as 2e-6,1e-10, or PROCESSES:BYTES=SECONDS,...; `mpirun -n "
              "2 reel plan --calibrate` measures them"));
}

// The texts between separators, which end each of them but the last.
std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool ParseSeconds(std::string_view text, double* seconds) {
  return ir::ParseNumber(text, seconds) && std::isfinite(*seconds) && *seconds >= 0;
}

Network ParseLine(const std::string& text) {
  Network line;
  const std::vector<std::string> numbers = Split(text, ',');
  if (numbers.size() != 2 || !ParseSeconds(numbers[0], &line.latency) ||
      !ParseSeconds(numbers[1], &line.seconds_per_byte) || line.seconds_per_byte == 0) {
    Refuse(text);
  }
  return line;
}

Measured ParseMeasured(const std::string& text, std::string_view points) {
  Measured measured;
  for (const std::string& point : Split(points, ',')) {
    const std::vector<std::string> sides = Split(point, '=');
    int64_t bytes = 0;
    double seconds = 0;
    if (sides.size() != 2 || !ir::ParseNumber(sides[0], &bytes) || bytes < 1 || !ParseSeconds(sides[1], &seconds) ||
        seconds == 0) {
      Refuse(text);
    }
    measured[bytes] = seconds;
  }
  if (measured.size() < 2) Refuse(text);
  return measured;
}

// Between the points on their line, beyond them on that of the last two.
double At(const Measured& measured, double bytes) {
  auto high = measured.lower_bound(static_cast<int64_t>(std::ceil(bytes)));
  if (high == measured.begin()) return high->second;
  if (high == measured.end()) --high;
  const auto low = std::prev(high);
  const double slope = (high->second - low->second) / static_cast<double>(high->first - low->first);
  return low->second + std::max(0.0, slope) * (bytes - static_cast<double>(low->first));
}

}  // namespace

double Cluster::Crowding() const {
  return std::max(1.0, static_cast<double>(members_per_node) / static_cast<double>(cores));
}

Networks Networks::Parse(const std::vector<std::string>& texts) {
  Networks networks;
  for (const std::string& text : texts) {
    const size_t colon = text.find(':');
    if (colon == text.npos) {
      networks.line_ = ParseLine(text);
      networks.has_line_ = true;
      continue;
    }
    int64_t processes = 0;
    if (!ir::ParseNumber(text.substr(0, colon), &processes) || processes < 2) Refuse(text);
    networks.measured_[processes] = ParseMeasured(text, std::string_view(text).substr(colon + 1));
  }
  return networks;
}

double Networks::SecondsOf(const codegen::CollectiveSite& site, const Cluster& cluster) const {
  if (site.size < 2) return 0;
  const auto known = measured_.find(site.size);
  if (known == measured_.end()) return cli::SecondsOf(site, LineFor(site.size)) * cluster.Crowding();
  return At(known->second, static_cast<double>(WireBytes(site)) / static_cast<double>(site.size - 1));
}

Network Networks::LineFor(int64_t processes) const {
  const auto known = measured_.find(processes);
  if (known != measured_.end()) return LineThrough(known->second, processes);
  if (has_line_) return line_;
  const auto& [fewest, measured] = *measured_.begin();  // they take turns least
  return LineThrough(measured, fewest);
}

double SecondsOf(const codegen::CollectiveSite& site, const Network& network) {
  if (site.size < 2) return 0;
  return Rounds(site.size) * network.latency + static_cast<double>(WireBytes(site)) * network.seconds_per_byte;
}

int64_t WireBytes(const codegen::CollectiveSite& site) {
  return site.size < 2 ? 0 : site.op == ir::Op::kBroadcastFrom ? site.bytes : (site.size - 1) * site.bytes;
}

// The least sum of squares of relative errors of x * rounds + y * bytes.
Network LineThrough(const Measured& measured, int64_t processes) {
  double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
  for (const auto& [bytes, t] : measured) {
    const codegen::CollectiveSite site = Exchange(processes, bytes);
    const double x = SecondsOf(site, {1, 0}) / t, y = static_cast<double>(WireBytes(site)) / t;
    xx += x * x, xy += x * y, yy += y * y, xt += x, yt += y;
  }
  const double determinant = xx * yy - xy * xy;
  return {std::max(0.0, (xt * yy - yt * xy) / determinant), std::max(0.0, (xx * yt - xy * xt) / determinant)};
}

std::string ToText(const Measured& measured, int64_t processes) {
  std::string text = StrCat(processes, ":");
  for (const auto& [bytes, seconds] : measured) {
    char point[64];
    std::snprintf(point, sizeof point, "%s%lld=%.3g", text.back() == ':' ? "" : ",", static_cast<long long>(bytes),
                  seconds);
    text += point;
  }
  return text;
}

int64_t BucketBytes(const Network& network, int64_t members, int64_t all) {
  if (members < 2 || all < 1) return 0;
  // Twice (rounds * latency + bytes * (P - 1) / P * seconds_per_byte), of which latency is to be a tenth.
  constexpr double kShare = 9;
  const double p = static_cast<double>(members);
  const double bytes = kShare * Rounds(members) * network.latency / (network.seconds_per_byte * (p - 1) / p);
  if (!(bytes < static_cast<double>(all))) return all;
  return std::min(all, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(1.0, bytes)))));
}

}  // namespace reel::cli
