#include <algorithm>

#include "frontend/autodiff/tape.h"
#include "frontend/record/closure.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/vectorize/vectorize.h"
#include "reel/ops.h"
#include "reel/tape.h"

// Jacobians from a tape: its gradient is traced once for a symbolic seed, and vectorized over all seeds.

namespace reel {

using internal::ThrowError;
using internal::ThrowInvalid;

namespace {

// Gradients of the connected sources, as a function of the seed.
struct SeededGradient {
  internal::ClosedFunction function;
  std::vector<bool> connected;
};

SeededGradient TraceGradient(GradientTape& tape, const Tensor& target, const Sources& sources) {
  std::vector<bool> connected;
  const auto gradient = [&](std::span<const Tensor> seed) {
    const auto list = tape.internal_core()->Gradient(target, sources, {.output_gradients = {seed[0]}}, false);
    NamedTensors out;
    connected.clear();
    for (const std::optional<GradientValue>& d : list) {
      connected.push_back(d.has_value());
      if (d) out.push_back(Tensor(*d));
    }
    return out;
  };
  auto closed = internal::TraceClosed("jacobian", gradient, {target.type()});
  return {std::move(closed), std::move(connected)};
}

Tensor RowsOf(const Tensor& x, int64_t begin, int64_t end) {
  std::vector<int64_t> starts(static_cast<size_t>(x.rank())), limits = x.shape().dims();
  starts[0] = begin;
  limits[0] = end;
  return Slice(x, starts, limits);
}

// The function at the seeds [n, target...], so many of them at once.
class SeedRun {
 public:
  explicit SeedRun(const internal::ClosedFunction& f) : f_(f) {}

  // One per result: [n, source...].
  std::vector<Tensor> operator()(const Tensor& seeds, const JacobianOptions& options) {
    const int64_t n = seeds.shape().dim(0);
    const int64_t step = !options.vectorize ? 1 : options.parallel_iterations > 0 ? options.parallel_iterations : n;
    if (step >= n && options.vectorize) return Chunk(seeds);
    std::vector<std::vector<Tensor>> parts(f_.num_results);
    for (int64_t at = 0; at < n; at += step) {
      const Tensor some = RowsOf(seeds, at, std::min(at + step, n));
      const std::vector<Tensor> rows = options.vectorize ? Chunk(some) : OneRow(some);
      for (size_t i = 0; i < rows.size(); ++i) parts[i].push_back(rows[i]);
    }
    std::vector<Tensor> out;
    for (size_t i = 0; i < parts.size(); ++i) out.push_back(parts[i].empty() ? NoRows(i) : Concat(parts[i]));
    return out;
  }

 private:
  std::vector<Tensor> Chunk(const Tensor& seeds) {
    const int64_t rows = seeds.shape().dim(0);
    std::vector<bool> batched(static_cast<size_t>(f_.function().num_parameters()));
    batched[0] = true;
    auto at = vectorized_.find(rows);
    if (at == vectorized_.end()) {
      auto made = passes::Vectorize(f_.module.get(), f_.name, batched, rows);
      if (!made.ok()) {
        ThrowInvalid(StrCat("jacobian: its gradient cannot be vectorized: ", made.status().message(),
                            "; set {.vectorize = false} to compute row by row, with a persistent tape"));
      }
      at = vectorized_.emplace(rows, *std::move(made)).first;
    }
    std::vector<Tensor> out = internal::RunThroughDispatch(f_.module, at->second.name, f_.Operands({seeds}));
    out.resize(f_.num_results);
    for (size_t i = 0; i < out.size(); ++i) {
      if (!at->second.batched[i]) out[i] = BroadcastTo(ExpandDims(out[i], 0), Rows(out[i].shape(), rows));
    }
    return out;
  }

  std::vector<Tensor> OneRow(const Tensor& seed) {
    std::vector<int64_t> shape = seed.shape().dims();
    shape.erase(shape.begin());
    std::vector<Tensor> out = internal::RunThroughDispatch(f_.module, f_.name, f_.Operands({Reshape(seed, shape)}));
    out.resize(f_.num_results);
    for (Tensor& d : out) d = ExpandDims(d, 0);
    return out;
  }

  static Shape Rows(const Shape& shape, int64_t rows) {
    Shape out{rows};
    for (Extent e : shape) out.push_back(e);
    return out;
  }
  Tensor NoRows(size_t i) const {
    const Type& type = f_.function().type(f_.function().results()[i]);
    return Zeros(Rows(type.shape, 0), type.dtype);
  }

