"""Names that are not there: what there is, and what was likely meant."""

import ast
import difflib
import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from . import _core

# What other libraries call an argument: names here, of which a function has one.
ARGUMENTS = {
    "lr": ["learning_rate"],
    "step_size": ["learning_rate"],
    "rate": ["learning_rate", "p"],
    "p": ["rate"],
    "prob": ["rate"],
    "dropout_rate": ["rate", "dropout"],
    "dim": ["axis", "axes"],
    "dims": ["axis", "axes", "shape"],
    "axes": ["axis"],
    "axis": ["axes"],
    "keepdim": ["keepdims"],
    "keep_dims": ["keepdims"],
    "correction": ["ddof"],
    "ddof": ["correction"],
    "a_min": ["min"],
    "a_max": ["max"],
    "clip_value_min": ["min"],
    "clip_value_max": ["max"],
    "out_features": ["units"],
    "features": ["units"],
    "output_size": ["units"],
    "hidden_size": ["units"],
    "in_features": ["inputs"],
    "input_size": ["inputs"],
    "input_dim": ["inputs", "vocabulary"],
    "output_dim": ["dim", "units"],
    "num_embeddings": ["vocabulary"],
    "embedding_dim": ["dim"],
    "out_channels": ["filters"],
    "kernel_size": ["size"],
    "pool_size": ["size"],
    "stride": ["strides"],
    "dilation_rate": ["dilation"],
    "bias": ["use_bias"],
    "with_bias": ["use_bias"],
    "kernel_initializer": ["kernel_init"],
    "weight_init": ["kernel_init"],
    "w_init": ["kernel_init"],
    "bias_initializer": ["bias_init"],
    "b_init": ["bias_init"],
    "nonlinearity": ["activation"],
    "eps": ["epsilon"],
    "betas": ["beta_1"],
    "b1": ["beta_1"],
    "b2": ["beta_2"],
    "beta1": ["beta_1"],
    "beta2": ["beta_2"],
    "clipnorm": ["clip"],
    "clip_norm": ["clip"],
    "momentum": ["decay"],
    "decay": ["weight_decay", "momentum"],
    "l2": ["weight_decay"],
    "alpha": ["decay", "rho"],
    "num_heads": ["heads"],
    "num_groups": ["groups"],
    "return_sequences": ["sequence"],
    "go_backwards": ["reverse"],
    "requires_grad": ["trainable"],
    "max_to_keep": ["keep"],
    "input": ["x"],
    "target": ["labels"],
    "targets": ["labels"],
    "y_true": ["labels"],
    "y_pred": ["logits", "predictions"],
}

# What other libraries call a function or class: names here, with the module where that is not reel.
NAMES = {
    "array": "asarray",
    "tensor": "asarray",
    "constant": "asarray",
    "as_tensor": "asarray",
    "convert_to_tensor": "asarray",
    "from_numpy": "asarray",
    "cat": "concat",
    "hstack": "concat",
    "vstack": "concat",
    "mm": "matmul",
    "bmm": "matmul",
    "mul": "multiply",
    "sub": "subtract",
    "div": "divide",
    "neg": "negative",
    "clamp": "clip",
    "clip_by_value": "clip",
    "view": "reshape",
    "permute": "permute_dims",
    "unsqueeze": "expand_dims",
    "cast": "astype",
    "gather": "take",
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "reduce_max": "max",
    "reduce_min": "min",
    "reduce_prod": "prod",
    "reduce_logsumexp": "logsumexp",
    "rand": "random.uniform",
    "randn": "random.normal",
    "seed": "random.seed",
    "manual_seed": "random.seed",
    "no_grad": "stop_gradient",
    "detach": "stop_gradient",
    "grad": "gradients",
    "value_and_grad": "gradients",
    "jit": "function",
    "Linear": "nn.Dense",
    "Conv1d": "nn.Conv1D",
    "Conv2d": "nn.Conv2D",
    "Conv3d": "nn.Conv3D",
    "BatchNorm2d": "nn.BatchNorm",
    "LayerNormalization": "nn.LayerNorm",
    "BatchNormalization": "nn.BatchNorm",
    "cross_entropy": "nn.softmax_cross_entropy",
    "CrossEntropyLoss": "nn.softmax_cross_entropy",
    "mse_loss": "nn.mean_squared_error",
    "ReLU": "nn.relu",
    "GELU": "nn.gelu",
    "Optimizer": "optim.Optimizer",
}
MODULES = ["reel", "reel.nn", "reel.optim", "reel.linalg", "reel.fft", "reel.random"]


def nearest(wanted: str, names: Sequence[str]) -> str | None:
    """The name that was likely meant, or None."""
    folded = {n.lower(): n for n in reversed(names)}
    if wanted.lower() in folded:
        return folded[wanted.lower()]
    known = [n for n in ARGUMENTS.get(wanted, []) if n in names]
    return (known or difflib.get_close_matches(wanted, names, 1) or [None])[0]


def choices(names: Sequence[str], wanted: str) -> str:
    """There are: a, b; did you mean 'b'?"""
    near = nearest(wanted, list(names))
    return f"there are: {', '.join(names)}" + (f"; did you mean '{near}'?" if near else "")


