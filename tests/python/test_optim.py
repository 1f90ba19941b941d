"""reel.optim and reel.random."""

import numpy as np
import pytest

import reel

NAMES = ["SGD", "Adam", "AdamW", "Adamax", "Nadam", "RMSprop", "Adagrad", "Adadelta", "Lion", "Lamb", "Adafactor"]


@pytest.mark.parametrize("name", NAMES)
def test_optimizers_lower_a_loss(name):
    w = reel.Variable([[1.0, -2.0], [3.0, 0.5]])
    optimizer = getattr(reel.optim, name)()
    losses = []
    for _ in range(5):
        with reel.GradientTape() as tape:
            loss = reel.sum(w * w)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
        losses.append(loss.item())
    assert all(b < a for a, b in zip(losses, losses[1:]))


def test_steps_by_hand(capfd):
    w, other = reel.Variable([1.0, 2.0]), reel.Variable(1.0)
    sgd = reel.optim.SGD(0.5, momentum=0.9, weight_decay=(0.1, lambda v: v is w))
    sgd.apply({"w": reel.ones((2,)), "o": None}, {"w": w, "o": other})
    np.testing.assert_allclose(w.numpy(), [1 - 0.5 * 1.1, 2 - 0.5 * 1.2], rtol=1e-6)
    assert other.numpy() == 1 and "no gradient" in capfd.readouterr().err.lower()
    assert sgd.learning_rate.numpy() == np.float32(0.5)
    sgd.learning_rate.assign(0.0)
    before = w.numpy().copy()
    sgd.apply([reel.ones((2,))], [w])
    np.testing.assert_array_equal(w.numpy(), before)
    sgd.apply_if(False, [reel.ones((2,))], [w])
    with pytest.raises(TypeError, match="no hyperparameter 'beta'"):
        reel.optim.SGD(beta=1)
    with pytest.raises(ValueError, match="1 gradients for 2"):
        sgd.apply([None], [w, other])
    with pytest.raises(TypeError, match="not float"):
        sgd.apply([1.0], [2.0])


def test_schedules():
    steps = [0, 5, 10]
    s = reel.optim.exponential_decay(0.1, 0.5, 10)
    np.testing.assert_allclose([s(n).item() for n in steps], [0.1 * 0.5 ** (n / 10) for n in steps], rtol=1e-6)
    assert reel.optim.piecewise_constant([5], [1.0, 0.1])(6).item() == pytest.approx(0.1)
    w = reel.Variable(0.0)
    optimizer = reel.optim.SGD(lambda step: 1 / (step + 1))
    for _ in range(3):
        optimizer.apply([1.0], [w])
    assert w.numpy() == pytest.approx(-(1 + 1 / 2 + 1 / 3))
    warm = reel.optim.linear_warmup(10, 1.0)
    assert warm(5).item() == pytest.approx(0.5) and reel.optim.cosine_decay(1.0, 10)(10).item() == pytest.approx(0)


def test_clipping():
    g = {"a": reel.asarray([3.0, 4.0]), "b": None}
    assert reel.optim.clip_by_value(g, -1, 3.5)["a"].tolist() == [3, 3.5]
    assert reel.optim.clip_by_norm(g, 1.0)["b"] is None
    np.testing.assert_allclose(reel.optim.clip_by_norm(g, 1.0)["a"].numpy(), [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(reel.optim.clip_by_global_norm(g, 1.0)["a"].numpy(), [0.6, 0.8], rtol=1e-6)
    assert reel.optim.global_norm(g).item() == 5 and reel.optim.all_finite(g).item() is True


def test_averages_and_loss_scale():
    w = reel.Variable([0.0, 2.0])
    average = reel.optim.ExponentialMovingAverage(0.5)
    average.update([w])
    w.assign([4.0, 4.0])
    average.update([w])
    assert average.average(w).numpy().tolist() == [2, 3]
    average.assign_to([w])
    assert w.numpy().tolist() == [2, 3]
    scale, sgd = reel.optim.LossScale(8.0), reel.optim.SGD(1.0)
    assert scale.scale(2.0).item() == 16 and scale.unscale([reel.asarray(16.0), None])[0].item() == 2
    scale.apply(sgd, [reel.asarray([1.0, float("inf")])], [w])
    assert w.numpy().tolist() == [2, 3] and scale.variables[0].numpy() == 4
    scale.apply(sgd, [reel.asarray([1.0, 1.0])], [w])
    assert w.numpy().tolist() == [1, 2]


def test_random():
    reel.random.seed(3)
    a = reel.random.normal((1000,), mean=2.0)
    reel.random.seed(3)
    assert a.tolist() == reel.random.normal((1000,), mean=2.0).tolist() and abs(np.asarray(a).mean() - 2) < 0.2
    g = reel.random.Generator(5)
    u = reel.random.uniform((1000,), -1, 1, generator=g).numpy()
    assert u.min() >= -1 and u.max() < 1 and abs(u.mean()) < 0.1
    key = g.key()
    assert (
        reel.random.randint((5,), 0, 10, generator=g).tolist()
        == reel.random.randint((5,), 0, 10, generator=reel.random.Generator.from_key(key)).tolist()
    )
    assert sorted(reel.random.permutation(5).tolist()) == [0, 1, 2, 3, 4]
    assert sorted(reel.random.shuffle([3, 1, 2]).tolist()) == [1, 2, 3]
    assert reel.random.bernoulli((100,), 1.0).numpy().all() and g.split(3).shape == (3, 2)
    assert reel.random.categorical(reel.asarray([[0.0, 100.0]]), 4).tolist() == [[1, 1, 1, 1]]
    for draw in (
        reel.random.gamma((500,), 3.0),
        reel.random.poisson((500,), 3.0),
        reel.random.beta((500,), 2.0, 2.0) * 6,
        reel.random.exponential((500,), 1 / 3),
        reel.random.truncated_normal((500,)) + 3,
        reel.random.gumbel((500,)) + 2.42,
    ):
        assert abs(np.asarray(draw).mean() - 3) < 0.5
    with pytest.raises(TypeError, match="Generator"):
        reel.random.normal((2,), generator=3)


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf")])
def test_hyperparameters_are_numbers_that_make_sense(value):
    for make in (reel.optim.SGD, reel.optim.Adam, reel.optim.RMSprop, reel.optim.Adagrad, reel.optim.Lion):
        with pytest.raises(ValueError, match="learning_rate is .*finite number that is not negative"):
            make(value)
    with pytest.raises(ValueError, match="adam: epsilon is"):
        reel.optim.Adam(epsilon=value)
    with pytest.raises(TypeError, match="no hyperparameter 'lr'; there are: learning_rate, beta_1"):
        reel.optim.Adam(lr=0.1)
