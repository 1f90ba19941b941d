"""tf.compat.v1.Session: feeds, fetches, variables, order, branches and loops, what cannot be compiled."""

import collections
import re
import warnings

import numpy as np
import pytest

import reel.tf as tf

v1 = tf.compat.v1
Pair = collections.namedtuple("Pair", "a b")


@pytest.fixture
def session():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # all of these are compiled, unless a test says otherwise
        with v1.Graph().as_default(), v1.Session() as s:
            yield s


def test_structures_of_fetches(session):
    x = tf.constant(1.0, name="c")
    assert session.run({"a": x, "b": [x, (x, Pair(x, x))], "o": x.op}) == {
        "a": 1.0,
        "b": [1.0, (1.0, Pair(1.0, 1.0))],
        "o": None,
    }
    assert session.run(["c:0", "c"]) == [1.0, None] and session.run([]) == []
    assert isinstance(session.run(x), np.float32) and session.run(tf.constant([1.0])).flags.writeable


FAILS = {
    "none": (lambda s, x: s.run([None]), TypeError, "Argument `fetch` = None"),
    "number": (lambda s, x: s.run(3), TypeError, "invalid type"),
    "name": (lambda s, x: s.run("nope:0"), ValueError, "cannot be interpreted as a Tensor"),
    "not_fed": (
        lambda s, x: s.run(x * 2),
        tf.errors.InvalidArgumentError,
        "You must feed a value for placeholder tensor 'x'",
    ),
    "shape": (
        lambda s, x: s.run(x, {x: [1.0]}),
        ValueError,
        r"Cannot feed value of shape (1,) for Tensor x:0, which has shape (2,)",
    ),
    "tensor": (
        lambda s, x: s.run(x, {x: tf.constant([1.0, 2.0])}),
        TypeError,
        "The value of a feed cannot be a tf.Tensor",
    ),
    "key": (lambda s, x: s.run(x, {3: 3}), TypeError, "Cannot interpret feed_dict key as Tensor"),
    "name_of_a_feed": (lambda s, x: s.run(x, {"y:0": 3}), TypeError, "Cannot interpret feed_dict key as Tensor"),
    "text": (lambda s, x: s.run(x, {x: ["a", "b"]}), ValueError, "could not convert"),
    "partial": (lambda s, x: s.partial_run_setup([x]), NotImplementedError, "run all fetches at once"),
}


@pytest.mark.parametrize("case", FAILS)
def test_what_cannot_be_run(session, case):
    f, error, text = FAILS[case]
    x = v1.placeholder(tf.float32, [2], name="x")
    with pytest.raises(error, match=re.escape(text)):
        f(session, x)


def test_fetches_of_other_graphs(session):
    tf.constant(1.0)
    with v1.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        session.run(other)
    with pytest.raises(TypeError, match="is not an element of this graph"):
        session.run(tf.constant(1.0), {other: 1.0})


def test_closed_and_empty_sessions():
    with v1.Graph().as_default():
        s = v1.Session()
        with pytest.raises(RuntimeError, match="The Session graph is empty"):
            s.run([])
        x = tf.constant(1.0)
        with s:
            assert x.eval() == 1.0
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            s.run(x)


def test_feeds_of_any_tensor(session):
    x = v1.placeholder(tf.int32, [], name="x")
    y = x * 2
    assert session.run(y, {"x:0": 3}) == 6 and session.run(y, {x: 1.5}) == 2 and session.run(y + 1, {y: 10}) == 11
    default = v1.placeholder_with_default([1.0, 2.0], [None])
    assert session.run(default * 2).tolist() == [2.0, 4.0] and session.run(default * 2, {default: [3.0]}).tolist() == [
        6.0
    ]
    both = session.make_callable([y, y + 1], [x])
    assert both(5) == [10, 11]
    v = v1.get_variable("v", [2])
    assert session.run(v, {v: [1.0, 2.0]}).tolist() == [1.0, 2.0]  # v + 1.0 reads it again, as in TensorFlow


