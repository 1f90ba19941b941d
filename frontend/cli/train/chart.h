#ifndef REEL_FRONTEND_CLI_TRAIN_CHART_H_
#define REEL_FRONTEND_CLI_TRAIN_CHART_H_

#include <string>
#include <vector>

namespace reel::cli {

/// One line of a chart: y[i] at x = first + i.
struct Series {
  std::string name, color;
  int64_t first = 0;
  std::vector<float> y;
};

/// Line chart as SVG: x from 1, y from 0.
std::string DrawChart(const std::string& title, const std::string& x_label, const std::vector<Series>& series);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_TRAIN_CHART_H_
