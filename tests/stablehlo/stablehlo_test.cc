// The text of StableHLO: golden files, what is refused and how, names, symbolic extents. Whether others read it and
// compute the same is the job of `third_party/setup interop`.

#include "reel/stablehlo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/stablehlo/dense.h"
#include "frontend/stablehlo/import/context.h"
#include "frontend/stablehlo/operators.h"
#include "frontend/stablehlo/writer.h"
#include "ir/builder.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "tests/hostile_names.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"
#include "tests/paths.h"

namespace reel::stablehlo {
namespace {

using testing::HasSubstr;

std::string ReadText(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = StrCat(SourceDir(), "/", name);
  if (std::getenv("REEL_UPDATE_GOLDEN")) std::ofstream(path) << text;
  EXPECT_EQ(text, ReadText(path)) << name << ": REEL_UPDATE_GOLDEN=1 writes it anew";
}

ir::Module Parse(std::string_view body) {
  auto module = ir::ParseModule(StrCat("reel 1\nmodule \"m\"\n", body));
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
  return *module;
}

std::string ErrorOf(const ir::Module& module, const StableHloOptions& options = {}, size_t most = kMostText) {
  try {
    Write(module, options, most);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// Every name is defined once, before it is used, brackets are closed, and there is nothing but printable ASCII.
std::string Fault(const std::string& text) {
  static const std::regex kDefined(R"(^ *(%\d+)(:\d+)? = )"), kUsed(R"(%(arg)?\d+)"), kArgument(R"((%(arg)?\d+): )");
  std::set<std::string> defined;
  int depth = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("func.func") != std::string::npos) defined.clear();
    std::string bare;  // without strings
    bool inside = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] < ' ' || line[i] > '~') return StrCat("not printable: ", line);
      if (inside && line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        inside = !inside;
      } else if (!inside) {
        bare += line[i];
      }
    }
    if (inside) return StrCat("a string without end: ", line);
    for (const char c : bare) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    const std::string parameters =
        bare.find("^bb0") != std::string::npos || bare.find("func.func") != std::string::npos ? bare : "";
    for (std::sregex_iterator i(parameters.begin(), parameters.end(), kArgument), end; i != end; ++i)
      defined.insert((*i)[1]);
    std::smatch match;
    const bool defines = std::regex_search(bare, match, kDefined);
    const std::string name = defines ? match[1].str() : "";
    const std::string uses = defines ? match.suffix().str() : bare;
    for (std::sregex_iterator i(uses.begin(), uses.end(), kUsed), end; i != end; ++i) {
      if (!defined.contains(i->str())) return StrCat(i->str(), " is not defined: ", line);
    }
    if (defines && !defined.insert(name).second) return StrCat(name, " is defined twice: ", line);
  }
  return depth == 0 ? "" : "brackets are not closed";
}

TEST(StableHlo, OperatorsAreListed) {
  ExpectGolden("frontend/stablehlo/OPERATORS.md", OperatorsTable() + reading::ImportTable());
}

// The shortest case of every primitive that has the row's operation in its text; what is loops is long.
TEST(StableHlo, TextOfEveryPrimitive) {
  std::string all;
  for (const ir::Op op : ir::AllOps()) {
    const std::string_view said = RowOf(op).said;
    if (!RowOf(op).handler || said == "loops") continue;
    const std::string_view first = said.find('.') == said.npos ? "func.return" : said.substr(0, said.find(','));
    std::string name, shortest;
    for (const optable::OpCase& c : optable::CasesFor(op)) {
      const std::string text = Write(c.module, {});
      if (text.find(first) == text.npos || (!shortest.empty() && text.size() >= shortest.size())) continue;
      name = c.name;
      shortest = text;
    }
    EXPECT_FALSE(shortest.empty()) << Name(op) << " never is " << first;
    StrAppend(&all, "// ", name, "\n", shortest);
  }
  ExpectGolden("tests/stablehlo/golden/primitives.mlir", all);
}

TEST(StableHlo, EveryCaseIsWellFormed) {
  for (const ir::Op op : ir::AllOps()) {
    if (!RowOf(op).handler) continue;
    const std::vector<optable::OpCase> cases = optable::CasesFor(op);
    for (size_t i = 0; i < cases.size(); i += 5) EXPECT_EQ(Fault(Write(cases[i].module, {})), "") << cases[i].name;
  }
}

