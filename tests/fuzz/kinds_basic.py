"""Op kinds: elementwise functions, reductions, shapes, indices."""

from maker import Skip
from program import DTYPES, FLOATS
from table import TABLE, kind

# --- elementwise ---

ANYWHERE = [
    "tanh",
    "sin",
    "cos",
    "atan",
    "sigmoid",
    "erf",
    "square",
    "negative",
    "asinh",
    "expm1",
    "exp",
    "abs",
    "sinh",
    "cosh",
    "sinc",
    "erfc",
    "ndtr",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "identity",
    "stop_gradient",
    "cbrt",
    "exp2",
    "log_ndtr",
    "tan",
]
ABOVE_ZERO = ["log", "sqrt", "rsqrt", "reciprocal", "log2", "log10", "log1p", "lgamma", "digamma"]
INSIDE_ONE = ["asin", "acos", "atanh", "erfinv"]
ACTIVATIONS = [
    "relu",
    "relu6",
    "selu",
    "silu",
    "softplus",
    "log_sigmoid",
    "softsign",
    "mish",
    "hard_sigmoid",
    "hard_swish",
    "hard_tanh",
    "tanh_shrink",
    "elu",
    "celu",
    "hard_shrink",
    "soft_shrink",
    "leaky_relu",
    "gelu",
]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "atan2", "hypot", "logaddexp"]
SAFE_BINARY = {
    "divide": "reel.divide({0}, reel.abs({1}) + 0.75)",
    "pow": "reel.pow(reel.abs({0}) + 0.5, {1})",
    "remainder": "reel.remainder({0}, reel.abs({1}) + 0.75)",
    "fmod": "reel.fmod({0}, reel.abs({1}) + 0.75)",
    "divide_no_nan": "reel.divide_no_nan({0}, {1})",
    "copysign": "reel.copysign({0}, {1})",
    # Their gradients at 0 are 0, not the slope.
    "xlogy": "reel.xlogy(reel.where({0} == 0, 0.5, {0}), reel.abs({1}) + 0.5)",
    "xlog1py": "reel.xlog1py(reel.where({0} == 0, 0.5, {0}), reel.abs({1}))",
    "lerp": "reel.lerp({0}, {1}, 0.3)",
    "floor_divide": "reel.floor_divide({0}, reel.abs({1}) + 0.75)",
}


def unary_text(name, x, r):
    if name in ABOVE_ZERO and r.random() < 0.95:
        return f"reel.{name}(reel.abs({x}) + 0.5)"
    if name in INSIDE_ONE and r.random() < 0.95:
        return f"reel.{name}(0.9 * reel.tanh({x}))"
    if name in ACTIVATIONS:
        return f"reel.nn.{name}({x})"
    if name in ("exp", "exp2", "sinh", "cosh", "expm1", "tan", "square") and r.random() < 0.5:
        return f"reel.{name}(reel.tanh({x}))"
    return f"reel.{name}({x})"


for _name in ANYWHERE + ABOVE_ZERO + INSIDE_ONE + ACTIVATIONS:

    def _write(m, name=_name):
        m.emit(unary_text(name, m.real(), m.r))

    TABLE[_name] = (1.5 if _name in ("tanh", "sin", "exp", "sigmoid") else 0.45), _write


def binary_text(m, name, x, y):
    if name in SAFE_BINARY:
        if m.special and name == "divide":
            return f"{x} / {y}"
        if m.special and name == "copysign" and not isinstance(y, float):  # the sign of a NaN is not part of its value
            return f"reel.copysign({x}, reel.where(reel.isnan({y}), 1.0, {y}))"
        text = SAFE_BINARY[name].format(x, y)
        return text.replace(f"reel.abs({y})", f"abs({y})") if isinstance(y, float) else text  # a number stays one
    sign = {"add": "+", "subtract": "-", "multiply": "*"}.get(name)
    return f"{x} {sign} {y}" if sign else f"reel.{name}({x}, {y})"


for _name in BINARY + list(SAFE_BINARY):

    def _write(m, name=_name):
        x = m.real()
        y = m.other(x)
        x, y = (y, x) if m.chance(0.5) and name != "divide_no_nan" and not isinstance(y, float) else (x, y)
        m.emit(binary_text(m, name, x, y))

    TABLE[_name] = (5 if _name in ("add", "multiply", "subtract") else 0.8), _write


@kind("number first")
def _(m):
    x = m.real()
    m.emit(
        m.r.choice(
            [
                f"{m.number()} - {x}",
                f"{m.number(0.5, 2)} / (reel.abs({x}) + 0.75)",
                f"{x} ** 2",
                f"{x} ** 3",
                f"-{x} * {m.number()}",
                f"(reel.abs({x}) + 0.1) ** 1.7",
            ]
        )
    )


COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


