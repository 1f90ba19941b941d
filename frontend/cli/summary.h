#ifndef REEL_FRONTEND_CLI_SUMMARY_H_
#define REEL_FRONTEND_CLI_SUMMARY_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/cli/cli.h"
#include "ir/graph.h"

namespace reel::cli {

/// What a module is in numbers: variables, entry points with their types, nodes, kernels, operations and bytes of a
/// call, memory of an instance. Open extents are fixed by name; with others left, what planning gives is missing.
Json Summarise(const ir::Module& module, const std::vector<std::pair<std::string, int64_t>>& extents,
               const Common& common);
/// The same as a table.
std::string SummaryText(const Json& summary);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_SUMMARY_H_
