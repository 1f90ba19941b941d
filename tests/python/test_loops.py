"""Control flow: eager, traced and differentiated."""

import contextlib

import numpy as np
import pytest

import reel
import reel.tf as tf

X = reel.asarray([1.0, 2.0, 3.0])


def power(x, n):
    return reel.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (reel.asarray(0), reel.ones_like(x)))[1]


ROWS = [
    ("cond", lambda x: reel.cond(reel.sum(x) > 0, lambda: x * 2, lambda: x * 3), lambda x: x * 2),
    (
        "cond structure",
        lambda x: reel.cond(reel.sum(x) < 0, lambda: {"a": [x]}, lambda: {"a": [x * x]})["a"][0],
        lambda x: x * x,
    ),
    ("while", lambda x: power(x, 3), lambda x: x**3),
    ("for", lambda x: reel.for_loop(3, lambda i, v: {"y": v["y"] * x}, {"y": x})["y"], lambda x: x**4),
    ("scan", lambda x: reel.scan(lambda a, e: a + e * e, x, reel.asarray(0.0)), lambda x: np.cumsum(x * x)),
    ("scan first", lambda x: reel.scan(lambda a, e: a * e, x), np.cumprod),
    ("scan reverse", lambda x: reel.scan(lambda a, e: a + e, x, reverse=True), lambda x: np.cumsum(x[::-1])[::-1]),
    (
        "scan_steps",
        lambda x: reel.scan_steps(lambda c, e: (c + e, c * e), reel.asarray(1.0), x)[1],
        lambda x: (1 + np.cumsum(x) - x) * x,
    ),
    ("map_fn", lambda x: reel.map_fn(lambda e: e * e, x), lambda x: x * x),
    ("map_fn structure", lambda x: reel.map_fn(lambda e: e[0] * e[1], (x, x + 1)), lambda x: x * (x + 1)),
    ("foldl", lambda x: reel.foldl(lambda a, e: a * 2 + e, x), lambda x: np.float32(11)),
    ("foldr", lambda x: reel.foldr(lambda a, e: a * 2 + e, x, reel.asarray(0.0)), lambda x: np.float32(17)),
    (
        "switch_case",
        lambda x: reel.switch_case(reel.argmax(x), [lambda: x, lambda: -x, lambda: x * 5]),
        lambda x: x * 5,
    ),
    ("case", lambda x: reel.case([(x[0] > 5, lambda: x), (x[1] > 1, lambda: x * 7)], lambda: -x), lambda x: x * 7),
]


@pytest.mark.parametrize("name, function, expected", ROWS, ids=[r[0] for r in ROWS])
def test_eager_and_traced(name, function, expected):
    want = expected(X.numpy())
    np.testing.assert_allclose(function(X).numpy(), want, rtol=1e-6)
    run = reel.compile(reel.trace(function, [reel.TensorSpec((3,))]))
    np.testing.assert_allclose(run(X).numpy(), want, rtol=1e-6)

    def gradient(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = reel.sum(function(x))
        return tape.gradient(y, x)

    eager = gradient(X).numpy()
    np.testing.assert_array_equal(reel.compile(reel.trace(gradient, [reel.TensorSpec((3,))]))(X).numpy(), eager)


BRANCHES = [
    ("captured", lambda x, z: reel.cond(x[0] > 0, lambda: x, lambda: z)),
    ("other captured", lambda x, z: reel.cond(x[0] < 0, lambda: x, lambda: z)),
    ("twice", lambda x, z: sum(reel.cond(x[0] > 0, lambda: {"a": [z, z], "b": x}, lambda: {"a": [x, z], "b": x})["a"])),
    ("op", lambda x, z: reel.cond(x[0] > 0, lambda: z * x, lambda: z)),
    ("nested", lambda x, z: reel.cond(x[0] > 0, lambda: reel.cond(x[1] > 0, lambda: z, lambda: x), lambda: x)),
    ("known in traces", lambda x, z: reel.cond(reel.asarray(True), lambda: x, lambda: z)),
    ("switch_case", lambda x, z: reel.switch_case(reel.argmax(x), [lambda: x, lambda: z, lambda: x * z])),
    ("case", lambda x, z: reel.case([(x[0] > 5, lambda: x), (x[1] > 0, lambda: z)], lambda: -x)),
    ("while", lambda x, z: reel.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, z), (reel.asarray(0), x))[1]),
    # Its gradient has loops in loops, which invariants leave one after the other.
    (
        "while from a value",
        lambda x, z: reel.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x + reel.sin(z)), (reel.astype(x[0] * 0, reel.int64), x)
        )[1],
    ),
]


