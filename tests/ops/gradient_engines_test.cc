#include <gtest/gtest.h>

#include <cmath>

#include "ir/text/printer.h"
#include "tests/ops/differentiated.h"
#include "tests/ops/engines.h"

// Compiled derivatives of every differentiable case in f32 and f64 against the reference in double: values, reverse
// mode, forward mode, reverse over reverse, forward over reverse. (op_gradient_test ties the reference to stencils.)

namespace reel::optable {
namespace {

// Of the largest element of each tensor: some hundred roundings, which cancellation in second orders may double.
double Bound(DType dtype) { return dtype == kFloat32 ? 0x1p-15 : 0x1p-43; }

void Compare(const ir::Literal& got, const ir::EvalTensor& want, size_t index) {
  double largest = 0;
  for (double w : want.f) largest = std::max(largest, std::fabs(w));
  for (const auto& w : want.c) largest = std::max(largest, std::abs(w));
  if (IsComplex(want.type.dtype)) {
    const ir::EvalTensor values = *ir::FromLiteral(got);
    for (size_t k = 0; k < want.c.size(); ++k) {
      ASSERT_LE(std::abs(values.c[k] - want.c[k]), Bound(RealOf(got.dtype())) * largest + 1e-30)
          << "result " << index << "[" << k << "] of type " << got.type().ToString();
    }
  }
  for (size_t k = 0; k < want.f.size(); ++k) {
    ASSERT_NEAR(got.AsDouble(static_cast<int64_t>(k)), want.f[k], Bound(got.dtype()) * largest + 1e-30)
        << "result " << index << "[" << k << "] of type " << got.type().ToString();
  }
}

class CompiledGradient : public testing::TestWithParam<ir::Op> {};

TEST_P(CompiledGradient, IsTheReferences) {
  const std::unique_ptr<Engine> engine = MakeJitLevel2Engine();
  int checked = 0;
  for (const OpCase& c : CasesFor(GetParam())) {
    if (!c.differentiable) continue;
    SCOPED_TRACE(c.name);
    Differentiated d(c);
    const absl::Status built = d.Build();
    ASSERT_TRUE(built.ok()) << built;
    Rng rng(77);
    const std::vector<ir::Literal> parameters = d.Parameters(c, rng);
    std::vector<ir::EvalTensor> exact;
    for (const ir::Literal& l : parameters) exact.push_back(*ir::FromLiteral(l));
    const auto want = d.Evaluate(exact);
    ASSERT_TRUE(want.ok()) << want.status();
    const auto got = engine->Run(d.module(), "checked", parameters);
    ASSERT_TRUE(got.ok()) << got.status();
    for (size_t n = 0; n < want->size(); ++n) Compare((*got)[n], (*want)[n], n);
    if (HasFailure()) {
      FAIL() << ir::Print(d.module(), {.elide_large_constants = true}).substr(0, 4000);
    }
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

std::vector<ir::Op> CompiledDifferentiableOps() {
  std::vector<ir::Op> ops;
  for (ir::Op op : ir::AllOps()) {
    if (RowOf(op).differentiable) ops.push_back(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Ops, CompiledGradient, testing::ValuesIn(CompiledDifferentiableOps()),
                         [](const auto& info) { return std::string(ir::Info(info.param).enum_name); });

}  // namespace
}  // namespace reel::optable
