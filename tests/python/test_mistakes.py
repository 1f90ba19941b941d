"""The mistakes that are made most: one paragraph each that says what, where and what to do; kept in mistakes.txt.

Each function makes its mistake in the line that ends in `# here`. `python test_mistakes.py` writes the file anew.
"""

import pathlib
import re
import sys
import threading

import numpy as np
import pytest

import reel
import reel.tf as tf
import reel.typing

GOLDEN = pathlib.Path(__file__).with_name("mistakes.txt")


def taped(f, *xs, watch=True, **options):
    """A tape and what f gives of these constants inside it."""
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape(**options) as tape:
        if watch:
            tape.watch(xs)
        y = f(*xs)
    return (tape, y, *xs)


# --- tapes ---


def tape_used_twice():
    tape, y, x = taped(lambda x: x * x, 3.0)
    tape.gradient(y, x)
    tape.gradient(y, x)  # here


def jacobian_row_by_row_without_persistent():
    tape, y, x = taped(lambda x: x * x, [1.0, 2.0])
    tape.jacobian(y, x, experimental_use_pfor=False)  # here


def batch_jacobian_of_a_vector():
    tape, y, x = taped(lambda x: x * x, [1.0, 2.0])
    tape.batch_jacobian(y, x)  # here


def batch_jacobian_of_other_batches():
    tape, y, x = taped(tf.transpose, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tape.batch_jacobian(y, x)  # here


def target_is_none():
    tape, _, x = taped(lambda x: print(end=""), 3.0)
    tape.gradient(None, x)  # here


def target_is_an_array():
    tape, y, x = taped(lambda x: np.mean(x**2), [1.0, 2.0])
    tape.gradient(y, x)  # here


def source_is_a_name():
    tape, y, x = taped(lambda x: x * x, 3.0)
    tape.gradient(y, "x")  # here


def unknown_option_for_unconnected():
    tape, y, x = taped(lambda x: x * x, 3.0)
    tape.gradient(y, x, unconnected_gradients="zeros")  # here


def wrong_number_of_seeds():
    tape, y, x = taped(lambda x: [x * x, x], 3.0)
    tape.gradient(y, x, output_gradients=[tf.constant(1.0)])  # here


def seed_of_another_shape():
    tape, y, x = taped(lambda x: x * x, [1.0, 2.0])
    tape.gradient(y, x, output_gradients=tf.ones([3]))  # here


def watch_an_array():
    with tf.GradientTape() as tape:
        tape.watch(np.ones(2))  # here


def tape_not_entered():
    tape = tf.GradientTape()
    tape.watch(tf.constant(1.0))  # here


def tape_entered_inside_itself():
    with tf.GradientTape() as tape:
        with tape:  # here
            pass


def symbolic_gradients_when_eager():
    x = tf.constant(3.0)
    tf.gradients(x * x, x)  # here


# --- None, explained ---


def constant_not_watched():
    tape, y, x = taped(lambda x: x * x, 3.0, watch=False)
    return tape.explain_none(y, x)


def integers_have_no_gradient():
    tape, y, x = taped(lambda x: x * x, 3)
    return tape.explain_none(y, x)


def computed_outside_of_the_tape():
    v = tf.Variable(2.0)
    y = v * v
    with tf.GradientTape() as tape:
        v * 3.0
    return tape.explain_none(y, v)


def computed_on_another_thread():
    v, out = tf.Variable(2.0), []
    with tf.GradientTape() as tape:
        thread = threading.Thread(target=lambda: out.append(v * v))
        thread.start()
        thread.join()
    return tape.explain_none(out[0], v)


def variable_replaced_by_a_tensor():
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        explained = tape.explain_none(y, x)
        x = x + 1  # should be x.assign_add(1)
    return explained


def state_stops_gradients():
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    return tape.explain_none(y, x0)


def not_trainable():
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    return tape.explain_none(y, v)


def stopped_by_an_op():
    tape, y, x = taped(lambda x: tf.floor(x) * 2.0, 3.5)
    return tape.explain_none(y, x)


# --- traces ---


def leaked_tensor():
    kept = []
    tf.function(lambda x: kept.append(x * 2) or x)(tf.constant(1.0))
    kept[0] + 1.0  # here


def variable_made_at_every_call():
    f = tf.function(lambda x: tf.Variable(1.0) * x)
    f(tf.constant(1.0))  # here


def if_on_a_traced_value():
    @reel.function
    def f(x):
        if reel.sum(x) > 0:  # here
            return x
        return -x

    f(reel.ones((2,)))


def loop_over_a_traced_value():
    @reel.function
    def f(x):
        while x < 10:  # here
            x = x * 2
        return x

    f(reel.asarray(1.0))


def numpy_of_a_traced_tensor():
    @tf.function
    def f(x):
        return np.sum(x.numpy())  # here

    f(tf.constant([1.0, 2.0]))


def float_of_a_traced_tensor():
    @tf.function(autograph=False)
    def f(x):
        return x * float(x)  # here

    f(tf.constant(2.0))


def int_of_a_traced_tensor():
    reel.function(lambda n: reel.zeros((int(n),)))(reel.asarray(3))  # here


def item_of_a_traced_tensor():
    reel.function(lambda x: x.item())(reel.asarray(1.0))  # here


def complex_of_a_traced_tensor():
    reel.function(lambda x: complex(x))(reel.asarray(1.0))  # here


def format_of_a_traced_tensor():
    reel.function(lambda x: print(f"{x:.3f}"))(reel.asarray(1.0))  # here


def list_indexed_by_a_traced_tensor():
    reel.function(lambda i: [1.0, 2.0][i])(reel.asarray(1))  # here


def in_a_traced_tensor():
    reel.function(lambda x: 3 in x)(reel.ones((2,)))  # here


def branches_of_two_structures():
    tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: (x, x)))(tf.constant(1.0))  # here


