"""Op kinds: products, windows, normalisation, losses, linear algebra, transforms."""

import string

from maker import Skip
from program import DTYPES
from table import TABLE, kind

# --- products ---


@kind("matmul", 4)
def _(m):
    x = m.real(2)
    y = m.parameter((x.shape[1], m.extent()))
    m.emit(f"{x} @ {y}")


@kind("matmul of itself", 1)
def _(m):
    x = m.real(2)
    m.emit(m.r.choice([f"{x} @ {x}.T", f"{x}.T @ {x}"]) if x.shape[0] != x.shape[1] or m.chance(0.5) else f"{x} @ {x}")


@kind("matmul transposed", 1)
def _(m):
    x = m.real(2)
    y = m.parameter((m.extent(), x.shape[1]))
    m.emit(f"reel.matmul({x}, reel.matrix_transpose({y}))")


@kind("batched matmul", 1)
def _(m):
    x = m.real(3)
    shape = (x.shape[2], m.extent())
    y = m.parameter(shape if m.chance(0.4) else (x.shape[0],) + shape)
    m.emit(f"reel.matmul({x}, {y})")


@kind("matrix and vector", 1)
def _(m):
    x = m.real(2)
    if m.chance(0.5):
        m.emit(f"{x} @ {m.parameter((x.shape[1],))}")
    else:
        m.emit(f"{m.parameter((x.shape[0],))} @ {x}")


@kind("einsum", 1)
def _(m):
    x = m.real(least=1, fits=lambda v: v.rank <= 3)
    a = string.ascii_lowercase[: x.rank]
    y = m.pick(lambda w: 1 <= w.rank <= 3 and set(w.shape) & set(x.shape))
    b, fresh = "", iter("pqrs")
    for n in y.shape:
        same = [c for c, e in zip(a, x.shape) if e == n and c not in b]
        b += m.r.choice(same) if same and m.chance(0.8) else next(fresh)
    out = [c for c in dict.fromkeys(a + b) if m.chance(0.5)]
    m.r.shuffle(out)
    m.emit(f"reel.einsum('{a},{b}->{''.join(out)}', {x}, {y}) * 0.25")


@kind("outer and dot", 1)
def _(m):
    x = m.real(1)
    if m.chance(0.5):
        m.emit(f"reel.outer({x}, {m.real(1)})")
    else:
        m.emit(f"reel.vecdot({x}, {m.like(x)})")


@kind("tensordot", 0.5)
def _(m):
    x = m.real(least=2, fits=lambda v: v.rank <= 3)
    m.emit(f"reel.tensordot({x}, {m.like(x)}, axes=([0], [0])) * 0.25")


# --- windows ---


def padding(m, window):
    return m.r.choice(["'valid'", "'same'", "1"]) if window > 2 else m.r.choice(["'valid'", "'same'"])


@kind("conv", 2.5)
def _(m):
    d = m.r.choice([1, 2, 2, 3])
    k = m.r.choice([1, 2, 3])
    c, o = m.r.choice([1, 2, 3, 4]), m.r.choice([1, 2, 3])
    room = {1: [3, 5, 9, 17], 2: [3, 5, 8], 3: [3, 4]}[d]
    try:
        x = m.real(d + 2, fits=lambda v: all(n >= k for n in v.shape[1:-1]) and v.shape[-1] <= 8 and v.size <= 1200)
        c = x.shape[-1]
    except Skip:
        x = m.parameter((m.r.choice([1, 2]),) + tuple(m.r.choice(room) for _ in range(d)) + (c,))
    w = m.parameter((k,) * d + (c, o))
    m.emit(
        f"reel.nn.conv{d}d({x}, {w}, strides={m.r.choice([1, 1, 2, 3])}, padding={padding(m, k)}, "
        f"dilation={1 if m.chance(0.8) else 2})"
    )


@kind("conv transpose", 0.7)
def _(m):
    d = m.r.choice([1, 2])
    x = m.parameter((m.r.choice([1, 2]),) + tuple(m.r.choice([2, 3, 5]) for _ in range(d)) + (m.r.choice([1, 2, 3]),))
    w = m.parameter((m.r.choice([2, 3]),) * d + (m.r.choice([1, 2]), x.shape[-1]))
    m.emit(
        f"reel.nn.conv{d}d_transpose({x}, {w}, strides={m.r.choice([1, 2])}, padding={m.r.choice(['0', '1'])!r})".replace(
            "'0'", "'valid'"
        ).replace("'1'", "'same'")
    )


@kind("depthwise", 0.5)
def _(m):
    x = m.parameter((1, m.r.choice([3, 5]), m.r.choice([3, 4]), m.r.choice([1, 2, 3])))
    w = m.parameter((2, 2, x.shape[-1], m.r.choice([1, 2])))
    m.emit(f"reel.nn.depthwise_conv2d({x}, {w}, strides={m.r.choice([1, 2])}, padding='same')")


@kind("pool", 2.5)
def _(m):
    d = m.r.choice([1, 2, 3])
    room = {1: [3, 5, 8, 17], 2: [3, 5, 8], 3: [3, 4, 5]}[d]
    try:
        x = m.real(d + 2, fits=lambda v: v.size and v.size <= 1500 and all(n > 1 for n in v.shape[1:-1]))
    except Skip:
        x = m.parameter((m.r.choice([1, 2]),) + tuple(m.r.choice(room) for _ in range(d)) + (m.r.choice([1, 2, 3]),))
    k = m.r.randint(1, min(3, *x.shape[1:-1]))
    which = m.r.choice(["max", "max", "avg"])
    more = f", ceil_mode={m.chance(0.3)}, dilation={1 if m.chance(0.85) else 2}"
    if which == "avg":
        more = f", count_include_pad={m.chance(0.5)}"
    m.emit(
        f"reel.nn.{which}_pool{d}d({x}, {k}, strides={m.r.choice([None, 1, 2, 2, 3])}, "
        f"padding={m.r.choice(['valid', 'same'])!r}{more})"
    )


