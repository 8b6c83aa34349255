"""Which heads may be read as an alignment; what they are when they are is in regard.text.align, and takes no torch."""

from collections.abc import Mapping

from regard.text.align.heads import AlignmentHead, AlignmentHeads

__all__ = ["AlignmentHead", "AlignmentHeads", "candidates"]


def candidates(heads: Mapping[str, int]) -> list[AlignmentHead]:
    """Every head of some layers that have so many, and the mean of each layer, read both ways."""
    return [
        AlignmentHead(layer, head, shifted)
        for layer, count in heads.items()
        for head in (*range(count), *([None] if count > 1 else []))
        for shifted in (False, True)
    ]
