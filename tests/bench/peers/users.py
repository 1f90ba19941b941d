"""What users write, once for Reel, JAX and PyTorch: losses of sequences, filters, stencils, flows, searches.

    PYTHONPATH=build/python python users.py --peers PYTHON [--threads N] [--rounds N] [WORKLOAD ...] [--systems reel jax]

Each workload is one formula over the names that the three have in common; the path is a user's: reel.function, jax.jit,
torch.compile (and eager, of which the faster counts; eager alone where a loop has more than 64 steps, which PyTorch
writes out). PYTHON has JAX and PyTorch; systems that it lacks are left out. A run is a process pinned to the first
cores; systems run in turn, in rounds, and the least of a system's medians counts. The
roots of the results' mean squares are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from users_systems import Jax, Reel, Torch

# ---- workloads: what is compiled, and its arguments ------------------------

Made = tuple[Callable[..., Any], Sequence[np.ndarray]]
RNG = np.random.default_rng(0)


def normal(*shape: int, scale: float = 1.0) -> np.ndarray:
    return (RNG.standard_normal(shape) * scale).astype(np.float32)


def ctc(s: Any) -> Made:
    """Connectionist temporal classification of [100,16,32] logits, 20 labels each: forward variables in a loop, gradient."""
    steps, batch, symbols, labels = 100, 16, 32, 20
    target = RNG.integers(1, symbols, (batch, labels))
    extended = np.zeros((batch, 2 * labels + 1), np.int64)
    extended[:, 1::2] = target
    skip = np.zeros(extended.shape, np.float32)
    skip[:, 2:] = (extended[:, 2:] != 0) & (extended[:, 2:] != extended[:, :-2])
    blocked = (skip - 1) * 1e30
    picks = np.eye(symbols, dtype=np.float32)[extended].transpose(0, 2, 1).copy()  # [batch, symbols, states]
    start = np.full(extended.shape, -1e30, np.float32)
    start[:, 0] = 0

    def loss(logits: Any, picks: Any, blocked: Any, start: Any) -> Any:
        xp = s.xp
        log_p = logits - s.logsumexp(logits, axis=2)[..., None]
        emitted = xp.matmul(xp.moveaxis(log_p, 0, 1), picks)  # [batch, time, states]
        none = start[:, :1] * 0 - 1e30

        def step(a: Any, e: Any) -> Any:
            one = xp.concatenate([none, a[:, :-1]], axis=1)
            two = xp.concatenate([none, none, a[:, :-2]], axis=1) + blocked
            return s.logsumexp(xp.stack([a, one, two]), axis=0) + e, None

        a, _ = s.scan(step, start, xp.moveaxis(emitted, 1, 0))
        return -xp.mean(s.logsumexp(a[:, -2:], axis=1))

    return s.with_gradients(loss, 1), [normal(steps, batch, symbols), picks, blocked, start]


def fft_conv(s: Any) -> Made:
    """A convolution as long as the sequence, by Fourier transforms: [16,4096] by a filter of 4096, gradients of both."""

    def loss(x: Any, k: Any) -> Any:
        n = 2 * x.shape[-1]
        y = s.xp.fft.irfft(s.xp.fft.rfft(x, n) * s.xp.fft.rfft(k, n), n)
        return s.xp.mean(s.xp.square(y[:, : x.shape[-1]]))

    return s.with_gradients(loss, 2), [normal(16, 4096), normal(4096, scale=0.02)]


def small_matrices(s: Any) -> Made:
    """Products and solutions of 20,000 systems of 4 x 4, with gradients."""

    def loss(a: Any, b: Any) -> Any:
        spd = s.xp.matmul(a, s.xp.swapaxes(a, -1, -2)) + s.array(4 * np.eye(4, dtype=np.float32))
        return s.xp.mean(s.xp.square(s.xp.linalg.solve(spd, b)))

    return s.with_gradients(loss, 2), [normal(20000, 4, 4), normal(20000, 4, 1)]


def quaternions(s: Any) -> Made:
    """A chain of 32 rotations for each of 4096 bodies, by quaternions, and the gradient."""

    def multiply(a: Any, b: Any) -> Any:
        w, x, y, z = (a[:, i] for i in range(4))
        W, X, Y, Z = (b[:, i] for i in range(4))
        parts = [w * W - x * X - y * Y - z * Z, w * X + x * W + y * Z - z * Y]
        parts += [w * Y - x * Z + y * W + z * X, w * Z + x * Y - y * X + z * W]
        return s.xp.concatenate([part[:, None] for part in parts], axis=1)

    def loss(q: Any, start: Any) -> Any:
        unit = q / s.xp.sqrt(s.xp.sum(s.xp.square(q), axis=2))[..., None]
        end, _ = s.scan(lambda a, b: (multiply(a, b), None), start, unit)
        return s.xp.mean(s.xp.square(end[:, 0] - 0.5))

    start = np.zeros((4096, 4), np.float32)
    start[:, 0] = 1
    return s.with_gradients(loss, 1), [normal(32, 4096, 4), start]


def stencil_2d(s: Any) -> Made:
    """Diffusion on 256 x 256 cells, 64 steps, and the gradient by the first state."""

    def loss(u: Any, k: Any) -> Any:
        def step(u: Any, _: Any) -> Any:
            around = s.roll(u, 1, 0) + s.roll(u, -1, 0) + s.roll(u, 1, 1) + s.roll(u, -1, 1)
            return u + 0.1 * k * (around - 4 * u), None

        return s.xp.mean(s.xp.square(s.scan(step, u, None, 64)[0]))

    return s.with_gradients(loss, 2), [normal(256, 256), RNG.random((256, 256), np.float32)]


def stencil_3d(s: Any) -> Made:
    """A wave on 48 x 48 x 48 cells, 32 steps, and the gradient by the speeds."""

    def loss(u: Any, c: Any) -> Any:
        inner = slice(1, -1)

        def step(pair: Any, _: Any) -> Any:
            u, before = pair
            x = s.roll(u, 1, 0) + s.roll(u, -1, 0) - 2 * u
            y = s.roll(u, 1, 1) + s.roll(u, -1, 1) - 2 * u
            z = s.roll(u, 1, 2) + s.roll(u, -1, 2) - 2 * u
            return (2 * u - before + 0.1 * c * (x + y + z), u), None

        (u, _), _ = s.scan(step, (u, u), None, 32)
        return s.xp.mean(s.xp.square(u[inner, inner, inner]))

    return s.with_gradients(loss, 2), [normal(48, 48, 48), RNG.random((48, 48, 48), np.float32)]


def sparse_product(s: Any) -> Made:
    """20 steps of the power method with a sparse matrix of 400,000 entries, 50,000 rows: gathers and segment sums."""
    rows, entries = 50000, 400000
    row = np.sort(RNG.integers(0, rows, entries))
    column = RNG.integers(0, rows, entries)

    def f(values: Any, x: Any, row: Any, column: Any) -> Any:
        def step(x: Any, _: Any) -> Any:
            y = s.segment_sum(values * s.rows(x, column), row, rows)
            return y / s.xp.sqrt(s.xp.sum(s.xp.square(y))), None

        return s.scan(step, x, None, 20)[0]

    return f, [RNG.random(entries, np.float32), RNG.random(rows, np.float32), row, column]


def neighbours(s: Any) -> Made:
    """The 10 nearest of 8192 points in 32 dimensions to each of 512."""

    def f(x: Any, points: Any) -> Any:
        squares = s.xp.sum(s.xp.square(points), axis=1)
        near = 2 * s.xp.matmul(x, s.xp.swapaxes(points, 0, 1)) - squares
        return s.top_k(near, 10)

    return f, [normal(512, 32), normal(8192, 32)]


def beam_search(s: Any) -> Made:
    """32 steps of a beam of 8, 500 symbols, 16 sentences, a recurrent net of 128."""
    batch, beam, symbols, hidden = 16, 8, 500, 128

    def f(table: Any, w: Any, out: Any, start: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            h, scores, last = carry
            h = s.xp.tanh(s.rows(table, last) + s.xp.matmul(h, w))
            logits = s.xp.matmul(h, out)
            log_p = logits - s.logsumexp(logits, axis=1)[:, None]
            every = s.xp.reshape(scores[:, None] + log_p, (batch, beam * symbols))
            best, at = s.top_k(every, beam)
            from_ = s.xp.reshape(at // symbols + first, (-1,))
            return (s.rows(h, from_), s.xp.reshape(best, (-1,)), s.xp.reshape(at % symbols, (-1,))), None

        first = s.array(np.arange(batch)[:, None] * beam)
        last = s.array(np.zeros(batch * beam, np.int64))
        scores = s.array(np.tile(np.r_[0, np.full(beam - 1, -1e9)], batch).astype(np.float32))
        if s.__class__ is Jax:
            last, first = last.astype("int32"), first.astype("int32")
        return s.scan(step, (start, scores, last), None, 32)[0][1]

    return f, [
        normal(symbols, hidden),
        normal(hidden, hidden, scale=0.1),
        normal(hidden, symbols, scale=0.3),
        normal(batch * beam, hidden),
    ]


def mixture_density(s: Any) -> Made:
    """A net 8-64-64 with a mixture of 8 Gaussians of 4 dimensions as its result: negative log likelihood of 2048 rows."""
    k, d = 8, 4

    def loss(w0: Any, w1: Any, w2: Any, x: Any, y: Any) -> Any:
        h = s.xp.matmul(s.xp.tanh(s.xp.matmul(s.xp.tanh(s.xp.matmul(x, w0)), w1)), w2)
        log_w = h[:, :k] - s.logsumexp(h[:, :k], axis=1)[:, None]
        mean = s.xp.reshape(h[:, k : k + k * d], (-1, k, d))
        log_s = s.xp.reshape(h[:, k + k * d :], (-1, k, d))
        z = (y[:, None, :] - mean) * s.xp.exp(-log_s)
        log_p = log_w - s.xp.sum(0.5 * s.xp.square(z) + log_s, axis=2)
        return -s.xp.mean(s.logsumexp(log_p, axis=1))

    weights = [normal(8, 64, scale=0.3), normal(64, 64, scale=0.1), normal(64, k + 2 * k * d, scale=0.1)]
    return s.with_gradients(loss, 3), [*weights, normal(2048, 8), normal(2048, d)]


def flow(s: Any) -> Made:
    """RealNVP: 8 coupling layers with nets of 64 on 1024 rows of 8, negative log likelihood and gradients."""

    def loss(first: Any, second: Any, x: Any) -> Any:
        log_det = s.xp.zeros((x.shape[0],))
        for i in range(8):
            a, b = (x[:, :4], x[:, 4:]) if i % 2 == 0 else (x[:, 4:], x[:, :4])
            h = s.xp.matmul(s.xp.tanh(s.xp.matmul(a, first[i])), second[i])
            scale = s.xp.tanh(h[:, :4])
            b = b * s.xp.exp(scale) + h[:, 4:]
            log_det = log_det + s.xp.sum(scale, axis=1)
            x = s.xp.concatenate([a, b] if i % 2 == 0 else [b, a], axis=1)
        return s.xp.mean(0.5 * s.xp.sum(s.xp.square(x), axis=1) - log_det)

    return s.with_gradients(loss, 2), [normal(8, 4, 64, scale=0.3), normal(8, 64, 8, scale=0.1), normal(1024, 8)]


def particle_filter(s: Any) -> Made:
    """1,000 particles of 2 dimensions, 100 observations, resampled at each by cumulative sums and searches."""
    n, steps = 1000, 100

    def f(x: Any, noise: Any, seen: Any, at: Any) -> Any:
        def step(x: Any, given: Any) -> Any:
            noise, seen = given[:, :2], given[0, 2:]
            x = 0.9 * x + 0.3 * s.xp.sin(x) + 0.2 * noise
            log_w = -2 * s.xp.sum(s.xp.square(x - seen), axis=1)
            total = s.logsumexp(log_w, axis=0)
            edges = s.cumulative_sum(s.xp.exp(log_w - total))
            chosen = s.xp.clip(s.xp.searchsorted(edges, at), 0, n - 1)
            return s.rows(x, chosen), total

        given = s.xp.concatenate([noise, s.xp.broadcast_to(seen[:, None, :], (steps, n, 2))], axis=2)
        return s.xp.sum(s.scan(step, x, given)[1])

    at = ((np.arange(n) + 0.5) / n).astype(np.float32)
    return f, [normal(n, 2), normal(steps, n, 2), normal(steps, 2, scale=0.5), at]


def burgers(s: Any) -> Made:
    """Burgers' equation on 256 cells, 1,000 steps, and the gradient of a misfit by the first state."""

    def loss(u: Any, target: Any) -> Any:
        def step(u: Any, _: Any) -> Any:
            left, right = s.roll(u, 1, 0), s.roll(u, -1, 0)
            return u - 0.05 * u * (right - left) + 0.1 * (right - 2 * u + left), None

        return s.xp.sum(s.xp.square(s.scan(step, u, None, 1000)[0] - target))

    wave = np.sin(np.linspace(0, 2 * np.pi, 256, endpoint=False)).astype(np.float32)
    return s.with_gradients(loss, 1), [wave, 0 * wave]


