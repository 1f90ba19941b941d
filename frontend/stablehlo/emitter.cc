#include "frontend/stablehlo/emitter.h"

#include <algorithm>
#include <type_traits>

#include "frontend/stablehlo/dense.h"
#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

std::string_view ElementType(DType dtype) {
  switch (dtype) {
    case kBool: return "i1";
    case kUInt8: return "ui8";
    case kUInt16: return "ui16";
    case kUInt32: return "ui32";
    case kUInt64: return "ui64";
    case kComplex64: return "complex<f32>";
    case kComplex128: return "complex<f64>";
    default: return Name(dtype);  // the others have MLIR's names
  }
}

template <typename T>
std::string Array(std::string_view element, absl::Span<const T> values) {
  std::string out = StrCat("array<", element);
  for (size_t i = 0; i < values.size(); ++i) {
    StrAppend(&out, i ? ", " : ": ");
    if constexpr (std::is_same_v<T, bool>) {
      StrAppend(&out, values[i] ? "true" : "false");
    } else {
      StrAppend(&out, values[i]);
    }
  }
  return out + ">";
}

void AppendNames(std::string* out, const Values& values) {
  for (size_t i = 0; i < values.size(); ++i) StrAppend(out, i ? ", " : "", values[i].name);
}

std::vector<Type> TypesOf(const Values& values) {
  std::vector<Type> types;
  for (const Value& v : values) types.push_back(v.type);
  return types;
}

}  // namespace

std::string TypeText(const Type& type) {
  std::string out = "tensor<";
  for (const Extent e : type.shape) e.is_constant() ? StrAppend(&out, e.value(), "x") : StrAppend(&out, "?x");
  return StrCat(out, ElementType(type.dtype), ">");
}

std::string TypesText(absl::Span<const Type> types) {
  std::string out = "(";
  for (size_t i = 0; i < types.size(); ++i) StrAppend(&out, i ? ", " : "", TypeText(types[i]));
  return out + ")";
}

std::string List(absl::Span<const int64_t> values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) StrAppend(&out, i ? ", " : "", values[i]);
  return out + "]";
}

std::string I64s(absl::Span<const int64_t> values) { return Array("i64", values); }
std::string Bools(absl::Span<const bool> values) { return Array("i1", values); }

std::string I64Pairs(absl::Span<const std::pair<int64_t, int64_t>> rows) {
  std::string out = "dense<";
  if (!rows.empty()) out += '[';
  for (size_t i = 0; i < rows.size(); ++i) {
    StrAppend(&out, i ? ", " : "", "[", rows[i].first, ", ", rows[i].second, "]");
  }
  if (!rows.empty()) out += ']';
  return StrCat(out, "> : tensor<", rows.size(), "x2xi64>");
}

