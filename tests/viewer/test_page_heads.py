"""Heads, links, the map, and query and key: what they show is what a watch of the library sees."""

import html
import re

import pytest

import regard

SENTENCE = "where is the station ?"


@pytest.fixture(scope="module")
def seen(site):
    """What the translator attended to while it wrote the text that the page shows."""
    task = site.task("translator")
    with regard.watch(task.model) as found:
        task(SENTENCE, beam=4)
    return found


def test_every_head_has_a_thumbnail(visit, seen):
    visit.open("heads", text=SENTENCE)
    shown = {(row[0], int(row[1])): float(row[2]) for row in visit.table(re.compile("Heads of"))}
    expected = {
        (layer, head): weights.max().item() for layer in seen for head, weights in enumerate(seen[layer].weights()[0])
    }
    assert shown == pytest.approx(expected, abs=1e-5)


def test_a_click_on_a_thumbnail_opens_its_head(visit):
    page = visit.open("heads", text=SENTENCE)
    thumbnails = page.get_by_role("img", name=re.compile("thumbnails"))
    left, top, step = map(int, thumbnails.get_attribute("data-grid").split(","))
    thumbnails.click(position={"x": left + step + 20, "y": top + 20})  # the second head of the first layer
    page.locator("main[data-view=links]").wait_for()
    visit.holds("layer=encoder.0.self&head=1")
    page.keyboard.press("2")
    page.keyboard.press("]")
    visit.holds("layer=encoder.1.self")


@pytest.mark.proof
def test_twelve_layers_of_twelve_heads_are_in_sight_at_once(site, tmp_path):
    from browsing import serving
    from tasks.tiny import gpt2

    gpt2(tmp_path / "deep", n_layer=12, n_head=12, n_embd=24)
    with serving(tmp_path / "deep") as base:
        page = site.browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(60_000)
        page.goto(f"{base}#heads?model=deep&text=To be&tokens=0")
        heads = page.locator("figure[aria-busy=false] [aria-label^='144 heads']").first
        heads.wait_for()
        page.wait_for_timeout(1500)
        box, foot = heads.bounding_box(), page.locator(".said").first.bounding_box()
        assert box["y"] + box["height"] <= foot["y"] + 1
        page.close()


def test_links_are_the_keys_that_are_looked_at_most(visit, seen):
    page = visit.open("links", text=SENTENCE, layer="decoder.1.cross", head="2", top="2")
    rows = visit.table(re.compile("Links of decoder.1.cross, head 2"))
    top = seen["decoder.1.cross"].top(2)
    expected = [
        (row, column, weight)
        for row, (positions, weights) in enumerate(
            zip(top.positions[0, 2].tolist(), top.weights[0, 2].tolist(), strict=True)
        )
        for column, weight in zip(positions, weights, strict=True)
    ]
    known = rows[: len(expected)]  # the page also shows what the last token looks at, which writes nothing more
    assert [(int(row[1]), int(row[3])) for row in known] == [(row, column) for row, column, _ in expected]
    assert [float(row[5]) for row in known] == pytest.approx([weight for *_, weight in expected], abs=1e-5)
    page.locator(".link.strong").nth(len(rows) - 1).wait_for(state="attached")
    assert page.locator(".link.strong").count() == len(rows)


@pytest.mark.proof
def test_a_pinned_token_keeps_its_own_links_only(visit):
    page = visit.open("links", text=SENTENCE, layer="decoder.1.cross", top="2")
    page.locator(".spot").first.wait_for()
    page.locator(".spot").nth(3).click()
    page.mouse.move(5, 400)
    visit.holds("pin=b4")  # the row that wrote the fourth token
    page.wait_for_function("() => document.querySelectorAll('.link.strong').length === 2")
    page.get_by_role("button", name="head 1", exact=True).click()
    visit.holds("heads=0%2C1")


