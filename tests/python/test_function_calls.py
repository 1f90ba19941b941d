"""Which program a call of a compiled function runs: keys of arguments, methods, copies, threads."""

import gc

import numpy as np
import pytest

import reel
import reel.tf as tf

pytestmark = [
    pytest.mark.parametrize("front", [reel, tf], ids=["reel", "tf"]),
    pytest.mark.filterwarnings("ignore:.*(retracing|was compiled)"),
]


class Thing:
    def __init__(self, value):
        self.value = value


def test_arguments_that_died_are_not_those_that_took_their_place(front):
    read = front.function(lambda x, v: x + (v[0] if isinstance(v, list) else v))
    apart = front.function(lambda x, t: x * t.value)
    sets = front.function(lambda x, s: x * float(sum(s)))
    x = front.zeros(())
    for i in range(60):
        assert float(read(x, front.Variable(float(i)))) == i
        assert float(read(x, [front.Variable(float(-i))])) == -i
        assert float(read(x, v=front.Variable(i + 0.5))) == i + 0.5
        assert float(apart(x + 1.0, Thing(float(i)))) == i
        if front is tf:
            assert float(sets(x + 1.0, {i})) == i
