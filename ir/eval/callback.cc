#include "ir/callback.h"

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "ir/eval/kernels.h"
#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

// Functions of the process see rounded values.
KERNEL(Callback) {
  const int64_t id = c.attr_int("id");
  if (!HasCallback(id)) return OpError(c.op, StrCat(c.attributes.Get<std::string>("of"), " is ", CallbackAdvice()));
  std::vector<std::vector<std::byte>> bytes;
  std::vector<CallbackTensor> operands;
  for (const EvalTensor* x : c.operands) {
    const Literal literal = ToLiteral(*x);
    bytes.emplace_back(literal.bytes().begin(), literal.bytes().end());
    operands.push_back({x->type, nullptr});
  }
  for (size_t i = 0; i < bytes.size(); ++i) operands[i].data = bytes[i].data();
  std::vector<std::byte> result(static_cast<size_t>(c.result.bytes()));
  try {
    RunCallback(id, operands, {c.result, result.data()});
  } catch (const std::exception& e) {
    return absl::AbortedError(StrCat(c.attributes.Get<std::string>("of"), ": ", e.what()));
  }
  auto out = FromLiteral(Literal(c.result, std::move(result)));
  if (!out.ok()) return out.status();
  return *std::move(out);
}

}  // namespace reel::ir
