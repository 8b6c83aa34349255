"""Real files of other people: after translation their structure is the same, and their code untouched.

    python bench/documents.py FOLDER
    python bench/documents.py FOLDER --html 100 --markdown 50 --subtitles 20 --segments 0 --model en-de

The folder holds whatever packages have, unpacked: Debian's with dpkg -x, PyPI's with tar. Files are drawn by a seed;
--segments limits how many texts of each are translated (0: all), the others stay as they are. Structure is what lxml,
markdown-it and pysubs2 read, none of which takes part in the translation: blocks in their order with their attributes,
inline parts of each block in any order, code to the letter, times. Templates of pages ({% if … %}) are no pages.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

SPOKEN = {"alt", "title", "placeholder", "aria-label", "aria-description", "summary", "label", "content"}
"""Attributes that are translated."""
INLINE = {
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data", "del", "dfn", "em"),
    *("font", "i", "img", "input", "ins", "kbd", "label", "map", "mark", "nobr", "q", "s", "samp", "select", "small"),
    *("span", "strike", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr"),
}
CODE = {"pre", "code", "script", "style", "textarea", "kbd", "samp", "var", "tt"}
TIMES = re.compile(r"^.*-->.*$", re.MULTILINE)
KINDS = {"html": (".html", ".htm", ".xhtml"), "markdown": (".md",), "subtitles": (".srt", ".vtt")}


def html_structure(data: bytes) -> list[object]:
    """Blocks in their order, each with its attributes, the inline parts in it, and its code."""
    from lxml import html

    if not data.strip() or b"{%" in data:
        raise ValueError("no page")
    tree = html.document_fromstring(data)
    blocks: list[dict[str, Any]] = []
    by_element: dict[Any, dict[str, Any]] = {}
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        spoken = SPOKEN | {"value"} if is_button(element) else SPOKEN
        attributes = tuple(sorted((key, value) for key, value in element.attrib.items() if key not in spoken))
        owner = next((by_element[one] for one in element.iterancestors() if one in by_element), None)
        if element.tag in INLINE and owner is not None:
            inside = element.text_content() if element.tag in CODE else ""
            owner["inline"][element.tag, attributes, inside] += 1
            continue
        block: dict[str, Any] = {"block": (element.tag, attributes), "inline": Counter(), "code": ""}
        if element.tag in CODE:
            block["code"] = element.text_content()
        by_element[element] = block
        blocks.append(block)
    return [(block["block"], sorted(map(repr, block["inline"].items())), block["code"]) for block in blocks]


def is_button(element: Any) -> bool:
    """Whether an element shows its value, and sends it nowhere."""
    kind = element.attrib.get("type", "").lower()
    return element.tag == "input" and (
        kind in ("button", "reset") or (kind == "submit" and "name" not in element.attrib)
    )


def markdown_structure(data: bytes) -> list[object]:
    """Blocks in their order, code and HTML to the letter, what is inline in any order."""
    from markdown_it import MarkdownIt

    result: list[object] = []
    for token in MarkdownIt("commonmark").enable("table").parse(data.decode("utf-8")):
        inline = Counter(
            (child.type, child.attrGet("href"), child.attrGet("src"), child.content if "code" in child.type else "")
            for child in token.children or ()
            if child.type not in ("text", "softbreak", "hardbreak")
        )
        content = token.content if token.type in ("fence", "code_block", "html_block") else ""
        result.append((token.type, token.tag, token.info, content, sorted(map(repr, inline.items()))))
    return result


def subtitle_structure(data: bytes) -> list[object]:
    """Times as they are written, and what pysubs2 makes of them."""
    import pysubs2

    text = data.decode("utf-8-sig")
    events = pysubs2.SSAFile.from_string(text) if "-->" in text else []
    return [*TIMES.findall(text), *((event.start, event.end, bool(event.plaintext.strip())) for event in events)]


STRUCTURES: dict[str, Callable[[bytes], list[object]]] = {
    "html": html_structure,
    "markdown": markdown_structure,
    "subtitles": subtitle_structure,
}


def translate(translator: Any, path: Path, most: int, beam: int) -> tuple[bytes, int]:
    """A file in another language, and how many of its texts were translated."""
    from dataclasses import replace

    from regard.tasks.markup import markup_text
    from regard.text.formats import format_of

    kind = format_of(str(path))
    assert kind is not None
    document = kind.open(path.read_bytes())
    segments = document.segments
    step = max(1, -(-len(segments) // most)) if most else 1
    chosen = range(0, len(segments), step)
    read = translator.read_document(document)
    read = replace(
        read, originals=read.originals[::step], sources=read.sources[::step], is_aligned=read.is_aligned[::step]
    )
    answers = translator.translate_all(read, translator.generation_config(beam=beam))
    by_number = dict(zip(chosen, answers, strict=True))
    numbers = iter(range(len(segments)))

    def spell(segment: Any) -> str:
        answer = by_number.get(next(numbers))
        return segment.unchanged if answer is None else markup_text(segment, answer)

    content = document.with_texts(spell)
    return content.encode("utf-8") if isinstance(content, str) else content, len(answers)


def differences(before: list[object], after: list[object]) -> Iterator[str]:
    """Where two structures part, the first place and how many parts there are."""
    if len(before) != len(after):
        yield f"{len(before)} parts became {len(after)}"
    for number, (one, other) in enumerate(zip(before, after, strict=False)):
        if one != other:
            yield f"part {number}: {str(one)[:300]} became {str(other)[:300]}"
            return


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--model", default="en-de", show_default=True)
@click.option("--html", default=100, show_default=True)
@click.option("--markdown", default=50, show_default=True)
@click.option("--subtitles", default=20, show_default=True)
@click.option("--segments", default=20, show_default=True, help="Texts of each file that are translated; 0: all.")
@click.option("--beam", default=1, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(folder: Path, model: str, segments: int, beam: int, seed: int, **counts: int) -> None:
    """Translate files of FOLDER, and say which of them lost their structure."""
    import regard
    from regard.errors import RegardError

    translator = regard.load(model, task="translate")
    report: dict[str, dict[str, Any]] = {}
    for kind, endings in KINDS.items():
        paths = sorted(path for path in folder.rglob("*") if path.suffix in endings and path.is_file())
        draw = random.Random(seed).sample(paths, len(paths))
        figures = report[kind] = {"files": 0, "texts": 0, "the same": 0, "refused": 0}
        for path in draw:
            if figures["files"] == counts[kind]:
                break
            try:
                before = STRUCTURES[kind](path.read_bytes())
            except Exception:  # no file of its kind, says who reads it
                continue
            try:
                content, texts = translate(translator, path, segments, beam)
            except RegardError as problem:
                figures["refused"] += 1
                click.echo(f"refused: {path}: {problem}", err=True)
                continue
            figures["files"] += 1
            figures["texts"] += texts
            try:
                problems = list(differences(before, STRUCTURES[kind](content)))
            except Exception as problem:
                problems = [f"cannot be read any more: {problem}"]
            figures["the same"] += not problems
            for problem in problems:
                click.echo(f"{path}: {problem}", err=True)
    click.echo(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
