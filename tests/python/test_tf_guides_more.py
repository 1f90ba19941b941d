"""More blocks of TensorFlow's guides: intermediate results, Jacobians, models, custom training, tf.function."""

import numpy as np
import pytest

import reel.tf as tf


def near(x, y):
    np.testing.assert_allclose(np.asarray(x), y, rtol=1e-4, atol=1e-5)


# --- Introduction to gradients and automatic differentiation ---


def test_intermediate_results():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, y).numpy() == 18.0


def test_control_flow():
    x = tf.constant(1.0)
    v0 = tf.Variable(2.0)
    v1 = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        if x > 0.0:
            result = v0
        else:
            result = v1**2
    dv0, dv1 = tape.gradient(result, [v0, v1])
    assert dv0.numpy() == 1.0 and dv1 is None
    assert tape.gradient(result, x) is None


def test_unconnected_target():
    x = tf.Variable(2.0)
    y = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y * y
    assert tape.gradient(z, x) is None


def test_a_variable_replaced_by_a_tensor():
    x = tf.Variable(2.0)
    seen = []
    for epoch in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        seen.append(str(tape.gradient(y, x)))
        x = x + 1
    assert seen == ["tf.Tensor(1.0, shape=(), dtype=float32)", "None"]


def test_integers_warn_and_give_none():
    x = tf.constant(10)
    with tf.GradientTape() as g:
        g.watch(x)
        y = x * x
    assert g.gradient(y, x) is None


# --- Advanced automatic differentiation ---


def test_custom_gradient_of_the_guide():
    @tf.custom_gradient
    def clip_gradients(y):
        def backward(dy):
            return tf.clip_by_norm(dy, 0.5)

        return y, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        output = clip_gradients(v * v)
    assert t.gradient(output, v).numpy() == 2.0

    class MyModule(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec(None)])
        def call_custom_grad(self, x):
            return clip_gradients(x)

    model = MyModule()
    with tf.GradientTape() as t:
        output = model.call_custom_grad(v * v)
    assert t.gradient(output, v).numpy() == 2.0 and model.call_custom_grad(tf.ones([3])).shape == (3,)


def test_higher_order():
    x = tf.Variable(1.0)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = x * x * x
        dy_dx = t1.gradient(y, x)
    d2y_dx2 = t2.gradient(dy_dx, x)
    assert dy_dx.numpy() == 3.0 and d2y_dx2.numpy() == 6.0


def test_jacobian_of_a_scalar_source():
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    delta = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.nn.sigmoid(x + delta)
    dy_dx = tape.jacobian(y, delta)
    assert y.shape == (201,) and dy_dx.shape == (201,)
    near(dy_dx, y * (1 - y))


def test_jacobian_of_a_layer():
    x = tf.random.normal([7, 5])
    layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
    with tf.GradientTape(persistent=True) as tape:
        y = layer(x)
    assert y.shape == (7, 10) and layer.kernel.shape == (5, 10)
    j = tape.jacobian(y, layer.kernel)
    assert j.shape == (7, 10, 5, 10)
    g = tape.gradient(y, layer.kernel)
    j_sum = tf.reduce_sum(j, axis=[0, 1])
    delta = tf.reduce_max(abs(g - j_sum)).numpy()
    assert delta < 1e-5


def test_hessian_and_a_newton_step():
    tf.random.set_seed(1)
    x = tf.random.normal([7, 5])
    layer1 = tf.keras.layers.Dense(8, activation=tf.nn.relu)
    layer2 = tf.keras.layers.Dense(6, activation=tf.nn.relu)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            x = layer1(x)
            x = layer2(x)
            loss = tf.reduce_mean(x**2)
        g = t1.gradient(loss, layer1.kernel)
    h = t2.jacobian(g, layer1.kernel)
    assert layer1.kernel.shape == (5, 8) and h.shape == (5, 8, 5, 8)
    n_params = tf.reduce_prod(layer1.kernel.shape)
    g_vec = tf.reshape(g, [n_params, 1])
    h_mat = tf.reshape(h, [n_params, n_params])
    near(h_mat, np.asarray(h_mat).T)
    eps = 1e-3
    eye_eps = tf.eye(h_mat.shape[0]) * eps
    update = tf.linalg.solve(h_mat + eye_eps, g_vec)
    update = tf.reshape(update, layer1.kernel.shape)
    _ = layer1.kernel.assign_sub(update)
    assert update.shape == (5, 8) and np.isfinite(np.asarray(layer1.kernel)).all()


