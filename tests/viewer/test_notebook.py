"""The example notebook runs from top to bottom."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "look.ipynb"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_notebook_runs_and_shows_something_in_every_cell():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    with ThreadPoolExecutor(1) as aside:  # a browser that other tests have open keeps a loop running in this thread
        aside.submit(lambda: asyncio.run(client.async_execute())).result()
    kinds = [[set(output.get("data", {})) for output in cell.get("outputs", [])] for cell in notebook.cells]
    kinds = [kind for kind in kinds if kind]
    assert len(kinds) == sum(cell.cell_type == "code" for cell in notebook.cells)
    shown = set().union(*(kind for kind in kinds[1] + kinds[2]))
    assert shown & {"application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/html"}