// A step that trains, with a loop and a branch.
constexpr char kStep[] = R"(variable @w: f32[3] = [1, 2, 3]
variable @count frozen: i64[] = 0
func @less(%i: i64[], %x: f32[3]) -> (bool[]) {
  %0 = constant 4 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @twice(%i: i64[], %x: f32[3]) -> (i64[], f32[3]) {
  %0 = constant 1 : i64[]
  %1 = add %i, %0 : i64[]
  %2 = add %x, %x : f32[3]
  return %1, %2
}
func @keep(%x: f32[3]) -> (f32[3]) {
  return %x
}
func @turn(%x: f32[3]) -> (f32[3]) {
  %0 = neg %x : f32[3]
  return %0
}
func @train(%x: f32[3]) state(@w: f32[3], @count: i64[]) -> (loss: f32[]) {
  %0 = mul %x, @w : f32[3] loc("step.py":3)
  %1.sum = reduce_sum %0 {axes=[0]} : f32[] loc("step.py":4)
  %2 = constant 0 : i64[]
  %3, %4 = while %2, @w {body=@twice, cond=@less, maximum_iterations=3} : i64[], f32[3]
  %5 = constant 0 : f32[]
  %6 = less %1.sum, %5 : bool[]
  %7 = if %6, %4 {else=@keep, then=@turn} : f32[3]
  return %1.sum state(%7, @count)
}
)";

TEST(StableHlo, TextOfAStep) {
  const std::string text = Write(Parse(kStep), {});
  EXPECT_EQ(Fault(text), "");
  ExpectGolden("tests/stablehlo/golden/step.mlir", text);
}

TEST(StableHlo, VariablesThatAreOnlyReadAreNoResults) {
  const std::string text = Write(Parse(kStep), {.locations = false});
  EXPECT_THAT(text,
              HasSubstr("%arg1: tensor<3xf32> {reel.variable = \"w\"}, %arg2: tensor<i64> {reel.variable = \"count\"}"
                        ") -> (tensor<f32> {reel.name = \"loss\"}, tensor<3xf32> {reel.variable = \"w\"})"));
  EXPECT_EQ(text.find("loc("), std::string::npos);
}

TEST(StableHlo, RefusesByOpFunctionAndLine) {
  const ir::Module gamma = Parse(R"(func @main(%x: f32[2]) -> (f32[2]) {
  %0 = igamma %x, %x : f32[2] loc("model.py":7)
  return %0
}
)");
  EXPECT_EQ(ErrorOf(gamma), "stablehlo: igamma in @main (model.py:7): StableHLO has no incomplete gamma function");
  EXPECT_THAT(ErrorOf(Parse(kStep), {.entry = "trian"}), HasSubstr("\"trian\""));
  EXPECT_THAT(ErrorOf(Parse(kStep), {.dims = {{"B", 2}}}), HasSubstr("\"B\""));
}

TEST(StableHlo, AFileIsWholeOrAsItWas) {
  const std::string path = StrCat(BinaryDir(), "/tests/stablehlo_test.mlir");
  std::ofstream(path) << "before";
  const Module bad = Module::FromText(
      "reel 1\nmodule \"m\"\nfunc @main(%x: f32[2]) -> (f32[2]) {\n  %0 = igamma %x, %x : f32[2]\n  return %0\n}\n");
  EXPECT_THROW(SaveStableHlo(bad, path), Error);
  EXPECT_EQ(ReadText(path), "before");
  const Module good = Module::FromText(StrCat("reel 1\nmodule \"m\"\n", kStep));
  SaveStableHlo(good, path);
  EXPECT_EQ(ReadText(path), ToStableHlo(good));
  std::filesystem::remove(path);
}

// Extents without numbers stay `?` where operations take them, and become numbers on demand.
constexpr char kSymbolic[] = R"(symbol "B" in [1, 64]
func @main(%x: f32[B,4], %w: f32[4,3]) -> (f32[B,3]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[B,3]
  %1 = constant 1 : f32[]
  %2 = broadcast %1 {axes=[], shape=[B,3]} : f32[B,3]
  %3 = add %0, %2 : f32[B,3]
  return %3
}
)";

TEST(StableHlo, SymbolicExtents) {
  const std::string open = Write(Parse(kSymbolic), {}), fixed = Write(Parse(kSymbolic), {.dims = {{"B", 8}}});
  EXPECT_EQ(Fault(open), "");
  EXPECT_THAT(open, HasSubstr("tensor<?x3xf32>"));
  EXPECT_THAT(open, HasSubstr("stablehlo.get_dimension_size"));
  EXPECT_EQ(fixed.find('?'), std::string::npos);
  EXPECT_THAT(fixed, HasSubstr("tensor<8x3xf32>"));
}

