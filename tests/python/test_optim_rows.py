"""Steps of optimizers by the slices of lookups: PyTorch's sparse optimizers, what is touched, what is kept."""

import numpy as np
import pytest

import reel

ROWS, WIDTH = 40, 3
rng = np.random.default_rng(7)
TABLE = rng.standard_normal((ROWS, WIDTH))
STEPS = [(rng.integers(0, ROWS, n), rng.standard_normal((n, WIDTH))) for n in (6, 1, 0, 9, 30)]
STEPS.append((np.array([5, 5, 5]), rng.standard_normal((3, WIDTH))))


def train(optimizer, steps, dtype="float64", compiled=True, table=None):
    table = reel.Variable(reel.asarray(TABLE.astype(dtype)), name="table") if table is None else table

    def step(indices, rows):
        with reel.GradientTape() as tape:
            loss = reel.sum(reel.take(table, indices, axis=0) * rows)
        optimizer.apply(tape.gradient(loss, table), table)
        return loss

    call = reel.function(step) if compiled else step
    for indices, rows in steps:
        call(reel.asarray(indices), reel.asarray(rows.astype(dtype)))
    return table


# PyTorch's SparseAdam divides by sqrt(v) + epsilon before it corrects v: the same where epsilon is 0 to them.
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "make, torch_make",
    [
        (lambda: reel.optim.SGD(0.1), lambda t, p: t.SGD([p], 0.1)),
        (lambda: reel.optim.Adagrad(0.1), lambda t, p: t.Adagrad([p], 0.1)),
        (
            lambda: reel.optim.Adagrad(0.1, initial_accumulator=0.5),
            lambda t, p: t.Adagrad([p], 0.1, initial_accumulator_value=0.5),
        ),
        (lambda: reel.optim.Adam(0.1, epsilon=1e-30, lazy=True), lambda t, p: t.SparseAdam([p], 0.1, eps=1e-30)),
        (
            lambda: reel.optim.Adam(0.02, beta_1=0.5, beta_2=0.75, epsilon=1e-30, lazy=True),
            lambda t, p: t.SparseAdam([p], 0.02, betas=(0.5, 0.75), eps=1e-30),
        ),
    ],
    ids=["sgd", "adagrad", "adagrad start", "adam", "adam betas"],
)
def test_steps_are_those_of_pytorch(make, torch_make, compiled):
    torch = pytest.importorskip("torch")
    p = torch.nn.Parameter(torch.tensor(TABLE))
    other = torch_make(torch.optim, p)
    for indices, rows in STEPS:
        other.zero_grad()
        looked_up = torch.nn.functional.embedding(torch.tensor(indices), p, sparse=True)
        (looked_up * torch.tensor(rows)).sum().backward()
        other.step()
    mine = np.asarray(train(make(), STEPS, compiled=compiled).value())
    np.testing.assert_allclose(mine, p.detach().numpy(), rtol=1e-5, atol=1e-6)  # hyperparameters are float32


LAZY = {
    "sgd": lambda: reel.optim.SGD(0.1),
    "momentum": lambda: reel.optim.SGD(0.1, momentum=0.9, lazy=True),
    "nesterov": lambda: reel.optim.SGD(0.1, momentum=0.9, nesterov=True, weight_decay=0.1, lazy=True),
    "adagrad": lambda: reel.optim.Adagrad(0.1),
    "rmsprop": lambda: reel.optim.RMSprop(0.1, momentum=0.9, lazy=True),
    "rmsprop centered": lambda: reel.optim.RMSprop(0.1, centered=True, weight_decay=0.1, lazy=True),
    "adam": lambda: reel.optim.Adam(reel.optim.cosine_decay(0.1, 20), lazy=True),
    "amsgrad": lambda: reel.optim.Adam(0.1, amsgrad=True, lazy=True),
    "adamw": lambda: reel.optim.AdamW(0.1, lazy=True),
}


@pytest.mark.parametrize("name", LAZY)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_steps_have_the_bits_of_eager_ones(name, dtype):
    eager, compiled = (train(LAZY[name](), STEPS, dtype, compiled=c) for c in (False, True))
    assert np.asarray(eager.value()).tobytes() == np.asarray(compiled.value()).tobytes()


@pytest.mark.parametrize("name", LAZY)
def test_rows_without_a_gradient_stay(name):
    optimizer = LAZY[name]()
    table = train(optimizer, STEPS[:1])
    met = np.isin(np.arange(ROWS), STEPS[0][0])
    assert (np.asarray(table.value()) == TABLE)[~met].all()
    assert (np.asarray(table.value()) != TABLE)[met].all()
    for slot in optimizer.variables:
        if slot.shape == (ROWS, WIDTH):
            assert (np.asarray(slot.value()) == 0)[~met].all()
            assert (np.asarray(slot.value()) != 0)[met].all()


def test_adam_moves_all_rows_unless_it_is_lazy():
    moved = [np.asarray(train(reel.optim.Adam(0.1, lazy=lazy), STEPS[:2]).value()) != TABLE for lazy in (False, True)]
    both = np.isin(np.arange(ROWS), STEPS[1][0])
    first = np.isin(np.arange(ROWS), STEPS[0][0]) & ~both
    one = [np.asarray(train(reel.optim.Adam(0.1, lazy=lazy), STEPS[:1]).value()) for lazy in (False, True)]
    two = [np.asarray(train(reel.optim.Adam(0.1, lazy=lazy), STEPS[:2]).value()) for lazy in (False, True)]
    assert (one[0] != two[0])[first].all()  # by its moments
    assert (one[1] == two[1])[first].all()
    assert (moved[0] == moved[1]).all()


@pytest.mark.parametrize("name", LAZY)
def test_what_is_kept_goes_on_as_if_it_had_not_stopped(name, tmp_path):
    whole = train(LAZY[name](), STEPS)
    optimizer = LAZY[name]()
    table = train(optimizer, STEPS[:3])
    reel.Checkpoint(tmp_path / "kept", table=table, optimizer=optimizer).save()
    again, fresh = LAZY[name](), reel.Variable(reel.zeros((ROWS, WIDTH), dtype="float64"), name="table")
    assert reel.Checkpoint(tmp_path / "kept", table=fresh, optimizer=again).restore()
    train(again, STEPS[3:], table=fresh)
    assert np.asarray(whole.value()).tobytes() == np.asarray(fresh.value()).tobytes()
