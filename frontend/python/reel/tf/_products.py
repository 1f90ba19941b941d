"""Products of matrices and tensors."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _dtypes as dtypes
from ._args import ints
from ._convert import to_core
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor


def _turned(x, transpose, adjoint, which):
    if transpose and adjoint:
        raise ConversionError(f"matmul: only one of transpose_{which} and adjoint_{which} can be True")
    if adjoint and x.dtype.is_complex:
        x = _core.conj(x)
    return _core.matrix_transpose(x) if transpose or adjoint else x


def matmul(
    a: ArrayLike,
    b: ArrayLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product [..., m, k] by [..., k, n]; leading axes broadcast. Gradients: dy b', a' dy.

    a_is_sparse and b_is_sparse say that there are many zeros, and change nothing. output_type: int32 of int8 operands.
    """
    x = to_core(a)
    if output_type is not None:
        return wrap(_core.matmul(*_wide(a, b, dtypes.core_dtype(output_type))))
    y = operand(b, x.dtype, "MatMul", weak=False)
    if len(x.shape) < 2 or len(y.shape) < 2:
        raise InvalidArgumentError(
            f"In[0] and In[1] ndims must be >= 2: {len(x.shape)}, {len(y.shape)} [Op:MatMul]; shapes {tuple(x.shape)} and "
            f"{tuple(y.shape)}, use tf.tensordot for vectors"
        )
    if transpose_a or adjoint_a:
        x = _turned(x, transpose_a, adjoint_a, "a")
    if transpose_b or adjoint_b:
        y = _turned(y, transpose_b, adjoint_b, "b")
    return wrap(_core.matmul(x, y))


def _wide(a, b, dtype):
    x = to_core(a)
    y = operand(b, x.dtype, "MatMul", weak=False)
    if dtype is not x.dtype and not (dtype is _core.int32 and x.dtype is _core.int8):
        raise InvalidArgumentError(
            f"matmul: output_type {dtype.name} of {x.dtype.name} is not supported; int32 of int8 is. Cast the operands"
        )
    return (_core.astype(t, dtype) if t.dtype is not dtype else t for t in (x, y))


def matvec(
    a: ArrayLike,
    b: ArrayLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix times vector, [..., m, k] by [..., k]."""
    x = to_core(a)
    y = _core.expand_dims(operand(b, x.dtype, "MatVec", weak=False), -1)
    return wrap(_core.squeeze(matmul(wrap(x), wrap(y), transpose_a, False, adjoint_a)._t, -1))


def tensordot(a: ArrayLike, b: ArrayLike, axes: int | Sequence[int | Sequence[int]], name: str | None = None) -> Tensor:
    """The sum over the last axes of a and the first of b (a number of them), or over pairs of axes."""
    x = to_core(a)
    if not isinstance(axes, int):
        pair = list(axes) if isinstance(axes, (list, tuple)) else to_core(axes).tolist()
        if not isinstance(pair, int) and len(pair) != 2:
            raise ConversionError(f"tensordot: axes must be an integer or have length 2, got {axes!r}")
        axes = pair if isinstance(pair, int) else tuple(list(ints(i, "axes")) for i in pair)
    return wrap(_core.tensordot(x, operand(b, x.dtype, "Tensordot", weak=False), axes))


_EINSUM_OPTIONS = ("optimize", "name")


def einsum(equation: str, *inputs: ArrayLike, **kwargs: Any) -> Tensor:
    """Einstein's notation: einsum('bij,bjk->bik', a, b). optimize= names a search for an order, and changes nothing."""
    unknown = [k for k in kwargs if k not in _EINSUM_OPTIONS] if kwargs else None
    if unknown:
        raise _core.InvalidTypeError(f"einsum: invalid keyword arguments {unknown}; there are {list(_EINSUM_OPTIONS)}")
    operands = [to_core(x) for x in inputs]
    for k, x in enumerate(operands):
        if x.dtype is not operands[0].dtype:
            operands[k] = operand(inputs[k], operands[0].dtype, "Einsum", weak=False)
    return wrap(_core.einsum(equation.replace(" ", ""), *operands))


_all_in_graph(globals())
