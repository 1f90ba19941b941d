"""x[key] against NumPy."""

import numpy as np
import pytest

import reel

X = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
MASK = (np.arange(12).reshape(3, 4) % 5) < 2
KEYS = [
    0,
    -1,
    (1, 2),
    (1, 2, 3, 4),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    (slice(None), slice(None, None, 2)),
    (Ellipsis, 0),
    (0, Ellipsis),
    Ellipsis,
    (),
    None,
    (None, 0, None),
    (slice(None), None, 1),
    (Ellipsis, None),
    (slice(None), slice(2, 0, -1)),
    (slice(5, 1),),
    (0, slice(-2, None), Ellipsis, slice(None, -1, 3)),
    [0, 1, 0],
    ([0, 1], [1, 2]),
    (slice(None), [2, 0]),
    (slice(None), [2, 0], slice(None), [1, 3]),
    (slice(None), [2, 0], [1, 3]),
    (slice(None), slice(None), [2, 0], [1, 3]),
    (0, slice(None), [1, 2]),
    (slice(None), 0, [1, 2]),
    (slice(None), slice(None), 0, [1, 2]),
    (0, [0, 1], [1, 2], 3),
    (slice(None), [[0], [1]], [1, 2]),
    (slice(None), np.array([-1, -3])),
    np.array([[0, 1], [1, 1]]),
    (slice(None), MASK),
    (1, MASK),
    (X > 50,),
    X > 1000,
    (slice(None), [True, False, True]),
    (Ellipsis, [0, 4]),
    ([1], Ellipsis, [2]),
    (None, [1, 0], None),
    (slice(None), [2, 0], None, [1, 3]),
    (slice(None), [1], Ellipsis, [0, 1]),
    (True,),
    (np.array(1), slice(None)),
    np.int64(1),
    (slice(None), np.zeros((0,), np.int64)),
    (slice(None), slice(None, None, -2), slice(3, None, -3)),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_against_numpy(key):
    expected = X[key]
    y = reel.asarray(X)[key]
    assert y.shape == expected.shape
    np.testing.assert_array_equal(np.asarray(y), expected)


@pytest.mark.parametrize("key", [k for k in KEYS if isinstance(k, np.ndarray)] + [np.array([0, -1])], ids=str)
def test_tensor_keys(key):
    np.testing.assert_array_equal(np.asarray(reel.asarray(X)[reel.asarray(key)]), X[key])


@pytest.mark.parametrize(
    "key, text",
    [
        (2, "out of range for axis 0"),
        ((0, 3), "axis 1"),
        ((0,) * 5, "too many indices"),
        ((Ellipsis, Ellipsis), "ellipsis"),
        ([0, 2], "index 2"),
        ([True], "boolean index"),
        ("a", "not str"),
        (1.0, "not float"),
        ([0.5], "must be integers"),
    ],
)
def test_errors(key, text):
    with pytest.raises(IndexError, match=text):
        reel.asarray(X)[key]


def test_gradients():
    x = reel.asarray(X)
    keys = [
        0,
        (slice(None), [2, 0, 2]),
        (slice(None), [2, 0], slice(None), [1, 3]),
        X > 50,
        (Ellipsis, slice(None, None, -2)),
    ]
    for key in keys:
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = reel.sum(x[key] * 2)
        expected = np.zeros_like(X)
        np.add.at(expected, key, 2)
        np.testing.assert_array_equal(np.asarray(tape.gradient(y, x)), expected)


def test_variables():
    v = reel.Variable(X)
    np.testing.assert_array_equal(np.asarray(v[0, 1:]), X[0, 1:])
