"""What models say of themselves: trees of layers, and tables of outputs and parameters."""

import re

import pytest

import reel


class Block(reel.nn.Module):
    def __init__(self, n):
        self.dense = reel.nn.Dense(n, "relu", use_bias=False)
        self.steps = 3

    def __call__(self, x):
        return self.dense(x) + x


class Model(reel.nn.Module):
    def __init__(self):
        self.shared = reel.nn.Dense(4)
        self.blocks = [Block(4), Block(4)]
        self.head = {"a": reel.nn.Sequential(reel.nn.Dropout(0.5), self.shared, reel.nn.relu)}
        self.scale = reel.Variable(2.0, trainable=False)

    def __call__(self, x):
        x = self.shared(x)
        for block in self.blocks:
            x = block(x)
        return self.head["a"](x) * self.scale


def test_trees():
    model = reel.nn.Sequential(
        reel.nn.Conv2D(8, 3, "relu", padding="same"),
        reel.nn.BatchNorm(decay=0.99),
        reel.nn.Residual(reel.nn.Dense(8, reel.nn.gelu), reel.nn.Dropout(0.1)),
        reel.nn.Flatten(),
        lambda x: x * 2,
        reel.nn.Dense(10, name="head"),
    )
    assert repr(model) == str(model) == """Sequential(
    Conv2D(8, 3, 'relu', padding='same'),
    BatchNorm(decay=0.99),
    Residual(
        Dense(8, gelu),
        Dropout(0.1),
    ),
    Flatten(),
    <lambda>,
    Dense(10, name='head'),
)"""  # fmt: skip


def test_tree_of_a_module():
    assert repr(Model()) == """Model(
    shared=Dense(4),
    blocks=[
        Block(
            dense=Dense(4, 'relu', use_bias=False),
        ),
        Block(
            dense=Dense(4, 'relu', use_bias=False),
        ),
    ],
    head={
        'a': Sequential(
            Dropout(0.5),
            Dense(4),
            relu,
        ),
    },
    scale=Variable(float32, ()),
)"""  # fmt: skip


def test_a_module_that_contains_itself_has_a_tree():
    block = Block(2)
    block.me = block
    assert "me=..." in repr(block)
    assert block.summary().count("Dense") == 1


@pytest.mark.parametrize("layer", [
    reel.nn.Embedding(10, 4), reel.nn.LSTM(3, reverse=True), reel.nn.MultiHeadAttention(8, 2, causal=True),
    reel.nn.LayerNorm(), reel.nn.GroupNorm(2), reel.nn.Conv2DTranspose(4, (3, 3), strides=2), reel.nn.RMSNorm(1e-5),
])  # fmt: skip
def test_trees_of_layers_are_programs_that_make_them(layer):
    again = eval("reel.nn." + repr(layer))
    assert type(again) is type(layer) and repr(again) == repr(layer)


def table(model, *inputs):
    """{first cell: the others, where it is first} of a summary."""
    lines = model.summary(*inputs).splitlines()
    assert lines[0].split() == ["layer", "output", "parameters", "trainable", "bytes"]
    rows = {}
    for line in lines[1:]:
        label, *cells = re.split(r"\s{2,}", line.strip())
        rows.setdefault(label, cells)
    return rows


def test_summary_of_a_sequential():
    model = reel.nn.Sequential(reel.nn.Dense(8, "tanh"), reel.nn.Dropout(0.1), reel.nn.BatchNorm())
    before = table(model)
    assert before["dense: Dense(8, 'tanh')"] == ["?", "?", "?"]
    assert before["total"] == ["0", "0", "0"] and "?: made by the first call; not in the total" in before
    model(reel.ones((16, 4)))
    assert table(model) == {
        "Sequential": ["f32[16,8]"],
        "dense: Dense(8, 'tanh')": ["f32[16,8]", "40", "40", "160"],
        "Dropout(0.1)": ["f32[16,8]"],
        "batch_norm: BatchNorm()": ["f32[16,8]", "32", "16", "128"],
        "total": ["72", "56", "288"],
    }
    assert sum(v.size for v in model.variables) == 72


@pytest.mark.parametrize("spec, shown", [
    (reel.TensorSpec((reel.Dim("B", 1, 64), 4)), "f32[B,8]"), ((5, 4), "f32[5,8]"), (reel.ones((3, 4)), "f32[3,8]"),
])  # fmt: skip
def test_summary_with_an_input(spec, shown):
    model = reel.nn.Sequential(reel.nn.Dense(8))
    assert table(model, spec)["dense: Dense(8)"] == [shown, "40", "40", "160"]
    assert table(model, spec)["Sequential"] == [shown]


def test_summary_counts_shared_variables_once():
    model = Model()
    rows = table(model, (2, 4))
    assert rows["Model"] == ["f32[2,4]", "1", "0", "4"]
    assert rows["shared: Dense(4)"] == ["f32[2,4]", "20", "20", "80"]
    assert rows["dense: Dense(4, 'relu', use_bias=False)"] == ["f32[2,4]", "16", "16", "64"]
    count = sum(v.size for v in model.variables)
    assert rows["total"] == [str(count), str(count - 1), str(4 * count)] and count == 20 + 2 * 16 + 1


def test_large_numbers_have_commas():
    assert table(reel.nn.Dense(1000, inputs=1000))["total"] == ["1,001,000", "1,001,000", "4,004,000"]
