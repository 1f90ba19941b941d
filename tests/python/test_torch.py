"""The table of PyTorch's operators, without PyTorch: on graphs, inputs and results that it recorded (tests/interop)."""

import gzip
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys

import pytest

import reel
from reel.torch import _aten_random, _core_ops, _layout, _nodes, _run
from reel.torch._nodes import Graph, Node, Ref, Type

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[1] / "frontend/IMPORT.md"
SAMPLES = [json.loads(line) for line in (HERE / "torch_rows.jsonl").read_text().splitlines()]
MODELS = json.loads(gzip.decompress((HERE / "torch_models.json.gz").read_bytes()))


def flat(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def plain(x):
    return _nodes.tensor_of(x) if isinstance(x, dict) and "dtype" in x and "shape" in x else _nodes.value_of(x)


def largest(x):
    """The largest absolute number that is finite."""
    return max((abs(v) for v in flat(reel.reshape(reel.abs(x), [-1]).tolist()) if math.isfinite(v)), default=0.0)


def assert_close(got, want, tolerance):
    if not isinstance(want, reel.Tensor):
        assert got == want
        return
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    for a, b in zip(*(flat(reel.reshape(t, [-1]).tolist()) for t in (got, want))):
        assert a == b or (a != a and b != b) or abs(a - b) <= tolerance * (1 + abs(b)), (a, b)


def tolerance_of(results):
    return 1e-5 if any(isinstance(t, reel.Tensor) and t.dtype == reel.float32 for t in results) else 1e-9


def check(sample, run):
    graph = _nodes.from_json(sample["graph"])
    inputs, want = ([plain(x) for x in sample[k]] for k in ("inputs", "results"))
    got = flat(run(graph, inputs))
    got = got[:1] if sample["op"].startswith("_embedding_bag") else got  # the others are PyTorch's own affair
    for a, b in zip(got, want):
        assert_close(a, b, tolerance_of(want))


@pytest.mark.parametrize("op", sorted({s["op"] for s in SAMPLES}))
def test_operators_give_what_pytorch_gave(op):
    for sample in SAMPLES:
        if sample["op"] == op:
            check(sample, _run.run)


def compiled(graph, inputs):
    return reel.function(lambda *x: _run.run(graph, x))(*inputs)


def runs_in_traces(sample):
    """Not what depends on values: rows that say so, and masks as indices."""
    graph = _nodes.from_json(sample["graph"])
    masks = sample["op"] == "index.Tensor" and any(
        isinstance(x, dict) and x["dtype"] == "bool" for x in sample["inputs"]
    )
    return not _run.missing(graph.nodes, traced=True) and not masks


def test_operators_give_the_same_in_compiled_functions():
    latest = {s["op"]: s for s in SAMPLES if runs_in_traces(s)}  # one sample each
    assert len(latest) > 190
    for sample in latest.values():
        check(sample, compiled)


@pytest.mark.parametrize("layouts", [False, True])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_models_have_pytorchs_values_and_gradients(name, layouts):
    model = MODELS[name]
    graph = _nodes.from_json(model["graph"])
    inputs, want, weights = ([plain(x) for x in model[k]] for k in ("inputs", "results", "weights"))
    wanted = [i for i, g in enumerate(model["gradients"]) if g is not None]
    with reel.GradientTape() as tape:
        for i in wanted:
            tape.watch(inputs[i])
        results = _run.run(graph, inputs, layouts)
        loss = sum(reel.sum(y * w) for y, w in zip(results, weights) if not w.dtype.is_integer)
    for a, b in zip(results, want):
        assert_close(a, b, 1e-9)
    gradients = tape.gradient(loss, [inputs[i] for i in wanted])
    for i, g in zip(wanted, gradients):
        g = g.dense() if isinstance(g, reel.IndexedSlices) else g
        b = plain(model["gradients"][i])
        assert largest(g - b) <= 1e-8 * (1 + largest(b)), i


def image_graph():
    """Convolutions with what may stand between them: operands of other ranks, concatenations, pools, statistics."""
    image = Type("float64", (2, 3, 6, 6))

    def node(name, target, *args):
        return Node(name, target, list(args), {}, [image])

    x, filters, by_column, by_channel = map(Ref, ("x", "filters", "by_column", "by_channel"))
    options = [[1, 1], [1, 1], [1, 1], False, [0, 0], 1]
    pooled = Node("pooled", "aten.max_pool2d_with_indices.default", [Ref("both"), [2, 2]], {}, [image, None])
    nodes = [
        node("a", "aten.convolution.default", x, filters, None, *options),
        node("b", "aten.relu.default", Ref("a")),
        node("c", "aten.mul.Tensor", Ref("b"), by_channel),
        node("d", "aten.add.Tensor", Ref("c"), x),
        node("e", "aten.convolution.default", Ref("d"), filters, None, *options),
        node("f", "aten.add.Tensor", Ref("e"), by_column),
        node("both", "aten.cat.default", [Ref("e"), Ref("b"), Ref("d")], -3),
        pooled,
        node("g", "getitem", Ref("pooled"), 0),
        node("h", "aten.exp.default", Ref("g")),
    ]
    return Graph(["x", "filters", "by_column", "by_channel"], nodes, [Ref("f"), Ref("h"), Ref("both")])


def test_images_with_channels_last_have_the_same_bits():
    shapes = [(2, 3, 6, 6), (3, 3, 3, 3), (6,), (1, 3, 1, 1)]
    inputs = [reel.random.normal(shape, dtype=reel.float64) for shape in shapes]
    graph = image_graph()
    for got, want in zip(_run.run(graph, inputs, layouts=True), _run.run(graph, inputs)):
        assert got.shape == want.shape and bool(reel.all(reel.equal(got, want)))
    check_single_ops_of_images(inputs[0])


def check_single_ops_of_images(x):
    stored = _layout.ChannelsLast(x)
    for target in ("aten.relu.default", "aten.exp.default"):
        kept = _layout.call(target, lambda args: reel.exp(args[0]), [stored])
        assert isinstance(kept, _layout.ChannelsLast) and kept.tensor.shape == stored.tensor.shape
    assert _layout.call("aten.sum.default", lambda args: args[0].shape, [stored]) == (2, 6, 3, 6)


def gradient_graph():
    """What torch.compile's backward graphs have of images: gradients of convolutions, batch norms, ReLUs, pools, parts."""
    image, vector = Type("float64", (2, 3, 6, 6)), Type("float64", (3,))

    def node(name, target, *args, results=(image,)):
        return Node(name, target, list(args), {}, list(results))

    dy, x, y, filters, weight, mean, rstd = map(Ref, ("dy", "x", "y", "filters", "weight", "mean", "rstd"))
    options = [[1, 1], [1, 1], [1, 1], False, [0, 0], 1]
    nodes = [
        node("conv", "aten.convolution_backward.default", dy, x, filters, [3], *options, [True, True, True],
             results=(image, image, vector)),
        *(node(f"conv{i}", "getitem", Ref("conv"), i) for i in range(3)),
        node("mask", "aten.le.Scalar", y, 0, results=(Type("bool", (2, 3, 6, 6)),)),
        node("relu", "aten.where.self", Ref("mask"), 0.0, Ref("conv0")),
        node("norm", "aten.native_batch_norm_backward.default", Ref("relu"), x, weight, None, None, mean, rstd, True, 1e-5,
             [True, True, True], results=(image, vector, vector)),
        *(node(f"norm{i}", "getitem", Ref("norm"), i) for i in range(3)),
        node("part", "aten.slice.Tensor", Ref("norm0"), -2, 1, 3),
        node("pool", "aten.max_pool2d_with_indices_backward.default", Ref("norm0"), Ref("twice"), [2, 2], [2, 2], [0, 0], [1, 1],
             False, None),
        node("bias", "aten.sum.dim_IntList", Ref("norm0"), [0, 2, 3], results=(vector,)),
    ]  # fmt: skip
    inputs = ["dy", "x", "y", "filters", "weight", "mean", "rstd", "twice"]
    results = ["conv0", "conv1", "conv2", "norm0", "norm1", "norm2", "part", "pool", "bias"]
    return Graph(inputs, nodes, [Ref(name) for name in results])


def test_gradients_of_images_stay_channels_last():
    shapes = [(2, 3, 6, 6)] * 3 + [(3, 3, 3, 3), (3,), (3,), (3,), (2, 3, 12, 12)]
    inputs = [reel.random.normal(shape, dtype=reel.float64) for shape in shapes]
    graph = gradient_graph()
    stored = [_layout.ChannelsLast(reel.permute_dims(x, _layout.order_of(4))) if i in (2, 7) else x
              for i, x in enumerate(inputs)]  # fmt: skip
    results = _run.stored(graph, stored)
    kept = [name for name, y in zip("conv0 dw db norm0 dw db part pool db".split(), results)
            if isinstance(y, _layout.ChannelsLast)]  # fmt: skip
    assert kept == ["conv0", "norm0", "part", "pool"]
    for got, want in zip(_layout.first(results), _run.run(graph, inputs)):  # sums run over rows in another order
        assert got.shape == want.shape and largest(got - want) <= 1e-12 * (1 + largest(want))


@pytest.mark.parametrize("kind, gates, states", [("lstm", 4, 2), ("gru", 3, 1), ("rnn_tanh", 1, 1)])
@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize("directions", [1, 2])
def test_recurrent_layers_have_the_gradients_of_their_steps(kind, gates, states, biases, directions):
    def draw(*shape):
        return reel.random.normal(shape, dtype=reel.float64)

    forward, backward = (_run.TABLE[f"reel.{name}.default"].function for name in ("recurrent", "recurrent_backward"))
    x, hx = draw(5, 2, 3), [draw(directions, 2, 4) for _ in range(states)]
    one = [(gates * 4, 3), (gates * 4, 4)] + [(gates * 4,)] * 2 * biases
    params = [draw(*shape) for _ in range(directions) for shape in one]
    options = (biases, directions == 2)
    with reel.GradientTape() as tape:
        for t in (x, *hx, *params):
            tape.watch(t)
        results = list(forward(kind, x, hx, params, *options))
    kept, results = results[1 + states :], results[: 1 + states]
    assert len(kept) == (6 * directions if kind == "lstm" else 0)
    cotangents = [draw(*y.shape) for y in results]
    wanted = tape.gradient(results, [x, *hx, *params], cotangents)
    found = backward(kind, cotangents, x, hx, params, kept, *options)
    assert len(found) == len(wanted)
    for got, want in zip(found, wanted):
        assert got.shape == want.shape and largest(got - want) <= 1e-12 * (1 + largest(want))


def test_json_gives_the_graph_again():
    for sample in SAMPLES[::40]:
        again = _nodes.to_json(_nodes.from_json(sample["graph"]))
        assert json.dumps(again) == json.dumps(sample["graph"])


# --- what has no recorded result ---


def call(target, *args, dtype="float32", shape=(), **kwargs):
    node = Node("y", target, list(args), kwargs, [Type(dtype, shape)])
    return _run.run(Graph([], [node], Ref("y")), [])


def test_random_ops_draw_from_the_generator_that_is_set():
    def draw():
        with _aten_random.drawing_from(reel.random.Generator(3)):
            return [call("aten.rand.default", [5]).tolist(), call("aten.randperm.default", 5, dtype="int64").tolist(),
                    call("aten.bernoulli.p", reel.ones((9,)), 0.5, shape=(9,)).tolist()]  # fmt: skip

    reel.random.seed(1)
    first = draw()
    assert first == draw() and first[0] != call("aten.rand.default", [5]).tolist()
    assert {"aten.native_dropout.default", "aten.randn.default"} <= _aten_random.DRAWS
    assert "aten.relu.default" not in _aten_random.DRAWS


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_random_numbers_have_the_right_shape_and_spread(dtype):
    options = {"dtype": _nodes.DTypeName(dtype)}
    u = call("aten.rand.default", [4000], **options)
    z = call("aten.randn.default", [4000], **options)
    assert (u.shape, u.dtype.name, z.dtype.name) == ((4000,), dtype, dtype)
    mean = float(reel.mean(reel.astype(u, reel.float64)).item())
    assert abs(mean - 0.5) < 0.05 and float(reel.min(u).item()) >= 0 and float(reel.max(u).item()) <= 1
    assert abs(float(reel.std(reel.astype(z, reel.float64)).item()) - 1) < 0.1


def test_permutations_have_each_number_once():
    order = call("aten.randperm.default", 50, dtype="int64")
    assert sorted(order.tolist()) == list(range(50))


def test_dropout_keeps_the_mean():
    node = Node(
        "y",
        "aten.native_dropout.default",
        [Ref("x"), 0.25, True],
        {},
        [Type("float32", (4000,)), Type("bool", (4000,))],
    )
    y, kept = _run.run(Graph(["x"], [node], Ref("y")), [reel.ones((4000,))])
    assert abs(float(reel.mean(y).item()) - 1) < 0.1
    assert reel.all(reel.equal(reel.not_equal(y, 0), kept))
    assert {round(v, 4) for v in y.tolist()} == {0.0, 1.3333}


def test_new_memory_and_extents():
    assert call("aten.empty.memory_format", [2, 3]).shape == (2, 3)
    x = reel.zeros((2, 3, 4))
    for target, args, want in [("sym_size.int", [1], 3), ("sym_numel.default", [], 24), ("sym_stride.int", [0], 12)]:
        node = Node("n", "aten." + target, [Ref("x"), *args], {}, [None])
        assert _run.run(Graph(["x"], [node], Ref("n")), [x]) == want


def test_open_extents_stay_open():
    nodes = [
        Node("n", "aten.sym_size.int", [Ref("x"), 0], {}, [None]),
        Node("y", "aten.view.default", [Ref("x"), [Ref("n"), 6]], {}, [Type("float32", (None, 6))]),
    ]
    graph = Graph(["x"], nodes, [Ref("y")])
    traced = reel.trace(lambda x: _run.run(graph, [x])[0], [reel.TensorSpec((reel.Dim("B", 1, 9), 2, 3))])
    assert traced(reel.ones((5, 2, 3))).shape == (5, 6)


# --- errors ---


def test_one_error_lists_all_that_is_missing():
    nodes = [
        Node("a", "aten.special_bessel_j0.default", [], {}, [Type("float32", ())], "model.py:3"),
        Node("b", "aten.relu.default", [Ref("a")], {}, [Type("float8_e4m3fn", ())], "model.py:4"),
    ]
    with pytest.raises(reel.UnimplementedError) as error:
        _run.require(Graph([], nodes, None), "from_torch")
    text = str(error.value)
    assert "2 of the model's ops" in text
    assert "aten.special_bessel_j0.default: Reel has no such op (model.py:3)" in text
    assert "aten.relu.default: Reel has no dtype float8_e4m3fn (model.py:4)" in text


def test_errors_name_the_op_the_shapes_and_the_line():
    node = Node("y", "aten.mm.default", [Ref("a"), Ref("b")], {}, [None], "model.py:7")
    with pytest.raises(
        reel.InvalidArgumentError, match=r"aten.mm.default\(float32\[2, 3\], float32\[2, 3\]\) at model.py:7"
    ):
        _run.run(Graph(["a", "b"], [node], Ref("y")), [reel.ones((2, 3))] * 2)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_the_error_says_how_to_get_it():
    with pytest.raises(reel.FailedPreconditionError, match="pip install torch"):
        reel.from_torch(None)


def test_importing_reel_does_not_import_pytorch():
    program = "import reel, sys; print('torch' in sys.modules, 'reel.torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


# --- coverage ---


def test_nearly_all_of_core_aten_is_there():
    rows = _core_ops.rows()
    assert sum(have for _, have, _ in rows) >= 0.95 * len(rows)
    assert {name for name, have, _ in rows if not have} == set(_core_ops.WHY_NOT)


def test_the_page_is_up_to_date():
    if os.environ.get("REEL_UPDATE_GOLDEN"):
        PAGE.write_text(_core_ops.page())
    assert PAGE.read_text() == _core_ops.page(), "run again with REEL_UPDATE_GOLDEN=1"
