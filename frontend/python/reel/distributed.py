"""Training by a group of processes, with the same bits for any number of them.

    reel.distributed.init()                    # joins the processes that mpirun has started
    step = reel.distribute(train, shards=8)    # train is written for one machine and the global batch
    loss = step(x, labels)                     # x, labels: this process's part of the batch

    mpirun -n 4 python train.py

All processes call the same collectives in the same order; one that ends makes those of the others fail."""

from __future__ import annotations as _annotations

import atexit as _atexit
import inspect as _inspect
import sys as _sys
import time as _time
import typing as _typing

from . import _core
from ._function import _leaves, _rebuild
from ._mistakes import missing as _missing

if _typing.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._core import Function, Tensor
    from .typing import TensorLike


_joined = False  # by init


def init(comm: Any = None) -> None:
    """Joins the processes that `mpirun` has started; alone, where it has not. A second call does nothing.

    `comm` is an mpi4py communicator, whose processes are the group then; without one it is COMM_WORLD of mpi4py, if that
    has been imported, else Reel starts MPI itself. An exception that ends this process then ends the others too; one
    that all have is printed once, by the first. Raises RuntimeError where Reel was built without MPI, or with another
    one than mpi4py."""
    global _joined
    if _joined:
        return
    mpi4py = _sys.modules.get("mpi4py.MPI")
    if comm is None and mpi4py is not None and mpi4py.Is_initialized() and not mpi4py.Is_finalized():
        comm = mpi4py.COMM_WORLD
    if comm is not None:
        if mpi4py is None or not isinstance(comm, mpi4py.Comm) or comm == mpi4py.COMM_NULL:
            raise TypeError(f"init: comm must be an mpi4py communicator such as MPI.COMM_WORLD, got {comm!r}")
        _core._join_mpi_with(mpi4py._addressof(comm), mpi4py.Get_library_version())
        _atexit.register(_core._leave_mpi)  # mpi4py ends MPI later
    elif _core._started_by_mpi():
        _core._join_mpi()
    else:
        return
    _joined = True
    before = _sys.excepthook

    def fail(kind: Any, value: Any, trace: Any) -> None:
        if rank() > 0:  # what all processes raise is told once, by the first, which ends them
            _time.sleep(1)
            _sys.stderr.write(f"process {rank()} of {size()}:\n")
        before(kind, value, trace)
        _sys.stderr.flush()
        _core._fail_group(1)

    _sys.excepthook = fail


def size() -> int:
    """The number of processes, 1 if this one is alone."""
    return _core._group_size()


def rank() -> int:
    """The number of this process, from 0."""
    return _core._group_rank()


def all_reduce(x: TensorLike, op: str = "sum") -> Tensor:
    """The sum, mean or max of the processes' x, in a balanced tree in the order of ranks: the same bits for each."""
    return _core._all_reduce(x, op)


def all_gather(x: TensorLike) -> Tensor:
    """The processes' x, one behind the other along axis 0."""
    return _core._all_gather(x)


def reduce_scatter(x: TensorLike, op: str = "sum") -> Tensor:
    """This process's part of all_reduce(x, op): one of size() equal parts along axis 0."""
    return _core._reduce_scatter(x, op)


def all_to_all(x: TensorLike) -> Tensor:
    """x has size() equal parts along axis 0, part i for process i; the parts for this one, in the order of ranks."""
    return _core._all_to_all(x)


def broadcast(x: TensorLike, root: int = 0) -> Tensor:
    """The x of process `root`."""
    return _core._broadcast_from(x, root)


