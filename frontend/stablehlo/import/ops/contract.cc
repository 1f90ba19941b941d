#include <algorithm>

#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "ir/strings.h"
#include "reel/products.h"

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;
using Kind = Attribute::Kind;

// The dtype in which a product is: the wider one of its operands and its result.
DType ProductType(const Context& c) {
  const DType to = c.type().dtype, from = c.x(0).dtype();
  if (c.x(1).dtype() != from && !IsFloat(from)) Refuse("of two dtypes");
  return SizeOf(to) > SizeOf(from) || IsHalf(from) ? (SizeOf(to) >= SizeOf(from) ? to : from) : from;
}

Ints DotAxes(const Context& c, std::string_view generic, std::string_view pretty) {
  const Attribute* numbers = c.op().Find("dot_dimension_numbers");
  return c.ReadInts(numbers ? numbers->Find(generic) : c.op().Find(pretty), generic);
}

Values ReadDotGeneral(const Context& c) {
  const Ints a_batch = DotAxes(c, "lhs_batching_dimensions", "lhs_batching_dims"),
             b_batch = DotAxes(c, "rhs_batching_dimensions", "rhs_batching_dims"),
             a_contract = DotAxes(c, "lhs_contracting_dimensions", "lhs_contracting_dims"),
             b_contract = DotAxes(c, "rhs_contracting_dimensions", "rhs_contracting_dims");
  const DType dtype = ProductType(c);
  const Tensor product =
      Dispatch(ir::Op::kContract, {Cast(c.x(0), dtype), Cast(c.x(1), dtype)},
               {{"a_batch", a_batch}, {"b_batch", b_batch}, {"a_contract", a_contract}, {"b_contract", b_contract}});
  return {Cast(product, c.type().dtype)};
}

// Of vectors and matrices.
Values ReadDot(const Context& c) {
  const DType dtype = ProductType(c);
  if (c.x(0).rank() < 1 || c.x(1).rank() < 1) Malformed("its operands are vectors or matrices");
  const Tensor product = Dispatch(
      ir::Op::kContract, {Cast(c.x(0), dtype), Cast(c.x(1), dtype)},
      {{"a_batch", Ints()}, {"b_batch", Ints()}, {"a_contract", Ints{c.x(0).rank() - 1}}, {"b_contract", Ints{0}}});
  return {Cast(product, c.type().dtype)};
}

Values ReadEinsum(const Context& c) { return {Einsum(c.Word("einsum_config"), c.All())}; }

// Where the two named axes of a layout stand, then the spatial ones in order.
Ints Layout(const Attribute& list, const char* first, const char* second) {
  const auto spatial = static_cast<int64_t>(list.list.size()) - 2;
  Ints out(list.list.size(), -1);
  for (size_t i = 0; i < list.list.size(); ++i) {
    const Attribute& name = list.list[i];
    size_t to = out.size();
    if (name.kind == Kind::kWord) to = name.text == first ? 0 : name.text == second ? 1 : to;
    if (name.kind == Kind::kInt && name.integer >= 0 && name.integer < spatial)
      to = static_cast<size_t>(name.integer) + 2;
    if (to >= out.size() || out[to] >= 0) Malformed("dimension_numbers do not name every axis once");
    out[to] = static_cast<int64_t>(i);
  }
  return out;
}

// From fields such as input_batch_dimension, of the record's other form.
Ints FieldLayout(const Context& c, const Attribute& numbers, std::string_view first, std::string_view second,
                 std::string_view spatial) {
  Ints out;
  for (const std::string_view name : {first, second}) {
    const Attribute* field = numbers.Find(name);
    if (!field || field->kind != Kind::kInt) Malformed(StrCat("dimension_numbers lack ", name));
    out.push_back(field->integer);
  }
  for (const int64_t axis : c.ReadInts(numbers.Find(spatial), spatial)) out.push_back(axis);
  return out;
}

struct ConvolutionLayout {
  Ints input, filter, result;  // batch or output first, then features, then spatial axes
};

ConvolutionLayout LayoutOf(const Context& c) {
  const Attribute* numbers = c.op().Find("dimension_numbers");
  if (!numbers) Malformed("the attribute dimension_numbers is missing");
  ConvolutionLayout out;
  if (numbers->kind == Kind::kRecord) {
    out.input =
        FieldLayout(c, *numbers, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions");
    out.filter = FieldLayout(c, *numbers, "kernel_output_feature_dimension", "kernel_input_feature_dimension",
                             "kernel_spatial_dimensions");
    out.result =
        FieldLayout(c, *numbers, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions");
  } else {
    if (numbers->list.size() != 3) Malformed("dimension_numbers are no [..]x[..]->[..]");
    out.input = Layout(numbers->list[0], "b", "f");
    out.filter = Layout(numbers->list[1], "o", "i");
    out.result = Layout(numbers->list[2], "b", "f");
  }
  for (const Ints* list : {&out.input, &out.filter, &out.result}) {
    CheckAxes(*list, c.x(0).rank(), "dimension_numbers");
    if (list->size() != static_cast<size_t>(c.x(0).rank())) Malformed("dimension_numbers do not name all axes");
  }
  if (c.x(1).rank() != c.x(0).rank() || c.x(0).rank() < 2) Malformed("input and filter differ in rank");
  return out;
}

// Axis `axis` as [parts, rest].
Tensor Split(const Tensor& x, int axis, int64_t parts) {
  Shape shape = x.shape();
  const int64_t extent = shape.dim(axis);
  if (parts < 1 || extent % parts != 0) Malformed(StrCat(parts, " groups do not divide an extent of ", extent));
  shape.set(axis, parts);
  shape.insert(axis + 1, extent / parts);
  return Reshaped(x, shape);
}

// Axes `axis` and axis + 1 as one.
Tensor Join(const Tensor& x, int axis) {
  Shape shape = x.shape();
  shape.set(axis, shape.dim(axis) * shape.dim(axis + 1));
  shape.erase(axis + 1);
  return Reshaped(x, shape);
}

Tensor MoveTo(const Tensor& x, int from, int to) {
  Ints order;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i != from) order.push_back(i);
  }
  order.insert(order.begin() + to, from);
  return Transposed(x, order);
}

