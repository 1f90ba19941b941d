"""keras.backend: functions of tensors by the names that older programs use; tf has each of them by another name."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _array, _control, _gather, _reductions
from .. import dtypes as _dtypes
from .. import math as _math
from .. import nn as _nn
from .. import random as _random
from .._convert import cast as _cast
from .._convert import constant as _constant
from .._scopes import name_scope as _name_scope
from .._tensor import TensorLike as _TensorLike
from .._variable import Variable as _TfVariable
from . import activations as _activations
from ._floatx import floatx as _floatx
from .ops._common import result_type as _result_type

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _dtype(dtype):
    return dtype or _floatx()


def _unary(name, f, doc):
    def op(x: Any) -> Any:
        return f(x)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


def _binary(name, f, doc):
    def op(x: Any, y: Any) -> Any:
        return f(x, y)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


def _reduction(name, f, doc, of_bools=False):
    def op(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if of_bools:
            x = _cast(x, "bool")
        elif isinstance(x, _TensorLike) and x.dtype.is_bool:
            x = _cast(x, _dtype(None))
        return f(x, axis, keepdims)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


abs = _unary("abs", _math.abs, "|x|.")
cos = _unary("cos", _math.cos, "cos(x).")
exp = _unary("exp", _math.exp, "e^x.")
log = _unary("log", _math.log, "ln(x).")
round = _unary("round", _math.round, "The nearest integers, a half to the even one.")
sigmoid = _unary("sigmoid", _math.sigmoid, "1 / (1 + e^-x).")
sign = _unary("sign", _math.sign, "-1, 0 or 1.")
sin = _unary("sin", _math.sin, "sin(x).")
softplus = _unary("softplus", _math.softplus, "ln(1 + e^x).")
softsign = _unary("softsign", _math.softsign, "x / (1 + |x|).")
sqrt = _unary("sqrt", lambda x: _math.sqrt(_math.maximum(x, 0.0)), "The square root; 0 of negative numbers.")
square = _unary("square", _math.square, "x^2.")
tanh = _unary("tanh", _math.tanh, "tanh(x).")
transpose = _unary("transpose", _array.transpose, "The axes in reverse order.")
equal = _binary("equal", _math.equal, "x == y, element by element.")
not_equal = _binary("not_equal", _math.not_equal, "x != y, element by element.")
greater = _binary("greater", _math.greater, "x > y, element by element.")
greater_equal = _binary("greater_equal", _math.greater_equal, "x >= y, element by element.")
less = _binary("less", _math.less, "x < y, element by element.")
less_equal = _binary("less_equal", _math.less_equal, "x <= y, element by element.")
maximum = _binary("maximum", _math.maximum, "The larger, element by element.")
minimum = _binary("minimum", _math.minimum, "The smaller, element by element.")
all = _reduction("all", _reductions.reduce_all, "Whether all are true.", True)
any = _reduction("any", _reductions.reduce_any, "Whether one is true.", True)
max = _reduction("max", _reductions.reduce_max, "The largest along axes.")
mean = _reduction("mean", _reductions.reduce_mean, "The mean along axes.")
min = _reduction("min", _reductions.reduce_min, "The smallest along axes.")
prod = _reduction("prod", _reductions.reduce_prod, "The product along axes.")
std = _reduction("std", _reductions.reduce_std, "The standard deviation along axes.")
sum = _reduction("sum", _reductions.reduce_sum, "The sum along axes.")
var = _reduction("var", _reductions.reduce_variance, "The variance along axes.")


def argmax(x: Any, axis: int = -1) -> Any:
    """The places of the largest along an axis."""
    return _math.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    """The places of the smallest along an axis."""
    return _math.argmin(x, axis)


def cast(x: Any, dtype: Any) -> Any:
    """The elements converted to a dtype."""
    return _cast(x, dtype)


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """Elements within [min_value, max_value]."""
    return _math.minimum(_math.maximum(x, min_value), max_value)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors one after the other along an axis."""
    return _array.concat(tensors, axis)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """A tensor of numbers, of floatx unless a dtype is given."""
    return _constant(value, dtype=_dtype(dtype), shape=shape)


