"""Strings among the arguments of tf.function: constants of a trace. What TensorFlow gives for tf.strings is in tf_cases."""

import pytest

import reel.tf as tf


@tf.function
def double(a):
    return a + a


def test_functions_are_traced_for_each_string():
    traced = []

    @tf.function
    def joined(a, x):
        traced.append(1)
        return a + tf.strings.as_string(tf.constant(7)), x + 1.0

    assert [t.numpy() for t in joined(tf.constant("a"), 1.0)] == [b"a7", 2.0]
    assert joined(tf.constant("a"), tf.constant(2.0))[1].numpy() == 3.0
    before = len(traced)
    joined(tf.constant("a"), tf.constant(3.0))
    assert len(traced) == before
    assert joined(tf.constant("b"), tf.constant(3.0))[0].numpy() == b"b7"


def test_concrete_functions_take_other_strings_of_the_shape():
    for spec in (tf.constant("a"), tf.TensorSpec([], tf.string)):
        f = double.get_concrete_function(spec)
        assert f(tf.constant("b")).numpy() == b"bb"
        assert f(a="c").numpy() == b"cc"
        with pytest.raises(tf.errors.InvalidArgumentError, match="strings of shape"):
            f(tf.constant(1))
        with pytest.raises(tf.errors.InvalidArgumentError, match="strings of shape"):
            f(tf.constant(["a", "b"]))


def test_numbers_that_are_traced_have_no_text():
    with pytest.raises(tf.errors.UnimplementedError, match="use tf.print"):
        tf.function(tf.strings.as_string)(tf.constant(1.0))


def test_strings_are_printed_in_quotes(capfd):
    tf.print(tf.constant("a"), tf.constant(["x", "y"]))
    tf.print("plain", tf.constant("a"))
    tf.print(tf.constant("a"))
    assert capfd.readouterr().err == '"a" ["x" "y"]\nplain "a"\na\n'
