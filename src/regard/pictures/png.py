"""Pictures as PNG, painted by Pillow: letters need fonts, and Pillow finds those of the system and brings one."""

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from regard.errors import RegardError
from regard.pictures.colours import DARK, LIGHT, Theme
from regard.pictures.labels import Run
from regard.pictures.picture import Album
from regard.pictures.sheet import STEPS, Letters, Sheet, lay_out

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font = FreeTypeFont | ImageFont
    Piece = tuple[str, Font, bool]

ZOOM = 2  # pixels for each pixel of the drawing, so that letters are crisp
LARGEST = 1 << 28  # pixels that a picture may have
FONTS = (
    *("DejaVuSansMono.ttf", "NotoSansMono-Regular.ttf", "LiberationMono-Regular.ttf", "Menlo.ttc", "consola.ttf"),
    *("NotoSansMonoCJK-Regular.ttc", "NotoSansCJK-Regular.ttc", "DejaVuSans.ttf", "Arial Unicode.ttf", "seguisym.ttf"),
)
"""Where letters are looked for, in this order; last comes the font that Pillow brings."""


def png(album: Album, *, dark: bool = False) -> bytes:
    """Paint an album, on white or on near-black."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise RegardError(
            "a PNG needs Pillow: pip install 'regard[pictures]'; .svg and .html need nothing more"
        ) from None
    sheet, theme = lay_out(album), DARK if dark else LIGHT
    size = (round(sheet.width * ZOOM), round(sheet.height * ZOOM))
    if size[0] * size[1] > LARGEST:
        raise RegardError(f"a PNG of {size[0]} x {size[1]} pixels is too large: fewer pictures, or .html")
    image = Image.new("RGB", size, theme.colour(0))
    paint = ImageDraw.Draw(image)
    _grids(sheet, paint, theme)
    for letters in sheet.letters:
        _letters(letters, image, paint, theme)
    content = BytesIO()
    image.save(content, format="PNG")
    return content.getvalue()


def _grids(sheet: Sheet, paint: "ImageDraw", theme: Theme) -> None:
    shades = {step: theme.colour(step / STEPS) for step in range(-STEPS, STEPS + 1)}

    def fill(x: float, y: float, width: float, height: float, step: int) -> None:
        left, top, right, bottom = (round(ZOOM * edge) for edge in (x, y, x + width, y + height))
        paint.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), fill=shades[step])

    for patch in sheet.patches:
        for i, steps in enumerate(patch.steps):
            for j, step in enumerate(steps):
                if step:
                    fill(patch.x + patch.cell * j, patch.y + patch.cell * i, patch.cell, patch.cell, step)
    for swatch in sheet.swatches:
        fill(*swatch)
    for x, y, width, height in sheet.frames:
        paint.rectangle([round(ZOOM * edge) for edge in (x, y, x + width, y + height)], outline=theme.frame)


def _letters(letters: Letters, image: "Image", paint: "ImageDraw", theme: Theme) -> None:
    """Text, letter by letter, each from the first font that has it."""
    from PIL import Image, ImageDraw

    placed = [(part, font, is_faint) for run in letters.runs for part, font, is_faint in _fonts(run)]
    width = sum(font.getlength(part) for part, font, _ in placed)
    x, y = letters.x * ZOOM, letters.y * ZOOM
    if letters.turned:
        line = 20 * ZOOM
        strip = Image.new("RGB", (max(1, round(width) + 2), line), theme.colour(0))
        _write(ImageDraw.Draw(strip), placed, 0, 15 * ZOOM, theme)
        image.paste(strip.rotate(90, expand=True), (round(x) - 15 * ZOOM, round(y) - strip.width))
        return
    _write(paint, placed, x - (width if letters.anchor == "end" else 0), y, theme)


def _write(paint: "ImageDraw", placed: "list[Piece]", x: float, y: float, theme: Theme) -> None:
    for part, font, is_faint in placed:
        paint.text((x, y), part, font=font, fill=theme.faint if is_faint else theme.text, anchor="ls")
        x += font.getlength(part)


def _fonts(run: Run) -> "list[Piece]":
    """The letters of a run, those in a row that one font has together; one that no font has is written as its code."""
    text, is_faint = run
    pieces: list[Piece] = []
    for letter in text:
        font = next((number for number in range(len(_available())) if _has(number, letter)), None)
        part, chosen = (letter, _available()[font]) if font is not None else (f"\\u{ord(letter):04x}", _available()[0])
        if pieces and pieces[-1][1] is chosen:
            pieces[-1] = (pieces[-1][0] + part, chosen, is_faint)
        else:
            pieces.append((part, chosen, is_faint))
    return pieces


@cache
def _available() -> "list[Font]":
    """The fonts of this machine, letter by letter without ligatures, so that every token is seen as it is spelled."""
    from PIL import ImageFont

    fonts = []
    for file in FONTS:
        try:
            fonts.append(ImageFont.truetype(file, 12 * ZOOM, layout_engine=ImageFont.Layout.BASIC))
        except OSError:
            continue
    return [*fonts, ImageFont.load_default(12 * ZOOM)]


@cache
def _has(font: int, letter: str) -> bool:
    """Whether a font can draw a letter: it is not the box that stands for what is missing."""
    from unicodedata import category

    if category(letter).startswith("Z"):
        return True
    masks: list[Any] = [_available()[font].getmask(one) for one in (letter, "\U0010ffff")]  # bytes, in Pillow's C
    mask, missing = masks
    return mask.size != missing.size or bytes(mask) != bytes(missing)
