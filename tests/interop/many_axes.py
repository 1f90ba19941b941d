"""Tensors of Reel's ten axes, more than TensorFlow's kernels take, in Reel and in TensorFlow."""

import numpy as np
from interop import TensorFlow

import reel

RANK = 10
SHAPE = (2,) * RANK


def cases():
    """What moves along axes or broadcasts, by name."""
    even = tuple(range(0, RANK, 2))
    return {
        "broadcast": lambda x: reel.broadcast_to(reel.sum(x, axis=even, keepdims=True), SHAPE),
        "reduce": lambda x: reel.max(x, axis=even),
        "transpose": lambda x: reel.transpose(x, tuple(reversed(range(RANK)))),
        "slice": lambda x: x[:, 1:, :, :1, ::2],
        "pad": lambda x: reel.pad(x, [[1, 0], [0, 2]] * (RANK // 2)),
        "reverse": lambda x: reel.flip(x, axis=even),
        "take": lambda x: reel.take(x, np.array([1, 0, 1]), axis=5),
        "concatenate": lambda x: reel.concatenate([x, x], axis=6),
        "where": lambda x: reel.where(x > 3, x, 0 * x),
        "contract": lambda x: reel.tensordot(x, x, axes=[even, even]),
        "argsort": lambda x: reel.argsort(x, axis=3),
        "cumsum": lambda x: reel.cumsum(x, axis=2),
    }


def main():
    x = np.arange(2**RANK, dtype=np.float32).reshape(SHAPE) % 37
    graphs = {name: reel.trace(f, [reel.TensorSpec(SHAPE)]) for name, f in cases().items()}
    want = {name: f(reel.asarray(x)).numpy() for name, f in cases().items()}
    backend = TensorFlow()
    for name, graph in graphs.items():
        (got,) = backend.compile(backend.export(graph, ""))(x)
        assert got.shape == want[name].shape, name
        assert np.array_equal(got, want[name]), name
    print(f"tensorflow: {len(graphs)} ops on {RANK} axes are equal")


if __name__ == "__main__":
    main()
