"""nanoGPT's training script at its published CPU setting: a GPT of characters. Killed, it goes on where it was.

PYTHONPATH=build/python python3 frontend/python/examples/nanogpt.py [--folder nanogpt] [--steps 2000] [--layers 4] ..."""

import argparse
import pathlib

import reel
from reel import nn
from reel.callbacks import Checkpoints, CSVLogger, Progress, TensorBoard

TEXT = pathlib.Path(__file__).parents[3] / "tests/data/tinyshakespeare.txt.gz"
OPTIONS = dict(folder="nanogpt", steps=2000, layers=4, heads=4, units=128, length=64, batch=12, rate=1e-3, seed=1337)
parser = argparse.ArgumentParser()
for name, value in OPTIONS.items():
    parser.add_argument("--" + name, type=type(value), default=value)
o = parser.parse_args()
reel.random.seed(o.seed)

practice = reel.data.text(TEXT, o.length, stride=1).split(0.9, seed=None)[0]
test = reel.data.text(TEXT, o.length).split(0.9, seed=None)[1].batch(64)
batches, words = iter(practice.shuffle(o.seed).batch(o.batch).repeat().prefetch(2)), practice.vocabulary


def block() -> nn.Sequential:
    attention = nn.MultiHeadAttention(o.units, o.heads, causal=True, use_bias=False)
    dense = nn.Dense(4 * o.units, nn.gelu, use_bias=False), nn.Dense(o.units, use_bias=False)
    return nn.Sequential(*(nn.Residual(nn.LayerNorm(use_bias=False), *f) for f in ([attention], dense)))


def logits(x: reel.Tensor) -> reel.Tensor:
    return body(tokens(x) + places(reel.arange(x.shape[-1]))) @ tokens.variables[0].T


@reel.function
def step(x: reel.Tensor, y: reel.Tensor) -> reel.Tensor:
    with reel.GradientTape() as tape:
        loss = nn.softmax_cross_entropy(logits(x), y)
    adam.apply(reel.optim.clip_by_global_norm(tape.gradient(loss, variables), 1.0), variables)
    return loss


tokens, places = nn.Embedding(len(words), o.units), nn.Embedding(o.length, o.units)
body = nn.Sequential(*(block() for _ in range(o.layers)), nn.LayerNorm(use_bias=False))
logits(practice[0][0][None])  # makes the variables
variables = [*tokens.variables, *places.variables, *body.variables]
for v in (v for v in variables if len(v.shape) > 1):
    v.assign(reel.random.normal(v.shape, stddev=0.02))
rate = reel.optim.cosine_decay(o.rate, max(o.steps - 100, 1), o.rate / 10, warmup_steps=100)
adam = reel.optim.AdamW(rate, beta_2=0.99, weight_decay=(0.1, lambda v: len(v.shape) > 1))
loss_of = reel.function(lambda x, y: nn.softmax_cross_entropy(logits(x), y))
state = reel.Checkpoint(o.folder + "/", step=0, data=batches, tokens=tokens, places=places, body=body, adam=adam)
told = [Checkpoints(state, 250), CSVLogger(o.folder + "/log.csv"), TensorBoard(o.folder), Progress()]
history = reel.fit(step, batches, steps=o.steps, callbacks=told, validate=(loss_of, test), validate_every=250)
print(history)

text = words.encode("\n")
for _ in range(500):
    text = reel.concat([text, reel.random.categorical(logits(text[None, -o.length :])[:, -1])[0]])
print(words.decode(text))
