"""Functions of which TensorFlow has a gradient by some operands alone, which gradients of gradients see."""

from __future__ import annotations

from .. import _core


def _partly(f, gradient, *operands):
    """f of operands that broadcast, and gradient(dy, *operands): one for each, None where TensorFlow has none."""

    def forward(tensors):
        return [f(*tensors)], lambda dys, _: (gradient(dys[0], *tensors), []), False

    return _core._call_custom(forward, _core.broadcast_arrays(*operands))[0]


def betainc(a: _core.Tensor, b: _core.Tensor, x: _core.Tensor) -> _core.Tensor:
    """I_x(a, b), with a gradient by x."""

    def gradient(dy, a, b, x):
        log_beta = _core.lgamma(a) + _core.lgamma(b) - _core.lgamma(a + b)
        return [None, None, dy * _core.exp(_core.xlog1py(b - 1, -x) + _core.xlogy(a - 1, x) - log_beta)]

    stop = _core.stop_gradient
    return _partly(lambda a, b, x: _core.betainc(stop(a), stop(b), x), gradient, a, b, x)


def zeta(s: _core.Tensor, q: _core.Tensor, levels: int = 2) -> _core.Tensor:
    """Hurwitz' zeta(s, q), with a gradient by q; `levels` derivatives of it, and no more, have one by s."""
    if levels == 0:
        return _core.zeta(_core.stop_gradient(s), q)
    return _partly(
        lambda s, q: _core.zeta(_core.stop_gradient(s), q),
        lambda dy, s, q: [None, -dy * (s * zeta(s + 1, q, levels - 1))],
        s,
        q,
    )
