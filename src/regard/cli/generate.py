"""`regard generate`: let a model write on."""

import json
from dataclasses import asdict

import click

from regard.cli.texts import asking, progress


@click.command(context_settings={"show_default": True})
@asking
@click.option("--max-length", type=click.IntRange(1), default=50, help="Tokens to write at most.")
@click.option("--min-length", type=click.IntRange(0), default=0, help="Tokens to write at least.")
def generate(texts: list[str], model: str, device: str, as_json: bool, max_length: int, min_length: int) -> None:
    """Continue texts, always with the likeliest token.

    Prints each text and what was written after it. Texts are arguments or lines on standard input.

    \b
    regard generate --model gpt2 "Once upon a time"
    regard generate --model my-folder --max-length 20 --json < prompts.txt
    """
    from regard.tasks import load

    task = load(model, device=device, task="generate")
    with progress(len(texts)) as step:
        answers = task(texts, min_length=min_length, max_length=max_length, progress=step)  # type: ignore[operator]
    for answer in answers:
        click.echo(json.dumps(asdict(answer), ensure_ascii=False) if as_json else answer.prompt + answer.text)
