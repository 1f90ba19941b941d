#include "reel/report.h"

#include "frontend/program/compiled_data.h"
#include "frontend/record/event_log.h"
#include "frontend/report/report_data.h"
#include "frontend/values/status.h"
#include "ir/file/writer.h"

namespace reel {
namespace {

template <typename Graph>
std::string ToJson(const Graph& graph, const ReportOptions& options) {
  return internal::JsonOf(internal::CollectReport(internal::NeedModule(graph.internal_data()).module, options));
}

template <typename Graph>
std::string ToPage(const Graph& graph, const ReportOptions& options) {
  return internal::PageOf(graph.name(), ToJson(graph, options));
}

}  // namespace

std::string ReportJson(const Module& module, const ReportOptions& options) { return ToJson(module, options); }
std::string ReportJson(const Function& function, const ReportOptions& options) { return ToJson(function, options); }
std::string ReportHtml(const Module& module, const ReportOptions& options) { return ToPage(module, options); }
std::string ReportHtml(const Function& function, const ReportOptions& options) { return ToPage(function, options); }

void SaveReport(const Module& module, const std::string& path, const ReportOptions& options) {
  internal::Check(ir::WriteFile(path, ReportHtml(module, options)));
}
void SaveReport(const Function& function, const std::string& path, const ReportOptions& options) {
  internal::Check(ir::WriteFile(path, ReportHtml(function, options)));
}

}  // namespace reel
