#include "tests/ops/op_cases.h"

namespace reel::optable {

const Shape kShapes[] = {Shape{},     Shape{0},    Shape{1},    Shape{7},    Shape{3, 5},    Shape{1, 1},
                         Shape{2},    Shape{5, 3}, Shape{0, 3}, Shape{3, 0}, Shape{2, 3, 4}, Shape{1, 7},
                         Shape{7, 1}, Shape{16},   Shape{33},   Shape{4, 4}};

// A group of one member, which the evaluator is too. Groups of several are in tests/frontend/distributed_test.cc.
void MakeCollectiveCases(const OpRow& row, std::vector<OpCase>* cases) {
  const ir::Attributes alone{{"size", int64_t{1}}};
  if (row.op == ir::Op::kGroupRank) {
    CaseBuilder c(row.op, "");
    c.Emit({}, alone);
    cases->push_back(c.Build());
    return;
  }
  const bool reduces = row.op == ir::Op::kAllReduce || row.op == ir::Op::kReduceScatter;
  const bool scalars = row.op == ir::Op::kAllReduce || row.op == ir::Op::kBroadcastFrom;
  for (DType dtype : row.dtypes) {
    for (const Shape& shape : kShapes) {
      if (shape.rank() == 0 && !scalars) continue;
      for (const char* kind : {"sum", "mean", "max"}) {
        const bool fits = std::string(kind) != "mean" || IsFloat(dtype);
        if (reduces ? !fits : std::string(kind) != "sum") continue;
        const Type type{dtype, shape};
        CaseBuilder c(row.op, Text(type) + (reduces ? std::string(" ") + kind : ""));
        ir::Attributes attributes = alone;
        if (reduces) attributes.Set("kind", std::string(kind));
        if (row.op == ir::Op::kBroadcastFrom) attributes.Set("root", int64_t{0});
        c.Differentiable(IsSmooth(row, dtype));
        c.Emit({c.Input(type, row.domain)}, attributes);
        cases->push_back(c.Build());
      }
    }
  }
}

}  // namespace reel::optable