def test_batch_jacobian_of_the_guide():
    x = tf.random.normal([7, 5])
    layer1 = tf.keras.layers.Dense(8, activation=tf.nn.elu)
    layer2 = tf.keras.layers.Dense(6, activation=tf.nn.elu)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = layer1(x)
        y = layer2(y)
    assert y.shape == (7, 6)
    j = tape.jacobian(y, x)
    assert j.shape == (7, 6, 7, 5)
    j_sum = tf.reduce_sum(j, axis=2)
    j_select = tf.einsum("bxby->bxy", j)
    near(j_sum, j_select)
    jb = tape.batch_jacobian(y, x)
    assert jb.shape == (7, 6, 5)
    error = tf.reduce_max(abs(jb - j_sum))
    assert error.numpy() < 1e-5


# --- Eager execution ---


def test_gradient_of_a_matrix():
    w = tf.Variable([[1.0]])
    with tf.GradientTape() as tape:
        loss = w * w
    grad = tape.gradient(loss, w)
    assert str(grad) == "tf.Tensor([[2.]], shape=(1, 1), dtype=float32)"


def test_a_linear_model_and_its_optimizer():
    tf.random.set_seed(4)

    class Linear(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.W = tf.Variable(5.0, name="weight")
            self.B = tf.Variable(10.0, name="bias")

        def call(self, inputs):
            return inputs * self.W + self.B

    NUM_EXAMPLES = 2000
    training_inputs = tf.random.normal([NUM_EXAMPLES])
    noise = tf.random.normal([NUM_EXAMPLES])
    training_outputs = training_inputs * 3 + 2 + noise

    def loss(model, inputs, targets):
        error = model(inputs) - targets
        return tf.reduce_mean(tf.square(error))

    def grad(model, inputs, targets):
        with tf.GradientTape() as tape:
            loss_value = loss(model, inputs, targets)
        return tape.gradient(loss_value, [model.W, model.B])

    model = Linear()
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.01)
    first = loss(model, training_inputs, training_outputs)
    for i in range(300):
        grads = grad(model, training_inputs, training_outputs)
        optimizer.apply_gradients(zip(grads, [model.W, model.B]))
    last = loss(model, training_inputs, training_outputs)
    assert float(last) < 0.05 * float(first)
    assert abs(model.W.numpy() - 3) < 0.15 and abs(model.B.numpy() - 2) < 0.15


def test_dynamic_models():
    def line_search_step(fn, init_x, rate=1.0):
        with tf.GradientTape() as tape:
            tape.watch(init_x)
            value = fn(init_x)
        grad = tape.gradient(value, init_x)
        grad_norm = tf.reduce_sum(grad * grad)
        init_value = value
        while value > init_value - rate * grad_norm:
            x = init_x - rate * grad
            value = fn(x)
            rate /= 2.0
        return x, value

    x, value = line_search_step(lambda x: tf.reduce_sum(x**4), tf.constant([2.0, -1.0]))
    assert float(value) < 17.0 and x.shape == (2,)


def test_custom_gradients_with_extra_arguments():
    @tf.custom_gradient
    def clip_gradient_by_norm(x, norm):
        y = tf.identity(x)

        def grad_fn(dresult):
            return [tf.clip_by_norm(dresult, norm), None]

        return y, grad_fn

    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = clip_gradient_by_norm(x * 1.0, 1.0)
    near(tape.gradient(y, x, tf.constant([3.0, 4.0])), [0.6, 0.8])


