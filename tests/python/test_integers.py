"""Integers against Python's exact ones: all integer dtypes, at their edges, eager and compiled. What does not fit
wraps."""

import math

import numpy as np
import pytest

import reel

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def edges(dtype):
    info = reel.iinfo(getattr(reel, dtype))
    small = [0, 1, 2, 3, 7, 10, 100]
    big = [info.max, info.max - 1, info.max // 2, info.max // 3]
    if info.bits == 64:
        big += [2**53 - 1, 2**53, 2**53 + 1, 3**33, 3**39]
    low = [-v for v in small + big if v] + [info.min] if info.min else []
    return [v for v in dict.fromkeys(small + big + low) if info.min <= v <= info.max]


def wrap(v, dtype):
    info = reel.iinfo(getattr(reel, dtype))
    v &= 2**info.bits - 1
    return v - 2**info.bits if info.min and v > info.max else v


def div(a, b):  # x / 0 = 0, truncated; the most negative by -1 wraps
    if b == 0:
        return 0
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def power(a, b):
    if b >= 0:
        return pow(a, b, 2**64)
    return (1 if b % 2 == 0 else a) if a in (1, -1) else 0


BINARY = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "floor_divide": lambda a, b: a // b if b else 0,
    "remainder": lambda a, b: a % b if b else 0,
    "fmod": lambda a, b: a - b * div(a, b) if b else 0,
    "pow": power,
    "maximum": max,
    "minimum": min,
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
}
COMPARE = {
    "equal": lambda a, b: a == b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
}
UNARY = {
    "negative": lambda a: -a,
    "abs": abs,
    "square": lambda a: a * a,
    "positive": lambda a: a,
    "sign": lambda a: (a > 0) - (a < 0),
    "bitwise_invert": lambda a: ~a,
    "floor": lambda a: a,
    "round": lambda a: a,
}


