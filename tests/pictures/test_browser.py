"""The one-file page in a browser: it shows what Python said, and nothing of what tokens say is run or fetched."""

import shutil

import pytest

from regard.pictures import Picture, save

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = [
    "</script><script>document.title='hit'</script>",
    "<img src=x onerror=\"document.title='hit'\">",
    "</title><svg onload=\"document.title='hit'\">",
    "\u202eevil",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page, and every request and complaint that it made."""
    path = tmp_path_factory.mktemp("page") / "map.html"
    grid = [[0.7, 0.1, 0.1, 0.1], [0.6, 0.25, 0.1, 0.05], [0.5, 0.2, 0.2, 0.1], [0.8, 0.1, 0.05, 0.05]]
    turned = [list(row) for row in zip(*grid, strict=True)]
    notes = [[f"{token}{row}" for token in HOSTILE] for row in range(4)]
    save(
        [
            Picture(grid, HOSTILE, HOSTILE, HOSTILE[0], "head 0", notes=notes),
            Picture(turned, HOSTILE, HOSTILE, HOSTILE[0], "head 1"),
        ],
        path,
    )
    with sync_api.sync_playwright() as browsers:
        try:
            browser = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except sync_api.Error as problem:
            pytest.skip(f"no browser to open a page in: {str(problem).splitlines()[0]}")
        opened = browser.new_page()
        heard = []
        opened.on("request", lambda request: heard.append(request.url))
        opened.on("console", lambda message: heard.append(message.text))
        opened.on("pageerror", lambda error: heard.append(str(error)))
        opened.on("dialog", lambda dialog: heard.append(dialog.message))
        opened.goto(path.as_uri())
        yield opened, heard, path
        browser.close()


def pointed(opened, row, column):
    """What the page says about a cell."""
    box = opened.locator("#frame canvas").bounding_box()
    opened.mouse.move(box["x"] + box["width"] * (column + 0.5) / 4, box["y"] + box["height"] * (row + 0.5) / 4)
    return opened.inner_text("#pointed")


def test_nothing_runs_and_nothing_is_fetched(page):
    opened, heard, path = page
    assert heard == [path.as_uri()]
    assert opened.title() != "hit"
    assert opened.locator("img").count() == 0
    assert opened.locator("script").count() == 2


def test_the_exact_weight_of_the_head_chosen_is_under_the_pointer_and_the_arrow_keys(page):
    opened, _, _ = page
    assert pointed(opened, 1, 1) == f"{HOSTILE[1]} → {HOSTILE[1]}: 0.25 {HOSTILE[1]}1"
    opened.select_option("select >> nth=0", "head 1")
    assert pointed(opened, 0, 3).endswith(f"{HOSTILE[0]} → \\u202eevil: 0.8")
    opened.locator("#frame canvas").focus()
    opened.keyboard.press("ArrowLeft")
    assert opened.inner_text("#pointed").endswith(": 0.5")


def test_a_click_takes_the_sink_out_and_the_legend_says_so(page):
    opened, _, _ = page
    opened.select_option("select >> nth=0", "head 0")
    opened.select_option("select >> nth=1", "sink")
    assert "without the sink" in opened.inner_text("#legend")
    assert "(65%)" in opened.inner_text("#legend")
