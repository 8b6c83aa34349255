"""A translation that is written before one's eyes: words above, words below, ribbons between them; GIF or APNG."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from regard.errors import RegardError
from regard.pictures.colours import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font = FreeTypeFont | ImageFont

AnimationKind = Literal["gif", "apng"]
SIZE = (1200, 400)
MARGIN = 48
FINE = 2  # pixels drawn for each one that is kept, so that edges are smooth
LARGEST, SMALLEST = 34, 13  # pixels of a letter
GAP = 0.7  # of a letter's size, between words
LEAST = 0.12  # of a weight that is drawn, as on the page
FRAME, LAST = 350, 2400  # milliseconds
FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf", "NotoSansCJK-Regular.ttc")


@dataclass(frozen=True)
class WrittenText:
    """Words that were read, words that were written, and how much each written one (rows) took from each read one."""

    source: Sequence[str]
    target: Sequence[str]
    weights: Sequence[Sequence[float]]
    title: str = ""
    footer: str = ""


def animation(text: WrittenText, kind: AnimationKind = "gif", *, dark: bool = False) -> bytes:
    """One frame for each word that is written, and one before them."""
    try:
        from PIL import Image  # noqa: F401
    except ImportError:
        raise RegardError("an animation needs Pillow: pip install 'regard[pictures]'") from None
    theme = DARK if dark else LIGHT
    size = letter_size(text)
    frames = [painted(text, count, size, theme) for count in range(len(text.target) + 1)]
    if kind == "gif":
        frames = [frame.quantize(128) for frame in frames]
    durations = [FRAME] * len(text.target) + [LAST]
    content = BytesIO()
    options = {"save_all": True, "append_images": frames[1:], "duration": durations, "loop": 0}
    frames[0].save(content, format={"gif": "GIF", "apng": "PNG"}[kind], **options)
    return content.getvalue()


def letter_size(text: WrittenText) -> int:
    """The largest letters with which both lines fit."""
    room = SIZE[0] - 2 * MARGIN
    for size in range(LARGEST, SMALLEST - 1, -1):
        if all(line_width(words, size) <= room for words in (text.source, text.target)):
            return size
    raise RegardError(f"an animation has room for lines of about {round(room / (0.6 * SMALLEST))} letters; shorten it")


def font(size: int) -> "Font":
    from PIL import ImageFont

    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def line_width(words: Sequence[str], size: int) -> float:
    letters = font(size)
    return sum(letters.getlength(word) for word in words) + GAP * size * max(0, len(words) - 1)


def places(words: Sequence[str], size: int) -> list[tuple[float, float]]:
    """Left edge and width of each word; the line stands in the middle."""
    letters, left = font(size), (SIZE[0] - line_width(words, size)) / 2
    placed = []
    for word in words:
        width = letters.getlength(word)
        placed.append((left, width))
        left += width + GAP * size
    return placed


def painted(text: WrittenText, count: int, size: int, theme: Theme) -> "Image":
    """The picture after `count` words."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (SIZE[0] * FINE, SIZE[1] * FINE), theme.colour(0))
    paint = ImageDraw.Draw(image)
    above, below = (places(words, size) for words in (text.source, text.target))
    top, bottom = 130, 280
    ribbons = [
        (weight, *above[column], *below[row])
        for row, line in enumerate(text.weights[:count])
        for column, weight in enumerate(line[: len(above)])
        if weight >= LEAST
    ]
    for weight, left, width, end, end_width in sorted(ribbons):
        points = ribbon(left + width / 2, top + 12, end + end_width / 2, bottom - size - 8)
        line = round((1 + 9 * weight) * FINE)
        paint.line(
            [(x * FINE, y * FINE) for x, y in points],
            fill=theme.colour(0.25 + 0.55 * weight),
            width=line,
            joint="curve",
        )
    letters = font(size * FINE)
    for word, (left, _) in zip(text.source, above, strict=True):
        paint.text((left * FINE, top * FINE), word, font=letters, fill=theme.text, anchor="ls")
    for index, (word, (left, _)) in enumerate(zip(text.target[:count], below, strict=False)):
        fill = theme.colour(1) if index == count - 1 else theme.text
        paint.text((left * FINE, bottom * FINE), word, font=letters, fill=fill, anchor="ls")
    small = font(17 * FINE)
    for line, y, fill in ((text.title, 48, theme.text), (text.footer, SIZE[1] - 28, theme.faint)):
        paint.text((MARGIN * FINE, y * FINE), line, font=small, fill=fill, anchor="ls")
    return image.resize(SIZE, Image.Resampling.LANCZOS)


def ribbon(x: float, y: float, end_x: float, end_y: float, steps: int = 24) -> list[tuple[float, float]]:
    """A curve that leaves one word downwards and comes to the other from above."""
    height = end_y - y
    points = []
    for step in range(steps + 1):
        t = step / steps
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        points.append(
            ((a + b) * x + (c + d) * end_x, a * y + b * (y + 0.6 * height) + c * (y + 0.4 * height) + d * end_y)
        )
    return points
