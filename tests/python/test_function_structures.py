"""Arguments and results of compiled functions in structures: nested lists, tuples and dicts, arrays, slices."""

import collections
import gc
import random
import weakref

import numpy as np
import pytest

import reel
import reel.tf as tf

pytestmark = pytest.mark.parametrize("front", [reel, tf], ids=["reel", "tf"])


Two = collections.namedtuple("Two", "one two")


def tree_of(front, rng, depth):
    """Random nested arguments: tensors and numbers, in dicts whose keys stand in any order."""
    if depth == 0 or rng.random() < 0.2:
        n = rng.randrange(100)
        return n % 3 if rng.random() < 0.2 else front.ones(2) * float(n)
    items = [tree_of(front, rng, depth - 1) for _ in range(rng.randrange(1, 4))]
    make = [
        lambda: dict(zip(rng.sample("abcde", len(items)), items)),
        lambda: dict(zip(rng.sample([1, 2, 3, 4], len(items)), items)),
        lambda: collections.OrderedDict(zip(rng.sample("abcde", len(items)), items)),
        lambda: Two(items[0], items[-1]),
        lambda: tuple(items),
        lambda: items,
    ]
    return rng.choice(make + make[:1])()


def weighed(tree, weight=1.0):
    """A sum in which each leaf counts by its place."""
    if isinstance(tree, dict):
        return sum(weighed(v, weight * (2 + "abcde1234".index(str(k)))) for k, v in tree.items())
    if isinstance(tree, (list, tuple)):
        return sum(weighed(v, weight * (i + 3)) for i, v in enumerate(tree))
    return tree * weight


def with_other_values(front, rng, tree):
    """As another call has it: new containers and tensors."""
    if isinstance(tree, dict):
        return type(tree)((k, with_other_values(front, rng, v)) for k, v in tree.items())
    if isinstance(tree, (list, tuple)):
        items = [with_other_values(front, rng, v) for v in tree]
        return type(tree)(*items) if isinstance(tree, Two) else type(tree)(items)
    return tree if isinstance(tree, int) else front.ones(2) * float(rng.randrange(100))


@pytest.mark.parametrize("seed", range(4))
def test_nested_arguments_are_where_they_belong(front, seed):
    rng = random.Random(seed)

    def plain(*args, **kwargs):
        return weighed(args) + weighed(kwargs) + front.ones(2)

    compiled = front.function(plain)
    for _ in range(8):
        args = tuple(tree_of(front, rng, 3) for _ in range(rng.randrange(3)))
        kwargs = {k: tree_of(front, rng, 2) for k in rng.sample("abc", rng.randrange(3))}
        for _ in range(3):
            np.testing.assert_array_equal(compiled(*args, **kwargs).numpy(), plain(*args, **kwargs).numpy())
            args, kwargs = with_other_values(front, rng, args), with_other_values(front, rng, kwargs)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: ((x, x), {}),
        lambda x: (({"b": x, "a": x},), {}),
        lambda x: (({"b": {"d": x, "c": [x, (x, 1)]}, "a": None},), {}),
        lambda x: (([x, Two(x, "text")], 2.0), {}),
        lambda x: (({f"x{i}": x for i in range(40)},), {}),
        lambda x: ((), {"b": {"a": x}, "a": x}),
    ],
)
def test_calls_of_a_known_structure_need_no_python_code(front, make):
    f = front.function(lambda *args, **kwargs: weighed_leaves((args, kwargs)))
    if make(0)[1]:
        f = front.function(lambda a, b: weighed_leaves(((), {"a": a, "b": b})))
    for n in range(5):
        args, kwargs = make(front.ones(2) * float(n))
        assert f(*args, **kwargs).numpy()[0] == weighed_leaves((args, kwargs)).numpy()[0]
    assert f._take_hits() == 4


