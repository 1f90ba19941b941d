// The runner and the passes on whole modules.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using P = const Values&;

ir::Module Example() {
  ir::Module m;
  Define(&m, "square", {F64()}, [](Builder& b, P p) { return Values{b.Mul(p[0], p[0])}; });
  Define(&m, "main", {F64()}, [](Builder& b, P p) {
    b.Sin(p[0]);
    return Values{b.Call("square", {b.Mul(p[0], b.Scalar(kFloat64, 1))})[0]};
  });
  return m;
}

std::vector<std::string> Names(const std::vector<PassReport>& reports) {
  std::vector<std::string> names;
  for (const PassReport& r : reports) names.push_back(r.name);
  return names;
}

// Changes a result's type behind the graph's back.
absl::StatusOr<bool> BreakTypes(ir::Module* m, const PassContext&) {
  ir::Function& f = *m->FindFunction("main");
  const Value wrong[] = {f.results()[0]};
  const Type type[] = {{kFloat32, {7}}};
  f.SetResults({f.AddNode(ir::Op::kExp, wrong, nullptr, type).result()});
  return true;
}
absl::StatusOr<bool> ChangeInSecret(ir::Module* m, const PassContext& context) {
  const auto changed = Dce(m, context);
  if (!changed.ok()) return changed;
  return false;
}
absl::StatusOr<bool> Boast(ir::Module*, const PassContext&) { return true; }
absl::StatusOr<bool> Refuse(ir::Module*, const PassContext&) { return absl::UnimplementedError("cannot"); }

std::string MessageOf(Pass pass) {
  ir::Module m = Example();
  const PassEntry passes[] = {{"wrong", pass, ""}};
  return std::string(RunPasses(&m, passes).status().message());
}

TEST(PassRunner, CatchesAndNamesAWrongPass) {
  EXPECT_THAT(MessageOf(BreakTypes), AllOf(HasSubstr("@main"), EndsWith(", after pass wrong")));
  EXPECT_THAT(MessageOf(ChangeInSecret), AllOf(HasSubstr("left the module"), EndsWith("after pass wrong")));
  EXPECT_THAT(MessageOf(Boast), AllOf(HasSubstr("as before"), EndsWith("after pass wrong")));
  EXPECT_EQ(MessageOf(Refuse), "cannot, after pass wrong");
}

TEST(PassRunner, LeavesOutDisabledPassesAndStopsAtTheLimit) {
  ir::Module m = Example();
  PipelineOptions options;
  options.disable = {"inline", "prove_indices", "cse", "fold", "sink_slices"};
  options.pass_limit = 2;
  const auto reports = Optimize(&m, options);
  ASSERT_TRUE(reports.ok());
  EXPECT_THAT(Names(*reports), ElementsAre("dce", "simplify"));
  EXPECT_TRUE((*reports)[0].changed);
}

TEST(PassRunner, DumpsWhatChanged) {
  const std::string directory = StrCat(testing::TempDir(), "/reel_pipeline_test");
  std::filesystem::remove_all(directory);
  ir::Module m = Example();
  PipelineOptions options;
  options.dump_to = directory;
  options.dump_passes = {"simplify", "cse"};
  const auto reports = Optimize(&m, options);
  ASSERT_TRUE(reports.ok()) << reports.status();
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files.push_back(entry.path().filename());
  }
  EXPECT_THAT(files, ElementsAre("0006_after_simplify.reel.txt"));
  std::ifstream in(StrCat(directory, "/", files[0]));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr("func @main"));
  std::filesystem::remove_all(directory);
}

TEST(PassRunner, EveryPassOfThePipelineSaysWhy) {
  for (const PassEntry& entry : OptimizationPipeline()) {
    EXPECT_FALSE(entry.why.empty()) << entry.name;
  }
}

TEST(Pipeline, ReducesTheExample) {
  ir::Module m = Example();
  PipelineOptions options;
  options.context.entry_points = {"main"};
  ASSERT_TRUE(Optimize(&m, options).ok());
  EXPECT_THAT(ir::Print(m), EndsWith("func @main(%p0: f64[]) -> (f64[]) {\n"
                                     "  %0 = mul %p0, %p0 : f64[]\n  return %0\n}\n"));
}

