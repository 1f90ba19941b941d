#include <limits>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

struct Variant {
  Shape shape;
  int64_t axis;
};

const std::vector<Variant> kVariants{
    {{1}, 0},         {{0}, 0},      {{7}, 0},          {{65}, 0},       {{3, 1}, 1},
    {{0, 3}, 1},      {{3, 0}, 1},   {{2, 2, 3, 2}, 2}, {{1, 31}, 1},    {{5, 3}, 0},
    {{5, 3}, 1},      {{9, 33}, 0},  {{2, 5, 3}, 1},    {{2, 5, 17}, 1}, {{3, 2, 1, 4, 2}, 3},
    {{40, 1, 64}, 0}, {{3, 500}, 1}, {{2, 0}, 0},       {{0, 5, 0}, 0}};

// Infinities and NaN stay where they are: a[0] is not looked at.
void AddSpecialCase(const OpRow& row, DType dtype, std::vector<OpCase>* cases) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CaseBuilder c(row.op, StrCat(Name(dtype), " special values"));
  const ir::Value a = c.Input(MakeLiteral({dtype, {3, 4}}, {inf, nan, 0, 1, 2, -inf, 0, 1, 1, 1, -1, nan})),
                  b = c.Input(MakeLiteral({dtype, {3, 4}}, {-0.0, -0.0, inf, 1, 1, 0, nan, -1, 0, -0.0, -0.0, -0.0}));
  for (bool reverse : {false, true}) {
    for (int64_t axis : {0, 1}) c.Emit({a, b}, {{"axis", axis}, {"reverse", reverse}});
  }
  cases->push_back(c.Build());
}

}  // namespace

void MakeRecurrenceCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Variant& v : kVariants) {
      for (bool reverse : {false, true}) {
        const Type type{dtype, v.shape};
        CaseBuilder c(row.op, StrCat(Text(type), " axis ", v.axis, reverse ? " reverse" : ""));
        const ir::Value a = c.Input(type, IsInteger(dtype) ? Domain{-9, 9} : row.domain),
                        b = c.Input(type, IsInteger(dtype) ? Domain{-99, 99} : row.domain);
        c.Emit({a, b}, {{"axis", v.axis}, {"reverse", reverse}});
        c.Tolerate(OfSum(dtype, 2 * static_cast<double>(v.shape.dim(static_cast<int>(v.axis)))));
        c.Differentiable(IsSmooth(row, dtype) && v.shape.size() < 1000);
        cases->push_back(c.Build());
      }
    }
    if (IsFloat(dtype)) AddSpecialCase(row, dtype, cases);
  }
}

}  // namespace reel::optable
