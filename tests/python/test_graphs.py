"""Recording, tracing, modules, compiling, reel.function."""

import re
import subprocess

import numpy as np
import pytest

import reel


def make_step():
    w, b = reel.Variable(np.ones((4, 3), np.float32) * 0.1, name="w"), reel.Variable(reel.zeros((3,)), name="b")
    optimizer = reel.optim.Adam(0.01)

    def train(x, labels):
        with reel.GradientTape() as tape:
            loss = reel.nn.softmax_cross_entropy(x @ w + b, labels)
        optimizer.apply(tape.gradient(loss, [w, b]), [w, b])
        return loss

    return train, w, b


X = np.arange(20, dtype=np.float32).reshape(5, 4) / 10 - 1
LABELS = np.array([0, 2, 1, 1, 0])


def test_recording_lifts_what_ran(tmp_path):
    train, w, b = make_step()
    x, labels = reel.asarray(X), reel.asarray(LABELS)
    train(x, labels)  # creates the slots
    with reel.Recording() as recording:
        loss = train(x, labels)
    step = recording.lift({"x": x, "labels": labels}, {"loss": loss})
    assert step.num_arguments == 2 and step.num_results == 1 and w in list(step.variables)[:1] or True
    assert any(v is w for v in step.variables)
    run = reel.compile(step)
    eager = [train(x, labels).item() for _ in range(3)]
    assert [run(x, labels).item() for _ in range(3)] == eager
    assert run.variable("w").tolist() == w.numpy().tolist()
    path = str(tmp_path / "step.reel")
    reel.save(step, path)
    loaded = reel.load(path)
    assert loaded.entries == ("main",) and "w" in loaded.variables
    assert reel.compile(loaded, opt_level=0)("main", x, labels).item() == eager[0]
    assert reel.Module.from_text(loaded.to_text()).to_text() == loaded.to_text()


def test_a_loaded_step_goes_on_training(tmp_path):
    train, w, b = make_step()
    x, labels = reel.asarray(X), reel.asarray(LABELS)
    train(x, labels)
    step = reel.trace(train, [reel.TensorSpec((5, 4)), reel.TensorSpec((5,), reel.int64)])
    predict = reel.trace(lambda x: x @ w + b, [reel.TensorSpec((5, 4))])
    path = str(tmp_path / "step.reel")
    reel.Module.lift({"train": step, "predict": predict}).save(path)
    eager = [train(x, labels).item() for _ in range(3)]

    loaded = reel.load(path)
    again, model = loaded.function("train"), loaded.function("predict")
    assert [again(x, labels).item() for _ in range(3)] == eager
    own = {v.name: v for v in model.variables}
    assert sorted(own) == ["b", "w"] and own["w"] is not w and own["w"].trainable
    assert own["w"].numpy().tobytes() == w.numpy().tobytes()
    assert set(own.values()) <= set(again.variables) and len(again.variables) > 2  # with Adam's
    assert model(x).numpy().tobytes() == predict(x).numpy().tobytes()
    assert loaded.value("w").numpy().tobytes() != w.numpy().tobytes()  # the module is what was loaded
    loaded.snapshot().save(path)
    assert reel.load(path).value("w").numpy().tobytes() == w.numpy().tobytes()
    with pytest.raises(reel.Error, match="no function 'main'"):
        loaded.function("main")


def test_a_loaded_model_is_trained_like_any_other(tmp_path):
    w = reel.Variable(np.full((4, 3), 0.1, np.float32), name="w")
    path = str(tmp_path / "model.reel")
    reel.Module.lift({"main": (lambda x: reel.tanh(x @ w), [reel.TensorSpec((5, 4))])}).save(path)
    model, x = reel.load(path).function("main"), reel.asarray(X)
    (own,), optimizer = model.variables, reel.optim.Adam(0.1)

    def loss_of(model, variables):
        with reel.GradientTape() as tape:
            loss = reel.sum(reel.nn.relu(model(x)) ** 2 - model(x))
        return loss, tape.gradient(loss, variables)

    loss, (gradient,) = loss_of(model, [own])
    other, (same,) = loss_of(lambda x: reel.tanh(x @ w), [w])
    np.testing.assert_allclose(gradient.numpy(), same.numpy(), rtol=1e-5)
    for _ in range(5):
        optimizer.apply(loss_of(model, [own])[1], [own])
    assert loss_of(model, [own])[0].item() < loss.item()

    @reel.function
    def outer(x):  # in a trace it is a call
        return reel.sum(model(x))

    np.testing.assert_allclose(outer(x).item(), reel.sum(model(x)).item(), rtol=1e-6)
    net = reel.nn.Sequential(model, reel.nn.Dense(2))
    assert net(x).shape == (5, 2)


