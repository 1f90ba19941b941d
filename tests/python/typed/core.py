"""The types that users of reel see; mypy --strict looks at this file (test_types.py). A wrong call says `type: ignore`,
which is an error itself where there is nothing to ignore.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from typing_extensions import assert_type

import reel
from reel import Tensor, Variable
from reel.typing import CompiledFunction, TensorLike

x = reel.asarray([1.0, 2.0])
w, b = Variable([1.0, 2.0], name="w"), Variable(0.0)


def operations() -> None:
    assert_type(x, Tensor)
    assert_type(reel.asarray([[1, 2.0], [x, 3j]]), Tensor)
    assert_type(reel.sum(np.ones(3)), Tensor)
    assert_type(x + 1, Tensor)
    assert_type(2.0 * w, Tensor)
    assert_type(x @ w, Tensor)
    assert_type(x == 1, Tensor)
    assert_type(-x[0, None], Tensor)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.dtype, reel.DType)
    assert_type(reel.float32, reel.DType)
    assert_type(float(x), float)
    assert_type(x.item(), float | Any)
    assert_type(x.mean(axis=0, keepdims=True), Tensor)
    assert_type(w.transpose().clip(min=0).cumsum(0).argmax(), Tensor)
    assert_type(round(x, 2), Tensor)
    assert_type(abs(w), Tensor)
    x.sum(axes=0)  # type: ignore[call-arg]
    assert_type(reel.zeros((2, 3), dtype="float64"), Tensor)
    assert_type(reel.astype(x, np.float64), Tensor)
    assert_type(reel.split(x, 2), list[Tensor])
    assert_type(reel.top_k(x, 1), tuple[Tensor, Tensor])
    assert_type(reel.unique_all(x).counts, Tensor)
    assert_type(reel.linalg.svd(x).S, Tensor)
    assert_type(reel.fft.fftn(x), Tensor)
    assert_type(reel.finfo("float32").eps, float)
    assert_type(w.assign(3.0), Variable)
    assert_type([row for row in x], list[Tensor])
    reel.sum("text")  # type: ignore[arg-type]
    texts = [["text"]]
    reel.sum(texts)  # type: ignore[arg-type]
    reel.mean(None)  # type: ignore[arg-type]
    x + None  # type: ignore[operator]
    reel.sum(x, axis="rows")  # type: ignore[arg-type]
    reel.sun(x)  # type: ignore[attr-defined]


def takes(values: TensorLike) -> Tensor:
    return reel.asarray(values)


def gradients() -> None:
    with reel.GradientTape(persistent=True) as tape:
        y = reel.sum(w * x) + b
    assert_type(tape, reel.GradientTape)
    assert_type(tape.gradient(y, w), Tensor | Any)
    assert_type(tape.gradient(y, [w, b]), list[Tensor | Any])
    assert_type(tape.gradient(y, [w, x]), list[Tensor | Any])
    assert_type(tape.gradient(y, (w, x)), tuple[Tensor | Any, ...])
    assert_type(tape.gradient(y, {"w": w, "b": b}), dict[str, Tensor | Any])
    assert_type(tape.jacobian(y, w), Tensor | Any)
    assert_type(tape.batch_jacobian(y, w), Tensor)
    assert_type(tape.watched_variables(), tuple[Variable, ...])
    assert_type(tape.explain_none(y, w), str)
    tape.gradient(y, w, unconnected_gradients="zero")
    tape.gradient(y, w, unconnected_gradients=reel.UnconnectedGradients.ZERO)
    tape.gradient(y, w, unconnected_gradients="zeros")  # type: ignore[call-overload]
    with reel.ForwardAccumulator(x, x) as accumulator:
        assert_type(accumulator.jvp(x * x), Tensor | Any)


@reel.function
def power(base: Tensor, exponent: int = 2) -> Tensor:
    return base**exponent


@reel.function(input_signature=[reel.TensorSpec((None,))])
def named(values: Tensor) -> dict[str, Tensor]:
    return {"sum": reel.sum(values)}


class Model(reel.nn.Module):
    def __init__(self) -> None:
        self.dense = reel.nn.Dense(3, activation="relu", kernel_init=0.5, generator=reel.random.Generator(1))

    def __call__(self, inputs: Tensor) -> Tensor:
        return self.dense(inputs)

    @reel.function
    def loss(self, inputs: Tensor, labels: Tensor) -> Tensor:
        return reel.nn.softmax_cross_entropy(self(inputs), labels)


def functions() -> None:
    assert_type(power(x), Tensor)
    assert_type(power(x, exponent=3), Tensor)
    assert_type(named(x), dict[str, Tensor])
    assert_type(power.get_graph(x), reel.Function)
    assert_type(power.__name__, str)
    as_callable: Callable[[Tensor], dict[str, Tensor]] = named.python_function
    compiled: CompiledFunction[[Tensor], dict[str, Tensor]] = reel.function(as_callable)
    assert_type(compiled(x), dict[str, Tensor])
    assert_type(Model().loss(x, x), Tensor)
    assert_type(Model().loss.get_graph(x, x), reel.Function)
    power("text")  # type: ignore[arg-type]
    power(x, 2, 3)  # type: ignore[call-arg]
    power.no_such_name  # type: ignore[attr-defined]
    Model().loss(x)  # type: ignore[call-arg]


def models() -> None:
    model = reel.nn.Sequential(reel.nn.Dense(8, "tanh"), reel.nn.Dropout(0.1), reel.nn.Dense(1), reel.exp)
    assert_type(model(x), Tensor)
    assert_type(model.variables, tuple[Variable, ...])
    assert_type(Model().variables, tuple[Variable, ...])
    assert_type(Model().state_dict(), dict[str, Tensor])
    assert_type(model.state_dict(), dict[str, Tensor])
    optimizer = reel.optim.Adam(reel.optim.cosine_decay(0.1, 100))
    gradients = reel.GradientTape().gradient(x, model.variables)
    assert_type(gradients, tuple[Tensor | Any, ...])
    assert_type(optimizer.apply(gradients, model.variables), None)
    assert_type(optimizer.learning_rate, Variable)
    assert_type(optimizer.state_dict(), dict[str, Tensor])
    assert_type(reel.optim.clip_by_global_norm(gradients, 1.0), tuple[Tensor | Any, ...])
    checkpoint = reel.Checkpoint("run", model=model, optimizer=optimizer, step=0)
    assert_type(checkpoint.restore(), str | None)
    assert_type(checkpoint.files, list[str])
    assert_type(reel.load_weights("w.npz"), dict[str, Tensor])
    assert_type(reel.load_weights("w.npz", model), None)
    reel.nn.Dense("eight")  # type: ignore[arg-type]
    reel.optim.Adam(learning_rat=0.1)  # type: ignore[call-arg]


def graphs() -> None:
    graph = reel.trace(lambda y: y * y, [reel.TensorSpec((2,))])
    assert_type(graph, reel.Function)
    assert_type(graph(x), Tensor | Any)
    assert_type(graph.gradients(), reel.Function)
    module = reel.Module.lift({"main": graph})
    run = reel.compile(module)
    assert_type(run, reel.Executable)
    assert_type(run("main", x), Tensor | Any)
    assert_type(run.variable("w"), Tensor)
    assert_type(reel.load("m.reel"), reel.Module)


def data() -> None:
    table = reel.data.csv("iris.csv", label="species", label_kind="classes")
    assert_type(table.shuffle(0).batch(32).prefetch(2), reel.data.Dataset)
    assert_type(table.split(0.9), tuple[reel.data.Dataset, reel.data.Dataset])
    assert_type(len(table), int)
    assert_type(table.class_names, list[str])
    for features, label in table.repeat(2):
        assert_type(features, Any)
    iterator = iter(table)
    assert_type(iterator, reel.data.DatasetIterator)
    assert_type(iterator.position, int)
    assert_type(iterator.state_dict(), dict[str, Tensor])
    reel.Checkpoint("run", data=iterator).save()
    vocabulary = reel.data.Vocabulary.of_characters("abc")
    assert_type(vocabulary.encode(b"abc"), Tensor)
    reel.data.text("a.txt", length=8, unit="bytes", vocabulary=vocabulary)
    reel.data.csv("iris.csv", labels="species")  # type: ignore[call-arg]


def control_flow() -> None:
    assert_type(reel.cond(x[0] > 0, lambda: x, lambda: -x), Tensor)
    assert_type(reel.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (x, x)), tuple[Tensor, Tensor])
    assert_type(reel.for_loop(reel.asarray(3), lambda i, y: x, x), Tensor)
    assert_type(reel.map_fn(power, x), Tensor)
    assert_type(reel.scan_steps(lambda c, row: (x, {"y": x}), x, x), tuple[Tensor, dict[str, Tensor]])


def a_run() -> None:
    @reel.function
    def step(x: Tensor) -> Tensor:
        return reel.sum(x)

    class Own(reel.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
            assert_type(self.run.step, int)

    checkpoint = reel.Checkpoint("run", w=w, step=0)
    told = [Own(), reel.callbacks.Checkpoints(checkpoint, 10), reel.callbacks.Lambda(on_train_end=print)]
    history = reel.fit(step, [(x,)], epochs=2, validate=(step, [(x,)]), callbacks=told)
    assert_type(history.history, dict[str, list[float]])
    assert_type(history.logs["loss"].values[-1], float)
    reel.fit(step, [x], on_nan="never")  # type: ignore[arg-type]
    with reel.SummaryWriter("run", purge_step=3) as writer:
        writer.add_scalar("loss", 1, step=2)
