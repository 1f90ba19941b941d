"""What a case of TensorFlow's names gives, as JSON: values, errors, seeds and sums that both sides take alike."""

import re

import numpy as np

MOST = 4096  # elements of a result
keep_errors = False  # error_of: the exceptions themselves beside their names


def given(tf, made):
    """An input as the case's expression sees it."""
    kind, array, dtype = made
    if kind == "N":
        return array
    return (tf.Variable if kind == "V" else tf.constant)(array, dtype=getattr(tf, dtype))


def described(tf, value):
    """A result as JSON: tensors with dtype, shape and elements; structures; other values as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict) and "error" in value:
        return value
    if isinstance(value, dict):
        return {str(k): described(tf, v) for k, v in value.items()}
    if isinstance(value, (tf.TensorShape, tf.DType)):
        return str(value)
    if isinstance(value, tf.IndexedSlices):
        return described(tf, tf.convert_to_tensor(value))
    if isinstance(value, (list, tuple)):
        return [described(tf, v) for v in value]
    if isinstance(value, (float, np.generic, np.ndarray)):
        array, dtype = np.asarray(value), np.asarray(value).dtype.name
    elif hasattr(value, "numpy"):
        dtype = getattr(value.dtype, "name", str(value.dtype))
        array = np.asarray((tf.cast(value, tf.float32) if dtype == "bfloat16" else value).numpy())
    else:
        return str(type(value).__name__)
    return {"dtype": dtype, "shape": list(array.shape), "data": elements(array, dtype)}


def elements(array, dtype):
    flat = array.reshape(-1)[:MOST]
    if dtype.startswith("complex"):
        flat = np.stack([flat.real, flat.imag], -1).reshape(-1)
    if flat.dtype.kind in "iub":
        return [int(x) for x in flat]
    if flat.dtype.kind in "OSU":
        return [x.decode() if isinstance(x, bytes) else str(x) for x in flat]
    digits = 17 if flat.dtype == np.float64 else 9
    return [float(f"{float(x):.{digits}g}") for x in flat]


def error_of(error):
    """An error as JSON: the name of its class, and what it says without lines of files."""
    lines = [
        line for line in str(error).split("\n") if not re.search(r'File "|^\s*$|Graph execution|Detected at', line)
    ]
    text = re.sub(r"\{\{.*?\}\} |\s*\[\[\{\{.*?\}\}\]\]|\s*\[Op:__inference_\w+\]", "", " ".join(lines))
    return {"error": type(error).__name__, "text": text[:160], **({"raised": error} if keep_errors else {})}


def weights(tf, tensor, phase):
    """Numbers that differ from element to element, so that a gradient in a wrong place shows."""
    count = int(np.prod(tensor.shape.as_list(), dtype=np.int64))
    array = np.cos(np.arange(count) + phase).reshape(tensor.shape.as_list())
    return tf.cast(tf.constant(array), tensor.dtype)


def total(tf, value, phase):
    """The sum of all floating elements times weights, None if there is none."""
    leaves = [
        tf.convert_to_tensor(x) if isinstance(x, (tf.Variable, tf.IndexedSlices)) else x for x in tf.nest.flatten(value)
    ]
    sums = [
        tf.reduce_sum(x * weights(tf, x, phase + i))
        for i, x in enumerate(leaves)
        if tf.is_tensor(x) and (x.dtype.is_floating or x.dtype.is_complex)
    ]
    sums = [tf.cast(tf.math.real(s) if s.dtype.is_complex else s, tf.float64) for s in sums]
    return tf.add_n(sums) if sums else None


def tensors_of(tf, value):
    return [x for x in tf.nest.flatten(value) if isinstance(x, tf.Tensor)]
