"""How much of a word's vector is its context: self-similarity by layer, in the encoder of the built-in en-de.

A word has one vector in the embedding, whatever it means. Layer by layer it takes in what stands around it. Measured,
as in Ethayarajh 2019: the cosine of a word's vectors in different sentences, less the cosine of any two words of that
layer (vectors of a layer may all point one way); and, for words that mean two things, whether the nearest vector of
the same word in another sentence has the same meaning.

    python examples/contextual.py --chart contextual.svg
"""

import json
from pathlib import Path
from typing import NamedTuple

import click
import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from regard.pictures.chart import lines
from regard.tasks import TranslateTask

# A word, and sentences in which it means the one thing and the other.
SENSES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "bank": (
        (
            "We sat on the bank of the river and ate our bread.",
            "The boat was tied up at the left bank of the stream.",
            "Trees grow on each bank of this river.",
            "He swam across the water to the other bank.",
        ),
        (
            "I have to go to the bank to get some money.",
            "The bank lent him money to buy a house.",
            "She works as a clerk in a bank.",
            "He put all his savings into the bank.",
        ),
    ),
    "spring": (
        (
            "The trees are green in spring.",
            "We will get married next spring.",
            "Spring comes after winter.",
            "It often rains here in the spring.",
        ),
        (
            "The water of this spring is hot.",
            "They drank cold water from a spring.",
            "There is a hot spring in the mountains.",
            "This spring never runs dry, not even in summer.",
        ),
    ),
    "light": (
        (
            "Please turn on the light.",
            "The light in the kitchen is broken.",
            "I cannot sleep when the light is on.",
            "There was no light in the dark room.",
        ),
        (
            "This bag is very light.",
            "A light meal is enough for me.",
            "She carried a light box in her hand.",
            "My new coat is warm but light.",
        ),
    ),
    "match": (
        (
            "Our team lost the football match.",
            "We watched the match on television.",
            "The match was put off because of rain.",
            "Who won the tennis match yesterday?",
        ),
        (
            "He lit the candle with a match.",
            "She struck a match in the dark.",
            "Do not play with a match near the fire.",
            "I need a match to light my pipe.",
        ),
    ),
    "letter": (
        (
            "I wrote a long letter to my mother.",
            "She got a letter from her friend.",
            "He sent the letter by air mail.",
            "Did you read the letter that came today?",
        ),
        (
            "The first letter of the alphabet is A.",
            "A name begins with a capital letter.",
            "This word ends with the letter T.",
            "Which letter comes after B?",
        ),
    ),
    "kind": (
        (
            "What kind of music do you like?",
            "I do not like this kind of book.",
            "It is a kind of fish.",
            "She asked me what kind of car I had.",
        ),
        (
            "She is very kind to old people.",
            "It was kind of you to help me.",
            "He is a kind man and everyone likes him.",
            "Be kind to animals.",
        ),
    ),
    "left": (
        (
            "Turn left at the next corner.",
            "He writes with his left hand.",
            "The house is on the left side of the road.",
            "My left foot hurts.",
        ),
        (
            "He left the house without a word.",
            "The train left ten minutes ago.",
            "She left her umbrella in the bus.",
            "They left for Paris this morning.",
        ),
    ),
    "last": (
        (
            "I met him last week.",
            "It snowed a lot last winter.",
            "Where did you go last summer?",
            "We did not sleep well last night.",
        ),
        (
            "This is the last page of the book.",
            "He was the last person to come.",
            "She took the last piece of cake.",
            "The last train has gone.",
        ),
    ),
}
FUNCTION = ("the", "a", "of", "to", "in", "on", "is", "was")


class Occurrence(NamedTuple):
    """One word in one sentence."""

    word: str
    sentence: int
    vectors: Tensor  # (layers, width)
    own_weight: Tensor  # (layers - 1,): the weight on itself in each layer, a mean over heads


def sentences() -> list[str]:
    return [text for senses in SENSES.values() for texts in senses for text in texts]


def sense_of(word: str, sentence: int) -> int | None:
    """Which meaning of a word a sentence is there to show, 0 or 1."""
    number = [*SENSES].index(word) if word in SENSES else -1
    return sentence % 8 // 4 if sentence // 8 == number else None


def spans(text: str) -> list[tuple[str, int, int]]:
    """Words with their first and last character; signs at their ends are no part of them."""
    found, start = [], 0
    for piece in text.split():
        start = text.index(piece, start)
        word = piece.strip(".,?")
        found.append((word.lower(), start, start + len(word)))
        start += len(piece)
    return found


