#include "frontend/tensorflow/schema.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace reel::tensorflow {

proto::DataType DataTypeOf(DType dtype) {
  switch (dtype) {
    case kBool: return proto::DT_BOOL;
    case kInt8: return proto::DT_INT8;
    case kInt16: return proto::DT_INT16;
    case kInt32: return proto::DT_INT32;
    case kInt64: return proto::DT_INT64;
    case kUInt8: return proto::DT_UINT8;
    case kUInt16: return proto::DT_UINT16;
    case kUInt32: return proto::DT_UINT32;
    case kUInt64: return proto::DT_UINT64;
    case kFloat16: return proto::DT_HALF;
    case kBFloat16: return proto::DT_BFLOAT16;
    case kFloat32: return proto::DT_FLOAT;
    case kFloat64: return proto::DT_DOUBLE;
    case kComplex64: return proto::DT_COMPLEX64;
    case kComplex128: return proto::DT_COMPLEX128;
  }
  return proto::DT_INVALID;
}

void SetShape(const Shape& shape, proto::TensorShapeProto* out) {
  for (const Extent e : shape) out->add_dim()->set_size(e.is_constant() ? e.value() : -1);
}

void SetTensor(const ir::Literal& literal, proto::TensorProto* out) {
  out->set_dtype(DataTypeOf(literal.dtype()));
  SetShape(literal.shape(), out->mutable_tensor_shape());
  const auto bytes = literal.bytes();
  out->set_tensor_content(bytes.data(), bytes.size());
}

std::string Serialized(const google::protobuf::MessageLite& message) {
  std::string out;
  {
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return out;
}

}  // namespace reel::tensorflow
