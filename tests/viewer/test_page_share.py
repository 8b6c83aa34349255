"""What is taken along works elsewhere: a page to explore without a server, pictures that say what they are of."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browsing import Visit

import regard

SENTENCE = "where is the station ?"


@pytest.fixture
def saved(visit, tmp_path) -> Path:
    """The file that the page saves."""
    page = visit.open("heads", text=SENTENCE, layer="decoder.1.cross", head="2")
    page.locator("figure[aria-busy=false]").first.wait_for()
    page.get_by_role("button", name="Save the picture").click()
    with page.expect_download() as download:
        page.locator("[data-take=explore]").click()
    path = tmp_path / "saved.html"
    download.value.save_as(path)
    return path


def test_a_saved_page_is_explored_without_a_server(saved, site):
    context = site.browser.new_context(viewport={"width": 1200, "height": 900})
    offline = Visit(context.new_page(), "")
    page = offline.page
    page.goto(saved.as_uri())
    page.locator(".spine .token").first.wait_for()
    task = site.task("translator")
    with regard.watch(task.model) as seen:
        task(SENTENCE, beam=4)
    shown = {(row[0], int(row[1])): float(row[2]) for row in offline.table(re.compile("Heads of"))}
    expected = {
        (layer, head): weights.max().item() for layer in seen for head, weights in enumerate(seen[layer].weights()[0])
    }
    assert shown == pytest.approx(expected, abs=5e-4)  # half precision: 2^-11 of the weight
    page.locator("[data-dot='encoder.1.self/1']").click()
    page.keyboard.press("3")
    rows = offline.table(re.compile("Links of encoder.1.self, head 1"))
    weights = seen["encoder.1.self"][0, 1]
    assert rows
    for _, row, _, column, _, weight in rows:
        assert float(weight) == pytest.approx(weights[int(row), int(column)].item(), abs=5e-4)
    page.keyboard.press("4")
    page.locator("main[data-view=map] figure[aria-busy=false]").wait_for()
    assert re.search(r"half precision, at most \S+ from the exact", page.locator(".top").inner_text())
    assert offline.faults == []
    assert [url for url in offline.asked if not url.startswith(("file:", "blob:", "data:"))] == []
    context.close()


def test_a_saved_picture_says_what_it_is_of(visit):
    visit.open("links", text=SENTENCE, layer="decoder.1.cross", pin="b2")
    drawn = ElementTree.fromstring(visit.taken("svg"))
    texts = [node.text or "" for node in drawn.iter() if node.tag.endswith("text")]
    assert texts[0] == "Links of decoder.1.cross, head 0"
    assert any("translator" in text and SENTENCE in text for text in texts)
