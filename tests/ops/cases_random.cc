#include <limits>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {

void MakeRandomBitsCases(const OpRow& row, std::vector<OpCase>* cases) {
  using L = std::numeric_limits<int64_t>;
  for (const auto& state : std::vector<std::vector<int64_t>>{
           {0, 0}, {42, 1}, {-1, -1}, {L::max(), 0xffffffff}, {0x123456789abcdef, L::min()}}) {
    CaseBuilder c(row.op, StrCat("state ", Text(state)));
    const ir::Value x = c.InputInts(kInt64, {2}, state);
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{3}, Shape{4}, Shape{5}, Shape{33}, Shape{3, 7},
                               Shape{2, 0}, Shape{1000}}) {
      c.Emit({x}, {{"shape", shape}});
    }
    cases->push_back(c.Build());
  }
}

}  // namespace reel::optable
