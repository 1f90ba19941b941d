"""Whole architectures as PyTorch exports them to ONNX, by both exporters, imported: values beside ONNX Runtime and PyTorch in
float64, gradients beside PyTorch's in float64; a symbolic batch; an imported ResNet and transformer fine-tuned beside PyTorch.

    onnx_models.py [--exporter dynamo|script]... [NAME]...
"""

import argparse
import copy
import os
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime
import torch

import reel

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "models"))
import runner
import torch_zoo
from runner import LIMIT, distance

# LSTM and GRU: ONNX has one operator for a layer, with gates in another order, so gradients have no names in common. Of the
# older exporter values alone are compared: it multiplies the scales of batch norms into convolutions.
WITHOUT_GRADIENTS = ("lstm", "gru")


def export(model, args, path, exporter):
    if exporter == "dynamo":
        torch.onnx.export(model, args, dynamo=True, verbose=False, optimize=False).save(path)
    else:  # names of weights stay only where constants are not folded
        torch.onnx.export(model, args, path, dynamo=False, do_constant_folding=False)


def doubled(args):
    return tuple(a.double() if a.is_floating_point() else a for a in args)


def exact(model, args, weights):
    """Values and gradients by name in float64."""
    model = copy.deepcopy(model).double()
    y = model(*doubled(args))
    (y * weights.double()).sum().backward()
    return y.detach().numpy(), {n: p.grad.numpy() for n, p in model.named_parameters() if p.grad is not None}


def in_onnx_runtime(path, args):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # two of its threads add to one element of a ScatterND at once, and lose a term
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: a.numpy() for i, a in zip(session.get_inputs(), args)})[0]


def gradients(function, args, weights):
    trained = [v for v in function.variables if v.trainable]
    with reel.GradientTape() as tape:
        y = function(*args)
        loss = reel.sum(y * weights)
    found = tape.gradient(loss, trained)
    dense = [g.dense() if isinstance(g, reel.IndexedSlices) else g for g in found]
    return y.numpy(), {v.name: g.numpy() for v, g in zip(trained, dense) if g is not None}


def matching(found, wanted):
    """Pairs of gradients of one weight: by name, or, where an exporter names and transposes weights anew, by shape and norm."""
    for name, want in wanted.items():
        if name in found and found[name].shape == want.shape:
            yield name, found[name], want
        else:
            close = [g.reshape(want.shape) if g.shape == want.shape else g.T for g in found.values()
                     if g.shape in (want.shape, want.shape[::-1])]  # fmt: skip
            if close:
                yield name, min(close, key=lambda g: distance(g, want)), want


def imported(model, args, weights, path, exporter):
    """Value and gradients by name of what the exporter writes."""
    export(model, args, path, exporter)
    return gradients(reel.import_onnx(path).function("main"), [a.numpy() for a in args], weights.numpy())


def furthest(found, wanted):
    """The largest distance of a gradient, and of how many."""
    largest = max(np.abs(g).max() for g in wanted.values())
    pairs = list(matching(found, {n: g for n, g in wanted.items() if np.abs(g).max() > 1e-9 * largest}))
    return max(distance(got, g) for _, got, g in pairs), len(pairs)


def check(make, exporter, folder):
    torch.manual_seed(1)
    model, args = make()
    model.eval()
    with torch.no_grad():
        weights = torch.randn_like(model(*args))
    path = os.path.join(folder, f"{make.__name__}_{exporter}.onnx")
    want, wanted = exact(model, args, weights)
    y, found = imported(model, args, weights, path, exporter)
    row = {"runtime": distance(y, in_onnx_runtime(path, args)), "value": distance(y, want)}
    if exporter == "dynamo" and make.__name__ not in WITHOUT_GRADIENTS:
        row["gradients"], row["weights"] = furthest(found, wanted)
        if row["gradients"] > LIMIT:  # a ReLU's input near 0 rounded to its other side? Then float64's agree.
            _, found = imported(model.double(), doubled(args), weights.double(), path, exporter)
            row["exact_gradients"], _ = furthest(found, wanted)
    return row


def check_symbolic_batch(folder):
    """A model with an open batch: as a number, and as a symbol."""
    model, path = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Tanh()), os.path.join(folder, "open.onnx")
    batch = torch.export.Dim("batch", min=1, max=64)
    torch.onnx.export(model, (torch.randn(3, 6),), dynamo=True, verbose=False, dynamic_shapes=({0: batch},)).save(path)
    x = torch.randn(5, 6)
    function = reel.import_onnx(path, dims={"batch": 5}).function("main")
    assert distance(function(x.numpy()).numpy(), model(x).detach().numpy()) < LIMIT


def check_fine_tuning(make, folder):
    """Ten steps of plain descent from an imported model, beside PyTorch: the same losses."""
    torch.manual_seed(1)
    model, args = make()
    model.eval()
    path = os.path.join(folder, f"{make.__name__}_tuned.onnx")
    export(model, args, path, "dynamo")
    function = reel.import_onnx(path).function("main")
    trained = [v for v in function.variables if v.trainable]
    names, rate = {v.name for v in trained}, 1e-2

    @reel.function
    def train(*args):
        with reel.GradientTape() as tape:
            loss = reel.mean(function(*args) ** 2)
        for v, g in zip(trained, tape.gradient(loss, trained)):
            if g is not None:
                v.assign_sub(rate * (g.dense() if isinstance(g, reel.IndexedSlices) else g))
        return loss

    model = model.double()
    tuned = [p for n, p in model.named_parameters() if n in names]
    assert len(tuned) == len(trained), f"{make.__name__}: {len(trained)} variables, {len(tuned)} of PyTorch's names"
    optimizer = torch.optim.SGD(tuned, lr=rate)
    exact_args = doubled(args)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = (model(*exact_args) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append((float(train(*[a.numpy() for a in args])), loss.item()))
    worst = max(abs(a - b) / abs(b) for a, b in losses)
    print(
        f"{make.__name__}, fine-tuned: loss {losses[0][1]:.4g} to {losses[-1][1]:.4g}, apart by {worst:.1e}", flush=True
    )
    assert worst < LIMIT and losses[-1][1] < losses[0][1], losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--exporter", action="append", choices=("dynamo", "script"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = rows = 0
    with tempfile.TemporaryDirectory() as folder:
        for make in torch_zoo.MODELS:
            if options.names and make.__name__ not in options.names:
                continue
            for exporter in options.exporter or ("dynamo", "script"):
                rows += 1
                try:
                    row = check(make, exporter, folder)
                except torch.onnx.OnnxExporterError as e:  # before Reel sees a file
                    rows -= 1
                    print(f"{make.__name__}, {exporter}: PyTorch does not export it: {str(e)[:300]}", flush=True)
                    continue
                except Exception as e:
                    failed += 1
                    print(f"{make.__name__}, {exporter}: FAILED {type(e).__name__}: {str(e)[:300]}", flush=True)
                    continue
                bad = row["runtime"] > LIMIT or runner.failed(row)
                failed += bad
                shown = ", ".join(f"{n} {v:.1e}" if n != "weights" else f"{v} weights" for n, v in row.items())
                print(f"{make.__name__}, {exporter}: {'FAILED ' if bad else ''}{shown}", flush=True)
        if not options.names:
            check_symbolic_batch(folder)
            check_fine_tuning(torch_zoo.resnet18, folder)
            check_fine_tuning(torch_zoo.encoder, folder)
    print(f"onnx: {rows - failed} of {rows} exports agree")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
