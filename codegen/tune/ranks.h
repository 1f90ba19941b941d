#ifndef REEL_CODEGEN_TUNE_RANKS_H_
#define REEL_CODEGEN_TUNE_RANKS_H_

#include <optional>
#include <vector>

namespace reel::codegen {

/// Spearman's rank correlation of positive numbers, pair by pair: of what was estimated with what was measured. In
/// either list, numbers that exceed the least of theirs by less than `noise`, a part of it, have one rank: an order
/// that a second measurement would not show is no order. Nothing if all of what was measured has one rank. 0 if all of
/// what was estimated has.
std::optional<double> RankCorrelation(const std::vector<double>& estimated, const std::vector<double>& measured,
                                      double noise);

/// Somers' D of what was estimated by what was measured: of the pairs that were measured to differ by more than
/// `noise`, a part of the lesser, those that are estimated in the same order, less those in the other. Nothing if there
/// is no pair.
std::optional<double> PairCorrelation(const std::vector<double>& estimated, const std::vector<double>& measured,
                                      double noise);

double MedianOf(std::vector<double> values);  ///< 0 of none

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TUNE_RANKS_H_
