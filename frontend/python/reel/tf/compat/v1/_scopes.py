"""Name scopes, variable scopes and get_variable."""

from __future__ import annotations

import contextlib as _contextlib
import enum as _enum
import inspect as _inspect
import threading as _threading
import typing as _t

from .... import _core
from ... import _variable, dtypes
from ..._convert import convert_to_tensor
from ..._shape import TensorShape
from ..._tensor import TensorLike
from ..._trace import state
from ...errors import ConversionError
from . import initializers as _initializers

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


_convert_at_once = convert_to_tensor.__wrapped__  # while a graph is built too


class _ReuseMode(_enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


class name_scope:
    """A context manager: names of what is made inside begin with the name, or default_name if it is None."""

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise _core.InvalidTypeError(f"`default_name` type ({type(default_name)}) is not a string type. ")
        self._name = default_name if name is None else name
        self._given, self._default, self._values, self._open = name, default_name, values, []

    @property
    def name(self) -> str | None:
        return self._name

    def __enter__(self) -> Any:
        if state.graph is None:
            scope = _contextlib.nullcontext((self._name or "").rstrip("/") + "/" if self._name else "")
        else:
            if self._name is None and self._values is not None:
                raise ConversionError(
                    f"At least one of name ({self._given}) and default_name ({self._default}) must be provided."
                )
            scope = state.graph.name_scope(self._name)
        self._open.append(scope)
        return scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)


@_contextlib.contextmanager
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Iterator[Any]:
    """name_scope with its arguments in another order."""
    with name_scope(name, default_name, values) as scope:
        yield scope


class VariableScope:
    """What get_variable adds to a name, and its defaults."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: object = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        if partitioner is not None:
            raise ConversionError("variable_scope: partitioned variables are not here")
        self.reuse, self.name, self.initializer, self.regularizer = reuse, name, initializer, regularizer
        self.custom_getter, self.original_name_scope = custom_getter, name_scope
        self.dtype, self.constraint = dtypes.as_dtype(dtype), constraint
        self.caching_device, self.use_resource, self.partitioner = caching_device, use_resource, None

    def reuse_variables(self) -> None:
        """From now on get_variable gives variables that are there."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def set_custom_getter(self, custom_getter: Any) -> None:
        self.custom_getter = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        return _store().graph_collection(name, self.name)

    def trainable_variables(self) -> list[Any]:
        return self.get_collection("trainable_variables")

    def global_variables(self) -> list[Any]:
        return self.get_collection("variables")

    def local_variables(self) -> list[Any]:
        return self.get_collection("local_variables")

    def copy(self, reuse: Any, name: str, name_scope: str) -> VariableScope:
        """The scope with another name."""
        return VariableScope(
            reuse,
            name,
            self.initializer,
            self.regularizer,
            custom_getter=self.custom_getter,
            name_scope=name_scope,
            dtype=self.dtype,
            constraint=self.constraint,
        )


class _Store:
    """Variables by name, the scope that is open, and how often a scope's name was opened."""

    def __init__(self):
        self.variables, self.scope, self.counts = {}, VariableScope(False), {}

    def graph_collection(self, key, scope):
        prefix = scope + "/" if scope else ""
        return [] if state.graph is None else state.graph.get_collection(key, prefix or None)


class _Eager(_threading.local):
    def __init__(self):
        self.store = _Store()


_eager = _Eager()


def _store():
    graph = state.graph
    if graph is None:
        return _eager.store
    if graph.scope is None:
        graph.scope = _Store()
    return graph.scope


def get_variable_scope() -> VariableScope:
    """The variable scope that is open."""
    return _store().scope