@pytest.mark.parametrize(
    "use",
    [
        lambda x: reel.cond(x[0] > 0, lambda: (x, reel.sin(x)), lambda: (x, x))[0],
        lambda x: reel.for_loop(3, lambda i, y: y * x * 0.3 + reel.sin(x), x),
        lambda x: reel.map_fn(lambda e: e * e - reel.sin(e), reel.reshape(x, (5, 10))),
    ],
    ids=["cond", "for", "map"],
)
def test_rows_that_were_gathered_before_and_after_are_added_in_one_order(use):
    """A gather's gradient is added row by row to what there is; rows are gathered several times."""
    rows = reel.asarray(np.random.default_rng(1).integers(0, 5, 120))

    def gradient(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = use(reel.take(x, rows[:50]) * x)
            loss = reel.sum(reel.tanh(y) * 1.3) + reel.sum(reel.sin(reel.take(x, rows)))
            loss = loss + reel.sum(reel.tanh(use(x)))
        return tape.gradient(loss, x)

    x = reel.asarray(np.random.default_rng(0).uniform(0.1, 3, 50), dtype=reel.float32)
    eager = np.asarray(reel.asarray(gradient(x)))
    assert np.asarray(reel.asarray(reel.function(gradient)(x))).tobytes() == eager.tobytes()

    def last(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            loss = reel.sum(reel.tanh(use(x)))
            loss = loss + reel.sum(reel.sin(reel.take(x, rows)))
        return tape.gradient(loss, x)

    assert np.asarray(reel.asarray(reel.function(last)(x))).tobytes() == np.asarray(reel.asarray(last(x))).tobytes()


@pytest.mark.parametrize(
    "use",
    [
        lambda x: reel.for_loop(1, lambda i, q: (reel.sin(q[0] * x), reel.tanh(q[1])), (x, x)),
        lambda x: reel.for_loop(3, lambda i, q: (reel.sin(q[0]), reel.tanh(q[1] + x)), (x, x)),
        lambda x: reel.for_loop(2, lambda i, q: (reel.sin(q[0]), reel.tanh(q[1]), reel.exp(-x)), (x, x, x)),
        lambda x: reel.while_loop(lambda i, *_: i < 2, lambda i, a, b: (i + 1, a * x, b - x), (reel.asarray(0), x, x))[
            1:
        ],
    ],
    ids=["once", "added", "three", "while"],
)
def test_operands_that_are_captured_too_are_added_in_one_order(use):
    def gradient(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            loss = sum((reel.sum(reel.sin(y * (1.3 + k))) for k, y in enumerate(use(x))), reel.asarray(0.0))
        return tape.gradient(loss, x)

    x = reel.asarray(np.random.default_rng(0).uniform(0.1, 3, 200), dtype=reel.float32)
    eager = gradient(x).numpy()
    for level in (0, 2):
        compiled = reel.compile(reel.trace(gradient, [reel.TensorSpec((200,))]), opt_level=level)
        assert compiled(x).numpy().tobytes() == eager.tobytes()


ROWS_OF = reel.asarray(np.random.default_rng(1).integers(0, 5, 60))


def some(x):
    """Rows of x, some of them several times."""
    return reel.take(x, ROWS_OF)


GATHERS = [
    ("before, for one branch", lambda p, x: (lambda r: reel.cond(p, lambda: x + r, lambda: x))(some(x))),
    ("before, for the other", lambda p, x: (lambda r: reel.cond(p, lambda: x * 0.1, lambda: r * x))(some(x))),
    ("before, of a value", lambda p, x: (lambda z, r: [reel.cond(p, lambda: z * r, lambda: z), z])(x * x, some(x * x))),
    (
        "before, and a slice",
        lambda p, x: (lambda r, k: reel.cond(p, lambda: (r, k), lambda: (k * 2, r * 0.3)))(
            some(x)[:10], reel.reshape(x, (6, 10))[reel.asarray(2)]
        ),
    ),
    (
        "after, of results",
        lambda p, x: (lambda a, b: [a, some(b)])(*reel.cond(p, lambda: (x, x + x), lambda: (x * 0.3, x))),
    ),
    (
        "after, of one twice",
        lambda p, x: (lambda a, b: [some(a), some(b), a])(*reel.cond(p, lambda: (x, x), lambda: (x, x))),
    ),
    (
        "after a loop",
        lambda p, x: some(
            reel.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y + 0.1 * x), (reel.astype(p, reel.int64), x))[1]
        ),
    ),
    ("after no iterations", lambda p, x: [some(reel.for_loop(0, lambda i, y: y, x)), x * 0.7]),
    (
        "of a loop's first value",
        lambda p, x: reel.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, some(y)), (reel.astype(p, reel.int64), some(x))
        )[1],
    ),
    ("of a loop's result", lambda p, x: (lambda y: [y, some(y)])(reel.for_loop(2, lambda i, y: reel.sin(y) + x, x))),
    (
        "of a scan",
        lambda p, x: (lambda y: [y[0], some(y[1][1])])(reel.scan_steps(lambda c, e: (c + e * x, c * e), x, x[:3])),
    ),
]


