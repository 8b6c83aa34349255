"""A sentence that moves: strengths by place, as a dense layer has them, against strengths by word, as attention does.

Sentences ("the old dog sees the small cat") stand at one place of a text in training, between words that mean nothing,
and each reader learns to name the verb and the subject. Then the sentence moves, or loses its first adjective. A dense
layer has a strength for each place, so it has to be shown every place; attention asks what a word is, and how far it is
from another.

    python examples/shifted.py --chart shifted.svg
"""

import json
from collections.abc import Callable
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import DenseBias, Dot, attend
from regard.layers import FeedForward, MultiHead, Stack, TransformerBlock
from regard.pictures.chart import lines
from regard.positions import LearnedPositions, Position, RelativeBuckets

LENGTH, WIDTH, HOME = 24, 32, 8
KIND = 8  # words of each kind
THE, NOUN, VERB, ADJECTIVE, FILLER = 0, 1, 1 + KIND, 1 + 2 * KIND, 1 + 3 * KIND  # where the words of a kind begin
WORDS = FILLER + KIND
WHOLE = (THE, ADJECTIVE, NOUN, VERB, THE, ADJECTIVE, NOUN)
BARE = (THE, NOUN, VERB, THE, ADJECTIVE, NOUN)  # without the first adjective
SHIFTS = (0, 1, 2, 4, 8)

Batch = tuple[Tensor, Tensor, Tensor]  # words (batch, length), verbs, subjects
Reader = Callable[[Tensor], tuple[Tensor, Tensor]]  # words to the scores of verbs and of subjects


def sentences(count: int, places: Tensor, generator: torch.Generator, form: tuple[int, ...] = WHOLE) -> Batch:
    """Sentences of a form that begin at places drawn out of `places`, among fillers."""

    def draw(*sizes: int) -> Tensor:
        return torch.randint(KIND, sizes, generator=generator)

    text = FILLER + draw(count, LENGTH)
    kinds = torch.tensor(form)
    words = torch.where(kinds == THE, THE, kinds + draw(count, len(form)))
    begin = places[torch.randint(len(places), (count,), generator=generator)]
    text.scatter_(1, begin[:, None] + torch.arange(len(form)), words)
    return text, words[:, form.index(VERB)] - VERB, words[:, form.index(NOUN)] - NOUN


class Dense(nn.Module):
    """Every word has its strength at every place: one dense layer on the whole text, and what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.layer = nn.Linear(LENGTH * WIDTH, 64)
        self.verb, self.subject = nn.Linear(64, KIND), nn.Linear(64, KIND)

    def forward(self, text: Tensor) -> tuple[Tensor, Tensor]:
        inside = torch.relu(self.layer(self.embedding(text).flatten(1)))
        return self.verb(inside), self.subject(inside)


class Attention(nn.Module):
    """Two blocks of two heads with some scheme of positions; the mean of their vectors says what it says."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.embedding, self.position = nn.Embedding(WORDS, WIDTH), position
        self.stack = Stack(
            [
                TransformerBlock(MultiHead(WIDTH, 2), FeedForward(WIDTH, 2 * WIDTH), lambda: nn.LayerNorm(WIDTH))
                for _ in range(2)
            ]
        )
        self.verb, self.subject = nn.Linear(WIDTH, KIND), nn.Linear(WIDTH, KIND)

    def forward(self, text: Tensor) -> tuple[Tensor, Tensor]:
        positions = torch.arange(text.shape[1])[None]
        x = self.position.embed(self.embedding(text), positions)
        x = self.stack(x, bias=self.position.bias(), position=self.position, positions=positions).mean(1)
        return self.verb(x), self.subject(x)


def place_by_hand(text: Tensor) -> tuple[Tensor, Tensor]:
    """The strengths written down: the verb is the word at its place, the subject the one before it."""
    verb = HOME + WHOLE.index(VERB)
    return (
        F.one_hot(text[:, verb], WORDS)[:, VERB : VERB + KIND].float(),
        F.one_hot(text[:, verb - 1], WORDS)[:, NOUN : NOUN + KIND].float(),
    )