def test_shapes_that_are_values(session):
    x, shape = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.int32, [2])
    by_shape = tf.reshape(x, [tf.shape(x)[0] // 2, 2])
    assert by_shape.shape.as_list() == [None, 2]
    assert session.run(by_shape, {x: [1.0, 2.0, 3.0, 4.0]}).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    fed = tf.reshape(x, shape)
    with pytest.warns(RuntimeWarning, match="could not be compiled"):
        assert session.run(fed, {x: [1.0, 2.0], shape: [2, 1]}).tolist() == [[1.0], [2.0]]
    assert session.run(fed, {x: [1.0, 2.0], shape: [1, 2]}).tolist() == [[1.0, 2.0]]


def test_variables_belong_to_sessions(session):
    v = v1.get_variable("v", [2], initializer=v1.zeros_initializer())
    w = tf.Variable([1.0, 2.0], name="w")
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
        session.run(v + 1.0)
    assert session.run(v1.report_uninitialized_variables()).tolist() == [b"v", b"w"]
    assert not session.run(v1.is_variable_initialized(v))
    assert session.run(v1.global_variables_initializer()) is None
    assert session.run(v1.is_variable_initialized(v)) and session.run(v1.report_uninitialized_variables()).size == 0
    session.run(v.assign([5.0, 6.0]))
    assert session.run(v).tolist() == [5.0, 6.0] and w.eval().tolist() == [1.0, 2.0]
    with v1.Session() as other, pytest.raises(tf.errors.FailedPreconditionError):
        other.run(v)
    v.load([7.0, 8.0], session)
    assert session.run(v).tolist() == [7.0, 8.0]
    assert repr(v) == "<tf.Variable 'v:0' shape=(2,) dtype=float32>" and v.op.type == "VarHandleOp"


def test_order_of_assignments(session):
    v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
    add = v.assign_add(2.0)
    with tf.control_dependencies([add]):
        after, read = v + 1.0, tf.identity(v)
    session.run(v.initializer)
    assert session.run([after, read]) == [3.0, 2.0]
    assert session.run([after, read]) == [5.0, 4.0] and session.run(v) == 4.0
    session.run(v1.group(add, v.assign_sub(1.0)))
    assert session.run(v) == 5.0
    assert session.run(v1.assign(v, 3.0)) == 3.0 and session.run(v1.assign_add(v, 1.0)) == 4.0
    first, second = v1.tuple([v.assign(1.0), tf.constant(2.0)])
    assert session.run(second) == 2.0 and session.run(v) == 1.0 and session.run(first) == 1.0


def test_rows_of_variables(session):
    v = v1.get_variable("v", [3, 2], initializer=v1.ones_initializer())
    session.run(v.initializer)
    assert session.run(v1.scatter_update(v, [0], [[5.0, 6.0]]))[0].tolist() == [5.0, 6.0]
    assert session.run(v1.scatter_add(v, [1, 1], [[1.0, 1.0], [2.0, 2.0]]))[1].tolist() == [4.0, 4.0]
    assert session.run(v1.scatter_nd_update(v, [[2, 0]], [9.0]))[2].tolist() == [9.0, 1.0]


def test_random_numbers_are_new_in_every_run(session):
    x = tf.random.normal([3])
    a, (b, c) = session.run(x), session.run([x, x + 0.0])
    assert (a != b).all() and (b == c).all()
    y = tf.nn.dropout(tf.ones([100]), 0.5)
    assert (session.run(y) != session.run(y)).any()


def test_branches_and_loops(session):
    x = v1.placeholder(tf.float32, [None])
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: -x)
    gy = tf.gradients(y, x)[0]
    assert [v.tolist() for v in session.run([y, gy], {x: [3.0, 1.0]})] == [[9.0, 1.0], [6.0, 2.0]]
    assert [v.tolist() for v in session.run([y, gy], {x: [-3.0, 1.0]})] == [[3.0, -1.0], [-1.0, -1.0]]
    n, z = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    assert session.run([n, z, tf.gradients(z, x)[0]], {x: [2.0]}) == [3, 16.0, 32.0]
    single = v1.while_loop(lambda i: i < 9, lambda i: i + 2, [tf.constant(0)])
    limit = v1.placeholder(tf.int32, [])
    limited = v1.while_loop(lambda i: i < 9, lambda i: i + 2, [tf.constant(0)], maximum_iterations=limit)
    assert session.run([single, limited], {limit: 2}) == [10, 4]
    nested = v1.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, s + v1.while_loop(lambda j: j < i, lambda j: j + 1, [tf.constant(0)])),
        [tf.constant(0), tf.constant(0)],
    )
    assert session.run(nested) == [3, 3]


