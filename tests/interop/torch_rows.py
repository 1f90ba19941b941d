"""Samples for the rows of frontend/python/reel/torch: what PyTorch computes of them in float64.

torch_rows.py runs them in PyTorch and in Reel; torch_rows.py --write tests/python/torch_rows.jsonl records graphs,
inputs and results, with which tests/python/test_torch.py runs the same without PyTorch.
"""

import argparse
import json

import torch
import torch.utils._pytree as pytree
from torch.fx.experimental.proxy_tensor import make_fx

import reel
import reel.torch
from reel.torch import _core_ops, _fx, _nodes, _run

F64 = torch.float64
ATEN = torch.ops.aten
INF, NAN = float("inf"), float("nan")


def draw(*shape, dtype=F64):
    """Numbers of two decimals, which are short in a file."""
    return (torch.randn(*shape, dtype=F64) * 100).round().div(100).to(dtype)


torch.manual_seed(0)
X, Y, V = draw(3, 4), draw(3, 4), draw(4)
P = draw(3, 4).abs() % 0.9 + 0.05  # in (0, 1)
SPECIAL = torch.tensor([0.0, -0.0, NAN, INF, -INF, 1.5, -2.5], dtype=F64)
INTS, BOOLS = torch.tensor([[1, -2, 3], [4, 5, -6]]), torch.tensor([True, False, True])
LINE, IMAGE, CUBE = draw(2, 2, 7), draw(2, 2, 6, 5), draw(1, 2, 4, 5, 3)
EMPTY = torch.zeros(0, 4, dtype=F64)
ROWS, AT = torch.tensor([2, 0, 1]), torch.tensor([[0, 1, 2, 0], [2, 2, 0, 1]])


def unary():
    for name in "acos asin atanh erfinv log log2 log10 log1p sqrt rsqrt digamma lgamma".split():
        yield name, (P,)
    yield "acosh", (P + 1.5,)
    plain = """atan asinh ceil cos cosh erf erfc exp expm1 exp2 floor sin sinh tan tanh trunc neg relu sigmoid reciprocal
        abs isnan isinf isfinite sign square"""
    for name in plain.split():
        yield from ((name, (x,)) for x in (X, SPECIAL, INTS, EMPTY))
    for name in "silu mish round".split():
        yield from ((name, (x,)) for x in (X, SPECIAL))
    for name in "log log2 log10 log1p sqrt rsqrt".split():
        yield name, (SPECIAL,)
    yield from (("bitwise_not", (x,)) for x in (INTS, BOOLS))
    yield from (("logical_not", (x,)) for x in (X, BOOLS))
    yield "hardtanh", (X,)
    yield from (("leaky_relu", (X, *s)) for s in ((), (0.3,)))
    yield from (("elu", (X, *s)) for s in ((), (1.5, 2.0, 0.5)))
    yield from (("gelu", (X,), {"approximate": a}) for a in ("none", "tanh"))
    yield "softplus", (X * 10,)


