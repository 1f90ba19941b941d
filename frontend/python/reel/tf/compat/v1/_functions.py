"""Functions of tf.compat.v1 whose arguments are others than those of version 2."""

from __future__ import annotations

import typing as _t

import numpy as _np

from .... import _core
from ... import _array, dtypes, math, random
from ..._convert import constant as _constant
from ..._convert import convert_to_tensor as _convert
from ..._slices import IndexedSlices
from ..._tensor import TensorLike
from ..._trace import executing_eagerly, state
from ...errors import ConversionError, InvalidArgumentError
from ._arguments import flag, refuse, renamed

if _t.TYPE_CHECKING:
    from typing import Any


def _reduction(v2):
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axis = renamed("axis", axis, "reduction_indices", reduction_indices)
        return v2(input_tensor, axis=axis, keepdims=flag(keepdims, keep_dims), name=name)

    reduce.__name__ = reduce.__qualname__ = v2.__name__
    reduce.__doc__ = f"tf.{v2.__name__}; reduction_indices and keep_dims are old names of axis and keepdims."
    return reduce


reduce_sum, reduce_mean = _reduction(math.reduce_sum), _reduction(math.reduce_mean)
reduce_max, reduce_min = _reduction(math.reduce_max), _reduction(math.reduce_min)
reduce_prod, reduce_logsumexp = _reduction(math.reduce_prod), _reduction(math.reduce_logsumexp)
reduce_all, reduce_any = _reduction(math.reduce_all), _reduction(math.reduce_any)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Any:
    """How many elements are not zero."""
    x = renamed("input", input, "input_tensor", input_tensor)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    return math.count_nonzero(x, axis=axis, keepdims=flag(keepdims, keep_dims), dtype=dtype)


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = dtypes.int64
) -> Any:
    """Where an axis (0 unless given) is largest; dimension is axis's old name."""
    axis = renamed("axis", axis, "dimension", dimension)
    return math.argmax(input, 0 if axis is None else axis, output_type=output_type or dtypes.int64, name=name)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = dtypes.int64
) -> Any:
    """Where an axis (0 unless given) is smallest; dimension is axis's old name."""
    axis = renamed("axis", axis, "dimension", dimension)
    return math.argmin(input, 0 if axis is None else axis, output_type=output_type or dtypes.int64, name=name)


