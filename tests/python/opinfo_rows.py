"""Which functions of Reel are compared with which of PyTorch.

SAMPLED: the samples and the oracle are those of PyTorch's OpInfo database; a row names the entry, and how its arguments
are called here. OWN: a function of Reel beside one of PyTorch on inputs drawn here, for what has no entry, or another
layout, defaults or grouping of arguments.
"""

import numpy as np
import torch

import reel
import reel.tf as tf

# fmt: off

F = torch.nn.functional
nn, la, rf = reel.nn, reel.linalg, reel.fft

# --- functions of the database, called with the same tensors, in the order of the entry ---
_SAME = """abs acos acosh angle asin asinh atan atanh ceil cos cosh digamma erf erfc erfinv exp exp2 expm1 floor isfinite
isinf isnan lgamma log log10 log1p log2 logical_not positive reciprocal round rsqrt sigmoid sign signbit sin sinc sinh sqrt
square tan tanh trunc add atan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign floor_divide
fmod hypot igamma igammac logaddexp logical_and logical_or logical_xor maximum minimum nextafter pow remainder xlogy lerp
complex isin matmul outer real conj""".split()
_RENAMED = {
    "negative": "neg", "bitwise_invert": "bitwise_not", "log_ndtr": "special.log_ndtr", "ndtr": "special.ndtr",
    "ndtri": "special.ndtri", "subtract": "sub", "multiply": "mul", "divide": "true_divide", "xlog1py": "special.xlog1py",
    "zeta": "special.zeta", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt",
    "greater_equal": "ge", "clip": "clamp", "identity": "clone", "broadcast_to": "broadcast_to",
    "sum": "sum", "prod": "prod", "mean": "mean", "max": "amax", "min": "amin", "any": "any", "all": "all",
    "logsumexp": "logsumexp", "count_nonzero": "count_nonzero", "argmax": "argmax", "argmin": "argmin",
    "cumulative_sum": "cumsum", "cumulative_prod": "cumprod", "cumulative_logsumexp": "logcumsumexp",
    "expand_dims": "unsqueeze", "reshape": "reshape", "permute_dims": "permute", "flip": "flip", "roll": "roll",
    "tril": "tril", "triu": "triu", "tile": "tile", "concat": "cat", "stack": "stack", "squeeze": "squeeze",
    "swapaxes": "transpose", "moveaxis": "movedim", "dot": "dot", "ones_like": "ones_like",
    "zeros_like": "zeros_like", "full_like": "full_like", "unstack": "unbind", "polygamma": "polygamma",
    "linalg.vector_norm": "linalg.vector_norm", "linalg.det": "linalg.det",
    "linalg.inv": "linalg.inv", "linalg.cholesky": "linalg.cholesky", "linalg.slogdet": "linalg.slogdet",
    "linalg.matrix_exp": "matrix_exp", "linalg.matrix_power": "linalg.matrix_power", "linalg.solve": "linalg.solve",
    "linalg.svdvals": "linalg.svdvals",
    "linalg.cross": "linalg.cross", "linalg.vecdot": "linalg.vecdot", "linalg.diagonal": "linalg.diagonal",
    "linalg.pinv": "linalg.pinv", "linalg.matrix_rank": "linalg.matrix_rank",
    "fft.fft": "fft.fft", "fft.ifft": "fft.ifft", "fft.rfft": "fft.rfft", "fft.irfft": "fft.irfft", "fft.fftn": "fft.fftn",
    "fft.ifftn": "fft.ifftn", "fft.rfftn": "fft.rfftn", "fft.irfftn": "fft.irfftn", "fft.hfft": "fft.hfft",
    "fft.ihfft": "fft.ihfft", "fft.fftshift": "fft.fftshift", "fft.ifftshift": "fft.ifftshift",
    "nn.relu": "nn.functional.relu", "nn.relu6": "nn.functional.relu6", "nn.selu": "nn.functional.selu",
    "nn.silu": "nn.functional.silu", "nn.log_sigmoid": "nn.functional.logsigmoid",
    "nn.softsign": "nn.functional.softsign", "nn.mish": "nn.functional.mish", "nn.hard_sigmoid": "nn.functional.hardsigmoid",
    "nn.hard_swish": "nn.functional.hardswish", "nn.hard_tanh": "nn.functional.hardtanh",
    "nn.tanh_shrink": "nn.functional.tanhshrink", "nn.elu": "nn.functional.elu", "nn.celu": "nn.functional.celu",
    "nn.hard_shrink": "nn.functional.hardshrink", "nn.soft_shrink": "nn.functional.softshrink",
    "nn.gelu": "nn.functional.gelu", "nn.glu": "nn.functional.glu", "nn.softmax": "softmax",
    "nn.log_softmax": "log_softmax", "nn.cosine_similarity": "nn.functional.cosine_similarity",
    "nn.mean_squared_error": "nn.functional.mse_loss", "nn.mean_absolute_error": "nn.functional.l1_loss",
    "nn.huber": "nn.functional.huber_loss", "nn.swish": "nn.functional.silu", "nn.sigmoid": "sigmoid", "nn.tanh": "tanh",
    "nn.binary_cross_entropy": "nn.functional.binary_cross_entropy",
    # reel.tf, where its names or its code are others than reel's
    "tf.math.divide": "true_divide", "tf.math.floordiv": "floor_divide", "tf.math.mod": "remainder",
    "tf.math.truncatemod": "fmod", "tf.math.pow": "pow", "tf.math.is_nan": "isnan", "tf.math.is_inf": "isinf",
    "tf.math.is_finite": "isfinite", "tf.math.rint": "round",
}
for _n in """abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc erfinv exp expm1 floor lgamma log log1p
reciprocal round rsqrt sigmoid sign sin sinh sqrt square tan tanh add atan2 igamma igammac maximum minimum xlogy logical_not nextafter angle""".split():
    _RENAMED[f"tf.math.{_n}"] = _n
