"""Which program a call of a compiled function runs: keys of arguments, methods, copies, threads."""

import collections
import concurrent.futures
import copy
import dataclasses
import functools
import gc
import math
import os
import pickle
import random
import signal
import struct
import sys
import threading
import weakref
from decimal import Decimal
from fractions import Fraction

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
    for i in range(12):
        assert float(read(x, front.Variable(float(i)))) == i
        assert float(read(x, [front.Variable(float(-i))])) == -i
        assert float(read(x, v=front.Variable(i + 0.5))) == i + 0.5
        assert float(apart(x + 1.0, Thing(float(i)))) == i
        if front is tf:
            assert float(sets(x + 1.0, {i})) == i


def test_arguments_live_no_longer_than_without_the_function(front):
    use = front.function(lambda x, o: x * (o.value if isinstance(o, Thing) else o))
    x = front.ones(())
    for make in (Thing, front.Variable):
        for call in (lambda a: use(x, a), lambda a: use(x, o=a)):
            argument = make(2.0)
            known, died = len(use._programs), weakref.ref(argument)
            assert float(call(argument)) == float(call(argument)) == 2.0 and len(use._programs) == known + 1
            del argument
            gc.collect()
            assert died() is None and len(use._programs) == known
    method = front.function(lambda self, x: x * self.value)
    owner = type("Owner", (Thing,), {"method": method})(3.0)
    assert float(owner.method(x)) == 3.0
    died = weakref.ref(owner)
    del owner
    gc.collect()
    assert died() is None


def test_floats_are_the_same_argument_if_their_bits_are(front):
    traced = []

    @front.function
    def sign(x, s, z=0j):
        traced.append(s)
        return x * math.copysign(1.0, s) * math.copysign(1.0, z.imag)

    x = front.ones(())
    for _ in range(3):
        assert [float(sign(x, s)) for s in (0.0, -0.0)] == [1.0, -1.0]
        assert [float(sign(x, 0.0, z)) for z in (0j, complex(0.0, -0.0))] == [1.0, -1.0]
        assert [float(sign(x, s=[float("nan")][0])), float(sign(x, float("nan")))] == [1.0, 1.0]
    assert len(traced) == (4 if front is tf else 6)  # tf.function binds keywords


@dataclasses.dataclass(frozen=True)
class Settings:
    value: object
    other: object = 0
    note: object = dataclasses.field(default="", compare=False)


@dataclasses.dataclass(frozen=True)
class Rounded:
    """Its own == says more than its fields do."""

    value: float
    unit: str = dataclasses.field(default="", compare=False)

    def __eq__(self, other):
        return type(other) is Rounded and (self.value, self.unit) == (other.value, other.unit)

    def __hash__(self):
        return hash(self.value)


class Celsius(float):
    pass


Pair = collections.namedtuple("Pair", "first second")


def spelled(x):
    """A text of a value that tells types and bits, at any depth."""
    name = type(x).__name__
    if isinstance(x, (float, complex)):
        parts = (x,) if isinstance(x, float) else (x.real, x.imag)
        return name + "".join(struct.pack("d", part).hex() for part in parts)
    if isinstance(x, dict):
        return name + str([(spelled(k), spelled(v)) for k, v in x.items()])
    if isinstance(x, (tuple, list)):
        return name + str([spelled(item) for item in x])
    if isinstance(x, frozenset):
        return name + str(sorted(map(spelled, x)))
    if isinstance(x, Settings):
        return name + spelled((x.value, x.other))
    if isinstance(x, Rounded):
        return name + spelled((x.value, x.unit))
    return name + repr(x)


def value_of(rng, depth):
    """A random value that can be hashed."""
    leaves = [
        0,
        1,
        False,
        True,
        0.0,
        -0.0,
        1.0,
        float("nan"),
        1 + 0j,
        complex(1.0, -0.0),
        0j,
        Celsius(1.0),
        Celsius(-0.0),
        "1",
        None,
        Decimal("1.0"),
        Decimal("1.00"),
        Decimal(1),
        Fraction(1),
        range(0),
        range(1, 1),
        b"1",
    ]
    if depth == 0:
        return rng.choice(leaves)
    inner = [value_of(rng, rng.randrange(depth)) for _ in range(rng.randrange(1, 3))]
    make = rng.choice(
        [
            tuple,
            frozenset,
            lambda x: Settings(*x, note=rng.random()),
            lambda x: Pair(x[0], x[-1]),
            lambda x: Settings(1, x[0]),
            lambda x: Rounded(1.0, spelled(x)[:4]),
        ]
    )
    return make(inner)


@pytest.mark.parametrize("seed", range(8))
def test_arguments_are_told_apart_by_type_and_bits_at_any_depth(front, seed):
    rng, traced = random.Random(seed), []

    @front.function
    def program(x, value):
        traced.append(spelled(value))
        return x * (len(traced) - 1)

    x, met = front.ones(()), set()
    for _ in range(250):
        value = value_of(rng, rng.randrange(4))
        if rng.random() < 0.2:
            value = rng.choice([lambda v: [v, 1], lambda v: {v: 1}, lambda v: {"a": [v]}])(value)
        met.add(spelled(value))
        assert traced[int(program(x, value))] == spelled(value)
    assert len(traced) == len(met)  # equal ones share a program