def test_the_map_says_the_weight_under_the_pointer(visit, seen):
    page = visit.open("map", text=SENTENCE, layer="encoder.1.self", head="1")
    rows = visit.table(re.compile("Map of encoder.1.self, head 1"))
    weights = seen["encoder.1.self"][0, 1]
    for row, _, column, _, weight in rows[:20]:
        assert float(weight) == pytest.approx(weights[int(row), int(column)].item(), abs=1e-6)
    assert float(rows[0][4]) == pytest.approx(weights.max().item(), abs=1e-6)
    box = page.locator("canvas[data-map]").bounding_box()
    left, top = map(int, page.locator("canvas[data-map]").get_attribute("data-ruler").split(","))
    page.mouse.move(box["x"] + left + 8, box["y"] + top + 8)
    page.locator(".said", has_text="→").wait_for()
    assert f"{weights[0, 0].item():.3f}".lstrip("0") in page.locator(".said").inner_text()


@pytest.mark.proof
def test_the_map_zooms_from_the_whole_to_single_weights(visit, site):
    text = ("the dog sleeps under the table , where is the station ? " * 20)[:1000]  # three levels
    page = visit.open("map", model="gpt", text=text, tokens="1", layer="decoder.1.self", head="1")
    level = page.locator("[data-says=level]")
    level.filter(has_text="a cell is the mean of").wait_for()
    page.get_by_role("application").focus()
    for _ in range(5):
        page.keyboard.press("+")
    level.filter(has_text="exact").wait_for()
    visit.holds("at=")
    page.locator("[data-table]").click()
    page.locator("caption", has_text="a cell is 1 × 1").wait_for()
    rows = visit.table(re.compile("Map of"))
    task = site.task("gpt")
    with regard.watch(task.model, "decoder.1.self") as seen:
        task(text, max_new_tokens=1)
    pattern = seen["decoder.1.self"]
    for row, _, column, _, weight in rows[:10]:
        assert float(weight) == pytest.approx(pattern[0, 1, int(row), int(column)].item(), abs=1e-6)
    page.get_by_role("application").focus()
    page.keyboard.press("0")
    level.filter(has_text="a cell is the mean of").wait_for()


@pytest.mark.proof
def test_the_scale_says_what_it_does(visit):
    page = visit.open("map", text=SENTENCE)
    page.get_by_role("button", name="log", exact=True).click()
    page.locator("[data-says=scale]", has_text="ten times").wait_for()
    page.get_by_role("button", name="without the sink").click()
    page.locator("[data-says=scale]", has_text="hatched").wait_for()
    visit.holds("scale=sinkless")


def test_a_score_is_taken_apart(visit, seen):
    page = visit.open("pair", text=SENTENCE, layer="decoder.1.cross", head="1", pin="b3,a4")
    rows = visit.table(re.compile("product per dimension"))
    pattern = seen["decoder.1.cross"]
    query, key = pattern.query[0, 1, 2], pattern.key[0, 1, 4]
    products = (query * key * query.shape[-1] ** -0.5).tolist()
    assert [float(row[3]) for row in rows] == pytest.approx(products, abs=1e-5)
    weight = pattern[0, 1, 2, 4].item()
    assert page.locator("[data-equation] b").last.inner_text() == f"{weight:.3f}".lstrip("0")
    softmax = visit.table(re.compile("The softmax row"))
    assert [float(row[2]) for row in softmax] == pytest.approx(pattern[0, 1, 2].tolist(), abs=1e-5)


def test_the_python_lines_give_the_same_numbers(visit, site, capsys):
    visit.open("links", text=SENTENCE, layer="decoder.1.cross", top="2")
    rows = visit.table(re.compile("Links of"))
    saved = visit.taken("html")
    lines = html.unescape(re.search(r"<pre>(.*)</pre>", saved, re.DOTALL).group(1))
    exec(lines.replace('"translator"', repr(str(site.folders["translator"]))), found := {})
    top = found["pattern"].top(2)
    assert float(rows[0][5]) == pytest.approx(top.weights[0, 0, 0, 0].item(), abs=1e-5)
    assert "TopKeys(" in capsys.readouterr().out


def test_the_links_of_the_next_head_are_there_before_its_key(visit):
    page = visit.open("links", text="where is the dog", layer="encoder.0.self")
    figure = page.locator("figure[aria-busy=false] h2")
    figure.filter(has_text="head 0").wait_for()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/links" in request.url else None)
    page.keyboard.press(".")
    figure.filter(has_text="head 1").wait_for()
    rows = page.evaluate("() => [...document.querySelectorAll('figure svg path')].length")
    assert rows > 0
    assert asked == []
