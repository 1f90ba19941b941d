"""The OpInfo-style table (opinfo.py) where PyTorch is installed: at least 400 functions, no difference without a
reason."""

import pytest

try:
    import opinfo
except ImportError as missing:
    pytestmark = pytest.mark.skip(reason=f"PyTorch's OpInfo database is the oracle: {missing}")


def test_table():
    counts, bad, _ = opinfo.run(most=2, compile_first=0)
    assert not bad, "\n".join(bad)
    assert sum(1 for compared, _ in counts.values() if compared) >= 400
    assert not [name for name, (compared, _) in counts.items() if not compared]


def test_eager_and_compiled_have_the_same_bits():
    names = [name for i, name in enumerate(opinfo.rows()) if i % 8 == 0]
    _, bad, _ = opinfo.run(names, most=1, compile_first=1)
    assert not bad, "\n".join(bad)


def test_every_explanation_names_a_row():
    assert {name for name, _, _ in opinfo.differences()} <= set(opinfo.rows())