def word_by_hand(text: Tensor) -> tuple[Tensor, Tensor]:
    """Strengths written down, too, but by word: one head looks for verbs, the other for nouns, the earlier the better.

    Moving the sentence takes the same number from all its scores, and a softmax does not see that.
    """
    words = F.one_hot(text, WORDS).float()[:, None]  # (batch, 1, length, words)
    asked = torch.zeros(1, 2, 1, WORDS)
    asked[0, 0, 0, VERB : VERB + KIND] = asked[0, 1, 0, NOUN : NOUN + KIND] = 200
    earlier = torch.stack([torch.zeros(LENGTH), -5 * torch.arange(LENGTH)])[None, :, None]
    query, key = asked.expand(len(text), -1, -1, -1), words.expand(-1, 2, -1, -1)
    seen = attend(query, key, key, score=Dot(1.0), bias=DenseBias(earlier))[:, :, 0]
    return seen[:, 0, VERB : VERB + KIND], seen[:, 1, NOUN : NOUN + KIND]


HOMES, ANYWHERE = torch.tensor([HOME]), torch.arange(LENGTH - len(WHOLE) + 1)
LEARNERS: dict[str, tuple[Callable[[], nn.Module], Tensor]] = {
    "by place, learned: dense": (Dense, HOMES),
    "the same, shown all places": (Dense, ANYWHERE),
    "attention, no positions": (lambda: Attention(Position()), HOMES),
    "attention, absolute places": (lambda: Attention(LearnedPositions(LENGTH, WIDTH)), HOMES),
    "attention, distances": (lambda: Attention(RelativeBuckets(2, 16, 12)), HOMES),
}
BY_HAND: dict[str, Reader] = {"by place, by hand": place_by_hand, "by word, by hand": word_by_hand}


def train(make: Callable[[], nn.Module], places: Tensor, seed: int, steps: int) -> nn.Module:
    torch.manual_seed(seed)
    reader, generator = make(), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(reader.parameters(), 3e-3)
    for _ in range(steps):
        text, verbs, subjects = sentences(64, places, generator)
        says_verb, says_subject = reader(text)
        loss = F.cross_entropy(says_verb, verbs) + F.cross_entropy(says_subject, subjects)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return reader.eval()


@torch.no_grad()
def accuracy(reader: Reader, place: int, form: tuple[int, ...], seed: int) -> dict[str, float]:
    """How often the verb and the subject are named in 500 sentences that begin here."""
    text, verbs, subjects = sentences(500, torch.tensor([place]), torch.Generator().manual_seed(1000 + seed), form)
    says_verb, says_subject = reader(text)
    return {
        "verb": (says_verb.argmax(-1) == verbs).float().mean().item(),
        "subject": (says_subject.argmax(-1) == subjects).float().mean().item(),
    }


def measured(seeds: int, steps: int) -> dict[str, dict[str, list[float]]]:
    """For each reader the shares of verbs and of subjects that it names: by shift, then without the adjective."""
    table: dict[str, dict[str, list[float]]] = {}
    cases = [(HOME + shift, WHOLE) for shift in SHIFTS] + [(HOME, BARE)]
    for name in (*BY_HAND, *LEARNERS):
        shares: dict[str, list[float]] = {"verb": [0.0] * len(cases), "subject": [0.0] * len(cases)}
        for seed in range(seeds):
            reader: Reader = BY_HAND[name] if name in BY_HAND else train(*LEARNERS[name], seed, steps)
            for number, (place, form) in enumerate(cases):
                for asked, share in accuracy(reader, place, form, seed).items():
                    shares[asked][number] += share / seeds
        table[name] = shares
    return table


@click.command()
@click.option("--seeds", default=3, show_default=True)
@click.option("--steps", default=300, show_default=True, help="Batches of 64 sentences.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Train on sentences at one place, and name verb and subject where they moved."""
    table = measured(seeds, steps)
    if as_json:
        click.echo(json.dumps({"shifts": SHIFTS, "shares": table}, indent=1))
    else:
        for asked in ("verb", "subject"):
            click.echo(f"{asked} named, % of sentences; moved by")
            click.echo(" " * 28 + "".join(f"{shift:>7}" for shift in SHIFTS) + "   no adjective")
            for name, shares in table.items():
                *moved, bare = (f"{100 * share:.0f}" for share in shares[asked])
                click.echo(f"{name:28}" + "".join(f"{share:>7}" for share in moved) + f"{bare:>15}")
            click.echo("")
        click.echo(f"by chance: {100 / KIND:.0f}")
    if chart:
        series = {name: list(zip(SHIFTS, shares["subject"], strict=False)) for name, shares in table.items()}
        title = "The subject of a sentence that moved"
        chart.write_text(lines(series, title=title, x="moved by", y="share named"), encoding="utf-8")


if __name__ == "__main__":
    main()