class _Distributed:
    """What distribute returns."""

    def __init__(
        self, step: Callable[..., Any], shards: int, whole: Sequence[str], bucket_bytes: int, shard_optimizer: bool
    ):
        self._step, self._shards, self._whole = step, shards, list(whole)
        self._bucket_bytes, self._shard_optimizer = bucket_bytes, shard_optimizer
        self._functions: dict[Any, tuple[Function, list[Any]]] = {}
        self._gathers: dict[Any, Function] = {}  # of those with an optimizer in parts
        self.__name__ = getattr(step, "__name__", "step")
        self.__doc__ = step.__doc__

    def _names(self, count: int) -> list[str]:
        try:
            names = [p.name for p in _inspect.signature(self._step).parameters.values()]
        except (TypeError, ValueError):
            names = []
        return names[:count] if len(names) >= count else [f"x{i}" for i in range(count)]

    def function(self, *args: Any) -> Function:
        """The graph that this process runs for arguments of these types."""
        return self._function([_core.asarray(x) for x in args])[0]

    def _function(self, tensors: list[Any]) -> tuple[Function, list[Any]]:
        key = tuple((x.dtype, x.shape) for x in tensors)
        known = self._functions.get((size(), key))
        if known is None:
            known = self._functions[size(), key] = self._make(tensors)
            if self._shard_optimizer and size() > 1:
                self._gathers[size(), key] = _core._gather_state(known[0])
        return known

    def _make(self, tensors: list[Any]) -> tuple[Function, list[Any]]:
        self.gather_state()  # of steps on other batches
        specs = []
        for name, x in zip(self._names(len(tensors)), tensors):
            shape = list(x.shape)
            if shape and name not in self._whole:
                shape[0] *= size()
            specs.append(_core.TensorSpec(shape, x.dtype, name))
        tree: list[Any] = []

        def traced(*args: Any) -> list[Any]:
            out: list[Any] = []
            result = self._step(*args)
            _leaves(result, out)
            tree.append(result)
            return out

        step = _core.trace(traced, specs, self.__name__)
        # Compares what the processes have.
        function = _core._data_parallel(
            step, self._shards, size(), self._whole, self._bucket_bytes, self._shard_optimizer
        )
        for v in step.variables:  # all begin with the values of the first process
            v.assign(broadcast(v.value()))
        return function, tree[-1:]

    def gather_state(self) -> None:
        """Makes the optimizer's slots whole in every process, of which it holds its part alone with
        `shard_optimizer`: before they are saved, read or used in another way than by this step. All processes call it.
        The next step takes its part of what they are then, and frees the rest: after a checkpoint has been loaded, of
        any number of processes, nothing else is to do."""
        for gather in self._gathers.values():
            gather()

    def __call__(self, *args: Any) -> Any:
        tensors = [_core.asarray(x) for x in args]
        function, tree = self._function(tensors)
        results = function(*tensors)
        leaves = [results] if isinstance(results, _core.Tensor) else list(results)
        return _rebuild(tree[0], iter(leaves))


def distribute(
    step: Callable[..., Any],
    shards: int = 8,
    *,
    whole: Sequence[str] = (),
    bucket_bytes: int = 64 << 10,
    shard_optimizer: bool = False,
) -> Callable[..., Any]:
    """A training step, written for one machine and the global batch, as each process of the group runs it.

    It takes this process's part of each batch: arguments of rank 1 or more are batches along axis 0, except those named
    in `whole`, which every process gets whole. The global batch is `shards` parts, which size() must divide; what they
    give is added in a balanced tree. So losses and variables have the same bits for any number of processes, and are
    those of one machine but for the order of additions; random numbers are those of the global batch. Results with a
    row per example are gathered. Variables begin with the values of the first process. Before the first step the
    processes compare version, class of CPU, shards and graph.

    Gradients smaller than half of `bucket_bytes` travel together, about so many bytes at a time: a message costs the
    time of many bytes. All processes must say the same; no bits depend on it.

    With `shard_optimizer` each process updates its part of every variable and sends it to the others, which changes no
    bits. Of the optimizer's slots, and other variables that updates alone read, it holds its part alone: reading one is
    an error until all processes have called `step.gather_state()`.

    Raises RuntimeError, naming who differs, where these are not the same, ValueError where `shards` does not divide
    the batch, size() does not divide `shards`, or bucket_bytes is less than 1, and NotImplementedError, naming the op, where an op mixes the rows in
    another way than by a sum or a maximum."""
    return _Distributed(step, shards, whole, bucket_bytes, shard_optimizer)


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.distributed")
