"""Control flow: at once when eager; in a trace, branches and loops of the graph."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import nest
from ._convert import convert_to_tensor, to_core
from ._dtypes import as_dtype
from ._shape import TensorSpec
from ._tensor import Tensor, TensorLike, wrap
from ._tensor_array import TensorArray, closed, opened, shaped_like, static_int
from ._trace import as_method, converted, in_graph, state
from .errors import ConversionError, InvalidArgumentError, OutOfRangeError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from ..typing import TensorLike as ArrayLike

    R = _t.TypeVar("R")


def symbolic(x: object) -> bool:
    """Whether x is a tensor of a trace."""
    return x.__class__ is Tensor and x._t.symbolic


def _same_structure(first, second):
    try:
        nest.assert_same_structure(first, second, check_types=False)
    except InvalidArgumentError as error:
        text = str(error).rpartition(" (")[0]
        raise _core.InvalidTypeError(
            f"true_fn and false_fn of tf.cond must return the same structure. {text}; return tensors "
            "in the same nesting from both"
        ) from None


class _Reshaped(BaseException):
    """A TensorArray that nothing was written to has elements now: what is traced starts again, knowing their shape."""

    def __init__(self, structure):
        super().__init__()
        self.structure = structure


class _Packer:
    """Runs functions of structures for the core, which knows lists of core tensors."""

    def __init__(self, structure=None, like=None):
        self.structure, self.like, self.dtypes = structure if structure is None else opened(structure), like, None

    def leaves(self, structure):
        """Core tensors of a structure, which must nest as the first one; None stays None."""
        structure = opened(structure)
        if self.structure is None:
            self.structure = structure = opened(shaped_like(structure, self.like) or structure)
        elif self.structure is not structure:
            _same_structure(self.structure, structure)
            structure = opened(shaped_like(structure, self.structure) or structure)
            if shaped_like(self.structure, structure):
                raise _Reshaped(structure)
        for i, (a, b) in enumerate(zip(nest.flatten(self.structure), nest.flatten(structure))):
            if (a is None) != (b is None):
                raise _core.InvalidTypeError(
                    f"true_fn and false_fn of tf.cond must return the same structure: result {i} is None in one of them; "
                    "return a tensor in both"
                )
        return [to_core(x) for x in nest.flatten(structure) if x is not None]

    def pack(self, tensors):
        tensors = iter(tensors)
        flat = [None if x is None else wrap(next(tensors)) for x in nest.flatten(self.structure)]
        return closed(nest.pack_sequence_as(self.structure, flat))


def _check_predicate(pred, what):
    t = to_core(pred)
    if t.ndim != 0:
        raise InvalidArgumentError(
            f"{what}: the predicate must be a scalar, not of shape {tuple(t.shape)}; reduce it "
            "with tf.reduce_all or tf.reduce_any"
        )
    return t if t.dtype is _core.bool else _core.not_equal(t, 0)


@as_method("cond")
def cond(
    pred: ArrayLike,
    true_fn: Callable[[], R] | None = None,
    false_fn: Callable[[], R] | None = None,
    name: str | None = None,
) -> R:
    """true_fn() if the bool scalar is true, else false_fn(). In a trace: both branches, of one structure and type."""
    if not callable(true_fn) or not callable(false_fn):
        raise _core.InvalidTypeError("true_fn and false_fn must be callable.")
    if isinstance(pred, bool):
        if state.depth:
            raise _core.InvalidTypeError(
                "cond: pred must not be a Python bool while tracing; write `if`, or tf.constant of it"
            )
        return true_fn() if pred else false_fn()
    condition = _check_predicate(pred, "cond")
    if not condition.symbolic:
        return _core.cond(condition, true_fn, false_fn)
    if not convert_to_tensor(pred).dtype.is_bool:
        raise InvalidArgumentError(
            f"cond: pred must be bool, not {convert_to_tensor(pred).dtype.name}; compare it with 0"
        )
    true_fn, false_fn = converted(true_fn), converted(false_fn)
    like = None
    while True:
        packer = _Packer(like=like)
        try:
            results = _core.cond(condition, lambda: _branch(packer, true_fn), lambda: _branch(packer, false_fn))  # noqa: B023
        except _Reshaped as e:
            like = e.structure
            continue
        return packer.pack(results)


def _branch(packer, fn):
    """What a branch returned, as a list of core tensors of their own; the second one's dtypes are those of the first."""
    out = [_core.identity(t) for t in packer.leaves(fn())]
    dtypes = [t.dtype for t in out]
    if packer.dtypes not in (None, dtypes):
        raise _core.InvalidTypeError(
            "true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of return "
            f"values, but their dtypes are {[d.name for d in packer.dtypes]} and {[d.name for d in dtypes]}; tf.cast one"
        )
    packer.dtypes = dtypes
    return out