def test_branches_that_assign(session):
    v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
    p = v1.placeholder(tf.bool, [])
    out = tf.cond(p, lambda: v.assign_add(1.0), lambda: v.assign_sub(1.0))
    session.run(v.initializer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [session.run(out, {p: x}) for x in (True, True, False)] == [1.0, 2.0, 1.0]
    assert session.run(v) == 1.0


def test_maps_and_scans(session):
    x, w = v1.placeholder(tf.float32, [None, 2]), v1.get_variable("w", [2], initializer=v1.ones_initializer())
    mapped, scanned = tf.map_fn(lambda row: row * w, x), tf.scan(lambda a, row: a + row, x)
    folded = tf.foldl(lambda a, row: a * row, x, initializer=tf.ones([2]))
    assert mapped.shape.as_list() == [None, 2] and folded.shape == [2]
    session.run(w.initializer)
    got = session.run([mapped, scanned, folded, tf.gradients(folded, x)[0]], {x: [[1.0, 2.0], [3.0, 4.0]]})
    assert got[0].tolist() == [[1.0, 2.0], [3.0, 4.0]] and got[1].tolist() == [[1.0, 2.0], [4.0, 6.0]]
    assert got[2].tolist() == [3.0, 8.0] and got[3].tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_gradients(session):
    x, w = v1.placeholder(tf.float32, [None]), v1.get_variable("w", [], initializer=v1.ones_initializer())
    session.run(w.initializer)
    y = x**3 * w
    g = tf.gradients(y, x)[0]
    gg = tf.gradients(g, [x, w])
    assert [v.tolist() for v in session.run([g, *gg], {x: [2.0]})] == [[12.0], [12.0], 12.0]
    a = w * 2.0
    b = a * a
    assert session.run(tf.gradients(b + a, [w, a])) == [10.0, 5.0]
    assert session.run(tf.gradients(b + a, [w], stop_gradients=[a], unconnected_gradients="zero")) == [0.0]
    assert tf.gradients(tf.constant(1.0), w) == [None]
    assert session.run(v1.gradients(b, a, grad_ys=[3.0], name="named", colocate_gradients_with_ops=True)) == [12.0]
    assert session.run(tf.hessians(b, w)[0]) == 8.0
    with pytest.raises(ValueError, match="Invalid `aggregation_method`"):
        tf.gradients(b, w, aggregation_method=9)


def test_gradients_of_lookups_are_slices(session):
    v = v1.get_variable("v", [4, 2], initializer=v1.ones_initializer())
    session.run(v.initializer)
    g = tf.gradients(tf.reduce_sum(tf.gather(v, [1, 1]) * 3.0), v)[0]
    assert isinstance(g, tf.IndexedSlices)
    values, indices, shape = session.run(g)
    assert values.tolist() == [[3.0, 3.0]] * 2 and indices.tolist() == [1, 1] and shape.tolist() == [4, 2]
    assert session.run(tf.convert_to_tensor(g)).tolist() == [[0.0, 0.0], [6.0, 6.0], [0.0, 0.0], [0.0, 0.0]]


def test_python_in_a_graph(session, capfd):
    x = v1.placeholder(tf.float32, [2])
    calls = []

    def double(a):
        calls.append(a.tolist())
        return a * np.float32(2)

    y = v1.py_func(double, [x * 1.0], tf.float32)
    y.set_shape([2])
    assert session.run([x + 1.0, y + 1.0], {x: [1.0, 2.0]})[1].tolist() == [3.0, 5.0] and calls == [[1.0, 2.0]]
    shown = v1.Print(x, [x, x * 2.0], "look: ", summarize=1)
    assert session.run(shown * 2.0, {x: [1.0, 2.0]}).tolist() == [2.0, 4.0]
    assert capfd.readouterr().err == "look: [1.0...][2.0...]\n"


def test_functions_and_custom_gradients_take_tensors_from_outside(session):
    x, w = tf.constant([1.0, 2.0]), tf.constant(3.0)

    @tf.custom_gradient
    def scaled(a):
        return a * w, lambda dy: dy * 7.0

    y = scaled(x)
    assert [v.tolist() for v in session.run([y, tf.gradients(y, x)[0]])] == [[3.0, 6.0], [7.0, 7.0]]
    z = tf.function(lambda a: a * w)(x)
    assert session.run(z).tolist() == [3.0, 6.0]


def test_interactive_sessions():
    with v1.Graph().as_default():
        s = v1.InteractiveSession()
        try:
            assert tf.constant(2.0).eval() == 2.0 and v1.get_default_session() is s
        finally:
            s.close()
        assert v1.get_default_session() is None


def test_programs_are_kept(session):
    x = v1.placeholder(tf.float32, [None])
    y = x * 2.0
    for n in (1, 2, 1, 2):
        session.run(y, {x: np.ones(n, "float32")})
    assert len(session._plans) == 2 and all(p.program is not None for p in session._plans.values())


def test_gradients_by_no_tensors_and_shapes_of_hessians(session):
    x = tf.constant([1.0, 2.0])
    assert v1.gradients(x * x, []) == []
    with pytest.raises(ValueError, match="must be known"):
        v1.hessians(x, v1.placeholder(tf.float32))


def test_arrays_of_tensors_in_loops(session):
    x = v1.placeholder(tf.float32, [2])

    def body(i, a, value):
        return i + 1, a.write(i, value), value * x

    array = tf.TensorArray(tf.float32, size=3)
    _, array, last = v1.while_loop(lambda i, a, v: i < 3, body, [tf.constant(0), array, tf.ones([2])])
    stacked = array.stack()
    assert stacked.shape == [3, 2] and array.size().shape == []
    got = session.run([stacked, last, array.read(2), tf.gradients(stacked[2], x)[0]], {x: [2.0, 3.0]})
    assert got[0].tolist() == [[1.0, 1.0], [2.0, 3.0], [4.0, 9.0]] and got[1].tolist() == [8.0, 27.0]
    assert got[2].tolist() == [4.0, 9.0] and got[3].tolist() == [4.0, 6.0]
    rows = tf.TensorArray(tf.float32, 2).unstack([[1.0, 2.0], [3.0, 4.0]])
    assert session.run([rows.read(1), rows.concat(), rows.gather([1, 0])])[1].tolist() == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(ValueError, match="its size is fixed"):
        tf.TensorArray(tf.float32, 0, dynamic_size=True)


def test_assertions_prints_and_callbacks(session, capfd):
    x = v1.placeholder(tf.float32, [2])
    with tf.control_dependencies([v1.assert_positive(x, message="look"), tf.print("x is", x)]):
        y = x * 2.0
    for _ in range(2):
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [2.0, 4.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="look"):
            session.run(y, {x: [1.0, -2.0]})
    assert capfd.readouterr().err.count("x is [1 2]") == 2
    called = tf.py_function(lambda t: t * t, [x], tf.float32)
    g = tf.gradients(called, x)[0]
    for n in (1.0, 2.0, 3.0):
        got = session.run([called + 1.0, g, tf.numpy_function(lambda t: t + 1, [x], tf.float32)], {x: [n, 0.0]})
        assert [v.tolist() for v in got] == [[n * n + 1, 1.0], [2 * n, 0.0], [n + 1, 1.0]]
    far = tf.gather(x, v1.placeholder_with_default(5, []))
    with pytest.raises(tf.errors.OpError, match="index 5 is out of range"):
        session.run(far, {x: [1.0, 2.0]})


def test_values_that_say_shapes_and_texts(session):
    x, k = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.int32, [])
    places = tf.where(x > 0)
    assert places.shape.as_list() == [None, 1] and session.run(tf.constant("text")) == b"text"
    with pytest.warns(RuntimeWarning, match="could not be compiled"):
        assert session.run(places, {x: [1.0, -1.0, 2.0]}).tolist() == [[0], [2]]
    chosen = tf.switch_case(k, [lambda: x * 1.0, lambda: x * 2.0])
    assert [session.run(chosen[0], {x: [1.0, 0.0, 0.0], k: i}) for i in range(3)] == [1.0, 2.0, 2.0]
    cased = tf.case([(x[0] > 0, lambda: 1.0), (x[1] > 0, lambda: 2.0)], default=lambda: 3.0)
    assert [session.run(cased, {x: v}) for v in ([1, 1, 0], [0, 1, 0], [0, 0, 0])] == [1.0, 2.0, 3.0]


