"""tf.distribute on one CPU: one replica, which is this process."""

from __future__ import annotations as _annotations

import contextlib as _contextlib
import enum as _enum
import threading as _threading
import typing as _t

from .. import _core
from . import math as _math
from . import nest as _nest
from ._convert import convert_to_tensor as _convert
from ._device_spec import DeviceSpec as _DeviceSpec
from .errors import ConversionError as _ConversionError
from .errors import StateError as _StateError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

__all__ = [
    "InputContext",
    "MirroredStrategy",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReplicaContext",
    "Strategy",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]


class ReduceOp(_enum.Enum):
    """How values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


def _reduce_op(op):
    if isinstance(op, ReduceOp):
        return op
    if isinstance(op, str) and op.upper() in ReduceOp.__members__:
        return ReduceOp[op.upper()]
    raise _ConversionError(f"{op!r} is not a valid ReduceOp; use 'SUM' or 'MEAN'")


class _State(_threading.local):
    strategy: Strategy | None = None  # of the scope around
    replica: ReplicaContext | None = None  # of the run around


_state = _State()
_process_wide: list[Strategy] = []


class Strategy:
    """One replica: run calls a function, reduce sums or averages over an axis of the one value."""

    def __init__(self, extended: object) -> None:
        if extended is not None:
            raise _core.UnimplementedError("Strategy: there is one CPU; use OneDeviceStrategy or MirroredStrategy")

    @property
    def num_replicas_in_sync(self) -> int:
        return 1

    @property
    def cluster_resolver(self) -> None:
        return None

    def scope(self) -> AbstractContextManager[Strategy]:
        """A context manager: the strategy is tf.distribute.get_strategy()'s inside."""
        return self._scope()

    @_contextlib.contextmanager
    def _scope(self) -> Iterator[Strategy]:
        outer, replica = _state.strategy, _state.replica
        if outer is not None and outer is not self:
            raise _StateError(f"Mixing different tf.distribute.Strategy objects: {outer} is not {self}")
        _state.strategy, _state.replica = self, None
        try:
            yield self
        finally:
            _state.strategy, _state.replica = outer, replica

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: object = None,
    ) -> Any:
        """fn(*args, **kwargs) in a replica's context; what it returns."""
        outer = _state.strategy, _state.replica
        if outer[1] is not None and outer[1].strategy is self and outer[0] is self:
            raise _StateError("`Strategy.run` is called inside a replica; call it outside of the function that it runs")
        _state.strategy, _state.replica = self, ReplicaContext(self, 0)
        try:
            return fn(*args, **(kwargs or {}))
        finally:
            _state.strategy, _state.replica = outer

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: int | None) -> Any:
        """The value of the one replica, summed or averaged over an axis if one is given."""
        op = _reduce_op(reduce_op)
        if axis is None:
            return _nest.map_structure(_convert, value)
        reduced = _math.reduce_sum if op is ReduceOp.SUM else _math.reduce_mean
        return _nest.map_structure(lambda x: reduced(x, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of the replicas, one after another: the value itself. ValueError for scalars."""

        def gathered(x: Any) -> Any:
            x = _convert(x)
            if not x.shape:
                raise _ConversionError("gather: a scalar has no axis; use experimental_local_results")
            return x

        return _nest.map_structure(gathered, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas: a tuple of the one."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """The dataset itself: the one replica gets whole batches."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: object = None
    ) -> Any:
        """dataset_fn of the only InputContext."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Callable[[Any], Any]) -> Any:
        """value_fn of the one replica's context."""
        return value_fn(ReplicaContext(self, 0))


class _DefaultStrategy(Strategy):
    """What get_strategy() gives outside of all scopes."""

    def __init__(self):
        super().__init__(None)

    @_contextlib.contextmanager
    def _scope(self):
        yield self


class OneDeviceStrategy(Strategy):
    """All on one device: the CPU."""

    def __init__(self, device: str) -> None:
        super().__init__(None)
        _checked_cpu(device)


class MirroredStrategy(Strategy):
    """A replica on each device: one, on the CPU. NotImplementedError for more devices."""

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: object = None) -> None:
        super().__init__(None)
        if devices is not None and len(devices) != 1:
            raise _core.UnimplementedError(f"MirroredStrategy: there is one CPU, not {len(devices)} devices: {devices}")
        for device in devices or ():
            _checked_cpu(device)
        if cross_device_ops is not None:
            raise _core.UnimplementedError("MirroredStrategy: one replica needs no cross_device_ops; leave it out")


def _checked_cpu(device):
    spec = _DeviceSpec.from_string(device)
    if spec.device_type not in (None, "CPU") or spec.device_index not in (None, 0):
        raise _core.UnimplementedError(f"tf.distribute: there is no device {device!r}; use '/cpu:0'")


class InputContext:
    """Which part of the input a replica takes: all."""

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The batch of a replica; ValueError unless the replicas divide it."""
        if global_batch_size % self.num_replicas_in_sync:
            raise _ConversionError(
                f"The global batch size {global_batch_size} is not divisible by num_replicas_in_sync "
                f"{self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync


class ReplicaContext:
    """What a function knows that a strategy runs."""

    def __init__(self, strategy: Strategy | None, replica_id_in_sync_group: int) -> None:
        self._strategy, self._id = strategy, replica_id_in_sync_group

    @property
    def strategy(self) -> Strategy:
        return self._strategy or _default

    @property
    def num_replicas_in_sync(self) -> int:
        return 1

    @property
    def replica_id_in_sync_group(self) -> int:
        return self._id

    def all_reduce(self, reduce_op: ReduceOp | str, value: Any, options: object = None) -> Any:
        """The sum or mean over the replicas: the value."""
        _reduce_op(reduce_op)
        return _nest.map_structure(_convert, value)

    def all_gather(self, value: Any, axis: int, options: object = None) -> Any:
        """The values of the replicas, one after another: the value."""
        return self.strategy.gather(value, axis)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """merge_fn(strategy, *args, **kwargs), outside of the replica."""
        outer, _state.replica = _state.replica, None
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            _state.replica = outer


_default = _DefaultStrategy()
_default_replica = ReplicaContext(None, 0)


def get_strategy() -> Strategy:
    """The strategy of the scope around; one that does nothing outside of all."""
    return _state.strategy or (_process_wide[0] if _process_wide else _default)


def has_strategy() -> bool:
    """Whether a scope is around, or experimental_set_strategy was called."""
    return get_strategy() is not _default


def in_cross_replica_context() -> bool:
    """Whether it is inside a scope and not in a function that the strategy runs."""
    return has_strategy() and _state.replica is None


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that runs; None inside a scope alone."""
    if in_cross_replica_context():
        return None
    return _state.replica or _default_replica


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """The strategy of all code outside of scopes; None for none again."""
    if _state.strategy is not None:
        raise _StateError("Must not be called inside a `tf.distribute.Strategy` scope.")
    _process_wide[:] = [] if strategy is None else [strategy]
