"""Training steps of PyTorch's models: eager, inductor, torch.compile(backend="reel"), reel.from_torch, in turn;
with --onnx, of models in evaluation mode (batch norms keep their statistics): reel.import_onnx of what PyTorch exports, too.

    torch_models.py [--onnx] [--tune] [--threads N] [--cap SECONDS] [--rounds N] [--mode MODE]... [NAME]...

A step is forward, the sum of the results times fixed random weights, and the gradients of all parameters. Each model and
mode runs in a process of its own; modes alternate, and the best of the rounds counts. A JSON line each: first_call_s,
median_s, best_s, rss_mb, value and gradients (largest difference from PyTorch in float64, relative to the largest number).
At the end a table: time of a step, best peer / Reel, first call, memory. With --check values and gradients alone are compared,
and in float64 once more where float32's gradients are off.
"""

import copy
import os
import sys
import tempfile

import runner
import torch
import torch._dynamo
import torch.export  # what every mode but eager would import within its first call
import torch_zoo

MODES = ("eager", "inductor", "reel", "from_torch")
OWN = ("reel", "from_torch", "onnx")


def doubled(args, weights):
    return [a.double() if a.is_floating_point() else a for a in args], weights.double()


def reference(model, args, weights):
    """The value and the gradients by name, in float64."""
    args, weights = doubled(args, weights)
    exact = copy.deepcopy(model).double()
    y = exact(*args)
    (y * weights).sum().backward()
    return y.detach(), {n: p.grad for n, p in exact.named_parameters() if p.grad is not None}


RATE = 1e-6  # of --tune: however many steps are sampled, weights stay near what they were


def torch_step(model, args, weights, mode, tune=False):
    if mode == "reel":
        import reel.torch  # noqa: F401  the backend's name

        torch._dynamo.config.allow_rnn = True
    compiled = (lambda f: f) if mode == "eager" else lambda f: torch.compile(f, backend=mode)
    run = compiled(model)
    update = compiled(torch.optim.AdamW(model.parameters(), RATE).step) if tune else lambda: None

    def step():
        for p in model.parameters():
            p.grad = None
        y = run(*args)
        (y * weights).sum().backward()
        update()
        return y

    return step, lambda y: (y, {n: p.grad for n, p in model.named_parameters()})


def through_onnx(model, args):
    """A function of Reel's, by the file that PyTorch's exporter writes, with its weights by name."""
    import reel

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        torch.onnx.export(model, tuple(args), dynamo=True, verbose=False, optimize=False).save(path)
        f = reel.import_onnx(path).function("main")
    return f, {v.name: v for v in f.variables}


def imported(model, args):
    import reel.torch

    f = reel.from_torch(model, args)
    return f, f.named_variables


def imported_step(model, args, weights, mode, tune=False):
    import reel

    f, named = (through_onnx if mode == "onnx" else imported)(model, args)
    trained = [v for v in f.variables if v.trainable]
    weights = reel.from_dlpack(weights)
    args = [reel.from_dlpack(a) for a in args]
    optimizer = reel.optim.AdamW(RATE, weight_decay=0.01)

    @reel.function
    def train(*args):
        with reel.GradientTape() as tape:
            y = f(*args)
            loss = reel.sum(y * weights)
        found = tape.gradient(loss, trained)
        if tune:
            optimizer.apply(found, trained)
            return y, []
        return y, [g.dense() if isinstance(g, reel.IndexedSlices) else g for g in found]

    def in_torch(results):
        y, found = results
        by_id = {id(v): g for v, g in zip(trained, found)}
        gradients = {n: torch.from_dlpack(by_id[id(v)]) for n, v in named.items() if id(v) in by_id}
        return torch.from_dlpack(y), gradients

    return lambda: train(*args), in_torch


def prepare(name, mode, options):
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model, args = getattr(torch_zoo, name)()
    model.train(not options.onnx)
    with torch.no_grad():
        weights = torch.randn_like(copy.deepcopy(model)(*args))  # the copy: batch norm changes its buffers
    want = reference(model, args, weights) if options.check else None

    def begin(*given):
        if mode in ("from_torch", "onnx"):
            return imported_step(*given, mode, options.tune)
        return torch_step(*given, mode, options.tune)

    def distances(result, in_torch):
        y, found = in_torch(result)
        # The exporter names weights anew that it transposes: tests/interop/onnx_models.py finds these by shape.
        names = [n for n in want[1] if mode != "onnx" or n in found]
        return runner.compare(y.detach(), want[0], [(found[n].detach(), want[1][n]) for n in names])

    def start():
        step, in_torch = begin(model, args, weights)

        def compare(result):
            row = distances(result, in_torch)
            if row["gradients"] > runner.LIMIT:
                step, of_doubles = begin(copy.deepcopy(model).double(), *doubled(args, weights))
                row["exact_gradients"] = distances(step(), of_doubles)["gradients"]
            return row

        return step, compare

    return start


def main():
    options = runner.arguments(__doc__, (*MODES, "onnx"))
    if options.child:
        return runner.child(options, prepare)
    names = [m.__name__ for m in torch_zoo.MODELS]
    return int(runner.run(__file__, options, names, (*MODES, "onnx") if options.onnx else MODES, OWN) > 0)


if __name__ == "__main__":
    sys.exit(main())
