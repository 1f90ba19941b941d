"""What a first day does with an installed wheel; prints the shared libraries that it brought into the process."""

import importlib
import os
import sys


def libraries():
    with open("/proc/self/maps", encoding="utf-8") as f:
        return {os.path.realpath(line.split()[-1]) for line in f if ".so" in line}


for module in ("bz2", "ctypes", "decimal", "hashlib", "lzma", "ssl", "zlib"):
    try:
        importlib.import_module(module)  # what Python's own library brings
    except ImportError:
        pass
before = libraries()
reel = importlib.import_module("reel")

model = reel.nn.Sequential(reel.nn.Dense(8, "tanh"), reel.nn.Dense(1))
optimizer = reel.optim.Adam(1e-2)


@reel.function
def train(x, y):
    with reel.GradientTape() as tape:
        loss = reel.mean((model(x) - y) ** 2)
    optimizer.apply(tape.gradient(loss, model.variables), model.variables)
    return loss


x = reel.random.normal((64, 4))
y = reel.sum(x, axis=1, keepdims=True)
losses = [float(train(x, y)) for _ in range(300)]
assert losses[-1] < 0.1 * losses[0], losses[::50]

for name in ("weights.safetensors", "weights.npz"):
    values = [v + 0 for v in model.variables]
    model.save_weights(name)
    for variable in model.variables:
        variable.assign(reel.zeros_like(variable))
    model.load_weights(name)
    assert all(bool(reel.all(a == b)) for a, b in zip(values, model.variables)), name

reel.Module.lift({"predict": (model, [reel.TensorSpec((64, 4), reel.float32)])}).save("model.reel")
run = reel.compile(reel.load("model.reel"))
assert bool(reel.all(run("predict", x) == model(x)))

try:
    x @ x
    raise SystemExit("no error")
except reel.Error:
    pass  # an exception crosses the libraries

for path in sorted(libraries() - before):
    print("library", path)
print("trained, compiled, saved and loaded by", reel.__file__, sys.version.split()[0])