def hidden_markov(s: Any) -> Made:
    """The forward algorithm of 32 states on 16 sequences of 200, in logarithms, and gradients."""

    def loss(transition: Any, emission: Any) -> Any:
        log_t = transition - s.logsumexp(transition, axis=1)[:, None]

        def step(a: Any, e: Any) -> Any:
            return s.logsumexp(a[:, :, None] + log_t, axis=1) + e, None

        a, _ = s.scan(step, emission[0], emission[1:])
        return -s.xp.mean(s.logsumexp(a, axis=1))

    return s.with_gradients(loss, 2), [normal(32, 32), normal(200, 16, 32)]


def kalman(s: Any) -> Made:
    """A Kalman filter of 4 states and 2 observations, 64 series of 100, and gradients by the model."""

    def loss(f: Any, h: Any, x: Any, y: Any) -> Any:
        xp = s.xp
        eye4, eye2 = s.array(np.eye(4, dtype=np.float32)), s.array(np.eye(2, dtype=np.float32))
        turned_f, turned_h = xp.swapaxes(f, 0, 1), xp.swapaxes(h, 0, 1)

        def step(carry: Any, y: Any) -> Any:
            x, p = carry
            x = xp.matmul(x, turned_f)
            p = xp.matmul(xp.matmul(f, p), turned_f) + 0.1 * eye4
            r = y - xp.matmul(x, turned_h)
            innovation = xp.matmul(xp.matmul(h, p), turned_h) + eye2
            gain = xp.swapaxes(xp.linalg.solve(innovation, xp.matmul(h, p)), 0, 1)
            x = x + xp.matmul(r, xp.swapaxes(gain, 0, 1))
            return (x, p - xp.matmul(xp.matmul(gain, h), p)), xp.sum(xp.square(r))

        return xp.sum(s.scan(step, (x, eye4), y)[1])

    return s.with_gradients(loss, 2), [
        np.eye(4, dtype=np.float32) + normal(4, 4, scale=0.02),
        normal(2, 4, scale=0.5),
        normal(64, 4),
        normal(100, 64, 2),
    ]


