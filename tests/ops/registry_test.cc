#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "passes/gradient/gradient.h"
#include "tests/ops/op_cases.h"

// What every op must come with beyond what a missing line makes impossible to compile or link (shape rule, reference
// kernel, gradient rule or its declared absence, row in the table): documentation, and cases that cover its dtypes,
// empty and one-element operands, special values. Lowering is covered by engines_test, which runs every case.

namespace reel::optable {
namespace {

class Registry : public testing::TestWithParam<ir::Op> {
 protected:
  const ir::OpInfo& info() const { return ir::Info(GetParam()); }
  const std::vector<OpCase>& cases() const {
    static ir::Op last{};
    static std::vector<OpCase> list;
    if (list.empty() || last != GetParam()) list = CasesFor(last = GetParam());
    return list;
  }
  template <typename Predicate>
  bool AnyInput(Predicate predicate) const {
    for (const OpCase& c : cases()) {
      if (std::any_of(c.inputs.begin(), c.inputs.end(), predicate)) return true;
    }
    return false;
  }
  bool has_tensor_operands() const { return info().operands > 0 && GetParam() != ir::Op::kRandomBits; }
};

TEST_P(Registry, IsDocumented) {
  EXPECT_GE(info().doc.size(), 8u) << info().name;
  EXPECT_NE(info().doc.back(), '.') << "a phrase, as the others";
  EXPECT_GE(info().version, 1);
}

TEST_P(Registry, CasesCoverItsDTypes) {
  if (!has_tensor_operands()) return;
  for (DType dtype : RowOf(GetParam()).dtypes) {
    EXPECT_TRUE(AnyInput([&](const ir::Literal& l) { return l.dtype() == dtype; })) << Name(dtype);
  }
}

TEST_P(Registry, CasesHaveEmptyAndSmallOperands) {
  if (!has_tensor_operands()) return;
  EXPECT_TRUE(AnyInput([](const ir::Literal& l) { return l.size() == 0; })) << "no empty operand";
  EXPECT_TRUE(AnyInput([](const ir::Literal& l) { return l.size() == 1; })) << "no operand of one element";
}

// Ops of any rank are also tried on numbers.
TEST_P(Registry, ElementwiseCasesHaveRankZero) {
  if (!info().Has(ir::kElementwise)) return;
  EXPECT_TRUE(AnyInput([](const ir::Literal& l) { return l.shape().rank() == 0; }));
}

TEST_P(Registry, ElementwiseCasesHaveSpecialValues) {
  if (!info().Has(ir::kElementwise)) return;
  for (DType dtype : {kFloat32, kFloat64}) {
    if (!ir::Contains(info().dtypes, dtype)) continue;
    bool nan = false, infinite = false, negative_zero = false;
    for (const OpCase& c : cases()) {
      for (const ir::Literal& l : c.inputs) {
        for (int64_t k = 0; l.dtype() == dtype && k < l.size(); ++k) {
          const double x = l.AsDouble(k);
          nan = nan || std::isnan(x);
          infinite = infinite || std::isinf(x);
          negative_zero = negative_zero || (x == 0 && std::signbit(x));
        }
      }
    }
    EXPECT_TRUE(nan && infinite && negative_zero) << Name(dtype);
  }
}

// A row that says "not differentiable" has no gradient rule, one that says it is has one and a case that checks it.
TEST_P(Registry, GradientIsDeclaredAndChecked) {
  const bool differentiable = RowOf(GetParam()).differentiable;
  const bool zero = GetParam() == ir::Op::kCast;  // linear between floats, no gradient elsewhere
  if (!zero) {
    EXPECT_EQ(passes::HasGradient(GetParam()), differentiable);
  }
  if (!differentiable) return;
  EXPECT_TRUE(std::any_of(cases().begin(), cases().end(), [](const OpCase& c) { return c.differentiable; }));
}

// Gradients are checked at many shapes, in f32 and f64.
TEST_P(Registry, GradientsHaveManyShapes) {
  if (!RowOf(GetParam()).differentiable || info().Has(ir::kControl)) return;
  if (!ir::Contains(info().dtypes, kFloat64)) return;  // real and imag: of complex numbers
  for (DType dtype : {kFloat32, kFloat64}) {
    std::set<std::string> shapes;
    for (const OpCase& c : cases()) {
      for (const ir::Literal& l : c.inputs) {
        if (c.differentiable && RealOf(l.dtype()) == dtype) shapes.insert(l.shape().ToString());
      }
    }
    EXPECT_GE(shapes.size(), 14u) << Name(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Registry, testing::ValuesIn(ir::AllOps().begin(), ir::AllOps().end()),
                         [](const auto& info) { return std::string(ir::Info(info.param).enum_name); });

}  // namespace
}  // namespace reel::optable
