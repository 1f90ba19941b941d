"""The notebooks are kept short and without outputs; ctest's python_notebooks runs them."""

import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "frontend/docs/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_all_are_listed():
    readme = (FOLDER / "README.md").read_text()
    assert len(NOTEBOOKS) == 6 and all(f"]({n.name})" in readme for n in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_short_and_stripped(path):
    notebook = json.loads(path.read_text())
    assert notebook["metadata"]["kernelspec"]["name"] == "python3" and notebook["nbformat"] == 4
    cells = notebook["cells"]
    assert 5 < len(cells) < 25 and cells[0]["cell_type"] == "markdown"
    for cell in cells:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
