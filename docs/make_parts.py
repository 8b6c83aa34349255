"""Fills in what the pages say of the tables of parts: a row and a drawing of each entry, by its docstring and example.

Run as `python docs/make_parts.py`.
"""

import inspect
import re
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

import torch
from make_glossary import first_sentence
from torch import Tensor

from regard.attention import BIASES, MASKS, NORMALISERS, SCORES, Pattern
from regard.attention.efficient import ATTENTION_METHODS
from regard.pictures import terminal
from regard.positions import POSITIONS, Position
from regard.training.objectives import OBJECTIVES

DOCS = Path(__file__).parent
BLOCK = re.compile(r"(<!-- (\w+): made by docs/make_parts.py -->\n).*?(<!-- end -->)", re.DOTALL)
LENGTH, HEADS, WIDTH = 6, 4, 8  # WIDTH: of a head


def table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def call(part: type, without: tuple[str, ...] = ()) -> str:
    """How a part is made: its name, and those of its settings."""
    names = [name for name, one in inspect.signature(part).parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    return f"`{part.__name__}({', '.join(name for name in names if name not in without)})`"


def drawings(panels: dict[str, str], across: int = 5) -> str:
    """Drawings side by side, each below its name."""
    every, strips = [[name, *drawing.split("\n")] for name, drawing in panels.items()], []
    for first in range(0, len(every), across):
        columns = every[first : first + across]
        widths = [max(map(len, column)) for column in columns]
        lines = zip_longest(*columns, fillvalue="")
        strips.append(
            "\n".join("   ".join(map(str.ljust, line, widths)).rstrip() for line in lines)  # one line of every drawing
        )
    return "```text\n" + "\n\n".join(strips) + "\n```"


def shades(weights: Tensor) -> str:
    """One head, its largest weight darkest."""
    return terminal.heat(weights[0, 0] / weights[0, 0].amax())


def words(times: int = 2) -> Tensor:
    """Three words that come again and again, as one head."""
    vectors = torch.randn(3, WIDTH, generator=torch.Generator().manual_seed(0)) * 1.5
    return vectors.repeat(times, 1)[None, None]


def masks() -> str:
    rows = [[f"`{name}`", call(mask), first_sentence(mask)] for name, mask in MASKS.items()]
    panels = {name: mask.example(1, 1, LENGTH, LENGTH).draw(LENGTH, LENGTH) for name, mask in MASKS.items()}
    return f"{table(['name', 'mask', 'what it says'], rows)}\n\n{drawings(panels)}"


def biases() -> str:
    rows = [[f"`{name}`", call(bias), first_sentence(bias)] for name, bias in BIASES.items()]
    x = torch.zeros(1, 1, LENGTH, WIDTH)
    panels = {
        name: shades(Pattern(x, x, bias=bias.example(1, 1, LENGTH, LENGTH)).weights()) for name, bias in BIASES.items()
    }
    return f"{table(['name', 'bias', 'what it adds'], rows)}\n\n{drawings(panels)}"


def normalisers() -> str:
    rows = [[f"`{name}`", call(one), first_sentence(one)] for name, one in NORMALISERS.items()]
    query, key = torch.ones(1, 1, 1, 1), torch.linspace(0.5, 3, LENGTH)[None, None, :, None]
    panels = {
        name: "\n".join(
            f"{weight:.2f}" for weight in Pattern(query, key, normaliser=one.example(1)).weights().flatten()
        )
        for name, one in NORMALISERS.items()
    }
    return f"{table(['name', 'normaliser', 'what the weights are'], rows)}\n\n{drawings(panels)}"


def scores() -> str:
    rows, panels = [], {}
    for name, learned in SCORES.items():
        torch.manual_seed(0)
        query, key, score = learned.example(1, WIDTH)(words(), words())
        value = f"`{type(score).__name__}`: {first_sentence(type(score))}"
        rows.append([f"`{name}`", call(learned, ("heads", "width")), first_sentence(learned), value])
        panels[name] = shades(Pattern(query, key, score).weights())
    return f"{table(['name', 'module', 'what it learns', 'the score that it hands out'], rows)}\n\n{drawings(panels)}"


def positions() -> str:
    rows, panels = [], {}
    for name, scheme in POSITIONS.items():
        torch.manual_seed(0)
        position, where = scheme.example(HEADS * WIDTH, HEADS, LENGTH), torch.arange(LENGTH)[None]
        doors = [door for door in ("embed", "rotate", "bias") if getattr(scheme, door) is not getattr(Position, door)]
        kind = "absolute" if scheme.is_absolute else "relative" if doors else ""
        rows.append([f"`{name}`", call(scheme), "".join(f"`{door}`" for door in doors), kind, first_sentence(scheme)])
        x = position.embed(torch.ones(1, LENGTH, HEADS * WIDTH), where).unflatten(2, (HEADS, WIDTH)).transpose(1, 2)
        x = position.rotate(x, where)
        panels[name] = shades(Pattern(x, x, bias=position.bias()).weights().detach())
    return f"{table(['name', 'scheme', 'door', 'position', 'what it does'], rows)}\n\n{drawings(panels)}"


def methods() -> str:
    rows, panels = [], {}
    for name, kind in ATTENTION_METHODS.items():
        torch.manual_seed(0)
        method, x = kind.example(WIDTH, heads=1, length=2 * LENGTH), words(times=4)
        pattern = method.pattern(Pattern(x, x, value=x))
        answers = ["yes" if answer else "refused" for answer in (kind.sees_tokens, pattern.normaliser.tempers)]
        rows.append([f"`{name}`", call(kind), first_sentence(kind), kind.promise, *answers])
        panels[name] = shades(pattern.weights().detach())
    columns = ["name", "method", "what it does", "promise", "a token hidden", "a temperature"]
    return f"{table(columns, rows)}\n\n{drawings(panels, across=2)}"


def objectives() -> str:
    rows = [
        [f"`{name}`", ", ".join(f"`{kind}`" for kind in one.kinds), first_sentence(one)]
        for name, one in OBJECTIVES.items()
    ]
    return table(["objective", "models", "what is learned"], rows)


MAKERS: dict[str, Callable[[], str]] = {
    make.__name__: make for make in (masks, biases, normalisers, scores, positions, methods, objectives)
}


def filled(page: str) -> str:
    """A page with every block of it made anew."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{MAKERS[block[2]]()}\n\n{block[3]}", page)


def pages() -> dict[Path, Any]:
    """The pages with blocks, and the blocks in each."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    return {path: names for path, text in texts.items() if (names := [block[2] for block in BLOCK.finditer(text)])}


if __name__ == "__main__":
    for path in pages():
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
