"""Elements of datasets: structures of tensors, what describes them, and functions of them."""

from __future__ import annotations as _annotations

import random as _random
import typing as _t

from ... import _core
from .. import _autograph_runtime, nest
from .._callbacks import ShapesUnknown
from .._convert import convert_to_tensor
from .._function import Function, _Uncompiled, runs_as_it_is
from .._shape import TensorShape, TensorSpec
from .._tensor import Tensor, TensorLike, wrap
from .._text import StringTensor
from .._trace import executing_eagerly
from .._trace import state as _state
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def structured(value: Any) -> Any:
    """A structure of tensors of what a function returned: lists are tensors, tuples and dicts structures."""
    if isinstance(value, dict):
        return nest._like(value, [structured(v) for v in nest._children(value)])
    if isinstance(value, tuple) and not getattr(type(value), "_reel_leaf", False):
        return nest._like(value, [structured(v) for v in value])
    if isinstance(value, (Tensor, StringTensor)) or hasattr(value, "element_spec"):
        return value
    return convert_to_tensor(value)


def result_of(value: Any) -> Any:
    """What a function of elements returned: as structured, but a list of tensors is a tuple."""
    if isinstance(value, list) and any(isinstance(x, (TensorLike, tuple, list, dict)) for x in value):
        return tuple(result_of(x) for x in value)
    if isinstance(value, tuple) and not getattr(type(value), "_reel_leaf", False):
        return nest._like(value, [result_of(x) for x in value])
    return structured(value)


def leaves_like(spec: Any, value: Any) -> list[Any]:
    """The values in the places of a structure's leaves; ValueError if it is another structure."""
    if not nest.is_nested(spec):
        return [value]
    children = nest._children(value) if isinstance(value, dict) else value
    return [x for s, v in zip(nest._children(spec), children, strict=True) for x in leaves_like(s, v)]


def spec_of(element: Any) -> Any:
    """The specs of a structure of tensors."""
    return nest.map_structure(lambda x: TensorSpec(x.shape, x.dtype) if isinstance(x, TensorLike) else x, element)


def map_specs(function: Callable[[TensorSpec], TensorSpec], spec: Any) -> Any:
    """A function of each TensorSpec of a structure."""
    return nest.map_structure(lambda s: function(s) if isinstance(s, TensorSpec) else s, spec)


def check_tensors(spec: Any, what: str) -> None:
    """TypeError if an element is, or holds, a dataset."""
    if not all(isinstance(s, TensorSpec) for s in nest.flatten(spec)):
        raise _core.InvalidTypeError(f"{what}: the elements hold datasets; flat_map makes one dataset of them")


def call_with(function: Callable[..., Any], element: Any) -> Any:
    """function(*element) of a tuple, function(element) of anything else."""
    if isinstance(element, tuple) and not hasattr(element, "_fields"):
        return function(*element)
    return function(element)


_EXTENTS = (2, 3)


class Mapped:
    """A function of elements: traced where it is given, compiled for each shape that comes; its result's spec."""

    def __init__(self, function: Callable[..., Any], spec: Any) -> None:
        if not callable(function):
            raise ConversionError(f"the function of a dataset must be a callable, not {function!r}")
        self._eager = not all(
            isinstance(s, TensorSpec) and s.shape is not None and s.dtype.name != "string" for s in nest.flatten(spec)
        )
        python = function.python_function if isinstance(function, Function) else function
        self._python = function
        self._function = Function(_of_structure(python), name="map_function")
        self._function._warnings = 2  # other shapes of elements are no mistake
        if not executing_eagerly():
            runs_as_it_is(self)
        try:
            self.spec = self._spec_on_samples(spec) if self._eager else self._inferred(spec)
        except (_Uncompiled, ShapesUnknown):  # it iterates over a dataset, or calls Python
            self._eager, self.spec = True, None
        except _core.FailedPreconditionError:  # shapes depend on values: it runs op by op
            self._eager = True
            self.spec = self._spec_of_values(spec)
        if any(not isinstance(s, TensorSpec) for s in nest.flatten(self.spec)):
            self._eager = True

    def __call__(self, element: Any) -> Any:
        return result_of(call_with(self._python, element)) if self._eager else self._function(element)

    def _spec_on_samples(self, spec):
        """None: that of the first result is found when it is asked for."""
        return None

    def _inferred(self, spec):
        """The result's specs: of two traces, the extents that differ are not known."""
        return _common_spec(*(self._traced(spec, n) for n in _EXTENTS))

    def _spec_of_values(self, spec):
        """The result's specs: of two elements, the extents that differ are not known."""

        def element(n):
            def tensor(s):
                return wrap(_core.full([n if e is None else e for e in s.shape], n, dtype=s.dtype.core))

            return map_specs(tensor, spec)

        first, second = (_described(result_of(call_with(self._python, element(n)))) for n in (1, 2))
        return _common_spec(first, second)

    def _traced(self, spec, extent):
        leaves = nest.flatten(spec)
        given = [_core.TensorSpec([extent if n is None else n for n in s.shape], s.dtype.core) for s in leaves]
        found = []

        def run(*values):
            element = nest.pack_sequence_as(spec, [wrap(v) for v in values])
            result = result_of(call_with(_autograph_runtime.convert(self._python_function()), element))
            found.append(_described(result))
            return [x._t for x in nest.flatten(result) if isinstance(x, Tensor)]

        depth, convert = _state.depth, _state.convert
        _state.depth, _state.convert = 1, _autograph_runtime.convert
        try:
            _core.trace(run, given)
        finally:
            _state.depth, _state.convert = depth, convert
        return found[-1]

    def _python_function(self):
        return self._python.python_function if isinstance(self._python, Function) else self._python