@torch.no_grad()
def read(task: TranslateTask) -> tuple[list[str], list[Occurrence]]:
    """Every word of the sentences as each layer has it: the embedding with its position, then block after block."""
    model, found = task.model, []
    blocks = [f"encoder.{number}" for number in range(model.config.encoder.stack.layers)]
    for number, text in enumerate(sentences()):
        encoded = task.processor.encode_source(text, "")
        tokens = torch.tensor([encoded.ids])
        with regard.watch(model, *blocks, *(f"{block}.self" for block in blocks)) as seen:
            model.encode(tokens)
        side = model.encoder
        embedded = side.embedding(tokens, side.position, torch.arange(len(encoded))[None], None)
        layers = torch.stack([embedded[0], *(seen.stream(block)[0] for block in blocks)])
        weights = torch.stack([seen[f"{block}.self"][:, :, :, :][0].mean(0) for block in blocks])
        for word, first, last in spans(text):
            parts = [place for place, (start, end) in enumerate(encoded.offsets) if start < last and end > first]
            own = weights[:, parts][:, :, parts].sum(-1).mean(-1)
            found.append(Occurrence(word, number, layers[:, parts].mean(1), own))
    return ["embedding", *blocks], found


def cosines(vectors: Tensor) -> Tensor:
    """The mean cosine of all pairs: (layers, count, width) to (layers,)."""
    directions = F.normalize(vectors, dim=-1)
    count = vectors.shape[1]
    return ((directions @ directions.mT).sum((1, 2)) - count) / (count * (count - 1))


def stack(occurrences: list[Occurrence]) -> Tensor:
    return torch.stack([one.vectors for one in occurrences], 1)


def measured(occurrences: list[Occurrence]) -> dict[str, list[float]]:
    """By layer: the cosine of any two words, self-similarity above that, and meanings told apart."""
    one_each = [*{one.word: one for one in occurrences}.values()]
    any_two = cosines(stack(one_each))
    ambiguous = [
        [one for one in occurrences if one.word == word and sense_of(word, one.sentence) is not None] for word in SENSES
    ]
    function = [[one for one in occurrences if one.word == word] for word in FUNCTION]
    same = torch.stack([cosines(stack(group)) for group in ambiguous])
    within, nearest = [], []
    for word, group in zip(SENSES, ambiguous, strict=True):
        senses = torch.tensor([sense_of(word, one.sentence) for one in group])
        within.append(sum(cosines(stack(group)[:, senses == sense]) for sense in (0, 1)) / 2)
        directions = F.normalize(stack(group), dim=-1)
        near = (directions @ directions.mT - 2 * torch.eye(len(group))).argmax(-1)  # (layers, count)
        nearest.append((senses[near] == senses).float().mean(1))
    own = torch.stack([one.own_weight for one in occurrences], 1)
    vectors = stack(occurrences)
    stays = F.cosine_similarity(vectors[1:], vectors[:-1], dim=-1)  # (layers - 1, count)
    likeness = [torch.corrcoef(torch.stack([*pair]))[0, 1].item() for pair in zip(own, stays, strict=True)]
    table = {
        "any two words": any_two,
        "function words": torch.stack([cosines(stack(group)) for group in function]).mean(0) - any_two,
        "words of two meanings": same.mean(0) - any_two,
        "… in one meaning": torch.stack(within).mean(0) - any_two,
        "nearest has the meaning": torch.stack(nearest).mean(0),
    }
    return {name: row.tolist() for name, row in table.items()} | {"looks at itself ~ stays": [float("nan"), *likeness]}


@click.command()
@click.option("--model", default="en-de", show_default=True, help="A translator from English.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(model: str, as_json: bool, chart: Path | None) -> None:
    """Measure how contextual the vectors of an encoder are."""
    layers, occurrences = read(regard.load(model))
    table = measured(occurrences)
    if as_json:
        rows = {name: [None if number != number else number for number in row] for name, row in table.items()}
        click.echo(json.dumps({"layers": layers, **rows}, indent=1))
    else:
        click.echo(f"{len(occurrences)} words of {len(sentences())} sentences")
        click.echo(f"by chance the nearest has the meaning in {3 / 7:.2f}\n")
        click.echo(f"{'':26}" + "".join(f"{layer:>12}" for layer in layers))
        for name, row in table.items():
            click.echo(f"{name:26}" + "".join(f"{'' if number != number else f'{number:.2f}':>12}" for number in row))
    if chart:
        series = {name: list(enumerate(row)) for name, row in table.items() if name != "looks at itself ~ stays"}
        title = "How much of a word is its context"
        chart.write_text(lines(series, title=title, x="layer (0: embedding)", y="cosine, share"), encoding="utf-8")


if __name__ == "__main__":
    main()
