"""Autograph: Python's control flow on traced tensors, and what cannot be converted."""

import re

import numpy as np
import pytest

import reel
import reel.tf as tf

c = tf.constant


def lists(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


# Each function gives the same traced as when it runs as plain Python.


def nested_if(x):
    if x > 0:
        if x > 2:
            y = x * 10
        else:
            y = x * 2
    else:
        y = -x
    return y + 1


def early_return(x):
    if x < 0:
        return -x
    z = x * 3
    if z > 9:
        return z
    return z + 1


def elif_chain(x):
    if x > 2:
        r = 1.0
    elif x > 0:
        r = 2.0
    else:
        r = 3.0
    return x * r


def while_break_continue(x):
    i, total = 0, 0.0
    while True:
        i += 1
        if i > 10:
            break
        if i % 2 == 0:
            continue
        total += x * tf.cast(i, tf.float32)
        if total > 8:
            break
    return total, i


def for_rows(x):
    total = 0.0
    for row in tf.stack([x, x + 1, x + 2]):
        if row > 2.5:
            break
        total += row
    else:
        total += 100.0
    return total


def for_range(x):
    n = tf.cast(x, tf.int32) + 3
    y = 1.0
    for i in tf.range(3):
        for j in range(n):
            y += tf.cast(i * j, tf.float32)
    for k in range(n, 0, -1):
        y += tf.cast(k, tf.float32)
    return y


def logic(x):
    a = x > 0 and x < 2
    b = not a or x == 5.0
    return (1.0 if a else 2.0), b, 0.0 < x < 3.0


def python_loop(x):
    parts = []
    for i in range(3):
        if i == 1:
            continue
        parts.append(x * i)
    return tf.add_n(parts)


def return_in_python_loop(x):
    for i in range(5):
        if i == 2:
            return x * i
    return x


def with_block(x):
    with tf.GradientTape() as t:
        t.watch(x)
        if x > 1:
            y = x * x
        else:
            y = 3 * x
    return t.gradient(y, x)


def closure(x):
    scale = 2.0

    def inner(y):
        if y > 1:
            return y * scale
        return y

    return inner(x) + helper(x)


def helper(x):
    if x > 1:
        x = x + 10
    return x


def try_block(x):
    try:
        y = x + 1
        if x > 1:
            y = y * 2
    finally:
        y = y + 1
    return y


class Counter:
    def __init__(self):
        self.calls = 0

    @tf.function
    def method(self, x):
        self.calls += 1
        if x > 1:
            return x * 2
        return x


FUNCTIONS = [
    nested_if,
    early_return,
    elif_chain,
    while_break_continue,
    for_rows,
    for_range,
    logic,
    python_loop,
    return_in_python_loop,
    with_block,
    closure,
    try_block,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [-1.0, 0.5, 1.5, 4.0])
def test_autograph_equals_python(f, x):
    compiled = tf.function(f)
    if f is for_rows:  # the loop's flag makes Python's `else` a branch too
        expected = f(c(x))
    else:
        expected = f(c(x)) if f is not for_range else for_range_plain(x)
    np.testing.assert_allclose(np.float64(lists(compiled(c(x)))), np.float64(lists(expected)), rtol=1e-6)
    assert compiled.experimental_get_tracing_count() == 1


def for_range_plain(x):
    n = int(x) + 3
    return 1.0 + sum(i * j for i in range(3) for j in range(n)) + sum(range(n, 0, -1))


def total_of_while(x):
    return while_break_continue(x)[0]


@pytest.mark.parametrize("f", [nested_if, early_return, while_break_continue], ids=lambda f: f.__name__)
def test_gradients_of_converted_functions(f):
    def gradient(g, x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x)
        return t.gradient(y, x)

    first = total_of_while if f is while_break_continue else f
    traced = tf.function(lambda x: gradient(tf.function(first), x))
    for x in (-1.0, 0.5, 4.0):
        assert float(gradient(tf.function(first), c(x))) == pytest.approx(float(gradient(first, c(x))))
        if f is not while_break_continue:
            assert float(traced(c(x))) == pytest.approx(float(gradient(first, c(x))))


def only_one_branch(x):
    if x > 0:
        y = x
    return y


def types_differ(x):
    if x > 0:
        y = x
    else:
        y = tf.stack([x, x])
    return y


def loop_changes_shape(x):
    while tf.reduce_sum(x) < 10:
        x = tf.concat([x, x], 0)
    return x


def none_before(x):
    best = None
    while x < 3:
        best = x
        x += 1
    return best


@pytest.mark.parametrize(
    "f, text",
    [
        (only_one_branch, "'y' is assigned in one branch only"),
        (
            types_differ,
            r"'y' is float32\[\] in one branch and "
            r"float32\[2\]",
        ),
        (loop_changes_shape, r"'x' is float32\[1\] before the loop and float32\[2\] after"),
        (none_before, "'best' is None before the loop"),
    ],
)
def test_what_cannot_be_converted_names_the_line(f, text):
    x = c([1.0]) if f is loop_changes_shape else c(1.0)
    with pytest.raises(reel.Error, match=text) as error:
        tf.function(f)(x)
    assert re.search(r"line \d+ of test_tf_autograph.py: `(if|while) ", str(error.value))
    assert re.search(r"tf.cond|tf.while_loop|before the loop", str(error.value))


def test_without_autograph_the_error_says_what_to_write():
    with pytest.raises(TypeError, match="tf.cond.*tf.while_loop"):
        tf.function(nested_if, autograph=False)(c(1.0))


def test_line_numbers_are_kept():
    def fails(x):
        if x > 100:
            x = x + 1
        y = x * 2  # noqa: F841
        raise ValueError("here")  # the fourth line

    with pytest.raises(ValueError, match="here") as error:
        tf.function(fails)(c(1.0))
    line = fails.__code__.co_firstlineno + 4
    assert any(e.lineno + 1 == line for e in error.traceback if "test_tf_autograph" in str(e.path))


def test_methods_and_self():
    a, b = Counter(), Counter()
    assert (
        lists([a.method(c(3.0)), a.method(c(0.5)), b.method(c(3.0))]) == [6.0, 0.5, 6.0]
        and a.calls == 1
        and b.calls == 1
    )


# --- control flow ---


def loops(x):
    return (
        tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * x], [c(0), x])[1],
        tf.map_fn(lambda r: r * x, c([1.0, 2.0])),
        tf.foldl(lambda a, r: a * r, tf.stack([x, x, x])),
        tf.foldr(lambda a, r: a - r, c([1.0, 2.0, 4.0]), initializer=x),
        tf.scan(lambda a, r: a + r, tf.stack([x, x, x])),
        tf.case([(x > 3, lambda: x), (x > 1, lambda: 10 * x)], default=lambda: -x),
        tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: 2 * x, lambda: 3 * x]),
        tf.while_loop(lambda y: y < 100, lambda y: (y * 2,), (x,), maximum_iterations=2)[0],
    )