class variable_scope:
    """A context manager: names of get_variable begin with the scope's; its arguments are get_variable's defaults.

    name_or_scope: a name, or a scope that is entered again. default_name: made unique, if there is no name.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: object = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise _core.InvalidTypeError("If default_name is None then name_or_scope is required")
        if reuse is False:
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ConversionError("The reuse parameter must be True or False or None.")
        if partitioner is not None:
            raise ConversionError("variable_scope: partitioned variables are not here")
        self._given, self._default, self._reuse, self._auxiliary = (
            name_or_scope,
            default_name,
            reuse,
            auxiliary_name_scope,
        )
        self._options = {"initializer": initializer, "regularizer": regularizer, "constraint": constraint}
        self._dtype, self._getter = dtype, custom_getter

    def __enter__(self) -> VariableScope:
        store = _store()
        outer = store.scope
        if self._given is None:
            if self._reuse:
                raise ConversionError("reuse=True cannot be used without a name_or_scope")
            name = self._unique(store, outer)
            scope_name = name.rpartition("/")[2]
        elif isinstance(self._given, VariableScope):
            name, scope_name = self._given.name, self._given.name.rpartition("/")[2]
        else:
            name = f"{outer.name}/{self._given}" if outer.name else self._given
            scope_name = self._given
        self._name_scope = self._open_names(scope_name)
        prefix = self._name_scope.__enter__()
        base = self._given if isinstance(self._given, VariableScope) else outer
        reuse = self._reuse if self._reuse is not None else base.reuse or outer.reuse
        scope = base.copy(reuse, name, base.original_name_scope if base is self._given else prefix)
        for option, value in self._options.items():
            if value is not None:
                setattr(scope, option, value)
        if self._dtype is not None:
            scope.set_dtype(self._dtype)
        if self._getter is not None:
            scope.custom_getter = _nested_getter(self._getter, base.custom_getter)
        store.counts[name] = store.counts.get(name, 0) + 1
        self._outer, self._counts, store.scope = outer, store, scope
        return scope

    def _unique(self, store, outer):
        base = f"{outer.name}/{self._default}" if outer.name else self._default
        name, i = base, 0
        while store.counts.get(name):
            i += 1
            name = f"{base}_{i}"
        return name

    def _open_names(self, name):
        if state.graph is None or not self._auxiliary or not name:
            return _contextlib.nullcontext(
                state.graph.stack + "/" if state.graph is not None and state.graph.stack else ""
            )
        return state.graph.name_scope(name)

    def __exit__(self, *error: Any) -> None:
        store = self._counts
        inner = store.scope.name
        for name in [
            n for n in store.counts if n.startswith(inner + "/")
        ]:  # scopes inside may open by these names again
            store.counts[name] = 0
        store.scope = self._outer
        self._name_scope.__exit__(*error)


def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: object = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Any:
    """variable_scope with its arguments in another order."""
    return variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    )


def _nested_getter(getter, outer):
    if outer is None:
        return getter
    return lambda inner, *args, **kwargs: getter(lambda *a, **k: outer(inner, *a, **k), *args, **kwargs)


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: object = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: object = None,
    aggregation: object = None,
) -> Any:
    """The variable of this name in the scope that is open: a new one, or with reuse the one that is there.

    initializer: a value, or a callable of shape and dtype; glorot_uniform for floats, zeros for others. Errors:
    ValueError for a name that is there (without reuse) or is not (with it), and for another shape or dtype.
    """
    if partitioner is not None:
        raise ConversionError("get_variable: partitioned variables are not here")
    store = _store()
    scope = store.scope
    options = {
        "shape": shape,
        "dtype": scope.dtype if dtype is None else dtypes.as_dtype(dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "constraint": scope.constraint if constraint is None else constraint,
        "given_dtype": dtype,
    }
    full = f"{scope.name}/{name}" if scope.name else name
    getter = custom_getter or scope.custom_getter
    if getter is None:
        return _get(full, **options)
    del options["given_dtype"]
    with _contextlib.nullcontext() if state.graph is None else state.graph.name_scope(None):
        return getter(_get, full, **options)


def _get(
    name,
    shape=None,
    dtype=dtypes.float32,
    initializer=None,
    regularizer=None,
    reuse=None,
    trainable=None,
    collections=None,
    constraint=None,
    given_dtype=None,
    **ignored,
):
    store = _store()
    if state.graph is not None:
        found = store.variables.get(name)
        if found is not None:
            if not reuse:
                raise ConversionError(
                    f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                    "VarScope?"
                )
            return _checked(found, name, shape, dtype)
        if reuse is True:
            raise ConversionError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
    value, dtype = _initial(name, shape, dtypes.as_dtype(dtype), initializer, given_dtype)
    if state.graph is None:
        made = _variable.Variable(
            value, trainable=trainable is not False, name=name, dtype=dtype, constraint=constraint
        )
    else:
        with state.graph.name_scope(None), state.graph.control_dependencies(None):
            made = state.graph.variable(
                value, trainable, name + "/", dtype, collections=collections, constraint=constraint
            )
        store.variables[name] = made
        made.scoped = name
    if regularizer is not None and state.graph is not None:
        with state.graph.name_scope(name + "/Regularizer/"):
            loss = regularizer(made)
        if loss is not None:
            state.graph.add_to_collection("regularization_losses", loss)
    return made


def _checked(found, name, shape, dtype):
    if shape is not None and not found.shape.is_compatible_with(_shape(shape)):
        raise ConversionError(
            f"Trying to share variable {name}, but specified shape {_shape(shape)} and found shape {found.shape}."
        )
    if dtypes.as_dtype(dtype) is not found.dtype:
        raise ConversionError(
            f"Trying to share variable {name}, but specified dtype {dtypes.as_dtype(dtype).name} and found dtype "
            f"{found.dtype.name}."
        )
    return found


def _shape(shape):
    return TensorShape([shape] if isinstance(shape, int) else shape)


def _initial(name, shape, dtype, initializer, given_dtype):
    """The initial value, or what makes it; and the dtype."""
    if isinstance(initializer, TensorLike) or initializer is not None and not callable(initializer):
        if shape is not None:
            raise ConversionError("If initializer is a constant, do not specify shape.")
        value = initializer if isinstance(initializer, TensorLike) else _convert_at_once(initializer)
        if given_dtype is not None and dtype is not value.dtype:
            raise ConversionError(f"Initializer type '{value.dtype!r}' and explicit dtype '{dtype!r}' don't match.")
        return initializer, value.dtype
    if shape is None and not _needs_nothing(initializer):
        raise ConversionError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
    if shape is not None and not _shape(shape).is_fully_defined():
        raise ConversionError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was {_shape(shape)}."
        )
    if initializer is None:
        if dtype.is_floating:
            initializer = _initializers.glorot_uniform()
        elif dtype.is_integer or dtype.is_bool or dtype.is_complex:
            initializer = _initializers.zeros()
        else:
            raise ConversionError(f"An initializer for variable {name} of {dtype} is required")
    if isinstance(initializer, type):
        initializer = initializer()
    if _needs_nothing(initializer):
        return initializer, None if given_dtype is None else dtype
    extents = list(_shape(shape))
    parameters = _inspect.signature(initializer).parameters
    if "dtype" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return (lambda: initializer(extents, dtype=dtype)), dtype
    return (lambda: initializer(extents)), dtype


def _needs_nothing(initializer):
    """Whether it is a callable without arguments."""
    if initializer is None or isinstance(initializer, type):
        return False
    try:
        return not _inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        return False


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: object = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: object = None,
    aggregation: object = None,
) -> Any:
    """get_variable of the collection of local variables, not trainable."""
    keys = list(collections or []) + ["local_variables"]
    return get_variable(
        name, shape, dtype, initializer, regularizer, False, keys, custom_getter=custom_getter, constraint=constraint
    )


def make_template(
    name_: str,
    func_: Any,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Any:
    """A function whose variables are made in its first call, and shared by the others."""
    made = []

    def call(*args, **more):
        if not made:
            with variable_scope(
                unique_name_, name_ if unique_name_ is None else None, custom_getter=custom_getter_
            ) as scope:
                made.append(scope)
                return func_(*args, **{**kwargs, **more})
        with variable_scope(made[0], reuse=True):
            return func_(*args, **{**kwargs, **more})

    return call


def no_regularizer(_: Any) -> None:
    """Means no regularizer where the scope has one."""
    return None
