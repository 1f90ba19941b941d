"""Blocks of TensorFlow's guides on automatic differentiation, eager execution, training loops and tf.function."""

import numpy as np
import pytest

import reel.tf as tf


def near(x, y):
    np.testing.assert_allclose(np.asarray(x), y, rtol=1e-5, atol=1e-6)


# --- Introduction to gradients and automatic differentiation ---


def test_scalar():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    assert tape.gradient(y, x).numpy() == 6.0


def test_linear_layer_by_list_and_dict():
    w = tf.Variable(tf.random.normal((3, 2)), name="w")
    b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    [dl_dw, dl_db] = tape.gradient(loss, [w, b])
    assert dl_dw.shape == w.shape
    my_vars = {"w": w, "b": b}
    grad = tape.gradient(loss, my_vars)
    near(grad["b"], dl_db)
    near(dl_db, y[0])
    del tape


def test_gradients_of_a_layer():
    layer = tf.keras.layers.Dense(2, activation="relu")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        y = layer(x)
        loss = tf.reduce_mean(y**2)
    grad = tape.gradient(loss, layer.trainable_variables)
    lines = [f"{var.name}, shape: {g.shape}" for var, g in zip(layer.trainable_variables, grad)]
    assert lines == ["kernel, shape: (3, 2)", "bias, shape: (2,)"]


def test_what_the_tape_watches():
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    grad = tape.gradient(y, [x0, x1, x2, x3])
    assert [str(g) for g in grad] == ["tf.Tensor(6.0, shape=(), dtype=float32)", "None", "None", "None"]
    assert [var.name for var in tape.watched_variables()] == ["x0:0"]


def test_watch_accessed_variables():
    x0, x1 = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y0 = tf.math.sin(x0)
        y1 = tf.nn.softplus(x1)
        y = y0 + y1
        ys = tf.reduce_sum(y)
    grad = tape.gradient(ys, {"x0": x0, "x1": x1})
    assert grad["x0"] is None
    assert grad["x1"].numpy() == pytest.approx(0.9999546)


def test_persistent_vector():
    x = tf.constant([1, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    near(tape.gradient(z, x), [4.0, 108.0])
    near(tape.gradient(y, x), [2.0, 6.0])


def test_several_targets():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y0 = x**2
        y1 = 1 / x
    assert tape.gradient({"y0": y0, "y1": y1}, x).numpy() == 3.75
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    assert tape.gradient(y, x).numpy() == 7.0


def test_elementwise_sigmoid():
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    near(tape.gradient(y, x), y * (1 - y))


def test_none_by_numpy_integers_and_state():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)
        y = tf.reduce_mean(y, axis=0)
    assert tape.gradient(y, x) is None
    x = tf.constant(10)
    with tf.GradientTape() as g:
        g.watch(x)
        y = x * x
    assert g.gradient(y, x) is None
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    assert tape.gradient(y, x0) is None


def test_zeros_instead_of_none():
    x = tf.Variable([2.0, 2.0])
    y = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    near(tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO), [0.0, 0.0])


# --- Advanced automatic differentiation ---


def test_stop_recording_and_reset():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as t:
        x_sq = x * x
        with t.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    grad = t.gradient(z, {"x": x, "y": y})
    assert grad["x"].numpy() == 4.0 and grad["y"] is None
    reset = True
    with tf.GradientTape() as t:
        y_sq = y * y
        if reset:
            t.reset()
        z = x * x + y_sq
    grad = t.gradient(z, {"x": x, "y": y})
    assert grad["x"].numpy() == 4.0 and grad["y"] is None


def test_stop_gradient_and_two_tapes():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as t:
        z = x**2 + tf.stop_gradient(y**2)
    grad = t.gradient(z, {"x": x, "y": y})
    assert grad["x"].numpy() == 4.0 and grad["y"] is None
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        y0 = tf.math.sin(x0)
        y1 = tf.nn.sigmoid(x1)
        y = y0 + y1
        ys = tf.reduce_sum(y)
    assert tape0.gradient(ys, x0).numpy() == 1.0 and tape1.gradient(ys, x1).numpy() == 0.25


def test_input_gradient_regularization():
    x = tf.random.normal([7, 5])
    layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
    with tf.GradientTape() as t2:
        with tf.GradientTape(watch_accessed_variables=False) as t1:
            t1.watch(x)
            y = layer(x)
            out = tf.reduce_sum(layer(x) ** 2)
        g1 = t1.gradient(out, x)
        g1_mag = tf.norm(g1)
    dg1_mag = t2.gradient(g1_mag, layer.trainable_variables)
    assert [var.shape for var in dg1_mag] == [(5, 10), (10,)] and y.shape == (7, 10)
    assert all(np.isfinite(np.asarray(g)).all() for g in dg1_mag)


# --- Eager execution ---


