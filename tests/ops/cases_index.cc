#include <limits>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

using Ints = std::vector<int64_t>;

struct Variant {
  Shape a;
  int64_t axis;
  Shape index_shape;
  Ints indices;
  bool out_of_range = false;
};

const std::vector<Variant> kVariants{
    {{5}, 0, {}, {3}},
    {{5}, 0, {4}, {4, 0, 0, 2}},
    {{5}, 0, {0}, {}},
    {{1}, 0, {3}, {0, 0, 0}},
    {{33}, 0, {2, 3}, {32, 1, 7, 7, 0, 31}},
    {{4, 3}, 0, {3}, {3, 1, 1}},
    {{4, 3}, 1, {2}, {2, 0}},
    {{2, 5, 3}, 1, {2, 2}, {4, 4, 0, 1}},
    {{2, 5, 3}, 2, {1, 1}, {2}},
    {{2, 3, 1, 2, 4}, 3, {3}, {1, 0, 1}},
    {{0, 4}, 1, {2}, {1, 3}},
    {{31, 2}, 0, {3}, {30, 0, 30}},
    {{2, 1, 3, 5}, 3, {2}, {4, 4}},
    {{3, 1}, 1, {2}, {0, 0}},
    {{17}, 0, {3}, {16, 2, 2}},
    {{100, 17}, 0, {7}, {99, 0, 50, 50, 50, 3, 98}},
    {{5}, 0, {5}, {-1, 5, 2, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}, true},
    {{2, 3, 2}, 1, {2, 2}, {-3, 0, 3, 2}, true},
    {{0, 3}, 0, {2}, {0, -1}, true},
};

Shape Gathered(const Variant& v) {
  Shape out;
  for (int k = 0; k < v.a.rank(); ++k) {
    if (k != v.axis) {
      out.push_back(v.a[k]);
    } else {
      for (Extent e : v.index_shape) out.push_back(e);
    }
  }
  return out;
}

std::string NameOf(const Variant& v, DType dtype, DType index) {
  return StrCat(Text({dtype, v.a}), " axis ", v.axis, " at ", Text({index, v.index_shape}), " ", Text(v.indices));
}

}  // namespace

void MakeGatherCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Variant& v : kVariants) {
      for (DType index : {kInt32, kInt64}) {
        if (index == kInt32 && dtype != kFloat32) continue;  // index dtypes do not depend on the data's
        CaseBuilder c(row.op, NameOf(v, dtype, index));
        const ir::Value a = c.Input({dtype, v.a}, row.domain), at = c.InputInts(index, v.index_shape, v.indices);
        c.Emit({a, at}, {{"axis", v.axis}});
        if (v.out_of_range) c.OutOfRange();
        c.Differentiable(IsSmooth(row, dtype));
        cases->push_back(c.Build());
      }
    }
  }
}

namespace {

// Duplicates that meet NaN, infinities and both zeros.
void AddScatterSpecialCase(const OpRow& row, std::vector<OpCase>* cases) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (DType dtype : row.dtypes) {
    if (!IsFloat(dtype)) continue;
    CaseBuilder c(row.op, StrCat(Name(dtype), " special values"));
    const ir::Value a = c.Input(MakeLiteral({dtype, {8}}, {0.0, -0.0, nan, inf, -inf, 1, 0, -0.0})),
                    at = c.InputInts(kInt64, {10}, {0, 1, 2, 3, 4, 5, 5, 6, 7, 7});
    c.Emit({a, at, c.Input(MakeLiteral({dtype, {10}}, {-0.0, 0.0, 1, -inf, 0, nan, 2, -0.0, 3, 0.0}))},
           {{"axis", int64_t{0}}});
    cases->push_back(c.Build());
  }
}

}  // namespace

void MakeScatterCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Variant& v : kVariants) {
      for (DType index : {kInt32, kInt64}) {
        if (index == kInt32 && dtype != kFloat32) continue;
        CaseBuilder c(row.op, NameOf(v, dtype, index));
        const ir::Value a = c.Input({dtype, v.a}, row.domain), at = c.InputInts(index, v.index_shape, v.indices),
                        updates = c.Input({dtype, Gathered(v)}, row.domain);
        c.Emit({a, at, updates}, {{"axis", v.axis}});
        if (v.out_of_range) c.OutOfRange();
        const bool rounds = row.op == ir::Op::kScatterAdd || row.op == ir::Op::kScatterMul;
        if (rounds) c.Tolerate(OfSum(dtype, 2 * static_cast<double>(v.indices.size()) + 1));
        c.Differentiable(IsSmooth(row, dtype));
        cases->push_back(c.Build());
      }
    }
  }
  if (row.op != ir::Op::kScatterAdd) AddScatterSpecialCase(row, cases);
}

