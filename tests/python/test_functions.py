"""Functions against NumPy, by tables."""

import numpy as np
import pytest

import reel

X = np.array([[0.3, -1.2, 2.5], [4.0, 0.0, -0.7]], np.float32)
P = np.abs(X) + np.float32(0.25)
U = X / 5

UNARY = [
    ("exp", np.exp, X),
    ("exp2", np.exp2, X),
    ("expm1", np.expm1, X),
    ("log", np.log, P),
    ("log2", np.log2, P),
    ("log10", np.log10, P),
    ("log1p", np.log1p, P),
    ("sqrt", np.sqrt, P),
    ("cbrt", np.cbrt, X),
    ("square", np.square, X),
    ("reciprocal", np.reciprocal, P),
    ("abs", np.abs, X),
    ("negative", np.negative, X),
    ("sign", np.sign, X),
    ("floor", np.floor, X),
    ("ceil", np.ceil, X),
    ("round", np.round, X),
    ("trunc", np.trunc, X),
    ("sin", np.sin, X),
    ("cos", np.cos, X),
    ("tan", np.tan, X),
    ("asin", np.arcsin, U),
    ("acos", np.arccos, U),
    ("atan", np.arctan, X),
    ("sinh", np.sinh, X),
    ("cosh", np.cosh, X),
    ("tanh", np.tanh, X),
    ("asinh", np.arcsinh, X),
    ("acosh", np.arccosh, P + 1),
    ("atanh", np.arctanh, U),
    ("sinc", lambda x: np.where(x % 1, np.sinc(x), x == 0).astype(x.dtype), X),  # NumPy rounds pi x: -3e-8 at 4
    ("isfinite", np.isfinite, X),
    ("isnan", np.isnan, X),
    ("isinf", np.isinf, X),
    ("signbit", np.signbit, X),
    ("logical_not", np.logical_not, X),
    ("positive", np.positive, X),
    ("rsqrt", lambda x: 1 / np.sqrt(x), P),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), X),
]


@pytest.mark.parametrize("name, function, x", UNARY, ids=[row[0] for row in UNARY])
def test_unary(name, function, x):
    for dtype in (np.float32, np.float64):
        y, expected = getattr(reel, name)(reel.asarray(x.astype(dtype))), function(x.astype(dtype))
        assert y.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(y), expected, rtol=2e-6 if dtype == np.float32 else 1e-13)
    np.testing.assert_array_equal(np.asarray(getattr(reel, name)(x)), np.asarray(getattr(reel, name)(reel.asarray(x))))


Y = np.array([2.0, -0.5, 1.5], np.float32)
BINARY = [
    ("add", np.add, X, Y),
    ("subtract", np.subtract, X, Y),
    ("multiply", np.multiply, X, Y),
    ("divide", np.divide, X, Y),
    ("floor_divide", np.floor_divide, X, Y),
    ("remainder", np.remainder, X, Y),
    ("fmod", np.fmod, X, Y),
    ("pow", np.power, P, Y),
    ("maximum", np.maximum, X, Y),
    ("minimum", np.minimum, X, Y),
    ("atan2", np.arctan2, X, Y),
    ("hypot", np.hypot, X, Y),
    ("copysign", np.copysign, X, Y),
    ("nextafter", np.nextafter, X, Y),
    ("logaddexp", np.logaddexp, X, Y),
    ("logical_and", np.logical_and, X, Y),
    ("logical_or", np.logical_or, X, Y),
    ("logical_xor", np.logical_xor, X, Y),
    ("equal", np.equal, X, Y),
    ("less", np.less, X, Y),
]


@pytest.mark.parametrize("name, function, x, y", BINARY, ids=[row[0] for row in BINARY])
def test_binary(name, function, x, y):
    z, expected = getattr(reel, name)(reel.asarray(x), reel.asarray(y)), function(x, y)
    assert z.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(z), expected, rtol=2e-6)


REDUCTIONS = [
    ("sum", np.sum),
    ("prod", np.prod),
    ("mean", np.mean),
    ("max", np.max),
    ("min", np.min),
    ("all", np.all),
    ("any", np.any),
    ("var", np.var),
    ("std", np.std),
]


@pytest.mark.parametrize("name, function", REDUCTIONS, ids=[row[0] for row in REDUCTIONS])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(name, function, axis, keepdims):
    y = getattr(reel, name)(reel.asarray(X), axis=axis, keepdims=keepdims)
    expected = function(X, axis=axis, keepdims=keepdims)
    assert y.shape == expected.shape and y.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(y), expected, rtol=2e-6, atol=1e-7)


