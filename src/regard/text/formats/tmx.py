"""TMX: a variant in another language for every unit that has none."""

import re

from regard.text.documents import OpenDocument
from regard.text.formats.spliced_xml import Element, FormatError, inline_segment, read_tree, splice
from regard.text.segments import Document

CODES = frozenset({"bpt", "ept", "ph", "it", "ut", "sub"})


def read_tmx(text: str, source_language: str = "", target_language: str = "") -> OpenDocument:
    """The segments of the language that the header names, or of this one."""
    tree = read_tree(text)
    header = next(iter(tree.all("header")), None)
    source_language = source_language or (header.attributes.get("srclang", "") if header else "")
    if not source_language or not target_language:
        raise FormatError("TMX has several languages: which it is translated from and to has to be said")
    changes = [
        change
        for unit in tree.all("tu")
        if (change := variant_of(unit, text, source_language, target_language)) is not None
    ]
    return OpenDocument(splice(text, changes))


def variant_of(unit: Element, text: str, source: str, target: str) -> tuple[int, int, Document] | None:
    """What is put where in a unit; None where nothing is to be done."""
    variants = {variant.attributes.get("lang", "").lower(): variant for variant in unit.all("tuv")}
    original, other = (variants.get(language.lower()) or like(variants, language) for language in (source, target))
    segment = None if original is None else original.child("seg")
    if original is None or segment is None:
        return None
    content = inline_segment(text[segment.inside : segment.until], CODES)
    if content is None or not content.has_words:
        return None
    if other is None:
        lead = re.search(r"\s*\Z", text[: original.begin])
        opening = f'{lead[0] if lead else ""}<tuv xml:lang="{target}"><seg>'
        return original.end, original.end, [opening, content, "</seg></tuv>"]
    empty = other.child("seg")
    if empty is None or text[empty.inside : empty.until].strip():
        return None
    return empty.begin, empty.end, ["<seg>", content, "</seg>"]


def like(variants: dict[str, Element], language: str) -> Element | None:
    """The variant of a language that is named with its country, or without."""
    short = language.lower().partition("-")[0]
    return next((variant for name, variant in variants.items() if name.partition("-")[0] == short), None)
