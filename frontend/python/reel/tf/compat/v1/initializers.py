"""tf.compat.v1.initializers: callables of a shape and a dtype."""

from __future__ import annotations

import math as _math
import typing as _t

from ... import _array, dtypes, random
from ..._convert import constant as _constant
from ..._shape import TensorShape
from ...errors import ConversionError
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any


class Initializer:
    """Called with shape, dtype (its own unless given) and partition_info (ignored)."""

    _options: tuple[str, ...] = ()
    dtype = dtypes.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it."""
        config = {name: getattr(self, name) for name in self._options}
        return {**config, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def _kind(self, dtype):
        return self.dtype if dtype is None else dtypes.as_dtype(dtype)


class zeros(Initializer):
    """Zeros."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        return _array.zeros(shape, self._kind(dtype))


class ones(Initializer):
    """Ones."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        return _array.ones(shape, self._kind(dtype))


class constant(Initializer):
    """A value, or a list of them in the shape; too few are filled up with the last one unless verify_shape."""

    _options = ("value",)

    def __init__(self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False) -> None:
        self.value, self.dtype, self._verify = value, dtypes.as_dtype(dtype), verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: object = None, verify_shape: bool | None = None
    ) -> Any:
        from ._functions import constant as filled

        verify = self._verify if verify_shape is None else verify_shape
        return filled(self.value, self._kind(dtype), list(shape), verify_shape=verify)


class random_uniform(Initializer):
    """Uniform in [minval, maxval); maxval is 1 for floats unless given."""

    _options = ("minval", "maxval", "seed")

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        return random.uniform(shape, self.minval, self.maxval, self._kind(dtype), seed=self.seed)


class random_normal(Initializer):
    """Normal."""

    _options = ("mean", "stddev", "seed")

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        return random.normal(shape, self.mean, self.stddev, self._kind(dtype), seed=self.seed)


class truncated_normal(Initializer):
    """Normal within two standard deviations."""

    _options = ("mean", "stddev", "seed")

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        return random.truncated_normal(shape, self.mean, self.stddev, self._kind(dtype), seed=self.seed)


class uniform_unit_scaling(Initializer):
    """Uniform, scaled by the number of inputs so that the variance stays."""

    _options = ("factor", "seed")

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        size = 1.0
        for extent in list(shape)[:-1]:
            size *= float(extent)
        limit = _math.sqrt(3 / max(size, 1.0)) * self.factor
        return random.uniform(shape, -limit, limit, self._kind(dtype), seed=self.seed)


def _fans(shape):
    """Inputs and outputs of a kernel."""
    shape = list(TensorShape(shape))
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = _math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class variance_scaling(Initializer):
    """Of variance scale / n: n is the number of inputs (fan_in), outputs (fan_out), or their mean (fan_avg).

    distribution: truncated_normal (normal is the same), untruncated_normal, uniform.
    """

    _options = ("scale", "mode", "distribution", "seed")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ConversionError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ConversionError(
                f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}"
            )
        distribution = distribution.lower()
        allowed = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if distribution not in allowed:
            raise ConversionError(f"Argument `distribution` should be one of {allowed}. Received: {distribution}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        inputs, outputs = _fans(shape)
        n = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        scale = self.scale / max(1.0, n)
        kind = self._kind(dtype)
        if self.distribution == "uniform":
            limit = _math.sqrt(3.0 * scale)
            return random.uniform(shape, -limit, limit, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random.normal(shape, 0.0, _math.sqrt(scale), kind, seed=self.seed)
        deviation = _math.sqrt(scale) / 0.87962566103423978  # of what lies within two standard deviations
        return random.truncated_normal(shape, 0.0, deviation, kind, seed=self.seed)


class glorot_uniform(variance_scaling):
    """variance_scaling(1, "fan_avg", "uniform")."""

    _options = ("seed",)

    def __init__(self, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class glorot_normal(variance_scaling):
    """variance_scaling(1, "fan_avg", "truncated_normal")."""

    _options = ("seed",)

    def __init__(self, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def he_normal(seed: Any = None) -> Any:
    """variance_scaling(2, "fan_in", "truncated_normal")."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> Any:
    """variance_scaling(2, "fan_in", "uniform")."""
    return variance_scaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Any = None) -> Any:
    """variance_scaling(1, "fan_in", "truncated_normal")."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> Any:
    """variance_scaling(1, "fan_in", "uniform")."""
    return variance_scaling(1.0, "fan_in", "uniform", seed)


class identity(Initializer):
    """The identity matrix times gain."""

    _options = ("gain",)

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain, self.dtype = gain, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        if len(shape) != 2:
            raise ConversionError("Identity matrix initializer can only be used for 2D matrices.")
        return _array.eye(shape[0], shape[1], dtype=self._kind(dtype)) * _constant(self.gain, self._kind(dtype))


class orthogonal(Initializer):
    """Rows or columns, whichever are fewer, that are orthonormal, times gain."""

    _options = ("gain", "seed")

    def __init__(self, gain: float = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: object = None) -> Any:
        from ... import linalg, math

        if len(shape) < 2:
            raise ConversionError("The tensor to initialize must be at least two-dimensional.")
        rows, columns = _math.prod(list(shape)[:-1]), list(shape)[-1]
        kind = self._kind(dtype)
        a = random.normal([max(rows, columns), min(rows, columns)], dtype=kind, seed=self.seed)
        q, r = linalg.qr(a, full_matrices=False)
        q = q * math.sign(linalg.diag_part(r))
        if rows < columns:
            q = _array.transpose(q)
        return _array.reshape(q, shape) * _constant(self.gain, kind)


def variables(var_list: Any, name: str = "init") -> Any:
    """tf.compat.v1.variables_initializer."""
    from ._variables import variables_initializer

    return variables_initializer(var_list, name)


def global_variables() -> Any:
    """tf.compat.v1.global_variables_initializer."""
    from ._variables import global_variables_initializer

    return global_variables_initializer()


def local_variables() -> Any:
    """tf.compat.v1.local_variables_initializer."""
    from ._variables import local_variables_initializer

    return local_variables_initializer()


def tables_initializer(name: str = "init_all_tables") -> Any:
    """tf.compat.v1.tables_initializer."""
    from ._variables import tables_initializer as make

    return make(name)


__getattr__, __dir__ = _shared("initializers", globals())