// [b, f, s...] of a layout as [b, s..., f].
Tensor ChannelsLast(const Tensor& x, const Ints& layout) {
  Ints order{layout[0]};
  order.insert(order.end(), layout.begin() + 2, layout.end());
  order.push_back(layout[1]);
  return Transposed(x, order);
}

// Reel's op has a[n, s..., g, c], b[k..., g, c, o] and 1 to 3 spatial axes.
Values ReadConvolution(const Context& c) {
  ConvolutionLayout layout = LayoutOf(c);
  const size_t spatial = layout.input.size() - 2;
  if (spatial > 3) Refuse(StrCat("of ", spatial, " spatial axes; there may be 3"));
  const int64_t features = c.Int("feature_group_count", 1), batches = c.Int("batch_group_count", 1);
  const DType dtype = ProductType(c);
  Tensor a = ChannelsLast(Cast(c.x(0), dtype), layout.input);                    // [b, s..., f]
  Tensor b =
      MoveTo(ChannelsLast(Cast(c.x(1), dtype), layout.filter), 0, static_cast<int>(spatial) + 1);  // [k..., i, o]
  const Ints ones(std::max<size_t>(spatial, 1), 1);
  const auto per_axis = [&](std::string_view name) {
    Ints list = c.ReadInts(name, Ints(spatial, 1));
    if (list.size() != spatial) Malformed(StrCat(name, " are not one for each spatial axis"));
    if (spatial == 0) list = {1};
    return list;
  };
  const Ints reversed = c.ReadInts("window_reversal", Ints(spatial, 0));
  Ints flipped, low, high;
  for (size_t i = 0; i < reversed.size() && i < spatial; ++i) {
    if (reversed[i]) flipped.push_back(static_cast<int64_t>(i));
  }
  if (!flipped.empty()) b = Dispatch(ir::Op::kReverse, {b}, {{"axes", flipped}});
  for (const auto& [before, after] : c.Pairs("padding", spatial)) low.push_back(before), high.push_back(after);
  if (spatial == 0) {  // a product of matrices: one place
    Shape x = a.shape(), k = b.shape();
    x.insert(1, 1), k.insert(0, 1);
    a = Reshaped(a, x), b = Reshaped(b, k);
    low = high = {0};
  }
  const int s = static_cast<int>(ones.size());
  if (batches > 1) {
    a = MoveTo(Split(a, 0, batches), 0, s + 1);        // [n, s..., g, c]
    b = MoveTo(Split(b, s + 1, batches), s + 1, s);    // [k..., g, c, o]
  } else {
    a = Split(a, s + 1, features);
    b = MoveTo(Split(b, s + 1, features), s + 1, s);
  }
  Tensor y = Dispatch(ir::Op::kConv, {a, b},
                      {{"strides", per_axis("window_strides")},
                       {"low", low},
                       {"high", high},
                       {"a_dilation", per_axis("lhs_dilation")},
                       {"b_dilation", per_axis("rhs_dilation")}});
  y = Join(y, s + 1);
  if (spatial == 0) {
    Shape shape = y.shape();
    shape.erase(1);
    y = Reshaped(y, shape);
  }
  Ints order(layout.result.size());  // of [b, s..., f] in the result's layout
  order[static_cast<size_t>(layout.result[0])] = 0;
  order[static_cast<size_t>(layout.result[1])] = static_cast<int64_t>(spatial) + 1;
  for (size_t i = 0; i < spatial; ++i) order[static_cast<size_t>(layout.result[i + 2])] = static_cast<int64_t>(i) + 1;
  return {Cast(Transposed(y, order), c.type().dtype)};
}

constexpr ImportRow kContractRows[] = {
    {"stablehlo.convolution", ReadConvolution, "of up to 3 spatial axes"},
    {"stablehlo.dot", ReadDot},
    {"stablehlo.dot_general", ReadDotGeneral},
    {"stablehlo.einsum", ReadEinsum},
    {"stablehlo.unary_einsum", ReadEinsum},
};

}  // namespace

absl::Span<const ImportRow> ContractRows() { return kContractRows; }

}  // namespace reel::stablehlo::reading
