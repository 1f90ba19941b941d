#include "passes/gradient/rules/window.h"

#include "passes/gradient/rule.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

constexpr int64_t kFewElements = 32;  // of a window, which are padded and added one by one

// Pads and cuts the axis of x, at its end, to an extent. The other axes may be symbolic.
Value Fit(ir::Builder& b, Value x, int axis, int64_t extent) {
  const Type type = b.type(x);
  const int64_t have = type.shape.dim(axis);
  if (have == extent) return x;
  const Ints zeros(AxisIndex(type.shape.rank()), 0), ones(AxisIndex(type.shape.rank()), 1);
  if (have < extent) {
    Ints high = zeros;
    high[AxisIndex(axis)] = extent - have;
    return b.Pad(x, b.Scalar(type.dtype, 0), zeros, high, zeros);
  }
  Ints limits;
  for (Extent e : type.shape) limits.push_back(e.is_constant() ? e.value() : -1);
  limits[AxisIndex(axis)] = extent;
  return b.Slice(x, zeros, limits, ones);
}

// x[rest..., size, windows]: row k is spread by the stride and shifted by k * dilation, then the
// rows are added. A row of length extent + dilation, written one after the other and cut again
// every extent elements, moves by dilation a row: all in linear size, by ops that only move
// elements.
Value OverlapAdd(ir::Builder& b, Value x, int64_t extent, int64_t stride, int64_t dilation) {
  const Shape shape = b.shape(x);
  const int last = shape.rank() - 1;
  const int64_t size = shape.dim(last - 1), windows = shape.dim(last);
  Ints low(AxisIndex(shape.rank()), 0), interior = low, high = low;
  interior[AxisIndex(last)] = stride - 1;
  high[AxisIndex(last)] = extent + dilation - ((windows - 1) * stride + 1);
  x = b.Pad(x, b.Scalar(b.type(x).dtype, 0), low, high, interior);
  Shape flat, cut;
  for (int i = 0; i + 1 < last; ++i) flat.push_back(shape[i]);
  cut = flat;
  flat.push_back(size * (extent + dilation));
  cut.push_back(size);
  cut.push_back(extent);
  x = b.Reshape(Fit(b, b.Reshape(x, flat), last - 1, size * extent), cut);
  return b.ReduceSum(x, {last - 1});
}

// The transpose of overlapping windows along one axis, whose elements are `element`.
Value CloseAxis(ir::Builder& b, Value x, int axis, int element, const ir::Builder::Windows& w, size_t i,
                int64_t extent) {
  const int rank = b.shape(x).rank();
  Ints order, back;
  for (int k = 0; k < rank; ++k) {
    if (k != axis && k != element) order.push_back(k);
  }
  order.push_back(element);
  order.push_back(axis);
  const int64_t stride = b.shape(x).dim(axis) == 1 ? 1 : w.strides[i];  // of one window it may be anything
  x = OverlapAdd(b, b.Transpose(x, order), extent, stride, w.dilations[i]);
  for (int k = 0; k + 1 < rank; ++k) back.push_back(k < axis ? k : k == axis ? rank - 2 : k - 1);
  return b.Transpose(x, back);
}

