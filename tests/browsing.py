"""A browser for tests of the page: a chromium that is installed, and `regard see` on a free port."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 30_000  # milliseconds
LATE = int(os.environ.get("LATE_ANSWERS", "0"))
"""Milliseconds by which all answers come later: a test that reads what is not there yet then fails every time."""
DELAY = (
    f"const own = fetch; window.fetch = async (...of) => (await new Promise(go => setTimeout(go, {LATE})), own(...of))"
)


@contextmanager
def serving(*folders: Path) -> Iterator[str]:
    """`regard see` with these models, as a program of its own; its address."""
    pytest.importorskip("uvicorn", reason="the server needs uvicorn")
    command = [sys.executable, "-m", "regard", "see", "--no-browser", "--json", "--port", str(free())]
    models = [word for folder in folders for word in ("--model", str(folder))]
    with subprocess.Popen([*command, *models], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.send_signal(signal.SIGINT)


def free() -> int:
    """A port where nobody listens."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser; without one the test is skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("neither chromium nor google-chrome is on PATH: the page is tested in one of them")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """One page that is open, and what went wrong on it."""

    page: Any
    base: str
    faults: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        if LATE:
            self.page.add_init_script(DELAY)
        self.page.on("pageerror", lambda problem: self.faults.append(str(problem)))
        self.page.on("console", self.heard)
        self.page.on("dialog", lambda opened: self.faults.append(f"dialog: {opened.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def heard(self, said: Any) -> None:
        """An error on the console; that something is not there yet, and is asked for again, is none.

        Neither is a sign for the tab of a document that is not ours.
        """
        late = re.search(r"status of (409|429)", said.text)
        if said.type == "error" and not late and not said.location["url"].endswith("favicon.ico"):
            self.faults.append(said.text)

    def open(self, view: str, *, wait: bool = True, **state: str) -> Any:
        """Go to a view by its address, and wait until its run is there."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.base}#{view}?{urlencode(state, quote_via=quote)}")
        if wait:
            self.settled()
        return self.page

    def settled(self) -> None:
        """The run that was asked for is shown, and none is under way."""
        self.page.locator(".spine .token").first.wait_for()
        self.page.locator(".said[data-busy=false]").wait_for()

    def table(self, name: str | re.Pattern[str] = re.compile("")) -> list[list[str]]:
        """The table behind a picture, opened if it is not, without its head, once it is of what the heading says."""
        figure = self.page.locator("figure").filter(has=self.page.get_by_role("heading", name=name)).first
        figure.and_(self.page.locator("[aria-busy=false]")).wait_for()
        if figure.locator("[data-table][aria-expanded=false]").count():
            figure.locator("[data-table]").click()
        figure.and_(self.page.locator("[aria-busy=false]")).locator("tbody tr").first.wait_for(state="attached")
        texts = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        return figure.locator("tbody tr").evaluate_all(texts)

    def taken(self, way: str) -> str:
        """What the page's own menu saves, as text."""
        self.page.locator("figure[aria-busy=false]").first.wait_for()
        self.page.get_by_role("button", name="Save the picture").click()
        with self.page.expect_download() as download:
            self.page.locator(f"[data-take={way}]").click()
        return Path(download.value.path()).read_text(encoding="utf-8")

    def holds(self, part: str) -> None:
        """Wait until the address says so."""
        self.page.wait_for_function("part => location.href.includes(part)", arg=part)
