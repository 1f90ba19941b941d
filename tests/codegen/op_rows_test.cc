// An elementwise op is planned, scheduled and priced as its row of ops.def says: two of one cost and the same traits
// get the same plans and loops but for their names. So an op that is added has no list to be put on.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codegen/plan/text.h"
#include "codegen/plan/verify.h"
#include "codegen/program/phases.h"
#include "codegen/schedule/schedule.h"
#include "ir/cost.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "tests/paths.h"

namespace reel::codegen {
namespace {

using ir::Op;

// Functions whose plan depends on what OP costs: what several read, a broadcast that repeats it, rows, a product's
// epilogue, the operand of a large sum, long chains.
constexpr std::string_view kGraphs[] = {
    R"(func @f(%x: f32[64,300], %y: f32[64,300]) -> (f32[64,300], f32[64]) {
  %0 = OP : f32[64,300]
  %1 = mul %0, %y : f32[64,300]
  %2 = reduce_sum %0 {axes=[1]} : f32[64]
  return %1, %2
})",
    R"(func @f(%x: f32[64,1], %y: f32[64,1], %z: f32[64,500]) -> (f32[64,500]) {
  %0 = OP : f32[64,1]
  %1 = broadcast %0 {axes=[0,1], shape=[64,500]} : f32[64,500]
  %2 = add %1, %z : f32[64,500]
  return %2
})",
    R"(func @f(%x: f32[512,700], %y: f32[512,700]) -> (f32[512,700]) {
  %0 = OP : f32[512,700]
  %1 = reduce_sum %0 {axes=[1]} : f32[512]
  %2 = broadcast %1 {axes=[0], shape=[512,700]} : f32[512,700]
  %3 = div %0, %2 : f32[512,700]
  return %3
})",
    R"(func @f(%a: f32[256,64], %b: f32[64,48], %y: f32[256,48]) -> (f32[256,48]) {
  %0 = contract %a, %b {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[256,48]
  %1 = OP1 : f32[256,48]
  return %1
})",
    R"(func @f(%x: f32[1000000], %y: f32[1000000]) -> (f32[]) {
  %0 = OP : f32[1000000]
  %1 = OP1 : f32[1000000]
  %2 = reduce_sum %1 {axes=[0]} : f32[]
  return %2
})"};

// Its plan, and what its kernels' loops are, without the names of the op and of those that the graphs have beside it.
std::string PlanWith(std::string_view graph, Op op) {
  const std::string name(ir::Name(op)), rest = ir::Info(op).operands == 2 ? ", %y" : "";
  std::string text = StrCat("reel 1\nmodule \"t\"\n", graph);
  const auto replace = [&text](std::string_view from, const std::string& to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  };
  replace("OP1", StrCat(name, " %0", rest));
  replace("OP", StrCat(name, " %x", rest));
  const auto module = ir::ParseModule(text, name);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return "";
  const Target target = *FindTarget("x86-64-v4");
  PlanOptions options;
  auto f = Normalize(*module->FindFunction("f"), *module, Role::kEntry, target.tuning);
  EXPECT_TRUE(f.ok()) << f.status();
  const auto plan = PhaseRunner(target, options).Run(&*f, Role::kEntry, true, true);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::string all = Print(*f, *plan);
  for (size_t g = 0; g < plan->kernels.size(); ++g) {
    const ScheduledKernel k = ScheduleKernel(*f, *plan, static_cast<int>(g), target, options);
    StrAppend(&all, ToString(k.kernel), k.kernel.schedule, "\n");
  }
  return std::regex_replace(all, std::regex(StrCat("(^|[^a-z0-9])(", name, "|add|mul|div|min)(?![a-z0-9])")), "$1op");
}

// Whether f32 -> f32 of one or two operands, without attributes.
bool IsPlain(Op op) {
  const ir::OpInfo& info = ir::Info(op);
  if (!info.Has(ir::kElementwise) || (info.operands != 1 && info.operands != 2)) return false;
  if (!info.attributes.empty() || !ir::Contains(info.dtypes, kFloat32)) return false;
  const auto module = ir::ParseModule(
      StrCat("reel 1\nmodule \"t\"\nfunc @f(%x: f32[2], %y: f32[2]) -> (f32[2]) {\n  %0 = ", ir::Name(op), " %x",
             info.operands == 2 ? ", %y" : "", " : f32[2]\n  return %0\n}"),
      "t");
  return module.ok();  // comparisons give bool
}

