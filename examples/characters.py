"""Attention compares vectors: of characters or of company? And one head's mean against several.

Words of ten topics are spelled at random, so that spelling says nothing of topic; a text that the script makes sets
words of one topic side by side, and word vectors are learned from that. A query word then looks at eight words, one of
them of its topic: by characters or by learned vectors, without parameters or with projections trained on half of the
words.

The second part asks for several items of a sequence at once. A head gives back a mean of what it looks at.

    python examples/characters.py --chart characters.svg
"""

import json
from itertools import product
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import Dot, Pattern
from regard.layers import FeedForward, MultiHead
from regard.pictures.chart import lines

TOPICS, MEMBERS, LETTERS, SPELLED = 10, 16, 26, 5
WORDS, CHOICES, WIDTH = TOPICS * MEMBERS, 8, 16
ITEMS, NUMBERS, STREAM = 12, 8, 32
ASKED, HEADS = (1, 2, 4), (1, 2, 4)
TOPIC_OF = torch.arange(WORDS) // MEMBERS


def spell(generator: torch.Generator) -> Tensor:
    """Each word's letters, one-hot by place: (words, spelled x letters), of length 1."""
    letters = torch.randint(LETTERS, (WORDS, SPELLED), generator=generator)
    return F.one_hot(letters, LETTERS).flatten(1).float() / SPELLED**0.5


def company(generator: torch.Generator, sentences: int = 4000) -> Tensor:
    """Word vectors from a made text: sentences of five words, four of them of one topic; how much more often than by
    chance two words meet, in as many dimensions as hold most of it (Levy and Goldberg 2014)."""
    topic = torch.randint(TOPICS, (sentences, 1), generator=generator)
    text = topic * MEMBERS + torch.randint(MEMBERS, (sentences, 5), generator=generator)
    text[:, 4] = torch.randint(WORDS, (sentences,), generator=generator)
    counts = torch.zeros(WORDS, WORDS).double()
    for first, second in product(range(5), repeat=2):
        if first != second:
            counts.index_put_((text[:, first], text[:, second]), torch.ones(sentences).double(), accumulate=True)
    alone = counts.sum(1)
    informative = (counts * counts.sum() / (alone[:, None] * alone)).log().clamp(min=0)
    left, sizes, _ = torch.linalg.svd(informative)
    return F.normalize((left[:, :WIDTH] * sizes[:WIDTH].sqrt()).float(), dim=-1)


