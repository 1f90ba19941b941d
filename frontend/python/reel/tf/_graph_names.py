"""Names and types that TensorFlow gives to the operations of its functions."""

from __future__ import annotations

# Of a function of reel.tf: the operation's default name and its type.
_TABLE = """
abs Abs Abs|add Add AddV2|add_n AddN AddN|acos Acos Acos|acosh Acosh Acosh|argmax ArgMax ArgMax|argmin ArgMin ArgMin
asin Asin Asin|asinh Asinh Asinh|atan Atan Atan|atan2 Atan2 Atan2|atanh Atanh Atanh|avg_pool AvgPool AvgPool
bias_add BiasAdd BiasAdd|broadcast_to BroadcastTo BroadcastTo|cast Cast Cast|ceil Ceil Ceil|cholesky Cholesky Cholesky
clip_by_value clip_by_value Maximum|complex Complex Complex|concat concat ConcatV2|conj Conj Conj|constant Const Const
conv2d Conv2D Conv2D|cos Cos Cos|cosh Cosh Cosh|cross_entropy xent SoftmaxCrossEntropyWithLogits
cumprod Cumprod Cumprod|cumsum Cumsum Cumsum|digamma Digamma Digamma|divide truediv RealDiv|dropout dropout SelectV2
div_no_nan div_no_nan DivNoNan|divide_no_nan div_no_nan DivNoNan|einsum einsum/Einsum Einsum|elu Elu Elu
ensure_shape EnsureShape EnsureShape|equal Equal Equal|erf Erf Erf|erfc Erfc Erfc|exp Exp Exp|expand_dims ExpandDims
expm1 Expm1 Expm1|fill Fill Fill|floor Floor Floor|floordiv floordiv FloorDiv|floormod FloorMod FloorMod
gather GatherV2 GatherV2|gather_nd GatherNd GatherNd|getitem strided_slice StridedSlice|greater Greater Greater
greater_equal GreaterEqual GreaterEqual|identity Identity Identity|identity_n IdentityN IdentityN|imag Imag Imag
is_finite IsFinite IsFinite|is_inf IsInf IsInf|is_nan IsNan IsNan|l2_loss L2Loss L2Loss|leaky_relu LeakyRelu LeakyRelu
less Less Less|less_equal LessEqual LessEqual|lgamma Lgamma Lgamma|log Log Log|log1p Log1p Log1p
log_softmax LogSoftmax LogSoftmax|logical_and LogicalAnd LogicalAnd|logical_not LogicalNot LogicalNot
logical_or LogicalOr LogicalOr|logical_xor LogicalXor LogicalXor|matmul MatMul MatMul|max_pool MaxPool MaxPool
maximum Maximum Maximum|minimum Minimum Minimum|mod FloorMod FloorMod|multiply Mul Mul|negative Neg Neg
norm norm Sqrt|normal random_normal RandomStandardNormal|not_equal NotEqual NotEqual|one_hot one_hot OneHot
ones ones Fill|ones_like ones_like OnesLike|pad Pad PadV2|pow Pow Pow|range range Range|rank Rank Rank|real Real Real
reciprocal Reciprocal Reciprocal|reduce_all All All|reduce_any Any Any|reduce_logsumexp ReduceLogSumExp Log
reduce_max Max Max|reduce_mean Mean Mean|reduce_min Min Min|reduce_prod Prod Prod|reduce_sum Sum Sum|relu Relu Relu
relu6 Relu6 Relu6|reshape Reshape Reshape|reverse ReverseV2 ReverseV2|rint Rint Rint|round Round Round
rsqrt Rsqrt Rsqrt|scatter_nd ScatterNd ScatterNd|selu Selu Selu|shape Shape Shape|shuffle RandomShuffle RandomShuffle
sigmoid Sigmoid Sigmoid|sigmoid_cross_entropy_with_logits logistic_loss AddV2|sign Sign Sign|sin Sin Sin
sinh Sinh Sinh|size Size Size|slice Slice Slice|softmax Softmax Softmax|softplus Softplus Softplus
softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits SoftmaxCrossEntropyWithLogits
softsign Softsign Softsign|split split Split|sqrt Sqrt Sqrt|square Square Square|squeeze Squeeze Squeeze
sparse_softmax_cross_entropy_with_logits SparseSoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits
squared_difference SquaredDifference SquaredDifference|stack stack Pack|stop_gradient StopGradient StopGradient
subtract Sub Sub|tan Tan Tan|tanh Tanh Tanh|tile Tile Tile|transpose transpose Transpose|truediv truediv RealDiv
truncated_normal truncated_normal TruncatedNormal|uniform random_uniform RandomUniform|unstack unstack Unpack
where SelectV2 SelectV2|zeros zeros Fill|zeros_like zeros_like ZerosLike|silu swish Mul|l2_normalize l2_normalize Mul
convert_to_tensor Const Const|print_v2 PrintV2 PrintV2|map_fn map While|scan scan While|foldl foldl While
foldr foldr While|top_k TopKV2 TopKV2|boolean_mask boolean_mask GatherV2
"""


def _parsed():
    rows = [entry.split() for line in _TABLE.split("\n") for entry in line.split("|") if entry.strip()]
    return {row[0]: (row[1], row[-1]) for row in rows}


_NAMES = _parsed()

# Of Python's operators: the name is the operator's.
OPERATORS = {
    "add": "AddV2",
    "sub": "Sub",
    "mul": "Mul",
    "truediv": "RealDiv",
    "floordiv": "FloorDiv",
    "mod": "FloorMod",
    "pow": "Pow",
    "matmul": "MatMul",
    "and": "LogicalAnd",
    "or": "LogicalOr",
    "xor": "LogicalXor",
    "lt": "Less",
    "le": "LessEqual",
    "gt": "Greater",
    "ge": "GreaterEqual",
    "neg": "Neg",
    "abs": "Abs",
    "invert": "LogicalNot",
    "pos": "Identity",
}
# Comparisons and what has one operand are named by their type.
NAMED_BY_TYPE = ("lt", "le", "gt", "ge", "neg", "abs", "invert", "pos", "matmul")


def default_names(function: object) -> tuple[str, str]:
    """The default name and the type of the operation that a function makes."""
    name = getattr(function, "__name__", type(function).__name__).strip("_<>")
    if name in _NAMES:
        return _NAMES[name]
    camel = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return name, camel or "Node"
