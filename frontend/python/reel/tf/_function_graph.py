"""The graph of a concrete function: its ops by name, and a GraphDef that prints like TensorFlow's."""

from __future__ import annotations

import re as _re
import typing as _t

from . import nest
from ._shape import TensorSpec
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from .. import _core
    from ._concrete import ConcreteFunction

_OP = _re.compile(r"  (?P<results>%[^=]*) = (?P<op>\w+)(?P<rest>.*) : (?P<types>.*)$")
_NAME = _re.compile(r"[%@][\w./-]+")


class NodeDef:
    """One op: its name, what it is, the names of what it takes, and its attributes as text."""

    def __init__(self, name: str, op: str, inputs: list[str], attr: dict[str, str], types: list[str]) -> None:
        self.name, self.op, self.input, self.attr, self.device, self.types = name, op, inputs, attr, "", types

    def __str__(self) -> str:
        lines = [f'name: "{self.name}"', f'op: "{self.op}"', *(f'input: "{i}"' for i in self.input)]
        for key, value in self.attr.items():
            lines.append(f'attr {{\n  key: "{key}"\n  value: "{value}"\n}}')
        return "\n".join(lines) + "\n"

    __repr__ = __str__


class FunctionDef:
    """A function that nodes of control flow name."""

    def __init__(self, name: str, nodes: list[NodeDef]) -> None:
        self.name, self.node_def = name, nodes


class _Library:
    def __init__(self, functions):
        self.function = functions


class GraphDef:
    """Nodes, in the order they run, and a library of the functions that they name."""

    def __init__(self, nodes: list[NodeDef], functions: list[FunctionDef]) -> None:
        self.node, self.library = nodes, _Library(functions)

    def __str__(self) -> str:
        def block(kind: str, text: str) -> str:
            return kind + " {\n" + "".join(f"  {line}\n" for line in text.rstrip("\n").split("\n")) + "}\n"

        functions = "".join(
            block("function", f'name: "{f.name}"\n' + "".join(block("node_def", str(n)) for n in f.node_def))
            for f in self.library.function
        )
        nodes = "".join(block("node", str(n)) for n in self.node)
        return nodes + (block("library", functions) if functions else "")

    __repr__ = __str__


class Operation:
    """An op of a function's graph."""

    def __init__(self, graph: FunctionGraph, node: NodeDef) -> None:
        self.graph, self.node_def = graph, node

    @property
    def name(self) -> str:
        return self.node_def.name

    @property
    def type(self) -> str:
        return self.node_def.op

    @property
    def device(self) -> str:
        return ""

    def get_attr(self, name: str) -> str:
        """An attribute, as text; ValueError if there is none of this name."""
        if name not in self.node_def.attr:
            raise ConversionError(
                f"Operation '{self.name}' has no attr named '{name}'; it has {sorted(self.node_def.attr)}"
            )
        return self.node_def.attr[name]

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class FunctionGraph:
    """The ops of a concrete function, those that are compiled: names are Reel's."""

    building_function = True

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete
        self.function: _core.Function = concrete.program.graph(concrete._name)

    @property
    def name(self) -> str:
        return self._concrete._owner._name

    @property
    def structured_input_signature(self) -> Any:
        return self._concrete.structured_input_signature

    @property
    def structured_outputs(self) -> Any:
        return self._concrete.structured_outputs

    @property
    def inputs(self) -> list[Any]:
        return self._concrete.inputs

    @property
    def outputs(self) -> list[Any]:
        return self._concrete.outputs

    @property
    def variables(self) -> tuple[Any, ...]:
        return self._concrete.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return self._concrete.trainable_variables

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
        """Its nodes as a GraphDef: arguments and variables, ops, results; add_shapes writes the types of results."""
        functions = _functions(self.function.to_text(), add_shapes)
        names = [x.name for x in nest.flatten(self._concrete._input_specs()) if isinstance(x, TensorSpec)]
        entry = _renamed(functions.pop(self.function.name), names)
        return GraphDef(entry, [FunctionDef(name, nodes) for name, nodes in functions.items()])

    def get_operations(self) -> list[Operation]:
        """Its ops, in the order they run."""
        return [Operation(self, node) for node in self.as_graph_def().node]

    def get_operation_by_name(self, name: str) -> Operation:
        """The op of a name; KeyError (a LookupError) if there is none."""
        for op in self.get_operations():
            if op.name == name:
                return op
        raise KeyError(f"The name '{name}' refers to an Operation not in the graph; get_operations() has them all")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __repr__(self) -> str:
        return f"<FunctionGraph '{self.name}', {len(self.as_graph_def().node)} ops>"


def _functions(text, add_shapes):
    """Nodes by function of a module's text."""
    out: dict[str, list[NodeDef]] = {}
    for line in text.split("\n"):
        if line.startswith("func @"):
            name, _, rest = line[len("func @") :].partition("(")
            nodes = out[name] = []
            names, used = {}, {}
            arguments, _, states = rest.partition(" -> ")[0].partition(" state(")
            for kind, part in (("Placeholder", arguments), ("Variable", states)):
                for parameter, type_text in _re.findall(r"([%@][\w./-]+): ([a-z]\w*\[[^\]]*\])", part):
                    node = NodeDef(parameter[1:], kind, [], {"type": type_text}, [type_text])
                    names[parameter] = node.name
                    nodes.append(node)
        elif match := _OP.match(line):
            nodes.append(_node(match, names, used, add_shapes))
        elif line.startswith("  return"):
            for i, operand in enumerate(_NAME.findall(line.partition(" state(")[0])):
                nodes.append(NodeDef(f"return_{i}" if i else "return", "Return", [names.get(operand, operand)], {}, []))
    return out


def _node(match, names, used, add_shapes):
    op, rest = match["op"], match["rest"]
    count = used.get(op, 0)
    used[op] = count + 1
    name = f"{op}_{count}" if count else op
    operands, brace, attributes = rest.partition(" {")
    results = _NAME.findall(match["results"])
    for i, result in enumerate(results):
        names[result] = f"{name}:{i}" if i else name
    attr = {}
    if op == "constant":
        attr["value"] = operands.strip()
        inputs = []
    else:
        inputs = [names.get(x, x) for x in _NAME.findall(operands)]
    if brace:
        for key, value in _re.findall(r"(\w+)=((?:\[[^\]]*\]|\"[^\"]*\"|[^,}])+)", attributes):
            attr[key] = value
    types = match["types"].split(", ") if len(results) > 1 else [match["types"]]
    if add_shapes:
        attr["_output_shapes"] = "; ".join(types)
    return NodeDef(name, op, inputs, attr, types)


def _renamed(nodes, names):
    """The nodes of the function itself, its arguments by their own names."""
    new = {}
    for node, name in zip([n for n in nodes if n.op == "Placeholder"], names):
        new[node.name] = name or node.name
    for node in nodes:
        node.name = new.get(node.name, node.name)
        node.input = [new.get(i, i) for i in node.input]
    return nodes
