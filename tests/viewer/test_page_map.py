"""The map under the hand: wheel, drag, pinch and keys; few tiles, no seams, cells that stretch, ways to a place."""

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from regard.viewer.routes.attention import PATIENCE, wait_until_pooled

LETTERS = ("the dog sleeps under the table , where is the station ? " * 20)[:1000]  # three levels
EARLY = 250  # answers that say so
STATE = {"model": "gpt", "text": LETTERS, "tokens": "1", "layer": "decoder.1.self", "head": "1"}


def level(page, text: str) -> None:
    page.locator("[data-says=level]", has_text=text).wait_for()


def ruler(page) -> tuple[int, int]:
    left, top = page.locator("canvas[data-map]").get_attribute("data-ruler").split(",")
    return int(left), int(top)


def test_a_zoom_by_wheel_asks_for_few_tiles_and_makes_no_table(visit):
    page = visit.page
    statuses = []
    tiles = []
    page.on("response", lambda answer: statuses.append((answer.status, answer.url)))
    page.on("requestfinished", lambda request: tiles.append(request.url) if "/tile" in request.url else None)
    visit.open("map", **STATE)
    level(page, "a cell is the mean of")
    page.locator("figure[aria-busy=false]").first.wait_for()
    assert page.locator("figure table").count() == 0  # made when it is asked for
    tiles.clear()
    box = page.locator("canvas[data-map]").bounding_box()
    left, top = ruler(page)
    page.mouse.move(box["x"] + left + 60, box["y"] + top + 90)
    for _ in range(14):
        page.mouse.wheel(0, -240)
    level(page, "exact")
    page.locator("figure[aria-busy=false]").first.wait_for()
    visit.holds("at=")
    assert len(tiles) <= 16  # those of one level, and no more than once, but for what was cancelled
    assert len(set(tiles)) == len(tiles)
    assert [url for status, url in statuses if status == 409] == []
    at = page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('at')")
    page.mouse.down()
    page.mouse.move(box["x"] + left + 10, box["y"] + top + 10, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "at => new URLSearchParams(location.hash.split('?')[1]).get('at') !== at", arg=at
    )  # dragged elsewhere


def test_an_overview_that_takes_minutes_is_waited_for(visit):
    early = []

    def answer(route):
        if len(early) >= EARLY:
            return route.continue_()
        early.append(route.request.url)
        body = '{"version": 2, "error": "encoder.0.self is not pooled yet"}'
        return route.fulfill(status=409, content_type="application/json", headers={"Retry-After": "0.01"}, body=body)

    visit.page.route("**/tile*", answer)
    page = visit.open("map", **STATE)
    page.locator("figure[aria-busy=false]").first.wait_for()
    assert len(early) == EARLY
    assert page.locator("[data-state=failed]").count() == 0


@pytest.mark.parametrize("height", [900, 1080])
def test_the_whole_map_is_in_sight_without_scrolling(visit, height):
    visit.page.set_viewport_size({"width": 1440, "height": height})
    page = visit.open("map", model="gpt", text="To be, or not to be. " * 16, tokens=0)
    page.locator("figure[aria-busy=false] canvas[data-map]").wait_for()
    box, foot = (page.locator(part).first.bounding_box() for part in ("canvas[data-map]", ".said"))
    assert box["y"] + box["height"] <= foot["y"] + 1
    assert box["height"] >= 0.4 * height


COLOURS = """([x, y, side]) => {
    const canvas = document.querySelector("canvas[data-map]"), fine = canvas.width / canvas.clientWidth;
    const data = canvas.getContext("2d").getImageData(x * fine, y * fine, side * fine, side * fine).data;
    const seen = new Set();
    for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 3).join());
    return seen.size;
}"""


