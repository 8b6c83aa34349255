"""The page that is shipped is the one that its source makes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import regard

SOURCE = Path(__file__).parents[2] / "viewer"
SHIPPED = Path(regard.__file__).parent / "viewer" / "static"


def test_the_committed_page_is_what_its_source_builds(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not on PATH: the page cannot be built again")
    vite = SOURCE / "node_modules" / "vite" / "bin" / "vite.js"
    if not vite.exists():
        pytest.skip(f"no {vite.parent.parent.name} in viewer/node_modules: run npm ci in viewer/")
    types = subprocess.run(
        [node, "node_modules/typescript/bin/tsc", "--noEmit"], cwd=SOURCE, capture_output=True, text=True
    )
    assert types.returncode == 0, types.stdout
    built = subprocess.run([node, vite, "build", "--outDir", tmp_path], cwd=SOURCE, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    made, shipped = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (tmp_path, SHIPPED))
    assert made.keys() == shipped.keys()
    differing = [name for name in made if made[name] != shipped[name]]
    assert differing == [], "run npm run build in viewer/"


def test_the_page_is_a_few_hundred_kilobytes_and_asks_nobody():
    sizes = {path.name: path.stat().st_size for path in SHIPPED.iterdir()}
    assert sum(sizes.values()) < 400_000
    page = (SHIPPED / "index.html").read_text(encoding="utf-8")
    assert not re.search(
        r"<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|https?://", page
    )  # runs under the strict policy
    called = re.findall(rb"https?://[\w.-]+", (SHIPPED / "widget.js").read_bytes())
    assert set(called) <= {b"http://www.w3.org"}  # the names of XML's vocabularies


def test_no_source_writes_markup():
    sources = list((SOURCE / "src").rglob("*.ts*"))
    assert sources
    forbidden = r"innerHTML|outerHTML\s*=|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\("
    assert [path.name for path in sources if re.search(forbidden, path.read_text(encoding="utf-8"))] == []
    assert all(path.read_text(encoding="utf-8").count("\n") < 400 for path in sources if path.name != "payload.ts")