  const internal::ClosedFunction& f_;
  HashMap<int64_t, passes::VectorizedFunction> vectorized_;  // by rows
};

// The gradients [n, source...] at all seeds; none for sources that are not connected.
std::vector<std::optional<Tensor>> AllRows(GradientTape& tape, const Tensor& target, const Sources& sources,
                                           const Tensor& seeds, const JacobianOptions& options) {
  if (!options.vectorize && !internal::State().trace && !tape.internal_core()->persistent()) {
    ThrowError(ErrorCode::kFailedPrecondition,
               "jacobian: without vectorize, the tape must be persistent: construct it with {.persistent = true}");
  }
  if (options.parallel_iterations < 0) {
    ThrowInvalid(StrCat("jacobian: parallel_iterations is ", options.parallel_iterations, "; give 0 (all) or more"));
  }
  const SeededGradient gradient = TraceGradient(tape, target, sources);
  const std::vector<Tensor> rows = SeedRun(gradient.function)(seeds, options);
  std::vector<std::optional<Tensor>> out;
  size_t next = 0;
  for (bool connected : gradient.connected) {
    out.push_back(connected ? std::optional(rows[next++]) : std::nullopt);
  }
  return out;
}

// Every element of the shape alone: [size, shape...].
Tensor Basis(int64_t size, std::vector<int64_t> shape, DType dtype) {
  const Tensor eye = Cast(Equal(Iota({size, size}, 0), Iota({size, size}, 1)), dtype);
  shape.insert(shape.begin(), size);
  return Reshape(eye, shape);
}

std::vector<int64_t> Joined(const Shape& a, const Shape& b, int from = 0) {
  std::vector<int64_t> out = a.dims();
  for (int i = from; i < b.rank(); ++i) out.push_back(b.dim(i));
  return out;
}

void CheckBatches(const Tensor& target, const Source& source) {
  const Shape &y = target.shape(), &x = source.type().shape;
  if (y.rank() < 2 || x.rank() < 2) {
    ThrowInvalid(StrCat("batch_jacobian: target ", target.type().ToString(), " and source ", source.type().ToString(),
                        " must have rank at least 2: examples, then their elements; "
                        "use Jacobian for other shapes"));
  }
  if (y.dim(0) == x.dim(0)) return;
  ThrowInvalid(StrCat("batch_jacobian: Need first dimension of target shape ", y.ToString(), " and source shape ",
                      x.ToString(),
                      " to match: example i of one belongs to example i of the other; use Jacobian "
                      "otherwise"));
}

}  // namespace

std::vector<std::optional<Tensor>> GradientTape::Jacobian(const Tensor& target, const Sources& sources,
                                                          const JacobianOptions& options,
                                                          std::source_location location) {
  const internal::LocationScope scope(location);
  const std::vector<Source>& list = sources.list();
  std::vector<std::optional<Tensor>> out(list.size());
  if (IsDifferentiable(target.dtype())) {
    const Tensor seeds = Basis(target.size(), target.shape().dims(), target.dtype());
    out = AllRows(*this, target, sources, seeds, options);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Type& x = list[i].type();
    const std::vector<int64_t> shape = Joined(target.shape(), x.shape);
    if (out[i]) {
      out[i] = Reshape(*out[i], shape);
    } else if (options.unconnected_gradients == UnconnectedGradients::kZero) {
      out[i] = Zeros(Shape(shape), x.dtype);
    }
  }
  return out;
}

Tensor GradientTape::BatchJacobian(const Tensor& target, const Source& source, const JacobianOptions& options,
                                   std::source_location location) {
  const internal::LocationScope scope(location);
  CheckBatches(target, source);
  const Shape shape = target.shape();
  std::vector<int64_t> one = shape.dims();
  int64_t size = 1;
  for (int i = 1; i < shape.rank(); ++i) size *= shape.dim(i);
  one[0] = 1;
  const int64_t chunk = options.parallel_iterations;
  if (chunk > 0 && chunk < size && !internal_core()->persistent()) {
    ThrowError(ErrorCode::kFailedPrecondition,
               "batch_jacobian: the tape must be constructed with persistent=True ({.persistent = true}) to compute "
               "it in several chunks of parallel_iterations");
  }
  const std::vector<int64_t> joined = Joined(shape, source.type().shape, 1);
  std::optional<Tensor> rows;
  if (IsDifferentiable(target.dtype())) {
    Shape all{size};
    for (Extent e : shape) all.push_back(e);
    const Tensor seeds = BroadcastTo(Basis(size, one, target.dtype()), all);
    rows = AllRows(*this, target, {source}, seeds, options)[0];
  }
  if (!rows) return Zeros(Shape(joined), target.dtype());
  std::vector<int64_t> order{1, 0};  // [elements, examples, ...] to [examples, elements, ...]
  for (int i = 2; i < rows->rank(); ++i) order.push_back(i);
  return Reshape(Transpose(*rows, order), joined);
}

}  // namespace reel
