#include "reel/tape.h"

#include <memory>

#include "gradients.h"
#include "operators.h"
#include "register.h"
#include "slices.h"
#include "tree.h"

// GradientTape as a context manager; targets and sources are nested structures.

namespace reel::python {
namespace {

// The tape of a `with` statement: the C++ tape records from __enter__ to __exit__, and goes on when entered again.
class PythonTape {
 public:
  PythonTape(bool persistent, bool watch_accessed_variables)
      : options_{.persistent = persistent, .watch_accessed_variables = watch_accessed_variables} {}

  void Enter() {
    if (tape_ && tape_->recording()) ThrowInvalid("the tape is already recording");
    if (!tape_) {
      tape_ = std::make_unique<GradientTape>(options_);
    } else {
      tape_->Start();
      stopped_ = false;
    }
  }
  void Exit() {
    if (!tape_ || stopped_) ThrowFailed("the tape is not recording");
    tape_->Stop(kNoLocation);
    stopped_ = true;
  }

  GradientTape& tape(const char* what) {
    if (!tape_) ThrowFailed(Text({what, ": the tape has recorded nothing; enter it with `with`"}));
    return *tape_;
  }

  void Pause() {
    if (!tape_ || stopped_) ThrowFailed("stop_recording: the tape is not recording");
    scope_ = std::make_unique<GradientTape::StopScope>(tape_->StopRecording());
  }
  void Resume() { scope_.reset(); }

