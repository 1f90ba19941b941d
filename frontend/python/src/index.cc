#include <algorithm>
#include <numeric>
#include <optional>

#include "frontend/ops/index.h"
#include "frontend/record/difference.h"
#include "frontend/record/observed.h"
#include "frontend/values/location.h"
#include "operators.h"
#include "reel/shapes.h"

// x[key] as NumPy has it: integers, slices, None, "...", integer and boolean arrays.

namespace reel::python {
namespace {

// What a key does to x: a slice of every axis, then a shape, then gathers.
struct Plan {
  std::vector<int64_t> starts, limits, strides;  // of x's axes
  std::vector<int64_t> flips;                    // axes with a negative step
  std::vector<int64_t> shape;  // after the slice: without indexed axes, with new ones
  bool sliced = false, reshaped = false;
  struct Advanced {
    int64_t axis;  // of the shape above
    Tensor index;  // i64 or i32, not negative
  };
  std::vector<Advanced> advanced;
  bool apart = false;  // advanced indices with something between them
  // Slices that start where a traced number says: the axis of x, that number, how many elements.
  struct Moving {
    int64_t axis;
    Tensor start;
    int64_t size;
  };
  std::vector<Moving> moving;
};

bool IsTraced(nb::handle k) { return (IsTensor(k.ptr()) || IsVariable(k.ptr())) && ToTensor(k).symbolic(); }

// A bound of a slice as a scalar of i64.
Tensor BoundOf(nb::handle k) {
  const Tensor t = Cast(ToTensor(k), kInt64);
  return t.rank() == 0 ? t : Reshape(t, {});
}

// Integers, NumPy's too, are none.
bool IsArrayKey(nb::handle k) {
  if (PyBool_Check(k.ptr()) || PyList_Check(k.ptr()) || IsTensor(k.ptr()) || IsVariable(k.ptr())) return true;
  if (PyLong_Check(k.ptr()) || !PyObject_CheckBuffer(k.ptr())) return false;
  return !PyIndex_Check(k.ptr()) || !nb::hasattr(k, "ndim") || nb::cast<int>(k.attr("ndim")) > 0 ||
         nb::str(k.attr("dtype").attr("kind")).equal(nb::str("b"));
}

std::string AxisText(int64_t axis, int64_t n) {
  return " is out of range for axis " + std::to_string(axis) + " with " + std::to_string(n) + " elements";
}

// Indices made positive and checked. What a Recording or trace sees must do so for other values
// too.
Tensor Normalized(const Tensor& raw, int64_t axis, int64_t n, bool constant) {
  const bool native = raw.dtype() == kInt32 || raw.dtype() == kInt64;
  Tensor index = native ? raw : Cast(raw, kInt64);
  if (!index.symbolic()) {
    const Tensor wide = index.dtype() == kInt64 ? index : Cast(index, kInt64);
    bool negative = false;
    for (const int64_t i : wide.data<int64_t>()) {
      if (i < -n || i >= n) ThrowIndex("index " + std::to_string(i) + AxisText(axis, n));
      negative |= i < 0;
    }
    if (constant || !internal::Observed()) {
      if (!negative) return index;
      std::vector<int64_t> values = wide.ToVector<int64_t>();
      for (int64_t& i : values) i += i < 0 ? n : 0;
      return Tensor::FromData(values, index.shape());
    }
  }
  return Where(Less(index, 0), Add(index, n), index);
}

// The coordinates of the true elements of a mask, one tensor per axis.
std::vector<Tensor> Coordinates(const Tensor& mask) {
  const auto elements = mask.data<bool>(std::source_location{});
  const auto rank = static_cast<size_t>(mask.rank());
  std::vector<std::vector<int64_t>> found(rank);
  const std::vector<int64_t> strides = RowMajorStrides(mask.shape());
  int64_t count = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i]) continue;
    ++count;
    for (size_t axis = 0; axis < rank; ++axis) {
      found[axis].push_back(static_cast<int64_t>(i) / strides[axis] % mask.shape().dim(static_cast<int>(axis)));
    }
  }
  std::vector<Tensor> out;
  for (const auto& values : found) out.push_back(Tensor::FromData(values, Shape({Extent(count)})));
  return out;
}

class Planner {
 public:
  Planner(const Tensor& x, const std::vector<nb::object>& keys) : x_(x) {
    for (const nb::object& k : keys) arrays_ |= IsArrayKey(k);
    int64_t consumed = 0;
    bool ellipsis = false;
    for (const nb::object& k : keys) {
      if (k.ptr() == Py_Ellipsis) {
        if (ellipsis) ThrowIndex("an index can have only one ellipsis");
        ellipsis = true;
      } else {
        consumed += Consumed(k);
      }
    }
    if (consumed > x.rank()) {
      ThrowIndex("too many indices: " + std::to_string(consumed) + " for a tensor " + x.type().ToString());
    }
    for (const nb::object& k : keys) {
      if (k.ptr() == Py_Ellipsis) {
        if (!plan_.advanced.empty()) gap_ = true;
        for (int64_t n = x.rank() - consumed; n > 0; --n) Whole();
      } else {
        Add(k);
      }
    }
    while (axis_ < x.rank()) Whole();
  }