def loop_that_changes_a_shape():
    @tf.function
    def f(x):
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: [tf.concat([y, y], 0)], [x])  # here

    f(tf.constant([1.0]))


def argument_that_cannot_be_hashed():
    reel.function(lambda x, options: x)(reel.ones((2,)), {1, 2})  # here


def argument_against_the_signature():
    f = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([2], tf.float32)])
    f(tf.constant([1, 2]))  # here


def too_many_arguments():
    tf.function(lambda x: x)(tf.constant(1.0), tf.constant(2.0))  # here


# --- ops, optimizers, gradients of one's own ---


def shapes_do_not_add():
    tf.ones([2, 3]) + tf.ones([4])  # here


def shapes_do_not_multiply():
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))  # here


def dtypes_do_not_mix():
    tf.constant(1) * tf.constant(2.0)  # here


def labels_as_floats():
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0.0, 1.0], logits=tf.ones([2, 3]))  # here


def no_gradient_for_any_variable():
    v = tf.Variable(1.0)
    tf.keras.optimizers.SGD(0.1).apply_gradients([(None, v)])  # here


def gradient_of_another_shape():
    v = tf.Variable([1.0, 2.0])
    tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.ones([3]), v)])  # here


def custom_gradient_of_too_few():
    f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: dy * y))
    tape, z, x, y = taped(f, 2.0, 3.0)
    tape.gradient(z, [x, y])  # here


def custom_gradient_without_variables():
    w = tf.Variable(2.0, name="weight")
    f = tf.custom_gradient(lambda x: (x * w, lambda dy: dy * w))
    f(tf.constant(1.0))  # here


def custom_gradient_without_a_function():
    tf.custom_gradient(lambda x: x * 2)(tf.constant(1.0))  # here


def assigned_another_shape():
    tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])  # here


# --- options ---


def option_without_effect():
    reel.nn.Embedding(10, 4, use_bias=False)  # here


def misspelt_option_of_a_layer():
    reel.nn.Conv2D(8, 3, kernel_initializer=0.5)  # here


def misspelt_hyperparameter():
    reel.optim.Adam(lr=0.1)  # here


def misspelt_option_of_a_checkpoint():
    reel.Checkpoint("run", max_to_keep=3, step=0)  # here


def misspelt_option_of_a_keras_layer():
    tf.keras.layers.Dense(2, use_bais=False)  # here


def keras_option_that_reel_has_not():
    tf.keras.layers.Dense(2, lora_rank=4)  # here


def misspelt_option_of_a_variable_in_a_graph():
    with tf.compat.v1.Graph().as_default():
        tf.compat.v1.Variable(1.0, nmae="v")  # here


def shared_layer_of_version_1():
    tf.compat.v1.layers.dense(tf.ones([1, 2]), 2, reuse=True)  # here


# --- calls that do not fit ---


def misspelt_argument():
    reel.sum(reel.ones((2, 2)), axes=0)  # here


def argument_of_pytorch():
    reel.mean(reel.ones((2, 2)), 0, keepdim=True)  # here


