#include "codegen/library/library.h"

reel::codegen::Library reel_kernels_x86_64_v2();
reel::codegen::Library reel_kernels_x86_64_v3();
reel::codegen::Library reel_kernels_x86_64_v4();

reel::codegen::Library reel_kernels() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return reel_kernels_x86_64_v4();
  if (__builtin_cpu_supports("x86-64-v3")) return reel_kernels_x86_64_v3();
  if (__builtin_cpu_supports("x86-64-v2")) return reel_kernels_x86_64_v2();
  return {nullptr, 0};
}
