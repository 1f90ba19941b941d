#include <algorithm>
#include <complex>
#include <functional>
#include <type_traits>

#include "ir/check.h"
#include "ir/eval/kernels.h"
#include "ir/infer.h"

namespace reel::ir {
namespace {

// A tensor seen as [outer, extent, inner] around one axis.
struct AxisView {
  AxisView(const Shape& shape, int64_t axis) : extent(shape.dim(static_cast<int>(axis))) {
    for (int k = 0; k < shape.rank(); ++k) (k < axis ? outer : inner) *= k == axis ? 1 : shape.dim(k);
  }
  size_t At(int64_t o, int64_t e, int64_t i) const { return static_cast<size_t>((o * extent + e) * inner + i); }
  bool Contains(int64_t e) const { return e >= 0 && e < extent; }
  int64_t outer = 1, extent, inner = 1;
};

// Calls f(offset in the tensor with the axis, offset in the gathered one) for every index in range.
template <typename F>
void ForEachGathered(const AxisView& view, const std::vector<int64_t>& indices, F f) {
  if (view.inner == 0 || indices.empty()) return;  // the others may be huge
  size_t gathered = 0;
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t index : indices) {
      for (int64_t i = 0; i < view.inner; ++i, ++gathered) {
        if (view.Contains(index)) f(view.At(o, index, i), gathered);
      }
    }
  }
}

// The operand with f(old, update) at every index, in order.
template <typename Floats, typename Ints>
EvalTensor Scatter(const KernelContext& c, Floats floats, Ints ints) {
  const AxisView view(c.operand(0).type.shape, c.attr_int("axis"));
  EvalTensor out = c.operand(0);
  const EvalTensor& updates = c.operand(2);
  ForEachGathered(view, c.operand(1).i, [&](size_t to, size_t from) {
    if (IsComplex(c.result.dtype)) {
      using Complex = std::complex<double>;
      if constexpr (std::is_invocable_r_v<Complex, Floats, Complex, Complex>) {
        out.c[to] = floats(out.c[to], updates.c[from]);
      }
    } else if (IsFloat(c.result.dtype)) {
      out.f[to] = floats(out.f[to], updates.f[from]);
    } else {
      out.i[to] = Wrap(c.result.dtype, static_cast<uint64_t>(ints(out.i[to], updates.i[from])));
    }
  });
  return out;
}

// Start of a window of `size` elements, moved into [0, extent - size].
int64_t Clamp(int64_t start, int64_t extent, int64_t size) {
  return std::min(std::max<int64_t>(start, 0), extent - size);
}

}  // namespace

KERNEL(Gather) {
  const AxisView view(c.operand(0).type.shape, c.attr_int("axis"));
  return WithStorage(c, 0, [&](const auto& a, auto& out) {
    ForEachGathered(view, c.operand(1).i, [&](size_t from, size_t to) { out[to] = a[from]; });
  });
}

KERNEL(ScatterAdd) {
  return Scatter(c, std::plus<>(), [](int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  });
}
KERNEL(ScatterMul) {
  return Scatter(c, Product(), [](int64_t x, int64_t y) { return static_cast<int64_t>(Product()(x, y)); });
}
KERNEL(ScatterSet) {
  const auto second = [](auto, const auto& y) { return y; };
  return Scatter(c, second, second);
}
KERNEL(ScatterMax) {
  return Scatter(c, Maximum,
                 [d = c.result.dtype](int64_t x, int64_t y) { return OrderOf(d, x) < OrderOf(d, y) ? y : x; });
}
KERNEL(ScatterMin) {
  return Scatter(c, Minimum,
                 [d = c.result.dtype](int64_t x, int64_t y) { return OrderOf(d, y) < OrderOf(d, x) ? y : x; });
}

KERNEL(CheckIndex) {
  if (!c.attributes.Get<Shape>("shape").is_constant()) return OpError(c.op, "the evaluator needs constant extents");
  const auto index = IndexOutOfRange<int64_t>(c.operand(0).i, CheckedExtent(c.attributes));
  if (index) return absl::OutOfRangeError(IndexOutOfRangeText(c.attributes, *index));
  return c.operand(0);
}

KERNEL(CheckInteger) {
  const auto value = IntegerRefused<int64_t>(c.attributes, c.operand(0).i);
  if (value) return absl::InvalidArgumentError(IntegerRefusedText(c.attributes));
  return c.operand(0);
}

KERNEL(DynamicSlice) {
  const AxisView from(c.operand(0).type.shape, c.attr_int("axis")), to(c.result.shape, c.attr_int("axis"));
  const int64_t start = Clamp(c.operand(1).i[0], from.extent, to.extent);
  if (c.result.shape.size() == 0) return ZeroTensor(c.result);
  return WithStorage(c, 0, [&](const auto& a, auto& out) {
    for (int64_t o = 0; o < to.outer; ++o) {
      for (int64_t e = 0; e < to.extent; ++e) {
        for (int64_t i = 0; i < to.inner; ++i) out[to.At(o, e, i)] = a[from.At(o, start + e, i)];
      }
    }
  });
}

KERNEL(DynamicUpdate) {
  const AxisView to(c.result.shape, c.attr_int("axis")), from(c.operand(1).type.shape, c.attr_int("axis"));
  const int64_t start = Clamp(c.operand(2).i[0], to.extent, from.extent);
  const auto write = [&](const auto& update, auto& out) {
    for (int64_t o = 0; o < from.outer; ++o) {
      for (int64_t e = 0; e < from.extent; ++e) {
        for (int64_t i = 0; i < from.inner; ++i) out[to.At(o, start + e, i)] = update[from.At(o, e, i)];
      }
    }
  };
  EvalTensor out = c.operand(0);
  if (c.operand(1).size() == 0) return out;
  if (IsComplex(c.result.dtype)) {
    write(c.operand(1).c, out.c);
  } else if (IsFloat(c.result.dtype)) {
    write(c.operand(1).f, out.f);
  } else {
    write(c.operand(1).i, out.i);
  }
  return out;
}

}  // namespace reel::ir