@kind("compare", 1.5)
def _(m):
    x = m.real()
    m.emit(f"reel.{m.r.choice(COMPARISONS)}({x}, {m.other(x)})")


@kind("logical", 0.7)
def _(m):
    x = m.pick(dtypes=("bool",))
    y = m.pick(lambda w: w.shape == x.shape, ("bool",))
    m.emit(
        m.r.choice(
            [
                f"reel.logical_and({x}, {y})",
                f"reel.logical_or({x}, {y})",
                f"reel.logical_xor({x}, {y})",
                f"reel.logical_not({x})",
                f"reel.any({x}, axis={m.axes(x)})",
                f"reel.all({x}, axis={m.axes(x)})",
            ]
        )
    )


@kind("classify", 0.3)
def _(m):
    m.emit(f"reel.{m.r.choice(['isnan', 'isinf', 'isfinite', 'signbit'])}({m.real()})")


@kind("where", 2)
def _(m):
    x = m.real()
    y = m.other(x)
    if m.chance(0.5):
        m.emit(f"reel.where({x} > {m.number(-0.5, 0.5)}, {x}, {y})")
        return
    c = m.pick(lambda w: w.shape == x.shape[x.rank - w.rank :] and w.rank <= x.rank, ("bool",))
    m.emit(f"reel.where({c}, {x}, {y})")


@kind("clip")
def _(m):
    m.emit(f"reel.clip({m.real()}, {m.number(-1, 0)}, {m.number(0.1, 1)})")


@kind("cast", 1.2)
def _(m):
    x = m.pick(dtypes=tuple(DTYPES))
    to = m.r.choice([m.dtype, m.dtype, "f32", "f64", "f16", "bf16", "i32", "i64", "i8"])
    y = m.emit(f"reel.astype({x}, reel.{DTYPES[to]})")
    if to in FLOATS and to != m.dtype:
        m.emit(f"reel.astype({y}, reel.{DTYPES[m.dtype]})")


@kind("integers", 1)
def _(m):
    x = m.pick(dtypes=("i64", "i32", "i8", "u8"))
    y = m.pick(lambda w: w.shape == x.shape, (x.dtype,))
    n = m.r.choice([2, 3, 5])
    m.emit(
        m.r.choice(
            [
                f"{x} + {y}",
                f"{x} * {y}",
                f"{x} - {n}",
                f"{x} % {n}",
                f"{x} // {n}",
                f"reel.maximum({x}, {y})",
                f"reel.bitwise_and({x}, {y})",
                f"reel.bitwise_xor({x}, {n})",
                f"reel.sum({x}, axis={m.axes(x)})",
                f"reel.bitwise_left_shift({x}, 1)",
                f"reel.where({x} > {y}, {x}, {n})",
                f"reel.abs({x})",
                f"reel.prod({x} % 3, axis={m.axes(x)})",
                f"reel.astype({x} > 0, reel.int32)",
            ]
        )
    )


@kind("bitcast", 0.2)
def _(m):
    x = m.pick(dtypes=("f32", "f64"))
    m.emit(f"reel.bitcast({x}, reel.{'int32' if x.dtype == 'f32' else 'int64'})")


# --- reductions ---

for _name, _weight in [
    ("sum", 3),
    ("mean", 2),
    ("max", 1),
    ("min", 1),
    ("prod", 0.7),
    ("logsumexp", 0.8),
    ("var", 0.8),
    ("std", 0.6),
    ("count_nonzero", 0.2),
]:

    def _write(m, name=_name):
        x = m.filled()
        at = f"{x} + {m.number()}" if name == "std" else str(x)
        m.emit(f"reel.{name}({at}, axis={m.axes(x)}, keepdims={m.chance(0.4)})")

    TABLE[_name] = _weight, _write

for _name in ("argmax", "argmin"):

    def _write(m, name=_name):
        x = m.filled(least=1)
        m.emit(f"reel.{name}({x}, axis={m.axis(x)})")

    TABLE[_name] = 0.4, _write

for _name in ("cumulative_sum", "cumulative_prod", "cumulative_logsumexp", "cumulative_max"):

    def _write(m, name=_name):
        x = m.real(least=1)
        m.emit(f"reel.{name}({x}, axis={m.axis(x)}, reverse={m.chance(0.3)}, exclusive={m.chance(0.25)})")

    TABLE[_name] = (1 if _name == "cumulative_sum" else 0.5), _write


@kind("norm", 0.6)
def _(m):
    x = m.filled(least=1)
    m.emit(f"reel.linalg.vector_norm({x}, axis={m.axes(x)}, ord={m.r.choice([1, 2])})")


# --- shapes ---