def bodies(s: Any) -> Made:
    """256 bodies that attract each other, 32 leapfrog steps, and the gradient by the first positions."""

    def loss(x: Any, v: Any, mass: Any) -> Any:
        def force(x: Any) -> Any:
            d = x[None, :, :] - x[:, None, :]
            r = s.xp.sum(s.xp.square(d), axis=2) + 0.01
            return s.xp.sum(d * (mass / (r * s.xp.sqrt(r)))[..., None], axis=1)

        def step(carry: Any, _: Any) -> Any:
            x, v = carry
            v = v + 0.01 * force(x)
            return (x + 0.01 * v, v), None

        (x, v), _ = s.scan(step, (x, v), None, 32)
        return s.xp.mean(s.xp.square(x))

    return s.with_gradients(loss, 2), [normal(256, 3), normal(256, 3), RNG.random(256, np.float32) / 256]


def max_pool(s: Any) -> Made:
    """Pooling of 16 x 55 x 55 x 32, 3 x 3 windows two apart, which overlap, and the gradient."""

    def loss(x: Any, y: Any) -> Any:
        return s.xp.sum(s.max_pool(x, 3, 2) * y)

    return s.with_gradients(loss, 1), [normal(16, 55, 55, 32), normal(16, 27, 27, 32)]


