#include "passes/splat.h"

#include <algorithm>
#include <vector>

namespace reel::passes {
namespace {

constexpr int kMaxSteps = 8;        // ops looked through
constexpr int64_t kMaxBytes = 4096;  // of a literal compared element by element

std::optional<ir::Literal> SplatOfLiteral(const ir::Literal& literal) {
  const auto bytes = literal.bytes();
  const auto element = static_cast<size_t>(SizeOf(literal.dtype()));
  if (bytes.size() < element || static_cast<int64_t>(bytes.size()) > kMaxBytes) return std::nullopt;
  const bool equal = std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(element), bytes.end(), bytes.begin());
  if (!equal) return std::nullopt;
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(element);
  return ir::Literal({literal.dtype(), {}}, std::vector<std::byte>(bytes.begin(), end));
}

}  // namespace

std::optional<ir::Literal> SplatOf(const ir::Function& f, ir::Value v) {
  for (int i = 0; i < kMaxSteps; ++i) {
    const ir::Node* node = f.producer(v);
    if (!node) return std::nullopt;
    switch (node->op) {
      case ir::Op::kConstant: return SplatOfLiteral(node->attr<ir::Literal>("value"));
      case ir::Op::kBroadcast:
      case ir::Op::kReshape:
      case ir::Op::kTranspose:
      case ir::Op::kSlice:
      case ir::Op::kReverse:
      case ir::Op::kWindow:
      case ir::Op::kIdentity: v = node->operands[0]; break;
      default: return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace reel::passes
