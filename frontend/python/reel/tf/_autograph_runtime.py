"""What converted functions call: Python's control flow on Python values, tf.cond and tf.while_loop on traced ones."""

import functools as _functools
import linecache as _linecache
import os as _os
import sys as _sys
import threading as _threading
import types as _types

from .. import _core
from . import _array, _autograph_convert, _control, math, nest
from . import _autograph_builtins as _builtins
from ._autograph_builtins import assert_ as assert_
from ._autograph_builtins import traced as _traced
from ._autograph_state import NO_PLACE as NO_PLACE
from ._autograph_state import Undefined as Undefined
from ._autograph_state import known as known
from ._autograph_state import ld as ld
from ._autograph_state import place as place
from ._convert import convert_to_tensor
from ._operators import PythonOperators
from ._range import TracedRange
from ._shape import TensorSpec
from ._tensor import TensorLike
from ._tensor_array import TensorArray
from .errors import ConversionError, OperatorNotAllowedInGraphError


def convert(function):
    """The converted function; itself if its source is not known, or it is not the user's own."""
    return _autograph_convert.convert(function, _sys.modules[__name__])


def _where(line):
    """'line 12 of model.py: `while x > 0:`', of the converted function that called."""
    frame = _sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    filename = frame.f_code.co_filename if frame is not None else "?"
    return f"line {line} of {_os.path.basename(filename)}: `{_linecache.getline(filename, line).strip()}`"


def call(function):
    """A function as it is called from converted code: converted too, if it is the user's own."""
    if isinstance(function, (_types.FunctionType, _types.MethodType, _functools.partial)):
        return convert(function)
    if (own := _builtins.BUILTINS.get(id(function))) is not None:
        return own
    method = None if isinstance(function, type) else getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(method, _types.FunctionType):
        converted = convert(method)
        return function if converted is method else _types.MethodType(converted, function)
    return function


# --- and, or, not, conditional expressions ---


def and_(*parts):
    value = parts[0]()
    for part in parts[1:]:
        if _traced(value):
            other = part()
            value = _logical(value) & _logical(other)
        elif value:
            value = part()
        else:
            return value
    return value


def or_(*parts):
    value = parts[0]()
    for part in parts[1:]:
        if _traced(value):
            other = part()
            value = _logical(value) | _logical(other)
        elif not value:
            value = part()
        else:
            return value
    return value


def not_(value):
    return ~_logical(value) if _traced(value) else not value


def _logical(value):
    value = convert_to_tensor(value)
    if not value.dtype.is_bool:
        raise OperatorNotAllowedInGraphError(
            f"`and`, `or` and `not` of traced tensors need bool, not {value}; compare it first"
        )
    return value


def if_exp(test, body, orelse, line):
    if not _traced(test):
        return body() if test else orelse()
    return _traced_return(test, body, orelse, line, "x if c else y")


# --- if ---


def if_return(test, body, orelse, get, put, names, line):
    if not _traced(test):
        return body() if test else orelse()
    start = get()

    def branch(f):
        def run():
            put(start)
            return f()

        return run

    return _traced_return(test, branch(body), branch(orelse), line, "if")


def _traced_return(test, body, orelse, line, what):
    where = _where(line)
    results = []

    def branch(f):
        def run():
            out = f()
            results.append(out)
            return () if out is None else out

        return run

    try:
        out = _control.cond(test, branch(body), branch(orelse))
    except OperatorNotAllowedInGraphError:
        raise
    except (ValueError, TypeError) as error:
        if len(results) < 2:
            raise
        raise ConversionError(
            f"{where}: the branches of a traced `{what}` must give the same types, but one gives "
            f"{results[0]!r} and the other {results[1]!r}; write tf.cond(pred, true_fn, false_fn) "
            f"with branches that agree ({error})"
        ) from None
    return None if all(r is None for r in results) else out


_NUMBER = (bool, int, float)


def _leaf(x):
    return isinstance(x, (TensorLike, _core.Tensor, TensorArray) + _NUMBER) or hasattr(x, "__array__")


def _numeric(value):
    """Whether a variable's value can be a value of the graph."""
    leaves = nest.flatten(value)
    return bool(leaves) and all(_leaf(x) for x in leaves)