@pytest.mark.parametrize("seed", range(4))
def test_results_are_the_structure_that_was_returned(front, seed):
    rng = random.Random(seed)

    def like(tree, x):
        """The tree with tensors that are multiples of x; numbers stay."""
        if isinstance(tree, dict):
            return type(tree)((k, like(v, x)) for k, v in tree.items())
        if isinstance(tree, (list, tuple)):
            items = [like(v, x) for v in tree]
            return type(tree)(*items) if isinstance(tree, Two) else type(tree)(items)
        return tree if isinstance(tree, int) else x * tree

    for _ in range(6):
        tree = tree_of(front, rng, 3)
        f = front.function(lambda x, tree=tree: like(tree, x))
        for n in range(1, 4):
            x = front.ones(2) * float(n)
            assert_equal_trees(f(x), like(tree, x), numbers_are_tensors=front is tf)


def assert_equal_trees(a, b, numbers_are_tensors):
    if isinstance(b, int) and numbers_are_tensors:
        a = int(a)
    assert type(a) is type(b)
    if isinstance(b, dict):
        assert list(a) == list(b)
        for k in b:
            assert_equal_trees(a[k], b[k], numbers_are_tensors)
    elif isinstance(b, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert_equal_trees(x, y, numbers_are_tensors)
    elif isinstance(b, int):
        assert a == b
    else:
        np.testing.assert_array_equal(a.numpy(), b.numpy())


class Listed(list):
    pass


def test_results_of_other_types_are_made_anew_by_each_call(front):
    def f(x):
        late = collections.defaultdict(list, {"b": x, "a": [x + 1.0]})
        return Listed([x, late, (), {}, Two(None, x * 2.0)])

    compiled = front.function(f)
    results = [compiled(front.ones(()) * float(n)) for n in range(4)]
    for n, r in enumerate(results):
        assert type(r) is (list if front is tf else Listed) or type(r) is Listed
        assert type(r[1]) is collections.defaultdict and r[1].default_factory is list and list(r[1]) == ["b", "a"]
        assert [float(r[0]), float(r[1]["b"]), float(r[1]["a"][0]), float(r[4].two)] == [n, n, n + 1, 2 * n]
        assert r[2] == () and r[3] == {} and r[4].one is None
    assert len({id(r) for r in results}) == len({id(r[1]) for r in results}) == len({id(r[3]) for r in results}) == 4


def test_slices_among_results(front):
    table = front.Variable(front.ones((4, 2)))

    @front.function
    def f(i):
        with front.GradientTape() as tape:
            loss = front.take(table, i, axis=0) if front is reel else front.gather(table, i)
            loss = (reel.sum if front is reel else tf.reduce_sum)(loss * 3.0)
        return {"loss": loss, "g": [tape.gradient(loss, table)]}

    i = reel.asarray([2, 0, 2]) if front is reel else tf.constant([2, 0, 2])
    for _ in range(3):
        g = f(i)["g"][0]
        assert type(g) is front.IndexedSlices and g.shape == (4, 2)
        np.testing.assert_array_equal(g.indices.numpy(), [2, 0, 2])
        np.testing.assert_array_equal(g.values.numpy(), np.full((3, 2), 3.0))


def test_what_a_result_refers_to_goes_with_the_function(front):
    class Holder:
        pass

    def make():
        holder = Holder()
        # tf.function returns tensors and None alone: the tree has the function in a closure
        holder.f = front.function(lambda x: {"x": x, "holder": holder if front is reel else None})
        for n in range(3):
            holder.f(front.ones(()) * float(n))
        return weakref.ref(holder)

    died = make()
    gc.collect()
    assert died() is None


def test_arrays_are_arguments_without_python_code(front):
    f = front.function(lambda t: t["x"] * 2.0 + t["y"])
    rng = np.random.default_rng(3)
    for n in range(4):
        x, y = rng.standard_normal((3, 4), dtype=np.float32), rng.standard_normal(4, dtype=np.float32)
        got = f({"x": x, "y": y if n % 2 else front.ones(4) * 0.5})
        want = x * np.float32(2) + (y if n % 2 else np.float32(0.5))
        x[:] = 0  # each call has its own copy
        np.testing.assert_array_equal(got.numpy(), want)
    assert f._take_hits() == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(np.float64),
        lambda a: a.astype(np.float16),
        lambda a: a.astype(np.int32),
        lambda a: a.astype(">f4"),
        lambda a: a[::-1],
        lambda a: a.T,
        lambda a: np.asfortranarray(a),
        lambda a: a[:, :2],
        lambda a: a[:0],
        lambda a: a[0, 0],
        lambda a: np.float32(a[0, 0]),
        lambda a: np.ma.masked_array(a),
        lambda a: np.broadcast_to(a[:1], a.shape),
    ],
)
def test_other_arrays_are_what_they_are(front, change):
    f = front.function(lambda x: x + x)
    a = np.arange(9, dtype=np.float32).reshape(3, 3)
    for _ in range(3):
        for x in (a, change(a)):
            got, want = np.asarray(f(x)), np.asarray(x + x)
            np.testing.assert_array_equal(got, want)
            assert got.dtype == want.dtype.newbyteorder("=")


