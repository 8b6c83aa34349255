"""Is there syntax in heads? Weights of the built-in en-de encoder against parses of sentences that a grammar makes.

For every relation (a determiner and its noun, a verb and its subject, …) and every head: how often does the strongest
weight of a word, itself and the end left out, go to the other word of the relation (Clark et al. 2019)? A head that
looks at the next word is right about many determiners and knows no syntax, so the best fixed offset stands beside it.
Both are chosen on one half of the sentences and judged by the other. Then: which head looks at the rarest word (Voita
et al. 2019), what parts of speech layers look at (Vig and Belinkov 2019), and what can be read off lower and upper
layers (Tenney et al. 2019, Jawahar et al. 2019).

    python examples/syntax.py --chart syntax.svg
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import torch
from torch import Tensor

import regard
from regard.looking.probes import fit_probe
from regard.pictures.chart import lines
from regard.tasks import TranslateTask

BEINGS = [
    "man",
    "woman",
    "boy",
    "girl",
    "teacher",
    "doctor",
    "king",
    "farmer",
    "friend",
    "student",
    "dog",
    "cat",
    "bird",
]
PLACES = ["garden", "kitchen", "street", "river", "school", "park", "church", "station", "office", "hotel"]
ADJECTIVES = ["old", "young", "little", "big", "red", "white", "new", "good", "black", "beautiful", "poor", "small"]
VERBS = ["saw", "found", "liked", "loved", "helped", "met", "followed", "hit", "killed", "caught", "heard", "wanted"]
PREPOSITIONS = ["in", "near", "behind", "at"]
BOTH = [
    "work",
    "play",
    "drink",
    "walk",
    "answer",
    "help",
    "dance",
    "talk",
    "call",
    "change",
    "visit",
    "plan",
    "fight",
    "cook",
    "sleep",
    "dream",
]
"""Nouns and verbs alike; the frames put them at the same positions in both uses."""
FRAMES = {
    "noun": ("The {} was very good.", "I like the {} here.", "We had a {} yesterday.", "His {} is not bad."),
    "verb": ("They {} every day.", "I want to {} here.", "We did not {} yesterday.", "You {} too much."),
}


class Word(NamedTuple):
    """A word and what it is to another: a determiner or an adjective of a noun, subject or object of a verb, the noun
    of a preposition ("preposition"), or a preposition that belongs to a noun or a verb ("place")."""

    text: str
    tag: str
    relation: str | None = None  # what it is to its head
    head: int | None = None  # the number of its head in the sentence


def sentence(draw: random.Random) -> list[Word]:
    """A sentence of the grammar with its parse."""
    words: list[Word] = []

    def phrase(nouns: list[str], relation: str, with_place: float) -> int:
        """A noun with what belongs to it; the number of the noun. Its own head is filled in later."""
        adjectives = draw.choices((0, 1, 2), (5, 4, 1))[0]
        noun = len(words) + 1 + adjectives
        words.append(Word(draw.choice(["the", "the", "a"]), "determiner", "determiner", noun))
        for adjective in draw.sample(ADJECTIVES, adjectives):
            words.append(Word(adjective, "adjective", "adjective", noun))
        words.append(Word(draw.choice(nouns), "noun", relation))
        if draw.random() < with_place:
            place(noun)
        return noun

    def place(of: int | None) -> int:
        """A preposition and its noun; the number of the preposition."""
        preposition = len(words)
        words.append(Word(draw.choice(PREPOSITIONS), "preposition", "place", of))
        noun = phrase(PLACES, "preposition", 0)
        words[noun] = words[noun]._replace(head=preposition)
        return preposition

    before = place(None) if draw.random() < 0.3 else None
    subject = phrase(BEINGS, "subject", 0.3)
    verb = len(words)
    words.append(Word(draw.choice(VERBS), "verb"))
    object_ = phrase(BEINGS, "object", 0)
    after = place(None) if draw.random() < 0.4 else None
    for dependent in (before, subject, object_, after):
        if dependent is not None:
            words[dependent] = words[dependent]._replace(head=verb)
    words.append(Word(".", "sign"))
    return words


class Read(NamedTuple):
    """A sentence as the encoder has it, by words."""

    words: list[Word]
    weights: Tensor  # (layers, heads, words, words), and the end of the text as the last key
    vectors: Tensor  # (layers + 1, words, width), the embedding first
    rarity: list[int]


@torch.no_grad()
def read(task: TranslateTask, words: list[Word]) -> Read:
    """Weights and vectors of words: weights to the tokens of a word are added, all else is averaged."""
    model, side = task.model, task.model.encoder
    texts = [word.text for word in words]
    texts[0] = texts[0].capitalize()
    text, spans = "", []
    for word in texts:
        text += " " * (bool(text) and word != ".")
        spans.append((len(text), len(text) + len(word)))
        text += word
    encoded = task.processor.encode_source(text, "")
    tokens = torch.tensor([encoded.ids])
    blocks = [f"encoder.{number}" for number in range(model.config.encoder.stack.layers)]
    with regard.watch(model, *blocks, *(f"{block}.self" for block in blocks)) as seen:
        model.encode(tokens)
    embedded = side.embedding(tokens, side.position, torch.arange(len(encoded))[None], None)
    belongs = torch.tensor(
        [[start < last and end > first for start, end in encoded.offsets] for first, last in spans]
    ).float()  # (words, tokens)
    keys = torch.cat([belongs, torch.eye(len(encoded))[-1:]])
    mean = belongs / belongs.sum(1, keepdim=True)
    weights = torch.stack([seen[f"{block}.self"][:, :, :, :][0] for block in blocks])
    vectors = torch.stack([embedded[0], *(seen.stream(block)[0] for block in blocks)])
    rarity = [max(number for number, part in zip(encoded.ids, row, strict=True) if part) for row in belongs.tolist()]
    return Read(words, mean @ weights @ keys.T, mean @ vectors, rarity)


def pairs(words: list[Word]) -> Iterator[tuple[str, int, int]]:
    """Relations in both directions: what is asked, from which word, to which word."""
    for number, word in enumerate(words):
        if word.relation is not None and word.head is not None:
            yield f"{word.relation} → its head", number, word.head
            yield f"head → its {word.relation}", word.head, number


def strongest(weights: Tensor) -> Tensor:
    """Where each word looks most, itself and the end left out: (layers, heads, words)."""
    among = weights[..., :-1].clone()
    among.diagonal(dim1=-2, dim2=-1).fill_(-1)
    return among.argmax(-1)


class Tally(NamedTuple):
    right_heads: Tensor  # (layers, heads)
    right_offsets: dict[int, int]
    count: int


def tally(reads: list[Read]) -> dict[str, Tally]:
    """For each relation how often every head and every offset is right. A verb may have several places: any will do."""
    found: dict[str, Tally] = {}
    for one in reads:
        looks = strongest(one.weights)
        targets: dict[tuple[str, int], set[int]] = {}
        for asked, start, end in pairs(one.words):
            targets.setdefault((asked, start), set()).add(end)
        rarest = max(range(len(one.words) - 1), key=one.rarity.__getitem__)
        targets |= {
            ("any word → the rarest", start): {rarest} for start in range(len(one.words) - 1) if start != rarest
        }
        for (asked, start), ends in targets.items():
            old = found.get(asked, Tally(torch.zeros(looks.shape[:2]), {}, 0))
            for end in ends:
                old.right_offsets[end - start] = old.right_offsets.get(end - start, 0) + 1
            right = sum((looks[:, :, start] == end).float() for end in ends)
            found[asked] = Tally(old.right_heads + right, old.right_offsets, old.count + 1)
    return found


class Found(NamedTuple):
    cases: int
    offset: int
    offset_right: float
    head: str
    head_right: float


def relations(chosen_on: list[Read], judged_by: list[Read]) -> dict[str, Found]:
    """The best head and the best offset of each relation, on sentences they were not chosen on."""
    first, second = tally(chosen_on), tally(judged_by)
    table = {}
    for asked in sorted(second, key=lambda asked: -second[asked].count):
        heads = first[asked].right_heads
        layer, head = divmod(int(heads.argmax()), heads.shape[1])
        offset = max(first[asked].right_offsets.items(), key=lambda item: item[1])[0]
        judged = second[asked]
        table[asked] = Found(
            judged.count,
            offset,
            judged.right_offsets.get(offset, 0) / judged.count,
            f"{layer}.{head}",
            float(judged.right_heads[layer, head]) / judged.count,
        )
    return table


def looked_at(reads: list[Read]) -> dict[str, list[float]]:
    """What share of its weight each layer gives to parts of speech; first, how common they are."""
    tags = ("determiner", "adjective", "noun", "verb", "preposition", "sign", "end")
    share = {tag: torch.zeros(reads[0].weights.shape[0] + 1) for tag in tags}
    queries = 0
    for one in reads:
        keys = [word.tag for word in one.words] + ["end"]
        queries += len(one.words)
        for number, tag in enumerate(keys):
            share[tag][0] += len(one.words) / len(keys)
            share[tag][1:] += one.weights[..., number].mean(1).sum(-1)
    return {tag: (total / queries).tolist() for tag, total in share.items()}


def probes(task: TranslateTask, reads: list[Read]) -> dict[str, list[float]]:
    """What a linear probe reads off each layer: noun or verb, of words that are both; subject or object, of nouns that
    are both. The words it is judged by are none that it was trained on."""
    framed = [
        (read(task, [Word(part, "") for part in frame.format(word).replace(".", " .").split()]), word, kind)
        for word in BOTH
        for kind, frames in FRAMES.items()
        for frame in frames
    ]
    kinds = [
        (one.vectors[:, [w.text for w in one.words].index(word)], word, kind == "verb") for one, word, kind in framed
    ]
    roles = [
        (one.vectors[:, number], word.text, word.relation == "object")
        for one in reads
        for number, word in enumerate(one.words)
        if word.relation in ("subject", "object")
    ]
    table = {}
    for name, rows in (("noun or verb", kinds), ("subject or object", roles)):
        words = sorted({word for _, word, _ in rows})
        is_test = torch.tensor([words.index(word) % 2 == 1 for _, word, _ in rows])
        x, labels = torch.stack([row[0] for row in rows], 1), torch.tensor([int(row[2]) for row in rows])
        table[name] = [
            fit_probe(layer[~is_test], labels[~is_test], penalty=30.0).accuracy(layer[is_test], labels[is_test])
            for layer in x
        ]
    return table


@click.command()
@click.option("--model", default="en-de", show_default=True, help="A translator from English.")
@click.option("--sentences", default=300, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw what probes read, as an SVG.")
def main(model: str, sentences: int, seed: int, as_json: bool, chart: Path | None) -> None:
    """Compare where heads look with parses."""
    task, draw = regard.load(model), random.Random(seed)
    reads = [read(task, sentence(draw)) for _ in range(sentences)]
    table = relations(reads[: sentences // 2], reads[sentences // 2 :])
    shares, known = looked_at(reads), probes(task, reads)
    layers = ["embedding", *(f"encoder.{number}" for number in range(reads[0].weights.shape[0]))]
    if as_json:
        rows = {name: one._asdict() for name, one in table.items()}
        click.echo(json.dumps({"relations": rows, "looked at": shares, "layers": layers, "probes": known}, indent=1))
    else:
        click.echo(f"{'strongest weight':26}{'cases':>7}{'best offset':>13}{'right':>7}{'best head':>11}{'right':>7}")
        for name, one in table.items():
            by_offset, by_head = f"{100 * one.offset_right:.0f}%", f"{100 * one.head_right:.0f}%"
            click.echo(f"{name:26}{one.cases:>7}{one.offset:>+13}{by_offset:>7}{one.head:>11}{by_head:>7}")
        click.echo(f"\n{'weight on, %':14}" + "".join(f"{name:>12}" for name in ["how common", *layers[1:]]))
        for tag, row in shares.items():
            click.echo(f"{tag:14}" + "".join(f"{100 * share:>12.1f}" for share in row))
        click.echo(f"\n{'probes, %':20}" + "".join(f"{layer:>12}" for layer in layers))
        for name, row in known.items():
            click.echo(f"{name:20}" + "".join(f"{100 * share:>12.1f}" for share in row))
    if chart:
        series = {name: list(enumerate(row)) for name, row in known.items()}
        title = "What can be read off a layer, of words not trained on"
        chart.write_text(lines(series, title=title, x="layer (0: embedding)", y="share right"), encoding="utf-8")


if __name__ == "__main__":
    main()
