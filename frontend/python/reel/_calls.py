"""What reel.function and tf.function share: arguments in keys, programs that go with them, methods."""

import collections as _collections
import collections.abc as _abc
import dataclasses as _dataclasses
import datetime as _datetime
import decimal as _decimal
import functools as _functools
import inspect as _inspect
import itertools as _itertools
import os as _os
import struct as _struct
import threading as _threading
import types as _types
import weakref as _weakref

from . import _core


class _Identity:
    """An object in a key, equal to itself alone; the key lives on without it where it can, unless `kept`."""

    __slots__ = ("_reference", "_hash")

    def __init__(self, x, kept=False):
        self._hash = id(x)
        try:
            self._reference = (lambda: x) if kept else _weakref.ref(x)
        except TypeError:
            self._reference = lambda: x

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        if self is other or not isinstance(other, _Identity):
            return self is other
        x = self._reference()
        return x is not None and x is other._reference()

    def __repr__(self):
        return repr(self._reference())


class _Parts:
    """A value in a key by what tells it from others; texts show the value."""

    __slots__ = ("_parts", "_value")

    def __init__(self, parts, value):
        self._parts, self._value = parts, value

    def __hash__(self):
        return hash(self._parts)

    def __eq__(self, other):
        return isinstance(other, _Parts) and self._parts == other._parts

    def __repr__(self):
        return repr(self._value)


def _by_identity(x):
    return type(x).__hash__ is object.__hash__ and x is not None  # a value like others


# Equal ones may differ: the decimals 1.0 and 1.00, ranges of the same numbers, times in two zones.
_BY_TEXT = (_decimal.Decimal, range, _datetime.datetime, _datetime.time)


def key_of(x):
    """What identifies an argument that is no tensor: a variable, an object by identity, a value of its type.

    Floats are the same if their bits are, also inside tuples, frozensets and dataclasses, where numbers of two types
    are two values, too. TypeError for values that cannot be hashed.
    """
    if not isinstance(x, _core.Variable) and _by_identity(x):
        return identity_of(x)
    return _key_of_value(x)


def key_of_name(k):
    """The same for a key of a dict, of which most are strings."""
    return k if type(k) is str else _key_of_part(k)


def _key_of_part(x):
    """The key of what is inside an argument: it keeps objects alive, for nobody waits for their end."""
    if not isinstance(x, _core.Variable) and _by_identity(x):
        return type(x), _Identity(x, kept=True)
    return _key_of_value(x)


def _key_of_value(x):
    kind = type(x)
    if isinstance(x, _core.Variable):
        return "variable", x._id
    parts = _parts_of(x, kind)
    if parts is None:
        hash(x)
        return kind, x
    return kind, _Parts(parts, x)


def _parts_of(x, kind):
    """What tells it from equal values of its type; None if nothing but itself."""
    equal = kind.__eq__
    if equal is float.__eq__:
        return _struct.pack("d", x)
    if equal is complex.__eq__:
        return _struct.pack("2d", x.real, x.imag)
    if equal is tuple.__eq__:
        return tuple(map(_key_of_part, x))
    if equal is frozenset.__eq__:
        hash(x)
        return frozenset(map(_key_of_part, x))
    if isinstance(x, _BY_TEXT):
        return repr(x)
    if _dataclasses.is_dataclass(x):
        hash(x)
        fields = tuple(_key_of_part(getattr(x, f.name)) for f in _dataclasses.fields(x) if f.compare)
        return fields if _compares_fields(equal) else (fields, x)
    return None


def _compares_fields(equal):
    """Whether it is the __eq__ that dataclasses make: they compile it of a text."""
    return getattr(getattr(equal, "__code__", None), "co_filename", None) == "<string>"


def identity_of(x):
    """The key of an object that equals no other."""
    return type(x), _Identity(x)


