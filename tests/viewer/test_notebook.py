"""The example notebook runs from top to bottom, and its pages are answered by the kernel."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "look.ipynb"
VIEW = "application/vnd.jupyter.widget-view+json"


async def ran(client) -> dict:
    """Every cell, then what the page of `seen.show()` is told of its run, through the kernel."""
    async with client.async_setup_kernel():
        for number, cell in enumerate(client.nb.cells):
            await client.async_execute_cell(cell, number)
        (shown,) = (cell for cell in client.nb.cells if "seen.show(" in cell.source)
        request = {"id": 7, "method": "GET", "path": "/api/runs/seen", "body": None}
        content = {"comm_id": shown.outputs[0].data[VIEW]["model_id"], "data": {"method": "custom", "content": request}}
        client.kc.shell_channel.send(client.kc.session.msg("comm_msg", content))
        while True:
            message = await client.kc.get_iopub_msg(timeout=60)
            if message["msg_type"] == "comm_msg" and message["content"]["data"].get("method") == "custom":
                assert message["content"]["data"]["content"] == {
                    **{"id": 7, "status": 200, "type": "application/json", "more": False}
                }
                return json.loads(bytes(message["buffers"][0]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_notebook_runs_and_shows_the_page_in_its_cells():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("anywidget")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    with ThreadPoolExecutor(1) as aside:  # a browser that other tests have open keeps a loop running in this thread
        run = aside.submit(lambda: asyncio.run(ran(client))).result()
    shown = {
        cell.source.splitlines()[-1]: set().union(*(output.get("data", {}) for output in cell.outputs))
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    assert all(shown.values())
    pages = [line for line, kinds in shown.items() if VIEW in kinds]
    assert [line.split("(")[0] for line in pages] == ["show", "seen.show", "pattern.show"]
    assert not any("image/svg+xml" in shown[line] for line in pages)
    (still,) = (kinds for line, kinds in shown.items() if "heads=" in line)
    assert "image/svg+xml" in still
    (side,) = run["sides"]
    assert side["texts"][:6] == ["To", " be", ",", " or", " not", " to"]
    assert {layer["keys"] for layer in run["layers"]} == {len(side["texts"])}