# --- calls that do not fit the function ---


def _parsed(text):
    """(ast.arguments, text of the signature) of what nanobind keeps: 'def f(x: TensorLike, /, axis: int = 0) -> Tensor'."""
    text = re.sub(r"\\=?(\d+)", "...", text)
    return ast.parse(text + ": ...").body[0].args, re.sub(r"^def \w+\((self(, )?)?", "(", text)


def _named(name, count):
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _mistake(called, signature, given, keywords):
    """What is wrong with a call, None if only the types of arguments can be."""
    args, text = signature
    positional = [a.arg for a in args.posonlyargs]
    either = [a.arg for a in args.args]
    if (positional + either)[:1] == ["self"]:
        given = given - 1
        (positional or either).pop(0)
    named, in_order = either + [a.arg for a in args.kwonlyargs], positional + either
    for k in keywords:
        if k in positional:
            return f"{called}: '{k}' has no name in calls: give it by its place, {called}({', '.join(in_order[: in_order.index(k) + 1])})"
        if k not in named and not args.kwarg:
            return f"{called}: there is no argument '{k}'; " + choices(in_order + named[len(either) :], k)
        if k in in_order[:given]:
            return f"{called}: '{k}' is given twice, by its place and by its name"
    if given > len(in_order) and not args.vararg:
        later = [a.arg for a in args.kwonlyargs]
        by_name = f"; by their names: {', '.join(later)}" if later else ""
        takes = f"takes {_named('argument', len(in_order))} by place"
        return f"{called}: {takes}{' (' + ', '.join(in_order) + ')' if in_order else ''}, {given} are given{by_name}"
    needed = in_order[: len(in_order) - len(args.defaults)] + [
        a.arg for a, default in zip(args.kwonlyargs, args.kw_defaults) if default is None
    ]
    missing = [n for n in needed if n not in in_order[:given] and n not in keywords]
    if missing:
        return f"{called}: needs {', '.join(missing)}; it is {called}{text}"
    return None


def explain(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """What is wrong with a call of a function of the extension that none of its signatures takes."""
    signatures = [_parsed(s[0]) for s in function.__nb_signature__]
    called = function.__name__
    if called == "__init__":
        called = type(arguments[0]).__name__
    mistakes = [_mistake(called, s, len(arguments), keywords) for s in signatures]
    if all(mistakes):
        return mistakes[0]
    if signatures[0][0].args[:1] and signatures[0][0].args[0].arg == "self":
        arguments = arguments[1:]
    types = [type(a).__name__ for a in arguments] + [f"{k}: {type(v).__name__}" for k, v in keywords.items()]
    return f"{called}: the arguments ({', '.join(types)}) are of other types than in {called}{signatures[0][1]}"


def _signature(function):
    """As _parsed, of a function of Python."""
    signature = inspect.signature(function)
    plain = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else ...)
        for p in signature.parameters.values()
    ]
    text = str(inspect.Signature(plain)).replace("Ellipsis", "...")
    return ast.parse(f"def f{text}: ...").body[0].args, text


def _explained(function):
    """The function; calls that do not fit it say what is wrong with them."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__.tb_next is not None or isinstance(error, _core.Error):
                raise  # of the function's own
        raise _core.InvalidTypeError(
            _mistake(function.__name__, _signature(function), len(args), kwargs)
            or f"{function.__name__}: the arguments do not fit {function.__name__}{inspect.signature(function)}"
        )

    return call


def explain_functions(names: dict[str, Any]) -> None:
    """Of a module's names, those of functions of the package that are written in Python: their calls explain mistakes
    as those of the extension do."""
    for name, value in names.items():
        if isinstance(value, types.FunctionType) and not name.startswith("_") and value.__module__.startswith("reel."):
            names[name] = _explained(value)


# --- attributes of modules ---


@functools.cache
def _public(module):
    """Public names of a module, with what one writes for them."""
    names = vars(sys.modules[module])
    return {n: f"{module}.{n}" for n in names if not n.startswith("_")}


def _alike(a, b):
    return difflib.SequenceMatcher(None, b, a).ratio()


def _likely(module, name):
    """What was likely meant by module.name, or None."""
    everywhere = {}
    for m in [module, *MODULES]:
        for n, full in _public(m).items():
            everywhere.setdefault(n, full)
    if name in everywhere:
        return everywhere[name]
    known = NAMES.get(name, "")
    for full in (f"{module}.{known}", f"reel.{known}"):
        owner, _, last = full.rpartition(".")
        if known and owner in sys.modules and hasattr(sys.modules[owner], last):
            return full
    near, own = nearest(name, list(everywhere)), nearest(name, list(_public(module)))
    return everywhere.get(own if own and _alike(name, own) >= _alike(name, near) else near)


def missing(module: str) -> Callable[[str], NoReturn]:
    """The function __getattr__ of a module."""

    def __getattr__(name: str) -> NoReturn:
        text = f"module '{module}' has no attribute '{name}'"
        if not name.startswith("_") and all(m in sys.modules for m in MODULES):
            near = _likely(module, name)
            text += f"; did you mean {near}?" if near else f"; dir({module}) names what there is"
        raise AttributeError(text)

    return __getattr__