TEST(StableHlo, MatricesWithoutNumbersAreRefused) {
  const ir::Module batch = Parse(R"(symbol "B" in [1, 64]
func @main(%x: f32[B,2,2]) -> (f32[B,2,2], f32[B,2,2]) {
  %0, %1 = qr %x : f32[B,2,2], f32[B,2,2] loc("model.py":3)
  return %0, %1
}
)");
  EXPECT_THAT(ErrorOf(batch), HasSubstr("qr in @main (model.py:3)"));
  EXPECT_THAT(ErrorOf(batch), HasSubstr("--dim NAME=N"));
}

// Names are any text of UTF-8: they stand in strings alone.
TEST(StableHlo, NamesAreAnything) {
  std::mt19937_64 rng(1);
  const std::vector<std::string> names = HostileNames();
  const auto name = [&] {
    std::string out;
    do {
      out += names[rng() % names.size()];
    } while (out.empty() || rng() % 2);
    return out;
  };
  int tried = 0;
  for (int round = 0; round < 300; ++round) {
    ir::Module module(name());
    const Type type{kFloat32, {2}};
    const std::string variable = name(), callee = name();
    module.AddVariable({variable, type, true, ir::Literal::Zeros(type)});
    for (const std::string& f_name : {StrCat(callee, "x"), callee}) {
      ir::Function f(f_name);
      f.AddParameter(name(), type);
      f.AddState(variable, type);
      f.AddLocation({name(), 3});
      const ir::Node& node = f.AddNode(ir::Op::kAdd, {ir::Value{0}, ir::Value{1}}, nullptr, {type}, 0);
      const ir::Value sum = node.result();
      f.set_name_hint(sum, name());
      f.SetResults({sum, sum});
      f.set_result_names({name()});
      module.AddFunction(std::move(f));
    }
    if (!ir::Verify(module).ok()) continue;  // what cannot be printed is no name of a value
    ASSERT_EQ(Fault(Write(module, {.entry = callee})), "") << callee;
    ++tried;
  }
  EXPECT_GT(tried, 100);
}

TEST(StableHlo, Constants) {
  const auto dense = [](const ir::Literal& l) { return Dense(l); };
  EXPECT_EQ(dense(ir::Literal::Scalar(kFloat32, 0.1)), "dense<0.1>");
  EXPECT_EQ(dense(ir::Literal::Scalar(kFloat64, 1e-7)), "dense<1.0e-07>");
  EXPECT_EQ(dense(ir::Literal::Scalar(kFloat32, -0.0)), "dense<-0.0>");
  EXPECT_EQ(dense(ir::Literal::Scalar(kFloat16, INFINITY)), "dense<0x7C00>");
  EXPECT_EQ(dense(ir::Literal::ScalarInt(kUInt64, -1)), "dense<18446744073709551615>");
  EXPECT_EQ(dense(ir::Literal::ScalarInt(kInt8, -128)), "dense<-128>");
  EXPECT_EQ(dense(ir::Literal::Scalar(kComplex64, 1)), "dense<(1.0, 0.0)>");
  EXPECT_EQ(dense(ir::Literal::Zeros({kFloat32, {0, 3}})), "dense<>");
  EXPECT_EQ(dense(ir::Literal::From<int32_t>({2, 2}, std::vector<int32_t>{1, 2, 3, 4})), "dense<[[1, 2], [3, 4]]>");
  std::vector<uint8_t> many(33, 1);
  many[0] = 255;
  EXPECT_THAT(dense(ir::Literal::From<uint8_t>({33}, many)), testing::StartsWith("dense<\"0xFF01"));
}

// The text has no value of a variable; one that is too long is refused.
TEST(StableHlo, ValuesOfVariablesAreApart) {
  std::vector<float> values(1 << 16);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const ir::Literal large = ir::Literal::From<float>({1 << 16}, values);
  ir::Module module;
  module.AddVariable({"w", large.type(), true, large});
  ir::Function f("main");
  const ir::Value w = f.AddState("w", large.type());
  f.SetResults({w, w});
  module.AddFunction(f);
  EXPECT_LT(Write(module, {}).size(), 1000u);

  ir::Function g("constant");
  ir::Builder b(&g, &module);
  g.SetResults({b.Neg(b.Constant(large))});
  module.AddFunction(std::move(g));
  EXPECT_GT(Write(module, {.entry = "constant"}).size(), values.size() * 8);
  EXPECT_THAT(ErrorOf(module, {.entry = "constant"}, values.size() * 8),
              HasSubstr("constant in @constant: the text would have more than 524288 characters; make"));
}

}  // namespace
}  // namespace reel::stablehlo