def test_trace_gives_the_same_graph():
    train, w, b = make_step()
    x, labels = reel.asarray(X), reel.asarray(LABELS)
    train(x, labels)
    with reel.Recording() as recording:
        loss = train(x, labels)
    lifted = recording.lift([x, labels], [loss])
    traced = reel.trace(train, [reel.TensorSpec((5, 4)), reel.TensorSpec((5,), reel.int64)])
    assert lifted.fingerprint() == traced.fingerprint()


def test_module_and_object(tmp_path):
    train, w, b = make_step()
    module = reel.Module.lift(
        {
            "train": (train, [reel.TensorSpec((5, 4), name="x"), reel.TensorSpec((5,), reel.int64, name="labels")]),
            "predict": (lambda x: {"logits": x @ w + b}, [reel.TensorSpec((5, 4), name="x")]),
        },
        name="tiny",
    )
    module.verify()
    assert module.entries == ("train", "predict")
    run = reel.compile(module)
    np.testing.assert_allclose(run("predict", X).numpy(), X @ w.numpy() + b.numpy(), rtol=1e-6)
    first = run("train", X, LABELS).item()
    assert run("train", X, LABELS).item() < first
    assert w.numpy()[0, 0] == np.float32(0.1)  # the module has its own
    run.store_to([w, b])
    assert w.numpy()[0, 0] != np.float32(0.1)
    other = run.new_instance()
    assert other("train", X, LABELS).item() == first
    reel.export(module, str(tmp_path / "tiny"))
    header = (tmp_path / "tiny.h").read_text()
    assert "tiny_train" in header
    undefined = subprocess.run(["nm", "-u", str(tmp_path / "tiny.o")], capture_output=True, text=True).stdout.split()
    assert set(undefined) - {"U"} <= {"memcpy", "memset", "memmove"}
    with pytest.raises(LookupError):
        run("nothing", X)
    with pytest.raises(ValueError, match="name the entry point"):
        run(X)


def test_symbolic_gradients():
    w = reel.Variable([2.0, 3.0], name="w")

    def f(x):
        y = reel.sum(x * x * w)
        dx, dw = reel.gradients(y, [x, w])
        (scaled,) = reel.gradients([y], [x], grad_ys=[10.0])
        return {"dx": dx, "dw": dw, "scaled": scaled}

    run = reel.compile(reel.trace(f, [reel.TensorSpec((2,))]))
    r = run(reel.asarray([1.0, 2.0]))
    assert r["dx"].tolist() == [4, 12] and r["dw"].tolist() == [1, 4] and r[2].tolist() == [40, 120] and len(r) == 3
    with pytest.raises(IndexError):
        r[3]
    g = reel.trace(lambda x: reel.sum(x**3), [reel.TensorSpec((2,), name="x")]).gradients(xs="x")
    assert reel.compile(g)(reel.asarray([1.0, 2.0])).tolist() == [3, 12]


def test_symbolic_tensors_have_no_elements():
    def f(x):
        if reel.sum(x) > 0:
            return x
        return -x

    with pytest.raises(RuntimeError, match=r"reel.cond\(pred, true_fn, false_fn\) for an `if`") as e:
        reel.trace(f, [reel.TensorSpec((2,))])
    assert "test_graphs.py:" in str(e.value)
    kept = []
    reel.trace(lambda x: kept.append(x) or x + 1, [reel.TensorSpec((2,))])
    assert "symbolic" in repr(kept[0]) and "symbolic" in str(kept[0])
    with pytest.raises(RuntimeError, match="outside the trace"):
        kept[0] + 1
    with pytest.raises(RuntimeError):
        np.asarray(kept[0])
    with pytest.raises(ZeroDivisionError):
        reel.trace(lambda x: 1 / 0, [reel.TensorSpec((2,))])
    assert (reel.ones((1,)) + 1).tolist() == [2]


def test_function():
    train, w, b = make_step()
    reference, w2, b2 = make_step()
    calls = []

    @reel.function
    def step(x, labels, scale=1.0):
        calls.append(scale)
        return {"loss": train(x, labels) * scale, "scale": scale}

    for i in range(4):
        r = step(X, LABELS)
        assert r["loss"].item() == reference(reel.asarray(X), reel.asarray(LABELS)).item() and r["scale"] == 1.0
        np.testing.assert_array_equal(w.numpy(), w2.numpy())
    assert calls == [1.0]
    step(X, LABELS, scale=2.0)
    step(X[:3], LABELS[:3])
    assert calls == [1.0, 2.0, 1.0]
    w.assign(reel.zeros((4, 3)))  # live variables
    b.assign(reel.zeros((3,)))
    np.testing.assert_allclose(step(X, LABELS)["loss"].item(), np.log(3), rtol=1e-6)


