"""reel.tf.keras and tf.data: what tf_cases/ cannot say: functions, subclasses, files, callbacks, checkpoints."""

import numpy as np
import pytest

import reel.tf as tf

K = tf.keras
L = K.layers

LAYERS = {  # name -> (what makes the layer, shape of its input)
    "dense": (lambda: L.Dense(3, activation="tanh"), (2, 4)),
    "conv1d": (lambda: L.Conv1D(3, 2, padding="causal"), (2, 5, 2)),
    "conv2d": (lambda: L.Conv2D(3, 2, strides=2, padding="same"), (1, 5, 4, 2)),
    "conv2d_transpose": (lambda: L.Conv2DTranspose(2, 3, strides=2), (1, 3, 3, 1)),
    "separable": (lambda: L.SeparableConv2D(2, 3), (1, 5, 5, 2)),
    "pool": (lambda: L.MaxPooling2D(2, padding="same"), (1, 5, 5, 2)),
    "batch_normalization": (lambda: L.BatchNormalization(), (4, 3)),
    "layer_normalization": (lambda: L.LayerNormalization(axis=[1, 2]), (2, 3, 4)),
    "group_normalization": (lambda: L.GroupNormalization(2), (2, 3, 4)),
    "lstm": (lambda: L.LSTM(3, return_sequences=True), (2, 4, 3)),
    "gru": (lambda: L.Bidirectional(L.GRU(2)), (2, 4, 3)),
    "stacked": (lambda: L.RNN([L.SimpleRNNCell(2), L.LSTMCell(3)]), (2, 4, 3)),
    "time_distributed": (lambda: L.TimeDistributed(L.Dense(2)), (2, 3, 4)),
    "normalization": (lambda: L.Normalization(mean=1.0, variance=4.0), (2, 3)),
    "prelu": (lambda: L.PReLU(), (2, 3)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_the_same_in_functions(name):
    make, shape = LAYERS[name]
    layer, x = make(), tf.constant(np.random.RandomState(0).uniform(-1, 1, shape).astype("float32"))
    eager = layer(x)

    def loss(x):
        return tf.reduce_sum(layer(x, training=False) ** 2)

    def gradients(f):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = f(x)
        return [g.numpy() for g in tape.gradient(value, [x, *layer.trainable_weights])]

    assert tuple(layer.compute_output_shape(shape)) == tuple(eager.shape)
    symbol = layer(K.Input(batch_shape=(None, *shape[1:])))
    assert symbol.shape == (None, *eager.shape[1:])
    np.testing.assert_allclose(tf.function(layer)(x).numpy(), layer(x).numpy(), rtol=1e-5, atol=1e-6)
    for a, b in zip(gradients(loss), gradients(tf.function(loss))):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [n for n in LAYERS if n not in ("stacked",)])
def test_configs_make_the_same_layer(name):
    make, shape = LAYERS[name]
    layer, x = make(), tf.ones(shape)
    layer(x)
    again = type(layer).from_config(layer.get_config())
    again(x)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(again(x).numpy(), layer(x).numpy())


def data(n=60):
    random = np.random.RandomState(1)
    x = random.uniform(-1, 1, (n, 3)).astype("float32")
    return x, (x @ np.array([[1.0], [-2.0], [0.5]], "float32"))


def test_fit_is_the_loop_that_it_says():
    x, y = data()
    model, other = (K.Sequential([K.Input((3,)), L.Dense(4, "tanh"), L.Dense(1)]) for _ in range(2))
    other.set_weights(model.get_weights())
    model.compile(K.optimizers.SGD(0.1), "mse")
    history = model.fit(x, y, batch_size=20, epochs=2, shuffle=False, verbose=0)
    losses = []
    for _ in range(2):
        for i in range(0, 60, 20):
            with tf.GradientTape() as tape:
                losses.append(tf.reduce_mean((other(x[i : i + 20]) - y[i : i + 20]) ** 2))
            for v, g in zip(other.weights, tape.gradient(losses[-1], other.weights)):
                v.assign_sub(0.1 * g)
    np.testing.assert_allclose(history.history["loss"], np.reshape(losses, (2, 3)).mean(1), rtol=1e-5)
    for a, b in zip(model.get_weights(), other.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


class Own(K.Model):
    """Steps of its own."""

    def __init__(self):
        super().__init__()
        self.dense = L.Dense(1)
        self.tracker = K.metrics.Mean(name="loss")
        self.traces = 0

    def call(self, x):
        if tf.reduce_sum(x) > 1e6:  # autograph's, in the compiled step
            x = x * 0.0
        return self.dense(x)

    def train_step(self, data):
        self.traces += 1
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}

    @property
    def metrics(self):
        return [self.tracker]


def test_steps_of_a_subclass_are_compiled():
    x, y = data()
    model = Own()
    model.compile(optimizer=K.optimizers.SGD(0.1))
    history = model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(20), epochs=5, verbose=0)
    assert model.traces <= 2
    assert history.history["loss"][-1] < history.history["loss"][0]


