#ifndef REEL_FRONTEND_OPS_CALLBACK_H_
#define REEL_FRONTEND_OPS_CALLBACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reel/variable.h"

// Functions of the process as ops, for what runs later: ir/callback.h has their numbers.

namespace reel::internal {

/// The tensor of the type that callback `id` makes of the operands, for `of` (in errors and listings). `effect`: it is
/// there for what the function does, the result is the next order, of the type of operands[0].
Tensor CallBack(int64_t id, std::string of, bool effect, const Type& type, const std::vector<Tensor>& operands);

/// i32[], what keeps callbacks in order: one reads it, is given it, and assigns it. No call waits for another that
/// does.
const Variable& CallbackOrder();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_CALLBACK_H_
