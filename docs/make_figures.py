"""Writes what the pages show of runs and scores anew: `python docs/make_figures.py [PAGE…]`; `make figures` runs it.

Three things on a page are made, and nothing of them is typed:

- the block below a comment such as `<!-- printed by: python examples/syntax.py -->` is what the command prints;
- a ```text block that follows a ```python block is what that block prints, if the page says `<!-- printed below -->`
  before its first block;
- a number in `<!--= en-de / newstest2013 / bleu -->14.20<!-- -->` is of docs/figures.json (recipes/panel.py).
"""

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
COMMAND = re.compile(r"(<!-- printed by: (.+?) -->\n+```\w*\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"(^```python\n(.*?)^```\n)(\n```text\n.*?^```\n)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(<!--= (.+?) -->)[^<]*(<!-- -->)")
PRINTED = "<!-- printed below -->"


def run(command: str) -> str:
    """What a command prints, this Python and the library of this tree."""
    words = shlex.split(command)
    programs = {"python": [sys.executable], "regard": [sys.executable, "-m", "regard"]}
    done = subprocess.run([*programs[words[0]], *words[1:]], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr.strip() or done.returncode}")
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.strip("\n").split("\n"))


def with_commands(text: str) -> str:
    return COMMAND.sub(lambda found: found[1] + run(found[2]) + found[4], text)


def with_prints(text: str, page: str) -> str:
    """A page that says so: each block of Python is run, and what it prints stands below it."""
    if PRINTED not in text:
        return text
    namespace: dict[str, Any] = {"__name__": "__main__"}

    def block(found: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found[2], page, "exec"), namespace)
        return found[1] + (f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else "")

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return PYTHON.sub(block, text)


def with_numbers(text: str, figures: dict[str, Any]) -> str:
    def number(found: re.Match[str]) -> str:
        name, panel, score = (part.strip() for part in found[2].split("/"))
        one = figures[name][panel]
        value = f"{one['texts']:,}" if score == "texts" else f"{one['scores'][score]:.1f}"
        return f"{found[1]}{value}{found[3]}"

    return NUMBER.sub(number, text)


def main(names: list[str]) -> None:
    figures = json.loads((DOCS / "figures.json").read_text(encoding="utf-8"))
    for page in [page for page in PAGES if not names or page.name in names]:
        before = page.read_text(encoding="utf-8")
        after = with_numbers(with_prints(with_commands(before), page.name), figures)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"written anew: {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
