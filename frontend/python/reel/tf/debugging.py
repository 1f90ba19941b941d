"""tf.debugging: assertions on tensors, and the check of all that ops give. They raise InvalidArgumentError, in a
tf.function when it runs; what types, shapes and constants say while it is traced is an error then.
"""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from .._debugging import check_numerics as _check_ops
from . import dtypes, nest
from ._callbacks import passed as _passed
from ._callbacks import require as _require
from ._convert import convert_to_tensor, to_core
from ._custom import custom_gradient as _custom_gradient
from ._graph_tensor import GraphTensor, GraphVariable
from ._operators import operand
from ._printing import tensor_text as _tensor_text
from ._printing import text_of as _text_of
from ._tensor import Tensor, TensorLike, wrap
from ._text import StringTensor, array_of
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig


def _hold(condition, fail, values):
    """fail(values, where), which raises, unless all elements of a bool core tensor are true: now, or when the trace runs."""
    known = _core._static_value(condition)  # of constants, in a trace too
    if known is None:
        _require(condition, fail, values)
    elif not known.numpy().all():
        fail([_core._static_value(v) for v in values], "")


def _shown(values, summarize):
    """Lines of named values."""
    return "".join(
        f"\n{name} (shape={tuple(v.shape)} dtype={v.dtype.name}) =\n{_tensor_text(v, summarize)}"
        for name, v in values
        if v is not None
    )


def _check(condition, what, message, values, summarize=None):
    """InvalidArgumentError unless every element of a bool core tensor is true."""
    names = list(values)

    def fail(tensors, line):
        shown = _shown(zip(names, tensors), 3 if summarize is None else summarize)
        raise InvalidArgumentError(f"{message or ''}\nCondition {what} did not hold element-wise{line}:{shown}")

    _hold(condition, fail, list(values.values()))


def _different(x, y, f, summarize):
    """Where a comparison of two core tensors does not hold, and what stands there."""
    import numpy

    most = 3 if summarize is None else summarize
    wrong = numpy.argwhere(~f(x, y).numpy())
    places = wrong if most < 0 else wrong[:most]
    a, b = numpy.broadcast_arrays(x.numpy(), y.numpy())
    if a.ndim == 0:
        return f"\nx = {a}, y = {b}"
    index = tuple(places.T)
    return (
        f"\nIndices of first {len(places)} different values:\n{places}\nCorresponding x values:\n{a[index]}"
        f"\nCorresponding y values:\n{b[index]}"
    )


