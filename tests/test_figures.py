"""docs/make_figures.py: what a page shows of a run is what the run prints."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def made():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import make_figures
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return make_figures


def test_a_block_below_a_command_is_what_it_prints(made):
    page = "# A\n\n<!-- printed by: python -c \"print('two  ')\" -->\n\n```\none\n```\n\nrest\n"
    assert made.with_commands(page) == page.replace("one", "two")


def test_a_command_that_fails_ends_it(made):
    with pytest.raises(SystemExit, match="ZeroDivisionError"):
        made.with_commands("<!-- printed by: python -c '1/0' -->\n```\none\n```\n")


def test_a_block_below_python_is_what_it_prints_if_the_page_says_so(made):
    page = "```python\nx = 2\n```\n\n```python\nprint(x)\n```\n\n```text\n1\n```\n"
    assert made.with_prints(page, "page") == page
    assert made.with_prints(f"{made.PRINTED}\n{page}", "page") == f"{made.PRINTED}\n{page}".replace("1\n", "2\n")


def test_numbers_are_those_of_the_file(made):
    figures = {"en-de": {"news": {"texts": 3000, "scores": {"bleu": 14.26}}}}
    page = "It has <!--= en-de / news / bleu -->9<!-- --> on <!--= en-de / news / texts -->8<!-- --> texts."
    assert made.with_numbers(page, figures) == page.replace(">9<", ">14.3<").replace(">8<", ">3,000<")


@pytest.mark.parametrize("page", ["README.md", *(path.name for path in sorted((ROOT / "docs").glob("*.md")))])
def test_every_number_of_a_page_is_the_measured_one(made, page):
    file = ROOT / "docs" / "figures.json"
    text = (ROOT / page if page == "README.md" else ROOT / "docs" / page).read_text(encoding="utf-8")
    if file.is_file():
        assert made.with_numbers(text, json.loads(file.read_text(encoding="utf-8"))) == text
    else:
        assert "<!--= " not in text
