#include "codegen/tune/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace reel::codegen {
namespace {

// Positions in ascending order; those of one rank have the middle of theirs.
std::vector<double> Ranks(const std::vector<double>& values, double noise) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const double least = values[order[begin]];
    while (end < order.size() && (values[order[end]] <= least * (1 + noise))) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

}  // namespace

std::optional<double> RankCorrelation(const std::vector<double>& estimated, const std::vector<double>& measured,
                                      double noise) {
  const std::vector<double> x = Ranks(estimated, noise), y = Ranks(measured, noise);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (yy == 0) return std::nullopt;
  return xx > 0 ? xy / std::sqrt(xx * yy) : 0;
}

std::optional<double> PairCorrelation(const std::vector<double>& estimated, const std::vector<double>& measured,
                                      double noise) {
  double pairs = 0, right = 0;
  for (size_t i = 0; i < measured.size(); ++i) {
    for (size_t j = 0; j < measured.size(); ++j) {
      if (measured[j] <= measured[i] * (1 + noise)) continue;  // j is slower, beyond doubt
      ++pairs;
      right += estimated[j] > estimated[i] ? 1 : estimated[j] < estimated[i] ? -1 : 0;
    }
  }
  if (pairs == 0) return std::nullopt;
  return right / pairs;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace reel::codegen
