#include "frontend/onnx/node.h"

#include <algorithm>

#include "frontend/onnx/reader.h"
#include "frontend/onnx/small.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/hash_map.h"
#include "ir/lazy.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::onnx {

void Refuse(const std::string& what) { throw Error(ErrorCode::kUnimplemented, what); }
void Wrong(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

void NodeContext::CheckNotSmall(size_t i) const {
  const SmallType* small = FindSmall(Small(i));
  if (small) {
    Refuse(StrCat("input ", i, " of ", small->name, ", which only Cast, CastLike, QuantizeLinear and DequantizeLinear ",
                  "take; cast it to ", Name(small->carrier)));
  }
}

Tensor NodeContext::Carried(size_t i) const { return ValueIn(i).Get(); }

Tensor NodeContext::In(size_t i) const {
  CheckNotSmall(i);
  return Carried(i);
}

Tensor Value::Get() const {
  if (sequence) Wrong(StrCat("a sequence of ", sequence->size(), " where a tensor is needed"));
  return variable.defined() ? variable.value() : tensor;
}

const Value& NodeContext::ValueIn(size_t i) const {
  if (!Has(i)) Wrong(StrCat("input ", i, " is missing"));
  return inputs_[i];
}

const Sequence& NodeContext::SequenceIn(size_t i) const {
  const Value& value = ValueIn(i);
  if (!value.sequence) Wrong(StrCat("input ", i, " must be a sequence"));
  return *value.sequence;
}

Tensors NodeContext::Run(const Graph& graph, const Tensors& arguments) const {
  std::vector<Value> values;
  for (const Tensor& x : arguments) values.push_back(Value::Of(x));
  Tensors results;
  for (const Value& value : run_(graph, values)) results.push_back(value.Get());
  return results;
}

void NodeContext::Give(size_t i, Value value) const {
  if (given_.size() <= i) given_.resize(i + 1);
  given_[i] = std::move(value);
}

Tensors NodeContext::AllIn() const {
  Tensors all;
  for (size_t i = 0; i < inputs_.size(); ++i) all.push_back(In(i));
  return all;
}

Tensor NodeContext::Known(size_t i) const {
  const Value& value = ValueIn(i);
  CheckNotSmall(i);
  if (value.known.defined()) return value.known;
  std::string message = StrCat("input ", i, ", ", ir::Quoted(node_.inputs[i]),
                               ", decides shapes or the graph, so its elements must be known at import");
  if (!value.origin.empty()) {
    StrAppend(&message, "; it depends on the graph's input ", ir::Quoted(value.origin),
              ": give that as a constant (OnnxOptions::constants or --constant ", value.origin, "=FILE.npy)");
  }
  throw UnknownElements(value.origin, message);
}

std::vector<int64_t> NodeContext::KnownInts(size_t i) const {
  const ir::Literal literal = internal::ToLiteral(Known(i));
  if (!IsInteger(literal.dtype()) && literal.dtype() != kBool)
    Wrong(StrCat("input ", i, " must be integers, got ", literal.type().ToString()));
  std::vector<int64_t> out;
  for (int64_t k = 0; k < literal.size(); ++k) out.push_back(literal.AsInt(k));
  return out;
}

std::vector<double> NodeContext::KnownFloats(size_t i) const {
  const ir::Literal literal = internal::ToLiteral(Known(i));
  if (IsComplex(literal.dtype())) Wrong(StrCat("input ", i, " must be real numbers, got ", literal.type().ToString()));
  std::vector<double> out;
  for (int64_t k = 0; k < literal.size(); ++k) out.push_back(literal.AsDouble(k));
  return out;
}

int64_t NodeContext::KnownInt(size_t i) const {
  const std::vector<int64_t> values = KnownInts(i);
  if (values.size() != 1) Wrong(StrCat("input ", i, " must be one number"));
  return values[0];
}

double NodeContext::KnownFloat(size_t i) const {
  const std::vector<double> values = KnownFloats(i);
  if (values.size() != 1) Wrong(StrCat("input ", i, " must be one number"));
  return values[0];
}

const Attribute* NodeContext::Find(std::string_view name) const {
  for (const Attribute& a : node_.attributes) {
    if (a.name != name) continue;
    read_.insert(a.name);
    return &a;
  }
  return nullptr;
}

template <typename T>
const T* NodeContext::Get(std::string_view name) const {
  const Attribute* a = Find(name);
  if (!a) return nullptr;
  if (const T* value = std::get_if<T>(&a->value)) return value;
  if (const auto* other = std::get_if<Unsupported>(&a->value))
    Refuse(StrCat("attribute ", ir::Quoted(name), " of ", other->kind));
  Wrong(StrCat("attribute ", ir::Quoted(name), " has the wrong type"));
}

int64_t NodeContext::Int(std::string_view name, int64_t otherwise) const {
  const auto* value = Get<int64_t>(name);
  return value ? *value : otherwise;
}
int64_t NodeContext::Int(std::string_view name) const {
  const auto* value = Get<int64_t>(name);
  if (!value) Wrong(StrCat("attribute ", ir::Quoted(name), " is missing"));
  return *value;
}
double NodeContext::Float(std::string_view name, double otherwise) const {
  const auto* value = Get<float>(name);
  return value ? *value : otherwise;
}
std::string NodeContext::String(std::string_view name, const std::string& otherwise) const {
  const auto* value = Get<std::string>(name);
  return value ? *value : otherwise;
}
std::vector<int64_t> NodeContext::Ints(std::string_view name, const std::vector<int64_t>& otherwise) const {
  const auto* value = Get<std::vector<int64_t>>(name);
  return value ? *value : otherwise;
}
std::vector<double> NodeContext::Floats(std::string_view name) const {
  const auto* value = Get<std::vector<float>>(name);
  return value ? std::vector<double>(value->begin(), value->end()) : std::vector<double>();
}
std::vector<std::string> NodeContext::Strings(std::string_view name) const {
  const auto* value = Get<std::vector<std::string>>(name);
  return value ? *value : std::vector<std::string>();
}
std::optional<ir::Literal> NodeContext::Literal(std::string_view name) const {
  const auto* value = Get<ir::Literal>(name);
  return value ? std::optional(*value) : std::nullopt;
}
const Graph& NodeContext::Subgraph(std::string_view name) const {
  const auto* value = Get<std::shared_ptr<const Graph>>(name);
  if (!value) Wrong(StrCat("attribute ", ir::Quoted(name), " is missing"));
  return **value;
}

DType NodeContext::DTypeAttribute(std::string_view name, DType otherwise) const {
  const auto* value = Get<int64_t>(name);
  return value ? internal::Take(DTypeOf(*value)) : otherwise;
}

void NodeContext::CheckAllRead() const {
  for (const Attribute& a : node_.attributes) {
    if (!read_.contains(a.name)) Refuse(StrCat("attribute ", ir::Quoted(a.name), " is not supported"));
  }
  for (size_t i = asked_; i < inputs_.size(); ++i) {
    if (inputs_[i].defined()) Refuse(StrCat("input ", i, ", ", ir::Quoted(node_.inputs[i]), ", is not supported"));
  }
}

std::optional<std::vector<int64_t>> NodeContext::IntsSince(int64_t opset, std::string_view name, size_t i) const {
  if (opset_ >= opset) return Has(i) ? std::optional(KnownInts(i)) : std::nullopt;
  const auto* value = Get<std::vector<int64_t>>(name);
  return value ? std::optional(*value) : std::nullopt;
}

Tensor IntsTensor(const std::vector<int64_t>& values) {
  return Tensor::FromData(values, {static_cast<int64_t>(values.size())});
}

}  // namespace reel::onnx
