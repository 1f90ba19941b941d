#ifndef REEL_CODEGEN_PROGRAM_IN_LINE_H_
#define REEL_CODEGEN_PROGRAM_IN_LINE_H_

#include <vector>

#include "codegen/program/program.h"

// Loops of small kernels: one function each, with the kernels in it (lower/loop.h). Nothing is called in a step, and
// LLVM sees what they hand on.

namespace reel::codegen {

/// Sets Step::in_line of the outermost loops that are small: no kernel of several chunks, few instructions, and no more
/// than are `left` of Tuning::in_line_total, which it takes them from: kernels that are alike count each time.
void PutLoopsInLine(const std::vector<Kernel>& kernels, const Tuning& tuning, std::vector<Step>* steps, int64_t* left);

/// Instructions of LLVM IR that the steps of a loop in line become, each kernel as often as it is there.
int64_t InstructionsInLine(const std::vector<Kernel>& kernels, const Step& loop);

/// visit(loop) for each loop in line. Recursion is as deep as branches and loops nest.
template <typename Visit>
void VisitLoopsInLine(const std::vector<Step>& steps, const Visit& visit) {
  for (const Step& s : steps) {
    if (s.in_line) {
      visit(s);
      continue;
    }
    VisitLoopsInLine(s.first, visit);
    VisitLoopsInLine(s.second, visit);
  }
}

/// By kernel: whether it is called. The others are in line wherever they run.
std::vector<bool> CalledKernels(const Program& program);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_IN_LINE_H_
