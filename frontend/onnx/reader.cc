#include "frontend/onnx/reader.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <cstring>
#include <limits>

#include "frontend/onnx/small.h"
#include "ir/budget_meter.h"
#include "ir/names.h"
#include "ir/number.h"
#include "ir/proto/wire_scan.h"
#include "ir/strings.h"
#include "onnx.pb.h"

namespace reel::onnx {

absl::StatusOr<DType> DTypeOf(int64_t type) {
  using proto::TensorProto;
  switch (type) {
    case TensorProto::FLOAT: return kFloat32;
    case TensorProto::DOUBLE: return kFloat64;
    case TensorProto::FLOAT16: return kFloat16;
    case TensorProto::BFLOAT16: return kBFloat16;
    case TensorProto::BOOL: return kBool;
    case TensorProto::INT8: return kInt8;
    case TensorProto::INT16: return kInt16;
    case TensorProto::INT32: return kInt32;
    case TensorProto::INT64: return kInt64;
    case TensorProto::UINT8: return kUInt8;
    case TensorProto::UINT16: return kUInt16;
    case TensorProto::UINT32: return kUInt32;
    case TensorProto::UINT64: return kUInt64;
    case TensorProto::COMPLEX64: return kComplex64;
    case TensorProto::COMPLEX128: return kComplex128;
    case TensorProto::STRING: return absl::UnimplementedError("strings are not supported");
    default: break;
  }
  if (const SmallType* small = FindSmall(type))
    return absl::UnimplementedError(StrCat("only casts and (de)quantization have numbers of ", small->name));
  return absl::UnimplementedError(StrCat("unknown element type ", type));
}

namespace {

using google::protobuf::RepeatedPtrField;

// Copies numbers of type From as T, one after the other.
template <typename T, typename From>
void Convert(const google::protobuf::RepeatedField<From>& from, std::vector<std::byte>* to) {
  auto* out = to->data();
  for (const From value : from) {
    const T converted = static_cast<T>(value);
    std::memcpy(out, &converted, sizeof converted);
    out += sizeof converted;
  }
}

// What holds messages or bytes; the first message of a schema is what is read.
using ir::kWireBytes;
enum WireMessage { kRoot, kGraph, kNode, kAttribute, kTensor, kFunction, kLeaf };
#define TENSOR_FIELDS(message)                                            \
  {message, proto::TensorProto::kRawDataFieldNumber, kWireBytes},         \
      {message, proto::TensorProto::kNameFieldNumber, kWireBytes},        \
      {message, proto::TensorProto::kStringDataFieldNumber, kWireBytes},  \
      {message, proto::TensorProto::kDocStringFieldNumber, kWireBytes}, { \
    message, proto::TensorProto::kExternalDataFieldNumber, kLeaf          \
  }
constexpr ir::WireField kTensorSchema[] = {TENSOR_FIELDS(kRoot)};
constexpr ir::WireField kModelSchema[] = {
    {kRoot, proto::ModelProto::kGraphFieldNumber, kGraph},
    {kRoot, proto::ModelProto::kOpsetImportFieldNumber, kLeaf},
    {kRoot, proto::ModelProto::kMetadataPropsFieldNumber, kLeaf},
    {kRoot, proto::ModelProto::kDocStringFieldNumber, kWireBytes},
    {kRoot, proto::ModelProto::kFunctionsFieldNumber, kFunction},
    {kFunction, proto::FunctionProto::kInputFieldNumber, kWireBytes},
    {kFunction, proto::FunctionProto::kOutputFieldNumber, kWireBytes},
    {kFunction, proto::FunctionProto::kAttributeFieldNumber, kWireBytes},
    {kFunction, proto::FunctionProto::kAttributeProtoFieldNumber, kAttribute},
    {kFunction, proto::FunctionProto::kNodeFieldNumber, kNode},
    {kFunction, proto::FunctionProto::kDocStringFieldNumber, kWireBytes},
    {kFunction, proto::FunctionProto::kOpsetImportFieldNumber, kLeaf},
    {kGraph, proto::GraphProto::kNodeFieldNumber, kNode},
    {kGraph, proto::GraphProto::kInitializerFieldNumber, kTensor},
    {kGraph, proto::GraphProto::kDocStringFieldNumber, kWireBytes},
    {kGraph, proto::GraphProto::kInputFieldNumber, kLeaf},
    {kGraph, proto::GraphProto::kOutputFieldNumber, kLeaf},
    {kGraph, proto::GraphProto::kValueInfoFieldNumber, kLeaf},
    {kNode, proto::NodeProto::kInputFieldNumber, kWireBytes},
    {kNode, proto::NodeProto::kOutputFieldNumber, kWireBytes},
    {kNode, proto::NodeProto::kDocStringFieldNumber, kWireBytes},
    {kNode, proto::NodeProto::kAttributeFieldNumber, kAttribute},
    {kAttribute, proto::AttributeProto::kTFieldNumber, kTensor},
    {kAttribute, proto::AttributeProto::kTensorsFieldNumber, kTensor},
    {kAttribute, proto::AttributeProto::kGFieldNumber, kGraph},
    {kAttribute, proto::AttributeProto::kGraphsFieldNumber, kGraph},
    {kAttribute, proto::AttributeProto::kSFieldNumber, kWireBytes},
    {kAttribute, proto::AttributeProto::kStringsFieldNumber, kWireBytes},
    TENSOR_FIELDS(kTensor),
};
#undef TENSOR_FIELDS

class Reader {
 public:
  Reader(const Budget& budget, const ReadExternal& external) : meter_(budget), external_(external) {}