def _common_spec(first, second):
    def both(a, b):
        if not isinstance(a, TensorSpec):
            return a
        return TensorSpec([m if m == n else None for m, n in zip(a.shape, b.shape)], a.dtype)

    return nest.map_structure(both, first, second)


def _of_structure(function):
    def map_function(element):
        return result_of(call_with(_autograph_runtime.convert(function), element))

    return map_function


def _described(result):
    def one(x):
        if isinstance(x, (Tensor, StringTensor)):
            return TensorSpec(x.shape, x.dtype)
        if hasattr(x, "element_spec"):
            from ._dataset import DatasetSpec

            return DatasetSpec(x.element_spec)
        raise _core.InvalidTypeError(f"a dataset's function returned {x!r}: no tensor, number, array or dataset")

    return nest.map_structure(one, result)


def from_array(array: Any) -> Any:
    """A tensor of an array that nobody writes to: its elements are shared where that is possible."""
    if array.dtype == object:
        return StringTensor(array)
    if array.flags.c_contiguous and array.dtype.isnative and array.flags.aligned:
        try:
            return wrap(_core.asarray(array, copy=False))
        except _core.Error:
            pass
    return convert_to_tensor(array)


class Run:
    """One iteration over a dataset: the numbers that shuffles drew, which another run can be given."""

    def __init__(self, drawn: list[int] | None = None) -> None:
        self._given = list(drawn or ())
        self.drawn: list[int] = []

    def draw(self, make: Callable[[], int]) -> _random.Random:
        """A generator of the next number that was drawn, or of a new one."""
        number = self._given.pop(0) if self._given else make()
        self.drawn.append(number)
        return _random.Random(number)


def global_seed() -> int:
    """A number of the global generator, which tf.random.set_seed starts."""
    return int(_core.random.randint((), 0, 2**31 - 1, dtype=_core.int32))


def _strings(arrays):
    import numpy

    return StringTensor(numpy.stack([numpy.asarray(a, dtype=object) for a in arrays]))


def stacked(elements: list[Any], what: str) -> Any:
    """Elements of one shape as one, along a new first axis; InvalidArgumentError if shapes differ."""
    columns = zip(*(nest.flatten(e) for e in elements))
    out = []
    for column in columns:
        shapes = {tuple(x.shape) for x in column}
        if len(shapes) > 1:
            first = tuple(column[0].shape)
            other = next(i for i, x in enumerate(column) if tuple(x.shape) != first)
            raise ConversionError(
                f"{what}: Cannot batch tensors with different shapes in component 0. First element had shape {list(first)} "
                f"and element {other} had shape {list(column[other].shape)}; padded_batch fills them up."
            )
        if isinstance(column[0], StringTensor):
            out.append(_strings([x.__array__() for x in column]))
        else:
            out.append(wrap(_core.stack([x._t for x in column])))
    return nest.pack_sequence_as(elements[0], out)


def more_general(a: Any, b: Any, what: str) -> Any:
    """The spec that both fit; TypeError if dtypes or structures differ."""
    try:
        nest.assert_same_structure(a, b)
    except (ValueError, TypeError):
        raise _core.InvalidTypeError(f"{what}: incompatible types of elements: {a} and {b}") from None

    def both(s, t):
        if not isinstance(s, TensorSpec) or not isinstance(t, TensorSpec):
            return s
        if s.dtype is not t.dtype:
            raise _core.InvalidTypeError(f"{what}: incompatible types of elements: {a} and {b}")
        if s.shape is None or t.shape is None or len(s.shape) != len(t.shape):
            return TensorSpec(None, s.dtype)
        return TensorSpec([m if m == n else None for m, n in zip(s.shape, t.shape)], s.dtype)

    return nest.map_structure(both, a, b)


def with_batch(spec: TensorSpec, n: int | None) -> TensorSpec:
    """A spec with an axis before the others."""
    return TensorSpec(None if spec.shape is None else TensorShape((n, *spec.shape)), spec.dtype)
