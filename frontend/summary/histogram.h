#ifndef REEL_FRONTEND_SUMMARY_HISTOGRAM_H_
#define REEL_FRONTEND_SUMMARY_HISTOGRAM_H_

#include <string>
#include <vector>

#include "reel/tensor.h"

namespace reel::summary {

/// How values are distributed. Bucket i counts those from limits[i - 1] (of the first: from the least double) to below
/// limits[i]; of a run of empty buckets only the last is there.
struct HistogramCounts {
  double min = 0, max = 0, count = 0, sum = 0, sum_of_squares = 0;
  std::vector<double> limits, counts;
};

/// Of a tensor of real numbers or bools; throws what SummaryWriter::AddHistogram says, naming `name`.
HistogramCounts CountValues(const Tensor& values, const std::string& name);

}  // namespace reel::summary

#endif  // REEL_FRONTEND_SUMMARY_HISTOGRAM_H_
