#include <algorithm>
#include <numeric>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

using Ints = std::vector<int64_t>;

// One case per dtype with one input of row.domain per variant; emit(c, x, variant) adds the node.
template <typename Variant, typename F>
void PerVariant(const OpRow& row, const std::vector<Variant>& variants, std::vector<OpCase>* cases, F emit) {
  for (DType dtype : row.dtypes) {
    CaseBuilder c(row.op, std::string(Name(dtype)));
    std::vector<ir::Value> inputs;
    for (const Variant& v : variants) inputs.push_back(c.Input({dtype, v.shape}, row.domain));
    for (size_t n = 0; n < variants.size(); ++n) {
      if (IsSampled(dtype, n, variants.size())) emit(c, inputs[n], variants[n]);
    }
    c.Differentiable(IsSmooth(row, dtype));
    cases->push_back(c.Build());
  }
}

}  // namespace

void MakeConstantCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    CaseBuilder c(row.op, std::string(Name(dtype)));
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{3, 7}, Shape{1000}}) {
      c.Emit({}, {{"value", Sample({dtype, shape}, row.domain, c.rng())}});
    }
    c.Emit({}, {{"value", SpecialValues(dtype)}});
    cases->push_back(c.Build());
  }
}

void MakeReshapeCases(const OpRow& row, std::vector<OpCase>* cases) {
  struct Variant {
    Shape shape, to;
  };
  const std::vector<Variant> variants{{{}, {1, 1}},         {{1}, {}},
                                      {{6}, {2, 3}},        {{2, 3}, {3, 2}},
                                      {{0, 3}, {7, 0}},     {{33}, {33}},
                                      {{2, 3, 4}, {4, 6}},  {{4, 6}, {2, 1, 2, 3, 2}},
                                      {{17, 1}, {1, 17}},   {{10, 100}, {1000}},
                                      {{31}, {1, 31}},      {{3, 1, 5}, {15}},
                                      {{2, 2, 3, 5}, {60}}, {{1, 2, 1, 2, 3}, {12, 1}}};
  PerVariant(row, variants, cases,
             [](CaseBuilder& c, ir::Value x, const Variant& v) { c.Emit({x}, {{"shape", v.to}}); });
}

// All permutations up to rank 4, some of rank 5.
void MakeTransposeCases(const OpRow& row, std::vector<OpCase>* cases) {
  struct Variant {
    Shape shape;
    Ints permutation;
  };
  std::vector<Variant> variants{{{2, 3, 1, 4, 3}, {4, 3, 2, 1, 0}},
                                {{2, 3, 1, 4, 3}, {1, 0, 2, 4, 3}},
                                {{2, 3, 1, 4, 3}, {2, 4, 0, 3, 1}},
                                {{0, 3}, {1, 0}},
                                {{33, 65}, {1, 0}},
                                {{1, 17}, {1, 0}},
                                {{64, 3}, {1, 0}},
                                {{5, 1, 2}, {2, 0, 1}},
                                {{1, 1, 13}, {2, 1, 0}},
                                {{1}, {0}},
                                {{3, 0, 2}, {1, 2, 0}}};
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 3, 5}, Shape{2, 3, 1, 5}}) {
    Ints permutation(static_cast<size_t>(shape.rank()));
    std::iota(permutation.begin(), permutation.end(), 0);
    do {
      variants.push_back({shape, permutation});
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  }
  PerVariant(row, variants, cases,
             [](CaseBuilder& c, ir::Value x, const Variant& v) { c.Emit({x}, {{"permutation", v.permutation}}); });
}

void MakeSliceCases(const OpRow& row, std::vector<OpCase>* cases) {
  struct Variant {
    Shape shape;
    Ints starts, limits, strides;
  };
  const std::vector<Variant> variants{
      {{}, {}, {}, {}},
      {{7}, {0}, {7}, {1}},
      {{7}, {2}, {5}, {1}},
      {{7}, {1}, {7}, {3}},
      {{7}, {6}, {7}, {9}},
      {{7}, {3}, {3}, {1}},
      {{0}, {0}, {0}, {2}},
      {{33, 17}, {1, 2}, {32, 17}, {1, 5}},
      {{3, 1, 5}, {0, 0, 4}, {3, 1, 5}, {2, 1, 1}},
      {{2, 3, 4, 2, 3}, {1, 0, 1, 0, 2}, {2, 3, 4, 2, 3}, {1, 2, 2, 1, 1}},
      {{1}, {0}, {1}, {1}},
      {{31}, {0}, {31}, {2}},
      {{1, 1}, {0, 0}, {1, 1}, {3, 1}},
      {{0, 3}, {0, 1}, {0, 3}, {1, 1}},
      {{5, 1}, {1, 0}, {4, 1}, {1, 1}},
      {{2, 3, 4, 5}, {0, 1, 0, 2}, {2, 3, 4, 5}, {1, 1, 3, 2}},
      {{65}, {1}, {64}, {4}},
      {{3, 64}, {0, 16}, {3, 48}, {2, 1}},
  };
  PerVariant(row, variants, cases, [](CaseBuilder& c, ir::Value x, const Variant& v) {
    c.Emit({x}, {{"starts", v.starts}, {"limits", v.limits}, {"strides", v.strides}});
  });
}

