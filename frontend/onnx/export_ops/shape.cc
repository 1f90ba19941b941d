#include <algorithm>
#include <limits>

#include "frontend/onnx/export_node.h"

// Shapes, windows, positions.

namespace reel::onnx {
namespace {

constexpr int64_t kBeforeStart = std::numeric_limits<int64_t>::min();

void Constant(const Site& s) { s.Set(s.w().Constant(s.node.attr<ir::Literal>("value"))); }

void Reshape(const Site& s) { s.Set(s.w().Reshape(s.x(), s.result().shape)); }

void Transpose(const Site& s) { s.Set(s.w().Transpose(s.x(), s.ints("permutation"))); }

void Slice(const Site& s) {
  Ints starts, ends, axes, steps;
  for (int k = 0; k < s.shape().rank(); ++k) {
    const auto i = static_cast<size_t>(k);
    const int64_t start = s.ints("starts")[i], limit = s.ints("limits")[i], step = s.ints("strides")[i];
    const Extent extent = s.shape()[k];
    if (!extent.is_constant() || (start == 0 && step == 1 && limit == extent.value())) continue;
    axes.push_back(k);
    starts.push_back(start);
    ends.push_back(limit);
    steps.push_back(step);
  }
  s.Set(axes.empty() ? s.x() : s.w().Slice(s.x(), starts, ends, axes, steps));
}

// Extents of 1 where it repeats; the rest is written where somebody reads all of it.
void Broadcast(const Site& s) {
  const Ints& axes = s.ints("axes");
  bool whole;
  Val x = s.frame.Thin(s.node.operands[0], &whole);
  if (s.result().shape == s.shape() && whole) return s.Set(x);
  if (!whole && s.shape().rank() != s.result().shape.rank()) x = s.x();
  Ints missing;
  for (int64_t k = 0; k < s.result().shape.rank(); ++k) {
    if (std::find(axes.begin(), axes.end(), k) == axes.end()) missing.push_back(k);
  }
  s.frame.SetThin(s.node.result(), s.shape().rank() == 0 ? x : s.w().Unsqueeze(x, missing));
}

// Copies of the scalar between the elements of an axis: after each one as an axis of its own, without those after the
// last.
Val PadInside(GraphWriter& w, const Val& x, const Val& value, Shape* shape, int axis, int64_t interior) {
  const int64_t extent = shape->dim(axis);
  if (interior == 0 || extent < 2) return x;
  Shape apart = *shape;
  apart.insert(axis + 1, 1);
  Ints pads(static_cast<size_t>(apart.rank()) * 2, 0);
  pads[static_cast<size_t>(apart.rank() + axis + 1)] = interior;
  const Val padded = w.Same("Pad", {w.Reshape(x, apart), w.List(pads), value});
  shape->set(axis, extent * (interior + 1));
  const Val joined = w.Reshape(padded, *shape);
  shape->set(axis, extent * (interior + 1) - interior);
  return w.Slice(joined, {0}, {shape->dim(axis)}, {axis}, {1});
}

void Pad(const Site& s) {
  GraphWriter& w = s.w();
  const Ints &low = s.ints("low"), &high = s.ints("high"), &interior = s.ints("interior");
  Val x = s.x(0);
  const Val value = s.x(1);
  Shape shape = s.shape();
  for (int k = 0; k < shape.rank(); ++k) {
    if (shape[k].is_constant()) x = PadInside(w, x, value, &shape, k, interior[static_cast<size_t>(k)]);
  }
  Ints pads = low;
  pads.insert(pads.end(), high.begin(), high.end());
  if (std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; }))
    x = w.Same("Pad", {x, w.List(pads), value});
  s.Set(x);
}

std::string WhyNoPad(const Asked& a) {
  const Ints& interior = a.node.attr<Ints>("interior");
  for (int k = 0; k < a.type().shape.rank(); ++k) {
    if (!a.type().shape[k].is_constant() && interior[static_cast<size_t>(k)] != 0)
      return "elements between those of a symbolic extent; give the extent a number";
  }
  return "";
}

void Reverse(const Site& s) {
  const Ints& axes = s.ints("axes");
  if (axes.empty()) return s.Set(s.x());
  s.Set(s.w().Slice(s.x(), Ints(axes.size(), -1), Ints(axes.size(), kBeforeStart), axes, Ints(axes.size(), -1)));
}

void Iota(const Site& s) {
  GraphWriter& w = s.w();
  const Shape& shape = s.result().shape;
  const auto axis = static_cast<int>(s.axis());
  const Val count = w.One("Squeeze", {w.ExtentOf(shape[axis])}, kInt64);
  const Val places = w.One("Range", {w.ScalarInt(kInt64, 0), count, w.ScalarInt(kInt64, 1)}, kInt64);
  Ints others;
  for (int k = 0; k < shape.rank(); ++k) {
    if (k != axis) others.push_back(k);
  }
  s.frame.SetThin(s.node.result(), w.Unsqueeze(w.Cast(places, s.result().dtype), others));
}

// Every axis becomes its windows and their elements, by a gather of both; then the elements go to the end.
void Window(const Site& s) {
  GraphWriter& w = s.w();
  const Ints& axes = s.ints("axes");
  Val x = s.x();
  const int rank = s.shape().rank();
  std::vector<int64_t> at(static_cast<size_t>(rank));  // where an axis stands now
  for (int k = 0; k < rank; ++k) at[static_cast<size_t>(k)] = k;
  Ints elements(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const int64_t count = s.result().shape.dim(static_cast<int>(axis)), size = s.ints("sizes")[i];
    Ints places;
    for (int64_t n = 0; n < count; ++n) {
      for (int64_t k = 0; k < size; ++k) places.push_back(n * s.ints("strides")[i] + k * s.ints("dilations")[i]);
    }
    const Val indices = w.Constant(ir::Literal::From<int64_t>({count, size}, places));
    x = w.One("Gather", {x, indices}, x.dtype, {Int("axis", at[axis])});
    elements[i] = at[axis] + 1;
    for (size_t k = 0; k < at.size(); ++k) at[k] += at[k] > at[axis] ? 1 : 0;
    for (size_t k = 0; k < i; ++k) elements[k] += elements[k] > at[axis] ? 1 : 0;
  }
  at.insert(at.end(), elements.begin(), elements.end());
  s.Set(w.Transpose(x, at));
}

std::string WhyNoWindow(const Asked& a) {
  for (const int64_t axis : a.node.attr<Ints>("axes")) {
    if (!a.type().shape[static_cast<int>(axis)].is_constant())
      return "windows along a symbolic extent; give the extent a number";
  }
  return "";
}

constexpr ExportRow kRows[] = {
    {ir::Op::kConstant, Constant, "initializer"},
    {ir::Op::kReshape, Reshape, "Reshape"},
    {ir::Op::kTranspose, Transpose, "Transpose"},
    {ir::Op::kSlice, Slice, "Slice"},
    {ir::Op::kBroadcast, Broadcast, "Unsqueeze, Expand", "elementwise ops stretch extents of 1 themselves"},
    {ir::Op::kPad, Pad, "Pad", "between elements by Reshape, Pad, Slice", WhyNoPad},
    {ir::Op::kReverse, Reverse, "Slice", "with steps of -1"},
    {ir::Op::kIota, Iota, "Range"},
    {ir::Op::kWindow, Window, "Gather, Transpose", "along constant extents", WhyNoWindow},
};

}  // namespace

ExportRows ShapeExports() { return kRows; }

}  // namespace reel::onnx
