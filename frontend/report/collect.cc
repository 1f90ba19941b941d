#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>

#include "codegen/compiler.h"
#include "codegen/target/target.h"
#include "codegen/tune/run.h"
#include "frontend/program/compiled_data.h"
#include "frontend/program/deadline.h"
#include "frontend/program/interrupt.h"
#include "frontend/program/symbolic_programs.h"
#include "frontend/report/report_data.h"
#include "frontend/values/status.h"
#include "ir/file/reader.h"
#include "ir/strings.h"
#include "runtime/thread_pool.h"

namespace reel::internal {
namespace {

constexpr double kSecondsOfRuns = 0.5;  // of an entry point

// For each kernel of the timed program, which kernels of the other one compute its values, and how often.
std::vector<std::map<int32_t, int64_t>> MatchKernels(const codegen::PlanRecord& plain, const codegen::PlanRecord& timed,
                                                     size_t num_timed) {
  std::vector<std::map<int32_t, int64_t>> out(num_timed);
  if (plain.graphs.size() != timed.graphs.size()) return out;
  for (size_t g = 0; g < plain.graphs.size(); ++g) {
    const std::vector<int32_t>&a = plain.graphs[g].kernels, &b = timed.graphs[g].kernels;
    for (size_t v = 0; v < std::min(a.size(), b.size()); ++v) {
      if (a[v] >= 0 && b[v] >= 0) ++out[static_cast<size_t>(b[v])][a[v]];
    }
  }
  return out;
}

EntryRun RunEntry(const codegen::CompiledModule& code, int entry, double seconds_left) {
  EntryRun out;
  const Deadline deadline(seconds_left);
  const codegen::RandomArguments random(code.program().entries[static_cast<size_t>(entry)]);
  auto runs = codegen::RunProgram(code, entry, random.pointers(), 2, deadline.passed());
  if (runs.ok() && runs->least < kSecondsOfRuns / 4) {
    const int times = static_cast<int>(std::min(kSecondsOfRuns / std::max(runs->least, 1e-9), 200.0));
    runs = codegen::RunProgram(code, entry, random.pointers(), times, deadline.passed());
  }
  if (!runs.ok()) {
    out.problem = std::string(runs.status().message());
    return out;
  }
  out.seconds = runs->median;
  out.kernel_seconds = runs->kernels;
  for (const int64_t calls : runs->calls) out.kernel_calls.push_back(static_cast<double>(calls));
  return out;
}

// Times of the kernels of the timed program, as those of the other one.
EntryRun Translate(const EntryRun& run, const std::vector<std::map<int32_t, int64_t>>& match, size_t num_kernels) {
  EntryRun out{run.seconds, std::vector<double>(num_kernels), std::vector<double>(num_kernels), run.problem};
  for (size_t k = 0; k < run.kernel_seconds.size(); ++k) {
    double uses = 0;
    for (const auto& [kernel, count] : match[k]) uses += static_cast<double>(count);
    for (const auto& [kernel, count] : match[k]) {
      const double part = static_cast<double>(count) / uses;
      out.kernel_seconds[static_cast<size_t>(kernel)] += part * run.kernel_seconds[k];
      out.kernel_calls[static_cast<size_t>(kernel)] += part * run.kernel_calls[k];
    }
  }
  return out;
}

void RunAll(const ir::Module& module, codegen::CompilerOptions options, ReportData* data) {
  codegen::PlanRecord record;
  options.profile = true;
  options.record = &record;
  options.dump_to.clear();
  const auto code = Take(reel_compiler()->Compile(module, options));
  const auto match = MatchKernels(data->record, record, code->program().kernels.size());
  const double start = ir::SteadySeconds();
  for (size_t e = 0; e < code->program().entries.size(); ++e) {
    const double left = options.budget.max_seconds - (ir::SteadySeconds() - start);
    const EntryRun run = RunEntry(*code, static_cast<int>(e), std::max(left, 0.0));
    data->runs.push_back(Translate(run, match, data->program().kernels.size()));
  }
  data->machine = MeasureMachine({runtime::NumThreads()})[0];
}

// Without links and dots; empty if there is nothing of this type.
std::string RealPath(const std::string& path, mode_t type) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  struct stat status;
  if (!real || ::stat(real.get(), &status) != 0 || (status.st_mode & S_IFMT) != type) return "";
  return real.get();
}

// Lines of one file that the graphs name, if it lies below the folder.
void QuoteLines(const std::string& file, const std::set<int>& numbers, const std::string& folder, ReportData* data) {
  constexpr size_t kMaxLine = 200;
  const std::string path = RealPath(file, S_IFREG);
  if (path.empty() || !path.starts_with(folder == "/" ? folder : folder + "/")) return;
  const auto text = ir::ReadFile(path, {.max_bytes = int64_t{16} << 20});
  if (!text.ok()) return;
  std::istringstream lines(*text);
  std::string line;
  for (int n = 1; std::getline(lines, line); ++n) {
    if (numbers.contains(n)) data->lines[{file, n}] = line.substr(0, kMaxLine);
  }
}

void QuoteSources(const std::string& sources, ReportData* data) {
  const std::string folder = RealPath(sources, S_IFDIR);
  if (folder.empty()) {
    ThrowError(ErrorCode::kUnavailable, StrCat("report: sources '", sources, "' is no folder that can be read"));
  }
  std::map<std::string, std::set<int>> wanted;
  for (const codegen::PlanRecord::Graph& graph : data->record.graphs) {
    for (const ir::Location& location : graph.f.locations()) wanted[location.file].insert(location.line);
  }
  for (const auto& [file, numbers] : wanted) QuoteLines(file, numbers, folder, data);
}

std::vector<Log> ReadLogs(const std::vector<std::string>& files, const Budget& budget) {
  std::vector<Log> out;
  for (const std::string& file : files) out.push_back(Take(ParseLog(file, Take(ir::ReadFile(file, budget)))));
  return out;
}

}  // namespace

ReportData CollectReport(const ir::Module& given, const ReportOptions& options) {
  ReportData data;
  data.logs = ReadLogs(options.logs, options.compile.budget);
  codegen::CompilerOptions compiler = ToCompiler(options.compile);
  compiler.profile = false;
  compiler.extents.clear();
  compiler.stop = StopFlag();
  const InterruptScope interrupts;
  CheckPending();
  const ir::Module module = FixExtents(given, options.compile.extents);
  if (!module.symbols().empty()) {
    std::string names;
    for (const ir::Symbol& s : module.symbols()) StrAppend(&names, names.empty() ? "" : ", ", s.name);
    ThrowInvalid(StrCat("report: the module has open extents (", names, "); give a number for each, as extents"));
  }
  compiler.record = &data.record;
  data.code = Take(reel_compiler()->Compile(module, compiler));
  data.cpu = Take(codegen::FindTarget(compiler.cpu)).name;
  data.opt_level = compiler.opt_level;
  if (options.run) RunAll(module, compiler, &data);
  if (!options.sources.empty()) QuoteSources(options.sources, &data);
  return data;
}

}  // namespace reel::internal
