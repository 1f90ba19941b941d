#include "ir/callback.h"

#include <utility>
#include <vector>

#include "ir/eval/kernels.h"
#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

// Functions of the process see rounded values.
KERNEL(Callback) {
  if (!c.options.callback) return OpError(c.op, StrCat(c.attributes.Get<std::string>("of"), " is ", CallbackAdvice()));
  std::vector<Literal> operands;
  for (const EvalTensor* x : c.operands) operands.push_back(ToLiteral(*x));
  const auto made = c.options.callback(c.attributes, operands, c.result);
  if (!made.ok()) return made.status();
  auto out = FromLiteral(*made);
  if (!out.ok()) return out.status();
  return *std::move(out);
}

}  // namespace reel::ir