def text_of(key):
    """What key_of was made of, for texts."""
    kind, value = key
    return f"variable {value}" if kind == "variable" else repr(value)


def keep(programs, key, program, leaves, keys):
    """Puts a program into a dict until an argument dies that it knows by identity; `keys`: those of the leaves."""

    def drop(_):
        programs.pop(key, None)

    program.watched = [
        _watch(x, drop) for x, k in zip(leaves, keys) if isinstance(x, _core.Variable) or isinstance(k[1], _Identity)
    ]
    programs[key] = program


def _watch(x, drop):
    try:
        return _weakref.ref(x, drop)
    except TypeError:
        return None  # the key keeps it


def sorted_keys(tree, who=""):
    """The keys of a dict in the order of its leaves; `who` begins the error."""
    try:
        return sorted(tree)
    except TypeError:
        raise _core.InvalidTypeError(
            f"{who}the keys of a dict must be sortable, those of {tree!r} are not; use keys of one type"
        ) from None


_locks = _weakref.WeakSet()


def new_lock():
    """A lock of a compiled function; free in a forked process whose other threads are gone."""
    lock = _threading.RLock()
    _locks.add(lock)
    return lock


def _free_locks():
    for lock in list(_locks):
        if not lock._is_owned():
            lock._at_fork_reinit()


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_free_locks)


class Methods:
    """Compiled functions of an instance's methods, by the decorated ones; a copy of the instance gets its own."""

    __slots__ = ("instance", "functions")

    def __init__(self, instance=None):
        self.instance, self.functions = instance, {}

    def __deepcopy__(self, memo):
        return Methods()

    def __reduce__(self):
        return Methods, ()


_SLOT = "_reel_methods"
_new_methods = _threading.Lock()


def bind(decorated, instance, make):
    """What a decorated method is of an instance: make() the first time."""
    members = getattr(instance, "__dict__", None)
    if not isinstance(members, dict):  # of a class with __slots__: the instance is an argument like others
        if decorated.input_signature is not None:
            raise _core.InvalidTypeError(
                f"function: {decorated.__name__} has an input_signature, but {type(instance).__name__} has __slots__ "
                "without '__dict__', where its compiled methods are kept; add it"
            )
        return _types.MethodType(decorated, instance)
    methods = members.get(_SLOT)
    if methods is None or methods.instance is not instance:
        with _new_methods:
            methods = members.get(_SLOT)
            if methods is None or methods.instance is not instance:
                methods = members[_SLOT] = Methods(instance)
    bound = methods.functions.get(decorated)
    return bound if bound is not None else methods.functions.setdefault(decorated, make())


def name_of(function):
    """Its name; that of what a partial calls, or of the class of a callable object."""
    while isinstance(function, _functools.partial):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


def signature_of(function):
    """Its signature; any arguments, if Python knows none."""
    try:
        return _inspect.signature(function)
    except (TypeError, ValueError):
        return _inspect.signature(lambda *args, **kwargs: None)


def given_leaves(signature, given, bound, leaves, size, tensor):
    """Of the leaves of bound arguments those that a call was given, names sorted, and how many tensors are before each.

    `size`: of the leaves of an argument. None where more than the given ones are tensors, or the signature takes any.
    """
    parameters = signature.parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    arguments = dict(zip((p.name for p in parameters if p.kind is not p.KEYWORD_ONLY), bound[0])) | bound[1]
    places, first = {}, 0
    for name, value in arguments.items():
        places[name] = range(first, first + size(value))
        first = places[name].stop
    order = [i for name in [*list(arguments)[: len(given[0])], *sorted(given[1])] for i in places[name]]
    tensors = list(_itertools.accumulate((isinstance(x, tensor) for x in leaves), initial=0))
    if sum(isinstance(leaves[i], tensor) for i in order) < tensors[-1]:  # a default is one
        return None
    return [leaves[i] for i in order], [tensors[i] for i in order]


