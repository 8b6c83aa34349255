"""The animal didn't cross the road because it was too tired, or too wide: a small encoder looks at the right noun.

recipes/animal.toml trains an encoder of two layers to tag "it" with the noun that it means, on sentences that it
makes itself. No loss is put on attention, and no adjective of a test sentence was met with either of its nouns in
training. Of all heads, and of three seeds, the one is chosen that gives the right noun the larger weight in most
sentences of the valid split; then it is judged by the test split. The same is done with two heads a layer, with tags
drawn by lot in training, and with the encoder of the built-in en-de, which was never asked what "it" means.

    python examples/animal.py --chart animal.svg
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import torch
from torch import Tensor

import regard
from regard.pictures.chart import lines
from regard.tasks import ClassifyTask, Task, TokenLabels
from regard.tasks.pronouns import pronoun_weights
from regard.text.synthetic.pronouns import ANIMALS, FEELINGS, NOT_ASKED, PLACES, SHAPES
from regard.training import read_recipe, train
from regard.training.run.reports import SilentReport

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "recipes" / "animal.toml"
MODELS = {
    "one head": ("animal", ()),
    "two heads": ("animal-two-heads", ("model.heads=2",)),
    "tags by lot": ("animal-by-lot", ("data.make.shuffled=true",)),
}
"""What is trained: the name of its runs, and what is changed in the recipe."""
PARTS = ("right", "wrong", "adjective")


class Sentence(NamedTuple):
    """A sentence, the noun that "it" means, the noun that it does not, and the adjective."""

    text: str
    right: str
    wrong: str
    adjective: str

    @property
    def animal(self) -> str:
        return self.right if self.right in ANIMALS else self.wrong


class Looks(NamedTuple):
    """What "it" gives in every head: (sentences, heads) to the right noun, the wrong one and the adjective."""

    heads: list[str]
    right: Tensor
    wrong: Tensor
    adjective: Tensor

    @property
    def shares(self) -> Tensor:
        """The share of sentences in which the right noun has the larger weight of the two: (heads,)."""
        return (self.right > self.wrong).float().mean(0)


class Result(NamedTuple):
    """The head that the valid split chose, and what the test split says of it and of the others."""

    head: int
    valid: float
    test: float
    looks: Looks  # at the test split


class Measured(NamedTuple):
    """A model, the sentences that it was judged by, and what came of it; `tags` is the share of right ones."""

    name: str
    seed: int | None
    task: Task
    test: list[Sentence]
    result: Result
    tags: float | None

    def as_json(self) -> dict[str, object]:
        head, shares = self.result.looks.heads[self.result.head], {"valid": self.result.valid, "test": self.result.test}
        return {"model": self.name, "seed": self.seed, "head": head, **shares, "tags": self.tags}


def read_sentences(path: Path) -> list[Sentence]:
    sentences = []
    for line in path.read_text(encoding="utf-8").splitlines():
        text, tags = line.split("\t")
        words = text.rstrip(".").split()
        (right,) = (tag for tag in tags.split() if tag != NOT_ASKED)
        (wrong,) = (word for word in words if word in (*ANIMALS, *PLACES) and word != right)
        sentences.append(Sentence(text, right, wrong, words[-1]))
    return sentences


def look(task: Task, sentences: Sequence[Sentence]) -> Looks:
    seen = [pronoun_weights(task, one.text) for one in sentences]
    right, wrong, adjective = (
        torch.stack([weights.on(getattr(one, field)) for one, weights in zip(sentences, seen, strict=True)])
        for field in ("right", "wrong", "adjective")
    )
    return Looks([f"{layer} · {head}" for layer, head in seen[0].heads], right, wrong, adjective)


def judge(task: Task, valid: Sequence[Sentence], test: Sequence[Sentence]) -> Result:
    """Choose a head by the valid split, and judge it by the test split."""
    chosen, looks = look(task, valid).shares, look(task, test)
    head = int(chosen.argmax())
    return Result(head, chosen[head].item(), looks.shares[head].item(), looks)


def tags_right(task: Task, sentences: Sequence[Sentence], without: str | None = None) -> float:
    """The share of sentences in which "it" is tagged with the right noun; `without` a head, if one is named."""
    edits = []
    if without is not None:
        layer, _, head = without.partition(" · ")
        edits = [{"do": "scale", "layer": layer, "heads": [int(head)], "factor": 0.0}]
    assert isinstance(task, ClassifyTask)
    with regard.edit(task.model, edits):
        answers = task([one.text for one in sentences])
    right = 0
    for answer, sentence in zip(answers, sentences, strict=True):
        assert isinstance(answer, TokenLabels)
        right += next(token.label for token in answer.tokens if token.token == "it") == sentence.right
    return right / len(sentences)


def trained(name: str, home: Path, seed: int, changes: Sequence[str] = ()) -> Path:
    """The run of a model: a finished one is read, any other is trained."""
    run, own = MODELS[name]
    folder = home / f"{run}-{seed}"
    train(read_recipe(RECIPE, [f"run={folder}", f"train.seed={seed}", *own, *changes]), reporting=SilentReport())
    return folder


def by_adjective(sentences: Sequence[Sentence], result: Result) -> list[tuple[float, float]]:
    """How much of what "it" gives to both nouns goes to the animal, adjective by adjective."""
    points = []
    for number, adjective in enumerate((*FEELINGS, *SHAPES), 1):
        shares = []
        for row, one in enumerate(sentences):
            if one.adjective == adjective:
                right, wrong = (table[row, result.head].item() for table in (result.looks.right, result.looks.wrong))
                shares.append((right if one.animal == one.right else wrong) / max(right + wrong, 1e-30))
        if shares:
            points.append((float(number), sum(shares) / len(shares)))
    return points


def measured(name: str, home: Path, seeds: Sequence[int], changes: Sequence[str]) -> list[Measured]:
    """A model as trained from each seed; en-de as it is, on the same sentences."""
    rows = []
    for seed in seeds if name in MODELS else seeds[:1]:
        folder = trained(name if name in MODELS else "one head", home, seed, changes)
        valid, test = (read_sentences(folder / "data" / f"{split}.tsv") for split in ("valid", "test"))
        task = regard.load(folder / "model" if name in MODELS else name)
        tags = tags_right(task, test) if name in MODELS else None
        rows.append(Measured(name, seed if name in MODELS else None, task, test, judge(task, valid, test), tags))
    return rows


def divided(row: Measured) -> list[dict[str, float | str]]:
    """What "it" looks at in every head of a model, and what tags are right without the head."""
    table = []
    for number, head in enumerate(row.result.looks.heads):
        weights = {part: getattr(row.result.looks, part)[:, number].mean().item() for part in PARTS}
        table.append({"model": row.name, "head": head, **weights, "without": tags_right(row.task, row.test, head)})
    return table


@click.command()
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), default=ROOT / "runs", help="Where runs are.")
@click.option("--seed", "seeds", multiple=True, default=(1, 2, 3), show_default=True, help="Trainings of each model.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="A smaller recipe, as in train.steps=100.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(home: Path, seeds: tuple[int, ...], changes: tuple[str, ...], as_json: bool, chart: Path | None) -> None:
    """Train, choose a head by the valid split, and see what "it" looks at in the test split."""
    models = {name: measured(name, home, seeds, changes) for name in (*MODELS, "en-de")}
    best = {name: max(rows, key=lambda row: row.result.valid) for name, rows in models.items()}
    heads = [line for name in ("one head", "two heads") for line in divided(best[name])]
    if as_json:
        rows = [row.as_json() | {"chosen": row is best[name]} for name in models for row in models[name]]
        click.echo(json.dumps({"sentences": len(best["one head"].test), "models": rows, "heads": heads}, indent=1))
    else:
        click.echo(f"the right noun has the larger weight, % of {len(best['one head'].test)} sentences")
        click.echo(f"{'':14}{'seed':>4}{'head chosen':>20}{'valid':>9}{'test':>8}{'tags right':>13}")
        for name, rows in models.items():
            for row in rows:
                head, shares = row.result.looks.heads[row.result.head], (row.result.valid, row.result.test, row.tags)
                numbers = [f"{100 * share:.1f}" if share is not None else "" for share in shares]
                mark = "*" if row is best[name] and len(rows) > 1 else " "
                line = f"{name:14}{row.seed or '':>4}{head:>20}{numbers[0]:>8}{mark}{numbers[1]:>8}{numbers[2]:>13}"
                click.echo(line.rstrip())
        click.echo("* the seed with the largest share on valid; what follows is of these\n")
        click.echo('what "it" looks at, mean weights; tags right without the head, %')
        click.echo(f"{'':32}{'right noun':>12}{'wrong noun':>12}{'adjective':>12}{'without':>10}")
        for line in heads:
            weights = "".join(f"{line[part]:>12.2f}" for part in PARTS)
            click.echo(f"{line['model']:14}{line['head']:18}{weights}{100 * line['without']:>10.1f}")
    if chart:
        title = "What of “it” goes to the animal, adjective by adjective"
        x = f"adjective: 1 {FEELINGS[0]} … 10 {FEELINGS[-1]}, 11 {SHAPES[0]} … 20 {SHAPES[-1]}"
        series = {name: by_adjective(row.test, row.result) for name, row in best.items()}
        chart.write_text(lines(series, title=title, x=x, y="share of both nouns"), encoding="utf-8")


if __name__ == "__main__":
    main()