def argument_of_a_method():
    reel.ones((2, 2)).sum(dim=0)  # here


def option_of_pytorch():
    reel.nn.Dense(8, bias=False)  # here


def units_of_pytorch():
    reel.nn.Dense(out_features=8)  # here


def rate_of_pytorch():
    reel.nn.Dropout(p=0.1)  # here


def heads_of_keras():
    reel.nn.MultiHeadAttention(8, num_heads=2)  # here


def weight_decay_of_sgd():
    reel.optim.SGD(0.1, wieght_decay=0.1)  # here


def argument_without_a_name():
    reel.exp(x=1.0)  # here


def argument_given_twice():
    reel.mean(reel.ones((2, 2)), 0, axis=0)  # here


def too_many_arguments_of_an_op():
    reel.sum(reel.ones((2, 2)), 0, None, True)  # here


def missing_argument():
    reel.reshape(reel.ones((2, 2)))  # here


def argument_of_another_type():
    reel.nn.Dense("8")  # here


def misspelt_activation():
    reel.nn.Dense(8, "rellu")  # here


def misspelt_initializer():
    reel.nn.Dense(8, kernel_init="he_norml")  # here


def misspelt_dtype():
    reel.zeros((2,), dtype="flaot32")  # here


def misspelt_padding():
    reel.nn.max_pool2d(reel.ones((1, 4, 4, 1)), 2, padding="smae")  # here


def misspelt_mode():
    reel.pad(reel.ones((2,)), 1, mode="refelct")  # here


# --- words: an extent that is not given, in Python's terms ---


def extent_of_an_op_of_another():
    reel.trace(lambda x: reel.argmax(x), [reel.TensorSpec((reel.Dim("n", 1, 64),))])  # here


def extents_of_an_export():
    f = reel.trace(lambda x: reel.mean(x), [reel.TensorSpec((reel.Dim("n", 1, 100000),))])
    reel.export(f, "/nonexistent/extents")  # here


def plan_of_a_symbolic_function():
    f = reel.trace(lambda x: x * 2, [reel.TensorSpec((reel.Dim("n", 1, 64),))])
    reel.compile(f).plan()  # here


def profile_without_profiling():
    reel.compile(reel.trace(lambda x: x * 2, [reel.TensorSpec((2,))])).profile()  # here


MISTAKES = {
    f.__name__: f for f in list(globals().values()) if callable(f) and f.__module__ == __name__ and f is not taped
}


def line_of(f):
    """The line marked `# here` of a mistake."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    return next((n for n, line in enumerate(lines, 1) if n > f.__code__.co_firstlineno and line.endswith("# here")), 0)


def text_of(f):
    """What a user reads: the error's class and text, or the explanation; lines of this file by the name LINE."""
    try:
        text = f()
        assert text is not None, f.__name__ + " makes no mistake"
        return re.sub(r"\S*test_mistakes.py:\d+", "test_mistakes.py:LINE", text)
    except reel.Error as error:
        return f"{type(error).__name__}: {error}".replace(f"{__file__}:{line_of(f)}", "test_mistakes.py:LINE")


def all_texts():
    return "".join(f"{name}\n    {text_of(f)}\n\n" for name, f in MISTAKES.items())


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    text = text_of(MISTAKES[name])
    golden = dict(entry.split("\n    ", 1) for entry in GOLDEN.read_text().strip().split("\n\n"))
    assert text == golden[name]
    assert "test_mistakes.py:LINE" in text and "\n" not in text and len(text) < 700
    # Nothing is left over: no tape or trace listens, and gradients go on.
    assert not reel._core._observed()
    tape, y, x = taped(lambda x: x * x, 3.0)
    assert float(tape.gradient(y, x)) == 6.0
    assert float(tf.function(lambda x: x * x)(x)) == 9.0


# --- what the library says is said in Python's words ---