for _n, _o in {"subtract": "sub", "multiply": "mul", "negative": "neg", "equal": "eq", "not_equal": "ne", "less": "lt",
               "less_equal": "le", "greater": "gt", "greater_equal": "ge", "ndtri": "special.ndtri",
               "xlog1py": "special.xlog1py", "zeta": "special.zeta", "log_sigmoid": "nn.functional.logsigmoid",
               "polygamma": "polygamma", "truediv": "true_divide",
               "floormod": "remainder"}.items():
    _RENAMED[f"tf.math.{_n}"] = _o
for _n, _o in {"relu": "relu", "relu6": "relu6", "selu": "selu", "silu": "silu", "swish": "silu",
    "softsign": "softsign",
               "elu": "elu", "gelu": "gelu"}.items():
    _RENAMED[f"tf.nn.{_n}"] = f"nn.functional.{_o}"

SAMPLED = {**{f"reel.{n}": n for n in _SAME},
           **{(n if n.startswith("tf.") else f"reel.{n}"): o for n, o in _RENAMED.items()}}

# PyTorch's keywords here; None: the sample is left out if it has a value.
KEYWORDS = {"dim": "axis", "keepdim": "keepdims", "dims": "axis", "approximate": "approximate", "lambd": "bound",
            "ord": "ord", "diagonal": "k", "offset": "offset", "alpha": "alpha", "delta": "delta", "reduction": "reduction",
            "min": "min", "max": "max", "n": "n", "s": "s", "norm": "norm", "upper": "upper", "shifts": "shift",
            "fill_value": "fill_value", "rtol": "rtol"}
# Entries whose alpha, rounding mode and the like have no counterpart.
DROPPED = {"out", "dtype", "driver", "hermitian", "rounding_mode", "weight", "beta", "threshold", "inplace", "device",
           "layout", "memory_format", "requires_grad", "atol", "unbiased", "correction", "assume_unique", "invert"}
# Positional arguments after the input that are keywords here, by entry.
POSITIONAL = {"flip": ["axis"], "tril": ["k"], "triu": ["k"], "softmax": ["axis"], "log_softmax": ["axis"],
              "cumsum": ["axis"], "cumprod": ["axis"], "logcumsumexp": ["axis"], "stack": ["axis"], "cat": ["axis"],
              "unbind": ["axis"], "roll": ["shift",
                  "axis"], "linalg.vector_norm": ["ord"], "linalg.matrix_norm": ["ord", "axis"],
              "unsqueeze": ["axis"], "squeeze": ["axis"], "logsumexp": ["axis",
                  "keepdims"], "nn.functional.glu": ["axis"]}

Z = np.random.default_rng(20)


def normal(*shape):
    return Z.standard_normal(shape)


def positive(*shape):
    return Z.uniform(0.2, 3.0, shape)


def unit(*shape):
    return Z.uniform(0.05, 0.95, shape)


def spd(n):
    a = normal(n, n)
    return a @ a.T + n * np.eye(n)


def labels(n, *shape):
    return Z.integers(0, n, shape)


def first_last(x):
    """Channels from the second to the last place."""
    return x.movedim(1, -1)


def last_first(x):
    return x.movedim(-1, 1)


def _pool(f, **k):
    return lambda x: first_last(f(last_first(x), **k))


def _conv(f, axes, groups=1, **k):
    # filters here are [spatial..., in, out]
    return lambda x, w: first_last(f(last_first(x), w.permute(*([axes + 1, axes] + list(range(axes)))), groups=groups,
        **k))


def _segment(kind):
    def f(x, s):
        start = {"sum": 0.0, "amax": -np.inf, "amin": np.inf, "prod": 1.0, "mean": 0.0}[kind]
        out = torch.full((4,) + x.shape[1:], start, dtype=x.dtype)
        index = s[:, None].expand_as(x)
        return out.scatter_reduce(0, index, x, kind, include_self=False)
    return f


OWN = []


def own(name, ours, oracle, *inputs, grad=True, dtypes=None, integers=False):
    OWN.append((name, ours, oracle, inputs, grad, dtypes, integers))


def like(name, oracle, *inputs, prefix=reel, **k):
    f = prefix
    for part in name.split(".")[1:]:
        f = getattr(f, part)
    own(name, f, oracle, *inputs, **k)


A = normal(3, 4)
# --- elementwise without an entry ---
like("reel.cbrt", lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3), positive(3, 4))
like("reel.erfcinv", lambda x: torch.erfinv(1 - x), Z.uniform(0.3, 1.7, (3, 4)))
like("reel.divide_no_nan", lambda x, y: x / y, A, positive(3, 4))
like("reel.stop_gradient", lambda x: x, A, grad=False)
like("reel.imag", lambda x: torch.zeros_like(x), A, grad=False)
like("reel.lbeta", lambda x, y: torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y), positive(3, 4), positive(3, 4))
own("reel.betainc", lambda x: reel.betainc(2.0, 1.0, x), lambda x: x * x, unit(5))
like("reel.nn.softplus", F.softplus, A)
own("reel.where", lambda x, y: reel.where(x > y, x, y * 2), lambda x, y: torch.where(x > y, x, y * 2), A, normal(4),
    integers=True)
