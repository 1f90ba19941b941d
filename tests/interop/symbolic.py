"""A training step whose batch has no number, in Reel and in TensorFlow, at several of them."""

import numpy as np
from interop import TensorFlow

import reel

BOUND = 1e-6  # how far results and new values of variables may be apart
RESULTS = ("loss", "best", "twice", "pad")


def make_step():
    """A convolution, an embedding and a dense layer: what symbols go through, with their gradients."""
    shapes = {"table": (11, 4), "filter": (3, 3, 2, 4), "dense": (4, 5)}
    variables = [reel.Variable(reel.random.normal(s, stddev=0.3), name=n) for n, s in shapes.items()]
    table, kernel, dense = variables

    def train(image, words, labels):
        with reel.GradientTape() as tape:
            features = reel.nn.relu(reel.nn.conv2d(image, kernel, padding="SAME"))
            features = reel.mean(features, axis=(1, 2)) + reel.sum(reel.take(table, words, axis=0), axis=1)
            logits = features @ dense
            loss = reel.mean(reel.nn.softmax_cross_entropy(logits, labels))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * gradient)
        twice, pad = reel.concatenate([logits, logits], axis=1), reel.pad(logits, [[0, 0], [1, 2]])
        return {"loss": loss, "best": reel.argmax(logits, axis=1), "twice": twice, "pad": pad}

    batch = reel.Dim("B", 1, 4096)
    specs = [reel.TensorSpec((batch, 6, 6, 2)), reel.TensorSpec((batch, 3), reel.int32)]
    return reel.trace(train, [*specs, reel.TensorSpec((batch,), reel.int32)], name="train"), variables


def main():
    step, variables = make_step()
    rng = np.random.default_rng(0)
    backend = TensorFlow()
    exported = backend.export(step, "train")
    run = backend.compile(exported)
    takes, gives = (backend.variables(exported, kind) for kind in ("arguments", "results"))
    worst = 0.0
    for batch in (1, 7, 32):
        arguments = inputs(rng, batch)
        state = {v.name: v.numpy().copy() for v in variables}
        got = run(*arguments, *[state[n] for n in takes if n])
        results = step(*arguments)
        new = {v.name: v.numpy() for v in variables}
        want = [new[n] if n else results[RESULTS[i]].numpy() for i, n in enumerate(gives)]
        for x, y in zip(got, want, strict=True):
            assert x.shape == y.shape
            worst = max(worst, float(np.abs(x.astype(np.float64) - y).max()))
    print(f"tensorflow: any batch, farthest {worst:.2g}")
    assert worst <= BOUND


def inputs(rng, batch):
    """An image, its words and its label, of each example."""
    image = rng.normal(size=(batch, 6, 6, 2)).astype(np.float32)
    return image, rng.integers(0, 11, (batch, 3), np.int32), rng.integers(0, 5, batch, np.int32)


if __name__ == "__main__":
    main()
