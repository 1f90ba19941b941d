#ifndef REEL_CODEGEN_PLAN_TEXT_H_
#define REEL_CODEGEN_PLAN_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "codegen/plan/plan.h"

// A plan as text: a line a kernel, then a line a value of which something is known. Values have the numbers of the
// function, parameters first.
//
//   plan @f {
//     matmul root=%3 epilogue=[%5*] reads=[] nodes=3 last=5  // #0 contract tanh: f32[8,6]
//     values 9 planned 9
//     %3: made kernel=0 view=%3 offset=0 strides=[6, 1] why=root readers=1 cost=0
//   }

namespace reel::codegen {

/// What ParsePlan reads.
std::string Print(const ir::Function& function, const PlanGraph& plan);
/// The plan of a function with these values; it is not verified. InvalidArgument with file, line and column if the text
/// is none.
absl::StatusOr<PlanGraph> ParsePlan(std::string_view text, std::string_view file_name = "<plan>");

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_TEXT_H_
