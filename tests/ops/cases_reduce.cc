#include <algorithm>
#include <limits>
#include <numeric>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

struct Variant {
  Shape shape;
  std::vector<int64_t> axes;
};

// Blocks are 4096 elements of 64 lanes: sizes around both, and more than one block.
const std::vector<Variant> kVariants{{{}, {}},
                                     {{3}, {}},
                                     {{1}, {0}},
                                     {{7}, {0}},
                                     {{17}, {0}},
                                     {{0}, {0}},
                                     {{3, 0}, {1}},
                                     {{0, 3}, {1}},
                                     {{3, 0}, {0}},
                                     {{1, 33}, {0}},
                                     {{33, 1}, {1}},
                                     {{63}, {0}},
                                     {{64}, {0}},
                                     {{65}, {0}},
                                     {{129, 3}, {0}},
                                     {{3, 1, 17}, {0, 2}},
                                     {{3, 5, 7}, {1}},
                                     {{3, 5, 7}, {0, 1}},
                                     {{3, 5, 7}, {1, 2}},
                                     {{2, 3, 4, 2, 3}, {1, 3}},
                                     {{2, 3, 4, 2, 3}, {0, 4}},
                                     {{2, 3, 4, 2, 3}, {0, 1, 2, 3, 4}},
                                     {{4095}, {0}},
                                     {{4096}, {0}},
                                     {{4097}, {0}},
                                     {{2, 5000}, {1}},
                                     {{5000, 3}, {0}},
                                     {{70, 130}, {0, 1}},
                                     {{300001}, {0}}};

int64_t Reduced(const Variant& v) {
  int64_t n = 1;
  for (int64_t axis : v.axes) n *= v.shape.dim(static_cast<int>(axis));
  return n;
}

// Additions that one term goes through: in its lane, down the tree, and the same over the blocks.
double Terms(int64_t n, DType dtype) {
  double terms = 0;
  const int64_t all = n;
  for (bool more = true; more; n = (n + 4095) / 4096) {
    terms += static_cast<double>((std::min<int64_t>(n, 4096) + 63) / 64) + 6;
    more = n > 4096;
  }
  return dtype == kFloat64 ? terms + static_cast<double>(all) : terms + 1;  // the reference adds one by one
}

// Distinct values at least 1 apart, so that the extremum is no kink.
std::vector<double> Spread(int64_t n, Rng& rng) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), -static_cast<double>(n / 2));
  for (size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[rng() % k]);
  return values;
}

void AddSpecialCase(const OpRow& row, DType dtype, std::vector<OpCase>* cases) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const double tiny = FormatOf(dtype).tiny;
  CaseBuilder c(row.op, StrCat(Name(dtype), " special values"));
  std::vector<double> rows;
  for (const auto& r : std::vector<std::vector<double>>{{nan, 1, 2},
                                                        {1, nan, -inf},
                                                        {inf, 1, 2},
                                                        {inf, -inf, 0},
                                                        {-0.0, -0.0, -0.0},
                                                        {0.0, -0.0, -0.0},
                                                        {-0.0, 0.0, 0.0},
                                                        {tiny, 2 * tiny, -5 * tiny},
                                                        {-inf, -inf, -inf},
                                                        {1, -1, 0.0},
                                                        {inf, inf, inf}}) {
    rows.insert(rows.end(), r.begin(), r.end());
  }
  const auto n = static_cast<int64_t>(rows.size() / 3);
  std::vector<double> columns;
  for (size_t k = 0; k < 3; ++k) {
    for (size_t i = k; i < rows.size(); i += 3) columns.push_back(rows[i]);
  }
  const ir::Value by_row = c.Input(MakeLiteral({dtype, {n, 3}}, rows)),
                  by_column = c.Input(MakeLiteral({dtype, {3, n}}, columns));
  c.Emit({by_row}, {{"axes", std::vector<int64_t>{1}}});
  c.Emit({by_column}, {{"axes", std::vector<int64_t>{0}}});
  if (row.op == ir::Op::kReduceSum) c.Tolerate(OfSum(dtype, 4));
  cases->push_back(c.Build());
}

// Products with no, one and two zeros: their gradients are the products of the others.
void AddZerosCase(const OpRow& row, std::vector<OpCase>* cases) {
  CaseBuilder c(row.op, "f64 zeros");
  const ir::Value x =
      c.Input(MakeLiteral({kFloat64, {4, 5}}, {2, -1, 3, 0.5, 4, 2, 0, 3, -2, 1, 0, 0.5, 3, 0, 2, 0, 0, 0, 1, 0}));
  c.Emit({x}, {{"axes", std::vector<int64_t>{1}}});
  c.Emit({x}, {{"axes", std::vector<int64_t>{0}}});
  c.Emit({x}, {{"axes", std::vector<int64_t>{0, 1}}});
  c.Differentiable(true);
  cases->push_back(c.Build());
}

}  // namespace

void MakeReduceCases(const OpRow& row, std::vector<OpCase>* cases) {
  const bool product = row.op == ir::Op::kReduceProd, sum = row.op == ir::Op::kReduceSum || product;
  for (DType dtype : row.dtypes) {
    for (const Variant& v : kVariants) {
      const Type type{dtype, v.shape};
      CaseBuilder c(row.op, StrCat(Text(type), " axes ", Text(v.axes)));
      const bool spread = !sum && IsFloat(dtype);
      const ir::Value x = spread ? c.Input(MakeLiteral(type, Spread(v.shape.size(), c.rng())))
                                 : c.Input(type, product && IsInteger(dtype) ? Domain{-9, 9} : row.domain);
      c.Emit({x}, {{"axes", v.axes}});
      if (sum && Reduced(v) > 1) c.Tolerate(OfSum(dtype, Terms(Reduced(v), dtype)));
      const bool finite = sum || Reduced(v) > 0;  // the maximum of nothing is -inf
      c.Differentiable(IsSmooth(row, dtype) && finite && v.shape.size() < 1000);
      cases->push_back(c.Build());
    }
    if (IsFloat(dtype)) AddSpecialCase(row, dtype, cases);
    if (product && dtype == kFloat64) AddZerosCase(row, cases);
    if (!IsFloat(dtype) && dtype != kBool) {
      CaseBuilder c(row.op, StrCat(Name(dtype), " special values"));
      c.Emit({c.Input(SpecialValues(dtype))}, {{"axes", std::vector<int64_t>{0}}});
      cases->push_back(c.Build());
    }
  }
}

}  // namespace reel::optable
