"""tf.Variable: a core variable with TensorFlow's names."""

from __future__ import annotations

import contextlib as _contextlib
import enum as _enum
import inspect as _inspect
import typing as _t
import weakref as _weakref

from .. import _core
from . import _array, dtypes
from ._convert import constant, to_core
from ._creators import creators
from ._operators import operand, register
from ._range import range as _range
from ._scopes import device, scoped
from ._shape import TensorShape
from ._slices import IndexedSlices
from ._tensor import Tensor, TensorLike, absent, numpy_text, wrap
from ._trace import state
from .errors import ConversionError, OutOfRangeError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike

_Core = _core.Variable
_read = _Core.value
_dtype = _Core.dtype.fget
_shape = _Core.shape.fget


class VariableSynchronization(_enum.Enum):
    """When values of replicas are made one: there is one replica, so that it changes nothing."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(_enum.Enum):
    """How values of replicas are made one: there is one replica, so that it changes nothing."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def _member(value, kind, what, name):
    """An option that is a member of an enumeration."""
    if value is None:
        return kind(0)
    if not isinstance(value, kind):
        raise ConversionError(
            f"Invalid variable {what} mode: {value} for variable: {name}; use tf.{kind.__name__}.AUTO"
        )
    return value


class Variable(TensorLike, _Core):
    """A named, mutable value of fixed shape and dtype; a tape watches it if it is trainable.

    initial_value: what tf.convert_to_tensor takes, or a callable that returns it.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Variable:
        if cls is Variable and creators.active():
            return creators.make(cls, args, kwargs)
        graph = state.graph
        if graph is None:
            return _Core.__new__(cls)
        allowed = {*_inspect.signature(cls.__init__).parameters, "collections", "use_resource", "expected_shape"}
        if unknown := [name for name in kwargs if name not in allowed]:
            raise _core.InvalidTypeError(f"Variable: there is no option '{unknown[0]}'")
        return graph.variable(*args, **kwargs)

    def __init__(
        self,
        initial_value: ArrayLike | Callable[[], ArrayLike] | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: VariableAggregation | None = None,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if creators.made is self:
            creators.made = None
            return
        if variable_def is not None:
            raise ConversionError("Variable: variable_def is not supported; give an initial_value")
        if initial_value is None:
            raise ConversionError("The `initial_value` arg to `tf.Variable` must be specified.")
        if constraint is not None and not callable(constraint):
            raise ConversionError(
                f"Argument `constraint` must be None or a callable. Got a {type(constraint)}: {constraint!r}"
            )
        if caching_device is not None:
            device(caching_device)
        self._synchronization = _member(synchronization, VariableSynchronization, "synchronization", name)
        self._aggregation = _member(aggregation, VariableAggregation, "aggregation", name)
        if trainable is None:
            trainable = self._synchronization is not VariableSynchronization.ON_READ
        if callable(initial_value) and not isinstance(initial_value, TensorLike):
            initial_value = initial_value()
        wanted = dtypes.core_dtype(dtype)
        if wanted is not None and isinstance(initial_value, (Tensor, _Core)):
            value = _core.astype(to_core(initial_value), wanted)
        else:
            value = to_core(initial_value, wanted)
        if shape is not None:
            _check_shape(value, shape)
        _on_creation(self)
        _Core.__init__(self, value, bool(trainable), scoped("Variable" if name is None else name))
        self._constraint = constraint
        for made in _made:
            made.append((self, value))

    def _core_value(self):
        return _read(self)

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.BY_CORE[_dtype(self)]

    @property
    def shape(self) -> TensorShape:
        return TensorShape(_shape(self))

    @property
    def name(self) -> str:
        return _Core.name.fget(self) + ":0"

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        return self._aggregation

    @property
    def handle(self) -> Variable:
        return self

    @property
    def initializer(self) -> None:
        """None: it has its value."""
        return None

    @property
    def _shared_name(self) -> str:
        return _Core.name.fget(self)

    @property
    def op(self) -> Any:
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> Any:
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def initial_value(self) -> Any:
        raise StateError("This property is not supported when eager execution is enabled; the value is v.value().")

    def is_initialized(self, name: str | None = None) -> Tensor:
        """True, as a tensor."""
        return constant(True)

    def set_shape(self, shape: Any) -> None:
        """Checks the shape; ValueError if it does not fit."""
        self.value().set_shape(shape)

    def eval(self, session: object = None) -> Any:
        raise StateError("This operation is not supported when eager execution is enabled; use v.numpy()")

    def load(self, value: ArrayLike, session: object = None) -> None:
        """assign(value)."""
        self.assign(value)

    def value(self) -> Tensor:
        """The value now, as a tensor; assigning does not change it."""
        return wrap(_read(self))

    read_value = value
    read_value_no_copy = value

    def initialized_value(self) -> Tensor:
        """Refused: version 1's variables have it."""
        raise _core.UnimplementedError("initialized_value is version 1's; a variable has its value: use v.value()")

    def gather_nd(self, indices: ArrayLike, name: str | None = None) -> Tensor:
        """tf.gather_nd of the value."""
        return _array.gather_nd(self, indices)

    def sparse_read(self, indices: ArrayLike, name: str | None = None) -> Tensor:
        """tf.gather of the value's rows."""
        return _array.gather(self, indices)

    def count_up_to(self, limit: int) -> Tensor:
        """The value, an integer, and then adds 1; OutOfRangeError if it is the limit already."""
        if not self.dtype.is_integer or state.depth:
            raise _core.InvalidArgumentError(
                f"count_up_to: the variable must be int32 or int64 and not traced, this one is {self.dtype.name}; use "
                "tf.data.Dataset.range"
            )
        before = self.value()
        if int(before) >= limit:
            raise OutOfRangeError(f"Reached limit of {limit}")
        self.assign_add(1)
        return before

    def __len__(self) -> int:
        raise _core.InvalidTypeError("object of type 'Variable' has no len(); use v.shape[0]")

    def __index__(self) -> int:
        raise _core.InvalidTypeError("a Variable is no index; use int(v)")

    def __getitem__(self, key: Any) -> Any:
        """Elements as a tensor, which has a method assign(value) that replaces them in the variable."""
        out = TensorLike.__getitem__(self, key)
        place = id(out)
        _slices[place] = _weakref.ref(out, lambda _: _slices.pop(place, None)), self, key
        return out

    def assign(
        self, value: ArrayLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Replaces the value; shape and dtype must be the variable's. No gradient flows to `value`.

        Returns the variable, None without read_value.
        """
        _Core.assign(self, self._new_value(value, "assign"))
        return self if read_value else _t.cast("Variable", None)

    def assign_add(
        self, delta: ArrayLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """assign(value + delta)."""
        _Core.assign_add(self, self._new_value(delta, "assign_add"))
        return self if read_value else _t.cast("Variable", None)

    def assign_sub(
        self, delta: ArrayLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """assign(value - delta)."""
        _Core.assign_sub(self, self._new_value(delta, "assign_sub"))
        return self if read_value else _t.cast("Variable", None)

    def _new_value(self, value, what):
        t = operand(value, _dtype(self), "AssignVariableOp", weak=False)
        if tuple(t.shape) != tuple(_shape(self)):
            if what != "assign":
                raise _core.InvalidArgumentError(
                    f"{what}: Cannot update variable with shape {list(_shape(self))} using a Tensor with shape "
                    f"{list(t.shape)}, shapes must be equal; tf.broadcast_to or tf.reshape it."
                )
            raise ConversionError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape {self.shape}, and "
                f"the assigned value shape {TensorShape(t.shape)} are incompatible; tf.reshape the value, or make a "
                "new variable."
            )
        return t

    # Rows and elements of it.

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """Adds the slices to the rows at their indices; equal indices add up. TypeError for others than IndexedSlices."""
        return self._scatter(sparse_delta, "add")

    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """Subtracts the slices from the rows at their indices."""
        return self._scatter(sparse_delta, "sub")

    def scatter_mul(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """Multiplies the rows at the indices by the slices."""
        return self._scatter(sparse_delta, "mul")

    def scatter_div(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """Divides the rows at the indices by the slices."""
        return self._scatter(sparse_delta, "div")

    def scatter_max(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """The maximum of the rows at the indices and the slices."""
        return self._scatter(sparse_delta, "max")

    def scatter_min(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> Variable:
        """The minimum of the rows at the indices and the slices."""
        return self._scatter(sparse_delta, "min")

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replaces the rows at the indices by the slices; of equal indices the last one holds."""
        return self._scatter(sparse_delta, "set")

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """scatter_update in each batch: the axes of the indices but the last are the first ones of the variable."""
        indices = constant(_checked_slices(sparse_delta).indices)
        if indices.shape.rank == 1:
            return self._scatter(sparse_delta, "set")
        axes = [_range(n, dtype=indices.dtype) for n in indices.shape[:-1]]
        grid = _array.meshgrid(*axes, _range(indices.shape[-1], dtype=indices.dtype), indexing="ij")[:-1]
        return self.scatter_nd_update(_array.stack([*grid, indices], -1), sparse_delta.values)

    def scatter_nd_add(self, indices: ArrayLike, updates: ArrayLike, name: str | None = None) -> Variable:
        """tf.tensor_scatter_nd_add of the value, assigned."""
        return self._scatter_nd(indices, updates, "add")

    def scatter_nd_sub(self, indices: ArrayLike, updates: ArrayLike, name: str | None = None) -> Variable:
        """tf.tensor_scatter_nd_sub of the value, assigned."""
        return self._scatter_nd(indices, updates, "sub")

    def scatter_nd_update(self, indices: ArrayLike, updates: ArrayLike, name: str | None = None) -> Variable:
        """tf.tensor_scatter_nd_update of the value, assigned."""
        return self._scatter_nd(indices, updates, "set")

    def scatter_nd_max(self, indices: ArrayLike, updates: ArrayLike, name: str | None = None) -> Variable:
        """tf.tensor_scatter_nd_max of the value, assigned."""
        return self._scatter_nd(indices, updates, "max")

    def scatter_nd_min(self, indices: ArrayLike, updates: ArrayLike, name: str | None = None) -> Variable:
        """tf.tensor_scatter_nd_min of the value, assigned."""
        return self._scatter_nd(indices, updates, "min")

    def _scatter(self, slices, mode):
        indices = to_core(_checked_slices(slices).indices)
        values = operand(slices.values, _dtype(self), "ResourceScatter", weak=False)
        rows = tuple(indices.shape) + tuple(_shape(self))[1:]
        if values.ndim and tuple(values.shape) != rows:
            raise _core.InvalidArgumentError(
                f"Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape "
                f"{list(values.shape)}, indices.shape {list(indices.shape)}, params.shape {list(_shape(self))}"
            )
        values = values if values.ndim else _core.broadcast_to(values, rows)
        return self._scatter_nd(_core.expand_dims(indices, -1), values, mode)

    def _scatter_nd(self, indices, updates, mode):
        indices = to_core(indices)
        updates = operand(updates, _dtype(self), "ResourceScatterNd", weak=False)
        value = _read(self)
        if mode in ("mul", "div"):  # by the product of all slices of a row
            ones = _core.ones_like(value)
            factors = _core.segment_prod(updates, _core.squeeze(indices, -1), value.shape[0])
            touched = _core.tensor_scatter(ones, indices, _core.zeros_like(updates), "set") == 0
            value = _core.where(touched, value * factors if mode == "mul" else value / factors, value)
        else:
            updates = -updates if mode == "sub" else updates
            value = _core.tensor_scatter(value, indices, updates, "add" if mode == "sub" else mode)
        _Core.assign(self, value)
        return self

    def __deepcopy__(self, memo: Any) -> Variable:
        out = _Core.__new__(Variable)
        _on_creation(out)
        _Core.__init__(out, _read(self), self.trainable, _Core.name.fget(self))
        out.__dict__.update(vars(self))
        return out

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __reduce__(self):
        return _unpickle, (self.numpy(), self.trainable, _Core.name.fget(self))

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self.shape} dtype={_dtype(self).name}"
        t = _read(self)
        return head + ">" if t.symbolic else f"{head}, {numpy_text(t, True)}>"

    __str__ = __repr__


