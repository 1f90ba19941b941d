"""Gradients, branches and loops of a tf.Graph: nodes that have functions made of nodes."""

from __future__ import annotations

import typing as _t
from contextlib import contextmanager as _contextmanager

from .. import _core
from . import _array, _control, _graph_probe, _graph_run, _graph_tape, _range, debugging, dtypes, math, nest
from ._callbacks import ShapesUnknown
from ._graph_array import GraphTensorArray
from ._graph_tensor import GraphTensor, GraphVariable, Node, Sub
from ._shape import TensorShape
from ._slices import IndexedSlices
from ._tape import unconnected_name
from ._tensor import TensorLike
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


_BY_VALUE = (_core.FailedPreconditionError, _core.UnimplementedError)  # of shapes that depend on values, in a trace


class ControlFlow:
    """What tf.Graph inherits: as_method functions of reel.tf end here."""

    def gradients(
        self,
        ys: Any,
        xs: Any,
        grad_ys: Any = None,
        name: str | None = "gradients",
        gate_gradients: bool = False,
        aggregation_method: int | None = None,
        stop_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> list[Any]:
        """Nodes of d(sum of ys)/dx for each x; None where no y depends on x, IndexedSlices for rows of a lookup."""
        ys, xs = [self._of_graph(y) for y in _list(ys, "ys")], [self._of_graph(x) for x in _list(xs, "xs")]
        ys = [y.value() if isinstance(y, GraphVariable) else y for y in ys]
        unconnected = unconnected_name(unconnected_gradients)
        if aggregation_method not in (None, 0, 1, 2):
            raise ConversionError(
                f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are [0, 1, 2]."
            )
        seeds = self._seeds(ys, grad_ys)
        stops = [] if stop_gradients is None else _list(stop_gradients, "stop_gradients")
        special = {"ys": ys, "xs": xs, "seeds": seeds, "stops": stops, "unconnected": unconnected}
        self.sources.update(xs)
        self.differentiated = True
        variables = [x for x in xs if isinstance(x, GraphVariable)]
        with self.name_scope(name or "gradients"):
            node = Node(self, "grad", "SymbolicGradient", None, (ys, xs, seeds, variables), role="gradients")
        node.special = special
        try:
            kinds = self._on_types([node], lambda runner: _kinds(runner.gradients(node, runner.done)))
        except (ShapesUnknown, _core.Error) as error:
            if not (self._sizes_unknown([node]) or isinstance(error, (ShapesUnknown, *_BY_VALUE))):
                raise
            # A py_function that has not run yet, or shapes that are values: what leads to it may have a gradient.
            before = set(_graph_run.needed_by([y.node for y in ys]))
            kinds = ["dense" if x.node in before and x.dtype.is_floating else None for x in xs]
        special["kinds"] = kinds
        out = []
        for kind, x in zip(kinds, xs):
            if kind is None:
                out.append(None)
            elif isinstance(kind, dtypes.DType):
                values = node.add_output(x.dtype, [None, *tuple(x.shape)[1:]])
                indices = node.add_output(kind, [None])
                shape = list(x.shape) if x.shape.is_fully_defined() else _array.shape(x)
                out.append(IndexedSlices(values, indices, shape))
            else:
                out.append(node.add_output(x.dtype, None if x.shape.rank is None else x.shape))
        return out

    def range(
        self, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
    ) -> GraphTensor:
        return _range._in_graph(self, start, limit, delta, dtype, name or "range")

    def unsized(self, function: Any, args: Any, name: str, type: str, dtype: dtypes.DType) -> GraphTensor:
        """A node of a vector whose length is not known."""
        return Node(self, name, type, function, args).add_output(dtype, [None])

    def tape(self, persistent: bool, watch_accessed_variables: bool) -> _graph_tape.GraphTape:
        """What a tf.GradientTape records with that is entered while this graph is built."""
        return _graph_tape.GraphTape(self, persistent, watch_accessed_variables)

    def _of_graph(self, x):
        if isinstance(x, GraphTensor):
            return self.as_graph_element(x, allow_operation=False)
        if isinstance(x, TensorLike):
            raise ConversionError(
                f"gradients: {x!r} is not of the graph; make it inside `with graph.as_default():`, by a function of tf"
            )
        return self.convert(x)

    def _seeds(self, ys, grad_ys):
        seeds = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys] * (len(ys) if grad_ys is None else 1)
        if len(seeds) != len(ys):
            raise ConversionError(
                f"Length mismatch. Passed {len(seeds)} grad_ys for {len(ys)} ys; give one for each, None for ones"
            )
        out = []
        for y, g in zip(ys, seeds):
            if g is None and y.dtype.is_complex:
                raise _core.InvalidTypeError(
                    f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})"
                )
            g = g if g is None or isinstance(g, IndexedSlices) else self.convert(g, dtype_hint=y.dtype)
            if isinstance(g, GraphTensor) and (g.dtype.is_complex != y.dtype.is_complex or g.dtype.is_bool):
                raise _core.InvalidTypeError(
                    f"Gradient type {g.dtype.name} generated for {'complex' if y.dtype.is_complex else 'real'}-valued "
                    f"tensor {y} with type {y.dtype.name} must be the same kind of number"
                )
            if isinstance(g, GraphTensor) and not g.shape.is_compatible_with(y.shape):
                raise ConversionError(f"gradients: the seed {g} must have the shape of {y}")
            out.append(g)
        return out

    def _on_types(self, nodes, then):
        """What a function of a runner returns that has traced the nodes on their types."""
        first = None
        for attempt in _graph_probe.made_up(self.ends(nodes)):
            try:
                return _graph_run.Runner.on_types(self, nodes, attempt, then)
            except (_core.Error, TypeError, ValueError) as error:
                first = first or error
        raise first

    def ends(self, nodes: list[Node]) -> list[GraphTensor]:
        """The placeholders that nodes depend on."""
        return [x for n in _graph_run.needed_by(nodes) if n.role in ("placeholder", "parameter") for x in n.outputs]

    def _sizes_unknown(self, nodes):
        """Whether extents of what nodes depend on are not known."""
        return any(not x.shape.is_fully_defined() for n in _graph_run.needed_by(nodes) for x in n.outputs)

    def probe_call(
        self, function: Any, args: Any, kwargs: Any, inputs: list[GraphTensor], made_up: tuple[int, int]
    ) -> Any:
        """(structure, types) of what a function returns, found through all that its inputs depend on."""
        return _graph_run.Runner.probe_call(self, function, args, kwargs, inputs, made_up)

    def hessians(
        self,
        ys: Any,
        xs: Any,
        gate_gradients: bool = False,
        aggregation_method: int | None = None,
        name: str | None = "hessians",
    ) -> list[GraphTensor]:
        """For each x the second derivatives of sum(ys); x must be of known shape."""
        out = []
        for x, g in zip(_list(xs, "xs"), self.gradients(ys, xs, name=name)):
            if not x.shape.is_fully_defined():
                raise ConversionError(f"hessians: the shape of {x} must be known while the graph is built")
            shape = list(x.shape)
            if g is None:
                out.append(_array.zeros(shape + shape, x.dtype))
                continue
            flat = _array.reshape(g, [-1])
            n = x.shape.num_elements()
            rows = [self.gradients(flat[i], [x], unconnected_gradients="zero", name=name)[0] for i in range(n)]
            out.append(_array.reshape(_array.stack(rows), shape + shape))
        return out

    # Functions made of nodes.
    @_contextmanager
    def _inside(self, name: str) -> Iterator[None]:
        """What is made inside is no operation of the graph itself: a body of a branch or a loop."""
        outer = self.names, self.stack, self.control, self.inside
        self.inside += (object(),)  # names the body: what is made in it is not for others
        self.names, self.stack, self.control, self.depth = {}, self.unique_name(name, False), [], self.depth + 1
        by_name, self.by_name = self.by_name, dict(self.by_name)
        try:
            yield
        finally:
            (self.names, self.stack, self.control, self.inside), self.depth, self.by_name = (
                outer,
                self.depth - 1,
                by_name,
            )

    def sub(self, function: Callable[..., Any], types: list[Any], structure: Any, name: str) -> Sub:
        """A function as nodes; types: (dtype, shape) of the leaves of its arguments' structure, a list."""
        with self._inside(name):
            first = len(self.nodes)
            parameters = []
            for dtype, shape in types:
                node = Node(self, "parameter", "Placeholder", role="parameter")
                parameters.append(node.add_output(dtype, shape))
            out = function(*nest.pack_sequence_as(structure, parameters))
            leaves = [x if isinstance(x, Node) or x is None else _dense(self, x) for x in nest.flatten(out)]
        return Sub(parameters, out, leaves, first)

    def _outputs(self, node, structure, leaves):
        outputs = []
        for x in leaves:
            if isinstance(x, GraphTensor):
                outputs.append(node.add_output(x.dtype, None if x.shape.rank is None else x.shape))
            else:
                node.add_output(dtypes.as_dtype("float32"), ())
                outputs.append(node)
        return nest.pack_sequence_as(structure, outputs)

    def cond(self, pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = "cond") -> Any:
        """A node that evaluates one of two branches, whose nodes are made now."""
        if not callable(true_fn) or not callable(false_fn):
            raise _core.InvalidTypeError("true_fn and false_fn must be callable.")
        if isinstance(pred, bool):
            raise _core.InvalidTypeError("pred must not be a Python bool")
        pred = self.convert(pred)
        yes, no = self.sub(true_fn, [], [], "cond_true"), self.sub(false_fn, [], [], "cond_false")
        _control._same_structure(yes.structure, no.structure)
        types = []
        for a, b in zip(yes.results, no.results):
            if isinstance(a, GraphTensor) and isinstance(b, GraphTensor) and a.dtype is not b.dtype:
                raise _core.InvalidTypeError(
                    f"true_fn and false_fn of tf.cond must return the same types, not {a.dtype.name} and {b.dtype.name}"
                )
            types.append(_either(a, b))
        node = Node(self, name or "cond", "If", _choose, (pred, yes, no))
        outputs = []
        for a, shape in zip(yes.results, types):
            kept = isinstance(a, GraphTensor)
            out = node.add_output(a.dtype if kept else dtypes.as_dtype("float32"), shape if kept else ())
            outputs.append(out if kept else node)
        return nest.pack_sequence_as(yes.structure, outputs)

    def case(
        self,
        pred_fn_pairs: Any,
        default: Any = None,
        exclusive: bool = False,
        strict: bool = False,
        name: str | None = "case",
    ) -> Any:
        """Branches one in another. exclusive, or no default: how many predicates hold is checked when it runs."""
        pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
        if not pairs:
            raise ConversionError("case: there are no predicates")
        checks = []
        if exclusive or default is None:
            held = [dtypes.cast(self.convert(pred), dtypes.int32) for pred, _ in pairs]
            count = math.add_n(held)
            if exclusive:
                checks.append(debugging.assert_less_equal(count, 1, message="case: more than one condition is true"))
            if default is None:
                default = pairs.pop()[1]
                checks.append(debugging.assert_positive(count, message="case: no condition is true"))
        with self.control_dependencies(checks):
            return _control._case(pairs, default)

    def while_loop(
        self,
        cond: Any,
        body: Any,
        loop_vars: Any,
        shape_invariants: Any = None,
        parallel_iterations: int | None = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        maximum_iterations: Any = None,
        name: str | None = None,
    ) -> Any:
        """A node that repeats nodes, which are made now, as long as the test holds."""
        if not callable(cond) or not callable(body):
            raise _core.InvalidTypeError("'cond' and 'body' must be callable.")
        if not isinstance(loop_vars, (list, tuple)):
            loop_vars = [loop_vars]
        if not len(loop_vars):
            raise ConversionError("'loop_vars' must be provided.")
        structure = list(loop_vars)
        if any(isinstance(x, GraphTensorArray) for x in nest.flatten(structure)):
            return self._loop_of_arrays(cond, body, structure, shape_invariants, maximum_iterations, name)
        initial = [_dense(self, x) for x in nest.flatten(structure)]
        shapes = [None if x.shape.rank is None else x.shape for x in initial]
        if shape_invariants is not None:
            given = [x.shape if hasattr(x, "shape") else x for x in nest.flatten(list(shape_invariants))]
            shapes = [x if isinstance(x, TensorShape) else TensorShape(x) for x in given]
            shapes = [None if s.rank is None else s for s in shapes]
        types = [(x.dtype, s) for x, s in zip(initial, shapes)]
        test = self.sub(lambda *x: self.convert(cond(*x)), types, structure, "while_cond")
        step = self.sub(lambda *x: _as_list(body(*x), structure), types, structure, "while_body")
        nest.assert_same_structure(structure, step.structure, check_types=False)
        for i, (x, shape, y) in enumerate(zip(initial, shapes, step.results)):
            _check_invariant(i, x, None if shape is None else TensorShape(shape), y)
        limit = maximum_iterations
        if isinstance(limit, GraphTensor) and limit.static is not None:
            limit = int(limit.static.numpy())
        packed = nest.pack_sequence_as(structure, initial)
        node = Node(self, name or "while", "While", _repeat, (test, step, packed, limit))
        outputs = [node.add_output(x.dtype, s) for x, s in zip(initial, shapes)]
        return nest.pack_sequence_as(loop_vars, outputs)

    def _loop_of_arrays(self, cond, body, structure, shape_invariants, limit, name):
        """A loop whose TensorArrays are the tensors of their elements."""
        leaves = nest.flatten(structure)
        if any(isinstance(x, GraphTensorArray) and x.buffer is None for x in leaves):
            leaves = self._arrays_made(body, structure, leaves)
        templates = leaves

        def arrays(values):
            flat = [
                t.like(x) if isinstance(t, GraphTensorArray) else x for t, x in zip(templates, nest.flatten(values))
            ]
            return nest.pack_sequence_as(structure, flat)

        def tensors(values):
            return nest.map_structure(lambda x: x.buffer if isinstance(x, GraphTensorArray) else x, values)

        out = self.while_loop(
            lambda *x: cond(*arrays(list(x))),
            lambda *x: tensors(_as_list(body(*arrays(list(x))), structure)),
            tensors(nest.pack_sequence_as(structure, leaves)),
            shape_invariants,
            maximum_iterations=limit,
            name=name,
        )
        return arrays(out)

    def _arrays_made(self, body, structure, leaves):
        """The arrays with room for elements of the shape that the body writes."""
        plain = [x if isinstance(x, GraphTensorArray) else _dense(self, x) for x in leaves]
        with self._inside("while_trial"):
            parameters = [
                x
                if isinstance(x, GraphTensorArray)
                else Node(self, "parameter", "Placeholder", role="parameter").add_output(
                    x.dtype, None if x.shape.rank is None else x.shape
                )
                for x in plain
            ]
            written = nest.flatten(_as_list(body(*nest.pack_sequence_as(structure, parameters)), structure))
        out = []
        for before, after in zip(plain, written):
            if isinstance(before, GraphTensorArray) and before.buffer is None and after.element_shape is not None:
                before = before.of_shape(after.element_shape)
            out.append(before)
        return out

    # Over rows.
    def map_fn(
        self,
        fn: Any,
        elems: Any,
        dtype: Any = None,
        parallel_iterations: int | None = None,
        back_prop: bool = True,
        swap_memory: bool = False,
        infer_shape: bool = True,
        name: str | None = None,
        fn_output_signature: Any = None,
    ) -> Any:
        """A node that maps nodes over the rows of elems."""
        if not callable(fn):
            raise _core.InvalidTypeError("fn must be callable.")
        elems, types, n = self._rows(elems)
        sub = self.sub(fn, types, [elems], "map_body")
        signature = fn_output_signature if fn_output_signature is not None else dtype
        results = sub.results
        if signature is not None:
            wanted = [getattr(x, "dtype", x) for x in nest.flatten(signature)]
            for x, kind in zip(results, wanted):
                if x.dtype is not dtypes.as_dtype(kind):
                    raise _core.InvalidTypeError(
                        f"map_fn: fn returns {x.dtype.name}, fn_output_signature says {dtypes.as_dtype(kind).name}"
                    )
        elif [x.dtype for x in results] != [d for d, _ in types]:
            raise ConversionError(
                "map_fn: fn returns other dtypes than elems have; say which with fn_output_signature (or dtype)"
            )
        node = Node(self, name or "map", "While", _control.map_fn.__wrapped__, (sub, elems))
        return self._stacked(node, sub, n)

    def scan(
        self,
        fn: Any,
        elems: Any,
        initializer: Any = None,
        parallel_iterations: int | None = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        infer_shape: bool = True,
        reverse: bool = False,
        name: str | None = None,
    ) -> Any:
        """A node that folds nodes over the rows of elems and keeps all values."""
        sub, elems, initializer, n = self._folding(fn, elems, initializer)
        node = Node(
            self, name or "scan", "While", _control.scan.__wrapped__, (sub, elems, initializer), {"reverse": reverse}
        )
        return self._stacked(node, sub, n)

    def foldl(self, *args: Any, **kwargs: Any) -> Any:
        return self._fold("foldl", *args, **kwargs)

    def foldr(self, *args: Any, **kwargs: Any) -> Any:
        return self._fold("foldr", *args, **kwargs)

    def _fold(
        self, kind, fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None
    ):
        sub, elems, initializer, _ = self._folding(fn, elems, initializer)
        node = Node(self, name or kind, "While", getattr(_control, kind).__wrapped__, (sub, elems, initializer))
        return self._outputs(node, sub.structure, sub.results)

    def _rows(self, elems):
        leaves = [_dense(self, x) for x in nest.flatten(elems)]
        for x in leaves:
            if x.shape.rank == 0:
                raise ConversionError("elems must be tensors of at least one axis")
        types = [(x.dtype, None if x.shape.rank is None else list(x.shape)[1:]) for x in leaves]
        counts = [list(x.shape)[0] if x.shape.rank is not None else None for x in leaves]
        known = [n for n in counts if n is not None]
        return nest.pack_sequence_as(elems, leaves), types, known[0] if known else None

    def _folding(self, fn, elems, initializer):
        if not callable(fn):
            raise _core.InvalidTypeError("fn must be callable.")
        elems, row_types, n = self._rows(elems)
        if initializer is None:
            start, start_types = elems, row_types
        else:
            leaves = [_dense(self, x) for x in nest.flatten(initializer)]
            initializer = start = nest.pack_sequence_as(initializer, leaves)
            start_types = [(x.dtype, None if x.shape.rank is None else x.shape) for x in leaves]
        sub = self.sub(fn, start_types + row_types, [start, elems], "fold_body")
        return sub, elems, initializer, n

    def _stacked(self, node, sub, n):
        outputs = [node.add_output(x.dtype, None if x.shape.rank is None else [n, *list(x.shape)]) for x in sub.results]
        return nest.pack_sequence_as(sub.structure, outputs)