def binary():
    for name in "add sub mul div fmod remainder eq ne lt le gt ge".split():
        pairs = [
            (X, Y),
            (X, V),
            (SPECIAL, SPECIAL.flip(0)),
            (INTS, INTS.flip(1)),
            (X.float(), torch.tensor(2.0, dtype=F64)),
        ]
        yield from ((name + ".Tensor", pair) for pair in pairs)
        yield from ((name + ".Scalar", (x, s)) for x, s in ((X, 2.5), (INTS, 2), (INTS, 2.5)))
    yield from (("add.Tensor", (X, Y), {"alpha": 2.5}), ("sub.Tensor", (INTS, INTS), {"alpha": 3}))
    yield from (("add.Tensor", (BOOLS, BOOLS)), ("mul.Tensor", (BOOLS, BOOLS)), ("add.Tensor", (BOOLS, INTS[0])))
    yield "rsub.Scalar", (X, 2.0)
    for mode in ("floor", "trunc"):
        yield "div.Tensor_mode", (X, Y), {"rounding_mode": mode}
        yield "div.Tensor_mode", (INTS, torch.tensor([2, -2, 4])), {"rounding_mode": mode}
        yield "div.Scalar_mode", (INTS, 2), {"rounding_mode": mode}
    yield from (("pow.Tensor_Tensor", (P, Y)), ("pow.Tensor_Scalar", (X, 3)), ("pow.Scalar", (2.0, X)))
    yield from (("pow.Tensor_Scalar", (P, e)) for e in (-2, -1, -0.5, 0, 0.5, 1, 2, 2.5))
    yield from (("pow.Tensor_Scalar", (X, -2)), ("pow.Tensor_Scalar", (INTS, 0.5)), ("pow.Tensor_Scalar", (INTS, 3)))
    yield from (("pow.Tensor_Scalar", (INTS, 2)), ("atan2", (X, Y)), ("maximum", (X, Y)))
    yield from (("minimum", (SPECIAL, SPECIAL.flip(0))), ("where.self", (X > 0, X.float(), torch.tensor(0.0))))
    yield from (("clamp", (X, *b)) for b in ((-0.5, 0.5), (None, 0.5)))
    yield from (("clamp", (SPECIAL, -1, 1)), ("clamp.Tensor", (X, V, V + 1)), ("clamp.Tensor", (X, V + 1, V)))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield from ((name + ".Tensor", p) for p in ((INTS, INTS.flip(1)), (BOOLS, BOOLS.flip(0))))
        yield name + ".Scalar", (INTS, 3)
    yield from (("logical_" + name, (X, BOOLS[0])) for name in ("and", "or", "xor"))
    yield from (
        ("lerp.Scalar", (X, Y, 0.3)),
        ("addcmul", (X, Y, X), {"value": 0.5}),
        ("addcdiv", (X, Y, X), {"value": 0.5}),
    )
    yield from (("fill.Scalar", (X, 2)), ("copy", (X, V)))
    yield from (("_to_copy", (x,), {"dtype": t}) for x, t in ((X, torch.float32), (X * 10, torch.int64), (INTS, F64)))
    yield from (("_foreach_add.List", ([X, V], [Y, V]), {"alpha": 2}), ("_foreach_mul.Scalar", ([X, V], 3.0)))
    yield from (("_foreach_addcdiv.Scalar", ([X], [Y], [P], 0.5)), ("_foreach_pow.ScalarAndTensor", (2.0, [X, V])))


def reductions():
    for name in ("sum.dim_IntList", "mean.dim"):
        yield from ((name, (X, *a)) for a in (([0],), ([-1], True), (None,)))
        yield name, (IMAGE, [2, 3])
    yield from (("mean", (X,)), ("sum.dim_IntList", (BOOLS, [0])), ("sum.dim_IntList", (INTS, [0]), {"dtype": F64}))
    yield from (("sum.dim_IntList", (torch.tensor(2.0), [0])), ("sum.dim_IntList", (EMPTY, [0])))
    yield from (("amax", (X, [0])), ("amin", (X, [], True)), ("any", (BOOLS,)), ("any.dim", (X > 0, 1)))
    yield from (("any.dims", (X > 0, [0, 1], True)), ("prod", (X,)), ("prod.dim_int", (X, 1, True)))
    yield from (("argmax", (X, *a)) for a in ((), (1, True)))
    yield from (
        ("argmin", (X, 0)),
        ("argmax", (SPECIAL,)),
        ("max.dim", (X, 1)),
        ("min.dim", (X, 0, True)),
        ("max.dim", (SPECIAL, 0)),
    )
    yield from (("var.correction", (X, [0]), {"correction": c, "keepdim": c == 0}) for c in (None, 0, 0.5))
    yield from (("var.dim", (X, [0], False)), ("var_mean.correction", (X, [1])), ("logsumexp", (X, [1])))
    yield from (("cumsum", (X, 1)), ("cumsum", (INTS, 0)), ("cumprod", (X, 1)))
    yield from (("sort", (X, 1)), ("sort", (SPECIAL, 0, True)), ("topk", (X, 2)), ("topk", (X, 2, 0, False)))
    yield from (("_softmax", (X, 1, False)), ("_log_softmax", (X, 0, False)), ("nonzero", (X > 0,)))
    yield "_softmax_backward_data", (X, Y.softmax(1), 1, F64)
    yield "_log_softmax_backward_data", (X, Y.log_softmax(1), 1, F64)
    yield from (("linalg_vector_norm", (X, p, [1])) for p in (0, 1, 2, 3, INF))
    yield "_local_scalar_dense", (V[0],)


