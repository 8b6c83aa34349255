"""`regard classify`: label texts, or their tokens."""

import json
from dataclasses import asdict

import click

from regard.cli.streams import open_output
from regard.cli.texts import ChunkProgress, progress, read_texts, text_options
from regard.cli.values import FILE


@click.command(context_settings={"show_default": True})
@text_options(None)
@click.option("--pairs", is_flag=True, help="Each text is two, with a tab between them.")
@click.option("--cut", is_flag=True, help="Read only the beginning of a text that is too long.")
@click.option("--input", "file", type=FILE, metavar="FILE", help="Read lines from here (.gz and .xz, too).")
@click.option("--output", "target", type=FILE, metavar="FILE", help="Write to here (.gz and .xz, too).")
def classify(
    texts: tuple[str, ...],
    model: str,
    device: str,
    as_json: bool,
    pairs: bool,
    cut: bool,
    file: str | None,
    target: str | None,
) -> None:
    """Label texts: one label for each, or one for each of its tokens, as the model was made for.

    Prints the label, its score and the text. Texts are arguments, or lines of a file or of standard input. An empty
    line has no label: a line without one is printed for it, {"text": ""} with --json, and standard error says so.

    \b
    regard classify --model my-folder "What a film!"
    regard classify --model my-folder --json < reviews.txt
    regard classify --model my-folder --input reviews.txt.xz --output labels.tsv
    """
    source = read_texts(texts, file)
    if pairs:  # wrong usage is told before a model is loaded
        _ = [split_pair(text, number + 1) for number, text in enumerate(texts)]
    from regard.pictures.labels import label
    from regard.tasks import TokenLabels, load
    from regard.tasks.spelling import token_text

    task = load(model, device=device, task="classify")
    with open_output(target) as write, progress(source.total, bool(target)) as bar:
        along = ChunkProgress(bar)
        for chunk in source:
            filled = [number for number, text in enumerate(chunk.texts) if text.strip()]
            inputs = [
                split_pair(chunk.texts[number], chunk.first + number) if pairs else chunk.texts[number]
                for number in filled
            ]
            answers = dict(
                zip(filled, task(inputs, cut=cut, first=chunk.first, progress=along.over(chunk)), strict=True)
                if inputs
                else ()
            )
            rows: list[str] = []
            for number, text in enumerate(chunk.texts):
                answer = answers.get(number)
                if answer is None:
                    click.echo(f"warning: text {chunk.first + number} is empty and has no label", err=True)
                    rows.append(json.dumps({"text": text}, ensure_ascii=False) if as_json else f"\t\t{text}")
                elif as_json:
                    rows.append(json.dumps(asdict(answer), ensure_ascii=False))
                elif isinstance(answer, TokenLabels):
                    tags = [
                        (tag, token_text(task.tokenizer, task.tokenizer.number(tag.token))) for tag in answer.tokens
                    ]
                    rows += [*(f"{tag.label}\t{tag.score:.4f}\t{label(word)}" for tag, word in tags), ""]
                else:
                    rows.append(f"{answer.label}\t{answer.score:.4f}\t{text}")
            write(rows)


def split_pair(text: str, number: int) -> tuple[str, str]:
    first, tab, second = text.partition("\t")
    if not tab:
        raise click.UsageError(f"text {number} is no pair: a tab expected between two texts")
    return first, second
