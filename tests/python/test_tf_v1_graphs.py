"""tf.compat.v1: graphs, names, scopes and collections. What is expected was printed by TensorFlow 2.21."""

import re

import numpy as np
import pytest

import reel.tf as tf

v1 = tf.compat.v1


def graph(f):
    """f in a graph of its own."""
    with v1.Graph().as_default() as g:
        return f(g)


def types(g):
    return [(n.name, n.type) for n in g.get_operations()]


def test_names_and_types_of_operations():
    def f(g):
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        y = x * 2.0 + 1.0
        tf.reduce_sum(tf.square(y))
        tf.nn.relu(x)
        tf.add(x, x, name="both")
        tf.constant(1.0)
        tf.constant(2.0)
        return types(g)

    assert graph(f) == [
        ("x", "Placeholder"),
        ("mul/y", "Const"),
        ("mul", "Mul"),
        ("add/y", "Const"),
        ("add", "AddV2"),
        ("Square", "Square"),
        ("Sum", "Sum"),
        ("Relu", "Relu"),
        ("both", "AddV2"),
        ("Const", "Const"),
        ("Const_1", "Const"),
    ]


def test_what_an_operation_says():
    def f(g):
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        y = x * 2.0
        assert [t.name for t in y.op.inputs] == ["x:0", "mul/y:0"] and y.op.outputs == [y]
        assert y.op.type == "Mul" and y.op.name == y.op.node_def.name == "mul" and y.op.graph is g
        assert x.consumers() == [y.op] and y.op.control_inputs == [] and x.op.get_attr("dtype") is tf.float32
        assert str(y) == 'Tensor("mul:0", shape=(None, 3), dtype=float32)' and y.name == "mul:0"
        assert repr(y) == "<tf.Tensor 'mul:0' shape=(None, 3) dtype=float32>"
        assert repr(y.op) == "<tf.Operation 'mul' type=Mul>"
        assert g.get_tensor_by_name("mul:0") is y and g.get_operation_by_name("mul") is y.op
        assert g.as_graph_element("x:0") is x and g.version == len(g.get_operations()) == 3
        with tf.control_dependencies([y]):
            assert tf.constant(1.0).op.control_inputs == [y.op]

    graph(f)


LOOKUPS = {
    "tensor": (lambda g: g.get_tensor_by_name("nope:0"), KeyError, "refers to a Tensor which does not exist"),
    "operation": (lambda g: g.get_operation_by_name("nope"), KeyError, "refers to an Operation not in the graph"),
    "index": (lambda g: g.get_tensor_by_name("c:1"), KeyError, "exists but only has 1 outputs"),
    "no_index": (lambda g: g.get_tensor_by_name("c"), ValueError, "refers to an Operation, not a Tensor"),
    "no_text": (lambda g: g.get_tensor_by_name(3), TypeError, "Tensor names are strings"),
    "object": (lambda g: g.as_graph_element(3), TypeError, "Can not convert a int into a Tensor or Operation"),
}


@pytest.mark.parametrize("case", LOOKUPS)
def test_lookups_that_fail(case):
    f, error, text = LOOKUPS[case]

    def run(g):
        tf.constant(1.0, name="c")
        with pytest.raises(error, match=re.escape(text)):
            f(g)

    graph(run)


def test_shapes():
    def f(g):
        x, any_shape = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.float32)
        assert str(any_shape) == 'Tensor("Placeholder_1:0", dtype=float32)' and any_shape.shape.rank is None
        assert (any_shape * 2).shape.rank is None and tf.reduce_sum(any_shape).shape == []
        assert tf.matmul(x, tf.ones([3, 2])).shape.as_list() == [None, 2]
        assert tf.reshape(x, [-1]).shape.as_list() == [None] and tf.shape(x).shape == [2]
        assert tf.concat([x, x], 1).shape.as_list() == [None, 6] and x[0].shape == [3]
        assert (x + tf.ones([4, 3])).shape.as_list() == [4, 3]
        assert tf.reshape(x, [tf.shape(x)[0], 3, 1]).shape.as_list() == [None, 3, 1]
        any_shape.set_shape([2, 3])
        assert any_shape.shape == [2, 3]
        with pytest.raises(ValueError, match="Dimension 1 in both shapes must be equal, but are 3 and 4"):
            any_shape.set_shape([2, 4])

    graph(f)


