"""A diagram as PNG, painted by Pillow with the fonts of this machine."""

from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import Any

from regard.errors import RegardError
from regard.pictures.diagrams.colours import DIAGRAM_DARK, DIAGRAM_LIGHT, WIRES, DiagramTheme
from regard.pictures.diagrams.diagram import Diagram
from regard.pictures.diagrams.scene import (
    MUTED,
    SIZES,
    HeadMark,
    LineMark,
    Mark,
    RectangleMark,
    SumMark,
    TextMark,
    compose,
)

ZOOM, FINER = 2, 2  # pixels for each pixel of the drawing, and how much finer it is painted before it is made smooth
LARGEST = 1 << 26  # pixels that a picture may have
PLAIN = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf", "segoeui.ttf")
BOLD = ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf", "Arial Bold.ttf", "segoeuib.ttf")
"""Where letters are looked for, in this order; last comes the font that Pillow brings."""


def png(diagram: Diagram, *, dark: bool = False) -> bytes:
    """Paint a diagram, on white or on near-black."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise RegardError(
            "a PNG needs Pillow: pip install 'regard[pictures]'; .svg and .html need nothing more"
        ) from None
    scene, theme = compose(diagram), DIAGRAM_DARK if dark else DIAGRAM_LIGHT
    size = (round(scene.width * ZOOM), round(scene.height * ZOOM))
    if size[0] * size[1] > LARGEST:
        raise RegardError(f"a PNG of {size[0]} x {size[1]} pixels is too large: .svg has no such limit")
    image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), theme.paper)
    brush = _Brush(ImageDraw.Draw(image), theme)
    for group in scene.groups:
        for mark in group.marks:
            brush.paint(mark)
    content = BytesIO()
    image.resize(size, Image.Resampling.LANCZOS).save(content, format="PNG")
    return content.getvalue()


class _Brush:
    def __init__(self, draw: Any, theme: DiagramTheme) -> None:
        self.draw, self.theme = draw, theme
        self.scale = ZOOM * FINER

    def paint(self, mark: Mark) -> None:
        if isinstance(mark, RectangleMark):
            self.rectangle(mark)
        elif isinstance(mark, LineMark):
            self.line(mark)
        elif isinstance(mark, HeadMark):
            kind = WIRES[mark.style]
            points = [(x * self.scale, y * self.scale) for x, y in mark.points]
            self.draw.polygon(points, fill=self.theme.shade(kind, self.theme.strong))
        elif isinstance(mark, SumMark):
            self.sum(mark)
        else:
            self.text(mark)

    def rectangle(self, mark: RectangleMark) -> None:
        s, theme = self.scale, self.theme
        box = (mark.x * s, mark.y * s, (mark.x + mark.width) * s, (mark.y + mark.height) * s)
        first, _, kind = mark.style.partition(" ")
        if first == "frame":
            fill, line = theme.panel, theme.frame
        elif first == "bar":
            fill = line = theme.shade(kind, theme.line)
        else:
            fill, line = theme.shade(first, theme.fill), theme.shade(first, theme.line)
        radius = min(mark.radius, mark.width / 2, mark.height / 2) * s
        self.draw.rounded_rectangle(box, radius, fill=fill, outline=line, width=s)

    def line(self, mark: LineMark) -> None:
        s, colour = self.scale, self.theme.shade(WIRES[mark.style], self.theme.strong)
        points = [(x * s, y * s) for x, y in mark.points]
        if not mark.is_dashed:
            self.draw.line(points, fill=colour, width=round(1.4 * s), joint="curve")
            return
        for (x, y), (right, bottom) in pairwise(points):
            steps = max(1, int(max(abs(right - x), abs(bottom - y)) / (5.5 * s)))
            for step in range(steps):
                at = (x + (right - x) * step / steps, y + (bottom - y) * step / steps)
                self.draw.ellipse((at[0] - s, at[1] - s, at[0] + s, at[1] + s), fill=colour)

    def sum(self, mark: SumMark) -> None:
        s, theme = self.scale, self.theme
        x, y, r = mark.x * s, mark.y * s, mark.radius * s
        self.draw.ellipse(
            (x - r, y - r, x + r, y + r),
            fill=theme.shade("plain", theme.fill),
            outline=theme.shade("plain", theme.line),
            width=s,
        )
        arm = r - 5 * s
        for ends in ((x - arm, y, x + arm, y), (x, y - arm, x, y + arm)):
            self.draw.line(ends, fill=theme.text, width=round(1.5 * s))

    def text(self, mark: TextMark) -> None:
        size, bold = SIZES[mark.role]
        colour = self.theme.muted if mark.role in MUTED else self.theme.text
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[mark.anchor]
        halo = {"stroke_width": 2 * self.scale, "stroke_fill": self.theme.panel} if mark.on_frame else {}
        place = (mark.x * self.scale, mark.y * self.scale)
        self.draw.text(place, mark.text, fill=colour, anchor=anchor, font=_font(size * self.scale, bold), **halo)


@cache
def _font(size: float, bold: bool) -> Any:
    from PIL import ImageFont

    for file in BOLD if bold else PLAIN:
        try:
            return ImageFont.truetype(file, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