@as_method("case")
def case(
    pred_fn_pairs: Mapping[Any, Callable[[], R]] | Iterable[tuple[ArrayLike, Callable[[], R]]],
    default: Callable[[], R] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = "case",
) -> R:
    """The function of the first true predicate, called; default() if none is.

    Without a default, one must be true: an error when eager; a trace takes it that the last one is, if no other is.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not pairs:
        raise ConversionError("case: there are no predicates")
    if exclusive and not any(symbolic(p) for p, _ in pairs) and sum(bool(p) for p, _ in pairs) > 1:
        raise InvalidArgumentError("case: more than one condition is true, with exclusive=True")
    if default is None:
        default = pairs.pop()[1] if any(symbolic(p) for p, _ in pairs) else _none_true
    return _case(pairs, default)


def _none_true():
    raise InvalidArgumentError("case: no predicate is true, and there is no default")


def _case(pairs, default):
    if not pairs:
        return default()
    (pred, fn), rest = pairs[0], pairs[1:]
    return cond(pred, fn, lambda: _case(rest, default))


@in_graph
def _is_branch(index, i):
    return index == i


def switch_case(
    branch_index: ArrayLike,
    branch_fns: Mapping[int, Callable[[], R]] | Sequence[Callable[[], R]],
    default: Callable[[], R] | None = None,
    name: str | None = "switch_case",
) -> R:
    """branch_fns[branch_index](); out of range: default(), or the last one. A dict names the indices."""
    if not isinstance(branch_index, TensorLike) or not branch_index.dtype.is_integer:
        raise _core.InvalidTypeError(f"switch_case: branch_index must be an integer tensor, not {branch_index!r}")
    index = convert_to_tensor(branch_index)
    if isinstance(branch_fns, dict):
        pairs = sorted(branch_fns.items())
    elif branch_fns and isinstance(branch_fns[0], (list, tuple)):
        pairs = sorted(branch_fns, key=lambda p: p[0])
    else:
        pairs = list(enumerate(branch_fns))
    if [i for i, _ in pairs] != list(range(len(pairs))):
        raise ConversionError(
            f"switch_case: branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found "
            f"{[i for i, _ in pairs]}"
        )
    if not all(callable(f) for _, f in pairs):
        raise _core.InvalidTypeError("switch_case: branches must be callable")
    if not pairs:
        raise ConversionError("switch_case: there are no branches")
    default = default or pairs[-1][1]
    return _case([(_is_branch(index, i), f) for i, f in pairs], default)


def _run(fn, *arguments):
    """A step of an eager loop, whose results are values of their own to tapes, as in a graph."""
    return _core._run_branch(lambda: fn(*arguments))


@as_method("while_loop")
def while_loop(
    cond: Callable[..., ArrayLike],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: object = None,
    parallel_iterations: int | None = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: ArrayLike | None = None,
    name: str | None = None,
) -> Any:
    """loop_vars = body(*loop_vars) as long as cond(*loop_vars); at most maximum_iterations times.

    Eager: a plain loop. In a trace: one loop of the graph, whose variables keep shape and dtype.
    """
    if not callable(cond) or not callable(body):
        raise _core.InvalidTypeError("'cond' and 'body' must be callable.")
    if not isinstance(loop_vars, (list, tuple)):
        raise _core.InvalidTypeError(f"loop_vars must be a list or tuple, not {type(loop_vars).__name__}")
    if not len(loop_vars):
        raise ConversionError("'loop_vars' must be provided.")
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise _core.InvalidTypeError("while_loop: 'parallel_iterations' must be a positive integer.")
    if maximum_iterations is not None and convert_to_tensor(maximum_iterations).shape:
        raise ConversionError(
            f"while_loop: 'maximum_iterations' must be a scalar. Received shape: {convert_to_tensor(maximum_iterations).shape}"
        )
    values = nest.map_structure(_variable, loop_vars)
    test = cond(*values)
    if symbolic(test) or any(symbolic(x) for x in nest.flatten(values)):
        if shape_invariants is not None:
            nest.assert_same_structure(loop_vars, shape_invariants, check_types=False)
        return _back(_traced_while(cond, body, values, maximum_iterations), back_prop)
    count = 0
    values = _core._own_operands(values)
    while (maximum_iterations is None or count < int(maximum_iterations)) and bool(test):
        values = _run(lambda now: _next_values(body(*now), now), values)
        count += 1
        test = cond(*values)
    return values


def _back(results, back_prop):
    """What a loop of a graph gives; without back_prop no gradient flows into it."""
    if back_prop:
        return results
    return closed(nest.map_structure(lambda x: wrap(_core.stop_gradient(to_core(x))), opened(results)))


def _next_values(out, values):
    """What a body returned, in the structure of the loop variables."""
    if (
        not isinstance(out, (list, tuple))
        or len(values) == 1
        and not (isinstance(out, (list, tuple)) and len(out) == 1)
    ):
        out = [out]
    out = type(values)(out) if type(values) in (list, tuple) else out
    try:
        nest.assert_same_structure(values, out, check_types=False)
    except InvalidArgumentError as error:
        raise _core.InvalidTypeError(
            f"while_loop: the body must return what it takes: {error}; return all loop variables, in their order"
        ) from None
    return nest.pack_sequence_as(values, [_variable(x) for x in nest.flatten(out)])


def _variable(x):
    """A value of a loop variable."""
    return x if isinstance(x, (Tensor, TensorArray)) else convert_to_tensor(x)


def _traced_while(cond, body, values, maximum_iterations):
    cond, body = converted(cond), converted(body)
    limit = None if maximum_iterations is None else static_int(maximum_iterations)
    limit = limit if limit is None else max(limit, 0)
    if limit is None and maximum_iterations is not None:
        return _counted(cond, body, values, maximum_iterations)
    while True:
        try:
            return _one_loop(cond, body, values, limit)
        except _Reshaped as e:
            values = e.structure


def _counted(cond, body, values, limit):
    """A loop that ends after a number of steps that is known only when it runs."""
    count = convert_to_tensor(0, dtype=convert_to_tensor(limit).dtype)

    def test(count, values):
        return wrap(_core.logical_and(to_core(count < limit), _check_predicate(cond(*values), "while_loop")))

    return _traced_while(
        test, lambda count, values: (count + 1, _next_values(body(*values), values)), (count, values), None
    )[1]


def _one_loop(cond, body, values, limit):
    packer = _Packer(values)

    def test(*leaves):
        return _check_predicate(cond(*packer.pack(leaves)), "while_loop")

    def step(*leaves):
        after = opened(_next_values(body(*packer.pack(leaves)), values))
        if (start := shaped_like(packer.structure, after)) is not None:
            raise _Reshaped(start)
        out = packer.leaves(after)
        for i, (before, after) in enumerate(zip(leaves, out)):
            if (before.dtype, before.shape) != (after.dtype, after.shape):
                raise (ConversionError if before.dtype is after.dtype else _core.InvalidTypeError)(
                    f"while_loop: the body returns loop variable {i} as {after.dtype.name}"
                    f"{list(after.shape)}, it takes {before.dtype.name}{list(before.shape)}; a loop "
                    "keeps shapes and dtypes: make it as large as it will be, or tf.cast it"
                )
        return out

    start = [to_core(x) for x in nest.flatten(packer.structure)]
    return packer.pack(_core.while_loop(test, step, start, limit))


# --- over the rows of a structure ---


def _rows(elems, what):
    leaves = [convert_to_tensor(x) for x in nest.flatten(elems)]
    if not leaves or any(not x.shape for x in leaves):
        raise ConversionError(f"{what}: elems must be tensors of at least one axis")
    if len({x.shape[0] for x in leaves}) > 1:
        raise ConversionError(f"{what}: elems have {sorted({x.shape[0] for x in leaves})} rows; they must have as many")
    return nest.pack_sequence_as(elems, leaves), leaves[0].shape[0]


def _row(elems, i):
    return nest.map_structure(lambda x: x[i], elems)


def _stack(rows):
    """Structures of one kind, their leaves stacked."""
    leaves = zip(*(nest.flatten(r) for r in rows))
    return nest.pack_sequence_as(rows[0], [wrap(_core.stack([to_core(x) for x in column])) for column in leaves])


@as_method("map_fn")
def map_fn(
    fn: Callable[[Any], R],
    elems: Any,
    dtype: object = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: object = None,
) -> R:
    """fn of each row of elems, stacked; elems and results may nest.

    fn_output_signature: dtypes or TensorSpecs of what fn returns, in its structure; those of elems without it.
    """
    elems, n = _rows(elems, "map_fn")
    wanted = dtype if fn_output_signature is None else fn_output_signature
    wanted = nest.map_structure(lambda x: x.dtype, elems) if wanted is None else wanted

    def checked(*row):
        return _of_signature(fn(*row), wanted)

    if any(symbolic(x) for x in nest.flatten(elems)):
        packer, inputs, fn = _Packer(), _Packer(elems), converted(fn)
        rows = _core.map_fn(lambda row: packer.leaves(checked(inputs.pack(row))), inputs.leaves(elems))
        return _back(packer.pack(rows), back_prop)
    if n == 0:
        return nest.map_structure(_no_rows, wanted)
    return _stack([_run(checked, _row(elems, i)) for i in range(n)])


def _of_signature(out, wanted):
    """What map_fn's function returned; errors if it is of other dtypes than fn_output_signature says."""
    nest.assert_same_structure(wanted, out, check_types=False)
    for spec, x in zip(nest.flatten(wanted), nest.flatten(out)):
        dtype = as_dtype(getattr(spec, "dtype", spec))
        if (got := convert_to_tensor(x, dtype_hint=dtype).dtype) is not dtype:
            raise InvalidArgumentError(
                f"map_fn: fn returns {got.name}, but {dtype.name} is wanted; give fn_output_signature=tf.{got.name}"
            )
    return out