def test_gradients_inside_of_branches_and_loops(session):
    p, x = v1.placeholder(tf.bool, []), tf.constant(10.0)
    y = 7.0 * x
    branch = tf.cond(p, lambda: tf.gradients(y * y, [x])[0], lambda: x * 3.0)
    assert [session.run(branch, {p: v}) for v in (True, False)] == [980.0, 30.0]
    a = tf.constant(5.0)
    squared = a * a

    def body(i, total):
        return i + 1, total + tf.gradients(tf.constant([1.0, 2.0, 3.0]) * squared, a)[0]

    _, total = v1.while_loop(lambda i, _: i < 10, body, [tf.constant(0), tf.constant(0.0)])
    assert session.run(total) == 600.0

    def inner(j, z):
        return j + 1, tf.gradients(tf.cond(z < 1, lambda: 2 * z, lambda: z), z)[0]

    def outer(i, z):
        return i + 1, v1.while_loop(lambda j, _: j < 3, inner, [0, 0.0])[1]

    assert session.run(v1.while_loop(lambda i, _: i < 3, outer, [0, 0.0])) == [3, 1.0]
    v = tf.Variable(3.0)
    session.run(v.initializer)
    n, w = v1.while_loop(
        lambda i, _: i < 3, lambda i, z: (i + 1, z * tf.gradients(v * v * z, z)[0]), [tf.constant(0), tf.constant(1.0)]
    )
    assert session.run([n, w, tf.gradients(w, v)[0]]) == [3, 729.0, pytest.approx(6 * 243.0)]


def test_cases_that_exclude_each_other(session):
    x = v1.placeholder(tf.float32, [])
    chosen = tf.case([(x > 0, lambda: 1.0), (x > 1, lambda: 2.0)], default=lambda: 3.0, exclusive=True)
    sure = tf.case([(x > 0, lambda: 1.0), (x < 0, lambda: 2.0)])
    assert [session.run([chosen, sure], {x: v}) for v in (0.5, -1.0)] == [[1.0, 1.0], [3.0, 2.0]]
    for tensor, value, text in ((chosen, 2.0, "more than one condition is true"), (sure, 0.0, "no condition is true")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(tensor, {x: value})


def test_what_is_made_in_a_branch_stays_there(session):
    made = []
    out = tf.cond(tf.constant(1.0) > 0, lambda: made.append(tf.constant(2.0) * 3.0) or made[0], lambda: 1.0)
    with pytest.raises(ValueError, match="out of scope"):
        made[0] + 1.0
    with pytest.raises(ValueError, match="not fetchable"):
        session.run(made[0])
    assert session.run(out) == 6.0
