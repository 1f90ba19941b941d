#include "bind.h"
#include "callback.h"
#include "gradients.h"
#include "record.h"
#include "reel/optimizers.h"
#include "reel/schedules.h"
#include "register.h"
#include "tree.h"

// reel.optim: optimizers and schedules; training.cc has the rest.

namespace reel::python {
namespace {

// A Python function of a tensor; owned by C++, called with the GIL.
nb::object CallWithTensor(const nb::object& function, const Tensor& x) { return function(Wrap(x)); }

// A number, a Schedule, or a function of the step.
Schedule ToSchedule(nb::handle x) {
  Schedule* schedule = nullptr;
  if (nb::try_cast(x, schedule) && schedule) return *schedule;
  if (PyFloat_Check(x.ptr()) || PyLong_Check(x.ptr())) return ToDouble(x, "learning_rate");
  if (IsTensor(x.ptr())) return TensorOf(x.ptr()).item<double>({});
  if (!PyCallable_Check(x.ptr()))
    ThrowType("learning_rate: expected a number, a schedule or a function of the step, not " + TypeName(x));
  return [function = SharedObject(x)](const Tensor& step) {
    const nb::gil_scoped_acquire lock;
    return Cast(ToTensor(CallWithTensor(*function, step)), kFloat64);
  };
}

// A number, or (number, function of a variable that says whether it decays).
WeightDecay ToDecay(nb::handle x) {
  if (!PyTuple_Check(x.ptr())) return ToDouble(x, "weight_decay");
  return {ToDouble(x[0], "weight_decay"), [function = SharedObject(x[1])](const Variable& v) {
            const nb::gil_scoped_acquire lock;
            return nb::cast<bool>((*function)(WrapVariable(v)));
          }};
}

void Apply(const Optimizer& self, nb::handle gradients, nb::handle variables) {
  self.Apply(ToGradients(gradients, variables), std::source_location{});
}

// Pairs, as TensorFlow has them.
void ApplyGradients(const Optimizer& self, nb::handle pairs) {
  nb::list gradients, variables;
  for (const nb::handle pair : pairs) {
    gradients.append(pair[0]);
    variables.append(pair[1]);
  }
  Apply(self, gradients, variables);
}

void RegisterBase(nb::module_& m) {
  nb::class_<Optimizer> c(m, "Optimizer", nb::is_weak_referenceable(), nb::dynamic_attr(), "What all optimizers have.");
  c.def("apply", &Apply, "gradients"_a.none(), "variables"_a,
        nb::sig("def apply(self, gradients: Any, variables: Any) -> None"),
        "Updates each variable by its gradient, both of one structure. None: it stays, with a "
        "warning.");
  c.def("apply_gradients", &ApplyGradients, "grads_and_vars"_a,
        nb::sig("def apply_gradients(self, grads_and_vars: Iterable[tuple[Tensor | None, "
                "Variable]]) -> None"),
        "The same for pairs (gradient, variable).");
  c.def(
      "apply_if",
      [](const Optimizer& self, TensorLike condition, nb::handle gradients, nb::handle variables) {
        self.ApplyIf(condition.operand(), ToGradients(gradients, variables));
      },
      "condition"_a, "gradients"_a, "variables"_a,
      nb::sig("def apply_if(self, condition: TensorLike, gradients: Any, variables: Any) -> None"),
      "apply where the bool scalar is true; else nothing changes.");
  c.def_prop_ro(
      "variables", [](const Optimizer& self) { return VariableTuple(self.variables()); },
      nb::sig("def variables(self) -> tuple[Variable, ...]"), "Hyperparameters and slots that exist so far.");
  c.def_prop_ro(
      "learning_rate", [](const Optimizer& self) { return WrapVariable(self.learning_rate()); },
      nb::sig("def learning_rate(self) -> Variable"), "A variable; with a schedule, the rate of the last step.");
}

// How a Python argument becomes a member of an options struct.
template <typename T>
T ToMember(nb::handle x, const char* name) {
  if constexpr (std::is_same_v<T, Schedule>)
    return ToSchedule(x);
  else if constexpr (std::is_same_v<T, WeightDecay>)
    return ToDecay(x);
  else if constexpr (std::is_same_v<T, bool>)
    return nb::cast<bool>(x);
  else
    return ToDouble(x, name);
}

// Members of an optimizer's options by name; Bind makes the class with them as keywords.
template <typename Options>
struct Member {
  const char* name;
  void (*set)(Options&, nb::handle);
  std::string text;  // its default
};

template <auto kMember, typename Options>
Member<Options> Field(const char* name) {
  Options defaults = Options{};
  using T = std::decay_t<decltype(defaults.*kMember)>;
  std::string text;
  if constexpr (std::is_same_v<T, Schedule>)
    text = nb::repr(nb::float_((defaults.*kMember).value())).c_str();
  else if constexpr (std::is_same_v<T, WeightDecay>)
    text = nb::repr(nb::float_((defaults.*kMember).amount)).c_str();
  else if constexpr (std::is_same_v<T, bool>)
    text = (defaults.*kMember) ? "True" : "False";
  else
    text = nb::repr(nb::float_(defaults.*kMember)).c_str();
  return {
      name,
      [](Options& o, nb::handle x) { o.*kMember = ToMember<std::decay_t<decltype(o.*kMember)>>(x, "hyperparameter"); },
      std::move(text)};
}

template <typename C, typename Options>
void Bind(nb::module_& m, const char* name, Options defaults, std::vector<Member<Options>> members, const char* doc) {
  nb::class_<C, Optimizer> c(m, name, doc);
  std::string signature = "def __init__(self";
  for (const auto& member : members) {
    const std::string type =
        member.text == "True" || member.text == "False"    ? "bool"
        : std::string_view(member.name) == "learning_rate" ? "float | Schedule | Callable[[Tensor], Tensor]"
        : std::string_view(member.name) == "weight_decay"  ? "float | tuple[float, Callable[[Variable], bool]]"
                                                           : "float";
    signature += Text({", ", member.name, ": ", type, " = ", member.text});
    if (&member == &members[0]) signature += ", *";
  }
  c.def("__init__", Recorded([defaults, members, name = std::string(name)](C* self, nb::args args, nb::kwargs kwargs) {
          Options options = defaults;
          if (args.size() > 1) ThrowType(name + ": only the learning rate may be given without its name");
          if (args.size() == 1) members[0].set(options, args[0]);
          for (const auto [key, value] : kwargs) {
            const std::string_view wanted = nb::borrow<nb::str>(key).c_str();
            bool found = false;
            for (const auto& member : members) {
              if (wanted != member.name) continue;
              member.set(options, value);
              found = true;
            }
            if (found) continue;
            std::vector<std::string> names;
            for (const auto& member : members) names.emplace_back(member.name);
            ThrowNoOption(name, "hyperparameter", std::string(wanted), names);
          }
          new (self) C(options);
        }),
        nb::sig((signature + ") -> None").c_str()));
}

void RegisterOptimizers(nb::module_& m) {
  using S = SgdOptions;
  Bind<Sgd, S>(
      m, "SGD", {},
      {Field<&S::learning_rate, S>("learning_rate"), Field<&S::momentum, S>("momentum"),
       Field<&S::nesterov, S>("nesterov"), Field<&S::weight_decay, S>("weight_decay"), Field<&S::lazy, S>("lazy")},
      "Stochastic gradient descent, with momentum: p -= learning_rate g. lazy: a sparse gradient moves its rows "
      "alone; momentum and decay of other rows wait. In a function whose signature leaves the number of rows that are "
      "looked up open, gradients are dense: all rows move.");
  using A = AdamOptions;
  const std::vector<Member<A>> adam = {Field<&A::learning_rate, A>("learning_rate"),
                                       Field<&A::beta_1, A>("beta_1"),
                                       Field<&A::beta_2, A>("beta_2"),
                                       Field<&A::epsilon, A>("epsilon"),
                                       Field<&A::weight_decay, A>("weight_decay"),
                                       Field<&A::amsgrad, A>("amsgrad"),
                                       Field<&A::lazy, A>("lazy")};
  Bind<Adam, A>(
      m, "Adam", {}, adam,
      "Kingma, Ba, 2015. lazy: a sparse gradient moves its rows alone, as SparseAdam and LazyAdam elsewhere; the "
      "moments of other rows stay. In a function whose signature leaves the number of rows that are looked up open, "
      "gradients are dense: all rows move.");
  std::vector<Member<A>> adamw = adam;
  adamw[4].text = "0.01";
  Bind<AdamW, A>(m, "AdamW", {.weight_decay = 0.01}, adamw, "Adam with weight decay beside the gradient.");
  using X = AdamaxOptions;
  Bind<Adamax, X>(
      m, "Adamax", {},
      {Field<&X::learning_rate, X>("learning_rate"), Field<&X::beta_1, X>("beta_1"), Field<&X::beta_2, X>("beta_2"),
       Field<&X::epsilon, X>("epsilon"), Field<&X::weight_decay, X>("weight_decay")},
      "Adam with the maximum norm.");
  using N = NadamOptions;
  Bind<Nadam, N>(m, "Nadam", {},
                 {Field<&N::learning_rate, N>("learning_rate"), Field<&N::beta_1, N>("beta_1"),
                  Field<&N::beta_2, N>("beta_2"), Field<&N::epsilon, N>("epsilon"),
                  Field<&N::momentum_decay, N>("momentum_decay"), Field<&N::weight_decay, N>("weight_decay")},
                 "Adam with Nesterov's momentum.");
  using R = RmsPropOptions;
  Bind<RmsProp, R>(
      m, "RMSprop", {},
      {Field<&R::learning_rate, R>("learning_rate"), Field<&R::rho, R>("rho"), Field<&R::epsilon, R>("epsilon"),
       Field<&R::momentum, R>("momentum"), Field<&R::centered, R>("centered"),
       Field<&R::weight_decay, R>("weight_decay"), Field<&R::lazy, R>("lazy")},
      "Gradients divided by the root of their mean square. lazy: a sparse gradient moves its rows alone; "
      "means, momentum and decay of other rows wait. In a function whose signature leaves the number of "
      "rows that are looked up open, gradients are dense: all rows move.");
  using G = AdagradOptions;
  Bind<Adagrad, G>(
      m, "Adagrad", {},
      {Field<&G::learning_rate, G>("learning_rate"), Field<&G::initial_accumulator, G>("initial_accumulator"),
       Field<&G::epsilon, G>("epsilon"), Field<&G::weight_decay, G>("weight_decay")},
      "Duchi, Hazan, Singer, 2011.");
  using D = AdadeltaOptions;
  Bind<Adadelta, D>(m, "Adadelta", {},
                    {Field<&D::learning_rate, D>("learning_rate"), Field<&D::rho, D>("rho"),
                     Field<&D::epsilon, D>("epsilon"), Field<&D::weight_decay, D>("weight_decay")},
                    "Zeiler, 2012.");
  using L = LionOptions;
  Bind<Lion, L>(m, "Lion", {},
                {Field<&L::learning_rate, L>("learning_rate"), Field<&L::beta_1, L>("beta_1"),
                 Field<&L::beta_2, L>("beta_2"), Field<&L::weight_decay, L>("weight_decay")},
                "Signs of averaged gradients.");
  using B = LambOptions;
  Bind<Lamb, B>(
      m, "Lamb", {},
      {Field<&B::learning_rate, B>("learning_rate"), Field<&B::beta_1, B>("beta_1"), Field<&B::beta_2, B>("beta_2"),
       Field<&B::epsilon, B>("epsilon"), Field<&B::weight_decay, B>("weight_decay")},
      "Adam's step scaled to the size of the weights.");
  using F = AdafactorOptions;
  Bind<Adafactor, F>(m, "Adafactor", {},
                     {Field<&F::learning_rate, F>("learning_rate"), Field<&F::beta_2_decay, F>("beta_2_decay"),
                      Field<&F::epsilon_1, F>("epsilon_1"), Field<&F::epsilon_2, F>("epsilon_2"),
                      Field<&F::clip, F>("clip"), Field<&F::weight_decay, F>("weight_decay")},
                     "Second moments of rows and columns only.");
}

void RegisterSchedules(nb::module_& m) {
  nb::class_<Schedule> c(m, "Schedule", nb::dynamic_attr(),
                         "A learning rate as a function of the number of updates made.");
  c.def(
      "__call__", [](const Schedule& s, TensorLike step) { return s(step.operand()); }, "step"_a,
      "The value at a step, float64[].");
  m.def("exponential_decay",
        RecordedSchedule(m, "exponential_decay",
                         [](double initial, double rate, int64_t steps, bool staircase) {
                           return ExponentialDecay(
                               {.initial = initial, .rate = rate, .steps = steps, .staircase = staircase});
                         }),
        "initial"_a, "rate"_a, "steps"_a, "staircase"_a = false, "initial rate^(step / steps).");
  m.def("inverse_time_decay",
        RecordedSchedule(m, "inverse_time_decay",
                         [](double initial, double rate, int64_t steps) {
                           return InverseTimeDecay({.initial = initial, .rate = rate, .steps = steps});
                         }),
        "initial"_a, "rate"_a, "steps"_a, "initial / (1 + rate step / steps).");
  m.def("polynomial_decay",
        RecordedSchedule(m, "polynomial_decay",
                         [](double initial, double final, int64_t steps, double power) {
                           return PolynomialDecay({.initial = initial, .final = final, .power = power, .steps = steps});
                         }),
        "initial"_a, "final"_a, "steps"_a, "power"_a = 1.0,
        "final + (initial - final) (1 - min(step, steps) / steps)^power.");
  m.def("cosine_decay",
        RecordedSchedule(m, "cosine_decay",
                         [](double initial, int64_t steps, double final, int64_t warmup_steps, double warmup_start) {
                           return CosineDecay({.initial = initial,
                                               .final = final,
                                               .steps = steps,
                                               .warmup_steps = warmup_steps,
                                               .warmup_start = warmup_start});
                         }),
        "initial"_a, "steps"_a, "final"_a = 0.0, "warmup_steps"_a = 0, "warmup_start"_a = 0.0,
        "A cosine from initial to final, after a linear warm-up.");
  m.def("cosine_restarts",
        RecordedSchedule(
            m, "cosine_restarts",
            [](double initial, int64_t first_steps, double final, double period_factor, double height_factor) {
              return CosineRestarts({.initial = initial,
                                     .final = final,
                                     .first_steps = first_steps,
                                     .period_factor = period_factor,
                                     .height_factor = height_factor});
            }),
        "initial"_a, "first_steps"_a, "final"_a = 0.0, "period_factor"_a = 2.0, "height_factor"_a = 1.0,
        "Cosines one after the other.");
  m.def("piecewise_constant",
        RecordedSchedule(m, "piecewise_constant",
                         [](IntsLike boundaries, nb::handle values) {
                           std::vector<double> list;
                           for (const nb::handle v : values) list.push_back(ToDouble(v, "piecewise_constant"));
                           return PiecewiseConstant(boundaries.get("piecewise_constant"), list);
                         }),
        "boundaries"_a, "values"_a,
        nb::sig("def piecewise_constant(boundaries: Sequence[int], values: Sequence[float]) -> Schedule"),
        "values[i] for steps above boundaries[i - 1] up to boundaries[i].");
  m.def("inverse_sqrt_decay",
        RecordedSchedule(m, "inverse_sqrt_decay",
                         [](double peak, int64_t warmup_steps) { return InverseSqrtDecay(peak, warmup_steps); }),
        "peak"_a, "warmup_steps"_a, "peak min(n / warmup_steps, sqrt(warmup_steps / n)), n = step + 1.");
  m.def("linear_warmup",
        RecordedSchedule(m, "linear_warmup",
                         [](int64_t steps, nb::handle after, double start) {
                           return LinearWarmup(steps, ToSchedule(after), start);
                         }),
        "steps"_a, "after"_a, "start"_a = 0.0,
        nb::sig("def linear_warmup(steps: int, after: float | Schedule, start: float = 0) -> Schedule"),
        "Linear from start to the first value of `after`, then `after`.");
}

}  // namespace

GradientList ToGradients(nb::handle gradients, nb::handle variables) {
  std::vector<nb::object> gs, vs;
  FlattenTree(gradients, &gs);
  FlattenTree(variables, &vs);
  if (gs.size() != vs.size()) {
    ThrowInvalid("apply: " + std::to_string(gs.size()) + " gradients for " + std::to_string(vs.size()) + " variables");
  }
  std::vector<GradientEntry> entries;
  for (size_t i = 0; i < gs.size(); ++i) {
    if (!IsVariable(vs[i].ptr())) ThrowType("apply: expected variables, not " + TypeName(vs[i]));
    IndexedSlices* slices = nullptr;
    const Source source = VariableOf(vs[i].ptr());
    if (gs[i].is_none()) {
      entries.emplace_back(source, std::nullopt);
    } else if (nb::try_cast(gs[i], slices) && slices) {
      entries.emplace_back(source, std::optional(GradientValue(*slices)));
    } else {
      entries.emplace_back(source, std::optional(ToTensor(gs[i])));
    }
  }
  return GradientList(std::move(entries));
}

void RegisterOptim(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("optim",
                                       "Optimizers, schedules and clipping: ordinary ops on "
                                       "variables, so that a compiled step carries them.");
  RegisterSchedules(m);
  RegisterBase(m);
  RegisterOptimizers(m);
}

}  // namespace reel::python
