#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "ir/names.h"
#include "ir/proto/convert.h"
#include "ir/proto/reel.pb.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

// Reads return false once there is an error, which is then in status().
class Reader {
 public:
  Reader(const proto::Module& in, std::string_view file, BudgetMeter* meter) : in_(in), file_(file), meter_(*meter) {}

  bool ReadModule(Module* module);
  const absl::Status& status() const { return status_; }

 private:
  // Where an error is: "file: @f, node 3: ".
  std::string Where() const {
    std::string where = StrCat(file_, ": ");
    if (!place_.empty()) StrAppend(&where, place_, node_ < 0 ? "" : ", node ");
    if (node_ >= 0) StrAppend(&where, node_);
    return place_.empty() ? where : where + ": ";
  }
  bool Fail(std::string_view message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(StrCat(Where(), message));
    return false;
  }
  bool Check(const absl::Status& s) {
    if (!s.ok() && status_.ok()) {
      status_ = absl::Status(s.code(), StrCat(Where(), std::string(s.message())));
    }
    return s.ok();
  }
  bool InTable(std::string_view table, uint32_t index, size_t size) {
    return index < size || Fail(StrCat("index ", index, " of ", table, " is out of range, there are ", size));
  }
  bool ReadString(uint32_t index, std::string* out) {
    if (!InTable("strings", index, static_cast<size_t>(in_.strings_size()))) return false;
    const std::string& s = in_.strings(static_cast<int>(index));
    if (!Check(meter_.AddMemory(static_cast<int64_t>(s.size() + sizeof s)))) return false;
    *out = s;
    return true;
  }
  bool ReadType(uint32_t index, Type* type) {
    if (!InTable("types", index, types_.size())) return false;
    *type = types_[index];
    return true;
  }
  bool ReadDType(uint32_t index, DType* dtype);
  template <typename List>
  bool ReadShape(const List& extents, Shape* shape);
  bool ReadHeader(Module* module);
  bool ReadSymbols(Module* module);
  bool ReadTypes();
  bool ReadOps();
  bool ReadConstants();
  bool ReadVariable(const proto::Variable& in, Module* module);
  bool ReadFunction(const proto::Function& in, Module* module);
  bool ReadParameters(const proto::Function& in, Function* f);
  bool ReadNode(const proto::Node& in, Function* f);
  bool ReadAttributes(Op op, const proto::Node& in, Attributes* attributes);
  bool ReadAttribute(AttrKind kind, const proto::Attribute& in, AttrValue* value);
  bool ReadResults(const proto::Function& in, Function* f);
  bool ReadNames(const proto::Function& in, Function* f);

  const proto::Module& in_;
  std::string_view file_;
  BudgetMeter& meter_;
  absl::Status status_;
  std::string place_;
  int node_ = -1;
  std::vector<Type> types_;
  std::vector<Op> ops_;
  std::vector<Literal> constants_;
};

bool Reader::ReadDType(uint32_t index, DType* dtype) {
  std::string name;
  if (!ReadString(index, &name)) return false;
  return ParseDType(name, dtype) || Fail(StrCat("unknown dtype ", Quoted(name)));
}

template <typename List>
bool Reader::ReadShape(const List& extents, Shape* shape) {
  if (extents.size() > kMaxRank) {
    return Fail(StrCat("rank ", extents.size(), " is above ", kMaxRank));
  }
  for (int64_t raw : extents) {
    if (raw < 0 && -1 - raw >= in_.symbols_size()) {
      return Fail(StrCat("extent ", raw, " is negative and names no symbol"));
    }
    shape->push_back(raw < 0 ? Extent::Symbol(static_cast<int32_t>(-1 - raw)) : Extent(raw));
  }
  return true;
}

bool Reader::ReadHeader(Module* module) {
  if (in_.magic() != "REEL") return Fail("not a Reel module");
  if (in_.min_reader_version() > kFormatVersion) {
    return Fail(StrCat("needs a reader of format version ", in_.min_reader_version(), ", this one knows ",
                       kFormatVersion, "; use a newer Reel"));
  }
  if (in_.format_version() == 0) return Fail("has no format version");
  std::string key, value;
  if (!ReadString(in_.name(), &value)) return false;
  module->set_name(std::move(value));
  if (in_.metadata_size() % 2 != 0) return Fail("metadata has a key without a value");
  for (int i = 0; i < in_.metadata_size(); i += 2) {
    if (!ReadString(in_.metadata(i), &key) || !ReadString(in_.metadata(i + 1), &value)) {
      return false;
    }
    module->metadata().emplace_back(std::move(key), std::move(value));
  }
  return true;
}

bool Reader::ReadSymbols(Module* module) {
  for (const proto::Symbol& in : in_.symbols()) {
    Symbol symbol{{}, in.min(), in.max()};
    if (!ReadString(in.name(), &symbol.name)) return false;
    module->symbols().push_back(std::move(symbol));
  }
  return true;
}

