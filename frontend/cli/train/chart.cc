#include "frontend/cli/train/chart.h"

#include <algorithm>
#include <cmath>

#include "ir/strings.h"

namespace reel::cli {
namespace {

constexpr int kWidth = 720, kHeight = 400, kLeft = 60, kRight = 700, kTop = 40, kBottom = 360;

// 1, 2 or 5 times a power of ten: about `count` of them make up `range`.
double TickStep(double range, int count) {
  const double power = std::pow(10, std::floor(std::log10(range / count)));
  const double rest = range / count / power;
  return power * (rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1);
}

double Round(double x) { return std::round(x * 1000) / 1000; }

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return StrCat("<text x=\"", Round(x), "\" y=\"", Round(y), "\" text-anchor=\"", anchor, "\">", text, "</text>\n");
}

std::string Line(double x1, double y1, double x2, double y2) {
  return StrCat("<line x1=\"", Round(x1), "\" y1=\"", Round(y1), "\" x2=\"", Round(x2), "\" y2=\"", Round(y2),
                "\" stroke=\"#ddd\"/>\n");
}

}  // namespace

std::string DrawChart(const std::string& title, const std::string& x_label, const std::vector<Series>& series) {
  double x_max = 1, y_max = 0;
  for (const Series& s : series) {
    x_max = std::max(x_max, static_cast<double>(s.first) + static_cast<double>(s.y.size()) - 1);
    for (const float y : s.y) y_max = std::isfinite(y) ? std::max(y_max, static_cast<double>(y)) : y_max;
  }
  y_max = y_max > 0 ? y_max * 1.05 : 1;
  const auto px = [&](double x) { return kLeft + x / x_max * (kRight - kLeft); };
  const auto py = [&](double y) { return kBottom - y / y_max * (kBottom - kTop); };
  std::string out = StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", kWidth, " ", kHeight,
                           "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
                           "fill=\"white\"/>\n",
                           Text(kWidth / 2, 24, "middle", title));
  for (double y = 0, step = TickStep(y_max, 5); y <= y_max; y += step) {
    out += Line(kLeft, py(y), kRight, py(y)) + Text(kLeft - 6, py(y) + 4, "end", StrCat(Round(y)));
  }
  for (double x = 0, step = TickStep(x_max, 8); x <= x_max; x += step) {
    out += Text(px(x), kBottom + 18, "middle", StrCat(Round(x)));
  }
  out += Text(kWidth / 2, kHeight - 6, "middle", x_label);
  double legend = kTop + 14;
  for (const Series& s : series) {
    StrAppend(&out, "<polyline fill=\"none\" stroke=\"", s.color, "\" points=\"");
    for (size_t i = 0; i < s.y.size(); ++i) {
      if (!std::isfinite(s.y[i])) continue;
      StrAppend(&out, Round(px(static_cast<double>(s.first) + static_cast<double>(i))), ",", Round(py(s.y[i])), " ");
    }
    StrAppend(&out, "\"/>\n<g fill=\"", s.color, "\">", Text(kRight - 10, legend, "end", s.name), "</g>\n");
    legend += 16;
  }
  return out + "</svg>\n";
}

}  // namespace reel::cli