@kind("global pool", 0.4)
def _(m):
    x = m.filled(least=3)
    m.emit(f"reel.nn.global_{m.r.choice(['max', 'avg'])}_pool({x})")


@kind("resize", 0.4)
def _(m):
    x = m.filled(4)
    sizes = m.r.randint(1, 5), m.r.randint(1, 5)
    m.emit(f"reel.nn.resize({x}, {sizes}, method='{m.r.choice(['linear', 'nearest'])}')")


# --- rows ---

for _name in ("softmax", "log_softmax"):

    def _write(m, name=_name):
        x = m.filled(least=1)
        m.emit(f"reel.nn.{name}({x}, axis={m.axis(x)})")

    TABLE[_name] = 1.5, _write


@kind("normalize", 2)
def _(m):
    x = m.filled(least=1)
    n = x.shape[-1]
    text = m.r.choice(
        [
            "layer_normalize({0}, {1}, {2})",
            "layer_normalize({0})",
            "rms_normalize({0}, {1})",
            "l2_normalize({0})",
            "rms_normalize({0})",
        ]
    )
    x = m.emit(f"{x} * {m.number()} + {m.number()}") if m.chance(0.3) else x
    if "{1}" in text:
        text = text.format(x, m.parameter((n,)), m.parameter((n,)))
    m.emit("reel.nn." + text.format(x).replace(")", ", epsilon=0.01)"))


@kind("group and batch normalize", 0.6)
def _(m):
    x = m.filled(least=2)
    n = x.shape[-1]
    if m.chance(0.5) and n % 2 == 0:
        m.emit(f"reel.nn.group_normalize({x}, 2, epsilon=0.01)")
    else:
        m.emit(
            f"reel.nn.batch_normalize({x}, {m.parameter((n,))}, reel.square({m.parameter((n,))}) + 0.2, epsilon=0.01)"
        )


@kind("moments", 0.7)
def _(m):
    x = m.filled(least=1)
    m.emit(f"reel.nn.moments({x}, axis={m.axes(x)}, keepdims={m.chance(0.5)})", count=2)


@kind("attention", 0.6)
def _(m):
    heads, n, f = m.r.choice([1, 2]), m.r.choice([1, 3, 5, 8]), m.r.choice([2, 4])
    q, k, v = (m.parameter((heads, n, f)) for _ in range(3))
    m.emit(f"reel.nn.attention({q}, {k}, {v}, causal={m.chance(0.5)})")


@kind("glu and rotary", 0.4)
def _(m):
    x = m.real(least=2, fits=lambda v: v.shape[-1] % 2 == 0 and v.size)
    m.emit(m.r.choice([f"reel.nn.glu({x})", f"reel.nn.rotary_embedding({x})"]))


LOSSES = [
    "mean_squared_error",
    "mean_absolute_error",
    "log_cosh",
    "huber",
    "cosine_loss",
    "sigmoid_cross_entropy",
    "squared_hinge",
    "hinge",
]


@kind("loss", 1.2)
def _(m):
    x = m.filled(least=1)
    reduction = m.r.choice(["mean", "sum", "none"])
    if x.rank == 2 and m.chance(0.5):
        labels = m.indices(x.shape[1], (x.shape[0],))
        m.emit(
            f"reel.nn.softmax_cross_entropy({x}, {labels}, label_smoothing={m.r.choice([0.0, 0.1])}, "
            f"reduction='{reduction}')"
        )
        return
    m.emit(f"reel.nn.{m.r.choice(LOSSES)}({x}, {m.like(x)}, reduction='{reduction}')")


# --- linear algebra, transforms ---


def square_matrix(m):
    """A well-conditioned symmetric positive matrix."""
    x = m.filled(2)
    if x.shape[0] > 9:
        x = m.emit(f"at({x}, (slice(0, 5),))")
    one = f"reel.eye({x.shape[0]}, dtype=reel.{DTYPES[m.dtype]})"
    return m.emit(f"reel.tanh({x}) @ reel.tanh({x}).T * 0.1 + {one} * 2.0")


@kind("linear algebra", 1)
def _(m):
    if m.dtype not in ("f32", "f64"):
        raise Skip
    a = square_matrix(m)
    n = a.shape[0]
    which = m.r.choice(["cholesky", "inv", "det", "solve", "slogdet", "triangular_solve", "eigvalsh"])
    if which in ("cholesky", "inv", "det", "eigvalsh"):
        m.emit(f"reel.linalg.{which}({a})")
    elif which == "slogdet":
        m.emit(f"reel.linalg.slogdet({a})[1]")
    elif which == "solve":
        m.emit(f"reel.linalg.solve({a}, {m.parameter((n, m.r.choice([1, 2])))})")
    else:
        m.emit(f"reel.linalg.triangular_solve(reel.linalg.cholesky({a}), {m.parameter((n, 2))})")


@kind("fft", 0.5)
def _(m):
    if m.dtype not in ("f32", "f64"):
        raise Skip
    x = m.real(least=1, fits=lambda v: v.shape[-1] > 0)
    m.emit(
        m.r.choice(
            [
                f"reel.abs(reel.fft.rfft({x})) ** 2 * 0.1",
                f"reel.real(reel.fft.fft({x}))",
                f"reel.imag(reel.fft.rfft({x}))",
                f"reel.fft.irfft(reel.fft.rfft({x}) * 0.5, n={x.shape[-1]})",
            ]
        )
    )