bool Reader::ReadTypes() {
  if (!Check(meter_.AddMemory(in_.types_size() * static_cast<int64_t>(sizeof(Type))))) return false;
  types_.resize(static_cast<size_t>(in_.types_size()));
  for (size_t i = 0; i < types_.size(); ++i) {
    place_ = StrCat("type ", i);
    const proto::Type& in = in_.types(static_cast<int>(i));
    if (!ReadDType(in.dtype(), &types_[i].dtype) || !ReadShape(in.extents(), &types_[i].shape)) {
      return false;
    }
  }
  place_.clear();
  return true;
}

bool Reader::ReadOps() {
  for (const proto::OpVersion& in : in_.ops()) {
    std::string name;
    if (!ReadString(in.name(), &name)) return false;
    const auto op = ParseOp(name);
    if (!op) return Fail(StrCat("unknown op ", Quoted(name), "; the file may need a newer Reel"));
    if (in.version() == 0 || in.version() > static_cast<uint32_t>(Info(*op).version)) {
      return Fail(StrCat("op ", name, " has version ", in.version(), ", this reader knows ", Info(*op).version));
    }
    ops_.push_back(*op);
  }
  return true;
}

bool Reader::ReadConstants() {
  constants_.reserve(static_cast<size_t>(in_.constants_size()));
  for (int i = 0; i < in_.constants_size(); ++i) {
    const proto::Constant& in = in_.constants(i);
    place_ = StrCat("constant ", i);
    Type type;
    if (!ReadType(in.type(), &type) || !Check(meter_.AddLiteral(type))) return false;
    const std::string& data = in.data();
    if (static_cast<int64_t>(data.size()) != type.bytes()) {
      return Fail(StrCat(type.ToString(), " takes ", type.bytes(), " bytes, found ", data.size()));
    }
    if (crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()) != in.crc32()) {
      return Fail("checksum does not match: the file is damaged");
    }
    const auto raw = std::as_bytes(std::span(data));
    constants_.emplace_back(type, std::vector<std::byte>(raw.begin(), raw.end()));
  }
  place_.clear();
  return Check(meter_.CheckTime());
}

bool Reader::ReadVariable(const proto::Variable& in, Module* module) {
  Variable v;
  if (!ReadString(in.name(), &v.name)) return false;
  place_ = StrCat("variable ", Quoted(v.name));
  if (module->FindVariable(v.name)) return Fail("is declared twice");
  if (!ReadType(in.type(), &v.type)) return false;
  v.trainable = !in.frozen();
  v.parts = std::max<int64_t>(in.parts(), 1);
  if (in.constant() > 0) {
    if (in.init_function() != 0) return Fail("has two initial values");
    if (!InTable("constants", in.constant() - 1, constants_.size())) return false;
    v.initial = constants_[in.constant() - 1];
  } else if (!ReadString(in.init_function(), &v.initial.emplace<std::string>())) {
    return false;
  }
  module->AddVariable(std::move(v));
  place_.clear();
  return true;
}

bool Reader::ReadParameters(const proto::Function& in, Function* f) {
  if (in.parameter_names_size() != in.parameter_types_size() || in.state_size() != in.state_types_size()) {
    return Fail("parameters or states have not as many names as types");
  }
  const int64_t each = 2 * static_cast<int64_t>(sizeof(Type) + sizeof(Parameter));
  if (!Check(meter_.AddMemory(each * (int64_t{in.parameter_names_size()} + in.state_size())))) {
    return false;
  }
  std::string name;
  Type type;
  for (int i = 0; i < in.parameter_names_size(); ++i) {
    if (!ReadString(in.parameter_names(i), &name) || !ReadType(in.parameter_types(i), &type)) {
      return false;
    }
    f->AddParameter(name, type);
  }
  for (int i = 0; i < in.state_size(); ++i) {
    if (!ReadString(in.state(i), &name) || !ReadType(in.state_types(i), &type)) return false;
    f->AddState(name, type);
  }
  return true;
}

bool Reader::ReadAttribute(AttrKind kind, const proto::Attribute& in, AttrValue* value) {
  switch (kind) {
    case AttrKind::kInt: *value = int64_t{in.number()}; return true;
    case AttrKind::kBool: *value = in.number() != 0; return true;
    case AttrKind::kString: return ReadString(in.index(), &value->emplace<std::string>());
    case AttrKind::kInts:
      *value = std::vector<int64_t>(in.list().begin(), in.list().end());
      return Check(meter_.AddMemory(8 * int64_t{in.list_size()}));
    case AttrKind::kShape: return ReadShape(in.list(), &value->emplace<Shape>());
    case AttrKind::kDType: return ReadDType(in.index(), &value->emplace<DType>());
    case AttrKind::kLiteral:
      if (!InTable("constants", in.index(), constants_.size())) return false;
      *value = constants_[in.index()];
      return true;
  }
  return false;
}

