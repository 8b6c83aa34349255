"""Films whose contents nobody described: tastes learned from ratings, and attention over what was learned.

Viewers and films have hidden vectors (how much romance, action, comedy), and a viewer rates a film by their dot
product and some noise. Of the ratings a part is known. Matrix factorisation (Koren et al. 2009) finds vectors whose
dot products are the known ratings, by least squares on one side after the other; the rest of the ratings follows. The
hidden vectors come back up to a rotation: dot products do not know axes, and neither does attention.

    python examples/films.py --chart films.svg
"""

import json
from dataclasses import dataclass
from pathlib import Path

import click
import torch
from torch import Tensor

from regard.attention import Dot, Pattern, attend
from regard.pictures.chart import lines

VIEWERS, FILMS, HIDDEN, NOISE = 300, 150, 3, 0.5
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
WIDTHS = (1, 2, 3, 4, 6, 10)


@dataclass(frozen=True, eq=False)
class Ratings:
    """What viewers think of films, and which of it is known."""

    tastes: Tensor  # (viewers, hidden)
    contents: Tensor  # (films, hidden)
    stars: Tensor  # (viewers, films), noise included
    is_known: Tensor  # (viewers, films)


def rate(seed: int, share: float) -> Ratings:
    """Ratings of hidden tastes, a share of them known."""
    generator = torch.Generator().manual_seed(seed)
    tastes, contents = (torch.randn(count, HIDDEN, generator=generator).double() for count in (VIEWERS, FILMS))
    stars = tastes @ contents.T + NOISE * torch.randn(VIEWERS, FILMS, generator=generator)
    return Ratings(tastes, contents, stars, torch.rand(VIEWERS, FILMS, generator=generator) < share)


def factorise(ratings: Ratings, width: int, seed: int, penalty: float = 1.0, rounds: int = 30) -> tuple[Tensor, Tensor]:
    """Tastes and contents of a width, by alternating least squares on the known ratings."""
    stars, is_known = torch.where(ratings.is_known, ratings.stars, 0.0), ratings.is_known.double()
    generator = torch.Generator().manual_seed(seed)
    contents = torch.randn(FILMS, width, generator=generator).double()
    tastes = torch.zeros(VIEWERS, width).double()

    def solve(known: Tensor, theirs: Tensor, seen: Tensor) -> Tensor:
        """The vectors of one side, ridge regressions on those of the other."""
        left = torch.einsum("uf,fi,fj->uij", seen, theirs, theirs) + penalty * torch.eye(width).double()
        return torch.linalg.solve(left, known @ theirs)

    for _ in range(rounds):
        tastes = solve(stars, contents, is_known)
        contents = solve(stars.T, tastes, is_known.T)
    return tastes, contents


def error(ratings: Ratings, guess: Tensor) -> float:
    """The root mean square error on ratings that were not known."""
    return (guess - ratings.stars)[~ratings.is_known].square().mean().sqrt().item()


def rotate(learned: Tensor, hidden: Tensor) -> Tensor:
    """The learned vectors, turned (and mirrored and scaled as a whole) to lie on the hidden ones: Schönemann 1966."""
    left, sizes, right = torch.linalg.svd(learned.T @ hidden)
    return sizes.sum() / learned.square().sum() * learned @ left @ right


def explained(learned: Tensor, hidden: Tensor) -> float:
    """How much of the hidden vectors the rotated ones explain: 1 is all, 0 is nothing."""
    left_over = (rotate(learned, hidden) - hidden).square().sum() / hidden.square().sum()
    return 1 - left_over.item()


def pattern(tastes: Tensor, contents: Tensor) -> Pattern:
    """Viewers look at films: softmax of the match."""
    return Pattern(tastes[None, None], contents[None, None], score=Dot(1.0))


def weights(tastes: Tensor, contents: Tensor) -> Tensor:
    return pattern(tastes, contents)[:, :, :, :][0, 0]


def in_common(first: Tensor, second: Tensor) -> float:
    """The share of its weight that a viewer gives to the same films, on average."""
    return torch.minimum(first, second).sum(-1).mean().item()


def by_width(seeds: int, share: float = 0.2) -> dict[str, float]:
    """The error on unknown ratings: of a film's mean, of factorisations, of the hidden vectors themselves."""
    table: dict[str, float] = {}
    for seed in range(seeds):
        ratings = rate(seed, share)
        known = ratings.is_known.double()
        mean = (ratings.stars * known).sum(0) / known.sum(0).clamp(min=1)
        guesses = {"mean of the film": mean.expand_as(ratings.stars)}
        for width in WIDTHS:
            tastes, contents = factorise(ratings, width, seed)
            guesses[f"{width}"] = tastes @ contents.T
        guesses["hidden vectors"] = ratings.tastes @ ratings.contents.T
        for name, guess in guesses.items():
            table[name] = table.get(name, 0) + error(ratings, guess) / seeds
    return table


def by_share(seeds: int) -> dict[str, list[float]]:
    """By the share of ratings known: the error, how much of the hidden vectors came back, and what attention does."""
    rows = ("error", "tastes", "films", "weight in common", "same favourite", "ideal films")
    table = {name: [0.0] * len(SHARES) for name in rows}
    for column, share in enumerate(SHARES):
        for seed in range(seeds):
            ratings = rate(seed, share)
            tastes, contents = factorise(ratings, HIDDEN, seed)
            ours, theirs = weights(tastes, contents), weights(ratings.tastes, ratings.contents)
            ideal = attend(tastes[None, None], contents[None, None], contents[None, None], score=Dot(1.0))[0, 0]
            numbers = (
                error(ratings, tastes @ contents.T),
                explained(tastes, ratings.tastes),
                explained(contents, ratings.contents),
                in_common(ours, theirs),
                (ours.argmax(-1) == theirs.argmax(-1)).double().mean().item(),
                explained(ideal, theirs @ ratings.contents),
            )
            for name, number in zip(rows, numbers, strict=True):
                table[name][column] += number / seeds
    return table


@click.command()
@click.option("--seeds", default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(seeds: int, as_json: bool, chart: Path | None) -> None:
    """Learn tastes from ratings, and compare them with those that made the ratings."""
    widths, shares = by_width(seeds), by_share(seeds)
    if as_json:
        click.echo(json.dumps({"error by width": widths, "known": SHARES, "by share": shares}, indent=1))
    else:
        click.echo(f"{VIEWERS} viewers, {FILMS} films, {HIDDEN} hidden tastes, noise {NOISE}\n")
        click.echo("error of unknown ratings, 20% known")
        for name, wrong in widths.items():
            click.echo(f"  {f'{name} tastes learned' if name.isdigit() else name:20}{wrong:6.2f}")
        click.echo("\n" + f"{'ratings known':20}" + "".join(f"{f'{100 * share:.0f}%':>8}" for share in SHARES))
        for name, row in shares.items():
            click.echo(f"{name:20}" + "".join(f"{number:>8.2f}" for number in row))
    if chart:
        series = {name: list(zip(SHARES, row, strict=True)) for name, row in shares.items() if name != "error"}
        title = "What ratings tell of tastes"
        drawn = lines(series, title=title, x="share of ratings known", y="recovered (1 = all)", log_x=True)
        chart.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
