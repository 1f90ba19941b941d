#ifndef REEL_FRONTEND_REPORT_LOG_H_
#define REEL_FRONTEND_REPORT_LOG_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace reel::internal {

/// A column of a log: (step, value) in the order of the lines. NaN and infinities are kept, empty cells are not there.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
/// The curves of a CSV file with a line of names, one of them `step`.
struct Log {
  std::string file;
  std::vector<Curve> curves;
};

/// Columns that hold no number are left out. InvalidArgument, with file and line: no lines, no `step`, a step that is
/// no number, more than 256 columns, a quote that does not end.
absl::StatusOr<Log> ParseLog(const std::string& file, std::string_view bytes);

/// At most `limit` points: of each stretch the least and the greatest, in order.
std::vector<std::pair<double, double>> Thinned(const std::vector<std::pair<double, double>>& points, size_t limit);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_LOG_H_