def _tensors(value):
    return nest.map_structure(_control._variable, value)


def _same_types(first, second):
    """Whether two lists of leaves have the same types; what a TensorArray's elements are, loops and branches see."""
    return all(
        isinstance(b, TensorArray) if isinstance(a, TensorArray) else a.dtype is b.dtype and a.shape == b.shape
        for a, b in zip(first, second)
    )


def if_stmt(test, body, orelse, get, put, names, line):
    if not _traced(test):
        body() if test else orelse()
        return
    _TracedIf(get, put, names, line).run(test, body, orelse)


_RESULT = "reel_result"  # what the names of values that `return` gives inside loops begin with


class _ResultKnown(BaseException):
    """A variable without a value gets one of these types in a traced loop or branch: what is traced starts again, with zeros
    of them.
    """

    def __init__(self, index, value):
        super().__init__()
        self.index = index
        self.types = _specs(value)

    def value(self):
        return nest.map_structure(lambda spec: _array.zeros(spec.shape, spec.dtype), self.types)


def _specs(value):
    return nest.map_structure(lambda x: TensorSpec.from_tensor(convert_to_tensor(x)), value)


class _TracedIf:
    """An `if` on a traced condition: the variables that the branches assign come out of a cond."""

    def __init__(self, get, put, names, line):
        self.get, self.put, self.names = get, put, names
        self.where = _where(line)
        self.line = line
        self.start = get()
        self.ends = []
        self.kept = []

    def run(self, test, body, orelse):
        try:
            out = _control.cond(test, lambda: self.first(body), lambda: self.second(orelse))
        except _ResultKnown as e:
            self.start = (*self.start[: e.index], e.value(), *self.start[e.index + 1 :])
            return self.run(test, body, orelse)
        self.put(tuple(self.after(i, out) for i in range(len(self.names))))
        return None

    def first(self, body):
        self.put(self.start)
        body()
        end = self.get()
        self.ends = [end]
        self.kept = [i for i, v in enumerate(end) if _numeric(v)]
        self.first_values = [_tensors(end[i]) for i in self.kept]
        return list(self.first_values)

    def second(self, orelse):
        self.put(self.start)
        orelse()
        end = self.get()
        self.ends.append(end)
        for i, name in enumerate(self.names):
            if name.startswith(_RESULT) and i not in self.kept and _numeric(end[i]):
                raise _ResultKnown(i, end[i])
        return [self.match(end[i], like, self.names[i]) for i, like in zip(self.kept, self.first_values)]

    def match(self, value, like, name):
        """The second branch's value of a variable, of the first one's type."""
        if not _numeric(value):
            return nest.map_structure(lambda t: _zeros(t), like)
        try:
            nest.assert_same_structure(like, value, check_types=False)
            leaves = [
                x if isinstance(x, (TensorLike, TensorArray)) else convert_to_tensor(x, dtype_hint=t.dtype)
                for t, x in zip(nest.flatten(like), nest.flatten(value))
            ]
            same = _same_types(nest.flatten(like), leaves)
        except (ValueError, TypeError):
            same = False
        if not same:
            raise _core.InvalidTypeError(  # a ValueError too
                f"{self.where}: {name!r} is {_show(like)} in one branch and {_show(value)} in the "
                "other; a traced `if` needs one shape and dtype: cast or reshape, or write "
                "tf.cond(pred, true_fn, false_fn)"
            )
        return nest.pack_sequence_as(like, leaves)

    def after(self, i, out):
        first, second = self.ends[0][i], self.ends[1][i]
        if first is second or isinstance(first, _NUMBER) and type(first) is type(second) and first == second:
            return first
        name = self.names[i]
        if i in self.kept and (_numeric(second) or name.startswith(_RESULT)):
            return out[self.kept.index(i)]
        if Undefined in (first.__class__, second.__class__):
            return Undefined(
                name,
                f"{self.where}: {name!r} is assigned in one branch only, so it has no value after a "
                "traced `if`; assign it before, or in both branches of tf.cond(pred, true_fn, "
                "false_fn)",
            )
        if not _numeric(first) and not _numeric(second):
            same = first == second
            if same is True:
                return first
        return Undefined(
            name,
            f"{self.where}: {name!r} is {_show(first)} in one branch and {_show(second)} in the "
            "other of a traced `if`; both must be tensors or numbers. Write tf.cond(pred, true_fn, "
            "false_fn)",
        )