def arg_max(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """Where an axis is largest."""
    return math.argmax(input, dimension, output_type=output_type or dtypes.int64, name=name)


def arg_min(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """Where an axis is smallest."""
    return math.argmin(input, dimension, output_type=output_type or dtypes.int64, name=name)


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as Python 2 had it: rounded down for integers."""
    x = _convert(x, dtype_hint=getattr(y, "dtype", None))
    return math.floordiv(x, y) if x.dtype.is_integer else math.divide(x, y)


def floor_div(x: Any, y: Any, name: str | None = None) -> Any:
    """x // y."""
    return math.floordiv(x, y)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Elements of x where the condition holds, else of y; without them the indices where it does.

    x and y are of one shape. The condition has it too, or is a scalar, or a vector that chooses rows.
    """
    if x is None and y is None:
        return _array.where(condition)
    if x is None or y is None:
        raise ConversionError("x and y must both be non-None or both be None.")
    condition = _convert(condition, dtype_hint=dtypes.bool)
    x = _convert(x, dtype_hint=getattr(y, "dtype", None))
    y = _convert(y, dtype_hint=x.dtype)
    if None in (x.shape.rank, y.shape.rank, condition.shape.rank):
        return _array.where(condition, x, y)
    if not x.shape.is_compatible_with(y.shape):
        raise _value_error(
            f"where: x and y must have the same shape, not {x.shape} and {y.shape}; tf.where_v2 broadcasts"
        )
    rank = len(condition.shape)
    if rank == 1 and len(x.shape) > 1 and condition.shape[0] == x.shape[0]:
        condition = _array.reshape(condition, [-1] + [1] * (len(x.shape) - 1))
    elif rank and not condition.shape.is_compatible_with(x.shape):
        raise _value_error(
            f"where: the condition, of shape {condition.shape}, must have the shape of x, {x.shape}, or be a scalar, or a "
            "vector of as many elements as x has rows; tf.where_v2 broadcasts"
        )
    return _array.where(condition, x, y)


def _value_error(text):
    return InvalidArgumentError(text) if state.graph is None else ConversionError(text)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False) -> Any:
    """A tensor; in a graph or function too few elements for the shape are filled up with the last one, unless verify_shape."""
    if shape is None or isinstance(value, TensorLike):
        return _constant(value, dtype, shape, name)
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    numbers = _np.asarray(value)
    extents = [shape] if isinstance(shape, int) else [int(d) for d in shape]
    if verify_shape and list(numbers.shape) != extents:
        raise _core.InvalidTypeError(f"Expected Tensor's shape: {extents}, but got {list(numbers.shape)}.")
    size = int(_np.prod(extents, dtype=_np.int64))
    if executing_eagerly() and numbers.size not in (1, size):
        raise _core.InvalidTypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {numbers} has {numbers.size} elements, but got "
            f"`shape` {extents} with {size} elements"
        )
    if numbers.size > size:
        raise ConversionError(f"Too many elements provided. Needed at most {size}, but received {numbers.size}")
    if not 0 < numbers.size < size:
        return _constant(value, kind, extents, name)
    flat = numbers.reshape(-1).tolist()
    made = _constant(flat + flat[-1:] * (size - numbers.size), kind or (_convert(value).dtype))
    return _array.reshape(made, extents)


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None, dtype_hint: Any = None
) -> Any:
    """A tensor of a value; preferred_dtype is dtype_hint's old name."""
    hint = renamed("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return _convert(value, dtype, hint, name)


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The value as a tensor, unless it is slices."""
    return value if isinstance(value, IndexedSlices) else _convert(value, dtype, name=name)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """An axis of one element; dim is axis's old name."""
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ConversionError("Must specify an axis argument to tf.expand_dims()")
    return _array.expand_dims(input, axis, name=name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """Without axes of one element; squeeze_dims is axis's old name."""
    return _array.squeeze(input, renamed("axis", axis, "squeeze_dims", squeeze_dims), name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """Rows by index along an axis."""
    return _array.gather(params, indices, axis=axis, batch_dims=batch_dims, name=name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """gather with as many batch axes as indices have but one."""
    indices = _convert(indices)
    return _array.gather(params, indices, axis=len(indices.shape) - 1, batch_dims=len(indices.shape) - 1)


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Any:
    """Elements or slices by index vectors."""
    refuse("gather_nd", "bad_indices_policy", bad_indices_policy, "", "indices out of range are errors")
    if batch_dims:
        return _array.gather_nd(params, indices, batch_dims=batch_dims, name=name)
    return _array.gather_nd(params, indices, name=name)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None) -> Any:
    """The rows where the mask holds."""
    return _array.boolean_mask(tensor, mask, axis=axis, name=name)


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Zeros of the tensor's shape."""
    return _array.zeros_like(tensor, dtype, name=name)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Ones of the tensor's shape."""
    return _array.ones_like(tensor, dtype, name=name)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The shape as a vector."""
    return _array.shape(input, dtypes.int32 if out_type is None else out_type, name=name)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The number of elements."""
    return _array.size(input, dtypes.int32 if out_type is None else out_type, name=name)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None, constant_values: Any = 0) -> Any:
    """The tensor with elements around it."""
    return _array.pad(tensor, paddings, mode, constant_values, name=name)


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """Axes in another order, the reverse one unless perm is given."""
    if conjugate:
        return _array.transpose(a, perm, conjugate, name=name)
    return _array.transpose(a, perm, name=name)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """tf.norm; keep_dims is keepdims' old name."""
    from ... import linalg

    return linalg.norm(tensor, ord=ord, axis=axis, keepdims=flag(keepdims, keep_dims), name=name)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Any:
    """How often which label is predicted as what."""
    return math.confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=dtype, name=name)


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32
) -> Any:
    """How often each number occurs."""
    return math.bincount(arr, weights=weights, minlength=minlength, maxlength=maxlength, dtype=dtype)


def _block(size):
    """One number stands for both axes of space."""
    return [size, size] if isinstance(size, int) else size


def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None
) -> Any:
    """Blocks of space in the batch axis."""
    block = _block(renamed("block_shape", block_shape, "block_size", block_size))
    return _array.space_to_batch(input, block_shape=block, paddings=paddings, name=name)


def batch_to_space(input: Any, crops: Any, block_size: Any, name: str | None = None, block_shape: Any = None) -> Any:
    """Blocks of the batch axis in space."""
    block = _block(renamed("block_shape", block_shape, "block_size", block_size))
    return _array.batch_to_space(input, block_shape=block, crops=crops, name=name)


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Blocks of the batch axis in space."""
    return _array.batch_to_space(input, block_shape=block_shape, crops=crops, name=name)


def space_to_depth(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Any:
    """Blocks of space in the channels."""
    from ... import nn

    return nn.space_to_depth(input, block_size, data_format=data_format, name=name)


def depth_to_space(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Any:
    """Channels as blocks of space."""
    from ... import nn

    return nn.depth_to_space(input, block_size, data_format=data_format, name=name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
    seq_dim: Any = None,
    batch_dim: Any = None,
) -> Any:
    """The first elements of each sequence in reverse order."""
    axis, batch = (
        renamed("seq_axis", seq_axis, "seq_dim", seq_dim),
        renamed("batch_axis", batch_axis, "batch_dim", batch_dim),
    )
    return _array.reverse_sequence(input, seq_lengths, axis, batch, name=name)


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> Any:
    """Patches of images in the channels."""
    from ...image import extract_patches

    sizes = renamed("sizes", sizes, "ksizes", ksizes)
    return extract_patches(images, sizes=sizes, strides=strides, rates=rates, padding=padding, name=name)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """The tensor, made smaller if its norm by the number of elements is above clip_norm."""
    t = _convert(t)
    count = math.cast(_array.size(t), t.dtype) if hasattr(math, "cast") else dtypes.cast(_array.size(t), t.dtype)
    inverse = math.rsqrt(math.reduce_sum(t * t)) * count
    return t * clip_norm * math.minimum(inverse, _convert(1.0, t.dtype) / clip_norm)


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """The tensors, all of which are there when one is."""
    graph = state.graph
    present = [x for x in tensors if x is not None]
    if not present:
        raise ConversionError(f"Must have at least one Tensor: {tensors}.")
    if graph is None:
        return list(tensors)
    with graph.control_dependencies(present + list(control_inputs or [])):
        return [None if x is None else x if not isinstance(x, TensorLike) else _array.identity(x) for x in tensors]


def tuple_v2(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors, all of which are there when one is."""
    return tuple(tensors, name, control_inputs)


def _caster(name, dtype):
    def to(x: Any, name: str = name) -> Any:
        return dtypes.cast(x, dtype)

    to.__doc__ = f"The elements as {dtype}."
    return to


to_float, to_double = _caster("ToFloat", "float32"), _caster("ToDouble", "float64")
to_int32, to_int64 = _caster("ToInt32", "int32"), _caster("ToInt64", "int64")
to_bfloat16, to_complex64 = _caster("ToBFloat16", "bfloat16"), _caster("ToComplex64", "complex64")
to_complex128 = _caster("ToComplex128", "complex128")


def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None, message: str | None = None
) -> Any:
    """The tensor; an error with the message where it has NaN or Inf."""
    from ... import debugging

    x, message = renamed("x", x, "t", t), renamed("message", message, "msg", msg)
    return debugging.check_numerics(x, message)


