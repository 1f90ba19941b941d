"""Names that are not there: attributes of modules, arguments of functions; what was likely meant is named."""

import inspect
import types

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


def refused(name, f):
    """The text of a call with a name that no function has."""
    with pytest.raises(TypeError) as e:
        f(no_such_argument=1)
    text = str(e.value)
    assert text.startswith(name + ":") and "no_such_argument" in text, text
    return text


def test_every_function_refuses_and_says_what_it_takes():
    """All functions and classes of the extension."""
    seen = 0
    for module in (reel._core, reel.nn, reel.optim, reel.linalg, reel.random):
        for name, f in vars(module).items():
            init = getattr(f, "__init__", None)
            known = getattr(f, "__nb_signature__", None) or getattr(init, "__nb_signature__", None)
            if not name.startswith("_") and known and "kwargs" not in known[0][0]:
                assert "incompatible" not in refused(name, f)
                seen += 1
    assert seen > 200


def test_functions_in_python_refuse_as_well():
    seen = 0
    for module in (reel, reel.fft, reel.linalg):
        for name, f in vars(module).items():
            if isinstance(f, types.FunctionType) and not name.startswith("_"):
                if all(p.kind is not p.VAR_KEYWORD for p in inspect.signature(f).parameters.values()):
                    refused(f.__name__, f)
                    seen += 1
    assert seen > 40


@pytest.mark.parametrize("call, said", [
    (lambda: reel.jacobian(lambda x: x, argnum=1), "jacobian: there is no argument 'argnum'; there are: "),
    (lambda: reel.linalg.matrix_norm(reel.ones((2, 2)), keepdim=True), "did you mean 'keepdims'?"),
    (lambda: reel.fft.fftn(), "fftn: needs x; it is fftn(x"),
    (lambda: reel.vmap(), "vmap: needs"),
])  # fmt: skip
def test_calls_of_functions_in_python(call, said):
    with pytest.raises(reel.InvalidTypeError) as e:
        call()
    assert said in str(e.value) and "test_mistaken_names.py" in str(e.value)


def test_errors_of_what_a_function_calls_stay():
    def mine(x, y):
        return x

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'") as e:
        reel.jvp(mine, (1.0,), (1.0,))
    assert not isinstance(e.value, reel.Error)
