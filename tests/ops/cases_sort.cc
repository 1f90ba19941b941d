#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

struct Variant {
  Shape shape;
  int64_t axis;
};

// Pieces of up to 32 (of AVX-512) go through networks of a power of two registers, longer ones are parted: sizes around
// these.
const std::vector<Variant> kVariants{{{0}, 0},
                                     {{1}, 0},
                                     {{2}, 0},
                                     {{15}, 0},
                                     {{16}, 0},
                                     {{17}, 0},
                                     {{33}, 0},
                                     {{64}, 0},
                                     {{65}, 0},
                                     {{100}, 0},
                                     {{1000}, 0},
                                     {{3, 0}, 1},
                                     {{0, 3}, 1},
                                     {{3, 1}, 1},
                                     {{5, 7}, 0},
                                     {{5, 7}, 1},
                                     {{40, 33}, 0},
                                     {{2, 20, 3}, 1},
                                     {{3, 2, 1, 4, 2}, 3},
                                     {{5000}, 0}};

}  // namespace

// Both directions of random values, of values with many ties, and of special values.
void MakeArgsortCases(const OpRow& row, std::vector<OpCase>* cases) {
  const auto emit = [](CaseBuilder& c, ir::Value x, int64_t axis) {
    for (bool descending : {false, true}) c.Emit({x}, {{"axis", axis}, {"descending", descending}});
  };
  for (DType dtype : row.dtypes) {
    for (const Variant& v : kVariants) {
      const Type type{dtype, v.shape};
      CaseBuilder c(row.op, StrCat(Text(type), " axis ", v.axis));
      const ir::Value wide = c.Input(type, Domain{-1e4, 1e4});
      std::vector<double> ties(static_cast<size_t>(v.shape.size()));
      for (double& x : ties) x = static_cast<double>(c.rng()() % 5) - 2;
      const ir::Value narrow = c.Input(MakeLiteral(type, ties));
      emit(c, wide, v.axis);
      emit(c, narrow, v.axis);
      cases->push_back(c.Build());
    }
    CaseBuilder c(row.op, StrCat(Name(dtype), " special values"));
    const ir::Value special = c.Input(SpecialValues(dtype));
    const ir::Value random = c.Input(RandomBitPatterns(dtype, 300, c.rng()));
    emit(c, special, 0);
    emit(c, random, 0);
    cases->push_back(c.Build());
  }
}

}  // namespace reel::optable
