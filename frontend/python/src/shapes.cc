#include "reel/shapes.h"

#include <algorithm>

#include "bind.h"
#include "frontend/values/weak_numbers.h"
#include "register.h"

// Shapes: moving, joining and repeating elements, by the array API's names.

namespace reel::python {
namespace {

nb::object ListOf(std::vector<Tensor> tensors) {
  nb::list out;
  for (Tensor& t : tensors) out.append(Wrap(std::move(t)));
  return out;
}

// Tensors of one dtype.
std::vector<Tensor> Common(std::vector<Tensor> parts) {
  bool same = true;
  for (const Tensor& t : parts) same &= t.dtype() == parts[0].dtype();
  if (same) return parts;
  Tensor sum = Zeros(Shape{0}, parts[0].dtype());
  for (const Tensor& t : parts) sum = Where(Zeros(Shape{0}, kBool), sum, Zeros(Shape{0}, t.dtype()));
  for (Tensor& t : parts) t = Cast(t, sum.dtype());
  return parts;
}

Tensor Joined(TensorList arrays, OptionalInt axis) {
  std::vector<Tensor> parts = Common(arrays.get());
  if (parts.empty()) ThrowInvalid("concat: give at least one tensor");
  if (const std::optional<int64_t> at = axis.get()) return Concat(parts, *at);
  for (Tensor& t : parts) t = Reshape(t, {-1});
  return Concat(parts, 0);
}

Tensor Stacked(TensorList arrays, int64_t axis) {
  const std::vector<Tensor> parts = Common(arrays.get());
  if (parts.empty()) ThrowInvalid("stack: give at least one tensor");
  return Stack(parts, axis);
}

Tensor Permute(TensorLike x, IntsLike axes) { return Transpose(x.operand(), axes.get("permute_dims")); }

Tensor Move(const Tensor& x, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  if (from.size() != to.size()) ThrowInvalid("moveaxis: give as many destinations as sources");
  const int64_t rank = x.rank();
  std::vector<int64_t> order(static_cast<size_t>(rank), -1);
  std::vector<bool> taken(static_cast<size_t>(rank), false);
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t a = from[i] < 0 ? from[i] + rank : from[i], b = to[i] < 0 ? to[i] + rank : to[i];
    if (a < 0 || a >= rank || b < 0 || b >= rank)
      ThrowInvalid("moveaxis: an axis is out of range for rank " + std::to_string(rank));
    if (taken[static_cast<size_t>(a)] || order[static_cast<size_t>(b)] >= 0)
      ThrowInvalid("moveaxis: an axis is given twice");
    taken[static_cast<size_t>(a)] = true;
    order[static_cast<size_t>(b)] = a;
  }
  size_t next = 0;
  for (int64_t& axis : order) {
    if (axis >= 0) continue;
    while (taken[next]) ++next;
    axis = static_cast<int64_t>(next++);
  }
  return Transpose(x, order);
}

Tensor Rolled(TensorLike x, IntsLike shift, IntsLike axis) {
  std::vector<int64_t> shifts = shift.get("roll");
  if (axis.none()) {
    if (shifts.size() != 1) ThrowInvalid("roll: several shifts need as many axes");
    return Roll(x.operand(), shifts[0]);
  }
  const std::vector<int64_t> axes = axis.get("roll");
  if (shifts.size() == 1) shifts.resize(axes.size(), shifts[0]);
  return Roll(x.operand(), shifts, axes);
}

constexpr int64_t kMaxRepeats = int64_t{1} << 28;  // of one element, where each has a count of its own

Tensor Repeated(TensorLike x, nb::handle repeats, OptionalInt axis) {
  Tensor t = x.tensor();
  const std::optional<int64_t> given = axis.get();
  if (!given) t = Reshape(t, {-1});
  const int64_t at = given.value_or(0);
  const std::vector<int64_t> counts = ToInts(repeats, "repeat");
  if (counts.size() == 1) return Repeat(t, counts[0], at);
  std::vector<int64_t> rows;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) ThrowInvalid("repeat: a count is negative");
    if (counts[i] > kMaxRepeats) {
      throw Error(ErrorCode::kResourceExhausted,
                  "repeat: no memory for " + std::to_string(counts[i]) + " repeats" + AtUserLine());
    }
    rows.insert(rows.end(), static_cast<size_t>(counts[i]), static_cast<int64_t>(i));
  }
  const int64_t rank = t.rank(), positive = at < 0 ? at + rank : at;
  if (positive < 0 || positive >= rank ||
      t.shape().dim(static_cast<int>(positive)) != static_cast<int64_t>(counts.size()))
    ThrowInvalid("repeat: give one count, or one for each of the axis's elements");
  return Gather(t, Tensor::FromData(rows, Shape({Extent(static_cast<int64_t>(rows.size()))})), at);
}

