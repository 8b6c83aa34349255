import pytest

from regard.pictures.diagrams.colours import DIAGRAM_DARK, DIAGRAM_LIGHT, HUES, WIRES

THEMES = {"light": DIAGRAM_LIGHT, "dark": DIAGRAM_DARK}


def luminance(colour):
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """That of WCAG 2.1, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("kind", HUES)
def test_letters_can_be_read_on_every_box(kind, theme):
    fill = theme.shade(kind, theme.fill)
    assert contrast(theme.text, fill) >= 7
    assert contrast(theme.muted, fill) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_letters_and_arrows_can_be_seen_on_paper_and_in_frames(theme):
    for ground in (theme.paper, theme.panel):
        assert contrast(theme.muted, ground) >= 4.5
        for kind in WIRES.values():
            assert contrast(theme.shade(kind, theme.strong), ground) >= 3


def test_the_bar_of_a_kind_has_the_colour_of_its_boxes():
    assert set(WIRES.values()) <= set(HUES)
    variables = DIAGRAM_LIGHT.variables()
    assert {f"{kind.replace('_', '-')}-line" for kind in HUES} <= set(variables)
