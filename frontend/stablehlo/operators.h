#ifndef REEL_FRONTEND_STABLEHLO_OPERATORS_H_
#define REEL_FRONTEND_STABLEHLO_OPERATORS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/stablehlo/emitter.h"
#include "ir/graph.h"

// How each primitive is said in StableHLO: one row of the table in operators.cc, and one handler in ops/*.cc.

namespace reel::stablehlo {

/// What a handler sees of its node.
struct OpContext {
  Emitter& e;
  const ir::Function& function;
  const ir::Node& node;
  std::string_view said;    ///< the row's operation
  Values x;                 ///< operands
  std::vector<Type> types;  ///< of the results
  /// The symbol that a function of the module has in the text, and its result types.
  const std::function<std::pair<std::string, std::vector<Type>>(const std::string& function)>& callee;

  const Type& type() const { return types[0]; }
  int64_t attr_int(std::string_view name) const { return node.attr<int64_t>(name); }
  bool attr_bool(std::string_view name) const { return node.attr<bool>(name); }
  const std::vector<int64_t>& ints(std::string_view name) const { return node.attr<std::vector<int64_t>>(name); }
};

/// "@main (model.py:12)": where a node is.
std::string WhereIs(const ir::Function& function, const ir::Node& node);
/// Throws Unimplemented: the node cannot be said so, and what to do instead.
[[noreturn]] void Refuse(const OpContext& c, std::string_view why);
/// The extents of an axis and of all, where the operation needs numbers: refuses symbols.
void NeedConstantShape(const OpContext& c, const Shape& shape);

using Handler = Values (*)(const OpContext& c);
#define HANDLER(Name) Values Say##Name([[maybe_unused]] const OpContext& c)

// Shared by rows of many ops.
HANDLER(Operand);  ///< the first operand itself
HANDLER(Named);    ///< the row's operation on the operands, without properties

#define ROW(Enum, said, handler, note) HANDLER(handler);
#define REFUSED(Enum, why)
#include "frontend/stablehlo/operators.def"
#undef ROW
#undef REFUSED

struct OpRow {
  ir::Op op;
  std::string_view said;  ///< the operation, or the main ones of several; empty: refused
  Handler handler;        ///< null: refused
  std::string_view note;  ///< how it differs, or why it is refused
};

const OpRow& RowOf(ir::Op op);
/// OPERATORS.md.
std::string OperatorsTable();

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_OPERATORS_H_
