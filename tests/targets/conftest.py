"""The trained demo, made once: `reel train` writes the graph, main.c that trains with its object, and the data."""

import os
import subprocess
from pathlib import Path

import pytest

STEPS = os.environ.get("REEL_TARGET_STEPS", "20")  # emulators run some thousand times slower than the machine
REEL = os.environ.get("REEL_PROGRAM", "build/bin/reel")
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """Folders of the demo by model."""
    root = tmp_path_factory.mktemp("demo")
    made = {}

    def folder(model: str, name: str) -> Path:
        if model not in made:
            command = [REEL, "train", "--model", model, "--demo-data", DATA, "--output-dir", root]
            subprocess.run([*command, "--steps", STEPS, "--eager-steps", "2"], check=True, capture_output=True)
            made[model] = root / name
        return made[model]

    return folder