// Pairs (before, after) per axis; one pair or one number for all.
Tensor Padded(TensorLike x, nb::handle width, const char* mode, TensorLike value) {
  const Tensor t = x.tensor();
  std::vector<int64_t> low, high;
  const auto rank = static_cast<size_t>(t.rank());
  if (PyIndex_Check(width.ptr()) && !IsTensor(width.ptr())) {
    low.assign(rank, ToInt(width, "pad"));
    high = low;
  } else {
    for (const nb::handle pair : width) {
      std::vector<int64_t> both = ToInts(pair, "pad");
      if (both.size() == 1) both.push_back(both[0]);
      if (both.size() != 2) ThrowInvalid("pad: give a pair (before, after) for every axis");
      low.push_back(both[0]);
      high.push_back(both[1]);
    }
    if (low.size() == 1 && rank > 1) {
      low.resize(rank, low[0]);
      high.resize(rank, high[0]);
    }
  }
  const auto how = ToEnum<std::optional<PadMode>>("pad: mode", mode,
                                                  {{"constant", std::nullopt},
                                                   {"edge", PadMode::kEdge},
                                                   {"reflect", PadMode::kReflect},
                                                   {"symmetric", PadMode::kSymmetric},
                                                   {"wrap", PadMode::kWrap}});
  return how ? Pad(t, low, high, *how) : internal::PadWith(t, low, high, value.operand());
}

nb::object Parts(TensorLike x, nb::handle parts, int64_t axis) {
  if (PyIndex_Check(parts.ptr())) return ListOf(Split(x.operand(), ToInt(parts, "split"), axis));
  return ListOf(Split(x.operand(), ToInts(parts, "split"), axis));
}

nb::object BroadcastArrays(nb::args arrays) {
  std::vector<Tensor> list;
  Tensor sum;
  for (const nb::handle x : arrays) {
    list.push_back(ToTensor(x));
    const Tensor no = Zeros(list.back().shape(), kBool);
    sum = sum.defined() ? LogicalOr(sum, no) : no;
  }
  for (Tensor& t : list) t = BroadcastTo(t, sum.shape());
  return ListOf(std::move(list));
}

nb::object BroadcastShapes(nb::args shapes) {
  Shape out;
  for (const nb::handle s : shapes) {
    const Shape shape = ToShape(s);
    Shape both;
    const int rank = std::max(out.rank(), shape.rank());
    for (int i = 0; i < rank; ++i) {
      const int ia = i - rank + out.rank(), ib = i - rank + shape.rank();
      const int64_t a = ia < 0 ? 1 : out.dim(ia), b = ib < 0 ? 1 : shape.dim(ib);
      if (a != b && a != 1 && b != 1)
        ThrowInvalid("broadcast_shapes: " + out.ToString() + " and " + shape.ToString() + " do not broadcast");
      both.push_back(a == 1 ? b : a);
    }
    out = both;
  }
  return ShapeTuple(out);
}

