#include "reel/transforms.h"

#include <memory>

#include "callback.h"
#include "frontend/ops/index.h"
#include "gradients.h"
#include "reel/debugging.h"
#include "reel/forward.h"
#include "register.h"

// Functions to functions, on lists of tensors; reel/_transforms.py adds structures and names. ForwardAccumulator.
// Checks of gradients and numbers; reel/_debugging.py.

namespace reel::python {
namespace {

// function(list of tensors) -> list of tensors
internal::TracedFunction ToTraced(nb::handle function) {
  return [f = SharedObject(function)](std::span<const Tensor> arguments) {
    const nb::gil_scoped_acquire lock;
    const std::vector<Tensor> results = ToTensors((*f)(TensorObjects({arguments.begin(), arguments.end()})));
    return NamedTensors(results.begin(), results.end());
  };
}

// None is a null tensor: zeros. A number gets the dtype of what it is a direction of.
std::vector<Tensor> TensorsOrNull(nb::handle list, const std::vector<Tensor>& beside = {}) {
  std::vector<Tensor> out;
  for (const nb::handle x : list) {
    const size_t i = out.size();
    out.push_back(x.is_none() ? Tensor() : i < beside.size() ? ToTensorBeside(x, beside[i].dtype()) : ToTensor(x));
  }
  return out;
}

nb::list OptionalObjects(const std::vector<std::optional<Tensor>>& tensors) {
  nb::list out;
  for (const auto& t : tensors) out.append(t ? Wrap(*t) : nb::none());
  return out;
}

std::vector<std::optional<int64_t>> OptionalAxes(nb::handle list, const char* what) {
  std::vector<std::optional<int64_t>> out;
  for (const nb::handle x : list) out.push_back(x.is_none() ? std::nullopt : std::optional(ToInt(x, what)));
  return out;
}

// function(list of rows) -> (list of results, axis of each)
nb::list MapRows(nb::handle function, nb::handle arguments, nb::handle in_axes) {
  MapOptions options{.in_axes = OptionalAxes(in_axes, "in_axes")};
  // How many results there are is known when the function has been traced; only then are their axes looked at.
  const internal::TracedFunction traced = [&](std::span<const Tensor> rows) {
    const nb::gil_scoped_acquire lock;
    const nb::object made = function(TensorObjects({rows.begin(), rows.end()}));
    const std::vector<Tensor> results = ToTensors(made[0]);
    options.out_axes = OptionalAxes(made[1], "out_axes");
    return NamedTensors(results.begin(), results.end());
  };
  const std::vector<Tensor> xs = ToTensors(arguments);
  return TensorObjects([&] {
    const Unlocked other_threads(kLong);
    return internal::MapRows(traced, xs, options);
  }());
}

nb::tuple JvpOf(nb::handle function, nb::handle primals, nb::handle tangents) {
  const internal::TracedFunction traced = ToTraced(function);
  const std::vector<Tensor> xs = ToTensors(primals), dxs = TensorsOrNull(tangents, xs);
  const JvpResult result = [&] {
    const Unlocked other_threads(kLong);
    return internal::RunJvp(traced, xs, dxs);
  }();
  return nb::make_tuple(TensorObjects(result.values.tensors()), TensorObjects(result.tangents.tensors()));
}

nb::tuple VjpOf(nb::handle function, nb::handle primals) {
  const internal::TracedFunction traced = ToTraced(function);
  const std::vector<Tensor> xs = ToTensors(primals);
  VjpResult result = [&] {
    const Unlocked other_threads(kLong);
    return internal::RunVjp(traced, xs);
  }();
  nb::object pullback = nb::cpp_function([pullback = std::move(result.pullback)](nb::handle seeds) {
    const std::vector<Tensor> dys = TensorsOrNull(seeds);
    return OptionalObjects([&] {
      const Unlocked other_threads(kLong);
      return pullback(dys);
    }());
  });
  return nb::make_tuple(TensorObjects(result.values.tensors()), pullback);
}

nb::list FunctionJacobian(nb::handle function, nb::handle arguments, int argument) {
  const internal::TracedFunction traced = ToTraced(function);
  const std::vector<Tensor> xs = ToTensors(arguments);
  return TensorObjects([&] {
    const Unlocked other_threads(kLong);
    return internal::RunJacobian(traced, xs, argument);
  }());
}

nb::list HvpOf(nb::handle function, nb::handle arguments, nb::handle vectors) {
  const internal::TracedFunction traced = ToTraced(function);
  const std::vector<Tensor> xs = ToTensors(arguments), vs = ToTensors(vectors);
  return TensorObjects([&] {
    const Unlocked other_threads(kLong);
    return internal::RunHvp(traced, xs, vs);
  }()
                           .tensors());
}

std::vector<Source> LeafSources(nb::handle tree, const char* what) {
  std::vector<nb::object> leaves;
  FlattenTree(tree, &leaves);
  std::vector<Source> out;
  for (const nb::object& x : leaves) out.push_back(ToSource(x, what));
  return out;
}

// The accumulator of `with` statements: it records between __enter__ and __exit__, several times if wanted.
class PythonAccumulator {
 public:
  PythonAccumulator(nb::handle primals, nb::handle tangents)
      : accumulator_(Sources(LeafSources(primals, "ForwardAccumulator: primals")), LeafTensors(tangents), kNoLocation) {
    accumulator_.Stop();
  }