  Plan Take() { return std::move(plan_); }

 private:
  // Axes of x that a key indexes.
  int64_t Consumed(nb::handle k) {
    if (k.is_none()) return 0;
    if (!IsArrayKey(k)) return 1;
    const Tensor index = ToTensor(k);
    return index.dtype() == kBool ? index.rank() : 1;
  }

  int64_t extent() const { return x_.shape().dim(static_cast<int>(axis_)); }

  void Range(int64_t start, int64_t limit, int64_t stride) {
    plan_.sliced |= start != 0 || limit != extent() || stride != 1;
    plan_.starts.push_back(start);
    plan_.limits.push_back(limit);
    plan_.strides.push_back(stride);
    ++axis_;
  }

  void Whole() {
    plan_.shape.push_back(extent());
    Between();
    Range(0, extent(), 1);
  }

  void Between() {
    if (!plan_.advanced.empty()) gap_ = true;
  }

  void Add(nb::handle k) {
    if (k.is_none()) {
      plan_.shape.push_back(1);
      plan_.reshaped = true;
      Between();
    } else if (PySlice_Check(k.ptr())) {
      AddSlice(k);
    } else if (IsArrayKey(k)) {
      AddArray(k);
    } else {
      AddInteger(k);
    }
  }

  void AddSlice(nb::handle k) {
    if (IsTraced(k.attr("start")) || IsTraced(k.attr("stop"))) {
      return AddMovingSlice(k.attr("start"), k.attr("stop"), k.attr("step"));
    }
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(k.ptr(), &start, &stop, &step) < 0) throw nb::python_error();
    const int64_t n = PySlice_AdjustIndices(extent(), &start, &stop, step);
    plan_.shape.push_back(n);
    Between();
    if (n == 0) return Range(0, 0, 1);
    if (step > 0) return Range(start, start + (n - 1) * step + 1, n == 1 ? 1 : step);
    plan_.flips.push_back(axis_);
    Range(start + (n - 1) * step, start + 1, n == 1 ? 1 : -step);
  }

  // x[i:i + n]: how many elements there are must be known, where they start need not.
  void AddMovingSlice(nb::handle start, nb::handle stop, nb::handle step) {
    const bool by_one = step.is_none() || (PyIndex_Check(step.ptr()) && !IsTraced(step) && ToInt(step, "step") == 1);
    std::optional<int64_t> size;
    if (by_one && !start.is_none() && !stop.is_none()) size = internal::Difference(BoundOf(stop), BoundOf(start));
    if (!size) {
      ThrowFailed("index: a slice of axis " + std::to_string(axis_) + " of " + x_.type().ToString() +
                  " with traced bounds has a size that is not known while its function is traced; write x[i:i + n] or "
                  "tf.slice(x, begin, size) with a number n, or choose elements by a mask");
    }
    const int64_t n = std::max<int64_t>(*size, 0);
    if (n > extent()) {
      ThrowIndex("a slice of " + std::to_string(n) + " elements is longer than axis " + std::to_string(axis_) +
                 " with " + std::to_string(extent()) + " elements");
    }
    plan_.shape.push_back(n);
    Between();
    plan_.moving.push_back({axis_, BoundOf(start), n});
    plan_.starts.push_back(0);
    plan_.limits.push_back(n);
    plan_.strides.push_back(1);
    ++axis_;
  }

  void AddInteger(nb::handle k) {
    if (!PyIndex_Check(k.ptr())) {
      ThrowIndex("indices are integers, slices, None, ... and integer or boolean arrays, not " + TypeName(k));
    }
    const int64_t n = extent();
    int64_t i = ToInt(k, "index");
    if (i < -n || i >= n) ThrowIndex("index " + std::to_string(i) + AxisText(axis_, n));
    if (i < 0) i += n;
    if (arrays_) return AddAdvanced(Tensor(i), true);
    plan_.reshaped = true;
    Range(i, i + 1, 1);
  }

  void AddArray(nb::handle k) {
    const Tensor index = ToTensor(k);
    const bool constant = !IsTensor(k.ptr()) && !IsVariable(k.ptr());
    if (IsInteger(index.dtype())) return AddAdvanced(index, constant);
    if (index.dtype() == kFloat32 && index.size() == 0) return AddAdvanced(Cast(index, kInt64), true);
    if (index.dtype() != kBool)
      ThrowIndex("arrays used as indices must be integers or bool, not " + index.type().ToString());
    for (int i = 0; i < index.rank(); ++i) {
      if (index.shape().dim(i) != x_.shape().dim(static_cast<int>(axis_) + i)) {
        ThrowIndex("a boolean index of shape " + index.shape().ToString() + " does not match " + x_.type().ToString() +
                   " from axis " + std::to_string(axis_));
      }
    }
    if (index.rank() == 0) {  // a scalar mask: a new axis of extent 1 or 0
      plan_.shape.push_back(1);
      plan_.reshaped = true;
      return Remember(Full(Shape({Extent(index.item<bool>({}) ? 1 : 0)}), 0, kInt64));
    }
    for (const Tensor& coordinate : Coordinates(index)) AddAdvanced(coordinate, true);
  }

  void AddAdvanced(const Tensor& index, bool constant) {
    const Tensor normalized = Normalized(index, axis_, extent(), constant);
    plan_.shape.push_back(extent());
    Range(0, extent(), 1);
    Remember(normalized);
  }

  void Remember(const Tensor& index) {
    plan_.apart |= gap_;
    plan_.advanced.push_back({static_cast<int64_t>(plan_.shape.size()) - 1, index});
  }

  const Tensor& x_;
  Plan plan_;
  int64_t axis_ = 0;  // of x
  bool arrays_ = false, gap_ = false;
};

