#ifndef REEL_TESTS_CODEGEN_PROGRAM_UTIL_H_
#define REEL_TESTS_CODEGEN_PROGRAM_UTIL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "codegen/program/program.h"
#include "ir/strings.h"
#include "ir/text/parser.h"

// Programs from text, for one target: what is planned does not depend on the machine.

namespace reel::codegen {

inline ir::Module ParseFunctions(const std::string& functions) {
  auto module = ir::ParseModule("reel 1\nmodule \"t\"\n" + functions, "t");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

inline Program PlanFunctions(const std::string& functions, const PlanOptions& options = {}) {
  auto program = BuildProgram(ParseFunctions(functions), *FindTarget("x86-64-v4"), options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

/// Softmax along the rows of an f32 matrix.
inline std::string SoftmaxText(int64_t rows, int64_t columns) {
  const std::string row = StrCat("f32[", rows, "]"), shape = StrCat("[", rows, ",", columns, "]"), x = "f32" + shape;
  const std::string spread = StrCat("{axes=[0], shape=", shape, "} : ", x, "\n");
  return StrCat("func @f(%x: ", x, ") -> (", x, ") {\n", "  %0 = reduce_max %x {axes=[1]} : ", row, "\n",
                "  %1 = broadcast %0 ", spread, "  %2 = sub %x, %1 : ", x, "\n", "  %3 = exp %2 : ", x, "\n",
                "  %4 = reduce_sum %3 {axes=[1]} : ", row, "\n", "  %5 = broadcast %4 ", spread,
                "  %6 = div %3, %5 : ", x, "\n", "  return %6\n}");
}

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_PROGRAM_UTIL_H_
