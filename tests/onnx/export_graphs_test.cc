// Random graphs in ONNX Runtime beside the reference evaluator; and what is exported and imported again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "frontend/onnx/export.h"
#include "frontend/onnx/export_node.h"
#include "frontend/onnx/import.h"
#include "frontend/record/event_log.h"
#include "ir/eval/eval.h"
#include "tests/onnx/runtime_folder.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"

namespace reel::onnx {
namespace {

using optable::OpCase;
using optable::RandomGraph;

// How much further than compiled code a runtime may be, as in tests/stablehlo/interop.py.
constexpr double kSlack = 128;

// The worst element: its error over what is allowed.
double Distance(const ir::Literal& got, const ir::Literal& want, double allowed) {
  if (got == want) return 0;
  if (!IsFloat(want.dtype())) return INFINITY;
  const optable::FloatFormat format = optable::FormatOf(want.dtype());
  double worst = 0;
  for (int64_t i = 0; i < want.size(); ++i) {
    const double x = got.AsDouble(i), y = want.AsDouble(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double limit = kSlack * allowed + format.epsilon * std::fabs(y) + format.least;
    worst = std::fmax(worst, std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) / limit : INFINITY);
  }
  return worst;
}

// Whether the runtime may lack a kernel: EXPORT.md says of which ops it has those of f32 alone.
bool MayLackKernel(const ir::Module& module) {
  for (const auto& f : module.functions()) {
    for (const ir::Node& node : f->nodes()) {
      const bool f32_alone = FindExport(node.op).note.find("f32 alone") != std::string_view::npos;
      if (f32_alone && f->type(node.operands[0]).dtype == kFloat64) return true;
    }
  }
  return false;
}

TEST(OnnxExportGraphs, RandomOnesInTheRuntime) {
  const std::string python = PythonWithOnnx();
  if (python.empty()) GTEST_SKIP() << kNoOnnx;
  const uint64_t count = std::getenv("REEL_ALL_CASES") ? 400 : 150;
  RuntimeFolder folder("graphs");
  std::vector<std::pair<uint64_t, RandomGraph>> graphs;
  std::map<std::string, int> refused;
  for (uint64_t seed = 0; seed < count; ++seed) {
    RandomGraph g = optable::MakeRandomGraph(seed);
    const auto model = Export(g.module, {});
    EXPECT_TRUE(model.ok() || absl::IsUnimplemented(model.status())) << model.status();
    if (!model.ok()) {
      const std::string message(model.status().message());  // "onnx: lgamma in @main: ..."
      ++refused[message.substr(6, message.find(' ', 6) - 6)];
      continue;
    }
    folder.Add(*model, g.inputs);
    graphs.emplace_back(seed, std::move(g));
  }
  EXPECT_GT(graphs.size(), count / 3);
  ASSERT_TRUE(folder.Run(python));
  size_t compared = 0;
  for (size_t n = 0; n < graphs.size(); ++n) {
    const auto& [seed, g] = graphs[n];
    if (const std::string error = folder.Error(n); !error.empty()) {
      EXPECT_TRUE(error.find("NOT_IMPLEMENTED") != error.npos && MayLackKernel(g.module)) << error << ", seed " << seed;
      continue;
    }
    ++compared;
    const auto want = ir::EvaluateLiterals(g.module, *g.module.FindFunction("main"), g.inputs, {.round_each_op = true});
    ASSERT_TRUE(want.ok()) << want.status();
    for (size_t k = 0; k < want->size(); ++k)
      EXPECT_LE(Distance(folder.Result(n, k, (*want)[k].type()), (*want)[k], g.allowed[k]), 1)
          << "seed " << seed << ", result " << k;
  }
  std::printf("%zu of %zu graphs compared, %zu have no kernel, the others are refused\n", compared,
              static_cast<size_t>(count), graphs.size() - compared);
  for (const auto& [op, times] : refused) std::printf("%s: %d graphs refused\n", op.c_str(), times);
}

bool IsOneNode(const Model& model) {
  return std::count_if(model.graph.nodes.begin(), model.graph.nodes.end(),
                       [](const Node& node) { return node.op != "Identity"; }) == 1;
}

// What is one op of ONNX comes back as what it was.
TEST(OnnxExportGraphs, OneOpComesBackWithTheSameBits) {
  int compared = 0, refused = 0;
  for (const ir::Op op : ir::AllOps()) {
    for (const OpCase& c : optable::CasesFor(op)) {
      const auto model = Export(c.module, {});
      if (!model.ok() || !IsOneNode(*model) || c.out_of_range) continue;
      SCOPED_TRACE(c.name);
      try {
        const reel::Module back = Import(BytesOf(*model), "again", {}, nullptr);
        const ir::Module& again = back.internal_data()->module;
        const auto want = ir::EvaluateLiterals(c.module, c.main(), c.inputs, optable::WithCallbacks());
        const auto got = ir::EvaluateLiterals(again, *again.FindFunction("main"), c.inputs);
        ASSERT_TRUE(want.ok() && got.ok()) << want.status() << got.status();
        EXPECT_EQ(*got, *want);
        ++compared;
      } catch (const Error& error) {
        std::printf("%s: %s\n", c.name.c_str(), error.what());
        ++refused;
      }
    }
  }
  std::printf("%d cases compared, %d not imported\n", compared, refused);
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace reel::onnx