// Several indices: their axes in front as one, gathered at once.
Tensor GatherAxes(const Tensor& x, const Plan& plan) {
  const auto count = static_cast<int64_t>(plan.advanced.size());
  if (count == 1) return Gather(x, plan.advanced[0].index, plan.advanced[0].axis);
  std::vector<int64_t> order, rest = {-1};
  for (const auto& a : plan.advanced) order.push_back(a.axis);
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    if (std::find(order.begin(), order.begin() + count, axis) != order.begin() + count) continue;
    order.push_back(axis);
    rest.push_back(x.shape().dim(static_cast<int>(axis)));
  }
  int64_t merged = 1;
  Tensor linear;
  for (const auto& a : plan.advanced) {
    const int64_t n = x.shape().dim(static_cast<int>(a.axis));
    // Each by itself: one too large for its axis may be in range of all together.
    const Tensor index = Cast(internal::CheckIndices("index", x, a.index, a.axis), kInt64);
    linear = linear.defined() ? Add(Mul(linear, n), index) : index;
    merged *= n;
  }
  rest[0] = merged;
  const Tensor rows = Reshape(Transpose(x, order), rest);
  const Tensor y = Gather(rows, linear, 0);
  if (plan.apart || plan.advanced[0].axis == 0) return y;
  std::vector<int64_t> back(static_cast<size_t>(y.rank()));
  std::iota(back.begin(), back.end(), 0);
  // The axes of the index go behind those that stand before the first indexed one.
  std::rotate(back.begin(), back.begin() + linear.rank(), back.begin() + linear.rank() + plan.advanced[0].axis);
  return Transpose(y, back);
}

std::vector<int64_t> WithExtent(const Tensor& x, int64_t axis, int64_t n) {
  std::vector<int64_t> dims = x.shape().dims();
  dims[static_cast<size_t>(axis)] = n;
  return dims;
}

// The first and the last index are looked at: the slice is never moved back into range.
Tensor SliceAt(const Tensor& x, const Plan::Moving& m) {
  if (m.size == 0) return Slice(x, std::vector<int64_t>(static_cast<size_t>(x.rank())), WithExtent(x, m.axis, 0));
  const Tensor ends = Stack({m.start, Add(m.start, m.size - 1)});
  const Tensor checked = internal::CheckIndices("slice", x, ends, m.axis);
  return DynamicSlice(x, Reshape(Slice(checked, {0}, {1}), {}), m.size, m.axis);
}

std::vector<nb::object> Keys(nb::handle key) {
  std::vector<nb::object> keys;
  if (!PyTuple_Check(key.ptr())) {
    keys.push_back(nb::borrow(key));
    return keys;
  }
  for (const nb::handle k : nb::borrow<nb::tuple>(key)) keys.push_back(nb::borrow(k));
  return keys;
}

}  // namespace

Tensor IndexTensor(const Tensor& x, nb::handle key) {
  const internal::LocationScope scope(kNoLocation);
  const Plan plan = Planner(x, Keys(key)).Take();
  Tensor from = x;
  for (const Plan::Moving& m : plan.moving) from = SliceAt(from, m);
  Tensor y = plan.sliced           ? Slice(from, plan.starts, plan.limits, plan.strides)
             : plan.moving.empty() ? Identity(x)
                                   : from;
  if (!plan.flips.empty()) y = Flip(y, Axes(plan.flips));
  if (plan.reshaped) y = Reshape(y, plan.shape);
  return plan.advanced.empty() ? y : GatherAxes(y, plan);
}

PyObject* Subscript(PyObject* self, PyObject* key) {
  return Guarded([&] { return Wrap(IndexTensor(ToTensor(self), key)); });
}

}  // namespace reel::python
