"""Autograph: attributes and items that traced loops and branches assign, and variables that only a loop gives a value."""

import pytest

import reel.tf as tf

c = tf.constant


def lists(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def items_in_a_loop(n):
    d = {"a": 0, "b": 1.0}
    for i in tf.range(n):
        d["a"] += i
        d["b"] *= 2.0
    return d


def item_of_a_list(n):
    x = [0, 1]
    for i in tf.range(n):
        x[1] = x[1] + i
    return x


def item_in_one_branch(n):
    x = [0, 1]
    if n > 2:
        x[0] = n
    return x


def new_item_in_both_branches(n):
    d = {"a": n}
    if n > 2:
        d["b"] = n * 2
    else:
        d["b"] = n
    return d


def inner_item(n):
    d = {"a": {"b": 1}}
    if n > 2:
        d["a"]["b"] = n
    else:
        d["a"]["b"] = n * 3
    return d


def item_by_a_variable(n):
    key, d = "a", {"a": 1}
    if n > 2:
        d[key] = n
    return d["a"]


def same_text(n):
    d = {"a": "x"}
    if n > 2:
        d["a"] = "y"
    else:
        d["a"] = "y"
    return n


class Thing:
    pass


def attribute(n):
    o = Thing()
    o.x = 0
    for i in tf.range(n):
        o.x = o.x + i
    return o.x


def only_in_the_loop(n):
    for i in tf.range(n):
        z = i * 2
    return z


def only_in_the_while(n):
    i = 0
    while i < n:
        i += 1
        z = tf.cast(i, tf.float32)
    return z, i


def only_in_the_inner_loop(n):
    for i in tf.range(n):
        for j in tf.range(i):
            z = i * j
    return z


def new_item_in_the_loop(n):
    d = {}
    for i in tf.range(n):
        d["x"] = i
    return d["x"]


def assigned_in_the_test(n):
    s = 0
    while (s := s + 1) < n:
        pass
    return s


RESULTS = [  # TensorFlow 2.21's; assigned_in_the_test is Python's
    (items_in_a_loop, 3, {"a": 3, "b": 8.0}),
    (item_of_a_list, 3, [0, 4]),
    (item_in_one_branch, 3, [3, 1]),
    (item_in_one_branch, 0, [0, 1]),
    (new_item_in_both_branches, 3, {"a": 3, "b": 6}),
    (new_item_in_both_branches, 0, {"a": 0, "b": 0}),
    (inner_item, 3, {"a": {"b": 3}}),
    (inner_item, 1, {"a": {"b": 3}}),
    (item_by_a_variable, 3, 3),
    (item_by_a_variable, 0, 1),
    (same_text, 3, 3),
    (attribute, 3, 3),
    (only_in_the_loop, 3, 4),
    (only_in_the_while, 3, (3.0, 3)),
    (only_in_the_inner_loop, 3, 2),
    (new_item_in_the_loop, 3, 2),
    (assigned_in_the_test, 3, 3),
]


@pytest.mark.parametrize("f, n, result", RESULTS, ids=lambda x: getattr(x, "__name__", None))
def test_results_are_those_of_tensorflow(f, n, result):
    assert lists(tf.function(f)(c(n))) == result


@pytest.mark.parametrize("f", [only_in_the_loop, only_in_the_while, only_in_the_inner_loop, new_item_in_the_loop])
def test_a_loop_that_gives_a_variable_its_value_must_run(f):
    with pytest.raises(tf.errors.InvalidArgumentError, match="has no value without an iteration"):
        tf.function(f)(c(0))


def test_an_item_of_one_branch_has_no_value():
    def f(n):
        d = {"a": 1}
        if n > 2:
            d["b"] = n
        return d

    with pytest.raises(ValueError, match=r"d\['b'\].* is assigned in one branch only"):
        tf.function(f)(c(3))


class Model:
    def __init__(self):
        self.total, self.last = tf.constant(0), 0

    @tf.function
    def add(self, n):
        self.total = tf.constant(0)
        for i in tf.range(n):
            self.total += i
        return self.total

    @tf.function
    def choose(self, n):
        self.last = 0
        if n > 2:
            self.last = n
        return self.last


def test_attributes_of_self():
    m = Model()
    assert lists([m.add(c(4)), m.choose(c(4)), m.choose(c(1))]) == [6, 4, 0]


def test_dtypes_that_differ_are_a_type_error():
    def f(x):
        if x > 0:
            z = 1
        else:
            z = 2.0
        return z

    with pytest.raises(TypeError, match="'z' is int32"):
        tf.function(f)(c(1.0))


def test_shape_invariants_name_a_tensor_and_its_shape():
    def f(n):
        x = tf.zeros([2])
        for i in tf.range(n):  # noqa: B007
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = x + 1.0
        return x

    def grows(n):
        x = tf.zeros([1])
        for i in tf.range(n):  # noqa: B007
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [1.0]], 0)
        return x

    assert lists(tf.function(f)(c(3))) == [3.0, 3.0]
    with pytest.raises(ValueError, match=r"'x' is float32\[1\] before the loop and float32\[2\] after"):
        tf.function(grows)(c(3))


@pytest.mark.parametrize(
    "f",
    [
        lambda n: tf.range(n) * 2,
        lambda n: 2.0 - tf.range(n),
        lambda n: n * tf.range(n),
        lambda n: tf.range(n)[0],
        lambda n: tf.range(n) < 3,
        lambda n: tf.range(n).shape,
        lambda n: len(tf.range(n)),
        lambda n: tf.reduce_sum(tf.range(n)),
        lambda n: tf.range(n),
    ],
)
def test_a_range_of_a_traced_number_says_what_to_write(f):
    with pytest.raises(tf.errors.OpError, match=r"tf.range\(most\) < n, or pass the number to the tf.function"):
        tf.function(f, autograph=False)(c(3))
