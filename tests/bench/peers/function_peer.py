"""reel.function on the benchmark workloads: the same steps as `reel bench`, through Python's public API.

    PYTHONPATH=build/python python function_peer.py --threads 1 [WORKLOAD ...]

Modes: function (the whole step, update included, one reel.function); eager (op by op, the rows that `reel bench` calls
eagerly: add_*).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import harness

args = harness.arguments(__doc__, ["function", "eager"])
harness.pin(args.threads)
os.environ["REEL_NUM_THREADS"] = str(args.threads)

import numpy as np  # noqa: E402

import reel  # noqa: E402
import workloads  # noqa: E402
from reel import Tensor, Variable, nn  # noqa: E402

Tensors = dict[str, Tensor]
compiled: Callable[..., Any] = reel.function  # what makes of a training step what runs


def tensors(tree: dict[str, np.ndarray]) -> Tensors:
    return {k: reel.asarray(v) for k, v in tree.items()}


def variables(tree: dict[str, np.ndarray]) -> dict[str, Variable]:
    return {k: Variable(v, name=k) for k, v in tree.items()}


def adam(hp: dict[str, Any]) -> reel.optim.Optimizer:
    """AdamW with hp["wd"], else Adam."""
    options = dict(beta_1=hp["b1"], beta_2=hp["b2"], epsilon=hp["eps"])
    if "wd" in hp:
        return reel.optim.AdamW(hp["lr"], weight_decay=hp["wd"], **options)
    return reel.optim.Adam(hp["lr"], **options)


def train(w: workloads.Workload, loss_of: Callable[..., Tensor]) -> harness.Case:
    """Steps of loss_of(variables by name, x, y)."""
    p, data = variables(w.params), [reel.asarray(w.data["x"]), reel.asarray(w.data["y"])]
    trained = list(p.values())
    optimizer = reel.optim.SGD(w.hp["lr"]) if w.hp["opt"] == "sgd" else adam(w.hp)

    @compiled
    def step(x: Tensor, y: Tensor) -> Tensor:
        with reel.GradientTape() as tape:
            loss = loss_of(p, x, y)
        optimizer.apply(tape.gradient(loss, trained), trained)
        return loss

    return harness.Case(functools.partial(step, *data))


def gradient(w: workloads.Workload, loss_of: Callable[[Tensors], Tensor]) -> harness.Case:
    """The loss of the tensors by name, and its gradients."""
    names = [*w.params, *w.data]
    given = [*tensors(w.params).values(), *tensors(w.data).values()]

    @reel.function
    def step(*given: Tensor) -> tuple[Tensor, list[Tensor]]:
        by_name = dict(zip(names, given))
        sources = [by_name[k] for k in w.hp["wrt"]]
        with reel.GradientTape() as tape:
            tape.watch(sources)
            loss = loss_of(by_name)
        return loss, tape.gradient(loss, sources)

    return harness.Case(functools.partial(step, *given))


def forward(w: workloads.Workload, f: Callable[..., Tensor]) -> harness.Case:
    dtype = reel.bfloat16 if w.dtype == "bfloat16" else None
    given = [reel.asarray(v) if dtype is None else reel.astype(v, dtype) for v in w.params.values()]
    step = f if w.hp.get("eager_only") else reel.function(f)
    return harness.Case(functools.partial(step, *given))


# ---- models ---------------------------------------------------------------


def mlp(w: workloads.Workload) -> harness.Case:
    layers = len(w.hp["dims"]) - 1

    def loss(p: Tensors, x: Tensor, y: Tensor) -> Tensor:
        for i in range(layers):
            x = x @ p[f"w{i}"] + p[f"b{i}"]
            x = nn.relu(x) if i < layers - 1 else x
        return nn.softmax_cross_entropy(x, y)

    return train(w, loss)


def cnn_mnist(w: workloads.Workload) -> harness.Case:
    def loss(p: Tensors, x: Tensor, y: Tensor) -> Tensor:
        for i in (0, 1):
            x = nn.relu(nn.conv2d(x, p[f"k{i}"], padding="same") + p[f"c{i}"])
            x = nn.max_pool2d(x, (2, 2))
        x = reel.reshape(x, (x.shape[0], -1))
        x = nn.relu(x @ p["w0"] + p["b0"])
        return nn.softmax_cross_entropy(x @ p["w1"] + p["b1"], y)

    return train(w, loss)


def resblock(w: workloads.Workload) -> harness.Case:
    def normalized(x: Tensor, scale: Tensor, offset: Tensor) -> Tensor:
        return nn.batch_normalize(x, *nn.moments(x, (0, 1, 2)), scale, offset, epsilon=w.hp["eps"])

    def loss(p: Tensors) -> Tensor:
        h = nn.relu(normalized(nn.conv2d(p["x"], p["k0"], padding="same"), p["g0"], p["h0"]))
        y = nn.relu(normalized(nn.conv2d(h, p["k1"], padding="same"), p["g1"], p["h1"]) + p["x"])
        return reel.mean(reel.square(y))

    return gradient(w, loss)


def depthwise(w: workloads.Workload) -> harness.Case:
    return gradient(w, lambda p: reel.mean(reel.square(nn.depthwise_conv2d(p["x"], p["k"], padding="same"))))


def lstm_char(w: workloads.Workload) -> harness.Case:
    def states(p: Tensors) -> Tensor:
        def cell(carry: tuple[Tensor, Tensor], x: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
            i, f, g, o = reel.split(x + carry[0] @ p["wh"], 4, axis=-1)
            c = reel.sigmoid(f) * carry[1] + reel.sigmoid(i) * reel.tanh(g)
            h = reel.sigmoid(o) * reel.tanh(c)
            return (h, c), h

        zeros = reel.zeros((w.hp["B"], w.hp["H"]))
        return reel.scan_steps(cell, (zeros, zeros), p["x"] @ p["wx"] + p["b"])[1]

    return gradient(w, lambda p: nn.softmax_cross_entropy(states(p) @ p["wo"] + p["bo"], p["y"]))


def rk4(w: workloads.Workload) -> harness.Case:
    width = w.hp["width"]

    def lorenz(s: Tensor, p: Sequence[Tensor]) -> Tensor:
        x, y, z = reel.unstack(s, axis=-1)
        return reel.stack([p[0] * (y - x), x * (p[1] - z) - y, x * y - p[2] * z], axis=-1)

    def integrate(s: Tensor, parameters: Tensor) -> Tensor:
        p = reel.unstack(parameters)

        def step(s: Tensor, _: object) -> tuple[Tensor, None]:
            k1 = lorenz(s, p)
            k2 = lorenz(s + width / 2 * k1, p)
            k3 = lorenz(s + width / 2 * k2, p)
            k4 = lorenz(s + width * k3, p)
            return s + width / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return reel.scan_steps(step, s, length=w.hp["steps"])[0]

    if w.kind == "op":
        return forward(w, integrate)
    return gradient(w, lambda p: reel.sum(integrate(p["s"], p["p"]) ** 2))


def gpt(w: workloads.Workload) -> harness.Case:
    hp = w.hp

    def heads(x: Tensor) -> Tensor:
        return reel.swapaxes(reel.reshape(x, (hp["B"], hp["T"], hp["H"], -1)), 1, 2)

    def mix(p: Tensors, x: Tensor) -> Tensor:
        qkv = reel.split(x @ p["wqkv"] + p["bqkv"], 3, axis=-1)
        mixed = nn.attention(*map(heads, qkv), causal=True)
        return reel.reshape(reel.swapaxes(mixed, 1, 2), x.shape) @ p["wo"] + p["bo"]

    def loss(p: Tensors, x: Tensor, y: Tensor) -> Tensor:
        x = reel.take(p["wte"], x, axis=0) + p["wpe"]
        for i in range(hp["L"]):
            q = {k.partition(".")[2]: v for k, v in p.items() if k.startswith(f"l{i}.")}
            x = x + mix(q, nn.layer_normalize(x, q["ln1g"], q["ln1b"], epsilon=hp["ln_eps"]))
            normal = nn.layer_normalize(x, q["ln2g"], q["ln2b"], epsilon=hp["ln_eps"])
            wide = nn.gelu(normal @ q["w1"] + q["b1"], approximate=True)
            x = x + wide @ q["w2"] + q["b2"]
        x = nn.layer_normalize(x, p["lnfg"], p["lnfb"], epsilon=hp["ln_eps"])
        return nn.softmax_cross_entropy(x @ (p["wte"].value().T if hp["tied"] else p["head"]), y)

    return train(w, loss)


def attention(w: workloads.Workload) -> harness.Case:
    return gradient(w, lambda p: reel.sum(nn.attention(p["q"], p["k"], p["v"], causal=True) * p["do"]))


def vocab_loss(w: workloads.Workload) -> harness.Case:
    return gradient(w, lambda p: nn.softmax_cross_entropy(p["logits"], p["y"]))


def norm_gelu(w: workloads.Workload) -> harness.Case:
    def loss(p: Tensors) -> Tensor:
        normal = nn.layer_normalize(p["x"], p["g"], p["b"], epsilon=w.hp["eps"])
        return reel.sum(nn.gelu(normal, approximate=True) * p["dy"])

    return gradient(w, loss)


def ew_chain(w: workloads.Workload) -> harness.Case:
    a, b, c, d = (w.hp[k] for k in "abcd")

    def z(x: Tensor) -> Tensor:
        return reel.tanh(a * x + b) * c + reel.exp(-d * x * x)

    return forward(w, z) if w.kind == "op" else gradient(w, lambda p: reel.sum(z(p["x"])))


def adam_update(w: workloads.Workload) -> harness.Case:
    p, gradients = list(variables(w.params).values()), list(tensors(w.data).values())
    optimizer = adam(w.hp)

    @reel.function
    def step(*gradients: Tensor) -> None:
        optimizer.apply(list(gradients), p)

    return harness.Case(functools.partial(step, *gradients), lambda: p)


def gmm(w: workloads.Workload) -> harness.Case:
    d, n = w.hp["d"], w.hp["n"]

    def loss(p: Tensors) -> Tensor:
        q, lower = reel.split(p["icf"], [d, d * (d - 1) // 2], axis=1)
        factors = reel.take(reel.pad(lower, [(0, 0), (1, 0)]), p["tril"], axis=1) + reel.diag(reel.exp(q))
        centers = reel.squeeze(factors @ reel.expand_dims(p["means"], axis=-1), axis=-1)
        turned = p["x"] @ reel.reshape(factors, (-1, d)).T
        y = reel.reshape(turned, (n, -1, d)) - centers
        inner = p["alphas"] + reel.sum(q, axis=1) - 0.5 * reel.sum(reel.square(y), axis=2)
        prior = 0.5 * (reel.sum(reel.exp(2 * q)) + reel.sum(reel.square(lower)))
        mixture = reel.sum(reel.logsumexp(inner, axis=1)) - float(n) * reel.logsumexp(p["alphas"])
        return mixture + prior + w.hp["const"]

    return gradient(w, loss)


def chain(w: workloads.Workload) -> harness.Case:
    def loss(p: Tensors) -> Tensor:
        x = p["x"]
        for _ in range(w.hp["iters"]):
            x = x * w.hp["c"] + p["y"]
        return reel.sum(x)

    return gradient(w, loss)


BUILD: dict[str, Callable[[workloads.Workload], harness.Case]] = {
    "mlp": mlp,
    "cnn_mnist": cnn_mnist,
    "resblock": resblock,
    "depthwise": depthwise,
    "lstm_char": lstm_char,
    "rk4": rk4,
    "gpt": gpt,
    "attention": attention,
    "vocab_loss": vocab_loss,
    "norm_gelu": norm_gelu,
    "ew_chain": ew_chain,
    "adam_update": adam_update,
    "gmm": gmm,
    "chain": chain,
    "add_op": lambda w: forward(w, lambda a, b: a + b),
    "vector_op": lambda w: forward(w, lambda a, b: a @ b),
    "matmul_op": lambda w: forward(w, lambda a, b: a @ b),
    "call_overhead": lambda w: forward(w, lambda x: x + 1),
}


def build(w: workloads.Workload, mode: str) -> harness.Case:
    return BUILD[workloads.WORKLOADS[w.name].__name__](w)


def modes_of(name: str) -> list[str]:
    return ["eager"] if name.startswith("add_") else ["function"]


if __name__ == "__main__":
    harness.main(
        args,
        "reel.function",
        reel.__version__,
        list(workloads.WORKLOADS),
        modes_of,
        workloads.make,
        build,
        lambda result: None,
        lambda x: reel.astype(x, reel.float64).numpy(),
    )
