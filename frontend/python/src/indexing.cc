#include "reel/indexing.h"

#include <algorithm>

#include "bind.h"
#include "register.h"

// Gathering, scattering, sorting, searching and sets.

namespace reel::python {
namespace {

ScatterMode ToMode(const char* mode) {
  return ToEnum<ScatterMode>("mode", mode,
                             {{"set", ScatterMode::kSet},
                              {"add", ScatterMode::kAdd},
                              {"mul", ScatterMode::kMul},
                              {"max", ScatterMode::kMax},
                              {"min", ScatterMode::kMin}});
}

int64_t TakeAxis(std::optional<int64_t> axis, const Shape& shape) {
  if (!axis && shape.rank() != 1) ThrowInvalid("take: a tensor of more than one axis needs `axis`");
  return axis.value_or(0);
}

// Their results have shapes that depend on values: eager only.
nb::object NonzeroOf(TensorLike x) {
  const Operand a = x.operand();
  if (a.type().shape.rank() == 0) ThrowInvalid("nonzero: a scalar has no axes");
  const Tensor t = a.tensor();
  const Tensor mask = t.dtype() == kBool ? t : NotEqual(t, 0);
  if (mask.symbolic()) (void)Nonzero(mask);  // throws, with its text
  const auto elements = mask.data<bool>();
  const std::vector<int64_t> strides = RowMajorStrides(mask.shape());
  std::vector<std::vector<int64_t>> found(strides.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i]) continue;
    for (size_t axis = 0; axis < strides.size(); ++axis)
      found[axis].push_back(static_cast<int64_t>(i) / strides[axis] % mask.shape().dim(static_cast<int>(axis)));
  }
  nb::list out;
  for (const auto& values : found)
    out.append(Wrap(Tensor::FromData(values, Shape({Extent(static_cast<int64_t>(values.size()))}))));
  return nb::tuple(out);
}

// The distinct elements in order, and where they are.
struct Distinct {
  Tensor values, first, inverse, counts;
};
Distinct FindDistinct(TensorLike x) {
  const Tensor t = x.tensor();
  if (t.symbolic()) (void)Unique(t);  // throws, with its text
  const Tensor flat = Reshape(t, {-1});
  const Tensor order = Argsort(flat);
  const Tensor sorted = Gather(flat, order);
  const int64_t n = flat.size();
  std::vector<int64_t> first, counts, inverse(static_cast<size_t>(n));
  const auto at = order.data<int64_t>();
  const Tensor changes =
      n > 1 ? NotEqual(Slice(sorted, {1}, {n}), Slice(sorted, {0}, {n - 1})) : Zeros(Shape{0}, kBool);
  const auto change = changes.data<bool>();
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    if (i == 0 || change[i - 1]) {
      first.push_back(at[i]);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[static_cast<size_t>(at[i])] = static_cast<int64_t>(counts.size()) - 1;
  }
  const Shape count({Extent(static_cast<int64_t>(counts.size()))});
  const Tensor firsts = Tensor::FromData(first, count);
  return {Gather(flat, firsts), firsts, Tensor::FromData(inverse, t.shape()), Tensor::FromData(counts, count)};
}

