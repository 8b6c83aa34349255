"""Colours from paper to ink, on which equal steps of a number look equally large.

Each scale is a straight line in OKLab (Björn Ottosson 2020), a space where distance is difference as seen. Lightness
alone tells the order, so that it survives print without colour and people who confuse red and green; the two arms of a
difference are blue and orange, or yellow and blue, which such people tell apart.
"""

from dataclasses import dataclass

Colour = tuple[int, int, int]
Point = tuple[float, float, float]
"""Lightness, green to red, blue to yellow."""


@dataclass(frozen=True)
class Theme:
    """What a picture is painted with: from `paper` (0) to `ink` (1), and to `other` (-1) where there are signs."""

    paper: Point
    ink: Point
    other: Point
    text: Colour
    faint: Colour
    frame: Colour

    def colour(self, share: float) -> Colour:
        """Red, green and blue, 0 to 255, of a share from -1 to 1."""
        end = self.ink if share >= 0 else self.other
        return srgb(
            *(start + min(abs(share), 1.0) * (stop - start) for start, stop in zip(self.paper, end, strict=True))
        )


LIGHT = Theme(
    paper=(1.0, 0.0, 0.0),
    ink=(0.32, -0.02, -0.115),
    other=(0.38, 0.09, 0.075),
    text=(26, 26, 26),
    faint=(150, 150, 150),
    frame=(184, 184, 184),
)
DARK = Theme(
    paper=(0.2, 0.0, -0.01),
    ink=(0.95, -0.02, 0.11),
    other=(0.82, -0.05, -0.095),
    text=(230, 230, 230),
    faint=(120, 124, 130),
    frame=(85, 85, 85),
)


def srgb(lightness: float, a: float, b: float) -> Colour:
    """A point of OKLab as bytes of red, green and blue."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _encode(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _encode(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _encode(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def hexadecimal(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _encode(light: float) -> int:
    """An amount of light, 0 to 1, as an sRGB byte."""
    light = min(max(light, 0.0), 1.0)
    return round(255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055))
