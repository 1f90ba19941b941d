"""tf.compat.v1.layers: layers whose variables are those of get_variable, in a variable scope of the layer's name."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array
from ... import math as _math
from ..._trace import state as _state
from ...errors import ConversionError as _ConversionError
from . import initializers as _initializers
from . import nn as _nn
from ._scopes import get_variable as _get_variable
from ._scopes import variable_scope as _variable_scope
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any


class Layer:
    """A function with variables, made when it is called first. `layer(inputs)` and `layer.apply(inputs)` are the same."""

    _default_name = "layer"

    def __init__(self, trainable: bool = True, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        self._reuse = options.pop("_reuse", None)
        scope = options.pop("_scope", None)
        if options:
            raise TypeError(f"{type(self).__name__}: there is no option {next(iter(options))!r}")
        self.trainable, self._given, self._scope, self.built = trainable, name if scope is None else scope, None, False
        self._weights: list[Any] = []
        self._dtype = dtype

    @property
    def name(self) -> str:
        return self._given or self._default_name

    @property
    def variables(self) -> list[Any]:
        return list(self._weights)

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        return [v for v in self._weights if v.trainable]

    trainable_weights = trainable_variables

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""

    def call(self, inputs: Any, **options: Any) -> Any:
        raise NotImplementedError

    def add_variable(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        constraint: Any = None,
    ) -> Any:
        """A variable of the layer."""
        made = _get_variable(
            name,
            shape,
            dtype or self._dtype,
            initializer,
            regularizer,
            trainable and self.trainable,
            constraint=constraint,
        )
        self._weights.append(made)
        return made

    add_weight = add_variable

    def __call__(self, inputs: Any, **options: Any) -> Any:
        inputs = _convert(inputs)
        if self._dtype is None:
            self._dtype = inputs.dtype
        given = self._scope if self._scope is not None else self._given
        reuse = True if self._reuse and not self.built else None
        with _variable_scope(given, None if given is not None else self._default_name, reuse=reuse) as scope:
            self._scope = scope
            if not self.built:
                self.build(inputs.shape)
                self.built = True
            return self.call(inputs, **options)

    def apply(self, inputs: Any, **options: Any) -> Any:
        return self(inputs, **options)


def _convert(inputs):
    from ..._convert import convert_to_tensor

    return convert_to_tensor(inputs)


def _last(shape, layer):
    if shape.rank is None or shape[-1] is None:
        raise _ConversionError(f"The last dimension of the inputs to {layer} should be defined. Found None")
    return shape[-1]


class Dense(Layer):
    """activation(inputs @ kernel + bias)."""

    _default_name = "dense"

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(trainable, name, **options)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer or _initializers.zeros()
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.activity_regularizer, self.kernel_constraint = activity_regularizer, kernel_constraint
        self.bias_constraint, self.kernel, self.bias = bias_constraint, None, None

    def build(self, input_shape: Any) -> None:
        shape = [_last(input_shape, "Dense"), self.units]
        self.kernel = self.add_variable(
            "kernel", shape, None, self.kernel_initializer, self.kernel_regularizer, constraint=self.kernel_constraint
        )
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                [self.units],
                None,
                self.bias_initializer,
                self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Any, **options: Any) -> Any:
        rank = inputs.shape.rank
        y = (
            _math.matmul(inputs, self.kernel)
            if rank in (None, 2)
            else _math.tensordot(inputs, self.kernel, [[rank - 1], [0]])
        )
        if self.use_bias:
            y = _nn.bias_add(y, self.bias)
        return _finished(self, y)


def _finished(layer, y):
    y = y if layer.activation is None else layer.activation(y)
    if layer.activity_regularizer is not None and _state.graph is not None:
        _state.graph.add_to_collection("regularization_losses", layer.activity_regularizer(y))
    return y


def _pair(value, n, what):
    value = (value,) * n if isinstance(value, int) else tuple(value)
    if len(value) != n:
        raise _ConversionError(f"The `{what}` argument must be a tuple of {n} integers. Received: {value}")
    return list(value)


class _Conv(Layer):
    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(trainable, name, **options)
        n = self.rank
        self.filters, self.kernel_size = int(filters), _pair(kernel_size, n, "kernel_size")
        self.strides, self.dilation_rate = _pair(strides, n, "strides"), _pair(dilation_rate, n, "dilation_rate")
        self.padding, self.data_format = padding.upper(), data_format
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer or _initializers.zeros()
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.activity_regularizer, self.kernel_constraint = activity_regularizer, kernel_constraint
        self.bias_constraint, self.kernel, self.bias = bias_constraint, None, None

    def build(self, input_shape: Any) -> None:
        channels = input_shape[-1] if self.data_format == "channels_last" else input_shape[1]
        if channels is None:
            raise _ConversionError("The channel dimension of the inputs should be defined. Found `None`.")
        self.kernel = self.add_variable(
            "kernel",
            [*self.kernel_size, channels, self.filters],
            None,
            self.kernel_initializer,
            self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                [self.filters],
                None,
                self.bias_initializer,
                self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Any, **options: Any) -> Any:
        last = self.data_format == "channels_last"
        x = inputs if last else _array.transpose(inputs, [0, *range(2, self.rank + 2), 1])
        y = self._convolved(x)
        if self.use_bias:
            y = _nn.bias_add(y, self.bias)
        y = y if last else _array.transpose(y, [0, self.rank + 1, *range(1, self.rank + 1)])
        return _finished(self, y)


class Conv1D(_Conv):
    """Convolution of sequences."""

    _default_name, rank = "conv1d", 1

    def _convolved(self, x):
        return _nn.conv1d(x, self.kernel, self.strides[0], self.padding, dilations=self.dilation_rate[0])


class Conv2D(_Conv):
    """Convolution of images."""

    _default_name, rank = "conv2d", 2

    def _convolved(self, x):
        dilations = [1, *self.dilation_rate, 1]
        return _nn.conv2d(x, self.kernel, [1, *self.strides, 1], self.padding, dilations=dilations)


class BatchNormalization(Layer):
    """Inputs normalised by their mean and variance over all axes but one, then scaled and shifted.

    With training=True by the batch's own; the operations that update the moving ones are in tf.GraphKeys.UPDATE_OPS.
    """

    _default_name = "batch_normalization"

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = None,
        gamma_initializer: Any = None,
        moving_mean_initializer: Any = None,
        moving_variance_initializer: Any = None,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(trainable, name, **options)
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        zeros, ones = _initializers.zeros(), _initializers.ones()
        self._made = [
            ("gamma", scale, gamma_initializer or ones, gamma_regularizer, gamma_constraint, True),
            ("beta", center, beta_initializer or zeros, beta_regularizer, beta_constraint, True),
            ("moving_mean", True, moving_mean_initializer or zeros, None, None, False),
            ("moving_variance", True, moving_variance_initializer or ones, None, None, False),
        ]
        self.gamma = self.beta = self.moving_mean = self.moving_variance = None

    def build(self, input_shape: Any) -> None:
        n = input_shape[self.axis]
        if n is None:
            raise _ConversionError(f"Axis {self.axis} of the inputs of BatchNormalization must be of known extent")
        for name, wanted, initializer, regularizer, constraint, trainable in self._made:
            if wanted:
                made = self.add_variable(name, [n], None, initializer, regularizer, trainable, constraint)
                setattr(self, name, made)

    def call(self, inputs: Any, training: Any = False, **options: Any) -> Any:
        from ... import _control

        rank = len(inputs.shape)
        axis = self.axis % rank
        others = [i for i in range(rank) if i != axis]
        shape = [1] * rank
        shape[axis] = -1
        mean, variance = _nn.moments(inputs, others)
        if isinstance(training, (bool, int)):
            used = (mean, variance) if training else (self.moving_mean.value(), self.moving_variance.value())
            new = (mean, variance)
        else:
            moving = self.moving_mean.value(), self.moving_variance.value()
            used = _control.cond(training, lambda: (mean, variance), lambda: moving)
            new = used
        if not isinstance(training, (bool, int)) or training:
            self._update(new)
        gamma = 1.0 if self.gamma is None else _array.reshape(self.gamma, shape)
        y = (inputs - _array.reshape(used[0], shape)) * (
            _math.rsqrt(_array.reshape(used[1], shape) + self.epsilon) * gamma
        )
        return y if self.beta is None else y + _array.reshape(self.beta, shape)

    def _update(self, new):
        for v, x in zip((self.moving_mean, self.moving_variance), new):
            change = v.assign_sub((v.value() - _array.stop_gradient(x)) * (1.0 - self.momentum))
            if _state.graph is not None:
                _state.graph.add_to_collection("update_ops", change)


class Dropout(Layer):
    """Zeros with probability rate if training, the rest larger."""

    _default_name = "dropout"

    def __init__(
        self, rate: Any = 0.5, noise_shape: Any = None, seed: Any = None, name: str | None = None, **options: Any
    ) -> None:
        super().__init__(name=name, **options)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False, **options: Any) -> Any:
        from ... import _control

        def dropped():
            return _nn.dropout(inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed)

        if isinstance(training, (bool, int)):
            return dropped() if training else _array.identity(inputs)
        return _control.cond(training, dropped, lambda: _array.identity(inputs))


class Flatten(Layer):
    """All axes but the first as one."""

    _default_name = "flatten"

    def __init__(self, data_format: str | None = "channels_last", **options: Any) -> None:
        super().__init__(**options)
        self.data_format = data_format

    def call(self, inputs: Any, **options: Any) -> Any:
        if self.data_format == "channels_first" and (inputs.shape.rank or 0) > 2:
            inputs = _array.transpose(inputs, [0, *range(2, len(inputs.shape)), 1])
        shape = inputs.shape
        if shape.rank is not None and shape[1:].is_fully_defined():
            return _array.reshape(inputs, [-1, shape[1:].num_elements()])
        return _array.reshape(inputs, [_array.shape(inputs)[0], -1])


class _Pooling(Layer):
    _function = staticmethod(_nn.max_pool)

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name=name, **options)
        self.pool_size = _pair(pool_size, 2, "pool_size")
        self.strides = _pair(pool_size if strides is None else strides, 2, "strides")
        self.padding, self.data_format = padding.upper(), data_format

    def call(self, inputs: Any, **options: Any) -> Any:
        last = self.data_format == "channels_last"
        x = inputs if last else _array.transpose(inputs, [0, 2, 3, 1])
        y = type(self)._function(x, [1, *self.pool_size, 1], [1, *self.strides, 1], self.padding)
        return y if last else _array.transpose(y, [0, 3, 1, 2])


class MaxPooling2D(_Pooling):
    """The largest of each window."""

    _default_name = "max_pooling2d"


class AveragePooling2D(_Pooling):
    """The mean of each window."""

    _default_name = "average_pooling2d"
    _function = staticmethod(_nn.avg_pool)


def _functional(layer, doc):
    import inspect

    own = [p for p in inspect.signature(layer.__init__).parameters if p not in ("self", "options")]

    def make(inputs: Any, *args: Any, reuse: Any = None, **options: Any) -> Any:
        call = {"training": options.pop("training")} if "training" in options else {}
        for name in options:
            if name not in own:
                raise TypeError(
                    f"{layer._default_name}: there is no option {name!r}; there are {', '.join(own)}, reuse"
                )
        if reuse and not options.get("name"):
            raise _ConversionError(
                f"{layer._default_name}: reuse=True needs the name of the layer whose variables it takes"
            )
        return layer(*args, **options, _reuse=reuse)(inputs, **call)

    make.__name__ = make.__qualname__ = layer._default_name
    make.__doc__ = doc
    return make


dense = _functional(Dense, "A new Dense layer of the inputs; with reuse and a name, one with variables that are there.")
conv1d = _functional(Conv1D, "A new Conv1D layer of the inputs.")
conv2d = _functional(Conv2D, "A new Conv2D layer of the inputs.")
batch_normalization = _functional(BatchNormalization, "A new BatchNormalization layer of the inputs.")
dropout = _functional(Dropout, "Dropout of the inputs.")
flatten = _functional(Flatten, "The inputs, all axes but the first as one.")
max_pooling2d = _functional(MaxPooling2D, "The largest of each window of the inputs.")
average_pooling2d = _functional(AveragePooling2D, "The mean of each window of the inputs.")

__getattr__, __dir__ = _shared("layers", globals())
