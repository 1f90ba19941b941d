"""Rows FN01 to FN23, TG01 to TG48 and IS/OP rows about graphs: tf.function, autograph, tf.gradients, compat.v1."""

import math
import re
import warnings

import numpy as np
import pytest

import reel
import reel.tf as tf

V, v1 = tf.Variable, tf.compat.v1


def c(value):
    return tf.constant(value)


def lists(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


# --- autograph: each function gives the same traced as when it runs as plain Python ---

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


FUNCTIONS = [nested_if, early_return, elif_chain, while_break_continue, for_rows, for_range, logic, python_loop,
             return_in_python_loop, with_block, closure, try_block]


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


@pytest.mark.parametrize("f", [nested_if, early_return, while_break_continue], ids=lambda f: f.__name__)
def test_gradients_of_converted_functions(f):
    def gradient(g, x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x)
        return t.gradient(y, x)
    first = (lambda x: f(x)[0]) if f is while_break_continue else f
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


def only_in_the_loop(x):
    while x < 10:
        y = x
        x = x + 1
    return y


def return_in_a_loop(x):
    while x < 10:
        x = x * 2
        if x > 5:
            return x
    return x


def none_before(x):
    best = None
    while x < 3:
        best = x
        x += 1
    return best


@pytest.mark.parametrize("f, text", [
    (only_one_branch, "'y' is assigned in one branch only"), (types_differ, r"'y' is float32\[\] in one branch and float32\[2\]"),
    (loop_changes_shape, r"'x' is float32\[1\] before the loop and float32\[2\] after"),
    (only_in_the_loop, "'y' is assigned only inside a traced loop"), (return_in_a_loop, "`return` inside a traced loop"),
    (none_before, "'best' is None before the loop")])
def test_what_cannot_be_converted_names_the_line(f, text):
    x = c([1.0]) if f is loop_changes_shape else c(1.0)
    with pytest.raises(reel.Error, match=text) as error:
        tf.function(f)(x)
    assert re.search(r"line \d+ of test_tf_function.py: `(if|while) ", str(error.value))
    assert re.search(r"tf.cond|tf.while_loop|before the loop", str(error.value))


def test_without_autograph_the_error_says_what_to_write():
    with pytest.raises(TypeError, match="tf.cond.*tf.while_loop"):
        tf.function(nested_if, autograph=False)(c(1.0))


def test_line_numbers_are_kept():
    def fails(x):
        if x > 100:
            x = x + 1
        y = x * 2
        raise ValueError("here")  # the fourth line
    with pytest.raises(ValueError, match="here") as error:
        tf.function(fails)(c(1.0))
    line = fails.__code__.co_firstlineno + 4
    assert any(e.lineno + 1 == line for e in error.traceback if "test_tf_function" in str(e.path))


def test_methods_and_self():
    a, b = Counter(), Counter()
    assert lists([a.method(c(3.0)), a.method(c(0.5)), b.method(c(3.0))]) == [6.0, 0.5, 6.0] and a.calls == 1 and b.calls == 1


# --- tf.function ---

@pytest.mark.filterwarnings("ignore:.*retracing")
def test_FN01_FN02_FN07_trace_keys():
    calls = []
    f = tf.function(lambda x: calls.append(x) or x + x)
    for x in (c(1), c(2), c([1]), c(1.0), 1, 2, 1.0, True and 1):
        f(x)
    assert len(calls) == f.experimental_get_tracing_count() == 6
    assert f(1).dtype is tf.int32 and f(1.0).dtype is tf.float32


def test_FN03_FN18_structures_and_keywords():
    f = tf.function(lambda x, y=2.0: tf.nest.map_structure(lambda a: a * y, x))
    assert lists(f({"b": c(1.0), "a": c(2.0)})) == {"b": 2.0, "a": 4.0}
    f({"a": c(1.0), "b": c(2.0)}), f(x={"a": c(1.0), "b": c(2.0)}, y=2.0), f(y=2.0, x={"a": c(1.0), "b": c(2.0)})
    assert f.experimental_get_tracing_count() == 1
    f((c(1.0), c(2.0)))
    assert f.experimental_get_tracing_count() == 2


def test_FN04_aliased_variables_are_another_trace():
    a, b = V(2.0), V(3.0)
    f = tf.function(lambda x, y: x * y)
    assert lists([f(a, b), f(a, a)]) == [6.0, 4.0] and f.experimental_get_tracing_count() == 2


def test_FN05_FN06_objects_and_globals():
    class Thing:
        scale = 2.0
    thing, other = Thing(), Thing()
    f = tf.function(lambda t, x: t.scale * x)
    f(thing, c(1.0)), f(thing, c(2.0))
    thing.scale = 5.0
    assert float(f(thing, c(1.0))) == 2.0
    assert float(f(other, c(1.0))) == 2.0 and f.experimental_get_tracing_count() == 2


def test_FN08_python_runs_once_per_trace(capsys):
    @tf.function
    def f(x):
        print("tracing", x)
        return x + 1
    for i in range(3):
        f(c(float(i)))
    assert capsys.readouterr().out == 'tracing Tensor("traced", shape=(), dtype=float32)\n'


SIGNATURE = [tf.TensorSpec([2], tf.float32)]


@pytest.mark.parametrize("argument", [c([1, 2]), c([1.0]), c([[1.0, 2.0]]), 1.0])
def test_FN09_FN10_input_signature(argument):
    f = tf.function(lambda x: x * 2, input_signature=SIGNATURE)
    assert lists(f([1.0, 2.0])) == [2.0, 4.0] and lists(f(np.float32([3, 4]))) == [6.0, 8.0]
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="Binding inputs to tf.function failed due to"):
        f(argument)