MISTAKES = {
    "shapes": (lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), ValueError, "2, ?3"),
    "sum": (lambda: v1.placeholder(tf.float32, [2]) + v1.placeholder(tf.float32, [3]), ValueError, r"2"),
    "bool": (lambda: bool(tf.constant(1.0) > 0), TypeError, "as a Python `bool` is not allowed"),
    "iterating": (lambda: list(tf.constant([1.0, 2.0])), TypeError, "Iterating over a symbolic `tf.Tensor`"),
    "numpy": (lambda: np.array(tf.constant(1.0)), NotImplementedError, "Cannot convert a symbolic tf.Tensor"),
    "attribute": (lambda: tf.constant(1.0).numpy(), AttributeError, "numpy"),
    "length": (lambda: len(tf.constant([1.0])), TypeError, "len is not well defined for a symbolic Tensor"),
    "predicate": (lambda: tf.cond(True, lambda: 1.0, lambda: 2.0), TypeError, "Python bool"),
    "branches": (
        lambda: tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(1)),
        TypeError,
        "types",
    ),
    "eval": (lambda: tf.constant(1.0).eval(), ValueError, "No default session is registered"),
    "invariant": (
        lambda: tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [tf.ones([2])]),
        ValueError,
        "shape_invariants",
    ),
    "no_shape": (lambda: v1.get_variable("v"), ValueError, "its `shape` argument must be specified"),
    "twice": (lambda: [v1.get_variable("v", [2]) for _ in "ab"], ValueError, "Variable v already exists, disallowed"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_while_a_graph_is_built(case):
    f, error, text = MISTAKES[case]

    def run(g):
        with pytest.raises(error, match=text):
            f()

    graph(run)


def test_tensors_of_another_graph():
    other = graph(lambda g: tf.constant(1.0))
    with v1.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(other, tf.constant(1.0))


def test_finished_graphs_stay_as_they_are():
    def f(g):
        x = tf.constant(1.0)
        g.finalize()
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            x + x
        with v1.Session() as session:
            assert session.run(x) == 1.0

    graph(f)


def test_scopes():
    def f(g):
        with v1.name_scope("a") as a:
            x = tf.constant(1.0)
            with v1.name_scope("b"):
                y = tf.constant(1.0)
            with v1.variable_scope("c") as scope:
                v, z, q = v1.get_variable("v", [1]), tf.constant(1.0), tf.Variable(1.0, name="q")
        with v1.name_scope("a") as again:
            w = tf.constant(2.0)
        with v1.name_scope(a):
            k = tf.constant(2.0, name="kk")
        with v1.variable_scope("c", reuse=True):
            shared = v1.get_variable("v", [1])
        with v1.variable_scope(scope, reuse=True):
            same = v1.get_variable("v", [1])
        made = []
        for _ in range(2):
            with v1.variable_scope(None, default_name="d"):
                made.append(v1.get_variable("v", [1]).name)
        with v1.name_scope(None):
            plain = tf.constant(1.0)
        assert (a, again) == ("a/", "a_1/") and shared is v and same is v and made == ["d/v:0", "d_1/v:0"]
        names = [t.name for t in (x, y, v, z, q, w, k, plain)]
        assert names == [
            "a/Const:0",
            "a/b/Const:0",
            "c/v:0",
            "a/c/Const:0",
            "a/c/q:0",
            "a_1/Const:0",
            "a/kk:0",
            "Const:0",
        ]
        assert g.unique_name("a") == "a_2" and g.unique_name("a", mark_as_used=False) == "a_3"
        assert (scope.name, scope.original_name_scope) == ("c", "a/c/")

    graph(f)


def test_variable_scopes_share_and_refuse():
    def f(g):
        v1.get_variable("v", [2])
        with (
            v1.variable_scope("", reuse=True),
            pytest.raises(ValueError, match=r"specified shape \(3,\) and found shape"),
        ):
            v1.get_variable("v", [3])
        with v1.variable_scope("a", reuse=True), pytest.raises(ValueError, match="Variable a/v does not exist"):
            v1.get_variable("v", [2])
        with v1.variable_scope("b", reuse=v1.AUTO_REUSE):
            assert v1.get_variable("v", [2]) is v1.get_variable("v", [2])
        with v1.variable_scope("c", initializer=v1.constant_initializer(3.0), dtype=tf.float64) as scope:
            first = v1.get_variable("v", [2])
            scope.reuse_variables()
            assert v1.get_variable("v", [2]) is first and first.dtype is tf.float64
        calls = []

        def getter(inner, name, *args, **kwargs):
            calls.append(name)
            return inner(name, *args, **kwargs)

        with v1.variable_scope("e", custom_getter=getter):
            v1.get_variable("v", [2])
        assert calls == ["e/v"]
        template = v1.make_template("t", lambda x: x * v1.get_variable("w", []))
        template(1.0), template(2.0)
        assert [v.name for v in v1.global_variables() if v.name.startswith("t")] == ["t/w:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(first).tolist() == [3.0, 3.0]

    graph(f)


def test_collections():
    def f(g):
        v1.add_to_collection("k", 1)
        v = v1.get_variable("v", [1], regularizer=lambda x: tf.reduce_sum(x) * 0.5)
        w = v1.get_variable("w", [1], trainable=False, collections=[v1.GraphKeys.LOCAL_VARIABLES])
        assert v1.get_collection("k") == [1] and v1.local_variables() == [w]
        assert v1.trainable_variables() == [v] == v1.global_variables()
        assert len(v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)) == 1
        assert v1.get_collection("variables", scope="x") == [] and v1.get_collection_ref("new") == []
        assert set(g.get_all_collection_keys()) >= {"k", "variables", "trainable_variables", "local_variables"}

    graph(f)


def test_registered_gradients_of_operations():
    @tf.RegisterGradient("TestTripled")
    def tripled(op, dy):
        assert op.type == "Square" and len(op.inputs) == 1
        return 3.0 * dy * op.inputs[0]

    def f(g):
        x = tf.constant([1.0, 2.0])
        with g.gradient_override_map({"Square": "TestTripled"}):
            y = tf.square(x)
        z = tf.square(x)
        with v1.Session() as session:
            assert session.run([tf.gradients(y, x)[0], tf.gradients(z, x)[0], y])[0].tolist() == [3.0, 6.0]
            assert session.run(tf.gradients(z, x)[0]).tolist() == [2.0, 4.0]

    graph(f)


def test_the_default_graph():
    v1.reset_default_graph()
    assert v1.get_default_graph() is v1.get_default_graph()
    try:
        v1.disable_eager_execution()
        x = tf.constant(2.0)
        assert x.graph is v1.get_default_graph() and not tf.executing_eagerly()
        with v1.Session() as session:
            assert session.run(x * x) == 4.0 and v1.get_default_session() is session
    finally:
        v1.enable_eager_execution()
    assert tf.executing_eagerly() and float(tf.constant(2.0)) == 2.0
    v1.reset_default_graph()


def test_a_seed_of_slices_without_dense_shape_has_that_of_y():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32)
        dy = tf.IndexedSlices(v1.placeholder(tf.float32), v1.placeholder(tf.int32))
        (dx,) = v1.gradients(tf.identity(x), x, grad_ys=dy)
        got = session.run(dx, {x: [1.0, 3.0], dy.indices: [0], dy.values: [2.0]})
    assert got.tolist() == [2.0, 0.0]


def test_a_placeholder_whose_value_counts_must_be_fed():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        v = v1.get_variable("v", initializer=0.0)
        session.run(v.initializer)
        both = v1.gradients(x * 2.0, x)[0], v.assign_add(1.0)
        for _ in range(3):
            session.run(both)
        assert session.run(v) == 3.0  # each run assigns once
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value for placeholder"):
            session.run(v1.gradients(x * x, x)[0])
