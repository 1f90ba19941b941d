#include <string>

#include "ir/strings.h"
#include "passes/expand/loop.h"
#include "passes/vectorize/rule.h"

namespace reel::passes {

// Each row has a stream of its own: a loop over the rows draws one after the other.
BATCH(RandomBits) {
  using ir::Value;
  const int64_t rows = c.CountRows();
  const Type row = c.y_type();
  const Type all{row.dtype, WithRows(b, rows, row.shape)}, one{row.dtype, WithRows(b, 1, row.shape)};
  if (!b.status().ok()) return;
  const Value none = b.Zeros(all);
  Loops loops(c.module(), "random_bits.vmap");
  const auto draw = [&](ir::Builder& s, Value i, Loops::Values carried, Loops::Values fixed) {
    const Value state = s.Reshape(s.DynamicSlice(fixed[0], i, 0, 1), {2});
    const Value bits = s.Reshape(s.RandomBits(state, row.shape), one.shape);
    return ir::ValueList{s.DynamicUpdate(carried[0], bits, i, 0)};
  };
  const ir::ValueList drawn = loops.For(b, rows, {none}, {c.in()}, draw);
  if (!drawn.empty()) c.Set(0, drawn[0]);
}

// Effects see all rows at once, as a tensor that has them in front. Values of rows nobody has said how to make.
BATCH(Callback) {
  if (c.node().attr<bool>("effect") && !c.batched(0)) {
    ir::ValueList operands;
    for (int i = 0; i < c.num_operands(); ++i) operands.push_back(c.in(i));
    c.Set(0, b.Emit(ir::Op::kCallback, operands, c.node().attrs()), false);
    return;
  }
  b.Fail(absl::UnimplementedError(StrCat("vectorize: ", c.node().attr<std::string>("of"),
                                         " is a function of the process, which has no rows; call it outside, or loop "
                                         "over the rows")));
}

}  // namespace reel::passes