def compiled(f, *xs):
    return reel.function(f)(*xs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_binary(dtype):
    values = edges(dtype)
    a = [x for x in values for _ in values]
    b = [y for _ in values for y in values]
    x, y = reel.asarray(a, getattr(reel, dtype)), reel.asarray(b, getattr(reel, dtype))
    for name, exact in {**BINARY, **COMPARE}.items():
        f = getattr(reel, name)
        want = [exact(p, q) if name in COMPARE else wrap(exact(p, q), dtype) for p, q in zip(a, b)]
        for run in (f(x, y), compiled(f, x, y)):
            assert run.dtype.name == ("bool" if name in COMPARE else dtype), name
            wrong = [(p, q, g, w) for p, q, g, w in zip(a, b, run.tolist(), want) if g != w]
            assert not wrong, (name, wrong[:5])


@pytest.mark.parametrize("dtype", DTYPES)
def test_unary_and_shifts(dtype):
    values = edges(dtype)
    x = reel.asarray(values, getattr(reel, dtype))
    for name, exact in UNARY.items():
        f = getattr(reel, name)
        want = [wrap(exact(v), dtype) for v in values]
        assert f(x).tolist() == want and compiled(f, x).tolist() == want, name
    for n in (0, 1, 5, reel.iinfo(x.dtype).bits - 1):
        assert (x << n).tolist() == [wrap(v << n, dtype) for v in values], n
        assert (x >> n).tolist() == [v >> n for v in values], n


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_as_exponents(dtype):
    for base in edges(dtype):
        x = reel.asarray(base, getattr(reel, dtype))
        for n in (0, 1, 2, 3, 39, 62, 63, 64, 255):
            assert (x**n).item() == wrap(pow(base, n, 2**64), dtype), (base, n)
            assert reel.pow(x, n).dtype is x.dtype
        with pytest.raises(ValueError, match="negative powers"):
            x**-1
    assert reel.pow(reel.asarray(3), reel.asarray(39)).item() == 3**39
    two = reel.asarray([2, 5], reel.int8)
    assert (two ** reel.asarray([10, 3], reel.int64)).dtype is reel.int64  # as for every other operator
    assert (two**2.0).dtype is reel.float32


@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions(dtype):
    values = edges(dtype)
    x = reel.asarray(values, getattr(reel, dtype))
    wide = ("u" if dtype[0] == "u" else "") + "int64"
    for name, exact in (("sum", sum), ("prod", math.prod)):
        f = getattr(reel, name)
        for run in (f(x), compiled(f, x)):
            assert run.dtype.name == wide and run.item() == wrap(exact(values), wide), name
        narrow = f(x, dtype=x.dtype)
        assert narrow.item() == wrap(exact(values), dtype), name
    assert reel.max(x).item() == max(values) and reel.min(x).item() == min(values)
    assert reel.argmax(x).item() == values.index(max(values))
    for name, step in (("cumulative_sum", lambda a, b: a + b), ("cumulative_prod", lambda a, b: a * b)):
        for given in ({}, {"dtype": x.dtype}):
            y = getattr(reel, name)(x, axis=0, **given)
            total, want = None, []
            for v in values:
                total = v if total is None else step(total, v)
                want.append(wrap(total, y.dtype.name))
            assert y.tolist() == want, name


@pytest.mark.parametrize("dtype", DTYPES)
def test_order_and_counting(dtype):
    values = edges(dtype)
    x = reel.asarray(values, getattr(reel, dtype))
    assert reel.sort(x).tolist() == sorted(values)
    assert reel.sort(x, descending=True).tolist() == sorted(values, reverse=True)
    assert reel.unique_values(reel.concat([x, x])).tolist() == sorted(values)
    ordered = reel.sort(x)
    assert reel.searchsorted(ordered, x).tolist() == [sorted(values).index(v) for v in values]
    assert reel.isin(x, x[:3]).tolist() == [v in values[:3] for v in values]
    low, high = values[1], max(values) - 1
    assert reel.clip(x, low, high).tolist() == [min(max(v, low), high) for v in values]
    assert reel.cumulative_max(x, axis=0).tolist() == [max(values[: i + 1]) for i in range(len(values))]


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_are_exact(dtype):
    """Numbers written into programs, filled in, padded with, spread and read back."""
    for v in edges(dtype):
        d = getattr(reel, dtype)
        assert reel.asarray(v, d).item() == v
        assert reel.full((2,), v, dtype=d).tolist() == [v, v]
        assert reel.full_like(reel.zeros((2,), dtype=d), v).tolist() == [v, v]
        assert reel.pad(reel.asarray([1], d), 1, constant_values=v).tolist() == [v, 1, v]
        zero = reel.zeros((2,), dtype=d)
        assert reel.function(lambda x: x + v)(zero).tolist() == [v, v]
        assert reel.function(lambda: reel.full((2,), v, dtype=d) * 1)().tolist() == [v, v]
        assert reel.where(reel.asarray([True, False]), v, zero).tolist() == [v, 0]
        assert reel.one_hot(reel.asarray([0]), 2, v, dtype=d).tolist() == [[v, 0]]
        assert (reel.asarray(v, d) == v).item()
        assert reel.tensor_scatter(zero, reel.asarray([[1]]), reel.asarray([v], d)).tolist() == [0, v]


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64"])
def test_products_of_matrices(dtype):
    values = edges(dtype)[:9]
    a = np.array(values, dtype=dtype).reshape(3, 3)
    x = reel.asarray(a)
    exact = [[wrap(sum(int(a[i, k]) * int(a[k, j]) for k in range(3)), dtype) for j in range(3)] for i in range(3)]
    assert reel.matmul(x, x).tolist() == exact and compiled(reel.matmul, x, x).tolist() == exact
    assert reel.einsum("ij,jk->ik", x, x).tolist() == exact


def test_ranges():
    big = 2**62
    assert reel.arange(big, big + 3).tolist() == [big, big + 1, big + 2]
    assert reel.arange(-(2**63), 2**63 - 1, 2**62).tolist() == list(range(-(2**63), 2**63 - 1, 2**62))
    assert reel.arange(5, 0, -2).tolist() == [5, 3, 1]
    for d in ("float16", "bfloat16", "float32"):  # exact, then rounded once
        got = reel.arange(2049, 2060, dtype=getattr(reel, d))
        want = reel.astype(reel.asarray(list(range(2049, 2060))), getattr(reel, d))
        assert reel.all(got == want).item() and got.dtype is want.dtype
