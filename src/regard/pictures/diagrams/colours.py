"""The colours of a diagram: one hue for each kind of box, equally light and equally strong, on both kinds of page."""

from dataclasses import dataclass
from math import cos, pi, sin

from regard.pictures.colours import DARK, LIGHT, Colour, hexadecimal, srgb

HUES: dict[str, float | None] = {
    "attention": 255.0,
    "feed_forward": 62.0,
    "embedding": 312.0,
    "position": 168.0,
    "norm": 98.0,
    "output": 195.0,
    "memory": 10.0,
    "cell": 132.0,
    "plain": None,
}
"""The direction in which each kind of box lies on the colour wheel, in degrees; None: grey."""
WIRES = {"stream": "plain", "residual": "plain", "cross": "attention", "tied": "embedding", "memory": "memory"}
"""What kind of box an arrow has the colour of."""


@dataclass(frozen=True)
class DiagramTheme:
    """The colours on one kind of page."""

    paper: Colour
    text: Colour
    muted: Colour
    frame: Colour
    panel: Colour
    fill: tuple[float, float]
    line: tuple[float, float]
    strong: tuple[float, float]

    def shade(self, kind: str, level: tuple[float, float]) -> Colour:
        """A colour of so much lightness and so much strength."""
        lightness, strength = level
        hue = HUES[kind]
        strength = 0.0 if hue is None else strength
        angle = (hue or 0.0) * pi / 180
        return srgb(lightness, strength * cos(angle), strength * sin(angle))

    def variables(self) -> dict[str, str]:
        """All of them, as CSS has them."""
        named = {
            "paper": self.paper,
            "text": self.text,
            "muted": self.muted,
            "frame": self.frame,
            "panel": self.panel,
        }
        for kind in HUES:
            name = kind.replace("_", "-")
            named[f"{name}-fill"] = self.shade(kind, self.fill)
            named[f"{name}-line"] = self.shade(kind, self.line)
            named[f"{name}-strong"] = self.shade(kind, self.strong)
        return {name: hexadecimal(colour) for name, colour in named.items()}


DIAGRAM_LIGHT = DiagramTheme(
    paper=LIGHT.colour(0),
    text=(24, 27, 33),
    muted=(88, 94, 105),
    frame=(206, 210, 217),
    panel=(248, 249, 251),
    fill=(0.945, 0.034),
    line=(0.76, 0.09),
    strong=(0.6, 0.13),
)
DIAGRAM_DARK = DiagramTheme(
    paper=DARK.colour(0),
    text=(233, 235, 239),
    muted=(163, 170, 181),
    frame=(62, 68, 78),
    panel=(27, 31, 37),
    fill=(0.33, 0.045),
    line=(0.54, 0.08),
    strong=(0.72, 0.11),
)
