"""What attention is worth to a recurrent translator, by length of the source: python bench/alignment.py --help.

German to English captions (Multi30k, test 2016), each sentence written greedily. BLEU is counted as in the notebooks of
bentrevett/pytorch-seq2seq, whose masked Bahdanau model has 28.11: lower-cased words as spacy.blank("en") cuts them.
"""

import json
from pathlib import Path
from typing import Any

import click

DATA = Path(__file__).parents[2] / "shared/data/multi30k/raw"
TEST = ("test_2016_flickr.de.gz", "test_2016_flickr.en.gz")
EDGES = (8, 10, 12, 15)  # German words up to which a sentence belongs to a group of its length
PUBLISHED = 28.11


def words(language: str, texts: list[str]) -> list[list[str]]:
    """Lower-cased words, as spaCy's rules for a language cut a text; no model of theirs is needed."""
    try:
        import spacy
    except ImportError:
        raise click.ClickException("spaCy counts the words here: pip install spacy") from None
    cut = spacy.blank(language).tokenizer
    return [[token.text.lower() for token in cut(text)] for text in texts]


def bleu(hypotheses: list[list[str]], references: list[list[str]]) -> float:
    import sacrebleu

    joined = [[" ".join(text) for text in side] for side in (hypotheses, references)]
    return sacrebleu.corpus_bleu(joined[0], [joined[1]], tokenize="none", force=True).score


def groups(sources: list[list[str]]) -> dict[str, list[int]]:
    """The numbers of the sentences of each length."""
    bounds = list(zip((0, *EDGES), (*EDGES, 10**6), strict=True))
    found = {
        f"{low + 1}-{high}" if high < 10**6 else f"> {low}": [
            number for number, text in enumerate(sources) if low < len(text) <= high
        ]
        for low, high in bounds
    }
    return {name: numbers for name, numbers in found.items() if numbers}


def measured(folder: str, texts: list[str], sources: list[list[str]], references: list[list[str]]) -> dict[str, Any]:
    """BLEU of all sentences and of each length."""
    from regard.tasks import load

    written = [answer.text for answer in load(folder)(texts, beam=1, sample=False, split=False, protect=False)]
    hypotheses = words("en", written)

    def of(numbers: list[int]) -> float:
        return bleu([hypotheses[number] for number in numbers], [references[number] for number in numbers])

    table = {
        name: {
            "sentences": len(numbers),
            "words": sum(len(sources[n]) for n in numbers) / len(numbers),
            "bleu": of(numbers),
        }
        for name, numbers in groups(sources).items()
    }
    return {"bleu": bleu(hypotheses, references), "lengths": table}


@click.command(context_settings={"show_default": True})
@click.argument("models", nargs=-1, required=True, metavar="NAME=FOLDER...")
@click.option(
    "--data", type=click.Path(file_okay=False), default=str(DATA), help="Where the files of the test set are."
)
@click.option("--chart", type=click.Path(dir_okay=False), help="Draw BLEU by length, as SVG, into this file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(models: tuple[str, ...], data: str, chart: str | None, as_json: bool) -> None:
    """Measure translators beside each other.

    \b
    python bench/alignment.py attention=runs/multi30k-alignment/model none=runs/multi30k-no-attention/model
    """
    from regard.pictures import chart as pictures
    from regard.text import pairs

    both = list(pairs([Path(data) / name for name in TEST]))
    texts, references = [source for source, _ in both], words("en", [target for _, target in both])
    sources = words("de", texts)
    found = {}
    for model in models:
        name, equals, folder = model.partition("=")
        if not equals:
            raise click.UsageError(f"{model}: NAME=FOLDER expected")
        found[name] = measured(folder, texts, sources, references)
    if chart:
        points = {name: [(row["words"], row["bleu"]) for row in one["lengths"].values()] for name, one in found.items()}
        title = "Multi30k, German to English, test 2016"
        drawn = pictures.lines(points, title=title, x="German words", y="BLEU")
        Path(chart).write_text(drawn, encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found))
        return
    lengths = next(iter(found.values()))["lengths"]
    click.echo(f"{'BLEU':<20}{'all':>8}" + "".join(f"{name:>8}" for name in lengths) + "  (by German words)")
    for name, one in found.items():
        click.echo(
            f"{name:<20}{one['bleu']:>8.2f}" + "".join(f"{row['bleu']:>8.2f}" for row in one["lengths"].values())
        )
    click.echo(f"{'published':<20}{PUBLISHED:>8.2f}  (Bahdanau, masked, packed: bentrevett/pytorch-seq2seq)")


if __name__ == "__main__":
    main()
