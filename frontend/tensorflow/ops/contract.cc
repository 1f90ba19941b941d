#include <algorithm>

#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/slices.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

using Ints = std::vector<int64_t>;

// A letter per axis: the first for batch, then for what is contracted, then for the others.
std::string Equation(const OpContext& c) {
  const Shape &a = c.x[0].type.shape, &b = c.x[1].type.shape;
  std::string left(static_cast<size_t>(a.rank()), ' '), right(static_cast<size_t>(b.rank()), ' '), out;
  char next = 'a';
  const auto pair = [&](const Ints& of_a, const Ints& of_b, bool kept) {
    for (size_t i = 0; i < of_a.size(); ++i) {
      left[static_cast<size_t>(of_a[i])] = right[static_cast<size_t>(of_b[i])] = next;
      if (kept) out += next;
      ++next;
    }
  };
  pair(c.ints("a_batch"), c.ints("b_batch"), true);
  pair(c.ints("a_contract"), c.ints("b_contract"), false);
  for (std::string* side : {&left, &right}) {
    for (char& letter : *side) {
      if (letter != ' ') continue;
      letter = next++;
      out += letter;
    }
  }
  return StrCat(left, ",", right, "->", out);
}

bool IsMatrixProduct(const OpContext& c) {
  return c.x[0].type.shape.rank() == 2 && c.x[1].type.shape.rank() == 2 && c.ints("a_batch").empty() &&
         c.ints("a_contract").size() == 1;
}

Value Product(const OpContext& c, const Value& a, const Value& b) {
  const Type type{a.type.dtype, c.type().shape};
  if (!IsMatrixProduct(c)) {
    return c.e.Emit("Einsum", {a, b}, type, {{"equation", Equation(c)}, {"N", int64_t{2}}});
  }
  const bool a_turned = c.ints("a_contract")[0] == 0, b_turned = c.ints("b_contract")[0] == 1;
  return c.e.Emit("MatMul", {a, b}, type, {{"transpose_a", a_turned}, {"transpose_b", b_turned}});
}

}  // namespace

// Sums of integers wrap: those of i64 have the right low bits.
HANDLER(Contract) {
  const DType dtype = c.type().dtype;
  if (!IsInteger(dtype)) return {Product(c, c.x[0], c.x[1])};
  return {c.e.Convert(Product(c, c.e.Convert(c.x[0], kInt64), c.e.Convert(c.x[1], kInt64)), dtype)};
}

// Groups are a part of the channels: a[n, s..., g c], b[k..., c, g o]. One spatial axis gets another of extent 1.
HANDLER(Conv) {
  Emitter& e = c.e;
  const Shape &a = c.x[0].type.shape, &b = c.x[1].type.shape, &y = c.type().shape;
  const int spatial = a.rank() - 3;
  const bool line = spatial == 1;
  const DType dtype = c.type().dtype;
  if (a.has_zero() || b.has_zero()) return {e.BroadcastTo(e.Scalar(dtype, 0), y)};  // sums of nothing
  const bool grouped = b[spatial] != Extent(1);  // else channels may be symbols
  if (grouped) NeedNumbers(c, Shape{b[spatial], b[spatial + 1], b[spatial + 2]});
  const auto joined = [&](int axis) { return grouped ? Extent(b.dim(spatial) * b.dim(axis)) : b[axis]; };
  Padding padding{{0}, {0}, {0}};
  Shape input, filter, result{y[0]};
  Ints order, strides{1}, dilations{1};
  for (int i = 0; i < spatial; ++i) {
    const auto at = static_cast<size_t>(i);
    padding.low.push_back(c.ints("low")[at]);
    padding.high.push_back(c.ints("high")[at]);
    padding.interior.push_back(c.ints("a_dilation")[at] - 1);
    strides.push_back(c.ints("strides")[at]);
    dilations.push_back(c.ints("b_dilation")[at]);
    filter.push_back(b[i]);
    result.push_back(y[i + 1]);
    order.push_back(i);
  }
  for (Ints* ints : {&padding.low, &padding.high, &padding.interior}) ints->insert(ints->end(), {0, 0});
  for (Ints* ints : {&strides, &dilations}) ints->push_back(1);
  for (const int axis : {spatial + 1, spatial, spatial + 2}) order.push_back(axis);
  const Value padded = PadOf(e, c.x[0], e.Scalar(dtype, 0), padding);
  for (int i = 0; i <= spatial; ++i) input.push_back(padded.type.shape[i]);
  input.push_back(joined(spatial + 1));
  filter.push_back(b[spatial + 1]);
  filter.push_back(joined(spatial + 2));
  result.push_back(joined(spatial + 2));
  if (line) {
    input.insert(1, 1);
    filter.insert(0, 1);
    result.insert(1, 1);
    strides.insert(strides.begin(), 1);
    dilations.insert(dilations.begin(), 1);
  }
  const Value kernel = !grouped ? c.x[1] : e.Transpose(c.x[1], order);
  const Value out =
      e.Emit(spatial == 3 ? "Conv3D" : "Conv2D", {e.Reshape(padded, input), e.Reshape(kernel, filter)}, {dtype, result},
             {{"strides", strides},
              {"dilations", dilations},
              {"padding", std::string("VALID")},
              {"data_format", std::string(spatial == 3 ? "NDHWC" : "NHWC")}});
  return {e.Reshape(out, y)};
}

}  // namespace reel::tensorflow