def count_params(x: Any) -> int:
    """The number of elements."""
    return int(x.shape.num_elements())


def cumsum(x: Any, axis: int = 0) -> Any:
    """Sums of all elements up to each."""
    return _math.cumsum(x, axis)


def cumprod(x: Any, axis: int = 0) -> Any:
    """Products of all elements up to each."""
    return _math.cumprod(x, axis)


def dot(x: Any, y: Any) -> Any:
    """The product over the last axis of x and the last but one of y."""
    rank = len(y.shape)
    if len(x.shape) == 2 and rank == 2:
        return _math.matmul(x, y)
    return _math.tensordot(x, y, [[len(x.shape) - 1], [rank - 2 if rank > 1 else 0]])


def dtype(x: Any) -> str:
    """The name of the dtype."""
    return _dtypes.as_dtype(x.dtype).name


def elu(x: Any, alpha: float = 1.0) -> Any:
    """x where it is positive, alpha (e^x - 1) elsewhere."""
    return _activations.elu(x, alpha)


def eval(x: Any) -> Any:
    """The NumPy array of a tensor or variable."""
    return x.numpy()


def expand_dims(x: Any, axis: int = -1) -> Any:
    """With a new axis of one element."""
    return _array.expand_dims(x, axis)


def eye(size: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of ones on the diagonal."""
    rows, columns = size if isinstance(size, (tuple, list)) else (size, size)
    return variable(_array.eye(rows, columns, dtype=_dtype(dtype)), dtype, name)


def flatten(x: Any) -> Any:
    """The elements in a row."""
    return _array.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """Each example's elements in a row."""
    return _array.reshape(x, [x.shape[0], -1])


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """fn of what it gave and the next element, from the first on."""
    return _control.foldl(fn, elems, initializer)


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """fn of what it gave and the next element, from the last on."""
    return _control.foldr(fn, elems, initializer)


def gather(reference: Any, indices: Any) -> Any:
    """The rows of these numbers."""
    return _gather.gather(reference, indices)


def hard_sigmoid(x: Any) -> Any:
    """0.2 x + 0.5 within [0, 1]."""
    return _math.clip_by_value(x * 0.2 + 0.5, 0.0, 1.0)


def is_float_dtype(dtype: Any) -> bool:
    """Whether it is a floating-point dtype."""
    return _dtypes.as_dtype(dtype).is_floating


def is_int_dtype(dtype: Any) -> bool:
    """Whether it is an integer dtype."""
    return _dtypes.as_dtype(dtype).is_integer


def is_sparse(tensor: Any) -> bool:
    """False: there are no sparse tensors."""
    return False


def l2_normalize(x: Any, axis: Any = None) -> Any:
    """x by its length along axes."""
    return _math.l2_normalize(x, axis)


def map_fn(fn: Callable[..., Any], elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """fn of each row, stacked."""
    return _control.map_fn(fn, elems, dtype=dtype)


def moving_average_update(x: Any, value: Any, momentum: float) -> Any:
    """x = momentum x + (1 - momentum) value, of a variable."""
    return x.assign(x * momentum + _cast(value, x.dtype) * (1 - momentum))


def name_scope(name: str) -> Any:
    """tf.name_scope."""
    return _name_scope(name)


def ndim(x: Any) -> int:
    """The number of axes."""
    return len(x.shape)


def one_hot(indices: Any, num_classes: int) -> Any:
    """Class numbers as rows of zeros with a one."""
    return _gather.one_hot(indices, num_classes, axis=-1)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of ones."""
    return variable(_array.ones(shape, _dtype(dtype)), dtype, name)


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of zeros."""
    return variable(_array.zeros(shape, _dtype(dtype)), dtype, name)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of x."""
    return _array.ones_like(x, dtype)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in the shape of x."""
    return _array.zeros_like(x, dtype)


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """The axes in another order."""
    return _array.transpose(x, pattern)


def pow(x: Any, a: Any) -> Any:
    """x^a."""
    return _math.pow(x, a)


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Normal numbers."""
    return _random.normal(shape, mean, stddev, _dtype(dtype), seed)


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Uniform numbers in [minval, maxval)."""
    return _random.uniform(shape, minval, maxval, _dtype(dtype), seed)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Any:
    """Normal numbers within two standard deviations."""
    return _random.truncated_normal(shape, mean, stddev, _dtype(dtype), seed)


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """keras.activations.relu."""
    return _activations.relu(x, alpha, max_value, threshold)


def repeat(x: Any, n: int) -> Any:
    """Each row of a matrix n times, along a new second axis."""
    return _array.tile(_array.expand_dims(x, 1), [1, n, 1])


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each element rep times along an axis."""
    return _array.repeat(x, rep, axis)


def reshape(x: Any, shape: Any) -> Any:
    """The elements in another shape."""
    return _array.reshape(x, shape)


def result_type(*dtypes: Any) -> str:
    """The dtype of what these dtypes make together: names of dtypes, or int and float for Python's numbers."""
    return _result_type(*dtypes) if dtypes else _dtype(None)


def reverse(x: Any, axes: Any) -> Any:
    """The elements in reverse along axes."""
    return _array.reverse(x, [axes] if isinstance(axes, int) else axes)


def shape(x: Any) -> Any:
    """The extents, a tensor."""
    return _array.shape(x)


def softmax(x: Any, axis: int = -1) -> Any:
    """keras.activations.softmax."""
    return _activations.softmax(x, axis)


def squeeze(x: Any, axis: int) -> Any:
    """Without an axis of one element."""
    return _array.squeeze(x, [axis])


def stack(x: Any, axis: int = 0) -> Any:
    """Tensors along a new axis."""
    return _array.stack(x, axis)


def standardize_dtype(dtype: Any) -> str:
    """The name of a dtype; floatx for None."""
    return _dtypes.as_dtype(_dtype(dtype)).name


def stop_gradient(variables: Any) -> Any:
    """The same elements without a gradient."""
    if isinstance(variables, (list, tuple)):
        return [_array.stop_gradient(v) for v in variables]
    return _array.stop_gradient(variables)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """The first where the condition holds, else the second: tensors, or functions for a scalar condition."""
    if callable(then_expression) and callable(else_expression):
        return _control.cond(_cast(condition, "bool"), then_expression, else_expression)
    c = _cast(condition, "bool")
    rank = len(then_expression.shape)
    c = _array.reshape(c, [*c.shape, *[1] * (rank - len(c.shape))])
    return _gather.where(c, then_expression, else_expression)


def tile(x: Any, n: Any) -> Any:
    """The array so many times along each axis."""
    return _array.tile(x, [n] if isinstance(n, int) else n)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Any:
    """x + bias along the channels."""
    return _nn.bias_add(x, bias, "NC..." if data_format == "channels_first" else None)


def update(x: Any, new_x: Any) -> Any:
    """Assigns to a variable."""
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Adds to a variable."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """A tf.Variable of floatx unless a dtype is given."""
    return _TfVariable(_cast(value, _dtype(dtype)), name=name, constraint=constraint)


def batch_get_value(tensors: Any) -> Any:
    """The NumPy arrays of a list of tensors."""
    return [x.numpy() for x in tensors]


def batch_set_value(tuples: Any) -> None:
    """Assigns to variables: (variable, value) each."""
    for x, value in tuples:
        x.assign(value)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Any:
    """start, start + step, ... below stop."""
    from .._range import range as _range

    if stop is None:
        start, stop = 0, start
    return _cast(_range(start, stop, step), dtype)
