"""The peers' code on the pages docs/from-*.md is Python, and runs as it stands where the peers are installed.

    PEERS=VENV/bin/python python -m pytest -m proof tests/demonstrations/test_peer_pages.py

takes the peers from that environment; bench/pages.py says how to make it.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench" / "pages.py"


def bench():
    spec = importlib.util.spec_from_file_location("bench_pages", BENCH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = bench().PAGES


def test_every_page_for_those_who_come_from_a_peer_is_run():
    assert {path.stem for path in (ROOT / "docs").glob("from-*.md")} == {*PAGES}


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_peer_is_python_and_stands_beside_ours(name):
    found = bench().blocks((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    theirs, ours = ([code for kind, code in found if kind == fence] for fence in ("Python", "python"))
    assert len(theirs) >= 2
    assert len(ours) >= len(theirs)
    for code in theirs:
        compile(code, name, "exec")
    assert any(f"{PAGES[name].package}" in code for code in theirs)


@pytest.mark.proof
@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_peer_runs_and_computes_what_ours_does(name):
    python = os.environ.get("PEERS", sys.executable)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        [python, str(BENCH), "--json", "--page", name], capture_output=True, text=True, env=environment, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    (outcome,) = json.loads(ran.stdout.splitlines()[-1])
    if outcome["skipped"]:
        pytest.skip(outcome["skipped"])
    print(outcome)
    assert outcome["blocks"] >= 2
    assert all(difference <= 1e-4 for difference in outcome["differences"].values())
    assert outcome["differences"] or name == "from-inseq"  # which explains probabilities, and we their logarithms
