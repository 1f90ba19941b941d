"""TensorShape and TensorSpec."""

from .. import _core
from . import _dtypes as dtypes


class TensorShape(tuple):
    """Extents, outermost first; None where one is not known. Compares with lists and tuples."""

    __slots__ = ()
    _reel_leaf = True

    def __new__(cls, dims=()):
        if isinstance(dims, TensorShape):
            return dims
        return tuple.__new__(cls, [None if d is None or d == -1 else int(d) for d in dims])

    @property
    def rank(self):
        return len(self)

    ndims = rank

    @property
    def dims(self):
        return list(self)

    def as_list(self):
        """Extents as a list of ints and Nones."""
        return list(self)

    def num_elements(self):
        """The product of the extents; None if one is not known."""
        if not self.is_fully_defined():
            return None
        out = 1
        for d in self:
            out *= d
        return out

    def is_fully_defined(self):
        return None not in tuple(self)

    def is_compatible_with(self, other):
        """Whether some shape is an instance of both."""
        other = TensorShape(other)
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise _core.InvalidArgumentError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def concatenate(self, other):
        return TensorShape(tuple(self) + tuple(other))

    def __getitem__(self, key):
        out = tuple.__getitem__(self, key)
        return TensorShape(out) if isinstance(key, slice) else out

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(tuple(other) + tuple(self))

    def __eq__(self, other):
        return tuple.__eq__(self, tuple(other)) if isinstance(other, (list, tuple)) else NotImplemented

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self):
        return f"TensorShape({list(self)!r})"

    def __str__(self):
        return tuple.__repr__(self)


class TensorSpec:
    """Shape (None where unknown) and dtype of an argument of tf.function."""

    __slots__ = ("shape", "dtype", "name")

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self.shape = None if shape is None else TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, other):
        return self.dtype is other.dtype and (self.shape is None or self.shape.is_compatible_with(other.shape))

    def __eq__(self, other):
        return (
            isinstance(other, TensorSpec)
            and self.shape == other.shape
            and self.dtype is other.dtype
            and self.name == other.name
        )

    def __hash__(self):
        return hash((self.shape, self.dtype, self.name))

    def __repr__(self):
        shape = "<unknown>" if self.shape is None else str(self.shape)
        return f"TensorSpec(shape={shape}, dtype={self.dtype!r}, name={self.name!r})"
