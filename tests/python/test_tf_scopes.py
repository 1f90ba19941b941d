"""init_scope, names, graphs of concrete functions, registered gradients: what the recorded cases cannot hold."""

import threading

import pytest

import reel
import reel.tf as tf

v1 = tf.compat.v1


def test_init_scope_runs_at_once():
    v, calls = tf.Variable(1.0), []

    @tf.function
    def f(x):
        with tf.init_scope():
            assert tf.executing_eagerly()
            calls.append(float(v.assign_add(1.0).value()))
        assert not tf.executing_eagerly()
        return v * x

    assert [float(f(tf.constant(3.0))) for _ in range(3)] == [6.0, 6.0, 6.0]
    assert calls == [2.0]
    with tf.GradientTape() as tape:
        with tf.init_scope():
            y = v * v
    assert tape.gradient(y, v) is None and not tape.watched_variables()


def test_init_scope_takes_no_traced_tensor():
    @tf.function
    def f(x):
        with tf.init_scope():
            return x + 1.0

    with pytest.raises(reel.Error, match="symbolic|traced"):
        f(tf.constant(1.0))
    assert float(tf.function(lambda x: x + 1.0)(tf.constant(1.0))) == 2.0  # nothing is left suspended


def test_name_scopes_belong_to_their_thread():
    names = []
    with tf.name_scope("outer"):
        thread = threading.Thread(target=lambda: names.append(tf.Variable(1.0, name="v").name))
        thread.start()
        thread.join()
        names.append(tf.Variable(1.0, name="v").name)
    assert names == ["v:0", "outer/v:0"]


def test_graph_of_a_concrete_function():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")

    @tf.function
    def layer(x, *, scale=2.0):
        y = tf.nn.relu(x @ v) * scale
        return {"y": y, "s": tf.cond(tf.reduce_sum(y) > 0.0, lambda: y, lambda: -y)}

    concrete = layer.get_concrete_function(tf.TensorSpec([3, 2], tf.float32))
    graph = concrete.graph
    nodes = graph.as_graph_def(add_shapes=True).node
    assert [n.op for n in nodes[:2]] == ["Placeholder", "Variable"] and nodes[0].name == "x"
    known = {n.name for n in nodes}
    assert all(i.partition(":")[0] in known for n in nodes for i in n.input), nodes
    assert "f32[3,2]" in nodes[0].attr["type"] and "_output_shapes" in nodes[2].attr
    text = str(graph.as_graph_def())
    assert 'op: "contract"' in text and "library {" in text and text.count("node {") == len(nodes)
    first = graph.get_operations()[2]
    assert graph.get_operation_by_name(first.name).type == first.type
    with pytest.raises(KeyError, match="not in the graph"):
        graph.get_operation_by_name("nothing")
    with pytest.raises(ValueError, match="no attr named"):
        first.get_attr("nothing")
    assert graph.function.num_results == 2 and graph.num_arguments == 1
    assert concrete.trainable_variables[0] is v and graph.variables[0] is v
    assert concrete.structured_outputs["y"] == tf.TensorSpec([3, 2], tf.float32)


def test_concrete_functions_of_functions_that_make_variables_change_none():
    held = []

    @tf.function
    def count():
        if not held:
            held.append(tf.Variable(10))
        return held[0].assign_add(1).value()

    concrete = count.get_concrete_function()
    assert int(held[0]) == 10
    assert [int(concrete()), int(count())] == [11, 12]


def test_registered_gradients():
    from reel.tf import _registry

    def gradient(op, dy):
        return dy

    assert tf.RegisterGradient("ScopesTest")(gradient) is gradient
    assert _registry.lookup("ScopesTest") is gradient
    tf.no_gradient("ScopesTestNone")
    assert _registry.lookup("ScopesTestNone") is None
    with pytest.raises(KeyError, match="two gradient"):
        tf.no_gradient("ScopesTest")
    with pytest.raises(LookupError, match="No gradient is registered"):
        _registry.lookup("ScopesTestUnknown")


def test_custom_gradients_in_graphs():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])

        @tf.custom_gradient
        def square(a):
            return a * a, lambda dy: dy * 7.0

        y, z = square(x), tf.recompute_grad(lambda a: a * a * a)(x)
        assert session.run([y, *tf.gradients(y, [x]), *tf.gradients(z, [x])], {x: 3.0}) == [9.0, 7.0, 27.0]


def test_strategies_of_one_device():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        v = tf.Variable(2.0)

    @tf.function
    def step(x):
        context = tf.distribute.get_replica_context()
        assert context.num_replicas_in_sync == 1 and not tf.distribute.in_cross_replica_context()
        return context.all_reduce("SUM", v * x)

    assert float(strategy.reduce("SUM", strategy.run(step, args=(tf.constant(3.0),)), axis=None)) == 6.0
    assert tf.distribute.InputContext().get_per_replica_batch_size(8) == 8
    assert not tf.distribute.has_strategy()
    for devices in (["/cpu:0", "/cpu:1"], ["/gpu:0"]):
        with pytest.raises(NotImplementedError, match="one CPU|no device"):
            tf.distribute.MirroredStrategy(devices)
    with pytest.raises(AttributeError, match="refused"):
        tf.distribute.TPUStrategy  # noqa: B018
