"""Whatever a token says, it is shown as text; whatever the window, everything is there."""

import html.parser
import json
import re
from xml.etree import ElementTree

import pytest

VIEWS = ("text", "heads", "links", "map", "pair", "edit", "inside")
HOSTILE = " ".join(
    [
        "<img src=x onerror=alert(1)>",
        "</title><script>alert(2)</script>",
        '"><svg/onload=alert(3)>',
        "\u202e&lt; javascript:alert(4) ]]> <!--",
    ]
)


class Elements(html.parser.HTMLParser):
    """The names of all elements, and of all attributes that would run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.running: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.running += [name for name, value in attrs if name.startswith("on") or "javascript:" in (value or "")]


SAVED = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "figure", "svg", "rect", "path", "text", "image"),
    *("details", "summary", "table", "thead", "tbody", "tr", "th", "td", "pre", "p"),
}


def harmless(visit) -> None:
    """The picture of this view, saved in every way, holds the tokens as text and nothing that runs."""
    saved = Elements(visit.taken("html"))
    assert saved.names <= SAVED
    assert saved.running == []
    drawn = ElementTree.fromstring(visit.taken("svg"))  # well-formed, whatever the tokens hold
    assert {node.tag.rsplit("}")[-1] for node in drawn.iter()} <= {"svg", "title", "rect", "path", "text", "image"}
    assert json.loads(visit.taken("json"))["rows"]
    assert not re.search(r"^[=+@]", visit.taken("csv"), re.MULTILINE)  # no cell begins as a formula


def test_no_saved_picture_runs_anything(visit):
    page = visit.open("links", model="gpt", text=HOSTILE, tokens="2", top="3")
    page.locator(".link").first.wait_for(state="attached")
    harmless(visit)
    assert page.locator("main img, main script, main iframe, .spine script, .spine img").count() == 0


@pytest.mark.proof
@pytest.mark.parametrize("view", VIEWS)
def test_a_thousand_hostile_tokens_become_no_markup(visit, view):
    page = visit.open(view, model="gpt", text=(HOSTILE * 10)[:1000], tokens="2")
    if view == "edit":
        page.locator("[data-switch='decoder.0.self/0']").click()
    page.locator("figure").first.wait_for()
    visit.settled()
    assert page.locator("main img, main script, main iframe, .spine script, .spine img").count() == 0
    assert page.evaluate("document.querySelectorAll('[onerror], [onload]').length") == 0
    harmless(visit)


@pytest.mark.proof
@pytest.mark.parametrize("width", [400, 1600])
def test_nothing_stands_out_of_the_window(visit, width):
    page = visit.page
    page.set_viewport_size({"width": width, "height": 800})
    for view in (*VIEWS, "learn"):
        visit.open(view, wait=view != "learn", text="where is the dog")
        page.locator("[data-topic]" if view == "learn" else "main .card").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_the_theme_turns(visit):
    page = visit.open("heads", text="where is the dog")
    paper = "getComputedStyle(document.querySelector('.card')).backgroundColor"
    page.locator(".card").first.wait_for()
    light = page.evaluate(paper)
    page.get_by_role("button", name=re.compile("Use the dark theme")).click()
    page.wait_for_function(f"() => {paper} !== {light!r}")


@pytest.mark.proof
def test_the_whole_page_is_used_without_a_mouse(visit):
    page = visit.open("text", text="where is the dog")
    page.keyboard.press("/")
    page.keyboard.type("a cat ")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("cat"))
    visit.settled()
    page.locator(".spine .token").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    visit.holds("pin=a1")
    page.locator("main").focus()
    for key, view in zip("12345678", (*VIEWS, "learn"), strict=True):
        page.keyboard.press(key)
        page.locator(f"main[data-view={view}]").wait_for()