own("reel.clip", lambda x: reel.clip(x, -0.5, 0.75), lambda x: x.clamp(-0.5, 0.75), A)
like("reel.power", torch.pow, positive(4), normal(4))
like("reel.absolute", torch.abs, A)
for n, t in {"arccos": torch.acos, "arcsin": torch.asin, "arctanh": torch.atanh, "arcsinh": torch.asinh,
    "arctan": torch.atan}.items():
    like(f"reel.{n}", t, unit(4))
like("reel.arccosh", torch.acosh, positive(4) + 1)
like("reel.arctan2", torch.atan2, normal(4), normal(4))
own("reel.bitcast", lambda x: reel.bitcast(x, reel.int64), lambda x: x.view(torch.int64), normal(4), grad=False,
    dtypes=["float64"])
own("reel.astype", lambda x: reel.astype(x, reel.float64), lambda x: x.double(), A)
own("reel.asarray", lambda x: reel.asarray(x), lambda x: x, A)
# --- reductions ---
for k in (0, 1):
    own("reel.var", lambda x, k=k: reel.var(x, axis=1, correction=k), lambda x, k=k: x.var(1, correction=k), A)
    own("reel.std", lambda x, k=k: reel.std(x, axis=0, correction=k, keepdims=True), lambda x, k=k: x.std(0,
        correction=k, keepdim=True), A)
own("reel.median", lambda x: reel.median(x, axis=1), lambda x: x.median(1).values, normal(3, 5))
own("reel.cumulative_max", lambda x: reel.cumulative_max(x, axis=1), lambda x: x.cummax(1).values, A, integers=True)
own("reel.cumulative_min", lambda x: reel.cumulative_min(x, axis=0), lambda x: x.cummin(0).values, A, integers=True)
own("reel.cumsum", lambda x: reel.cumsum(x, axis=1), lambda x: x.cumsum(1), A)
own("reel.cumprod", lambda x: reel.cumprod(x, axis=1), lambda x: x.cumprod(1), A)
own("reel.trace of matrices", lambda x: la.trace(x), lambda x: x.trace(), normal(4, 4))
own("reel.linalg.trace", lambda x: la.trace(x, offset=1), lambda x: x.diagonal(1).sum(), normal(4, 4))
own("reel.nn.moments", lambda x: nn.moments(x, axis=0)[1], lambda x: x.var(0, correction=0), A)
# --- shapes ---
own("reel.transpose", lambda x: reel.transpose(x, (2, 0, 1)), lambda x: x.permute(2, 0, 1), normal(2, 3, 4),
    integers=True)
own("reel.matrix_transpose", reel.matrix_transpose, lambda x: x.mT, normal(2, 3, 4), integers=True)
own("reel.linalg.matrix_transpose", la.matrix_transpose, lambda x: x.mT, A)
own("reel.repeat", lambda x: reel.repeat(x, 3, axis=1), lambda x: x.repeat_interleave(3, 1), A, integers=True)
own("reel.repeat", lambda x: reel.repeat(x, [1, 0, 2], axis=0), lambda x: x.repeat_interleave(torch.tensor([1, 0, 2]),
    0), A)
own("reel.split", lambda x: reel.split(x, 2, axis=1), lambda x: x.split(2, 1), A, integers=True)
own("reel.split", lambda x: reel.split(x, [1, 3], axis=1), lambda x: x.split([1, 3], 1), A)
own("reel.concatenate", lambda x, y: reel.concatenate([x, y], axis=1), lambda x, y: torch.cat([x, y], 1), A, normal(3,
    2))
own("reel.diag", reel.diag, torch.diag_embed, normal(3), integers=True)
own("reel.diag", lambda x: reel.diag(x, k=-1), lambda x: torch.diag_embed(x, -1), normal(2, 3))
own("reel.pad", lambda x: reel.pad(x, ((1, 2), (0, 3)), constant_values=0.5), lambda x: F.pad(x, (0, 3, 1, 2),
    value=0.5), A)
for mode, theirs in (("edge", "replicate"), ("reflect", "reflect"), ("wrap", "circular")):
    own("reel.pad", lambda x, m=mode: reel.pad(x, ((0, 0), (0, 0), (1, 2)), m), lambda x, m=theirs: F.pad(x, (1, 2),
        m), normal(1, 2, 4))
own("reel.meshgrid", lambda x, y: reel.meshgrid(x, y, indexing="ij"), lambda x, y: torch.meshgrid(x, y,
    indexing="ij"), normal(3), normal(2))
own("reel.broadcast_arrays", lambda x, y: reel.broadcast_arrays(x, y), torch.broadcast_tensors, normal(3, 1), normal(2))
own("reel.empty_like", lambda x: reel.empty_like(x) * 0, torch.zeros_like, A, grad=False)
own("reel.extent_of", lambda x: reel.extent_of(x, 1), lambda x: torch.tensor(x.shape[1]), A, grad=False)
own("reel.eye", lambda x: x @ reel.eye(4, 5, k=1, dtype=x.dtype), lambda x: x @ torch.diag_embed(torch.ones(4,
    dtype=x.dtype), 1)[:4], A)
