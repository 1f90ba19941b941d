"""The ways in which a case is evaluated: in a trace, in a graph of version 1, and its derivatives of three orders."""

import contextlib

import numpy as np

from tf_value import described, error_of, given, tensors_of, total, weights


def traced(tf, body, tensors, mode, static):
    """The body in a tf.function; in mode "unknown" of unknown extents. `static` takes the shapes of what it gives."""
    specs = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in tensors.values()]

    @tf.function(autograph=False, input_signature=specs if mode == "unknown" else None)
    def run(*inputs):
        value = body(**dict(zip(tensors, inputs)))
        static[:] = [x.shape.as_list() if x.shape.rank is not None else None for x in tensors_of(tf, value)]
        return value

    return lambda **inputs: run(*inputs.values())


def evaluate_graph(tf, case, made):
    """What a case gives in a graph of version 1: values, shapes as the graph knows them, and gradients."""
    v1, feed, result = tf.compat.v1, {}, {}
    with v1.Graph().as_default(), v1.Session() as sess:
        try:
            scope = {"tf": tf, "np": np, "v1": v1, "sess": sess, "feed": feed}
            for name, (kind, array, dtype) in made.items():
                if kind == "T":
                    extents = [array.shape, [None] * array.ndim, None][int(case.options.get("open", "0"))]
                    scope[name] = v1.placeholder(getattr(tf, dtype), extents, name=name)
                    feed[scope[name]] = array
                else:
                    scope[name] = array if kind == "N" else v1.Variable(array, dtype=getattr(tf, dtype), name=name)
            for statement in case.statements:
                exec(statement, scope)
            value = eval(case.expression, scope)
            sess.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            result["value"], result["shapes"] = fetched(tf, sess, value, feed)
        except Exception as error:
            return {"value": error_of(error)}
        names = [n for n, m in made.items() if m[0] != "N" and m[2].startswith(("float", "complex", "bfloat"))]
        leaves = [x for x in tf.nest.flatten(value) if v1.is_tensor(x) and (x.dtype.is_floating or x.dtype.is_complex)]
        if case.options.get("grads") == "0" or not names or not leaves:
            return result
        try:
            shapes = sess.run([tf.shape(x) for x in leaves], feed)
            seeds = [np.cos(np.arange(np.prod(s, dtype=int)) + 1.0 + i).reshape(s) for i, s in enumerate(shapes)]
            seeds = [tf.cast(tf.constant(s), x.dtype) for s, x in zip(seeds, leaves)]
            found = v1.gradients(leaves, [scope[n] for n in names], grad_ys=seeds)
            found, shapes = fetched(tf, sess, dict(zip(names, found)), feed)
            result["grads"] = found
        except Exception as error:
            result["grads"] = error_of(error)
    return result


def fetched(tf, sess, value, feed):
    """What a session gives for tensors and operations in a structure, as JSON, and the shapes that the graph knows."""
    shapes = []

    def fetch(x):
        if isinstance(x, tf.IndexedSlices):
            x = tf.convert_to_tensor(x)
        if not hasattr(x, "graph"):
            return x
        if hasattr(x, "dtype"):
            shapes.append(str(x.shape))
            kept = sess.run(tf.cast(x, tf.float32) if x.dtype == tf.bfloat16 else x, feed)
            return {**described(tf, np.asarray(kept)), "dtype": x.dtype.base_dtype.name}
        sess.run(x, feed)
        return "Operation"

    def walk(x):
        if isinstance(x, dict):
            return {str(k): walk(v) for k, v in x.items()}
        if isinstance(x, (list, tuple)) and not isinstance(x, tf.TensorShape):
            return [walk(v) for v in x]
        found = fetch(x)
        return found if isinstance(found, dict) and "dtype" in found else described(tf, found)

    return walk(value), shapes


def in_order(tf, loss, sources, taken):
    """[{name: gradient}, or None] of three orders by taken(k, loss, sources); an error ends it."""
    found = []
    for k in range(3):
        if loss is None:
            found.append(None)
            continue
        try:
            gradients = taken(k, loss, list(sources.values()))
            gradients = [tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in gradients]
            loss = total(tf, [g for g in gradients if g is not None], 2.0 + k)
            found.append(dict(zip(sources, gradients)))
        except Exception as error:
            return [*found, error_of(error)]
    return found


