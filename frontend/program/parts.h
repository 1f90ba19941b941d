#ifndef REEL_FRONTEND_PROGRAM_PARTS_H_
#define REEL_FRONTEND_PROGRAM_PARTS_H_

#include <vector>

#include "frontend/values/variable_data.h"
#include "ir/graph.h"
#include "reel/tensor.h"

// Variables of which each member of a group has a part: equal ones along axis 0, in the order of ranks. A whole
// variable has a value, or its part has: who assigns the whole one, or gathers it, takes it out of its parts.

namespace reel::internal {

/// This member's part, of this type, of a variable: the one that there is, or a new one, which has no value yet.
VariablePtr PartOf(const VariablePtr& whole, const Type& part);
/// This member's part of a variable that a module has: a new one with the value there, of a whole variable that has
/// none. Where parts began differently the module has NaN: no value, until the whole variable is assigned.
VariablePtr LoadPart(const ir::Variable& v);
/// How many parts there are.
int64_t MembersOf(const VariableData& part);
/// This member's rows of a whole value. Throws kFailedPrecondition in a group of another size.
Tensor OwnRows(const VariableData& part, const Tensor& whole);

/// Before a call that reads parts: takes them out of whole variables that have a value, whose memory goes then. Throws
/// kFailedPrecondition in a group of another size, where another step's parts have the value, and where there is none.
void TakeParts(const std::vector<VariablePtr>& parts);
/// After a call that gathered them: the value of the whole variable, instead of its part's.
void PutBack(const VariablePtr& part, const Tensor& value);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_PARTS_H_
