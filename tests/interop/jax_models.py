"""Models of Flax and steps of Optax in Reel: each training step that JAX takes, read as one program and run beside it.

Losses and parameters after some steps are compared; and a loss alone is read with its parameters as variables, whose
gradient Reel takes, beside jax.grad.
"""

import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

import reel

STEPS = 5
# Of float32, after STEPS steps, relative to the largest number of a tensor.
TOLERANCE = 1e-4


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.gelu(nn.LayerNorm()(nn.Dense(32)(x.reshape(len(x), -1)))))


class Cnn(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(8, (3, 3))(x)), (2, 2), strides=(2, 2))
        x = nn.avg_pool(nn.relu(nn.GroupNorm(4)(nn.Conv(16, (3, 3), strides=(2, 2))(x))), (2, 2))
        return nn.Dense(10)(x.reshape(len(x), -1))


class Transformer(nn.Module):
    @nn.compact
    def __call__(self, x):
        tokens = (jnp.abs(x.reshape(len(x), -1)[:, :12]) * 20).astype(jnp.int32) % 17
        h = nn.Embed(17, 24)(tokens) + self.param("places", nn.initializers.normal(0.02), (12, 24))
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            h = h + nn.MultiHeadDotProductAttention(num_heads=3)(nn.LayerNorm()(h), mask=mask)
            h = h + nn.Dense(24)(nn.gelu(nn.Dense(48)(nn.LayerNorm()(h))))
        return nn.Dense(10)(nn.LayerNorm()(h).mean(1))


class Recurrent(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.RNN(nn.LSTMCell(16))(x.reshape(len(x), 8, -1))
        return nn.Dense(10)(nn.RNN(nn.GRUCell(8))(h)[:, -1])


def loss_of(model):
    def loss(params, x, labels):
        logits = model.apply({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    return loss


def close(got, want):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    return got.shape == want.shape and np.abs(got - want).max(initial=0) <= TOLERANCE * (
        1 + np.abs(want).max(initial=0)
    )


def check(name, model, optimizer):
    random = np.random.RandomState(0)
    x = random.randn(4, 8, 8, 1).astype(np.float32)
    labels = random.randint(0, 10, 4).astype(np.int32)
    params = model.init(jax.random.key(0), x)["params"]
    state = optimizer.init(params)
    loss = loss_of(model)

    def step(params, state, x, labels):
        value, gradients = jax.value_and_grad(loss)(params, x, labels)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    faults = []
    imported, jitted = reel.from_jax(step, params, state, x, labels), jax.jit(step)
    ours, theirs = (params, state), (params, state)
    for _ in range(STEPS):
        *ours, got = imported(*ours, x, labels)
        *theirs, want = jitted(*theirs, x, labels)
        if not close(got, want):
            faults.append(f"a loss is {got} for {want}")
    for a, b in zip(jax.tree_util.tree_leaves(tuple(ours)), jax.tree_util.tree_leaves(tuple(theirs))):
        if not close(a, b):
            faults.append("parameters or state differ after the steps")
    f = reel.from_jax(loss, params, x, labels, params=0)
    with reel.GradientTape() as tape:
        value = f(x, labels)
    gradients = tape.gradient(value, f.variables)
    for v, g, w in zip(f.variables, gradients, jax.tree_util.tree_leaves(jax.grad(loss)(params, x, labels))):
        if g is None or not close(g, w):
            faults.append(f"the gradient of {v.name} differs")
    if jax.tree_util.tree_structure(reel.jax.to_params(f)) != jax.tree_util.tree_structure(params):
        faults.append("to_params has another structure")
    for fault in faults:
        print(f"jax_models: {name}: {fault}")
    print(f"jax_models: {name}: loss {float(np.asarray(got)):.6f}, {len(f.variables)} variables, {len(faults)} faults")
    return not faults


def run_readme():
    """The blocks of frontend/python/reel/jax/README.md."""
    readme = pathlib.Path(__file__).parents[2] / "frontend/python/reel/jax/README.md"
    for block in re.findall(r"```py\n(.*?)```", readme.read_text(), re.DOTALL):
        exec(compile(block, str(readme), "exec"), {})


if __name__ == "__main__":
    run_readme()
    # The gradient of a bias of keys is 0 but for rounding, which Adam with a small epsilon makes as large as a step.
    cases = [
        ("mlp, adam", Mlp(), optax.adam(1e-2)),
        (
            "mlp, sgd with momentum and clipping",
            Mlp(),
            optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1, 0.9)),
        ),
        ("cnn, adamw", Cnn(), optax.adamw(1e-2)),
        (
            "transformer, adam with a schedule",
            Transformer(),
            optax.adam(optax.cosine_decay_schedule(1e-2, 10), eps=1e-3),
        ),
        ("lstm and gru, rmsprop", Recurrent(), optax.rmsprop(1e-2)),
    ]
    sys.exit(not all([check(*case) for case in cases]))
