#include "frontend/tensorflow/operators.h"

#include <array>

#include "frontend/values/status.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

using ir::Op;

constexpr OpRow kRows[] = {
#define ROW(Enum, said, handler, note) {Op::k##Enum, said, Say##handler, note},
#define REFUSED(Enum, why) {Op::k##Enum, "", nullptr, why},
#include "frontend/tensorflow/operators.def"
#undef ROW
#undef REFUSED
};

#define OP(...) +1
constexpr size_t kNumOps = 0
#include "ir/ops.def"
    ;
#undef OP

constexpr bool RowsInOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].op != static_cast<Op>(i)) return false;
  }
  return std::size(kRows) == kNumOps;
}
static_assert(RowsInOrder(), "operators.def has one row per primitive, in the order of ir/ops.def");

}  // namespace

const OpRow& RowOf(Op op) { return kRows[static_cast<size_t>(op)]; }

void Refuse(const OpContext& c, std::string_view why) {
  std::string where = StrCat("@", c.function.name());
  if (c.node.location >= 0) {
    const ir::Location& at = c.function.locations()[static_cast<size_t>(c.node.location)];
    StrAppend(&where, " (", at.file, ":", at.line, ")");
  }
  internal::ThrowError(ErrorCode::kUnimplemented, StrCat("tensorflow: ", Name(c.node.op), " in ", where, ": ", why));
}

void NeedNumbers(const OpContext& c, const Shape& shape) {
  if (shape.is_constant()) return;
  Refuse(c, "it needs numbers for its extents here; give the symbolic ones values (dims, --dim NAME=N)");
}

HANDLER(Operand) { return {c.x[0]}; }
HANDLER(Named) { return {c.e.Emit(c.said, c.x, c.type())}; }

std::string OperatorsTable() {
  std::string out =
      "# TensorFlow operators\n\nGenerated from `operators.def` by `REEL_UPDATE_GOLDEN=1 "
      "build/tests/tensorflow_graph_test`.\n\n"
      "How each primitive of Reel is said, or why it cannot be. Arithmetic of f16 and bf16 is written as Reel means "
      "it: in f32,\nits result rounded once. Numbers that TensorFlow's kernels lack for CPUs are cast to wider "
      "ones.\n\n"
      "| primitive | TensorFlow | notes |\n| --- | --- | --- |\n";
  for (const OpRow& row : kRows) {
    const std::string said = row.handler ? std::string(row.said) : "refused";
    StrAppend(&out, "| `", Name(row.op), "` | ", said, " | ", row.note, " |\n");
  }
  return out;
}

}  // namespace reel::tensorflow