def shapes():
    yield from (("view", (X, s)) for s in ([2, 6], [-1]))
    yield from (("permute", (IMAGE, [0, 2, 3, -3])), ("transpose.int", (IMAGE, 1, -1)), ("expand", (V, [3, -1])))
    yield from (
        ("expand", (X[:, :1], [2, 3, 5])),
        ("squeeze.dim", (X[:1], 0)),
        ("squeeze.dim", (X, 0)),
        ("squeeze.dims", (X[:1, :1], [0, 1])),
    )
    yield from (
        ("unsqueeze", (X, -1)),
        ("cat", ([X, Y], 1)),
        ("cat", ([X, INTS[:, :1].expand(2, 4)],)),
        ("cat", ([EMPTY[:, 0], X],)),
    )
    yield from (("stack", ([X, Y], -1)), ("alias", (X,)), ("clone", (X,)), ("tril", (X, 1)), ("roll", (X, [1], [0])))
    yield from (("slice.Tensor", (X, *a)) for a in ((1, 1, 3), (0, -2, 2**63 - 1), (1, 0, 4, 2), (1, 5, 9)))
    yield from (("select.int", (X, 1, -1)), ("select_scatter", (X, V, 0, 1)), ("select_scatter", (X, V[:3], 1, -1)))
    yield from (("slice_scatter", (X, Y[:, :2], *a)) for a in ((1, 1, 3), (1, 0, 4, 2)))
    yield from (
        ("diagonal", (X,)),
        ("diagonal", (IMAGE, 1, 1, 3)),
        ("diagonal", (X, -1)),
        ("split_with_sizes", (X, [1, 3], 1)),
    )
    yield from (("split.Tensor", (X, 3, 1)), ("unbind.int", (X, 0)), ("repeat", (X, [2, 1, 3])), ("flip", (X, [0, 1])))
    yield from (("constant_pad_nd", (X, p, 0.5)) for p in ([1, 2], [-1, 2, 1, -1]))
    for name in ("reflection", "replication"):
        yield name + "_pad1d", (LINE, [2, 3])
        yield name + "_pad2d", (IMAGE, [1, 2, 3, 1])
        yield name + "_pad3d", (CUBE, [1, 2, 2, 1, 1, 1])
    yield from (("full", a) for a in (([2, 3], 1.5), ([2, 3], 2), ([2], True)))
    yield from (
        ("full_like", (INTS, 2.0)),
        ("scalar_tensor", (2,)),
        ("arange.start_step", (0, 5, 2)),
        ("arange.start_step", (0.0, 1.0, 0.25)),
    )
    yield "as_strided", (X, [2, 2], [4, 2], 1)


def indexing():
    yield from (("index.Tensor", (X, i)) for i in ([ROWS], [None, torch.tensor([3, -1])], [X > 0]))
    yield "index.Tensor", (IMAGE, [None, ROWS[:2, None] % 2, torch.tensor([1, 5])])
    yield "index.Tensor", (IMAGE, [torch.tensor([1, 0]), None, torch.tensor([1, 5])])
    yield from (("index_put", (X, [ROWS], Y)), ("index_put", (X, [X > 0], torch.tensor(0.0, dtype=F64))))
    twice = [torch.tensor([1, 1]), torch.tensor([2, 2])]
    yield "index_put", (X, twice, torch.tensor([1.0, 2.0], dtype=F64), True)
    yield "index_put", (X, [None, torch.tensor([-1])], torch.tensor(5.0, dtype=F64))
    yield from (("index_select", (X, 1, torch.tensor([3, 1]))), ("gather", (X, 0, AT)), ("gather", (X, 1, AT[:, :2])))
    few = torch.tensor([[0, 2], [3, 1]])
    yield from (
        ("scatter.src", (X, 0, AT[:1], Y)),
        ("scatter.src", (X, 1, few, Y)),
        ("scatter.value", (X, 1, few, 7.0)),
    )
    yield from (("scatter_add", (X, 0, AT, Y)), ("scatter_add", (X, 1, torch.tensor([[0, 0], [3, 3]]), Y)))
    for mode in ("sum", "prod", "mean", "amax", "amin"):
        yield from (("scatter_reduce.two", (X, 0, AT, Y, mode), {"include_self": own}) for own in (True, False))
    yield from (("masked_scatter", (X, X > 0, Y)), ("masked_fill.Scalar", (X, X > 0, -INF)))
    yield from (("embedding", (X, ROWS)), ("embedding", (X, AT, 0)))
    yield from (("embedding_dense_backward", (draw(2, 4, 5), AT, 3, *o)) for o in ((-1, False), (1, True)))
    bags = torch.tensor([1, 0, 2, 2, 1])
    yield from (("_embedding_bag", (X, bags, torch.tensor([0, 2, 2]), False, mode)) for mode in (0, 1, 2))
    yield "_embedding_bag", (X, bags, torch.tensor([0, 2, 2, 5]), False, 0, False, P.flatten()[:5], True, 1)