def _comparison(name, f, text) -> _sig.Comparison:
    def check(
        x: ArrayLike, y: ArrayLike, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None:
        if isinstance(x, StringTensor) or isinstance(y, StringTensor):
            return _compare_texts(x, y, f, text, message)
        a, b = _pair(x, y, check.__name__)

        def fail(values, line):
            known = None not in values
            where = _different(*values, f, summarize) if known else ""
            shown = _shown(zip("xy", values), 3 if summarize is None else summarize)
            raise InvalidArgumentError(f"{message or ''}\nCondition x {text} y did not hold{line}.{where}{shown}")

        _hold(f(a, b), fail, [a, b])

    check.__name__ = name
    check.__doc__ = f"InvalidArgumentError unless x {text} y in every element; they broadcast."
    return check


def _compare_texts(x, y, f, text, message):
    """The comparison of tensors of strings: == and != alone; they have values while tracing, too."""
    if f not in (_core.equal, _core.not_equal):
        raise _core.InvalidTypeError(f"x {text} y: strings are equal or not, and have no order")
    import numpy

    same = numpy.equal(array_of(x), array_of(y), dtype=bool)
    if not numpy.all(same == (f is _core.equal)):
        raise InvalidArgumentError(
            f"{message or ''}\nCondition x {text} y did not hold.\nx = {array_of(x)}\ny = {array_of(y)}"
        )


def _pair(x, y, name):
    """Two operands of one dtype: that of the first, or of the one that is a tensor."""
    if isinstance(y, TensorLike) and not isinstance(x, TensorLike):
        b = to_core(y)
        return operand(x, b.dtype, name, weak=False), b
    a = to_core(x)
    return a, operand(y, a.dtype, name, weak=False)


assert_equal = _comparison("assert_equal", _core.equal, "==")
_none_equal = _comparison("assert_none_equal", _core.not_equal, "!=")
assert_less = _comparison("assert_less", _core.less, "<")
assert_less_equal = _comparison("assert_less_equal", _core.less_equal, "<=")
assert_greater = _comparison("assert_greater", _core.greater, ">")
assert_greater_equal = _comparison("assert_greater_equal", _core.greater_equal, ">=")


def assert_none_equal(
    x: ArrayLike, y: ArrayLike, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """InvalidArgumentError unless x != y in every element; they broadcast."""
    _none_equal(x, y, message, summarize)


def _sign_check(name, f, text) -> _sig.SignCheck:
    def check(x: ArrayLike, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
        a = to_core(x)
        _check(f(a, 0), f"x {text} 0", message, {"x": a}, summarize)

    check.__name__ = name
    check.__doc__ = f"InvalidArgumentError unless x {text} 0 in every element."
    return check


assert_positive = _sign_check("assert_positive", _core.greater, ">")
assert_negative = _sign_check("assert_negative", _core.less, "<")
assert_non_negative = _sign_check("assert_non_negative", _core.greater_equal, ">=")
assert_non_positive = _sign_check("assert_non_positive", _core.less_equal, "<=")


def assert_near(
    x: ArrayLike,
    y: ArrayLike,
    rtol: float | None = None,
    atol: float | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """InvalidArgumentError unless |x - y| < atol + rtol |y|; both are 10 eps of the dtype unless given."""
    a, b = _pair(x, y, "assert_near")
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise _core.InvalidTypeError(f"assert_near: x and y must be floating, not {a.dtype.name}; tf.cast them")
    eps = float(10 * _finfo(_core.real(a).dtype if a.dtype.is_complex else a.dtype).eps)
    size = _core.abs(b)
    rtol, atol = (_core.astype(to_core(eps if t is None else t), size.dtype) for t in (rtol, atol))
    _check(
        _core.less(_core.abs(a - b), atol + rtol * size),
        "|x - y| < atol + rtol |y|",
        message,
        {"x": a, "y": b},
        summarize,
    )


def _finfo(dtype):
    from .. import finfo

    return finfo(dtype)


def _static_rank(rank, name):
    if isinstance(rank, TensorLike):
        known = _core._static_value(rank._core_value())
        rank = rank if known is None else known.tolist()
    if isinstance(rank, bool) or not hasattr(rank, "__index__"):
        raise _core.InvalidTypeError(f"{name}: the rank must be an integer, not {rank!r}")
    return rank.__index__()


def _wrong_rank(what, x, message):
    return ConversionError(
        f"{message or ''} Tensor must have rank {what}. Received rank {len(x.shape)}, shape {x.shape}"
    )


def assert_rank(x: ArrayLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless x has this many axes."""
    x, rank = convert_to_tensor(x), _static_rank(rank, "assert_rank")
    if len(x.shape) != rank:
        raise _wrong_rank(rank, x, message)


def assert_rank_at_least(x: ArrayLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless x has at least this many axes."""
    x, rank = convert_to_tensor(x), _static_rank(rank, "assert_rank_at_least")
    if len(x.shape) < rank:
        raise _wrong_rank(f"at least {rank}", x, message)


def assert_rank_in(x: ArrayLike, ranks: Sequence[int], message: str | None = None, name: str | None = None) -> None:
    """ValueError unless x has one of these numbers of axes."""
    x, ranks = convert_to_tensor(x), tuple(_static_rank(r, "assert_rank_in") for r in ranks)
    if len(x.shape) not in ranks:
        raise _wrong_rank(f"in {ranks}", x, message)


def _dims(shape):
    """Extents that are wanted, None for any; and whether more axes may stand in front."""
    shape = (shape,) if isinstance(shape, (int, str)) else tuple(shape)
    open_front = bool(shape) and shape[0] in (Ellipsis, "...")
    wanted = [None if n in (None, "*") else n for n in shape[open_front:]]
    if any(n in (Ellipsis, "...") for n in wanted):
        raise ConversionError(f"assert_shapes: '...' stands for axes in front only, in {shape}")
    return wanted, open_front


def assert_shapes(
    shapes: Mapping[Any, Any] | Iterable[tuple[ArrayLike, Any]],
    data: object = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """ValueError unless tensors have these shapes: pairs (x, ('N', 3)); the same letter stands for the same extent.

    None or '*' is any extent, '...' in front any axes.
    """
    known, given = {}, f"{message}. " if message else ""
    for x, shape in shapes.items() if hasattr(shapes, "items") else shapes:
        tensor = convert_to_tensor(x.deref() if hasattr(x, "deref") else x)
        wanted, open_front = _dims(shape)
        has = tuple(tensor.shape)
        if len(has) < len(wanted) or len(has) > len(wanted) and not open_front:
            rank = f"at least {len(wanted)}" if open_front else len(wanted)
            raise ConversionError(f"{given}Tensor of shape {has} must have rank {rank}, as {shape} says")
        for axis, (extent, symbol) in enumerate(zip(has[len(has) - len(wanted) :], wanted), len(has) - len(wanted)):
            expected = known.setdefault(symbol, extent) if isinstance(symbol, str) else symbol
            if expected is not None and extent != expected:
                raise ConversionError(
                    f"{given}Tensor of shape {has}: axis {axis} must have extent {expected}, as {symbol!r} says"
                )


def assert_type(tensor: ArrayLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None) -> None:
    """TypeError unless the tensor is of this dtype."""
    tensor, wanted = convert_to_tensor(tensor), dtypes.as_dtype(tf_type)
    if tensor.dtype is not wanted:
        raise _core.InvalidTypeError(f"{message or ''} tensor must be of type {wanted!r}, not {tensor.dtype!r}")


def assert_integer(x: ArrayLike, message: str | None = None, name: str | None = None) -> None:
    """TypeError unless x is of an integer dtype."""
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise _core.InvalidTypeError(f"{message or ''} x must be of an integer dtype, not {x.dtype!r}; tf.cast it")


def assert_scalar(tensor: ArrayLike, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless there are no axes."""
    x = convert_to_tensor(tensor)
    if len(x.shape) != 0:
        raise ConversionError(f"{message or ''} Expected scalar shape, saw shape: {x.shape}.")


def assert_proper_iterable(values: object) -> None:
    """TypeError if it is a tensor, an array, a text or nothing to iterate over."""
    import numpy

    if isinstance(values, (TensorLike, numpy.ndarray, str, bytes)) or not hasattr(values, "__iter__"):
        raise _core.InvalidTypeError(
            f"Expected argument 'values' to be an iterable of values, not {type(values).__name__}"
        )


def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: DTypeLike | None = None) -> dtypes.DType:
    """The one floating dtype of the tensors, None among them, and of `dtype`; float32 without any. ValueError else."""
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    for x in tensors or ():
        if x is None:
            continue
        wanted = x.dtype if wanted is None else wanted
        if x.dtype != wanted:
            raise ConversionError(f"Tensor of {x.dtype!r} where {wanted!r} is expected; tf.cast it")
    wanted = dtypes.float32 if wanted is None else wanted
    if not (wanted.is_floating or wanted.is_complex):
        raise ConversionError(f"Expected floating point type, got {wanted!r}.")
    return wanted


def is_numeric_tensor(tensor: object) -> bool:
    """Whether it is a tensor, no variable, of numbers; bool is none."""
    kept = isinstance(tensor, Tensor) or isinstance(tensor, GraphTensor) and not isinstance(tensor, GraphVariable)
    return kept and tensor.dtype not in (dtypes.bool, dtypes.string)


def _check_finite(x, message):
    """Raises what is wrong with the elements of a core tensor."""
    _hold(_core.isfinite(x), lambda values, line: _not_finite(values[0], message, line), [x])


def _not_finite(x, message, line):
    found = [kind for kind, f in (("Inf", _core.isinf), ("NaN", _core.isnan)) if bool(_core.any(f(x)))]
    if found:
        raise InvalidArgumentError(f"{message} : Tensor had {' and '.join(found)} values [Op:CheckNumerics]{line}")


def _checked_gradient(dy, message):
    if not dy._t.symbolic:
        _not_finite(dy._t, message, "")
        return dy

    def checked(tensors):
        return [_passed(lambda value, line: _not_finite(value, message, line), "check_numerics", tensors[0])]

    return wrap(_core._call_pass_through(checked, [dy._t])[0])  # a callback has no derivative of its own


def _need_floating(x, name):
    if not x.dtype.is_floating:
        raise _core.InvalidTypeError(f"{name}: the tensor must be floating, not {x.dtype!r}; tf.cast it")


def assert_all_finite(x: ArrayLike, message: str, name: str | None = None) -> Tensor:
    """InvalidArgumentError if an element is NaN or infinite; returns x."""
    x = convert_to_tensor(x)
    _need_floating(x, "assert_all_finite")
    _check_finite(x._t, message)
    return x


def check_numerics(tensor: ArrayLike, message: str, name: str | None = None) -> Tensor:
    """The tensor; InvalidArgumentError if an element is NaN or infinite. Its gradient is checked, too."""
    x = convert_to_tensor(tensor)
    _need_floating(x, "check_numerics")
    _check_finite(x._t, message)
    where = f"Not a number (NaN) or infinity (Inf) values detected in gradient. {message}"
    return _custom_gradient(lambda y: (y + 0, lambda dy: _checked_gradient(dy, where)))(x)


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on the first op that gives a NaN or an infinity raises InvalidArgumentError, naming op, index and line;
    in tf.functions and gradients too. Of the whole process, where TensorFlow's is of the calling thread."""
    _check_ops("all")


def disable_check_numerics() -> None:
    """Ends what enable_check_numerics began."""
    _check_ops("off")


_settings = {"filters": True, "logs": False}


def enable_traceback_filtering() -> None:
    """Is kept for is_traceback_filtering_enabled: tracebacks here are as Python makes them."""
    _settings["filters"] = True


def disable_traceback_filtering() -> None:
    """Is kept for is_traceback_filtering_enabled: tracebacks here are as Python makes them."""
    _settings["filters"] = False


def is_traceback_filtering_enabled() -> bool:
    """What enable_traceback_filtering or disable_traceback_filtering said last; True at first."""
    return _settings["filters"]


def set_log_device_placement(enabled: bool) -> None:
    """Is kept for get_log_device_placement: every op runs on the one CPU, so that there is nothing to tell."""
    _settings["logs"] = bool(enabled)


def get_log_device_placement() -> bool:
    """What set_log_device_placement said last; False at first."""
    return _settings["logs"]


def Assert(condition: ArrayLike, data: object, summarize: int | None = None, name: str | None = None) -> None:
    """InvalidArgumentError with `data`, a list of tensors and texts, unless the condition holds."""
    c = to_core(condition)
    if c.dtype is not _core.bool:
        raise _core.InvalidTypeError(f"Assert: the condition must be bool, not {c.dtype.name}")
    leaves = [_text_of(x, summarize) if isinstance(x, StringTensor) else x for x in nest.flatten(data)]
    places = [i for i, x in enumerate(leaves) if isinstance(x, TensorLike)]

    def fail(values, line):
        texts = [str(x) for x in leaves]
        for i, v in zip(places, values):
            texts[i] = "a traced tensor" if v is None else _tensor_text(v, 3 if summarize is None else summarize)
        raise InvalidArgumentError(f"assertion failed: the condition must be true{line}. Data: {', '.join(texts)}")

    _hold(c, fail, [leaves[i]._core_value() for i in places])


_all_in_graph(
    globals(),
    "enable_check_numerics",
    "disable_check_numerics",
    "enable_traceback_filtering",
    "disable_traceback_filtering",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
    "get_log_device_placement",
    "is_numeric_tensor",
    "assert_proper_iterable",
    "assert_same_float_dtype",
)
