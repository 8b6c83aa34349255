"""What zero, one and two layers of attention can know: bigrams, skip-trigrams, induction.

Three kinds of texts make themselves (regard.text.synthetic.streams). In the first each word depends on the one before;
in the second the word after every "?" depends on a topic that was named long ago; in the third random words come back
in the same order. Models with zero, one and two layers learn each, attention alone, and are asked for the words that
the rule tells (Elhage et al. 2021). Then the heads of the last model are named by where they look and switched off one
by one (Olsson et al. 2022).

    python examples/induction.py --chart induction.svg
"""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from regard.looking.ablation import ablation
from regard.looking.circuits import Circuits, circuits
from regard.looking.evaluation_set import EvaluationSet
from regard.pictures.chart import lines
from regard.text.synthetic.streams import ASK, SHARES, RepeatTask
from regard.training import read_recipe, train
from regard.training.run.reports import SilentReport

RECIPE = Path(__file__).parents[1] / "recipes" / "induction.toml"
LAYERS = (0, 1, 2)
FLOORS = {"bigrams": -sum(share * math.log(share) for share in SHARES), "skip-trigrams": 0.0, "repeats": 0.0}
"""The least loss that anybody can have on the words that a rule tells."""
PERIOD = 12  # of the texts that are drawn


class Reader(NamedTuple):
    """A language model of words, and lines that it has not seen."""

    task: Any
    lines: list[list[str]]

    def tokens(self, texts: Sequence[Sequence[str]]) -> Tensor:
        return torch.tensor([[self.task.tokenizer.number(word) for word in words] for words in texts])

    @torch.no_grad()
    def losses(self, texts: Sequence[Sequence[str]]) -> Tensor:
        """How surprising each word is after those before it: (texts, words - 1)."""
        return losses(self.task.model, self.tokens(texts))


def losses(model: Any, tokens: Tensor) -> Tensor:
    return F.cross_entropy(model(tokens[:, :-1]).mT, tokens[:, 1:], reduction="none")


def learn(kind: str, layers: int, folder: Path, changes: Sequence[str] = ()) -> Reader:
    """Train the recipe on one kind of text, with so many layers."""
    run = folder / f"{kind}-{layers}"
    recipe = read_recipe(RECIPE, [f"run={run}", f"model.layers={layers}", *changes])
    make = recipe.data.make
    if kind != make.kind:  # what is said of periods is about repeats alone
        settings = {key: value for key, value in make.settings.items() if not key.endswith("_period")}
        recipe = replace(recipe, data=replace(recipe.data, make=replace(make, kind=kind, settings=settings)))
    model = train(recipe, reporting=SilentReport())
    texts = (run / "data" / "test.txt").read_text(encoding="utf-8").splitlines()
    return Reader(regard.load(model), [text.split() for text in texts])


def is_told(kind: str, words: Sequence[str]) -> list[bool]:
    """Of all words of a line but the first ("^"), which ones its rule tells from what stands before them."""
    positions = range(1, len(words))
    if kind == "bigrams":
        return [position > 1 for position in positions]
    if kind == "skip-trigrams":
        return [words[position - 1] == ASK for position in positions]
    return [words[position - 1] in words[1 : position - 1] for position in positions]


def told_loss(reader: Reader, kind: str) -> float:
    """The mean loss on words that the rule tells."""
    told = torch.tensor([is_told(kind, words) for words in reader.lines])
    return reader.losses(reader.lines)[told].mean().item()


def look(reader: Reader) -> tuple[Circuits, dict[str, list[float]]]:
    """What the heads of a reader of repeats do, and its loss on words that come again without each of them."""
    tokens = reader.tokens(reader.lines)
    told = torch.tensor([is_told("repeats", words) for words in reader.lines])
    evaluation_set = EvaluationSet(
        [tokens], lambda model, batch: losses(model, batch)[told].sum(), lambda _: int(told.sum())
    )
    full, rises = evaluation_set.mean(reader.task.model), ablation(reader.task.model, evaluation_set)
    without = {layer: [full + rise for rise in row.tolist()] for layer, row in rises.items()}
    return circuits(reader.task.model, tokens[:, :-1]), without


def by_position(reader: Reader, period: int, count: int = 200) -> list[float]:
    """The loss on each word of texts that come back after `period` words."""
    length = len(reader.lines[0]) - 1
    symbols = len({word for words in reader.lines for word in words[1:]})
    task, random = RepeatTask(symbols, length, period, period), Random(0)
    return reader.losses([task.draw(random, "test").split() for _ in range(count)]).mean(0).tolist()


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw losses by position, as an SVG.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key of the recipe.")
def main(as_json: bool, chart: Path | None, changes: tuple[str, ...]) -> None:
    """Zero, one and two layers on bigrams, skip-trigrams and repeats; then the heads of two."""
    with TemporaryDirectory() as folder:
        readers = {kind: [learn(kind, number, Path(folder), changes) for number in LAYERS] for kind in FLOORS}
    table = {kind: [told_loss(reader, kind) for reader in row] for kind, row in readers.items()}
    heads, without = look(readers["repeats"][-1])
    if as_json:
        report = {"losses": table, "floors": FLOORS, "circuits": heads.plain(), "without": without}
        click.echo(json.dumps(report, indent=1))
    else:
        click.echo(
            f"{'loss on words that the rule tells':36}"
            + "".join(f"{number:>7} layers" for number in LAYERS)
            + "   least"
        )
        for kind, row in table.items():
            click.echo(f"{kind:36}" + "".join(f"{loss:>14.2f}" for loss in row) + f"{FLOORS[kind]:>8.2f}")
        click.echo(f"\n{'two layers, repeats':22}{'previous':>10}{'induction':>11}{'loss without it':>17}")
        for layer, row in without.items():
            for head, loss in enumerate(row):
                scores = (float(heads.scores[kind][layer][head]) for kind in ("previous", "induction"))
                click.echo(f"{layer} head {head}".ljust(22) + "{:>10.2f}{:>11.2f}".format(*scores) + f"{loss:>17.2f}")
    if chart:
        curves = {
            f"{number} layers": list(enumerate(by_position(reader, PERIOD), start=1))
            for number, reader in zip(LAYERS, readers["repeats"], strict=True)
        }
        title = f"Random words, which come again after {PERIOD}"
        chart.write_text(lines(curves, title=title, x="word", y="loss"), encoding="utf-8")


if __name__ == "__main__":
    main()
