"""A page in a notebook where somebody has one; pictures everywhere else."""

from types import SimpleNamespace

import pytest

from regard.pictures import Album, Picture, notebook
from regard.pictures.notebook import Live, in_notebook, live

BUNDLE = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}


class Page:
    def _repr_mimebundle_(self, **wanted):
        return BUNDLE


@pytest.fixture
def drawn():
    """Draws an album, and counts how often."""

    def draw() -> Album:
        draw.count += 1
        return Album([Picture([[0.5, 0.5]], title="decoder.0.self")])

    draw.count = 0
    return draw


@pytest.fixture
def offered(monkeypatch):
    """Puts entry points in the place of those installed, and this process into a notebook."""

    def offer(*pages):
        entries = [SimpleNamespace(load=lambda page=page: page) for page in pages]
        monkeypatch.setattr(notebook, "entry_points", lambda group: entries if group == notebook.GROUP else [])
        monkeypatch.setattr(notebook, "in_notebook", lambda: True)

    return offer


def test_outside_of_a_notebook_nobody_is_asked_for_a_page(drawn, monkeypatch):
    monkeypatch.setattr(notebook, "entry_points", lambda group: pytest.fail("asked"))
    assert not in_notebook()
    found = live({}, 0, drawn)
    assert type(found) is Album


def test_a_page_is_displayed_and_nothing_drawn_until_a_picture_is_wanted(drawn, offered):
    asked = []
    offered(lambda looks, batch: asked.append((looks, batch)) or Page())
    large = SimpleNamespace(shape=(1, 8, 1000, 1000))
    looks = {"decoder.0.self": (large, ["a"], ["a", "b"])}
    found = live(looks, 3, drawn)
    assert asked == [(looks, 3)]
    assert isinstance(found, Live)
    assert found._repr_mimebundle_(include=None, exclude=None) == BUNDLE
    assert found._repr_html_() is None
    assert found._repr_svg_() is None
    assert drawn.count == 0
    assert found.pictures[0].title == "decoder.0.self"
    assert found.svg() == drawn().svg()
    assert drawn.count == 2  # once for the album, however often it is looked at


def test_the_first_who_has_a_page_shows_it_and_nobody_means_pictures(drawn, offered):
    offered(lambda looks, batch: None, lambda looks, batch: Page())
    assert isinstance(live({}, 0, drawn), Live)
    offered(lambda looks, batch: None)
    assert type(live({}, 0, drawn)) is Album


def test_ipython_displays_the_page_alone(drawn, offered):
    formatters = pytest.importorskip("IPython.core.formatters")
    offered(lambda looks, batch: Page())
    data, _ = formatters.DisplayFormatter().format(live({}, 0, drawn), exclude={"text/plain"})
    assert data == BUNDLE
    data, _ = formatters.DisplayFormatter().format(drawn(), exclude={"text/plain"})
    assert data.keys() == {"text/html", "image/svg+xml"}
