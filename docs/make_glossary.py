"""Writes glossary.md: every public name of the library, one line each, from its docstring.

Run as `python docs/make_glossary.py`.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGES = {
    "regard": "What most programs need",
    "regard.attention": "Attention itself",
    "regard.attention.efficient": "Comparing fewer pairs",
    "regard.positions": "Positions",
    "regard.layers": "Layers",
    "regard.models": "Models and their configs",
    "regard.decoding": "Decoding",
    "regard.tasks": "Tasks",
    "regard.looking": "Looking inside",
    "regard.looking.align": "Word alignment",
    "regard.checkpoints": "Checkpoints",
    "regard.text": "Text",
    "regard.pictures": "Pictures",
    "regard.pictures.diagrams": "Diagrams",
    "regard.architectures": "Drawings of architectures",
}
AUTHORS = r"[A-Z][\w'-]+ (?:Team|et al\.|and [A-Z][\w'-]+)|[A-Z][\w'-]+"
PAPER = re.compile(rf"((?:{AUTHORS}) (?:19|20)\d\d(?:, \d[\d.]*\d|, \d)?(?: and \d[\d.]*\d)?)")
HEAD = """# Glossary

<!-- no python here -->

Every public name, in one line, with the paper that it comes from where there is one. Made by
`python docs/make_glossary.py` from the docstrings; a test holds it to them.
"""


def first_sentence(thing: Any) -> str:
    """What a docstring says first, on one line."""
    lines = inspect.cleandoc(inspect.getdoc(thing) or "").split("\n\n")[0].split("\n")
    return " ".join(lines).strip().replace("|", "\\|")


def entry(name: str, thing: Any) -> str:
    """A row of the table."""
    if inspect.isclass(thing) or inspect.isroutine(thing):
        text = first_sentence(thing)
    else:
        text = f"A table: {', '.join(f'`{key}`' for key in thing)}." if isinstance(thing, dict) else "A type of values."
    papers = PAPER.findall(text)
    return f"| `{name}` | {text} | {'; '.join(dict.fromkeys(papers))} |"


def glossary() -> str:
    """The whole page. A name stands where it is met first."""
    parts, known = [HEAD], set()
    for package, title in PACKAGES.items():
        module = import_module(package)
        names = [name for name in module.__all__ if not name.startswith("_")]
        rows = []
        for name in sorted(names, key=str.lower):
            thing = getattr(module, name)
            if inspect.ismodule(thing) or (name, id(thing)) in known:
                continue
            known.add((name, id(thing)))
            rows.append(entry(name, thing))
        if rows:
            parts += [f"## {title}: `{package}`\n", "| name | what it is | paper |\n|---|---|---|", *rows, ""]
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("glossary.md").write_text(glossary(), encoding="utf-8")
