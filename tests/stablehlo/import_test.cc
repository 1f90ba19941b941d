// StableHLO in: what Reel writes comes back with the same bits, names and variables; both of MLIR's forms; what is
// refused and how; damaged texts. Programs of JAX's are in tests/python/test_jax.py and `third_party/setup interop`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "frontend/record/event_log.h"
#include "frontend/stablehlo/operators.h"
#include "frontend/stablehlo/writer.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "reel/ops.h"
#include "reel/stablehlo.h"
#include "tests/ops/compare.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"
#include "tests/paths.h"

namespace reel::stablehlo {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& text, const StableHloImportOptions& options = {}) {
  try {
    ImportStableHlo(text, "t.mlir", options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string Main(const std::string& signature, const std::string& body) {
  return StrCat("module @m {\n  func.func public @main(", signature, ") {\n", body, "  }\n}\n");
}

// The results of a program for arguments, by the reference evaluator with each op rounded.
std::vector<ir::Literal> Evaluate(const ir::Module& module, const std::vector<ir::Literal>& inputs) {
  const auto results = ir::EvaluateLiterals(module, *module.FindFunction("main"), inputs, {.round_each_op = true});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *results : std::vector<ir::Literal>();
}

std::vector<double> Numbers(const std::string& text, const std::vector<ir::Literal>& inputs = {}) {
  const Module module = ImportStableHlo(text, "t.mlir");
  std::vector<double> out;
  for (const ir::Literal& l : Evaluate(module.internal_data()->module, inputs)) {
    for (int64_t i = 0; i < l.size(); ++i) out.push_back(l.AsDouble(i));
  }
  return out;
}

ir::Literal Floats(const Shape& shape, const std::vector<float>& values) {
  return ir::Literal::From<float>(shape, values);
}

// Whether a case that is written, read and run gives the bits of the case itself.
bool HasSameBits(const optable::OpCase& c) {
  const Module again = ImportStableHlo(Write(c.module, {.entry = "main"}), "again.mlir");
  const ir::Module& module = again.internal_data()->module;
  EXPECT_TRUE(ir::Verify(module).ok()) << c.name << ": " << ir::Verify(module);
  const auto want = Evaluate(c.module, c.inputs), got = Evaluate(module, c.inputs);
  EXPECT_EQ(got.size(), want.size()) << c.name;
  bool equal = got.size() == want.size();
  for (size_t i = 0; i < got.size() && equal; ++i) equal = optable::DifferentBits(got[i], want[i]).empty();
  return equal;
}

// Each case of the op table that StableHLO has. Other bits have the primitives that are written as a formula or as
// loops of others, and atan2 in the reference evaluator (compiled it has the same).
TEST(StableHloImport, ReadsWhatReelWrites) {
  std::set<std::string> different;
  int same = 0;
  for (const ir::Op op : ir::AllOps()) {
    if (!RowOf(op).handler) continue;
    for (const optable::OpCase& c : optable::CasesFor(op)) {
      try {
        HasSameBits(c) ? void(++same) : void(different.emplace(Name(op)));
      } catch (const Error& e) {
        ADD_FAILURE() << c.name << ": " << e.what();
      }
    }
  }
  EXPECT_GT(same, 4000);
  const std::set<std::string> formulas{"atan2", "eigh", "erfc_inv", "log10", "log2", "lu", "qr", "svd"};
  EXPECT_EQ(different, formulas) << same << " cases have the same bits";
}

TEST(StableHloImport, ReadsRandomGraphs) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const optable::RandomGraph graph = optable::MakeRandomGraph(seed);
    std::string text;
    try {
      text = Write(graph.module, {.entry = "main"});
    } catch (const Error&) {
      continue;  // an op that StableHLO does not have
    }
    const Module again = ImportStableHlo(text, "again.mlir");
    ASSERT_TRUE(ir::Verify(again.internal_data()->module).ok()) << seed;
    const auto want = Evaluate(graph.module, graph.inputs), got = Evaluate(again.internal_data()->module, graph.inputs);
    ASSERT_EQ(got.size(), want.size()) << seed;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].type(), want[i].type()) << seed;
      if (IsComplex(got[i].dtype())) continue;
      for (int64_t k = 0; k < got[i].size(); ++k) {
        const double a = got[i].AsDouble(k), b = want[i].AsDouble(k);
        EXPECT_TRUE(a == b || std::abs(a - b) <= graph.allowed[i]) << seed << ": " << a << " for " << b;
      }
    }
  }
}

