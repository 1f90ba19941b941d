"""Rows FN01 to FN21 of the gradient semantics: tf.function."""

import threading
import warnings

import numpy as np
import pytest

import reel
import reel.tf as tf

c, V = tf.constant, tf.Variable


def lists(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


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
        other = threading.Thread(target=lambda: [f(c(1.0)) for _ in range(3)])
        other.start()
        other.join()
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(calls) == 5
    f(c(1.0)), f(c(1.0))
    assert len(calls) == 6


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
    assert losses[-1] < 0.2 * losses[0] and int(optimizer.iterations) == 40
    assert step.experimental_get_tracing_count() == 1


def test_FN01_open_extents_are_traced_once():
    weights, calls = V(tf.ones([3, 2])), []

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int64)])
    def step(x, labels):
        calls.append(x.shape)
        with tf.GradientTape() as t:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ weights))
        return loss, t.gradient(loss, weights)

    for n in (4, 1, 7):
        x, labels = np.random.default_rng(n).normal(size=(n, 3)).astype("float32"), np.arange(n) % 2
        got = step(x, labels)
        with tf.GradientTape() as t:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, c(x) @ weights))
        for a, b in zip(got, (loss, t.gradient(loss, weights))):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert calls == [(None, 3)] and step.experimental_get_tracing_count() == 1


def test_FN01_open_extents_of_ops_that_need_numbers():
    f = tf.function(lambda x: tf.reshape(x, [2, -1]), input_signature=[tf.TensorSpec([None])])
    assert f(tf.ones([4])).shape == (2, 2) and f(tf.ones([6])).shape == (2, 3)
    with pytest.raises(ValueError, match="reshape"):
        f(tf.ones([5]))
    assert f(tf.ones([8])).shape == (2, 4)


def test_FN01_open_extents_that_happen_to_be_equal():
    f = tf.function(lambda x, y: (x * 2, y * 3), input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    for m, n in ((2, 2), (2, 3), (5, 1)):
        assert [r.shape[0] for r in f(tf.ones([m]), tf.ones([n]))] == [m, n]
    assert f.experimental_get_tracing_count() <= 2


def test_concrete_functions_of_open_extents():
    f = tf.function(lambda x: x * 2)
    one = f.get_concrete_function(tf.TensorSpec([None, 2]))
    assert one(tf.ones([3, 2])).shape == (3, 2) and one(x=tf.ones([5, 2])).shape == (5, 2)
    with pytest.raises((TypeError, ValueError)):
        one(tf.ones([3, 3]))
