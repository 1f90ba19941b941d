"""reel.Tensor: NumPy in and out, dtypes, printing, conversions, pickling."""

import copy
import pickle

import numpy as np
import pytest

import reel
import reel.tf as tf

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
def test_numpy_round_trip(name, shape):
    array = np.ones(shape, name) * 3 if name != "bool" else np.ones(shape, bool)
    array = np.asarray(array, dtype=name)
    t = reel.asarray(array)
    assert t.shape == shape and t.dtype == name and t.ndim == len(shape) and t.size == array.size
    assert t.dtype == array.dtype and t.dtype == getattr(reel, name)
    back = np.asarray(t)
    assert back.dtype == array.dtype and back.shape == shape
    np.testing.assert_array_equal(back, array)
    np.testing.assert_array_equal(np.array(t), array)
    if name != "bool":  # NumPy 1.24 does not import it
        np.testing.assert_array_equal(np.from_dlpack(t), array)


@pytest.mark.parametrize(
    "number",
    [
        lambda: reel.asarray(3.0),
        lambda: reel.asarray(1.5) * 2,
        lambda: reel.sum(reel.ones((3,))),
        lambda: reel.ones((2, 3))[0, 1] + 2,
        lambda: reel.reshape(reel.asarray([3.0]), ()),
    ],
)
def test_numbers_are_arrays_of_rank_0(number):
    t = number()
    arrays = np.asarray(t), np.array(t), np.from_dlpack(t), np.asarray(memoryview(t))
    assert t.__array_interface__["shape"] == () and t.__dlpack_device__() == (1, 0)
    again = reel.from_dlpack(t)
    del t
    number()
    assert all(a.shape == () and a.dtype == np.float32 and a == 3.0 for a in arrays)
    assert again.shape == () and again.item() == 3.0
    assert reel.from_dlpack(np.array(3.0)).item() == 3.0


def test_copies():
    array = np.arange(6, dtype=np.float32)
    copied, shared = reel.asarray(array), reel.asarray(array, copy=False)
    array[0] = 7
    assert copied[0].item() == 0 and shared[0].item() == 7
    del array
    assert shared[1].item() == 1
    view = np.asarray(shared)
    assert not view.flags.writeable
    with pytest.raises(ValueError):
        view[0] = 1
    assert np.shares_memory(np.asarray(copied), np.asarray(copied))
    with pytest.raises(reel.InvalidArgumentError, match="copy=True"):
        reel.asarray([1.0, 2.0], copy=False)
    with pytest.raises(reel.InvalidArgumentError, match="copy=True"):
        reel.asarray(np.arange(6)[::2], copy=False)


def test_strided_and_swapped_arrays():
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for view in (array.T, array[:, ::-1, ::2], array.astype(">i4"), np.asfortranarray(array)):
        np.testing.assert_array_equal(np.asarray(reel.asarray(view)), view)


def test_views_outlive_tensors():
    view = np.asarray(reel.asarray([1.0, 2.0, 3.0]) + 1)
    for _ in range(10):
        reel.ones((3,))
    np.testing.assert_array_equal(view, [2, 3, 4])


def test_array_protocols():
    t = reel.asarray([[1.0, 2.0]])
    assert t.__array_interface__["shape"] == (1, 2)
    assert t.__array_interface__["data"][1] is True
    assert np.asarray(t, dtype=np.float64).dtype == np.float64
    assert t.__dlpack_device__() == (1, 0)
    assert t.__array_namespace__() is reel
    assert (np.ones((1, 2), np.float32) + t).__class__ is reel.Tensor
    assert reel.from_dlpack(np.arange(4.0)).tolist() == [0, 1, 2, 3]
    array = np.arange(4.0)
    shared = reel.from_dlpack(array)
    array[0] = 9
    assert shared[0].item() == 9
    assert reel.from_dlpack(array, copy=True)[0].item() == 9
    assert reel.from_dlpack(np.arange(8.0)[::2]).tolist() == [0, 2, 4, 6]
    assert memoryview(t).readonly


@pytest.mark.parametrize(
    "value, dtype",
    [
        (True, "bool"),
        (3, "int64"),
        (2.5, "float32"),
        (1j, "complex64"),
        ([], "float32"),
        ([1, 2], "int64"),
        ([True, False], "bool"),
        ([1, 2.5], "float32"),
        ([[1], [2]], "int64"),
        (range(3), "int64"),
        ((1.0, 2.0), "float32"),
        (np.float64(2), "float64"),
        ([1, 2j], "complex64"),
    ],
)
def test_default_dtypes(value, dtype):
    t = reel.asarray(value)
    assert t.dtype == dtype
    np.testing.assert_array_equal(np.asarray(t), np.asarray(value).astype(dtype))


def test_nested_lists():
    rows = [reel.asarray([1.0, 2.0]), [3.0, 4.0]]
    assert reel.asarray(rows).tolist() == [[1, 2], [3, 4]]
    assert reel.asarray([1, 2], dtype=reel.uint8).dtype == reel.uint8
    with pytest.raises(ValueError, match="one length"):
        reel.asarray([[1, 2], [3]])
    with pytest.raises(ValueError, match="depth"):
        reel.asarray([1, [2]])
    with pytest.raises(ValueError, match="does not fit uint8"):
        reel.asarray([256], dtype=reel.uint8)
    with pytest.raises(TypeError, match="str"):
        reel.asarray("text")
    with pytest.raises(TypeError):
        reel.asarray(np.array(["a"]))


