"""tf.TensorArray in a tf.Graph: one tensor of all elements, which write() makes anew."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _array, dtypes
from ._convert import convert_to_tensor
from ._shape import TensorShape
from ._trace import state
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any


class GraphTensorArray:
    """A TensorArray of a graph; write and its like return a new one, to be used from then on.

    Elements are of one shape, known while the graph is built. Reading what was not written gives zeros. Its size is fixed.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: object = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None or flow is not None:
            raise ConversionError("TensorArray: handle and flow are of TensorFlow's runtime; make an array by its size")
        if dynamic_size:
            raise ConversionError("TensorArray: in a graph its size is fixed; give the largest size, not dynamic_size")
        if size is None:
            raise ConversionError("Size must be declared for TensorArrays: TensorArray(dtype, size)")
        self.dtype, self._size, self.dynamic_size = dtypes.as_dtype(dtype), size, False
        self._element = None if element_shape is None else TensorShape(element_shape)
        self.buffer: Any = None
        if self._element is not None and self._element.is_fully_defined():
            self._make()

    handle = None

    @property
    def element_shape(self) -> Any:
        """The shape of elements; None before the first one is written."""
        return self._element

    @property
    def flow(self) -> Any:
        return self.stack()

    def like(self, buffer: Any) -> GraphTensorArray:
        """The array with other elements."""
        out = GraphTensorArray(self.dtype, self._size)
        out.buffer, out._element = buffer, None if buffer is None else TensorShape(list(buffer.shape)[1:])
        return out

    def of_shape(self, element: TensorShape) -> GraphTensorArray:
        """The array, ready for elements of this shape."""
        out = GraphTensorArray(self.dtype, self._size)
        out._element = element
        out._make()
        return out

    def _make(self):
        size = self._size if isinstance(self._size, int) else convert_to_tensor(self._size)
        self.buffer = _array.zeros([size, *self._element], self.dtype)

    def _ready(self, element):
        if self.buffer is not None:
            return self
        if element.rank is None or not element.is_fully_defined():
            raise ConversionError(
                f"TensorArray: in a graph the shape of elements must be known, not {element}; give element_shape, or set_shape"
            )
        return self.of_shape(element)

    def _value(self, value):
        return convert_to_tensor(value, self.dtype)

    def _needed(self, what):
        if self.buffer is None:
            raise ConversionError(f"TensorArray.{what}: nothing was written, and element_shape is not given")
        return self.buffer

    def identity(self) -> GraphTensorArray:
        """The array itself."""
        return self

    def size(self, name: str | None = None) -> Any:
        """The number of elements."""
        return convert_to_tensor(self._size, dtypes.int32)

    def close(self, name: str | None = None) -> None:
        """Does nothing."""

    def grad(self, source: str, flow: object = None, name: str | None = None) -> Any:
        """Refused: gradients flow through write and read."""
        raise _core.UnimplementedError("TensorArray.grad is not supported; use tf.gradients")

    def write(self, index: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """The array with a value at an index."""
        value = self._value(value)
        ready = self._ready(value.shape)
        index = _array.reshape(convert_to_tensor(index, dtype_hint=dtypes.int32), [1, 1])
        return ready.like(_array.tensor_scatter_nd_update(ready.buffer, index, _array.expand_dims(value, 0)))

    def read(self, index: Any, name: str | None = None) -> Any:
        """The element at an index."""
        return _array.gather(self._needed("read"), index)

    def stack(self, name: str | None = None) -> Any:
        """All elements along a new first axis."""
        return _array.identity(self._needed("stack"))

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The elements at some indices, stacked."""
        return _array.gather(self._needed("gather"), indices)

    def concat(self, name: str | None = None) -> Any:
        """All elements along their first axis."""
        shape = list(self._needed("concat").shape)
        return _array.reshape(self.buffer, [-1, *shape[2:]])

    def unstack(self, value: Any, name: str | None = None) -> GraphTensorArray:
        """The array with the rows of a tensor as its elements."""
        value = self._value(value)
        if isinstance(self._size, int) and value.shape.rank and value.shape[0] not in (None, self._size):
            raise ConversionError(f"unstack: {value.shape[0]} rows do not fit into an array of {self._size} elements")
        return self.like(value)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> GraphTensorArray:
        """The array with the rows of a tensor at some indices."""
        value = self._value(value)
        ready = self._ready(TensorShape(list(value.shape)[1:]))
        places = _array.expand_dims(convert_to_tensor(indices, dtype_hint=dtypes.int32), -1)
        return ready.like(_array.tensor_scatter_nd_update(ready.buffer, places, value))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Any:
        """Refused: elements would be of several shapes."""
        raise _core.UnimplementedError("TensorArray.split: in a graph elements are of one shape; use tf.split")

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {self._size} {self.dtype.name} of a graph, element_shape={self._element}>"


def in_graph(*args: Any, **kwargs: Any) -> GraphTensorArray | None:
    """The array for a thread that builds a graph; None elsewhere."""
    return None if state.graph is None else GraphTensorArray(*args, **kwargs)
