#include "reel/training.h"

#include "gradients.h"
#include "record.h"
#include "register.h"
#include "tree.h"

// reel.optim: what stands between gradients and an optimizer, and beside it.

namespace reel::python {
namespace {

// A structure of gradients through a function of GradientList; None stays.
template <typename F>
nb::object Mapped(nb::handle gradients, F function) {
  std::vector<nb::object> leaves, out;
  FlattenTree(gradients, &leaves);
  std::vector<GradientEntry> entries;
  for (const nb::object& g : leaves) {
    const std::optional<Tensor> t = g.is_none() ? std::optional<Tensor>() : ToTensor(g);
    entries.emplace_back(t ? *t : Tensor(), t);
  }
  for (const GradientEntry& e : function(GradientList(std::move(entries)))) out.push_back(WrapGradient(e.gradient));
  return RebuildTree(gradients, out);
}

// The gradients that there are.
GradientList Present(nb::handle gradients) {
  std::vector<nb::object> leaves;
  FlattenTree(gradients, &leaves);
  std::vector<GradientEntry> entries;
  for (const nb::object& g : leaves) {
    if (!g.is_none()) entries.emplace_back(ToTensor(g), std::optional(ToTensor(g)));
  }
  return GradientList(std::move(entries));
}

void RegisterClipping(nb::module_& m) {
  m.def(
      "clip_by_value",
      [](nb::handle g, double low, double high) {
        return Mapped(g, [&](const GradientList& list) { return ClipByValue(list, low, high); });
      },
      "gradients"_a, "low"_a, "high"_a, nb::sig("def clip_by_value(gradients: Any, low: float, high: float) -> Any"),
      "Every gradient between low and high.");
  m.def(
      "clip_by_norm",
      [](nb::handle g, double max_norm) {
        return Mapped(g, [&](const GradientList& list) { return ClipByNorm(list, max_norm); });
      },
      "gradients"_a, "max_norm"_a, nb::sig("def clip_by_norm(gradients: Any, max_norm: float) -> Any"),
      "Every gradient scaled down to a norm of at most max_norm.");
  m.def(
      "clip_by_global_norm",
      [](nb::handle g, double max_norm) {
        return Mapped(g, [&](const GradientList& list) { return ClipByGlobalNorm(list, max_norm); });
      },
      "gradients"_a, "max_norm"_a, nb::sig("def clip_by_global_norm(gradients: Any, max_norm: float) -> Any"),
      "All gradients scaled down by their norm as one vector."
      "\n\n>>> reel.optim.clip_by_global_norm([reel.asarray([3.0, 4.0])], 1.0)[0]\nTensor([0.6, 0.8], dtype=float32)");
  m.def(
      "global_norm", [](nb::handle g) { return GlobalNorm(Present(g)); }, "gradients"_a,
      nb::sig("def global_norm(gradients: Any) -> Tensor"), "The norm of all gradients as one vector.");
  m.def(
      "all_finite", [](nb::handle g) { return AllFinite(Present(g)); }, "gradients"_a,
      nb::sig("def all_finite(gradients: Any) -> Tensor"), "Whether every element is finite, bool[].");
}

void RegisterAverages(nb::module_& m) {
  using Average = ExponentialMovingAverage;
  nb::class_<Average> c(m, "ExponentialMovingAverage", nb::dynamic_attr(),
                        "Averages of variables: average = decay average + (1 - decay) value.");
  c.def("__init__", Recorded([](Average* self, double decay, bool warmup) {
          new (self) Average({.decay = decay, .warmup = warmup});
        }),
        "decay"_a = 0.999, "warmup"_a = false);
  c.def(
      "update", [](const Average& self, nb::handle v) { self.Update(ToVariables(v)); }, "variables"_a,
      nb::sig("def update(self, variables: Any) -> None"), "Takes the present values into the averages.");
  c.def(
      "average", [](const Average& self, const Variable& v) { return WrapVariable(self.Average(v)); }, "variable"_a,
      nb::sig("def average(self, variable: Variable) -> Variable"), "The average of a variable.");
  c.def(
      "assign_to", [](const Average& self, nb::handle v) { self.AssignTo(ToVariables(v)); }, "variables"_a,
      nb::sig("def assign_to(self, variables: Any) -> None"),
      "Assigns the averages to the variables, for instance to evaluate.");
}

void RegisterLossScale(nb::module_& m) {
  nb::class_<LossScale> c(m, "LossScale", nb::dynamic_attr(),
                          "Keeps small gradients of narrow dtypes from vanishing: scale the loss, unscale the "
                          "gradients, "
                          "apply. A step with a gradient that is not finite changes nothing but the scale.");
  c.def("__init__", Recorded([](LossScale* self, double initial, bool dynamic, double factor, int64_t interval) {
          new (self) LossScale({.initial = initial, .dynamic = dynamic, .factor = factor, .interval = interval});
        }),
        "initial"_a = 32768.0, "dynamic"_a = true, "factor"_a = 2.0, "interval"_a = 2000);
  c.def(
      "scale", [](const LossScale& self, TensorLike loss) { return self.Scale(loss.operand()); }, "loss"_a,
      "loss times the scale.");
  c.def(
      "unscale",
      [](const LossScale& self, nb::handle g) {
        return Mapped(g, [&](const GradientList& list) { return self.Unscale(list); });
      },
      "gradients"_a, nb::sig("def unscale(self, gradients: Any) -> Any"), "Gradients divided by the scale.");
  c.def(
      "apply",
      [](const LossScale& self, const Optimizer& optimizer, nb::handle g, nb::handle v) {
        self.Apply(optimizer, ToGradients(g, v));
      },
      "optimizer"_a, "gradients"_a, "variables"_a,
      nb::sig("def apply(self, optimizer: Optimizer, gradients: Any, variables: Any) -> None"),
      "Applies the gradients if all of them are finite; then adapts the scale.");
  c.def_prop_ro(
      "variables", [](const LossScale& self) { return VariableTuple(self.variables()); },
      nb::sig("def variables(self) -> tuple[Variable, ...]"),
      "The scale, and the count of finite steps since it changed.");
}

}  // namespace

void RegisterTraining(nb::module_& parent) {
  nb::module_ m = nb::borrow<nb::module_>(parent.attr("optim"));
  RegisterClipping(m);
  RegisterAverages(m);
  RegisterLossScale(m);
}

}  // namespace reel::python
