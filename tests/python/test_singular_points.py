"""Gradients at the edges of domains and outside of them: TensorFlow's, or right where that is wrong."""

import math

import numpy as np
import pytest

import reel
import reel.tf as tf

INF, NAN = math.inf, math.nan

# A function, and points where it or its slope is infinite or NaN.
RESTRICTED = {
    "sqrt": (reel.sqrt, [0.0, -0.0, -1.0, -INF, NAN, INF]),
    "rsqrt": (reel.rsqrt, [0.0, -0.0, -1.0, -INF, NAN, 1e-300]),
    "reciprocal": (reel.reciprocal, [0.0, -0.0, NAN, 1e-310]),
    "3 / x": (lambda x: 3.0 / x, [0.0, -0.0, NAN]),
    "cbrt": (reel.cbrt, [0.0, -0.0, NAN]),
    "asin": (reel.asin, [1.0, -1.0, 2.0, -INF, NAN]),
    "acos": (reel.acos, [1.0, -1.0, 2.0, INF, NAN]),
    "acosh": (reel.acosh, [1.0, 0.5, -3.0, NAN]),
    "atanh": (reel.atanh, [1.0, -1.0, 2.0, NAN]),
    "erfinv": (reel.erfinv, [1.0, -1.0, 2.0, NAN]),
    "erfcinv": (reel.erfcinv, [0.0, 2.0, -1.0, NAN]),
    "x**0.5": (lambda x: x**0.5, [0.0, -0.0, -1.0, NAN]),
    "x**1.5": (lambda x: x**1.5, [-1.0, -INF, NAN]),
    "x**-1.5": (lambda x: x**-1.5, [0.0, -0.0, -2.0, NAN]),
    "x**-1": (lambda x: x**-1, [0.0, -0.0]),
    "vector_norm": (lambda x: reel.linalg.vector_norm(reel.stack([x, x]), axis=0), [0.0]),
    "vector_norm of order 3": (lambda x: reel.linalg.vector_norm(reel.stack([x, x]), axis=0, ord=3), [0.0]),
}


def numbers(x):
    return reel.astype(x, reel.float64).tolist()  # NumPy has no bfloat16


def gradients(f, x, order):
    out = f(x)
    if order == 0:
        return out
    with reel.GradientTape() as tape:
        tape.watch(x)
        y = gradients(f, x, order - 1)
    return tape.gradient(y, x)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", list(RESTRICTED))
def test_a_zero_seed_gives_zero(name, dtype):
    f, points = RESTRICTED[name]
    x = reel.asarray(points + [0.75], getattr(reel, dtype))
    keep = reel.asarray([False] * len(points) + [name not in ("acosh",)])

    def guarded(v):
        return reel.where(keep, f(v), 0)

    for order in (1, 2):
        if order == 2 and dtype in ("float16", "bfloat16"):
            continue
        eager = gradients(guarded, x, order)
        compiled = reel.function(lambda v: gradients(guarded, v, order))(x)
        for got in (eager, compiled):
            assert numbers(got)[:-1] == [0.0] * len(points), (order, got)
        inside = gradients(f, x[-1:], order)
        if name != "acosh":
            assert numbers(eager)[-1:] == numbers(inside), order


def test_mixed_derivatives_by_a_zero_seed_are_right():
    """s f(x) at s = 0: d2/dx ds = f'(x), which a rule that drops zero seeds everywhere would lose."""
    for f, slope in (
        (reel.sqrt, 0.25),
        (reel.rsqrt, -1 / 16),
        (reel.reciprocal, -1 / 16),
        (lambda v: v**2.5, 20.0),
        (lambda v: v**3, 48.0),
        (reel.atan, 1 / 17),
    ):
        x, s = reel.asarray(4.0, reel.float64), reel.asarray(0.0, reel.float64)
        with reel.GradientTape() as outer:
            outer.watch(s)
            with reel.GradientTape() as tape:
                tape.watch(x)
                y = s * f(x)
            dx = tape.gradient(y, x)
        assert abs(outer.gradient(dx, s).item() - slope) < 1e-12


