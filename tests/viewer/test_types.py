"""The page's types are the payload's."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2] / "viewer"


def test_the_types_of_the_page_are_made_from_the_payload():
    expected = runpy.run_path(str(ROOT / "typescript.py"))["payload_types"]()
    assert (ROOT / "src" / "payload.ts").read_text(encoding="utf-8") == expected
