"""The notebooks of docs/notebooks run from their first cell to the last one."""

import json

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 2
    names = {}
    for number, text in enumerate(code):
        exec(compile(text, f"{path.name}, cell {number}", "exec"), names)


def test_there_are_notebooks():
    assert NOTEBOOKS
