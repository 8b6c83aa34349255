"""Ten things that people come to the page for, done in a browser as a script: in how many steps and seconds. --help.

A step is one thing a hand does: a click, a tap, a key, a text that is typed. Each task ends with a check of what is
then in sight, so that a step too few is no success. The last two do the others again, with the keyboard alone and by
touch in a window of 400 pixels. Steps are the same on every machine; seconds are those of this one.
"""

import contextlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import click
from viewer_browser import ARGUMENTS

from viewer import folder_of, serving, text_of

Mode = Literal["mouse", "keys", "touch"]
SENTENCE = "The old man gave his daughter a red bicycle."
OTHER = "The old man gave his daughter a blue bicycle."
MOST_TABS = 160
PATIENCE = 600_000  # milliseconds


@dataclass
class Hand:
    """Somebody at a page, who counts."""

    page: Any
    mode: Mode
    steps: int = 0
    marks: list[str] = field(default_factory=list)

    def press(self, selector: str) -> None:
        """Click it, tap it, or walk to it by Tab and press Enter."""
        target = self.page.locator(selector).first
        target.wait_for()
        if self.mode == "keys":
            self.reach(selector)
            return self.key("Enter")
        self.steps += 1
        target.tap() if self.mode == "touch" else target.click()

    def reach(self, selector: str) -> None:
        """Tab until it has the focus; in a line of tokens the arrows go on."""
        matches = f"() => document.activeElement?.matches({json.dumps(selector)}) ?? false"
        for _ in range(MOST_TABS):
            if self.page.evaluate(matches):
                return
            line = "document.activeElement?.closest('[role=listbox]')"
            is_inside = self.page.evaluate(f"() => Boolean({line}?.querySelector({json.dumps(selector)}))")
            self.key("ArrowRight" if is_inside else "Tab")
            self.page.wait_for_timeout(20)
        raise RuntimeError(f"{selector} is not reached by {MOST_TABS} presses of Tab")

    def point(self, selector: str) -> None:
        """Hover, or whatever stands for it."""
        if self.mode == "keys":
            return self.reach(selector)
        if self.mode == "touch":
            return self.press(selector)
        self.steps += 1
        self.page.locator(selector).first.hover()

    def key(self, name: str) -> None:
        self.steps += 1
        self.page.keyboard.press(name)

    def view(self, digit: str, name: str) -> None:
        """Another view: by its key, or its tab."""
        if self.mode == "touch":
            return self.press(f"nav.views a:text-is('{name}')")
        if self.page.evaluate("() => document.activeElement?.matches('input, textarea, select') ?? false"):
            self.key("Escape")
        self.key(digit)

    def write(self, selector: str, text: str) -> None:
        """Go to a box, and type or paste."""
        if self.mode == "keys":
            self.reach(selector)
        else:
            self.press(selector)
        self.steps += 1
        self.page.locator(selector).first.fill(text)

    def choose(self, selector: str, option: str) -> None:
        if self.mode == "keys":
            self.reach(selector)
        self.steps += 1
        self.page.locator(selector).first.select_option(option)

    def settled(self) -> None:
        self.page.locator(".spine .token").first.wait_for()
        self.page.locator(".said[data-busy=false]").wait_for()


def word(hand: Hand, line: int, text: str) -> str:
    """The selector of a token of the spine."""
    found = hand.page.locator(f"[data-line='{line}'] [data-token]", has_text=re.compile(rf"^{text}$"))
    for _ in range(8):
        if found.count():
            break
        hand.steps += 1  # a swipe: of a long line only what is in sight is drawn
        hand.page.locator(f"[data-line='{line}'] .run").evaluate(
            "line => { line.scrollLeft += line.clientWidth * 0.7; }"
        )
        hand.page.wait_for_timeout(300)
    found = found.first
    found.wait_for()
    return f"[data-line='{line}'] [data-token='{found.get_attribute('data-token')}']"


def which_word(hand: Hand) -> None:
    hand.point(word(hand, 1, "Tochter"))
    strong = hand.page.locator("path.ribbon.strong")
    strong.first.wait_for(state="attached")
    ribbons = strong.evaluate_all("all => all.map(one => [Number(one.dataset.weight), one.dataset.ribbon])")
    source = max(ribbons)[1].split(",")[0]
    found = hand.page.locator(f"[data-line='0'] [data-token='{source}']").inner_text()
    assert found == "daughter", f"“Tochter” is said to come from “{found}”"


def previous_head(hand: Hand) -> None:
    hand.view("2", "Heads")
    hand.press("[data-role=previous]")
    hand.page.locator("main", has_text="previous").wait_for()


def switch_off(hand: Hand) -> None:
    """The head that was found, by its dot in the strip; then it is switched off where heads are."""
    dot = hand.page.locator(".head-dot[aria-label*=previous]").first.get_attribute("data-dot")
    hand.view("6", "Edit")
    hand.press(f"[data-switch='{dot}']")
    hand.settled()
    hand.page.locator("[data-before], [data-compared]").first.wait_for()


def compare_sentences(hand: Hand) -> None:
    hand.view("3", "Links")
    hand.choose("[aria-label='Compare with']", "text")
    hand.write("main input[aria-label='The other text']", OTHER)
    hand.key("Enter")
    hand.page.locator("main", has_text="blue").wait_for()


def hide_word(hand: Hand) -> None:
    hand.press(word(hand, 0, "red"))
    if hand.mode == "keys":
        hand.key("ArrowDown")
    hand.press("[data-act=hide]")
    hand.page.locator("[data-before]").wait_for()
    hand.settled()
    assert "rot" not in hand.page.locator("[data-line='1']").inner_text()


