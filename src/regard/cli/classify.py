"""`regard classify`: label texts, or their tokens."""

import json
from dataclasses import asdict

import click

from regard.cli.texts import asking, progress


@click.command(context_settings={"show_default": True})
@asking
@click.option("--pairs", is_flag=True, help="Each text is two, with a tab between them.")
@click.option("--cut", is_flag=True, help="Read only the beginning of a text that is too long.")
def classify(texts: list[str], model: str, device: str, as_json: bool, pairs: bool, cut: bool) -> None:
    """Label texts: one label for each, or one for each of its tokens, as the model was made for.

    Prints the label, its score and the text. Texts are arguments or lines on standard input.

    \b
    regard classify --model my-folder "What a film!"
    regard classify --model my-folder --json < reviews.txt
    """
    asked = [paired(text, number) for number, text in enumerate(texts)] if pairs else texts
    from regard.tasks import Tagged, load

    task = load(model, device=device, task="classify")
    with progress(len(texts)) as step:
        answers = task(asked, cut=cut, progress=step)  # type: ignore[operator]
    for text, answer in zip(texts, answers, strict=True):
        if as_json:
            click.echo(json.dumps(asdict(answer), ensure_ascii=False))
        elif isinstance(answer, Tagged):
            for tag in answer.tokens:
                click.echo(f"{tag.label}\t{tag.score:.4f}\t{tag.token}")
            click.echo()
        else:
            click.echo(f"{answer.label}\t{answer.score:.4f}\t{text}")


def paired(text: str, number: int) -> tuple[str, str]:
    first, tab, second = text.partition("\t")
    if not tab:
        raise click.UsageError(f"text {number + 1} is no pair: a tab expected between two texts")
    return first, second