def chamfer(s: Any) -> Made:
    """The chamfer distance of two clouds of 1024 points in 3 dimensions, gradients of both."""

    def loss(x: Any, y: Any) -> Any:
        d = s.xp.sum(s.xp.square(x[:, None, :] - y[None, :, :]), axis=2)
        return -s.xp.mean(s.largest(-d, 1)) - s.xp.mean(s.largest(-d, 0))

    return s.with_gradients(loss, 2), [normal(1024, 3), normal(1024, 3)]


def lennard_jones(s: Any) -> Made:
    """Energy and forces of 512 atoms in a periodic box, with a cutoff: all pairs, by the gradient."""
    itself = (1e3 * np.eye(512)).astype(np.float32)

    def energy(x: Any, itself: Any) -> Any:
        d = x[:, None, :] - x[None, :, :]
        d = d - 8.0 * s.xp.round(d / 8.0)
        square = s.xp.sum(s.xp.square(d), axis=2) + itself
        sixth = 1 / (square * square * square)
        return 2 * s.xp.sum(s.xp.where(square < 6.25, sixth * sixth - sixth, 0 * square))

    grid = np.stack(np.meshgrid(*[np.arange(8)] * 3), -1).reshape(-1, 3).astype(np.float32)
    return s.with_gradients(energy, 1), [grid + normal(512, 3, scale=0.05), itself]


