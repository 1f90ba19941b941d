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

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What stands before the bytes of a field that has a length.
std::string Heading(int field, size_t length) {
  constexpr size_t kLengthDelimited = 2;
  std::string out;
  for (size_t value : {static_cast<size_t>(field) << 3 | kLengthDelimited, length}) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  return out;
}

// A file in pieces: bytes made here, then those of a literal, which stay where they are.
struct Piece {
  std::string head;
  std::span<const std::byte> bytes = {};

  size_t size() const { return head.size() + bytes.size(); }
};
using Pieces = std::vector<Piece>;

size_t SizeOf(const Pieces& pieces) {
  size_t size = 0;
  for (const Piece& piece : pieces) size += piece.size();
  return size;
}

absl::Status Send(const Pieces& pieces, const Sink& sink) {
  for (const Piece& piece : pieces) {
    if (absl::Status s = sink(piece.head); !s.ok()) return s;
    if (absl::Status s = piece.bytes.empty() ? absl::OkStatus() : sink(TextOf(piece.bytes)); !s.ok()) return s;
  }
  return absl::OkStatus();
}

class Writer {
 public:
  /// Initializers of at least kExternalBytes go to `data`, if it has a name.
  explicit Writer(const std::string& data_name) : data_name_(data_name) {}

  /// A graph of the model; the outer one, whose initializers stay where they are.
  Pieces WriteMain(const Graph& in) {
    proto::GraphProto out;
    Write(in, &out);
    Pieces pieces{{out.SerializeAsString()}};
    for (const auto& [name, literal] : in.initializers) pieces.push_back(Initializer(name, literal));
    return pieces;
  }
  const Pieces& data() const { return data_; }

 private:
  void Write(const Graph& in, proto::GraphProto* out) {
    out->set_name(in.name);
    for (const Node& node : in.nodes) Write(node, out->add_node());
    for (const ValueInfo& value : in.inputs) Write(value, out->add_input());
    for (const ValueInfo& value : in.outputs) Write(value, out->add_output());
  }

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
      for (const auto& [name, literal] : (*graph)->initializers) {
        const Piece piece = Initializer(name, literal);
        out->mutable_g()->MergeFromString(StrCat(piece.head, TextOf(piece.bytes)));
      }
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

  Piece Initializer(const std::string& name, const ir::Literal& in) {
    using proto::TensorProto;
    TensorProto out;
    out.set_name(name);
    out.set_data_type(static_cast<int32_t>(TypeNumber(in.dtype())));
    for (const int64_t extent : in.shape().dims()) out.add_dims(extent);
    Piece piece;
    if (data_name_.empty() || in.bytes().size() < kExternalBytes) {
      piece.head = StrCat(out.SerializeAsString(), Heading(TensorProto::kRawDataFieldNumber, in.bytes().size()));
      piece.bytes = in.bytes();
    } else {
      External(in.bytes(), &out);
      piece.head = out.SerializeAsString();
    }
    piece.head.insert(0, Heading(proto::GraphProto::kInitializerFieldNumber, piece.size()));
    return piece;
  }

  void External(std::span<const std::byte> bytes, proto::TensorProto* out) {
    data_.push_back({std::string((kAlignment - data_size_ % kAlignment) % kAlignment, '\0'), bytes});
    data_size_ += data_.back().size();
    out->set_data_location(proto::TensorProto::EXTERNAL);
    const std::pair<const char*, std::string> entries[] = {
        {"location", data_name_}, {"offset", StrCat(data_size_ - bytes.size())}, {"length", StrCat(bytes.size())}};
    for (const auto& [key, value] : entries) {
      auto* entry = out->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
  }

  const std::string& data_name_;
  Pieces data_;
  size_t data_size_ = 0;
};

// All of a model but its graph.
proto::ModelProto Frame(const Model& model) {
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
  return out;
}

}  // namespace

absl::Status WriteModel(const Model& model, const ModelSinks& to) {
  Writer writer(to.data_name);
  Pieces pieces = writer.WriteMain(model.graph);
  const std::string heading = Heading(proto::ModelProto::kGraphFieldNumber, SizeOf(pieces));
  pieces.insert(pieces.begin(), {StrCat(Frame(model).SerializeAsString(), heading)});
  if (SizeOf(pieces) > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::ResourceExhaustedError(
        "onnx: the model has more than 2 GiB, the most of one file of this format; write its weights to a data file "
        "beside it (external_data, --external-data)");
  }
  if (absl::Status s = Send(writer.data(), to.data); !s.ok()) return s;
  return Send(pieces, to.model);
}

}  // namespace reel::onnx