class Place:
    """Where tensors of a program stand in a result: which, and what makes a part of several."""

    __slots__ = ("numbers", "make")

    def __init__(self, numbers, make=None):
        self.numbers, self.make = numbers, make


def like(structure, children):
    """The children, those of a dict in the order of its sorted keys, in a structure of the same type."""
    if isinstance(structure, dict):
        by_key = dict(zip(sorted_keys(structure), children))
        ordered = [(key, by_key[key]) for key in structure]
        if type(structure) is dict:
            return dict(ordered)
        out = structure.copy()  # an OrderedDict or defaultdict as it is
        out.update(ordered)
        return out
    if isinstance(structure, tuple):
        if hasattr(structure, "_fields"):
            return type(structure)(*children)
        return tuple(children) if type(structure) is tuple else type(structure)(children)
    return list(children) if type(structure) is list else type(structure)(children)


def packing_of(structure, tensor):
    """What puts the tensors of a program, as objects of a class, where Places stand in a structure."""
    steps = []
    _add_steps(structure, steps)
    return _core._Packing(tensor, steps)


def _add_steps(tree, steps):
    """Appends what puts a part onto the stack of _core._Packing: (kind, what)."""
    kind = type(tree)
    if kind is Place:
        steps += [("tensor", n) for n in tree.numbers]
        if tree.make:
            steps.append(("call", (tree.make, len(tree.numbers))))
    elif kind is dict or kind is list or kind is tuple:
        for x in tree.values() if kind is dict else tree:
            _add_steps(x, steps)
        steps.append((kind.__name__, tuple(tree) if kind is dict else len(tree)))
    elif isinstance(tree, (dict, list, tuple)) and not getattr(kind, "_reel_leaf", False):
        for x in [tree[k] for k in sorted_keys(tree)] if isinstance(tree, dict) else tree:
            _add_steps(x, steps)
        named = isinstance(tree, tuple) and hasattr(tree, "_fields")
        steps.append(("call", (kind if named else lambda *children: like(tree, children), len(tree))))
    else:
        steps.append(("constant", tree))


def refuse_leaks(name, result):
    """Throws if a traced tensor stands in a result where no call would put a value: inside a set or an object."""
    seen = {}  # kept, so that no other gets its id

    def look(x, place, inside):
        if (id(x), inside is None) in seen:
            return
        seen[id(x), inside is None] = x
        if isinstance(x, _core.Tensor):
            if inside and x.symbolic:
                raise _core.InvalidTypeError(
                    f"function: {name} returns a traced tensor at {place}, inside {inside}, where no call puts a "
                    "value; return tensors in lists, tuples and dicts, and make other objects of them outside"
                )
        elif isinstance(x, dict):
            for key, value in x.items():
                look(value, f"{place}[{key!r}]", inside)
        elif isinstance(x, (list, tuple)):
            for i, value in enumerate(x):
                look(value, f"{place}[{i}]", inside)
        elif isinstance(x, (set, frozenset, _collections.deque, _abc.ValuesView, _abc.ItemsView)):
            for value in x:
                look(value, place, type(x).__name__)
        elif isinstance(x, _core.IndexedSlices):
            look(x.values, f"{place}.values", inside)
            look(x.indices, f"{place}.indices", inside)
        elif _dataclasses.is_dataclass(x) and not isinstance(x, type):
            for field in _dataclasses.fields(x):
                look(getattr(x, field.name, None), f"{place}.{field.name}", type(x).__name__)

    look(result, "result", None)


def refuse_traced(name, leaves):
    """Throws if an argument is a tensor of a trace that is over."""
    for i, x in enumerate(leaves):
        if isinstance(x, _core.Tensor) and x.symbolic:
            raise _core.FailedPreconditionError(
                f"function: argument {i} of {name} is a traced tensor of {x.dtype.name}{list(x.shape)} that is used "
                "outside the function whose trace made it; return it from that function instead"
            )
