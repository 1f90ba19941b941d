"""The table of PyTorch's operators: what each is in Reel's functions."""

from __future__ import annotations

import dataclasses as _dataclasses
import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import DType, Tensor
    from ._nodes import Type

    F = _t.TypeVar("F", bound=Callable[..., Any])


@_dataclasses.dataclass
class Row:
    """One operator: the function of its arguments, which has PyTorch's names for those by keyword.

    `promote`: tensors among the arguments get the dtype of the result first, as PyTorch computes in it.
    `results`: the function is told the types of what PyTorch would give, as `results`.
    `eager`: only outside traces: what it gives depends on values.
    """

    function: Callable[..., Any]
    promote: bool
    results: bool
    eager: bool


TABLE: dict[str, Row] = {}


def aten(*names: str, promote: bool = False, eager: bool = False) -> Callable[[F], F]:
    """A decorator: the function is these operators, named without "aten." ("add.Tensor"), or with another namespace."""

    def register(function: F) -> F:
        code = getattr(function, "__code__", None)  # builtins have none
        told = code is not None and "results" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        for name in names:
            full = name if name.split(".")[0] in ("python", "prims", "reel", "getitem") else "aten." + name
            TABLE[full] = Row(function, promote, told, eager)
        return function

    return register


def dtype_of(name: str | None) -> DType | None:
    """Reel's dtype of a name; None if there is none of that name."""
    return getattr(_core, name, None) if name else None


def cast(x: Any, dtype: Any) -> Any:
    """x as a tensor of that dtype."""
    if isinstance(x, _core.Tensor):
        return x if x.dtype == dtype else _core.astype(x, dtype)
    return _core.asarray(x, dtype)


def tensor(x: Any) -> Tensor:
    """A tensor: numbers as PyTorch has them, int64 or float32."""
    return x if isinstance(x, _core.Tensor) else _core.asarray(x)


def result_dtype(results: Sequence[Type | None], otherwise: Any) -> Any:
    """The dtype of the only result, or of `otherwise` where PyTorch said nothing."""
    if results and results[0] is not None:
        return dtype_of(results[0].dtype)
    return tensor(otherwise).dtype


def axes_of(x: Tensor, dim: Any) -> tuple[int, ...]:
    """Axes as a tuple; None and [] are all."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return tuple(range(x.ndim))
    dims = [dim] if isinstance(dim, int) else dim
    return tuple(d % x.ndim for d in dims) if x.ndim else ()


def is_float(dtype: DType) -> bool:
    """Whether it is a real floating dtype."""
    return not (dtype.is_bool or dtype.is_integer or dtype.is_complex)


def wide(x: Tensor) -> Tensor:
    """Half-wide floats as float32, which PyTorch computes sums and moments in; others as they are."""
    return _core.astype(x, _core.float32) if x.dtype in (_core.float16, _core.bfloat16) else x


def repeat(value: Any, n: int) -> list[int]:
    """PyTorch's lists of one number stand for n of them."""
    values = [value] if isinstance(value, int) else list(value)
    return values * n if len(values) == 1 else values
