"""A diagram as one HTML file that opens offline: the drawing, and a table of its parts. There is no script in it."""

from base64 import b64encode
from hashlib import sha256
from posixpath import join
from xml.sax.saxutils import escape, quoteattr

from regard.pictures.diagrams.diagram import Diagram
from regard.pictures.diagrams.svg import paint, style
from regard.pictures.labels import visible

POLICY = "default-src 'none'; style-src {styles}; base-uri 'none'; form-action 'none'"
LOOKS = """
:root { color-scheme: light dark; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
svg { display: block; max-width: 100%; height: auto; margin: 0 auto 2rem; border-radius: 12px; }
table { border-collapse: collapse; margin: 0 auto; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem; text-align: left;
  border-bottom: 1px solid color-mix(in srgb, currentcolor 15%, transparent); }
td:nth-child(3) { text-align: right; }
@media (max-width: 30rem) { body { margin: .5rem auto; font-size: 13px; } th, td { padding: .3rem .4rem; } }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{looks}</style>
</head>
<body>
{drawing}<table>
<thead><tr><th>part</th><th>what</th><th>parameters</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""


def page(diagram: Diagram, *, links: str | None = None) -> str:
    """The whole page."""
    return PAGE.format(
        policy=POLICY.format(styles=" ".join(map(_hash, (LOOKS, style())))),
        title=escape(visible(diagram.title)),
        looks=LOOKS,
        drawing=paint(diagram, links=links),
        rows="\n".join(rows(diagram, links)),
    )


def rows(diagram: Diagram, links: str | None) -> list[str]:
    """A line for every box that says something."""
    lines = []
    for box in diagram.boxes.values():
        if box.form not in ("box", "slim"):
            continue
        title = escape(visible(box.title))
        if links is not None and box.source:
            title = f"<a href={quoteattr(join(links, box.source))}>{title}</a>"
        said = escape(visible(" · ".join([*box.lines, *([box.note] if box.note else [])])))
        number = f"{box.parameters:,}" if box.parameters else ""
        lines.append(f"<tr><td>{title}</td><td>{said}</td><td>{number}</td></tr>")
    return lines


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode()}'"