def weighed_leaves(tree):
    leaves = []

    def look(x):
        if isinstance(x, dict):
            x = [x[k] for k in sorted(x)]
        if isinstance(x, (list, tuple)):
            for y in x:
                look(y)
        elif isinstance(x, (reel.Tensor, tf.Tensor)):
            leaves.append(x)

    look(tree)
    return sum(x * float(i + 1) for i, x in enumerate(leaves))


def test_structures_that_look_alike_are_told_apart(front):
    f = front.function(lambda t: weighed_leaves(t) * (3.0 if isinstance(t, dict) and "b" in t else 1.0))
    one, two = front.ones(2), front.ones(2) * 2.0
    for _ in range(3):
        for tree, want in [
            ({"a": one, "b": two}, 15.0),
            ({"b": two, "a": one}, 15.0),
            ({"a": two, "b": one}, 12.0),
            ({"a": one, "c": two}, 5.0),
            ({"a": one}, 1.0),
            ([one, two], 5.0),
            ((one, two), 5.0),
            ([two, one], 4.0),
            ([one, [two]], 5.0),
            ([one, two, two], 11.0),
        ]:
            assert f(tree).numpy()[0] == want, tree


def test_named_arguments_are_those_that_their_names_say(front):
    traced = []

    @front.function
    def f(a, b, c=2.0, *, d, e=None):
        traced.append(1)
        d = d[0] if isinstance(d, list) else d["y"] - d["x"]
        return a + b * 10.0 + c * 100.0 + d * 1000.0 + (0.0 if e is None else e * 10000.0)

    for n in (1.0, 2.0, 3.0, 4.0):
        x = [front.ones(()) * (n + i) for i in range(5)]
        calls = [
            ((x[0], x[1]), {"d": [x[2]]}, [0, 1, None, 2, None]),
            ((x[0],), {"d": [x[2]], "b": x[1]}, [0, 1, None, 2, None]),
            ((), {"d": [x[2]], "b": x[0], "a": x[1]}, [1, 0, None, 2, None]),
            ((x[0],), {"e": x[4], "d": [x[1]], "c": x[3], "b": x[2]}, [0, 2, 3, 1, 4]),
            ((x[0], x[1], 5.0), {"d": {"y": x[3], "x": x[2]}}, [0, 1, 5.0, None, None]),
            ((x[0],), {"d": {"x": x[2], "y": x[3]}, "b": x[1], "c": 5.0}, [0, 1, 5.0, None, None]),
        ]
        for args, kwargs, places in calls:
            a, b, c, d, e = (n + p if isinstance(p, int) else p for p in places)
            want = a + 10 * b + 100 * (2 if c is None else c) + 1000 * (1 if d is None else d) + 10000 * (e or 0)
            assert float(f(*args, **kwargs)) == want, kwargs
    traces = len(traced)
    for args, kwargs, _ in calls:
        f(*args, **kwargs)
    assert len(traced) == traces and f._take_hits() == 4 * 6
