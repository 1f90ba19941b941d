"""vmap, jvp, vjp, jacobian, hessian, hvp, ForwardAccumulator, Jacobians of tapes, symbolic extents."""

import math

import numpy as np
import pytest

import reel


def close(got, want, rtol=1e-5, atol=1e-6):
    np.testing.assert_allclose(np.asarray(got), want, rtol=rtol, atol=atol)


def cube(x):
    return x**3


# --- vmap ---


def test_vmap_is_a_loop_over_rows(rng):
    a, b = rng.normal(size=(5, 3)).astype("f"), rng.normal(size=(3,)).astype("f")

    def distance(x, y):
        return reel.sum((x - y) ** 2)

    d = reel.vmap(distance, in_axes=(0, None))(reel.asarray(a), reel.asarray(b))
    close(d, ((a - b) ** 2).sum(1))
    turned = reel.vmap(distance, in_axes=(-1, None))(reel.asarray(a.T.copy()), reel.asarray(b))
    close(turned, ((a - b) ** 2).sum(1))
    m = reel.vmap(lambda x: x @ reel.asarray(b))(reel.asarray(np.stack([a, 2 * a])))
    close(m, np.stack([a @ b, 2 * a @ b]))


def test_vmap_axes_of_structures(rng):
    x, w, b = (rng.normal(size=s).astype("f") for s in ((4, 3), (3, 2), (4, 2)))

    def dense(x, parameters):
        y = x @ parameters["w"] + parameters["b"]
        return {"y": y, "pair": [reel.sum(y), parameters["w"]]}

    out = reel.vmap(dense, in_axes=(0, {"w": None, "b": 0}), out_axes={"y": 1, "pair": [0, None]})(
        reel.asarray(x), {"w": reel.asarray(w), "b": reel.asarray(b)}
    )
    assert list(out) == ["y", "pair"] and isinstance(out["pair"], list)
    close(out["y"], (x @ w + b).T)
    close(out["pair"][0], (x @ w + b).sum(1))
    close(out["pair"][1], w)


def test_vectorized_map():
    x, y = reel.asarray([1.0, 2.0, 3.0]), reel.asarray([10.0, 20.0, 30.0])
    total, product = reel.vectorized_map(lambda e: (e[0] + e[1], e[0] * e[1]), (x, y))
    assert total.tolist() == [11, 22, 33] and product.tolist() == [10, 40, 90]
    # Branches and loops of each row.
    absolute = reel.vectorized_map(lambda e: reel.cond(e < 2, lambda: -e, lambda: e), x)
    assert absolute.tolist() == [-1, 2, 3]
    doubled = reel.vectorized_map(lambda e: reel.while_loop(lambda v: v < 10, lambda v: (v * 2,), (e,))[0], x)
    assert doubled.tolist() == [16, 16, 12]


def test_vmap_of_gradient_and_gradient_of_vmap():
    x = reel.asarray([1.0, 2.0, 3.0])

    def gradient(e):
        with reel.GradientTape() as tape:
            tape.watch(e)
            y = cube(e)
        return tape.gradient(y, e)

    assert reel.vmap(gradient)(x).tolist() == [3, 12, 27]
    w = reel.Variable(2.0)
    with reel.GradientTape() as tape:
        tape.watch(x)
        y = reel.vmap(lambda e: w * e * e)(x)
    dx, dw = tape.gradient(y, [x, w])
    assert dx.tolist() == [4, 8, 12] and dw.item() == 14


