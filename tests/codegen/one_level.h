#ifndef REEL_TESTS_CODEGEN_ONE_LEVEL_H_
#define REEL_TESTS_CODEGEN_ONE_LEVEL_H_

#include <span>

#include "codegen/program/code.h"

namespace reel::codegen {

/// What AotCompile takes, of an object for one level; until the end of the expression that made it.
class OneLevel {
 public:
  OneLevel(const Program& program, const Target& target) : level_{program, target} {}
  operator std::span<const TargetProgram>() const { return {&level_, 1}; }

 private:
  TargetProgram level_;
};

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_ONE_LEVEL_H_