def explorable(hand: Hand) -> None:
    hand.view("2", "Heads")
    hand.page.locator("main figure[aria-busy=false]").first.wait_for()
    hand.press("[aria-label='Save the picture']")
    with hand.page.expect_download() as download:
        hand.press(".top [data-take=explore]")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.html"
        download.value.save_as(path)
        hand.steps += 1  # it is opened
        other = hand.page.context.new_page()
        other.goto(path.as_uri())
        other.locator("main figure[aria-busy=false]").first.wait_for()
        assert "half precision" in other.locator(".top").inner_text()
        other.close()


def send_link(hand: Hand) -> None:
    hand.press("[aria-label='Copy a link to what you see']")
    hand.page.locator(".toast").wait_for()
    address = hand.page.evaluate("() => navigator.clipboard.readText()")
    hand.steps += 1  # the other opens it
    other = hand.page.context.new_page()
    other.goto(address)
    other.locator(".spine .token").first.wait_for()
    assert other.locator("main").get_attribute("data-view") == hand.page.locator("main").get_attribute("data-view")
    other.close()


TASKS: dict[str, Callable[[Hand], None]] = {
    "which English word made this German word": which_word,
    "find the head that looks at the previous word": previous_head,
    "switch it off and see": switch_off,
    "compare two sentences": compare_sentences,
    "hide a word": hide_word,
    "save an explorable file and open it": explorable,
    "send a link": send_link,
}


@dataclass(frozen=True)
class Timed:
    task: str
    steps: int
    seconds: float
    problem: str = ""


def timed(task: str, hand: Hand, do: Callable[[Hand], None]) -> Timed:
    hand.steps, began, problem = 0, time.perf_counter(), ""
    try:
        do(hand)
    except Exception as error:  # a task that fails is told, and the others go on
        problem = (str(error) or type(error).__name__).splitlines()[0]
    return Timed(task, hand.steps, time.perf_counter() - began, problem)


def arrived(browser: Any, base: str, mode: Mode, model: str) -> Hand:
    """A fresh page that has come to rest, as whoever arrives meets it."""
    size = {"width": 400, "height": 850} if mode == "touch" else {"width": 1440, "height": 900}
    context = browser.new_context(viewport=size, has_touch=mode == "touch", accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{base}#text?model={model}&text={SENTENCE}" if model else base)
    hand = Hand(page, mode)
    hand.settled()
    page.wait_for_timeout(2500)  # the words are written
    return hand


def seven(browser: Any, base: str, mode: Mode, say: Callable[[str], None]) -> list[Timed]:
    """The short tasks; the second is carried on by the third."""
    results, hand = [], None
    for name, task in TASKS.items():
        if hand is None or name != "switch it off and see":
            if hand is not None:
                hand.page.context.close()
            hand = arrived(browser, base, mode, "en-de")
        results.append(timed(name, hand, task))
        say(f"{mode}: {name}: {results[-1].steps} steps, {results[-1].seconds:.1f} s {results[-1].problem}")
    assert hand is not None
    hand.page.context.close()
    return results


def long_paste(browser: Any, words: int) -> Timed:
    """Paste a long text, find a late word, read what it looks at."""
    import viewer

    with tempfile.TemporaryDirectory(prefix="regard-tasks-") as scratch:
        viewer.WIDTH, viewer.HEADS, viewer.LAYERS = 64, 2, 2
        folder = folder_of(words + 64, Path(scratch) / "decoder")  # room to write
        text = text_of(words)
        late = text.split()[int(0.97 * words)]
        with serving(folder) as server:
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(f"http://{server.netloc}/#map?model=decoder")
            page.get_by_role("button", name="Run").wait_for()
            hand = Hand(page, "mouse")

            def paste(hand: Hand) -> None:
                hand.write(".top textarea", text)
                hand.key("Enter")
                problem = hand.page.locator("main [data-state=failed]")
                hand.page.locator("main figure[aria-busy=false]").or_(problem).first.wait_for()
                hand.write("[aria-label='Find a token on the map']", late)
                hand.key("Enter")
                hand.page.locator(".said", has_text="looks at:").wait_for()

            result = timed(f"paste {words:,} words and find what a late word looks at", hand, paste)
            context.close()
    return result


@click.command()
@click.option("--words", default=30_000, show_default=True, help="Of the long text.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the numbers here, too.")
def main(words: int, file: Path | None) -> None:
    """Do ten tasks on this machine."""
    from playwright.sync_api import sync_playwright

    import regard

    folder = Path(regard.load("en-de").checkpoint.folder)
    path = shutil.which("chromium") or shutil.which("google-chrome")
    results: list[Timed] = []
    with sync_playwright() as started, serving(folder) as server:
        browser = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        base = f"http://{server.netloc}/"
        results += seven(browser, base, "mouse", click.echo)
        results.insert(5, long_paste(browser, words))
        click.echo(f"{results[5].task}: {results[5].steps} steps, {results[5].seconds:.1f} s {results[5].problem}")
        for mode, name in (("keys", "all that with the keyboard"), ("touch", "all that at 400 pixels, by touch")):
            each = seven(browser, base, mode, click.echo)  # type: ignore[arg-type]
            problems = "; ".join(f"{task.task}: {task.problem}" for task in each if task.problem)
            results.append(Timed(name, sum(task.steps for task in each), sum(task.seconds for task in each), problems))
        with contextlib.suppress(Exception):
            browser.close()
    click.echo(f"\n{'task':<62} steps  seconds")
    for number, result in enumerate(results, 1):
        mark = f"  FAILED: {result.problem}" if result.problem else ""
        click.echo(f"{number:>2}. {result.task:<58} {result.steps:>5}  {result.seconds:>7.1f}{mark}")
    if file:
        file.write_text(json.dumps([vars(result) for result in results], indent=1), encoding="utf-8")
    if any(result.problem for result in results):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