def _no_rows(spec):
    shape = spec.shape if isinstance(spec, TensorSpec) and spec.shape is not None else ()
    return wrap(_core.zeros((0, *shape), dtype=as_dtype(getattr(spec, "dtype", spec)).core))


class _NothingToFold(ConversionError, OutOfRangeError):
    """There are no rows and no initializer."""


def _start(elems, n, initializer, reverse, what):
    order = list(range(n - 1, -1, -1) if reverse else range(n))
    if initializer is not None:
        return nest.map_structure(convert_to_tensor, initializer), order
    if not n:
        raise _NothingToFold(f"{what}: elems have no rows; give an initializer")
    return _row(elems, order[0]), order[1:]


def _fold(fn, elems, initializer, reverse, what, back_prop):
    elems, n = _rows(elems, what)
    value, order = _start(elems, n, initializer, reverse, what)
    if any(symbolic(x) for x in nest.flatten(elems) + nest.flatten(value)):
        state, inputs, fn = _Packer(value), _Packer(elems), converted(fn)
        rows = [
            x[1:] if initializer is None and not reverse else x[:-1] if initializer is None else x
            for x in nest.flatten(elems)
        ]
        fold = _core.foldr if reverse else _core.foldl
        last = fold(
            lambda a, x: state.leaves(fn(state.pack(a), inputs.pack(x))), [x._t for x in rows], state.leaves(value)
        )
        return _back(state.pack(last), back_prop)
    value = _core._own_operands(value)
    for i in order:
        value = _run(fn, value, _row(elems, i))
    return value


