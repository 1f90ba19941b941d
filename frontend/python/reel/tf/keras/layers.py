"""Layers, whose variables are made when they are first called."""

from __future__ import annotations as _annotations

import difflib as _difflib
import inspect as _inspect
import typing as _t

from ... import _core
from .. import _array
from .. import dtypes as _dtypes
from .. import math as _math
from .. import nn as _nn
from .._module import Module
from .._shape import TensorShape
from .._tensor import convert_to_tensor
from .._trace import converted as _converted
from .._variable import Variable
from . import activations as _activations
from . import initializers as _initializers

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ...typing import DTypeLike
    from ...typing import TensorLike as ArrayLike
    from .._signatures import ShapeLike
    from .._tensor import Tensor as _Tensor

    _Activation = str | Callable[..., Any] | None


# What Keras has and Reel does not: True if it changes no value here.
_OF_WEIGHTS = dict.fromkeys(
    ("autocast", "aggregation", "synchronization", "use_resource", "getter"), True
) | dict.fromkeys(("regularizer", "constraint"), False)
_OF_DENSE = {
    "batch_input_shape": True,
    "autocast": True,
    "lora_rank": False,
    "activity_regularizer": False,
} | dict.fromkeys(("kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint"), False)


def _refuse(what, given, function, others):
    """Options that would be without effect are errors; None is no option."""
    for name, value in given.items():
        if value is None or others.get(name):
            continue
        if name in others:
            raise _core.UnimplementedError(f"{what}: Reel has no {name}; leave it out, add it to the loss or the step")
        names = [
            n for n, p in _inspect.signature(function).parameters.items() if p.kind != p.VAR_KEYWORD and n != "self"
        ]
        near = _difflib.get_close_matches(name, names, 1)
        raise _core.InvalidTypeError(
            f"{what}: there is no option '{name}'; there are: {', '.join(names)}"
            + (f"; did you mean '{near[0]}'?" if near else "")
        )


class Layer(Module):
    """A function with variables: subclasses define build(input_shape), which makes them, and call(inputs)."""

    def __init__(
        self, name: str | None = None, trainable: bool = True, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name)
        self.trainable = trainable
        self.built = False
        self._dtype = _dtypes.as_dtype(dtype or _dtypes.float32)

    @property
    def dtype(self) -> _dtypes.DType:
        return self._dtype

    def _children(self):
        return list(vars(self).values())  # in the order of creation

    def build(self, input_shape: Any) -> None:
        """Makes the variables for inputs of this shape."""

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        raise _core.UnimplementedError(f"Layer {self.name} does not have a `call()` method implemented.")

    def add_weight(
        self,
        shape: Sequence[int] = (),
        initializer: Any = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> Variable:
        """A new variable of this shape."""
        _refuse(f"{type(self).__name__}.add_weight", kwargs, Layer.add_weight, _OF_WEIGHTS)
        if isinstance(shape, str):
            raise _core.InvalidTypeError("add_weight: the shape comes first, the name as name=")
        dtype = self._dtype if dtype is None else _dtypes.as_dtype(dtype)
        value = _initializers.get(initializer or "glorot_uniform")(tuple(shape), dtype)
        variable = Variable(value, trainable=trainable and self.trainable, name=f"{self.name}/{name or 'weight'}")
        self.__dict__.setdefault("_weights", []).append(variable)
        return variable

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> _Tensor | Any:
        if not getattr(self, "built", True):
            if not isinstance(inputs, (list, tuple, dict)):
                inputs = convert_to_tensor(inputs)
            self.build(_shapes(inputs))
            self.built = True
        return _converted(self.call)(inputs, *args, **kwargs)

    @property
    def weights(self) -> list[Variable]:
        """All variables, a list."""
        return list(self.variables)

    @property
    def variables(self) -> list[Variable]:
        return self._find(Variable)

    @property
    def trainable_variables(self) -> list[Variable]:
        """The trainable ones, a list; none if `trainable` is False."""
        return [v for v in self.variables if v.trainable] if self.trainable else []

    @property
    def non_trainable_variables(self) -> list[Variable]:
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trainable]

    @property
    def trainable_weights(self) -> list[Variable]:
        return self.trainable_variables

    def get_weights(self) -> list[Any]:
        """Values of all variables, NumPy arrays."""
        return [v.numpy() for v in self.variables]

    def set_weights(self, weights: Iterable[ArrayLike]) -> None:
        """Assigns to all variables."""
        for v, value in zip(self.variables, weights, strict=True):
            v.assign(value)