def _zeros(t):
    return _array.zeros_like(t)


def _show(value):
    leaves = nest.flatten(value)
    if len(leaves) == 1 and isinstance(leaves[0], TensorLike):
        return f"{leaves[0].dtype.name}{list(leaves[0].shape)}"
    return repr(value)


# --- loops ---


class _LoopState:
    """The variables of a traced loop: those with a number or tensor go around, others must stay the same."""

    def __init__(self, get, put, names, live, where):
        self.get, self.put, self.names, self.live, self.where = get, put, names, live, where
        self.start = get()
        self.going = [i for i, v in enumerate(self.start) if _numeric(v)]
        self.values = [_tensors(self.start[i]) for i in self.going]

    def enter(self, values):
        """Sets the variables to the loop's values."""
        all_values = [Undefined(n) if v.__class__ is Undefined else v for n, v in zip(self.names, self.start)]
        for i, v in zip(self.going, values):
            all_values[i] = v
        self.put(tuple(all_values))

    def leave(self):
        """The loop's values after an iteration; an error if a type changed."""
        end = self.get()
        for i, (before, after) in enumerate(zip(self.start, end)):
            if before.__class__ is Undefined and self.names[i] in self.live and _numeric(after):
                raise _ResultKnown(i, after)
            if i not in self.going and before.__class__ is not Undefined and before is not after:
                raise ConversionError(
                    f"{self.where}: {self.names[i]!r} is {_show(before)} before the loop and "
                    f"{_show(after)} after an iteration; variables of a traced loop must be tensors "
                    "or numbers of one shape and dtype. Give it such a value before, or write "
                    "tf.while_loop(cond, body, loop_vars)"
                )
        return [self.match(end[i], start, self.names[i]) for i, start in zip(self.going, self.values)]

    def match(self, value, like, name):
        try:
            nest.assert_same_structure(like, value, check_types=False)
            leaves = [
                x if isinstance(x, (TensorLike, TensorArray)) else convert_to_tensor(x, dtype_hint=t.dtype)
                for t, x in zip(nest.flatten(like), nest.flatten(value))
            ]
            same = _same_types(nest.flatten(like), leaves)
        except (ValueError, TypeError):
            same = False
        if not same:
            raise _core.InvalidTypeError(  # a ValueError too
                f"{self.where}: {name!r} is {_show(like)} before the loop and {_show(value)} after "
                "an iteration; a traced loop needs one shape and dtype: cast or reshape it before, "
                "or write tf.while_loop(cond, body, loop_vars)"
            )
        return nest.pack_sequence_as(like, leaves)

    def finish(self, values):
        """Sets the variables after the loop."""
        self.enter(values)
        end = list(self.get())
        for i, v in enumerate(end):
            if v.__class__ is Undefined:
                if self.names[i].startswith(_RESULT):
                    end[i] = Undefined(
                        "return",
                        f"{self.where}: `return` inside a traced loop; assign the result to a "
                        "variable that has a value before the loop, `break`, and return it "
                        "after, or write tf.while_loop",
                    )
                    continue
                end[i] = Undefined(
                    self.names[i],
                    f"{self.where}: {self.names[i]!r} is assigned only inside a traced "
                    "loop, so it has no value if there is no iteration; give it one "
                    "before the loop",
                )
        self.put(tuple(end))


def while_stmt(test, body, get, put, names, line, live):
    while True:
        go_on = test()
        if _traced(go_on):
            break
        if not go_on:
            return
        _python_loop(body)
    _traced_while(test, body, get, put, names, line, live)


_loops = _threading.local()


def _open_loops():
    """The options of the loops around, None for those that are Python's."""
    if not hasattr(_loops, "options"):
        _loops.options = []
    return _loops.options


class LoopOptions(BaseException):
    """set_loop_options in a loop that was begun without: it is traced again, with them."""

    def __init__(self, options):
        super().__init__()
        self.options = options