def test_vmap_errors():
    with pytest.raises(ValueError, match="no argument has rows"):
        reel.vmap(cube, in_axes=None)(reel.ones((3,)))
    with pytest.raises(ValueError, match="has 4 rows, the arguments before it have 3"):
        reel.vmap(lambda a, b: a + b)(reel.ones((3,)), reel.ones((4,)))
    with pytest.raises(ValueError, match="scalar .*give it the axis None to share it"):
        reel.vmap(cube)(reel.asarray(1.0))
    with pytest.raises(ValueError, match="in_axes is \\(0, 0\\)"):
        reel.vmap(cube, in_axes=(0, 0))(reel.ones((3,)))
    with pytest.raises(ValueError, match="differs between the rows"):
        reel.vmap(cube, out_axes=None)(reel.ones((3,)))
    with pytest.raises(KeyError, match="mine"):
        reel.vmap(lambda x: {}["mine"])(reel.ones((3,)))
    assert reel.vmap(cube)(reel.ones((3,))).tolist() == [1, 1, 1]  # nothing is left of the errors


# --- forward and reverse ---


def test_jvp():
    x, v = reel.asarray([1.0, 2.0]), reel.asarray([0.5, -1.0])
    y, dy = reel.jvp(cube, (x,), (v,))
    assert y.tolist() == [1, 8] and dy.tolist() == [1.5, -12]
    assert reel.jvp(cube, x, v)[1].tolist() == [1.5, -12]
    values, moved = reel.jvp(lambda a, b: {"p": a * b, "q": b}, (x, x), (v, None))
    assert moved["p"].tolist() == [0.5, -2] and moved["q"].tolist() == [0, 0] and values["q"].tolist() == [1, 2]
    with pytest.raises(ValueError):
        reel.jvp(cube, (x,), (reel.ones((3,)),))
    with pytest.raises(ValueError, match="2 tangents for 1 primals; give one for each, None for zero"):
        reel.jvp(cube, (x,), (v, v))


def test_vjp():
    x, w = reel.asarray([1.0, 2.0]), reel.asarray([3.0, 4.0])
    y, pullback = reel.vjp(lambda a, b: a * b, (x, w))
    dx, dw = pullback(reel.asarray([1.0, 10.0]))
    assert y.tolist() == [3, 8] and dx.tolist() == [3, 40] and dw.tolist() == [1, 20]
    assert [g.tolist() for g in pullback()] == [[3, 4], [1, 2]]
    two, pull = reel.vjp(lambda p: (p["a"] * 2, p["b"] * 3), {"a": x, "b": w})
    g = pull((x, None))
    assert g["a"].tolist() == [2, 4] and g["b"].tolist() == [0, 0] and len(two) == 2
    unused = reel.vjp(lambda a, b: a, (x, w))[1]()
    assert unused[0].tolist() == [1, 1] and unused[1] is None


def test_hvp():
    x, v = reel.asarray([1.0, 2.0]), reel.asarray([1.0, -1.0])
    assert reel.hvp(lambda x: reel.sum(cube(x)), x, v).tolist() == [6, -12]
    (h,) = reel.hvp(lambda x: reel.sum(cube(x)), (x,), (v,))
    assert h.tolist() == [6, -12]


# --- Jacobians ---


def test_jacobian_and_hessian(rng):
    a = rng.normal(size=(3, 2)).astype("f")
    x = reel.asarray([0.5, -1.0])
    close(reel.jacobian(lambda x: reel.asarray(a) @ x)(x), a)
    close(reel.jacobian(lambda x: cube(x))(x), np.diag([0.75, 3.0]))
    close(reel.hessian(lambda x: reel.sum(cube(x)) + x[0] * x[1])(x), [[3, 1], [1, -6]])
    third = reel.jacobian(reel.hessian(lambda x: reel.sum(x**4)))(x)
    want = np.zeros((2, 2, 2))
    want[0, 0, 0], want[1, 1, 1] = 12, -24
    close(third, want)


def test_jacobian_of_structures():
    x, w = reel.asarray([1.0, 2.0]), reel.asarray([3.0, 4.0])

    def f(p, s):
        return {"y": p["x"] * p["w"] * s, "z": p["x"][0]}

    j = reel.jacobian(f)({"x": x, "w": w}, reel.asarray(2.0))
    close(j["y"]["x"], np.diag([6, 8]))
    close(j["y"]["w"], np.diag([2, 4]))
    assert j["z"]["x"].tolist() == [1, 0] and j["z"]["w"].tolist() == [0, 0]
    both = reel.jacobian(f, argnums=(1, 0))({"x": x, "w": w}, reel.asarray(2.0))
    assert both["y"][0].tolist() == [3, 8] and list(both["y"][1]) == ["x", "w"]