ROOT = pathlib.Path(__file__).parents[2]
# Texts that no user of Python reads, by a part of their file's path.
OTHERS = {
    "frontend/cli/": "the program's own",
    "frontend/onnx/ops/": "names of ops",
    "codegen/library/make": "C++ that is written",
    "codegen/aot/": "C that is written",
    "codegen/lower/machine.cc": "names of LLVM's passes",
}
# Texts that Python says in its own words before, or that only C++ can ask for.
OWN = [
    "which has no BitwiseXor",  # operators of ONNX, in the table that EXPORT.md is made of
    "of integers Bitwise",
    "; Einsum where symbolic extents",
    "whole numbers of 64 bits by MatMul",
    "add a parameter (const std::vector<Variable>& ",  # custom_gradient_without_variables
    "; a TapeScope is for another one",  # Python's tapes are entered by `with`
    "use data<",  # of elements: Python has arrays
    "the function must take one to four tensors, or const std::vector",  # static_assert
    "the gradient must take (const Tensor& dy), or (const std::vector",  # static_assert
    "there are several results, and may take (const std::vector",  # static_assert
    "the function must return a Tensor, or a tuple or vector of them",  # static_assert
    "assign what ",  # a null executable
]
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FOREIGN = re.compile(r"\w::\w|\{\.\w|\bk[A-Z]\w+|(?:^|[ (`])--[a-z]|\w+Options\b|\w>\(\)|shape\(\)")
HUMPS = re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b")
ADVICE = re.compile(r"(?:; |, or |use |with )([A-Z][a-z]+)\b(?! [A-Z])")


def literals():
    """Texts of the C++ sources, those that stand side by side as one: (place, text)."""
    for folder in ("frontend", "ir", "passes", "codegen", "runtime"):
        for path in sorted(ROOT.joinpath(folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".cc", ".h") or any(part in name for part in OTHERS):
                continue
            code = re.sub(r"^\s*(//.*|#.*)$", "", path.read_text(), flags=re.M)
            if name.startswith("frontend/python/"):  # the others are names and signatures
                code = "\n".join(re.findall(r"Throw\w+\([^;]*;", code))
            code = re.sub(r"'\\?\"'", "''", code)  # a character
            code = re.sub(r'"\s*\n\s*"', "", code)
            for text in LITERAL.findall(code):
                yield name, text


def names_of_cpp():
    """Functions and classes of the public headers."""
    code = "".join(re.sub(r"//.*", "", h.read_text()) for h in ROOT.joinpath("frontend/reel").glob("*.h"))
    return set(re.findall(r"\b[A-Z]\w+(?=\(|\b)", code))


def names_of_python():
    places = [reel, reel.nn, reel.optim, reel.linalg, reel.random, tf, tf.keras.layers, reel.typing]
    return {name for place in places for name in dir(place)}


def test_texts_have_python_words():
    cpp, python, wrong, seen = names_of_cpp(), names_of_python(), [], 0
    for place, text in literals():
        seen += 1
        said = reel._core._in_python(text)
        if any(own in text for own in OWN) or " " not in text.strip():
            continue
        foreign = FOREIGN.findall(said)
        foreign += [w for w in HUMPS.findall(said) + ADVICE.findall(said) if w in cpp and w not in python]
        if foreign:
            wrong.append(f"{place}: {foreign}: {said}")
    assert seen > 3000
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text, said",
    [
        ("dense: needs floats; Cast it to kFloat32 (a.py:3)", "dense: needs floats; cast it to float32 (a.py:3)"),
        ("variable 'Cast' is Cast", "variable 'Cast' is cast"),
        ('node "Reshape" of op "Cast": wrong', 'node "Reshape" of op "Cast": wrong'),
        ("Broadcast and Casts stay, Cast goes (Cast.py:1)", "Broadcast and Casts stay, cast goes (Cast.py:1)"),
        ("axis 0 (Cast)", "axis 0 (cast)"),
        ('is open ("b"); give it: OnnxOptions::dims or --dim b=8', 'is open ("b"); give it: dims b=8'),
    ],
)
def test_words_are_put_in_place_of_others(text, said):
    assert reel._core._in_python(text) == said


CASES = pathlib.Path("/usr/share/libonnx-testdata/data/node")  # of libonnx-testdata


@pytest.mark.skipif(not CASES.is_dir(), reason="no libonnx-testdata")
def test_import_onnx_says_what_to_give():
    path = str(CASES / "test_reshape_negative_dim" / "model.onnx")
    with pytest.raises(reel.Error, match=r"give that as a constant \(constants shape=array\)"):
        reel.import_onnx(path)
    module = reel.import_onnx(path, constants={"shape": np.array([2, -1, 2])})
    assert reel.compile(module)("main", np.zeros((2, 3, 4), np.float32)).shape == (2, 6, 2)


def test_there_are_thirty_of_them():
    assert len(MISTAKES) >= 30


if __name__ == "__main__":
    GOLDEN.write_text(all_texts())
    sys.stdout.write(all_texts())