def test_counts_may_be_tensors():
    assert reel.repeat(reel.asarray([1, 2]), reel.asarray([2, 1])).tolist() == [1, 1, 2]
    assert reel.repeat(reel.zeros((0,)), reel.zeros((0,), dtype=reel.int8)).shape == (0,)


def test_reductions_of_integers():
    x = np.array([[3, -1], [2, 2]], np.int8)
    assert reel.sum(reel.asarray(x)).dtype == reel.int64 and reel.sum(x, dtype=reel.int8).dtype == reel.int8
    assert reel.sum(x.astype(np.uint8)).dtype == reel.uint64
    assert reel.argmax(x).item() == 0 and reel.argmin(x, axis=0).tolist() == [1, 0]
    assert reel.argmax(x, axis=1, keepdims=True).shape == (2, 1)
    np.testing.assert_array_equal(np.asarray(reel.cumulative_sum(x, axis=1)), np.cumsum(x, axis=1))
    assert reel.cumulative_sum(x[0], include_initial=True).tolist() == [0, 3, 2]
    assert reel.cumulative_prod(x[0], include_initial=True).tolist() == [1, 3, -3]
    assert reel.count_nonzero(reel.asarray([0, 1, 2])).item() == 2


S = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
SHAPES = [
    ("reshape", lambda r, x: r.reshape(x, (4, -1)), lambda x: x.reshape(4, -1)),
    ("permute_dims", lambda r, x: r.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    ("matrix_transpose", lambda r, x: r.matrix_transpose(x), lambda x: x.swapaxes(-1, -2)),
    ("moveaxis", lambda r, x: r.moveaxis(x, (0, 1), (-1, 0)), lambda x: np.moveaxis(x, (0, 1), (-1, 0))),
    ("expand_dims", lambda r, x: r.expand_dims(x, axis=-1), lambda x: x[..., None]),
    ("squeeze", lambda r, x: r.squeeze(r.expand_dims(x, axis=1), axis=1), lambda x: x),
    ("flip", lambda r, x: r.flip(x, axis=(0, 2)), lambda x: np.flip(x, (0, 2))),
    ("flip all", lambda r, x: r.flip(x), np.flip),
    ("roll", lambda r, x: r.roll(x, (1, -2), axis=(0, 2)), lambda x: np.roll(x, (1, -2), (0, 2))),
    ("roll flat", lambda r, x: r.roll(x, 5), lambda x: np.roll(x, 5)),
    ("tile", lambda r, x: r.tile(x, (2, 1)), lambda x: np.tile(x, (2, 1))),
    ("repeat", lambda r, x: r.repeat(x, 2, axis=1), lambda x: np.repeat(x, 2, 1)),
    ("repeat counts", lambda r, x: r.repeat(x, [1, 0, 2], axis=1), lambda x: np.repeat(x, [1, 0, 2], 1)),
    ("concat", lambda r, x: r.concat([x, x], axis=1), lambda x: np.concatenate([x, x], 1)),
    ("concat flat", lambda r, x: r.concat([x, x], axis=None), lambda x: np.concatenate([x, x], None)),
    ("stack", lambda r, x: r.stack([x, x], axis=-1), lambda x: np.stack([x, x], -1)),
    ("split", lambda r, x: r.split(x, 2, axis=2)[1], lambda x: np.split(x, 2, 2)[1]),
    ("split extents", lambda r, x: r.split(x, [1, 2], axis=1)[1], lambda x: x[:, 1:]),
    ("unstack", lambda r, x: r.unstack(x, axis=1)[2], lambda x: x[:, 2]),
    ("broadcast_to", lambda r, x: r.broadcast_to(x, (5, 2, 3, 4)), lambda x: np.broadcast_to(x, (5, 2, 3, 4))),
    (
        "pad",
        lambda r, x: r.pad(x, ((0, 1), (2, 0), (0, 0)), constant_values=7),
        lambda x: np.pad(x, ((0, 1), (2, 0), (0, 0)), constant_values=7),
    ),
    (
        "pad reflect",
        lambda r, x: r.pad(x, ((0, 1), (2, 0), (1, 1)), "reflect"),
        lambda x: np.pad(x, ((0, 1), (2, 0), (1, 1)), "reflect"),
    ),
    ("tril", lambda r, x: r.tril(x, k=1), lambda x: np.tril(x, 1)),
    ("triu", lambda r, x: r.triu(x), np.triu),
    ("take", lambda r, x: r.take(x, r.asarray([2, 0]), axis=1), lambda x: np.take(x, [2, 0], 1)),
    ("sort", lambda r, x: r.sort(x, axis=1, descending=True), lambda x: np.flip(np.sort(x, 1), 1)),
    ("argsort", lambda r, x: r.argsort(-x, axis=0), lambda x: np.argsort(-x, 0)),
    ("where", lambda r, x: r.where(x > 5, x, -1), lambda x: np.where(x > 5, x, np.float32(-1))),
    ("clip", lambda r, x: r.clip(x, 3, 9.5), lambda x: np.clip(x, 3, 9.5)),
    ("einsum", lambda r, x: r.einsum("bij,bkj->bik", x, x), lambda x: np.einsum("bij,bkj->bik", x, x)),
    (
        "tensordot",
        lambda r, x: r.tensordot(x, x, axes=([0, 2], [0, 2])),
        lambda x: np.tensordot(x, x, ([0, 2], [0, 2])),
    ),
    ("diagonal", lambda r, x: r.linalg.diagonal(x, offset=1), lambda x: np.diagonal(x, 1, -2, -1)),
    (
        "take_along_axis",
        lambda r, x: r.take_along_axis(x, r.argsort(-x)),
        lambda x: np.take_along_axis(x, np.argsort(-x), -1),
    ),
]


@pytest.mark.parametrize("name, function, expected", SHAPES, ids=[row[0] for row in SHAPES])
def test_shapes(name, function, expected):
    y, z = np.asarray(function(reel, reel.asarray(S))), expected(S)
    assert y.shape == z.shape and y.dtype == z.dtype
    np.testing.assert_allclose(y, z, rtol=1e-6)


CREATION = [
    ("zeros", lambda r: r.zeros((2, 3)), np.zeros((2, 3), np.float32)),
    ("ones", lambda r: r.ones(3, dtype=r.int8), np.ones(3, np.int8)),
    ("full", lambda r: r.full((2,), 3), np.full(2, 3)),
    ("full_like", lambda r: r.full_like(r.ones((2,)), 3), np.full(2, 3, np.float32)),
    ("arange", lambda r: r.arange(5), np.arange(5)),
    ("arange range", lambda r: r.arange(2, 11, 3), np.arange(2, 11, 3)),
    ("arange down", lambda r: r.arange(5, 0, -2), np.arange(5, 0, -2)),
    ("arange floats", lambda r: r.arange(0, 1, 0.25), np.arange(0, 1, 0.25, dtype=np.float32)),
    ("linspace", lambda r: r.linspace(0, 1, 5), np.linspace(0, 1, 5, dtype=np.float32)),
    ("eye", lambda r: r.eye(2, 3, k=1), np.eye(2, 3, 1, dtype=np.float32)),
    ("meshgrid", lambda r: r.meshgrid(r.arange(2), r.arange(3))[1], np.meshgrid(np.arange(2), np.arange(3))[1]),
    ("one_hot", lambda r: r.one_hot(r.asarray([0, 2]), 3), np.eye(3, dtype=np.float32)[[0, 2]]),
]


@pytest.mark.parametrize("name, function, expected", CREATION, ids=[row[0] for row in CREATION])
def test_creation(name, function, expected):
    y = np.asarray(function(reel))
    assert y.shape == expected.shape and y.dtype == expected.dtype
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def test_values_decide_shapes():
    x = reel.asarray([[0, 3], [3, 1]])
    assert [t.tolist() for t in reel.nonzero(x)] == [[0, 1, 1], [1, 0, 1]]
    assert reel.unique_values(x).tolist() == [0, 1, 3]
    u = reel.unique_all(x)
    assert (
        u.counts.tolist() == [1, 1, 2]
        and u.inverse_indices.tolist() == [[0, 2], [2, 1]]
        and u.indices.tolist() == [0, 3, 1]
    )
    assert reel.searchsorted(reel.asarray([1.0, 2.0, 3.0]), reel.asarray([2.0, 2.5])).tolist() == [1, 2]
    assert reel.finfo(reel.float32).eps == np.finfo(np.float32).eps and reel.iinfo("int8").min == -128
    assert reel.finfo(reel.float64).max == np.finfo(np.float64).max and reel.can_cast(reel.int8, reel.int16)


def test_linalg(rng):
    a = rng.normal(size=(3, 4, 4))
    s = a @ a.swapaxes(-1, -2) + 4 * np.eye(4)
    close = lambda x, y: np.testing.assert_allclose(np.asarray(x), y, rtol=1e-9, atol=1e-12)  # noqa: E731
    close(reel.linalg.cholesky(s), np.linalg.cholesky(s))
    close(reel.linalg.inv(a), np.linalg.inv(a))
    close(reel.linalg.det(a), np.linalg.det(a))
    close(reel.linalg.solve(a, s), np.linalg.solve(a, s))
    close(reel.linalg.eigvalsh(s), np.linalg.eigvalsh(s))
    close(reel.linalg.svdvals(a), np.linalg.svd(a, compute_uv=False))
    close(reel.linalg.matrix_norm(a, ord="nuc"), np.linalg.norm(a, "nuc", (-2, -1)))
    close(reel.linalg.matrix_norm(a, ord=1, keepdims=True), np.linalg.norm(a, 1, (-2, -1), keepdims=True))
    for order in (0, 1, 2, 3, np.inf):
        close(reel.linalg.vector_norm(a, axis=-1, ord=order), np.linalg.norm(a, order, -1))
    assert reel.linalg.svd(a).S.shape == (3, 4) and reel.linalg.slogdet(a).logabsdet.shape == (3,)
    q, r = reel.linalg.qr(a)
    close(q @ r, a)
    assert reel.linalg.trace(np.ones((2, 2), np.int8)).dtype == reel.int64
    close(reel.var(a, correction=0.5), a.var() * 48 / 47.5)
    z = a + 1j * s
    close(reel.linalg.vecdot(z, z), (z.conj() * z).sum(-1))


FFTS = [
    ("fft", lambda f, x: f.fft(x)),
    ("fftn", lambda f, x: f.fftn(x)),
    ("ifftn", lambda f, x: f.ifftn(x, s=(4, 2), axes=(1, 0))),
    ("rfftn", lambda f, x: f.rfftn(x, norm="ortho")),
    ("irfftn", lambda f, x: f.irfftn(x)),
    ("hfft", lambda f, x: f.hfft(x, n=6)),
    ("ihfft", lambda f, x: f.ihfft(x, norm="forward")),
    ("fftfreq", lambda f, x: f.fftfreq(5, d=0.5)),
    ("rfftfreq", lambda f, x: f.rfftfreq(6)),
    ("fftshift", lambda f, x: f.fftshift(x)),
    ("ifftshift", lambda f, x: f.ifftshift(x, axes=1)),
]


@pytest.mark.parametrize("name, function", FFTS, ids=[r[0] for r in FFTS])
def test_fft(name, function, rng):
    x = rng.normal(size=(3, 5))
    np.testing.assert_allclose(np.asarray(function(reel.fft, x)), function(np.fft, x), rtol=1e-6, atol=1e-12)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_nn():
    t, labels = reel.asarray(X), reel.asarray([2, 0])
    close = lambda x, y: np.testing.assert_allclose(np.asarray(x), y, rtol=1e-5, atol=1e-6)  # noqa: E731
    close(reel.nn.relu(t), np.maximum(X, 0))
    close(reel.nn.softmax(t), softmax(X))
    close(reel.nn.log_softmax(t), np.log(softmax(X)))
    close(reel.nn.elu(t, alpha=2.0), np.where(X > 0, X, 2 * np.expm1(X)))
    close(reel.nn.leaky_relu(t), np.where(X > 0, X, np.float32(0.2) * X))
    loss = -np.log(softmax(X))[[0, 1], [2, 0]]
    close(reel.nn.softmax_cross_entropy(t, labels), loss.mean())
    close(reel.nn.softmax_cross_entropy(t, labels, reduction="none"), loss)
    close(reel.nn.mean_squared_error(t, t + 2), 4)
    close(reel.nn.huber(t, t + 3, delta=2.0), 4)
    with pytest.raises(ValueError, match="reduction"):
        reel.nn.hinge(t, t, reduction="all")


def test_other_threads_run(rng):
    """Long ops release the GIL: results are right when two threads work at once."""
    import threading

    a = rng.normal(size=(300, 300))
    results = []
    threads = [threading.Thread(target=lambda: results.append(np.asarray(reel.matmul(a, a)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for r in results:
        np.testing.assert_allclose(r, a @ a, rtol=1e-9)
        np.testing.assert_array_equal(r, results[0])
