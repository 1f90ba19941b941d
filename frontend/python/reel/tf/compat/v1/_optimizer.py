"""tf.compat.v1.train.Optimizer: what all optimizers share."""

from __future__ import annotations

import typing as _t

from .... import _core
from ... import _array, dtypes, nest
from ... import autodiff as _autodiff
from ..._convert import convert_to_tensor
from ..._graph_tensor import GraphTensor, GraphVariable, Node, Ref
from ..._slices import IndexedSlices
from ..._tape import GradientTape
from ..._tensor import TensorLike, wrap
from ..._trace import state
from ..._variable import Variable
from ...errors import ConversionError, StateError
from ._variables import group

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..._signatures import Gradient

    Pairs = Iterable[tuple[Gradient, Any]]


class Optimizer:
    """minimize(loss) = apply_gradients(compute_gradients(loss)). Gradients that are None are skipped.

    A subclass says its slots (`_slot_names`, `_initial`), its numbers (`_numbers`) and its rule (`_rule`): tensors of
    the variable, its slots, the numbers and the gradient, to the new variable and slots.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    _slot_names: tuple[str, ...] = ()
    _by_row = True  # of slices: rows that are not among them stay, in the slots too, and are not touched

    def __init__(self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False) -> None:
        if not name:
            raise ConversionError("Must specify the optimizer name")
        self._name, self._use_locking = name, use_locking
        self._slots: dict[str, dict[Any, Any]] = {}
        self._extra: list[Any] = []

    def get_name(self) -> str:
        return self._name

    # What a subclass says.
    def _numbers(self) -> list[Any]:
        return []

    def _initial(self, slot: str, shape: Any, dtype: Any) -> Any:
        return _array.zeros(shape, dtype)

    def _rule(self, variable: Any, slots: list[Any], numbers: list[Any], gradient: Any) -> tuple[Any, list[Any]]:
        raise NotImplementedError

    def _prepare(self, variables: list[Any]) -> None:
        """Makes variables that are not a slot's."""

    def _finish(self) -> list[Any]:
        """What runs after all updates: operations, or nothing when eager."""
        return []

    # Gradients.
    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = 1,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Gradient, Any]]:
        """Pairs (gradient, variable). Eager: the loss is a callable; var_list is what it reads unless given."""
        if callable(loss) and not isinstance(loss, TensorLike):
            self._check_gate(gate_gradients)
            return self._of_callable(loss, var_list, grad_loss)
        if state.graph is None:
            raise StateError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        self._check_gate(gate_gradients)
        found = state.graph.get_collection("trainable_variables") if var_list is None else nest.flatten(var_list)
        variables = list(dict.fromkeys(found))
        for v in variables:
            if not isinstance(v, GraphVariable):
                raise _core.InvalidTypeError(f"Argument is not a tf.Variable: {v}")
        if not variables:
            raise ConversionError("No variables to optimize.")
        loss = convert_to_tensor(loss)
        if not loss.dtype.is_floating:
            raise ConversionError(f"Invalid type {loss.dtype!r} for {loss.name}, expected: a floating dtype.")
        seeds = None if grad_loss is None else [grad_loss]
        gradients = _autodiff.gradients([loss], variables, seeds, aggregation_method=aggregation_method)
        return list(zip(gradients, variables))

    def _check_gate(self, gate):
        if gate not in (0, 1, 2):
            raise ConversionError(
                f"gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH. Not {gate}"
            )

    def _of_callable(self, loss, var_list, grad_loss):
        if state.graph is not None:
            return self.compute_gradients(loss(), var_list, grad_loss=grad_loss)
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(nest.flatten(var_list))
            value = loss()
        variables = list(tape.watched_variables() if var_list is None else nest.flatten(var_list))
        return list(zip(tape.gradient(value, variables, grad_loss), variables))

    # Updates.
    def apply_gradients(self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None) -> Any:
        """One update; adds 1 to global_step. In a graph: the operation that does it."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ConversionError("No variables provided.")
        present = [(g, v) for g, v in pairs if g is not None]
        if not present:
            raise ConversionError(
                f"No gradients provided for any variable: {[str(getattr(v, 'name', v)) for _, v in pairs]}."
            )
        kind = GraphVariable if state.graph is not None else Variable
        for g, v in present:
            if not isinstance(v, kind):
                where = "of the graph" if state.graph is not None else "that is eager"
                raise _core.InvalidTypeError(f"apply_gradients: {v!r} is no variable {where}")
            if not isinstance(g, (TensorLike, IndexedSlices)):
                raise _core.InvalidTypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {g}")
        if state.graph is None:
            self._apply_eagerly(present, global_step)
            return None
        return self._apply_in_graph(present, global_step, name or self._name)

    def _apply_eagerly(self, present, global_step):
        variables = [v for _, v in present]
        self._make_slots(variables)
        self._prepare(variables)
        for g, v in present:
            slots = [self._slots[name][v.ref()] for name in self._slot_names]
            numbers = [convert_to_tensor(_called(x), v.dtype) for x in self._numbers()]
            self._update(v, *slots, numbers, convert_to_tensor(g) if isinstance(g, TensorLike) else g)
        self._finish()
        if global_step is not None:
            global_step.assign_add(1)

    def _apply_in_graph(self, present, global_step, name):
        graph = state.graph
        variables = [v for _, v in present]
        with graph.control_dependencies(None):
            self._make_slots(variables)
        updates = []
        with graph.name_scope(name) as scope:
            with graph.control_dependencies(None):
                self._prepare(variables)
            numbers = [_called(x) for x in self._numbers()]
            casts: dict[Any, list[Any]] = {}
            for g, v in present:
                if v.dtype not in casts:
                    casts[v.dtype] = [_number(graph, x, v.dtype) for x in numbers]
                slots = [Ref(self._slots[slot][v]) for slot in self._slot_names]
                with graph.name_scope("update_" + v.node.name.replace("/", "_")):
                    kind = "ResourceApply" + type(self).__name__.removesuffix("Optimizer")
                    args = [Ref(v), *slots, casts[v.dtype], g]
                    updates.append(Node(graph, kind, kind, self._update, args, role="assign"))
            with graph.control_dependencies(updates):
                updates += self._finish()
        if global_step is None:
            train = group(*updates, name=scope)
        else:
            with graph.control_dependencies([group(*updates, name=scope + "update")]):
                train = global_step.assign_add(1, name=scope, read_value=False)
        graph.add_to_collection("train_op", train)
        return train

    def _update(self, variable, *rest):
        """The rule on live variables."""
        *slots, numbers, gradient = rest
        targets = [variable, *slots]
        if isinstance(gradient, IndexedSlices):
            slices = _core.IndexedSlices(gradient.values._t, gradient.indices._t, tuple(variable.shape))
            if self._by_row:
                return self._update_rows(targets, numbers, slices)
            gradient = wrap(slices.dense())
        old = [v.value() for v in targets]
        new, new_slots = self._rule(old[0], old[1:], numbers, gradient)
        for target, after in zip(targets, [new, *new_slots]):
            target.assign(after)
        return ()

    def _update_rows(self, targets, numbers, slices):
        """The rule on the rows that slices have, of the variable and its slots; nothing is as large as these."""
        rows, gradient = _core._sum_rows(targets[0], slices)
        old = [wrap(_core._rows_at(v, rows)) for v in targets]
        new, new_slots = self._rule(old[0], old[1:], numbers, wrap(gradient))
        for target, after in zip(targets, [new, *new_slots]):
            _core._set_rows(target, rows, after._t)
        return ()

    # Slots.
    def _make_slots(self, variables):
        for slot in self._slot_names:
            made = self._slots.setdefault(slot, {})
            for v in variables:
                key = v if isinstance(v, GraphVariable) else v.ref()
                if key not in made:
                    made[key] = self._new_slot(v, slot)

    def _new_slot(self, v, slot):
        initial = self._initial(slot, v.shape, v.dtype)
        if not isinstance(v, GraphVariable):
            return Variable(initial, trainable=False, name=f"{v.name.removesuffix(':0')}/{self._name}")
        with v.graph.name_scope(None):
            return v.graph.variable(initial, False, f"{v.node.name}/{self._name}")

    def _extra_variable(self, initial, name, dtype):
        """A variable that is no slot."""
        made = Variable(initial, trainable=False, name=name, dtype=dtype)
        self._extra.append(made)
        return made

    def get_slot(self, var: Any, name: str) -> Any:
        """The slot of this name of a variable, None if there is none."""
        return self._slots.get(name, {}).get(var if isinstance(var, GraphVariable) else var.ref())

    def get_slot_names(self) -> list[str]:
        """Names of slots that were made."""
        return sorted(name for name, made in self._slots.items() if made)

    def variables(self) -> list[Variable]:
        """Slots and what else the optimizer keeps."""
        return self._extra + [v for made in self._slots.values() for v in made.values()]

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = 1,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """One update that lowers the loss; ValueError if it depends on no variable."""
        pairs = self.compute_gradients(
            loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        if not any(g is not None for g, _ in pairs):
            raise ConversionError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)


def _called(x):
    return x() if callable(x) and not isinstance(x, TensorLike) else x


def _number(graph, x, dtype):
    if isinstance(x, GraphTensor) and x.dtype is not dtype:
        return dtypes.cast(x, dtype)
    return graph.convert(x, dtype)
