#ifndef REEL_FRONTEND_TENSORFLOW_SCHEMA_H_
#define REEL_FRONTEND_TENSORFLOW_SCHEMA_H_

#include <string>

#include "frontend/tensorflow/graph.pb.h"
#include "ir/literal.h"

// Reel's types and values as messages of graph.proto. Only .cc files of this folder include it.

namespace reel::tensorflow {

/// DT_FLOAT of f32, ...: every dtype has one.
proto::DataType DataTypeOf(DType dtype);
/// The extents, -1 for a symbolic one.
void SetShape(const Shape& shape, proto::TensorShapeProto* out);
void SetTensor(const ir::Literal& literal, proto::TensorProto* out);
/// The bytes, the same for the same message (maps are sorted).
std::string Serialized(const google::protobuf::MessageLite& message);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_SCHEMA_H_