TEST(OpRows, EqualRowsArePlannedAlike) {
  // A move that planning leaves out or sees through is no op of a kernel.
  const std::set<Op> seen_through{Op::kIdentity, Op::kStopGradient};
  std::map<std::tuple<int, ir::OpCost, uint32_t>, std::vector<Op>> by_row;
  for (Op op : ir::AllOps()) {
    const ir::OpInfo& info = ir::Info(op);
    if (IsPlain(op) && !seen_through.contains(op)) by_row[{info.operands, info.cost, info.traits}].push_back(op);
  }
  int compared = 0;
  for (const auto& [row, ops] : by_row) {
    for (std::string_view graph : kGraphs) {
      const std::string first = PlanWith(graph, ops[0]);
      for (size_t i = 1; i < ops.size(); ++i, ++compared) {
        EXPECT_EQ(PlanWith(graph, ops[i]), first)
            << ir::Name(ops[i]) << " has the row of " << ir::Name(ops[0]) << ", but another plan";
      }
    }
  }
  EXPECT_GT(compared, 100);
}

// What a dear op costs changes plans: the comparison above sees it.
TEST(OpRows, CostDecides) { EXPECT_NE(PlanWith(kGraphs[0], Op::kFloor), PlanWith(kGraphs[0], Op::kExp)); }

// Ops by name in planning and scheduling, other than those that have loops or indices of their own, and why.
const std::map<std::string, std::set<std::string>>& NamedOnPurpose() {
  static const auto* named = new std::map<std::string, std::set<std::string>>{
      {"plan/normalize.cc", {"Identity", "StopGradient"}},           // are left out
      {"plan/products.cc", {"Cast"}},                                // a widening operand of a product
      {"plan/view.cc", {"Cast", "Equal", "Select"}},                 // the same; a step of a stack
      {"program/block.cc", {"Identity"}},                            // a copy
      {"program/overwritten.cc", {"Add", "Sub", "Less", "Greater"}}, // what counts in a loop
      {"schedule/reduce.cc", {"Add", "Mul", "Max"}},                 // how a reduction combines
      {"schedule/scatter.cc", {"Identity"}},                         // a scatter that keeps the last
      {"loop/outer_loop.cc", {"Add", "And", "Cast", "Div", "Less", "Min", "Mul", "Rem"}},  // index arithmetic
      {"fusion/borders.cc", {"Identity"}},  // a copy of what is stored has no kernel to write it elsewhere
      {"loop/print.cc", {"Bitcast", "Cast"}},                        // how it is spelled
      {"cost/estimate.cc", {"Add", "Min", "Mul"}},                   // where an index that is computed may lie
      {"cost/loop_nest.cc", {"Equal", "Less", "Not"}}};              // how often a guard holds
  return *named;
}

TEST(OpRows, NoListNamesThem) {
  std::map<std::string, Op> elementwise;
  for (Op op : ir::AllOps()) {
    if (ir::Info(op).Has(ir::kElementwise) && !ir::IsCheck(op)) elementwise.emplace(ir::Info(op).enum_name, op);
  }
  const std::regex named(R"((case|==|!=) (?:ir::)?Op::k([A-Za-z0-9]+))");
  const std::filesystem::path root = std::filesystem::path(SourceDir()) / "codegen";
  for (const char* folder : {"plan", "fusion", "schedule", "program", "loop", "tune"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string file = StrCat(folder, "/", entry.path().filename().string()), source = text.str();
      const auto known = NamedOnPurpose().find(file);
      for (std::sregex_iterator it(source.begin(), source.end(), named), end; it != end; ++it) {
        const std::string op = (*it)[2];
        if (!elementwise.contains(op)) continue;
        EXPECT_TRUE(known != NamedOnPurpose().end() && known->second.contains(op))
            << "codegen/" << file << " names " << op << ": ask its row of ops.def (ir/cost.h), or say here why";
      }
    }
  }
}

}  // namespace
}  // namespace reel::codegen