own("reel.zeros", lambda x: x + reel.zeros((4,), dtype=x.dtype), lambda x: x, A)
own("reel.ones", lambda x: x * reel.ones((4,), dtype=x.dtype), lambda x: x, A)
own("reel.empty", lambda x: x * (0 * reel.empty((4,), dtype=x.dtype) + 1), lambda x: x, A)
own("reel.full", lambda x: x * reel.full((4,), 0.5, dtype=x.dtype), lambda x: x * 0.5, A)
own("reel.arange", lambda x: x * reel.arange(4, dtype=x.dtype), lambda x: x * torch.arange(4), A)
own("reel.linspace", lambda x: x * reel.linspace(0, 1, 4, dtype=reel.float64), lambda x: x * torch.linspace(0, 1, 4,
    dtype=torch.float64), A, dtypes=["float64"])
# --- indexing and order ---
I = np.array([2, 0, 2])
own("reel.take_along_axis", lambda x, i: reel.take_along_axis(x, i, axis=1), lambda x, i: x.gather(1, i), A,
    np.array([[0, 2], [1, 3], [3, 0]]), integers=True)
own("reel.take", lambda x, i: reel.take(x, i, axis=1), lambda x, i: x.index_select(1, i), A, I, integers=True)
own("reel.gather_nd", lambda x, i: reel.gather_nd(x, i), lambda x, i: x[i[:, 0], i[:, 1]], A, np.array([[0, 1], [2,
    3], [0, 1]]))
own("reel.put_along_axis", lambda x, i, v: reel.put_along_axis(x, i, v, axis=1), lambda x, i, v: x.scatter(1, i, v),
    A, np.array([[0, 2], [1, 3], [3, 0]]), normal(3, 2))
for mode, theirs in (("add", "sum"), ("mul", "prod"), ("max", "amax"), ("min", "amin")):
    own("reel.put_along_axis", lambda x, i, v, m=mode: reel.put_along_axis(x, i, v, axis=1, mode=m),
        lambda x, i, v, m=theirs: x.scatter_reduce(1, i, v, m), A, np.array([[0, 2], [1, 3], [3, 0]]), normal(3, 2))
own("reel.scatter", lambda x, i, v: reel.scatter(x, i, v, mode="add"), lambda x, i, v: x.index_add(0, i, v), A, I,
    normal(3, 4))
own("reel.scatter", lambda x, i, v: reel.scatter(x, i, v), lambda x, i, v: x.index_copy(0, i, v), A, np.array([2, 0]),
    normal(2, 4))
own("reel.scatter_nd", lambda v, i: reel.scatter_nd(i, v, (3,)), lambda v, i: torch.zeros(3,
    dtype=v.dtype).index_add(0, i[:, 0], v), normal(4), np.array([[0], [2], [2], [1]]))
own("reel.tensor_scatter", lambda x, i, v: reel.tensor_scatter(x, i, v, mode="add"), lambda x, i, v: x.index_put((i[:,
    0], i[:, 1]), v, accumulate=True), A, np.array([[0, 1], [2, 3], [0, 1]]), normal(3))
own("reel.sort", lambda x: reel.sort(x, axis=0), lambda x: x.sort(0).values, A, integers=True)
own("reel.argsort", lambda x: reel.argsort(x, axis=1, descending=True), lambda x: x.argsort(1, descending=True), A,
    grad=False)
own("reel.top_k", lambda x: reel.top_k(x, 2)[0], lambda x: x.topk(2).values, A)
own("reel.top_k", lambda x: reel.top_k(x, 2, axis=0, largest=False)[1], lambda x: x.topk(2, 0, False).indices, A,
    grad=False)
own("reel.searchsorted", lambda x, v: reel.searchsorted(reel.sort(x), v), lambda x,
    v: torch.searchsorted(x.sort().values, v), normal(7), normal(5), grad=False, integers=True)
own("reel.bincount", lambda w, i: reel.bincount(i, length=4, weights=w), lambda w, i: torch.zeros(4,
    dtype=w.dtype).index_add(0, i, w), normal(5), np.array([0, 3, 3, 1, 0]))
own("reel.one_hot", lambda i: reel.one_hot(i, 4), lambda i: F.one_hot(i, 4), labels(4, 5), grad=False)
own("reel.nonzero", lambda x: reel.nonzero(x)[0], lambda x: x.nonzero()[:, 0], np.array([0.0, 1.0, 0.0, 2.0]),
    grad=False)
own("reel.unique_values", lambda x: reel.unique_values(x), torch.unique, np.array([2.0, 1.0, 2.0, 5.0]), grad=False,
    integers=True)
own("reel.unique_counts", lambda x: reel.unique_counts(x)[1], lambda x: x.unique(return_counts=True)[1],
    np.array([2.0, 1.0, 2.0, 5.0]), grad=False)
own("reel.unique_inverse", lambda x: reel.unique_inverse(x)[1], lambda x: x.unique(return_inverse=True)[1],
    np.array([2.0, 1.0, 2.0, 5.0]), grad=False)
own("reel.unique_all", lambda x: reel.unique_all(x)[0], torch.unique, np.array([2.0, 1.0, 2.0, 5.0]), grad=False)
for n, t in {"sum": "sum", "max": "amax", "min": "amin", "prod": "prod", "mean": "mean"}.items():
    own(f"reel.segment_{n}", lambda x, s, n=n: getattr(reel, f"segment_{n}")(x, s, 4), _segment(t), normal(5, 2),
        np.array([0, 1, 1, 3, 2]))
# --- products ---
own("reel.einsum", lambda x, y: reel.einsum("ij,jk->ki", x, y), lambda x, y: torch.einsum("ij,jk->ki", x, y), A,
    normal(4, 2), integers=True)
