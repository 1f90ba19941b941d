"""Tensors, dtypes, printing and errors of reel.tf, and its functions against NumPy."""

import subprocess
import sys

import numpy as np
import pytest

import reel
import reel.tf as tf

c, V = tf.constant, tf.Variable


@pytest.mark.parametrize(
    "value, text, representation",
    [
        (3.0, "tf.Tensor(3.0, shape=(), dtype=float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>"),
        (
            [1, 2],
            "tf.Tensor([1 2], shape=(2,), dtype=int32)",
            "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
        ),
        (
            [[1.0, 2.0], [3.0, 4.0]],
            "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)",
            "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n       [3., 4.]], dtype=float32)>",
        ),
        (True, "tf.Tensor(True, shape=(), dtype=bool)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ],
)
def test_printing(value, text, representation):
    assert str(c(value)) == text and repr(c(value)) == representation


def test_printing_of_variables_and_dtypes():
    assert repr(V(2.0)) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>"
    assert repr(tf.float32) == "tf.float32" and str(tf.float32) == "<dtype: 'float32'>"
    assert repr(tf.TensorSpec([None, 3])) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)"
    assert repr(c([[1.0]]).shape) == "TensorShape([1, 1])" and str(c([[1.0]]).shape) == "(1, 1)"


@pytest.mark.parametrize(
    "value, dtype",
    [
        (1, "int32"),
        (1.0, "float32"),
        (True, "bool"),
        (1j, "complex128"),
        (2**40, "int64"),
        ([1, 2], "int32"),
        (np.float64(1), "float64"),
        (np.arange(3), "int64"),
        ([], "float32"),
    ],
)
def test_default_dtypes(value, dtype):
    assert c(value).dtype == dtype and c(value).dtype is getattr(tf, dtype)


@pytest.mark.parametrize(
    "f, error, text",
    [
        (
            lambda: c(1) + c(1.0),
            tf.errors.InvalidArgumentError,
            r"cannot compute AddV2 as input #1\(zero-based\) was expected to be a int32 tensor but is a float tensor "
            r"\[Op:AddV2\]",
        ),
        (
            lambda: c(1.0) * tf.cast(c(1.0), tf.float64),
            tf.errors.InvalidArgumentError,
            "expected to be a float tensor but is a double",
        ),
        (lambda: tf.matmul(c([[1.0]]), c([[1]])), tf.errors.InvalidArgumentError, "MatMul"),
        (lambda: c(1) + 1.5, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (lambda: c(1.5, dtype=tf.int32), TypeError, "Cannot convert 1.5"),
        (lambda: c(None), ValueError, "Attempt to convert a value"),
        (lambda: tf.convert_to_tensor(c(1.0), tf.float64), ValueError, "Tensor conversion requested dtype float64"),
        (lambda: hash(c(1.0)), TypeError, "unhashable"),
        (lambda: len(c(1.0)), TypeError, "len"),
        (lambda: iter(c(1.0)), TypeError, "scalar"),
        (lambda: V([1.0]).assign([1.0, 2.0]), ValueError, "Shape mismatch"),
        (lambda: V(None), ValueError, "initial_value"),
        (lambda: tf.nothing_such, AttributeError, "reel.tf has no 'nothing_such'"),
        (lambda: tf.matmul(c([1.0]), c([1.0])), ValueError, "ndims must be >= 2"),
        (lambda: tf.zeros([2]) + tf.zeros([3]), ValueError, "add|Add"),
    ],
)
def test_errors(f, error, text):
    with pytest.raises(error, match=text):
        f()
    assert issubclass(tf.errors.InvalidArgumentError, reel.Error)


def test_operators():
    x = c([3, 7])
    assert (x / 2).dtype is tf.float64 and (x // 2).numpy().tolist() == [1, 3] and (x % 4).numpy().tolist() == [3, 3]
    assert (2.0 / c(4.0)).numpy() == 0.5 and (1 - c(3)).numpy() == -2 and (2.0 ** c(3.0)).numpy() == 8
    assert (x == [3, 8]).numpy().tolist() == [True, False] and (x != None) is True  # noqa: E711
    with pytest.raises(TypeError, match="a Tensor of numbers"):
        assert c(1.0) == "a"
    assert (np.array([1.0, 2.0]) * c(3.0)).dtype is tf.float32 and bool(c(3) > 2)
    assert (~c([True]) | c([True])).numpy().tolist() == [True] and (-x)[0].numpy() == -3
    assert (V(2.0) * c(3.0) + V(1.0)).numpy() == 7 and tf.is_tensor(V(2.0)) and float(V([2.0])[0]) == 2


def test_tensors_in_lists_are_stacked_with_gradients():
    x = c(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.reduce_sum(tf.stack([x, x * x]) * c([1.0, 10.0])) + tf.reduce_sum(tf.convert_to_tensor([x, 3.0]))
    assert float(t.gradient(y, x)) == 1 + 40 + 1


def test_variables_do_not_change_what_was_read():
    v = V([1.0, 2.0])
    before = v.value()
    v.assign_add([1.0, 1.0])
    assert before.numpy().tolist() == [1, 2] and v.numpy().tolist() == [2, 3]
    assert v.assign([5, 6]) is v and {v.ref(): 1}[v.ref()] == 1 and v.ref().deref() is v


A = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
P = np.abs(A) + 0.1
S = A @ A.T + 3 * np.eye(3, dtype=np.float32)
FUNCTIONS = {
    "reduce_mean": (lambda: tf.reduce_mean(A, axis=0), A.mean(0)),
    "reduce_sum": (lambda: tf.reduce_sum(A, axis=[0, 1], keepdims=True), A.sum((0, 1), keepdims=True)),
    "reduce_max": (lambda: tf.reduce_max(A, 1), A.max(1)),
    "reduce_prod": (lambda: tf.reduce_prod(A, -1), A.prod(-1)),
    "reduce_std": (lambda: tf.math.reduce_std(A), A.std()),
    "reduce_logsumexp": (lambda: tf.reduce_logsumexp(A, 1), np.log(np.exp(A).sum(1))),
    "argmax": (lambda: tf.argmax(A, axis=1), A.argmax(1)),
    "cumsum": (lambda: tf.cumsum(A, axis=1, exclusive=True), np.cumsum(A, 1) - A),
    "matmul": (lambda: tf.matmul(A, A, transpose_b=True), A @ A.T),
    "tensordot": (lambda: tf.tensordot(A, A, [[1], [1]]), A @ A.T),
    "einsum": (lambda: tf.einsum("ij,kj->ik", A, A), A @ A.T),
    "exp": (lambda: tf.exp(A), np.exp(A)),
    "log": (lambda: tf.math.log(P), np.log(P)),
    "squared_difference": (lambda: tf.math.squared_difference(A, P), (A - P) ** 2),
    "maximum": (lambda: tf.maximum(A, 0.0), np.maximum(A, 0)),
    "clip": (lambda: tf.clip_by_value(A, -0.5, 0.5), A.clip(-0.5, 0.5)),
    "transpose": (lambda: tf.transpose(A), A.T),
    "reshape": (lambda: tf.reshape(A, [2, -1]), A.reshape(2, -1)),
    "concat": (lambda: tf.concat([A, A], 1), np.concatenate([A, A], 1)),
    "split": (lambda: tf.stack(tf.split(A, 2, axis=1)), np.stack(np.split(A, 2, 1))),
    "gather": (lambda: tf.gather(A, [2, 0]), A[[2, 0]]),
    "gather_nd": (lambda: tf.gather_nd(A, [[1, 2], [0, 0]]), A[[1, 0], [2, 0]]),
    "slice": (lambda: tf.slice(A, [1, 0], [2, -1]), A[1:]),
    "pad": (lambda: tf.pad(A, [[1, 0], [0, 2]]), np.pad(A, [(1, 0), (0, 2)])),
    "one_hot": (lambda: tf.one_hot([1, 0], 3), np.eye(3)[[1, 0]]),
    "where": (lambda: tf.where(A > 0, A, tf.zeros_like(A)), np.where(A > 0, A, 0)),
    "where_index": (lambda: tf.where(A > 0), np.argwhere(A > 0)),
    "boolean_mask": (lambda: tf.boolean_mask(A, A > 0), A[A > 0]),
    "range": (lambda: tf.range(2, 10, 3), np.arange(2, 10, 3)),
    "linspace": (lambda: tf.linspace(0.0, 1.0, 5), np.linspace(0, 1, 5)),
    "eye": (lambda: tf.eye(2, 3), np.eye(2, 3)),
    "sort": (lambda: tf.sort(A, direction="DESCENDING"), -np.sort(-A)),
    "top_k": (lambda: tf.math.top_k(A, 2)[0], -np.sort(-A)[:, :2]),
    "segment_sum": (lambda: tf.math.unsorted_segment_sum(A, [1, 0, 1], 2), np.stack([A[1], A[0] + A[2]])),
    "inv": (lambda: tf.linalg.inv(S), np.linalg.inv(S)),
    "det": (lambda: tf.linalg.det(S), np.linalg.det(S)),
    "solve": (lambda: tf.linalg.solve(S, A), np.linalg.solve(S, A)),
    "cholesky": (lambda: tf.linalg.cholesky(S), np.linalg.cholesky(S)),
    "svd": (lambda: tf.linalg.svd(A)[0], np.linalg.svd(A)[1]),
    "norm": (lambda: tf.norm(A), np.linalg.norm(A)),
    "softmax": (lambda: tf.nn.softmax(A), np.exp(A) / np.exp(A).sum(1, keepdims=True)),
    "moments": (lambda: tf.nn.moments(c(A), [0])[1], A.var(0)),
    "band_part": (lambda: tf.linalg.band_part(S, 0, -1), np.triu(S)),
    "shape": (lambda: tf.shape(A), [3, 4]),
    "add_n": (lambda: tf.add_n([c(A), c(A)]), A + A),
    "global_norm": (lambda: tf.clip_by_global_norm([c(A), None], 1.0)[0][0], A / np.linalg.norm(A)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    run, expected = FUNCTIONS[name]
    result = run()
    assert isinstance(result, tf.Tensor)
    np.testing.assert_allclose(result, expected, rtol=2e-4, atol=1e-5)


def test_random_is_repeatable():
    tf.random.set_seed(5)
    a = tf.random.normal([100], 2.0, 0.5)
    tf.random.set_seed(5)
    assert (tf.random.normal([100], 2.0, 0.5) == a).numpy().all() and abs(float(tf.reduce_mean(a)) - 2) < 0.3
    u = tf.random.uniform([50], 3, 7, dtype=tf.int32)
    assert u.dtype is tf.int32 and 3 <= int(tf.reduce_min(u)) and int(tf.reduce_max(u)) < 7


def test_nest():
    structure = {"b": (1, [2]), "a": 3}
    assert tf.nest.flatten(structure) == [3, 1, 2]
    assert tf.nest.pack_sequence_as(structure, [30, 10, 20]) == {"b": (10, [20]), "a": 30}
    assert tf.nest.map_structure(lambda x, y: x + y, structure, structure) == {"b": (2, [4]), "a": 6}
    with pytest.raises(ValueError, match="same number of elements"):
        tf.nest.assert_same_structure([1, 2], [1])
    with pytest.raises(TypeError, match="sequence type"):
        tf.nest.assert_same_structure([1], (1,))
    with pytest.raises(ValueError, match="3 leaves"):
        tf.nest.pack_sequence_as(structure, [1])


@pytest.mark.parametrize(
    "check",
    [
        lambda: tf.debugging.assert_equal(c(1.0), 2.0),
        lambda: tf.debugging.assert_near(c(1.0), 1.1),
        lambda: tf.debugging.assert_rank(c(1.0), 1),
        lambda: tf.debugging.check_numerics(c(float("nan")), "here"),
        lambda: tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("n", "n"))]),
        lambda: tf.debugging.assert_positive(c(0.0)),
    ],
)
def test_debugging(check):
    with pytest.raises(ValueError):
        check()


def test_import_is_light():
    code = (
        "import sys, reel.tf as tf; import reel.tfe; heavy = {'numpy', 'asyncio', 'unittest'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_errors_of_the_core_have_tensorflows_members():
    """Also those that C++ makes: message, error_code, and an index out of range is an invalid argument."""
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        tf.gather(c([1, 2]), [5])
    error = info.value
    assert error.message == str(error) and error.error_code == tf.errors.INVALID_ARGUMENT
    assert error.op is None and error.node_def is None and error.experimental_payloads == {}
    assert not isinstance(error, tf.errors.OutOfRangeError)
    own = tf.errors.NotFoundError("node", "op", "what is wrong")
    assert (own.node_def, own.op, own.message, str(own)) == ("node", "op", "what is wrong", "what is wrong")
    assert "test_tf_basics.py" in tf.errors.AbortedError("a text alone").message


def test_lazy_modules_are_what_keras_has():
    assert tf.losses is tf.keras.losses and tf.initializers is tf.keras.initializers and tf.metrics is tf.keras.metrics
    assert tf.optimizers is tf.keras.optimizers and tf.version.VERSION == tf.__version__
    assert tf.zeros_initializer()([2]).numpy().tolist() == [0, 0]
