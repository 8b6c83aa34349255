"""`regard translate`: texts, files and pipes, line by line."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from regard.cli.generation import answer_all, as_rows, generation_options, on_one_line
from regard.cli.texts import text_options
from regard.cli.values import FILE, count

if TYPE_CHECKING:
    from regard.tasks.alignment import Alignment
    from regard.tasks.translation import Translation
    from regard.text.spans import Protection

FORMAT_NAMES = ("html", "markdown", "srt", "vtt", "po", "xliff", "tmx", "docx", "odt")
"""Of text/formats, which is loaded when a file is given."""


@click.command(context_settings={"show_default": True})
@text_options("en-de")
@generation_options
@click.option("--language", metavar="CODE", help="What to write, for models that write several: fra or >>fra<<.")
@click.option("--align", is_flag=True, help="Add which words belong together: 0-0 1-2, source first, counted from 0.")
@click.option("--confidence", is_flag=True, help="Add how sure one may be of each: a probability, - where unknown.")
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
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", *FORMAT_NAMES]),
    help="Of --input; text is lines.  [default: as its name ends]",
)
@click.option("--protect/--no-protect", default=True, help="Keep placeholders, addresses, amounts, code as they are.")
@click.option("--span", "spans", multiple=True, metavar="REGEX", help="Keep what looks like this, too; repeatable.")
@click.option("--glossary", type=FILE, metavar="FILE", help="Terms: a source term, a tab and a target term a line.")
@click.option("--mnemonic", metavar="SIGN", default="", help="The sign before a letter that is a key: _ in _File.")
@click.option("--prefix", metavar="TEXT", default="", help="What every translation begins with.")
@click.option("--source-language", metavar="CODE", default="", help="For TMX.  [default: as the file says]")
@click.option("--target-language", metavar="CODE", default="", help="For TMX.  [default: the end of the model's name]")
@click.option("--resume", is_flag=True, help="Write on after the lines that --output has already.")
@click.option("--processes", type=count(256), default=1, help="Translate in so many processes.")
@click.option(
    "--ray", "is_ray", is_flag=True, help="Translate files of lines, which are given as TEXT, on a Ray cluster."
)
@click.option("--out", "folder", metavar="DIR", help="Where --ray writes a file of the same name for each.")
def translate(
    as_json: bool, align: bool, confidence: bool, show: bool, is_ray: bool, folder: str | None, **options: Any
) -> None:
    """Translate texts: arguments, or lines of a file or of standard input; or a file of another format.

    A line in is a line out, in the same order, however many there are; an empty line stays empty. A line of several
    sentences is translated sentence by sentence, if the model learned from sentences. What looks wrong is said on
    standard error: a span that was not kept, a translation much shorter than its source.

    \b
    regard translate "Where is the station?"
    regard translate -m de-en "Wo ist der Bahnhof?"
    regard translate -m my-folder --input book.en --output book.de
    regard translate -m my-folder --input book.en.xz --output book.de.xz --resume --processes 2
    regard translate --ray part-*.en.xz --out german
    cat book.en | regard translate -m my-folder --beam 4 | head
    regard translate -m my-folder --num-hypotheses 3 --align --show "Where is the station?"
    regard translate -m my-folder --json --edit edits.json < lines.txt
    regard translate -m my-folder --input page.html --output seite.html
    regard translate -m my-folder --glossary terms.tsv --input messages.po --output de.po
    """
    format_name, languages = options.pop("format_name"), [options.pop(f"{side}_language") for side in SIDES]
    protect = options["protect"] = protection(
        options.pop("protect"), options.pop("spans"), options.pop("glossary"), options.pop("mnemonic")
    )
    if is_ray != (folder is not None):
        raise click.UsageError("--ray goes with --out DIR, and --out with --ray")
    document_format = None
    if format_name is not None or (options["source"] and not options["markup"]):
        from regard.text.formats import format_named, format_of

        document_format = format_of(options["source"]) if format_name is None else format_named(format_name)
    if document_format is not None:
        from regard.cli.documents import refuse_with_document, translate_file

        refuse_with_document(options, as_json=as_json, align=align, confidence=confidence, show=show)
        return translate_file(document_format, languages, protect, options)
    if options["resume"] and (show or options["markup"] or options["texts"]):
        raise click.UsageError("--resume is for lines of a file: not with --show, --markup or TEXT")
    num_hypotheses = options["num_hypotheses"]
    shown = TranslationLines(
        as_json=as_json,
        align=align,
        confidence=confidence,
        show=show,
        num_hypotheses=num_hypotheses,
        is_lines=is_ray or not (options["texts"] or options["markup"]),
        to_file=is_ray or bool(options["target"]),
    )
    is_numbered = num_hypotheses > 1 and not as_json
    if folder is not None:
        from regard.cli.ray_files import translate_files

        translate_files(folder, options, shown, is_numbered=is_numbered)
        return
    answer_all("translate", options, shown, is_numbered=is_numbered)


SIDES = ("source", "target")


def protection(is_on: bool, patterns: tuple[str, ...], glossary: str | None, mnemonic: str) -> "bool | Protection":
    """What the options say of spans that are to stay."""
    if not (patterns or glossary or mnemonic):
        return is_on
    from regard.text.glossary import Glossary
    from regard.text.spans import SPANS, Protection, SpanKind

    kinds = {f"span {number}": SpanKind(pattern) for number, pattern in enumerate(patterns, 1)}
    terms = Glossary.read(glossary) if glossary else Glossary()
    return Protection((SPANS if is_on else {"object": SPANS["object"]}) | kinds, terms, mnemonic)


@dataclass(frozen=True)
class TranslationLines:
    """The lines that are written for a translation."""

    as_json: bool
    align: bool
    confidence: bool
    show: bool
    num_hypotheses: int
    is_lines: bool
    to_file: bool

    def __call__(self, best: "Translation", number: int) -> Iterator[str]:
        if self.as_json:
            import json

            alternatives = [plain(other, self.align, self.confidence) for other in best.alternatives]
            fields = plain(best, self.align, self.confidence) | {"alternatives": alternatives}
            yield json.dumps(fields, ensure_ascii=False)
            return
        answers = (best, *best.alternatives)
        is_one_line = self.is_lines or self.num_hypotheses > 1
        texts = [on_one_line(one.text) if is_one_line else one.text for one in answers]
        if self.align:
            texts = [f"{text}\t{one.alignment.pharaoh}" for text, one in zip(texts, answers, strict=True)]
        if self.confidence:
            texts = [f"{text}\t{certainty(one)}" for text, one in zip(texts, answers, strict=True)]
        yield from as_rows(best, number, texts, self.num_hypotheses)
        if self.show:
            yield draw(best.alignment, self.to_file)


def certainty(answer: "Translation") -> str:
    """How sure one may be of a translation, in two digits; a dash where nothing was learned of that."""
    score = answer.confidence.score
    return "-" if score is None else f"{score:.2f}"


def plain(answer: "Translation", align: bool, confidence: bool = False) -> dict[str, object]:
    """A translation for JSON."""
    names = ("source", "text", "score", "rank_score", "tokens", "ids", "is_finished", "source_tokens")
    fields: dict[str, object] = {name: getattr(answer, name) for name in names}
    fields["warnings"] = [{"kind": warning.kind, "message": warning.message} for warning in answer.warnings]
    if confidence:
        fields["confidence"] = answer.confidence.score
        fields["coverage"] = answer.confidence.coverage
        fields["words"] = [[word.word, word.probability] for word in answer.words]
    return fields | ({"alignment": answer.alignment.words} if align else {})


def draw(alignment: "Alignment", to_file: bool) -> str:
    """The picture, as wide as the terminal and in colour if there is one."""
    if to_file or not sys.stdout.isatty():
        return alignment.draw()
    from shutil import get_terminal_size

    return alignment.draw(colour="NO_COLOR" not in os.environ, width=get_terminal_size().columns)
