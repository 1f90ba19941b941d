"""reel.nn: layers, convolutions, normalisation, attention."""

import numpy as np
import pytest

import reel
from reel import nn


def close(x, y, rtol=1e-5):
    np.testing.assert_allclose(np.asarray(x), y, rtol=rtol, atol=1e-5)


def test_dense():
    layer = nn.Dense(3, "relu", name="d")
    assert layer.variables == ()
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
    y = layer(x)
    kernel, bias = layer.variables
    assert kernel.name == "d/kernel" and bias.name == "d/bias" and kernel.shape == (4, 3)
    close(y, np.maximum(x @ kernel.numpy() + bias.numpy(), 0))
    assert nn.Dense(3, inputs=4).variables[0].shape == (4, 3)
    close(
        nn.Dense(2, nn.tanh, kernel_init=0.5, bias_init=lambda shape, dtype: np.arange(2.0))(x),
        np.tanh(x.sum(1, keepdims=True) * 0.5 + np.arange(2)),
    )
    close(nn.Dense(2, lambda t: t * 0 + 7, use_bias=False)(x), np.full((2, 2), 7))
    assert nn.Dense(2, dtype="float64")(x.astype(np.float64)).dtype == reel.float64
    with pytest.raises(ValueError, match="activation"):
        nn.Dense(2, "nothing")
    with pytest.raises(TypeError, match="Dense: there is no option 'bias'"):
        nn.Dense(2, bias=True)
    with pytest.raises(ValueError, match="0 units"):
        nn.Dense(0)


def test_sequential_trains():
    model = nn.Sequential(nn.Dense(8, nn.relu), lambda t: t * 2, nn.Residual(nn.Dense(8, "tanh")), nn.Dense(1))
    x = np.linspace(-1, 1, 20, dtype=np.float32)[:, None]
    optimizer = reel.optim.Adam(0.02)
    losses = []
    for _ in range(60):
        with reel.GradientTape() as tape:
            loss = nn.mean_squared_error(model(x), x**2)
        optimizer.apply(tape.gradient(loss, model.variables), model.variables)
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 10
    assert [v.name for v in model.variables] == [
        "dense/kernel",
        "dense/bias",
        "residual/dense/kernel",
        "residual/dense/bias",
        "dense_1/kernel",
        "dense_1/bias",
    ]
    assert all(a is b for a, b in zip(model.variables, tape.watched_variables())) or len(tape.watched_variables()) == 6


def test_modules():
    class Model(nn.Module):
        def __init__(self):
            self.scale = reel.Variable(2.0, name="scale")
            self.layers = [nn.Dense(2), nn.Dense(2)]
            self.frozen = {"v": reel.Variable(1.0, trainable=False)}
            self.again = self.scale

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x * self.scale

    model = Model()
    assert len(model.variables) == 2
    model(reel.ones((1, 3)))
    assert len(model.variables) == 6 and len(model.trainable_variables) == 5 and model.variables[0] is model.scale


def conv2d(x, w, stride):
    n, h, wd, c = x.shape
    kh, kw, _, o = w.shape
    out = np.zeros((n, (h - kh) // stride + 1, (wd - kw) // stride + 1, o))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j] = np.einsum(
                "nhwc,hwco->no", x[:, i * stride : i * stride + kh, j * stride : j * stride + kw], w
            )
    return out


def test_convolution_and_pools(rng):
    x, w = rng.normal(size=(2, 6, 5, 3)), rng.normal(size=(3, 2, 3, 4))
    close(nn.conv2d(x, w), conv2d(x, w, 1))
    close(nn.conv2d(x, w, strides=2), conv2d(x, w, 2))
    close(nn.conv2d(x, w, padding=[(1, 1), (0, 1)]), conv2d(np.pad(x, ((0, 0), (1, 1), (0, 1), (0, 0))), w, 1))
    assert nn.conv2d(x, w, padding="SAME").shape == (2, 6, 5, 4)
    first = nn.conv2d(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), data_format="channels_first")
    close(first, conv2d(x, w, 1).transpose(0, 3, 1, 2))
    assert nn.conv2d_transpose(x, w.transpose(0, 1, 3, 2), strides=2).shape == (2, 13, 10, 4)
    blocks = x[:, :6, :4].reshape(2, 3, 2, 2, 2, 3)
    close(nn.max_pool2d(x, 2), blocks.max((2, 4)))
    close(nn.avg_pool2d(x, (2, 2)), blocks.mean((2, 4)))
    close(nn.global_avg_pool(x), x.mean((1, 2)))
    layer = nn.Conv2D(4, 3, "relu", padding="same")
    assert layer(x.astype(np.float32)).shape == (2, 6, 5, 4) and layer.variables[0].shape == (3, 3, 3, 4)
    assert nn.resize(x, (12, 10), method="nearest").shape == (2, 12, 10, 3)
    with pytest.raises(ValueError, match="valid, same"):
        nn.conv2d(x, w, padding="full")