def test_jacobian_nests_with_tapes_and_vmap():
    x = reel.asarray([[1.0, 2.0], [3.0, 4.0]])
    close(reel.vmap(reel.jacobian(cube))(x), np.stack([np.diag([3, 12]), np.diag([27, 48])]))
    w = reel.Variable([1.0, 2.0])
    with reel.GradientTape() as tape:
        j = reel.jacobian(lambda x: w * x * x)(reel.asarray([3.0, 5.0]))
        loss = reel.sum(j)
    assert j.tolist() == [[6, 0], [0, 20]] and tape.gradient(loss, w).tolist() == [6, 10]


def test_jacobian_errors():
    with pytest.raises(ValueError, match="argument 1 of 1"):
        reel.jacobian(cube, argnums=1)(reel.ones((2,)))
    with pytest.raises(ValueError):
        reel.jacobian(lambda x: x * 2)(reel.asarray([1, 2]))


def test_transforms_of_functions():
    f = reel.trace(lambda x: reel.sum(cube(x)), [reel.TensorSpec((2,))], name="f")
    x = reel.asarray([1.0, 2.0])
    v = reel.asarray([1.0, -1.0])
    assert reel.compile(reel.jacobian(f))(x).tolist() == [3, 12]
    assert reel.compile(reel.hessian(f))(x).tolist() == [[6, 0], [0, 12]]
    assert reel.compile(reel.hvp(f))(x, v).tolist() == [6, -12]
    y, dy = reel.compile(reel.jvp(f))(x, v)
    assert y.item() == 9 and dy.item() == -9
    assert reel.compile(reel.vjp(f))(x, reel.asarray(2.0)).tolist() == [6, 24]
    rows = reel.compile(reel.vmap(f, rows=2))(reel.stack([x, 2 * x]))
    assert rows.tolist() == [9, 72]
    with pytest.raises(ValueError, match="how many rows"):
        reel.vmap(f)


# --- tape.jacobian, tape.batch_jacobian ---


def test_tape_jacobian():
    x, y = reel.asarray([1.0, 2.0]), reel.asarray([3.0, 4.0])
    for options in ({}, {"parallel_iterations": 1}, {"experimental_use_pfor": False}):
        with reel.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = x * x * y
        j = tape.jacobian(z, {"x": x, "rest": (y,)}, **options)
        close(j["x"], np.diag([6, 16]))
        close(j["rest"][0], np.diag([1, 4]))
        other = reel.ones((3,))
        assert tape.jacobian(z, [x, other])[1] is None
        assert tape.jacobian(z, other, unconnected_gradients="zero").shape == (2, 3)


def test_tape_jacobian_once():
    x = reel.Variable([1.0, 2.0])
    with reel.GradientTape() as tape:
        y = cube(x)
    close(tape.jacobian(y, x), np.diag([3, 12]))
    with pytest.raises(RuntimeError):
        tape.jacobian(y, x)
    with reel.GradientTape() as tape:
        y = cube(x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.jacobian(y, x, experimental_use_pfor=False)
    with pytest.raises(TypeError, match="one tensor"):
        tape.jacobian([y], x)


def test_tape_jacobian_of_jacobian():
    x = reel.asarray([1.0, 2.0])
    with reel.GradientTape() as outer:
        outer.watch(x)
        with reel.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        j = inner.jacobian(y, x)
    want = np.zeros((2, 2, 2))
    want[0, 0, 0], want[1, 1, 1] = 6, 12
    close(outer.jacobian(j, x), want)


def test_batch_jacobian():
    x = reel.asarray([[1.0, 2.0], [3.0, 4.0]])
    with reel.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x).tolist() == [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]
    assert tape.batch_jacobian(reel.ones((2, 3)), x).tolist() == np.zeros((2, 3, 2)).tolist()
    with pytest.raises(ValueError, match="first dimension"):
        tape.batch_jacobian(reel.ones((3, 2)), x)
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(y[0], x)


