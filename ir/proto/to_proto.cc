#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "absl/hash/hash.h"
#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/key_hash.h"
#include "ir/proto/convert.h"
#include "ir/proto/reel.pb.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

int64_t RawExtent(Extent e) { return e.is_constant() ? e.value() : -1 - int64_t{e.symbol()}; }

struct TypeHash {
  size_t operator()(const Type& type) const {
    size_t h = static_cast<size_t>(type.dtype);
    for (Extent e : type.shape) h = absl::HashOf(h, RawExtent(e));
    return KeyHash()(h);
  }
};

struct LiteralHash {
  size_t operator()(const Literal& literal) const {
    const auto bytes = literal.bytes();
    return KeyHash()(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
};

class Writer {
 public:
  explicit Writer(proto::Module* out) : out_(*out) { String(""); }

  absl::Status WriteModule(const Module& module);

 private:
  uint32_t String(std::string_view s);
  uint32_t TypeIndex(const Type& type);
  uint32_t OpIndex(Op op);
  uint32_t ConstantIndex(const Literal& literal);
  void WriteVariable(const Variable& v);
  void WriteFunction(const Function& f);
  void WriteNode(const Node& node, const Function& f, proto::Node* out);
  void WriteAttribute(std::string_view name, const AttrValue& value, proto::Attribute* out);

  proto::Module& out_;
  HashMap<std::string, uint32_t> strings_;
  HashMap<Type, uint32_t, TypeHash> types_;
  HashMap<Op, uint32_t> ops_;
  HashMap<Literal, uint32_t, LiteralHash> constants_;
  int64_t constant_bytes_ = 0;
};

uint32_t Writer::String(std::string_view s) {
  const auto [it, added] = strings_.try_emplace(std::string(s), static_cast<uint32_t>(out_.strings_size()));
  if (added) out_.add_strings(s.data(), s.size());
  return it->second;
}

uint32_t Writer::TypeIndex(const Type& type) {
  const auto [it, added] = types_.try_emplace(type, static_cast<uint32_t>(out_.types_size()));
  if (added) {
    proto::Type* t = out_.add_types();
    t->set_dtype(String(Name(type.dtype)));
    for (Extent e : type.shape) t->add_extents(RawExtent(e));
  }
  return it->second;
}

uint32_t Writer::OpIndex(Op op) {
  const auto [it, added] = ops_.try_emplace(op, static_cast<uint32_t>(out_.ops_size()));
  if (added) {
    proto::OpVersion* o = out_.add_ops();
    o->set_name(String(Name(op)));
    o->set_version(static_cast<uint32_t>(Info(op).version));
  }
  return it->second;
}

uint32_t Writer::ConstantIndex(const Literal& literal) {
  const auto [it, added] = constants_.try_emplace(literal, static_cast<uint32_t>(out_.constants_size()));
  if (!added) return it->second;
  const auto bytes = literal.bytes();
  constant_bytes_ += static_cast<int64_t>(bytes.size());
  proto::Constant* c = out_.add_constants();
  c->set_type(TypeIndex(literal.type()));
  c->set_crc32(static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
  // Over the limit nothing is written: the bytes need not be copied.
  if (constant_bytes_ <= kMaxTensorBytes) c->set_data(bytes.data(), bytes.size());
  return it->second;
}

void Writer::WriteVariable(const Variable& v) {
  proto::Variable* out = out_.add_variables();
  out->set_name(String(v.name));
  out->set_type(TypeIndex(v.type));
  out->set_frozen(!v.trainable);
  if (v.parts > 1) out->set_parts(static_cast<uint32_t>(v.parts));
  if (const auto* literal = std::get_if<Literal>(&v.initial)) {
    out->set_constant(1 + ConstantIndex(*literal));
  } else {
    out->set_init_function(String(std::get<std::string>(v.initial)));
  }
}

void Writer::WriteAttribute(std::string_view name, const AttrValue& value, proto::Attribute* out) {
  out->set_name(String(name));
  out->set_kind(static_cast<uint32_t>(value.index()));
  switch (static_cast<AttrKind>(value.index())) {
    case AttrKind::kInt: out->set_number(std::get<int64_t>(value)); break;
    case AttrKind::kBool: out->set_number(std::get<bool>(value)); break;
    case AttrKind::kString: out->set_index(String(std::get<std::string>(value))); break;
    case AttrKind::kInts:
      for (int64_t i : std::get<std::vector<int64_t>>(value)) out->add_list(i);
      break;
    case AttrKind::kShape:
      for (Extent e : std::get<Shape>(value)) out->add_list(RawExtent(e));
      break;
    case AttrKind::kDType: out->set_index(String(Name(std::get<DType>(value)))); break;
    case AttrKind::kLiteral: out->set_index(ConstantIndex(std::get<Literal>(value))); break;
  }
}

void Writer::WriteNode(const Node& node, const Function& f, proto::Node* out) {
  out->set_op(OpIndex(node.op));
  for (Value v : node.operands) out->add_operands(static_cast<uint32_t>(v.id));
  for (int i = 0; i < node.num_results; ++i) out->add_types(TypeIndex(f.type(node.result(i))));
  for (const auto& [name, value] : node.attrs().entries()) {
    WriteAttribute(name, value, out->add_attributes());
  }
  out->set_location(static_cast<uint32_t>(node.location + 1));
}

void Writer::WriteFunction(const Function& f) {
  proto::Function* out = out_.add_functions();
  out->set_name(String(f.name()));
  for (int i = 0; i < f.num_parameters(); ++i) {
    const bool state = i >= f.num_arguments();
    const uint32_t name = String(f.parameter(i).name), type = TypeIndex(f.parameter(i).type);
    state ? out->add_state(name) : out->add_parameter_names(name);
    state ? out->add_state_types(type) : out->add_parameter_types(type);
  }
  out->mutable_nodes()->Reserve(static_cast<int>(f.nodes().size()));
  ChargeVisits(f.nodes().size());
  for (const Node& node : f.nodes()) WriteNode(node, f, out->add_nodes());
  for (Value v : f.results()) out->add_results(static_cast<uint32_t>(v.id));
  for (const std::string& name : f.result_names()) out->add_result_names(String(name));
  for (int32_t id = f.num_parameters(); id < f.num_values(); ++id) {
    const std::string_view name = f.name_hint({id});
    if (name.empty()) continue;
    out->add_named_values(static_cast<uint32_t>(id));
    out->add_value_names(String(name));
  }
  for (const Location& l : f.locations()) {
    proto::Location* location = out->add_locations();
    location->set_file(String(l.file));
    location->set_line(l.line);
  }
}

absl::Status Writer::WriteModule(const Module& module) {
  out_.set_magic("REEL");
  const bool parts =
      std::any_of(module.variables().begin(), module.variables().end(), [](const Variable& v) { return v.parts > 1; });
  out_.set_format_version(parts ? kPartsVersion : kWrittenVersion);
  out_.set_min_reader_version(parts ? kPartsVersion : kMinReaderVersion);
  out_.set_name(String(module.name()));
  for (const auto& [key, value] : module.metadata()) {
    out_.add_metadata(String(key));
    out_.add_metadata(String(value));
  }
  for (const Symbol& s : module.symbols()) {
    proto::Symbol* out = out_.add_symbols();
    out->set_name(String(s.name));
    out->set_min(s.min);
    out->set_max(s.max);
  }
  for (const Variable& v : module.variables()) WriteVariable(v);
  for (const auto& f : module.functions()) WriteFunction(*f);
  if (constant_bytes_ <= kMaxTensorBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(StrCat("module '", module.name(), "' has ", constant_bytes_,
                                             " bytes of constants, the binary form holds ", kMaxTensorBytes,
                                             "; save as .reel.txt, or pass large tensors as arguments"));
}

}  // namespace

absl::Status ToProto(const Module& module, proto::Module* out) { return Writer(out).WriteModule(module); }

}  // namespace reel::ir