 private:
  const TapeOptions options_;
  std::unique_ptr<GradientTape> tape_;
  std::unique_ptr<GradientTape::StopScope> scope_;
  bool stopped_ = false;
};

// `with tape.stop_recording():`
struct StopRecording {
  nb::object owner;
};

void Watch(PythonTape& self, nb::handle tensors) {
  std::vector<nb::object> leaves;
  FlattenTree(tensors, &leaves);
  std::vector<Source> sources;
  for (const nb::object& x : leaves) sources.push_back(ToSource(x, "watch"));
  self.tape("watch").Watch(Sources(std::move(sources)));
}

// Seeds by target; None is ones.
std::vector<std::optional<Tensor>> Seeds(nb::handle tree, const std::vector<Source>& targets) {
  std::vector<std::optional<Tensor>> out;
  if (tree.is_none()) return out;
  std::vector<nb::object> leaves;
  if (IsTree(tree))
    FlattenTree(tree, &leaves);
  else
    leaves.push_back(nb::borrow(tree));
  if (leaves.size() != targets.size()) {
    ThrowInvalid("gradient: " + std::to_string(leaves.size()) + " output_gradients for " +
                 std::to_string(targets.size()) + " targets; give one for each, None for ones");
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const nb::object& x = leaves[i];
    out.push_back(x.is_none() ? std::optional<Tensor>() : ToTensorBeside(x, targets[i].type().dtype));
  }
  return out;
}

nb::object Gradient(PythonTape& self, nb::handle target, nb::handle sources, nb::handle output_gradients,
                    nb::handle unconnected) {
  GradientOptions options;
  options.unconnected_gradients = ToUnconnected(unconnected);
  if (target.is_none()) ThrowType("gradient: the target is None; it should be a tensor or a structure of tensors");
  std::vector<nb::object> target_leaves, source_leaves;
  FlattenTree(target, &target_leaves);
  FlattenTree(sources, &source_leaves);
  std::vector<Source> ys, xs;
  for (const nb::object& y : target_leaves) ys.push_back(ToSource(y, "gradient: target"));
  for (const nb::object& x : source_leaves) xs.push_back(ToSource(x, "gradient: sources"));
  options.output_gradients = Seeds(output_gradients, ys);
  GradientTape& tape = self.tape("gradient");
  const GradientList list = [&] {
    const Unlocked other_threads(kLong);
    return tape.Gradient(Targets(std::move(ys)), Sources(std::move(xs)), std::move(options), kNoLocation);
  }();
  std::vector<nb::object> gradients;
  for (const GradientEntry& entry : list) gradients.push_back(WrapGradient(entry.gradient));
  return RebuildTree(sources, gradients);
}

JacobianOptions ToJacobianOptions(nb::handle unconnected, OptionalInt parallel_iterations, bool vectorize) {
  return {.unconnected_gradients = ToUnconnected(unconnected),
          .vectorize = vectorize,
          .parallel_iterations = parallel_iterations.get().value_or(0)};
}

const Tensor& JacobianTarget(nb::handle target, const char* what) {
  if (!IsTensor(target.ptr())) ThrowType(Text({what, ": the target must be one tensor, not ", TypeName(target)}));
  return TensorOf(target.ptr());
}

nb::object JacobianOf(PythonTape& self, nb::handle target, nb::handle sources, nb::handle unconnected,
                      OptionalInt parallel_iterations, bool vectorize) {
  const Tensor& y = JacobianTarget(target, "jacobian");
  const JacobianOptions options = ToJacobianOptions(unconnected, parallel_iterations, vectorize);
  std::vector<nb::object> leaves;
  FlattenTree(sources, &leaves);
  std::vector<Source> xs;
  for (const nb::object& x : leaves) xs.push_back(ToSource(x, "jacobian: sources"));
  GradientTape& tape = self.tape("jacobian");
  const std::vector<std::optional<Tensor>> matrices = [&] {
    const Unlocked other_threads(kLong);
    return tape.Jacobian(y, Sources(std::move(xs)), options, kNoLocation);
  }();
  std::vector<nb::object> out;
  for (const auto& j : matrices) out.push_back(j ? Wrap(*j) : nb::none());
  return RebuildTree(sources, out);
}

Tensor BatchJacobianOf(PythonTape& self, nb::handle target, nb::handle source, nb::handle unconnected,
                       OptionalInt parallel_iterations, bool vectorize) {
  const Tensor& y = JacobianTarget(target, "batch_jacobian");
  const Source x = ToSource(source, "batch_jacobian: source");
  const JacobianOptions options = ToJacobianOptions(unconnected, parallel_iterations, vectorize);
  GradientTape& tape = self.tape("batch_jacobian");
  const Unlocked other_threads(kLong);
  return tape.BatchJacobian(y, x, options, kNoLocation);
}

void DefineJacobians(nb::class_<PythonTape>& c) {
  c.def("jacobian", &JacobianOf, "target"_a.none(), "sources"_a, "unconnected_gradients"_a = "none",
        "parallel_iterations"_a = nb::none(), "experimental_use_pfor"_a = true,
        nb::sig("def jacobian(self, target: Tensor, sources: Any, unconnected_gradients: Any = 'none', "
                "parallel_iterations: int | None = None, experimental_use_pfor: bool = True) -> Any"),
        "d target/d source for each source, of shape target.shape + source.shape, in the structure of `sources`. All "
        "rows at once, or parallel_iterations of them; without experimental_use_pfor one after the other, which needs "
        "a persistent tape.");
  c.def("batch_jacobian", &BatchJacobianOf, "target"_a.none(), "source"_a, "unconnected_gradients"_a = "none",
        "parallel_iterations"_a = nb::none(), "experimental_use_pfor"_a = true,
        nb::sig("def batch_jacobian(self, target: Tensor, source: Tensor | Variable, unconnected_gradients: Any = "
                "'none', parallel_iterations: int | None = None, experimental_use_pfor: bool = True) -> Tensor"),
        "The Jacobian of each example, [b, *y, *x], where example i of the target depends on example i of the source "
        "alone. Zeros if it does not depend on it.");
}

}  // namespace

Source ToSource(nb::handle x, const char* what) {
  if (IsTensor(x.ptr())) return TensorOf(x.ptr());
  if (IsVariable(x.ptr())) return VariableOf(x.ptr());
  ThrowType(std::string(what) + ": expected tensors and variables, not " + TypeName(x));
}

nb::object WrapGradient(const std::optional<GradientValue>& gradient) {
  if (!gradient) return nb::none();
  return gradient->sparse() ? nb::cast(gradient->slices()) : Wrap(gradient->Dense(kNoLocation));
}

UnconnectedGradients ToUnconnected(nb::handle x) {
  const nb::object value = nb::hasattr(x, "value") ? x.attr("value") : nb::borrow(x);
  if (value.is_none() || value.equal(nb::str("none"))) return UnconnectedGradients::kNone;
  if (value.equal(nb::str("zero"))) return UnconnectedGradients::kZero;
  ThrowInvalid("unknown value for unconnected_gradients: " + std::string(nb::repr(value).c_str()) +
               "; use 'none' or 'zero'");
}

void RegisterTape(nb::module_& m) {
  RegisterSlices(m);
  nb::class_<PythonTape> c(m, "GradientTape", nb::is_weak_referenceable(),
                           "Records what depends on trainable variables and watched tensors inside "
                           "its `with` block, and "
                           "differentiates it:\n\n"
                           "    with reel.GradientTape() as tape:\n"
                           "        loss = reel.mean((x @ w - y) ** 2)\n"
                           "    dw = tape.gradient(loss, w)\n\n"
                           "Without persistent=True, gradient can be called once.");
  c.def(nb::init<bool, bool>(), "persistent"_a = false, "watch_accessed_variables"_a = true);
  c.def(
      "__enter__",
      [](nb::handle self) {
        nb::inst_ptr<PythonTape>(self)->Enter();
        return nb::borrow(self);
      },
      nb::sig("def __enter__(self) -> GradientTape"));
  c.def(
      "__exit__", [](PythonTape& self, nb::handle, nb::handle, nb::handle) { self.Exit(); }, "type"_a.none(),
      "value"_a.none(), "traceback"_a.none());
  c.def("watch", &Watch, "tensor"_a, nb::sig("def watch(self, tensor: Any) -> None"),
        "Follows what is computed from these tensors and variables from now on.");
  c.def(
      "watched_variables",
      [](PythonTape& self) { return VariableTuple(self.tape("watched_variables").WatchedVariables()); },
      nb::sig("def watched_variables(self) -> tuple[Variable, ...]"),
      "Variables watched or read so far, in the order of their creation.");
  c.def("gradient", &Gradient, "target"_a.none(), "sources"_a, "output_gradients"_a = nb::none(),
        "unconnected_gradients"_a = "none",
        nb::sig("def gradient(self, target: Any, sources: Any, output_gradients: Any = None, "
                "unconnected_gradients: Any = 'none') -> Any"),
        "d(sum of target)/d(source) for each source, in the structure of `sources`. None where the "
        "target does not "
        "depend on it, zeros with unconnected_gradients='zero'. output_gradients: one seed per "
        "target.");
  DefineJacobians(c);
  c.def(
      "explain_none",
      [](PythonTape& self, nb::handle target, nb::handle source) {
        return InPython(
            self.tape("explain_none").ExplainNone(ToSource(target, "explain_none"), ToSource(source, "explain_none")));
      },
      "target"_a, "source"_a,
      nb::sig("def explain_none(self, target: Tensor | Variable, source: Tensor | Variable) -> str"),
      "Why gradient(target, source) is None, in a sentence that names file and line.");
  c.def(
      "summary", [](PythonTape& self) { return self.tape("summary").Summary(); },
      "What was recorded: the watched variables, the ops by line, and the bytes kept for "
      "gradients.");
  c.def("reset", [](PythonTape& self) { self.tape("reset").Reset(); }, "Forgets what was recorded and watched.");
  c.def(
      "stop_recording", [](nb::handle self) { return StopRecording{nb::borrow(self)}; },
      nb::sig("def stop_recording(self) -> StopRecording"), "A context manager: what runs inside is not recorded.");
  nb::class_<StopRecording> s(m, "StopRecording", "What GradientTape.stop_recording returns.");
  s.def("__enter__", [](StopRecording& self) { nb::inst_ptr<PythonTape>(self.owner)->Pause(); });
  s.def(
      "__exit__",
      [](StopRecording& self, nb::handle, nb::handle, nb::handle) { nb::inst_ptr<PythonTape>(self.owner)->Resume(); },
      "type"_a.none(), "value"_a.none(), "traceback"_a.none());
}

}  // namespace reel::python
