// What Plan() tells people: costs and reasons as text, and Graphviz source that a parser accepts.
#include "codegen/program/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>

#include "codegen/compiler.h"
#include "tests/codegen/program_util.h"

namespace reel::codegen {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr char kLayer[] = R"(variable @w: f32[4,6] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
func @f(%x: f32[8,4], %b: f32[6]) state(@w: f32[4,6]) -> (y: f32[8,6], sum: f32[]) {
  %0 = contract %x, @w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[8,6]
  %1 = broadcast %b {axes=[1], shape=[8,6]} : f32[8,6]
  %2 = add %0, %1 : f32[8,6]
  %3 = tanh %2 : f32[8,6]
  %4 = reduce_sum %3 {axes=[0,1]} : f32[]
  %5 = add @w, @w : f32[4,6]
  return %3, %4 state(%5)
})";

TEST(PlanText, SaysWhatKernelsCostAndWhy) {
  const std::string text = PlanText(PlanFunctions(kLayer));
  EXPECT_THAT(text, HasSubstr("program t: 3 kernels, 1 variables"));
  EXPECT_THAT(text, HasSubstr("contract_tanh: 1 call, 1 chunk, 1.39 kflop, reads 248 B, writes 192 B\n"));
  EXPECT_THAT(text, ContainsRegex("    product of depth 4 to f32\\[8,6\\]: tiles of [0-9]+ rows x [0-9]+ lanes"));
  EXPECT_THAT(text, HasSubstr("    apart: the kernel of y: f32[8,6] has its reduction or product\n"));
  EXPECT_THAT(text, HasSubstr("y: f32[8,6] stored: a result\n"));
  EXPECT_THAT(text, HasSubstr("map of 1 op over f32[4,6]"));
  EXPECT_THAT(text, HasSubstr("    new @w: f32[4,6] stored: a result\n"));
}

TEST(PlanText, ReasonsToStore) {
  const std::string read = PlanText(PlanFunctions(R"(func @f(%x: f32[100], %y: f32[10,100]) -> (f32[], f32[10]) {
  %0 = exp %x : f32[100]
  %1 = reduce_sum %0 {axes=[0]} : f32[]
  %2 = broadcast %0 {axes=[1], shape=[10,100]} : f32[10,100]
  %3 = mul %2, %y : f32[10,100]
  %4 = reduce_sum %3 {axes=[1]} : f32[10]
  return %1, %4
})"));
  EXPECT_THAT(read, ContainsRegex("stored: read by 2 ops, and costs 20 to compute again\n"));
  const std::string rows = PlanText(PlanFunctions(SoftmaxText(512, 768)));
  EXPECT_THAT(rows, HasSubstr("row kernel: 3 passes over 768 elements of each of 512 rows\n"));
  const std::string unfused = PlanText(PlanFunctions(kLayer, {.fuse = false, .vectorize = false}));
  EXPECT_THAT(unfused, HasSubstr("stored: level 0 stores all\n"));
  EXPECT_THAT(unfused, HasSubstr("apart: at level 0 each op is a kernel\n"));
}

// Graphviz's grammar as far as it is used; collects vertices and edges.
class DotParser {
 public:
  explicit DotParser(const std::string& text) : text_(text) {
    Expect("digraph");
    Token();
    Block();
    EXPECT_EQ(Peek(), "") << "after the graph";
  }
  std::map<std::string, std::string> labels;                        // by vertex
  std::multimap<std::pair<std::string, std::string>, std::string> edges;  // labels
  int subgraphs = 0;

 private:
  void Block() {
    Expect("{");
    while (!failed_ && Peek() != "}") Statement();
    Expect("}");
  }
  void Statement() {
    const std::string id = Token();
    if (id == "subgraph") {
      ++subgraphs;
      Token();
      return Block();
    }
    if (Peek() == "=") {
      Expect("=");
      Token();
    } else if (Peek() == "->") {
      Expect("->");
      const std::string to = Token();
      edges.emplace(std::pair(id, to), Attributes());
    } else if (id == "node" || id == "edge") {
      Attributes();
    } else {
      EXPECT_TRUE(labels.emplace(id, Attributes()).second) << id << " twice";
    }
    Expect(";");
  }
  std::string Attributes() {
    std::string label;
    Expect("[");
    while (!failed_ && Peek() != "]") {
      const std::string name = Token();
      Expect("=");
      const std::string value = Token();
      if (name == "label") label = value;
      if (Peek() == ",") Expect(",");
    }
    Expect("]");
    return label;
  }

