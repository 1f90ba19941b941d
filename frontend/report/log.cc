#include "frontend/report/log.h"

#include <csv.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "ir/number.h"
#include "ir/strings.h"

namespace reel::internal {
namespace {

constexpr size_t kMaxColumns = 256;
constexpr std::string_view kStep = "step";

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::optional<double> NumberOf(const std::string& cell) {
  double value = 0;
  if (ir::ParseNumber(cell, &value)) return value;
  const std::string word = Lower(cell[0] == '-' || cell[0] == '+' ? cell.substr(1) : cell);
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word != "inf" && word != "infinity") return std::nullopt;
  return cell[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

// What libcsv tells, line by line.
class LogReader {
 public:
  explicit LogReader(const std::string& file) { log_.file = file; }

  void Cell(const char* bytes, size_t size) {
    if (cells_.size() <= kMaxColumns) cells_.emplace_back(bytes, size);
  }
  // At each end of a line, which may be two characters: "\r\n".
  void Row(int end) {
    if (error_.empty() && !cells_.empty()) log_.curves.empty() ? ReadNames() : ReadNumbers();
    cells_.clear();
    if (end != '\r') ++line_;
  }
  absl::StatusOr<Log> Finish() {
    if (error_.empty() && log_.curves.empty()) {
      error_ = StrCat(log_.file, ": is empty; a log has a line of names, one of them step, and lines of numbers");
    }
    if (!error_.empty()) return absl::InvalidArgumentError(error_);
    std::erase_if(log_.curves, [](const Curve& c) { return c.points.empty() || c.name == kStep; });
    return std::move(log_);
  }

 private:
  void Fail(const std::string& what) { error_ = StrCat(log_.file, ":", line_, ": ", what); }

  void ReadNames() {
    std::string names;
    for (size_t i = 0; i < cells_.size(); ++i) {
      const bool is_step = Lower(cells_[i]) == kStep;
      if (is_step) step_ = i;
      log_.curves.push_back({is_step ? std::string(kStep) : cells_[i], {}});
      StrAppend(&names, i ? ", " : "", cells_[i].substr(0, 40));
    }
    if (cells_.size() > kMaxColumns) return Fail(StrCat("more than ", kMaxColumns, " columns"));
    if (!step_) Fail(StrCat("there is no column step; the columns are: ", names.substr(0, 400)));
  }

  void ReadNumbers() {
    if (cells_.size() > log_.curves.size()) {
      return Fail(StrCat(cells_.size(), " cells, but the first line names ", log_.curves.size()));
    }
    const std::string text = *step_ < cells_.size() ? cells_[*step_] : "";
    const std::optional<double> step = text.empty() ? std::nullopt : NumberOf(text);
    if (!step || !std::isfinite(*step)) {
      return Fail(StrCat("the step is '", text.substr(0, 40), "'; write a number"));
    }
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (i == *step_ || cells_[i].empty()) continue;
      if (const std::optional<double> value = NumberOf(cells_[i])) log_.curves[i].points.emplace_back(*step, *value);
    }
  }

  Log log_;
  std::vector<std::string> cells_;
  std::optional<size_t> step_;
  int64_t line_ = 1;
  std::string error_;
};

}  // namespace

absl::StatusOr<Log> ParseLog(const std::string& file, std::string_view bytes) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) {
    return absl::ResourceExhaustedError("no memory to read a CSV file");
  }
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> owner(&parser, csv_free);
  LogReader reader(file);
  const auto cell = [](void* text, size_t size, void* data) {
    static_cast<LogReader*>(data)->Cell(static_cast<const char*>(text), size);
  };
  const auto row = [](int end, void* data) { static_cast<LogReader*>(data)->Row(end); };
  if (csv_parse(&parser, bytes.data(), bytes.size(), cell, row, &reader) != bytes.size() ||
      csv_fini(&parser, cell, row, &reader) != 0) {
    return absl::InvalidArgumentError(StrCat(file, ": is no CSV file: ", csv_strerror(csv_error(&parser))));
  }
  return reader.Finish();
}

std::vector<std::pair<double, double>> Thinned(const std::vector<std::pair<double, double>>& points, size_t limit) {
  if (points.size() <= limit) return points;
  std::vector<std::pair<double, double>> out;
  const size_t stretches = limit / 2;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  for (size_t s = 0; s < stretches; ++s) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(points.size() * s / stretches);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(points.size() * (s + 1) / stretches);
    auto [low, high] = std::minmax_element(begin, end, less);
    if (high < low) std::swap(low, high);
    out.push_back(*low);
    if (high != low) out.push_back(*high);
  }
  return out;
}

}  // namespace reel::internal
