"""Points in space: which shape do they lie on? A set of XYZ, read by attention, by PointNet, and as a list.

48 points are drawn from the surface of a sphere, a cube, a cylinder, a cone or a torus, in no order. Attention over the
set does not know an order; coordinates can be what a point is (its vector), or how far it is from others (a bias on the
scores), or both. Beside them PointNet (Qi et al. 2017), a shared MLP and a maximum, and a dense layer that reads the
points as a list. All learn from shapes that stand upright, and are tried on shapes that were turned as well.

    python examples/points.py --chart points.svg
"""

import json
from collections.abc import Callable
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import DenseBias
from regard.layers import FeedForward, MultiHead, TransformerBlock
from regard.pictures.chart import lines

POINTS, WIDTH, HEADS, NOISE = 48, 32, 4, 0.03
SHAPES = ("sphere", "cube", "cylinder", "cone", "torus")


def surface(shape: str, count: int, generator: torch.Generator) -> Tensor:
    """Points on the surface of an upright shape: (count, points, 3)."""

    def uniform() -> Tensor:
        return torch.rand(count, POINTS, generator=generator)

    angle, height = 2 * torch.pi * uniform(), 2 * uniform() - 1
    if shape == "sphere":
        across = (1 - height.square()).sqrt()
    elif shape == "cylinder":
        across = torch.ones_like(height)
    elif shape == "cone":
        height = 1 - 2 * uniform().sqrt()  # a ring has as many points as it is long
        across = (1 - height) / 2
    elif shape == "torus":
        turn = 2 * torch.pi * uniform()
        across, height = 1 + 0.4 * turn.cos(), 0.4 * turn.sin()
    else:  # a cube: a point of the cube, pushed to the side of one of its axes
        points = 2 * torch.rand(count, POINTS, 3, generator=generator) - 1
        side = torch.randint(3, (count, POINTS, 1), generator=generator)
        return points.scatter(2, side, points.gather(2, side).sign())
    return torch.stack([across * angle.cos(), across * angle.sin(), height], -1)


def draw(count: int, generator: torch.Generator, is_turned: bool = False) -> tuple[Tensor, Tensor]:
    """Points (count, points, 3) of mean 0 and mean squared length 1, some noise in them, and their shapes."""
    kinds = torch.arange(count) % len(SHAPES)
    points = torch.empty(count, POINTS, 3)
    for number, shape in enumerate(SHAPES):
        points[kinds == number] = surface(shape, int((kinds == number).sum()), generator)
    points = points + NOISE * torch.randn(points.shape, generator=generator)
    points = points - points.mean(1, keepdim=True)
    points = points / points.square().sum(-1).mean(1).sqrt()[:, None, None]
    return points @ rotations(count, generator) if is_turned else points, kinds


def rotations(count: int, generator: torch.Generator) -> Tensor:
    """Orthogonal matrices, any of them as likely as another."""
    found, upper = torch.linalg.qr(torch.randn(count, 3, 3, generator=generator))
    return found * upper.diagonal(dim1=1, dim2=2).sign()[:, None]


class PointNet(nn.Module):
    """The same MLP for every point, and the maximum over points."""

    def __init__(self) -> None:
        super().__init__()
        self.each = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 100), nn.ReLU())
        self.says = nn.Linear(100, len(SHAPES))

    def forward(self, points: Tensor) -> Tensor:
        return self.says(self.each(points).amax(1))


