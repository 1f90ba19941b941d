"""Functions of JAX's for jax_rows.py: names, functions, arguments, options (tolerance, gradient)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ROWS = []


def row(name, function, *args, **options):
    ROWS.append((name, function, args, options))


r = np.random.RandomState(0)
x = r.randn(3, 4).astype(np.float32)
y = r.randn(3, 4).astype(np.float32)
p = r.rand(3, 4).astype(np.float32) * 0.8 + 0.1
i = r.randint(-5, 6, (3, 4)).astype(np.int32)
u = r.randint(0, 100, (3, 4)).astype(np.uint32)
sq = (lambda a: a @ a.T + 3 * np.eye(3, dtype=np.float32))(x[:, :3])
for n in "sin cos tan exp log1p expm1 tanh abs sign floor ceil sqrt square isfinite isnan".split():
    row(n, getattr(jnp, n), p)
for n in "asin acos atan sinh cosh asinh atanh lgamma digamma erf erf_inv erfc logistic rsqrt cbrt log is_finite round bessel_i0e".split():
    row(n, getattr(lax, n), p)
for (
    n
) in "add subtract multiply divide maximum minimum arctan2 power fmod remainder logaddexp hypot floor_divide".split():
    row(n, getattr(jnp, n), p, p[::-1] * np.float32(0.9))
for n in "add subtract multiply maximum minimum remainder floor_divide bitwise_and bitwise_or bitwise_xor left_shift right_shift".split():
    row("int " + n, getattr(jnp, n), i, np.abs(i[::-1]) + 1)
row("popcount", lax.population_count, i)
row("clz", lax.clz, i)
row("clz u", lax.clz, u)
row("argmax", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), x)
row("argmax int", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), i)
row("sort", lambda x: (jnp.sort(x, 1), jnp.argsort(x, 0), jnp.sort(x, descending=True)), x)
row("sort nan", lambda x: (jnp.sort(x, 1), jnp.argsort(x, 0)), np.where(x > 1, np.nan, x))
row("lexsort", lambda a, b: jnp.lexsort((a, b)), x[0], np.array([1, 0, 1, 0], np.float32))
row(
    "cumsum", lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1, reverse=True), lax.cumlogsumexp(x, 0)), x
)
key = jax.random.PRNGKey(3)
row("random bits", lambda k: jax.random.bits(k, (5,)), key, tolerance=0)
row("random uniform", lambda k: jax.random.uniform(k, (5, 3)), key, tolerance=0)
row("random normal", lambda k: jax.random.normal(k, (5,)), key)
row("random split", lambda k: jax.random.split(k, 3), key, tolerance=0)
row("random fold", lambda k: jax.random.fold_in(k, 7), key, tolerance=0)
row("random perm", lambda k: jax.random.permutation(k, 10), key, tolerance=0)
row("random cat", lambda k, x: jax.random.categorical(k, x), key, x)
row("random bern", lambda k: jax.random.bernoulli(k, 0.3, (9,)), key, tolerance=0)
row("random typed", lambda k: jax.random.uniform(k, (4,)), jax.random.key(5), tolerance=0)
row("random randint", lambda k: jax.random.randint(k, (4,), 0, 17), key, tolerance=0)
row("random gamma", lambda k: jax.random.gamma(k, 2.0, (4,)), key)
row("random trunc", lambda k: jax.random.truncated_normal(k, -1, 1, (4,)), key)
row("scan", lambda x: lax.scan(lambda c, a: (c + a, c * a), x[0], x), x)
row("while", lambda x: lax.while_loop(lambda c: jnp.sum(c) < 100, lambda c: c * 2, x), p, gradient=False)
row("fori", lambda x: lax.fori_loop(0, 5, lambda i, c: c * 1.5 + i, x), p)
row("cond", lambda p, x: lax.cond(p, lambda x: x * 2, lambda x: x + 1, x), True, x)
row("switch", lambda p, x: lax.switch(p, [lambda x: x * 2, lambda x: x + 1, jnp.sin], x), 1, x)
row("topk", lambda x: lax.top_k(x, 2), x)
row("chol", jnp.linalg.cholesky, sq)
row("trsm", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), sq, x)
row("trsm2", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, trans=1), sq, x)
row("cho_solve", lambda a, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b), sq, x)
row("solve", jnp.linalg.solve, sq, x)
row("inv", jnp.linalg.inv, sq)
row("det", jnp.linalg.det, sq)
row("slogdet", jnp.linalg.slogdet, sq)
row("eigh", lambda a: jnp.linalg.eigh(a)[0], sq)
row("svd", lambda a: jnp.linalg.svd(a, full_matrices=False)[1], x)
row("qr", lambda a: (lambda q, r: (q @ r, jnp.abs(r)))(*jnp.linalg.qr(a)), x)
row(
    "maxpoolgrad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID") ** 2)), x
)
row("maxpool SAME", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 2), "SAME"), x)
row(
    "maxpoolgrad SAME",
    jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 2), "SAME") ** 2)),
    x,
)
row("avgpool", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (2, 1), "SAME"), x)
row("avgpool grad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, 0.0, lax.add, (2, 2), (2, 1), "SAME") ** 2)), x)
row("at add", lambda x: x.at[jnp.array([0, 2])].add(1.0), x)
row("at set", lambda x: x.at[1, 2].set(5.0), x)
row("at set slice", lambda x, v: x.at[1:3, 0:2].set(v), x, y[:2, :2])
row("at max", lambda x: x.at[jnp.array([0, 2]), jnp.array([1, 5])].max(0.5), x)
row("at mul", lambda x: x.at[:, jnp.array([0, 3])].multiply(2.0), x)
row("at get fill", lambda x, i: x.at[i].get(mode="fill", fill_value=7.0), x, np.array([0, 5, -1]))
row("at get clip", lambda x, i: x.at[i].get(mode="clip"), x, np.array([0, 5, -9]))
row("gather", lambda x, i: x[i, :2], x, np.array([0, 1]))
row("gather2", lambda x, i: x[:, i], x, np.array([[0, 1], [3, 2]]))
row("gather3", lambda x, i, j: x[i, j], x, np.array([[0, 1], [2, 2]]), np.array([3, 1]))
row("take_along", lambda x, i: jnp.take_along_axis(x, i, 1), x, np.array([[0, 1], [3, 2], [1, 1]]))
row("vmap gather", jax.vmap(lambda a, i: a[i]), x, np.array([[0, 1], [3, 2], [1, 1]]))
row("vmap dyn", jax.vmap(lambda a, i: lax.dynamic_slice(a, (i,), (2,))), x, np.array([0, 2, 5]))
row("vmap dynup", jax.vmap(lambda a, i: lax.dynamic_update_slice(a, jnp.ones(2), (i,))), x, np.array([0, 2, 5]))
row("dynup2", lambda a, i: lax.dynamic_update_slice(a, jnp.ones((2, 2)), (i, i + 1)), x, 1)
row("grad gather", jax.grad(lambda x, i: jnp.sum(x[i] ** 3)), x, np.array([0, 1, 1]))
img = r.randn(2, 4, 6, 6).astype(np.float32)
w = r.randn(6, 4, 3, 3).astype(np.float32)
conv = lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2))
row("conv", conv, img, w)
row("conv gradx", jax.grad(lambda x, w: jnp.sum(conv(x, w) ** 2)), img, w)
row("conv gradw", jax.grad(lambda x, w: jnp.sum(conv(x, w) ** 2), argnums=1), img, w)
dw = lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", feature_group_count=4)
wd = r.randn(8, 1, 3, 3).astype(np.float32)
row("dwconv", dw, img, wd)
row("dwconv gradx", jax.grad(lambda x, w: jnp.sum(dw(x, w) ** 2)), img, wd)
row("dwconv gradw", jax.grad(lambda x, w: jnp.sum(dw(x, w) ** 2), argnums=1), img, wd)
row(
    "nhwc",
    lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    img.transpose(0, 2, 3, 1),
    w.transpose(2, 3, 1, 0),
)
row(
    "convT",
    lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    img.transpose(0, 2, 3, 1),
    w.transpose(2, 3, 1, 0),
)
row("conv1d", lambda x, w: jnp.convolve(x, w), x[0], y[0, :3])
row("bf16", lambda x: jnp.sum(x.astype(jnp.bfloat16)).astype(jnp.float32), x)
row("bf16dot", lambda x: (x.astype(jnp.bfloat16) @ x.astype(jnp.bfloat16).T).astype(jnp.float32), x, tolerance=1e-2)
row("fft", lambda x: (jnp.fft.fft(x), jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.fft2(x)), x)
row("rfft2", lambda x: jnp.fft.rfft2(x), x)
row(
    "misc",
    lambda x: lax.reduce_precision(x, 8, 7) + lax.clamp(0.0, x, 1.0) + lax.population_count(x.astype(jnp.int32)),
    x,
)
row("logsumexp", lambda x: jax.nn.logsumexp(x, axis=1), x)
row("softmaxgrad", jax.grad(lambda x: -jnp.sum(jax.nn.log_softmax(x)[:, 1])), x)
row("gammainc", jax.scipy.special.gammainc, p, p)
row("betainc", jax.scipy.special.betainc, p, p, p, gradient=False)
row("complex", lambda x, y: jnp.abs(jnp.exp(x + 1j * y) * jnp.conj(x - 2j)), x, y)
row("einsum", lambda a, b: jnp.einsum("ij,kj->ik", a, b), x, y)
row("batched dot", lambda a: jnp.einsum("bij,bkj->bik", a, a), img[0])
row("pad", lambda x: lax.pad(x, 0.0, ((1, -1, 1), (0, 2, 0))), x)
row(
    "roll etc",
    lambda x: (
        jnp.roll(x, 1, 1),
        jnp.flip(x, 0),
        jnp.tril(x),
        jnp.repeat(x, 2, 0),
        jnp.tile(x, (2, 1)),
        jnp.concatenate([x, x], 1),
    ),
    x,
)
row("searchsorted", lambda a, v: jnp.searchsorted(a, v), np.sort(x[0]), y[0])
row("bincount", lambda i: jnp.bincount(i, length=8), np.abs(i).ravel())
row("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), x, np.array([0, 2, 0]))
row("unique", lambda x: jnp.unique(x, size=4), i.ravel())
row("nonzero", lambda x: jnp.nonzero(x, size=4), i)
row("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[::-1])), x[0])
row("jacfwd", jax.jacfwd(lambda x: jnp.tanh(x) ** 2), x[0])
row("checkpoint grad", jax.grad(lambda x: jnp.sum(jax.checkpoint(jnp.sin)(x) ** 2)), x)
row("grad scan", jax.grad(lambda x: jnp.sum(lax.scan(lambda c, a: (jnp.tanh(c + a), c), x[0], x)[1])), x)
row("assoc scan", lambda x: lax.associative_scan(jnp.add, x), x)
row("map", lambda x: lax.map(lambda a: jnp.sum(a), x), x)
row(
    "all any",
    lambda i: (
        jnp.all(i > 0, 1),
        jnp.any(i > 3, 0),
        jnp.prod(i, 1),
        jnp.max(i),
        jnp.bitwise_or.reduce(i, axis=0) if hasattr(jnp.bitwise_or, "reduce") else i,
    ),
    i,
)
row("quantile", lambda x: jnp.quantile(x, 0.3, axis=1), x)
row("median var", lambda x: (jnp.median(x), jnp.var(x, 0), jnp.std(x)), x)
row("interp", lambda x: jnp.interp(x, jnp.arange(3.0), jnp.array([1.0, 3.0, 2.0])), x[0])
row("resize", lambda x: jax.image.resize(x, (6, 7), "bilinear"), x)
row("expm", jax.scipy.linalg.expm, sq * 0.1)
row("pinv", jnp.linalg.pinv, x, tolerance=1e-3)
row("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], x.T, y.T[:, :2], tolerance=1e-3)
row("nextafter", jnp.nextafter, x, y, gradient=False)
row("bool ops", lambda a: (a & ~a, a | a, a ^ True, jnp.sum(a), a.astype(jnp.float32), jnp.sort(a, axis=0)), x > 0)
row("int pow", lambda i: (i**3, jnp.power(2, jnp.abs(i))), i)
row("empty", lambda x: jnp.zeros((0, 4)) @ x.T, x)
row(
    "attention", lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True), r.randn(1, 5, 2, 4).astype(np.float32)
)
row("one_hot", lambda i: jax.nn.one_hot(i, 5), np.array([0, 4, 7]))
row("gelu", lambda x: (jax.nn.gelu(x), jax.nn.silu(x), jax.nn.softplus(x), jax.nn.relu(x), jax.nn.elu(x)), x)
