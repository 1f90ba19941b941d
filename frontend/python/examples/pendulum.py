"""A pendulum by its energy alone: transforms of functions, from first derivatives to the Hessian.

PYTHONPATH=build/python python3 frontend/python/examples/pendulum.py
"""

from __future__ import annotations

from typing import NamedTuple

import reel


class State(NamedTuple):
    """Angle and momentum."""

    q: reel.Tensor
    p: reel.Tensor


def energy(x: reel.Tensor) -> reel.Tensor:
    """Of a state [2]: kinetic and potential."""
    return x[1] ** 2 / 2 + (1 - reel.cos(x[0]))


gradient = reel.jacobian(energy)  # of a scalar
SYMPLECTIC = reel.asarray([[0.0, 1.0], [-1.0, 0.0]], dtype=reel.float64)


def velocity(x: reel.Tensor) -> reel.Tensor:
    """Hamilton's equations."""
    return SYMPLECTIC @ gradient(x)


@reel.function
def leapfrog(state: State, h: float = 0.01, steps: int = 100) -> State:
    """`steps` steps of size h, which keep the energy within h^2; one compiled loop."""

    def force(q: reel.Tensor) -> reel.Tensor:
        return -gradient(reel.stack([q, reel.zeros_like(q)]))[0]

    def step(_: reel.Tensor, now: State) -> State:
        half = now.p + h / 2 * force(now.q)
        q = now.q + h * half
        return State(q, half + h / 2 * force(q))

    return reel.for_loop(reel.asarray(steps), step, state)


def frequencies(x: reel.Tensor) -> reel.Tensor:
    """Squares of the frequencies of small swings around an equilibrium: eigenvalues of the Hessian."""
    return reel.linalg.eigvalsh(reel.hessian(energy)(x))


def sensitivity(state: State, direction: State) -> State:
    """How the end of a run moves when its start moves: forward mode through the loop."""
    _, moved = reel.jvp(leapfrog, (state,), (direction,))
    return moved


def main() -> dict[str, float]:
    """Prints and returns what the example finds."""
    start = State(reel.asarray(1.0, dtype=reel.float64), reel.asarray(0.0, dtype=reel.float64))
    end = leapfrog(start)
    drift = float(energy(reel.stack(list(end))) - energy(reel.stack(list(start))))
    rest = frequencies(reel.zeros(2, dtype=reel.float64))
    moved = sensitivity(start, State(reel.asarray(1.0, dtype=reel.float64), reel.asarray(0.0, dtype=reel.float64)))

    angles = reel.linspace(-3.0, 3.0, 7, dtype=reel.float64)
    starts = reel.stack([angles, reel.zeros_like(angles)], axis=1)
    field = reel.vmap(velocity)(starts)  # of all rows at once
    _, pullback = reel.vjp(energy, starts[0])
    found = {
        "drift": drift,
        "lowest frequency": float(rest[0]),
        "sensitivity": float(moved.q),
        "steepest": float(reel.max(reel.abs(field[:, 1]))),
        "force at the first": float(pullback()[0]),
    }
    for name, value in found.items():
        print(f"{name}: {value:.6f}")
    return found


if __name__ == "__main__":
    main()
