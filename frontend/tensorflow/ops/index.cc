#include <limits>

#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/order.h"
#include "frontend/tensorflow/slices.h"

namespace reel::tensorflow {
namespace {

using ir::Op;
using Ints = std::vector<int64_t>;

// Whether i64 indices are in [0, extent).
Value IsPlace(Emitter& e, const Value& indices, Extent extent) {
  return e.And(e.Compare("GreaterEqual", indices, e.ScalarInt(kInt64, 0)),
               e.Compare("Less", indices, e.ExtentOf(extent)));
}

// x[outer..., m, inner...] at i64 indices[k...]: [outer..., k..., inner...].
Value RowsAt(Emitter& e, const Value& x, const Value& indices, int axis) {
  Type type = x.type;
  type.shape.erase(axis);
  for (int i = 0; i < indices.type.shape.rank(); ++i) type.shape.insert(axis + i, indices.type.shape[i]);
  return e.Emit("GatherV2", {x, indices, e.ScalarInt(kInt32, axis)}, type, {{"batch_dims", int64_t{0}}});
}

// A mask of an axis, with axes of extent 1 behind for `inner` others.
Value Column(Emitter& e, const Value& mask, int inner) {
  Shape shape = mask.type.shape;
  for (int i = 0; i < inner; ++i) shape.push_back(1);
  return e.Reshape(mask, shape);
}

// [axis, others...] of a rank, or its inverse.
Ints AxisFirst(int rank, int axis, bool inverse) {
  Ints out;
  if (!inverse) out.push_back(axis);
  for (int i = 0; i < rank - (inverse ? 0 : 1); ++i) {
    if (inverse) {
      out.push_back(i == axis ? 0 : i < axis ? i + 1 : i);
    } else {
      out.push_back(i < axis ? i : i + 1);
    }
  }
  return out;
}

// Slices of [outer..., k..., inner...] as [k..., outer..., inner...].
Value IndicesFirst(Emitter& e, const Value& rows, int axis, int indices) {
  Ints order;
  for (int i = 0; i < indices; ++i) order.push_back(axis + i);
  for (int i = 0; i < rows.type.shape.rank(); ++i) {
    if (i < axis || i >= axis + indices) order.push_back(i);
  }
  return e.Transpose(rows, order);
}

// The number of indices: a symbol stays one where there is no other extent.
Extent CountOf(const OpContext& c, const Shape& indices) {
  if (indices.rank() == 1) return indices[0];
  NeedNumbers(c, indices);
  return indices.size();
}

// What the combination leaves as it is.
Value NeutralOf(Emitter& e, Op op, DType dtype) {
  if (op == Op::kScatterAdd) return IsFloat(dtype) ? e.Scalar(dtype, -0.0) : e.Scalar(dtype, 0);
  return e.ScalarInt(dtype, op == Op::kScatterMax ? LowestInt(dtype) : HighestInt(dtype));
}

struct Scattered {
  Value a, rows;    // [n, others...], [k..., others...]
  Value ids, good;  // [k...]
};

// TensorScatterAdd and its like; what is out of range leaves row 0 as it is.
Value Combined(const OpContext& c, const Scattered& s) {
  Emitter& e = c.e;
  const int inner = s.a.type.shape.rank() - 1;
  if (c.node.op == Op::kScatterMul) {  // there is no TensorScatterMul; a negative index is dropped
    const Value ids = e.Select(s.good, s.ids, e.ScalarInt(kInt64, -1));
    return e.Mul(s.a, e.Emit(c.said, {s.rows, ids, e.ExtentOf(s.a.type.shape[0])}, s.a.type));
  }
  const Value kept = e.Select(Column(e, s.good, inner), s.rows, NeutralOf(e, c.node.op, s.a.type.dtype));
  const Value ids = Column(e, e.Select(s.good, s.ids, e.ScalarInt(kInt64, 0)), 1);
  return e.Emit(c.said, {s.a, ids, kept}, s.a.type);
}

}  // namespace

HANDLER(Gather) {
  Emitter& e = c.e;
  const int axis = static_cast<int>(c.attr_int("axis"));
  const Value &a = c.x[0], indices = e.Convert(c.x[1], kInt64);
  const Value zero = e.Constant(ir::Literal::Zeros({c.type().dtype, {}}));
  if (a.type.shape[axis] == Extent(0)) return {e.BroadcastTo(zero, c.type().shape)};  // nothing is in range
  const Value good = IsPlace(e, indices, a.type.shape[axis]);
  const Value rows = RowsAt(e, a, e.Select(good, indices, e.ScalarInt(kInt64, 0)), axis);
  return {e.Select(Column(e, good, a.type.shape.rank() - 1 - axis), rows, zero)};
}

HANDLER(Scatter) {
  Emitter& e = c.e;
  const int axis = static_cast<int>(c.attr_int("axis")), rank = c.x[0].type.shape.rank();
  const DType dtype = c.type().dtype;
  Value ids = e.Convert(c.x[1], kInt64);
  Value rows = IndicesFirst(e, c.x[2], axis, ids.type.shape.rank());
  if (ids.type.shape.rank() == 0) {  // one slice, as a list of one
    Shape list = rows.type.shape;
    list.insert(0, 1);
    ids = e.Reshape(ids, {1});
    rows = e.Reshape(rows, list);
  }
  Scattered s{e.Transpose(c.x[0], AxisFirst(rank, axis, false)), rows, ids, IsPlace(e, ids, c.x[0].type.shape[axis])};
  const bool ordered = IsFloat(dtype) && (c.node.op == Op::kScatterMax || c.node.op == Op::kScatterMin);
  if (ordered) {
    for (Value* x : {&s.a, &s.rows}) *x = OrderedBits(e, *x, c.node.op == Op::kScatterMax);
  }
  Value out = Combined(c, s);
  if (ordered) out = FromOrderedBits(e, out, dtype);
  return {e.Transpose(out, AxisFirst(rank, axis, true))};
}

// Which of equal indices stays is TensorFlow's: the largest place of each is found first.
HANDLER(ScatterSet) {
  Emitter& e = c.e;
  const int axis = static_cast<int>(c.attr_int("axis")), rank = c.x[0].type.shape.rank();
  const Value& a = c.x[0];
  const Shape& places = c.x[1].type.shape;
  const Extent count = CountOf(c, places), extent = a.type.shape[axis];
  if (count == Extent(0)) return {a};
  const Value indices = e.Reshape(e.Convert(c.x[1], kInt64), Shape{count});
  const Value ids = e.Select(IsPlace(e, indices, extent), indices, e.ScalarInt(kInt64, -1));
  const Value zero = e.ScalarInt(kInt64, 0);
  const Value last = e.Emit("UnsortedSegmentMax", {e.Iota({kInt64, Shape{count}}, 0), ids, e.ExtentOf(extent)},
                            {kInt64, Shape{extent}});
  const Value written = e.Compare("GreaterEqual", last, zero);
  Shape listed = a.type.shape;
  listed.set(axis, count);
  const Value rows = RowsAt(e, e.Reshape(c.x[2], listed), e.Binary("Maximum", last, zero), axis);
  return {e.Select(Column(e, written, rank - 1 - axis), rows, a)};
}

HANDLER(DynamicSlice) {
  const int axis = static_cast<int>(c.attr_int("axis"));
  NeedNumbers(c, Shape{c.x[0].type.shape[axis]});
  return {DynamicSliceAxis(c.e, c.x[0], c.x[1], axis, c.attr_int("size"))};
}

HANDLER(DynamicUpdate) {
  const int axis = static_cast<int>(c.attr_int("axis"));
  NeedNumbers(c, Shape{c.x[0].type.shape[axis], c.x[1].type.shape[axis]});
  return {DynamicUpdateAxis(c.e, c.x[0], c.x[1], c.x[2], axis)};
}

}  // namespace reel::tensorflow