@pytest.mark.parametrize("signature", [tf.TensorSpec([]), [3], "abc"])
def test_FN11_bad_signatures(signature):
    with pytest.raises(TypeError, match="input_signature must be"):
        tf.function(lambda x: x, input_signature=signature)


def test_FN12_FN13_variables_made_in_the_first_call():
    class Model:
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None or x.shape == (3,):
                self.w = V(2.0)
            return self.w * x
    model = Model()
    assert lists([model(c(1.0)), model(c(3.0))]) == [2.0, 6.0]
    with pytest.raises(ValueError, match="only supports singleton tf.Variables created on the first call"):
        model(c([1.0, 2.0, 3.0]))


def test_FN14_variables_made_in_a_later_call():
    f = tf.function(lambda x: V(1.0) * x if x.shape == (2,) else x)
    f(c(1.0))
    with pytest.raises(ValueError, match="Creating variables on a non-first call"):
        f(c([1.0, 2.0]))


def test_FN15_retrace_warning_names_the_cause():
    f = tf.function(lambda x: x)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(12):
            f(i)
    texts = [str(w.message) for w in caught if "retracing" in str(w.message)]
    assert len(texts) == 2 and "5 out of the last 5 calls" in texts[0]
    assert "argument 0 is 4, in the trace before it was 3" in texts[0]


