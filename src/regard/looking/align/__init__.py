"""Word alignments: from looks at a source to pairs of words, and how far they are from what people say."""

from regard.looking.align.choice import Choice, by_anchors, by_gold, by_links, choose, choose_both
from regard.looking.align.error_rate import ErrorRate, error_rate
from regard.looking.align.links import Gold, Link, Links, pharaoh, read_gold, read_links, swapped
from regard.looking.align.look import Look, Part, candidates
from regard.looking.align.symmetrise import SYMMETRIES, symmetrise
from regard.looking.align.words import links, merged

__all__ = [
    "SYMMETRIES", "Choice", "ErrorRate", "Gold", "Link", "Links", "Look", "Part", "by_anchors", "by_gold", "by_links",
    "candidates", "choose", "choose_both", "error_rate", "links", "merged", "pharaoh", "read_gold", "read_links",
    "swapped", "symmetrise",
]  # fmt: skip