def test_seeds_that_are_not_zero_stay():
    def slope(f, at):
        return gradients(f, reel.asarray(at, reel.float64), 1).item()

    assert slope(reel.sqrt, 0.0) == INF and slope(reel.rsqrt, 0.0) == -INF
    assert slope(reel.reciprocal, 0.0) == -INF and math.isnan(slope(reel.sqrt, -1.0))
    assert slope(reel.cbrt, 0.0) == INF and slope(reel.asin, 1.0) == INF and slope(reel.acosh, 1.0) == INF
    assert slope(lambda v: v**0.5, 0.0) == INF and slope(lambda v: v**0.0, 0.0) == 0.0
    assert slope(reel.sqrt, 4.0) == 0.25 and slope(lambda v: v**3, -2.0) == 12.0
    assert math.isnan(slope(lambda v: reel.where(v > 0, reel.log(v), 0), 0.0))  # TensorFlow's choice


def test_powers_are_no_roots_at_the_edges():
    for d in ("float64", "float32", "float16", "bfloat16"):
        x = reel.asarray([-INF, -0.0, 0.0, INF, 4.0, -4.0, NAN], getattr(reel, d))
        for y in (x**0.5, reel.function(lambda v: v**0.5)(x), reel.pow(x, reel.asarray(0.5, x.dtype))):
            got = numbers(y)
            assert got[:5] == [INF, 0.0, 0.0, INF, 2.0] and math.isnan(got[5]) and math.isnan(got[6])
            assert math.copysign(1, got[1]) == 1