def test_FN16_eager_switch():
    calls = []
    f = tf.function(lambda x: calls.append(1) or x)
    tf.config.run_functions_eagerly(True)
    try:
        f(c(1.0)), f(c(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(calls) == 2


def test_FN17_none_outputs_keep_their_places():
    f = tf.function(lambda x: (None, x * x, [None, 3]))
    assert lists(f(c(2.0))) == (None, 4.0, [None, 3])
    x = c(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)[1]
    assert float(t.gradient(y, x)) == 6.0


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_FN19_nested_functions(depth):
    def f(a):
        return a * (a + 1)
    for _ in range(depth):
        f = tf.function(lambda a, inner=f: inner(a)) if _ % 2 else tf.function(f)
    for _ in range(2):
        a = c(5.0)
        with tf.GradientTape() as t:
            t.watch(a)
            y = f(a)
        assert float(t.gradient(y, a)) == 11.0 and float(f(a)) == 30.0


def test_FN20_variables_are_read_at_each_call():
    v = V(2.0)
    f = tf.function(lambda x: v * x)
    assert float(f(c(3.0))) == 6.0
    v.assign(4.0)
    assert float(f(c(3.0))) == 12.0


def test_FN21_tensors_inside_are_not_visible_outside():
    kept = []
    f = tf.function(lambda x: kept.append(x * x) or x + kept[-1])
    x = c(3.0)
    f(x)
    assert "traced" in repr(kept[0])
    with pytest.raises(reel.Error):
        tf.exp(kept[0]).numpy()


def test_training_step_in_a_function():
    tf.random.set_seed(3)
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.Adam(0.05)
    x = tf.random.normal([32, 2])
    y = tf.reduce_sum(x * c([1.0, -2.0]), 1, keepdims=True)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as t:
            loss = tf.keras.losses.MeanSquaredError()(y, model(x))
        optimizer.apply_gradients(zip(t.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss
    losses = [float(step(x, y)) for _ in range(40)]
    assert losses[-1] < 0.2 * losses[0] and int(optimizer.iterations) == 40 and step.experimental_get_tracing_count() == 1


# --- tf.gradients ---

def in_function(f):
    return lists(tf.function(f)())


def in_graph(f):
    with v1.Graph().as_default(), v1.Session() as session:
        result = f()
        session.run(v1.global_variables_initializer())
        leaves = tf.nest.flatten(result)
        values = [None if x is None else session.run(x).tolist() for x in leaves]
        return tf.nest.pack_sequence_as(result, values)


def partial(stop):
    def f():
        a = c(0.0)
        b = 2 * a
        return tf.gradients(a + b, [a, b], stop_gradients=[a, b] if stop else None)
    return f


def boundary():
    x = c(2.0)
    y = 2 * x
    return tf.gradients(3 * y, [x, y])


def dependent_ys():
    x = c(3.0)
    y = x ** 2
    y2 = (y ** 2) ** 2
    return tf.gradients([y, y2], x)


def seeds():
    x = c(3.0)
    return tf.gradients([x * x, 2 * x], x, grad_ys=[None, c(10.0)])


def many_terms():
    x = c(2.0)
    y = 2 * x
    return tf.gradients(tf.add_n([y] * 10), [x, y])


def unconnected(kind):
    def f():
        x, y = c([1.0, 2.0]), c(3.0)
        return tf.gradients(y * 2, [x, y], unconnected_gradients=kind)
    return f


def stopped():
    x = c(1.0)
    return tf.gradients(tf.stop_gradient(x), x)


def integers():
    x = c(3.0)
    return tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32) * 2, x)


def unused_output():
    x = c([1.0, 2.0, 3.0, 4.0])
    a, _ = tf.split(x, 2)
    return tf.gradients(a * 3, x)


def second_order():
    x = c(2.0)
    (g,) = tf.gradients(x ** 3, x)
    return tf.gradients(g, x)


def of_variable():
    v = V(3.0) if not tf.inside_function() else VARIABLE
    return tf.gradients(v * v, v)


def branches(value):
    def f():
        v = V(1.0) if not tf.inside_function() else ONE
        p = c(value) > 0
        return tf.gradients(tf.cond(p, lambda: v * 2, lambda: v * 3), v)
    return f


VARIABLE, ONE = V(3.0), V(1.0)
GRADIENTS = {
    "TG02_list": (boundary, [6.0, 3.0]), "TG03": (partial(False), [3.0, 1.0]), "TG04": (partial(True), [1.0, 1.0]),
    "TG07": (boundary, [6.0, 3.0]), "TG09": (dependent_ys, [17502.0]), "TG14": (seeds, [26.0]), "TG15": (integers, [None]),
    "TG17_none": (unconnected("none"), [None, 2.0]), "TG17_zero": (unconnected(tf.UnconnectedGradients.ZERO), [[0.0, 0.0], 2.0]),
    "TG20": (of_variable, [6.0]), "TG21": (many_terms, [20.0, 10.0]), "TG28": (unused_output, [[3.0, 3.0, 0.0, 0.0]]),
    "TG34": (stopped, [None]), "TG38_true": (branches(1.0), [2.0]), "TG38_false": (branches(-1.0), [3.0]), "TG44": (second_order, [12.0])}


@pytest.mark.parametrize("row", GRADIENTS)
@pytest.mark.parametrize("where", [in_function, in_graph])
def test_gradients(row, where):
    f, expected = GRADIENTS[row]
    assert where(f) == expected


def test_TG01_eager():
    with pytest.raises(RuntimeError, match="tf.gradients is not supported when eager execution is enabled"):
        tf.gradients(c(1.0), c(1.0))


@pytest.mark.parametrize("options, error, text", [
    ({"grad_ys": [c(1.0), c(2.0)]}, ValueError, "Length mismatch. Passed 2 grad_ys for 1 ys"),
    ({"aggregation_method": 99}, ValueError, r"Invalid `aggregation_method` specified 99. Accepted values are \[0, 1, 2\]"),
    ({"unconnected_gradients": "nonsense"}, ValueError, "Unknown value for unconnected_gradients: 'nonsense'"),
    ({"grad_ys": [c(1j)]}, TypeError, "Gradient type complex64 generated")])
def test_TG12_TG13_TG17_TG23_bad_options(options, error, text):
    with pytest.raises(error, match=text):
        tf.function(lambda x: tf.gradients(x * x, x, **options))(c(1.0))


def test_TG11_complex_without_a_seed():
    with pytest.raises(TypeError, match=r"Gradients of complex tensors .* must set grad_ys \(y.dtype = complex64\)"):
        tf.function(lambda x: tf.gradients(x * x, x))(c(1j))


def test_TG02_dicts():
    with pytest.raises(TypeError, match="not a dict"):
        tf.function(lambda x: tf.gradients({"y": x * x}, x))(c(1.0))


def test_TG05_stop_gradients_in_a_chain():
    m = np.random.default_rng(0).normal(size=(4, 2, 2)).astype("float32")
    for stop in range(8):
        chosen = [i for i in range(3) if stop >> i & 1]

        @tf.function
        def by_argument(a, b, e, d):
            x = tf.matmul(a, b)
            y = tf.matmul(x, e)
            z = tf.matmul(y, d)
            return tf.gradients(tf.matmul(z, z), [a, b], stop_gradients=[[x, y, z][i] for i in chosen], unconnected_gradients="zero")

        @tf.function
        def by_op(a, b, e, d):
            s = [tf.stop_gradient if i in chosen else tf.identity for i in range(3)]
            x = s[0](tf.matmul(a, b))
            y = s[1](tf.matmul(x, e))
            z = s[2](tf.matmul(y, d))
            return tf.gradients(tf.matmul(z, z), [a, b], unconnected_gradients="zero")
        for g, h in zip(by_argument(*m), by_op(*m)):
            np.testing.assert_allclose(g, h, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("order", range(4))
def test_TG44_iterated(order):
    @tf.function
    def f(x):
        y = tf.cos(x)
        for _ in range(order):
            (y,) = tf.gradients(y, x)
        return y
    x = 0.7
    assert float(f(c(x))) == pytest.approx([math.cos(x), -math.sin(x), -math.cos(x), math.sin(x)][order], abs=1e-6)


def test_TG45_to_TG48_hessians():
    a = np.random.default_rng(1).normal(size=(3, 3)).astype("float32")
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x[:, None] * a * x[None, :]), x)[0])
    np.testing.assert_allclose(f(c([1.0, 2.0, 3.0])), a + a.T, rtol=1e-5)
    both = tf.function(lambda x, y: tf.hessians(tf.reduce_sum(x * x) + tf.reduce_sum(y ** 3), [x, y]))(tf.ones([2]), tf.ones([1, 2]))
    assert [h.shape for h in both] == [(2, 2), (1, 2, 1, 2)] and both[0].numpy().tolist() == [[2, 0], [0, 2]]
    assert (tf.function(lambda x: tf.hessians(3 * x, x)[0])(c([1.0, 2.0])).numpy() == 0).all()