def set_loop_options(options):
    """Sets the options of the traced loop around."""
    around = _open_loops()
    if around and around[-1] is not None and around[-1] != options:
        raise LoopOptions(options)


def _python_loop(run):
    _open_loops().append(None)
    try:
        return run()
    finally:
        _open_loops().pop()


def _traced_while(test, body, get, put, names, line, live, options=None, zeros=()):
    """live: the variables that are read after the loop; those without a value before it begin as zeros, and have none if
    there is no iteration.
    """
    state = _LoopState(get, put, names, live, _where(line))
    if not state.values:
        raise ConversionError(
            f"{state.where}: a traced loop changes no tensor, so it would not end; write "
            "tf.while_loop(cond, body, loop_vars)"
        )

    began = test() if zeros else None

    def condition(*values):
        state.enter(values)
        return test()

    def step(*values):
        state.enter(values)
        body()
        return state.leave()

    _open_loops().append(options or {})
    try:
        out = _control.while_loop(condition, step, list(state.values), **(options or {}))
    except (LoopOptions, _ResultKnown) as e:
        put(state.start)
        if isinstance(e, _ResultKnown):
            put((*state.start[: e.index], e.value(), *state.start[e.index + 1 :]))
            if not names[e.index].startswith(_RESULT):
                zeros = (*zeros, names[e.index])
        again = e.options if isinstance(e, LoopOptions) else options
    else:
        if zeros:
            given = (
                f"{state.where}: {', '.join(map(repr, zeros))} has no value without an iteration; give it one before"
            )
            assert_(began, lambda: given)
        return state.finish(out)
    finally:
        _open_loops().pop()
    return _traced_while(test, body, get, put, names, line, live, again, zeros)


def for_stmt(iterable, proceed, body, get, put, names, line, live):
    if isinstance(iterable, TracedRange):
        _for_range(iterable, proceed, body, get, put, names, line, live)
    elif _traced(iterable) and not _unrolled(iterable, get):
        _for_rows(convert_to_tensor(iterable), proceed, body, get, put, names, line, live)
    else:
        _python_loop(lambda: _for_items(iterable, proceed, body, get, put, names, line, live))


def _for_items(iterable, proceed, body, get, put, names, line, live):
    for item in iterable:
        if proceed is not None:
            go_on = proceed()
            if _traced(go_on):
                if_stmt(go_on, lambda item=item: body(item), lambda: None, get, put, names, line)
                continue
            if not go_on:
                break
        body(item)


def _unrolled(rows, get):
    """Whether a loop over rows is written out: a TensorArray that grows in it needs indices that are known."""
    grows = any(isinstance(x, TensorArray) and x.dynamic_size for x in nest.flatten(list(get())))
    return grows and bool(rows.shape) and rows.shape[0] is not None


def _counting(start, more, next_value, item_of, proceed, body, get, put, names, line, live):
    """A traced loop with a counter of its own."""
    counter = [start]

    def get_all():
        return (counter[0], *get())

    def put_all(values):
        counter[0] = values[0]
        put(values[1:])

    def test():
        go_on = more(counter[0])
        if proceed is None:
            return go_on
        return and_(proceed, lambda: go_on)

    def step():
        item = item_of(counter[0])
        counter[0] = next_value(counter[0])
        body(item)

    _traced_while(test, step, get_all, put_all, ("the loop's counter", *names), line, live)


def _for_range(r, proceed, body, get, put, names, line, live):
    up = r.step > 0

    def more(i):
        return math.logical_or(math.logical_and(up, i < r.stop), math.logical_and(~up, i > r.stop))

    _counting(r.start, more, lambda i: i + r.step, lambda i: i, proceed, body, get, put, names, line, live)


def _for_rows(rows, proceed, body, get, put, names, line, live):
    if not rows.shape:
        raise ConversionError(f"{_where(line)}: a scalar tensor cannot be iterated over")
    n = rows.shape[0]
    start = convert_to_tensor(0)
    _counting(
        start,
        lambda i: i < n,
        lambda i: i + 1,
        lambda i: _array.gather(rows, i),
        proceed,
        body,
        get,
        put,
        names,
        line,
        live,
    )
