#include "frontend/stablehlo/operators.h"

#include <array>

#include "frontend/values/status.h"
#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

using ir::Op;

constexpr OpRow kRows[] = {
#define ROW(Enum, said, handler, note) {Op::k##Enum, said, Say##handler, note},
#define REFUSED(Enum, why) {Op::k##Enum, "", nullptr, why},
#include "frontend/stablehlo/operators.def"
#undef ROW
#undef REFUSED
};

#define OP(...) +1
constexpr size_t kNumOps = 0
#include "ir/ops.def"
    ;
#undef OP

constexpr bool InOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].op != static_cast<Op>(i)) return false;
  }
  return std::size(kRows) == kNumOps;
}
static_assert(InOrder(), "operators.def has one row per primitive, in the order of ir/ops.def");

}  // namespace

const OpRow& RowOf(Op op) { return kRows[static_cast<size_t>(op)]; }

std::string WhereIs(const ir::Function& function, const ir::Node& node) {
  std::string out = StrCat("@", function.name());
  if (node.location >= 0) {
    const ir::Location& at = function.locations()[static_cast<size_t>(node.location)];
    StrAppend(&out, " (", at.file, ":", at.line, ")");
  }
  return out;
}

void Refuse(const OpContext& c, std::string_view why) {
  internal::ThrowError(ErrorCode::kUnimplemented,
                       StrCat("stablehlo: ", Name(c.node.op), " in ", WhereIs(c.function, c.node), ": ", why));
}

void NeedConstantShape(const OpContext& c, const Shape& shape) {
  if (shape.is_constant()) return;
  Refuse(c, "StableHLO needs numbers for its extents; give the symbolic ones values (dims, --dim NAME=N)");
}

HANDLER(Operand) { return {c.x[0]}; }
HANDLER(Named) { return {c.e.Emit(c.said, c.x, c.type())}; }

std::string OperatorsTable() {
  std::string out =
      "# StableHLO operators\n\nGenerated from `operators.def` by `REEL_UPDATE_GOLDEN=1 "
      "build/tests/stablehlo_test`.\n\n"
      "How each primitive of Reel is said, or why it cannot be. Arithmetic of f16 and bf16 is written as Reel means "
      "it: "
      "in f32,\nits result rounded once. An op without elements in its results is a constant of none.\n\n"
      "| primitive | StableHLO | notes |\n| --- | --- | --- |\n";
  for (const OpRow& row : kRows) {
    const std::string said = row.handler ? std::string(row.said) : "refused";
    StrAppend(&out, "| `", Name(row.op), "` | ", said, " | ", row.note, " |\n");
  }
  return out;
}

}  // namespace reel::stablehlo
