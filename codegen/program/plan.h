#ifndef REEL_CODEGEN_PROGRAM_PLAN_H_
#define REEL_CODEGEN_PROGRAM_PLAN_H_

#include <string>

#include "codegen/program/program.h"

// A program for people; ToString(Program) is for tests and dumps.

namespace reel::codegen {

/// What is compiled: its steps, then each kernel with what it costs, what it loops over, why it is a kernel of its own
/// and why its results are in memory. Of equal kernels the first one's reasons. `note`: a line after the first.
std::string PlanText(const Program& program, const std::string& note = "");

/// The same as Graphviz source: a cluster per entry point, kernels and copies as vertices in the order in which they
/// run, an edge from the step that wrote a buffer last to each that reads it, labelled with its bytes. Arguments,
/// results, variables and constants are vertices, too.
std::string PlanDot(const Program& program);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_PLAN_H_
