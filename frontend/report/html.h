#ifndef REEL_FRONTEND_REPORT_HTML_H_
#define REEL_FRONTEND_REPORT_HTML_H_

#include <string>
#include <vector>

#include "codegen/program/program.h"
#include "ir/graph.h"
#include "reel/variable.h"

// What notebooks show: fragments of HTML with inline styles that fit light and dark pages. No scripts.

namespace reel::internal {

/// Graphs of more boxes are not drawn.
inline constexpr size_t kMaxDrawn = 200;

/// Tables of a function's arguments, variables, results and ops, and its graph, folded.
std::string HtmlOf(const ir::Module& module, const ir::Function& f);
/// The functions, each folded unless it is the only one.
std::string HtmlOf(const ir::Module& module, const std::vector<const ir::Function*>& functions);
/// Sizes, kernels, and `plan`, a text, folded.
std::string HtmlOf(const codegen::Program& program, const std::string& plan);

/// A model's variables, with their shapes and the sum of their elements.
std::string HtmlOf(const std::string& title, const std::vector<Variable>& variables);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_HTML_H_