def linear():
    yield from (
        ("mm", (X, Y.t().contiguous())),
        ("bmm", (LINE, LINE.transpose(1, 2).contiguous())),
        ("dot", (V, V)),
        ("mv", (X, V)),
    )
    for options in ({}, {"beta": 0, "alpha": 0.5}, {"beta": 2}):
        yield "addmm", (V[:3], X, Y.t().contiguous()), options
    for p in (0.0, 1.0, 2.0, 3.0, INF):
        yield from (("_cdist_forward", (X, Y[:2], p, None)), ("_pdist_forward", (X, p)))
    yield from (("_fft_r2c", a) for a in ((X, [1], 0, True), (IMAGE, [2, 3], 1, True), (X, [0, 1], 2, False)))
    yield from (("_fft_c2r", (torch.fft.rfft(X), [1], 2, 4)), ("_fft_c2r", (torch.fft.rfft2(IMAGE), [2, 3], 1, 5)))
    yield from (
        ("_fft_c2c", (torch.complex(X, Y), [0, 1], 2, False)),
        ("_fft_c2c", (torch.complex(X, Y), [1], 0, True)),
    )


def windows():
    wide, none = [[1, 1], [0, 0], [1, 1], False, [0, 0], 1], None
    yield "convolution", (IMAGE, draw(4, 2, 3, 2), draw(4), [2, 1], [1, 1], [1, 2], False, [0, 0], 1)
    yield "convolution", (LINE, draw(4, 2, 3), none, [1], [0], [1], False, [0], 1)
    yield "convolution", (CUBE, draw(3, 2, 2, 3, 2), draw(3), [1, 1, 1], [0, 1, 1], [1, 1, 1], False, [0, 0, 0], 1)
    yield "convolution", (IMAGE, draw(4, 1, 3, 3), none, [1, 1], [1, 1], [1, 1], False, [0, 0], 2)
    yield "convolution", (IMAGE, draw(2, 4, 3, 2), draw(4), [2, 3], [1, 0], [1, 1], True, [1, 2], 1)
    yield "convolution", (LINE, draw(2, 2, 4), none, [2], [1], [2], True, [0], 2)
    # With more filters than places, as a product.
    yield "convolution", (IMAGE, draw(50, 2, 3, 2), draw(50), [2, 1], [1, 1], [1, 2], False, [0, 0], 1)
    yield "convolution", (LINE, draw(30, 2, 1), none, [2], [0], [1], False, [0], 1)
    yield "convolution", (CUBE, draw(90, 2, 2, 3, 2), draw(90), [1, 2, 1], [0, 1, 1], [1, 1, 1], False, [0, 0, 0], 1)
    yield "convolution_backward", (draw(2, 40, 4, 4), IMAGE, draw(40, 2, 3, 2), [40], *wide, [True, True, True])
    yield "convolution_backward", (draw(2, 4, 4, 4), IMAGE, draw(4, 2, 3, 2), [4], *wide, [True, True, True])
    yield (
        "convolution_backward",
        (draw(2, 3, 7, 7), IMAGE, draw(2, 3, 2, 3), [3], *wide[:3], True, [0, 0], 1, [True, True, False]),
    )
    yield from (
        ("avg_pool2d", (IMAGE, *a))
        for a in (([2, 3],), ([3, 3], [2, 2], [1, 1], True), ([3, 3], [2, 2], [1, 1], True, False))
    )
    yield from (("avg_pool2d", (IMAGE, [3, 3], [2, 2], [1, 1], False, True, 5)), ("avg_pool2d", (IMAGE[0], [2, 2])))
    yield from (("avg_pool1d", (LINE, [3])), ("avg_pool3d", (CUBE, [2, 2, 2])))
    yield "avg_pool2d_backward", (draw(2, 2, 3, 1), IMAGE, [2, 3], [], [0, 0], False, True, none)
    yield from (
        ("max_pool2d_with_indices", (IMAGE, *a))
        for a in (([2, 2],), ([3, 3], [2, 2], [1, 1]), ([3, 2], [2, 2], [1, 1], [2, 1], True))
    )
    yield from (("max_pool3d_with_indices", (CUBE, [2, 2, 2])), ("max_pool2d_with_indices", (IMAGE[0], [2, 2])))
    options = ([3, 3], [2, 2], [1, 1], [1, 1], False)
    at = ATEN.max_pool2d_with_indices(IMAGE, *options)[1]
    yield "max_pool2d_with_indices_backward", (draw(*at.shape), IMAGE, *options, at)
    yield from (("_adaptive_avg_pool2d", (IMAGE, s)) for s in ([4, 3], [1, 1], [6, 2]))
    yield from (("_adaptive_avg_pool3d", (CUBE, [2, 3, 3])), ("adaptive_avg_pool1d", (LINE, [4])))
    yield "_adaptive_avg_pool2d_backward", (draw(2, 2, 4, 3), IMAGE)
    yield from (("upsample_nearest2d.vec", (IMAGE, *a)) for a in (([9, 11], none), (none, [2.0, 1.7])))
    yield from (
        ("upsample_bilinear2d.vec", (IMAGE, *a))
        for a in (([9, 11], False, none), ([9, 3], True, none), (none, False, [1.6, 2.0]))
    )
    yield "col2im", (draw(2, 8, 20), [5, 6], [2, 2], [1, 1], [0, 0], [1, 1])
    yield "col2im", (draw(2, 8, 9), [6, 7], [2, 2], [2, 1], [1, 0], [2, 2])
    points = torch.rand(2, 2, 3, 2, dtype=F64).mul(260).round().div(100) - 1.3
    for mode in range(3):
        yield from (("grid_sampler_2d", (IMAGE, points, mode, pad, pad == 1)) for pad in range(3))


