"""PyTorch's operators on lists of tensors, which optimizers call: each is an operator of single tensors, several times."""

from __future__ import annotations

import typing as _t

from . import _aten_elementwise, _aten_reductions  # noqa: F401  (their rows)
from ._table import TABLE, aten

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Names without "_foreach_"; the operator of single tensors has the same name and one of these overloads.
_NAMES = """abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1 floor lerp
    lgamma log log10 log1p log2 mul neg pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan tanh
    trunc""".split()
_OVERLOADS = ("Tensor", "default", "Tensor_Tensor", "Scalar")


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(self: Any, *args: Any, **kwargs: Any) -> list[Any]:
        lists = self if isinstance(self, list) else args[0]  # _foreach_pow.ScalarAndTensor begins with a number
        named = {"alpha": kwargs["alpha"]} if "alpha" in kwargs else {}
        rows = []
        for i in range(len(lists)):
            first, *rest = (x[i] if isinstance(x, list) else x for x in (self, *args))
            rows.append(function(first, *rest, **named))
        return rows

    return apply


def _with_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of addcmul and addcdiv, whose last argument has a name."""
    return lambda a, b, c, value=1: function(a, b, c, value=value)


for _name in _NAMES:
    _row = next(TABLE[f"aten.{_name}.{o}"] for o in _OVERLOADS if f"aten.{_name}.{o}" in TABLE)
    _function = _with_value(_row.function) if _name in ("addcmul", "addcdiv") else _row.function
    aten(*(f"_foreach_{_name}.{o}" for o in ("default", "Scalar", "List", "ScalarList", "Tensor", "ScalarAndTensor")))(
        _each(_function)
    )
aten("_foreach_maximum.Scalar", "_foreach_maximum.List")(_each(TABLE["aten.maximum.default"].function))
aten("_foreach_minimum.Scalar", "_foreach_minimum.List")(_each(TABLE["aten.minimum.default"].function))


@aten("_foreach_norm.Scalar")
def _norm(self: Any, ord: float = 2, dtype: Any = None) -> list[Any]:
    return [TABLE["aten.linalg_vector_norm.default"].function(x, ord, dtype=dtype) for x in self]