def pyramid(s: Any) -> Made:
    """An image of 1024 x 1024, four times blurred by 5 x 5 taps of which every second pixel of every second row is kept."""
    taps = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]

    def f(x: Any) -> Any:
        means = []
        for _ in range(4):
            rows, columns = x.shape
            y = sum(t * x[:, i : columns - 4 + i] for i, t in enumerate(taps))
            y = sum(t * y[i : rows - 4 + i] for i, t in enumerate(taps))
            x = y[::2, ::2]
            means.append(s.xp.mean(s.xp.square(x)))
        return s.xp.stack(means), x

    return f, [normal(1024, 1024)]


def histogram(s: Any) -> Made:
    """How many of 2^18 numbers are in each of 64 bins, and their sums."""

    def f(x: Any) -> Any:
        bins = s.integers(s.xp.clip(s.xp.floor((x + 4) * 8), 0, 63))
        return s.segment_sum(0 * x + 1, bins, 64), s.segment_sum(x, bins, 64)

    return f, [normal(1 << 18)]


WORKLOADS: dict[str, Callable[[Any], Made]] = {
    f.__name__: f
    for f in (
        ctc,
        fft_conv,
        small_matrices,
        quaternions,
        stencil_2d,
        stencil_3d,
        sparse_product,
        neighbours,
        beam_search,
    )
    + (mixture_density, flow, particle_filter, burgers, hidden_markov, kalman, bodies)
    + (max_pool, chamfer, lennard_jones, pyramid, histogram)
}
CHAOTIC = {"particle_filter"}  # a rounding chooses another particle
LONG = {"ctc", "particle_filter", "burgers", "hidden_markov", "kalman"}  # loops that torch.compile would write out
SYSTEMS: dict[str, Callable[[], Any]] = {
    "reel": Reel,
    "jax": Jax,
    "torch": lambda: Torch(False),
    "torch.compile": lambda: Torch(True),
}


