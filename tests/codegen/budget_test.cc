// What compiling may cost: every limit ends in an error that names it, soon.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codegen/compiler.h"
#include "codegen/program/compile_bytes.h"
#include "ir/builder.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using ir::Builder;
using ir::Value;
using testing::AllOf;
using testing::HasSubstr;

const Type kScalar{kFloat32, {}};

/// "" or code and text of what Compile says.
std::string ErrorOf(const ir::Module& module, const CompilerOptions& options) {
  const auto code = reel_compiler()->Compile(module, options);
  if (code.ok()) return "";
  return StrCat(absl::StatusCodeToString(code.status().code()), ": ", code.status().message());
}

std::string ObjectErrorOf(const ir::Module& module, const CompilerOptions& options) {
  const auto code = reel_compiler()->CompileToObject(module, "bomb", options);
  if (code.ok()) return "";
  return StrCat(absl::StatusCodeToString(code.status().code()), ": ", code.status().message());
}

ir::Module One(ir::Function function) {
  ir::Module module("bomb");
  module.AddFunction(std::move(function));
  return module;
}

/// x + x, + x, ...
ir::Module Chain(int ops, const Shape& shape = {}) {
  ir::Function f("main");
  const Value x = f.AddParameter("x", {kFloat32, shape});
  Builder b(&f);
  Value y = x;
  for (int i = 0; i < ops; ++i) y = i % 3 == 0 ? b.Tanh(y) : i % 3 == 1 ? b.Mul(y, x) : b.Add(y, x);
  f.SetResults({y});
  return One(std::move(f));
}

/// main calls @f60, which calls @f59 twice, ...: 2^60 ops.
ir::Module Doubling(int levels) {
  ir::Module module("bomb");
  for (int i = 0; i <= levels; ++i) {
    ir::Function f(i == levels ? "main" : StrCat("f", i));
    Value x = f.AddParameter("x", kScalar);
    Builder b(&f, &module);
    for (int k = 0; k < 2; ++k) {
      x = i == 0 ? b.Tanh(x) : b.Call(StrCat("f", i - 1), {x})[0];
    }
    f.SetResults({x});
    module.AddFunction(std::move(f));
  }
  return module;
}

/// Loops in loops: the body of @f<i> is @f<i-1>.
ir::Module Nested(int levels) {
  ir::Module module("bomb");
  ir::Function more("more");
  const Value x = more.AddParameter("x", kScalar);
  Builder c(&more);
  more.SetResults({c.Less(x, c.Constant(ir::Literal::Scalar(kFloat32, 1)))});
  module.AddFunction(std::move(more));
  for (int i = 0; i <= levels; ++i) {
    ir::Function f(i == levels ? "main" : StrCat("f", i));
    const Value in = f.AddParameter("x", kScalar);
    Builder b(&f, &module);
    f.SetResults({i == 0 ? b.Add(in, b.Tanh(in)) : b.While("more", StrCat("f", i - 1), {in})[0]});
    module.AddFunction(std::move(f));
  }
  return module;
}

TEST(Budget, Ops) {
  CompilerOptions options;
  options.budget.max_ops = 999999;
  const std::string error = ErrorOf(Chain(1000000), options);
  EXPECT_THAT(error, AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("999999 ops"), HasSubstr("max_ops")));
  options.budget.max_ops = 10;
  EXPECT_EQ(ErrorOf(Chain(10), options), "");
  EXPECT_THAT(ErrorOf(Chain(11), options), HasSubstr("max_ops"));
  EXPECT_THAT(ObjectErrorOf(Chain(11), options), HasSubstr("max_ops"));
}

TEST(Budget, CallsThatDouble) {
  EXPECT_THAT(ErrorOf(Doubling(60), {}), AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("kernel calls")));
  EXPECT_EQ(ErrorOf(Doubling(10), {}), "");
}

TEST(Budget, LoopsInLoops) {
  EXPECT_THAT(ErrorOf(Nested(1000), {}), HasSubstr("nested more than"));
  EXPECT_EQ(ErrorOf(Nested(20), {}), "");
}

TEST(Budget, LargeShapes) {
  const int64_t n = int64_t{1} << 40;
  EXPECT_THAT(ErrorOf(Chain(2, Shape({n})), {}), "") << "arguments and results are the caller's";
  ir::Function f("main");
  const Value x = f.AddParameter("x", kScalar);
  Builder b(&f);
  // Stored: read in two ways.
  const Value y = b.Tanh(b.Add(b.Broadcast(x, Shape({n}), {}), b.Iota(kFloat32, Shape({n}), 0)));
  f.SetResults({b.Add(y, b.Reverse(y, {0})), b.ReduceSum(y, {0})});
  EXPECT_THAT(ErrorOf(One(std::move(f)), {}), AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("max_memory")));
}

