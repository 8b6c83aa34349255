"""The same bundle in a cell of a notebook: it asks through the kernel, and touches nothing around its cell."""

import pytest

# A kernel as anywidget gives it to a cell, its requests passed on to the server.
CELL = """async run => {
  const widget = (await import("/widget.js")).default;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/page.css" }));
  const outside = document.body.appendChild(document.createElement("p"));
  outside.id = "outside";
  const heard = [];
  const kernel = {
    get: name => (name === "run" ? run : undefined),
    on: (event, listener) => heard.push(listener),
    send: async ({ id, method, path, body }) => {
      const response = await fetch(path, { method, body, headers: body ? { "Content-Type": "application/json" } : {} });
      const bytes = new DataView(await response.arrayBuffer());
      const type = response.headers.get("Content-Type");
      for (const listener of heard) listener({ id, status: response.status, type, more: false }, [bytes]);
    },
  };
  widget.render({ model: kernel, el: document.body.appendChild(document.createElement("div")) });
}"""


@pytest.fixture
def cell(visit):
    """A document that is not ours, with the widget in it."""

    def opened(run: str = ""):
        visit.page.goto(f"{visit.base}health")
        visit.page.evaluate(CELL, run)
        return visit.page

    return opened


def test_a_model_is_asked_through_the_kernel(visit, cell):
    page = cell()
    around = page.evaluate("() => [location.href, document.title, getComputedStyle(document.body).margin]")
    box = page.get_by_role("textbox", name="Text")
    box.fill("where is the station ?")
    box.press("Enter")
    visit.settled()
    page.locator("[data-line='1'] .token.written").nth(1).wait_for()
    page.get_by_text("Links", exact=True).click()
    page.locator(".link.strong").first.wait_for(state="attached")
    assert page.evaluate("() => [location.href, document.title, getComputedStyle(document.body).margin]") == around
    assert page.evaluate("() => document.documentElement.dataset.theme") is None
    assert page.get_by_role("button", name="Copy a link").count() == 0


def test_what_was_kept_is_shown_without_asking(visit, cell, site):
    page = visit.open("text", text="where is the station ?")
    asked = [url for url in visit.asked if "/api/runs/" in url]
    run = asked[-1].split("/api/runs/")[1].split("/")[0]
    page = cell(run)
    page.locator(".spine .token").first.wait_for()
    assert page.get_by_role("textbox", name="Text").count() == 0
    page.get_by_role("navigation", name="Views").wait_for()
    views = page.get_by_role("navigation", name="Views").get_by_role("link").all_text_contents()
    assert views == ["Text", "Heads", "Links", "Map", "Why"]
    page.get_by_text("Map", exact=True).click()
    assert visit.table()