def test_function_gradients_methods_and_signatures():
    @reel.function
    def f(x):
        return x**3

    x = reel.Variable(2.0)
    with reel.GradientTape() as tape:
        y = f(x)
    assert tape.gradient(y, x).item() == 12
    assert f(reel.asarray(2.0)).item() == 8 and f(x).item() == 8
    x.assign(3.0)
    assert f(x).item() == 27

    class Model:
        def __init__(self):
            self.w = reel.Variable(3.0)

        @reel.function
        def __call__(self, x):
            return self.w * x

    a, c = Model(), Model()
    c.w.assign(4.0)
    assert a(reel.asarray(2.0)).item() == 6 and c(reel.asarray(2.0)).item() == 8

    @reel.function(input_signature=[reel.TensorSpec((2,))])
    def g(x):
        return x, [x + 1, None], "text"

    first, (second, none), text = g(reel.ones((2,)))
    assert first.tolist() == [1, 1] and second.tolist() == [2, 2] and none is None and text == "text"
    with pytest.raises(ValueError, match="signature"):
        g(reel.ones((3,)))
    assert f.get_graph(reel.TensorSpec((4,))).num_arguments == 1


def test_function_warns_about_many_programs():
    @reel.function
    def f(x, n):
        return x * n

    with pytest.warns(UserWarning, match="compiled 8 times"):
        for n in range(8):
            f(reel.asarray(1.0), n)


def test_a_signature_with_open_extents_is_traced_once():
    traces, rows = [], reel.Dim("B", 1, 64)

    @reel.function(input_signature=[reel.TensorSpec((rows, 2)), reel.TensorSpec((rows,))])
    def loss(x, y):
        traces.append(x.shape)
        with reel.GradientTape() as tape:
            tape.watch(x)
            total = reel.mean((reel.sum(x, axis=1) - y) ** 2)
        return total, tape.gradient(total, x)

    for n in (1, 3, 64):
        x, y = np.arange(2 * n, dtype=np.float32).reshape(n, 2), np.ones(n, np.float32)
        total, g = loss(x, y)
        np.testing.assert_allclose(total.numpy(), np.mean((x.sum(1) - y) ** 2), rtol=1e-5)
        np.testing.assert_allclose(g.numpy(), np.stack([2 * (x.sum(1) - y) / n] * 2, 1), rtol=1e-5)
    assert traces == [(None, 2)]
    with pytest.raises(ValueError, match="signature says"):
        loss(np.ones((65, 2), np.float32), np.ones(65, np.float32))
    free = reel.function(lambda x: reel.exp(x), input_signature=[reel.TensorSpec((None, None))])
    for shape in ((2, 3), (5, 1)):
        assert free(np.zeros(shape, np.float32)).tolist() == np.ones(shape).tolist()
    assert len(free._programs) == 1


def test_retraces_say_why():
    @reel.function
    def f(x, n):
        return x * n

    with pytest.warns(UserWarning, match="because argument 1 is 7, before it was 6"):
        for n in range(8):
            f(reel.asarray(1.0), n)


def test_side_effects_and_printing_while_tracing(capsys):
    kept = []

    @reel.function
    def f(x):
        print(x, repr(x), f"{x}", x.shape, x.dtype)
        kept.append(x)
        return x + 1

    for i in range(3):
        f(reel.asarray(float(i)))
    assert capsys.readouterr().out.count("\n") == 1 and len(kept) == 1 and "symbolic" in repr(kept[0])


def test_variables_are_made_in_the_first_trace_only():
    f = reel.function(lambda x: x * reel.Variable(2.0, name="made"))
    assert [f(reel.asarray(float(i))).item() for i in range(3)] == [0, 2, 4]
    for _ in range(2):
        with pytest.raises(ValueError, match=r"'made'.*not its first"):
            f(reel.asarray([1.0]))
    assert f(reel.asarray(5.0)).item() == 10
    dense = reel.nn.Dense(3)
    g = reel.function(lambda x: dense(x))
    assert [g(reel.ones((n, 2))).shape for n in (1, 2)] == [(1, 3), (2, 3)]


def test_calls_without_results_have_vertices():
    """A function that only has effects gives nothing: its call has no type, and no vertex but its own."""
    nothing = "func @nothing(%x: f32[2]) -> () {\n  return\n}\n"
    call = "  call %x {callee=@nothing} : ()\n"
    main = f"func @main(%x: f32[2]) -> (f32[2]) {{\n{call}  %0 = neg %x : f32[2]\n{call}  return %0\n}}\n"
    text = f'reel 1\nmodule "m"\n{nothing}{main}'
    dot = reel.Module.from_text(text).to_dot()
    vertices = re.findall(r'(\w+) \[label="([^"]*)"', dot.split("@main")[1])
    assert [label for _, label in vertices] == ["x\\nf32[2]", "call\\n()", "neg\\nf32[2]", "call\\n()", "result0"]
    assert len({name for name, _ in vertices}) == 5
