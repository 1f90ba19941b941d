#include "frontend/onnx/graph_writer.h"

#include <algorithm>
#include <limits>

#include "frontend/onnx/writer.h"
#include "ir/builder.h"
#include "ir/strings.h"

namespace reel::onnx {
namespace {

// Constants up to this many bytes are written once, however often they are used.
constexpr size_t kSharedBytes = 256;

// Ops and the dtypes that ONNX Runtime's kernels on the CPU have. Ops that are not here take every dtype.
struct Kernel {
  std::string_view op, dtypes;
};
constexpr Kernel kKernels[] = {
    {"Neg", "f32 f64 i8 i16 i32 i64"},
    {"Max", "f32 f64 i32 i64"},
    {"Min", "f32 f64 i32 i64"},
    {"Where", "f32 f64 i8 i32 i64 u8 u32"},
    {"Expand", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool f16"},
    {"Pad", "f32 f64 i8 i32 i64 u8 u32 u64 bool"},
    {"MatMul", "f32 f64 i32 i64"},
    {"Einsum", "f32 f64 i32 i64"},
    {"ReduceSum", "f32 f64 i32 i64"},
    {"ReduceProd", "f32 f64 i32 i64"},
    {"ReduceMax", "f32 f64 i32 i64 i8 u8"},
    {"ReduceMin", "f32 f64 i32 i64 i8 u8"},
    {"TopK", "f32 f64 i32 i64 i8 u8"},
    {"Equal", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool"},
    {"Less", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"},
    {"LessOrEqual", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"},
    {"Greater", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"},
    {"GreaterOrEqual", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"},
};

bool Lists(std::string_view dtypes, DType dtype) {
  return StrCat(" ", dtypes, " ").find(StrCat(" ", Name(dtype), " ")) != std::string::npos;
}

}  // namespace

DType Carrier(std::string_view op, DType dtype) {
  const auto* row = std::find_if(std::begin(kKernels), std::end(kKernels), [&](const Kernel& k) { return k.op == op; });
  if (row == std::end(kKernels) || Lists(row->dtypes, dtype)) return dtype;
  if (IsHalf(dtype)) return kFloat32;
  if (dtype == kBool && Lists(row->dtypes, kUInt8)) return kUInt8;
  return SizeOf(dtype) < 4 ? kInt32 : kInt64;
}

void GraphWriter::Append(std::string_view op, const Vals& inputs, std::vector<std::string> outputs,
                         std::vector<Attribute> attributes) {
  onnx::Node& node = graph_.nodes.emplace_back();
  node.op = op;
  node.name = StrCat(op, "_", ++state_.nodes);
  for (const Val& input : inputs) node.inputs.push_back(input.name);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
}

Vals GraphWriter::Node(std::string_view op, const Vals& inputs, const std::vector<DType>& results,
                       std::vector<Attribute> attributes) {
  Vals out;
  std::vector<std::string> outputs;
  for (const DType dtype : results) {
    out.push_back({state_.names.Unique(op), dtype});
    outputs.push_back(out.back().name);
  }
  Append(op, inputs, std::move(outputs), std::move(attributes));
  return out;
}

Val GraphWriter::Same(std::string_view op, const Vals& inputs, std::vector<Attribute> attributes) {
  const DType dtype = inputs[0].dtype, carrier = Carrier(op, dtype);
  Vals carried = inputs;
  for (Val& x : carried) {
    if (x.dtype == dtype) x = Cast(x, carrier);
  }
  return Cast(One(op, carried, carrier, std::move(attributes)), dtype);
}

Val GraphWriter::Compare(std::string_view op, const Val& a, const Val& b) {
  const DType carrier = Carrier(op, a.dtype);
  return One(op, {Cast(a, carrier), Cast(b, carrier)}, kBool);
}

Val GraphWriter::Where(const Val& condition, const Val& a, const Val& b) {
  const DType carrier = Carrier("Where", a.dtype);
  return Cast(One("Where", {condition, Cast(a, carrier), Cast(b, carrier)}, carrier), a.dtype);
}

Val GraphWriter::Constant(const ir::Literal& literal, std::string_view name) {
  const auto bytes = literal.bytes();
  const bool shared = bytes.size() <= kSharedBytes && name.empty();
  std::string key;
  if (shared) {
    key =
        StrCat(literal.type().ToString(), " ", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    if (const auto it = state_.constants.find(key); it != state_.constants.end()) return {it->second, literal.dtype()};
  }
  const std::string unique = state_.names.Unique(name.empty() ? "constant" : name);
  state_.main.initializers.emplace_back(unique, literal);
  if (shared) state_.constants.emplace(std::move(key), unique);
  return {unique, literal.dtype()};
}

Val GraphWriter::List(const Ints& values) {
  return Constant(ir::Literal::From<int64_t>({static_cast<int64_t>(values.size())}, values));
}

Val GraphWriter::ExtentOf(Extent extent) {
  if (extent.is_constant()) return List({extent.value()});
  return state_.symbols[static_cast<size_t>(extent.symbol())];
}

Val GraphWriter::ShapeOf(const Shape& shape) {
  if (shape.is_constant()) return List(shape.dims());
  Vals parts;
  for (const Extent extent : shape) parts.push_back(ExtentOf(extent));
  return parts.size() == 1 ? parts[0] : Concat(parts, 0);
}

Val GraphWriter::Cast(const Val& x, DType dtype) {
  if (x.dtype == dtype) return x;
  return One("Cast", {x}, dtype, {Int("to", TypeNumber(dtype))});
}

Val GraphWriter::Reshape(const Val& x, const Shape& shape) {
  const auto is_symbol = [](Extent e) { return !e.is_constant(); };
  std::vector<Attribute> attributes;
  if (shape.has_zero()) attributes.push_back(Int("allowzero", 1));
  // One symbol is what is left over.
  if (std::count_if(shape.begin(), shape.end(), is_symbol) == 1 && !shape.has_zero()) {
    Ints extents;
    for (const Extent e : shape) extents.push_back(e.is_constant() ? e.value() : -1);
    return One("Reshape", {x, List(extents)}, x.dtype);
  }
  return One("Reshape", {x, ShapeOf(shape)}, x.dtype, std::move(attributes));
}

Val GraphWriter::Unsqueeze(const Val& x, const Ints& axes) {
  return axes.empty() ? x : One("Unsqueeze", {x, List(axes)}, x.dtype);
}

Val GraphWriter::Expand(const Val& x, const Shape& shape) { return Same("Expand", {x, ShapeOf(shape)}); }

Val GraphWriter::Transpose(const Val& x, const Ints& permutation) {
  return ir::IsIdentity(permutation) ? x : One("Transpose", {x}, x.dtype, {IntList("perm", permutation)});
}

Val GraphWriter::Slice(const Val& x, const Ints& starts, const Ints& ends, const Ints& axes, const Ints& steps) {
  return One("Slice", {x, List(starts), List(ends), List(axes), List(steps)}, x.dtype);
}

Val GraphWriter::Full(const Type& type, double value) {
  const Val scalar = Scalar(type.dtype, value);
  return type.shape.rank() == 0 ? scalar : Expand(scalar, type.shape);
}

Val GraphWriter::Concat(const Vals& parts, int64_t axis) {
  return One("Concat", parts, parts[0].dtype, {Int("axis", axis)});
}

}  // namespace reel::onnx
