"""Initializers: callables of shape and dtype."""

from __future__ import annotations as _annotations

import math as _math
import typing as _t

from ... import _core
from .. import _array
from .. import dtypes as _dtypes
from .. import linalg as _linalg
from .. import math as _tf_math
from .. import random as _random
from .._scopes import init_scope as _init_scope
from ..errors import ConversionError
from . import _common

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...typing import DTypeLike
    from .._signatures import ShapeLike
    from .._tensor import Tensor as _Tensor


class Initializer:
    """initializer(shape, dtype) is the first value of a variable; float32 unless a dtype is given."""

    _options: tuple[str, ...] = ()

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        return {name: getattr(self, name) for name in self._options}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer of these options."""
        return cls(**config)

    def clone(self) -> Initializer:
        """Another one of the same options."""
        return type(self).from_config(self.get_config())


def _float(dtype):
    return _dtypes.float32 if dtype is None else _dtypes.as_dtype(dtype)


class Zeros(Initializer):
    """0 everywhere."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        return _array.zeros(shape, _float(dtype))


class Ones(Initializer):
    """1 everywhere."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        return _array.ones(shape, _float(dtype))


class Constant(Initializer):
    """One value, or values that broadcast, everywhere."""

    _options = ("value",)

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        return _array.broadcast_to(_common.tensor(self.value, _float(dtype)), _array.ints(shape))


class Identity(Initializer):
    """gain on the diagonal of a matrix, 0 elsewhere."""

    _options = ("gain",)

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        shape = _array.ints(shape)
        if len(shape) != 2:
            raise ConversionError(
                "Identity matrix initializer can only be used for 2D matrices. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        return self.gain * _array.eye(*shape, dtype=_float(dtype))


class RandomInitializer(Initializer):
    """Draws the same numbers at every call: TensorFlow's of the seed, or of a seed drawn at the first call."""

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and not isinstance(seed, int):
            raise ConversionError(f"`seed` argument should be an integer or None. Received: seed={seed}")
        self.seed = seed
        self._drawn: int | None = seed

    def _seed(self):
        """What stateless functions take: Keras's numbers for an int."""
        if self._drawn is None:
            with _init_scope():  # known at once, in a trace too
                self._drawn = int(_core.random.randint((), 0, 2**31 - 1))
        return [self._drawn % (2**31 - 2), 0]  # as Keras makes int32 of it


class RandomNormal(RandomInitializer):
    """Normal of this mean and standard deviation."""

    _options = ("seed", "mean", "stddev")

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        return _random.stateless_normal(shape, self._seed(), self.mean, self.stddev, _float(dtype))