void RegisterGathers(nb::module_& m) {
  m.def(
      "take",
      [](TensorLike x, TensorLike indices, OptionalInt axis) {
        const Operand a = x.operand();
        return Gather(a, indices.operand(), TakeAxis(axis.get(), a.type().shape));
      },
      "x"_a, "indices"_a, nb::kw_only(), "axis"_a = nb::none(),
      nb::sig("def take(x: TensorLike, indices: TensorLike, /, *, axis: int | None = None) -> Tensor"),
      "Slices of x along axis at integer indices. Gradient: added back at the indices."
      "\n\n>>> reel.take([10, 20, 30], [2, 0])\nTensor([30, 10], dtype=int64)");
  m.def(
      "take_along_axis",
      [](TensorLike x, TensorLike indices, int64_t axis) {
        return TakeAlongAxis(x.operand(), indices.operand(), axis);
      },
      "x"_a, "indices"_a, "axis"_a = -1,
      nb::sig("def take_along_axis(x: TensorLike, indices: TensorLike, /, axis: int = -1) -> Tensor"),
      "x[..., indices[..., i, ...], ...] along an axis."
      "\n\n>>> reel.take_along_axis([[1, 2], [3, 4]], [[1], [0]], axis=1)\nTensor([[2],\n        [3]], dtype=int64)");
  m.def(
      "put_along_axis",
      [](TensorLike x, TensorLike indices, TensorLike values, int64_t axis, const char* mode) {
        return PutAlongAxis(x.operand(), indices.operand(), values.operand(), axis, ToMode(mode));
      },
      "x"_a, "indices"_a, "values"_a, "axis"_a = -1, "mode"_a = "set",
      nb::sig("def put_along_axis(x: TensorLike, indices: TensorLike, values: TensorLike, /, axis: "
              "int = -1, mode: str = 'set') -> Tensor"),
      "x with values written (mode: set, add, mul, max, min) along an axis.");
  m.def(
      "gather_nd", [](TensorLike x, TensorLike indices) { return GatherNd(x.operand(), indices.operand()); },
      nb::sig("def gather_nd(x: TensorLike, indices: TensorLike, /) -> Tensor"),
      "x[indices[i, 0], ..., indices[i, k - 1]].");
  m.def(
      "scatter_nd",
      [](TensorLike indices, TensorLike updates, ShapeLike shape, const char* mode) {
        return ScatterNd(indices.operand(), updates.operand(), shape.get(), ToMode(mode));
      },
      "indices"_a, "updates"_a, "shape"_a, "mode"_a = "add",
      nb::sig("def scatter_nd(indices: TensorLike, updates: TensorLike, /, shape: ShapeLike, mode: "
              "str = 'add') -> Tensor"),
      "Zeros with the updates added (or set, ...) at the indices.");
  m.def(
      "tensor_scatter",
      [](TensorLike x, TensorLike indices, TensorLike updates, const char* mode) {
        return TensorScatter(x.operand(), indices.operand(), updates.operand(), ToMode(mode));
      },
      "x"_a, "indices"_a, "updates"_a, "mode"_a = "set",
      nb::sig("def tensor_scatter(x: TensorLike, indices: TensorLike, updates: TensorLike, /, "
              "mode: str = 'set') -> Tensor"),
      "x with the slices `updates` written (or added, ...) at the indices.");
  m.def(
      "scatter",
      [](TensorLike x, TensorLike indices, TensorLike updates, int64_t axis, const char* mode) {
        const Operand a = x.operand(), i = indices.operand(), u = updates.operand();
        switch (ToMode(mode)) {
          case ScatterMode::kSet: return ScatterSet(a, i, u, axis);
          case ScatterMode::kAdd: return ScatterAdd(a, i, u, axis);
          case ScatterMode::kMul: return ScatterMul(a, i, u, axis);
          case ScatterMode::kMax: return ScatterMax(a, i, u, axis);
          case ScatterMode::kMin: break;
        }
        return ScatterMin(a, i, u, axis);
      },
      "x"_a, "indices"_a, "updates"_a, "axis"_a = 0, "mode"_a = "set",
      nb::sig("def scatter(x: TensorLike, indices: TensorLike, updates: TensorLike, /, axis: int = "
              "0, mode: str = 'set') -> Tensor"),
      "x with slices written (or added, ...) along an axis at the indices."
      "\n\n>>> reel.scatter([0.0, 0.0, 0.0], [0, 2, 0], [1.0, 2.0, 3.0])\nTensor([3., 0., 2.], dtype=float32)");
  m.def(
      "one_hot",
      [](TensorLike indices, int64_t depth, TensorLike on, TensorLike off, int64_t axis, DTypeLike dtype) {
        if (on.none() && off.none() && axis == -1) return OneHot(indices.operand(), depth, dtype.get(kFloat32));
        const std::optional<DType> given = dtype.get();
        const auto value = [&](TensorLike x, double otherwise) -> Operand {
          if (!x.none()) return given ? Operand(ToTensorBeside(x.object, *given)) : x.operand();
          if (given || (on.none() && off.none())) return Full({}, otherwise, given.value_or(kFloat32));
          return otherwise == 0 ? Operand(false) : Operand(true);  // weak: takes the other's dtype
        };
        const Tensor hot = OneHot(indices.operand(), depth, value(on, 1), value(off, 0), axis);
        return given ? Cast(hot, *given) : hot;
      },
      "indices"_a, "depth"_a, "on_value"_a = nb::none(), "off_value"_a = nb::none(), "axis"_a = -1,
      "dtype"_a = nb::none(),
      nb::sig("def one_hot(indices: TensorLike, depth: int, on_value: TensorLike | None = None, "
              "off_value: TensorLike | None = None, axis: int = -1, dtype: DTypeLike | None = "
              "None) -> Tensor"),
      "1 (on_value) at the index, 0 (off_value) elsewhere, along a new axis of extent depth."
      "\n\n>>> reel.one_hot([1, 0], 3)\nTensor([[0., 1., 0.],\n        [1., 0., 0.]], dtype=float32)");
}

