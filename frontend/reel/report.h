#ifndef REEL_REPORT_H_
#define REEL_REPORT_H_

#include <string>
#include <vector>

#include "reel/compile.h"
#include "reel/module.h"

namespace reel {

/// What a report shows beside what was compiled.
struct ReportOptions {
  /// How the module is compiled: cpu, level, memory budget, schedules; symbolic extents must be fixed. `profile` and
  /// `tune` are ignored.
  CompileOptions compile = {};
  /// Runs each entry point on random arguments (floats in [-1, 1], integers 0), to time its kernels, and measures what
  /// the machine can do at most: half a second each, or two runs of what takes longer. The live Variables and the
  /// module's values stay as they are.
  bool run = true;
  /// CSV files with a column `step`; the numbers of each other column become a curve.
  std::vector<std::string> logs = {};
  /// Folder below which the lines of source files that the module names may be quoted in the report; empty: none are. A
  /// module that others made can name any file.
  std::string sources = {};
};

/// One page, HTML that needs nothing else: the graph that was compiled with forward beside gradient, its kernels with
/// loops, reasons, times and a roofline, the arena over time, compile time by phase, curves. Throws what Compile
/// throws; kInvalidArgument for a log that is no table of numbers with a `step`, kUnavailable for a file that cannot be
/// read.
std::string ReportHtml(const Module& module, const ReportOptions& options = {});
std::string ReportHtml(const Function& function, const ReportOptions& options = {});
/// What the page shows as JSON; frontend/report/README.md has its fields.
std::string ReportJson(const Module& module, const ReportOptions& options = {});
std::string ReportJson(const Function& function, const ReportOptions& options = {});
/// Writes ReportHtml to a file.
void SaveReport(const Module& module, const std::string& path, const ReportOptions& options = {});
void SaveReport(const Function& function, const std::string& path, const ReportOptions& options = {});

}  // namespace reel

#endif  // REEL_REPORT_H_