def norms():
    w, b, mean, var = draw(2), draw(2), draw(2), draw(2).abs() + 0.5
    rows = draw(5)
    yield from (
        ("native_layer_norm", (IMAGE, [5], rows, rows + 1, 1e-5)),
        ("native_layer_norm", (IMAGE, [6, 5], None, None, 1e-5)),
    )
    yield "native_group_norm", (IMAGE, w, b, 2, 2, 30, 2, 1e-5)
    yield "_native_batch_norm_legit_functional", (IMAGE, w, b, mean, var, True, 0.1, 1e-5)
    yield "_native_batch_norm_legit_no_training", (IMAGE, w, b, mean, var, 0.1, 1e-5)
    yield "_native_batch_norm_legit.no_stats", (IMAGE, w, b, True, 0.1, 1e-5)
    dy, all_three = draw(2, 2, 6, 5), [True, True, True]
    layer = ATEN.native_layer_norm(IMAGE, [5], rows, rows, 1e-5)
    yield "native_layer_norm_backward", (dy, IMAGE, [5], *layer[1:], rows, rows, all_three)
    group = ATEN.native_group_norm(IMAGE, w, b, 2, 2, 30, 1, 1e-5)
    yield "native_group_norm_backward", (dy, IMAGE, *group[1:], w, 2, 2, 30, 1, all_three)
    batch = ATEN._native_batch_norm_legit_functional(IMAGE, w, b, mean, var, True, 0.1, 1e-5)
    yield "native_batch_norm_backward", (dy, IMAGE, w, mean, var, *batch[1:3], True, 1e-5, all_three)
    yield "native_dropout", (X, 0.5, False)


