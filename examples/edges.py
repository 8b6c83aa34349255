"""Can one head stand in for a pair of filters, one for edges at +45°, one for edges at -45°?

Patches of 7 x 7 pixels show an edge at some angle, in noise, its contrast always the same or drawn anew. A reader gets
what one or two channels say of a patch, and tells +45° from -45° from neither (an edge along an axis). A channel is a
filter, whose strengths are the same for every patch, or a head, whose weights are computed from the patch. What reads
the channels may bend their numbers as it likes: it is what they say that limits it.

    python examples/edges.py --chart edges.svg
"""

import json
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import Pattern, attend
from regard.pictures.chart import lines

SIDE, NOISE, JITTER = 7, 0.3, 10.0
CONTRASTS = {"one contrast": 1.0, "any contrast": 3.0}  # from one over it to it
PIXELS = SIDE * SIDE
ANGLES = (45, 225, 135, 315, 0, 90, 180, 270)  # where the bright side lies, in degrees
CLASSES = ("+45°", "-45°", "neither")
CLASS_OF = torch.tensor([0, 0, 1, 1, 2, 2, 2, 2])


def edges(angles: Tensor, offsets: Tensor) -> Tensor:
    """Patches that are bright on the side of an angle, dark on the other; offsets move the edge off the middle."""
    line = torch.linspace(-1, 1, SIDE)
    y, x = torch.meshgrid(-line, line, indexing="ij")
    turn = torch.deg2rad(angles)[:, None]
    across = x.flatten() * turn.cos() + y.flatten() * turn.sin() - offsets[:, None]
    return torch.tanh(across / 0.2)


