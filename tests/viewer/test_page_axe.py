"""Nobody is left out: axe-core finds nothing to object to, in any view, theme and width."""

from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "viewer" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = ("text", "heads", "links", "map", "pair", "edit", "inside", "learn")
LOOKS = ("importance", "rollout", "lens", "models")
PAGES = {
    **{view: f"{view}?pin=b1" for view in VIEWS},
    **{look: f"inside?look={look}" for look in LOOKS},
    **{f"{view} compared": f"{view}?compare=head:encoder.0.self:1" for view in ("heads", "map")},
    "edited": 'text?edits=[{"do":"scale","layer":"encoder.0.self","heads":[0],"factor":0}]',
}
TEXT = "where is the dog"


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        pytest.skip("no axe-core in viewer/node_modules: run npm ci in viewer/")
    return AXE.read_text(encoding="utf-8")


def violations(page, axe: str) -> list[tuple[str, str]]:
    page.locator("[data-topic], figure[aria-busy=false], main .card").first.wait_for()
    if page.locator(".spine").count():
        page.locator(".said[data-busy=false]").wait_for()
    page.wait_for_function("() => document.getAnimations().every(one => one.playState !== 'running')")
    page.evaluate(axe)
    objections = page.evaluate("() => axe.run()")["violations"]
    return [(entry["id"], entry["nodes"][0]["html"][:200]) for entry in objections]


def test_a_view_with_an_edit_and_an_open_word_is_for_everybody(visit, axe):
    page = visit.open("heads", text=TEXT, compare="head:encoder.0.self:1")
    page.locator("[data-line='0'] [data-token='1']").click()
    page.locator("[data-act=hide]").click()
    page.locator("[data-before]").wait_for()
    visit.settled()
    page.locator("[data-line='1'] [data-token='1']").click()
    page.locator(".word-menu").wait_for()
    assert violations(page, axe) == []


@pytest.mark.proof
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1024, 1440])
def test_every_view_is_for_everybody(site, axe, width, theme):
    context = site.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    objections = {}
    for name, path in PAGES.items():
        page.goto("about:blank")
        page.goto(f"{site.base}#{path}&text={TEXT}")
        objections[name] = violations(page, axe)
    context.close()
    assert objections == {name: [] for name in PAGES}