def _in_place(name, symbol, instead):
    def refuse(self, other):
        raise StateError(
            f"`variable {symbol}= value` with `tf.Variable`s is not supported. Use `variable.{instead}` to modify the "
            f"variable, or `out = variable {symbol} value` if you need to get a new output Tensor."
        )

    return refuse


for _name, _symbol, _instead in (
    ("add", "+", "assign_add(value)"),
    ("sub", "-", "assign_sub(value)"),
    ("mul", "*", "assign(variable * value)"),
    ("truediv", "/", "assign(variable / value)"),
    ("pow", "**", "assign(variable ** value)"),
):
    setattr(Variable, f"__i{_name}__", _in_place(_name, _symbol, _instead))


def _check_shape(value, shape):
    """A variable has one shape: that of its value, which must fit the shape that is asked for."""
    known = getattr(shape, "rank", 0) is not None
    wanted = TensorShape([shape] if isinstance(shape, int) else shape) if known else None
    if wanted is None or not wanted.is_fully_defined():
        raise _core.UnimplementedError(
            f"Variable: shape={wanted} leaves extents open, but a variable keeps its shape; leave shape out, and make a "
            "new variable for a value of another shape"
        )
    if tuple(wanted) != tuple(value.shape):
        raise ConversionError(
            f"In this `tf.Variable` creation, the initial value's shape ({TensorShape(value.shape)}) is not compatible "
            f"with the explicitly supplied `shape` argument ({wanted})."
        )


