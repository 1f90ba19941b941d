"""Methods of tensors and variables beside NumPy's of the same names, and their tables for notebooks."""

import html.parser

import numpy as np
import pytest

import reel

A = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
I = np.array([[3, 1, 2], [0, 5, 4]], np.int32)

# (method, arguments, keywords)
CALLS = [
    *[(m, a, k) for m in ("sum", "mean", "prod", "std", "var") for a, k in [
        ((), {}), ((1,), {}), ((), {"axis": -1}), ((), {"axis": (0, 2), "keepdims": True}), ((0,), {"dtype": "float64"}),
    ]],
    *[(m, a, k) for m in ("max", "min", "all", "any") for a, k in [
        ((), {}), ((1,), {}), ((), {"axis": (0, 2), "keepdims": True}), ((), {"axis": 0, "out": None}),
    ]],
    *[(m, a, k) for m in ("argmax", "argmin") for a, k in [((), {}), ((1,), {}), ((), {"axis": -1, "keepdims": True})]],
    *[(m, a, k) for m in ("cumsum", "cumprod") for a, k in [((), {}), ((1,), {}), ((), {"axis": 0, "dtype": "float64"})]],
    ("std", (), {"ddof": 1}), ("var", (), {"axis": 1, "ddof": 1}), ("var", (), {"ddof": 0.5}),
    ("round", (), {}), ("round", (2,), {}), ("round", (), {"decimals": -1}),
    ("clip", (-0.5, 0.5), {}), ("clip", (), {"min": 0.0}), ("clip", (None, 0.0), {}), ("clip", (), {"max": 0.25}),
    ("transpose", (), {}), ("transpose", (None,), {}), ("transpose", (2, 0, 1), {}), ("transpose", ((1, 0, 2),), {}),
    ("swapaxes", (0, -1), {}), ("flatten", (), {}), ("ravel", (), {}), ("squeeze", (), {}),
    ("repeat", (2,), {}), ("repeat", (2, 1), {}), ("repeat", ([1, 2],), {"axis": 0}),
    ("take", ([0, 5],), {}), ("take", ([1, 0], 0), {}), ("take", (1,), {"axis": -1}),
    ("argsort", (), {}), ("argsort", (0,), {}), ("conj", (), {}), ("reshape", (4, 6), {}), ("reshape", ((-1, 2),), {}),
    ("astype", ("int32",), {}), ("tolist", (), {}),
]  # fmt: skip


@pytest.mark.parametrize("method, arguments, keywords", CALLS)
def test_methods_are_numpys(method, arguments, keywords):
    for values in (A, I):
        if values is I and (
            method in ("swapaxes", "round", "mean", "std", "var") or "axis" in keywords or len(arguments) > 0
        ):
            continue
        want = getattr(values, method)(*arguments, **keywords)
        for x in (reel.asarray(values), reel.Variable(values)):
            got = getattr(x, method)(*arguments, **keywords)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
            assert np.shape(got) == np.shape(want)


def test_sort_gives_a_new_tensor():
    x = reel.asarray(I)
    np.testing.assert_array_equal(x.sort(), np.sort(I))
    np.testing.assert_array_equal(x.sort(0, descending=True), np.sort(I, 0)[::-1])
    np.testing.assert_array_equal(x, I)


def test_squeeze():
    x = reel.ones((1, 3, 1))
    assert x.squeeze().shape == (3,) and x.squeeze(0).shape == (3, 1) and x.squeeze((0, -1)).shape == (3,)
    with pytest.raises(reel.Error):
        x.squeeze(1)


def test_builtins():
    x = reel.asarray([-1.256, 2.5])
    np.testing.assert_array_equal(round(x), [-1, 2])
    np.testing.assert_allclose(round(x, 2), [-1.26, 2.5])
    np.testing.assert_allclose(abs(reel.Variable(x)), [1.256, 2.5])
    assert isinstance(round(x), reel.Tensor)


def test_integers_keep_numpys_dtypes():
    x = reel.asarray(I)
    assert x.sum().dtype == reel.int64 and x.cumsum().dtype == reel.int64 and x.max().dtype == reel.int32
    assert x.any().dtype == reel.bool and x.round().dtype == reel.int32


