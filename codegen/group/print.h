#ifndef REEL_CODEGEN_GROUP_PRINT_H_
#define REEL_CODEGEN_GROUP_PRINT_H_

#include <string>

#include "codegen/group/group.h"

namespace reel::codegen {

/// A plan as text: one line a kernel, in the order of execution. Values that it stores have a *.
///
///   #1 matmul %12: f32[64,128] <- %3, %9; epilogue %13 %14*; reads #0; 4 ops
std::string Print(const ir::Function& function, const Grouping& grouping);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_GROUP_PRINT_H_