def tf_gradients(f, *values):
    xs = [tf.constant(v, tf.float64) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [y.numpy().tolist()] + [g.numpy().tolist() for g in tape.gradient(y, xs)]


def test_functions_without_nan():
    assert tf_gradients(tf.math.xdivy, [0.0, 0.0, 6.0], [0.0, 2.0, 3.0]) == [[0, 0, 2], [0, 0, 1 / 3], [0, 0, -6 / 9]]
    value, dx, dy = tf_gradients(tf.math.multiply_no_nan, [2.0, INF, NAN, 3.0], [0.0, 0.0, 0.0, 5.0])
    assert value == [0, 0, 0, 15] and dx == [0, 0, 0, 5] and dy[0] == 2 and dy[3] == 3
    assert tf_gradients(tf.math.divide_no_nan, [2.0, 3.0], [0.0, 4.0]) == [[0, 0.75], [0, 0.25], [0, -3 / 16]]
    assert tf_gradients(tf.math.xlogy, [0.0, 2.0], [0.0, 1.0]) == [[0, 0], [0, 0], [0, 2]]


def by_differences(f, a, step=1e-6):
    g = np.zeros_like(a)
    for i in np.ndindex(a.shape):
        d = np.zeros_like(a)
        d[i] = step
        g[i] = (f(a + d) - f(a - d)) / (2 * step)
    return g


@pytest.mark.parametrize(
    "name, matrix",
    [
        ("equal singular values", np.eye(3)),
        ("two equal ones", np.diag([2.0, 2.0, 1.0])),
        ("rotated", np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 + np.eye(3))[0] * 3),
        ("tall", np.eye(4)[:, :2] * 2),
        ("wide", np.eye(4)[:2] * 2),
        ("all distinct", np.array([[2.0, 1.0, 0.5], [0.3, 3.0, -1.0]])),
    ],
)
def test_pinv(name, matrix):
    w = np.arange(1.0, matrix.size + 1).reshape(matrix.T.shape) / 7

    def loss(x):
        return reel.sum(reel.linalg.pinv(x) * w)

    x = reel.asarray(matrix)
    want = by_differences(lambda a: float(np.sum(np.linalg.pinv(a) * w)), matrix)
    for g in (gradients(loss, x, 1), reel.function(lambda v: gradients(loss, v, 1))(x)):
        np.testing.assert_allclose(np.asarray(g), want, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(np.asarray(reel.linalg.pinv(x)), np.linalg.pinv(matrix), atol=1e-13)
    # second order, along a direction
    v = np.cos(np.arange(matrix.size)).reshape(matrix.shape)
    h = 1e-5

    def grad_at(a):
        return np.asarray(gradients(loss, reel.asarray(a), 1))

    hvp = reel.hvp(loss, (x,), (reel.asarray(v),))
    hvp = hvp[-1] if isinstance(hvp, (list, tuple)) else hvp
    hvp = hvp[0] if isinstance(hvp, (list, tuple)) else hvp
    want = (grad_at(matrix + h * v) - grad_at(matrix - h * v)) / (2 * h)
    np.testing.assert_allclose(np.asarray(hvp), want, rtol=1e-4, atol=1e-4)


def test_pinv_of_a_fixed_rank():
    u, v = np.array([[1.0], [2.0], [2.0]]), np.array([[3.0, 4.0]])
    x = reel.asarray(u @ v)
    da = np.array([[0.5], [0.0], [-1.0]]) @ v  # stays of rank 1
    g = gradients(lambda a: reel.sum(reel.linalg.pinv(a) * np.ones((2, 3))), x, 1)
    h = 1e-6
    want = (np.linalg.pinv(u @ v + h * da).sum() - np.linalg.pinv(u @ v - h * da).sum()) / (2 * h)
    assert abs(float(np.sum(np.asarray(g) * da)) - want) < 1e-7
    zero = reel.zeros((2, 3), dtype=reel.float64)
    assert gradients(lambda a: reel.sum(reel.linalg.pinv(a)), zero, 1).tolist() == [[0.0] * 3] * 2


def test_eigenvalues_of_the_unit_matrix():
    """Through the values the gradient holds for equal ones too (what linalg.h promises), not through vectors."""
    x, w = reel.asarray(np.eye(3)), np.array([[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [5.0, 4.0, 7.0]])
    trace = gradients(lambda a: reel.sum(reel.linalg.eigvalsh(a) ** 2), x, 1)
    np.testing.assert_allclose(np.asarray(trace), 2 * np.eye(3), atol=1e-12)

    def whole(a):
        values, vectors = reel.linalg.eigh(a)
        return reel.sum(reel.matmul(vectors * values, reel.matrix_transpose(vectors)) * w)

    distinct = reel.asarray(np.array([[2.0, 0.0, 0.0], [0.5, 5.0, 0.0], [0.25, -0.5, 9.0]]))
    lower = np.tril(w + w.T) - np.diag(np.diag(w))
    np.testing.assert_allclose(np.asarray(gradients(whole, distinct, 1)), lower, atol=1e-9)


def norm_of(axis, order):
    return lambda x: reel.linalg.vector_norm(x, axis=axis, ord=order)


# Smooth where an element is 0 or two are equal, though they may be computed with |x|, maxima or divisions.
SMOOTH = {
    "vector_norm": norm_of(-1, 2),
    "vector_norm of 4": norm_of(-1, 4),
    "vector_norm of all": norm_of(None, 2),
    "matrix_norm": reel.linalg.matrix_norm,
    "prod": lambda x: reel.prod(x, axis=-1),
    "cumulative_prod": lambda x: reel.cumulative_prod(x, axis=-1),
    "x**2": lambda x: x**2,
    "x**3": lambda x: x**3,
    "square": reel.square,
    "var": lambda x: reel.var(x, axis=-1),
    "std": lambda x: reel.std(x, axis=-1),
    "logsumexp": lambda x: reel.logsumexp(x, axis=-1),
    "softmax": reel.nn.softmax,
    "log_softmax": reel.nn.log_softmax,
    "gelu": reel.nn.gelu,
    "silu": reel.nn.silu,
    "softplus": reel.nn.softplus,
    "mish": reel.nn.mish,
    "sigmoid": reel.sigmoid,
    "tanh": reel.tanh,
    "log_sigmoid": reel.nn.log_sigmoid,
    "sinc": reel.sinc,
    "erf": reel.erf,
    "expm1": reel.expm1,
    "log1p": reel.log1p,
    "logaddexp": lambda x: reel.logaddexp(x, 0.0 * x),
    "hypot": lambda x: reel.hypot(x, x + 1.0),
    "atan2": lambda x: reel.atan2(x, x + 1.0),
    "layer_normalize": reel.nn.layer_normalize,
    "rms_normalize": reel.nn.rms_normalize,
    "l2_normalize": reel.nn.l2_normalize,
    "log_cosh": lambda x: reel.nn.log_cosh(x, 0.0 * x),
    "cosine_similarity": lambda x: reel.nn.cosine_similarity(x, x + 1.0),
}


@pytest.mark.parametrize("name", list(SMOOTH))
def test_second_derivatives_at_zeros_and_ties(name):
    f = SMOOTH[name]
    a = np.array([[0.0, 1.25, -0.5, 0.7], [0.25, 0.0, 0.25, 2.0], [1.5, 0.75, 0.5, 0.25]])
    if name in ("log1p", "hypot", "atan2"):
        a = np.abs(a)
    weights = np.cos(np.arange(a.size)).reshape(a.shape)

    def total(x):
        y = f(x)
        return reel.sum(reel.sin(y) if y.shape != x.shape else y * reel.asarray(weights))

    def slope(v):
        return np.asarray(gradients(total, reel.asarray(v), 1))

    def weighed(x):
        return reel.sum(gradients(total, x, 1) * reel.asarray(weights[::-1].copy()))

    def as_number(v):
        return float((slope(v) * weights[::-1]).sum())

    x = reel.asarray(a)
    for got in (gradients(weighed, x, 1), reel.function(lambda x: gradients(weighed, x, 1))(x)):
        np.testing.assert_allclose(np.asarray(got), by_differences(as_number, a), rtol=1e-6, atol=2e-8)


def test_norms_of_any_order_do_not_overflow():
    for d, big in (("float16", 3e4), ("bfloat16", 1e38), ("float32", 1e38)):
        x = reel.asarray([big, -big / 2], getattr(reel, d))
        exact = numbers(x)
        for order in (2, 3, 4, 1.5, -2):
            for norm in (reel.linalg.vector_norm, reel.function(reel.linalg.vector_norm)):
                got = norm(x, ord=order)
                want = abs(exact[0]) * sum((abs(v) / exact[0]) ** order for v in exact) ** (1 / order)
                assert got.dtype == x.dtype and abs(numbers(got) / want - 1) < 4e-3, (d, order, got)


def test_transforms_have_positive_lengths():
    x = reel.asarray(np.ones(4, np.complex64))
    for f in (reel.fft.fft, reel.fft.ifft, reel.fft.irfft, reel.fft.hfft):
        for n in (-2, -1, 0):
            with pytest.raises(ValueError, match="positive"):
                f(x, n=n)
    with pytest.raises(ValueError, match="positive"):
        reel.fft.fftn(x, s=(-1,))


# What gives NaN for a zero seed at finite operands, as TensorFlow's rules do (grad * reciprocal(x), grad * digamma(x),
# grad * polygamma(1, x), grad / y); every other function gives 0 wherever it is asked.
POLES = [0.0, -0.0, -1.0, -2.0]
NAN_AT = {
    "log": [0.0, -0.0],
    "log2": [0.0, -0.0],
    "log10": [0.0, -0.0],
    "log1p": [-1.0],
    "lgamma": POLES,
    "digamma": POLES,
}
UNARY = [
    "abs",
    "sign",
    "square",
    "reciprocal",
    "sqrt",
    "rsqrt",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "tanh",
    "sigmoid",
    "erf",
    "erfc",
    "erfinv",
    "erfcinv",
    "lgamma",
    "digamma",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "pow",
    "atan2",
    "maximum",
    "minimum",
    "copysign",
    "hypot",
    "logaddexp",
]
FINITE = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -1.5]  # where slopes overflow 0 * inf is NaN, too


def of_zero_seed(f, xs):
    with reel.GradientTape() as tape:
        for x in xs:
            tape.watch(x)
        y = reel.where(reel.zeros(xs[0].shape, dtype=reel.bool), f(*xs), 0)
    return tape.gradient(y, xs)


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_zero_seeds_at_every_singular_point(name):
    f = getattr(reel, name)
    points = [(a,) for a in FINITE] if name in UNARY else [(a, b) for a in FINITE for b in FINITE]
    xs = [reel.asarray([p[i] for p in points], reel.float64) for i in range(len(points[0]))]
    for got in (of_zero_seed(f, xs), reel.function(lambda *v: of_zero_seed(f, list(v)))(*xs)):
        for slopes in got:
            for point, slope in zip(points, [] if slopes is None else slopes.tolist()):
                nan = point[-1] == 0 if name == "divide" else point[0] in NAN_AT.get(name, [])
                assert math.isnan(slope) if nan else slope == 0, (point, slope)