def test_none_is_one_argument(front):
    count = []
    f = front.function(lambda x, mask=None, more=(): count.append(1) or x)
    x = front.ones(())
    for _ in range(4):
        f(x, mask=None)
        f(x, None, more=[None, frozenset([None])])
    assert len(count) == 2


def test_objects_inside_frozensets_are_themselves(front):
    count = []
    f = front.function(lambda x, s: count.append(1) or x * sum(t.value for t in s))
    x, a, b = front.ones(()), Thing(2.0), Thing(2.0)
    assert [float(f(x, frozenset([t]))) for t in (a, b, a, b)] == [2.0] * 4
    assert len(count) == 2


def layers(front):
    """Classes with compiled methods of one name."""

    class Base:
        def __init__(self, scale):
            self.w = front.Variable(float(scale))
            self.traces = []

        @front.function
        def call(self, x):
            self.traces.append("Base")
            return x * self.w

    class Derived(Base):
        @front.function
        def call(self, x):
            self.traces.append("Derived")
            return super().call(x) + 1.0

    return Base, Derived


def test_a_method_and_the_one_that_it_overrides_are_two(front):
    base, derived = layers(front)
    x, a = front.ones(()), derived(3.0)
    for _ in range(3):
        assert float(a.call(x)) == 4.0 and float(super(derived, a).call(x)) == 3.0
        assert float(base.call(a, x)) == 3.0 and float(base.call(base(5.0), x)) == 5.0
    assert a.call is a.call and a.traces[:2] == ["Derived", "Base"] and len(a.traces) == 4


def test_a_copy_runs_on_its_own_variables(front):
    base, derived = layers(front)
    x, a = front.ones(()), derived(3.0)
    assert float(a.call(x)) == 4.0
    shallow, deep = copy.copy(a), copy.deepcopy(a)
    shallow.w = front.Variable(10.0)
    deep.w.assign(7.0)
    for _ in range(2):
        assert [float(i.call(x)) for i in (a, shallow, deep)] == [4.0, 11.0, 8.0]
    a.step = front.function(a.call.python_function)
    a.step(x)
    deep = copy.deepcopy(a)
    deep.w.assign(20.0)
    assert float(deep.step(x)) == 21.0 and float(a.step(x)) == 4.0


class Picklable(Thing):
    @reel.function
    def double(self, x):
        return x * self.value

    @tf.function
    def tf_double(self, x):
        return x * self.value


@reel.function
def of_the_module(x):
    return x + 1.0


def test_instances_with_called_methods_and_functions_are_pickled(front):
    a = Picklable(2.0)
    x = front.ones(())
    assert float((a.double if front is reel else a.tf_double)(x)) == 2.0
    b = pickle.loads(pickle.dumps(a))
    b.value = 5.0
    assert float((b.double if front is reel else b.tf_double)(x)) == 5.0
    assert pickle.loads(pickle.dumps(of_the_module)) is of_the_module is copy.deepcopy(of_the_module)


def test_methods_of_classes_with_slots(front):
    class Slotted:
        __slots__ = ("w", "__weakref__")

        def __init__(self, scale):
            self.w = front.Variable(float(scale))

        @front.function
        def call(self, x):
            return x * self.w

        @front.function(input_signature=[front.TensorSpec((), front.float32)])
        def signed(self, x):
            return x * self.w

    x = front.ones(())
    for scale in range(20):
        assert float(Slotted(scale).call(x)) == scale
    with pytest.raises(TypeError, match="__dict__"):
        Slotted(1.0).signed(x)


def test_partials_and_callable_objects_are_compiled(front):
    class Scale:
        def __call__(self, x):
            return x * 2.0

    x = front.ones(())
    for f in (functools.partial(lambda a, b: a * b, front.ones(()) * 2.0), Scale(), functools.partial(Scale())):
        g = front.function(f)
        assert float(g(x)) == float(g(x)) == 2.0 and "function" in repr(g)


def in_threads(*functions):
    """Runs them together; throws what one throws."""
    start = threading.Barrier(len(functions))

    def run(f):
        start.wait()
        return f()

    with concurrent.futures.ThreadPoolExecutor(len(functions)) as pool:
        for done in [pool.submit(run, f) for f in functions]:
            done.result()


@pytest.fixture
def fast_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def test_first_calls_of_threads_trace_once(front, fast_switches):
    for _ in range(10):
        traces, holder = [], Thing(None)

        @front.function
        def f(x):
            traces.append(1)
            if holder.value is None:
                holder.value = front.Variable(1.0)
            return x * holder.value

        @front.function
        def g(x):
            traces.append(1)
            for _ in range(20):
                x = x + 1.0
            return x

        x = front.ones(())
        in_threads(*[lambda: f(x)] * 4)
        assert float(f(x)) == 1.0
        traces.clear()
        in_threads(*[lambda: g(x)] * 4)
        assert len(traces) == 1


