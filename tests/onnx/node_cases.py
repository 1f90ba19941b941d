"""Writes the node test cases of the installed `onnx` package as folders, as Debian's libonnx-testdata has them.

    python3 tests/onnx/node_cases.py OUT [TEXT]     # pip install onnx; TEXT: only cases whose names contain it
    REEL_ONNX_NODES=OUT build/tests/onnx_cases_test --gtest_filter='*Installed*'
    python3 tests/onnx/node_cases.py tests/onnx/newer.tar.xz     # the small ones of opset 18 and newer

Each case becomes OUT/NAME/model.onnx and OUT/NAME/test_data_set_N/{input,output}_M.pb; the test prints how many pass and
why others are refused. It also says which operators frontend/onnx/OPERATORS.md lacks.
"""

import io
import pathlib
import re
import sys
import tarfile
import warnings

import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, info):
    """The bytes of a value of a case: a tensor, or what the type of the graph's input or output says."""
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    kind = info.type.WhichOneof("value")
    makers = {
        "sequence_type": numpy_helper.from_list,
        "optional_type": numpy_helper.from_optional,
        "map_type": numpy_helper.from_dict,
    }
    return makers.get(kind, numpy_helper.from_array)(value, info.name).SerializeToString()


def files(case):
    """The files of one case: {path: bytes}."""
    out = {f"{case.name}/model.onnx": case.model.SerializeToString()}
    for n, (inputs, outputs) in enumerate(case.data_sets):
        for prefix, values, infos in (
            ("input", inputs, case.model.graph.input),
            ("output", outputs, case.model.graph.output),
        ):
            for m, (value, info) in enumerate(zip(values, infos)):
                out[f"{case.name}/test_data_set_{n}/{prefix}_{m}.pb"] = message(value, info)
    return out


def is_newer(case):
    """Of an operator that Debian's release does not have in this form, and not one written out by its definition."""
    domains = {opset.domain for opset in case.model.opset_import}
    newest = max(opset.version for opset in case.model.opset_import)
    return domains <= {"", "ai.onnx"} and newest >= 18 and "_expanded" not in case.name


def write_archive(cases, path):
    """The small cases of newer operators, always the same bytes for the same cases."""
    count = 0
    with tarfile.open(path, "w:xz") as archive:
        for case in sorted(cases, key=lambda case: case.name):
            contents = files(case)
            if not is_newer(case) or sum(map(len, contents.values())) > 20000:
                continue
            count += 1
            for name, data in contents.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    return count


def missing_operators():
    """Operators of the installed release that OPERATORS.md does not have."""
    page = pathlib.Path(__file__).parents[2] / "frontend/onnx/OPERATORS.md"
    listed = set(re.findall(r"^\| (\w+) \|", page.read_text(), re.MULTILINE))
    return sorted({schema.name for schema in onnx.defs.get_all_schemas() if not schema.domain} - listed)


def main():
    out = sys.argv[1]
    text = sys.argv[2] if len(sys.argv) > 2 else ""
    warnings.simplefilter("ignore")
    cases = [case for case in collect_testcases() if text in case.name]
    count = len(cases)
    if out.endswith(".tar.xz"):
        count = write_archive(cases, out)
    else:
        for case in cases:
            for name, data in files(case).items():
                path = pathlib.Path(out, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
    print(f"onnx {onnx.__version__}, opset {onnx.defs.onnx_opset_version()}: {count} cases in {out}")
    print("not in OPERATORS.md:", ", ".join(missing_operators()) or "none")


if __name__ == "__main__":
    main()