# --- control flow ---

def loops(x):
    return (tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * x], [c(0), x])[1],
            tf.map_fn(lambda r: r * x, c([1.0, 2.0])), tf.foldl(lambda a, r: a * r, tf.stack([x, x, x])),
            tf.foldr(lambda a, r: a - r, c([1.0, 2.0, 4.0]), initializer=x), tf.scan(lambda a, r: a + r, tf.stack([x, x, x])),
            tf.case([(x > 3, lambda: x), (x > 1, lambda: 10 * x)], default=lambda: -x),
            tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: 2 * x, lambda: 3 * x]),
            tf.while_loop(lambda y: y < 100, lambda y: (y * 2,), (x,), maximum_iterations=2)[0])


@pytest.mark.parametrize("x", [0.5, 2.0, 5.0])
def test_control_flow_traced_equals_eager(x):
    eager, traced = lists(loops(c(x))), lists(tf.function(loops)(c(x)))
    assert eager == traced and eager[0] == x ** 4 and eager[7] == 4 * x

    def gradient(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = [tf.reduce_sum(r) for r in loops(x)]
        return t.gradient(y, x)
    assert float(gradient(c(x))) == pytest.approx(float(tf.function(gradient)(c(x))), rel=1e-5)


# --- compat.v1 ---

def test_v1_training_with_placeholders():
    with v1.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 1], "x"), v1.placeholder(tf.float32, [None, 1])
        prediction = v1.layers.Dense(1)(x)
        assert prediction.shape.as_list() == [None, 1]
        loss = tf.reduce_mean(tf.square(prediction - y))
        step = v1.train.get_or_create_global_step()
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
        with pytest.raises(RuntimeError, match="uninitialized"):
            session.run(loss, {x: [[1.0]], y: [[1.0]]})
        session.run(v1.global_variables_initializer())
        inputs = np.random.default_rng(0).normal(size=(64, 1)).astype("float32")
        losses = [session.run([loss, train], {x: inputs, y: 3 * inputs + 2})[0] for _ in range(60)]
        kernel, bias = session.run(v1.trainable_variables())
        assert losses[-1] < 1e-3 and kernel[0, 0] == pytest.approx(3, abs=0.05) and bias[0] == pytest.approx(2, abs=0.05)
        assert session.run(step) == 60
        with pytest.raises(ValueError, match="You must feed a value for placeholder tensor 'x'"):
            session.run(prediction)
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(1, 2\)"):
            session.run(prediction, {x: [[1.0, 2.0]]})
        with pytest.raises(TypeError, match="invalid type"):
            session.run(3)


