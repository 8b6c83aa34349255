"""What the pages say of the tables is what the parts say and draw of themselves."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS))
try:
    import make_parts
finally:
    sys.path.remove(str(DOCS))


@pytest.mark.parametrize("page", make_parts.pages(), ids=lambda page: page.name)
def test_the_tables_of_a_page_are_made_from_the_parts(page):
    text = page.read_text(encoding="utf-8")
    assert text == make_parts.filled(text), "python docs/make_parts.py writes it anew"


def test_every_table_stands_on_one_page():
    assert sorted(name for names in make_parts.pages().values() for name in names) == sorted(make_parts.MAKERS)