own("reel.vecdot", lambda x, y: reel.vecdot(x, y, axis=0), lambda x, y: (x * y).sum(0), A, A + 1)
own("reel.cross", lambda x, y: reel.cross(x, y, axis=0), lambda x, y: torch.linalg.cross(x, y, dim=0), A, normal(3, 4))
own("reel.tensordot", lambda x, y: reel.tensordot(x, y, axes=([1, 0], [0, 2])), lambda x, y: torch.tensordot(x, y,
    ([1, 0], [0, 2])), A, normal(4, 2, 3))
own("reel.linalg.outer", la.outer, torch.outer, normal(3), normal(4))
own("reel.linalg.matmul", la.matmul, torch.matmul, A, normal(4, 3))
own("reel.linalg.tensordot", lambda x, y: la.tensordot(x, y, axes=1), lambda x, y: torch.tensordot(x, y, 1), A,
    normal(4, 3))
# --- matrices ---
W = ["float64", "float32"]
own("reel.linalg.cholesky_solve", lambda a, b: la.cholesky_solve(la.cholesky(a), b), lambda a,
    b: torch.linalg.solve(a, b), spd(3), normal(3, 2), dtypes=W, grad=False)
own("reel.linalg.lstsq", la.lstsq, lambda a, b: torch.linalg.lstsq(a, b).solution, normal(5, 3), normal(5, 2), dtypes=W)
own("reel.linalg.lu", lambda a: la.lu(a)[0], lambda a: torch.linalg.lu_factor(a)[0], normal(4, 4), dtypes=W)
own("reel.linalg.triangular_solve", lambda a, b: la.triangular_solve(a, b), lambda a,
    b: torch.linalg.solve_triangular(a.tril(), b, upper=False), spd(3), normal(3, 2), dtypes=W)
like("reel.linalg.logdet", torch.logdet, spd(3), dtypes=W)
own("reel.linalg.eigvalsh", lambda a: la.eigvalsh(a + la.matrix_transpose(a)),
    lambda a: torch.linalg.eigvalsh(a + a.mT), normal(4, 4), dtypes=W)
for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
    own("reel.linalg.matrix_norm", lambda a, o=order: la.matrix_norm(a, ord=o), lambda a,
        o=order: torch.linalg.matrix_norm(a, o), normal(3, 4), dtypes=W)
own("reel.linalg.qr", lambda a: [reel.abs(t) for t in la.qr(a)], lambda a: [t.abs() for t in torch.linalg.qr(a)],
    normal(5, 3), dtypes=W)
own("reel.linalg.svd", lambda a: la.svd(a).S, lambda a: torch.linalg.svdvals(a), normal(4, 3), dtypes=W)
own("reel.linalg.eigh", lambda a: la.eigh(a + la.matrix_transpose(a)).eigenvalues,
    lambda a: torch.linalg.eigvalsh(a + a.mT), normal(4, 4), dtypes=W)
own("reel.linalg.eigh", lambda a: reel.square(la.eigh(a + la.matrix_transpose(a)).eigenvectors),
    lambda a: torch.linalg.eigh(a + a.mT)[1] ** 2, normal(4, 4), dtypes=W)
# --- transforms of two and more axes ---
own("reel.fft.fftfreq", lambda x: x * rf.fftfreq(4, dtype=x.dtype), lambda x: x * torch.fft.fftfreq(4), A, dtypes=W)
own("reel.fft.rfftfreq", lambda x: x * rf.rfftfreq(6, dtype=x.dtype), lambda x: x * torch.fft.rfftfreq(6), A,
    dtypes=["float32"])
# --- networks ---
like("reel.nn.leaky_relu", lambda x: F.leaky_relu(x, 0.2), A)
C = normal(4, 5)
T = labels(5, 4)
like("reel.nn.softmax_cross_entropy", F.cross_entropy, C, T)
own("reel.nn.softmax_cross_entropy", lambda x, t: nn.softmax_cross_entropy(x, t, label_smoothing=0.1,
    reduction="sum"), lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1, reduction="sum"), C, T)
like("reel.nn.sigmoid_cross_entropy", F.binary_cross_entropy_with_logits, C, unit(4, 5))
like("reel.nn.negative_log_likelihood", F.nll_loss, C, T)
own("reel.nn.kl_divergence", lambda x, t: nn.kl_divergence(x, t, log_prediction=True, reduction="sum"), lambda x,
    t: F.kl_div(x, t, reduction="sum"), C, unit(4, 5))
own("reel.nn.poisson_loss", lambda x, t: nn.poisson_loss(x, t, log_prediction=True), lambda x,
    t: F.poisson_nll_loss(x, t), C, positive(4, 5))
like("reel.nn.log_cosh", lambda x, t: torch.log(torch.cosh(x - t)).mean(), C, normal(4, 5))
like("reel.nn.hinge", lambda x, t: torch.clamp(1 - t * x, min=0).mean(), C, normal(4, 5))
like("reel.nn.squared_hinge", lambda x, t: (torch.clamp(1 - t * x, min=0) ** 2).mean(), C, normal(4, 5))
like("reel.nn.categorical_hinge", lambda x, t: torch.clamp(1 + ((1 - t) * x).amax(-1) - (t * x).sum(-1),
    min=0).mean(), C, unit(4, 5))
