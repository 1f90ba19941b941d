"""The base of Keras's optimizers: everything but the formula of the update."""

from __future__ import annotations as _annotations

import re as _re
import typing as _t
import warnings as _warnings

from .... import _core
from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ..._control import cond as _cond
from ..._convert import convert_to_tensor as _convert
from ..._convert import to_core
from ..._slices import IndexedSlices
from ..._tensor import Tensor
from ..._tensor import _dtype_of as _dtype_of
from ..._tensor import _shape_of as _shape_of
from ..._variable import Variable
from ..._variable import _dtype as _dtype
from ..._variable import _shape as _shape
from ...errors import ConversionError
from .. import _common
from .. import initializers as _initializers
from .._variable import Variable as _Kept
from . import schedules as _schedules
from ._eager import CompiledUpdates
from ._rows import Rows, Whole

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ....typing import DTypeLike
    from ..._signatures import Gradient as _Gradient

    Rate = float | _schedules.LearningRateSchedule | Callable[[], Any]

_CONFIGURED = (
    "weight_decay",
    "clipnorm",
    "global_clipnorm",
    "clipvalue",
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "loss_scale_factor",
    "gradient_accumulation_steps",
)


class Optimizer:
    """Updates variables by their gradients: apply_gradients(zip(gradients, variables)).

    learning_rate: a float, which becomes a variable, a schedule, or a callable without arguments.
    weight_decay: before the update each variable loses this part of itself times the learning rate.
    clipnorm, global_clipnorm, clipvalue: bounds of each gradient's norm, of the norm of all, of each element; one of them.
    use_ema: a moving average of each variable is kept, by ema_momentum, written into the variables every
    ema_overwrite_frequency steps, or by finalize_variable_values. loss_scale_factor: scale_loss multiplies by it, the
    update divides. gradient_accumulation_steps: the mean of so many gradients makes one update.

    Gradients that are None are skipped with a warning; ValueError if all are. Variables are those of the first update, or
    of build; others are a ValueError.
    """

    _options: tuple[str, ...] = ()  # of a subclass: attributes that its constructor is given, and get_config gives

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        own = {option: kwargs.pop(option) for option in type(self)._options if option in kwargs}
        if kwargs.pop("decay", None) is not None:
            _warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=3)
        if kwargs:
            raise ConversionError(
                f"{type(self).__name__}: Argument(s) not recognized: {kwargs}; those of every optimizer are: "
                f"learning_rate, {', '.join(_CONFIGURED)}, name"
            )
        _check_options(
            gradient_accumulation_steps,
            use_ema,
            ema_momentum,
            ema_overwrite_frequency,
            clipnorm,
            clipvalue,
            global_clipnorm,
        )
        self.name = name or _common.auto_name(self)
        for option, value in own.items():
            setattr(self, option, value)
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.use_ema, self.ema_momentum = use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._variables: list[Variable] = []
        self._trainable_variables: list[Variable] = []
        self._indices: dict[int, int] = {}
        self._undecayed: tuple[set[int], Any] = (set(), None)
        self._memo: dict[Any, Any] | None = None
        self._slices: dict[int, Any] = {}
        self._compiled = CompiledUpdates()
        self._iterations = self.add_variable((), dtype="int64", name="iteration")
        if not callable(learning_rate):
            learning_rate = self.add_variable((), _constant(_checked_rate(learning_rate)), name="learning_rate")
        self._learning_rate = learning_rate

    # --- learning rate and steps ---

    @property
    def learning_rate(self) -> Any:
        """The learning rate now: a variable, or what the schedule or callable gives."""
        rate = self._learning_rate
        if isinstance(rate, Variable):
            return rate
        return rate(self._iterations) if isinstance(rate, _schedules.LearningRateSchedule) else rate()

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) and not isinstance(value, Variable):
            self._variables = [v for v in self._variables if v is not self._learning_rate]
            self._learning_rate = value
        elif isinstance(self._learning_rate, Variable):
            self._learning_rate.assign(_common.tensor(value, self._learning_rate.dtype))
        elif isinstance(self._learning_rate, _schedules.LearningRateSchedule):
            raise _core.InvalidTypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. Make it with a float, or assign another schedule."
            )
        else:
            raise AttributeError(
                "This optimizer's learning rate is a callable: assign another callable, or make it with a float"
            )

    @property
    def lr(self) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'lr'; it is called learning_rate")

    @lr.setter
    def lr(self, value: Any) -> None:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'lr'; assign to learning_rate")

    @property
    def iterations(self) -> Any:
        """Number of updates, an int64 variable; with gradient_accumulation_steps the number of calls by them."""
        if self.gradient_accumulation_steps:
            return self._iterations // self.gradient_accumulation_steps
        return self._iterations

    # --- variables ---

    @property
    def variables(self) -> list[Variable]:
        """Iterations, the learning rate if it is a number, and what the formula keeps of each variable."""
        return list(self._variables)

    def build(self, variables: Sequence[Variable]) -> None:
        """Makes what is kept of these variables; the first update does it."""
        variables = list(variables)
        if self.use_ema:
            self._averages = self.add_optimizer_variables(variables, "average")
        self._indices = {id(v): i for i, v in enumerate(variables)}
        if self.gradient_accumulation_steps:
            self._accumulated = self.add_optimizer_variables(variables, "gradient_accumulator")
        self._trainable_variables = variables
        self.built = True

    def _build_whole(self, variables):
        """build, once; undone if it is left, as a tf.function does that runs eagerly because variables are made."""
        if self.built:
            return
        before, known = dict(self.__dict__), list(self._variables)
        try:
            self.build(variables)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before, _variables=known)
            raise
        self.built = True

    def add_variable(
        self,
        shape: Sequence[int],
        initializer: Any = "zeros",
        dtype: DTypeLike | None = None,
        aggregation: str = "none",
        layout: object = None,
        name: str | None = None,
    ) -> Variable:
        """A variable that the optimizer keeps, float32 unless said otherwise."""
        dtype = _dtypes.as_dtype(dtype or _dtypes.float32)
        value = _initializers.get(initializer)(tuple(shape), dtype)
        path = f"{self.name}/{name}" if name else None
        variable = _Kept(value, dtype=dtype, trainable=False, name=name, path=path)
        self._variables.append(variable)
        return variable

    def add_variable_from_reference(
        self, reference_variable: Variable, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """A variable of another one's shape and dtype, named after it."""
        reference = getattr(reference_variable, "path", None) or reference_variable.name
        prefix = reference.replace("/", "_").replace(":", "_")
        return self.add_variable(
            reference_variable.shape, initializer, reference_variable.dtype, name=f"{prefix}_{name or 'var'}"
        )

    def add_optimizer_variables(
        self, trainable_variables: Iterable[Variable], name: str | Sequence[str], initializer: Any = "zeros"
    ) -> Any:
        """Variables of each one's shape and dtype: a list, or one for each of several names."""
        names = [name] if isinstance(name, str) else list(name)
        starts = list(initializer) if isinstance(initializer, (list, tuple)) else [initializer] * len(names)
        if len(names) != len(starts):
            raise ConversionError(
                f"The number of provided names must match the number of provided initializers. Received name='{name}', "
                f"initializer='{initializer}'"
            )
        made: list[list[Variable]] = [[] for _ in names]
        for v in trainable_variables:
            for slots, slot, start in zip(made, names, starts):
                slots.append(self.add_variable_from_reference(v, slot, start))
        return made[0] if isinstance(name, str) else tuple(made)

    def _get_variable_index(self, variable):
        return self._indices[id(variable)]

    def assign(self, variable: Variable, value: Any) -> None:
        """Replaces a variable's value."""
        variable.assign(_common.tensor(value, variable.dtype))

    def assign_add(self, variable: Variable, value: Any) -> None:
        """Adds to a variable."""
        variable.assign_add(_common.tensor(value, variable.dtype))

    def assign_sub(self, variable: Variable, value: Any) -> None:
        """Takes from a variable."""
        variable.assign_sub(_common.tensor(value, variable.dtype))

    # --- updates ---

    def apply_gradients(self, grads_and_vars: Iterable[tuple[_Gradient, Variable]]) -> Variable:
        """One update of each variable by its gradient. Returns the number of calls, a variable."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ConversionError("No variables provided: the list of (gradient, variable) pairs is empty.")
        self.apply([g for g, _ in pairs], [v for _, v in pairs])
        return self._iterations

    def apply(self, grads: Iterable[_Gradient], trainable_variables: Iterable[Variable] | None = None) -> None:
        """The same, with gradients and variables as lists; without variables, those of build."""
        grads = list(grads)
        if not grads:
            return
        variables = self._variables_for(grads, trainable_variables)
        present = self._present(grads, variables)
        self._memo = {}
        updated, variables = [g for g, _ in present], [v for _, v in present]
        try:
            if self._slices or not self._compiled.run(self, updated, variables):
                self._apply(updated, variables)
        finally:
            self._memo, self._slices = None, {}
        for _, v in present:
            if v.constraint is not None:
                v.assign(v.constraint(v))
        self._iterations.assign_add(1)

    def _variables_for(self, grads, variables):
        if variables is None:
            if not self.built:
                raise ConversionError(
                    "When passing `grads` without `variables`, the optimizer must already be built on a list of "
                    "variables. Call `optimizer.build(trainable_variables)` first."
                )
            variables = self._trainable_variables
        variables = list(variables)
        if len(grads) != len(variables):
            raise ConversionError(f"There are {len(grads)} gradients, but {len(variables)} variables to update")
        self._build_whole(variables)
        for v in variables:
            if id(v) not in self._indices:
                raise ConversionError(
                    f"Unknown variable: {v}. This optimizer can only be called for the variables it was originally built "
                    "with. When working with a new set of variables, you should recreate a new optimizer instance."
                )
        return variables

    def _present(self, grads, variables):
        """Pairs (tensor, variable) of the gradients that are not None, by the loss's scale."""
        self._slices = {}
        present = [(self._dense(g, v), v) for g, v in zip(grads, variables) if g is not None]
        if not present:
            raise ConversionError(
                f"No gradients provided for any variable: {[v.name for v in variables]}. Compute the "
                "loss from them inside the tape; tape.explain_none(loss, variable) says what is "
                "wrong."
            )
        if len(present) < len(grads):
            missing = [v.name for g, v in zip(grads, variables) if g is None]
            _warnings.warn(
                f"Gradients do not exist for variables {missing} when minimizing the loss. If you're using "
                "`model.compile()`, did you forget to provide a `loss` argument?",
                stacklevel=4,
            )
        return present

    def _dense(self, g, v):
        """A gradient as a tensor, by the loss's scale; IndexedSlices are kept for _of_values."""
        scale = self.loss_scale_factor
        if isinstance(g, IndexedSlices):
            values = _dtypes.cast(g.values if scale is None else g.values / scale, v.dtype)
            slices = IndexedSlices(values, g.indices, list(v.shape))
            return _whole(slices) if _are_distinct(g.indices) else self._as_slices(slices)
        g = _gradient(g, v)
        return g if scale is None else g / scale

    def _of_values(self, f, gradient):
        """f of a gradient's elements; of IndexedSlices of their values, added up after that where rows come twice, as in Keras."""
        known = self._slices.get(id(gradient))
        return f(gradient) if known is None else _whole(_with_values(f, known[1]))

    def _part(self, gradient, variable):
        """What an update looks at that leaves alone what has no gradient: the rows of IndexedSlices, or all."""
        known = self._slices.get(id(gradient))
        return Whole(gradient) if known is None else Rows(known[1], variable)

    def _as_slices(self, slices):
        """IndexedSlices as a tensor, of which _of_values and _mapped know them."""
        whole = _whole(slices)
        self._slices[id(whole)] = whole, slices
        return whole

    def _mapped(self, f, gradient):
        """f of a gradient, which stays IndexedSlices if it is."""
        known = self._slices.get(id(gradient))
        return f(gradient) if known is None else self._as_slices(_with_values(f, known[1]))

    def _apply(self, grads, variables):
        if self.gradient_accumulation_steps:
            self._accumulate(grads, variables, self.gradient_accumulation_steps)
        else:
            self._update_all(grads, variables)
        if self.use_ema:
            self._update_averages()

    def _accumulate(self, grads, variables, steps):
        """Adds the gradients up; each time there are enough, one update by their mean."""
        sums = [self._accumulated[self._get_variable_index(v)] for v in variables]

        def update():
            self._memo = {}
            self._update_all([(g + s) / steps for g, s in zip(grads, sums)], variables)
            for s in self._accumulated:
                s.assign(_array.zeros_like(s))

        def add():
            for g, s in zip(grads, sums):
                s.assign_add(g)

        _cond(_math.equal((self._iterations + 1) % steps, 0), update, add)
        self._memo = {}  # what was computed in a branch is of that branch

    def _update_all(self, grads, variables):
        grads = self._clipped(grads)
        if self.weight_decay is not None:
            for v in variables:
                if self._use_weight_decay(v):
                    v.assign_sub(v * self.weight_decay * self._rate(v.dtype))
        self._update_variables(grads, variables)

    def _update_variables(self, grads, variables):
        rate = self.learning_rate
        for g, v in zip(grads, variables):
            self.update_step(g, v, rate)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """The update of one variable; for subclasses."""
        raise NotImplementedError(
            f"{type(self).__name__} does not define update_step(gradient, variable, learning_rate)"
        )

    def _once(self, key, compute):
        """What is the same for all variables of an update."""
        if self._memo is None:
            return compute()
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]

    def _rate(self, dtype, rate=None):
        """The learning rate of this update as a tensor of a dtype."""
        return self._once(
            ("rate", dtype.name), lambda: _common.tensor(self.learning_rate if rate is None else rate, dtype)
        )

    def _step(self, dtype):
        """The number of this update, from 1, in a dtype."""
        return self._once(("step", dtype.name), lambda: _dtypes.cast(self.iterations, dtype) + 1)

    def _power(self, beta, dtype):
        """beta to the number of this update."""
        return self._once((beta, dtype.name), lambda: _math.pow(_common.tensor(beta, dtype), self._step(dtype)))

    def _clipped(self, grads):
        if self.clipnorm and self.clipnorm > 0:
            return [self._mapped(lambda g: _array.clip_by_norm(g, self.clipnorm), g) for g in grads]
        if self.global_clipnorm and self.global_clipnorm > 0:
            norm = _math.sqrt(_math.add_n([_math.reduce_sum(self._of_values(_math.square, g)) for g in grads]))
            # norm - norm is NaN if a gradient is not finite, and makes every gradient NaN.
            scale = self.global_clipnorm * _math.minimum(1.0 / norm, 1.0 / self.global_clipnorm) + (norm - norm)
            return [g * scale for g in grads]
        if self.clipvalue and self.clipvalue > 0:
            return [self._mapped(lambda g: _math.clip_by_value(g, -self.clipvalue, self.clipvalue), g) for g in grads]
        return grads

    def exclude_from_weight_decay(
        self, var_list: Iterable[Variable] | None = None, var_names: Iterable[str] | None = None
    ) -> None:
        """Variables, or those whose names match one of these expressions, do not decay."""
        names = list(var_names or ())
        self._undecayed = ({id(v) for v in var_list or ()}, _re.compile("|".join(names)) if names else None)

    def _use_weight_decay(self, variable):
        variables, names = self._undecayed
        return id(variable) not in variables and not (names is not None and names.search(variable.name))

    # --- averages, scales, other calls ---

    def _update_averages(self):
        started = _math.not_equal(self.iterations, 0)
        for v, average in zip(self._trainable_variables, self._averages):
            momentum = _dtypes.cast(started, v.dtype) * self.ema_momentum
            average.assign(momentum * average + (1 - momentum) * v)
        if self.ema_overwrite_frequency:
            due = _math.equal((self.iterations + 1) % self.ema_overwrite_frequency, 0)
            _cond(due, lambda: self._overwrite(self._trainable_variables), lambda: None)

    def _overwrite(self, variables):
        if len(variables) != len(self._averages):
            raise ConversionError(
                f"There are {len(variables)} variables to overwrite, but the optimizer keeps averages of {len(self._averages)}"
            )
        for v, average in zip(variables, self._averages):
            v.assign(average.value())

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """With use_ema: the averages become the values of the variables."""
        if self.use_ema:
            self._overwrite(list(var_list))

    def scale_loss(self, loss: Any) -> Any:
        """The loss times loss_scale_factor."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def minimize(self, loss: Any, var_list: Sequence[Variable], tape: Any = None) -> Variable:
        """One update that lowers a loss: a callable, or a tensor that was computed under the tape."""
        from ..._tape import GradientTape

        if callable(loss):
            with GradientTape() as tape:
                loss = loss()
        elif tape is None:
            raise ConversionError(
                "`tape` is required when a Tensor loss is passed: minimize(loss, var_list, tape=tape)"
            )
        variables = list(var_list() if callable(var_list) else var_list)
        return self.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    def stateless_apply(self, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> Any:
        """Not here: as in TensorFlow, variables are updated in place."""
        raise ConversionError("stateless_apply is not supported: apply updates the variables in place")

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Assigns to all variables of the optimizer, which must be built."""
        if not self.built:
            raise ConversionError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                "`optimizer.build(trainable_variables)` before."
            )
        for variable, weight in zip(self._variables, weights):
            if tuple(variable.shape) != tuple(getattr(weight, "shape", ())):
                raise ConversionError(
                    f"Optimizer variable {variable.name} has shape {variable.shape} not compatible with provided weight "
                    f"shape {getattr(weight, 'shape', ())}."
                )
            variable.assign(weight)

    def save_own_variables(self, store: Any) -> None:
        """Writes all variables into a dict, by their numbers as text."""
        for i, variable in enumerate(self.variables):
            store[str(i)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Takes all variables from what save_own_variables wrote; a warning and nothing else if the number differs."""
        if len(store.keys()) != len(self.variables):
            _warnings.warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has {len(self.variables)} variables "
                f"whereas the saved optimizer has {len(store.keys())} variables.",
                stacklevel=2,
            )
            return
        for i, variable in enumerate(self.variables):
            variable.assign(store[str(i)])

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        rate = self._learning_rate
        if isinstance(rate, _schedules.LearningRateSchedule):
            rate = _schedules.serialize(rate)
        elif isinstance(rate, Variable):
            rate = float(rate.numpy())
        config = {"name": self.name, "learning_rate": rate}
        return config | {option: getattr(self, option) for option in _CONFIGURED + type(self)._options}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Optimizer:
        """An optimizer of these options."""
        config = dict(config)
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = _schedules.deserialize(config["learning_rate"], custom_objects)
        return cls(**config)


def _check_options(steps, use_ema, momentum, frequency, *clips):
    if steps and not steps >= 2:
        raise ConversionError(
            f"`gradient_accumulation_steps` must be an integer >= 2. Received: gradient_accumulation_steps={steps}"
        )
    if use_ema and not 0 <= momentum <= 1:
        raise ConversionError(f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={momentum}")
    if use_ema and frequency and (not isinstance(frequency, int) or frequency < 1):
        raise ConversionError(
            f"`ema_overwrite_frequency` must be an integer >= 1 or None. Received: ema_overwrite_frequency={frequency}"
        )
    if sum(clip is not None for clip in clips) > 1:
        raise ConversionError(
            "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: clipnorm={}, clipvalue={}, "
            "global_clipnorm={}".format(*clips)
        )


def _checked_rate(rate):
    if not isinstance(rate, float):
        raise ConversionError(
            "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable (without "
            f"arguments, that returns the learning rate). Received instead: learning_rate={rate}"
        )
    return rate


def _constant(value):
    return _initializers.Constant(value)


def _whole(slices):
    return _convert(to_core(slices))


def _with_values(f, slices):
    return IndexedSlices(f(slices.values), slices.indices, slices.dense_shape)


def _are_distinct(indices):
    """Whether it is known that no row comes twice."""
    if _common.is_symbolic(indices):
        return False
    rows = indices.numpy().reshape(-1)
    return len(set(rows.tolist())) == rows.size


def _gradient(g, v):
    """A variable's gradient as a tensor of its dtype and shape; IndexedSlices as the whole."""
    if not isinstance(g, Tensor):
        if isinstance(g, str) or not hasattr(g, "__array__") and not isinstance(g, (int, float, list, tuple)):
            raise _core.InvalidTypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {g!r}")
        g = _convert(to_core(g))
    if _dtype_of(g) != _dtype(v):
        g = _dtypes.cast(g, v.dtype)
    if _shape_of(g) != _shape(v):
        raise ConversionError(
            f"apply_gradients: the gradient of variable '{v.name}' has the shape {g.shape}, "
            f"the variable {v.shape}; pass gradients in the order of their variables"
        )
    return g