// Of parts that SideBySide (reduce.cc) has put along a new last axis, each by itself; none if x is something else.
std::vector<Value> StackedParts(const ir::Function& f, Value x, int64_t count) {
  std::vector<Value> parts(static_cast<size_t>(count));
  if (const ir::Node* node = f.producer(x); node && node->op == Op::kReshape) x = node->operands[0];
  const int64_t last = f.type(x).shape.rank() - 1;
  if (last < 0 || !(f.type(x).shape[static_cast<int>(last)] == Extent(count))) return {};
  const auto shown = [&](Value v) {
    const ir::Node* node = f.producer(v);
    const bool behind =
        node && node->op == Op::kBroadcast && static_cast<int64_t>(node->attr<Ints>("axes").size()) == last;
    return behind && ir::IsIdentity(node->attr<Ints>("axes")) ? node->operands[0] : Value();
  };
  for (;;) {
    const ir::Node* select = f.producer(x);
    if (!select || select->op != Op::kSelect) break;
    const ir::Node* equal = f.producer(select->operands[0]);
    const ir::Node* iota = equal && equal->op == Op::kEqual ? f.producer(equal->operands[0]) : nullptr;
    if (!iota || iota->op != Op::kIota || iota->attr<int64_t>("axis") != last) return {};
    const auto at = SplatOf(f, equal->operands[1]);
    if (!at || !IsInteger(at->dtype()) || at->AsInt(0) < 0 || at->AsInt(0) >= count) return {};
    Value& part = parts[static_cast<size_t>(at->AsInt(0))];
    if (!part.valid()) part = shown(select->operands[1]);
    x = select->operands[2];
  }
  for (Value& part : parts) {
    if (!part.valid()) part = shown(x);
    if (!part.valid()) return {};
  }
  return parts;
}

// Along some axes, of the spread of a part: what is put around it and between its elements.
struct Spread {
  Ints low, high, interior;
};

// The part with zeros where it has nothing. A choice by a position, select(position == k, v, 0), is made after that, so
// that neither is stored for each k: no k is -1.
Value PadPart(ir::Builder& b, Value part, const Spread& s) {
  const auto padded = [&](Value v, double value) {
    return b.Pad(v, b.Scalar(b.type(v).dtype, value), s.low, s.high, s.interior);
  };
  const ir::Function& f = *b.function();
  const ir::Node* select = f.producer(part);
  const ir::Node* equal = select && select->op == Op::kSelect ? f.producer(select->operands[0]) : nullptr;
  if (equal && equal->op == Op::kEqual) {
    const Value position = equal->operands[0], v = select->operands[1], otherwise = select->operands[2];
    const auto k = SplatOf(f, equal->operands[1]), zero = SplatOf(f, otherwise);
    const bool fits = k && k->dtype() == kInt32 && k->AsInt(0) >= 0 && zero &&
                      *zero == ir::Literal::Scalar(b.type(otherwise).dtype, 0);
    if (fits) {
      const double number = static_cast<double>(k->AsInt(0));
      const Value at = padded(position, -1), value = padded(v, 0);
      const Value here = b.Equal(at, b.ScalarLike(at, number));
      return b.Select(here, value, b.ScalarLike(value, 0));
    }
  }
  return padded(part, 0);
}

// From the first to the last, as a reduction adds few rows; halves are added in f32, and rounded once.
Value SumOf(ir::Builder& b, const Value* parts, int64_t count) {
  const DType dtype = b.type(parts[0]).dtype;
  const bool half = IsFloat(dtype) && SizeOf(dtype) < 4;
  const auto wide = [&](Value v) { return half ? b.Cast(v, kFloat32) : v; };
  Value sum = wide(parts[0]);
  for (int64_t k = 1; k < count; ++k) {
    const Value next = wide(parts[k]);
    sum = b.Add(sum, next);
  }
  return half ? b.Cast(sum, dtype) : sum;
}

// The transpose of overlapping windows along the axes `over` of w, of few elements: each element's part is spread to
// the places that it has in x, and these are added, along the last axis first.
Value AddParts(ir::Builder& b, Value x, const ir::Builder::Windows& w, const std::vector<size_t>& over,
               const Shape& shape) {
  Ints elements;
  int64_t count = 1;
  for (size_t i : over) {
    elements.push_back(shape.rank() + static_cast<int64_t>(i));
    count *= w.sizes[i];
  }
  std::vector<Value> parts;
  if (over.size() == w.axes.size()) parts = StackedParts(*b.function(), x, count);
  if (parts.empty()) parts = b.Elements(x, elements);
  for (size_t e = 0; e < parts.size(); ++e) {
    const Shape from = b.shape(parts[e]);
    Spread s;
    s.low = s.high = s.interior = Ints(AxisIndex(from.rank()), 0);
    auto rest = static_cast<int64_t>(e);
    for (size_t k = over.size(); k-- > 0;) {
      const size_t i = over[k], axis = static_cast<size_t>(w.axes[i]);
      const int64_t windows = from.dim(static_cast<int>(axis)), stride = windows == 1 ? 1 : w.strides[i];
      s.low[axis] = rest % w.sizes[i] * w.dilations[i];
      s.interior[axis] = stride - 1;
      s.high[axis] = shape.dim(static_cast<int>(axis)) - (s.low[axis] + (windows - 1) * stride + 1);
      rest /= w.sizes[i];
    }
    parts[e] = PadPart(b, parts[e], s);
  }
  for (size_t k = over.size(); k-- > 0;) {
    const int64_t size = w.sizes[over[k]];
    std::vector<Value> sums;
    for (size_t e = 0; e < parts.size(); e += static_cast<size_t>(size)) sums.push_back(SumOf(b, &parts[e], size));
    parts = std::move(sums);
  }
  return parts[0];
}

