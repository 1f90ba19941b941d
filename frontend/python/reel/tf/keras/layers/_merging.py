"""Several tensors as one."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, math
from ... import linalg as _linalg
from ...errors import ConversionError
from .._layer import Layer
from ._basic import promoted

if _t.TYPE_CHECKING:
    from typing import Any


class _Merge(Layer):
    """A list of tensors that broadcast, one after the other."""

    _is_of_one_batch = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        if not isinstance(input_shape, (list, tuple)) or not all(hasattr(s, "__len__") for s in input_shape):
            raise ConversionError(
                f"A merge layer should be called on a list of inputs. Received: input_shape={input_shape}"
            )
        if len(input_shape) < 1:
            raise ConversionError(
                f"A merge layer should be called on a list of at least 1 input. Received {len(input_shape)} inputs"
            )

        batches = {s[0] for s in input_shape if len(s)} - {None}
        if len(batches) > 1 and self._is_of_one_batch:
            raise ConversionError(
                "Cannot merge tensors with different batch sizes. Received tensors with shapes "
                f"{[tuple(s) for s in input_shape]}"
            )

    def _merge(self, a, b):
        raise NotImplementedError

    def call(self, inputs: Any) -> Any:
        """The inputs as one."""
        values = self._ranked(promoted(self, *inputs))
        out = values[0]
        for x in values[1:]:
            out = self._merge(out, x)
        return out

    @staticmethod
    def _ranked(values):
        """Those of fewer axes get axes of 1 after the first."""
        rank = max(len(x.shape) for x in values)
        return [
            x if len(x.shape) == rank else _array.reshape(x, [x.shape[0], *(1,) * (rank - len(x.shape)), *x.shape[1:]])
            for x in values
        ]

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        masks = previous_mask if isinstance(previous_mask, (list, tuple)) else [previous_mask]
        if any(m is None for m in masks):
            return None
        out = masks[0]
        for m in masks[1:]:
            out = math.logical_or(out, m)
        return out


class Add(_Merge):
    """Their sum."""

    def _merge(self, a, b):
        return a + b


class Subtract(_Merge):
    """The first minus the second."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ConversionError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape={input_shape}"
            )

    def _merge(self, a, b):
        return a - b


class Multiply(_Merge):
    """Their product."""

    def _merge(self, a, b):
        return a * b


class Average(_Merge):
    """Their mean."""

    def _merge(self, a, b):
        return a + b

    def call(self, inputs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Maximum(_Merge):
    """The largest of each element."""

    def _merge(self, a, b):
        return math.maximum(a, b)


class Minimum(_Merge):
    """The smallest of each element."""

    def _merge(self, a, b):
        return math.minimum(a, b)


class Concatenate(_Merge):
    """One after the other along an axis."""

    _config = ("axis",)
    _is_of_one_batch = False

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        shapes = [list(s) for s in input_shape]
        if len({len(s) for s in shapes}) > 1:
            raise ConversionError(f"`Concatenate` requires inputs of one rank. Received: input_shape={input_shape}")
        for s in shapes:
            del s[self.axis]
        if len({tuple(s) for s in shapes}) > 1:
            raise ConversionError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: "
                f"input_shape={[tuple(s) for s in input_shape]}"
            )

    def call(self, inputs: Any) -> Any:
        """One tensor."""
        return _array.concat(promoted(self, *inputs), self.axis)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        if previous_mask is None or all(m is None for m in previous_mask):
            return None
        rank = len(inputs[0].shape)
        parts = []
        for x, m in zip(inputs, previous_mask):
            full = _array.ones(tuple(x.shape), "bool") if m is None else m
            parts.append(_array.broadcast_to(_array.expand_dims(full, -1), x.shape) if len(full.shape) < rank else full)
        out = _array.concat(parts, self.axis)
        return math.reduce_all(out, axis=-1)


class _OutOfRange(_core.InvalidArgumentError, IndexError):
    """An axis that there is not."""


class Dot(_Merge):
    """Products summed along an axis of each, for each example."""

    _config = ("axes", "normalize")

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int) and (not isinstance(axes, (list, tuple)) or len(axes) != 2):
            raise _core.InvalidTypeError(
                f"Invalid type for argument `axes`: it should be a list or an int. Received: axes={axes}"
            )
        self.axes, self.normalize = axes, normalize
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ConversionError(
                f"A `Dot` layer should be called on a list of 2 inputs. Received: input_shape={input_shape}"
            )

    def call(self, inputs: Any) -> Any:
        """[batch, axes of the first, axes of the second]."""
        a, b = promoted(self, *inputs)
        given = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if any(axis >= len(x.shape) for axis, x in zip(given, (a, b))):
            raise _OutOfRange(f"Dot: axes {given} are no axes of inputs {tuple(a.shape)}, {tuple(b.shape)}")
        i, j = given[0] % len(a.shape), given[1] % len(b.shape)
        if a.shape[i] != b.shape[j]:
            raise ConversionError(
                f"Incompatible input shapes: axis values {a.shape[i]} (at axis {i}) != {b.shape[j]} (at axis {j}). Full input shapes: {a.shape}, {b.shape}"
            )
        if self.normalize:
            a, b = _linalg.l2_normalize(a, axis=i), _linalg.l2_normalize(b, axis=j)
        letters = "bcdefghijklmnop"
        left = ["a", *letters[: len(a.shape) - 1]]
        right = ["a", *letters[len(a.shape) - 1 : len(a.shape) + len(b.shape) - 2]]
        right[j] = left[i]
        out = [c for k, c in enumerate(left) if k != i] + [c for k, c in enumerate(right) if k not in (0, j)]
        y = math.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", a, b)
        return _array.expand_dims(y, -1) if len(y.shape) == 1 else y

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return None


def _function(cls, name):
    def function(inputs: Any, **kwargs: Any) -> Any:
        return cls(**kwargs)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"What a layer {cls.__name__}(**kwargs) gives."
    return function


add, subtract, multiply, average = (
    _function(Add, "add"), _function(Subtract, "subtract"), _function(Multiply, "multiply"), _function(Average, "average"),
)  # fmt: skip
maximum, minimum = _function(Maximum, "maximum"), _function(Minimum, "minimum")


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """What a layer Concatenate(axis) gives."""
    return Concatenate(axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any = -1, **kwargs: Any) -> Any:
    """What a layer Dot(axes) gives."""
    return Dot(axes, **kwargs)(inputs)
