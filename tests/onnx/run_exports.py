"""Runs exported models in ONNX Runtime: FOLDER has lists (*.json), models, inputs as bytes; results are written beside.

usage: run_exports.py FOLDER [NAME...]
"""

import ctypes
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

# ONNX Runtime's names of types where they are not those of NumPy, which has no bf16: its bits.
TYPES = {"float": "float32", "double": "float64", "bfloat16": "uint16"}


def tensor(info, data, shape):
    """The bytes of an input as ONNX Runtime takes them."""
    name = info.type.removeprefix("tensor(").removesuffix(")")
    array = np.frombuffer(data, TYPES.get(name, name)).reshape(shape)
    if name != "bfloat16":
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, onnx.TensorProto.BFLOAT16)


def bytes_of(value):
    """Those of a result; NumPy has not all types."""
    return ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())


def run(folder, case, session):
    """Runs a model as often as the list says, with state that goes out into the next run; gives the results of all."""
    steps = case.get("steps", 1)
    infos = session.get_inputs()[: case["inputs"]]
    inputs = [(folder / f"{case['name']}.in{k}").read_bytes() for k in range(len(infos))]
    metadata = session.get_modelmeta().custom_metadata_map
    state = {v: k.removeprefix("reel.state.") for k, v in metadata.items() if k.startswith("reel.state.")}
    names = [o.name for o in session.get_outputs()]
    out = [[] for name in names if name not in state]
    feeds = {}
    for step in range(steps):
        for info, data in zip(infos, inputs):
            size = len(data) // steps
            feeds[info.name] = tensor(info, data[step * size : (step + 1) * size], info.shape)
        for k, (name, value) in enumerate(zip(names, session.run_with_ort_values(names, feeds))):
            if name in state:
                feeds[state[name]] = value
            else:
                out[k].append(value)
    return out


def check_and_run(folder, case, options):
    """Checks and runs one model; its results go to NAME.out0, ..."""
    path = folder / f"{case['name']}.onnx"
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    for k, values in enumerate(run(folder, case, session)):
        (folder / f"{case['name']}.out{k}").write_bytes(b"".join(bytes_of(v) for v in values))


def main():
    """Runs all models of the folder, or of the named lists."""
    folder = pathlib.Path(sys.argv[1])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    for path in sorted(folder.glob("*.json")):
        if len(sys.argv) > 2 and path.stem not in sys.argv[2:]:
            continue
        for case in json.loads(path.read_text()):
            failure = folder / f"{case['name']}.err"
            failure.unlink(missing_ok=True)
            try:
                check_and_run(folder, case, options)
            except Exception as error:  # whatever is wrong is the answer
                failure.write_text(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