void RegisterJoins(nb::module_& m) {
  m.def("concat", &Joined, "arrays"_a, nb::kw_only(), "axis"_a.none() = 0,
        nb::sig("def concat(arrays: Sequence[TensorLike], /, *, axis: int | None = 0) -> Tensor"),
        "Tensors one after the other along an axis; None: all elements as one row."
        "\n\n>>> reel.concat([[1, 2], [3]])\nTensor([1, 2, 3], dtype=int64)");
  m.def("stack", &Stacked, "arrays"_a, nb::kw_only(), "axis"_a = 0,
        nb::sig("def stack(arrays: Sequence[TensorLike], /, *, axis: int = 0) -> Tensor"),
        "Tensors of one shape along a new axis."
        "\n\n>>> reel.stack([[1, 2], [3, 4]], axis=1)\nTensor([[1, 3],\n        [2, 4]], dtype=int64)");
  m.def(
      "unstack", [](TensorLike x, int64_t axis) { return nb::tuple(ListOf(Unstack(x.operand(), axis))); }, "x"_a,
      nb::kw_only(), "axis"_a = 0, nb::sig("def unstack(x: TensorLike, /, *, axis: int = 0) -> tuple[Tensor, ...]"),
      "The slices along an axis, without it.");
  m.def("split", &Parts, "x"_a, "parts"_a, "axis"_a = 0,
        nb::sig("def split(x: TensorLike, /, parts: int | Sequence[int], axis: int = 0) -> list[Tensor]"),
        "Parts of equal extent along an axis, or of these extents."
        "\n\n>>> reel.split(reel.arange(5), [2, 3])\n[Tensor([0, 1], dtype=int64), Tensor([2, 3, 4], dtype=int64)]");
  m.def(
      "tile", [](TensorLike x, IntsLike repeats) { return Tile(x.operand(), repeats.get("tile")); }, "x"_a,
      "repetitions"_a, nb::sig("def tile(x: TensorLike, repetitions: IntsLike, /) -> Tensor"),
      "x repeated along each axis as a whole."
      "\n\n>>> reel.tile([1, 2], (2,))\nTensor([1, 2, 1, 2], dtype=int64)");
  m.def("repeat", &Repeated, "x"_a, "repeats"_a, nb::kw_only(), "axis"_a = nb::none(),
        nb::sig("def repeat(x: TensorLike, repeats: IntsLike, /, *, axis: int | None = None) -> Tensor"),
        "Each element repeated along an axis."
        "\n\n>>> reel.repeat([1, 2], [2, 1])\nTensor([1, 1, 2], dtype=int64)");
  m.def("broadcast_arrays", &BroadcastArrays, nb::sig("def broadcast_arrays(*arrays: TensorLike) -> list[Tensor]"),
        "All broadcast to one shape.");
  m.def("broadcast_shapes", &BroadcastShapes, nb::sig("def broadcast_shapes(*shapes: ShapeLike) -> tuple[int, ...]"),
        "The shape that these broadcast to.");
}

void RegisterShapeMethods() {
  Method("transpose", ", *axes: int | Sequence[int] | None", "The axes in another order; reversed if none are given.",
         [](TensorLike x, nb::args axes) {
           if (axes.size() == 0 || (axes.size() == 1 && nb::handle(axes[0]).is_none())) return Transpose(x.operand());
           const nb::object one = axes[0];
           return Transpose(x.operand(), axes.size() == 1 ? ToInts(one, "transpose") : ToInts(axes, "transpose"));
         });
  Method(
      "swapaxes", ", axis1: int, axis2: int", "Two axes swapped.",
      [](TensorLike x, int64_t a, int64_t b) { return SwapAxes(x.operand(), a, b); }, "axis1"_a, "axis2"_a);
  Method(
      "squeeze", ", axis: AxisLike | None = None", "Without axes of extent 1: those given, or all.",
      [](TensorLike x, AxisLike axis) {
        const Tensor t = x.tensor();
        if (!axis.none()) return Squeeze(t, Axes(ToInts(axis.object, "squeeze")));
        std::vector<int64_t> ones;
        for (int i = 0; i < t.rank(); ++i) {
          if (t.shape()[i] == Extent(1)) ones.push_back(i);
        }
        return ones.empty() ? t : Squeeze(t, Axes(ones));
      },
      "axis"_a = nb::none());
  for (const char* name : {"flatten", "ravel"})
    Method(name, "", "All elements in order, on one axis.", [](TensorLike x) { return Reshape(x.operand(), {-1}); });
  Method("repeat", ", repeats: IntsLike, axis: int | None = None",
         "Each element so many times; without an axis, of all elements in order.", &Repeated, "repeats"_a,
         "axis"_a = nb::none());
}

}  // namespace

