"""What compiled code calls: tf.print, assertions, tf.py_function, tf.numpy_function; in order, with gradients, and what
a failure leaves."""

import gc
import io
import sys
import weakref

import numpy as np
import pytest

import reel
import reel.tf as tf


def _printed(*args, **kwargs):
    out = io.StringIO()
    tf.print(*args, output_stream=out, **kwargs)
    return out.getvalue()


TEXTS = [
    (lambda: [tf.constant(3.14159265)], "3.14159274"),
    (lambda: [tf.constant([0.1, 1.0, 1e10, float("nan"), float("-inf"), -0.0])], "[0.1 1 1e+10 nan -inf -0]"),
    (lambda: [tf.constant(1 / 3, tf.float64)], "0.33333333333333331"),
    (lambda: [tf.range(10)], "[0 1 2 ... 7 8 9]"),
    (lambda: [tf.constant([[1, 2], [3, 4]])], "[[1 2]\n [3 4]]"),
    (lambda: [tf.reshape(tf.range(8), (2, 2, 2))], "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
    (lambda: [tf.constant([True, False])], "[1 0]"),
    (lambda: ["a", 1, 2.5, None, True], "a 1 2.5 None True"),
    (lambda: [{"a": tf.constant(1)}, (tf.constant([1, 2]), "x")], "{'a': 1} ([1 2], 'x')"),
    (lambda: [tf.Variable([1.0, 2.5])], "[1 2.5]"),
    (lambda: [tf.constant([0.1], tf.float16), tf.constant([0.1], tf.bfloat16)], "[0.0999755859] [0.100097656]"),
    (lambda: [tf.zeros((0, 3)), tf.constant(-3, tf.int8)], "[] -3"),
]


@pytest.mark.parametrize("make, text", TEXTS)
def test_print_writes_what_tensorflow_does(make, text):
    if "nan" in text:
        assert _printed(*make(), summarize=-1) == text + "\n"
        return
    assert _printed(*make()) == text + "\n"


def test_print_has_separators_and_streams(tmp_path, capsys):
    assert _printed("a", "b", sep="--", end="!") == "a--b!"
    tf.print("to stderr")
    assert capsys.readouterr().err == "to stderr\n"
    path = tmp_path / "log"
    tf.print("one", output_stream=f"file://{path}")
    tf.print("two", output_stream=f"file://{path}")
    assert path.read_text() == "one\ntwo\n"
    lines = []
    tf.print("x", output_stream=lines.append)
    assert lines == ["x"]
    with pytest.raises(ValueError, match="Unknown output stream"):
        tf.print("x", output_stream=3)


def test_a_function_prints_when_it_runs_in_order(capsys):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        print("traced")
        tf.print("first", x, v, output_stream=sys.stdout)
        v.assign_add(x)
        for i in tf.range(2):
            if i > 0:
                tf.print("i", i, output_stream=sys.stdout)
        tf.print("last", v, output_stream=sys.stdout)
        return x

    f(tf.constant(2.0))
    assert capsys.readouterr().out == "traced\nfirst 2 1\ni 1\nlast 3\n"
    f(tf.constant(1.0))
    assert capsys.readouterr().out == "first 1 3\ni 1\nlast 4\n"


def test_gradients_do_not_print_again(capsys):
    @tf.function
    def f(x):
        i = 0
        while tf.less(i, 3):
            tf.print(i, output_stream=sys.stdout)
            x, i = x * x, i + 1
        return x

    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert capsys.readouterr().out == "0\n1\n2\n"
    np.testing.assert_allclose(tape.gradient(y, x), 8 * 1.5**7, rtol=1e-6)
    assert capsys.readouterr().out == ""


ASSERTIONS = {
    "equal": (lambda x: tf.debugging.assert_equal(x, [1.0, 2.0], message="M"), [1.0, 2.0], [1.0, 3.0]),
    "none_equal": (lambda x: tf.debugging.assert_none_equal(x, 0.0), [1.0, 2.0], [1.0, 0.0]),
    "less": (lambda x: tf.debugging.assert_less(x, 3.0), [1.0, 2.0], [1.0, 3.0]),
    "greater_equal": (lambda x: tf.debugging.assert_greater_equal(x, 1.0), [1.0, 2.0], [1.0, -3.0]),
    "positive": (lambda x: tf.debugging.assert_positive(x), [1.0, 2.0], [1.0, 0.0]),
    "near": (lambda x: tf.debugging.assert_near(x, 1.0, atol=0.5), [1.0, 1.4], [1.0, 2.0]),
    "Assert": (lambda x: tf.Assert(tf.reduce_all(x > 0.0), ["x is", x]), [1.0, 2.0], [1.0, -1.0]),
    "all_finite": (lambda x: tf.debugging.assert_all_finite(x, "M"), [1.0, 2.0], [1.0, np.inf]),
    "check_numerics": (lambda x: tf.debugging.check_numerics(x, "M"), [1.0, 2.0], [np.nan, 1.0]),
}


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions_hold_at_run_time_and_a_failure_changes_no_variable(name):
    check, good, bad = ASSERTIONS[name]
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def step(x):
        v.assign_add(x)
        check(x)
        v.assign_add(x)
        return tf.reduce_sum(x * x)

    good, bad = tf.constant(good), tf.constant(bad)
    check(good)
    with tf.GradientTape() as tape:
        tape.watch(good)
        y = step(good)
    np.testing.assert_allclose(tape.gradient(y, good), 2 * good.numpy())
    before = v.numpy()
    np.testing.assert_allclose(before, 2 * good.numpy())
    for call in (check, step):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            call(bad)
    assert "test_tf_callbacks.py" in str(caught.value)
    np.testing.assert_array_equal(v.numpy(), before)
    step(good)
    np.testing.assert_allclose(v.numpy(), 4 * good.numpy(), err_msg="it goes on")


def test_an_assertion_names_values_and_line():
    @tf.function
    def f(x):
        tf.debugging.assert_less(x, 3, message="too large")

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)too large.*x < y.*:\d+\..*\[1 5 2\]"):
        f(tf.constant([1, 5, 2]))