def test_what_the_mask_forbids_is_hatched_and_a_small_map_says_where_one_is(visit):
    page = visit.open("map", **STATE)
    page.locator("figure[aria-busy=false]").first.wait_for()
    left, top = ruler(page)
    box = page.locator("canvas[data-map]").bounding_box()
    reach = min(box["width"] - left, box["height"] - top)
    page.wait_for_timeout(300)
    assert page.evaluate(COLOURS, [left + reach * 0.8, top + reach * 0.1, 24]) >= 2  # lines on paper
    corner = page.locator("canvas.corner")
    assert "gone" in corner.get_attribute("class")  # all is in sight
    page.mouse.move(box["x"] + left + 60, box["y"] + top + 90)
    for _ in range(6):
        page.mouse.wheel(0, -240)
    page.locator("canvas.corner:not(.gone)").wait_for()
    visit.holds("at=")
    at = page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('at')")
    small = corner.bounding_box()
    page.mouse.click(small["x"] + 0.8 * small["width"], small["y"] + 0.8 * small["height"])
    page.wait_for_function("at => new URLSearchParams(location.hash.split('?')[1]).get('at') !== at", arg=at)


def test_tiles_meet_without_a_seam(visit):
    state = STATE | {"at": "600,256,0.71", "how": "max"}  # a border of tiles, at a fraction of a pixel
    page = visit.open("map", **state, scale="log")
    level(page, "weights")
    page.locator("figure[aria-busy=false]").first.wait_for()
    page.wait_for_timeout(400)
    left, _ = ruler(page)
    seam = """left => {
        const canvas = document.querySelector('canvas[data-map]');
        const fine = canvas.width / canvas.clientWidth;
        const y = Math.round((canvas.clientHeight - 30) * fine);
        const line = canvas.getContext('2d').getImageData((left + 2) * fine, y, 160 * fine, 1).data;
        const light = at => line[4 * at] + line[4 * at + 1] + line[4 * at + 2];
        return Array.from({ length: line.length / 4 }, (_, at) => light(at)); }"""
    row = page.evaluate(seam, left)
    assert max(row) < 3 * 255  # nowhere the white of the paper in a row that sees everything there


def test_a_long_source_and_a_short_target_stretch_the_cells(visit):
    page = visit.open("map", text=" ".join(["where is the dog"] * 30), layer="decoder.1.cross")
    page.locator("figure[aria-busy=false]").first.wait_for()
    _, top = ruler(page)
    shape = re.match(r"(\d+) × (\d+) weights", page.locator("[data-says=level]").inner_text())
    queries, keys = int(shape[1]), int(shape[2])
    assert keys > 5 * queries
    height = page.locator("canvas[data-map]").bounding_box()["height"] - top
    assert height / queries >= 20  # a row can be read, however many columns there are


@pytest.mark.proof
def test_a_pinch_zooms_and_a_word_is_found_by_keys(site):
    context = site.browser.new_context(viewport={"width": 400, "height": 1400}, has_touch=True)
    page = context.new_page()
    page.goto(f"{site.base}#map?" + "&".join(f"{key}={value}" for key, value in STATE.items()))
    page.locator("figure[aria-busy=false]").first.wait_for(timeout=60_000)
    box = page.locator("canvas[data-map]").bounding_box()
    left, top = ruler(page)
    x, y = box["x"] + left + 60, box["y"] + top + 60
    touch = context.new_cdp_session(page)
    for kind, apart in (("touchStart", 10), *(("touchMove", 10 + 12 * step) for step in range(1, 5)), ("touchEnd", 0)):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}] if apart else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function("() => location.hash.includes('at=')")
    page.get_by_label("Find a token on the map").fill("?")
    page.keyboard.press("Enter")
    page.locator("[role=status]", has_text=re.compile(r"token \d+")).wait_for()
    context.close()


def test_what_is_not_pooled_yet_is_waited_for():
    """A question about an overview that comes a moment later is answered then, and not refused before."""

    class Asked:
        async def is_disconnected(self) -> bool:
            return False

    class Pooled:
        def __init__(self) -> None:
            self.pyramids: dict[str, object] = {}

        def needs_pyramid(self, layer: str) -> bool:
            return layer not in self.pyramids

    async def ask() -> float:
        pooled, begun = Pooled(), time.monotonic()
        asyncio.get_running_loop().call_later(0.2, pooled.pyramids.update, {"encoder.0.self": object()})
        await wait_until_pooled(Asked(), pooled, ["encoder.0.self"])  # type: ignore[arg-type]
        assert pooled.pyramids
        return time.monotonic() - begun

    with ThreadPoolExecutor(1) as thread:  # the browser's loop runs in this one
        assert 0.2 <= thread.submit(lambda: asyncio.run(ask())).result() < PATIENCE
