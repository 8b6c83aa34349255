"""Whatever tokens say, every form of a picture shows it as text and runs nothing."""

import base64
import hashlib
import json
import random
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from regard.pictures import Picture, save
from regard.pictures.labels import label

SEEDS = [
    *("<script>alert(1)</script>", "</script><script>alert(1)</script>", "<!--", "-->", "]]>", "<![CDATA[", "&lt;"),
    *('"onload="alert(1)', "'", "`", "</title>", "</noscript>", "</style><img src=x onerror=alert(1)>", "&#0;"),
    *("\u202eevil", "\u2066", "\u200f", "שלום", "مرحبا", "\x00", "\x1b[2J", "\x07", "\r\n", "\u2028", "\ud800"),
    *(
        "\udfff",
        "\ufffe",
        "👩\u200d🔬",
        "🏳️\u200d🌈",
        "e\u0301",
        "\U000e0041",
        "日本語",
        "\u0085",
        "javascript:alert(1)",
    ),
    *("{policy}", "{}", "%s", "\\u003cscript>", "${alert(1)}"),
]


def hostile(count=1000):
    lot = random.Random(1)
    return ["".join(lot.choices(SEEDS, k=lot.randint(1, 3))) for _ in range(count)]


class Page(HTMLParser):
    """What a browser finds: elements with their attributes, and the text of each."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts = [], []
        self.open = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        self.open.append(len(self.texts) - 1)

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] += data


@pytest.fixture(scope="module")
def tokens():
    return hostile()


@pytest.fixture(scope="module")
def written(tokens, tmp_path_factory):
    """100 tokens a picture, ten pictures, in every form."""
    folder = tmp_path_factory.mktemp("hostile")
    pictures = [
        Picture(
            [[0.5] * 100, [0.1] * 100],
            tokens[n : n + 2],
            tokens[n : n + 100],
            title=tokens[n],
            part=tokens[n + 1],
            scale="sink",
        )
        for n in range(0, 1000, 100)
    ]
    for ending in ("svg", "html", "txt", "png"):
        save(pictures, folder / f"picture.{ending}")
    return folder


def test_svg_is_well_formed_and_holds_nothing_but_shapes_and_text(written):
    root = ElementTree.parse(written / "picture.svg").getroot()
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags <= {"svg", "title", "style", "text", "tspan", "rect", "path"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert attributes <= {
        *("class", "role", "width", "height", "viewBox", "x", "y", "text-anchor", "transform", "d"),
    }


def test_the_svg_of_each_token_says_it_as_it_is_shown(tokens):
    for token in tokens[::20]:
        root = ElementTree.fromstring(Picture([[0.5]], [token], ["x"]).svg())
        said = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")][1]
        assert said.replace("\u2068", "").replace("\u2069", "") == f"{label(token)} → x: 0.5"


def test_html_has_one_script_and_one_block_of_data_and_only_the_elements_that_we_wrote(written):
    page = Page((written / "picture.html").read_text("utf-8"))
    tags = [tag for tag, _ in page.elements]
    assert set(tags) <= {
        *("html", "head", "meta", "title", "style", "body", "noscript", "script"),
        *("svg", "text", "tspan", "rect", "path"),
    }
    assert tags.count("script") == 2
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not [name for _, attributes in page.elements for name in attributes if name in ("src", "href", "style")]


def test_html_carries_every_token_as_data(written, tokens):
    page = Page((written / "picture.html").read_text("utf-8"))
    (data,) = (text for (tag, found), text in zip(page.elements, page.texts, strict=True) if found.get("id") == "data")
    panels = json.loads(data)["panels"]
    for number, panel in enumerate(panels):
        for name, token in zip(panel["columns"], tokens[100 * number : 100 * number + 100], strict=True):
            whole = name.get("whole") or "".join(run for run, _ in name["runs"])
            assert whole.replace("\u2068", "").replace("\u2069", "") == label(token)


def test_the_policy_lets_our_script_and_styles_run_and_nothing_else(written):
    page = Page((written / "picture.html").read_text("utf-8"))
    policy = next(
        found["content"] for _, found in page.elements if found.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    runs = {"script": [], "style": []}
    for (tag, found), text in zip(page.elements, page.texts, strict=True):
        if tag in runs and found.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            runs[tag].append(f"'sha256-{digest}'")
    for kind, hashes in runs.items():
        (allowed,) = re.findall(rf"{kind}-src ([^;]*)", policy)
        assert allowed.split() == hashes


def test_nothing_is_asked_of_another_machine(written):
    text = (written / "picture.html").read_text("utf-8")
    script = text[text.rindex("<script>") :]
    for word in (
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "eval",
        "document.write",
    ):
        assert word not in script
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_the_terminal_gets_no_escape_and_one_line_for_each_row(written):
    text = (written / "picture.txt").read_text("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)


def test_png_is_a_picture(written):
    from PIL import Image

    with Image.open(written / "picture.png") as image:
        image.load()
        assert image.format == "PNG"
