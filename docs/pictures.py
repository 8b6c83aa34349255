"""Draws the SVG pictures of the pages, from what the code of the pages computes: `python docs/pictures.py`."""

import contextlib
import io
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch

from regard.architectures import diagram_of
from regard.architectures.inside import attention_frame, block_diagram
from regard.attention import Dot, Pattern
from regard.config import TransformerConfig
from regard.families import preset
from regard.pictures import DivergingScale, Picture, chart, svg
from regard.pictures.diagrams import Diagram, DiagramWire

DOCS = Path(__file__).parent
TO_SOURCE = "../.."  # from docs/pictures to the folder of src


@cache
def names(page: str) -> dict[str, Any]:
    """What a page's code leaves behind when it is run from top to bottom, in an empty folder."""
    found: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
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


def waves() -> str:
    """Some of the 64 numbers, from position to position."""
    page = names("positions.md")
    far = page["sinusoidal"].embed(torch.zeros(1, 48, 64), page["positions_of"](None, 48))[0]
    series = {f"number {number}": list(enumerate(far[:, number].tolist())) for number in (0, 8, 16, 24)}
    return chart.lines(series, title="numbers of a sinusoidal position", x="position", y="value")


def position_grid() -> str:
    """Half of the numbers of every position: fast waves on the left, slow ones on the right."""
    grid = names("positions.md")["waves"][0, :, ::2]
    return Picture(
        grid, title="sines of 16 positions, from the fastest to the slowest", scale=DivergingScale(1.0)
    ).svg()


def architecture(name: str) -> str:
    """A whole model of the page on architectures."""
    return diagram_of(names("architectures.md")["models"][name], name).svg(links=TO_SOURCE)


def block(name: str, number: str) -> str:
    """One block, large."""
    return block_diagram(preset(name), number, name).svg(links=TO_SOURCE)


def scaled_dot_product() -> str:
    """Attention of one head after the other steps: what stands between the projections."""
    config = preset("transformer-base")
    assert isinstance(config, TransformerConfig)
    frame, learned = attention_frame(config.decoder, "self", (), True, None)
    value = DiagramWire("self.value", "self.gather", "cross", "rise")
    title, below = "Scaled dot-product attention", "in 8 heads, as a decoder has it"
    return Diagram(title, below, frame, (value,), parameters=learned).svg(links=TO_SOURCE)


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
    "waves.svg": waves,
    "position_grid.svg": position_grid,
    "block_post.svg": partial(block, "transformer-base", "encoder.0"),
    "block_pre.svg": partial(block, "gpt2", "0"),
    "block_cross.svg": partial(block, "transformer-base", "decoder.0"),
    "scaled_dot_product.svg": scaled_dot_product,
    "transformer.svg": partial(architecture, "transformer-base"),
    "bert.svg": partial(architecture, "bert-base"),
    "gpt2.svg": partial(architecture, "gpt2"),
    "t5.svg": partial(architecture, "t5-base"),
    "llama.svg": partial(architecture, "llama-3-8b"),
    "aligner.svg": partial(architecture, "RNNsearch"),
    "memory_network.svg": partial(architecture, "memory network"),
    "xl.svg": partial(architecture, "Transformer-XL"),
    "vision_transformer.svg": partial(architecture, "vision"),
}


def main() -> None:
    for name, draw in PICTURES.items():
        (DOCS / "pictures" / name).write_text(draw(), encoding="utf-8")
        print(f"docs/pictures/{name}", file=sys.stderr)


if __name__ == "__main__":
    main()