# ---- runs ------------------------------------------------------------------


def work(system: str, name: str, threads: int, seconds: float) -> None:
    """Prints a JSON line of one system's times and values."""
    s = SYSTEMS[system]()
    if system.startswith("torch"):
        s.xp.set_num_threads(threads)
    f, given = WORKLOADS[name](s)
    step, inputs = s.compile(f), [s.array(x) for x in given]
    start = time.perf_counter()
    values = s.synchronize(step(*inputs))
    first = time.perf_counter() - start
    for _ in range(3):
        s.synchronize(step(*inputs))
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        s.synchronize(step(*inputs))
        times.append(time.perf_counter() - start)
    sums = [float(np.sqrt(np.mean(np.square(v.astype(np.float64))))) for v in values if v.dtype.kind == "f"]
    print(json.dumps({"median_s": statistics.median(times), "first_s": first, "values": sums}), flush=True)


def run(python: str, system: str, name: str, args: argparse.Namespace) -> dict[str, Any] | None:
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[: args.threads]))
    environment = dict(os.environ, REEL_NUM_THREADS=str(args.threads), OMP_NUM_THREADS=str(args.threads))
    environment["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if args.threads > 1 else 'false'}"
    command = ["taskset", "-c", cores, python, "-B", os.path.abspath(__file__), "--worker", system, name]
    command += ["--threads", str(args.threads), "--seconds", str(args.seconds)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        print(f"  {system} {name} failed: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def differs(name: str, a: Sequence[float], b: Sequence[float]) -> bool:
    return len(a) != len(b) or not np.allclose(a, b, rtol=1e-2 if name in CHAOTIC else 1e-3, atol=1e-6)


def compare(name: str, args: argparse.Namespace) -> float | None:
    systems = [x for x in args.systems or SYSTEMS if x != "torch.compile" or name not in LONG]
    best: dict[str, dict[str, Any]] = {}
    for _ in range(args.rounds):
        for system in systems:
            python = sys.executable if system == "reel" else args.peers
            if (result := run(python, system, name, args)) is None:
                continue
            if system not in best or result["median_s"] < best[system]["median_s"]:
                best[system] = result
    if "reel" not in best or len(best) < 2:
        print(f"| {name} | failed |", flush=True)
        return None
    reel = best.pop("reel")
    fastest = min(best, key=lambda x: best[x]["median_s"])
    ratio = best[fastest]["median_s"] / reel["median_s"]
    wrong = [x for x in best if differs(name, best[x]["values"], reel["values"])]
    peers = ", ".join(f"{x} {1e3 * r['median_s']:.3g}" for x, r in best.items())
    note = f" values differ from {', '.join(wrong)}" if wrong else ""
    print(f"| {name} | {1e3 * reel['median_s']:.3g} ms | {fastest} | {ratio:.2f} | {peers} |{note}", flush=True)
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--peers", default=sys.executable, help="the Python that has JAX and PyTorch")
    parser.add_argument(
        "--systems", nargs="+", choices=list(SYSTEMS), help="reel and some of the others (default: all)"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0, help="of steps in a run")
    parser.add_argument("--worker", nargs=2, metavar=("SYSTEM", "WORKLOAD"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(args.worker[0], args.worker[1], args.threads, args.seconds)
    print("| workload | reel | fastest peer | peer / reel | peers, ms |\n| --- | ---: | --- | ---: | --- |")
    ratios = [r for name in args.workloads or WORKLOADS if (r := compare(name, args))]
    if ratios:
        print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f} of {len(ratios)}")


if __name__ == "__main__":
    main()