TEST(Dce, KeepsInitialisersAndCalleesOfEntryPoints) {
  ir::Module m = Example();
  Define(&m, "init", {}, [](Builder& b, P) { return Values{b.Scalar(kFloat64, 1)}; });
  Define(&m, "unused", {}, [](Builder& b, P) { return Values{b.Scalar(kFloat64, 1)}; });
  m.AddVariable({"w", F64(), true, std::string("init")});
  m.metadata().emplace_back("k", "v");
  PassContext context;
  context.entry_points = {"main"};
  const auto changed = Dce(&m, context);
  ASSERT_TRUE(changed.ok() && *changed);
  EXPECT_NE(m.FindFunction("square"), nullptr);
  EXPECT_NE(m.FindFunction("init"), nullptr);
  EXPECT_EQ(m.FindFunction("unused"), nullptr);
  EXPECT_NE(m.FindVariable("w"), nullptr);
  EXPECT_EQ(m.metadata().size(), 1u);
  EXPECT_EQ(RunFunction(m, "main", {{3}})[0], Doubles{9});
}

// f0 calls nothing, f_i calls f_(i-1) twice: inlined without a limit this is 2^60 nodes.
TEST(Inline, StopsAtItsLimit) {
  ir::Module m;
  Define(&m, "f0", {F64()}, [](Builder& b, P p) { return Values{b.Sin(p[0])}; });
  for (int i = 1; i <= 60; ++i) {
    Define(&m, StrCat("f", i), {F64()}, [i](Builder& b, P p) {
      const std::string callee = StrCat("f", i - 1);
      return Values{b.Add(b.Call(callee, {p[0]})[0], b.Call(callee, {p[0]})[0])};
    });
  }
  PassContext context;
  context.inline_limit_nodes = 5000;
  ASSERT_TRUE(Inline(&m, context).ok());
  size_t nodes = 0;
  for (const auto& f : m.functions()) nodes += f->nodes().size();
  EXPECT_LT(nodes, 6000u);
}

TEST(Inline, TakesCallsWithAVjpOnceDifferentiationIsDone) {
  ir::Module m = Example();
  Define(&m, "vjp", {F64(), F64()}, [](Builder&, P p) { return Values{p[1]}; });
  Define(&m, "f", {F64()}, [](Builder& b, P p) { return Values{b.Call("square", {p[0]}, "vjp")[0]}; });
  PassContext context;
  context.differentiation_done = true;
  ASSERT_TRUE(Inline(&m, context).ok());
  EXPECT_TRUE(m.FindFunction("f")->Is(m.FindFunction("f")->results()[0], ir::Op::kMul));
}

// Optimized gradients have the bits of the plain ones, control flow included.
TEST(Pipeline, KeepsTheBitsOfGradients) {
  ir::Module m;
  const std::vector<Type> types{I32(), F64({2}), F64({2})};
  Define(&m, "more", types, [](Builder& b, P p) { return Values{b.Less(p[0], b.ScalarLike(p[0], 3))}; });
  Define(&m, "step", types,
         [](Builder& b, P p) { return Values{b.Add(p[0], b.ScalarLike(p[0], 1)), b.Tanh(b.Mul(p[1], p[2])), p[2]}; });
  Define(&m, "main", {F64({2}), F64({2})},
         [](Builder& b, P p) { return Values{b.While("more", "step", {b.Scalar(kInt32, 0), p[0], p[1]}, 4)[1]}; });
  const auto first = AddGradientFunction(&m, "main", {}, {});
  ASSERT_TRUE(first.ok());
  const auto second = AddGradientFunction(&m, first->name, {}, {});
  ASSERT_TRUE(second.ok()) << second.status();
  const std::vector<Doubles> inputs{{0.3, -0.7}, {1.1, 0.4}};
  const auto before = RunFunction(m, second->name, inputs);
  PipelineOptions options;
  options.context.entry_points = {second->name};
  const auto reports = Optimize(&m, options);
  ASSERT_TRUE(reports.ok()) << reports.status();
  EXPECT_EQ(RunFunction(m, second->name, inputs), before);
}