void MakeBroadcastCases(const OpRow& row, std::vector<OpCase>* cases) {
  struct Variant {
    Shape shape, to;
    Ints axes;
  };
  const std::vector<Variant> variants{
      {{}, {}, {}},
      {{}, {3, 7}, {}},
      {{1}, {33}, {0}},
      {{3}, {3}, {0}},
      {{3}, {3, 5}, {0}},
      {{5}, {3, 5}, {1}},
      {{3, 1}, {3, 17}, {0, 1}},
      {{1, 1}, {2, 3, 4}, {0, 2}},
      {{1}, {0}, {0}},
      {{0}, {2, 0}, {1}},
      {{2, 1, 3}, {2, 4, 5, 2, 3}, {0, 1, 4}},
      {{1000}, {3, 1000}, {1}},
      {{31}, {2, 31}, {1}},
      {{2, 3}, {2, 3, 4}, {0, 1}},
      {{3, 1, 2, 1}, {3, 5, 2, 7}, {0, 1, 2, 3}},
      {{1, 5}, {4, 5}, {0, 1}},
      {{0, 1}, {0, 3}, {0, 1}},
  };
  PerVariant(row, variants, cases,
             [](CaseBuilder& c, ir::Value x, const Variant& v) { c.Emit({x}, {{"shape", v.to}, {"axes", v.axes}}); });
}

void MakePadCases(const OpRow& row, std::vector<OpCase>* cases) {
  struct Variant {
    Shape shape;
    Ints low, high, interior;
  };
  const std::vector<Variant> variants{
      {{}, {}, {}, {}},
      {{3}, {0}, {0}, {0}},
      {{3}, {2}, {1}, {0}},
      {{3}, {0}, {0}, {2}},
      {{1}, {0}, {2}, {5}},
      {{0}, {1}, {2}, {3}},
      {{0, 2}, {0, 1}, {0, 0}, {0, 0}},
      {{7, 5}, {1, 0}, {0, 3}, {1, 0}},
      {{2, 1, 3, 2, 2}, {0, 1, 0, 2, 0}, {1, 0, 0, 0, 1}, {0, 3, 1, 0, 2}},
      {{17, 33}, {1, 1}, {1, 1}, {0, 0}},
      {{31}, {1}, {0}, {0}},
      {{1, 1}, {2, 0}, {0, 1}, {0, 0}},
      {{2, 3, 5}, {0, 1, 0}, {1, 0, 2}, {1, 0, 0}},
      {{2, 1, 2, 3}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 2, 0}},
      {{64, 2}, {0, 3}, {1, 0}, {0, 1}},
      {{5}, {0}, {3}, {1}},
  };
  for (DType dtype : row.dtypes) {
    CaseBuilder c(row.op, std::string(Name(dtype)));
    std::vector<ir::Value> inputs, values;
    for (const Variant& v : variants) {
      inputs.push_back(c.Input({dtype, v.shape}, row.domain));
      values.push_back(c.Input({dtype, {}}, row.domain));
    }
    for (size_t n = 0; n < variants.size(); ++n) {
      const Variant& v = variants[n];
      c.Emit({inputs[n], values[n]}, {{"low", v.low}, {"high", v.high}, {"interior", v.interior}});
    }
    c.Differentiable(IsSmooth(row, dtype));
    cases->push_back(c.Build());
  }
}

void MakeReverseCases(const OpRow& row, std::vector<OpCase>* cases) {
  struct Variant {
    Shape shape;
    Ints axes;
  };
  const std::vector<Variant> variants{
      {{}, {}},     {{1}, {0}},        {{0}, {0}},          {{7}, {0}},
      {{33}, {0}},  {{3, 5}, {0}},     {{3, 17}, {1}},      {{3, 5}, {0, 1}},
      {{3, 5}, {}}, {{0, 3}, {1}},     {{2, 3, 4}, {0, 2}}, {{2, 1, 3, 2, 2}, {1, 2, 4}},
      {{100}, {0}}, {{5, 64}, {0, 1}}, {{1, 1}, {0, 1}},    {{2, 2, 3, 2}, {0, 3}}};
  PerVariant(row, variants, cases,
             [](CaseBuilder& c, ir::Value x, const Variant& v) { c.Emit({x}, {{"axes", v.axes}}); });
}

void MakeIotaCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    CaseBuilder c(row.op, std::string(Name(dtype)));
    for (const Shape& shape :
         {Shape{0}, Shape{1}, Shape{33}, Shape{3, 7}, Shape{2, 1, 3}, Shape{2, 0}, Shape{2, 3, 1, 2, 2}, Shape{5000}}) {
      for (int64_t axis = 0; axis < shape.rank(); ++axis) {
        c.Emit({}, {{"axis", axis}, {"dtype", dtype}, {"shape", shape}});
      }
    }
    cases->push_back(c.Build());
  }
}

}  // namespace reel::optable
