"""The suite's models of JAX's: each function gives (loss, params, arguments); loss(params, *arguments) is a number."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn


def arrays(*shapes):
    random = np.random.RandomState(0)
    return [random.randn(*s).astype(np.float32) for s in shapes]


def classify(model, x, classes=10):
    """A Flax model with the mean cross-entropy of its logits."""
    labels = np.random.RandomState(1).randint(0, classes, len(x)).astype(np.int32)
    params = model.init(jax.random.key(0), x)["params"]

    def loss(params, x, labels):
        return optax.softmax_cross_entropy_with_integer_labels(model.apply({"params": params}, x), labels).mean()

    return loss, params, (x, labels)


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (512, 512):
            x = nn.relu(nn.Dense(width)(x))
        return nn.Dense(10)(x)


def flax_mlp():
    return classify(Mlp(), *arrays((128, 784)))


class Cnn(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 64):
            x = nn.max_pool(nn.relu(nn.Conv(width, (3, 3))(x)), (2, 2), strides=(2, 2))
        return nn.Dense(10)(nn.relu(nn.Dense(256)(x.reshape(len(x), -1))))


def flax_cnn():
    return classify(Cnn(), *arrays((32, 28, 28, 1)))


class Transformer(nn.Module):
    width: int = 128

    @nn.compact
    def __call__(self, x):
        tokens = (jnp.abs(x) * 100).astype(jnp.int32) % 256
        h = nn.Embed(256, self.width)(tokens)
        h = h + self.param("places", nn.initializers.normal(0.02), (x.shape[1], self.width))
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            h = h + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(h), mask=mask)
            h = h + nn.Dense(self.width)(nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(h))))
        return nn.Dense(10)(nn.LayerNorm()(h).mean(1))


def flax_transformer():
    return classify(Transformer(), *arrays((8, 64)))


def layers(sizes):
    random = np.random.RandomState(2)
    return [
        {"w": (random.randn(i, o) / np.sqrt(i)).astype(np.float32), "b": np.zeros(o, np.float32)}
        for i, o in zip(sizes, sizes[1:])
    ]


def network(params, x):
    for layer in params[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def pinn():
    """Poisson's equation in two dimensions: second derivatives by x inside the loss (Raissi et al. 2019)."""

    def loss(params, points):
        def u(p):
            return network(params, p)[0]

        def residual(p):
            return jnp.trace(jax.hessian(u)(p)) + jnp.sin(p[0]) * jnp.sin(p[1])

        return jnp.mean(jax.vmap(residual)(points) ** 2)

    return loss, layers((2, 32, 32, 1)), arrays((256, 2))


def neural_ode():
    """100 steps of the classical method of Runge and Kutta through a small network (Chen et al. 2018)."""

    def loss(params, start, end):
        def step(y, _):
            k1 = network(params, y)
            k2 = network(params, y + 0.005 * k1)
            k3 = network(params, y + 0.005 * k2)
            k4 = network(params, y + 0.01 * k3)
            return y + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jnp.mean((jax.lax.scan(step, start, None, length=100)[0] - end) ** 2)

    return loss, layers((4, 32, 4)), arrays((32, 4), (32, 4))


def gaussian_process():
    """The negative log likelihood of 128 observations, by a Cholesky factor."""

    def loss(params, x, y):
        scale, variance, noise = jnp.exp(params["scale"]), jnp.exp(params["variance"]), jnp.exp(params["noise"])
        squares = jnp.sum(((x[:, None] - x[None]) * scale) ** 2, -1)
        k = variance * jnp.exp(-0.5 * squares) + (noise + 1e-3) * jnp.eye(len(x), dtype=x.dtype)
        factor = jnp.linalg.cholesky(k)
        z = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        return 0.5 * jnp.sum(z**2) + jnp.sum(jnp.log(jnp.diag(factor)))

    params = {"scale": np.zeros(3, np.float32), "variance": np.float32(0), "noise": np.float32(-1)}
    return loss, params, arrays((128, 3), (128,))


MODELS = (flax_mlp, flax_cnn, flax_transformer, pinn, neural_ode, gaussian_process)
