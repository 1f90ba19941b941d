"""tf.TensorArray: tensors of one dtype by their numbers, written and read one by one, in loops of the graph too."""

from __future__ import annotations

import inspect as _inspect
import typing as _t

from .. import _core
from . import _graph_array, dtypes, nest
from ._convert import constant, convert_to_tensor, to_core
from ._shape import TensorShape
from ._tensor import Tensor, TensorLike, wrap
from ._trace import state
from .errors import ConversionError, InvalidArgumentError, OutOfRangeError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..typing import DTypeLike, ShapeLike
    from ..typing import TensorLike as ArrayLike


def static_int(x: Any) -> int | None:
    """The number of an integer or of an integer tensor whose value is known now; None if it is not."""
    if isinstance(x, TensorLike):
        value = _core._static_value(x._core_value())
        return None if value is None else int(value)
    if isinstance(x, float):
        raise _core.InvalidTypeError(f"an index is an integer, not {x!r}")
    return int(x)


class TensorArray:
    """Tensors of one dtype, by default of one shape, each at an index from 0.

    While tracing, write and its like return a new array, to be used from then on; eager, they change this one and return
    it. In a loop of the graph an array is a loop variable of a fixed size; its elements then have one shape.
    Errors: ValueError for an element of another shape, OutOfRangeError for an index outside.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return _graph_array.in_graph(*args, **kwargs) or object.__new__(cls)

    def __init__(
        self,
        dtype: DTypeLike,
        size: ArrayLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: object = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None or flow is not None:
            raise ConversionError("TensorArray: handle and flow are of version 1's runtime; make an array by its size")
        if size is None:
            raise ConversionError("Size must be declared for TensorArrays: TensorArray(dtype, size)")
        count = static_int(size)
        if count is None:
            raise _core.UnimplementedError(
                "TensorArray: its size depends on a tensor's value, but a compiled function needs a number; use a static "
                "shape, or the largest size there can be"
            )
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic, self._infer = bool(dynamic_size), bool(infer_shape)
        self._clear = True if clear_after_read is None else bool(clear_after_read)
        self._shape = _partial_shape(element_shape)
        self._items: list[Any] | None = [None] * count  # of a known index each; None if there is a buffer
        self._buffer: Any = None  # all elements, stacked: a core tensor
        self._read: set[int] = set()  # what was cleared by reading

    # What it is.

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        return self._dynamic

    @property
    def element_shape(self) -> Any:
        """The shape of elements, as far as it is known; None if nothing is."""
        return None if self._shape is None else TensorShape(self._shape)

    @property
    def handle(self) -> None:
        return None

    @property
    def flow(self) -> Tensor:
        return constant(0)

    def identity(self) -> TensorArray:
        """The array itself; while tracing, another one of the same elements."""
        return self._next()

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return constant(self._count())

    def close(self, name: str | None = None) -> None:
        """Forgets the elements."""
        self._items, self._buffer = [], None

    def grad(self, source: str, flow: object = None, name: str | None = None) -> Any:
        """Refused: gradients flow through write and read."""
        raise _core.UnimplementedError("TensorArray.grad is not supported; use tf.GradientTape or tf.gradients")

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {self._count()} {self._dtype.name}, element_shape={self.element_shape}>"

    # Elements.

    def write(self, index: ArrayLike, value: ArrayLike, name: str | None = None) -> TensorArray:
        """The array with a value at an index."""
        t = self._element(value)
        i = self._index(index)
        out = self._next()
        out._merge(t.shape)
        if isinstance(i, int):
            out._grow(i + 1, "write")
            out._put(i, t)
        else:
            out._scatter(_core.reshape(i, (1,)), _core.expand_dims(t, 0))
        return out

    def read(self, index: ArrayLike, name: str | None = None) -> Tensor:
        """The element at an index; zeros if none was written there and their shape is known.

        Eager, it is cleared by that unless clear_after_read is False: InvalidArgumentError if it is read again.
        """
        i = self._index(index)
        if not isinstance(i, int):
            return wrap(_core.take(self._stacked(), i, axis=0))
        if i >= self._count():
            raise OutOfRangeError(f"Tried to read from index {i} but array size is: {self._count()}")
        if i in self._read:
            raise InvalidArgumentError(
                f"Could not read index {i} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)"
            )
        out = wrap(self._get(i))
        if self._clear and self._items is not None and not state.depth:
            self._items[i] = None
            self._read.add(i)
        return out

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, stacked along a new first axis; those not written are zeros."""
        return wrap(self._stacked())

    def gather(self, indices: ArrayLike, name: str | None = None) -> Tensor:
        """The elements at some indices, stacked."""
        places = to_core(indices)
        known = _core._static_value(places)
        if known is not None and self._items is not None:
            numbers = [int(i) for i in known.tolist()]
            for i in numbers:
                if not 0 <= i < self._count():
                    raise OutOfRangeError(f"gather: index {i} is not in [0, {self._count()})")
            return wrap(_core.stack([self._get(i) for i in numbers]) if numbers else self._empty(0))
        return wrap(_core.take(self._stacked(), places, axis=0))

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, one after another along their first axis."""
        if self._items is None:
            t = self._buffer
            if t.ndim < 2:
                raise InvalidArgumentError("Concat saw a scalar shape at index 0 but requires at least vectors.")
            return wrap(_core.reshape(t, (t.shape[0] * t.shape[1], *t.shape[2:])))
        elements = [self._get(i) for i in range(self._count())]
        for i, t in enumerate(elements):
            if not t.ndim:
                raise InvalidArgumentError(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        return wrap(_core.concat(elements, axis=0) if elements else self._empty(0))

    def unstack(self, value: ArrayLike, name: str | None = None) -> TensorArray:
        """The array with the rows of a tensor as its elements."""
        t = self._element(value)
        if not t.ndim:
            raise ConversionError("unstack: the value needs an axis to be unstacked along; it is a scalar")
        if t.shape[0] > self._count() and not self._dynamic:
            raise ConversionError(
                f"Cannot unstack {t.shape[0]} tensors into a TensorArray of static size {self._count()}; make it larger"
            )
        out = self._next()
        out._merge(t.shape[1:])
        out._read = set()
        if state.depth:
            out._items, out._buffer = None, t
        else:
            out._items, out._buffer = list(_core.unstack(t)), None
        return out

    def scatter(self, indices: ArrayLike, value: ArrayLike, name: str | None = None) -> TensorArray:
        """The array with the rows of a tensor at some indices."""
        t, places = self._element(value), to_core(indices)
        if places.ndim != 1 or not t.ndim or places.shape[0] > t.shape[0]:
            raise InvalidArgumentError(
                f"scatter: indices {list(places.shape)} and value {list(t.shape)} must have as many rows"
            )
        out = self._next()
        out._merge(t.shape[1:])
        known = _core._static_value(places)
        if known is None:
            out._scatter(places, t)
            return out
        for row, i in enumerate(known.tolist()):
            out._grow(i + 1, "scatter")
            out._put(self._index(int(i)), t[row])
        return out

    def split(self, value: ArrayLike, lengths: ArrayLike, name: str | None = None) -> TensorArray:
        """The array with parts of a tensor as its elements, of these lengths along the first axis."""
        t = self._element(value)
        known = _core._static_value(to_core(lengths))
        if known is None or not t.ndim:
            raise InvalidArgumentError("split: the value needs an axis, and the lengths must be known while tracing")
        sizes = [int(n) for n in known.tolist()]
        if sum(sizes) != t.shape[0]:
            raise InvalidArgumentError(
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(sizes)} and value's "
                f"shape is: {list(t.shape)}"
            )
        out = self._next()
        if len(sizes) > out._count() and not out._dynamic:
            raise ConversionError(f"split: {len(sizes)} parts do not fit a TensorArray of static size {out._count()}")
        if len(set(sizes)) == 1:
            out._merge((sizes[0], *t.shape[1:]))
        else:
            out._infer = False
        parts, start = [], 0
        for n in sizes:
            parts.append(t[start : start + n])
            start += n
        out._items, out._buffer, out._read = parts, None, set()
        return out

    # --- inside ---

    def _next(self):
        """Where a change goes: this array when eager, a copy of it while tracing."""
        if not state.depth:
            return self
        out = object.__new__(TensorArray)
        out.__dict__.update(self.__dict__)
        out._items = None if self._items is None else list(self._items)
        return out

    def _count(self):
        return len(self._items) if self._items is not None else self._buffer.shape[0]

    def _index(self, index):
        """An index as an int, or as a core scalar if its value is not known."""
        i = static_int(index)
        if i is None:
            return to_core(index)
        if i < 0:
            raise OutOfRangeError(f"negative indices (index {i}) are not allowed in a TensorArray")
        return i

    def _element(self, value):
        if isinstance(value, TensorLike):
            t = value._core_value()
            if t.dtype is not self._dtype.core:
                raise InvalidArgumentError(
                    f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {t.dtype.name}; tf.cast it"
                )
            return t
        return convert_to_tensor(value, dtype=self._dtype)._t

    def _merge(self, shape):
        """Notes the shape of an element; ValueError if it is not that of the others."""
        shape = tuple(shape)
        wanted = self._shape
        if wanted is not None and (
            len(wanted) != len(shape) or any(a is not None and a != b for a, b in zip(wanted, shape))
        ):
            raise ConversionError(
                f"Incompatible shape for value ({TensorShape(shape)}), expected ({TensorShape(wanted)}): a TensorArray's "
                "elements have one shape unless infer_shape is False"
            )
        if self._infer:
            self._shape = shape

    def _grow(self, size, what):
        if size <= self._count():
            return
        if not self._dynamic:
            raise OutOfRangeError(
                f"Tried to {what} to index {size - 1} but array is not resizeable and size is: {self._count()}; make it "
                "larger, or with dynamic_size=True"
            )
        if self._items is None:
            more = _core.zeros((size - self._count(), *self._buffer.shape[1:]), dtype=self._dtype.core)
            self._buffer = _core.concat([self._buffer, more], axis=0)
        else:
            self._items += [None] * (size - len(self._items))

    def _put(self, i, t):
        if self._items is None:
            self._scatter(_core.asarray([i]), _core.expand_dims(t, 0))
        else:
            self._items[i] = t
            self._read.discard(i)

    def _scatter(self, places, rows):
        if self._dynamic and self._items is not None and not self._items:
            raise _core.UnimplementedError(
                "TensorArray: a write at an index that is known only when the function runs needs a fixed size; give "
                "size=N, the number of elements"
            )
        whole = self._stacked()
        if tuple(whole.shape[1:]) != tuple(rows.shape[1:]):
            raise ConversionError(
                f"Incompatible shape for value ({TensorShape(rows.shape[1:])}), expected ({TensorShape(whole.shape[1:])})"
            )
        self._buffer, self._items = _core.tensor_scatter(whole, _core.expand_dims(places, -1), rows, "set"), None

    def _get(self, i):
        if self._items is None:
            return _core.take(self._buffer, _core.asarray(i), axis=0)
        if self._items[i] is None:
            self._items[i] = _core.zeros(self._full_shape(), dtype=self._dtype.core)
        return self._items[i]

    def _full_shape(self):
        if self._shape is None or None in self._shape:
            raise ConversionError(
                f"Cannot convert a partially known TensorShape {self.element_shape or '<unknown>'} to a Tensor: an element "
                "of the TensorArray was not written; write it, or give element_shape"
            )
        return tuple(self._shape)

    def _empty(self, count):
        shape = () if self._shape is None else tuple(0 if n is None else n for n in self._shape)
        return _core.zeros((count, *shape), dtype=self._dtype.core)

    def _stacked(self):
        if self._items is None:
            return self._buffer
        if not self._items:
            return self._empty(0)
        return _core.stack([self._get(i) for i in range(len(self._items))])

    # In loops and branches of a graph an array is the tensor of its elements.

    def _opened(self):
        """A dict of the tensor of all elements; of none if their shape is not known yet."""
        if self._items is not None and self._shape is None and all(x is None for x in self._items):
            buffer = _core.zeros((len(self._items), 0), dtype=self._dtype.core)
        else:
            buffer = self._stacked()
        return Opened(self, buffer)

    def _of(self, buffer, shaped=True):
        """This array with other elements."""
        out = object.__new__(TensorArray)
        out.__dict__.update(self.__dict__)
        out._items, out._buffer = (None, buffer) if shaped else ([None] * self._count(), None)
        return out


class Opened(dict):
    """A TensorArray as a structure of one tensor."""

    def __init__(self, array: TensorArray, buffer: Any) -> None:
        super().__init__(elements=wrap(buffer))
        self.array = array
        # Nothing was written yet: the elements stand for what is not known.
        self.shaped = array._items is None or array._shape is not None or any(x is not None for x in array._items)

    def copy(self) -> Opened:
        out = Opened.__new__(Opened)
        out.update(self)
        out.array, out.shaped = self.array, self.shaped
        return out

    def close(self) -> TensorArray:
        return self.array._of(to_core(self["elements"]), self.shaped)


def opened(structure: Any) -> Any:
    """A structure with the TensorArrays in it as structures of tensors."""
    if not any(isinstance(x, TensorArray) for x in nest.flatten(structure)):
        return structure
    return nest.map_structure(lambda x: x._opened() if isinstance(x, TensorArray) else x, structure)


def closed(structure: Any) -> Any:
    """The inverse of opened."""
    if isinstance(structure, Opened):
        return structure.close()
    if not nest.is_nested(structure):
        return structure
    return nest._like(structure, [closed(x) for x in nest._children(structure)])


def shaped_like(before: Any, after: Any) -> Any:
    """`before`, opened, with arrays that have the elements' shape of those in `after` where it did not know one.

    Nothing if there is none such: then `before` is as it has to be.
    """
    changed = False

    def visit(a: Any, b: Any) -> Any:
        nonlocal changed
        if isinstance(a, Opened) and isinstance(b, Opened):
            if a.shaped or not b.shaped:
                return a.close()
            changed = True
            array = a.array._of(None, False)
            array._shape = tuple(b["elements"].shape[1:])
            return array
        if nest.is_nested(a) and nest.is_nested(b):
            return nest._like(a, [visit(x, y) for x, y in zip(nest._children(a), nest._children(b))])
        return a

    out = visit(before, after)
    return out if changed else None


def _partial_shape(shape: Any) -> tuple[int | None, ...] | None:
    if shape is None or getattr(shape, "rank", 0) is None:
        return None
    dims: Iterable[Any] = [shape] if isinstance(shape, int) else shape
    return tuple(None if d is None or d == -1 else int(d) for d in dims)


TensorArray.__signature__ = _inspect.Signature(  # type: ignore[attr-defined]
    list(_inspect.signature(TensorArray.__init__).parameters.values())[1:]
)
