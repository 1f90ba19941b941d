"""The table of TensorFlow's names (tf_names.py) and reel.tf: neither says anything that the other does not."""

import re

import pytest

import reel.tf as tf
import tf_names
from reel.tf import _refused


@pytest.fixture(scope="module")
def found():
    return tf_names.table(tf)


def test_no_name_got_lost(found):
    assert not tf_names.lost(found)


def test_names_md_is_what_is_there(found):
    made, there = tf_names.page(found), tf_names.PAGE.read_text()
    changed = [line for line in made.splitlines() if line not in there.splitlines()][:20]
    assert made == there, "run tests/python/tf_names.py write; now:\n" + "\n".join(changed)


KNOWN = {f"{path}.{name}" for path, names in tf_names.recorded().items() for name in names}


def test_refused_names_are_tensorflows():
    for entry in _refused._WHY:
        head, star, tail = entry.partition("*")
        assert entry in KNOWN if not star else any(_refused._fits(n, (head, tail)) for n in KNOWN), entry


def test_refused_names_are_not_there():
    there = []  # in version 1 some are functions that raise
    for path in sorted(n for n in KNOWN if _refused.reason(n) and not n.startswith("tf.compat.v1.")):
        try:
            tf_names.resolve(tf, path)
            there.append(path)
        except (AttributeError, ImportError):
            pass
    assert not there, "names that are there go out of reel/tf/_refused.py"


@pytest.mark.parametrize("path", ["tf.sparse", "tf.RaggedTensor", "tf.compat.v1.raw_ops"])
def test_refusals_say_why(path):
    with pytest.raises(AttributeError, match=re.escape(_refused.reason(path))):
        tf_names.resolve(tf, path)


def test_purposes_are_of_names(found):
    for full in tf_names.ON_PURPOSE:
        path, _, name = full.rpartition(".")
        assert path in found and (not name or name in found[path]["there"])
