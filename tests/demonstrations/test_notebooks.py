"""The notebooks of examples/ are committed as they ran, and run again: what they claim they assert."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from shared import shared

EXAMPLES = Path(__file__).parents[2] / "examples"
NEEDS = {"source_words": "alignment/deen-rwth"}
"""Shared data that a notebook reads."""
NAMES = ["attention_knockout", "induction_circuit", "small_tasks", "source_words", "steering"]
MOST = 100_000  # bytes


def read(name):
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    return notebook


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_as_it_ran(name):
    cells, text = code(read(name)), (EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8")
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert sum(f"\n{cell.source}".count("\nassert ") for cell in cells) >= 3
    assert len(text.encode()) < MOST
    assert not any(path in text for path in ("/home/", "/tmp/", "/usr/", "/root/", str(EXAMPLES.parent)))


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_runs_and_its_claims_hold(name):
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if name in NEEDS:
        shared(NEEDS[name])
    notebook = read(name)
    for cell in code(notebook):
        cell.outputs, cell.execution_count = [], None
    client = nbclient.NotebookClient(
        notebook, timeout=1800, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}}
    )
    with ThreadPoolExecutor(1) as aside:  # a browser that other tests have open keeps a loop running in this thread
        aside.submit(lambda: asyncio.run(client.async_execute())).result()
    assert any("AER" in str(cell.outputs) for cell in code(notebook)) == (name == "source_words")