def test_GT130_unknown_shapes():
    with v1.Graph().as_default(), v1.Session() as session:
        a = v1.placeholder(tf.float32, [None])
        b = a ** 3
        assert [v.tolist() for v in session.run([b, tf.gradients(b, a)[0]], {a: [2.0]})] == [[8.0], [12.0]]


def test_v1_assigning_groups_and_control_dependencies():
    with v1.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [], initializer=v1.ones_initializer())
        session.run(v.initializer)
        add = v.assign_add(2.0)
        with v1.control_dependencies([add]):
            doubled = tf.identity(c(1.0)) * 2
        assert session.run([v, doubled])[1] == 2.0 and session.run(v) == 3.0
        session.run(v1.group(add, v1.no_op()))
        assert v.eval() == 5.0 and session.run({"a": (v, add)}) == {"a": (5.0, 7.0)}


@pytest.mark.parametrize("f, error, text", [
    (lambda o, v: o.compute_gradients(c(1.0)), RuntimeError, "should be a function when eager execution is enabled"),
    (lambda o, v: o.apply_gradients([]), ValueError, "No variables provided"),
    (lambda o, v: o.minimize(lambda: c(1.0), var_list=[v]), ValueError, "No gradients provided for any variable, check your graph"),
    (lambda o, v: o.compute_gradients(lambda: v * v, gate_gradients=7), ValueError, "gate_gradients must be one of")])
def test_OP01_OP06_OP07_OP08_errors(f, error, text):
    with pytest.raises(error, match=text):
        f(v1.train.GradientDescentOptimizer(0.1), V(1.0))


def test_OP05_OP13_eager_v1():
    a, b, step = V(1.0), V(2.0), V(0, trainable=False)
    optimizer = v1.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(lambda: b * 3 + a)
    assert [v for _, v in pairs][0] is a and lists([g for g, _ in pairs]) == [1.0, 3.0]
    optimizer.apply_gradients(pairs, global_step=step)
    assert [float(a), float(b), int(step)] == [0.5, 0.5, 1]


def test_OP07_graph_without_variables():
    with v1.Graph().as_default(), pytest.raises(ValueError, match="No variables to optimize"):
        v1.train.AdamOptimizer().minimize(c(1.0))


def test_placeholder_when_eager():
    with pytest.raises(ValueError, match="not compatible with eager execution"):
        v1.placeholder(tf.float32, [])
