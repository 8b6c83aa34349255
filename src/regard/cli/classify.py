"""`regard classify`: label texts, or their tokens."""

import json
from dataclasses import asdict

import click

from regard.cli.texts import ChunkProgress, progress, read_texts, text_options


@click.command(context_settings={"show_default": True})
@text_options(None)
@click.option("--pairs", is_flag=True, help="Each text is two, with a tab between them.")
@click.option("--cut", is_flag=True, help="Read only the beginning of a text that is too long.")
def classify(texts: tuple[str, ...], model: str, device: str, as_json: bool, pairs: bool, cut: bool) -> None:
    """Label texts: one label for each, or one for each of its tokens, as the model was made for.

    Prints the label, its score and the text. Texts are arguments or lines on standard input.

    \b
    regard classify --model my-folder "What a film!"
    regard classify --model my-folder --json < reviews.txt
    """
    source = read_texts(texts)
    if pairs:  # wrong usage is told before a model is loaded
        _ = [split_pair(text, number + 1) for number, text in enumerate(texts)]
    from regard.pictures.labels import label
    from regard.tasks import TokenLabels, load
    from regard.tasks.spelling import token_text

    task = load(model, device=device, task="classify")
    with progress(source.total) as bar:
        along = ChunkProgress(bar)
        for chunk in source:
            inputs = [
                split_pair(text, chunk.first + number) if pairs else text for number, text in enumerate(chunk.texts)
            ]
            answers = task(inputs, cut=cut, first=chunk.first, progress=along.over(chunk))
            for text, answer in zip(chunk.texts, answers, strict=True):
                if as_json:
                    click.echo(json.dumps(asdict(answer), ensure_ascii=False))
                elif isinstance(answer, TokenLabels):
                    for tag in answer.tokens:
                        word = token_text(task.tokenizer, task.tokenizer.number(tag.token))
                        click.echo(f"{tag.label}\t{tag.score:.4f}\t{label(word)}")
                    click.echo()
                else:
                    click.echo(f"{answer.label}\t{answer.score:.4f}\t{text}")


def split_pair(text: str, number: int) -> tuple[str, str]:
    first, tab, second = text.partition("\t")
    if not tab:
        raise click.UsageError(f"text {number} is no pair: a tab expected between two texts")
    return first, second
