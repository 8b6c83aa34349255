"""Whatever tokens say, a picture of them is a picture: nothing of theirs becomes markup."""

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
import torch

from regard.attention import Pattern
from regard.viewer.payload import ExportRequest
from regard.viewer.region_picture import region_picture
from regard.viewer.widget import finished_run

HOSTILE = [
    "<script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "&lt;b&gt;&#60;i&#62;",
    "]]><!--",
    "</script></style>",
    "{{7*7}}${7*7}`",
    "javascript:alert(1)",
    "\u202e\u2066\u0000\u001b[31m\ufeff",
    "' onmouseover='alert(1)",
]
TOKENS = [f"{HOSTILE[number % len(HOSTILE)]}{number}" for number in range(1000)]


class Tags(HTMLParser):
    """Counts elements, and keeps the names of attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture(scope="module")
def pictures():
    """1,000 hostile tokens, each a row or a column of some picture, as SVG and as HTML."""
    pattern = Pattern(torch.randn(1, 1, 1000, 4), torch.randn(1, 1, 1000, 4))
    kept = finished_run({"decoder.0.self": (pattern, TOKENS, TOKENS)})
    request = {"run": kept.id, "layer": "decoder.0.self", "head": 0}
    spans = [{"rows": [first, first + 2], "columns": [first, first + 250]} for first in range(0, 1000, 250)]
    return {
        kind: [region_picture(kept, ExportRequest(**request, **span, kind=kind))[1] for span in spans]
        for kind in ("svg", "html")
    }


def test_an_svg_holds_shapes_and_letters_only(pictures):
    shapes = {"svg", "g", "title", "desc", "style", "rect", "text", "path", "line", "defs", "tspan", "pattern"}
    for picture in pictures["svg"]:
        elements = list(ElementTree.fromstring(picture).iter())
        assert {element.tag.rpartition("}")[2] for element in elements} <= shapes
        assert not {name for element in elements for name in element.attrib if name.startswith("on")}
        assert "alert(1)" in picture  # as letters: something hostile was there


def test_a_page_has_its_own_scripts_only(pictures):
    for page in pictures["html"]:
        result = Tags()
        result.feed(page)
        assert result.tags.count("script") == 2  # the data, and what shows it
        assert "img" not in result.tags
        assert not {name for name in result.attributes if name.startswith("on")}
        for sign in ("\u202e", "\u2066", "\x1b"):
            assert sign not in page