# --- ForwardAccumulator ---


def test_accumulator():
    x, v = reel.asarray(0.1), reel.asarray(0.2)
    with reel.ForwardAccumulator(x, v) as acc:
        y = reel.sin(x)
        other = reel.asarray(1.0) * 2
    assert math.isclose(acc.jvp(y).item(), math.cos(0.1) * 0.2, rel_tol=1e-6)
    assert acc.jvp(x).item() == v.item() and acc.jvp(y).item() == acc.jvp(y).item()
    assert acc.jvp(other) is None and acc.jvp(other, unconnected_gradients="zero").item() == 0
    both = acc.jvp({"y": y, "rest": [other]})
    assert both["rest"] == [None] and both["y"].item() == acc.jvp(y).item()


def test_accumulator_variables_and_watch():
    w, x = reel.Variable([1.0, 2.0]), reel.asarray(3.0)
    with reel.ForwardAccumulator([w], [reel.asarray([1.0, 10.0])]) as acc:
        y = w * x
        acc.watch(x, reel.asarray(1.0))
        z = w * x
        acc.watch(x, reel.asarray(2.0))
        again = w * x
    assert acc.jvp(y).tolist() == [3, 30] and acc.jvp(w).tolist() == [1, 10]
    assert acc.jvp(z).tolist() == [4, 32] and acc.jvp(again).tolist() == [6, 36] and acc.jvp(x).item() == 3


def test_accumulator_enters_again():
    x = reel.asarray(2.0)
    acc = reel.ForwardAccumulator(x, reel.asarray(1.0))
    outside = x * x
    with acc:
        y = x * x
        with pytest.raises(ValueError, match="already recording"):
            acc.__enter__()
    between = x * x
    with acc:
        z = x * y
    assert acc.jvp(outside) is None and acc.jvp(between) is None
    assert acc.jvp(y).item() == 4 and acc.jvp(z).item() == 12


def test_accumulators_nest():
    x, one = reel.asarray(1.1), reel.asarray(1.0)
    with reel.ForwardAccumulator(x, one) as outer:
        with reel.ForwardAccumulator(x, one) as inner:
            y = x**3.5
        dy = inner.jvp(y)
    close(dy, 3.5 * 1.1**2.5)
    close(outer.jvp(dy), 3.5 * 2.5 * 1.1**1.5)
    close(outer.jvp(y), 3.5 * 1.1**2.5)
    assert inner.jvp(outer.jvp(y)) is None


def test_forward_over_reverse_and_back():
    x, v = reel.asarray([1.0, 2.0]), reel.asarray([1.0, -1.0])
    with reel.ForwardAccumulator(x, v) as acc:
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = reel.sum(cube(x))
        g = tape.gradient(y, x)
    assert acc.jvp(g).tolist() == [6, -12]
    x = reel.asarray(1.0)
    with reel.GradientTape() as tape:
        tape.watch(x)
        with reel.ForwardAccumulator(x, reel.asarray(0.1)) as acc:
            y = reel.cos(x)
        dy = acc.jvp(y)
    close(tape.gradient(dy, x), -0.1 * math.cos(1.0))


def test_accumulator_errors():
    x = reel.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="multiple times"):
        reel.ForwardAccumulator([x, x], [x, x])
    with pytest.raises(ValueError, match="must have one shape"):
        reel.ForwardAccumulator(x, reel.asarray(1.0))
    with pytest.raises(ValueError, match="1 tangents for 2 primals"):
        reel.ForwardAccumulator([x, x * 1], [x])
    with pytest.raises(TypeError, match="expected tensors and variables"):
        reel.ForwardAccumulator([1.0], [1.0])
    with pytest.raises(ValueError, match="unconnected_gradients"):
        with reel.ForwardAccumulator(x, x) as acc:
            acc.jvp(x, unconnected_gradients="what")