def test_no_assignment_is_lost_between_threads(front, fast_switches):
    v, w = front.Variable(0.0), front.Variable(0.0)

    @front.function
    def one(x):
        v.assign_add(front.ones(()))
        w.assign_add(v - v + 1.0)
        return x + 1.0

    @front.function
    def two(x):
        w.assign_add(front.ones(()))
        v.assign_add(w - w + 1.0)
        return x + 1.0

    calls = [(one, front.ones((2,))), (one, front.ones((3,))), (two, front.ones((2,)))]
    for f, x in calls:
        f(x)
    in_threads(*[lambda f=f, x=x: [f(x) for _ in range(4000)] for f, x in calls])
    assert float(v) == float(w) == 12003.0


def test_traced_tensors_do_not_leave_in_objects(front):
    @dataclasses.dataclass(eq=False)
    class Pair:
        a: object
        b: object = None

    x = front.ones(())
    for wrong, place in (
        (lambda x: Pair(x), r"result\.a, inside Pair"),
        (lambda x: (x, {"k": Pair(1, [x])}), r"result\[1\]\['k'\]\.b\[0\], inside Pair"),
        (lambda x: [collections.deque([x])], r"result\[0\], inside deque"),
        (lambda x: {"k": x}.values(), "result, inside dict_values"),
    ):
        with pytest.raises(TypeError, match="returns a traced tensor at " + place):
            front.function(wrong)(x)
    loop = Pair(1)
    loop.b = [loop]
    if front is not reel:
        with pytest.raises(TypeError, match="must return zero or more Tensors"):
            front.function(lambda x: (x, loop))(x)
    else:
        assert reel.function(lambda x: (x, loop))(x)[1] is loop
        with pytest.raises(TypeError, match=r"result\.a\.values, inside Pair"):
            reel.function(lambda x: Pair(reel.IndexedSlices(reel.stack([x]), [0], (3,))))(x)


def test_dicts_come_back_as_what_they_were(front):
    f = front.function(lambda d: d)
    x = front.ones(())
    ordered = f(collections.OrderedDict(b=x, a=x * 2.0))
    assert type(ordered) is collections.OrderedDict and list(ordered) == ["b", "a"] and float(ordered["a"]) == 2.0
    default = f(collections.defaultdict(list, k=x))
    assert type(default) is collections.defaultdict and default["other"] == []
    assert type(f({"b": x, "a": x})) is dict
    with pytest.raises(TypeError, match="keys of a dict must be sortable"):
        f({1: x, "a": x})


def test_mistakes_name_python_and_the_line(front):
    leaked = []

    @front.function
    def leak(x):
        leaked.append(x * 2.0)
        return x

    x = front.ones(())
    leak(x)
    for f, match in (
        (lambda: leak(leaked[0]), r"function: argument 0 of leak is a traced tensor of float32\[\]"),
        (lambda: front.function(lambda x: np.sin(x))(x), "traced|symbolic"),
        (lambda: front.function(lambda x: np.float32([x, x]))(x), "traced|symbolic"),
    ):
        with pytest.raises((RuntimeError, NotImplementedError), match=match) as caught:
            f()
        assert "WhileLoop" not in str(caught.value) and "test_function_calls.py:" in str(caught.value)


def test_a_signature_takes_variables_numbers_and_lists(front):
    f = front.function(
        lambda a, b: a * b,
        input_signature=[front.TensorSpec((None,), front.float32), front.TensorSpec((), front.float32)],
    )
    for a in ([1, 2.5], (1.0, 2.5), front.Variable([1.0, 2.5]), np.float32([1.0, 2.5])):
        assert np.asarray(f(a, 2)).tolist() == [2.0, 5.0]
    for a in (1.0, [[1.0]], [1j], "text"):
        with pytest.raises((TypeError, ValueError)):
            f(a, 2.0)
    ints = front.function(lambda a: a, input_signature=[front.TensorSpec((None,), front.int32)])
    assert np.asarray(ints([1, 2])).tolist() == [1, 2]
    for a in ([1.5], [True]) if front is reel else ([1.5],):  # TensorFlow takes True for 1
        with pytest.raises((TypeError, ValueError)):
            ints(a)
    v = front.Variable([1.0, 2.0])
    with front.GradientTape() as tape:
        y = f(v, 3.0)
    assert np.asarray(tape.gradient(y, v)).tolist() == [3.0, 3.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_during_a_trace_leaves_no_lock(front):
    tracing, go_on = threading.Event(), threading.Event()

    @front.function
    def f(x):
        tracing.set()
        go_on.wait(20)
        return x + 1.0

    x = front.ones(())
    other = threading.Thread(target=lambda: f(x))
    other.start()
    tracing.wait()
    child = os.fork()
    if child == 0:
        go_on.set()
        signal.alarm(20)
        os._exit(0 if f._lock.acquire(blocking=False) else 1)
    go_on.set()
    assert os.waitpid(child, 0)[1] == 0
    other.join()
    assert float(f(x)) == 2.0
