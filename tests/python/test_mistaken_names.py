"""Names that are not there: attributes of modules, arguments of functions; what was likely meant is named."""

import pytest

import reel

ATTRIBUTES = [
    (reel, "relu", "reel.nn.relu"),
    (reel, "sofmax", "reel.nn.softmax"),
    (reel, "reduce_sum", "reel.sum"),
    (reel, "tensor", "reel.asarray"),
    (reel, "Adam", "reel.optim.Adam"),
    (reel, "unsqueeze", "reel.expand_dims"),
    (reel, "gradient_tape", "reel.GradientTape"),
    (reel.nn, "Linear", "reel.nn.Dense"),
    (reel.nn, "ReLU", "reel.nn.relu"),
    (reel.nn, "matmul", "reel.matmul"),
    (reel.optim, "adamw", "reel.optim.AdamW"),
    (reel.random, "randn", "reel.random.normal"),
    (reel.linalg, "choleski", "reel.linalg.cholesky"),
    (reel.fft, "ftt", "reel.fft.fft"),
]


@pytest.mark.parametrize("module, name, meant", ATTRIBUTES)
def test_attributes_that_are_not_there(module, name, meant):
    with pytest.raises(AttributeError) as e:
        getattr(module, name)
    assert str(e.value) == f"module '{module.__name__}' has no attribute '{name}'; did you mean {meant}?"
    assert not hasattr(module, name) and eval(meant)


def test_attributes_that_are_like_nothing():
    with pytest.raises(AttributeError, match=r"no attribute 'xqzt'; dir\(reel\) names what there is"):
        reel.xqzt
    assert not hasattr(reel, "__path_of_nothing__")


def test_names_of_other_libraries_lead_somewhere():
    for name, here in reel._mistakes.NAMES.items():
        owner, _, last = f"reel.{here}".rpartition(".")
        assert hasattr(eval(owner), last), f"{name} -> reel.{here}"
        assert not hasattr(reel, name), name


def test_every_function_refuses_and_says_what_it_takes():
    """All functions and classes of the extension, called with a name that none of them has."""
    seen = 0
    for module in (reel._core, reel.nn, reel.optim, reel.linalg, reel.random):
        for name, f in vars(module).items():
            known = getattr(f, "__nb_signature__", None) or getattr(
                getattr(f, "__init__", None), "__nb_signature__", None
            )
            if name.startswith("_") or not known or "kwargs" in known[0][0]:
                continue
            with pytest.raises(TypeError) as e:
                f(no_such_argument=1)
            text = str(e.value)
            assert "incompatible function arguments" not in text, text
            assert text.startswith(name + ":") and "no_such_argument" in text, (name, text)
            seen += 1
    assert seen > 200