  absl::Status Read(const proto::ModelProto& in, Model* out);
  absl::StatusOr<ir::Literal> Read(const proto::TensorProto& in);

 private:
  absl::Status Read(const proto::GraphProto& in, Graph* out);
  absl::Status Read(const proto::FunctionProto& in, FunctionBody* out);
  absl::Status Read(const proto::NodeProto& in, Node* out);
  absl::Status Read(const proto::AttributeProto& in, Attribute* out);
  absl::Status Read(const proto::ValueInfoProto& in, ValueInfo* out);
  absl::Status ReadShape(const proto::TypeProto::Tensor& in, ValueInfo* out);
  absl::Status ReadData(const proto::TensorProto& in, const Type& type, std::vector<std::byte>* out);
  absl::Status ReadFile(const proto::TensorProto& in, const Type& type, std::vector<std::byte>* out);

  template <typename In, typename Out>
  absl::Status ReadAll(const RepeatedPtrField<In>& in, std::vector<Out>* out) {
    for (const In& x : in) {
      out->emplace_back();
      if (absl::Status s = Read(x, &out->back()); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  ir::BudgetMeter meter_;
  const ReadExternal& external_;
};

absl::Status CheckName(std::string_view name) {
  if (name.empty() || ir::IsValidName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("the name ", ir::Quoted(name), " is too long or not UTF-8 without control characters"));
}

absl::Status Within(std::string_view what, std::string_view name, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), std::string(StrCat(what, " ", ir::Quoted(name), ": ", status.message())));
}

// What a node or a function takes and gives.
template <typename Proto, typename Out>
absl::Status ReadNames(const Proto& in, Out* out) {
  for (const auto* names : {&in.input(), &in.output()}) {
    for (const std::string& name : *names) {
      if (absl::Status s = CheckName(name); !s.ok()) return s;
    }
  }
  out->inputs.assign(in.input().begin(), in.input().end());
  out->outputs.assign(in.output().begin(), in.output().end());
  return absl::OkStatus();
}

absl::Status Reader::Read(const proto::ModelProto& in, Model* out) {
  for (const auto& opset : in.opset_import()) out->opsets.emplace_back(opset.domain(), opset.version());
  if (!in.has_graph()) return absl::InvalidArgumentError("it has no graph: not an ONNX model");
  if (absl::Status s = ReadAll(in.functions(), &out->functions); !s.ok()) return s;
  return Read(in.graph(), &out->graph);
}

absl::Status Reader::Read(const proto::FunctionProto& in, FunctionBody* out) {
  out->domain = in.domain();
  out->name = in.name();
  out->overload = in.overload();
  if (absl::Status s = ReadNames(in, out); !s.ok()) return s;
  out->attributes.assign(in.attribute().begin(), in.attribute().end());
  for (const auto& opset : in.opset_import()) out->opsets.emplace_back(opset.domain(), opset.version());
  absl::Status s = ReadAll(in.attribute_proto(), &out->defaults);
  if (s.ok()) s = ReadAll(in.node(), &out->nodes);
  return Within("function", in.name(), s);
}

// Depth of the calls: that of the message, which the parser limits.
absl::Status Reader::Read(const proto::GraphProto& in, Graph* out) {
  out->name = in.name();
  if (in.sparse_initializer_size() > 0) return absl::UnimplementedError("sparse initializers are not supported");
  for (const auto& tensor : in.initializer()) {
    absl::StatusOr<ir::Literal> literal = Read(tensor);
    if (absl::Status s = CheckName(tensor.name()); !s.ok()) return s;
    if (!literal.ok()) return Within("initializer", tensor.name(), literal.status());
    if (FindSmall(tensor.data_type())) out->small[tensor.name()] = tensor.data_type();
    out->initializers.emplace_back(tensor.name(), *std::move(literal));
  }
  if (absl::Status s = ReadAll(in.input(), &out->inputs); !s.ok()) return s;
  if (absl::Status s = ReadAll(in.output(), &out->outputs); !s.ok()) return s;
  return ReadAll(in.node(), &out->nodes);
}

absl::Status Reader::Read(const proto::NodeProto& in, Node* out) {
  out->op = in.op_type();
  out->domain = in.domain();
  out->name = in.name();
  out->overload = in.overload();
  if (absl::Status s = ReadNames(in, out); !s.ok()) return s;
  if (absl::Status s = meter_.AddNode(out->inputs.size(), out->outputs.size()); !s.ok()) return s;
  return Within(StrCat("node ", ir::Quoted(in.name()), " of op"), in.op_type(),
                ReadAll(in.attribute(), &out->attributes));
}

absl::Status Reader::Read(const proto::AttributeProto& in, Attribute* out) {
  using proto::AttributeProto;
  out->name = in.name();
  out->reference = in.ref_attr_name();
  switch (in.type()) {
    case AttributeProto::FLOAT: out->value = in.f(); break;
    case AttributeProto::INT: out->value = int64_t{in.i()}; break;
    case AttributeProto::STRING: out->value = in.s(); break;
    case AttributeProto::FLOATS: out->value = std::vector<float>(in.floats().begin(), in.floats().end()); break;
    case AttributeProto::INTS: out->value = std::vector<int64_t>(in.ints().begin(), in.ints().end()); break;
    case AttributeProto::STRINGS:
      out->value = std::vector<std::string>(in.strings().begin(), in.strings().end());
      break;
    case AttributeProto::TENSOR: {
      absl::StatusOr<ir::Literal> literal = Read(in.t());
      if (!literal.ok()) return Within("attribute", in.name(), literal.status());
      out->value = *std::move(literal);
      if (FindSmall(in.t().data_type())) out->small = in.t().data_type();
      break;
    }
    case AttributeProto::GRAPH: {
      auto graph = std::make_shared<Graph>();
      if (absl::Status s = Read(in.g(), graph.get()); !s.ok()) return Within("attribute", in.name(), s);
      out->value = std::shared_ptr<const Graph>(std::move(graph));
      break;
    }
    default: {
      // Files of IR version 1 have no type; then exactly one field is there.
      out->value = Unsupported{StrCat("type ", static_cast<int>(in.type()))};
      if (in.type() != AttributeProto::UNDEFINED) break;
      if (in.has_f()) out->value = in.f();
      if (in.has_i()) out->value = int64_t{in.i()};
      if (in.has_s()) out->value = in.s();
      if (in.ints_size() > 0) out->value = std::vector<int64_t>(in.ints().begin(), in.ints().end());
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::Read(const proto::ValueInfoProto& in, ValueInfo* out) {
  if (absl::Status s = CheckName(in.name()); !s.ok()) return s;
  out->name = in.name();
  const proto::TypeProto& type = in.type();
  switch (type.value_case()) {
    case proto::TypeProto::kTensorType: return ReadShape(type.tensor_type(), out);
    case proto::TypeProto::kSequenceType: out->unsupported = "sequences"; break;
    case proto::TypeProto::kMapType: out->unsupported = "maps"; break;
    case proto::TypeProto::kOptionalType: out->unsupported = "optional values"; break;
    case proto::TypeProto::kSparseTensorType: out->unsupported = "sparse tensors"; break;
    default: break;  // no type: allowed in subgraphs
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadShape(const proto::TypeProto::Tensor& in, ValueInfo* out) {
  const SmallType* small = FindSmall(in.elem_type());
  if (small) {
    out->dtype = small->carrier;
    out->small = small->number;
  } else if (const absl::StatusOr<DType> dtype = DTypeOf(in.elem_type()); dtype.ok())
    out->dtype = *dtype;
  else
    out->unsupported = in.elem_type() == proto::TensorProto::STRING ? "strings" : "this dtype";
  out->has_shape = in.has_shape();
  for (const auto& dim : in.shape().dim()) {
    out->shape.push_back({dim.has_dim_value() ? int64_t{dim.dim_value()} : -1, dim.dim_param()});
    if (dim.has_dim_value() && dim.dim_value() < 0) out->shape.back().value = -1;
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Literal> Reader::Read(const proto::TensorProto& in) {
  const SmallType* small = FindSmall(in.data_type());
  const absl::StatusOr<DType> dtype = small ? small->carrier : DTypeOf(in.data_type());
  if (!dtype.ok()) return dtype.status();
  if (in.has_segment()) return absl::UnimplementedError("tensors in segments are not supported");
  if (in.dims_size() > kMaxRank) {
    return absl::UnimplementedError(StrCat("rank ", in.dims_size(), " is above ", kMaxRank, ", the largest of Reel"));
  }
  for (const int64_t dim : in.dims()) {
    if (dim < 0) return absl::InvalidArgumentError(StrCat("a tensor has the extent ", dim));
  }
  const Type type{*dtype, Shape(std::vector<int64_t>(in.dims().begin(), in.dims().end()))};
  if (absl::Status s = meter_.AddLiteral(type); !s.ok()) return s;
  std::vector<std::byte> bytes;
  if (small) {
    const Type packed{kUInt8, Shape({PackedBytes(*small, type.shape.size())})};
    if (absl::Status s = ReadData(in, packed, &bytes); !s.ok()) return s;
    return Unpack(*small, type.shape, bytes);
  }
  if (absl::Status s = ReadData(in, type, &bytes); !s.ok()) return s;
  if (type.dtype == kBool) {
    for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  }
  return ir::Literal(type, std::move(bytes));
}

absl::Status WrongSize(const Type& type, int64_t got, const char* unit) {
  return absl::InvalidArgumentError(StrCat("a tensor ", type.ToString(), " comes with ", got, " ", unit));
}

absl::Status Reader::ReadData(const proto::TensorProto& in, const Type& type, std::vector<std::byte>* out) {
  if (in.data_location() == proto::TensorProto::EXTERNAL) return ReadFile(in, type, out);
  if (in.has_raw_data()) {
    const std::string& raw = in.raw_data();
    if (static_cast<int64_t>(raw.size()) != type.bytes())
      return WrongSize(type, static_cast<int64_t>(raw.size()), "bytes");
    const auto* first = reinterpret_cast<const std::byte*>(raw.data());
    out->assign(first, first + raw.size());
    return absl::OkStatus();
  }
  // Which field holds which dtypes; complex numbers are pairs.
  const DType dtype = type.dtype;
  const int64_t numbers = type.shape.size() * (IsComplex(dtype) ? 2 : 1);
  const int64_t given = dtype == kFloat32 || dtype == kComplex64    ? in.float_data_size()
                        : dtype == kFloat64 || dtype == kComplex128 ? in.double_data_size()
                        : dtype == kInt64                           ? in.int64_data_size()
                        : dtype == kUInt32 || dtype == kUInt64      ? in.uint64_data_size()
                                                                    : in.int32_data_size();
  if (given != numbers) return WrongSize(type, given, "numbers");
  out->resize(static_cast<size_t>(type.bytes()));
  if (dtype == kFloat32 || dtype == kComplex64)
    Convert<float>(in.float_data(), out);
  else if (dtype == kFloat64 || dtype == kComplex128)
    Convert<double>(in.double_data(), out);
  else if (dtype == kInt64)
    Convert<int64_t>(in.int64_data(), out);
  else if (dtype == kUInt64)
    Convert<uint64_t>(in.uint64_data(), out);
  else if (dtype == kUInt32)
    Convert<uint32_t>(in.uint64_data(), out);
  else if (SizeOf(dtype) == 4)
    Convert<int32_t>(in.int32_data(), out);
  else if (SizeOf(dtype) == 2)
    Convert<uint16_t>(in.int32_data(), out);
  else
    Convert<uint8_t>(in.int32_data(), out);
  return absl::OkStatus();
}

absl::Status Reader::ReadFile(const proto::TensorProto& in, const Type& type, std::vector<std::byte>* out) {
  if (!external_) {
    return absl::UnimplementedError(
        "its data is in another file, which is read only for a model that is itself a file");
  }
  std::string location;
  int64_t offset = 0, length = type.bytes();
  for (const auto& entry : in.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    int64_t* number = entry.key() == "offset" ? &offset : &length;
    if (!ir::ParseNumber(entry.value(), number) || *number < 0)
      return absl::InvalidArgumentError(StrCat(entry.key(), " is ", ir::Quoted(entry.value())));
  }
  if (length != type.bytes()) return WrongSize(type, length, "bytes");
  absl::StatusOr<std::vector<std::byte>> data = external_(location, offset, length);
  if (!data.ok()) return data.status();
  *out = *std::move(data);
  return absl::OkStatus();
}

// Parses and reads; the message lives in an arena, so its destruction does not recurse.
template <typename Message, typename Use>
absl::Status Parse(std::span<const std::byte> bytes, std::string_view name, std::span<const ir::WireField> schema,
                   const Budget& budget, const Use& use) {
  const auto size = static_cast<int64_t>(bytes.size());
  ir::BudgetMeter meter(budget);
  int64_t memory = 0;
  if (absl::Status s = meter.CheckBytes(size); !s.ok()) return Within("onnx:", name, s);
  const bool well_formed = size <= std::numeric_limits<int>::max() && ir::EstimateParseMemory(bytes, schema, &memory);
  if (absl::Status s = meter.AddMemory(memory); !s.ok()) return Within("onnx:", name, s);
  const google::protobuf::LogSilencer quiet;  // the error below says it all
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<Message>(&arena);
  if (!well_formed || !message->ParseFromArray(bytes.data(), static_cast<int>(size)))
    return Within("onnx:", name, absl::InvalidArgumentError("truncated or damaged"));
  return Within("onnx:", name, use(*message));
}

}  // namespace

absl::StatusOr<Model> ParseModel(std::span<const std::byte> bytes, std::string_view name, const Budget& budget,
                                 const ReadExternal& external) {
  Model model;
  const absl::Status status = Parse<proto::ModelProto>(
      bytes, name, kModelSchema, budget,
      [&](const proto::ModelProto& message) { return Reader(budget, external).Read(message, &model); });
  if (!status.ok()) return status;
  return model;
}

absl::StatusOr<ir::Literal> ParseTensor(std::span<const std::byte> bytes, std::string_view name, const Budget& budget) {
  ir::Literal literal;
  const absl::Status status =
      Parse<proto::TensorProto>(bytes, name, kTensorSchema, budget, [&](const proto::TensorProto& message) {
        absl::StatusOr<ir::Literal> read = Reader(budget, nullptr).Read(message);
        if (read.ok()) literal = *std::move(read);
        return read.status();
      });
  if (!status.ok()) return status;
  return literal;
}

}  // namespace reel::onnx