def test_weights_of_files(tmp_path):
    def make():
        inner = K.Sequential([L.Dense(4), L.BatchNormalization()])
        a = K.Input((3,))
        return K.Model(a, L.Dense(1)(inner(a)))

    model, other = make(), make()
    model.save_weights(tmp_path / "a.safetensors")
    other.load_weights(tmp_path / "a.safetensors")
    for a, b in zip(model.get_weights(), other.get_weights()):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="does not fit"):
        K.Sequential([K.Input((3,)), L.Dense(2)]).load_weights(tmp_path / "a.safetensors")
    for path, error in {"a.h5": tf.errors.UnimplementedError, "a.txt": ValueError}.items():
        with pytest.raises(error, match="safetensors"):
            model.save_weights(tmp_path / path)


def test_callbacks_write_files(tmp_path):
    x, y = data()
    model = K.Sequential([K.Input((3,)), L.Dense(1)])
    model.compile("sgd", "mse")
    calls = [
        K.callbacks.ModelCheckpoint(str(tmp_path / "w-{epoch:02d}.safetensors"), "loss", save_weights_only=True),
        K.callbacks.CSVLogger(tmp_path / "log.csv"),
        K.callbacks.TensorBoard(tmp_path / "board", histogram_freq=1),
    ]
    history = model.fit(x, y, epochs=2, verbose=0, callbacks=calls, validation_split=0.5)
    assert sorted(p.name for p in tmp_path.glob("w-*")) == ["w-01.safetensors", "w-02.safetensors"]
    lines = (tmp_path / "log.csv").read_text().splitlines()
    assert lines[0] == "epoch,loss,val_loss" and len(lines) == 3
    assert float(lines[1].split(",")[1]) == history.history["loss"][0]
    assert sorted(p.name for p in (tmp_path / "board").iterdir()) == ["train", "validation"]


def test_progress_is_printed(capsys):
    x, y = data()
    model = K.Sequential([K.Input((3,)), L.Dense(1, name="d")], name="small")
    model.compile("sgd", "mse")
    model.fit(x, y, epochs=2, verbose=2)
    out = capsys.readouterr().out
    assert "Epoch 2/2" in out and out.count("2/2 - ") == 2 and "loss: " in out
    model.summary()
    text = capsys.readouterr().out
    assert 'Model: "small"' in text and "d (Dense)" in text and "Trainable params: 4 (16.00 B)" in text


def test_masks_go_with_sequences():
    embedding, x = L.Embedding(5, 3, mask_zero=True), tf.constant([[1, 2, 0, 0], [3, 0, 0, 0]])
    lstm = L.LSTM(2)
    masked = lstm(embedding(x)).numpy()
    short = lstm(L.Embedding(5, 3, weights=embedding.get_weights())(x[:, :2])).numpy()
    np.testing.assert_allclose(masked[0], short[0], rtol=1e-6)
    with pytest.warns(UserWarning, match="does not support masking"):
        L.Flatten()(embedding(x))


def test_datasets_in_functions():
    seen = []

    @tf.function
    def total(dataset):
        seen.append(1)
        out = tf.constant(0.0)
        for x in dataset:
            out += tf.reduce_sum(x)
        return out

    for n in (3, 5):
        dataset = tf.data.Dataset.from_tensor_slices(tf.range(n, dtype=tf.float32)).batch(2)
        assert float(total(dataset)) == n * (n - 1) / 2


def test_map_is_traced_once():
    calls = []

    def double(x):
        calls.append(x)
        return x * 2

    dataset = tf.data.Dataset.range(5).map(double)
    assert list(dataset.as_numpy_iterator()) == [0, 2, 4, 6, 8]
    assert len(calls) <= 3


