#ifndef REEL_IR_VERIFIER_H_
#define REEL_IR_VERIFIER_H_

#include "absl/status/status.h"
#include "ir/graph.h"

namespace reel::ir {

/// The only gate: after it nothing re-checks, before it nothing trusts. Checks, in linear time and
/// without recursion:
///  - names are not empty and distinct (functions, variables, symbols, parameters of a function), and
///    printable UTF-8 of at most 4096 bytes, like names of results, values, files and metadata;
///  - every operand is defined before its use, results are defined;
///  - operand count, dtypes, attributes, shapes and sizes of every node; declared types are the
///    inferred ones;
///  - symbolic extents name symbols of the module; the bytes of literals make their type;
///  - callees exist and the call graph has no cycle;
///  - state entries name variables of the same type, once; their results keep the type;
///  - initial values have their variable's type; init functions take nothing and return it.
/// The error names function, node and, where known, the user's line.
absl::Status Verify(const Module& module);

/// One function of a module (calls are checked against the module, which need not be verified).
absl::Status Verify(const Function& function, const Module& module);

}  // namespace reel::ir

#endif  // REEL_IR_VERIFIER_H_