def _list(values, what):
    if isinstance(values, dict):
        raise _core.InvalidTypeError(f"gradients: {what} must be a tensor or a list of them, not a dict")
    return nest.flatten(list(values)) if isinstance(values, (list, tuple)) else [values]


def _kinds(gradients):
    """What each gradient is: None, "dense", or for slices the dtype of their indices."""
    return [None if g is None else g.indices.dtype if isinstance(g, IndexedSlices) else "dense" for g in gradients]


def _dense(graph, x):
    return graph.convert(x.value() if isinstance(x, GraphVariable) else x)


def _as_list(out, structure):
    """What a body returns, in the structure of the loop's variables."""
    if isinstance(out, Node):
        raise ConversionError("while_loop: the body returns an operation; return the new loop variables")
    if not isinstance(out, (list, tuple)) or len(structure) == 1 and not (isinstance(out, list) and len(out) == 1):
        if not (isinstance(out, tuple) and len(out) == 1 and len(structure) == 1):
            out = [out] if not isinstance(out, (list, tuple)) or len(structure) == 1 else out
    return list(out)


def _either(a, b):
    """The shape of what is one of two."""
    if not isinstance(a, GraphTensor) or not isinstance(b, GraphTensor):
        return ()
    if a.shape.rank is None or b.shape.rank is None or len(a.shape) != len(b.shape):
        return None
    return [m if m == n else None for m, n in zip(a.shape, b.shape)]


