"""reel.from_jax: a lowered function as a graph on Reel's variables."""

from __future__ import annotations

import typing as _t

import jax as _jax
import numpy as _np

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Module, Variable


def _positions(numbers: int | Sequence[int], count: int, what: str) -> tuple[int, ...]:
    given = (numbers,) if isinstance(numbers, int) else tuple(numbers)
    for n in given:
        if not -count <= n < count:
            raise _core.InvalidArgumentError(f"from_jax: {what} names argument {n} of {count}")
    return tuple(n % count for n in given)


def _is_key(x: Any) -> bool:
    return hasattr(x, "dtype") and _jax.dtypes.issubdtype(x.dtype, _jax.dtypes.prng_key)


def _plain(x: Any) -> Any:
    """A leaf as what Reel takes; keys as their numbers."""
    if _is_key(x):
        x = _jax.random.key_data(x)
    return _np.asarray(x) if isinstance(x, _jax.Array) else x


def _as_input(x: Any, dtype: _core.DType) -> Any:
    """An argument in the dtype that JAX lowered for: JAX has 32 bits where NumPy has 64."""
    value = _core.asarray(_plain(x))
    return value if value.dtype == dtype else _core.astype(value, dtype)


def _name(path: Any) -> str:
    """dense.kernel, layers.0.bias."""
    return _jax.tree_util.keystr(path, simple=True, separator=".")


def _dtype(info: Any) -> _core.DType:
    name = "uint32" if _is_key(info) else _np.dtype(info.dtype).name
    return _t.cast("_core.DType", getattr(_core, "bool" if name == "bool" else name))


class JaxFunction:
    """A function of JAX's as one of Reel's: what from_jax returns.

    `variables`: the leaves of the parameters, by their paths. `module`: the graph, with the values that the variables
    had at the start.
    """

    def __init__(
        self, function: Any, args: tuple[Any, ...], params: tuple[int, ...], static: tuple[int, ...], budget: Any
    ):
        jitted = _jax.jit(function, static_argnums=static, keep_unused=True)
        lowered = jitted.lower(*args)
        dynamic = [i for i in range(len(args)) if i not in static]
        names: dict[int, str] = {}
        values: dict[str, Any] = {}
        self._inputs: list[tuple[int, Any, list[_core.DType]]] = []  # argument, structure, dtypes
        self._params: list[tuple[int, Any, list[str]]] = []
        at = 0
        for i in dynamic:
            leaves, structure = _jax.tree_util.tree_flatten_with_path(args[i])
            infos = _jax.tree_util.tree_leaves(lowered.args_info[0][dynamic.index(i)])
            if i in params:
                prefix = f"{i}." if len(params) > 1 else ""
                mine = []
                for offset, (path, leaf) in enumerate(leaves):
                    name = prefix + (_name(path) or f"argument{i}")
                    if isinstance(leaf, _jax.ShapeDtypeStruct):
                        raise _core.InvalidArgumentError(f"from_jax: the parameter {name!r} has no value: give arrays")
                    names[at + offset], values[name] = name, _as_input(leaf, _dtype(infos[offset]))
                    mine.append(name)
                self._params.append((i, structure, mine))
            else:
                self._inputs.append((i, structure, [_dtype(info) for info in infos]))
            at += len(leaves)
        text = lowered.as_text(debug_info=True)  # with the lines of the user
        name = getattr(function, "__name__", "function")
        self.module: Module = _core._load_stablehlo(f"jax {name}", text, names, values, budget)  # type: ignore[attr-defined]
        self._function = self.module.function(self.module.entries[0])
        self._out = lowered.out_tree
        self._named: dict[str, Variable] = {v.name: v for v in self._function.variables}
        for variable in values.keys() - self._named.keys():  # that the function does not read
            self._named[variable] = _core.Variable(values[variable], name=variable)

    @property
    def variables(self) -> list[Variable]:
        """The parameters, in the order of JAX's leaves."""
        return [self._named[name] for _, _, names in self._params for name in names]

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of floats."""
        return [v for v in self.variables if v.trainable]

    @property
    def named_variables(self) -> dict[str, Variable]:
        """The parameters by their paths."""
        return {name: self._named[name] for _, _, names in self._params for name in names}

    def __call__(self, *args: Any) -> Any:
        """The function's result, nested as JAX's, for the arguments that are neither parameters nor static."""
        if len(args) != len(self._inputs):
            raise _core.InvalidArgumentError(
                f"from_jax: {len(args)} arguments for {len(self._inputs)}; parameters and static ones are left out"
            )
        leaves: list[Any] = []
        for given, (i, structure, dtypes) in zip(args, self._inputs):
            mine, got = _jax.tree_util.tree_flatten(given)
            if got != structure:
                raise _core.InvalidArgumentError(
                    f"from_jax: argument {i} has the structure {got}, the function was lowered for {structure}"
                )
            leaves += map(_as_input, mine, dtypes)
        results = self._function(*leaves)
        flat = [results] if isinstance(results, _core.Tensor) else list(results)
        return _jax.tree_util.tree_unflatten(self._out, flat)


def from_jax(function: Callable[..., Any], args: tuple[Any, ...], params: Any, static: Any, budget: Any) -> JaxFunction:
    """See reel.from_jax."""
    if not callable(function):
        raise _core.InvalidTypeError(f"from_jax: expected a function, not {type(function).__name__}")
    return JaxFunction(
        function, args, _positions(params, len(args), "params"), _positions(static, len(args), "static_argnums"), budget
    )


def to_params(function: JaxFunction) -> Any:
    """See reel.jax.to_params."""
    trees = [
        _jax.tree_util.tree_unflatten(
            structure, [_jax.numpy.asarray(_np.asarray(function._named[name].value())) for name in names]
        )
        for _, structure, names in function._params
    ]
    return trees[0] if len(trees) == 1 else tuple(trees)