def test_normalisation(rng):
    x = rng.normal(size=(4, 6)).astype(np.float32) * 3 + 1
    close(nn.layer_normalize(x), (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5), 1e-4)
    close(
        nn.rms_normalize(x, scale=np.full(6, 2, np.float32)),
        2 * x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-6),
        1e-4,
    )
    mean, variance = nn.moments(x, axis=0)
    close(mean, x.mean(0))
    close(variance, x.var(0))
    close(nn.l2_normalize(x), x / np.linalg.norm(x, axis=1, keepdims=True))
    norm = nn.BatchNorm()
    close(norm(x), x, 1e-4)  # running statistics: mean 0, variance 1
    with nn.training():
        assert nn.is_training()
        close(norm(x), (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), 1e-4)
    assert not nn.is_training() and len(norm.variables) == 4 and len(norm.trainable_variables) == 2
    close(norm.variables[2].numpy(), 0.1 * x.mean(0))
    dropout = nn.Dropout(0.5)
    assert dropout(x).tolist() == x.tolist()
    with nn.training():
        assert (np.asarray(dropout(np.ones((100,), np.float32))) == 0).any()


def test_attention_and_recurrence(rng):
    q, k, v = (rng.normal(size=(5, 4)) for _ in range(3))
    s = q @ k.T / 2
    p = np.exp(s - s.max(1, keepdims=True))
    close(nn.attention(q, k, v), p / p.sum(1, keepdims=True) @ v)
    x = rng.normal(size=(2, 7, 4)).astype(np.float32)
    assert nn.MultiHeadAttention(8, 2, causal=True)(x).shape == (2, 7, 8)
    for layer in (nn.LSTM(3), nn.GRU(3), nn.RNN(3, reverse=True)):
        assert layer(x).shape == (2, 7, 3) and isinstance(layer, nn.Layer)
    assert nn.LSTM(3, sequence=False)(x).shape == (2, 3)
    assert nn.Embedding(10, 4)([[1, 2]]).shape == (1, 2, 4) and nn.Flatten()(x).shape == (2, 28)


# Layers by name, the arguments that they need, and whether they have a bias.
LAYERS = {
    "Dense": ((2,), True),
    "Embedding": ((5, 2), False),
    "Conv1D": ((2, 3), True),
    "Conv2D": ((2, 3), True),
    "Conv3D": ((2, 3), True),
    "Conv1DTranspose": ((2, 3), True),
    "Conv2DTranspose": ((2, 3), True),
    "DepthwiseConv2D": ((3,), True),
    "LayerNorm": ((), True),
    "RMSNorm": ((), False),
    "GroupNorm": ((2,), True),
    "BatchNorm": ((), True),
    "RNN": ((2,), True),
    "LSTM": ((2,), True),
    "GRU": ((2,), True),
    "MultiHeadAttention": ((4, 2), True),
}
WITHOUT_VARIABLES = {"Dropout", "Flatten", "Sequential", "Residual", "Layer", "Module", "Recurrent", "training"}


def test_all_layers_are_in_the_table():
    classes = {n for n in dir(nn) if isinstance(getattr(nn, n), type) and not n.startswith("_")}
    assert classes - WITHOUT_VARIABLES == set(LAYERS)


@pytest.mark.parametrize("name", LAYERS)
def test_options_without_effect_are_errors(name):
    arguments, has_bias = LAYERS[name]
    make = getattr(nn, name)
    with pytest.raises(TypeError, match=f"{name}: there is no option 'kernel_inti'.*did you mean 'kernel_init'?"):
        make(*arguments, kernel_inti=0.5)
    for option in ({"use_bias": False}, {"bias_init": 0.5}):
        if has_bias:
            make(*arguments, **option)
            continue
        with pytest.raises(TypeError, match=f"{name}: there is no option '{[*option][0]}'"):
            make(*arguments, **option)
    for wrong in ("use_bias", "bias_init"):
        assert (wrong in make.__init__.__doc__) == has_bias


@pytest.mark.parametrize("name, mean, deviation", [
    ("zeros", 0, 0), ("ones", 1, 0), ("normal", 0, 0.05), ("uniform", 0, 0.1 / 12**0.5), ("truncated_normal", 0, 0.044),
    ("glorot_uniform", 0, 0.1), ("glorot_normal", 0, 0.1), ("he_normal", 0, 0.1 * 2**0.5), ("lecun_uniform", 0, 0.1),
])  # fmt: skip
def test_initializers_by_name(name, mean, deviation):
    kernel = np.asarray(nn.Dense(100, inputs=100, kernel_init=name).variables[0])
    assert abs(kernel.mean() - mean) < 0.005 and abs(kernel.std() - deviation) < 0.1 * deviation + 1e-6


def test_orthogonal_and_identity_by_name():
    kernel = np.asarray(nn.Dense(8, inputs=8, kernel_init="orthogonal").variables[0])
    np.testing.assert_allclose(kernel @ kernel.T, np.eye(8), atol=1e-5)
    np.testing.assert_array_equal(nn.Dense(8, inputs=8, kernel_init="identity").variables[0], np.eye(8))
