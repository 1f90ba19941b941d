"""All public functions of the package, as tests walk them."""

import inspect
import re

import reel
import reel.tf as tf

MODULES = {
    "reel": reel,
    "reel.data": reel.data,
    "reel.nn": reel.nn,
    "reel.linalg": reel.linalg,
    "reel.fft": reel.fft,
    "reel.random": reel.random,
}
TF_MODULES = {"tf": tf, "tf.math": tf.math, "tf.nn": tf.nn, "tf.linalg": tf.linalg}


def functions(modules):
    """(name, function) of everything public that can be called and is no class."""
    for prefix, module in modules.items():
        for name in sorted(dir(module)):
            f = getattr(module, name)
            if not name.startswith("_") and callable(f) and not isinstance(f, type):
                yield f"{prefix}.{name}", f


def parameters(f):
    """[(name, annotation, has a default)] of a function of the extension or of Python; None without a signature."""
    signatures = getattr(f, "__nb_signature__", None)
    if signatures:
        inside = signatures[0][0].split("(", 1)[1].rsplit(") ->", 1)[0]
        out = []
        for part in re.split(r",\s*(?![^\[(]*[\])])", inside):
            part = part.strip()
            if part in ("", "/", "*"):
                continue
            head, _, default = part.partition("=")
            name, _, annotation = head.partition(":")
            out.append((name.strip(), annotation.strip(), bool(default)))
        return out
    try:
        return [
            (p.name, "", p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
            for p in inspect.signature(f).parameters.values()
        ]
    except (TypeError, ValueError):
        return None
