"""A classifier of two moons: layers, a compiled step, and a checkpoint that a killed run goes on from.

PYTHONPATH=build/python python3 frontend/python/examples/classifier.py [folder]

Started again with the same folder, it goes on where it was; the numbers are those of a run that was never killed.
"""

import math
import sys
import tempfile

import reel


class Classifier(reel.nn.Module):
    """Two hidden layers; its variables are called hidden/0/kernel, ..., head/bias."""

    def __init__(self, classes: int = 2, units: int = 16) -> None:
        self.hidden = [reel.nn.Dense(units, "tanh"), reel.nn.Dense(units, "tanh")]
        self.head = reel.nn.Dense(classes)

    def __call__(self, x: reel.Tensor) -> reel.Tensor:
        for layer in self.hidden:
            x = layer(x)
        return self.head(x)


def moons(examples: int, generator: reel.random.Generator) -> tuple[reel.Tensor, reel.Tensor]:
    """Points [examples, 2] on two half circles that reach into each other, and which of them each is on."""
    labels = reel.astype(reel.random.bernoulli((examples,), 0.5, generator=generator), reel.int64)
    angle = reel.random.uniform((examples,), 0.0, math.pi, generator=generator)
    upper = reel.stack([reel.cos(angle), reel.sin(angle)], axis=-1)
    lower = reel.stack([1 - reel.cos(angle), 0.5 - reel.sin(angle)], axis=-1)
    noise = reel.random.normal((examples, 2), stddev=0.1, generator=generator)
    return reel.where(labels[:, None] == 0, upper, lower) + noise, labels


class Trainer:
    """A model and its optimizer; `step` is traced and compiled at its first call."""

    def __init__(self, model: Classifier, learning_rate: float = 1e-2) -> None:
        self.model = model
        self.optimizer = reel.optim.Adam(learning_rate)

    @reel.function
    def step(self, x: reel.Tensor, labels: reel.Tensor) -> reel.Tensor:
        with reel.GradientTape() as tape:
            loss = reel.nn.softmax_cross_entropy(self.model(x), labels)
        variables = self.model.variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        return loss


def accuracy(model: Classifier, x: reel.Tensor, labels: reel.Tensor) -> float:
    """The share of points whose class has the largest logit."""
    return float(reel.mean(reel.astype(reel.argmax(model(x), axis=-1) == labels, reel.float32)))


def train(folder: str, steps: int = 300, batch: int = 64) -> float:
    """The accuracy on new points after `steps` steps, those of earlier runs in this folder among them."""
    reel.random.seed(0)
    model, generator = Classifier(), reel.random.Generator(1)
    trainer = Trainer(model)
    checkpoint = reel.Checkpoint(folder + "/", model=model, optimizer=trainer.optimizer, generator=generator, step=0)
    if checkpoint.restore() is not None:
        print(f"goes on from step {checkpoint.step}")
    while checkpoint.step < steps:
        loss = trainer.step(*moons(batch, generator))
        checkpoint.step += 1
        if checkpoint.step % 100 == 0:
            print(f"step {checkpoint.step}: loss {float(loss):.4f}, saved {checkpoint.save()}")
    return accuracy(model, *moons(1000, reel.random.Generator(2)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        print(f"accuracy {train(sys.argv[1] if len(sys.argv) > 1 else temporary):.3f}")