  std::string Peek() {
    const size_t at = at_;
    const std::string token = Token();
    at_ = at;
    return token;
  }
  void Expect(const std::string& want) {
    const std::string got = Token();
    if (got != want && !failed_) ADD_FAILURE() << "'" << want << "' expected, got '" << got << "' before " << at_;
    failed_ = failed_ || got != want;
  }
  // A quoted text, a name, or punctuation; empty at the end.
  std::string Token() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (at_ == text_.size()) return "";
    const size_t begin = at_;
    if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        EXPECT_NE(text_[at_], '\n') << "in a text";
        if (text_[at_] == '\\') ++at_;
      }
      return text_.substr(begin, ++at_ - begin);
    }
    if (text_.compare(at_, 2, "->") == 0) return at_ += 2, "->";
    const auto in_name = [&] { return std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'; };
    while (at_ < text_.size() && in_name()) ++at_;
    if (at_ == begin) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  const std::string text_;
  size_t at_ = 0;
  bool failed_ = false;
};

// The vertex whose label contains a text.
std::string Vertex(const DotParser& dot, const std::string& text) {
  for (const auto& [vertex, label] : dot.labels) {
    if (label.find(text) != std::string::npos) return vertex;
  }
  ADD_FAILURE() << "no vertex with " << text;
  return "";
}

void ExpectEdge(const DotParser& dot, const std::string& from, const std::string& to, const std::string& label) {
  const auto it = dot.edges.find({Vertex(dot, from), Vertex(dot, to)});
  ASSERT_NE(it, dot.edges.end()) << from << " -> " << to;
  EXPECT_EQ(it->second, "\"" + label + "\"") << from << " -> " << to;
}

TEST(PlanDot, KernelsAndTheBytesBetweenThem) {
  const DotParser dot(PlanDot(PlanFunctions(kLayer)));
  EXPECT_EQ(dot.subgraphs, 1);
  for (const auto& [edge, label] : dot.edges) {
    EXPECT_TRUE(dot.labels.contains(edge.first)) << edge.first;
    EXPECT_TRUE(dot.labels.contains(edge.second)) << edge.second;
    EXPECT_NE(label, "\"0B\"");
  }
  ExpectEdge(dot, "\"x\"", "contract_tanh", "128 B");
  ExpectEdge(dot, "\"w\"", "contract_tanh", "96 B");
  ExpectEdge(dot, "contract_tanh", "\"y\"", "192 B");
  ExpectEdge(dot, "\"w\"", " add\\n", "96 B");
  ExpectEdge(dot, " add\\n", "\"new w\"", "96 B");
  ExpectEdge(dot, "contract_tanh", "reduce_sum\\n", "192 B");
  ExpectEdge(dot, "reduce_sum\\n", "\"sum\"", "4 B");
}

TEST(PlanDot, BranchesLoopsAndStrangeNames) {
  Program program = PlanFunctions(R"(func @cond(%i: i64[], %x: f32[8,8]) -> (bool[]) {
  %0 = constant 10 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @body(%i: i64[], %x: f32[8,8]) -> (i64[], f32[8,8]) {
  %0 = constant 1 : i64[]
  %1 = add %i, %0 : i64[]
  %2 = contract %x, %x {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[8,8]
  return %1, %2
}
func @f(%i: i64[], %x: f32[8,8]) -> (f32[8,8]) {
  %0, %1 = while %i, %x {body=@body, cond=@cond} : i64[], f32[8,8]
  return %1
})");
  program.name = "a \"quoted\" \\ name\n";
  program.entries[0].name = "}";
  program.entries[0].arguments[1].name = "x\"]; evil [label=\"";
  program.kernels[0].why = {"line with \"quotes\" and \x01"};
  const DotParser dot(PlanDot(program));
  EXPECT_EQ(dot.subgraphs, 2);
  EXPECT_FALSE(dot.labels.contains("evil"));
  Vertex(dot, "while");
  Vertex(dot, "x\\\"]; evil");
}

TEST(PlanText, IsEmittedWithoutTheBackend) {
  const ir::Module module = ParseFunctions(kLayer);
  const auto plan = reel_compiler()->EmitText(module, "t", "plan", {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(*plan, HasSubstr("entry f: "));
  const auto dot = reel_compiler()->EmitText(module, "t", "dot", {});
  ASSERT_TRUE(dot.ok()) << dot.status();
  EXPECT_THAT(*dot, HasSubstr("digraph"));
}

}  // namespace
}  // namespace reel::codegen