def draw(count: int, contrasts: str, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Patches (count, pixels) and their classes; half of them have an edge along an axis."""
    number = torch.randint(len(ANGLES), (count,), generator=generator)
    angle = torch.tensor(ANGLES)[number] + JITTER * (2 * torch.rand(count, generator=generator) - 1)
    patches = edges(angle, 0.2 * (2 * torch.rand(count, generator=generator) - 1))
    contrast = CONTRASTS[contrasts] ** (2 * torch.rand(count, 1, generator=generator) - 1)
    return contrast * patches + NOISE * torch.randn(count, PIXELS, generator=generator), CLASS_OF[number]


class Head(nn.Module):
    """One head, one query, one number out. A pixel's value is read off its place and its brightness.

    Keys know the place, and with `sees_brightness` the pixel too; the query is learned, or with `reads_patch` read off
    the patch: as many filters as it is wide. With neither, the weights are the same for every patch.
    """

    def __init__(self, width: int, *, sees_brightness: bool = False, reads_patch: bool = False) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.randn(PIXELS, width))
        self.brightness = nn.Parameter(torch.ones(width)) if sees_brightness else None
        self.query = nn.Linear(PIXELS, width) if reads_patch else nn.Parameter(torch.ones(width))
        self.value_of_place = nn.Parameter(torch.randn(PIXELS))
        self.value_of_brightness = nn.Parameter(torch.zeros(PIXELS))

    def heads(self, patches: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value, as (batch, 1 head, …)."""
        key = self.place.expand(len(patches), -1, -1)
        key = key if self.brightness is None else key + patches[..., None] * self.brightness
        query = self.query(patches) if isinstance(self.query, nn.Linear) else self.query.expand(len(patches), -1)
        value = self.value_of_place + self.value_of_brightness * patches
        return query[:, None, None], key[:, None], value[:, None, :, None]

    def forward(self, patches: Tensor) -> Tensor:
        return attend(*self.heads(patches))[:, 0, 0]

    def weights(self, patches: Tensor) -> Tensor:
        """Where it looks: (batch, side, side)."""
        query, key, _ = self.heads(patches)
        return Pattern(query, key)[:, :, :, :][:, 0, 0].unflatten(-1, (SIDE, SIDE))


CHANNELS = {
    "one filter": lambda: nn.Linear(PIXELS, 1),
    "two filters": lambda: nn.Linear(PIXELS, 2),
    "one head, weights fixed": lambda: Head(1),
    "one head, keys see pixels": lambda: Head(1, sees_brightness=True),
    "one head, query of 1 filter": lambda: Head(1, reads_patch=True),
    "one head, query of 2 filters": lambda: Head(2, reads_patch=True),
}

WORKS = "one head, query of 2 filters"


def train(name: str, contrasts: str, seed: int, steps: int) -> nn.Sequential:
    """Channels and their reader, trained together."""
    torch.manual_seed(seed)
    count = 2 if name == "two filters" else 1
    reader = nn.Sequential(nn.Linear(count, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, len(CLASSES)))
    model, generator = nn.Sequential(CHANNELS[name](), reader), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        patches, classes = draw(256, contrasts, generator)
        optimiser.zero_grad()
        F.cross_entropy(model(patches), classes).backward()
        optimiser.step()
        schedule.step()
    return model.eval()


@torch.no_grad()
def accuracy(model: nn.Module, contrasts: str, seed: int) -> float:
    """The share told right of 4,000 new patches."""
    patches, classes = draw(4000, contrasts, torch.Generator().manual_seed(1000 + seed))
    return (model(patches).argmax(-1) == classes).float().mean().item()


@torch.no_grad()
def tuning(model: nn.Sequential) -> list[list[tuple[float, float]]]:
    """What each channel says of a clean edge, by its angle; the largest size is 1."""
    angles = torch.arange(0.0, 361.0, 5.0)
    said = model[0](edges(angles, torch.zeros(len(angles))))
    said = (said - said.mean(0)) / (said - said.mean(0)).abs().amax(0)
    return [list(zip(angles.tolist(), line, strict=True)) for line in said.T.tolist()]


def measured(seeds: int, steps: int) -> dict[str, dict[str, float]]:
    """For each kind of channels the share told right, by contrasts: means over seeds."""
    return {
        name: {
            contrasts: sum(accuracy(train(name, contrasts, seed, steps), contrasts, seed) for seed in range(seeds))
            / seeds
            for contrasts in CONTRASTS
        }
        for name in CHANNELS
    }


@click.command()
@click.option("--seeds", default=3, show_default=True)
@click.option("--steps", default=500, show_default=True, help="Batches of 256 patches.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw what channels say, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Tell edges at +45° from those at -45° and from others, by one channel or two."""
    table = measured(seeds, steps)
    numbers = {name: sum(part.numel() for part in CHANNELS[name]().parameters()) for name in CHANNELS}
    if as_json:
        click.echo(json.dumps({"right": table, "parameters": numbers}, indent=1))
    else:
        click.echo("patches told right, %")
        click.echo(f"{'':30}{'parameters':>10}" + "".join(f"{name:>15}" for name in CONTRASTS))
        for name, shares in table.items():
            click.echo(f"{name:30}{numbers[name]:>10}" + "".join(f"{100 * share:>15.1f}" for share in shares.values()))
        click.echo("\nwhere the head looks, at an edge of +45° and one of -45° (% of its weight)")
        head = train(WORKS, "any contrast", 0, steps)[0]
        assert isinstance(head, Head)
        with torch.no_grad():
            both = (100 * head.weights(edges(torch.tensor([45.0, 135.0]), torch.zeros(2)))).round().int().tolist()
        for rows in zip(*both, strict=True):
            click.echo("   ".join("".join(f"{weight:4}" if weight else "   ·" for weight in row) for row in rows))
    if chart:
        series = {
            f"{name}: {which}" if name == "two filters" else name: line
            for name in ("one filter", "two filters", WORKS)
            for which, line in enumerate(tuning(train(name, "any contrast", 0, steps)), 1)
        }
        title = "What a channel says of an edge"
        chart.write_text(lines(series, title=title, x="angle of the bright side, °", y="said"), encoding="utf-8")


if __name__ == "__main__":
    main()