@as_method("foldl")
def foldl(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int | None = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """a = fn(a, row) for each row; the last a. Without an initializer the first row is one."""
    return _fold(fn, elems, initializer, False, "foldl", back_prop)


@as_method("foldr")
def foldr(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int | None = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """The same from the last row to the first."""
    return _fold(fn, elems, initializer, True, "foldr", back_prop)


@as_method("scan")
def scan(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int | None = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> R:
    """a = fn(a, row) for each row; all values of a, stacked in the order of the rows."""
    elems, n = _rows(elems, "scan")
    value, order = _start(elems, n, initializer, reverse, "scan")
    if any(symbolic(x) for x in nest.flatten(elems) + nest.flatten(value)):
        state, inputs, fn = _Packer(value), _Packer(elems), converted(fn)
        start = None if initializer is None else state.leaves(value)
        rows = _core.scan(
            lambda a, x: state.leaves(fn(state.pack(a), inputs.pack(x))), inputs.leaves(elems), start, reverse
        )
        return _back(state.pack(rows), back_prop)
    values = [value] if initializer is None else []
    value = _core._own_operands(value)
    for i in order:
        value, y = _run(lambda a, x: (fn(a, x),) * 2, value, _row(elems, i))
        values.append(y)
    if not values:
        raise ConversionError("scan: elems have no rows")
    return _stack(values[::-1] if reverse else values)
