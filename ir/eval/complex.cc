#include "ir/eval/kernels.h"

namespace reel::ir {

KERNEL(Complex) {
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.c.size(); ++k) out.c[k] = {c.operand(0).f[k], c.operand(1).f[k]};
  return out;
}

KERNEL(Real) {
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = c.operand(0).c[k].real();
  return out;
}

KERNEL(Imag) {
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = c.operand(0).c[k].imag();
  return out;
}

}  // namespace reel::ir