void RegisterShapes(nb::module_& m) {
  RegisterShapeMethods();
  RegisterJoins(m);
  m.def(
      "reshape", [](TensorLike x, IntsLike shape, nb::handle) { return Reshape(x.operand(), shape.get("reshape")); },
      "x"_a, "shape"_a, nb::kw_only(), "copy"_a = nb::none(),
      nb::sig("def reshape(x: TensorLike, /, shape: ShapeLike, *, copy: bool | None = None) -> Tensor"),
      "Row-major elements in another shape; one extent may be -1."
      "\n\n>>> reel.reshape(reel.arange(6), (2, -1))\nTensor([[0, 1, 2],\n        [3, 4, 5]], dtype=int64)");
  m.def("permute_dims", &Permute, "x"_a, "axes"_a,
        nb::sig("def permute_dims(x: TensorLike, /, axes: Sequence[int]) -> Tensor"),
        "Result axis i is axis axes[i]."
        "\n\n>>> reel.permute_dims(reel.ones((2, 3, 4)), (2, 0, 1)).shape\n(4, 2, 3)");
  m.def(
      "transpose",
      [](TensorLike x, IntsLike axes) {
        return Transpose(x.operand(), axes.none() ? std::vector<int64_t>() : axes.get("transpose"));
      },
      "x"_a, "axes"_a = nb::none(),
      nb::sig("def transpose(x: TensorLike, /, axes: Sequence[int] | None = None) -> Tensor"),
      "Axes in another order; reversed by default.");
  m.def(
      "matrix_transpose", [](TensorLike x) { return SwapAxes(x.operand(), -1, -2); },
      nb::sig("def matrix_transpose(x: TensorLike, /) -> Tensor"), "The last two axes swapped.");
  m.def(
      "moveaxis",
      [](TensorLike x, IntsLike from, IntsLike to) {
        return Move(x.tensor(), from.get("moveaxis"), to.get("moveaxis"));
      },
      "x"_a, "source"_a, "destination"_a,
      nb::sig("def moveaxis(x: TensorLike, source: IntsLike, destination: IntsLike, /) -> Tensor"),
      "Axes moved to other places; the rest keep their order.");
  m.def(
      "swapaxes", [](TensorLike x, int64_t a, int64_t b) { return SwapAxes(x.operand(), a, b); },
      nb::sig("def swapaxes(x: TensorLike, axis1: int, axis2: int, /) -> Tensor"), "Two axes swapped.");
  m.def(
      "expand_dims",
      [](TensorLike x, IntsLike axis) {
        // As NumPy: axes of the result, in any order.
        Tensor t = x.tensor();
        std::vector<int64_t> axes = axis.get("expand_dims");
        const int64_t rank = t.rank() + static_cast<int64_t>(axes.size());
        for (int64_t& a : axes) {
          if (a < -rank || a >= rank) {
            ThrowInvalid(
                Text({"expand_dims: axis ", std::to_string(a), " is out of range for rank ", std::to_string(rank)}));
          }
          a += a < 0 ? rank : 0;
        }
        std::sort(axes.begin(), axes.end());
        if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
          ThrowInvalid("expand_dims: an axis is named twice");
        for (const int64_t a : axes) t = ExpandDims(t, a);
        return axes.empty() ? Identity(t) : t;
      },
      "x"_a, "axis"_a = 0, nb::sig("def expand_dims(x: TensorLike, /, axis: IntsLike = 0) -> Tensor"),
      "A new axis of extent 1 at a place."
      "\n\n>>> reel.expand_dims([1, 2], axis=0).shape\n(1, 2)");
  m.def(
      "squeeze", [](TensorLike x, AxisLike axis) { return Squeeze(x.operand(), axis.get()); }, "x"_a,
      "axis"_a = nb::none(), nb::sig("def squeeze(x: TensorLike, /, axis: AxisLike | None = None) -> Tensor"),
      "Without axes of extent 1: all of them, or those named.");
  m.def(
      "extent_of", [](TensorLike x, int64_t axis) { return ExtentOf(x.operand(), axis); }, "x"_a, "axis"_a = 0,
      nb::sig("def extent_of(x: TensorLike, /, axis: int = 0) -> Tensor"),
      "The extent of an axis as an int64 scalar; of an open one, what it is when the function runs.");
  m.def(
      "flip", [](TensorLike x, AxisLike axis) { return Flip(x.operand(), axis.get()); }, "x"_a, nb::kw_only(),
      "axis"_a = nb::none(), nb::sig("def flip(x: TensorLike, /, *, axis: AxisLike | None = None) -> Tensor"),
      "Elements in the opposite order."
      "\n\n>>> reel.flip([1, 2, 3])\nTensor([3, 2, 1], dtype=int64)");
  m.def("roll", &Rolled, "x"_a, "shift"_a, nb::kw_only(), "axis"_a = nb::none(),
        nb::sig("def roll(x: TensorLike, /, shift: IntsLike, *, axis: IntsLike | None = None) -> Tensor"),
        "Elements moved along axes; what leaves the end enters at the start."
        "\n\n>>> reel.roll([1, 2, 3], 1)\nTensor([3, 1, 2], dtype=int64)");
  m.def(
      "broadcast_to", [](TensorLike x, ShapeLike shape) { return BroadcastTo(x.operand(), shape.get()); }, "x"_a,
      "shape"_a, nb::sig("def broadcast_to(x: TensorLike, /, shape: ShapeLike) -> Tensor"),
      "x repeated to a shape by NumPy's rule."
      "\n\n>>> reel.broadcast_to([1, 2], (2, 2))\nTensor([[1, 2],\n        [1, 2]], dtype=int64)");
  m.def("pad", &Padded, "x"_a, "pad_width"_a, "mode"_a = "constant", "constant_values"_a = 0.0,
        nb::sig("def pad(x: TensorLike, /, pad_width: Any, mode: str = 'constant', "
                "constant_values: float = 0) -> Tensor"),
        "Elements before and after every axis: a number, or what mode says ('edge', 'reflect', "
        "'symmetric', 'wrap')."
        "\n\n>>> reel.pad([1, 2], [(1, 2)])\nTensor([0, 1, 2, 0, 0], dtype=int64)");
  m.def(
      "tril", [](TensorLike x, int64_t k) { return Tril(x.operand(), k); }, "x"_a, nb::kw_only(), "k"_a = 0,
      nb::sig("def tril(x: TensorLike, /, *, k: int = 0) -> Tensor"),
      "Matrices with zeros above diagonal k."
      "\n\n>>> reel.tril([[1, 2], [3, 4]])\nTensor([[1, 0],\n        [3, 4]], dtype=int64)");
  m.def(
      "triu", [](TensorLike x, int64_t k) { return Triu(x.operand(), k); }, "x"_a, nb::kw_only(), "k"_a = 0,
      nb::sig("def triu(x: TensorLike, /, *, k: int = 0) -> Tensor"), "Matrices with zeros below diagonal k.");
  m.def(
      "diag", [](TensorLike x, int64_t k) { return Diag(x.operand(), k); }, "x"_a, nb::kw_only(), "k"_a = 0,
      nb::sig("def diag(x: TensorLike, /, *, k: int = 0) -> Tensor"),
      "Square matrices with vectors on diagonal k."
      "\n\n>>> reel.diag([1, 2])\nTensor([[1, 0],\n        [0, 2]], dtype=int64)");
}

}  // namespace reel::python
