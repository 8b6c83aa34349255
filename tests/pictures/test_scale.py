from itertools import pairwise

from regard.pictures.scale import HIGH, LOW, colour


def lightness(rgb):
    """CIE L*, 0 to 100: another model of seen lightness than the one the scale is made with."""
    red, green, blue = (byte / 255 / 12.92 if byte <= 10 else ((byte / 255 + 0.055) / 1.055) ** 2.4 for byte in rgb)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 116 * light ** (1 / 3) - 16 if light > 0.008856 else 903.3 * light


def test_more_weight_is_always_lighter():
    shades = [lightness(colour(step / 20)) for step in range(21)]
    assert all(later > earlier for earlier, later in pairwise(shades))


def test_equal_steps_look_equally_large():
    shades = [lightness(colour(step / 10)) for step in range(11)]
    steps = [later - earlier for earlier, later in pairwise(shades)]
    assert max(steps) < 1.3 * min(steps)


def test_the_ends_are_dark_blue_and_light_yellow():
    red, green, blue = colour(0)
    assert max(red, green) < blue < 128
    red, green, blue = colour(1)
    assert min(red, green) > 200 > blue
    assert LOW[0] < HIGH[0]


def test_white_and_black_are_where_oklab_has_them(monkeypatch):
    monkeypatch.setattr("regard.pictures.scale.LOW", (0.0, 0.0, 0.0))
    monkeypatch.setattr("regard.pictures.scale.HIGH", (1.0, 0.0, 0.0))
    assert colour(0) == (0, 0, 0)
    assert colour(1) == (255, 255, 255)
