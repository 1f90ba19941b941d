#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

using Ints = std::vector<int64_t>;

struct Variant {
  Shape a, b;
  Ints a_batch, b_batch, a_contract, b_contract;
};

// a[m,k] b[k,n] in all four layouts, sizes around the blocks of 256 terms; then batches and several
// axes.
std::vector<Variant> Variants() {
  std::vector<Variant> out;
  struct Sizes {
    int64_t m, k, n;
  };
  for (const Sizes& s : {Sizes{1, 1, 1},
                         {3, 7, 5},
                         {17, 33, 1},
                         {1, 17, 33},
                         {3, 255, 2},
                         {5, 256, 7},
                         {5, 257, 7},
                         {7, 784, 10},
                         {33, 17, 40},
                         {65, 64, 66},
                         {9, 30, 48},    // registers that are no power of two
                         {5, 259, 103},  // the last of them not full
                         {2, 0, 3},
                         {0, 3, 2},
                         {3, 2, 0},
                         {4, 1, 6}}) {
    out.push_back({{s.m, s.k}, {s.k, s.n}, {}, {}, {1}, {0}});
    out.push_back({{s.m, s.k}, {s.n, s.k}, {}, {}, {1}, {1}});
    out.push_back({{s.k, s.m}, {s.k, s.n}, {}, {}, {0}, {0}});
    out.push_back({{s.k, s.m}, {s.n, s.k}, {}, {}, {0}, {1}});
  }
  out.push_back({{}, {}, {}, {}, {}, {}});                                // scalars
  out.push_back({{}, {3}, {}, {}, {}, {}});                               // scalar by vector
  out.push_back({{7}, {5}, {}, {}, {}, {}});                              // outer product
  out.push_back({{1000}, {1000}, {}, {}, {0}, {0}});                      // dot product
  out.push_back({{3, 300}, {300}, {}, {}, {1}, {0}});                     // matrix by vector
  out.push_back({{4}, {4}, {0}, {0}, {}, {}});                            // batch only
  out.push_back({{3, 5, 7}, {3, 7, 4}, {0}, {0}, {2}, {1}});              // batched matrices
  out.push_back({{5, 3, 7}, {7, 4, 3}, {1}, {2}, {2}, {0}});              // batch inside
  out.push_back({{2, 3, 4, 5}, {2, 3, 5, 2}, {0, 1}, {0, 1}, {3}, {2}});  // two batch axes
  out.push_back({{2, 3, 4, 5}, {3, 2, 5, 2}, {1, 0}, {0, 1}, {3}, {2}});  // in another order
  out.push_back({{4, 17, 31}, {17, 31, 3}, {}, {}, {1, 2}, {0, 1}});      // two contracted axes
  out.push_back({{4, 17, 31}, {17, 31, 3}, {}, {}, {2, 1}, {1, 0}});      // in another order
  out.push_back({{2, 3, 4}, {4, 3, 2}, {}, {}, {0, 1, 2}, {2, 1, 0}});    // all axes
  out.push_back({{2, 5, 3, 1, 4}, {2, 4, 1, 3, 2}, {0}, {0}, {4, 2}, {1, 3}});  // rank 5
  return out;
}

int64_t Terms(const Variant& v) {
  int64_t k = 1;
  for (int64_t axis : v.a_contract) k *= v.a.dim(static_cast<int>(axis));
  return k;
}

}  // namespace

void MakeContractCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    for (const Variant& v : Variants()) {
      CaseBuilder c(row.op, StrCat(Text({dtype, v.a}), " ", Text({dtype, v.b}), " over ", Text(v.a_contract), " and ",
                                   Text(v.b_contract)));
      const ir::Value a = c.Input({dtype, v.a}, row.domain), b = c.Input({dtype, v.b}, row.domain);
      c.Emit(
          {a, b},
          {{"a_batch", v.a_batch}, {"b_batch", v.b_batch}, {"a_contract", v.a_contract}, {"b_contract", v.b_contract}});
      const auto k = static_cast<double>(Terms(v));
      c.Tolerate(OfSum(dtype, std::min(k, 256.0) + k / 256 + 1 + (dtype == kFloat64 ? k : 0)));
      c.Differentiable(IsSmooth(row, dtype) && v.a.size() < 2000);
      cases->push_back(c.Build());
    }
  }
}

}  // namespace reel::optable