  void Enter() {
    if (accumulator_.recording()) ThrowInvalid("ForwardAccumulator: it is already recording; leave its `with` first");
    accumulator_.Start();
  }
  void Exit() { accumulator_.Stop(); }
  void Watch(nb::handle primals, nb::handle tangents) {
    accumulator_.Watch(Sources(LeafSources(primals, "watch: primals")), LeafTensors(tangents), kNoLocation);
  }
  nb::object Jvp(nb::handle primals, nb::handle unconnected) const {
    const UnconnectedGradients what = ToUnconnected(unconnected);
    std::vector<nb::object> out;
    for (const Source& y : LeafSources(primals, "jvp")) {
      const std::optional<Tensor> dy = accumulator_.Jvp(y, what);
      out.push_back(dy ? Wrap(*dy) : nb::none());
    }
    return RebuildTree(primals, out);
  }

 private:
  ForwardAccumulator accumulator_;
};

void RegisterAccumulator(nb::module_& m) {
  nb::class_<PythonAccumulator> c(
      m, "ForwardAccumulator",
      "Forward mode: computes how what runs in its `with` block moves when the primals move along the tangents, "
      "beside the ops and without keeping anything:\n\n"
      "    with reel.ForwardAccumulator(x, v) as acc:\n"
      "        y = reel.sin(x) * x\n"
      "    dy = acc.jvp(y)        # J v\n\n"
      "Primals and tangents are tensors, variables or structures of them. Accumulators nest, with each other and "
      "with tapes, in the order in which they are entered; one that is entered again goes on.");
  c.def(
      "__init__",
      [](PythonAccumulator* self, nb::handle primals, nb::handle tangents) {
        new (self) PythonAccumulator(primals, tangents);
      },
      "primals"_a, "tangents"_a, nb::sig("def __init__(self, primals: Any, tangents: Any) -> None"));
  c.def(
      "__enter__",
      [](nb::handle self) {
        nb::inst_ptr<PythonAccumulator>(self)->Enter();
        return nb::borrow(self);
      },
      nb::sig("def __enter__(self) -> ForwardAccumulator"));
  c.def(
      "__exit__", [](PythonAccumulator& self, nb::handle, nb::handle, nb::handle) { self.Exit(); }, "type"_a.none(),
      "value"_a.none(), "traceback"_a.none());
  c.def("watch", &PythonAccumulator::Watch, "primals"_a, "tangents"_a,
        nb::sig("def watch(self, primals: Any, tangents: Any) -> None"),
        "Follows further primals from now on; the tangent of one that moves already is added to.");
  c.def("jvp", &PythonAccumulator::Jvp, "primals"_a, "unconnected_gradients"_a = "none",
        nb::sig("def jvp(self, primals: Any, unconnected_gradients: Any = 'none') -> Any"),
        "How tensors and variables move, in their structure: looked up, also after the block. None, or zeros with "
        "'zero', where nothing that moves went in while this recorded.");
}

double CheckGradientsOf(nb::handle function, nb::handle inputs, int order, DTypeLike dtype, double step,
                        double tolerance) {
  const internal::TracedFunction traced = ToTraced(function);
  const std::vector<Tensor> xs = ToTensors(inputs);
  const GradientCheckOptions options{
      .order = order, .dtype = dtype.get(kFloat64), .step = step, .tolerance = tolerance};
  const Unlocked other_threads(kLong);
  return internal::RunCheckGradients(traced, xs, options, kNoLocation);
}

}  // namespace

void RegisterTransforms(nb::module_& m) {
  m.def("_check_gradients", &CheckGradientsOf);
  m.def("_set_bounds", [](bool check) { return CheckBounds(check); });
  m.def("_without_bounds", [](nb::handle function, nb::args args) {
    const internal::UncheckedScope scope;
    return function(*args);
  });
  m.def("_set_numerics", [](int level) { return static_cast<int>(CheckNumerics(static_cast<NumericsCheck>(level))); });
  RegisterAccumulator(m);
  m.def("_map_rows", &MapRows);
  m.def("_jvp", &JvpOf);
  m.def("_vjp", &VjpOf);
  m.def("_jacobian", &FunctionJacobian);
  m.def("_hvp", &HvpOf);
  m.def("_jvp_function", [](const Function& f) { return Jvp(f); });
  m.def("_vjp_function", [](const Function& f) { return Vjp(f); });
  m.def("_jacobian_function", [](const Function& f, int argument) { return Jacobian(f, argument); });
  m.def("_hessian_function", [](const Function& f, int argument) { return Hessian(f, argument); });
  m.def("_hvp_function", [](const Function& f, int argument) { return HessianVectorProduct(f, argument); });
  m.def("_map_function", [](const Function& f, int64_t rows, nb::handle in_axes, nb::handle out_axes) {
    return VectorizedMap(f, rows, {OptionalAxes(in_axes, "in_axes"), OptionalAxes(out_axes, "out_axes")});
  });
}

}  // namespace reel::python
