#include "frontend/cli/fit/run_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <sstream>

#include "frontend/cli/cli.h"
#include "frontend/cli/fit/settings.h"
#include "frontend/cli/train/chart.h"
#include "ir/names.h"
#include "ir/number.h"

namespace reel::cli {
namespace {

constexpr const char* kExact = "%.9g";  // every float has its own text

/// The cells of a line, which has three commas.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

/// Every value at the middle of the steps that it is the mean of: at most about 500 of them.
std::vector<float> Thinned(const std::vector<float>& values) {
  const size_t each = std::max<size_t>(1, values.size() / 500);
  std::vector<float> out(values.size(), NAN);
  for (size_t first = 0; first < values.size(); first += each) {
    const size_t last = std::min(first + each, values.size());
    double sum = 0;
    for (size_t i = first; i < last; ++i) sum += values[i];
    out[(first + last) / 2] = static_cast<float>(sum / static_cast<double>(last - first));
  }
  return out;
}

}  // namespace

RunLog::RunLog(const std::string& path, const std::string& metric, int64_t step)
    : path_(path), header_(StrCat("step,loss,validation_loss,", metric)) {
  const bool standard = path == kStandard;
  struct stat info;
  const bool there = !standard && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (step > 0 && there) ReadLines(ReadFile(path, {}), step);
  losses_.resize(static_cast<size_t>(step), NAN);
  validation_.resize(static_cast<size_t>(step), NAN);
  if (path.empty()) return;
  if (standard) {
    file_ = ir::Descriptor(::dup(StandardOutput()));
    Write(header_ + "\n");
    return;
  }
  OutputFiles files;  // whole before it grows
  files.Add(path, StrCat(header_, "\n", kept_));
  files.Commit();
  file_ = ir::Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file_.ok()) Fail(kIo, StrCat("cannot write ", ir::QuotedPath(path), ": ", std::strerror(errno)));
}

void RunLog::ReadLines(const std::string& text, int64_t step) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != header_) {
    Fail(kInvalid, StrCat(ir::QuotedPath(path_), ":1: this is no log of such a run; expected ", header_, ", found ",
                          ir::Quoted(line)));
  }
  for (int64_t row = 1; row <= step && std::getline(lines, line); ++row) {
    const std::vector<std::string> cells = Cells(line);
    int64_t number = 0;
    float loss = NAN, validation = NAN;
    const bool good = cells.size() == 4 && ir::ParseNumber(cells[0], &number) && ir::ParseNumber(cells[1], &loss) &&
                      (cells[2].empty() || ir::ParseNumber(cells[2], &validation));
    if (!good || number != row) {
      Fail(kInvalid, StrCat(ir::QuotedPath(path_), ":", row + 1, ": expected the line of step ", row, ", found ",
                            ir::Quoted(line)));
    }
    losses_.push_back(loss);
    validation_.push_back(validation);
    StrAppend(&kept_, line, "\n");
  }
}

void RunLog::Add(float loss, const std::optional<Evaluation>& evaluation) {
  losses_.push_back(loss);
  validation_.push_back(evaluation ? static_cast<float>(evaluation->loss) : NAN);
  if (!file_.ok()) return;
  const std::string figures =
      evaluation ? StrCat(Printed(kExact, evaluation->loss), ",", Printed(kExact, evaluation->metric)) : ",";
  Write(StrCat(losses_.size(), ",", Printed(kExact, double{loss}), ",", figures, "\n"));
}

void RunLog::Write(const std::string& line) {
  for (size_t at = 0; at < line.size();) {
    const ssize_t n = ir::Uninterrupted([&] { return ::write(file_.fd(), line.data() + at, line.size() - at); });
    if (n < 0) Fail(kIo, StrCat("cannot write ", ir::QuotedPath(path_), ": ", std::strerror(errno)));
    at += static_cast<size_t>(n);
  }
}

double RunLog::MeanLoss(int64_t n) const {
  double sum = 0;
  int64_t count = 0;
  for (auto i = static_cast<int64_t>(losses_.size()) - 1; i >= 0 && count < n; --i, ++count) {
    const float loss = losses_[static_cast<size_t>(i)];
    if (std::isnan(loss)) break;
    sum += loss;
  }
  return count > 0 ? sum / static_cast<double>(count) : NAN;
}

std::string RunLog::Chart(const std::string& title) const {
  return DrawChart(title, "step",
                   {{"loss", "#1b6ca8", 1, Thinned(losses_)}, {"validation loss", "#d95f02", 1, validation_}});
}

}  // namespace reel::cli
