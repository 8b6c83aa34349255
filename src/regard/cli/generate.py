"""`regard generate`: let a model write on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from regard.cli.generation import Options, answer_all, as_rows, generation_options, on_one_line, sampling_options
from regard.cli.texts import text_options

if TYPE_CHECKING:
    from regard.tasks.processors.generate import Generation


@click.command(context_settings={"show_default": True})
@text_options("shakespeare")
@generation_options
@click.option("--stream", is_flag=True, help="Print one TEXT and what follows as it is written.")
def generate(as_json: bool, stream: bool, **options: Any) -> None:
    """Continue texts: arguments, or lines of a file or of standard input.

    Prints each text and what was written after it, on one line if it came as one: --json keeps line breaks. The
    likeliest token is written each time unless the model, or one of the options, says otherwise.

    \b
    regard generate "To be, or not to be"
    regard generate --model gpt2 "Once upon a time"
    regard generate -m gpt2 --stream --temperature 0.8 --top-p 0.95 --seed 7 "Once upon a time"
    regard generate -m my-folder --max-new-tokens 20 --json < prompts.txt
    regard generate -m my-folder --beam 4 --num-hypotheses 4 "Once upon a time"
    """
    num_hypotheses, is_lines = options["num_hypotheses"], not options["texts"]
    if stream:
        refused = [name for name in ("source", "target", "edits") if options.pop(name)]
        if len(options["texts"]) != 1 or as_json or refused:
            raise click.UsageError("--stream takes one TEXT, without --json, --input, --output or --edit")
        return stream_text(options)

    def shown(best: "Generation", number: int) -> Iterator[str]:
        if as_json:
            import json
            from dataclasses import asdict

            yield json.dumps(asdict(best), ensure_ascii=False)
            return
        texts = [best.prompt + one.text for one in (best, *best.alternatives)]
        yield from as_rows(
            best, number, map(on_one_line, texts) if is_lines or num_hypotheses > 1 else texts, num_hypotheses
        )

    answer_all("generate", options, shown)


def stream_text(options: Options) -> None:
    """A text as it is written."""
    from regard.tasks import load

    (text,) = options.pop("texts")
    task = load(options.pop("model"), device=options.pop("device"), task="generate")
    parts = task(text, stream=True, **sampling_options(options))
    click.echo(text, nl=False)
    for part in parts:
        click.echo(part, nl=False)
    click.echo()
