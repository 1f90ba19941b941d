"""Finding what is wrong: the first NaN, a gradient that is not the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._transforms import _flat, _Listed

if TYPE_CHECKING:
    from .typing import DTypeLike

_LEVELS = ("off", "nan", "all")


def check_numerics(level: Literal["off", "nan", "all"] = "all") -> str:
    """Raises ValueError at the first op that gives a NaN or an infinity, in this process; returns the level before.

        reel.check_numerics()       # "all": NaN and infinities; "nan": NaN alone; "off"
        train(x, labels)            # ... the result f32[64] of log is -inf at [3]; its operand is 0 there (loss.py:12)

    The error names op, type, index, value and line; of an op of a gradient, the op that was differentiated and its line.
    Looked at are the floating and complex results of ops that compute; not of those that move elements or choose among
    them (reshape, take, where, maximum), and no constants, arguments or variables: where these bring a NaN in, the first
    op that computes with it is named. Compiled functions are compiled again with checks of all values, those in
    branches, loops and gradients too; where one fails, variables keep their values. What reel.compile made while it was
    off has none.
    """
    if level not in _LEVELS:
        raise _core.InvalidArgumentError(f"check_numerics: the level is 'off', 'nan' or 'all', not {level!r}")
    return _LEVELS[_core._set_numerics(_LEVELS.index(level))]


def check_bounds(check: bool = True) -> bool:
    """Whether functions that are traced from now on look at indices and labels when they run; returns what it was.

        reel.check_bounds(False)    # on at first

    Where one is out of range, a call raises OutOfRangeError, an IndexError, naming op, index, range and line; variables
    keep their values. What is traced while it is off reads zeros there and writes nothing, as does one function of
    reel.function(check_bounds=False). Eager ops always look. reel.tf's integer divisors and exponents are checked with
    them: InvalidArgumentError for a 0, or a negative one; off, x // 0 is 0.
    """
    return _core._set_bounds(bool(check))


def check_gradients(
    function: Callable[..., Any],
    *inputs: Any,
    order: int = 1,
    dtype: DTypeLike | None = None,
    step: float = 0.0,
    tolerance: float = 0.0,
) -> float:
    """Compares gradients by tape with central differences, for every element of the floating and complex inputs.

        reel.check_gradients(lambda x, w: reel.tanh(x @ w), x, w, order=2)

    Inputs and results are tensors, or nested lists, tuples and dicts of them. order: 2 also checks gradients of
    gradients, and so on. The function runs in `dtype`, float64 unless given. The difference is
    (f(x + h) - f(x - h)) / 2h with h = step * max(1, |x|); step is the cube root of the dtype's epsilon unless given,
    where the errors of formula and rounding balance (Press et al., Numerical Recipes, 5.7). Accepted is
    |gradient - difference| <= tolerance * max(1, |gradient|, |value|), 1000 epsilon^(2/3) unless given. Returns the
    largest error. Errors: RuntimeError, naming order, input, element and both numbers, where they do not agree;
    ValueError if no input is of floats, or the function is not one of its inputs alone.
    """
    listed = _Listed(function, inputs)
    return _core._check_gradients(
        listed, [_core.asarray(x) for x in _flat(inputs)], order, dtype or _core.float64, step, tolerance
    )
