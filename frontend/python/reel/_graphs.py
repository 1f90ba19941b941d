"""What the writers of other formats (stablehlo, tensorflow) share."""

from . import _core


def graph_of(writer, function, args):
    """The Module or Function that a writer of another format is given: of a reel.function its graph for `args`."""
    if not hasattr(function, "get_graph"):
        if args is not None:
            raise _core.InvalidArgumentError(f"{writer}: args are for a reel.function; a graph has its own")
        return function
    if args is not None:
        return function.get_graph(*args)
    graphs = [program.graph for program in function._programs.values()]
    if len(graphs) == 1:
        return graphs[0]
    raise _core.InvalidArgumentError(
        f"{writer}: {function!r} has {len(graphs)} graphs; pass args=[...], tensors or TensorSpecs, to say which"
    )