TEST(Budget, SumsOfLargeShapesDoNotWrap) {
  const Shape shape({int64_t{1} << 57});
  ir::Function f("main");
  const Value x = f.AddParameter("x", kScalar);
  Builder b(&f);
  std::vector<Value> values{b.Broadcast(x, shape, {})};
  for (int i = 0; i < 64; ++i) values.push_back(b.Tanh(b.Add(values.back(), b.Reverse(values.back(), {0}))));
  Value sum = values[0];  // of the last first: all are alive until here
  for (size_t i = values.size(); i-- > 1;) sum = b.Add(b.Reverse(sum, {0}), values[i]);
  f.SetResults({b.ReduceSum(sum, {0})});
  EXPECT_THAT(ErrorOf(One(std::move(f)), {}), AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("max_memory")));
}

TEST(Budget, InitialValues) {
  const auto module = [](int64_t n) {
    ir::Module m("bomb");
    ir::Function init("init");
    Builder b(&init);
    init.SetResults({b.ReduceSum(b.Tanh(b.Iota(kFloat32, Shape({n}), 0)), {0})});
    m.AddFunction(std::move(init));
    m.AddVariable({"v", kScalar, true, std::string("init")});
    ir::Function f("main");
    const Value v = f.AddState("v", kScalar);
    f.SetResults({v, v});
    m.AddFunction(std::move(f));
    return m;
  };
  EXPECT_EQ(ErrorOf(module(1000), {}), "");
  EXPECT_THAT(ErrorOf(module(int64_t{1} << 40), {}), HasSubstr("RESOURCE_EXHAUSTED"));
  CompilerOptions options;
  options.budget.max_seconds = 1e-6;
  EXPECT_THAT(ErrorOf(module(1 << 20), options), HasSubstr("RESOURCE_EXHAUSTED"));
}

/// A clock that goes on by a second whenever it is looked at.
double looks;
double CountingClock() { return looks++; }

TEST(Budget, TimeIsLookedAtOftenAndEverywhere) {
  const ir::Module module = Chain(2000, Shape({64}));
  CompilerOptions options;
  options.clock = CountingClock;
  options.budget.max_seconds = 1e9;
  looks = 0;
  EXPECT_EQ(ErrorOf(module, options), "");
  const double all = looks;
  EXPECT_GT(all, 20);
  for (const double part : {0.0, 0.2, 0.5, 0.9}) {
    looks = 0;
    options.budget.max_seconds = part * all;
    EXPECT_THAT(ErrorOf(module, options), AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("max_seconds")));
    EXPECT_LE(looks, part * all + 40) << "stops soon";
    looks = 0;
    options.budget.max_seconds = part * 20;
    EXPECT_THAT(ObjectErrorOf(module, options), HasSubstr("max_seconds"));
  }
}

TEST(Budget, MemoryOfTheCompiler) {
  CompilerOptions options;
  options.budget.max_memory = 10 << 20;
  for (const std::string& error : {ErrorOf(Chain(3), options), ObjectErrorOf(Chain(3), options)}) {
    EXPECT_THAT(error, AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("LLVM"), HasSubstr("max_memory")));
  }
  options.budget.max_memory = int64_t{200} << 20;
  EXPECT_EQ(ErrorOf(Chain(3000), options), "");
  const auto bytes = [](int ops, bool object) {
    const auto program = BuildProgram(Chain(ops, Shape({64})), *FindTarget("x86-64-v3"), {});
    return program.ok() ? CompileBytes(*program, 1, object).all : 0;
  };
  EXPECT_GT(bytes(150, false), bytes(20, false) + 130 * 512);
  EXPECT_LT(bytes(20000, true), int64_t{1} << 29);
}

/// The estimate is near what LLVM is given, and not below it.
TEST(Budget, EmittedInstructions) {
  for (const int ops : {1, 20, 150}) {
    const ir::Module module = Chain(ops, Shape({64}));
    const auto program = BuildProgram(module, *FindTarget("native"), {});
    ASSERT_TRUE(program.ok());
    int64_t estimate = 0;
    for (const Kernel& kernel : program->kernels) estimate += EmittedInstructions(kernel);
    const auto text = reel_compiler()->EmitText(module, "chain", "llvm", {});
    ASSERT_TRUE(text.ok());
    int64_t lines = 0;  // of kernels
    bool inside = false;
    for (size_t at = 0; at < text->size(); at = text->find('\n', at) + 1) {
      const std::string_view line = std::string_view(*text).substr(at, 200);
      if (line.starts_with("define")) inside = line.find("_k") != std::string_view::npos;
      lines += inside && line.starts_with("  ");
    }
    EXPECT_GE(estimate, lines) << ops;
    EXPECT_LE(estimate, 8 * lines) << ops;
  }
}

TEST(Budget, TheMachineMustHaveTheLevel) {
  CompilerOptions options;
  options.cpu = "x86-64-v2";
  options.host_supports = [](std::string_view target) { return target != "x86-64-v2"; };
  EXPECT_THAT(ErrorOf(Chain(3), options),
              AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("x86-64-v2"), HasSubstr("native")));
  EXPECT_EQ(ObjectErrorOf(Chain(3), options), "") << "an object runs elsewhere";
}

}  // namespace
}  // namespace reel::codegen
