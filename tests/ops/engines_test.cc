#include "tests/ops/engines.h"

#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "tests/ops/compare.h"

namespace reel::optable {
namespace {

// One test per op: all its cases on all engines.
class EveryEngine : public testing::TestWithParam<ir::Op> {};

struct Reference {
  std::vector<ir::EvalTensor> values, magnitudes;
};

absl::StatusOr<std::vector<ir::EvalTensor>> Evaluate(const OpCase& c, bool absolute) {
  std::vector<ir::EvalTensor> inputs;
  for (const ir::Literal& l : c.inputs) {
    auto t = ir::FromLiteral(absolute ? Absolute(l) : l);
    if (!t.ok()) return t.status();
    inputs.push_back(*std::move(t));
  }
  return ir::Evaluate(c.module, c.main(), inputs, WithCallbacks());
}

// The difference of an engine's results from what they must be; empty if there is none.
std::string Check(const Engine& engine, const OpCase& c, const Reference& reference,
                  const std::vector<ir::Literal>& got, const std::vector<ir::Literal>* compiled) {
  if (got.size() != reference.values.size()) return "wrong number of results";
  for (size_t k = 0; k < got.size(); ++k) {
    const Tolerance tolerance = engine.is_reference() ? Tolerance{} : c.tolerance;
    std::string error = TooFar(got[k], reference.values[k], reference.magnitudes[k], tolerance);
    if (error.empty() && compiled) error = DifferentBits(got[k], (*compiled)[k]);
    if (!error.empty()) return "result " + std::to_string(k) + ": " + error;
  }
  return "";
}

TEST_P(EveryEngine, AgreesWithTheReference) {
  constexpr size_t kSlowStride = 17;  // prime: meets all dtypes and shapes of a family
  const std::vector<OpCase> cases = CasesFor(GetParam());
  for (size_t i = 0; i < cases.size(); ++i) {
    const OpCase& c = cases[i];
    SCOPED_TRACE(c.name);
    const auto values = Evaluate(c, false), magnitudes = Evaluate(c, true);
    ASSERT_TRUE(values.ok()) << values.status();
    ASSERT_TRUE(magnitudes.ok()) << magnitudes.status();
    const Reference reference{*values, *magnitudes};
    std::vector<ir::Literal> compiled;  // results of the first compiled engine
    for (const auto& engine : AllEngines()) {
      if (engine->is_slow() && i % kSlowStride != 0) continue;
      const auto got = engine->Run(c.module, "main", c.inputs);
      if (engine->checks_indices() && c.out_of_range) {
        EXPECT_TRUE(absl::IsOutOfRange(got.status())) << engine->name() << ": " << got.status();
        continue;
      }
      if (c.op == ir::Op::kCallback && absl::IsUnimplemented(got.status())) {
        EXPECT_EQ(engine->name(), "object");
        continue;
      }
      if (!got.ok()) {
        ADD_FAILURE() << engine->name() << ": " << got.status();
        continue;
      }
      const bool compare = !engine->is_reference() && !compiled.empty();
      const std::string error = Check(*engine, c, reference, *got, compare ? &compiled : nullptr);
      EXPECT_EQ(error, "") << "on " << engine->name() << " of\n"
                           << ir::Print(c.module, {.elide_large_constants = true}).substr(0, 2000);
      if (!engine->is_reference() && compiled.empty()) compiled = *got;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryEngine, testing::ValuesIn(ir::AllOps().begin(), ir::AllOps().end()),
                         [](const auto& info) { return std::string(ir::Info(info.param).enum_name); });

}  // namespace
}  // namespace reel::optable