def by_tapes(tf, run, sources):
    """The orders by three tapes, one in the other."""
    with contextlib.ExitStack() as stack:
        tapes = [stack.enter_context(tf.GradientTape()) for _ in range(3)]
        for tape in tapes:
            tape.watch([x for x in sources.values() if isinstance(x, tf.Tensor)])
        loss = total(tf, run(**sources), 1.0)

        def taken(k, loss, xs):
            tapes[2 - k].__exit__(None, None, None)
            return tapes[2 - k].gradient(loss, xs)

        return in_order(tf, loss, sources, taken)


def by_gradients(tf, run, sources):
    """The orders by tf.gradients, in a trace or a graph."""
    return in_order(tf, total(tf, run(**sources), 1.0), sources, lambda k, loss, xs: tf.gradients(loss, xs))


def by_accumulators(tf, run, sources):
    """Forward, forward over reverse, reverse over forward, forward over forward."""
    moving = {n: x for n, x in sources.items() if x.dtype.is_floating or x.dtype.is_complex}
    along = [weights(tf, x, 5.0) for x in moving.values()]

    def accumulator(phase=0):
        return tf.autodiff.ForwardAccumulator(list(moving.values()), [t * (1 + phase) for t in along])

    def forward():
        with accumulator() as moved:
            y = total(tf, run(**sources), 1.0)
        return None if y is None else moved.jvp(y)

    def reverse():
        with tf.GradientTape() as tape:
            tape.watch([x for x in sources.values() if isinstance(x, tf.Tensor)])
            y = total(tf, run(**sources), 1.0)
        found = [] if y is None else tape.gradient(y, list(moving.values()))
        return [tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in found]

    def forward_over_reverse():
        with accumulator() as moved:
            found = reverse()
        return [g if g is None else moved.jvp(g) for g in found]

    def reverse_over_forward():
        with tf.GradientTape() as tape:
            tape.watch([x for x in sources.values() if isinstance(x, tf.Tensor)])
            y = forward()
        return None if y is None else tape.gradient(y, list(moving.values()))

    def forward_over_forward():
        with accumulator(0.5) as moved:
            y = forward()
        return None if y is None else moved.jvp(y)

    return [guarded(f) for f in (forward, forward_over_reverse, reverse_over_forward, forward_over_forward)]


def guarded(f):
    """f(), or its error."""
    try:
        return f()
    except Exception as error:
        return error_of(error)


def in_function(tf, way, run, sources):
    """A way inside a tf.function."""
    errors = []

    @tf.function(autograph=False)
    def traced(given):
        found = way(tf, run, {**sources, **given})
        errors[:] = [x for x in found if x and "error" in x]
        return [x for x in found if not (x and "error" in x)]

    return traced({n: x for n, x in sources.items() if isinstance(x, tf.Tensor)}) + errors


def in_session(tf, run, made):
    """The orders by tf.gradients in a graph of version 1."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        found = by_gradients(tf, run, {n: given(tf, m) for n, m in made.items() if m[0] == "T"})
        return [
            x if not x or "error" in x else {n: g if g is None else session.run(g) for n, g in x.items()} for x in found
        ]


def derivatives(tf, case):
    """What a case gives with mode=derivatives: way -> three orders, each {input: derivative} or an error."""
    made = case.arrays()
    inputs = {name: given(tf, m) for name, m in made.items()}
    scope = {"tf": tf, "np": np, **inputs}

    def run(**replaced):
        return eval(case.expression, {**scope, **replaced})

    try:
        for statement in case.statements:
            exec(statement, scope)
        result = {"value": described(tf, run())}
    except Exception as error:
        return {"value": error_of(error)}
    sources = {n: x for n, x in inputs.items() if made[n][0] != "N"}
    for i, w in enumerate(scope["l"].trainable_weights if "l" in scope else ()):
        sources[f"w{i}"] = w if isinstance(w, tf.Variable) else w.value

    def tensors_of(xs):
        return {n: x for n, x in xs.items() if isinstance(x, tf.Tensor)}

    called = tf.function(lambda given: run(**given), autograph=False)
    ways = {
        "tapes": lambda: by_tapes(tf, run, sources),
        "tapes inside": lambda: in_function(tf, by_tapes, run, sources),
        "tapes outside": lambda: by_tapes(tf, lambda **xs: called(tensors_of(xs)), sources),
        "forward": lambda: by_accumulators(tf, run, sources),
        "gradients": lambda: in_function(tf, by_gradients, run, sources),
    }
    if not case.statements and all(m[0] != "V" for m in made.values()):
        ways["graph"] = lambda: in_session(tf, run, made)
    names = case.options["ways"].strip('"').split(", ") if "ways" in case.options else ways
    return result | {name: described(tf, guarded(ways[name])) for name in names}
