"""The Python in README.md and docs/ runs as it stands: each file from top to bottom, in an empty folder."""

import re
import traceback
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MARK = "<!-- no python here -->"  # a page without Python says so, lest a mistyped fence hide its code


def blocks(text: str) -> list[tuple[int, str]]:
    """Each ```python block, with the number of lines before its code."""
    fences = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: fence.start(1)].count("\n"), fence.group(1)) for fence in fences]


def run(text: str, name: str) -> None:
    """Run a page's blocks, in order, in one namespace; a traceback shows the page's own lines."""
    found = blocks(text)
    if bool(found) == (MARK in text):
        told = "has Python, yet is marked" if found else "has no ```python block: mark it"
        raise AssertionError(f"{name} {told} {MARK}")
    namespace = {"__name__": "__main__"}
    for before, code in found:
        exec(compile("\n" * before + code, name, "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page.read_text(), str(page))


def test_blocks_run_in_order_and_share_their_names():
    run("```python\nx = 1\n```\n\ntext\n\n```python\nassert x == 1\n```\n", "page")


def test_a_failing_block_fails_on_its_own_line():
    with pytest.raises(ZeroDivisionError) as caught:
        run("# Title\n\n```python\nx = 1\nx / 0\n```\n", "page.md")
    last = traceback.extract_tb(caught.tb)[-1]
    assert (last.filename, last.lineno) == ("page.md", 5)


@pytest.mark.parametrize("text", ["# Only prose\n", f"{MARK}\n```python\nx = 1\n```\n"])
def test_a_page_says_truly_whether_it_has_python(text):
    with pytest.raises(AssertionError, match="page"):
        run(text, "page")


def test_other_fences_are_not_run():
    run(f"{MARK}\n```\nmake demo\n```\n```sh\nregard --help\n```\n", "page")