def choices(words: Tensor, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, choices of which one has the query's topic, and where it stands; all out of `words`."""
    by_topic = torch.stack([words[TOPIC_OF[words] == topic] for topic in range(TOPICS)])  # as many of each
    members = by_topic.shape[1]
    topics = torch.rand(count, TOPICS, generator=generator).argsort(1)[:, :CHOICES]
    shown = by_topic[topics, torch.randint(members, (count, CHOICES), generator=generator)]
    place = torch.randint(CHOICES, (count,), generator=generator)
    number = torch.randint(members - 1, (count,), generator=generator)  # the query is another word of that topic
    own = shown.gather(1, place[:, None])[:, 0]
    at = (by_topic[TOPIC_OF[own]] == own[:, None]).int().argmax(1)
    query = by_topic[TOPIC_OF[own], number + (number >= at)]
    return query, shown, place


class Projected(nn.Module):
    """Queries and keys out of vectors; without a width the vectors themselves, ten times as decided."""

    def __init__(self, table: Tensor, width: int | None) -> None:
        super().__init__()
        self.table = table
        self.query, self.key = (nn.Linear(table.shape[1], width) if width else None for _ in range(2))

    def pattern(self, query: Tensor, shown: Tensor) -> Pattern:
        asks, keys = self.table[query][:, None, None], self.table[shown][:, None]
        if self.query is None or self.key is None:
            return Pattern(asks, keys, score=Dot(10.0))
        return Pattern(self.query(asks), self.key(keys))

    def forward(self, query: Tensor, shown: Tensor) -> Tensor:
        """The weights on the words shown: (batch, choices)."""
        return self.pattern(query, shown)[:, :, :, :][:, 0, 0]


def spelling_or_company(seed: int, steps: int) -> dict[str, list[float]]:
    """The weight on the word of the same topic: no parameters; trained, words met; trained, other words."""
    generator = torch.Generator().manual_seed(seed)
    tables = {"characters": spell(generator), "learned from company": company(generator)}
    mixed = torch.stack([torch.randperm(MEMBERS, generator=generator) for _ in range(TOPICS)])
    met, new = (torch.arange(TOPICS)[:, None] * MEMBERS + part for part in mixed.chunk(2, 1))
    met, new = met.flatten(), new.flatten()
    found = {}
    for name, table in tables.items():
        torch.manual_seed(seed)
        plain, trained = Projected(table, None), Projected(table, 2 * WIDTH)
        optimiser = torch.optim.Adam(trained.parameters(), 1e-2)
        for _ in range(steps):
            query, shown, place = choices(met, 128, generator)
            optimiser.zero_grad()
            F.nll_loss(trained(query, shown).clamp(min=1e-9).log(), place).backward()
            optimiser.step()
        found[name] = [right_weight(*pair, seed) for pair in ((plain, new), (trained, met), (trained, new))]
    return found


@torch.no_grad()
def right_weight(model: Projected, words: Tensor, seed: int) -> float:
    query, shown, place = choices(words, 2000, torch.Generator().manual_seed(1000 + seed))
    return model(query, shown).gather(1, place[:, None]).mean().item()


class Lookup(nn.Module):
    """A query that looks at items once, and gives back the numbers of every item that is marked.

    An item is the sum of its marker and its numbers; `feed_forward` lets it mix them before it is looked at.
    """

    def __init__(self, heads: int, asked: int, feed_forward: bool) -> None:
        super().__init__()
        self.marker, self.numbers = nn.Embedding(asked + 1, STREAM), nn.Linear(NUMBERS, STREAM)
        self.mix = FeedForward(STREAM, 4 * STREAM) if feed_forward else None
        self.query = nn.Parameter(torch.randn(1, 1, STREAM))
        self.look = MultiHead(STREAM, heads, source_width=STREAM)
        self.says = nn.Linear(STREAM, asked * NUMBERS)

    def forward(self, markers: Tensor, numbers: Tensor) -> Tensor:
        x = self.marker(markers) + self.numbers(numbers)
        x = x if self.mix is None else x + self.mix(x)
        return self.says(self.look(self.query.expand(len(x), -1, -1), x)[:, 0]).unflatten(1, (-1, NUMBERS))


def items(asked: int, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Markers (0: none), numbers, and the numbers of the marked items in the order of their markers."""
    numbers = torch.randn(count, ITEMS, NUMBERS, generator=generator)
    places = torch.rand(count, ITEMS, generator=generator).argsort(1)[:, :asked]
    markers = torch.zeros(count, ITEMS).long().scatter(1, places, torch.arange(1, asked + 1).expand(count, -1))
    return markers, numbers, numbers[torch.arange(count)[:, None], places]


def resolution(heads: int, asked: int, feed_forward: bool, seed: int, steps: int) -> float:
    """How much of the numbers of so many items is given back, by one look: 1 is all, 0 is nothing."""
    torch.manual_seed(seed)
    model, generator = Lookup(heads, asked, feed_forward), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        markers, numbers, answers = items(asked, 128, generator)
        optimiser.zero_grad()
        F.mse_loss(model(markers, numbers), answers).backward()
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        markers, numbers, answers = items(asked, 2000, generator)
        return 1 - (F.mse_loss(model(markers, numbers), answers) / answers.square().mean()).item()


def measured(seeds: int, steps: int) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    runs = [spelling_or_company(seed, steps) for seed in range(seeds)]
    words = {
        name: [sum(column) / seeds for column in zip(*(run[name] for run in runs), strict=True)] for name in runs[0]
    }
    kinds = {f"{heads} head{'s'[: heads > 1]}": (heads, False) for heads in HEADS} | {
        "1 head, items mixed first": (1, True)
    }
    looks = {
        name: [sum(resolution(heads, asked, mixes, seed, steps) for seed in range(seeds)) / seeds for asked in ASKED]
        for name, (heads, mixes) in kinds.items()
    }
    return words, looks | {"sum of them all: 1 / n": [1 / asked for asked in ASKED]}


@click.command()
@click.option("--seeds", default=2, show_default=True)
@click.option("--steps", default=500, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw the second part, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Compare spelling with company, and one head with several."""
    words, looks = measured(seeds, steps)
    if as_json:
        click.echo(json.dumps({"weight on the same topic": words, "asked": ASKED, "given back": looks}, indent=1))
    else:
        click.echo(f"weight on the word of the same topic, of {CHOICES} (by chance {1 / CHOICES:.3f})")
        click.echo(f"{'':28}{'no parameters':>15}{'trained, met':>15}{'trained, new':>15}")
        for name, row in words.items():
            click.echo(f"{name:28}" + "".join(f"{weight:>15.3f}" for weight in row))
        click.echo("\nhow much is given back (1 is all) of n items asked for at once, n =")
        click.echo(f"{'':28}" + "".join(f"{asked:>8}" for asked in ASKED))
        for name, row in looks.items():
            click.echo(f"{name:28}" + "".join(f"{share:>8.2f}" for share in row))
    if chart:
        series = {name: list(zip(ASKED, row, strict=True)) for name, row in looks.items()}
        title = "What a mean of several items tells of each"
        chart.write_text(
            lines(series, title=title, x="items asked for at once", y="given back (1 = all)"), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