int CountLoops(const ir::Function& f) {
  int loops = 0;
  for (const ir::Node& node : f.nodes()) loops += node.op == ir::Op::kWhile;
  return loops;
}

// A training step returns the loss and a gradient: forward and recording loop become one.
TEST(MergeLoops, TheRecordingLoopIsTheForwardLoop) {
  ir::Module m;
  const std::vector<Type> types{I32(), F64({2}), F64({2})};
  Define(&m, "more", types, [](Builder& b, P p) { return Values{b.Less(p[0], b.ScalarLike(p[0], 3))}; });
  Define(&m, "step", types,
         [](Builder& b, P p) { return Values{b.Add(p[0], b.ScalarLike(p[0], 1)), b.Tanh(b.Mul(p[1], p[2])), p[2]}; });
  ir::Function& f = Define(&m, "main", {F64({2}), F64({2})}, [](Builder& b, P p) {
    return Values{b.While("more", "step", {b.Scalar(kInt32, 0), p[0], p[1]}, 4)[1]};
  });
  const Value y = f.results()[0];
  const auto d = Gradients(&f, &m, {y}, {{0}, {1}});
  ASSERT_TRUE(d.ok()) << d.status();
  f.SetResults({y, (*d)[0], (*d)[1]});
  const std::vector<Doubles> inputs{{0.3, -0.7}, {1.1, 0.4}};
  const auto before = RunFunction(m, "main", inputs);
  EXPECT_EQ(CountLoops(*m.FindFunction("main")), 3);
  PipelineOptions options;
  options.context.entry_points = {"main"};
  const auto reports = Optimize(&m, options);
  ASSERT_TRUE(reports.ok()) << reports.status();
  EXPECT_EQ(CountLoops(*m.FindFunction("main")), 2);
  EXPECT_EQ(RunFunction(m, "main", inputs), before);
}

// The same operands, but another body or another start of what is carried beside: two loops stay.
TEST(MergeLoops, DifferentLoopsStay) {
  ir::Module m;
  const std::vector<Type> types{I32()}, more_types{I32(), I32()};
  const auto less = [](Builder& b, P p) { return Values{b.Less(p[0], b.ScalarLike(p[0], 3))}; };
  Define(&m, "more", types, less);
  Define(&m, "more2", more_types, less);
  Define(&m, "by1", types, [](Builder& b, P p) { return Values{b.Add(p[0], b.ScalarLike(p[0], 1))}; });
  Define(&m, "by2", more_types, [](Builder& b, P p) { return Values{b.Add(p[0], b.ScalarLike(p[0], 2)), p[1]}; });
  Define(&m, "mixes", more_types,
         [](Builder& b, P p) { return Values{b.Add(p[0], b.Add(p[1], b.ScalarLike(p[0], 1))), p[1]}; });
  Define(&m, "main", {I32()}, [](Builder& b, P p) {
    const Value zero = b.Scalar(kInt32, 0);
    return Values{b.While("more", "by1", {p[0]})[0], b.While("more2", "by2", {p[0], zero})[0],
                  b.While("more2", "mixes", {p[0], zero})[0]};
  });
  const auto changed = MergeLoops(&m, {});
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
}

std::string ExpandError(ir::Module* m) {
  EXPECT_TRUE(ir::Verify(*m).ok()) << ir::Verify(*m);
  return std::string(Expand(m, {}).status().message());
}

// Parts are an axis more: a variable that no function uses needs one too.
TEST(Expand, ComplexRanks) {
  const Type full{kComplex64, Shape(std::vector<int64_t>(kMaxRank, 1))};
  const Type less{kComplex64, Shape(std::vector<int64_t>(kMaxRank - 1, 1))};
  ir::Module variable = Example();
  variable.AddVariable({"z", full, true, ir::Literal::Zeros(full)});
  EXPECT_THAT(ExpandError(&variable), AllOf(HasSubstr("@z"), HasSubstr("at most 9 axes")));
  ir::Module value = Example();
  Define(&value, "f", {less}, [&](Builder& b, P p) { return Values{b.Reshape(p[0], full.shape)}; });
  EXPECT_THAT(ExpandError(&value), AllOf(HasSubstr("@f"), HasSubstr("at most 9 axes")));
  ir::Module fits;
  fits.AddVariable({"z", less, true, ir::Literal::Zeros(less)});
  Define(&fits, "f", {less}, [](Builder& b, P p) { return Values{b.Neg(p[0])}; });
  EXPECT_EQ(ExpandError(&fits), "");
  EXPECT_TRUE(ir::Verify(fits).ok()) << ir::Verify(fits);
}

