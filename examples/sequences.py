"""Convolution, recurrence and attention on one task, at about the same number of parameters: accuracy by distance.

A sequence of 64 bits has two that are marked, one among the last three, the other n positions before the end. Are they
equal or not? To tell, the far one has to reach the end; and then there is the question itself, which no line through
the mean of two bits answers (it is XOR). So attention is there with and without a feed-forward layer after it, too.

    python examples/sequences.py --chart sequences.svg
"""

import json
from collections.abc import Callable
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import attend
from regard.layers import FeedForward, MultiHead, Recurrent
from regard.pictures.chart import lines

LENGTH, LAST = 64, 3
DISTANCES = (4, 8, 16, 32, 60)


def draw(count: int, distances: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Bits with their marks, as numbers below 4 (bit + 2 x mark), and whether the two marked ones differ."""
    bits = torch.randint(2, (count, LENGTH), generator=generator)
    far = LENGTH - 1 - distances[torch.randint(len(distances), (count,), generator=generator)]
    near = LENGTH - 1 - torch.randint(LAST, (count,), generator=generator)
    places = torch.stack([far, near], 1)
    marked = bits.gather(1, places)
    return bits + 2 * torch.zeros_like(bits).scatter(1, places, 1), marked[:, 0] ^ marked[:, 1]


class ConvolutionReader(nn.Module):
    """Causal convolutions by padding on the left, each with the way around it: what comes out at the last position."""

    def __init__(self, width: int, size: int, dilations: tuple[int, ...]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(4, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, width, size, dilation=dilation) for dilation in dilations)
        self.says = nn.Linear(width, 2)

    def forward(self, sequence: Tensor) -> Tensor:
        x = self.embedding(sequence).mT
        for layer in self.layers:
            reach = (layer.kernel_size[0] - 1) * layer.dilation[0]
            x = x + torch.relu(layer(F.pad(x, (reach, 0))))
        return self.says(x[..., -1])


class RecurrentReader(nn.Module):
    """A GRU: what it remembers after the last position."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.embedding, self.cells = nn.Embedding(4, width), Recurrent("gru", width, width)
        self.says = nn.Linear(width, 2)

    def forward(self, sequence: Tensor) -> Tensor:
        return self.says(self.cells(self.embedding(sequence))[1][0][-1])


class AttentionReader(nn.Module):
    """One query that looks at the whole sequence, and a feed-forward layer after it or none."""

    def __init__(self, width: int, heads: int, feed_forward_width: int | None) -> None:
        super().__init__()
        self.embedding, self.query = nn.Embedding(4, width), nn.Parameter(torch.randn(1, 1, width))
        self.look = MultiHead(width, heads, source_width=width)
        self.feed_forward = FeedForward(width, feed_forward_width) if feed_forward_width else None
        self.says = nn.Linear(width, 2)

    def gathered(self, sequence: Tensor) -> Tensor:
        """What the query brings back: (batch, width)."""
        return self.look(self.query.expand(len(sequence), -1, -1), self.embedding(sequence))[:, 0]

    def forward(self, sequence: Tensor) -> Tensor:
        x = self.gathered(sequence)
        return self.says(x if self.feed_forward is None else x + self.feed_forward(x[:, None])[:, 0])


class MarkReader(nn.Module):
    """The same with one head whose keys see the marks and not the bits: once it has learned to look there, its weights
    are half and half on the two that are marked, and what it brings back is their mean."""

    def __init__(self, width: int, feed_forward_width: int | None) -> None:
        super().__init__()
        self.query, self.key = nn.Parameter(torch.randn(1, 1, 1, width)), nn.Embedding(2, width)
        self.value, self.output = nn.Embedding(4, width), nn.Linear(width, width)
        self.feed_forward = FeedForward(width, feed_forward_width) if feed_forward_width else None
        self.says = nn.Linear(width, 2)

    def forward(self, sequence: Tensor) -> Tensor:
        query, key = self.query.expand(len(sequence), -1, -1, -1), self.key(sequence // 2)[:, None]
        x = self.output(attend(query, key, self.value(sequence)[:, None])[:, 0])
        return self.says(x if self.feed_forward is None else x + self.feed_forward(x))[:, 0]


READERS: dict[str, Callable[[], nn.Module]] = {
    "convolution, 3 layers of 3": lambda: ConvolutionReader(26, 3, (1, 1, 1)),
    "convolution, dilated": lambda: ConvolutionReader(22, 2, (1, 2, 4, 8, 16, 32)),
    "recurrent": lambda: RecurrentReader(31),
    "attention, 1 head alone": lambda: AttentionReader(38, 1, None),
    "attention, 2 heads alone": lambda: AttentionReader(38, 2, None),
    "attention, 1 head, then MLP": lambda: AttentionReader(32, 1, 28),
    "1 head by marks alone": lambda: MarkReader(74, None),
    "1 head by marks, then MLP": lambda: MarkReader(40, 52),
}


def train(make: Callable[[], nn.Module], seed: int, steps: int) -> nn.Module:
    torch.manual_seed(seed)
    reader, generator = make(), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(reader.parameters(), 5e-3)
    for _ in range(steps):
        sequence, differs = draw(64, torch.arange(LAST, LENGTH), generator)
        optimiser.zero_grad()
        F.cross_entropy(reader(sequence), differs).backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
    return reader.eval()


@torch.no_grad()
def accuracy(reader: nn.Module, distance: int, seed: int) -> float:
    sequence, differs = draw(1000, torch.tensor([distance]), torch.Generator().manual_seed(1000 + seed))
    return (reader(sequence).argmax(-1) == differs).float().mean().item()


def measured(seeds: int, steps: int) -> dict[str, list[float]]:
    """For each reader the share that it tells right, by distance: means over seeds."""
    table = {}
    for name, make in READERS.items():
        readers = [train(make, seed, steps) for seed in range(seeds)]
        table[name] = [
            sum(accuracy(r, distance, seed) for seed, r in enumerate(readers)) / seeds for distance in DISTANCES
        ]
    return table


@click.command()
@click.option("--seeds", default=2, show_default=True)
@click.option("--steps", default=600, show_default=True, help="Batches of 64 sequences.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Tell whether two marked bits differ, however far apart they are."""
    table = measured(seeds, steps)
    numbers = {name: sum(part.numel() for part in make().parameters()) for name, make in READERS.items()}
    if as_json:
        click.echo(json.dumps({"distances": DISTANCES, "right": table, "parameters": numbers}, indent=1))
    else:
        click.echo("told right, %, by how far the first marked bit is from the end (by chance: 50)")
        click.echo(f"{'':28}{'parameters':>10}" + "".join(f"{distance:>7}" for distance in DISTANCES))
        for name, row in table.items():
            click.echo(f"{name:28}{numbers[name]:>10}" + "".join(f"{100 * share:>7.0f}" for share in row))
    if chart:
        series = {name: list(zip(DISTANCES, row, strict=True)) for name, row in table.items()}
        title = "Two marked bits: do they differ?"
        drawn = lines(series, title=title, x="distance of the first from the end", y="share told right", log_x=True)
        chart.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