def test_assertions_stand_in_branches_loops_and_batches():
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i > 1:
                tf.debugging.assert_less(i, 3)
        return n

    assert f(tf.constant(3)) == 3
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(5))

    def row(x):
        tf.debugging.assert_less(x, 3.0)
        return x * 2.0

    assert tf.vectorized_map(row, tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(row, tf.constant([1.0, 4.0]))


def test_check_numerics_looks_at_its_gradient():
    x = tf.constant([0.0, 1.0])
    for wrap in (lambda f: f, tf.function):
        f = wrap(lambda x: tf.debugging.check_numerics(tf.sqrt(x), "root"))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * 2.0
        assert np.isinf(tape.gradient(y, x).numpy()[0]), "the infinity is born behind the check"
        with pytest.raises(tf.errors.InvalidArgumentError, match="root"), tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.math.log(f(x)))
            tape.gradient(y, x)


def _py(calls, f):
    def g(*args):
        calls.append(1)
        return f(*args)

    return g


def test_py_function_runs_eagerly_and_compiled_with_gradients():
    calls = []
    g = _py(calls, lambda a, b: (tf.reduce_sum(a * a) * b, a + b))

    def f(a, b):
        p, q = tf.py_function(g, [a, b], [tf.float32, tf.float32])
        return p * 2.0 + tf.reduce_sum(q)

    a, b = tf.constant([1.0, 2.0]), tf.constant(3.0)
    compiled = tf.function(f)
    for h in (f, compiled, compiled):  # the first compiled call is eager, to know shapes
        calls.clear()
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = h(a, b)
        assert y.numpy() == 39 and len(calls) == 1
        da, db = tape.gradient(y, [a, b])
        assert da.numpy().tolist() == [13, 25] and db.numpy() == 12
        assert len(calls) == 1, "its own tape is kept"


def test_py_function_of_a_known_shape_is_traced_at_once():
    traces = []

    @tf.function
    def f(z):
        traces.append(1)
        return tf.py_function(lambda q: q * q, [z], tf.TensorSpec((), tf.complex64))

    assert f(tf.constant(1 + 2j, tf.complex64)).numpy() == (1 + 2j) ** 2
    assert f(tf.constant(2j, tf.complex64)).numpy() == -4
    assert len(traces) == 1


