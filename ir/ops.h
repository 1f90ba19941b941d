#ifndef REEL_IR_OPS_H_
#define REEL_IR_OPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/attributes.h"

namespace reel::ir {

/// The primitives of ops.def.
enum class Op : uint8_t {
#define OP(Enum, ...) k##Enum,
#include "ir/ops.def"
#undef OP
};

enum OpTrait : uint32_t {
  kNone = 0,
  kElementwise = 1,  ///< result element i depends on operand elements i alone
  kExact = 2,        ///< exact or correctly rounded: double arithmetic rounded once gives the bits
  kCommutative = 4,  ///< op(a, b) == op(b, a), bit for bit
  kControl = 8,      ///< names functions
};

enum class DTypeSet : uint8_t {
  kAny,
  kNumeric,
  kReal,
  kOrdered,
  kFloating,
  kWide,
  kComplex,
  kIntegral,
  kBits,
  kBoolean,
  kLong
};
/// "any dtype", "a number", ...: how an error names the set.
std::string_view Describe(DTypeSet set);
bool Contains(DTypeSet set, DType dtype);

struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool optional;
};

/// One row of ops.def.
struct OpInfo {
  std::string_view enum_name, name;
  int operands;
  uint32_t traits;
  DTypeSet dtypes;
  std::vector<AttrSpec> attributes;
  int version;
  std::string_view doc;

  bool Has(OpTrait trait) const { return (traits & trait) != 0; }
};

const OpInfo& Info(Op op);
inline std::string_view Name(Op op) { return Info(op).name; }
/// Parses the text name.
std::optional<Op> ParseOp(std::string_view name);
/// All primitives in the order of ops.def.
std::span<const Op> AllOps();
std::string_view Name(AttrKind kind);

}  // namespace reel::ir

#endif  // REEL_IR_OPS_H_
