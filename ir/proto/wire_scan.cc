#include "ir/proto/wire_scan.h"

#include "ir/proto/reel.pb.h"

namespace reel::ir {
namespace {

// Upper bounds of what one field takes in memory, growth of its array included.
constexpr int64_t kMessageBytes = 320;
constexpr int64_t kNumberBytes = 32;

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }
  bool Varint(uint64_t* value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto b = static_cast<uint64_t>(bytes_[0]);
      bytes_ = bytes_.subspan(1);
      *value |= (b & 0x7F) << shift;
      if (b < 0x80) return true;
    }
    return false;
  }
  bool Take(uint64_t size, std::span<const std::byte>* out) {
    if (size > bytes_.size()) return false;
    *out = bytes_.first(static_cast<size_t>(size));
    bytes_ = bytes_.subspan(static_cast<size_t>(size));
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

// The messages whose fields hold messages, and those whose fields do not.
enum class Level { kModule, kFunction, kNode, kConstant, kLeaf };

bool IsRaw(Level level, uint64_t field) {
  return (level == Level::kModule && field == proto::Module::kStringsFieldNumber) ||
         (level == Level::kConstant && field == proto::Constant::kDataFieldNumber);
}

// False if the field holds numbers, not messages.
bool Nested(Level level, uint64_t field, Level* inner) {
  *inner = Level::kLeaf;
  if (level == Level::kModule) {
    if (field == proto::Module::kFunctionsFieldNumber) *inner = Level::kFunction;
    if (field == proto::Module::kConstantsFieldNumber) *inner = Level::kConstant;
    return field >= proto::Module::kSymbolsFieldNumber;
  }
  if (level == Level::kFunction && field == proto::Function::kNodesFieldNumber) {
    *inner = Level::kNode;
    return true;
  }
  return (level == Level::kFunction && field == proto::Function::kLocationsFieldNumber) ||
         (level == Level::kNode && field == proto::Node::kAttributesFieldNumber);
}

// Depth of the calls: one per level, at most four.
bool Scan(std::span<const std::byte> bytes, Level level, int64_t* memory) {
  for (Cursor cursor(bytes); !cursor.done();) {
    uint64_t tag = 0, size = 0;
    std::span<const std::byte> payload;
    if (!cursor.Varint(&tag)) return false;
    *memory += kNumberBytes;
    switch (tag & 7) {
      case 0:
        if (!cursor.Varint(&size)) return false;
        continue;
      case 1: size = 8; break;
      case 2:
        if (!cursor.Varint(&size)) return false;
        break;
      case 5: size = 4; break;
      default: return false;
    }
    if (!cursor.Take(size, &payload)) return false;
    if ((tag & 7) != 2) continue;
    Level inner;
    if (IsRaw(level, tag >> 3)) {
      *memory += kMessageBytes + static_cast<int64_t>(payload.size());
    } else if (Nested(level, tag >> 3, &inner)) {
      *memory += kMessageBytes;
      if (!Scan(payload, inner, memory)) return false;
    } else {
      *memory += kNumberBytes * static_cast<int64_t>(payload.size());
    }
  }
  return true;
}

}  // namespace

bool EstimateParseMemory(std::span<const std::byte> bytes, int64_t* memory) {
  *memory = 0;
  return Scan(bytes, Level::kModule, memory);
}

}  // namespace reel::ir
