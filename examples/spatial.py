"""The four terms of attention with distances, each taken away and each alone; and convolutions that adapt, beside it.

A score of content and distance (Dai et al. 2019) has four terms, as Zhu et al. 2019 number them: what the query wants
of a key's content (1), how far away it wants it (2), what any query wants of content (3), how far away anybody looks
(4). Four tasks that the script makes ask of every token of a sequence for the value of another: two before it; where
it points; the one that is marked; the one with the letter it wants. One layer of one head learns each, with some of
the terms. Beside them stand a convolution, a dynamic one (Wu et al. 2019), whose weights the token computes, and a
deformable one (Dai et al. 2017), which computes where it reads.

    python examples/spatial.py --chart spatial.svg
"""

import json
from dataclasses import dataclass
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import Dot, LearnedScore, Score
from regard.layers import MultiHead
from regard.pictures.svg import heat

LENGTH, WIDTH, VALUES, REACH = 16, 32, 8, 3
TASKS = ("two before", "where it points", "the marked one", "the letter it wants")


@dataclass(frozen=True, eq=False, repr=False)
class TermScore(Score):
    """Some of the four terms of Dai et al. 2019, over √width: all of them are regard's XLScore."""

    terms: frozenset[int]
    u: Tensor  # (heads, width)
    v: Tensor  # (heads, width)
    distances: Tensor  # (heads, distances, width); `distances[h, zero + d]` is for a key d positions before the query
    zero: int

    def tile(self, query: Tensor, key: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        content = torch.zeros_like(query[..., :1, :])
        content = content + (query if 1 in self.terms else 0) + (self.u[:, None] if 3 in self.terms else 0)
        where = torch.zeros_like(query[..., :1, :])
        where = where + (query if 2 in self.terms else 0) + (self.v[:, None] if 4 in self.terms else 0)
        behind = (rows[:, None] - columns + self.zero).expand(len(query), query.shape[1], -1, -1)
        by_distance = (where @ self.distances.mT).expand(-1, -1, len(rows), -1).gather(-1, behind)
        return (content @ key.mT + by_distance) * Dot().factor(key.shape[-1])


class LearnedTerms(LearnedScore):
    """Learns what the terms need, for one length."""

    knows_positions = True
    is_relative = True

    def __init__(self, terms: frozenset[int], heads: int = 1, width: int = WIDTH) -> None:
        super().__init__()
        self.terms = terms
        self.u, self.v = (nn.Parameter(torch.randn(heads, width) / width**0.5) for _ in range(2))
        self.distances = nn.Parameter(torch.randn(heads, 2 * LENGTH - 1, width))

    def score(self, queries: int, keys: int) -> Score:
        return TermScore(self.terms, self.u, self.v, self.distances, LENGTH - 1)


class Attention(nn.Module):
    def __init__(self, *terms: int) -> None:
        super().__init__()
        self.look = MultiHead(WIDTH, 1, score=LearnedTerms(frozenset(terms)))

    def forward(self, x: Tensor) -> Tensor:
        return self.look(x)


def windows(x: Tensor) -> Tensor:
    """Each token's neighbours, zeros outside: (batch, length, width, offsets)."""
    return F.pad(x, (0, 0, REACH, REACH)).unfold(1, 2 * REACH + 1, 1)


class Convolution(nn.Module):
    """Strengths by offset, the same everywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = nn.Conv1d(WIDTH, WIDTH, 2 * REACH + 1, padding=REACH)

    def forward(self, x: Tensor) -> Tensor:
        return self.kernel(x.mT).mT


class DynamicConvolution(nn.Module):
    """Weights by offset, computed from the token itself: Wu et al. 2019."""

    def __init__(self) -> None:
        super().__init__()
        self.weights, self.value = nn.Linear(WIDTH, 2 * REACH + 1), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return (windows(self.value(x)) @ self.weights(x).softmax(-1)[..., None])[..., 0]


class DeformableConvolution(nn.Module):
    """Three taps, each read where the token says, between two positions if need be: Dai et al. 2017, in 1-D."""

    def __init__(self, taps: int = 3) -> None:
        super().__init__()
        self.offsets, self.kernel = nn.Linear(WIDTH, taps), nn.Linear(taps * WIDTH, WIDTH)
        self.register_buffer("grid", torch.arange(taps) - taps // 2)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        places = torch.arange(length)[:, None] + self.grid + self.offsets(x)  # (batch, length, taps)
        places = places.clamp(0, length - 1)
        left = places.detach().floor().long().clamp(max=length - 2)
        share = (places - left)[..., None]
        rows = torch.arange(len(x))[:, None, None]
        return self.kernel(((1 - share) * x[rows, left] + share * x[rows, left + 1]).flatten(2))


LAYERS = {
    "all four terms": lambda: Attention(1, 2, 3, 4),
    "without 1 query, content": lambda: Attention(2, 3, 4),
    "without 2 query, distance": lambda: Attention(1, 3, 4),
    "without 3 content": lambda: Attention(1, 2, 4),
    "without 4 distance": lambda: Attention(1, 2, 3),
    "1 alone": lambda: Attention(1),
    "2 alone": lambda: Attention(2),
    "3 alone": lambda: Attention(3),
    "4 alone": lambda: Attention(4),
    "convolution": Convolution,
    "dynamic convolution": DynamicConvolution,
    "deformable convolution": DeformableConvolution,
}


class Tagger(nn.Module):
    """Tokens of five features, one layer, and the value that each token should name."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.features = nn.ModuleList(nn.Embedding(size, WIDTH) for size in (LENGTH, LENGTH, VALUES, 2, 2 * REACH + 1))
        self.layer, self.says = layer, nn.Linear(WIDTH, VALUES)

    def forward(self, features: Tensor) -> Tensor:
        x = sum(table(column) for table, column in zip(self.features, features.unbind(-1), strict=True))
        return self.says(self.layer(x))


def draw(task: str, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Features (letter, wanted letter, value, mark, offset) of every token, and the value that it should name."""

    def drawn(high: int) -> Tensor:
        return torch.randint(high, (count, LENGTH), generator=generator)

    letters = torch.rand(count, LENGTH, generator=generator).argsort(1)
    wanted, values, here = drawn(LENGTH), drawn(VALUES), torch.arange(LENGTH)
    marked = torch.randint(LENGTH, (count, 1), generator=generator)
    marks = torch.zeros(count, LENGTH).long().scatter(1, marked, 1)
    target = (here + drawn(2 * REACH + 1) - REACH).clamp(0, LENGTH - 1)  # within the sequence
    asked = {
        "two before": (here - 2).clamp(min=0).expand(count, -1),
        "where it points": target,
        "the marked one": marked.expand(-1, LENGTH),
        "the letter it wants": letters.argsort(1).gather(1, wanted),
    }[task]
    return torch.stack([letters, wanted, values, marks, target - here + REACH], -1), values.gather(1, asked)


def accuracy(layer: str, task: str, seed: int, steps: int) -> float:
    """The share of values that a layer names once it has learned a task; the two tokens at the start are left out."""
    torch.manual_seed(seed)
    model, generator = Tagger(LAYERS[layer]()), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(steps):
        features, answers = draw(task, 32, generator)
        optimiser.zero_grad()
        F.cross_entropy(model(features)[:, 2:].flatten(0, 1), answers[:, 2:].flatten()).backward()
        optimiser.step()
    with torch.no_grad():
        features, answers = draw(task, 500, generator)
        return (model(features).argmax(-1) == answers)[:, 2:].float().mean().item()


def measured(seeds: int, steps: int) -> dict[str, list[float]]:
    return {
        layer: [sum(accuracy(layer, task, seed, steps) for seed in range(seeds)) / seeds for task in TASKS]
        for layer in LAYERS
    }


@click.command()
@click.option("--seeds", default=1, show_default=True)
@click.option("--steps", default=250, show_default=True, help="Batches of 32 sequences.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Learn four tasks with some of the four terms, and with convolutions."""
    table = measured(seeds, steps)
    if as_json:
        click.echo(json.dumps({"tasks": TASKS, "named": table}, indent=1))
    else:
        click.echo(f"values named, % (by chance {100 / VALUES:.0f})")
        click.echo(f"{'':26}" + "".join(f"{task:>21}" for task in TASKS))
        for name, row in table.items():
            click.echo(f"{name:26}" + "".join(f"{100 * share:>21.0f}" for share in row))
    if chart:
        drawn = heat([*table.values()], [*table], TASKS, title="values named, by layer and task")
        chart.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