def random_poisson(
    lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: int | None = None, name: str | None = None
) -> Any:
    """Poisson of these rates: shape + lam.shape."""
    return random.poisson(shape, lam, dtype=dtype, seed=seed)


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Any:
    """Classes drawn by unnormalised log probabilities: [batch, num_samples]."""
    return random.categorical(logits, num_samples, dtype=output_dtype, seed=seed)


def set_random_seed(seed: int) -> None:
    """The seed of the graph, or of the process when eager."""
    if state.graph is not None:
        state.graph.seed = seed
    random.set_seed(seed)


def get_seed(op_seed: int | None) -> Any:
    """(graph seed, op seed) of an op."""
    seed = None if state.graph is None else state.graph.seed
    return seed, op_seed


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Values at indices of a tensor that is default_value elsewhere."""
    values = _convert(sparse_values)
    indices = _convert(sparse_indices)
    if len(indices.shape) < 2:
        indices = _array.reshape(indices, [-1, 1])
    base = _array.fill(output_shape, _convert(default_value, values.dtype))
    if values.shape.rank == 0:
        values = _array.broadcast_to(values, [indices.shape[0]])
    return _array.tensor_scatter_nd_update(base, indices, values)


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """matmul of dense tensors in which zeros are many."""
    return math.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


def _segments(name):
    def segment(
        data: Any,
        indices: Any,
        segment_ids: Any,
        name: str | None = None,
        num_segments: Any = None,
        sparse_gradient: bool = False,
    ) -> Any:
        if not sparse_gradient:
            data = _array.squeeze(_array.expand_dims(data, -1), -1)  # whose gradient is no IndexedSlices
        rows = _array.gather(data, indices)
        if num_segments is not None:
            return getattr(math, "unsorted_segment_" + kind)(rows, segment_ids, num_segments)
        if kind == "sqrt_n":
            raise ConversionError("sparse_segment_sqrt_n: give num_segments")
        return getattr(math, "segment_" + kind)(rows, segment_ids)

    kind = name
    segment.__name__ = segment.__qualname__ = "sparse_segment_" + kind
    segment.__doc__ = f"segment_{kind} of the rows at the indices."
    return segment


sparse_segment_sum, sparse_segment_mean = _segments("sum"), _segments("mean")
sparse_segment_sqrt_n = _segments("sqrt_n")


__all__ = [
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_logsumexp",
    "reduce_all",
    "reduce_any",
    "count_nonzero",
    "argmax",
    "argmin",
    "arg_max",
    "arg_min",
    "div",
    "floor_div",
    "where",
    "constant",
    "convert_to_tensor",
    "convert_to_tensor_or_indexed_slices",
    "expand_dims",
    "squeeze",
    "gather",
    "batch_gather",
    "gather_nd",
    "boolean_mask",
    "zeros_like",
    "ones_like",
    "shape",
    "size",
    "pad",
    "transpose",
    "norm",
    "confusion_matrix",
    "bincount",
    "space_to_batch",
    "batch_to_space",
    "batch_to_space_nd",
    "space_to_depth",
    "depth_to_space",
    "reverse_sequence",
    "extract_image_patches",
    "clip_by_average_norm",
    "tuple",
    "to_float",
    "to_double",
    "to_int32",
    "to_int64",
    "to_bfloat16",
    "to_complex64",
    "to_complex128",
    "verify_tensor_all_finite",
    "random_poisson",
    "multinomial",
    "set_random_seed",
    "get_seed",
    "sparse_to_dense",
    "sparse_matmul",
    "sparse_segment_sum",
    "sparse_segment_mean",
    "sparse_segment_sqrt_n",
]