class ListReader(nn.Module):
    """A dense layer with a strength for every point by its number in the list."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(3 * POINTS, 50), nn.ReLU(), nn.Linear(50, len(SHAPES)))

    def forward(self, points: Tensor) -> Tensor:
        return self.layers(points)


class SetReader(nn.Module):
    """A block of attention over the set, and the mean of its vectors.

    A point is its coordinates, or with `only_lengths` its distance from the middle. With `distances` a score loses as
    much as two points are apart, squared, times what each head has learned.
    """

    def __init__(self, *, only_lengths: bool = False, distances: bool = False) -> None:
        super().__init__()
        self.only_lengths = only_lengths
        self.embed = nn.Linear(1 if only_lengths else 3, WIDTH)
        self.block = TransformerBlock(
            MultiHead(WIDTH, HEADS), FeedForward(WIDTH, 2 * WIDTH), lambda: nn.LayerNorm(WIDTH)
        )
        self.slopes = nn.Parameter(torch.logspace(-1, 1, HEADS)) if distances else None
        self.says = nn.Linear(WIDTH, len(SHAPES))

    def forward(self, points: Tensor) -> Tensor:
        x = self.embed(points.norm(dim=-1, keepdim=True) if self.only_lengths else points)
        bias = None
        if self.slopes is not None:
            apart = (points[:, :, None] - points[:, None]).square().sum(-1)  # (batch, points, points)
            bias = DenseBias(-self.slopes[:, None, None] * apart[:, None])
        return self.says(self.block(x, bias=bias).mean(1))


READERS: dict[str, Callable[[], nn.Module]] = {
    "a list, dense": ListReader,
    "PointNet": PointNet,
    "attention, XYZ": SetReader,
    "attention, XYZ and distances": lambda: SetReader(distances=True),
    "attention, distances alone": lambda: SetReader(only_lengths=True, distances=True),
}


def train(make: Callable[[], nn.Module], seed: int, steps: int) -> nn.Module:
    torch.manual_seed(seed)
    reader, generator = make(), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(reader.parameters(), 3e-3)
    for _ in range(steps):
        points, kinds = draw(50, generator)
        optimiser.zero_grad()
        F.cross_entropy(reader(points), kinds).backward()
        optimiser.step()
    return reader.eval()


@torch.no_grad()
def judge(reader: nn.Module, seed: int) -> list[float]:
    """Right when upright, right when turned, the same answer in another order."""
    generator = torch.Generator().manual_seed(1000 + seed)
    upright, kinds = draw(500, generator)
    turned, same_kinds = draw(500, generator, is_turned=True)
    answers, order = reader(upright).argmax(-1), torch.randperm(POINTS, generator=generator)
    return [
        (answers == kinds).float().mean().item(),
        (reader(turned).argmax(-1) == same_kinds).float().mean().item(),
        (reader(upright[:, order]).argmax(-1) == answers).float().mean().item(),
    ]


def measured(seeds: int, steps: int) -> tuple[dict[str, list[float]], dict[str, nn.Module]]:
    """For each reader what judge() says, means over seeds; and the readers of the first seed."""
    table, first = {}, {}
    for name, make in READERS.items():
        readers = [train(make, seed, steps) for seed in range(seeds)]
        runs = [judge(reader, seed) for seed, reader in enumerate(readers)]
        table[name], first[name] = [sum(column) / seeds for column in zip(*runs, strict=True)], readers[0]
    return table, first


@torch.no_grad()
def tilted(reader: nn.Module, degrees: Tensor) -> list[tuple[float, float]]:
    """The share told right of shapes that lean so far to one side."""
    points, kinds = draw(500, torch.Generator().manual_seed(2000))
    found = []
    for angle in degrees.tolist():
        turn = torch.tensor(angle).deg2rad()
        lean = torch.tensor([[1, 0, 0], [0, turn.cos(), -turn.sin()], [0, turn.sin(), turn.cos()]])
        found.append((angle, (reader(points @ lean).argmax(-1) == kinds).float().mean().item()))
    return found


@click.command()
@click.option("--seeds", default=2, show_default=True)
@click.option("--steps", default=400, show_default=True, help="Batches of 50 shapes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw shapes that lean, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Tell shapes by points on them."""
    table, readers = measured(seeds, steps)
    numbers = {name: sum(part.numel() for part in make().parameters()) for name, make in READERS.items()}
    if as_json:
        click.echo(json.dumps({"upright, turned, same in another order": table, "parameters": numbers}, indent=1))
    else:
        click.echo(f"%{'':29}{'parameters':>10}{'upright':>10}{'turned':>10}{'same answer in another order':>30}")
        for name, (upright, turned, same) in table.items():
            click.echo(f"{name:30}{numbers[name]:>10}{100 * upright:>10.1f}{100 * turned:>10.1f}{100 * same:>30.1f}")
        click.echo(f"by chance: {100 / len(SHAPES):.0f}")
    if chart:
        degrees = torch.arange(0.0, 91.0, 10.0)
        series = {name: tilted(reader, degrees) for name, reader in readers.items()}
        title = "Shapes that lean"
        chart.write_text(lines(series, title=title, x="degrees", y="share told right"), encoding="utf-8")


if __name__ == "__main__":
    main()
