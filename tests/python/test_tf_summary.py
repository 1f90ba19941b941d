"""tf.summary: what is written, read again by a reader of its own; writers, steps and conditions as in TensorFlow."""

import struct

import pytest

import reel.tf as tf
from event_reader import events, first, values

summary = tf.summary


def written(writer):
    """(step, name) of everything in a writer's file, and the number of a scalar."""
    found = []
    for _, step, event in events(writer._file.path)[1:]:
        for value in values(event):
            number = first(value, 2)
            name = first(value, 1).decode()
            found.append((step, name, None if number is None else struct.unpack("<f", number)[0]))
    return found


def test_scalars_histograms_and_texts_are_written(tmp_path):
    writer = summary.create_file_writer(str(tmp_path), flush_millis=10, max_queue=2)
    with writer.as_default():
        assert summary.scalar("loss", 0.5, step=3)
        assert summary.scalar("loss", tf.constant(2), step=tf.constant(4, tf.int64))
        assert summary.histogram("weights", tf.constant([1.0, 2.0, 2.5]), step=4)
        assert summary.text("note", "hello", step=5)
    writer.close()
    assert [(step, name) for step, name, _ in written(writer)] == [
        (3, "loss"),
        (4, "loss"),
        (4, "weights"),
        (5, "note"),
    ]


def test_without_a_writer_nothing_is_written():
    assert not summary.scalar("loss", 0.5)
    assert not bool(summary.should_record_summaries())
    with summary.create_noop_writer().as_default(step=0):
        summary.scalar("loss", 0.5)
        assert bool(summary.should_record_summaries())


def test_steps(tmp_path):
    writer = summary.create_file_writer(tmp_path)
    step = tf.Variable(7, dtype=tf.int64)
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            summary.scalar("a", 1.0)
    with writer.as_default(step=2):
        summary.scalar("a", 1.0)
        summary.experimental.set_step(step)
        step.assign_add(1)
        summary.scalar("b", 1.0)
        with tf.name_scope("inside"):
            summary.scalar("c", 1.0, step=9)
    assert summary.experimental.get_step() is None
    writer.flush()
    assert [(step, name) for step, name, _ in written(writer)] == [(2, "a"), (8, "b"), (9, "inside/c")]


def test_conditions(tmp_path):
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default(step=0):
        for condition, expected in [(True, True), (False, False), (lambda: tf.constant(False), False)]:
            with summary.record_if(condition):
                assert bool(summary.should_record_summaries()) is expected
                assert bool(summary.scalar(f"{expected}", 1.0)) is expected
    writer.close()
    assert [name for _, name, _ in written(writer)] == ["True"]


def test_a_function_writes_at_every_call(tmp_path):
    writer = summary.create_file_writer(tmp_path)
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x):
        with summary.record_if(step % 2 == 0):
            summary.scalar("loss", x * 2.0, step=step)
        summary.histogram("x", x[None] * [1.0, 2.0], step=step)
        step.assign_add(1)
        return x

    with writer.as_default():
        for x in (1.0, 2.0, 3.0):
            train(tf.constant(x))
    writer.close()
    assert written(writer) == [
        (0, "loss", 2.0), (0, "x", None), (1, "x", None), (2, "loss", 6.0), (2, "x", None)
    ]  # fmt: skip


def test_a_closed_writer_is_no_default(tmp_path):
    writer = summary.create_file_writer(tmp_path)
    writer.close()
    writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        writer.as_default()


@pytest.mark.parametrize(
    "error, call",
    [
        (ValueError, lambda: summary.create_file_writer(None)),
        (NotImplementedError, lambda: summary.create_file_writer("x", filename_suffix=".v3")),
        (ValueError, lambda: summary.scalar("a", [1.0, 2.0], step=0)),
        (TypeError, lambda: summary.scalar(3, 1.0, step=0)),
        (NotImplementedError, lambda: summary.scalar("a", 1.0, step=0, description="words")),
        (NotImplementedError, lambda: summary.histogram("a", [1.0], step=0, buckets=10)),
        (NotImplementedError, lambda: summary.text("a", ["b"], step=0)),
        (AttributeError, lambda: summary.image),
        (AttributeError, lambda: summary.trace_on),
    ],
)
def test_what_cannot_be_served_is_refused(error, call):
    with pytest.raises(error):
        call()
