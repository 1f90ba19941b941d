"""TensorFlow's names that reel.tf refuses: why, and what to use instead. tests/python/tf_names.py checks that none of them is there.

A name refuses what lies under it, too; what is said of tf.x holds for tf.compat.v1.x.
"""

from __future__ import annotations

import sys
import typing as _t

if _t.TYPE_CHECKING:
    from types import ModuleType

_REASONS = {
    "ragged tensors: pad to one shape and use tf.sequence_mask": """tf.ragged tf.RaggedTensor tf.RaggedTensorSpec
        tf.ragged_fill_empty_rows tf.ragged_fill_empty_rows_grad""",
    "sparse tensors: gradients of gathers are tf.IndexedSlices, other data are dense": """tf.sparse tf.SparseTensor
        tf.SparseTensorSpec""",
    "quantised tensors: reel trains in float32, float64, float16 and bfloat16": """tf.quantization tf.qint8 tf.qint16
        tf.qint32 tf.quint8 tf.quint16""",
    "TPUs and GPUs: reel compiles for the CPU": "tf.tpu tf.dtensor tf.xla tf.mlir",
    "distribution over machines and devices": "tf.distribute.experimental",
    "files of TensorFlow's formats: reel.save, reel.export and tf.train.Checkpoint write and read models": """tf.saved_model
        tf.lite tf.graph_util tf.make_tensor_proto tf.make_ndarray tf.import_graph_def""",
    "operations of TensorFlow's runtime by their raw names: use the public function": """tf.raw_ops tf.load_library
        tf.load_op_library""",
}
_WHY = {name: why for why, names in _REASONS.items() for name in names.split()}


def reason(path: str) -> str:
    """Why a name such as tf.ragged.constant is refused; empty if it is not."""
    for full in (path, path.replace("tf.compat.v1.", "tf.", 1)):
        parts = full.split(".")
        for end in range(len(parts), 1, -1):
            why = _WHY.get(".".join(parts[:end]))
            if why:
                return why
    return ""


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that a module of reel.tf does not have: why it is refused, if it is."""
    path = f"tf{module.removeprefix('reel.tf')}.{name}"
    why = reason(path)
    if why:
        return AttributeError(f"{path} is refused; it is about {why}")
    return AttributeError(
        f"reel.tf has no {path.removeprefix('tf.')!r}: frontend/python/reel/tf/NAMES.md lists TensorFlow's names that are "
        "there; or use reel itself"
    )


def install(module: ModuleType) -> None:
    """Makes a public module of reel.tf answer for names that it does not have."""

    def __getattr__(name: str) -> _t.NoReturn:
        raise missing(module.__name__, name)

    module.__dict__.setdefault("__getattr__", __getattr__)


def install_all() -> None:
    """install for the public modules of reel.tf that are imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("reel.tf.") and not name.rpartition(".")[2].startswith("_"):
            install(module)
