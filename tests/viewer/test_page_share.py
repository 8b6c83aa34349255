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
    assert shown == pytest.approx(expected, abs=5e-3)  # queries and keys in half precision
    page.locator("[data-dot='encoder.1.self/1']").click()
    page.keyboard.press("3")
    rows = offline.table(re.compile("Links of encoder.1.self, head 1"))
    weights = seen["encoder.1.self"][0, 1]
    assert rows
    for _, row, _, column, _, weight in rows:
        assert float(weight) == pytest.approx(weights[int(row), int(column)].item(), abs=5e-3)
    page.keyboard.press("4")
    page.locator("main[data-view=map] figure[aria-busy=false]").wait_for()
    said = re.search(r"half precision; weights at most (\S+) from the exact", page.locator(".top").inner_text())
    assert said
    assert 0 < float(said[1]) < 0.005
    assert re.search(r"largest difference from the exact weights is [\d.e-]+", saved.read_text(encoding="utf-8"))
    page.keyboard.press("5")  # why: from the query and the key themselves
    page.locator("[data-why]").wait_for()
    row, column = (int(page.get_by_label(name, exact=True).input_value()) for name in ("Query", "Key"))
    table = offline.table(re.compile("the product per dimension"))
    pattern = seen["encoder.1.self"]
    expected = (pattern.query[0, 1, row] * pattern.key[0, 1, column]) / pattern.key.shape[-1] ** 0.5
    assert [float(line[3]) for line in table] == pytest.approx(expected.tolist(), abs=5e-3)
    assert offline.faults == []
    assert [url for url in offline.asked if not url.startswith(("file:", "blob:", "data:"))] == []
    context.close()


def test_a_longer_saved_page_has_every_level_of_the_map(visit, site, tmp_path):
    text = " ".join(["the dog is a cat"] * 60)
    page = visit.open("map", model="gpt", text=text, tokens="0", layer="decoder.1.self", head="1")
    page.locator("main[data-view=map] figure[aria-busy=false]").wait_for()
    page.get_by_role("button", name="Save the picture").click()
    item = page.locator("[data-take=explore]")
    assert (told := re.search(r"about (\d+) kB", item.inner_text()))
    with page.expect_download() as download:
        item.click()
    path = tmp_path / "long.html"
    download.value.save_as(path)
    assert path.stat().st_size / 1000 == pytest.approx(int(told[1]), rel=0.25)  # its size was told before
    task = site.task("gpt")
    import torch

    ids = torch.tensor([task.tokenizer.encode(text).ids])
    with torch.no_grad(), regard.watch(task.model, "decoder.1.self") as seen:
        task.model.hidden(ids)
    weights = seen["decoder.1.self"][0, 1]
    context = site.browser.new_context(viewport={"width": 1200, "height": 900})
    offline = Visit(context.new_page(), "")
    offline.page.goto(path.as_uri())
    rows = offline.table(re.compile("Map of decoder.1.self, head 1"))
    cell = int(re.search(r"of (\d+) × ", offline.page.locator("[data-says=level]").inner_text())[1])
    assert cell > 1
    for row, _, column, _, weight in rows[:20]:
        region = weights[int(row) : int(row) + cell, int(column) : int(column) + cell]
        assert float(weight) == pytest.approx(region.mean().item(), rel=0.02, abs=1e-4)
    assert offline.faults == []
    context.close()


def test_a_picture_for_links_has_the_size_that_previews_want(visit, tmp_path):
    from PIL import Image

    page = visit.open("links", text=SENTENCE)
    page.locator("figure[aria-busy=false]").first.wait_for()
    page.get_by_role("button", name="Save the picture").click()
    with page.expect_download() as download:
        page.locator("[data-take=preview]").click()
    with Image.open(download.value.path()) as picture:
        assert picture.size == (1200, 630)
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 50  # something is drawn on it


@pytest.mark.parametrize("kind", ["gif", "apng"])
def test_the_writing_is_taken_along_as_a_moving_picture(visit, kind):
    from PIL import Image

    page = visit.open("text", text=SENTENCE)
    page.locator("figure[aria-busy=false]").first.wait_for()
    page.get_by_role("button", name="Save the picture").click()
    with page.expect_download() as download:
        page.locator(f".top [data-take={kind}]").click()
    with Image.open(download.value.path()) as picture:
        frames = picture.n_frames
    written = page.locator("[data-line='1'] .token.written").count()
    assert frames >= min(written, 3)


def test_a_state_file_opens_where_it_was_saved(visit):
    import json

    from regard.viewer.state_file import state_of

    page = visit.open("links", text=SENTENCE, layer="decoder.1.cross", pin="b2", head="3")
    state = json.loads(visit.taken("state"))
    address = state_of(state, Path("state")).address_for("translator")
    page.goto("about:blank")
    page.goto(f"{visit.base}{address}")
    visit.settled()
    assert page.locator(".head-dot.here").get_attribute("data-dot") == "decoder.1.cross/3"
    assert page.locator(".token.held").count() == 1


def test_a_link_that_nobody_could_send_becomes_a_state_file(visit):
    page = visit.open("map", model="gpt", text='"' * 900, tokens="0")
    with page.expect_download() as download:
        page.get_by_role("button", name="Copy a link to what you see").click()
    assert download.value.suggested_filename.endswith(".regard.json")
    assert "a state file was saved" in page.locator(".toast").inner_text()


def test_a_saved_picture_says_what_it_is_of(visit):
    visit.open("links", text=SENTENCE, layer="decoder.1.cross", pin="b2")
    drawn = ElementTree.fromstring(visit.taken("svg"))
    texts = [node.text or "" for node in drawn.iter() if node.tag.endswith("text")]
    assert texts[0] == "Links of decoder.1.cross, head 0"
    assert any("translator" in text and SENTENCE in text for text in texts)