# --- symbolic extents ---


def test_symbolic_extents(tmp_path):
    w = reel.asarray([[1.0], [2.0]])
    batch = reel.Dim("B", 1, 64)
    spec = reel.TensorSpec((batch, 2))
    assert spec.shape[1] == 2 and spec.shape[0] is not None and repr(spec) == "TensorSpec(f32[B,2])"
    assert repr(batch) == "Dim('B', 1, 64)"

    def model(x):
        assert x.shape == (None, 2)
        return reel.sum(x @ w)

    f = reel.trace(model, [spec])
    assert '"B"' in reel.Module.lift({"main": f}).to_text()
    run = reel.compile(f)
    for rows in (1, 3, 64):
        assert run(reel.ones((rows, 2))).item() == 3 * rows
    with pytest.raises(ValueError):
        run(reel.ones((65, 2)))


def test_symbolic_extents_of_a_training_step(rng):
    model = reel.nn.Sequential(reel.nn.Dense(4, "relu", inputs=3), reel.nn.Dense(2, inputs=4))

    def loss(x, labels):
        y = model(x)
        return reel.nn.softmax_cross_entropy(reel.matmul(y, reel.asarray(np.eye(2, dtype="f"))), labels)

    def step(x, labels):
        with reel.GradientTape() as tape:
            value = loss(x, labels)
        return [value, *tape.gradient(value, model.variables)]

    batch = reel.Dim("B", 1, 16)
    run = reel.compile(reel.trace(step, [reel.TensorSpec((batch, 3)), reel.TensorSpec((batch,), "int64")]))
    for rows in (2, 5):
        x = reel.asarray(rng.normal(size=(rows, 3)).astype("f"))
        labels = reel.asarray(rng.integers(0, 2, size=rows))
        for got, want in zip(run(x, labels), step(x, labels)):
            close(got, np.asarray(want))


def test_function_with_a_signature_of_open_extents():
    @reel.function(input_signature=[reel.TensorSpec([None, 2])])
    def f(x):
        return reel.sum(x)

    assert f(reel.ones((3, 2))).item() == 6 and f(reel.ones((1, 2))).item() == 2
    with pytest.raises(ValueError, match="signature"):
        f(reel.ones((3, 3)))


def test_open_extents():
    spec = reel.TensorSpec([None, 2], name="x")
    assert spec.shape == (None, 2) and repr(spec) == "TensorSpec(f32[None,2], name='x')"
    run = reel.compile(reel.trace(lambda x, y: (reel.sum(x), reel.sum(y)), [spec, reel.TensorSpec([None])]))
    a, b = run(reel.ones((3, 2)), reel.ones((5,)))
    assert a.item() == 6 and b.item() == 5
    with pytest.raises(ValueError, match="1 <= min <= max"):
        reel.Dim("B", 3, 2)
    with pytest.raises(ValueError):
        reel.TensorSpec([-1, 2])


# --- all of it in compiled functions ---


def test_transforms_in_functions_and_of_functions():
    x = reel.asarray([1.0, 2.0])
    total = reel.function(lambda x: reel.sum(x * x))
    assert reel.jacobian(total)(x).tolist() == [2, 4] and reel.hessian(total)(x).tolist() == [[2, 0], [0, 2]]
    rows = reel.function(lambda x: reel.vmap(reel.jacobian(lambda r: r**2))(x))
    assert rows(reel.stack([x, x])).tolist() == [[[2, 0], [0, 4]]] * 2

    @reel.function
    def moved(x):
        with reel.ForwardAccumulator(x, reel.ones((2,))) as acc:
            _, y = reel.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + x * x), (reel.asarray(0), x * 0))
        return acc.jvp(y)

    assert moved(x).tolist() == [10, 20]

    @reel.function
    def matrix(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.jacobian(y, x)

    assert matrix(x).tolist() == [[3, 0], [0, 12]]
