"""Boxes and arrows become drawings: SVG, PNG, one-file HTML, terminal; no model is known."""

from regard.pictures.diagrams.diagram import (
    BoxColumn,
    BoxFrame,
    BoxRow,
    Diagram,
    DiagramBox,
    DiagramPart,
    DiagramShare,
    DiagramWire,
)

__all__ = [
    "BoxColumn",
    "BoxFrame",
    "BoxRow",
    "Diagram",
    "DiagramBox",
    "DiagramPart",
    "DiagramShare",
    "DiagramWire",
]
