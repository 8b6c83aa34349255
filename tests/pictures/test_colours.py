from itertools import pairwise

import pytest

from regard.pictures.colours import DARK, LIGHT, srgb

# Machado et al. 2009, severity 1: linear light as people without one kind of cone see it.
BLIND = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(rgb):
    return [byte / 255 / 12.92 if byte <= 10 else ((byte / 255 + 0.055) / 1.055) ** 2.4 for byte in rgb]


def lab(light):
    """CIE L*a*b* of linear light, D65: another model of what is seen than the one the scales are made with."""
    red, green, blue = light
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (max(part, 0) ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def lightness(rgb):
    return lab(linear(rgb))[0]


SCALES = [(theme, sign) for theme in (LIGHT, DARK) for sign in (1, -1)]


@pytest.mark.parametrize(("theme", "sign"), SCALES)
def test_more_is_always_farther_from_paper(theme, sign):
    shades = [lightness(theme.colour(sign * step / 20)) for step in range(21)]
    steps = [later - earlier for earlier, later in pairwise(shades)]
    assert all(step < 0 for step in steps) if theme is LIGHT else all(step > 0 for step in steps)


@pytest.mark.parametrize(("theme", "sign"), SCALES)
def test_equal_steps_look_equally_large(theme, sign):
    shades = [lightness(theme.colour(sign * step / 10)) for step in range(11)]
    steps = [abs(later - earlier) for earlier, later in pairwise(shades)]
    assert max(steps) < 1.35 * min(steps)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_two_sides_of_zero_are_equally_strong(theme):
    for step in range(1, 11):
        plus, minus = lightness(theme.colour(step / 10)), lightness(theme.colour(-step / 10))
        assert abs(plus - minus) < 0.2 * abs(plus - lightness(theme.colour(0))) + 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("kind", BLIND)
def test_more_and_less_are_told_apart_without_one_kind_of_cone(theme, kind):
    def seen(share):
        light = linear(theme.colour(share))
        return lab([sum(part * one for part, one in zip(row, light, strict=True)) for row in BLIND[kind]])

    plus, minus = seen(1), seen(-1)
    # A distance of 2.3 can just be noticed (Mahy et al. 1994).
    assert sum((one - other) ** 2 for one, other in zip(plus, minus, strict=True)) ** 0.5 > 10


def test_light_is_white_to_deep_blue_and_dark_near_black_to_pale_yellow():
    assert LIGHT.colour(0) == (255, 255, 255)
    red, green, blue = LIGHT.colour(1)
    assert max(red, green) < blue < 128
    assert max(DARK.colour(0)) < 40
    red, green, blue = DARK.colour(1)
    assert min(red, green) > 200 > blue


def test_white_and_black_are_where_oklab_has_them():
    assert srgb(0, 0, 0) == (0, 0, 0)
    assert srgb(1, 0, 0) == (255, 255, 255)
    # The colours of Ottosson's own page: OKLab of pure red is (0.628, 0.225, 0.126).
    assert srgb(0.62796, 0.22486, 0.12585) == (255, 0, 0)


def test_beyond_the_ends_is_the_end():
    assert LIGHT.colour(7) == LIGHT.colour(1)
    assert LIGHT.colour(-7) == LIGHT.colour(-1)
