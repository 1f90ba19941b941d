"""The types of functions that reel makes of functions; see core.py."""

from collections.abc import Callable
from typing import Any

from typing_extensions import assert_type

import reel
from reel import Tensor

x = reel.asarray([1.0, 2.0])


def loss(w: Tensor, scale: float = 1.0) -> Tensor:
    return reel.sum(w**2) * scale


def nested(params: dict[str, Tensor]) -> Tensor:
    return params["w"] * params["b"]


def made() -> None:
    assert_type(reel.hessian(loss)(x), Tensor)
    assert_type(reel.hessian(loss)(x, scale=2.0), Tensor)
    assert_type(reel.jacobian(reel.jacobian(loss))(x), Tensor)
    assert_type(reel.jacobian(nested)({"w": x, "b": x}), Any)
    assert_type(reel.vmap(loss)(x), Tensor)
    assert_type(reel.vmap(loss, in_axes=(0, None))(x, scale=2.0), Tensor)
    assert_type(reel.jvp(loss, (x,), (x,)), tuple[Tensor, Tensor])
    value, pullback = reel.vjp(loss, (x,))
    assert_type(value, Tensor)
    assert_type(pullback(), tuple[Tensor])
    assert_type(reel.vjp(loss, x)[1](x), Tensor)
    assert_type(reel.hvp(loss, (x,), (x,)), tuple[Tensor])
    assert_type(reel.vectorized_map(loss, x), Tensor)
    assert_type(reel.check_gradients(loss, x, order=2), float)
    reel.hessian(loss)("text")  # type: ignore[arg-type]
    reel.hessian(loss)()  # type: ignore[call-arg]
    reel.vmap(loss)(x, factor=2.0)  # type: ignore[call-arg]
    reel.vmap(3)  # type: ignore[call-overload]


def of_graphs(graph: reel.Function) -> None:
    assert_type(reel.vmap(graph, rows=3), reel.Function)
    assert_type(reel.jvp(graph), reel.Function)
    assert_type(reel.vjp(graph), reel.Function)
    assert_type(reel.jacobian(graph), reel.Function)
    assert_type(reel.hessian(graph), reel.Function)
    assert_type(reel.hvp(graph), reel.Function)


@reel.custom_gradient
def log1pexp(values: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    e = reel.exp(values)
    return reel.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@reel.recompute_grad
def block(values: Tensor, factor: float) -> Tensor:
    return reel.tanh(values) * factor


def decorated() -> None:
    assert_type(log1pexp(x), Tensor)
    assert_type(block(x, factor=2.0), Tensor)
    assert_type(reel.grad_pass_through(block)(x, 2.0), Tensor)
    log1pexp()  # type: ignore[call-arg]
    block(x)  # type: ignore[call-arg]
    reel.custom_gradient(loss)  # type: ignore[arg-type]