TEST(StableHloImport, NamesAndVariablesComeBack) {
  auto module = ir::ParseModule(R"(reel 1
module "any \"name\""
variable @w: f32[3] = [1, 2, 3]
func @step(%x: f32[3]) state(@w: f32[3]) -> (loss: f32[]) {
  %0 = mul %x, @w : f32[3]
  %1 = reduce_sum %0 {axes=[0]} : f32[]
  %2 = sub @w, %x : f32[3]
  return %1 state(%2)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = Write(*module, {});
  const Module again = ImportStableHlo(text, "step.mlir", {.values = {{"w", Tensor{1.f, 2.f, 3.f}}}});
  EXPECT_EQ(again.name(), "any \"name\"");
  EXPECT_EQ(again.entries(), std::vector<std::string>{"step"});
  EXPECT_EQ(again.variables(), std::vector<std::string>{"w"});
  EXPECT_EQ(Write(again.internal_data()->module, {.locations = false}), Write(*module, {.locations = false}));
  EXPECT_THAT(ErrorOf(text, {.values = {{"v", Tensor(1.f)}}}), HasSubstr("there is no variable \"v\""));
  EXPECT_THAT(ErrorOf(text, {.values = {{"w", Tensor(1.f)}}}), HasSubstr("\"w\" is f32[3], its value f32[]"));
  EXPECT_THAT(ErrorOf(text, {.variables = {{7, "v"}}}), HasSubstr("has no argument 7"));
}

// Both forms of operations, beside results by hand.
TEST(StableHloImport, ReadsBothForms) {
  struct Case {
    const char *body, *type;
    std::vector<double> want;
  };
  const Case cases[] = {
      {"%0 = stablehlo.add %a, %b : tensor<2x3xf32>", "2x3xf32", {11, 22, 33, 44, 55, 66}},
      {"%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
       "2x3xf32",
       {11, 22, 33, 44, 55, 66}},
      {"%c = stablehlo.constant dense<1.0> : tensor<f32>\n"
       "%0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, "
       "tensor<f32>) -> tensor<2xf32>",
       "2xf32",
       {7, 16}},
      {"%0 = stablehlo.slice %a [1:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>", "1x2xf32", {4, 6}},
      {"%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "3x2xf32",
       {1, 4, 2, 5, 3, 6}},
      {"%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
       "2x2xf32",
       {140, 320, 320, 770}},
      {"%0 = stablehlo.compare  LT, %a, %b,  FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
       "2x3xi1",
       {1, 1, 1, 1, 1, 1}},
      {"%c = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
       "%0 = stablehlo.pad %a, %c, low = [0, -1], high = [1, 0], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) "
       "-> tensor<3x4xf32>",
       "3x4xf32",
       {HUGE_VAL, 2, HUGE_VAL, 3, HUGE_VAL, 5, HUGE_VAL, 6, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}},
      {"%0 = stablehlo.iota dim = 1 : tensor<2x2xui8>", "2x2xui8", {0, 1, 0, 1}},
      {"%0 = stablehlo.constant dense<[[1, -2], [0x7F, 4]]> : tensor<2x2xi8>", "2x2xi8", {1, -2, 127, 4}},
      {"%0 = stablehlo.constant dense<\"0x0000803F00000040\"> : tensor<2xf32>", "2xf32", {1, 2}},
      {"%0 = stablehlo.constant dense<\"0x05\"> : tensor<3xi1>", "3xi1", {1, 0, 1}},
      {"%0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>", "3xi1", {1, 0, 1}},
      {"%i = stablehlo.constant dense<5> : tensor<i32>\n%j = stablehlo.constant dense<1> : tensor<i32>\n"
       "%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> "
       "tensor<1x2xf32>",
       "1x2xf32",
       {5, 6}},
      {"%n = stablehlo.constant dense<0> : tensor<i32>\n"
       "%1:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<2x3xf32>\n cond {\n"
       "%l = stablehlo.constant dense<3> : tensor<i32>\n"
       "%t = stablehlo.compare LT, %i, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
       "stablehlo.return %t : tensor<i1>\n} do {\n%one = stablehlo.constant dense<1> : tensor<i32>\n"
       "%k = stablehlo.add %i, %one : tensor<i32>\n%y = stablehlo.add %x, %b : tensor<2x3xf32>\n"
       "stablehlo.return %k, %y : tensor<i32>, tensor<2x3xf32>\n}\n%0 = stablehlo.negate %1#1 : tensor<2x3xf32>",
       "2x3xf32",
       {-31, -62, -93, -124, -155, -186}},
  };
  const ir::Literal a = Floats({2, 3}, {1, 2, 3, 4, 5, 6}), b = Floats({2, 3}, {10, 20, 30, 40, 50, 60});
  for (const Case& c : cases) {
    const std::string text = Main(StrCat("%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<", c.type, ">"),
                                  StrCat(c.body, "\nreturn %0 : tensor<", c.type, ">\n"));
    try {
      EXPECT_EQ(Numbers(text, {a, b}), c.want) << text;
    } catch (const Error& e) {
      ADD_FAILURE() << e.what() << "\n" << text;
    }
  }
}

// A loop over numbers that are known has its number of iterations, by which its gradient keeps what it needs.
TEST(StableHloImport, LoopsThatCountAreBounded) {
  const auto loop = [](const char* step) {
    return Main("%a: tensor<f32>) -> (tensor<f32>",
                StrCat("%n = stablehlo.constant dense<2> : tensor<i32>\n"
                       "%1:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<f32>\n cond {\n"
                       "%l = stablehlo.constant dense<9> : tensor<i32>\n"
                       "%t = stablehlo.compare LT, %i, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                       "stablehlo.return %t : tensor<i1>\n} do {\n%s = stablehlo.constant dense<2> : tensor<i32>\n",
                       "%k = ", step, " : tensor<i32>\n%y = stablehlo.add %x, %x : tensor<f32>\n",
                       "stablehlo.return %k, %y : tensor<i32>, tensor<f32>\n}\nreturn %1#1 : tensor<f32>\n"));
  };
  const std::string bounded = ImportStableHlo(loop("stablehlo.add %i, %s"), "t").ToText();
  EXPECT_THAT(bounded, HasSubstr("maximum_iterations=4"));
  EXPECT_EQ(Numbers(loop("stablehlo.add %i, %s"), {Floats({}, {1})}), std::vector<double>{16});
  EXPECT_THAT(ImportStableHlo(loop("stablehlo.multiply %i, %s"), "t").ToText(),
              testing::Not(HasSubstr("maximum_iterations")));
  EXPECT_EQ(Numbers(loop("stablehlo.multiply %i, %s"), {Floats({}, {1})}), std::vector<double>{8});
}

TEST(StableHloImport, ErrorsSayWhatAndWhere) {
  const auto one = [](const std::string& line) {
    return Main("%a: tensor<4xf32>) -> (tensor<4xf32>", line + "\nreturn %a : tensor<4xf32>\n");
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "1:1: there is no function"},
      {"module {", "1:9: expected func.func or '}', the text ends"},
      {"module {\n}", "1:1: there is no function"},
      {one("%0 = stablehlo.add %a, %x : tensor<4xf32>"), "3:6: stablehlo.add: %x is not defined here"},
      {one("%0 = stablehlo.add %a %a tensor<4xf32>"), "3:"},
      {one("%0 = stablehlo.no_such_op %a : tensor<4xf32>"), "3:6: stablehlo.no_such_op: Reel does not have"},
      {one("%0 = stablehlo.custom_call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>"), "stablehlo.custom_call @f: "},
      {one("%0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf8E4M3FN>"),
       "tensor<4xf8E4M3FN>: Reel has no such"},
      {one("%0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<?xf32>"), "extents must be numbers"},
      {one("%0 = stablehlo.negate %a : (tensor<5xf32>) -> tensor<5xf32>"),
       "operand %a is f32[4], the text says f32[5]"},
      {one("%0 = stablehlo.negate %a : (tensor<4xf32>) -> tensor<5xf32>"), "result 0 is f32[4], the text says f32[5]"},
      {one("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>"), "another length than axis 0 of f32[3]"},
      {one("%0 = stablehlo.constant dense<300> : tensor<i8>"), "does not fit into i8"},
      {one("%0 = stablehlo.constant dense<\"0x00\"> : tensor<3xf32>"), "1 bytes are not the elements"},
      {one("%0 = stablehlo.transpose %a, dims = [1] : (tensor<4xf32>) -> tensor<4xf32>"), "there is no axis 1"},
      {one("%0 = func.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>"), "a call of a function that is not there"},
      {one("%0 = func.call @main(%a) : (tensor<4xf32>) -> tensor<4xf32>"), "a function that calls itself"},
      {one("%0 = stablehlo.constant dense<0.0> : tensor<4x\nf32>"), "a type without its end"},
      {one("%0 = stablehlo.constant \"abc"), "a string without its end"},
      {StrCat("module {\n", std::string(100'000, '{')), "2:1: expected func.func"},
      {one(StrCat("%0 = stablehlo.negate %a {x = ", std::string(100'000, '['))), "nested deeper than"},
  };
  for (const auto& [text, want] : cases) EXPECT_THAT(ErrorOf(text), HasSubstr(want)) << text.substr(0, 300);
  const std::string two =
      one("%0 = stablehlo.optimization %a : tensor<4xf32>\n%1 = stablehlo.create_token : tensor<ui32>\n"
          "%2 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.1>>");
  EXPECT_THAT(ErrorOf(two), testing::AllOf(HasSubstr("4 things that Reel does not have"), HasSubstr("\n  3:6: "),
                                           HasSubstr("\n  4:6: "), HasSubstr("\n  5:6: ")));
}

TEST(StableHloImport, BudgetsHold) {
  const std::string constant = Main(") -> (tensor<1000xf32>",
                                    "%0 = stablehlo.constant dense<\"0x00\"> : tensor<1000xf32>\n"
                                    "return %0 : tensor<1000xf32>\n");
  EXPECT_THAT(ErrorOf(constant, {.budget = {.max_memory = 1000}}), HasSubstr("max_memory"));
  EXPECT_THAT(ErrorOf(constant, {.budget = {.max_bytes = 10}}), HasSubstr("max_bytes"));
  // Calls that double what they call.
  std::string text = "module {\n";
  for (int i = 0; i < 40; ++i) {
    const std::string callee = i == 0 ? "stablehlo.negate" : StrCat("func.call @f", i - 1);
    const auto call = [&](const char* to, const char* from) {
      return i == 0 ? StrCat("%", to, " = stablehlo.negate %", from, " : tensor<f32>\n")
                    : StrCat("%", to, " = ", callee, "(%", from, ") : (tensor<f32>) -> tensor<f32>\n");
    };
    StrAppend(&text, "func.func ", i == 39 ? "public" : "private", " @f", i, "(%a: tensor<f32>) -> tensor<f32> {\n",
              call("b", "a"), call("c", "b"), "return %c : tensor<f32>\n}\n");
  }
  EXPECT_THAT(ErrorOf(text + "}\n", {.budget = {.max_ops = 10'000}}), HasSubstr("max_ops"));
}

// Damages 1 to 3 places of a text.
std::string Damaged(std::string text, std::mt19937_64* random) {
  const auto below = [random](size_t n) { return static_cast<size_t>((*random)() % (n ? n : 1)); };
  for (size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
    const size_t at = below(text.size()), size = 1 + below(16);
    const std::string piece = text.substr(at, size);
    switch (below(4)) {
      case 0: text[at] = "0123456789-[]{}(),%@:=<>\"#x\n"[below(29)]; break;
      case 1: text.erase(at, size); break;
      case 2: text.insert(at, piece); break;
      default: text.insert(below(text.size()), piece);
    }
  }
  return text;
}

// Texts with damage give a module that is well formed or a typed error.
TEST(StableHloImport, DamagedTexts) {
  std::vector<std::string> texts;
  for (const char* name : {"primitives.mlir", "step.mlir"}) {
    std::stringstream all;
    all << std::ifstream(StrCat(SourceDir(), "/tests/stablehlo/golden/", name)).rdbuf();
    const std::string text = all.str();
    for (size_t at = text.find("module @"); at != std::string::npos;) {
      const size_t next = text.find("module @", at + 1);
      if (text.substr(at, next - at).size() < 6000) texts.push_back(text.substr(at, next - at));
      at = next;
    }
  }
  ASSERT_GT(texts.size(), 50u);
  const char* rounds = std::getenv("REEL_TEST_ROUNDS");
  std::mt19937_64 random(7);
  int read = 0;
  for (int i = rounds ? std::atoi(rounds) : 3000; i > 0; --i) {
    const std::string text = Damaged(texts[random() % texts.size()], &random);
    SCOPED_TRACE(text);
    try {
      const Module module = ImportStableHlo(text, "t", {.budget = {.max_ops = 20'000, .max_memory = 1 << 24}});
      EXPECT_TRUE(ir::Verify(module.internal_data()->module).ok());
      ++read;
    } catch (const Error& e) {
      EXPECT_NE(e.code(), ErrorCode::kInternal) << e.what();
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace reel::stablehlo
