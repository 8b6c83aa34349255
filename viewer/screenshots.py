"""The pictures of docs/viewer.md, of a server that runs: `regard see`, then `python viewer/screenshots.py`.

`recording` is the short film of the README: a sentence is translated, a word is hidden, and its translation is gone.
`models` compares with a second translator, here a pruned one: `regard prune en-de --keep 0.8 --data pairs.tsv --out
runs/en-de-pruned`, then `regard see --model en-de --model runs/en-de-pruned --model shakespeare`.
`long` is a map of 131,072 tokens: it takes minutes, and is made only when it is named, with the text that is read:
`python viewer/screenshots.py http://127.0.0.1:4747/ long=input.txt.xz`.
"""

import shutil
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "viewer"
TEXT = {"model": "en-de", "text": "My little sister has found a red book in the garden."}
CROSS = {"layer": "decoder.1.cross"}
TOKENS, LETTERS = 131_072, 900_000  # of the long map
LONG = {"model": "shakespeare", "tokens": "200", "text": "To be, or not to be", "temperature": "0.8"}
# What is shown, in which view, with what state; what to click, what to point at; the width and the theme.
SHOTS: dict[str, dict[str, Any]] = {
    "text": {"view": "text", "state": TEXT},
    "hide": {"view": "text", "state": TEXT, "click": ["[data-line='0'] [data-token='6']", "[data-act=hide]"]},
    "heads": {"view": "heads", "state": TEXT | CROSS},
    "compare": {"view": "heads", "state": TEXT | {"layer": "encoder.1.self", "compare": "head:encoder.1.self:2"}},
    "links": {"view": "links", "state": TEXT | CROSS | {"heads": "0,1,2,3", "top": "2"}},
    "map": {"view": "map", "state": LONG | {"layer": "decoder.3.self", "head": "1"}, "theme": "dark"},
    "pair": {"view": "pair", "state": TEXT | CROSS | {"head": "1", "pin": "b12,a4"}},
    "edit": {"view": "edit", "state": TEXT, "click": ["[data-hide='0/6']"]},
    "inside": {"view": "inside", "state": TEXT | {"look": "lens"}},
    "models": {"view": "inside", "state": TEXT | CROSS | {"look": "models", "head": "1"}},
    "learn": {"view": "learn", "state": {"topic": "heads", "step": "4"}},
    "narrow": {"view": "text", "state": TEXT | {"pin": "b4"}, "width": 400, "theme": "dark"},
}


# Words are written by a clock; here each waits for its picture.
STEPPED = """
const own = window.setInterval;
window.setInterval = (act, wait) => (wait >= 40 && wait <= 130 ? ((window.step = act), 0) : own(act, wait));
"""


def main(base: str, names: list[str]) -> None:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, shot in SHOTS.items():
            if not names or name in names:
                taken(browser, base, name, shot)
        if not names or "recording" in names:
            record(browser, base)
        for name in names:
            if name.startswith("long="):
                long_map(browser, base, Path(name.removeprefix("long=")))
        browser.close()


def taken(browser: Any, base: str, name: str, shot: dict[str, Any]) -> None:
    """One picture, of a page that has come to rest."""
    window = {"width": shot.get("width", 1200), "height": 800}
    page = browser.new_page(viewport=window, color_scheme=shot.get("theme", "light"), reduced_motion="reduce")
    page.goto(f"{base}#{shot['view']}?{urlencode(shot['state'], quote_via=quote)}")
    page.locator("figure, .card").first.wait_for(timeout=90_000)
    page.locator(".said[data-busy=false]").wait_for(timeout=90_000)
    for selector in shot.get("click", ()):
        page.locator(selector).click()
    if "click" in shot:
        page.locator("[data-compared], [data-before]").first.wait_for(timeout=90_000)
        page.locator(".said[data-busy=false]").wait_for(timeout=90_000)
        page.evaluate("scrollTo(0, 0)")
    page.mouse.move(2, 500)
    page.wait_for_timeout(2500)
    page.screenshot(path=FOLDER / f"{name}.png")
    page.close()


def record(browser: Any, base: str) -> None:
    """What one sees in the first ten seconds, picture by picture: a slow machine shows the same."""
    from PIL import Image

    frames: list[Image.Image] = []
    durations: list[int] = []
    page = browser.new_page(viewport={"width": 1120, "height": 600})
    page.add_init_script(STEPPED)

    def keep(milliseconds: int) -> None:
        image = Image.open(BytesIO(page.screenshot())).convert("RGB")
        if frames and image.tobytes() == frames[-1].tobytes():
            durations[-1] += milliseconds
            return
        frames.append(image)
        durations.append(milliseconds)

    def write() -> None:
        """Word by word."""
        page.locator(".spine .token.unwritten").first.wait_for(timeout=90_000, state="attached")
        page.locator(".said[data-busy=false]").wait_for(timeout=90_000)
        page.mouse.move(2, 500)
        while page.locator(".token.unwritten").count():
            page.evaluate("step()")
            page.wait_for_timeout(400)
            keep(260)

    def point(selector: str, click: bool) -> None:
        page.locator(selector).first.click() if click else page.locator(selector).first.hover()
        page.wait_for_timeout(300)
        keep(1300)

    page.goto(f"{base}#text?{urlencode(TEXT, quote_via=quote)}")
    write()
    keep(1200)
    point("[data-line='1'] [data-token]:has-text('gefunden')", click=False)
    point("[data-line='0'] [data-token='6']", click=True)  # red
    point("[data-act=hide]", click=True)
    page.locator("[data-before]").wait_for(timeout=90_000)
    page.keyboard.press("Escape")
    write()
    page.wait_for_timeout(600)
    keep(3200)
    palette = [frame.quantize(96, dither=Image.Dither.NONE) for frame in frames]
    palette[0].save(
        FOLDER / "recording.gif", save_all=True, append_images=palette[1:], duration=durations, loop=0, optimize=True
    )
    page.close()


def long_map(browser: Any, base: str, path: Path) -> None:
    """As many tokens as the page takes, all weights of one head in one picture."""
    from regard.text import load_tokenizer
    from regard.text.lines import read_lines

    tokenizer = load_tokenizer(Path(__file__).parents[1] / "src/regard/builtin/shakespeare-long")
    letters = "".join(read_lines(path, ends=True))[:LETTERS]
    text = tokenizer.decode(tokenizer.encode(letters).ids[:TOKENS])
    page = browser.new_page(viewport={"width": 1200, "height": 1060}, color_scheme="dark", reduced_motion="reduce")
    page.set_default_timeout(3_600_000)
    page.goto(f"{base}#learn")
    page.evaluate("text => sessionStorage.setItem('regard.text.long', text)", text)
    state = {"model": "shakespeare-long", "tokens": "0", "stored": "long", "layer": "decoder.3.self", "head": "1"}
    page.evaluate("hash => { location.hash = hash; }", f"#map?{urlencode(state, quote_via=quote)}")
    page.locator("figure[aria-busy=false] canvas[data-map]").wait_for()
    page.locator(".said[data-busy=false]").wait_for()
    page.wait_for_timeout(5000)
    page.screenshot(path=FOLDER / "long.png")
    page.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4747/", sys.argv[2:])
