"""`regard answer`: questions about a story, and which sentences each hop read."""

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli.values import FILE, NamedPath
from regard.errors import RegardError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from regard.tasks.answer import AnswerTask
    from regard.tasks.processors.answer import AnswerResult


@click.command(context_settings={"show_default": True})
@click.argument("file", metavar="[FILE]", type=FILE, default="-")
@click.option(
    "--question", "-q", "questions", multiple=True, required=True, help="What is asked; more than one may be."
)
@click.option("--model", "-m", default="babi", metavar="NAME", help="A folder or a built-in name.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1.")
@click.option("--show", is_flag=True, help="Draw how much each hop looked at each sentence.")
@click.option(
    "--save",
    type=NamedPath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The same as a picture: .svg, .png, .html or .txt.",
)
@click.option("--edit", "edits", type=FILE, help="JSON that edits of attention were saved as.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each question.")
def answer(
    file: str,
    questions: tuple[str, ...],
    model: str,
    device: str,
    show: bool,
    save: Path | None,
    edits: str | None,
    as_json: bool,
) -> None:
    """Answer questions about a story, which is the text of FILE or of standard input.

    Prints the answer and its probability; then, for each hop, the sentence that it looked at most, and how much.

    \b
    echo "Mary went to the kitchen. John went to the garden." | regard answer -q "Where is Mary?"
    regard answer story.txt --question "Where is the milk?" --show --save hops.svg
    """
    if file == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError("no story: give FILE, or a text on standard input")
    if save is not None and len(questions) > 1:
        raise click.UsageError("--save takes one question")
    story = read(file)
    from regard.tasks import load

    task = load(model, device=device, task="answer")
    with edited(task, edits) if edits else nullcontext():
        answers = task(story, questions)
    for answer in answers:
        if as_json:
            click.echo(json.dumps(plain(answer), ensure_ascii=False))
            continue
        click.echo(f"{answer.text}\t{answer.score:.4f}")
        for number, sentence in enumerate(answer.hops.reads):
            click.echo(
                f"hop {number + 1}\t{answer.hops.weights[number, sentence]:.4f}\t{answer.hops.sentences[sentence]}"
            )
        if show:
            click.echo(answer.hops.draw(colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ))
        if answer.unknown:
            click.echo(f"words that the model does not know: {', '.join(answer.unknown)}", err=True)
    if save is not None:
        answers[0].hops.save(save, f"{answers[0].question} {answers[0].text}")


def edited(task: "AnswerTask", edits: str) -> "AbstractContextManager[object]":
    """The model as a file of edits changes it, which takes torch."""
    model = task.model
    from regard.looking import edit

    return edit(model, edits)


def plain(answer: "AnswerResult") -> dict[str, object]:
    """An answer for JSON."""
    fields: dict[str, object] = {
        name: getattr(answer, name) for name in ("question", "text", "score", "story", "unknown")
    }
    hops = zip(answer.hops.reads, answer.hops.weights.tolist(), strict=True)
    looks = [
        {"reads": sentence if sentence < len(answer.story) else None, "weights": weights} for sentence, weights in hops
    ]
    return fields | {"hops": looks}


def read(file: str) -> str:
    """The text of a file, plain or packed, or of standard input."""
    if file != "-":
        from regard.text.lines import read_lines

        return "".join(read_lines(file, ends=True))
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except OSError as problem:
        raise RegardError(f"standard input: cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError:
        raise RegardError("standard input: not UTF-8") from None