FAMILIES = (unary, binary, reductions, shapes, indexing, linear, windows, norms)
# Rows without samples here: random numbers, uninitialised memory, extents (tests/python/test_torch.py).
ELSEWHERE = """rand.default randn.default randperm.default empty.memory_format empty_strided.default sym_size.int
    sym_numel.default sym_stride.int sym_storage_offset.default sym_is_contiguous.default _native_batch_norm_legit.default
    add.Scalar sub.Scalar mul.Scalar div.Scalar""".split()


def samples():
    """Of each: the overload, its arguments."""
    for family in FAMILIES:
        for name, args, *kwargs in family():
            packet, _, overload = name.partition(".")
            yield (
                name if overload else name + ".default",
                getattr(getattr(ATEN, packet), overload or "default"),
                args,
                dict(*kwargs),
            )


def shared(x):
    return reel.from_dlpack(x.contiguous()) if isinstance(x, torch.Tensor) else x


def flat(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def recorded(op, args, kwargs):
    """The op as a graph of its tensors, these, and what PyTorch gives."""
    leaves, tree = pytree.tree_flatten((args, kwargs))
    tensors = [x for x in leaves if isinstance(x, torch.Tensor)]

    def call(*given):
        rest = iter(given)
        own = [next(rest) if isinstance(x, torch.Tensor) else x for x in leaves]
        args, kwargs = pytree.tree_unflatten(own, tree)
        return op(*args, **kwargs)

    module = make_fx(call, tracing_mode="fake", _allow_non_fake_inputs=True)(*tensors)
    return _fx.graph_of(module, shared), tensors, flat(call(*tensors))


def close(got, want):
    """Whether Reel's result is PyTorch's, but for rounding."""
    if not isinstance(want, torch.Tensor):
        return got == want
    got = torch.from_dlpack(got)
    tolerance = 1e-5 if want.dtype == torch.float32 else 1e-9
    same = got.dtype == want.dtype and got.shape == want.shape
    return same and torch.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)


def line_of(name, graph, inputs, results):
    """A sample as a line of JSON."""

    def plain(x):
        return _nodes.values_of(shared(x)) if isinstance(x, torch.Tensor) else _nodes.plain_of(x)

    record = {
        "op": name,
        "graph": _nodes.to_json(graph),
        "inputs": list(map(plain, inputs)),
        "results": list(map(plain, results)),
    }
    return json.dumps(record, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", help="record the samples in this file")
    path = parser.parse_args().write
    lines, faults, seen = [], [], set()
    for name, op, args, kwargs in samples():
        graph, inputs, want = recorded(op, args, kwargs)
        seen.add(name)
        lines.append(line_of(name, graph, inputs, want))
        got = flat(_run.run(graph, list(map(shared, inputs))))
        bags = name.startswith("_embedding_bag")  # of whose results only the first is meant for users
        if not all(map(close, got[:1] if bags else got, want)):
            faults.append(f"{name}{[tuple(x.shape) if isinstance(x, torch.Tensor) else x for x in args]}")
    core = {
        f"{name}.{overload}"
        for name in {
            n.split(".")[0].split("::")[1] for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")
        }
        for overload in getattr(ATEN, name).overloads()
        if torch.Tag.core in getattr(getattr(ATEN, name), overload).tags
    }
    faults += [f"{n}: core in PyTorch, not in _core_ops.py" for n in sorted(core - set(_core_ops.CORE))]
    faults += [f"{n}: core in _core_ops.py, not in PyTorch" for n in sorted(set(_core_ops.CORE) - core)]
    faults += [f"{n}: no sample" for n in sorted(core - seen - set(ELSEWHERE) - set(_core_ops.WHY_NOT))]
    print("\n".join(faults) if faults else f"torch: {len(lines)} samples of {len(seen)} operators agree")
    if path:
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
    assert not faults


if __name__ == "__main__":
    main()
