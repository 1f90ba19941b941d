#ifndef REEL_IR_PROTO_WIRE_SCAN_H_
#define REEL_IR_PROTO_WIRE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace reel::ir {

/// Walks the wire format of a proto::Module without allocating and bounds the memory that parsing
/// it takes: a few bytes of input can stand for a message of a hundred. False if the bytes are not
/// well-formed or hold groups (the only wire type that nests without a schema).
bool EstimateParseMemory(std::span<const std::byte> bytes, int64_t* memory);

}  // namespace reel::ir

#endif  // REEL_IR_PROTO_WIRE_SCAN_H_
