#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/eval/eval.h"
#include "ir/infer.h"
#include "ir/verifier.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

using testing::HasSubstr;

class EveryOp : public testing::TestWithParam<ir::Op> {
 protected:
  const ir::OpInfo& info() const { return ir::Info(GetParam()); }
  std::string InferError(const std::vector<Type>& operands, const ir::Attributes& attributes = {}) const {
    return std::string(ir::InferTypes({GetParam(), operands, attributes, nullptr}).status().message());
  }
};

// Every dtype that ops.def allows is in the op's row.
TEST_P(EveryOp, RowHasAllDTypes) {
  if (info().operands < 0) return;  // control ops take what their callees take
  for (int n = 0; n < kNumDTypes; ++n) {
    const auto dtype = static_cast<DType>(n);
    const auto& row = RowOf(GetParam()).dtypes;
    const bool in_row = std::find(row.begin(), row.end(), dtype) != row.end();
    const bool no_first_operand =
        GetParam() == ir::Op::kSelect || GetParam() == ir::Op::kIota || GetParam() == ir::Op::kGroupRank;
    if (no_first_operand) continue;  // the set is about the condition; iota has no bool, group_rank no operand
    if (GetParam() == ir::Op::kCheckIndex) continue;  // its shape rule takes the two dtypes of indices alone
    EXPECT_EQ(in_row, ir::Contains(info().dtypes, dtype)) << Name(dtype);
  }
}

// The types that the shape rules promise are those that evaluation gives.
TEST_P(EveryOp, ResultsHaveTheInferredTypes) {
  const std::vector<OpCase> cases = CasesFor(GetParam());
  EXPECT_FALSE(cases.empty());
  for (const OpCase& c : cases) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(ir::Verify(c.module).ok()) << ir::Verify(c.module);
    EXPECT_TRUE(std::any_of(c.main().nodes().begin(), c.main().nodes().end(),
                            [](const ir::Node& n) { return n.op == GetParam(); }));
    const auto results = ir::EvaluateLiterals(c.module, c.main(), c.inputs, WithCallbacks());
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t k = 0; k < results->size(); ++k) {
      EXPECT_EQ((*results)[k].type(), c.main().type(c.main().results()[k]));
    }
  }
}

TEST_P(EveryOp, RefusesAWrongNumberOfOperands) {
  if (info().operands < 0) return;
  const std::vector<Type> operands(static_cast<size_t>(info().operands) + 1, {kFloat32, {2}});
  const std::string error = InferError(operands);
  EXPECT_THAT(error, HasSubstr(std::string(info().name) + ": takes "));
}

TEST_P(EveryOp, RefusesDTypesOutsideItsSet) {
  if (info().operands < 1) return;
  for (int n = 0; n < kNumDTypes; ++n) {
    const auto dtype = static_cast<DType>(n);
    if (ir::Contains(info().dtypes, dtype)) continue;
    const Type type{dtype, {2, 3}};
    const std::string error = InferError(std::vector<Type>(static_cast<size_t>(info().operands), type));
    EXPECT_THAT(error, HasSubstr(std::string(info().name) + ": operand must be "));
    EXPECT_THAT(error, HasSubstr(type.ToString()));
  }
}

TEST_P(EveryOp, RefusesOperandsOfDifferentTypes) {
  if (!info().Has(ir::kElementwise) || info().operands < 2) return;
  const DType dtype = RowOf(GetParam()).dtypes.front();
  const DType other = dtype == kInt64 ? kInt32 : kInt64;
  const Type a{dtype, {2, 3}}, b{dtype, {3, 2}}, c{other, {2, 3}};
  for (const Type& wrong : {b, c}) {
    std::vector<Type> operands{a, wrong};
    if (GetParam() == ir::Op::kSelect) operands.insert(operands.begin(), Type{kBool, {2, 3}});
    while (operands.size() < static_cast<size_t>(info().operands)) operands.push_back(a);
    const std::string error = InferError(operands);
    EXPECT_THAT(error, HasSubstr(std::string(info().name) + ": "));
    EXPECT_THAT(error, HasSubstr(a.ToString()));
    EXPECT_THAT(error, HasSubstr(wrong.ToString()));
  }
}

TEST_P(EveryOp, RefusesMissingAndUnknownAttributes) {
  if (info().operands < 0) return;
  const DType dtype = info().dtypes == ir::DTypeSet::kBoolean ? kBool : RowOf(GetParam()).dtypes.front();
  const std::vector<Type> operands(static_cast<size_t>(info().operands), {dtype, {2}});
  const auto& attributes = info().attributes;
  if (std::any_of(attributes.begin(), attributes.end(), [](const auto& a) { return !a.optional; })) {
    EXPECT_THAT(InferError(operands), HasSubstr(std::string(info().name) + ": attribute '"));
  } else {
    EXPECT_THAT(InferError(operands, {{"colour", int64_t{1}}}), HasSubstr("unknown attribute 'colour'"));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, testing::ValuesIn(ir::AllOps().begin(), ir::AllOps().end()),
                         [](const auto& info) { return std::string(ir::Info(info.param).enum_name); });

}  // namespace
}  // namespace reel::optable
