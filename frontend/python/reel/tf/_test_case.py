"""tf.test.TestCase: assertions about arrays, tensors and structures of them."""

from __future__ import annotations

import contextlib as _contextlib
import re as _re
import typing as _t
import unittest as _unittest

from .. import _core
from . import _test_arrays as _arrays
from . import nest
from ._session import Session
from ._trace import executing_eagerly, state

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class TestCase(_unittest.TestCase):
    """unittest.TestCase with assertions about arrays and tensors; each test begins with the same seeds and a new graph."""

    def setUp(self) -> None:
        """Seeds Python's, NumPy's and tf.random with 1, and begins a new default graph."""
        import random

        import numpy

        from . import _draws
        from .compat.v1._sessions import reset_default_graph

        super().setUp()
        random.seed(1)
        numpy.random.seed(1)
        if executing_eagerly():
            reset_default_graph()
        _draws.set_seed(1)

    # Values of tensors.

    def evaluate(self, tensors: Any) -> Any:
        """NumPy arrays of tensors in a structure: at once, or by the session of this test."""
        if executing_eagerly():
            return nest.map_structure(_arrays.value_of, tensors)
        if state.sessions:
            return state.sessions[-1].run(tensors)
        with self.session() as session:
            return session.run(tensors)

    @_contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """In a graph: with a new session of it. Eagerly a session is not needed, and None is given."""
        if force_gpu:
            raise _core.UnimplementedError("TestCase.session: there are no GPUs; leave out force_gpu")
        if executing_eagerly() and graph is None:
            yield None
            return
        with Session(graph=graph, config=config) as session:
            yield session

    cached_session = test_session = session

    def get_temp_dir(self) -> str:
        """A folder that goes when the test ends."""
        import tempfile

        if not hasattr(self, "_folder"):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self._folder = folder.name
        return self._folder

    # Arrays.

    def _array(self, a):
        return _arrays.array_of(self.evaluate(a) if not _arrays.is_plain(a) else a)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Each |a - b| <= atol + rtol |b|, in arrays, tensors, or structures of them with the same keys."""
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b) and _ragged(a, b):
            for i, (x, y) in enumerate(zip(a, b)):
                self.assertAllClose(x, y, rtol, atol, f"{msg + ': ' if msg else ''}in element {i}")
        elif hasattr(a, "keys"):
            self.assertTrue(hasattr(b, "keys"), f"a is a dict, b is {type(b).__name__}")
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"{msg + ': ' if msg else ''}in {key!r}")
        else:
            _arrays.check_close(self, self._array(a), self._array(b), rtol, atol, msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """assertAllClose with the tolerances of the less exact of the two dtypes."""
        names = [_arrays.dtype_name(self.evaluate(x) if not _arrays.is_plain(x) else x, x) for x in (a, b)]
        for name, r, s in (
            ("float32", float_rtol, float_atol),
            ("float16", half_rtol, half_atol),
            ("bfloat16", bfloat16_rtol, bfloat16_atol),
        ):
            if name in names or name == "float32" and "complex64" in names:
                rtol, atol = max(rtol, r), max(atol, s)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Not assertAllClose."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        raise AssertionError(f"{msg or ''}The two values are close at all elements.")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """The same shape, and the same elements; NaN equals NaN."""
        _arrays.check_equal(self, self._array(a), self._array(b), msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Not assertAllEqual."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"{msg or ''}The two values are equal at all elements.")

    def assertAllGreater(self, a: Any, comparison_target: float) -> None:
        """Each element is greater than a number."""
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: float) -> None:
        """Each element is less than a number."""
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: float) -> None:
        """Each element is at least a number."""
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: float) -> None:
        """Each element is at most a number."""
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: float,
        upper_bound: float,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Each element is in [lower_bound, upper_bound], or between open bounds; none is NaN."""
        _arrays.check_range(self._array(target), (lower_bound, open_lower_bound), (upper_bound, open_upper_bound))

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Each element is one of a set."""
        wrong = sorted(set(self._array(target).reshape(-1).tolist()) - set(expected_set))
        if wrong:
            raise AssertionError(f"{len(wrong)} unique element(s) are not in the set {expected_set}: {wrong[:10]}")

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """|f1 - f2| <= err."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1} != {f2} +/- {err}{f' ({msg})' if msg else ''}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """assertNear of each element of two lists."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """The norm of the difference of two arrays is less than err."""
        import numpy

        self.assertTrue(numpy.linalg.norm(numpy.asarray(ndarray1) - numpy.asarray(ndarray2)) < err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """The same shape, of tensors or arrays."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The elements are of a dtype."""
        from . import dtypes

        found = _arrays.dtype_name(target if hasattr(target, "dtype") else self._array(target), target)
        self.assertEqual(found, dtypes.as_dtype(expected_dtype).name)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """The same device."""
        from ._device_spec import DeviceSpec

        texts = [DeviceSpec.from_string(d).to_string() if isinstance(d, str) else str(d) for d in (device1, device2)]
        self.assertEqual(*texts, msg)

    # Errors.

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """A context manager: an error of an op, whose text has this."""
        return self.assertRaisesWithPredicateMatch(_core.Error, expected_err_re_or_predicate)

    @_contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[Any], bool]
    ) -> Iterator[None]:
        """A context manager: an error of this type, whose text has this, or of which the predicate is true."""
        test = expected_err_re_or_predicate
        try:
            yield
        except exception_type as error:
            if not (test(error) if callable(test) else _re.search(test, str(error))):
                raise AssertionError(f"Exception of type {type(error)}: {error}, which is not {test!r}") from error
        else:
            self.fail(f"{exception_type.__name__} not raised")

    @_contextlib.contextmanager
    def assertRaisesWithLiteralMatch(self, expected_exception: Any, expected_exception_message: str) -> Iterator[None]:
        """A context manager: an error of this type with this very text."""
        with self.assertRaises(expected_exception) as caught:
            yield
        self.assertEqual(str(caught.exception), expected_exception_message)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = _core.InvalidArgumentError, x: Any = None, y: Any = None
    ) -> Any:
        """A context manager: shapes that do not fit."""
        return self.assertRaises(exception_type)

    # Containers and texts.

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """So many elements."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """No element."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """Some element."""
        self.assertNotEqual(len(container), 0, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """minv <= value <= maxv."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not between {minv!r} and {maxv!r}")

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """The text begins so."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not begin with {expected_start!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """The text ends so."""
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r} does not end with {expected_end!r}")

    def assertItemsEqual(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """assertCountEqual."""
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """The same set of elements."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: str | None = None) -> None:
        """Each element of the first is in the second."""
        missing = set(expected_subset) - set(actual_set)
        self.assertFalse(missing, f"{msg + ': ' if msg else ''}missing elements {missing}")

    def assertSequenceAlmostEqual(
        self, expected_seq: Any, actual_seq: Any, places: int | None = None, msg: str | None = None, delta: Any = None
    ) -> None:
        """assertAlmostEqual of each element of two lists."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for a, b in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(a, b, places=places, msg=msg, delta=delta)


def _ragged(a, b):
    """Whether lists are compared element by element: they hold structures or tensors, and are no arrays of numbers."""
    return any(not isinstance(x, (bool, int, float, complex)) for x in [*a, *b])
