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
  kView = 16,        ///< the elements of operand 0 at other places: an index that is affine in the result's
  /// Computes nothing: each element of the result is one of an operand, or its negative, or none has a part in it
  /// (constant, iota). So a NaN or an infinity is never new there.
  kMoves = 32,
  kReduction = 64,  ///< combines elements along the attribute axes
  kScatter = 128,   ///< combines rows of operand 2 into operand 0, at the places of operand 1
  // How a reduction or scatter combines; a scatter with none of them keeps the last.
  kAdds = 256,
  kMultiplies = 512,
  kMaximises = 1024,
  kMinimises = 2048,
  kUneven = 4096,  ///< the time depends on the numbers: some take long
};

/// What an element of the result costs to compute in a loop that has its operands at hand; ir/cost.h has the numbers.
enum class OpCost : uint8_t {
  kFree,        ///< nothing is executed: an index
  kMove,        ///< a choice or a conversion
  kArithmetic,  ///< an instruction or two
  kDivide,      ///< an instruction of many cycles
  kIndexed,     ///< a load at a computed place
  kFunction,    ///< a polynomial: exp, sin
  kPower,       ///< two of these: pow, atan2
  kSpecial,     ///< several: lgamma, erf_inv
  kSeries,      ///< a series or a continued fraction: igamma
  kWhole,       ///< no expression of its operands' elements: a kernel of its own, or a part of control
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
  OpCost cost;
  DTypeSet dtypes;
  std::vector<AttrSpec> attributes;
  int version;
  std::string_view doc;

  bool Has(OpTrait trait) const { return (traits & trait) != 0; }
};

const OpInfo& Info(Op op);
/// Whether it returns its operand or fails.
constexpr bool IsCheck(Op op) { return op == Op::kCheckIndex || op == Op::kCheckInteger; }
/// Whether it communicates with the other members of a group: members must agree on how often and in which order.
constexpr bool IsCollective(Op op) { return op >= Op::kAllReduce && op <= Op::kGroupRank; }
/// Whether it leaves compiled code, for what it does beside its result: it stays where the graph has it. Callbacks with
/// equal operands, of which their order is one, are one call.
constexpr bool IsCall(Op op) { return op == Op::kCallback || IsCollective(op); }
/// The elementwise op that a reduction or scatter combines with: add, mul, max, min; identity: the last stays.
Op CombinerOf(Op op);
inline std::string_view Name(Op op) { return Info(op).name; }
/// Parses the text name.
std::optional<Op> ParseOp(std::string_view name);
/// All primitives in the order of ops.def.
std::span<const Op> AllOps();
std::string_view Name(AttrKind kind);

}  // namespace reel::ir

#endif  // REEL_IR_OPS_H_
