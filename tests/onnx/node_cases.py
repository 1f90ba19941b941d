"""Writes the node test cases of the installed `onnx` package as folders, as Debian's libonnx-testdata has them.

    python3 tests/onnx/node_cases.py OUT [TEXT]     # pip install onnx; TEXT: only cases whose names contain it
    REEL_ONNX_NODES=OUT build/tests/onnx_cases_test --gtest_filter='*Installed*'

Each case becomes OUT/NAME/model.onnx and OUT/NAME/test_data_set_N/{input,output}_M.pb; the test prints how many pass and
why others are refused.
"""

import json
import pathlib
import sys
import warnings

import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, info):
    """The bytes of a value of a case: a tensor, or what the type of the graph's input or output says."""
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    kind = info.type.WhichOneof("value")
    makers = {"sequence_type": numpy_helper.from_list, "optional_type": numpy_helper.from_optional,
              "map_type": numpy_helper.from_dict}
    return makers.get(kind, numpy_helper.from_array)(value, info.name).SerializeToString()


def write(case, folder):
    """One case as a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    if (case.rtol, case.atol) != (1e-3, 1e-7):
        (folder / "data.json").write_text(json.dumps({"rtol": case.rtol, "atol": case.atol}))
    for n, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{n}"
        data.mkdir(exist_ok=True)
        for prefix, values, infos in (("input", inputs, case.model.graph.input),
                                      ("output", outputs, case.model.graph.output)):
            for m, (value, info) in enumerate(zip(values, infos)):
                (data / f"{prefix}_{m}.pb").write_bytes(message(value, info))


def main():
    out = pathlib.Path(sys.argv[1])
    text = sys.argv[2] if len(sys.argv) > 2 else ""
    warnings.simplefilter("ignore")
    cases = [case for case in collect_testcases() if text in case.name]
    for case in cases:
        write(case, out / case.name)
    print(f"onnx {onnx.__version__}, opset {onnx.defs.onnx_opset_version()}: {len(cases)} cases in {out}")


if __name__ == "__main__":
    main()
