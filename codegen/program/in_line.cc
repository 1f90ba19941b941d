#include "codegen/program/in_line.h"

#include <algorithm>

#include "codegen/program/compile_bytes.h"

namespace reel::codegen {
namespace {

// What follows recurses as deep as branches and loops nest.
template <typename Visit>
void VisitSteps(const std::vector<Step>& steps, Visit visit) {
  for (const Step& s : steps) {
    visit(s);
    VisitSteps(s.first, visit);
    VisitSteps(s.second, visit);
  }
}

bool IsSmall(const std::vector<Kernel>& kernels, const Tuning& tuning, const Step& loop, int64_t* left) {
  bool small = true;
  int64_t stack = 0;
  const auto visit = [&](const Step& s) {
    small = small && s.control != Step::Control::kChain && s.control != Step::Control::kBeside &&
            s.control != Step::Control::kCallback && s.control != Step::Control::kCollective;
    if (s.kernel < 0) return;
    const Kernel& kernel = kernels[static_cast<size_t>(s.kernel)];
    small = small && kernel.chunks() <= 1;
    for (const Local& local : kernel.locals) stack += local.size * SizeOf(local.dtype);
  };
  VisitSteps(loop.first, visit);
  VisitSteps(loop.second, visit);
  if (!small || stack > tuning.in_line_stack_bytes) return false;
  const int64_t instructions = InstructionsInLine(kernels, loop);
  if (instructions > std::min(tuning.in_line_instructions, *left)) return false;
  *left -= instructions;
  return true;
}

void MarkCalled(const std::vector<Step>& steps, std::vector<bool>* called) {
  for (const Step& s : steps) {
    if (s.kernel >= 0) (*called)[static_cast<size_t>(s.kernel)] = true;
    if (s.in_line) continue;
    MarkCalled(s.first, called);
    MarkCalled(s.second, called);
  }
}

}  // namespace

int64_t InstructionsInLine(const std::vector<Kernel>& kernels, const Step& loop) {
  int64_t count = 0;
  const auto visit = [&](const Step& s) {
    count += s.kernel < 0 ? 8 : EmittedInstructions(kernels[static_cast<size_t>(s.kernel)]);
  };
  VisitSteps(loop.first, visit);
  VisitSteps(loop.second, visit);
  return count;
}

void PutLoopsInLine(const std::vector<Kernel>& kernels, const Tuning& tuning, std::vector<Step>* steps, int64_t* left) {
  for (Step& s : *steps) {
    s.in_line = s.control == Step::Control::kWhile && IsSmall(kernels, tuning, s, left);
    if (s.in_line || s.control == Step::Control::kChain || s.control == Step::Control::kBeside) continue;
    PutLoopsInLine(kernels, tuning, &s.first, left);
    PutLoopsInLine(kernels, tuning, &s.second, left);
  }
}

std::vector<bool> CalledKernels(const Program& program) {
  std::vector<bool> called(program.kernels.size());
  for (const EntryPoint& entry : program.entries) MarkCalled(entry.steps, &called);
  return called;
}

}  // namespace reel::codegen
