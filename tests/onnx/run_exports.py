"""Runs exported models in ONNX Runtime: FOLDER has lists (*.json), models, inputs as bytes; results are written beside.

usage: run_exports.py FOLDER [NAME...]
"""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime


def dtype_of(text):
    """The numpy dtype of ONNX Runtime's name of a tensor's type."""
    name = text.removeprefix("tensor(").removesuffix(")")
    return np.dtype({"float": "float32", "double": "float64"}.get(name, name))


def run(folder, case, session):
    """Runs a model as often as the list says, with state that goes out into the next run; gives the results of all."""
    steps = case.get("steps", 1)
    infos = session.get_inputs()[: case["inputs"]]
    inputs = []
    for k, info in enumerate(infos):
        data = (folder / f"{case['name']}.in{k}").read_bytes()
        shape = ([steps] if "steps" in case else []) + info.shape
        inputs.append(np.frombuffer(data, dtype_of(info.type)).reshape(shape))
    metadata = session.get_modelmeta().custom_metadata_map
    state = {v: k.removeprefix("reel.state.") for k, v in metadata.items() if k.startswith("reel.state.")}
    names = [o.name for o in session.get_outputs()]
    out = [[] for name in names if name not in state]
    feeds = {}
    for step in range(steps):
        feeds |= {info.name: x[step] if "steps" in case else x for info, x in zip(infos, inputs)}
        for k, (name, value) in enumerate(zip(names, session.run(names, feeds))):
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
        (folder / f"{case['name']}.out{k}").write_bytes(b"".join(v.tobytes() for v in values))


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
