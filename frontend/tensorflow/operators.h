#ifndef REEL_FRONTEND_TENSORFLOW_OPERATORS_H_
#define REEL_FRONTEND_TENSORFLOW_OPERATORS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/tensorflow/emitter.h"
#include "ir/graph.h"

// How each primitive is said in TensorFlow: one row of the table in operators.cc, and one handler in ops/*.cc.

namespace reel::tensorflow {

/// What a handler sees of its node.
struct OpContext {
  Emitter& e;
  const ir::Function& function;
  const ir::Node& node;
  std::string_view said;    ///< the row's operation
  Values x;                 ///< operands
  std::vector<Type> types;  ///< of the results
  /// The name that a function of the module has in the library.
  const std::function<std::string(const std::string& function)>& callee;

  const Type& type() const { return types[0]; }
  int64_t attr_int(std::string_view name) const { return node.attr<int64_t>(name); }
  bool attr_bool(std::string_view name) const { return node.attr<bool>(name); }
  const std::vector<int64_t>& ints(std::string_view name) const { return node.attr<std::vector<int64_t>>(name); }
};

/// Throws Unimplemented: the node cannot be said so, and what to do instead.
[[noreturn]] void Refuse(const OpContext& c, std::string_view why);
/// Refuses symbols where the operation needs numbers.
void NeedNumbers(const OpContext& c, const Shape& shape);

using Handler = Values (*)(const OpContext& c);
#define HANDLER(Name) Values Say##Name([[maybe_unused]] const OpContext& c)

// Shared by rows of many ops.
HANDLER(Operand);  ///< the first operand itself
HANDLER(Named);    ///< the row's operation on the operands, without attributes

#define ROW(Enum, said, handler, note) HANDLER(handler);
#define REFUSED(Enum, why)
#include "frontend/tensorflow/operators.def"
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

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_OPERATORS_H_