@pytest.mark.parametrize("x", [0.5, 2.0, 5.0])
def test_control_flow_traced_equals_eager(x):
    eager, traced = lists(loops(c(x))), lists(tf.function(loops)(c(x)))
    assert eager == traced and eager[0] == x**4 and eager[7] == 4 * x

    def gradient(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = [tf.reduce_sum(r) for r in loops(x)]
        return t.gradient(y, x)

    assert float(gradient(c(x))) == pytest.approx(float(tf.function(gradient)(c(x))), rel=1e-5)


class Scaled(tf.Module):
    def __call__(self, x):
        if x > 1:
            return x * 2
        return x


class Clipped(tf.keras.layers.Layer):
    def call(self, x):
        if tf.reduce_max(x) > 1:
            x = x / tf.reduce_max(x)
        return x


def row(x):
    if x > 1:
        x = x * 10
    return x


def test_objects_layers_and_callbacks_are_converted():
    module, layer = Scaled(), Clipped()
    f = tf.function(lambda x: (layer(x), tf.map_fn(row, x)))

    @tf.function
    def g(x):
        return module(x)

    assert lists([g(c(3.0)), g(c(0.5))]) == [6.0, 0.5]
    assert lists(f(c([1.0, 2.0]))) == ([0.5, 1.0], [1.0, 20.0])
    with pytest.raises(TypeError, match="tf.cond"):
        tf.function(lambda x: tf.map_fn(row, x), autograph=False)(c([1.0, 2.0]))


def test_callable_objects_are_converted():
    class Limit:
        def __call__(self, x):
            if x > 1:
                x = x * 0 + 1
            return x

    f = tf.function(Limit())
    assert [float(f(c(v))) for v in (0.5, 3.0)] == [0.5, 1.0]


def power(x, n):
    if n == 0:
        return x * 0 + 1
    if x > 100:
        x = x * 0
    return x * power(x, n - 1)


def test_functions_that_call_themselves():
    def nested(x, tree):
        return x + sum(nested(x, t) for t in tree) if isinstance(tree, list) else x * tree

    assert [float(tf.function(power)(c(v), 3)) for v in (2.0, 200.0)] == [8.0, 0.0]
    assert float(tf.function(nested)(c(1.0), [1.0, [2.0, 3.0]])) == 8.0


# --- return in loops, lambdas, Python's functions, options, source ---


def return_in_a_loop(x):
    while x < 10:
        x = x * 2
        if x > 5:
            return x
    return -x


def two_returns_in_a_loop(x):
    for i in tf.range(5):
        if x > 20.0:
            return x, i
        elif x < -20.0:
            return -x, i * 100
        x = x * 2.0
    return x * 0.0, -1


def return_in_nested_loops(x):
    for i in tf.range(3):
        for j in tf.range(4):
            if tf.cast(i * j, tf.float32) > x:
                return i * 10 + j
    return -1


def return_in_a_python_loop(x):
    for k in range(4):
        if x > k:
            x = x - 0.75
        else:
            return x * 100.0 + k
    return x


def python_functions(x):
    assert len(x) == 3, "three"
    return len(x), int(x[0]), float(tf.cast(x[1], tf.int32)), max(x), min(x[0], x[1]), sum(x), sorted(x)[0], abs(x)


conditional = lambda x: x if x > 0.0 and x < 10.0 else -x  # noqa: E731
pair = (lambda x: x + 1.0 if x > 0.0 else x), (lambda x: x - 1.0 if not x > 0.0 else x)


@pytest.mark.parametrize(
    ("f", "values"),
    [
        (return_in_a_loop, (1.0, 3.0, 40.0)),
        (two_returns_in_a_loop, (1.0, -3.0, 30.0, 0.1)),
        (return_in_nested_loops, (0.5, 2.5, 9.0)),
        (return_in_a_python_loop, (0.5, 2.5, 9.0)),
        (python_functions, ([1.5, -3.25, 2.0],)),
        (conditional, (3.0, 30.0, -2.0)),
        (pair[0], (3.0, -3.0)),
        (pair[1], (3.0, -3.0)),
    ],
)
def test_converted_functions_give_what_they_give_eagerly(f, values):
    compiled = tf.function(f)
    for value in values:
        x = tf.constant(value)
        for got, wanted in zip(tf.nest.flatten(compiled(x)), tf.nest.flatten(f(x)), strict=True):
            np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-6)


