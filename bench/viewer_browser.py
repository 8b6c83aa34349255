"""The map under the hand, in a browser: frames, the longest task, tiles and bytes. viewer.py --browser runs it.

Chromium and the server get a core each where the machine has two. The gesture is always the same: in to single weights
by the wheel, across by dragging, out again, until the time is over. A task is timed by the clock and by the processor
time that it took: the first is what a reader feels, the second is the page's own share where others work beside it.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WATCH = """
window.measured = { tasks: [], frames: [], paint: null, states: [], run: "" };
new PerformanceObserver(list => { for (const entry of list.getEntries()) window.measured.tasks.push(entry.duration); })
    .observe({ type: "longtask" });
new PerformanceObserver(list => { for (const entry of list.getEntries()) window.measured.paint ??= entry.startTime; })
    .observe({ type: "paint", buffered: true });
const ask = window.fetch;
window.fetch = async (path, init) => {
    const response = await ask(path, init);
    if (init?.method !== "POST" || !String(path).endsWith("api/runs") || !response.body) return response;
    const [mine, theirs] = response.body.tee();
    (async () => {
        window.measured.states = [];
        let rest = "";
        const reader = mine.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            const { value, done } = await reader.read();
            const lines = (rest + (value ?? "")).split("\\n");
            rest = lines.pop();
            for (const line of lines.filter(Boolean)) {
                const { state, run } = JSON.parse(line);
                window.measured.run = run;
                window.measured.states.push([state, performance.now() / 1e3]);
            }
            if (done) return;
        }
    })();
    return new Response(theirs, { status: response.status, headers: response.headers });
};
let last = 0;
requestAnimationFrame(function frame(now) {
    if (last) window.measured.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
});
"""
PATIENCE = 3 * 3_600_000  # milliseconds: a long text takes its time to be read
MAIN = "CrRendererMain"


class Gesture(NamedTuple):
    """What one gesture cost."""

    frames: list[float]  # milliseconds from one to the next
    longest_task: float  # milliseconds by the clock
    longest_work: float  # milliseconds of processor time
    tiles: int
    tile_bytes: int
    refused: int


class OpenMap(NamedTuple):
    """A text that was read and is shown as a map."""

    page: Any
    answers: list[Any]
    run: str
    states: list[tuple[str, float]]  # every line of progress, with its time in seconds
    first_paint: float


def cores() -> tuple[set[int], set[int]]:
    """A core for the browser, and one for the server."""
    available = sorted(os.sched_getaffinity(0))
    return {available[0]}, {available[-1]}


@contextmanager
def open_map(address: str, model: str, text: str, core: set[int]) -> Iterator[OpenMap]:
    """The page with the map of a text that is only read."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, core)  # the browser is this process's child
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        os.sched_setaffinity(0, before)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.add_init_script(WATCH)
        answers: list[Any] = []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(f"{address}#learn")  # nothing is run yet
        first_paint = page.wait_for_function("() => measured.paint").json_value()
        page.evaluate(
            "([model, text]) => { sessionStorage.setItem('regard.text.bench', text);"
            " location.hash = `#map?model=${model}&tokens=0&stored=bench`; }",
            [quote(model), text],
        )
        shown = page.locator("figure[aria-busy=false] canvas[data-map]")
        problem = page.locator("main [data-state=failed]")
        shown.or_(problem).first.wait_for()
        if problem.count():
            raise RuntimeError(f"the page says: {problem.first.inner_text()}")
        page.locator(".said[data-busy=false]").wait_for()
        page.wait_for_timeout(1500)
        measured = page.evaluate("measured")
        yield OpenMap(page, answers, measured["run"], measured["states"], first_paint)
        browser.close()


def gesture(shown: OpenMap, seconds: float) -> Gesture:
    """Zoom and pan."""
    page, answers = shown.page, shown.answers
    page.evaluate("measured.tasks = []; measured.frames = []")
    answers.clear()
    events = trace(page, lambda: move(page, seconds))
    measured = page.evaluate("measured")
    tiles = [answer for answer in answers if "/tile" in answer.url]
    sent = sum(int(answer.headers.get("content-length", "0")) for answer in tiles)
    refused = sum(answer.status in (409, 429) for answer in answers)
    return Gesture(measured["frames"], max([0.0, *measured["tasks"]]), longest_work(events), len(tiles), sent, refused)


def trace(page: Any, work: Any) -> list[dict[str, Any]]:
    """What chromium says of its tasks meanwhile."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[bool] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    categories = ["toplevel", "disabled-by-default-devtools.timeline"]
    config = {"includedCategories": categories, "excludedCategories": ["*"]}
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    work()
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    session.detach()
    return events


def longest_work(events: list[dict[str, Any]]) -> float:
    """Milliseconds of processor time of the longest task on the page's thread."""
    names = {
        (event["pid"], event["tid"]): event["args"]["name"] for event in events if event.get("name") == "thread_name"
    }
    tasks = [
        event.get("tdur", 0) / 1e3
        for event in events
        if event.get("name") in ("RunTask", "ThreadControllerImpl::RunTask")
        and names.get((event["pid"], event["tid"])) == MAIN
    ]
    return max(tasks, default=float("nan"))


class Arrival(NamedTuple):
    """How long whoever arrives waits, a model being warm; milliseconds."""

    paint: list[float]
    picture: list[float]  # from navigation to the heads of the first sentence
    next_head: list[float]  # from a key to the links of another head


NEXT_HEAD = """() => new Promise(resolve => {
    const title = () => document.querySelector("figure[aria-busy=false] h2")?.textContent ?? "";
    const [before, began] = [title(), performance.now()];
    document.querySelector("main").dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
    requestAnimationFrame(function look() {
        if (title() && title() !== before) return resolve(performance.now() - began);
        requestAnimationFrame(look);
    });
})"""


def arrival(address: str, state: str, core: set[int], repeat: int = 5) -> Arrival:
    """Open the page anew, again and again, then walk through the heads."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, core)
    paints, pictures = [], []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        os.sched_setaffinity(0, before)
        for turn in range(repeat + 1):
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.set_default_timeout(60_000)
            page.add_init_script(WATCH)
            page.goto(f"{address}#heads?{state}")
            page.wait_for_function("() => document.querySelector('figure[aria-busy=false] canvas')")
            shown = page.evaluate("performance.now()")
            if turn:  # the first one finds a model that has just been loaded
                paints.append(page.evaluate("measured.paint"))
                pictures.append(shown)
            page.close()
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{address}#links?{state}&layer=encoder.0.self")
        page.locator("figure[aria-busy=false] svg path").first.wait_for(state="attached")
        page.wait_for_timeout(2500)
        heads = [page.evaluate(NEXT_HEAD) for _ in range(3)]
        browser.close()
    return Arrival(paints, pictures, heads)


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
