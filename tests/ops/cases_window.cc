#include "ir/strings.h"
#include "tests/ops/op_cases.h"

// Windows and convolutions.

namespace reel::optable {
namespace {

using Ints = std::vector<int64_t>;

struct Windows {
  Shape shape;
  Ints axes, sizes, strides, dilations;
};

constexpr int64_t kHuge = int64_t{1} << 60, kFar = int64_t{1} << 40;

const std::vector<Windows> kWindows{
    {{}, {}, {}, {}, {}},
    {{1}, {0}, {1}, {1}, {1}},
    {{7}, {0}, {3}, {1}, {1}},
    {{7}, {0}, {3}, {2}, {1}},
    {{8}, {0}, {2}, {2}, {1}},
    {{9}, {0}, {2}, {4}, {1}},
    {{9}, {0}, {3}, {1}, {3}},
    {{11}, {0}, {3}, {3}, {2}},
    {{7}, {0}, {7}, {1}, {1}},
    {{7}, {0}, {1}, {3}, {1}},
    {{7}, {0}, {1}, {1}, {kHuge}},
    {{5}, {0}, {5}, {kHuge}, {1}},
    {{0, 5}, {1}, {2}, {1}, {1}},
    {{17}, {0}, {4}, {3}, {2}},
    {{3, 31}, {1}, {3}, {2}, {1}},
    {{5, 6}, {0, 1}, {2, 3}, {1, 2}, {1, 1}},
    {{5, 6}, {1, 0}, {2, 3}, {1, 2}, {3, 1}},
    {{2, 6, 5, 3}, {1, 2}, {3, 3}, {1, 1}, {1, 1}},
    {{2, 6, 5, 3}, {1, 2}, {2, 2}, {2, 2}, {1, 1}},
    {{2, 4, 5, 3, 1}, {1, 2, 3}, {2, 2, 2}, {1, 3, 1}, {2, 1, 1}},
    {{3, 40}, {1}, {33}, {1}, {1}},
};

// A conv by its spatial extents and what applies to each of them.
struct Convolution {
  int64_t batch;
  Ints spatial;
  int64_t groups, channels;
  Ints filter;
  int64_t outputs;
  Ints strides = {}, low = {}, high = {}, a_dilation = {}, b_dilation = {};  // empty: 1, or 0 for padding
};

const std::vector<Convolution> kConvolutions{
    {1, {1}, 1, 1, {1}, 1},
    {2, {7}, 1, 3, {3}, 4},
    {2, {7}, 1, 3, {3}, 4, {2}, {1}, {1}},
    {2, {8}, 1, 3, {3}, 4, {2}, {0}, {1}},
    {2, {7}, 1, 3, {3}, 4, {1}, {2}, {2}, {1}, {2}},
    {1, {5}, 1, 2, {3}, 2, {1}, {2}, {2}, {2}, {1}},
    {1, {5}, 1, 2, {3}, 2, {3}, {4}, {3}, {2}, {2}},
    {1, {9}, 1, 2, {2}, 2, {2}, {-1}, {-2}},
    {1, {9}, 1, 2, {2}, 2, {1}, {-3}, {4}, {2}, {3}},
    {1, {9}, 1, 2, {2}, 2, {1}, {4}, {-6}, {3}, {1}},
    {1, {9}, 1, 2, {2}, 2, {1}, {-8}, {-9}, {3}, {1}},
    {1, {3}, 1, 2, {2}, 2, {1}, {-7}, {9}},
    {1, {3}, 1, 2, {2}, 2, {1}, {9}, {-7}, {2}, {1}},
    {1, {2}, 1, 2, {2}, 2, {1}, {-kFar}, {kFar}},
    {1, {3}, 1, 2, {2}, 2, {1}, {kFar}, {-kFar}, {2}, {1}},
    {2, {7}, 3, 2, {3}, 2, {2}, {1}, {1}},
    {2, {6}, 4, 1, {3}, 2},
    {0, {5}, 1, 2, {3}, 2},
    {2, {5}, 1, 0, {3}, 2},
    {2, {5}, 1, 2, {3}, 0},
    {2, {0}, 1, 2, {3}, 2, {1}, {2}, {2}},
    {1, {5}, 1, 2, {3}, 17, {1}, {1}, {1}},
    {2, {5, 6}, 1, 3, {1, 1}, 4},
    {2, {5, 6}, 1, 3, {3, 2}, 4, {1, 1}, {1, 0}, {1, 1}},
    {2, {6, 7}, 1, 2, {3, 3}, 5, {2, 2}, {0, 1}, {1, 1}},
    {1, {6, 7}, 2, 2, {2, 3}, 3, {1, 2}, {1, 1}, {1, 1}, {1, 2}, {2, 1}},
    {1, {4, 9}, 3, 1, {3, 3}, 1, {1, 1}, {1, 1}, {1, 1}},
    {1, {4, 5, 3}, 1, 2, {2, 3, 2}, 3, {1, 2, 1}, {0, 1, 1}, {1, 1, 0}},
    {1, {3, 4, 3}, 2, 1, {2, 2, 2}, 2, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {2, 1, 1}, {1, 2, 1}},
    {1, {6, 6}, 1, 40, {3, 3}, 3},
    // zeros between elements, in phases: all of two taps, together; too many outputs for that; three of an uneven
    // filter; a stride that shares a factor; one phase; some without taps; unlike axes and groups; more than are told
    // apart
    {2, {5, 4}, 1, 3, {4, 4}, 2, {1, 1}, {2, 2}, {2, 2}, {2, 2}, {1, 1}},
    {1, {3, 4}, 1, 2, {3, 4}, 5, {1, 1}, {2, 2}, {2, 3}, {2, 2}, {1, 1}},
    {1, {4}, 1, 2, {5}, 3, {1}, {4}, {3}, {3}, {1}},
    {1, {6}, 1, 2, {3}, 2, {2}, {2}, {3}, {4}, {1}},
    {1, {7}, 1, 2, {5}, 2, {4}, {1}, {2}, {2}, {1}},
    {1, {3}, 1, 2, {2}, 2, {1}, {5}, {4}, {6}, {1}},
    {2, {3, 5}, 2, 2, {3, 2}, 1, {1, 1}, {-1, 2}, {3, -2}, {3, 2}, {2, 3}},
    {1, {3}, 1, 1, {3}, 2, {1}, {2}, {2}, {70}, {1}},
};

Ints OrElse(const Ints& v, size_t n, int64_t value) { return v.empty() ? Ints(n, value) : v; }

std::string NameOf(const Convolution& v, const Type& a, const Type& b) {
  return StrCat(Text(a), " with ", Text(b), " strides ", Text(v.strides), " padding ", Text(v.low), " ", Text(v.high),
                " dilations ", Text(v.a_dilation), " ", Text(v.b_dilation));
}

}  // namespace

void MakeWindowCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Windows& v : kWindows) {
      CaseBuilder c(row.op, StrCat(Text({dtype, v.shape}), " axes ", Text(v.axes), " sizes ", Text(v.sizes),
                                   " strides ", Text(v.strides), " dilations ", Text(v.dilations)));
      c.Emit({c.Input({dtype, v.shape}, row.domain)},
             {{"axes", v.axes}, {"sizes", v.sizes}, {"strides", v.strides}, {"dilations", v.dilations}});
      c.Differentiable(IsSmooth(row, dtype));
      cases->push_back(c.Build());
    }
  }
}

void MakeConvCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Convolution& v : kConvolutions) {
      Ints a = v.spatial, b = v.filter;
      a.insert(a.begin(), v.batch);
      a.insert(a.end(), {v.groups, v.channels});
      b.insert(b.end(), {v.groups, v.channels, v.outputs});
      const Type input{dtype, Shape(a)}, filter{dtype, Shape(b)};
      CaseBuilder c(row.op, NameOf(v, input, filter));
      const size_t n = v.spatial.size();
      c.Emit({c.Input(input, row.domain), c.Input(filter, row.domain)}, {{"strides", OrElse(v.strides, n, 1)},
                                                                         {"low", OrElse(v.low, n, 0)},
                                                                         {"high", OrElse(v.high, n, 0)},
                                                                         {"a_dilation", OrElse(v.a_dilation, n, 1)},
                                                                         {"b_dilation", OrElse(v.b_dilation, n, 1)}});
      double terms = static_cast<double>(v.channels);
      for (int64_t k : v.filter) terms *= static_cast<double>(k);
      c.Tolerate(OfSum(dtype, 2 * terms + 1));
      c.Differentiable(IsSmooth(row, dtype));
      cases->push_back(c.Build());
    }
  }
}

}  // namespace reel::optable