@pytest.mark.parametrize("dtype", [reel.float16, reel.float32], ids=["f16", "f32"])
@pytest.mark.parametrize("use", [row[1] for row in GATHERS], ids=[row[0] for row in GATHERS])
def test_rows_cross_branches_and_loops_in_one_order(use, dtype):
    """What is gathered where a branch may not be taken, or of what one gives, has the bits of eager code."""

    def gradient(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            loss = reel.sum(reel.sin(x * 1.1))
            y = use(reel.sum(x) * sign > 0, x)
            for k, part in enumerate(y if isinstance(y, (tuple, list)) else [y]):
                loss = loss + reel.sum(reel.tanh(part) * (1.3 + k)) + reel.sum(part * part)
        return reel.asarray(tape.gradient(loss, x))

    x = reel.asarray(np.random.default_rng(0).uniform(0.1, 3, 60), dtype=dtype)
    for sign in (1, -1):
        eager = gradient(x).numpy()
        for level in (0, 2):
            compiled = reel.compile(reel.trace(gradient, [reel.TensorSpec((60,), dtype)]), opt_level=level)
            assert compiled(x).numpy().tobytes() == eager.tobytes(), (sign, level)


TF_ROWS = [
    ("cond", lambda x, z: tf.cond(x[0] > 0, lambda: x, lambda: z)),
    ("cond twice", lambda x, z: sum(tf.cond(x[0] > 0, lambda: (z, z, x), lambda: (x, z, x))[:2])),
    ("case", lambda x, z: tf.case([(x[0] > 5, lambda: x), (x[1] > 0, lambda: z)], lambda: -x)),
    ("switch_case", lambda x, z: tf.switch_case(tf.argmax(x[:3]), [lambda: x, lambda: z, lambda: x * z])),
    ("while", lambda x, z: tf_while(lambda y: [y * x + tf.sin(z)], x)),
    ("while captured", lambda x, z: tf_while(lambda y: [z], x)),
    ("while two", lambda x, z: tf_while(lambda y, w: [w, w * y * 0.3], x, x)),
    ("foldl", lambda x, z: tf.foldl(lambda a, e: tf.tanh(a * e) + x * z, x, x)),
    ("foldl captured", lambda x, z: tf.foldl(lambda a, e: z, x, x)),
    ("foldr", lambda x, z: tf.foldr(lambda a, e: tf.tanh(a * e) + a * z[0], x)),
    ("scan", lambda x, z: tf.scan(lambda a, e: tf.tanh(a * e) + a * z[0], x, x[0])),
    ("scan first", lambda x, z: tf.scan(lambda a, e: tf.tanh(a * e) + a * z[0], x)),
    ("map", lambda x, z: tf.map_fn(lambda e: e * e * z[1] + tf.sin(e), x)),
    ("map captured", lambda x, z: tf.reduce_sum(tf.map_fn(lambda e: z, x), 0)),
]


def tf_while(body, *values):
    start = tf.cast(values[0][0] * 0, tf.int32)  # not known in a trace
    return sum(tf.while_loop(lambda i, *_: i < 3, lambda i, *now: [i + 1, *body(*now)], [start, *values])[1:])


# Of either package: its functions, and what runs a function compiled.
PACKAGES = {
    "reel": (
        reel,
        BRANCHES,
        [
            lambda f, x, level=level: reel.compile(reel.trace(f, [reel.TensorSpec(x.shape)]), opt_level=level)(x)
            for level in (0, 2)
        ],
    ),
    "tf": (tf, TF_ROWS, [lambda f, x: tf.function(f)(x)]),
}


@pytest.mark.parametrize(
    "package, branch",
    [
        pytest.param(package, branch, id=f"{package} {name}")
        for package, (_, rows, _) in PACKAGES.items()
        for name, branch in rows
    ],
)
def test_first_gradients_have_the_bits_of_eager_code(package, branch):
    """Uses before and after a branch, whose cotangents round when they are added up in another order."""
    lib, _, engines = PACKAGES[package]
    total = getattr(lib, "reduce_sum", None) or lib.sum

    def gradient(x):
        with lib.GradientTape() as tape:
            tape.watch(x)
            z = lib.sin(x)
            y = branch(x, z)
            assert type(y) is type(x)
            loss = total(y * 1.3 + lib.tanh(y) * z) + total(lib.exp(x * z) * 0.7) + total(x * x * z)
        return tape.gradient(loss, x)

    x = getattr(lib, "constant", reel.asarray)(np.random.default_rng(0).uniform(0.1, 3, 50), dtype=lib.float32)
    eager = gradient(x).numpy()
    for engine in engines:
        assert engine(gradient, x).numpy().tobytes() == eager.tobytes()


def test_branches_taken_at_once_return_anything():
    v = reel.Variable(2.0)
    for within in (False, True):
        with reel.GradientTape() if within else contextlib.nullcontext():
            assert reel.cond(True, lambda: v, lambda: None) is v
            assert reel.cond(True, lambda: None, lambda: v) is None
            assert reel.switch_case(1, [lambda: 1, lambda: {"b": "text", "a": 0.5, 3: X}])["b"] == "text"
            made = []
            got = reel.cond(False, lambda: 1, lambda: made.append(X * 2) or made[0])
            assert got is made[0] if not within else np.array_equal(got, made[0])  # a value of its own, as in a graph


def test_gradients_inside_and_bounds():
    x = reel.Variable(2.0)
    with reel.GradientTape() as tape:
        y = power(x, 4)
    assert tape.gradient(y, x).item() == 32
    assert reel.while_loop(lambda i: i < 100, lambda i: [i + 1], [reel.asarray(0)], maximum_iterations=7)[0].item() == 7


def test_errors():
    with pytest.raises(ValueError, match="bool scalar"):
        reel.cond(X, lambda: 1, lambda: 2)
    with pytest.raises(TypeError, match="list or tuple"):
        reel.while_loop(lambda i: i < 3, lambda i: i + 1, reel.asarray(0))
    with pytest.raises(ZeroDivisionError):
        reel.while_loop(lambda i: i < 3, lambda i: 1 / 0, [reel.asarray(0)])
    with pytest.raises(ValueError, match="branches return different types"):
        reel.trace(lambda x: reel.cond(x[0] > 0, lambda: [x], lambda: [x, x])[0], [reel.TensorSpec((3,))])
    with pytest.raises(ValueError, match="structures"):
        reel.trace(lambda x: reel.cond(x[0] > 0, lambda: [x], lambda: {"a": x})[0], [reel.TensorSpec((3,))])