def test_methods_differentiate():
    x = reel.Variable([1.0, -2.0, 3.0])
    with reel.GradientTape() as tape:
        y = (x.clip(0).sum() + x.mean() + x.std(ddof=1) * 0 + x.cumsum()[-1] + x.max()).sum()
    np.testing.assert_allclose(tape.gradient(y, x), np.array([1, 0, 1]) + 1 / 3 + 1 + np.array([0, 0, 1]), rtol=1e-6)


def test_methods_of_slices():
    table = reel.Variable(reel.ones((4, 2)))
    with reel.GradientTape() as tape:
        y = reel.sum(reel.take(table, [1, 1], axis=0))
    assert float(tape.gradient(y, table).sum()) == 4


@pytest.mark.parametrize("f", [np.sum, np.mean, np.max, np.min, np.std, np.var, np.prod, np.all, np.any, np.cumsum,
                               np.round, np.squeeze, np.transpose, np.argmax, np.clip])  # fmt: skip
def test_numpys_functions_call_them(f):
    more = (0.0, 1.0) if f is np.clip else ()
    got = f(reel.asarray(A), *more)
    assert isinstance(got, reel.Tensor)
    np.testing.assert_allclose(got, f(A, *more), rtol=1e-5, atol=1e-6)


def test_nothing_is_written_to():
    with pytest.raises(reel.Error, match="sum: tensors are immutable, so `out` must be None"):
        reel.ones((2,)).sum(out=np.zeros(()))
    assert reel.sum(reel.ones(2)).item() == 2


def test_tensors_of_tf_have_tensorflows_methods_alone():
    import reel.tf as tf

    for x in (tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])):
        assert not hasattr(x, "mean") and not hasattr(x, "sum") and not hasattr(x, "_repr_html_")
        assert isinstance(np.mean(x), np.floating)


# --- tables for notebooks ---


class Cells(html.parser.HTMLParser):
    """Rows of a table and its caption."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.caption, self.open = [], "", []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] == "caption":
            self.caption += data
        else:
            self.rows[-1][-1] += data


@pytest.mark.parametrize(
    "x, caption, rows",
    [
        (reel.asarray(2.5), "Tensor float32 []", [["2.5"]]),
        (reel.asarray([True, False]), "Tensor bool [2]", [["True", "False"]]),
        (reel.asarray(I), "Tensor int32 [2, 3]", [["3", "1", "2"], ["0", "5", "4"]]),
        (reel.asarray([[1.5, 100.0]]), "Tensor float32 [1, 2]", [["1.5", "100."]]),
        (reel.asarray([1 + 1j, 10.25 + 100j]), "Tensor complex64 [2]", [["1.    +1.j", "10.25+100.j"]]),
        (reel.asarray([1.0, 2.0], dtype="bfloat16"), "Tensor bfloat16 [2]", [["1.", "2."]]),
        (reel.zeros((0, 3)), "Tensor float32 [0, 3]", []),
        (reel.arange(8).reshape(2, 2, 2), "Tensor int64 [2, 2, 2]", [["0", "1"], ["2", "3"], [""], ["4", "5"], ["6", "7"]]),
        (reel.Variable([1.0], name="<b>"), "Variable '<b>' float32 [1]", [["1."]]),
    ],
)  # fmt: skip
def test_html(x, caption, rows):
    cells = Cells(x._repr_html_())
    assert cells.caption == caption
    assert cells.rows == rows


def test_html_of_large_tensors_is_cut_as_their_text_is():
    cells = Cells(reel.zeros((2000, 2000))._repr_html_())
    assert len(cells.rows) == 7 and cells.rows[3] == ["…"]
    assert cells.rows[0] == ["0."] * 3 + ["…"] + ["0."] * 3


def test_html_of_traced_tensors_is_their_type():
    seen = []
    reel.trace(lambda x: seen.append((x * 2)._repr_html_()) or x, [reel.TensorSpec((2,))])
    assert seen == ["<pre>Tensor &lt;symbolic f32[2]&gt;</pre>"]


def test_html_is_no_read():
    v = reel.Variable([1.0])
    with reel.GradientTape() as tape:
        v._repr_html_()
    assert not tape.watched_variables()
