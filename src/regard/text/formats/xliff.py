"""XLIFF 1.2 and 2.0: every unit gets a target; those that have one keep it."""

import re

from regard.text.documents import OpenDocument
from regard.text.formats.spliced_xml import Element, inline_segment, read_tree, splice
from regard.text.segments import Document

CODES = frozenset({"x", "bx", "ex", "ph", "bpt", "ept", "it", "sub", "cp", "sc", "ec", "sm", "em", "ut"})
"""Elements that stand for something of the original file."""
UNITS = ("trans-unit", "segment")


def read_xliff(text: str) -> OpenDocument:
    """The sources of all units that want a translation and have none."""
    changes = [change for unit in units(read_tree(text)) if (change := target_of(unit, text)) is not None]
    return OpenDocument(splice(text, changes))


def units(element: Element) -> list[Element]:
    """The units within an element, unless it says that it is not to be translated."""
    wanted_units: list[Element] = []
    for child in element.children:
        if child.attributes.get("translate") != "no":
            wanted_units += [child] if child.name in UNITS else units(child)
    return wanted_units


def target_of(unit: Element, text: str) -> tuple[int, int, Document] | None:
    """What is put where in a unit; None where nothing is to be done."""
    source, target = unit.child("source"), unit.child("target")
    if source is None or (target is not None and text[target.inside : target.until].strip()):
        return None
    segment = inline_segment(text[source.inside : source.until], CODES)
    if segment is None or not segment.has_words:
        return None
    opening = text[source.begin : source.inside]
    name = re.sub(r"source$", "target", opening[1:].split()[0].rstrip("/>"))
    if target is None:
        lead = re.search(r"\s*\Z", text[: source.begin])
        return source.end, source.end, [f"{lead[0] if lead else ''}<{name}>", segment, f"</{name}>"]
    tag = text[target.begin : target.inside].removesuffix(">").removesuffix("/").rstrip()
    return target.begin, target.end, [f"{tag}>", segment, f"</{name}>"]
