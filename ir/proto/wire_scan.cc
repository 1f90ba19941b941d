#include "ir/proto/wire_scan.h"

namespace reel::ir {
namespace {

// Upper bounds of what one field takes in memory, growth of its array included.
constexpr int64_t kMessageBytes = 320;
constexpr int64_t kNumberBytes = 32;
// Protocol buffers' own limit.
constexpr int kMaxDepth = 100;

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

// What a field holds: a message, kWireBytes or numbers.
constexpr int kWireNumbers = -2;
int Inner(std::span<const WireField> schema, int message, uint64_t field) {
  for (const WireField& row : schema) {
    if (row.message == message && row.field == field) return row.inner;
  }
  return kWireNumbers;
}

bool Scan(std::span<const std::byte> bytes, std::span<const WireField> schema, int message, int depth,
          int64_t* memory) {
  if (depth > kMaxDepth) return false;
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
    const int inner = Inner(schema, message, tag >> 3);
    if (inner == kWireNumbers) {
      *memory += kNumberBytes * static_cast<int64_t>(payload.size());
    } else if (inner == kWireBytes) {
      *memory += kMessageBytes + static_cast<int64_t>(payload.size());
    } else {
      *memory += kMessageBytes;
      if (!Scan(payload, schema, inner, depth + 1, memory)) return false;
    }
  }
  return true;
}

}  // namespace

bool EstimateParseMemory(std::span<const std::byte> bytes, std::span<const WireField> schema, int64_t* memory) {
  *memory = 0;
  return Scan(bytes, schema, 0, 1, memory);
}

}  // namespace reel::ir
