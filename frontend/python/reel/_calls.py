"""What reel.function and tf.function share: arguments in keys, programs that go with them, methods."""

import struct as _struct
import weakref as _weakref

from . import _core


class _Identity:
    """An object in a key, equal to itself alone; lives on without it where it can be weakly referenced."""

    __slots__ = ("_reference", "_hash")

    def __init__(self, x):
        self._hash = id(x)
        try:
            self._reference = _weakref.ref(x)
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


def _by_identity(x):
    return type(x).__hash__ is object.__hash__


def key_of(x):
    """What identifies an argument that is no tensor: a variable, an object by identity, a value of its type.

    Floats are the same if their bits are. TypeError for values that cannot be hashed.
    """
    kind = type(x)
    if isinstance(x, _core.Variable):
        return "variable", x._id
    if kind is float:
        return kind, _struct.pack("d", x)
    if kind is complex:
        return kind, _struct.pack("2d", x.real, x.imag)
    if _by_identity(x):
        return identity_of(x)
    hash(x)
    return kind, x


def identity_of(x):
    """The key of an object that equals no other."""
    return type(x), _Identity(x)


def text_of(key):
    """What key_of was made of, for texts."""
    kind, value = key
    if kind is float or kind is complex:
        return repr(kind(*_struct.unpack("d" if kind is float else "2d", value)))
    return f"variable {value}" if kind == "variable" else repr(value)


def keep(programs, key, program, leaves, keys):
    """Puts a program into a dict until an argument dies that it knows by identity; `keys`: those of the leaves."""

    def drop(_):
        programs.pop(key, None)

    program.watched = [_watch(x, drop) for x, k in zip(leaves, keys)
                       if isinstance(x, _core.Variable) or isinstance(k[1], _Identity)]
    programs[key] = program


def _watch(x, drop):
    try:
        return _weakref.ref(x, drop)
    except TypeError:
        return None  # the key keeps it


def sorted_keys(tree):
    """The keys of a dict in the order of its leaves."""
    try:
        return sorted(tree)
    except TypeError:
        raise _core.InvalidTypeError(f"the keys of a dict must be sortable, those of {tree!r} are not; use keys of "
                                     "one type") from None
