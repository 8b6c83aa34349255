"""The glossary says what the docstrings say."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_the_glossary_is_made_from_the_public_names():
    sys.path.insert(0, str(DOCS))
    try:
        from make_glossary import glossary
    finally:
        sys.path.remove(str(DOCS))
    assert (DOCS / "glossary.md").read_text(encoding="utf-8") == glossary(), (
        "python docs/make_glossary.py writes it anew"
    )


def test_every_public_name_has_a_line():
    for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            assert len(line.split(" | ")[1].split()) > 1, line