def test_log1pexp():
    def log1pexp(x):
        return tf.math.log(1 + tf.exp(x))

    def grad_log1pexp(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = log1pexp(x)
        return tape.gradient(value, x)

    assert grad_log1pexp(tf.constant(0.0)).numpy() == 0.5
    assert np.isnan(grad_log1pexp(tf.constant(100.0)).numpy())

    @tf.custom_gradient
    def log1pexp(x):  # noqa: F811
        e = tf.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    assert [grad_log1pexp(tf.constant(v)).numpy() for v in (0.0, 100.0)] == [0.5, 1.0]


def test_tensors_of_the_customization_guide():
    assert str(tf.math.add([1, 2], [3, 4])) == "tf.Tensor([4 6], shape=(2,), dtype=int32)"
    assert str(tf.math.square(2) + tf.math.square(3)) == "tf.Tensor(13, shape=(), dtype=int32)"
    x = tf.linalg.matmul([[1]], [[2, 3]])
    assert str(x) == "tf.Tensor([[2 3]], shape=(1, 2), dtype=int32)"
    assert x.shape == (1, 2) and x.dtype == tf.int32


def test_layers_of_the_customization_guide():
    class MyDenseLayer(tf.keras.layers.Layer):
        def __init__(self, num_outputs):
            super().__init__()
            self.num_outputs = num_outputs

        def build(self, input_shape):
            self.kernel = self.add_weight(name="kernel", shape=[int(input_shape[-1]), self.num_outputs])

        def call(self, inputs):
            return tf.matmul(inputs, self.kernel)

    layer = MyDenseLayer(10)
    assert layer(tf.zeros([10, 5])).shape == (10, 10)
    assert [v.shape for v in layer.trainable_variables] == [(5, 10)]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.ones([2, 5])) ** 2)
    assert tape.gradient(loss, layer.trainable_variables)[0].shape == (5, 10)


# --- Custom training: walkthrough ---


def test_custom_training_walkthrough():
    tf.random.set_seed(8)
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 3, size=120)
    features = (rng.normal(size=(120, 4)) * 0.3 + np.eye(3, 4)[labels] * 2).astype(np.float32)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(10, activation=tf.nn.relu, input_shape=(4,)),
            tf.keras.layers.Dense(10, activation=tf.nn.relu),
            tf.keras.layers.Dense(3),
        ]
    )
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def loss(model, x, y, training):
        y_ = model(x, training=training)
        return loss_object(y_true=y, y_pred=y_)

    def grad(model, inputs, targets):
        with tf.GradientTape() as tape:
            loss_value = loss(model, inputs, targets, training=True)
        return loss_value, tape.gradient(loss_value, model.trainable_variables)

    predictions = model(features)
    assert tf.nn.softmax(predictions[:5]).shape == (5, 3) and tf.math.argmax(predictions, axis=1).shape == (120,)
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
    loss_value, grads = grad(model, features, labels)
    assert optimizer.iterations.numpy() == 0
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    assert optimizer.iterations.numpy() == 1
    train_loss_results, train_accuracy_results = [], []
    for epoch in range(15):
        epoch_loss_avg = tf.keras.metrics.Mean()
        epoch_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        for i in range(0, 120, 30):
            x, y = features[i : i + 30], labels[i : i + 30]
            loss_value, grads = grad(model, x, y)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
            epoch_loss_avg.update_state(loss_value)
            epoch_accuracy.update_state(y, model(x, training=True))
        train_loss_results.append(float(epoch_loss_avg.result()))
        train_accuracy_results.append(float(epoch_accuracy.result()))
    assert train_loss_results[-1] < 0.3 * train_loss_results[0] and train_accuracy_results[-1] > 0.9
    test_accuracy = tf.keras.metrics.Accuracy()
    logits = model(features, training=False)
    prediction = tf.math.argmax(logits, axis=1, output_type=tf.int64)
    test_accuracy(prediction, labels)
    assert float(test_accuracy.result()) > 0.9


def test_a_training_step_in_a_function_with_metrics():
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer, metric = tf.keras.optimizers.Adam(0.05), tf.keras.metrics.SparseCategoricalAccuracy()
    x = np.eye(3, dtype=np.float32)
    y = np.array([0, 1, 2])

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss_value = loss_fn(y, logits)
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights))
        metric.update_state(y, logits)
        return loss_value

    losses = [float(train_step(x, y)) for _ in range(60)]
    assert losses[-1] < losses[0]
    metric.reset_state()
    train_step(x, y)
    assert float(metric.result()) == 1.0