void RegisterSortMethods() {
  Method(
      "sort", ", axis: int = -1, descending: bool = False",
      "A sorted tensor (x itself stays as it is), along an axis; NaN counts as the largest.",
      [](TensorLike x, int64_t axis, bool descending) { return Sort(x.operand(), axis, descending); }, "axis"_a = -1,
      "descending"_a = false);
  Method(
      "argsort", ", axis: int = -1, descending: bool = False",
      "Positions (int64) that sort x; equal elements stay in order.",
      [](TensorLike x, int64_t axis, bool descending) { return Argsort(x.operand(), axis, descending); }, "axis"_a = -1,
      "descending"_a = false);
  Method(
      "take", ", indices: TensorLike, axis: int | None = None",
      "Slices of x along axis at integer indices; without an axis, of all elements in order.",
      [](TensorLike x, TensorLike indices, OptionalInt axis) {
        const std::optional<int64_t> at = axis.get();
        return at ? Gather(x.operand(), indices.operand(), *at) : Gather(Reshape(x.operand(), {-1}), indices.operand());
      },
      "indices"_a, "axis"_a = nb::none());
}

void RegisterSorts(nb::module_& m) {
  RegisterSortMethods();
  m.def(
      "sort", [](TensorLike x, int64_t axis, bool descending, bool) { return Sort(x.operand(), axis, descending); },
      "x"_a, nb::kw_only(), "axis"_a = -1, "descending"_a = false, "stable"_a = true,
      nb::sig("def sort(x: TensorLike, /, *, axis: int = -1, descending: bool = False, stable: "
              "bool = True) -> Tensor"),
      "x in order along an axis; NaN counts as the largest."
      "\n\n>>> reel.sort([3, 1, 2], descending=True)\nTensor([3, 2, 1], dtype=int64)");
  m.def(
      "argsort",
      [](TensorLike x, int64_t axis, bool descending, bool) { return Argsort(x.operand(), axis, descending); }, "x"_a,
      nb::kw_only(), "axis"_a = -1, "descending"_a = false, "stable"_a = true,
      nb::sig("def argsort(x: TensorLike, /, *, axis: int = -1, descending: bool = False, stable: "
              "bool = True) -> Tensor"),
      "Positions (int64) that sort x; equal elements stay in order."
      "\n\n>>> reel.argsort([3, 1, 2])\nTensor([1, 2, 0], dtype=int64)");
  m.def(
      "top_k",
      [](TensorLike x, int64_t k, int64_t axis, bool largest) {
        TopKResult r = TopK(x.operand(), k, axis, largest);
        return nb::make_tuple(Wrap(std::move(r.values)), Wrap(std::move(r.indices)));
      },
      "x"_a, "k"_a, "axis"_a = -1, "largest"_a = true,
      nb::sig("def top_k(x: TensorLike, k: int, /, axis: int = -1, largest: bool = True) -> "
              "tuple[Tensor, Tensor]"),
      "The k largest (smallest) elements along an axis, in order, and their positions (int64)."
      "\n\n>>> reel.top_k([3, 1, 2], 2)\n(Tensor([3, 2], dtype=int64), Tensor([0, 2], dtype=int64))");
  m.def(
      "searchsorted",
      [](TensorLike sorted, TensorLike values, const char* side, TensorLike sorter) {
        const Side from = ToEnum<Side>("searchsorted: side", side, {{"left", Side::kLeft}, {"right", Side::kRight}});
        const Operand a = sorter.none() ? sorted.operand() : Operand(Gather(sorted.operand(), sorter.operand()), {});
        return SearchSorted(a, values.operand(), from);
      },
      "x1"_a, "x2"_a, nb::kw_only(), "side"_a = "left", "sorter"_a = nb::none(),
      nb::sig("def searchsorted(x1: TensorLike, x2: TensorLike, /, *, side: str = 'left', sorter: "
              "TensorLike | None = None) -> Tensor"),
      "Positions (int64) in the sorted vector x1 where the values x2 belong."
      "\n\n>>> reel.searchsorted([1, 3, 5], [0, 3, 4])\nTensor([0, 1, 2], dtype=int64)");
  m.def(
      "isin", [](TensorLike x, TensorLike values) { return IsIn(x.operand(), values.operand()); },
      nb::sig("def isin(x: TensorLike, values: TensorLike, /) -> Tensor"),
      "Whether elements of x are among the values.");
  m.def(
      "bincount",
      [](TensorLike x, int64_t length, TensorLike weights) {
        return weights.none() ? Bincount(x.operand(), length) : Bincount(x.operand(), length, weights.operand());
      },
      "x"_a, "length"_a, "weights"_a = nb::none(),
      nb::sig("def bincount(x: TensorLike, /, length: int, weights: TensorLike | None = None) -> "
              "Tensor"),
      "How often (int64) 0, 1, ..., length - 1 occur, or sums of weights."
      "\n\n>>> reel.bincount([0, 2, 2], 3)\nTensor([1, 0, 2], dtype=int64)");
  using Segment = Tensor (*)(const Operand&, const Operand&, int64_t);
  const auto segment = [&](const char* name, Segment f, const char* doc) {
    m.def(
        name, [f](TensorLike x, TensorLike s, int64_t n) { return f(x.operand(), s.operand(), n); }, "x"_a,
        "segment_ids"_a, "num_segments"_a,
        nb::sig(Signature(name, "(x: TensorLike, segment_ids: TensorLike, num_segments: int) -> Tensor").c_str()), doc);
  };
  segment("segment_sum", &SegmentSum,
          "Sums of the rows of each segment."
          "\n\n>>> reel.segment_sum([1, 2, 3], [0, 0, 1], 2)\nTensor([3, 3], dtype=int64)");
  segment("segment_prod", &SegmentProd, "Products of the rows of each segment.");
  segment("segment_max", &SegmentMax, "Largest elements of the rows of each segment.");
  segment("segment_min", &SegmentMin, "Smallest elements of the rows of each segment.");
  segment("segment_mean", &SegmentMean, "Means of the rows of each segment.");
}

}  // namespace

void RegisterIndexing(nb::module_& m) {
  RegisterGathers(m);
  RegisterSorts(m);
  m.def("nonzero", &NonzeroOf, nb::sig("def nonzero(x: TensorLike, /) -> tuple[Tensor, ...]"),
        "Coordinates (int64) of the elements that are not 0, a tensor per axis. Not while tracing."
        "\n\n>>> reel.nonzero([0, 5, 7])\n(Tensor([1, 2], dtype=int64),)");
  m.def("_unique", [](TensorLike x) {
    Distinct d = FindDistinct(x);
    return nb::make_tuple(Wrap(d.values), Wrap(d.first), Wrap(d.inverse), Wrap(d.counts));
  });
}

}  // namespace reel::python
