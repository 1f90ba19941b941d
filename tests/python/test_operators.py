"""Operators of tensors: values, dtypes and reflected forms against NumPy."""

import operator

import numpy as np
import pytest

import reel

A = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
B = np.array([2.0, -0.5, 1.0], np.float32)
I = np.array([[7, -3, 2], [0, 5, -8]], np.int32)
J = np.array([2, 3, -5], np.int32)

FLOAT = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]
INTEGER = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lt,
    operator.eq,
]


@pytest.mark.parametrize("op", FLOAT, ids=lambda f: f.__name__)
def test_floats(op):
    expected = op(A, B)
    for x, y in ((reel.asarray(A), reel.asarray(B)), (reel.asarray(A), B), (A, reel.asarray(B))):
        y = op(x, y)
        assert isinstance(y, reel.Tensor) and y.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-6)


@pytest.mark.parametrize("op", INTEGER, ids=lambda f: f.__name__)
def test_integers(op):
    expected = op(I, J)
    y = op(reel.asarray(I), reel.asarray(J))
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(y), expected)


@pytest.mark.parametrize("op", FLOAT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", [2, 2.0, -3])
def test_python_numbers_are_weak(op, number):
    for array in (A, A.astype(np.float16), A.astype(np.float64)):
        t = reel.asarray(array)
        for expected, y in (
            (op(array, array.dtype.type(number)), op(t, number)),
            (op(array.dtype.type(number), array), op(number, t)),
        ):
            assert y.dtype == expected.dtype
            np.testing.assert_allclose(np.asarray(y), expected, rtol=2e-3 if array.itemsize == 2 else 1e-6)


def test_shifts_and_unary():
    t = reel.asarray(I)
    np.testing.assert_array_equal(np.asarray(t << 2), I << 2)
    np.testing.assert_array_equal(np.asarray(t >> 1), I >> 1)
    np.testing.assert_array_equal(np.asarray(reel.asarray(I.astype(np.uint32)) >> 1), I.astype(np.uint32) >> 1)
    np.testing.assert_array_equal(np.asarray(-t), -I)
    np.testing.assert_array_equal(np.asarray(~t), ~I)
    np.testing.assert_array_equal(np.asarray(abs(t)), abs(I))
    np.testing.assert_array_equal(np.asarray(+t), I)
    np.testing.assert_array_equal(np.asarray(~reel.asarray([True, False])), [False, True])
    np.testing.assert_array_equal(np.asarray(reel.asarray([True, False]) & True), [True, False])


def test_powers():
    t = reel.asarray(A)
    for n in (0, 1, 2, 3, -1, 0.5):
        np.testing.assert_allclose(np.asarray(t**n), A ** np.float32(n), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(2 ** reel.asarray(B)), np.float32(2) ** B, rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(reel.asarray(I) ** 3), I**3)
    with pytest.raises(ValueError, match="negative powers"):
        reel.asarray(I) ** -1


def test_matmul(rng):
    for a, b in (((2, 3), (3, 4)), ((3,), (3,)), ((5, 2, 3), (3, 4)), ((2, 3), (3,))):
        x, y = rng.normal(size=a).astype(np.float32), rng.normal(size=b).astype(np.float32)
        np.testing.assert_allclose(np.asarray(reel.asarray(x) @ reel.asarray(y)), x @ y, rtol=1e-5)


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("int8", "uint8", "int16"),
        ("int32", "int64", "int64"),
        ("float16", "float32", "float32"),
        ("float32", "float64", "float64"),
        ("float32", "complex64", "complex64"),
        ("float64", "complex64", "complex128"),
    ],
)
def test_promotion(a, b, result):
    assert (reel.ones((2,), dtype=a) + reel.ones((2,), dtype=b)).dtype == result
    assert reel.result_type(getattr(reel, a), getattr(reel, b)) == result


def test_errors():
    x = reel.ones((2, 3))
    with pytest.raises(reel.InvalidArgumentError, match=r"shapes \[2,3\] and \[2\] do not broadcast") as e:
        x + reel.ones((2,))
    assert isinstance(e.value, ValueError) and isinstance(e.value, reel.Error)
    assert "test_operators.py:" in str(e.value) and e.value.code == "InvalidArgument"
    with pytest.raises(ValueError, match="do not mix"):
        x + reel.ones((3,), dtype=reel.int32)
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        x + None
    assert (x == None) is False and (x != None) is True  # noqa: E711
    with pytest.raises(ValueError, match="does not fit"):
        reel.ones((2,), dtype=reel.int8) + 1000
    with pytest.raises(ValueError, match="64 bits"):
        x + 2**70


def test_in_place_operators_make_new_tensors():
    x = y = reel.ones((2,))
    x += 1
    assert y.tolist() == [1, 1] and x.tolist() == [2, 2]