@kind("reshape", 1.5)
def _(m):
    x = m.real()
    n = x.size
    some = [(n,), (-1,)] + [(a, n // a) for a in (2, 3, 4, 8) if n % a == 0 and n] + [(1, n, 1)]
    m.emit(f"reel.reshape({x}, {m.r.choice(some) if n else (0,)})")


@kind("transpose", 1.5)
def _(m):
    x = m.real(least=2)
    axes = list(range(x.rank))
    m.r.shuffle(axes)
    m.emit(
        m.r.choice(
            [
                f"reel.permute_dims({x}, {axes})",
                f"{x}.T",
                f"reel.matrix_transpose({x})",
                f"reel.swapaxes({x}, 0, -1)",
                f"reel.moveaxis({x}, 0, -1)",
            ]
        )
    )


@kind("expand and squeeze")
def _(m):
    x = m.real()
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    m.emit(
        f"reel.squeeze({x}, axis={m.r.choice(ones)})"
        if ones and m.chance(0.5)
        else f"reel.expand_dims({x}, axis={m.r.randint(0, x.rank)})"
    )


@kind("broadcast_to")
def _(m):
    x = m.real(fits=lambda v: v.rank < 4)
    shape = [m.extent() if n == 1 else n for n in x.shape]
    m.emit(f"reel.broadcast_to({x}, {tuple(([m.extent()] if m.chance(0.6) else []) + shape)})")


@kind("concat", 1.5)
def _(m):
    x = m.real(least=1)
    axis = m.axis(x)

    def fits(w):
        return w.rank == x.rank and all(a == b for i, (a, b) in enumerate(zip(w.shape, x.shape)) if i != axis % x.rank)

    parts = [x] + [m.pick(fits) for _ in range(m.r.randint(1, 2))]
    m.emit(f"reel.concat([{', '.join(map(str, parts))}], axis={axis})")


@kind("stack", 0.8)
def _(m):
    x = m.real()
    m.emit(f"reel.stack([{x}, {m.like(x)}, {m.like(x)}], axis={m.r.randint(0, x.rank)})")


@kind("split", 1)
def _(m):
    x = m.real(least=1)
    axis = m.axis(x)
    n = x.shape[axis]
    if n < 2:
        raise Skip
    if n % 2 == 0 and m.chance(0.5):
        m.emit(f"reel.split({x}, 2, axis={axis})", count=2)
    else:
        k = m.r.randint(1, n - 1)
        m.emit(f"reel.split({x}, [{k}, {n - k}], axis={axis})", count=2)


@kind("unstack", 0.4)
def _(m):
    x = m.real(least=1)
    if not 1 < x.shape[0] <= 4:
        raise Skip
    m.emit(f"reel.unstack({x}, axis=0)", count=x.shape[0])


@kind("flip and roll")
def _(m):
    x = m.real(least=1)
    m.emit(
        m.r.choice(
            [
                f"reel.flip({x}, axis={m.axis(x)})",
                f"reel.roll({x}, {m.r.randint(-3, 3)}, axis={m.axis(x)})",
                f"reel.flip({x})",
            ]
        )
    )


@kind("tile and repeat")
def _(m):
    x = m.real(least=1)
    if m.chance(0.5):
        m.emit(f"reel.tile({x}, {tuple(m.r.choice([1, 1, 2, 3]) for _ in x.shape)})")
    else:
        m.emit(f"reel.repeat({x}, {m.r.randint(1, 3)}, axis={m.axis(x)})")


@kind("pad", 1.2)
def _(m):
    x = m.filled(least=1)
    mode = m.r.choice(["constant", "constant", "reflect", "edge", "symmetric"])
    most = {"reflect": lambda n: min(2, n - 1), "symmetric": lambda n: min(2, n)}.get(mode, lambda n: 2)
    width = tuple((m.r.randint(0, most(n)), m.r.randint(0, most(n))) for n in x.shape)
    m.emit(f"reel.pad({x}, {width}, mode='{mode}')")


@kind("triangle")
def _(m):
    x = m.real(least=2)
    m.emit(f"reel.{m.r.choice(['tril', 'triu'])}({x}, k={m.r.randint(-1, 1)})")


@kind("diagonal", 0.5)
def _(m):
    if m.chance(0.5):
        m.emit(f"reel.diag({m.real(1)})")
    else:
        m.emit(f"reel.linalg.diagonal({m.real(least=2)})")


def slice_of(m, n):
    if m.chance(0.25):
        return "slice(None)"
    if n and m.chance(0.3):
        return str(m.r.randrange(-n, n))
    step = m.r.choice([1, 1, 2, 3, -1, -2])
    if m.chance(0.4):
        return f"slice(None, None, {step})"
    a, b = sorted((m.r.randint(0, n), m.r.randint(0, n)))
    return f"slice({a}, {b}, {step})" if step > 0 else f"slice({b}, {a if a else None}, {step})"


@kind("slice", 4)
def _(m):
    x = m.real(least=1)
    parts = [slice_of(m, n) for n in x.shape[: m.r.randint(1, x.rank)]]
    if m.chance(0.15):
        parts.insert(m.r.randint(0, len(parts)), "None")
    m.emit(f"at({x}, ({', '.join(parts)},))")


# --- indices ---


@kind("take", 2)
def _(m):
    x = m.filled(least=1)
    axis = m.axis(x)
    shape = m.r.choice([(m.extent(),), (2,), (3,), (2, 2), ()])
    m.emit(f"reel.take({x}, {m.indices(x.shape[axis], shape)}, axis={axis})")


@kind("take_along_axis", 0.8)
def _(m):
    x = m.filled(least=1)
    axis = m.axis(x)
    shape = list(x.shape)
    shape[axis] = m.r.randint(1, 4)
    m.emit(f"reel.take_along_axis({x}, {m.indices(x.shape[axis], shape)}, axis={axis})")


@kind("take computed", 0.8)
def _(m):
    x = m.filled(least=1)
    by = m.filled(least=1)
    n = x.shape[0]
    m.emit(f"reel.take({x}, reel.astype(reel.floor(reel.abs({by}) * 7.0), reel.int64) % {n}, axis=0)")


@kind("gather_nd", 0.6)
def _(m):
    x = m.filled(least=2)
    k = m.r.randint(1, 3)
    pairs = [[m.r.randrange(x.shape[0]), m.r.randrange(x.shape[1])] for _ in range(k)]
    m.emit(f"reel.gather_nd({x}, reel.asarray({pairs}))")


@kind("one_hot", 0.6)
def _(m):
    depth = m.r.randint(1, 6)
    m.emit(f"reel.one_hot({m.indices(depth, (m.extent(),))}, {depth}, dtype=reel.{DTYPES[m.dtype]})")


@kind("segments", 0.8)
def _(m):
    x = m.filled(least=1)
    n = m.r.randint(1, 4)
    f = m.r.choice(["segment_sum", "segment_sum", "segment_mean", "segment_max", "segment_min", "segment_prod"])
    ids = m.indices(n, (x.shape[0],))
    y = m.emit(f"reel.{f}({x}, {ids}, {n})") if f in ("segment_sum", "segment_mean", "segment_prod") else None
    if y is None:  # an empty segment has an infinity
        m.emit(f"reel.clip(reel.{f}({x}, {ids}, {n}), -50.0, 50.0)")


@kind("scatter", 1)
def _(m):
    x = m.filled(least=1)
    k = m.r.randint(1, min(3, x.shape[0]))
    rows = m.r.sample(range(x.shape[0]), k)
    updates = f"at({x}, (slice(0, {k}),)) * {m.number()}"
    mode = m.r.choice(["set", "add", "mul"])
    m.emit(
        m.r.choice(
            [
                f"reel.scatter({x}, reel.asarray({rows}), {updates}, axis=0, mode='{mode}')",
                f"reel.tensor_scatter({x}, reel.asarray({[[i] for i in rows]}), {updates}, mode='{mode}')",
                f"reel.scatter_nd(reel.asarray({[[i] for i in rows]}), {updates}, {x.shape})",
            ]
        )
    )


@kind("put_along_axis", 0.5)
def _(m):
    x = m.filled(least=1)
    axis = m.axis(x)
    shape = list(x.shape)
    shape[axis] = 1
    m.emit(
        f"reel.put_along_axis({x}, {m.indices(x.shape[axis], shape)}, reel.full({tuple(shape)}, {m.number()}, "
        f"dtype=reel.{DTYPES[m.dtype]}), axis={axis}, mode='{m.r.choice(['set', 'add'])}')"
    )


@kind("sort", 1)
def _(m):
    x = m.filled(least=1)
    m.emit(f"reel.{m.r.choice(['sort', 'sort', 'argsort'])}({x}, axis={m.axis(x)}, descending={m.chance(0.4)})")


@kind("top_k", 0.7)
def _(m):
    x = m.filled(least=1)
    axis = m.axis(x)
    m.emit(f"reel.top_k({x}, {m.r.randint(1, min(4, x.shape[axis]))}, axis={axis}, largest={m.chance(0.7)})", count=2)


@kind("median", 0.3)
def _(m):
    x = m.filled(least=1)
    m.emit(f"reel.median({x}, axis={m.axis(x)})")


@kind("searchsorted", 0.3)
def _(m):
    x = m.filled(1)
    m.emit(f"reel.searchsorted(reel.sort({x}), {m.filled()})")


@kind("bincount and isin", 0.3)
def _(m):
    n = m.r.randint(1, 5)
    at = m.indices(n, (m.r.randint(1, 7),))
    m.emit(m.r.choice([f"reel.bincount({at}, {n})", f"reel.isin({at}, reel.asarray([1, 3]))"]))
