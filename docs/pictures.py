"""Draws the SVG pictures of the pages, from what the code of the pages computes: `python docs/pictures.py`."""

import contextlib
import io
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from regard.attention import Dot, Pattern
from regard.pictures import chart, svg

DOCS = Path(__file__).parent


def names(page: str) -> dict[str, Any]:
    """What a page's code leaves behind when it is run from top to bottom."""
    found: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(blocks), found)
    return found


def self_attention() -> str:
    page = names("self_attention.md")
    return svg.heat(page["pattern"][0, 0], page["words"], page["words"], title="softmax(X Xᵀ)")


def films() -> str:
    page = names("match.md")
    return svg.heat(page["pattern"][0, 0], page["viewers"], page["films"], title="viewers look at films")


def tempering() -> str:
    pattern = names("tempering.md")["pattern"]
    temperatures = (0.1, 0.5, 1, 2, 10, 100)
    rows = [pattern.with_temperature(temperature)[0, 0, 0].tolist() for temperature in temperatures]
    labels = [f"t = {temperature:g}" for temperature in temperatures]
    return svg.heat(rows, labels, ["1", "2", "3", "0"], title="scores 1, 2, 3, 0")


def jacobian() -> str:
    norm = names("tempering.md")["jacobian_norm"]
    torch.manual_seed(0)
    plain, scaled = [], []
    for width in (16, 32, 64, 128, 256, 512, 1024):
        query, key = torch.randn(1, 1, 512, width), torch.randn(1, 1, 64, width)
        plain.append((width, norm(Pattern(query, key, score=Dot(1.0))[0, 0]).mean().item()))
        scaled.append((width, norm(Pattern(query, key, score=Dot())[0, 0]).mean().item()))
    return chart.lines(
        {"q · k": plain, "q · k / √d": scaled}, log_x=True, title="what a softmax passes on", x="width d", y="‖J‖"
    )


def alignment() -> str:
    page = names("alignment.md")
    return svg.heat(page["pattern"][0, 0], page["target"], page["source"], title="the source word that is looked for")


def hops() -> str:
    result = names("memory.md")["result"]
    return result.hops.svg(f"{result.question} {result.text}")


def sinusoidal() -> str:
    closeness = names("positions.md")["closeness"]
    positions = [str(position) for position in range(len(closeness))]
    return svg.heat(closeness / closeness.max(), positions, positions, title="how like each other 16 positions are")


def efficient(pattern: str, title: str) -> str:
    """One head of one of the ways to compare fewer pairs."""
    return svg.heat(names("efficient.md")[pattern][0, 0], title=title)


def remembered() -> str:
    page = names("transformer_xl.md")
    before, segment = page["memory"].shape[2], page["pattern"].shape[2]
    columns = [f"-{position}" for position in range(before, 0, -1)] + [str(position) for position in range(segment)]
    return svg.heat(page["pattern"][0, 0], columns[before:], columns, title="a segment and what it remembers")


PICTURES: dict[str, Callable[[], str]] = {
    "self_attention.svg": self_attention,
    "films.svg": films,
    "tempering.svg": tempering,
    "jacobian.svg": jacobian,
    "hops.svg": hops,
    "sinusoidal.svg": sinusoidal,
    "alignment.svg": alignment,
    "window.svg": partial(efficient, "window", "six positions back, two ahead"),
    "buckets.svg": partial(efficient, "buckets", "those who met in two rounds"),
    "sums.svg": partial(efficient, "sums", "weights that factor"),
    "slots.svg": partial(efficient, "slots", "20 positions look at six slots"),
    "remembered.svg": remembered,
}


def main() -> None:
    for name, draw in PICTURES.items():
        (DOCS / "pictures" / name).write_text(draw(), encoding="utf-8")
        print(f"docs/pictures/{name}", file=sys.stderr)


if __name__ == "__main__":
    main()