def _checked_slices(slices):
    if not isinstance(slices, IndexedSlices):
        raise _core.InvalidTypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices!r}")
    return slices


# --- v[key].assign(value) ---

_slices: dict[int, Any] = {}  # id of a tensor -> (reference to it, the variable that it is of, key)


def _assign_of(tensor):
    known = _slices.get(id(tensor))
    if known is None or known[0]() is not tensor:
        raise AttributeError("'Tensor' object has no attribute 'assign'; variables and their slices have")
    return lambda value, name=None: _assign_slice(known[1], known[2], tensor, value)


def _assign_slice(variable, key, now, value):
    """The variable, its elements at a key replaced; a value broadcasts to their shape."""
    t = operand(value, _dtype(variable), "ResourceStridedSliceAssign", weak=False)
    whole = _read(variable)
    places = _core.reshape(_core.arange(whole.size, dtype=_core.int64), whole.shape)
    places = to_core(wrap(places)[key])
    try:
        t = _core.broadcast_to(t, places.shape)
    except _core.Error:
        raise _core.InvalidArgumentError(
            f"slice assign: a value of shape {list(t.shape)} does not broadcast to the slice's {list(places.shape)}"
        ) from None
    flat = _core.tensor_scatter(
        _core.reshape(whole, (-1,)), _core.reshape(places, (-1, 1)), _core.reshape(t, (-1,)), "set"
    )
    _Core.assign(variable, _core.reshape(flat, whole.shape))
    return variable


Tensor.assign = property(_assign_of, doc="assign(value) of a slice of a variable: replaces it there.")
for _name in ("_repr_html_", *_core._methods):
    setattr(Variable, _name, absent(_name))
register(Variable)


def _unpickle(value, trainable, name):
    return Variable(value, trainable=trainable, name=name)


_creation_hooks = []


@_contextlib.contextmanager
def restored() -> _t.Iterator[None]:
    """Variables that are made inside have their first values afterwards: what is assigned to them there is forgotten."""
    made: list[tuple[Variable, Any]] = []
    _made.append(made)
    try:
        yield
    finally:
        _made.remove(made)
        for variable, value in made:
            _Core.assign(variable, value)


_made: list[list[tuple[Variable, Any]]] = []


def _on_creation(variable):
    for hook in _creation_hooks:
        hook(variable)
