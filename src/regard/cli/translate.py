"""`regard translate`: texts, files and pipes, line by line."""

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from regard.cli.generation import answer_all, as_rows, generation_options, on_one_line
from regard.cli.texts import text_options

if TYPE_CHECKING:
    from regard.tasks.alignment import Alignment
    from regard.tasks.translation import Translation


@click.command(context_settings={"show_default": True})
@text_options("en-de")
@generation_options
@click.option("--language", metavar="CODE", help="What to write, for models that write several: fra or >>fra<<.")
@click.option("--align", is_flag=True, help="Add which words belong together: 0-0 1-2, source first, counted from 0.")
@click.option("--show", is_flag=True, help="Draw who looked at whom below each translation.")
@click.option(
    "--split/--no-split",
    default=None,
    help="Sentence by sentence, or all at once.  [default: as the model learned it]",
)
@click.option(
    "--markup",
    type=click.Choice(["html"]),
    help="Carry tags over to the words they belong to; a file or standard input is then one text, not lines.",
)
def translate(as_json: bool, align: bool, show: bool, **options: Any) -> None:
    """Translate texts: arguments, or lines of a file or of standard input.

    A line in is a line out, in the same order, however many there are; an empty line stays empty. A line of several
    sentences is translated sentence by sentence, if the model learned from sentences.

    \b
    regard translate "Where is the station?"
    regard translate -m de-en "Wo ist der Bahnhof?"
    regard translate -m my-folder --input book.en --output book.de
    cat book.en | regard translate -m my-folder --beam 4 | head
    regard translate -m my-folder --num-hypotheses 3 --align --show "Where is the station?"
    regard translate -m my-folder --json --edit edits.json < lines.txt
    regard translate -m my-folder --markup html --input page.html --output seite.html
    """
    num_hypotheses, is_lines, to_file = (
        options["num_hypotheses"],
        not (options["texts"] or options["markup"]),
        bool(options["target"]),
    )

    def shown(best: "Translation", number: int) -> Iterator[str]:
        if as_json:
            import json

            alternatives = [plain(other, align) for other in best.alternatives]
            yield json.dumps(plain(best, align) | {"alternatives": alternatives}, ensure_ascii=False)
            return
        answers = (best, *best.alternatives)
        texts = [on_one_line(one.text) if is_lines or num_hypotheses > 1 else one.text for one in answers]
        if align:
            texts = [f"{text}\t{one.alignment.pharaoh}" for text, one in zip(texts, answers, strict=True)]
        yield from as_rows(best, number, texts, num_hypotheses)
        if show:
            yield draw(best.alignment, to_file)

    answer_all("translate", options, shown)


def plain(answer: "Translation", align: bool) -> dict[str, object]:
    """A translation for JSON."""
    names = ("source", "text", "score", "rank_score", "tokens", "ids", "is_finished", "source_tokens")
    fields: dict[str, object] = {name: getattr(answer, name) for name in names}
    return fields | ({"alignment": answer.alignment.words} if align else {})


def draw(alignment: "Alignment", to_file: bool) -> str:
    """The picture, as wide as the terminal and in colour if there is one."""
    if to_file or not sys.stdout.isatty():
        return alignment.draw()
    from shutil import get_terminal_size

    return alignment.draw(colour="NO_COLOR" not in os.environ, width=get_terminal_size().columns)