std::string QuotedText(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte > 0x7e) {
      StrAppend(&out, '\\', kHex[byte >> 4], kHex[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Emitter::NewName() { return StrCat("%", next_++); }

void Emitter::EmitRegions(const std::vector<Region>& regions) {
  *out_ += " (";
  const std::string around = std::exchange(location_, "");
  indent_ += 2;
  for (size_t r = 0; r < regions.size(); ++r) {
    StrAppend(out_, r ? ", {" : "{", "\n");
    Values arguments;
    std::string list;
    for (const Type& type : regions[r].arguments) {
      arguments.push_back({NewName(), type});
      StrAppend(&list, list.empty() ? "" : ", ", arguments.back().name, ": ", TypeText(type));
    }
    if (!list.empty()) StrAppend(out_, std::string(static_cast<size_t>(indent_) - 1, ' '), "^bb0(", list, "):\n");
    EmitEnd("stablehlo.return", regions[r].body(arguments));
    StrAppend(out_, std::string(static_cast<size_t>(indent_) - 2, ' '), "}");
  }
  indent_ -= 2;
  location_ = around;
  *out_ += ")";
}

Values Emitter::EmitAll(std::string_view op, const Values& operands, const std::vector<Type>& types,
                        std::string_view properties, const std::vector<Region>& regions) {
  out_->append(static_cast<size_t>(indent_), ' ');
  Values results;
  if (!types.empty()) {
    const std::string name = NewName();
    for (size_t i = 0; i < types.size(); ++i) {
      results.push_back({types.size() == 1 ? name : StrCat(name, "#", i), types[i]});
    }
    StrAppend(out_, name, types.size() == 1 ? "" : StrCat(":", types.size()), " = ");
  }
  StrAppend(out_, "\"", op, "\"(");
  AppendNames(out_, operands);
  *out_ += ")";
  if (!properties.empty()) StrAppend(out_, " <{", properties, "}>");
  if (!regions.empty()) EmitRegions(regions);
  StrAppend(out_, " : ", TypesText(TypesOf(operands)), " -> ",
            types.size() == 1 ? TypeText(types[0]) : TypesText(types), location_, "\n");
  return results;
}

Value Emitter::Emit(std::string_view op, const Values& operands, const Type& type, std::string_view properties,
                    const std::vector<Region>& regions) {
  return EmitAll(op, operands, {type}, properties, regions)[0];
}

void Emitter::EmitEnd(std::string_view op, const Values& operands) { EmitAll(op, operands, {}); }

Value Emitter::Constant(const ir::Literal& literal) {
  return Emit("stablehlo.constant", {}, literal.type(),
              StrCat("value = ", Dense(literal), " : ", TypeText(literal.type())));
}

Value Emitter::Scalar(DType dtype, double value) { return Constant(ir::Literal::Scalar(dtype, value)); }
Value Emitter::ScalarInt(DType dtype, int64_t value) { return Constant(ir::Literal::ScalarInt(dtype, value)); }

Value Emitter::Fill(const Type& type, const ir::Literal& scalar) {
  if (!type.shape.is_constant()) return Splat(Constant(scalar), type.shape);
  return Emit("stablehlo.constant", {}, type,
              StrCat("value = ", type.shape.size() ? Dense(scalar) : "dense<>", " : ", TypeText(type)));
}

Value Emitter::Compare(std::string_view direction, const Value& a, const Value& b) {
  const DType dtype = a.type.dtype;
  const std::string_view kind = IsFloat(dtype) || IsComplex(dtype)    ? "FLOAT"
                                : IsUnsigned(dtype) || dtype == kBool ? "UNSIGNED"
                                                                      : "SIGNED";
  return Emit("stablehlo.compare", {a, b}, {kBool, a.type.shape},
              StrCat("comparison_direction = #stablehlo<comparison_direction ", direction,
                     ">, compare_type = #stablehlo<comparison_type ", kind, ">"));
}

Value Emitter::Select(const Value& condition, const Value& a, const Value& b) {
  return Emit("stablehlo.select", {condition, a, b}, a.type);
}

Value Emitter::Convert(const Value& x, DType dtype) {
  if (x.type.dtype == dtype) return x;
  return Emit("stablehlo.convert", {x}, {dtype, x.type.shape});
}

Value Emitter::Broadcast(const Value& x, const Shape& shape, absl::Span<const int64_t> axes) {
  const Type type{x.type.dtype, shape};
  if (x.type == type) return x;
  const std::string properties = StrCat("broadcast_dimensions = ", I64s(axes));
  if (shape.is_constant()) return Emit("stablehlo.broadcast_in_dim", {x}, type, properties);
  std::vector<int64_t> stretched, equal;  // axes of x: IREE wants to know
  for (int i = 0; i < x.type.shape.rank(); ++i) {
    const bool same = x.type.shape[i] == shape[static_cast<int>(axes[static_cast<size_t>(i)])];
    (same ? equal : stretched).push_back(i);
  }
  return Emit("stablehlo.dynamic_broadcast_in_dim", {x, Extents(shape)}, type,
              StrCat(properties, ", known_expanding_dimensions = ", I64s(stretched),
                     ", known_nonexpanding_dimensions = ", I64s(equal)));
}

Value Emitter::Reshape(const Value& x, const Shape& shape) {
  const Type type{x.type.dtype, shape};
  if (x.type == type) return x;
  if (shape.is_constant()) return Emit("stablehlo.reshape", {x}, type);
  return Emit("stablehlo.dynamic_reshape", {x, Extents(shape)}, type);
}

Value Emitter::Transpose(const Value& x, absl::Span<const int64_t> permutation) {
  Shape shape;
  for (const int64_t axis : permutation) shape.push_back(x.type.shape[static_cast<int>(axis)]);
  return Emit("stablehlo.transpose", {x}, {x.type.dtype, shape}, StrCat("permutation = ", I64s(permutation)));
}

Value Emitter::Slice(const Value& x, absl::Span<const int64_t> starts, absl::Span<const int64_t> limits,
                     absl::Span<const int64_t> strides) {
  Shape shape;
  for (size_t i = 0; i < starts.size(); ++i) {
    shape.push_back(limits[i] == starts[i] ? 0 : (limits[i] - starts[i] - 1) / strides[i] + 1);
  }
  return Emit(
      "stablehlo.slice", {x}, {x.type.dtype, shape},
      StrCat("start_indices = ", I64s(starts), ", limit_indices = ", I64s(limits), ", strides = ", I64s(strides)));
}

Value Emitter::Iota(const Type& type, int64_t axis) {
  const std::string properties = StrCat("iota_dimension = ", axis, " : i64");
  if (type.shape.is_constant()) return Emit("stablehlo.iota", {}, type, properties);
  return Emit("stablehlo.dynamic_iota", {Extents(type.shape)}, type, properties);
}

Value Emitter::Concatenate(const Values& parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  Type type = parts[0].type;
  int64_t extent = 0;
  for (const Value& part : parts) extent += part.type.shape.dim(static_cast<int>(axis));
  type.shape.set(static_cast<int>(axis), extent);
  return Emit("stablehlo.concatenate", parts, type, StrCat("dimension = ", axis, " : i64"));
}

Region Emitter::Combiner(DType dtype, std::string_view op) {
  return {{ScalarType(dtype), ScalarType(dtype)},
          [this, op](const Values& x) { return Values{Binary(op, x[0], x[1])}; }};
}

Value Emitter::Reduce(const Value& x, const Value& start, absl::Span<const int64_t> axes, std::string_view op) {
  Shape shape;
  for (int i = 0; i < x.type.shape.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) shape.push_back(x.type.shape[i]);
  }
  return Emit("stablehlo.reduce", {x, start}, {x.type.dtype, shape}, StrCat("dimensions = ", I64s(axes)),
              {Combiner(x.type.dtype, op)});
}

Values Emitter::While(const Values& start, const std::function<Value(const Values&)>& cond,
                      const std::function<Values(const Values&)>& body) {
  const std::vector<Type> types = TypesOf(start);
  return EmitAll("stablehlo.while", start, types, {},
                 {{types, [&](const Values& carried) { return Values{cond(carried)}; }}, {types, body}});
}

Value Emitter::Extents(const Shape& shape) {
  Values parts;
  for (const Extent e : shape) {
    if (e.is_constant()) {
      parts.push_back(Constant(ir::Literal::From<int32_t>({1}, std::vector<int32_t>{static_cast<int32_t>(e.value())})));
      continue;
    }
    const auto& [argument, axis] = symbols_.at(e.symbol());
    const Value extent =
        Emit("stablehlo.get_dimension_size", {argument}, ScalarType(kInt32), StrCat("dimension = ", axis, " : i64"));
    parts.push_back(Reshape(extent, {1}));
  }
  return Concatenate(parts, 0);
}

bool Emitter::Knows(const Shape& shape, int32_t* missing) const {
  for (const Extent e : shape) {
    if (e.is_constant() || symbols_.contains(e.symbol())) continue;
    *missing = e.symbol();
    return false;
  }
  return true;
}

}  // namespace reel::stablehlo