def test_eager_basics():
    near(tf.matmul([[2.0]], [[2.0]]), [[4.0]])
    assert [tf.add(1, 2).numpy(), tf.square(5).numpy(), tf.reduce_sum([1, 2, 3]).numpy()] == [3, 25, 6]
    ndarray = np.ones([3, 3])
    tensor = tf.math.multiply(ndarray, 42)
    near(np.add(tensor, 1), np.full((3, 3), 43))
    assert isinstance(tensor.numpy(), np.ndarray) and tensor.dtype == tf.float64


def test_fizzbuzz():
    said = []

    def fizzbuzz(max_num):
        counter = tf.constant(0)
        max_num = tf.convert_to_tensor(max_num)
        for num in range(1, max_num.numpy() + 1):
            num = tf.constant(num)
            if int(num % 3) == 0 and int(num % 5) == 0:
                said.append("FizzBuzz")
            elif int(num % 3) == 0:
                said.append("Fizz")
            elif int(num % 5) == 0:
                said.append("Buzz")
            counter += 1
        return counter

    assert int(fizzbuzz(15)) == 15 and said == ["Fizz", "Buzz", "Fizz", "Fizz", "Buzz", "Fizz", "FizzBuzz"]


# --- Basic training loops ---


def test_basic_training_loop():
    tf.random.set_seed(2)
    num_examples = 201
    x = tf.linspace(-2, 2, num_examples)
    x = tf.cast(x, tf.float32)

    def f(x):
        return x * 3.0 + 2.0

    noise = tf.random.normal(shape=[num_examples])
    y = f(x) + noise

    class MyModel(tf.Module):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.w = tf.Variable(5.0)
            self.b = tf.Variable(0.0)

        def __call__(self, x):
            return self.w * x + self.b

    model = MyModel()
    assert [v.numpy() for v in model.variables] == [0.0, 5.0]
    assert model(3.0).numpy() == 15.0

    def loss(target_y, predicted_y):
        return tf.reduce_mean(tf.square(target_y - predicted_y))

    def train(model, x, y, learning_rate):
        with tf.GradientTape() as t:
            current_loss = loss(y, model(x))
        dw, db = t.gradient(current_loss, [model.w, model.b])
        model.w.assign_sub(learning_rate * dw)
        model.b.assign_sub(learning_rate * db)

    for _ in range(10):
        train(model, x, y, learning_rate=0.1)
    report = f"W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}"
    assert report.startswith("W = 3.") or report.startswith("W = 2.9")


# --- Better performance with tf.function ---


def test_functions_of_the_guide(capsys):
    @tf.function
    def add(a, b):
        return a + b

    near(add(tf.ones([2, 2]), tf.ones([2, 2])), [[2.0, 2.0], [2.0, 2.0]])
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        result = add(v, 1.0)
    assert tape.gradient(result, v).numpy() == 1.0

    @tf.function
    def dense_layer(x, w, b):
        return add(tf.matmul(x, w), b)

    near(dense_layer(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2])), np.full((3, 2), 3.0))

    @tf.function
    def double(a):
        print("Tracing with", a)
        return a + a

    double(tf.constant(1)), double(tf.constant(1.1)), double(tf.constant(2))
    assert capsys.readouterr().out.count("Tracing with") == 2
    assert double.get_concrete_function(tf.TensorSpec([], tf.int32)).graph.num_results == 1


def test_collatz():
    @tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
    def next_collatz(x):
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    assert next_collatz(tf.constant([1, 2])).numpy().tolist() == [4, 1]
    for bad in (tf.constant([[1, 2], [3, 4]]), tf.constant([1.0, 2.0])):
        with pytest.raises(TypeError):
            next_collatz(bad)


def test_number_of_steps_as_a_tensor(capsys):
    steps = tf.Variable(0)

    @tf.function
    def train(num_steps):
        print("Tracing with num_steps = ", num_steps)
        for _ in tf.range(num_steps):
            steps.assign_add(1)

    train(num_steps=tf.constant(10)), train(num_steps=tf.constant(20))
    assert steps.numpy() == 30 and capsys.readouterr().out.count("Tracing") == 1


def test_autograph_of_the_guide():
    @tf.function
    def f(x):
        while tf.reduce_sum(x) > 1:
            x = tf.tanh(x)
        return x

    x = tf.constant([0.9, 0.8, 0.7, 0.6, 0.5])
    expected = np.asarray(x)
    while expected.sum() > 1:
        expected = np.tanh(expected)
    near(f(x), expected)


def test_count_makes_its_variable_once():
    class Count(tf.Module):
        def __init__(self):
            self.count = None

        @tf.function
        def __call__(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    c = Count()
    assert [int(c()), int(c()), int(c())] == [1, 2, 3]

    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v * x

    with pytest.raises(ValueError, match="tf.function only supports singleton tf.Variables"):
        f(1.0)
