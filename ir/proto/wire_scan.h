#ifndef REEL_IR_PROTO_WIRE_SCAN_H_
#define REEL_IR_PROTO_WIRE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace reel::ir {

/// A field of a message that holds messages (`inner` is their number) or bytes (kWireBytes). Fields
/// that no row names hold numbers. The outermost message has the number 0.
struct WireField {
  int message;
  uint64_t field;
  int inner;
};
inline constexpr int kWireBytes = -1;

/// Walks the wire format of a message without allocating and bounds the memory that parsing it
/// takes: a few bytes of input can stand for a message of a hundred. False if the bytes are not
/// well-formed, nest deeper than parsers allow, or hold groups (the only wire type that nests
/// without a schema).
bool EstimateParseMemory(std::span<const std::byte> bytes, std::span<const WireField> schema, int64_t* memory);

}  // namespace reel::ir

#endif  // REEL_IR_PROTO_WIRE_SCAN_H_
