"""`regard lens`: what a model would say after each layer."""

import json
from typing import TYPE_CHECKING

import click

from regard.cli.renamed import renamed
from regard.cli.texts import read_texts, text_options
from regard.cli.values import FILE, POSITIONS, count

if TYPE_CHECKING:
    from regard.tasks.inside import TextLens


@click.command(context_settings={"show_default": True})
@text_options("shakespeare")
@click.option("--top", type=count(), default=3, help="Words to name for every layer.")
@click.option("--position", type=POSITIONS, default=-1, help="The token whose layers are listed; -1 is the last.")
@click.option("--output", type=FILE, metavar="FILE", help="Draw it: .svg, .png, .html or .txt.")
@renamed("--place", "--position")
def lens(
    texts: tuple[str, ...], model: str, device: str, as_json: bool, top: int, position: int, output: str | None
) -> None:
    """Read every layer of a model as if it were the last one: the logit lens.

    Prints, for one token of each text, the likeliest words after every layer; the last layer says what the model says.
    A model that fills gaps is asked about its first gap unless --position is given. A translator is read while it
    writes its own translation. With --output, the layers of all tokens are drawn, of one text.

    \b
    regard lens "To be, or not to"
    regard lens --model gpt2 --output lens.html "The capital of France is"
    regard lens --model bert-base-uncased "Paris is the [MASK] of France."
    """
    source = read_texts(texts)
    from regard.tasks import load
    from regard.tasks.inside import lens_of

    task = load(model, device=device)
    for chunk in source:
        if output and len(chunk.texts) > 1:
            raise click.UsageError("--output draws one text")
        for text in chunk.texts:
            text_lens = lens_of(task, text, top)
            at = text_lens.at(position)
            click.echo(
                json.dumps(text_lens.plain(at), ensure_ascii=False) if as_json else "\n".join(report(text_lens, at))
            )
            if output:
                text_lens.picture().save(output)


def report(text_lens: "TextLens", at: int) -> list[str]:
    """A line for each layer, from the first to the last."""
    from regard.pictures.labels import label

    width = max(len(block) for block in text_lens.lens.blocks)
    lines = [f"after {label(text_lens.tokens[at])}"]
    for block, words in zip(text_lens.lens.blocks, text_lens.words(at), strict=True):
        lines.append(
            f"  {block:<{width}}  " + "  ".join(f"{probability:.3f} {label(word)}" for word, probability in words)
        )
    return lines
