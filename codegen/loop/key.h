#ifndef REEL_CODEGEN_LOOP_KEY_H_
#define REEL_CODEGEN_LOOP_KEY_H_

#include <string>

#include "codegen/loop/loop.h"

namespace reel::codegen {

/// Bytes that only a kernel has that is equal but for names: equal kernels are compiled once.
std::string KeyOf(const Kernel& kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_KEY_H_
