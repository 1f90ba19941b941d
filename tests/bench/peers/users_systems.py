"""Reel, JAX and PyTorch under the same names, for the workloads of users.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Reel:
    def __init__(self) -> None:
        import reel

        self.xp = reel
        self.compile = reel.function

    def array(self, x: np.ndarray) -> Any:
        return self.xp.asarray(x)

    def scan(self, step: Callable[..., Any], carry: Any, xs: Any = None, length: int = -1) -> Any:
        return self.xp.scan_steps(step, carry, xs, length=length)

    def segment_sum(self, x: Any, ids: Any, n: int) -> Any:
        return self.xp.segment_sum(x, ids, n)

    def top_k(self, x: Any, k: int) -> Any:
        return self.xp.top_k(x, k)

    def rows(self, x: Any, at: Any) -> Any:
        return self.xp.take(x, at, axis=0)

    def with_gradients(self, f: Callable[..., Any], n: int) -> Callable[..., Any]:
        """f(*x) and its gradients with respect to the first n arguments."""

        def both(*x: Any) -> Any:
            with self.xp.GradientTape() as tape:
                tape.watch(list(x[:n]))
                y = f(*x)
            return y, tape.gradient(y, list(x[:n]))

        return both

    def roll(self, x: Any, shift: int, axis: int) -> Any:
        return self.xp.roll(x, shift, axis=axis)

    def cumulative_sum(self, x: Any) -> Any:
        return self.xp.cumulative_sum(x)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return self.xp.logsumexp(x, axis=axis)

    def largest(self, x: Any, axis: int) -> Any:
        return self.xp.max(x, axis=axis)

    def integers(self, x: Any) -> Any:
        return self.xp.astype(x, self.xp.int64)

    def max_pool(self, x: Any, window: int, stride: int) -> Any:
        return self.xp.nn.max_pool2d(x, window, stride)

    def synchronize(self, y: Any) -> list[np.ndarray]:
        return [np.asarray(v) for v in leaves(y)]


class Jax:
    def __init__(self) -> None:
        import jax
        import jax.numpy as jnp

        self.jax, self.xp, self.compile = jax, jnp, jax.jit

    def array(self, x: np.ndarray) -> Any:
        return self.xp.asarray(x)

    def scan(self, step: Callable[..., Any], carry: Any, xs: Any = None, length: int = -1) -> Any:
        return self.jax.lax.scan(step, carry, xs, length=None if length < 0 else length)

    def segment_sum(self, x: Any, ids: Any, n: int) -> Any:
        return self.jax.ops.segment_sum(x, ids, n)

    def top_k(self, x: Any, k: int) -> Any:
        return self.jax.lax.top_k(x, k)

    def rows(self, x: Any, at: Any) -> Any:
        return self.xp.take(x, at, axis=0)

    def with_gradients(self, f: Callable[..., Any], n: int) -> Callable[..., Any]:
        return self.jax.value_and_grad(f, argnums=tuple(range(n)))

    def roll(self, x: Any, shift: int, axis: int) -> Any:
        return self.xp.roll(x, shift, axis)

    def cumulative_sum(self, x: Any) -> Any:
        return self.xp.cumsum(x)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return self.jax.nn.logsumexp(x, axis=axis)

    def largest(self, x: Any, axis: int) -> Any:
        return self.xp.max(x, axis=axis)

    def integers(self, x: Any) -> Any:
        return x.astype(self.xp.int32)

    def max_pool(self, x: Any, window: int, stride: int) -> Any:
        sizes, strides = (1, window, window, 1), (1, stride, stride, 1)
        return self.jax.lax.reduce_window(x, -np.inf, self.jax.lax.max, sizes, strides, "VALID")

    def synchronize(self, y: Any) -> list[np.ndarray]:
        return [np.asarray(v) for v in self.jax.block_until_ready(leaves(y))]


class Torch:
    def __init__(self, compiled: bool) -> None:
        import torch

        self.xp = torch
        self.compile = torch.compile if compiled else lambda f: f

    def array(self, x: np.ndarray) -> Any:
        return self.xp.from_numpy(x.copy())

    def scan(self, step: Callable[..., Any], carry: Any, xs: Any = None, length: int = -1) -> Any:
        ys = []
        for t in range(length if xs is None else xs.shape[0]):
            carry, y = step(carry, None if xs is None else xs[t])
            ys.append(y)
        return carry, None if ys[0] is None else self.xp.stack(ys)

    def segment_sum(self, x: Any, ids: Any, n: int) -> Any:
        return self.xp.zeros((n, *x.shape[1:])).index_add(0, ids, x)

    def top_k(self, x: Any, k: int) -> Any:
        return self.xp.topk(x, k)

    def rows(self, x: Any, at: Any) -> Any:
        return x[at]

    def with_gradients(self, f: Callable[..., Any], n: int) -> Callable[..., Any]:
        def both(*x: Any) -> Any:
            sources = [v.detach().requires_grad_() for v in x[:n]]
            y = f(*sources, *x[n:])
            return y, self.xp.autograd.grad(y, sources)

        return both

    def roll(self, x: Any, shift: int, axis: int) -> Any:
        return self.xp.roll(x, shift, axis)

    def cumulative_sum(self, x: Any) -> Any:
        return self.xp.cumsum(x, 0)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return self.xp.logsumexp(x, axis)

    def largest(self, x: Any, axis: int) -> Any:
        return self.xp.amax(x, axis)

    def integers(self, x: Any) -> Any:
        return x.long()

    def max_pool(self, x: Any, window: int, stride: int) -> Any:
        y = self.xp.nn.functional.max_pool2d(x.permute(0, 3, 1, 2), window, stride)
        return y.permute(0, 2, 3, 1)

    def synchronize(self, y: Any) -> list[np.ndarray]:
        return [v.detach().numpy() for v in leaves(y)]


def leaves(y: Any) -> list[Any]:
    return [v for part in y for v in leaves(part)] if isinstance(y, (tuple, list)) else [y]