def test_orders_follow_the_seed():
    def order():
        tf.random.set_seed(3)
        dataset = tf.data.Dataset.range(20).shuffle(20)
        return [list(dataset.as_numpy_iterator()) for _ in range(2)]

    first = order()
    assert first == order() and first[0] != first[1]


def checkpointed():
    model, optimizer = K.Sequential([L.Dense(3), L.Dense(1)]), K.optimizers.Adam(0.1)
    iterator = iter(tf.data.Dataset.range(10).shuffle(10).repeat(2))
    parts = {"model": model, "optimizer": optimizer, "step": tf.Variable(0), "iterator": iterator}
    return tf.train.Checkpoint(**parts)


def step(checkpoint):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(checkpoint.model(tf.ones([2, 2])) ** 2)
    variables = checkpoint.model.trainable_variables
    checkpoint.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    checkpoint.step.assign_add(1)
    return int(next(checkpoint.iterator))


def test_a_restored_run_goes_on(tmp_path):
    first = checkpointed()
    manager = tf.train.CheckpointManager(first, tmp_path, max_to_keep=2)
    for _ in range(3):
        step(first)
        manager.save()
    assert [p.rpartition("-")[2] for p in manager.checkpoints] == ["2", "3"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint", "ckpt-2.safetensors", "ckpt-3.safetensors"]
    second = checkpointed()
    status = second.restore(tf.train.latest_checkpoint(tmp_path))  # its layers and slots are not there yet
    assert int(second.step) == 3
    assert [step(first) for _ in range(4)] == [step(second) for _ in range(4)]
    for a, b in zip(first.model.get_weights(), second.model.get_weights()):
        np.testing.assert_array_equal(a, b)
    status.assert_consumed()


def test_checkpoints_say_what_does_not_match(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable([1.0]), b=[tf.Variable(2.0)]).write(str(tmp_path / "x"))
    names = dict(tf.train.list_variables(path))
    assert names["b/0/.ATTRIBUTES/VARIABLE_VALUE"] == []
    partial = tf.train.Checkpoint(a=tf.Variable([0.0]))
    status = partial.read(path)
    assert partial.a.numpy() == [1.0]
    status.assert_existing_objects_matched().expect_partial()
    with pytest.raises(AssertionError, match="b/0"):
        status.assert_consumed()
    partial.b = []
    partial.b.append(tf.Variable(0.0))
    assert float(partial.b[0]) == 2.0
    status.assert_consumed()
    with pytest.raises(AssertionError, match="objects: c"):
        tf.train.Checkpoint(c=tf.Variable(0.0, name="c")).read(path).assert_existing_objects_matched()
    with pytest.raises(ValueError, match="shape"):
        tf.train.Checkpoint(a=tf.Variable([0.0, 0.0])).read(path)
    with pytest.raises(tf.errors.NotFoundError):
        partial.restore(str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match="trackable"):
        tf.train.Checkpoint(a=3)
    with pytest.raises(AssertionError, match="No checkpoint"):
        partial.restore(None).assert_consumed()
    (tmp_path / "bad.safetensors").write_bytes((tmp_path / "x.safetensors").read_bytes()[:50])
    with pytest.raises(tf.errors.OpError):
        partial.read(str(tmp_path / "bad"))


def test_modules_list_their_own_variables_first():
    class Block(tf.Module):
        def __init__(self, name=None):
            super().__init__(name)
            with self.name_scope:
                self.w = tf.Variable(1.0, name="w")

    class Net(tf.Module):
        def __init__(self):
            super().__init__("net")
            self.a_block, self.z = Block(), tf.Variable(0.0, name="z", trainable=False)
            self.more = {"x": [Block("other"), self.a_block]}

    net = Net()
    assert [v.name for v in net.variables] == ["z:0", "block/w:0", "other/w:0"]
    assert len(net.trainable_variables) == 2 and len(net.submodules) == 2
    assert [p for p, _ in net._flatten(with_path=True, predicate=lambda x: isinstance(x, tf.Module))] == [
        ("a_block",),
        ("more", "x", 0),
    ]
    with pytest.raises(ValueError, match="valid module name"):
        tf.Module("a b")