def _shapes(inputs):
    if isinstance(inputs, (list, tuple)):
        return [_shapes(x) for x in inputs]
    if isinstance(inputs, dict):
        return {k: _shapes(x) for k, x in inputs.items()}
    return TensorShape(inputs.shape)


class Dense(Layer):
    """activation(x kernel + bias): kernel [features, units], made at the first call."""

    def __init__(
        self,
        units: int,
        activation: _Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        input_shape: Sequence[int] | None = None,
        input_dim: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        _refuse("Dense", kwargs, Dense.__init__, _OF_DENSE)
        super().__init__(name=name, dtype=dtype, trainable=trainable)
        self.units = int(units)
        self.activation = _activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = _initializers.get(kernel_initializer)
        self.bias_initializer = _initializers.get(bias_initializer)
        if input_dim is not None:
            input_shape = (input_dim,)
        if input_shape is not None:
            self.build((None,) + tuple(input_shape))
            self.built = True

    def build(self, input_shape: Any) -> None:
        features = input_shape[-1] if len(input_shape) else None
        if features is None:
            raise _core.InvalidArgumentError(
                f"Dense: the last axis of the inputs must be known, their shape is {input_shape}"
            )
        self.kernel = self.add_weight((features, self.units), self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight((self.units,), self.bias_initializer, name="bias")

    def call(self, inputs: ArrayLike) -> _Tensor:
        x = convert_to_tensor(inputs)
        y = _math.tensordot(x, self.kernel, 1) if len(x.shape) != 2 else _math.matmul(x, self.kernel)
        return self.activation(y + self.bias if self.use_bias else y)


class Activation(Layer):
    """A function as a layer."""

    def __init__(self, activation: _Activation, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = _activations.get(activation)

    def call(self, inputs: ArrayLike) -> _Tensor:
        return self.activation(convert_to_tensor(inputs))


class ReLU(Activation):
    """max(x, 0)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("relu", **kwargs)


class Flatten(Layer):
    """All axes but the first as one."""

    def call(self, inputs: ArrayLike) -> _Tensor:
        x = convert_to_tensor(inputs)
        return _array.reshape(x, (x.shape[0], -1))


class Dropout(Layer):
    """Elements dropped with probability rate, when training."""

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs: ArrayLike, training: bool = False) -> _Tensor:
        return _nn.dropout(inputs, self.rate) if training else convert_to_tensor(inputs)


class Lambda(Layer):
    """Any function as a layer."""

    def __init__(self, function: Callable[..., Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function

    def call(self, inputs: Any) -> Any:
        return self.function(inputs)


class LayerNormalization(Layer):
    """(x - mean) / sqrt(variance + epsilon) gamma + beta over the last axis."""

    def __init__(self, axis: int = -1, epsilon: float = 0.001, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape: Any) -> None:
        extents = (input_shape[self.axis],)
        self.gamma = self.add_weight(extents, "ones", name="gamma")
        self.beta = self.add_weight(extents, "zeros", name="beta")

    def call(self, inputs: ArrayLike) -> _Tensor:
        x = convert_to_tensor(inputs)
        mean, variance = _nn.moments(x, [self.axis], keepdims=True)
        return _nn.batch_normalization(x, mean, variance, self.beta, self.gamma, self.epsilon)