def test_py_function_in_a_loop_has_gradients():
    @tf.function
    def f(x):
        def body(i, x):
            return i + 1, tf.py_function(lambda z: z * z, [x], tf.TensorSpec((), tf.float32))

        return tf.while_loop(lambda i, x: i < 3, body, [0, x])[1]

    x = tf.constant(1.1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), 8 * 1.1**7, rtol=1e-5)


def test_a_py_function_of_another_shape_is_an_error():
    shapes = iter([2, 2, 3])
    f = tf.function(lambda x: tf.py_function(lambda z: tf.zeros(next(shapes)), [x], tf.float32))
    x = tf.constant(1.0)
    assert f(x).shape == (2,) and f(x).shape == (2,)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"result 0 is float32\[3\].*made for float32\[2\]"):
        f(x)


def test_numpy_function():
    f = tf.function(lambda x: tf.numpy_function(lambda a: np.sort(a)[:2], [x], tf.float32) * 2.0)
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.numpy().tolist() == f(x).numpy().tolist() == [2, 4]
    assert tape.gradient(y, x) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns float64, Tout says float32"):
        tf.numpy_function(lambda a: a.astype(np.float64), [x], tf.float32)


ERRORS = [
    (ValueError("boo"), (ValueError, tf.errors.InvalidArgumentError)),
    (TypeError("boo"), (TypeError, tf.errors.InvalidArgumentError)),
    (NotImplementedError("boo"), (tf.errors.UnimplementedError,)),
    (KeyError("boo"), (KeyError,)),
]


@pytest.mark.parametrize("error, classes", ERRORS, ids=lambda x: type(x).__name__)
def test_what_a_function_raises_ends_the_call(error, classes):
    v = tf.Variable(1.0)

    def raises(x):
        raise error

    def f(x):
        v.assign_add(x)
        return tf.py_function(raises, [x], tf.TensorSpec((), tf.float32))

    for call in (tf.function(f), f):
        for kind in classes:
            with pytest.raises(kind, match="boo"):
                call(tf.constant(1.0))
        if call is not f:
            assert v.numpy() == 1, "compiled: as before the call"


def test_a_function_may_call_the_one_that_calls_it():
    @tf.function
    def f(n):
        rest = tf.py_function(lambda n: f(n - 1) if n > 0 else n, [n], tf.TensorSpec((), tf.int32))
        return rest + n

    assert f(tf.constant(4)) == 10


def test_objects_refuse_callbacks_by_name(tmp_path):
    @tf.function
    def f(x):
        tf.print(x)
        return x * 2.0

    graph = f.get_concrete_function(tf.constant([1.0])).program.graph("f")
    with pytest.raises(tf.errors.UnimplementedError, match="calls tf.print, a function of this process"):
        reel.export(graph, str(tmp_path / "f"))


def test_slices_with_a_traced_start():
    x = tf.reshape(tf.range(12.0), (6, 2))
    f = tf.function(lambda i: (x[i : i + 2], x[2 * i : (i + 1) * 2, 0], x[i]))
    a, b, c = f(tf.constant(2))
    assert a.numpy().tolist() == x.numpy()[2:4].tolist()
    assert b.numpy().tolist() == x.numpy()[4:6, 0].tolist() and c.numpy().tolist() == x.numpy()[2].tolist()
    with pytest.raises(IndexError, match=r"slice: index 6 is out of range for axis 0 of f32\[6,2\]"):
        tf.function(lambda i: x[i : i + 2])(tf.constant(5))
    with pytest.raises(tf.errors.FailedPreconditionError, match="size that is not known"):
        tf.function(lambda n: x[:n])(tf.constant(2))
    shorter = tf.function(lambda x: x[: tf.shape(x)[0] - 1, tf.constant(0) : tf.constant(1)])
    assert shorter(x).shape == (5, 1), "of constants and shapes the size is known"
    with pytest.raises(ValueError, match="length that is not known"):
        tf.function(lambda n: tf.reduce_sum(tf.range(n)))(tf.constant(2))
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.function(lambda i: v[i : i + 2] * 3.0)(tf.constant(1)))
    assert tape.gradient(y, v).numpy().tolist() == [[0, 0], [3, 3], [3, 3], [0, 0], [0, 0], [0, 0]]