bool Reader::ReadAttributes(Op op, const proto::Node& in, Attributes* attributes) {
  for (const proto::Attribute& a : in.attributes()) {
    std::string name;
    if (!ReadString(a.name(), &name)) return false;
    const AttrSpec* spec = nullptr;
    for (const AttrSpec& s : Info(op).attributes) {
      if (s.name == name) spec = &s;
    }
    if (!spec) return Fail(StrCat(Name(op), ": unknown attribute ", Quoted(name)));
    if (attributes->Find(name)) {
      return Fail(StrCat(Name(op), ": attribute '", name, "' is repeated"));
    }
    if (a.kind() != static_cast<uint32_t>(spec->kind)) {
      return Fail(StrCat(Name(op), ": attribute '", name, "' must be of kind ", Name(spec->kind)));
    }
    AttrValue value;
    if (!ReadAttribute(spec->kind, a, &value)) return false;
    attributes->Set(name, std::move(value));
  }
  return attributes->empty() || Check(meter_.AddMemory(256));
}

bool Reader::ReadNode(const proto::Node& in, Function* f) {
  if (!Check(meter_.AddNode(static_cast<size_t>(in.operands_size()), static_cast<size_t>(in.types_size())))) {
    return false;
  }
  if (!InTable("ops", in.op(), ops_.size())) return false;
  if (in.location() > static_cast<uint32_t>(f->locations().size())) {
    return Fail("location is out of range");
  }
  ValueList operands;
  for (uint32_t v : in.operands()) {
    if (!InTable("values defined before", v, static_cast<size_t>(f->num_values()))) return false;
    operands.push_back({static_cast<int32_t>(v)});
  }
  TypeList types(static_cast<size_t>(in.types_size()));
  for (size_t i = 0; i < types.size(); ++i) {
    if (!ReadType(in.types(static_cast<int>(i)), &types[i])) return false;
  }
  Attributes attributes;
  const Op op = ops_[in.op()];
  if (!ReadAttributes(op, in, &attributes)) return false;
  f->AddNode(op, operands, attributes.empty() ? nullptr : std::make_shared<const Attributes>(std::move(attributes)),
             types, static_cast<int32_t>(in.location()) - 1);
  return true;
}

bool Reader::ReadResults(const proto::Function& in, Function* f) {
  if (in.results_size() < in.state_size() || in.result_names_size() > in.results_size() - in.state_size()) {
    return Fail("results do not cover states and result names");
  }
  std::vector<Value> results;
  for (uint32_t v : in.results()) {
    if (!InTable("values", v, static_cast<size_t>(f->num_values()))) return false;
    results.push_back({static_cast<int32_t>(v)});
  }
  f->SetResults(std::move(results));
  return true;
}

bool Reader::ReadNames(const proto::Function& in, Function* f) {
  std::vector<std::string> names(static_cast<size_t>(in.result_names_size()));
  for (size_t i = 0; i < names.size(); ++i) {
    if (!ReadString(in.result_names(static_cast<int>(i)), &names[i])) return false;
  }
  f->set_result_names(std::move(names));
  if (in.named_values_size() != in.value_names_size()) {
    return Fail("value names do not match their values");
  }
  for (int i = 0; i < in.named_values_size(); ++i) {
    const uint32_t id = in.named_values(i);
    std::string name;
    if (!InTable("values", id, static_cast<size_t>(f->num_values())) || !ReadString(in.value_names(i), &name)) {
      return false;
    }
    if (id < static_cast<uint32_t>(f->num_parameters())) {
      return Fail("a parameter has a second name");
    }
    f->set_name_hint({static_cast<int32_t>(id)}, std::move(name));
  }
  return true;
}

bool Reader::ReadFunction(const proto::Function& in, Module* module) {
  std::string name;
  if (!ReadString(in.name(), &name)) return false;
  place_ = StrCat("function ", Quoted(name));
  if (module->FindFunction(name)) return Fail("is defined twice");
  Function f(std::move(name));
  if (!ReadParameters(in, &f)) return false;
  for (const proto::Location& l : in.locations()) {
    Location location{{}, l.line()};
    if (!ReadString(l.file(), &location.file)) return false;
    f.AddLocation(std::move(location));
  }
  if (f.locations().size() != static_cast<size_t>(in.locations_size())) {
    return Fail("locations are repeated");
  }
  for (node_ = 0; node_ < in.nodes_size(); ++node_) {
    if (!ReadNode(in.nodes(node_), &f)) return false;
  }
  node_ = -1;
  if (!ReadResults(in, &f) || !ReadNames(in, &f)) return false;
  module->AddFunction(std::move(f));
  place_.clear();
  return true;
}

bool Reader::ReadModule(Module* module) {
  if (!ReadHeader(module) || !ReadSymbols(module) || !ReadTypes() || !ReadOps() || !ReadConstants()) {
    return false;
  }
  for (const proto::Variable& v : in_.variables()) {
    if (!ReadVariable(v, module)) return false;
  }
  for (const proto::Function& f : in_.functions()) {
    if (!ReadFunction(f, module)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Module> FromProto(const proto::Module& in, std::string_view name, BudgetMeter* meter) {
  Module module;
  Reader reader(in, name, meter);
  if (!reader.ReadModule(&module)) return reader.status();
  return module;
}

}  // namespace reel::ir
