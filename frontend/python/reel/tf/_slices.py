"""tf.IndexedSlices: what gradients of lookups are."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _dtypes as dtypes
from ._args import static
from ._convert import convert_to_tensor
from ._shape import TensorShape
from ._tensor import Sparse, wrap
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor


class IndexedSlices(Sparse):
    """Rows of a tensor that is zero elsewhere, duplicates included: values [n, ...] at indices [n] of dense_shape.

    Functions of tf take it as the dense tensor; ValueError without a dense_shape.
    """

    __slots__ = ("values", "indices", "dense_shape")
    values: Tensor
    indices: Tensor
    dense_shape: Tensor | None

    def __init__(self, values: ArrayLike, indices: ArrayLike, dense_shape: ShapeLike | None = None) -> None:
        self.values, self.indices = convert_to_tensor(values), convert_to_tensor(indices)
        if isinstance(dense_shape, (list, tuple)):
            dense_shape = convert_to_tensor(list(dense_shape), dtypes.int64)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> dtypes.DType:
        return self.values.dtype

    @property
    def shape(self) -> TensorShape | None:
        return None if self.dense_shape is None else TensorShape(self._extents())

    def _extents(self):
        return static(self.dense_shape._t, "IndexedSlices: dense_shape").tolist()

    @property
    def device(self) -> str:
        return self.values.device

    def __neg__(self) -> IndexedSlices:
        """The same rows with the opposite sign."""
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def dense(self) -> _core.Tensor:
        """The core tensor of the whole."""
        if self.dense_shape is None:
            raise ConversionError("Tensor conversion requested for IndexedSlices without dense_shape: give it one")
        return _core.IndexedSlices(self.values._t, self.indices._t, tuple(self._extents())).dense()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.dense().__array__(dtype)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"


def from_core(slices: _core.IndexedSlices) -> IndexedSlices:
    """The IndexedSlices of reel's."""
    out = IndexedSlices.__new__(IndexedSlices)
    out.values, out.indices = wrap(slices.values), wrap(slices.indices)
    shape = slices.dense_shape
    out.dense_shape = None if shape is None else wrap(_core.asarray(list(shape), _core.int64))
    return out