// The transpose of windows that do not overlap: each is padded to its stride and takes its place.
Value LayAll(ir::Builder& b, Value x, const ir::Builder::Windows& w, const Shape& shape) {
  const int rank = shape.rank();
  Ints order;
  Shape merged;
  for (int a = 0; a < rank; ++a) {
    order.push_back(a);
    Extent extent = b.shape(x)[a];
    for (size_t i = 0; i < w.axes.size(); ++i) {
      if (w.axes[i] != a) continue;
      const int64_t stride = extent == Extent(1) ? w.sizes[i] : w.strides[i];
      x = Fit(b, x, rank + static_cast<int>(i), stride);
      order.push_back(rank + static_cast<int64_t>(i));
      extent = extent.value() * stride;
    }
    merged.push_back(extent);
  }
  x = b.Reshape(b.Transpose(x, order), merged);
  for (int64_t a : w.axes) x = Fit(b, x, static_cast<int>(a), shape.dim(static_cast<int>(a)));
  return x;
}

}  // namespace

bool WindowsOverlap(const ir::Node& window, size_t i, int64_t windows) {
  const auto of = [&](const char* name) { return window.attr<Ints>(name)[i]; };
  return (of("dilations") != 1 && of("sizes") != 1) || (windows != 1 && of("sizes") > of("strides"));
}

// Every element gets the sum of what the windows that show it got.
GRAD(Window, kNone, kNone) {
  const ir::Node& node = g.node();
  const ir::Builder::Windows w{node.attr<Ints>("axes"), node.attr<Ints>("sizes"), node.attr<Ints>("strides"),
                               node.attr<Ints>("dilations")};
  const Shape shape = g.x_shape();
  if (g.y_type().shape.has_zero()) return g.Set(0, b.Zeros(g.x_type()));
  Value x = g.dy();
  std::vector<size_t> over;
  int64_t elements = 1;
  for (size_t i = 0; i < w.axes.size(); ++i) {
    if (!WindowsOverlap(node, i, g.y_type().shape.dim(static_cast<int>(w.axes[i])))) continue;
    over.push_back(i);
    elements = std::min(elements, kFewElements) * std::min(w.sizes[i], kFewElements + 1);
  }
  if (!over.empty() && elements <= kFewElements) {
    x = AddParts(b, x, w, over, shape);
  } else {
    for (size_t k = over.size(); k-- > 0;) {
      const auto axis = static_cast<int>(w.axes[over[k]]);
      const int element = shape.rank() + static_cast<int>(over[k]);
      x = w.sizes[over[k]] <= kFewElements ? AddParts(b, x, w, {over[k]}, shape)
                                           : CloseAxis(b, x, axis, element, w, over[k], shape.dim(axis));
    }
  }
  ir::Builder::Windows apart = w;
  for (size_t k = over.size(); k-- > 0;) {
    for (Ints* list : {&apart.axes, &apart.sizes, &apart.strides, &apart.dilations}) {
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(over[k]));
    }
  }
  g.Set(0, LayAll(b, x, apart, shape));
}

}  // namespace reel::passes