def test_functions_end_with_the_last_trace_that_names_them():
    class Held:
        pass

    def call():
        held = Held()

        def twice(a, held=held):
            return a * 2.0

        f = tf.function(lambda x: tf.py_function(twice, [x], tf.TensorSpec((), tf.float32)))
        assert f(tf.constant(2.0)) == 4.0 and f(tf.constant(3.0)) == 6.0
        return weakref.ref(held)

    ended = [call() for _ in range(10)]
    gc.collect()
    assert [r() for r in ended] == [None] * 10


def test_integer_divisors_and_exponents_are_checked_with_bounds():
    x, zeros = tf.constant([7, 8]), tf.constant([1, 0])
    v = tf.Variable([0, 0])

    def step(d):
        v.assign(x)
        v.assign(v // d)
        return v + 0

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Integer division by zero \[Op:FloorDiv\].*test_tf_call"):
        tf.function(step)(zeros)
    assert v.numpy().tolist() == [0, 0], "a failed call changes no variable"
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        tf.function(lambda p: x**p)(tf.constant([1, -1]))
    assert reel.check_bounds(False) is True
    try:
        assert tf.function(step)(zeros).numpy().tolist() == [7, 0]
    finally:
        reel.check_bounds(True)


def test_reel_functions_check_bounds_unless_told_not_to():
    table, good, bad = reel.asarray([1.0, 2.0]), reel.asarray([1, 0]), reel.asarray([0, 5])

    def f(i):
        return reel.take(table, i)

    with pytest.raises(IndexError):
        reel.function(f)(bad)
    trusting = reel.function(f, check_bounds=False)
    assert trusting(good).tolist() == [2, 1] and trusting(bad).tolist() == [1, 0]
    assert reel.check_bounds(False) is True
    try:
        assert tf.function(lambda i: tf.gather(tf.constant([1.0, 2.0]), i))(tf.constant([0, 5])).numpy().tolist() == [
            1,
            0,
        ]
        with pytest.raises(IndexError):
            f(bad)
    finally:
        assert reel.check_bounds(True) is False


def test_sessions_of_version_1_run_assertions_prints_and_functions(capsys):
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        with v1.control_dependencies([v1.Assert(tf.reduce_all(x > 0.0), [x])]):
            checked = v1.identity(x)
        with v1.control_dependencies([tf.print("x is", x, output_stream=sys.stdout)]):
            printed = x + 1.0
        squares = tf.py_function(lambda a: a * a, [x], tf.TensorSpec((2,), tf.float32))
        doubles = tf.numpy_function(lambda a: a * 2, [x], tf.float32)
        slope = v1.gradients(squares, x)[0]
        with v1.Session() as session:
            feed = {x: [1.0, 3.0]}
            assert session.run(checked, feed).tolist() == [1, 3]
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be true.*\[-1 3\]"):
                session.run(checked, {x: [-1.0, 3.0]})
            assert capsys.readouterr().out == ""
            assert session.run(printed, feed).tolist() == [2, 4]
            assert capsys.readouterr().out == "x is [1 3]\n"
            values = [v.tolist() for v in session.run([squares, doubles, slope], feed)]
            assert values == [[1, 9], [2, 6], [2, 6]]


def test_strings_are_printed_asserted_and_passed_on(capsys):
    @tf.function
    def f(x):
        tf.print(tf.constant("label"), tf.constant(["a", "b"]), {"k": tf.constant("v")}, x, output_stream=sys.stdout)
        tf.debugging.assert_equal(tf.constant("a"), "a")
        tf.Assert(x > 0.0, [tf.constant("x is"), x])
        return x

    f(tf.constant(1.0))
    assert capsys.readouterr().out == '"label" ["a" "b"] {\'k\': "v"} 1\n'
    with pytest.raises(tf.errors.InvalidArgumentError, match="Data: x is, -1"):
        f(tf.constant(-1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
        tf.debugging.assert_equal(tf.constant("a"), tf.constant("b"))
    assert tf.py_function(lambda s: s + "!", [tf.constant("q")], tf.string).numpy() == b"q!"
    assert tf.numpy_function(lambda s, x: s * x, [tf.constant("q"), 2], tf.string).numpy() == b"qq"
    with pytest.raises(tf.errors.UnimplementedError, match="compiled code has no strings"):
        tf.function(lambda x: tf.py_function(lambda v: tf.constant("q"), [x], tf.string))(tf.constant(1.0))