class TruncatedNormal(RandomNormal):
    """The same, within two standard deviations of the mean."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        return _random.stateless_truncated_normal(shape, self._seed(), self.mean, self.stddev, _float(dtype))


class RandomUniform(RandomInitializer):
    """Uniform in [minval, maxval)."""

    _options = ("seed", "minval", "maxval")

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        return _random.stateless_uniform(shape, self._seed(), self.minval, self.maxval, _float(dtype))


class VarianceScaling(RandomInitializer):
    """Random of the variance scale / n, where n is the fan_in, the fan_out or the mean of both (fan_avg).

    distribution: "truncated_normal" (also "normal"), "untruncated_normal", "uniform". The fans are the extents of
    input_axes and output_axes; without them, the last two times the receptive field.
    """

    _options: tuple[str, ...] = ("seed", "scale", "mode", "distribution", "input_axes", "output_axes")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ) -> None:
        if scale <= 0:
            raise ConversionError(f"Argument `scale` must be positive float. Received: scale={scale}")
        modes, distributions = ("fan_in", "fan_out", "fan_avg"), ("uniform", "truncated_normal", "untruncated_normal")
        if mode not in modes:
            raise ConversionError(f"Invalid `mode` argument: {mode}. Please use one of {modes}")
        distribution = {"normal": "truncated_normal"}.get(distribution.lower(), distribution.lower())
        if distribution not in distributions:
            raise ConversionError(f"Invalid `distribution` argument: {distribution}. Please use one of {distributions}")
        super().__init__(seed)
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.input_axes, self.output_axes = input_axes, output_axes

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        shape = _array.ints(shape)
        fan_in, fan_out = _fans(shape, self.input_axes, self.output_axes)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "uniform":
            limit = _math.sqrt(3 * variance)
            return _random.stateless_uniform(shape, self._seed(), -limit, limit, _float(dtype))
        if self.distribution == "untruncated_normal":
            return _random.stateless_normal(shape, self._seed(), 0.0, _math.sqrt(variance), _float(dtype))
        # The standard deviation of a normal distribution within two of its own is 0.8796... of them.
        stddev = _math.sqrt(variance) / 0.87962566103423978
        return _random.stateless_truncated_normal(shape, self._seed(), 0.0, stddev, _float(dtype))


def _fans(shape, input_axes, output_axes):
    if input_axes is not None and output_axes is not None:
        return _math.prod(shape[a] for a in input_axes), _math.prod(shape[a] for a in output_axes)
    if len(shape) < 2:
        return (shape[0] if shape else 1,) * 2
    field = _math.prod(shape[:-2])
    return field * shape[-2], field * shape[-1]


class _Scaled(VarianceScaling):
    """VarianceScaling of one kind: `_kind` is scale, mode and distribution."""

    _options = ("seed", "input_axes", "output_axes")
    _kind = (1.0, "fan_in", "uniform")

    def __init__(
        self, seed: int | None = None, input_axes: Sequence[int] | None = None, output_axes: Sequence[int] | None = None
    ) -> None:
        super().__init__(*self._kind, seed, input_axes, output_axes)


class GlorotUniform(_Scaled):
    """Uniform within sqrt(6 / (fan_in + fan_out))."""

    _kind = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaled):
    """Truncated normal of the variance 2 / (fan_in + fan_out)."""

    _kind = (1.0, "fan_avg", "truncated_normal")


class LecunUniform(_Scaled):
    """Uniform within sqrt(3 / fan_in)."""

    _kind = (1.0, "fan_in", "uniform")


class LecunNormal(_Scaled):
    """Truncated normal of the variance 1 / fan_in."""

    _kind = (1.0, "fan_in", "truncated_normal")


class HeUniform(_Scaled):
    """Uniform within sqrt(6 / fan_in)."""

    _kind = (2.0, "fan_in", "uniform")


class HeNormal(_Scaled):
    """Truncated normal of the variance 2 / fan_in."""

    _kind = (2.0, "fan_in", "truncated_normal")


class Orthogonal(RandomInitializer):
    """gain times a random matrix [product of the other extents, last extent] with orthonormal rows or columns."""

    _options = ("seed", "gain")

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> _Tensor:
        shape = _array.ints(shape)
        if len(shape) < 2:
            raise ConversionError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        rows, columns = _math.prod(shape[:-1]), shape[-1]
        tall = (max(rows, columns), min(rows, columns))
        drawn = _random.stateless_normal(tall, self._seed(), dtype=_float(dtype))
        wide = _common.tensor(drawn, _dtypes.float64 if drawn.dtype == _dtypes.float64 else _dtypes.float32)
        q, r = _linalg.qr(wide)
        q = q * _tf_math.sign(_linalg.diag_part(r))  # so that it is drawn uniformly
        return _common.tensor(
            self.gain * _array.reshape(_array.transpose(q) if rows < columns else q, shape), drawn.dtype
        )


_CLASSES = {
    n: c
    for n, c in list(globals().items())
    if isinstance(c, type) and issubclass(c, Initializer) and not n.startswith("_") and c is not RandomInitializer
}
zeros, ones, constant, identity, orthogonal = Zeros, Ones, Constant, Identity, Orthogonal
random_normal, truncated_normal, random_uniform = RandomNormal, TruncatedNormal, RandomUniform
variance_scaling, glorot_uniform, glorot_normal = VarianceScaling, GlorotUniform, GlorotNormal
lecun_uniform, lecun_normal, he_uniform, he_normal = LecunUniform, LecunNormal, HeUniform, HeNormal
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal
_NAMES = _common.Names(
    "initializers",
    "initializer",
    _CLASSES,
    {_common.snake_case(n): c for n, c in _CLASSES.items()}
    | {"normal": RandomNormal, "uniform": RandomUniform, "zero": Zeros, "one": Ones}
    | {"IdentityInitializer": Identity, "OrthogonalInitializer": Orthogonal},
)


def serialize(initializer: Any) -> Any:
    """Class name and options: what deserialize takes."""
    return _NAMES.serialize(initializer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The initializer that serialize wrote."""
    made = _NAMES.deserialize(config, custom_objects)
    return made() if isinstance(made, type) else made


def get(identifier: Any) -> Any:
    """The initializer of a name, a configuration, values (of the variable's shape), or the callable itself."""
    if hasattr(identifier, "__array__") and not isinstance(identifier, type):
        return _of_values(_common.tensor(identifier))
    return _NAMES.get(identifier)


def _of_values(values: _Tensor) -> Callable[..., Any]:
    def initializer(shape, dtype=None):
        if tuple(values.shape) != _array.ints(shape):
            raise ConversionError(f"The initializer's values have the shape {values.shape}, the variable {shape}")
        return _common.tensor(values, dtype)

    return initializer