# --- Better performance with tf.function ---


def test_polymorphism_and_concrete_functions():
    @tf.function
    def square(a, b):
        return tf.matmul(a, b)

    one = square.get_concrete_function(tf.TensorSpec([2, 2]), tf.TensorSpec([2, 2]))
    near(one(tf.eye(2), tf.ones([2, 2])), np.ones((2, 2)))
    with pytest.raises((TypeError, ValueError)):
        one(tf.ones([3, 3]), tf.ones([3, 3]))

    @tf.function
    def pow(a, b):
        return a**b

    assert pow.get_concrete_function(a=tf.TensorSpec([]), b=2)(tf.constant(10.0)).numpy() == 100.0


def test_reading_and_writing_what_is_outside():
    external_var = tf.Variable(0)

    @tf.function
    def buggy_consume_next(n):
        external_var.assign_add(n)
        return external_var

    assert [int(buggy_consume_next(tf.constant(2))) for _ in range(3)] == [2, 4, 6]
    external_list = []

    @tf.function
    def side_effect(x):
        external_list.append(x)
        return x

    side_effect(tf.constant(1)), side_effect(tf.constant(1))
    assert len(external_list) == 1
    foo = tf.Variable(10)

    @tf.function
    def mult_by_foo(x):
        return x * foo

    assert int(mult_by_foo(tf.constant(3))) == 30
    foo.assign(100)
    assert int(mult_by_foo(tf.constant(3))) == 300


def test_models_as_arguments():
    class SimpleModel(tf.Module):
        def __init__(self):
            self.bias = 0.0
            self.weight = 2.0

    @tf.function
    def evaluate(model, x):
        return model.weight * x + model.bias

    simple_model = SimpleModel()
    x = tf.constant(10.0)
    assert float(evaluate(simple_model, x)) == 20.0
    simple_model.bias += 5.0
    assert float(evaluate(simple_model, x)) == 20.0  # what was traced
    new_model = SimpleModel()
    new_model.bias += 5.0
    assert float(evaluate(new_model, x)) == 25.0

    class Better:
        def __init__(self):
            self.bias = tf.Variable(0.0)
            self.weight = tf.Variable(2.0)

    better_model = Better()
    assert float(evaluate(better_model, x)) == 20.0
    better_model.bias.assign_add(5.0)
    assert float(evaluate(better_model, x)) == 25.0


def test_optimizers_of_the_guide():
    opt1 = tf.keras.optimizers.Adam(learning_rate=1e-2)
    opt2 = tf.keras.optimizers.Adam(learning_rate=1e-3)

    def make():
        @tf.function
        def train_step(w, x, y, optimizer):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w * x - y))
            gradients = tape.gradient(loss, [w])
            optimizer.apply_gradients(zip(gradients, [w]))

        return train_step

    w = tf.Variable(2.0)
    x = tf.constant([-1.0])
    y = tf.constant([2.0])
    make()(w, x, y, opt1)
    near(w, 1.99)
    make()(w, x, y, opt2)
    near(w, 1.989)


def test_loops_of_the_guide():
    @tf.function
    def fizzbuzz(n):
        counts = tf.zeros([3], tf.int32)
        for i in tf.range(1, n + 1):
            if i % 15 == 0:
                counts += [0, 0, 1]
            elif i % 3 == 0:
                counts += [1, 0, 0]
            elif i % 5 == 0:
                counts += [0, 1, 0]
        return counts

    assert fizzbuzz(tf.constant(15)).numpy().tolist() == [4, 2, 1]
    v = tf.Variable(1.5)

    @tf.function
    def powers(n):
        y = tf.constant(1.0)
        for _ in tf.range(n):
            y *= v
        return y

    with tf.GradientTape() as tape:
        y = powers(tf.constant(3))
    near(tape.gradient(y, v), 3 * 1.5**2)
