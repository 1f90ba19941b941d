#ifndef REEL_FRONTEND_REPORT_REPORT_DATA_H_
#define REEL_FRONTEND_REPORT_REPORT_DATA_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/jit/compiled_module.h"
#include "codegen/program/record.h"
#include "frontend/report/log.h"
#include "frontend/report/machine.h"
#include "ir/graph.h"
#include "reel/report.h"

namespace reel::internal {

/// Times of an entry point and of its kernels in one run, by kernel of the program; a kernel that shares its time with
/// another (see CollectReport) has its part of that.
struct EntryRun {
  double seconds = 0;
  std::vector<double> kernel_seconds, kernel_calls;
  std::string problem;  ///< why there are no times; empty: there are
};

/// All that a report shows.
struct ReportData {
  std::unique_ptr<codegen::CompiledModule> code;  ///< as the module is compiled without being timed
  codegen::PlanRecord record;
  std::string cpu;  ///< what it was compiled for
  int opt_level = 2;
  std::vector<EntryRun> runs;  ///< by entry point; empty: not run
  std::optional<Machine> machine;
  std::vector<Log> logs;
  std::map<std::pair<std::string, int>, std::string> lines;  ///< of source files

  const codegen::Program& program() const { return code->program(); }
};

/// Compiles the module, and again with times for each kernel, if it is to run: kernels of chains then run one after the
/// other. Both are planned alike, so that kernels that compute the same values are known. Where one timed kernel stands
/// for several, these share its time by their numbers of uses.
ReportData CollectReport(const ir::Module& module, const ReportOptions& options);

/// The JSON of README.md. ASCII, without '<', '>' and '&': it can stand in a page.
std::string JsonOf(const ReportData& data);
/// The page around that.
std::string PageOf(const std::string& title, const std::string& json);

/// The text with what HTML gives a meaning replaced, and control characters as ir::Printable writes them.
std::string HtmlText(std::string_view text);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_REPORT_DATA_H_
