// TensorFlow's graphs: golden texts, what is refused and how, names, symbolic extents. Whether TensorFlow reads them
// and computes the same is the job of `third_party/setup interop`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/schema.h"
#include "frontend/tensorflow/writer.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "reel/tensorflow.h"
#include "tests/ops/op_cases.h"
#include "tests/paths.h"

namespace reel::tensorflow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string FileText(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = StrCat(SourceDir(), "/", name);
  if (std::getenv("REEL_UPDATE_GOLDEN")) std::ofstream(path) << text;
  EXPECT_EQ(text, FileText(path)) << name << ": REEL_UPDATE_GOLDEN=1 writes it anew";
}

ir::Module Parse(std::string_view body) {
  auto module = ir::ParseModule(StrCat("reel 1\nmodule \"m\"\n", body));
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module);
  return *module;
}

proto::GraphDef GraphOf(const ir::Module& module, const std::string& entry = "", const Dims& dims = {}) {
  proto::GraphDef graph;
  EXPECT_TRUE(graph.ParseFromString(WriteGraphDef(module, entry, dims)));
  return graph;
}

std::string ErrorOf(const ir::Module& module, const std::string& entry = "", const Dims& dims = {}) {
  try {
    WriteGraphDef(module, entry, dims);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// "[2,?]"
std::string ShapeText(const proto::TensorShapeProto& shape) {
  std::string out = "[";
  for (const auto& dim : shape.dim())
    StrAppend(&out, out.size() > 1 ? "," : "", dim.size() < 0 ? "?" : StrCat(dim.size()));
  return out + "]";
}

std::string AttrText(const proto::AttrValue& value) {
  switch (value.value_case()) {
    case proto::AttrValue::kS: return ir::Quoted(value.s());
    case proto::AttrValue::kI: return StrCat(value.i());
    case proto::AttrValue::kB: return value.b() ? "true" : "false";
    case proto::AttrValue::kType: return proto::DataType_Name(value.type());
    case proto::AttrValue::kShape: return ShapeText(value.shape());
    case proto::AttrValue::kTensor: return ShapeText(value.tensor().tensor_shape());
    case proto::AttrValue::kFunc: return StrCat("@", value.func().name());
    default: break;
  }
  std::string out = "(";
  for (const int64_t i : value.list().i()) StrAppend(&out, " ", i);
  for (const int type : value.list().type())
    StrAppend(&out, " ", proto::DataType_Name(static_cast<proto::DataType>(type)));
  for (const auto& shape : value.list().shape()) StrAppend(&out, " ", ShapeText(shape));
  return out + " )";
}

std::string NodeText(const proto::NodeDef& node) {
  std::string out = StrCat("  ", node.name(), " = ", node.op(), "(");
  for (int i = 0; i < node.input_size(); ++i) StrAppend(&out, i ? ", " : "", node.input(i));
  out += ")";
  const std::map<std::string, proto::AttrValue> sorted(node.attr().begin(), node.attr().end());
  for (const auto& [name, value] : sorted) StrAppend(&out, " ", name, "=", AttrText(value));
  return out + "\n";
}

std::string LibraryText(const proto::FunctionDefLibrary& library) {
  std::string out;
  for (const auto& f : library.function()) {
    StrAppend(&out, "  function ", f.signature().name(), "(");
    for (const auto& argument : f.signature().input_arg()) StrAppend(&out, " ", argument.name());
    out += " )\n";
    for (const auto& node : f.node_def()) StrAppend(&out, "  ", NodeText(node));
    for (const auto& result : f.signature().output_arg())
      StrAppend(&out, "    return ", result.name(), " = ", f.ret().at(result.name()), "\n");
  }
  return out;
}

std::string GraphText(const proto::GraphDef& graph) {
  std::string out;
  for (const auto& node : graph.node()) out += NodeText(node);
  return out + LibraryText(graph.library());
}

// Names are valid and given once; every input is a result that is there before; every function is in the library.
class Checker {
 public:
  explicit Checker(const proto::FunctionDefLibrary& library) {
    for (const auto& f : library.function()) {
      if (!functions_.insert(f.signature().name()).second) fault_ = StrCat("two functions ", f.signature().name());
    }
    for (const auto& f : library.function()) AddFunction(f);
  }
  explicit Checker(const proto::GraphDef& graph) : Checker(graph.library()) {
    names_.clear();
    results_.clear();
    for (const auto& node : graph.node()) Add(node, false);
  }
  const std::string& fault() const { return fault_; }

 private:
  void AddFunction(const proto::FunctionDef& f) {
    static const std::regex kArgument("[a-z][a-z0-9_]*");
    names_.clear();
    results_.clear();
    for (const auto& argument : f.signature().input_arg()) {
      if (!std::regex_match(argument.name(), kArgument)) fault_ = StrCat("an argument called ", argument.name());
      if (!names_.insert(argument.name()).second) fault_ = StrCat("two arguments ", argument.name());
      results_.insert(argument.name());
    }
    for (const auto& node : f.node_def()) Add(node, true);
    for (const auto& result : f.signature().output_arg()) {
      if (!results_.contains(f.ret().at(result.name()))) fault_ = StrCat("no result ", f.ret().at(result.name()));
    }
  }

  void Add(const proto::NodeDef& node, bool in_function) {
    static const std::regex kName("[A-Za-z0-9.][A-Za-z0-9_./-]*");
    if (!std::regex_match(node.name(), kName)) fault_ = StrCat("a node called ", node.name());
    for (const std::string& input : node.input()) {
      const bool order = input.starts_with("^");
      if (order ? !names_.contains(input.substr(1)) : !results_.contains(input))
        fault_ = StrCat(node.name(), " reads ", input, ", which is not there");
    }
    if (!names_.insert(node.name()).second) fault_ = StrCat("two nodes ", node.name());
    for (const auto& [name, value] : node.attr()) {
      if (value.has_func() && !functions_.contains(value.func().name())) fault_ = "a function that is not there";
    }
    const Operation& operation = OperationOf(node.op());
    const bool many = operation.ports.find(' ') != std::string_view::npos;
    for (int i = 0; i < kMostResults; ++i) {
      const std::string_view port = PortOf(operation, many ? i : 0);
      results_.insert(in_function ? StrCat(node.name(), ":", port, ":", many ? 0 : i)
                      : i == 0    ? node.name()
                                  : StrCat(node.name(), ":", i));
    }
  }

  static constexpr int kMostResults = 16;
  std::set<std::string> functions_, names_, results_;
  std::string fault_;
};

std::string Fault(const ir::Module& module) { return Checker(GraphOf(module)).fault(); }

TEST(TensorFlowGraph, OperatorsAreListed) { ExpectGolden("frontend/tensorflow/OPERATORS.md", OperatorsTable()); }

// The shortest case of every primitive that has the row's operation; what is loops is long.
TEST(TensorFlowGraph, TextOfEveryPrimitive) {
  std::string all;
  for (const ir::Op op : ir::AllOps()) {
    const std::string_view said = RowOf(op).said;
    if (!RowOf(op).handler || said == "loops") continue;
    const std::string first =
        said == "the operand" ? " = Identity(" : StrCat(" = ", said.substr(0, said.find(',')), "(");
    std::string name, shortest;
    for (const optable::OpCase& c : optable::CasesFor(op)) {
      const std::string text = GraphText(GraphOf(c.module));
      if (text.find(first) == text.npos || (!shortest.empty() && text.size() >= shortest.size())) continue;
      name = c.name;
      shortest = text;
    }
    EXPECT_FALSE(shortest.empty() && op != ir::Op::kCall) << Name(op) << " never is " << first;
    if (!shortest.empty()) StrAppend(&all, "# ", name, "\n", shortest);
  }
  ExpectGolden("tests/tensorflow/golden/primitives.txt", all);
}

TEST(TensorFlowGraph, EveryCaseIsWellFormed) {
  for (const ir::Op op : ir::AllOps()) {
    if (!RowOf(op).handler) continue;
    const std::vector<optable::OpCase> cases = optable::CasesFor(op);
    for (size_t i = 0; i < cases.size(); i += 5) EXPECT_EQ(Fault(cases[i].module), "") << cases[i].name;
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
  %0."dense/mul" = mul %x, @w : f32[3] loc("step.py":3)
  %1."gradients/sum grad" = reduce_sum %0."dense/mul" {axes=[0]} : f32[] loc("step.py":4)
  %2 = cast @count {dtype=i64} : i64[]
  %3, %4 = while %2, @w {body=@twice, cond=@less, maximum_iterations=3} : i64[], f32[3]
  %5 = constant 0 : f32[]
  %6 = less %1."gradients/sum grad", %5 : bool[]
  %7 = if %6, %4 {else=@keep, then=@turn} : f32[3]
  return %1."gradients/sum grad" state(%7, @count)
}
)";

TEST(TensorFlowGraph, TextOfAStep) {
  const ir::Module step = Parse(kStep);
  EXPECT_EQ(Fault(step), "");
  ExpectGolden("tests/tensorflow/golden/step.txt", GraphText(GraphOf(step)));
}

// Names and their scopes stay, and what is not a name in TensorFlow is kept beside.
TEST(TensorFlowGraph, NamesAndScopes) {
  const std::string text = GraphText(GraphOf(Parse(kStep)));
  EXPECT_THAT(text, HasSubstr("  dense/mul = Mul(x, w)"));
  EXPECT_THAT(text, HasSubstr("  gradients/sum_grad = Sum(dense/mul, gradients/sum_grad/Const) T=DT_FLOAT "));
  EXPECT_THAT(text, HasSubstr("_reel_name=\"gradients/sum grad\""));
}

// One that is updated may be fed, and has a new value; one that is only read is a constant.
TEST(TensorFlowGraph, Variables) {
  const proto::GraphDef graph = GraphOf(Parse(kStep));
  std::vector<std::string> inputs, outputs, constants;
  for (const auto& node : graph.node()) {
    if (node.attr().contains("_reel_input")) inputs.push_back(StrCat(node.name(), " ", node.op()));
    if (node.attr().contains("_reel_output")) outputs.push_back(node.name());
    if (node.op() == "Const" && node.attr().contains("_reel_variable")) constants.push_back(node.name());
  }
  EXPECT_THAT(inputs, ElementsAre("x Placeholder", "w PlaceholderWithDefault"));
  EXPECT_THAT(outputs, ElementsAre("loss", "w_next"));
  EXPECT_THAT(constants, ElementsAre("count"));
}

// A node within does not take a result's name.
TEST(TensorFlowGraph, ResultsHaveTheirNames) {
  const std::string text = GraphText(GraphOf(Parse(R"(func @main(%x: f32[3]) -> (neg: f32[3], x: f32[3]) {
  %0 = neg %x : f32[3]
  %1 = exp %0 : f32[3]
  return %1, %0
}
)")));
  EXPECT_THAT(text, HasSubstr("  neg = Identity(exp)"));
  EXPECT_THAT(text, HasSubstr("  neg_1 = Neg(x)"));
  EXPECT_THAT(text, HasSubstr("  x_1 = Identity(neg_1) T=DT_FLOAT _reel_name=\"x\" _reel_output=1"));
}

std::set<std::string> FunctionsOf(const ir::Module& module) {
  std::set<std::string> out;
  const proto::GraphDef graph = GraphOf(module);
  for (const auto& f : graph.library().function()) out.insert(f.signature().name());
  return out;
}

// Two graphs may be parts of one: functions of one name are one.
TEST(TensorFlowGraph, FunctionsAreNamedByWhatTheyDo) {
  std::string other(kStep);
  other.replace(other.find("neg %x"), 6, "exp %x");
  const std::set<std::string> names = FunctionsOf(Parse(kStep)), changed = FunctionsOf(Parse(other));
  EXPECT_EQ(names, FunctionsOf(Parse(kStep)));
  EXPECT_EQ(names.size(), changed.size());
  for (const std::string& name : changed) EXPECT_FALSE(names.contains(name)) << name;
}

TEST(TensorFlowGraph, RefusesByOpFunctionAndLine) {
  const ir::Module callback = Parse(R"(func @main(%x: f32[2]) -> (f32[2]) {
  %0 = callback %x {dtype=f32, effect=false, guarded=false, id=1, of="numpy_function", shape=[2]} : f32[2] loc("model.py":7)
  return %0
}
)");
  EXPECT_EQ(
      ErrorOf(callback),
      "tensorflow: callback in @main (model.py:7): it calls a function of this process; take it out of the graph");
  EXPECT_THAT(ErrorOf(Parse(kStep), "trian"), HasSubstr("\"trian\""));
  EXPECT_THAT(ErrorOf(Parse(kStep), "", {{"B", 2}}), HasSubstr("\"B\""));
}

TEST(TensorFlowGraph, AFileIsWholeOrAsItWas) {
  const std::string path = StrCat(BinaryDir(), "/tests/tensorflow_graph_test.pb");
  std::ofstream(path) << "before";
  const Module good = Module::FromText(StrCat("reel 1\nmodule \"m\"\n", kStep));
  EXPECT_THROW(SaveGraphDef(good, path, {.entry = "none"}), Error);
  EXPECT_EQ(FileText(path), "before");
  SaveGraphDef(good, path, {.entry = "train"});
  EXPECT_EQ(FileText(path), WriteGraphDef(Parse(kStep), "train", {}));
  std::filesystem::remove(path);
}

// Extents without numbers are read at run time, and become numbers on demand.
constexpr char kSymbolic[] = R"(symbol "B" in [1, 64]
func @main(%x: f32[B,4], %w: f32[4,3]) -> (f32[B,3]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[B,3]
  %1 = constant 1 : f32[]
  %2 = broadcast %1 {axes=[], shape=[B,3]} : f32[B,3]
  %3 = add %0, %2 : f32[B,3]
  return %3
}
)";

TEST(TensorFlowGraph, SymbolicExtents) {
  const ir::Module module = Parse(kSymbolic);
  EXPECT_EQ(Fault(module), "");
  const std::string open = GraphText(GraphOf(module)), fixed = GraphText(GraphOf(module, "", {{"B", 8}}));
  EXPECT_THAT(open, HasSubstr("shape=[?,4]"));
  EXPECT_THAT(open, HasSubstr("= Shape(x)"));
  EXPECT_EQ(fixed.find('?'), std::string::npos);
  EXPECT_EQ(fixed.find("= Shape("), std::string::npos);
  EXPECT_THAT(fixed, HasSubstr("shape=[8,4]"));
  const ir::Module random = Parse(R"(symbol "B" in [1, 64]
func @main(%x: f32[B], %s: i64[2]) -> (i32[B]) {
  %0 = random_bits %s {shape=[B]} : i32[B] loc("model.py":3)
  return %0
}
)");
  EXPECT_THAT(ErrorOf(random), HasSubstr("random_bits in @main (model.py:3)"));
  EXPECT_THAT(ErrorOf(random), HasSubstr("--dim NAME=N"));
}

TEST(TensorFlowGraph, MatricesWithoutNumbersAreRefused) {
  const ir::Module batch = Parse(R"(symbol "B" in [1, 64]
func @main(%x: f32[B,2,2]) -> (f32[B,2,2], f32[B,2,2]) {
  %0, %1 = qr %x : f32[B,2,2], f32[B,2,2] loc("model.py":3)
  return %0, %1
}
)");
  EXPECT_THAT(ErrorOf(batch), HasSubstr("qr in @main (model.py:3)"));
  EXPECT_THAT(ErrorOf(batch), HasSubstr("--dim NAME=N"));
}

// Names are any text: nodes, arguments and functions are called near them.
TEST(TensorFlowGraph, NamesAreAnything) {
  std::mt19937_64 rng(1);
  constexpr std::string_view kParts[] = {"a", "\"", "\\", ":0", "^", "_",    "-", "é", "\xF0\x9F\x98\x80",
                                         " ", "(",  "0",  ">",  "/", "main", ".", "A"};
  const auto name = [&] {
    std::string out;
    for (uint64_t n = 1 + rng() % 5; n > 0; --n) out += kParts[rng() % std::size(kParts)];
    return out;
  };
  for (int round = 0; round < 200; ++round) {
    ir::Module module(name());
    const Type type{kFloat32, {2}};
    const std::string variable = name(), callee = name();
    module.AddVariable({variable, type, true, ir::Literal::Zeros(type)});
    for (const std::string& f_name : {StrCat(callee, "x"), callee}) {
      ir::Function f(f_name);
      f.AddParameter(name(), type);
      f.AddState(variable, type);
      const ir::Node& node = f.AddNode(ir::Op::kAdd, {ir::Value{0}, ir::Value{1}}, nullptr, {type});
      const ir::Value sum = node.result();
      f.set_name_hint(sum, name());
      f.SetResults({sum, sum});
      f.set_result_names({name()});
      module.AddFunction(std::move(f));
    }
    ASSERT_EQ(Checker(GraphOf(module, callee)).fault(), "") << callee;
    exports::Names names(InFunctionName);
    proto::FunctionDefLibrary library;
    const FunctionGraph added = AddEntry(module, callee, {}, &names, &library);
    ASSERT_EQ(Checker(library).fault(), "") << callee;
    ASSERT_EQ(added.variables.size(), 1u);
    EXPECT_TRUE(added.variables[0].updated);
  }
}

// As a function: the variables are resources, read first and assigned last.
TEST(TensorFlowGraph, AnEntryPointAsAFunction) {
  exports::Names names(InFunctionName);
  proto::FunctionDefLibrary library;
  const FunctionGraph added = AddEntry(Parse(kStep), "train", {}, &names, &library);
  EXPECT_EQ(Checker(library).fault(), "");
  const auto& f = *library.function().rbegin();
  EXPECT_EQ(f.signature().name(), added.function);
  ASSERT_EQ(f.signature().input_arg_size(), 3);
  EXPECT_EQ(f.signature().input_arg(1).type(), proto::DT_RESOURCE);
  EXPECT_TRUE(f.signature().is_stateful());
  EXPECT_THAT(f.signature().control_output(), ElementsAre("w/Assign"));
  EXPECT_THAT(LibraryText(library), HasSubstr("w/Assign = AssignVariableOp(w, if:output:0, ^w/Read)"));
}

}  // namespace
}  // namespace reel::tensorflow
