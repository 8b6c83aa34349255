"""What stands below a block of Python, marked as text, is what the block printed."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_its_code_prints(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        before = page.read_text(encoding="utf-8")[: block.start(1)].count("\n")
        code = compile("\n" * before + block.group(1), str(page), "exec")
        with ThreadPoolExecutor(1) as thread:  # where no event loop runs, as a browser's may here
            thread.submit(exec, code, namespace).result()
        assert trimmed(capsys.readouterr().out) == trimmed(block.group(2) or ""), f"{page.name}:{before}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", [page for page in PAGES if "```py\n" in page.read_text(encoding="utf-8")], ids=str)
def test_what_is_compiled_runs_where_shapes_are_not_checked(page, tmp_path):
    # Blocks marked py compile a model, which the shape checks of this test run do not allow.
    blocks = re.findall(r"^```py(?:thon)?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    code = "\n".join(blocks).replace("fullgraph=True", 'fullgraph=True, backend="eager"')  # no C++ compiler needed
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_every_page_stands_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"({page})" not in index} == set()