like("reel.nn.cosine_loss", lambda x, t: (1 - F.cosine_similarity(x, t, -1)).mean(), C, normal(4, 5))
like("reel.nn.layer_normalize", lambda x, w, b: F.layer_norm(x, (5,), w, b), C, normal(5), normal(5))
like("reel.nn.rms_normalize", lambda x, w: F.rms_norm(x, (5,), w, 1e-6), C, normal(5))
like("reel.nn.l2_normalize", lambda x: F.normalize(x, dim=-1), C)
own("reel.nn.group_normalize", lambda x: nn.group_normalize(x, 2), lambda x: first_last(F.group_norm(last_first(x),
    2)), normal(2, 3, 4))
like("reel.nn.batch_normalize", lambda x, m, v, w, b: (x - m) / (v + 1e-5).sqrt() * w + b, C, normal(5), positive(5),
    normal(5), normal(5))
like("reel.nn.attention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v), normal(2, 2, 3, 4), normal(2, 2, 5,
    4), normal(2, 2, 5, 4))
own("reel.nn.attention", lambda q, k, v: nn.attention(q, k, v, causal=True), lambda q, k,
    v: F.scaled_dot_product_attention(q, k, v, is_causal=True), normal(1, 2, 4, 4), normal(1, 2, 4, 4), normal(1, 2,
    4, 4))
X1, X2, X3 = normal(2, 9, 4), normal(2, 6, 7, 4), normal(1, 4, 5, 4, 2)
for n, x, f in ((1, X1, F.max_pool1d), (2, X2, F.max_pool2d), (3, X3, F.max_pool3d)):
    own(f"reel.nn.max_pool{n}d", lambda x, n=n: getattr(nn, f"max_pool{n}d")(x, 2), _pool(f, kernel_size=2), x)
    own(f"reel.nn.max_pool{n}d", lambda x, n=n: getattr(nn, f"max_pool{n}d")(x, 3, strides=2), _pool(f, kernel_size=3,
        stride=2), x)
for n, x, f in ((1, X1, F.avg_pool1d), (2, X2, F.avg_pool2d), (3, X3, F.avg_pool3d)):
    own(f"reel.nn.avg_pool{n}d", lambda x, n=n: getattr(nn, f"avg_pool{n}d")(x, 2, strides=1), _pool(f, kernel_size=2,
        stride=1), x)
for n, x, f in ((1, X1, F.conv1d), (2, X2, F.conv2d), (3, X3, F.conv3d)):
    w = normal(*([2] * n), x.shape[-1], 3)
    own(f"reel.nn.conv{n}d", lambda x, w, n=n: getattr(nn, f"conv{n}d")(x, w), _conv(f, n), x, w)
    own(f"reel.nn.conv{n}d", lambda x, w, n=n: getattr(nn, f"conv{n}d")(x, w, strides=2), _conv(f, n, stride=2), x, w)
own("reel.nn.conv2d", lambda x, w: nn.conv2d(x, w, dilation=2), _conv(F.conv2d, 2, dilation=2), X2, normal(2, 2, 4, 3))
own("reel.nn.conv2d", lambda x, w: nn.conv2d(x, w, groups=2), _conv(F.conv2d, 2, groups=2), X2, normal(2, 2, 2, 6))
own("reel.nn.global_avg_pool", nn.global_avg_pool, lambda x: x.mean((1, 2)), X2)
own("reel.nn.global_max_pool", nn.global_max_pool, lambda x: x.amax((1, 2)), X2)
for method, theirs in (("linear", "bilinear"), ("nearest", "nearest-exact")):
    own("reel.nn.resize", lambda x, m=method: nn.resize(x, (9, 5), m), lambda x,
        m=theirs: first_last(F.interpolate(last_first(x), (9, 5), mode=m)), X2)

# --- reel.tf ---
def tfown(name, oracle, *inputs, call=None, **k):
    f = tf
    for part in name.split(".")[1:]:
        f = getattr(f, part)
    own(name, (lambda *xs: call(f, *xs)) if call else f, oracle, *inputs, **k)