def _check_invariant(i, x, shape, y):
    if x.dtype is not y.dtype:
        raise _core.InvalidTypeError(
            f"while_loop: loop variable {i} ({x.name}) enters the loop with dtype {x.dtype.name} and has {y.dtype.name} "
            "after one iteration; tf.cast one of them"
        )
    if shape is None:
        return
    new = y.shape
    fits = new.rank is not None and len(new) == len(shape) and all(m is None or m == n for m, n in zip(shape, new))
    if not fits:
        raise ConversionError(
            f"Input tensor '{x.name}' enters the loop with shape {shape}, but has shape {new} after one iteration. To "
            "allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
            "less-specific shape."
        )


def _choose(pred, yes, no):
    """cond on values; a branch without results is run for what it does."""
    return _control.cond.__wrapped__(pred, lambda: nest.flatten(yes()), lambda: nest.flatten(no()))


def _repeat(test, step, values, limit):
    leaves = nest.flatten(values)
    if limit is None or isinstance(limit, int):
        out = _control.while_loop.__wrapped__(
            lambda *x: test(*x), lambda *x: nest.flatten(step(*x)), leaves, maximum_iterations=limit
        )
        return list(out)
    out = _control.while_loop.__wrapped__(
        lambda i, *x: _both(i < limit, test, x), lambda i, *x: [i + 1, *nest.flatten(step(*x))], [limit * 0, *leaves]
    )
    return list(out)[1:]


def _both(left, test, values):
    return _control.cond.__wrapped__(left, lambda: test(*values), lambda: left)
