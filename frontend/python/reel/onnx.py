"""Graphs as ONNX models. reel.import_onnx is the other way."""

from . import _core

__all__ = ["save"]


def save(
    graph: "_core.Function | _core.Module",
    path: str,
    opset: int = 17,
    *,
    entry: str = "",
    weights_as_inputs: bool = False,
    external_data: bool = False,
) -> None:
    """Writes a function, or an entry point of a module, as an ONNX model of this opset (17 to 28) that does the same.

    It may be inference, gradients or a whole training step. A variable that it updates is an input, with its value now
    as the default, and an output "<name>.next"; the model's metadata "reel.state.<input>" names that output. Variables
    that are only read are constants of the model, or with weights_as_inputs inputs with defaults. Symbolic extents
    become dim_params. external_data: weights go to the file <path>.data, as they must above 2 GiB. What ONNX cannot say
    raises an error that names the op before anything is written.

        step = reel.trace(train, [reel.TensorSpec((32, 784)), reel.TensorSpec((32,), reel.int64)])
        reel.onnx.save(step, "step.onnx")
    """
    _core._save_onnx(graph, path, opset, entry, weights_as_inputs, external_data)  # type: ignore[attr-defined]
