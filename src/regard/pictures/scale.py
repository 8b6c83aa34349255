"""One scale of colours, from dark blue to light yellow, on which equal steps of weight look equally large.

It is a straight line in OKLab (Björn Ottosson 2020), a space where distance is difference as seen.
Blue to yellow keeps its order for people who confuse red and green, and in print without colour.
"""

Colour = tuple[int, int, int]
Point = tuple[float, float, float]

LOW: Point = (0.25, -0.01, -0.09)  # lightness, green to red, blue to yellow
HIGH: Point = (0.95, -0.02, 0.11)


def colour(weight: float) -> Colour:
    """Red, green and blue, 0 to 255, of a weight from 0 to 1."""
    lightness, a, b = (low + weight * (high - low) for low, high in zip(LOW, HIGH, strict=True))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _encode(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _encode(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _encode(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _encode(light: float) -> int:
    """An amount of light, 0 to 1, as an sRGB byte."""
    light = min(max(light, 0.0), 1.0)
    return round(255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055))
