"""What an update looks at of a variable and its slots: all, or the rows that a sparse gradient has."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ..._tensor import wrap as _wrap

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..._slices import IndexedSlices
    from ..._tensor import Tensor
    from ..._variable import Variable


class Whole:
    """All of them."""

    def __init__(self, gradient: Tensor) -> None:
        self.gradient = gradient

    def sums(self, f: Callable[[Tensor], Tensor]) -> Tensor:
        """f of the gradient's elements; of a sparse one's values, added up after that where rows come twice."""
        return f(self.gradient)

    def of(self, variable: Variable) -> Tensor:
        """What the update looks at."""
        return variable.value()

    def assign(self, variable: Variable, value: Tensor) -> None:
        """Replaces that."""
        variable.assign(value)


class Rows(Whole):
    """The rows of a sparse gradient, each once: nothing is as large as the variable."""

    def __init__(self, slices: IndexedSlices, variable: Variable) -> None:
        self._slices, self._variable = slices, variable
        self._indices, gradient = self._summed(slices.values)
        super().__init__(gradient)

    def _summed(self, values):
        slices = _core.IndexedSlices(values._t, self._slices.indices._t, tuple(self._variable.shape))
        indices, sums = _core._sum_rows(self._variable, slices)
        return indices, _wrap(sums)

    def sums(self, f: Callable[[Tensor], Tensor]) -> Tensor:
        return self._summed(f(self._slices.values))[1]

    def of(self, variable: Variable) -> Tensor:
        return _wrap(_core._rows_at(variable, self._indices))

    def assign(self, variable: Variable, value: Tensor) -> None:
        _core._set_rows(variable, self._indices, value._t)