def test_loop_options():
    @tf.function
    def count(x):
        n = tf.constant(0)
        while x > 0.0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            for _ in range(2):
                tf.autograph.experimental.set_loop_options(maximum_iterations=1)
                n += 1
        return n

    assert int(count(tf.constant(1.0))) == 6


def test_code_of_other_sources():
    """Functions of IPython's cells, doctests and the prompt have lines in linecache; others stay as they are."""
    import linecache

    text = "def f(x):\n    if x > 0.0:\n        return x\n    return -x\n"
    scope = {}
    exec(compile(text, "<ipython-input-7-abc>", "exec"), scope)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(scope["f"])(tf.constant(-3.0))
    linecache.cache["<ipython-input-8-abc>"] = len(text), None, text.splitlines(True), "<ipython-input-8-abc>"
    exec(compile(text, "<ipython-input-8-abc>", "exec"), scope)
    assert float(tf.function(scope["f"])(tf.constant(-3.0))) == 3.0


def test_to_code_and_to_graph():
    code = tf.autograph.to_code(return_in_a_loop)
    assert code.startswith("def return_in_a_loop(x):") and "while_stmt" in code
    assert tf.autograph.to_code(tf.function(return_in_a_loop)) == code
    for wrong, error in ((3, ValueError), (len, ValueError), (dict, NotImplementedError)):
        with pytest.raises(error):
            tf.autograph.to_graph(wrong)
    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
        converted = tf.autograph.to_graph(conditional)
        assert [float(session.run(converted(tf.constant(x)))) for x in (3.0, 30.0)] == [3.0, -30.0]


def test_growing_tensor_arrays_unroll_loops_of_known_length():
    @tf.function
    def squares(n):
        out = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            out = out.write(i, i * i)
        return out.stack()

    assert list(squares(4).numpy()) == [0, 1, 4, 9]
    with pytest.raises(NotImplementedError, match="size=N"):
        squares(tf.constant(4))


def test_lists_that_a_traced_loop_appends_to_are_refused():
    @tf.function
    def collect(n):
        out = []
        for i in tf.range(n):
            out.append(i * 2)
        return tf.stack(out)

    with pytest.raises(ValueError, match="tf.TensorArray, not into a Python list"):
        collect(tf.constant(3))


def test_called_lambdas_and_elements_are_converted():
    @tf.function
    def f(x):
        functions = [lambda u: u if u > 0.0 else -u]
        return functions[0](x) + (lambda u: u if u > 1.0 else u * 10.0)(x)

    assert [float(f(tf.constant(x))) for x in (0.5, 2.0, -3.0)] == [5.5, 4.0, -27.0]