// Parts are named after the whole where the name has room, and only what was made for them.
TEST(Expand, ComplexNames) {
  const Type real{kFloat32, {2}};
  const std::string longest(4096, 'z');
  ir::Module m;
  ir::Function& f = Define(&m, "f", {real}, [&](Builder& b, P p) {
    const Value x = b.Exp(p[0]), z = b.Complex(x, p[0]), w = b.Mul(z, z), v = b.Neg(w);
    b.function()->set_name_hint(x, "x");
    b.function()->set_name_hint(z, "z");
    b.function()->set_name_hint(w, "w");
    b.function()->set_name_hint(v, longest);
    return Values{b.Emit(ir::Op::kCast, {v}, {{"dtype", kComplex64}})};
  });
  f.set_name_hint(f.results()[0], "cast");
  EXPECT_EQ(ExpandError(&m), "");
  EXPECT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
  std::vector<std::string> hints;
  const ir::Function& out = *m.FindFunction("f");
  for (int i = out.num_parameters(); i < out.num_values(); ++i) {
    if (const auto hint = out.name_hint({i}); !hint.empty()) hints.emplace_back(hint);
  }
  EXPECT_THAT(hints, ElementsAre("x", "w_re", "w_im"));
}

// Positions that i32 does not count are i64, or refused.
TEST(Expand, PositionsInLargeMatrices) {
  const auto types_of_indices = [](const Type& type) {
    ir::Module m;
    Define(&m, "f", {type}, [](Builder& b, P p) { return Values{b.EmitAll(ir::Op::kEigh, p)[0]}; });
    EXPECT_EQ(ExpandError(&m), "");
    EXPECT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
    std::set<std::string> types;
    for (const auto& f : m.functions()) {
      for (const ir::Node& node : f->nodes()) {
        if (node.op == ir::Op::kGather) types.insert(f->type(node.operands[1]).ToString());
      }
    }
    return types;
  };
  EXPECT_THAT(types_of_indices({kFloat32, {46340, 46340}}), ElementsAre("i32[46340]"));
  EXPECT_THAT(types_of_indices({kFloat32, {46341, 46341}}), ElementsAre("i32[46341]", "i64[46341]"));
  const int64_t many = int64_t{1} << 30;
  EXPECT_THAT(types_of_indices({kFloat32, {many - 1, 2, 2}}), ElementsAre(StrCat("i32[", 2 * many - 2, "]"), "i32[2]"));
  EXPECT_THAT(types_of_indices({kFloat32, {many, 2, 2}}), ElementsAre("i32[2]", StrCat("i64[", 2 * many, "]")));
  for (const Shape& shape : {Shape{2 * many, 1}, Shape{1, 2 * many}}) {
    for (ir::Op op : {ir::Op::kQr, ir::Op::kSvd}) {
      ir::Module m;
      Define(&m, "f", {{kFloat32, shape}}, [op](Builder& b, P p) { return Values{b.EmitAll(op, p)[0]}; });
      EXPECT_THAT(ExpandError(&m), AllOf(HasSubstr("2^31"), HasSubstr(shape.ToString())));
    }
  }
}

TEST(Pipeline, IsLinearInALongChain) {
  ir::Module m;
  Define(&m, "f", {F64()}, [](Builder& b, P p) {
    Value y = p[0];
    for (int i = 0; i < 200000; ++i) y = i % 2 ? b.Mul(y, p[0]) : b.Neg(b.Neg(y));
    return Values{y};
  });
  const auto reports = Optimize(&m);
  ASSERT_TRUE(reports.ok());
  EXPECT_EQ(m.FindFunction("f")->nodes().size(), 100000u);
  double seconds = 0;
  for (const PassReport& r : *reports) seconds += r.seconds;
  EXPECT_LT(seconds, 20);
}

}  // namespace
}  // namespace reel::passes
