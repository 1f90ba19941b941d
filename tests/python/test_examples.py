"""The examples: each runs in seconds, and finds what it should. The linear model: test_tf_tfe.py."""

import csv
import importlib.util
import math
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import reel

FOLDER = pathlib.Path(__file__).parents[2] / "frontend/python/examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_killed_classifier_goes_on(tmp_path, capsys):
    classifier = example("classifier")
    assert classifier.train(str(tmp_path / "whole")) > 0.98
    classifier.train(str(tmp_path / "killed"), steps=200)
    assert classifier.train(str(tmp_path / "killed")) > 0.98
    assert "goes on from step 200" in capsys.readouterr().out
    whole, killed = (
        reel.load_weights(sorted((tmp_path / run).glob("*.safetensors"))[-1]) for run in ("whole", "killed")
    )
    assert sorted(whole) == sorted(killed) and len(whole) > 12
    assert all(np.array_equal(whole[n].numpy(), killed[n].numpy()) for n in whole)


def test_a_pendulum():
    pendulum = example("pendulum")
    found = pendulum.main()
    assert abs(found["drift"]) < 1e-4
    assert found["lowest frequency"] == 1
    assert found["steepest"] == pytest.approx(max(abs(math.sin(q)) for q in range(-3, 4)), rel=1e-12)
    assert found["force at the first"] == pytest.approx(-math.sin(3.0), rel=1e-12)
    h = 1e-5
    ends = [
        pendulum.leapfrog(
            pendulum.State(reel.asarray(1.0 + d, dtype="float64"), reel.asarray(0.0, dtype="float64"))
        ).q.item()
        for d in (h, -h)
    ]
    assert found["sensitivity"] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7)


def test_nanogpt_goes_on(tmp_path):
    program = FOLDER / "nanogpt.py"
    assert len(program.read_text().splitlines()) <= 60
    small = "--layers=1 --units=16 --heads=2 --length=8 --batch=64 --rate=1e-2".split()

    def run(folder, steps):
        command = [sys.executable, program, *small, f"--folder={folder}", f"--steps={steps}"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=250).stdout

    text = run(tmp_path / "a", 60)
    with open(tmp_path / "a/log.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(r["step"]) for r in rows] == [*range(1, 61), 60]
    assert float(rows[0]["loss"]) == pytest.approx(math.log(65), abs=0.1)
    assert float(rows[-1]["val_loss"]) < 3.6 and f"val_loss {float(rows[-1]['val_loss']):.6g}>" in text
    assert len(text.split("\n", 1)[1]) == 502  # a newline, 500 characters, and print's
    names = [p.name for p in (tmp_path / "a").iterdir()]
    assert "checkpoint-1.safetensors" in names and any("tfevents" in n for n in names)
    again = run(tmp_path / "a", 60)  # there is nothing left to do
    assert again.startswith("<History of 0 epochs; last: nothing>\n")
