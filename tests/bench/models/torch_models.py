"""Training steps of PyTorch's models: eager, inductor, torch.compile(backend="reel"), reel.from_torch, in turn.

    torch_models.py [--threads N] [--cap SECONDS] [--rounds N] [--mode MODE]... [NAME]...

A step is forward, the sum of the results times fixed random weights, and the gradients of all parameters. Each model and
mode runs in a process of its own; modes alternate, and the best of the rounds counts. A JSON line each: first_call_s,
median_s, best_s, rss_mb, value and gradients (largest difference from PyTorch in float64, relative to the largest number).
At the end a table: time of a step, best peer / Reel, first call, memory. With --check values alone are compared.
"""

import copy
import sys
import time

import runner
import torch
import torch._dynamo
import torch.export  # what every mode but eager would import within its first call
import torch_zoo

MODES = ("eager", "inductor", "reel", "from_torch")


def reference(model, args, weights):
    """The value and the gradients by name, in float64."""
    exact = copy.deepcopy(model).double()
    y = exact(*[a.double() if a.is_floating_point() else a for a in args])
    (y * weights.double()).sum().backward()
    return y.detach(), {n: p.grad for n, p in exact.named_parameters() if p.grad is not None}


def torch_step(model, args, weights, mode):
    if mode == "reel":
        import reel.torch  # noqa: F401  the backend's name
    run = model if mode == "eager" else torch.compile(model, backend=mode)

    def step():
        for p in model.parameters():
            p.grad = None
        y = run(*args)
        (y * weights).sum().backward()
        return y

    def gradients():
        return {n: p.grad for n, p in model.named_parameters()}

    return step, gradients


def imported_step(model, args, weights):
    import reel
    import reel.torch

    f = reel.from_torch(model, args)
    trained = f.trainable_variables
    weights = reel.from_dlpack(weights)
    args = [reel.from_dlpack(a) for a in args]
    last = []

    @reel.function
    def train(*args):
        with reel.GradientTape() as tape:
            y = f(*args)
            loss = reel.sum(y * weights)
        found = tape.gradient(loss, trained)
        return y, [g.dense() if isinstance(g, reel.IndexedSlices) else g for g in found]

    def step():
        y, found = train(*args)
        last[:] = found
        return torch.from_dlpack(y)

    def gradients():
        by_id = {id(v): g for v, g in zip(trained, last)}
        return {n: torch.from_dlpack(by_id[id(v)]) for n, v in f.named_variables.items() if id(v) in by_id}

    return step, gradients


def distance(a, b):
    a, b = a.detach().double(), b.detach().double()
    return ((a - b).abs().max() / (b.abs().max() + 1e-30)).item()


def child(options):
    runner.pin(options.threads)
    torch.set_num_threads(options.threads)
    (name,), (mode,) = options.names, options.mode
    torch.manual_seed(1)
    model, args = getattr(torch_zoo, name)()
    row = {"model": name, "mode": mode, "threads": options.threads}
    with torch.no_grad():
        weights = torch.randn_like(copy.deepcopy(model)(*args))  # the copy: batch norm changes its buffers
    want = reference(model, args, weights) if options.check else None
    start = time.perf_counter()
    if mode == "from_torch":
        step, gradients = imported_step(model, args, weights)
    else:
        step, gradients = torch_step(model, args, weights, mode)
    y = step()
    row["first_call_s"] = time.perf_counter() - start
    if want:
        found = gradients()
        row["value"] = distance(y, want[0])
        row["gradients"] = max(distance(found[n], g) for n, g in want[1].items() if g.abs().max() > 1e-9)
    else:
        row["median_s"], row["best_s"] = runner.sample(step, options.cap)
    runner.print_row(row)


def main():
    options = runner.arguments(__doc__, MODES)
    if options.child:
        return child(options)
    names = [m.__name__ for m in torch_zoo.MODELS]
    return int(runner.run(__file__, options, names, MODES, ("reel", "from_torch")) > 0)


if __name__ == "__main__":
    sys.exit(main())
