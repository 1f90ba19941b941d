#include "frontend/stablehlo/operators.h"
#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

// Else an accelerator rounds f32 to fewer bits.
constexpr std::string_view kPrecise =
    "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]";

// f16 and bf16 are added in f32, the sum rounded once.
Value Accumulated(const OpContext& c, const Values& operands, const Shape& shape, const std::string& properties) {
  const DType dtype = c.type().dtype;
  const Type sums{IsHalf(dtype) ? kFloat32 : dtype, shape};
  return c.e.Convert(c.e.Emit(c.said, operands, sums, properties), dtype);
}

// "0, 1": the spatial axes.
std::string Spatial(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) StrAppend(&out, i, ", ");
  return out;
}

}  // namespace

HANDLER(Contract) {
  // A sum of nothing: IREE does not compile one.
  for (const int64_t axis : c.ints("a_contract")) {
    const auto& extent = c.x[0].type.shape[static_cast<int>(axis)];
    if (extent.is_constant() && extent.value() == 0) return {c.e.Full(c.type(), 0)};
  }
  return {Accumulated(c, c.x, c.type().shape,
                      StrCat("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = ",
                             List(c.ints("a_batch")), ", rhs_batching_dimensions = ", List(c.ints("b_batch")),
                             ", lhs_contracting_dimensions = ", List(c.ints("a_contract")),
                             ", rhs_contracting_dimensions = ", List(c.ints("b_contract")), ">, ", kPrecise))};
}

// Groups are a part of the channels: a[n, s..., g c], b[k..., c, g o].
HANDLER(Conv) {
  Emitter& e = c.e;
  const Shape &a = c.x[0].type.shape, &b = c.x[1].type.shape, &y = c.type().shape;
  const int spatial = a.rank() - 3;
  const int64_t groups = b.dim(spatial), channels = b.dim(spatial + 1), outputs = b.dim(spatial + 2);
  Shape input{a[0]}, filter, result{y[0]};
  std::vector<int64_t> order;
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (int i = 0; i < spatial; ++i) {
    input.push_back(a[i + 1]);
    filter.push_back(b[i]);
    result.push_back(y[i + 1]);
    order.push_back(i);
    padding.emplace_back(c.ints("low")[static_cast<size_t>(i)], c.ints("high")[static_cast<size_t>(i)]);
  }
  input.push_back(groups * channels);
  filter.push_back(channels);
  filter.push_back(groups * outputs);
  result.push_back(groups * outputs);
  for (const int axis : {spatial + 1, spatial, spatial + 2}) order.push_back(axis);
  const Value kernel = groups == 1 ? c.x[1] : e.Transpose(c.x[1], order);
  const std::string axes = Spatial(spatial);
  const Value out = Accumulated(
      c, {e.Reshape(c.x[0], input), e.Reshape(kernel, filter)}, result,
      StrCat("window_strides = ", I64s(c.ints("strides")), ", padding = ", I64Pairs(padding),
             ", lhs_dilation = ", I64s(c.ints("a_dilation")), ", rhs_dilation = ", I64s(c.ints("b_dilation")),
             ", dimension_numbers = #stablehlo.conv<[b, ", axes, "f]x[", axes, "i, o]->[b, ", axes,
             "f]>, feature_group_count = ", groups, " : i64, batch_group_count = 1 : i64, ", kPrecise));
  return {e.Reshape(out, y)};
}

}  // namespace reel::stablehlo