def test_dtype_objects():
    assert reel.float32 == np.float32 == reel.float32 and reel.float32 == np.dtype("float32")
    assert reel.float32 != reel.float64 and reel.float32 != "int8" and reel.float32 != 3
    assert (reel.float32 == None) is False and reel.float32 != None  # noqa: E711
    assert np.zeros(2, reel.int16).dtype == np.int16
    assert {reel.float32: 1}[reel.asarray(1.0).dtype] == 1
    assert repr(reel.bfloat16) == "reel.bfloat16" and reel.bfloat16.itemsize == 2
    assert pickle.loads(pickle.dumps(reel.int8)) is reel.int8
    for spelling in (float, "float32", np.float32, reel.float32, np.dtype("f4")):
        assert reel.zeros((1,), dtype=spelling).dtype == reel.float32
    with pytest.raises(TypeError, match="dtype"):
        reel.zeros((1,), dtype="nothing")


def test_python_numbers():
    assert bool(reel.asarray(2)) and not reel.asarray([0.0])
    assert int(reel.asarray(2.7)) == 2 and float(reel.asarray([3])) == 3.0
    assert complex(reel.asarray(1j)) == 1j and [10, 20][reel.asarray(1)] == 20
    assert reel.asarray(2**63, dtype=reel.uint64).item() == 2**63
    assert f"{reel.asarray(1.25):.1f}" == "1.2" and f"{reel.asarray([1, 2])}" == "[1 2]"
    assert type(reel.asarray(True).item()) is bool and type(reel.asarray(1.0).item()) is float
    assert len(reel.zeros((3, 2))) == 3 and [int(x) for x in reel.arange(3)] == [0, 1, 2]
    assert 2 in reel.arange(3) and 5 not in reel.arange(3)
    for bad in (lambda: bool(reel.zeros((2,))), lambda: float(reel.zeros((2,)))):
        with pytest.raises(ValueError, match="elements, not one"):
            bad()
    for bad in (lambda: len(reel.asarray(1)), lambda: iter(reel.asarray(1)), lambda: [1][reel.asarray(1.0)]):
        with pytest.raises(TypeError):
            bad()
    x = reel.ones((2,))
    assert hash(x) != hash(reel.ones((2,))) and {x: 1}[x] == 1


def test_printing():
    array = np.array([[1.5, -2.25], [1e-3, 4]], np.float32)
    assert str(reel.asarray(array)) == str(array)
    assert repr(reel.asarray(array)) == "Tensor" + repr(array)[5:].replace("\n      ", "\n       ")
    assert repr(reel.asarray([1, 2])) == "Tensor([1, 2], dtype=int64)"
    assert repr(reel.asarray(2.5)) == "Tensor(2.5, dtype=float32)"
    assert "bfloat16" in repr(reel.ones((2,), dtype=reel.bfloat16))
    assert str(reel.zeros((2000,))) == str(np.zeros(2000, np.float32))


def test_pickle_and_copy():
    for t in (reel.asarray([[1, 2]]), reel.ones((2,), dtype=reel.bfloat16), reel.asarray(1j)):
        back = pickle.loads(pickle.dumps(t))
        assert back.dtype == t.dtype and back.shape == t.shape and bool(reel.all(back == t))
        assert copy.deepcopy(t).shape == t.shape
    v = pickle.loads(pickle.dumps(reel.Variable([1.0, 2.0], name="w", trainable=False)))
    assert v.name == "w" and not v.trainable and v.numpy().tolist() == [1, 2]


NO_NUMBERS = {
    "longdouble": np.longdouble(1),
    "longdoubles": np.ones((2, 3), np.longdouble),
    "turned": np.ones((2, 3), np.longdouble).T,
    "clongdouble": np.clongdouble(1j),
    "clongdoubles": np.ones(2, np.clongdouble),
    "in a list": [np.float32(1), np.longdouble(2)],
    "dates": np.array(["2020"], "M8[s]"),
    "date": np.datetime64("2020"),
    "duration": np.timedelta64(1, "s"),
    "record": np.array([(1, 2.0)], "i4,f4")[0],
    "void": np.void(b"abc"),
    "bytes": np.bytes_(b"abc"),
    "texts": np.array(["a"]),
    "text": np.str_("a"),
    "objects": np.array([None]),
}


@pytest.mark.parametrize("x", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_arrays_of_no_numbers_are_errors(x):
    for make in (reel.asarray, reel.function(lambda a: a * 1), reel.exp, lambda a: reel.asarray(a, copy=False)):
        if type(x) is not list or make is reel.asarray:  # a list is arguments, and no operand
            with pytest.raises(TypeError, match="no tensor.*astype"):
                make(x)
    for make in (lambda a: tf.constant(a, tf.float32), tf.exp, tf.function(lambda a: tf.exp(a))):  # strings are tensors
        with pytest.raises(
            (TypeError, ValueError), match="no tensor.*astype|Attempt to convert a value|a Tensor of numbers|string"
        ):
            make(x)


def test_bytes_and_swapped_arrays_are_still_tensors():
    assert reel.asarray(memoryview(b"ab")).tolist() == [97, 98] and reel.asarray(np.uint8(3)).tolist() == 3
    assert reel.asarray(np.arange(3, dtype=">f4")).tolist() == [0.0, 1.0, 2.0]
    assert reel.asarray(np.bool_(True)).dtype == reel.bool and reel.asarray(np.int8(-1)).tolist() == -1


def test_an_array_that_is_refused_is_let_go():
    x = bytearray(4)
    shape = [1] * 11 + [4]
    with pytest.raises((TypeError, ValueError), match="more than 10 axes"):
        reel.asarray(memoryview(x).cast("B", shape))
    x.append(0)  # an error while a buffer of it is held
