"""Pictures as one HTML file that opens offline: choose a layer, a head and a scale, point at a cell for its number.

Python computes every shade and every word; the script (page.js) only shows them. What tokens say travels as JSON in
which nothing can end the element that holds it, and is set as text. A policy names the one script and the styles that
may run by their hash, and forbids everything else, all connections included.
"""

import json
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from xml.sax.saxutils import escape

import numpy as np

from regard.pictures.colours import DARK, LIGHT, Theme, hexadecimal
from regard.pictures.labels import isolate, label, shorten, signs, visible
from regard.pictures.picture import Album, Picture
from regard.pictures.scales import SAYS, SCALES, WEIGHTS, Scale
from regard.pictures.sheet import STEPS, lay_out, steps_of
from regard.pictures.svg import paint, style

UNPAINTED = 255
WIDEST = 32  # letters of a label before it is cut

POLICY = "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>
{still}</noscript>
<script id="data" type="application/json">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(album: Album) -> str:
    """The whole page."""
    still = Album(album.pictures[:1])  # where scripts are off, the first picture stands still
    script, looks = (files("regard.pictures").joinpath(file).read_text("utf-8") for file in ("page.js", "page.css"))
    allowed = " ".join(map(_hash, (looks, style(lay_out(still)))))
    first = album.pictures[0]
    return PAGE.format(
        policy=POLICY.format(script=_hash(script), style=allowed),
        title=escape(visible(first.title or "attention")),
        style=looks,
        still=paint(still),
        data=_inside(payload(album)),
        script=script,
    )


def payload(album: Album) -> dict[str, object]:
    """What the script is given: colours, and for every picture its names, numbers and shades on every scale."""
    on = {
        name: Album([replace(picture, scale=SCALES[name]) for picture in album.pictures]).fit_scales().pictures
        for name in WEIGHTS
    }
    own = album.fit_scales().pictures
    panels = []
    for number, picture in enumerate(own):
        if picture.colours.name in WEIGHTS:
            views = {name: picture if name == picture.colours.name else on[name][number] for name in WEIGHTS}
        else:
            views = {picture.colours.name: picture}
        panels.append(_panel(picture, {name: view.colours for name, view in views.items()}))
    return {"steps": STEPS, "themes": {"light": _theme(LIGHT), "dark": _theme(DARK)}, "panels": panels}


def _panel(picture: Picture, scales: dict[str, Scale]) -> dict[str, object]:
    numbers = np.asarray(picture.table, dtype=np.float64)
    with np.errstate(over="ignore"):
        exact = numbers.astype("<f4")
    return {
        "title": visible(picture.title) or "picture",
        "part": visible(picture.part),
        "rows": [*map(_label, picture.names[0])],
        "columns": [*map(_label, picture.names[1])],
        "numbers": b64encode(exact.tobytes()).decode(),
        "scales": [_scale_steps(name, scale, picture) for name, scale in scales.items()],
        "chosen": picture.colours.name,
        "notes": picture.notes and [isolate(note) for row in picture.notes for note in row],
    }


def _scale_steps(name: str, scale: Scale, picture: Picture) -> dict[str, object]:
    """A scale as it is chosen, what its legend says, and the shade of every cell: -STEPS … STEPS moved up by STEPS."""
    steps = [
        UNPAINTED if step is None else step + STEPS for row in steps_of(scale.shares(picture.table)) for step in row
    ]
    return {
        "name": SAYS.get(name, name),
        "id": name,
        "ends": [f"{end:.4g}" for end in scale.ends],
        "note": visible(scale.note(picture.table, picture.columns)),
        "steps": b64encode(bytes(steps)).decode(),
    }


def _label(text: str) -> dict[str, object]:
    """A label in runs, cut where it is long, and whole for the line that says what is pointed at."""
    cut = shorten(text, WIDEST)
    named: dict[str, object] = {"runs": [[run, int(is_faint)] for run, is_faint in cut]}
    if cut != signs(text) or isolate(text) != label(text):
        named["whole"] = isolate(text)
    return named


def _theme(theme: Theme) -> dict[str, object]:
    return {
        "shades": [hexadecimal(theme.colour(step / STEPS)) for step in range(-STEPS, STEPS + 1)],
        "text": hexadecimal(theme.text),
        "faint": hexadecimal(theme.faint),
        "frame": hexadecimal(theme.frame),
    }


def _inside(data: object) -> str:
    """JSON in ASCII that holds no character with which an element could end or another begin."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode()}'"
