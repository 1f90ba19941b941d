#include "ir/ops.h"

#include <algorithm>
#include <stdexcept>

#include "ir/hash_map.h"
#include "ir/lazy.h"

namespace reel::ir {
namespace {

constexpr std::string_view kKindNames[] = {"int", "bool", "string", "ints", "shape", "dtype", "literal"};

AttrKind ParseKind(std::string_view name) {
  for (size_t i = 0; i < std::size(kKindNames); ++i) {
    if (kKindNames[i] == name) return static_cast<AttrKind>(i);
  }
  throw std::logic_error("unknown attribute kind in ops.def");
}

std::vector<AttrSpec> ParseSpecs(std::string_view text) {
  std::vector<AttrSpec> specs;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const size_t colon = item.find(':');
    std::string_view kind = item.substr(colon + 1);
    const bool optional = kind.back() == '?';
    if (optional) kind.remove_suffix(1);
    specs.push_back({item.substr(0, colon), ParseKind(kind), optional});
  }
  return specs;
}

const std::vector<OpInfo>& Table() {
  using enum DTypeSet;
  static constinit Lazy<const std::vector<OpInfo>> table;
  return table.Get([] {
    return std::make_unique<const std::vector<OpInfo>>(std::initializer_list<OpInfo>{
#define OP(Enum, text, operands, traits, cost, infer, dtypes, attributes, version, doc) \
  {#Enum, text, operands, traits, OpCost::cost, dtypes, ParseSpecs(attributes), version, doc},
#include "ir/ops.def"
#undef OP
    });
  });
}

}  // namespace

std::string_view Describe(DTypeSet set) {
  constexpr std::string_view kText[] = {
      "any dtype",  "a number", "a real number", "bool or a real number", "floating point",
      "f32 or f64", "complex",  "an integer",    "bool or an integer",    "bool",
      "i64"};
  return kText[static_cast<size_t>(set)];
}

bool Contains(DTypeSet set, DType d) {
  switch (set) {
    case DTypeSet::kAny: return true;
    case DTypeSet::kNumeric: return d != kBool;
    case DTypeSet::kReal: return d != kBool && !IsComplex(d);
    case DTypeSet::kOrdered: return !IsComplex(d);
    case DTypeSet::kFloating: return IsFloat(d);
    case DTypeSet::kWide: return d == kFloat32 || d == kFloat64;
    case DTypeSet::kComplex: return IsComplex(d);
    case DTypeSet::kIntegral: return IsInteger(d);
    case DTypeSet::kBits: return d == kBool || IsInteger(d);
    case DTypeSet::kBoolean: return d == kBool;
    case DTypeSet::kLong: return d == kInt64;
  }
  return false;
}

const OpInfo& Info(Op op) { return Table()[static_cast<size_t>(op)]; }

Op CombinerOf(Op op) {
  const OpInfo& info = Info(op);
  return info.Has(kAdds)         ? Op::kAdd
         : info.Has(kMultiplies) ? Op::kMul
         : info.Has(kMaximises)  ? Op::kMax
         : info.Has(kMinimises)  ? Op::kMin
                                 : Op::kIdentity;
}

std::optional<Op> ParseOp(std::string_view name) {
  static constinit Lazy<HashMap<std::string_view, Op>> lazy;
  const auto& map = lazy.Get([] {
    auto m = std::make_unique<HashMap<std::string_view, Op>>();
    for (Op op : AllOps()) m->emplace(Info(op).name, op);
    return m;
  });
  const auto it = map.find(name);
  if (it == map.end()) return std::nullopt;
  return it->second;
}

std::span<const Op> AllOps() {
  static constexpr Op kOps[] = {
#define OP(Enum, ...) Op::k##Enum,
#include "ir/ops.def"
#undef OP
  };
  return kOps;
}

std::string_view Name(AttrKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

}  // namespace reel::ir
