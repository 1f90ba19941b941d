#include "frontend/onnx/writer.h"

#include <algorithm>
#include <limits>

#include "ir/strings.h"
#include "onnx.pb.h"

namespace reel::onnx {

int64_t TypeNumber(DType dtype) {
  using proto::TensorProto;
  switch (dtype) {
    case kBool: return TensorProto::BOOL;
    case kInt8: return TensorProto::INT8;
    case kInt16: return TensorProto::INT16;
    case kInt32: return TensorProto::INT32;
    case kInt64: return TensorProto::INT64;
    case kUInt8: return TensorProto::UINT8;
    case kUInt16: return TensorProto::UINT16;
    case kUInt32: return TensorProto::UINT32;
    case kUInt64: return TensorProto::UINT64;
    case kFloat16: return TensorProto::FLOAT16;
    case kBFloat16: return TensorProto::BFLOAT16;
    case kFloat32: return TensorProto::FLOAT;
    case kFloat64: return TensorProto::DOUBLE;
    case kComplex64: return TensorProto::COMPLEX64;
    case kComplex128: return TensorProto::COMPLEX128;
  }
  return TensorProto::UNDEFINED;
}

namespace {

constexpr size_t kExternalBytes = 1024, kAlignment = 4096;

// The version of the format that came with an opset.
int64_t IrVersion(int64_t opset) {
  constexpr int64_t kFirst[][2] = {{19, 9}, {21, 10}, {23, 11}, {25, 12}, {26, 13}};
  int64_t version = 8;
  for (const auto& [first, ir] : kFirst) {
    if (opset >= first) version = ir;
  }
  return version;
}

class Writer {
 public:
  Writer(const std::string& data_name, std::string* data) : data_name_(data_name), data_(data) {}

  void Write(const Graph& in, proto::GraphProto* out) {
    out->set_name(in.name);
    for (const Node& node : in.nodes) Write(node, out->add_node());
    for (const auto& [name, literal] : in.initializers) {
      auto* tensor = out->add_initializer();
      tensor->set_name(name);
      Write(literal, tensor);
    }
    for (const ValueInfo& value : in.inputs) Write(value, out->add_input());
    for (const ValueInfo& value : in.outputs) Write(value, out->add_output());
  }

 private:
  void Write(const Node& in, proto::NodeProto* out) {
    out->set_op_type(in.op);
    out->set_name(in.name);
    for (const std::string& name : in.inputs) out->add_input(name);
    for (const std::string& name : in.outputs) out->add_output(name);
    for (const Attribute& attribute : in.attributes) Write(attribute, out->add_attribute());
  }

  // The kinds that the exporter makes.
  void Write(const Attribute& in, proto::AttributeProto* out) {
    using proto::AttributeProto;
    out->set_name(in.name);
    if (const auto* x = std::get_if<int64_t>(&in.value)) {
      out->set_type(AttributeProto::INT);
      out->set_i(*x);
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&in.value)) {
      out->set_type(AttributeProto::INTS);
      for (const int64_t i : *list) out->add_ints(i);
    } else if (const auto* text = std::get_if<std::string>(&in.value)) {
      out->set_type(AttributeProto::STRING);
      out->set_s(*text);
    } else if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&in.value)) {
      out->set_type(AttributeProto::GRAPH);
      Write(**graph, out->mutable_g());
    }
  }

  void Write(const ValueInfo& in, proto::ValueInfoProto* out) {
    out->set_name(in.name);
    auto* tensor = out->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(static_cast<int32_t>(TypeNumber(in.dtype)));
    auto* shape = tensor->mutable_shape();
    for (const Dimension& d : in.shape) {
      auto* dim = shape->add_dim();
      if (d.name.empty()) {
        dim->set_dim_value(d.value);
      } else {
        dim->set_dim_param(d.name);
      }
    }
  }

  void Write(const ir::Literal& in, proto::TensorProto* out) {
    out->set_data_type(static_cast<int32_t>(TypeNumber(in.dtype())));
    for (const int64_t extent : in.shape().dims()) out->add_dims(extent);
    const auto bytes = in.bytes();
    const char* start = reinterpret_cast<const char*>(bytes.data());
    if (data_name_.empty() || bytes.size() < kExternalBytes) {
      out->set_raw_data(start, bytes.size());
      return;
    }
    data_->resize((data_->size() + kAlignment - 1) / kAlignment * kAlignment);
    out->set_data_location(proto::TensorProto::EXTERNAL);
    const std::pair<const char*, std::string> entries[] = {
        {"location", data_name_}, {"offset", StrCat(data_->size())}, {"length", StrCat(bytes.size())}};
    for (const auto& [key, value] : entries) {
      auto* entry = out->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    data_->append(start, bytes.size());
  }

  const std::string& data_name_;
  std::string* data_;
};

}  // namespace

absl::StatusOr<std::string> SerializeModel(const Model& model, const std::string& data_name, std::string* data) {
  int64_t opset = 0;
  proto::ModelProto out;
  for (const auto& [domain, version] : model.opsets) {
    auto* import = out.add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
    opset = std::max(opset, version);
  }
  out.set_ir_version(IrVersion(opset));
  out.set_producer_name("reel");
  for (const auto& [key, value] : model.metadata) {
    auto* entry = out.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  Writer(data_name, data).Write(model.graph, out.mutable_graph());
  if (out.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::ResourceExhaustedError(
        "onnx: the model has more than 2 GiB, the most of one file of this format; write its weights to a data file "
        "beside it (external_data, --external-data)");
  }
  return out.SerializeAsString();
}

}  // namespace reel::onnx