// What is in range; what is not is in tests/frontend/bounds_test.cc.
void MakeCheckIndexCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Variant& v : kVariants) {
      if (v.out_of_range || v.a.size() == 0) continue;
      CaseBuilder c(row.op, NameOf(v, kFloat32, dtype));
      c.Emit({c.InputInts(dtype, v.index_shape, v.indices)},
             {{"axis", v.axis}, {"dtype", kFloat32}, {"labels", false}, {"of", std::string("gather")}, {"shape", v.a}});
      cases->push_back(c.Build());
    }
  }
}

// What is accepted; what is not is in tests/frontend/bounds_test.cc.
void MakeCheckIntegerCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const bool negative : {false, true}) {
      const Ints values = negative || IsUnsigned(dtype) ? Ints{3, 1, 120, 7, 1, 2} : Ints{3, -1, 120, -128, 1, 2};
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{2, 3}}) {
        CaseBuilder c(row.op, std::string(negative ? "exponents " : "divisors ") + Text({dtype, shape}));
        c.Emit({c.InputInts(dtype, shape, {values.begin(), values.begin() + shape.size()})},
               {{"negative", negative}, {"of", std::string("FloorMod")}});
        cases->push_back(c.Build());
      }
    }
  }
}

namespace {

struct Window {
  Shape a;
  int64_t axis, size;
  Ints starts;  // one node each; clamped where they are out of range
};

const std::vector<Window> kWindows{
    {{7}, 0, 3, {0, 4, 2, -1, 5, 7, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}},
    {{7}, 0, 7, {0, 3}},
    {{7}, 0, 0, {0, 7, 9}},
    {{1}, 0, 1, {0}},
    {{0}, 0, 0, {0, 1}},
    {{4, 3}, 0, 2, {1, 3}},
    {{4, 3}, 1, 1, {2, -5}},
    {{2, 5, 3}, 1, 2, {3, 4}},
    {{2, 3, 1, 2, 4}, 4, 3, {1, 2}},
    {{33, 17}, 0, 17, {9}},
    {{3, 1}, 1, 1, {0}},
    {{31}, 0, 16, {7, 15}},
    {{0, 3}, 1, 2, {1}},
    {{5, 64}, 1, 33, {31}},
    {{2, 3, 2, 4}, 2, 1, {1}},
    {{1, 17}, 0, 1, {3}},
};

// emit(c, a, update, start, window) for every window and start; starts are inputs.
template <typename F>
void PerWindow(const OpRow& row, std::vector<OpCase>* cases, F emit) {
  for (DType dtype : row.dtypes) {
    for (const Window& w : kWindows) {
      const DType index = dtype == kFloat32 ? kInt32 : kInt64;
      CaseBuilder c(row.op, StrCat(Text({dtype, w.a}), " axis ", w.axis, " size ", w.size));
      Shape part = w.a;
      part.set(static_cast<int>(w.axis), w.size);
      const ir::Value a = c.Input({dtype, w.a}, row.domain), update = c.Input({dtype, part}, row.domain);
      std::vector<ir::Value> starts;
      for (int64_t s : w.starts) starts.push_back(c.InputInts(index, {}, {s}));
      for (ir::Value start : starts) emit(c, a, update, start, w);
      c.Differentiable(IsSmooth(row, dtype));
      cases->push_back(c.Build());
    }
  }
}

}  // namespace

void MakeDynamicSliceCases(const OpRow& row, std::vector<OpCase>* cases) {
  PerWindow(row, cases, [](CaseBuilder& c, ir::Value a, ir::Value, ir::Value start, const Window& w) {
    c.Emit({a, start}, {{"axis", w.axis}, {"size", w.size}});
  });
}

void MakeDynamicUpdateCases(const OpRow& row, std::vector<OpCase>* cases) {
  PerWindow(row, cases, [](CaseBuilder& c, ir::Value a, ir::Value update, ir::Value start, const Window& w) {
    c.Emit({a, update, start}, {{"axis", w.axis}});
  });
}

}  // namespace reel::optable
