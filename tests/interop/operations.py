"""Results and dtype attributes of frontend/tensorflow/operations.def are those that TensorFlow knows."""

import pathlib
import re

from tensorflow.python.framework import op_def_registry

TABLE = pathlib.Path(__file__).resolve().parents[2] / "frontend/tensorflow/operations.def"


def faults():
    """What differs, one line each."""
    for name, ports, dtypes in re.findall(r'^OPERATION\((\w+), "([^"]*)", "([^"]*)"\)$', TABLE.read_text(), re.M):
        known = op_def_registry.get(name)
        if known is None:
            yield f"{name}: unknown"
            continue
        if [a.name for a in known.output_arg] != ports.split():
            yield f"{name}: results {[a.name for a in known.output_arg]}"
        types = {a.name for a in known.attr if a.type == "type"}
        for attribute, of, i in re.findall(r"(\w+)([:>])(\d)", dtypes):
            arguments = known.input_arg if of == ":" else known.output_arg
            # Equal dtypes of several operands have one attribute; that of a variable is not in the type of its handle.
            argument = arguments[int(i)] if int(i) < len(arguments) else None
            if attribute not in types or (argument and argument.type_attr not in (attribute, "")):
                yield f"{name}: attribute {attribute}"
        wanted = {a.name for a in known.attr if a.type == "type" and not a.HasField("default_value")}
        given = set(re.findall(r"(\w+)[:>]", dtypes))
        if name not in ("AssignVariableOp",) and wanted - given:
            yield f"{name}: lacks {wanted - given}"


def main():
    found = list(faults())
    print("\n".join(found) if found else "tensorflow: operations.def agrees with the registry")
    assert not found


if __name__ == "__main__":
    main()
