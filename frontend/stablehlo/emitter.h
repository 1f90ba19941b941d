#ifndef REEL_FRONTEND_STABLEHLO_EMITTER_H_
#define REEL_FRONTEND_STABLEHLO_EMITTER_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/literal.h"

// Writes the body of one function in MLIR's generic form, one line per operation:
//
//   %3 = "stablehlo.add"(%1, %2) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc(#loc1)
//
// Handlers (ops/*.cc) compose operations of it; nothing here knows Reel's ops.

namespace reel::stablehlo {

/// A value of the text: its name, and the type it has.
struct Value {
  std::string name;
  Type type;
};
using Values = std::vector<Value>;

/// tensor<2x?xf32>; a symbolic extent is `?`.
std::string TypeText(const Type& type);
/// "(tensor<f32>, tensor<i1>)".
std::string TypesText(absl::Span<const Type> types);
/// A scalar of the dtype.
inline Type ScalarType(DType dtype) { return {dtype, {}}; }
/// [1, 2]
std::string List(absl::Span<const int64_t> values);
/// array<i64: 1, 2>
std::string I64s(absl::Span<const int64_t> values);
/// dense<[[1, 2]]> : tensor<1x2xi64>, rows of pairs.
std::string I64Pairs(absl::Span<const std::pair<int64_t, int64_t>> rows);
/// array<i1: true, false>
std::string Bools(absl::Span<const bool> values);
/// "..." with MLIR's escapes: any bytes.
std::string QuotedText(std::string_view text);

/// A block that an operation has: its arguments, and what it returns of them.
struct Region {
  std::vector<Type> arguments;
  std::function<Values(const Values&)> body;
};

class Emitter {
 public:
  /// Lines are appended to `out`.
  explicit Emitter(std::string* out) : out_(out) {}

  void set_indent(int spaces) { indent_ = spaces; }
  /// Follows every operation, like " loc(#loc1)"; empty: none.
  void set_location(std::string location) { location_ = std::move(location); }
  /// Says where a symbolic extent can be read in this function: an axis of one of its arguments.
  void BindSymbol(int32_t symbol, const Value& argument, int axis) { symbols_.try_emplace(symbol, argument, axis); }

  /// An operation of one result, or of any number. `properties`: "axis = 1 : i64, ..." without braces.
  Value Emit(std::string_view op, const Values& operands, const Type& type, std::string_view properties = {},
             const std::vector<Region>& regions = {});
  Values EmitAll(std::string_view op, const Values& operands, const std::vector<Type>& types,
                 std::string_view properties = {}, const std::vector<Region>& regions = {});
  /// An operation without results that ends a block.
  void EmitEnd(std::string_view op, const Values& operands);

  // Constants.
  Value Constant(const ir::Literal& literal);
  Value Scalar(DType dtype, double value);
  Value ScalarInt(DType dtype, int64_t value);
  /// All elements equal, of any shape.
  Value Full(const Type& type, double value) { return Fill(type, ir::Literal::Scalar(type.dtype, value)); }
  Value FullInt(const Type& type, int64_t value) { return Fill(type, ir::Literal::ScalarInt(type.dtype, value)); }
  Value FullLike(const Value& x, double value) { return Full(x.type, value); }

  // Elementwise.
  Value Unary(std::string_view op, const Value& x) { return Emit(op, {x}, x.type); }
  Value Binary(std::string_view op, const Value& a, const Value& b) { return Emit(op, {a, b}, a.type); }
  Value Add(const Value& a, const Value& b) { return Binary("stablehlo.add", a, b); }
  Value Sub(const Value& a, const Value& b) { return Binary("stablehlo.subtract", a, b); }
  Value Mul(const Value& a, const Value& b) { return Binary("stablehlo.multiply", a, b); }
  Value Div(const Value& a, const Value& b) { return Binary("stablehlo.divide", a, b); }
  Value And(const Value& a, const Value& b) { return Binary("stablehlo.and", a, b); }
  Value Or(const Value& a, const Value& b) { return Binary("stablehlo.or", a, b); }
  Value Not(const Value& x) { return Unary("stablehlo.not", x); }
  Value Neg(const Value& x) { return Unary("stablehlo.negate", x); }
  /// direction: EQ NE LT LE GT GE.
  Value Compare(std::string_view direction, const Value& a, const Value& b);
  Value Select(const Value& condition, const Value& a, const Value& b);
  /// As stablehlo.convert; x itself if it has the dtype.
  Value Convert(const Value& x, DType dtype);

  // Shape.
  Value Broadcast(const Value& x, const Shape& shape, absl::Span<const int64_t> axes);
  /// A scalar as all elements of a shape.
  Value Splat(const Value& scalar, const Shape& shape) { return Broadcast(scalar, shape, {}); }
  Value Reshape(const Value& x, const Shape& shape);
  Value Transpose(const Value& x, absl::Span<const int64_t> permutation);
  Value Slice(const Value& x, absl::Span<const int64_t> starts, absl::Span<const int64_t> limits,
              absl::Span<const int64_t> strides);
  Value Iota(const Type& type, int64_t axis);
  Value Concatenate(const Values& parts, int64_t axis);

  /// Combines elements along axes with "stablehlo.add" or another of two operands.
  Value Reduce(const Value& x, const Value& start, absl::Span<const int64_t> axes, std::string_view op);
  /// `op` of two scalars, as the region of a reduction or scatter.
  Region Combiner(DType dtype, std::string_view op);
  /// Carried values: all that cond and body read.
  Values While(const Values& start, const std::function<Value(const Values&)>& cond,
               const std::function<Values(const Values&)>& body);

  /// The extents of a shape as tensor<rank x i32>, the symbolic ones read at run time.
  Value Extents(const Shape& shape);
  /// Whether every symbol of the shape can be read in this function; else the first that cannot.
  bool Knows(const Shape& shape, int32_t* missing) const;

 private:
  std::string NewName();
  Value Fill(const Type& type, const ir::Literal& scalar);
  void EmitRegions(const std::vector<Region>& regions);

  std::string* out_;
  std::string location_;
  int next_ = 0, indent_ = 2;
  std::map<int32_t, std::pair<Value, int>> symbols_;
};

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_EMITTER_H_
