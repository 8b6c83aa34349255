"""The map under the hand, in a browser: frames, the longest task, tiles and bytes. viewer.py --browser runs it.

Chromium and the server get a core each where the machine has two. The gesture is always the same: in to single weights
by the wheel, across by dragging, out again, until the time is over; then a text is opened anew and timed to its first
picture.
"""

import os
import shutil
import time
from typing import Any, NamedTuple
from urllib.parse import quote

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WATCH = """
window.measured = { tasks: [], frames: [], paint: null };
new PerformanceObserver(list => { for (const entry of list.getEntries()) window.measured.tasks.push(entry.duration); })
    .observe({ type: "longtask" });
new PerformanceObserver(list => { for (const entry of list.getEntries()) window.measured.paint ??= entry.startTime; })
    .observe({ type: "paint", buffered: true });
let last = 0;
requestAnimationFrame(function frame(now) {
    if (last) window.measured.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
});
"""
PATIENCE = 3_600_000  # milliseconds: a long text takes its time to be read


class Gesture(NamedTuple):
    """What one gesture cost."""

    frames: list[float]  # milliseconds from one to the next
    longest_task: float
    tiles: int
    tile_bytes: int
    first_paint: float
    refused: int


def cores() -> tuple[set[int], set[int]]:
    """A core for the browser, and one for the server."""
    available = sorted(os.sched_getaffinity(0))
    return {available[0]}, {available[-1]}


def gesture(address: str, model: str, text: str, seconds: float) -> Gesture:
    """Zoom and pan the map of a text that the server may have read already."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    os.sched_setaffinity(0, cores()[0])  # the browser is this process's child
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.add_init_script(WATCH)
        answers: list[Any] = []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(f"{address}#map?model={quote(model)}")
        page.evaluate(
            "([model, text]) => { sessionStorage.setItem('regard.text.bench', text);"
            " location.hash = `#map?model=${model}&tokens=0&stored=bench`; }",
            [model, text],
        )
        page.locator(".spine .token").first.wait_for()
        page.locator(".said[data-busy=false]").wait_for()
        page.locator("figure[aria-busy=false]").first.wait_for()
        page.wait_for_timeout(1500)
        first_paint = page.evaluate("measured.paint ?? 0")
        page.evaluate("measured.tasks = []; measured.frames = []")
        answers.clear()
        move(page, seconds)
        measured = page.evaluate("measured")
        tiles = [answer for answer in answers if "/tile" in answer.url]
        sent = sum(int(answer.headers.get("content-length", "0")) for answer in tiles)
        refused = sum(answer.status in (409, 429) for answer in answers)
        browser.close()
    return Gesture(measured["frames"], max([0.0, *measured["tasks"]]), len(tiles), sent, first_paint, refused)


def move(page: Any, seconds: float) -> None:
    """In, across, out, again."""
    box = page.locator("canvas[data-map]").bounding_box()
    left, top = map(int, page.locator("canvas[data-map]").get_attribute("data-ruler").split(","))
    x, y = box["x"] + left + 0.3 * (box["width"] - left), box["y"] + top + 0.7 * (box["height"] - top)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        page.mouse.move(x, y)
        for notch in (-240,) * 12:
            page.mouse.wheel(0, notch)
            page.wait_for_timeout(60)
        page.mouse.down()
        page.mouse.move(x - 240, y - 160, steps=24)
        page.mouse.up()
        for notch in (240,) * 12:
            page.mouse.wheel(0, notch)
            page.wait_for_timeout(60)
