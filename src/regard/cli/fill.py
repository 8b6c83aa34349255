"""`regard fill`: guess words that were left out."""

import json
from dataclasses import asdict

import click

from regard.cli.texts import ChunkProgress, progress, read_texts, text_options
from regard.cli.values import count


@click.command(context_settings={"show_default": True})
@text_options("masked-en")
@click.option("--top", type=count(), default=5, help="How many words to show for every gap.")
def fill(texts: tuple[str, ...], model: str, device: str, as_json: bool, top: int) -> None:
    """Guess the words behind each mask of a text.

    A gap is written as the model's own mask token, [MASK] or <mask>. Texts are arguments or lines on standard input.

    \b
    regard fill "Paris is the [MASK] of France."
    regard fill --model bert-base-uncased "Paris is the [MASK] of France."
    regard fill --model my-folder --top 3 --json < lines.txt
    """
    source = read_texts(texts)
    from regard.pictures.labels import label
    from regard.tasks import load
    from regard.tasks.spelling import token_text

    task = load(model, device=device, task="fill")
    with progress(source.total) as bar:
        along = ChunkProgress(bar)
        for chunk in source:
            for answer in task(chunk.texts, top=top, first=chunk.first, progress=along.over(chunk)):
                if as_json:
                    click.echo(json.dumps(asdict(answer), ensure_ascii=False))
                    continue
                click.echo(answer.text)
                for number, gap in enumerate(answer.candidates):
                    for choice in gap:
                        click.echo(
                            f"  gap {number + 1}  {choice.score:.4f}  {label(token_text(task.tokenizer, choice.id))}"
                        )