for n, t in {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin,
    "logsumexp": torch.logsumexp}.items():
    tfown(f"tf.reduce_{n}", lambda x, t=t: t(x, 1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.reduce_prod", lambda x: x.prod(1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.math.reduce_variance", lambda x: x.var(1, correction=0), A, call=lambda f, x: f(x, axis=1))
tfown("tf.math.reduce_std", lambda x: x.std(1, correction=0), A, call=lambda f, x: f(x, axis=1))
tfown("tf.math.reduce_euclidean_norm", lambda x: x.norm(dim=1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.reduce_any", lambda x: (x > 0).any(1), A, call=lambda f, x: f(x > 0, axis=1), grad=False)
tfown("tf.reduce_all", lambda x: (x > 0).all(1), A, call=lambda f, x: f(x > 0, axis=1), grad=False)
tfown("tf.math.count_nonzero", lambda x: (x != 0).sum(1), A, call=lambda f, x: f(x, axis=1), grad=False)
tfown("tf.argmax", lambda x: x.argmax(1), A, call=lambda f, x: f(x, axis=1), grad=False)
tfown("tf.argmin", lambda x: x.argmin(1), A, call=lambda f, x: f(x, axis=1), grad=False)
tfown("tf.cumsum", lambda x: x.cumsum(1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.math.cumprod", lambda x: x.cumprod(1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.math.cumulative_logsumexp", lambda x: x.logcumsumexp(1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.sort", lambda x: x.sort(1).values, A, call=lambda f, x: f(x, axis=1))
tfown("tf.argsort", lambda x: x.argsort(1), A, call=lambda f, x: f(x, axis=1), grad=False)
tfown("tf.math.top_k", lambda x: x.topk(2).values, A, call=lambda f, x: f(x, 2)[0])
tfown("tf.matmul", lambda x, y: x @ y.mT, A, normal(5, 4), call=lambda f, x, y: f(x, y, transpose_b=True))
tfown("tf.tensordot", lambda x, y: torch.tensordot(x, y, 1), A, normal(4, 2), call=lambda f, x, y: f(x, y, 1))
tfown("tf.einsum", lambda x, y: torch.einsum("ij,jk->ik", x, y), A, normal(4, 2), call=lambda f, x, y: f("ij,jk->ik",
    x, y))
tfown("tf.transpose", lambda x: x.permute(2, 0, 1), normal(2, 3, 4), call=lambda f, x: f(x, perm=[2, 0, 1]))
tfown("tf.reshape", lambda x: x.reshape(2, 6), A, call=lambda f, x: f(x, [2, -1]))
tfown("tf.expand_dims", lambda x: x[:, None], A, call=lambda f, x: f(x, 1))
tfown("tf.squeeze", lambda x: x.squeeze(1), normal(3, 1, 2), call=lambda f, x: f(x, axis=[1]))
tfown("tf.concat", lambda x, y: torch.cat([x, y], 1), A, normal(3, 2), call=lambda f, x, y: f([x, y], 1))
tfown("tf.stack", lambda x, y: torch.stack([x, y], 1), A, A + 1, call=lambda f, x, y: f([x, y], axis=1))
tfown("tf.unstack", lambda x: x.unbind(1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.split", lambda x: x.split(2, 1), A, call=lambda f, x: f(x, 2, axis=1))
tfown("tf.tile", lambda x: x.tile(2, 3), A, call=lambda f, x: f(x, [2, 3]))
tfown("tf.repeat", lambda x: x.repeat_interleave(2, 1), A, call=lambda f, x: f(x, 2, axis=1))
tfown("tf.reverse", lambda x: x.flip(0), A, call=lambda f, x: f(x, [0]))
tfown("tf.roll", lambda x: x.roll(1, 1), A, call=lambda f, x: f(x, 1, 1))
tfown("tf.pad", lambda x: F.pad(x, (1, 2, 0, 1)), A, call=lambda f, x: f(x, [[0, 1], [1, 2]]))
tfown("tf.broadcast_to", lambda x: x.expand(2, 3, 4), A, call=lambda f, x: f(x, [2, 3, 4]))
tfown("tf.gather", lambda x, i: x.index_select(1, i), A, I, call=lambda f, x, i: f(x, i, axis=1))
tfown("tf.gather_nd", lambda x, i: x[i[:, 0], i[:, 1]], A, np.array([[0, 1], [2, 3]]))
tfown("tf.scatter_nd", lambda v, i: torch.zeros(3, dtype=v.dtype).index_add(0, i[:, 0], v), normal(3), np.array([[0],
    [2], [2]]), call=lambda f, v, i: f(i, v, [3]))
tfown("tf.tensor_scatter_nd_add", lambda x, i, v: x.index_add(0, i[:, 0], v), normal(4), np.array([[0], [2], [2]]),
    normal(3))
tfown("tf.tensor_scatter_nd_update", lambda x, i, v: x.index_copy(0, i[:, 0], v), normal(4), np.array([[0], [2]]),
    normal(2))
tfown("tf.tensor_scatter_nd_max", lambda x, i, v: x.scatter_reduce(0, i[:, 0], v, "amax"), normal(4), np.array([[0],
    [2]]), normal(2))
tfown("tf.tensor_scatter_nd_min", lambda x, i, v: x.scatter_reduce(0, i[:, 0], v, "amin"), normal(4), np.array([[0],
    [2]]), normal(2))
tfown("tf.where", lambda x, y: torch.where(x > 0, x, y), A, A * 2, call=lambda f, x, y: f(x > 0, x, y))
tfown("tf.slice", lambda x: x[1:3, 0:2], A, call=lambda f, x: f(x, [1, 0], [2, 2]))
tfown("tf.strided_slice", lambda x: x[0:3:2, 1:4:2], A, call=lambda f, x: f(x, [0, 1], [3, 4], [2, 2]))
tfown("tf.boolean_mask", lambda x: x[torch.tensor([True, False, True])], A, call=lambda f, x: f(x, [True, False, True]))
tfown("tf.one_hot", lambda i: F.one_hot(i, 4), labels(4, 5), call=lambda f, i: f(i, 4), grad=False)
tfown("tf.eye", lambda x: x, A, call=lambda f, x: tf.matmul(x, f(4, dtype=x.dtype)))
tfown("tf.fill", lambda x: x * 2, A, call=lambda f, x: x * tf.cast(f([4], 2.0), x.dtype))
tfown("tf.zeros_like", torch.zeros_like, A, grad=False)
tfown("tf.ones_like", torch.ones_like, A, grad=False)
tfown("tf.identity", lambda x: x, A)
tfown("tf.stop_gradient", lambda x: x, A, grad=False)
tfown("tf.cast", lambda x: x.double(), A, call=lambda f, x: f(x, tf.float64))
tfown("tf.clip_by_value", lambda x: x.clamp(-0.5, 0.5), A, call=lambda f, x: f(x, -0.5, 0.5))
tfown("tf.clip_by_norm", lambda x: x * 0.5 / x.norm(), A, call=lambda f, x: f(x, 0.5))
tfown("tf.norm", lambda x: x.norm(dim=1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.global_norm", lambda x, y: (x.square().sum() + y.square().sum()).sqrt(), A, C, call=lambda f, x, y: f([x, y]))
tfown("tf.add_n", lambda x, y: x + y, A, A * 3, call=lambda f, x, y: f([x, y]))
tfown("tf.math.accumulate_n", lambda x, y: x + y, A, A * 3, call=lambda f, x, y: f([x, y]))
tfown("tf.scalar_mul", lambda x: 0.5 * x, A, call=lambda f, x: f(0.5, x))
tfown("tf.math.squared_difference", lambda x, y: (x - y) ** 2, A, A * 2)
tfown("tf.math.multiply_no_nan", lambda x, y: x * y, A, np.array([0.0, 1.0, 2.0, 0.0]))
tfown("tf.math.divide_no_nan", lambda x, y: x / y, A, positive(4))
tfown("tf.math.xdivy", lambda x, y: x / y, A, positive(4))
tfown("tf.math.erfcinv", lambda x: torch.erfinv(1 - x), Z.uniform(0.3, 1.7, (4,)))
tfown("tf.math.softplus", F.softplus, A)
tfown("tf.nn.softplus", F.softplus, A)
tfown("tf.nn.leaky_relu", lambda x: F.leaky_relu(x, 0.2), A)
for n, t in {"and": torch.logical_and, "or": torch.logical_or, "xor": torch.logical_xor}.items():
    tfown(f"tf.math.logical_{n}", lambda x, y, t=t: t(x > 0, y > 0), A, normal(3, 4), call=lambda f, x, y: f(x > 0,
        y > 0), grad=False)
tfown("tf.math.softmax", lambda x: x.softmax(-1), A)
tfown("tf.math.log_softmax", lambda x: x.log_softmax(-1), A)
tfown("tf.math.segment_sum", lambda x, s: torch.zeros(3, 2, dtype=x.dtype).index_add(0, s, x), normal(4, 2),
    np.array([0, 1, 1, 2]))
tfown("tf.math.unsorted_segment_sum", lambda x, s: torch.zeros(4, 2, dtype=x.dtype).index_add(0, s, x), normal(4, 2),
    np.array([2, 1, 1, 0]), call=lambda f, x, s: f(x, s, 4))
tfown("tf.nn.bias_add", lambda x, b: x + b, A, normal(4))
tfown("tf.nn.l2_loss", lambda x: x.square().sum() / 2, A)
tfown("tf.nn.l2_normalize", lambda x: F.normalize(x, dim=1), A, call=lambda f, x: f(x, axis=1))
tfown("tf.nn.moments", lambda x: [x.mean(0), x.var(0, correction=0)], A, call=lambda f, x: f(x, axes=[0]))
tfown("tf.nn.zero_fraction", lambda x: (x == 0).double().mean(), np.array([0.0, 1.0, 0.0, 3.0]), grad=False,
    dtypes=["float32"])
tfown("tf.nn.softmax_cross_entropy_with_logits", lambda x, t: F.cross_entropy(x, t.softmax(-1), reduction="none"), C,
    normal(4, 5), call=lambda f, x, t: f(tf.nn.softmax(t), x))
tfown("tf.nn.sparse_softmax_cross_entropy_with_logits", lambda x, t: F.cross_entropy(x, t, reduction="none"), C, T,
    call=lambda f, x, t: f(t, x))
tfown("tf.nn.sigmoid_cross_entropy_with_logits", lambda x, t: F.binary_cross_entropy_with_logits(x, t,
    reduction="none"), C, unit(4, 5), call=lambda f, x, t: f(t, x))
tfown("tf.nn.embedding_lookup", lambda x, i: x[i], A, I)
tfown("tf.nn.conv2d", _conv(F.conv2d, 2), X2, normal(2, 2, 4, 3), call=lambda f, x, w: f(x, w, 1, "VALID"))
tfown("tf.nn.max_pool2d", _pool(F.max_pool2d, kernel_size=2), X2, call=lambda f, x: f(x, 2, 2, "VALID"))
tfown("tf.nn.avg_pool2d", _pool(F.avg_pool2d, kernel_size=2), X2, call=lambda f, x: f(x, 2, 2, "VALID"))
tfown("tf.nn.batch_normalization", lambda x, m, v, b, w: (x - m) / (v + 1e-3).sqrt() * w + b, C, normal(5),
    positive(5), normal(5), normal(5), call=lambda f, *xs: f(*xs, 1e-3))
tfown("tf.linalg.inv", torch.linalg.inv, spd(3), dtypes=W)
tfown("tf.linalg.det", torch.linalg.det, spd(3), dtypes=W)
tfown("tf.linalg.cholesky", lambda x: torch.linalg.cholesky((x + x.mT) / 2), spd(3), call=lambda f,
    x: f((x + tf.transpose(x)) / 2), dtypes=W)
tfown("tf.linalg.solve", torch.linalg.solve, spd(3), normal(3, 2), dtypes=W)
tfown("tf.linalg.pinv", torch.linalg.pinv, normal(4, 3), dtypes=W)
tfown("tf.linalg.trace", lambda x: x.trace(), spd(3))
tfown("tf.linalg.diag", torch.diag_embed, normal(3))
tfown("tf.linalg.diag_part", lambda x: x.diagonal(), spd(3))
tfown("tf.linalg.expm", torch.matrix_exp, normal(3, 3), dtypes=W)
