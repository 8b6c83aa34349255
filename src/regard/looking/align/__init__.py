"""Word alignments: from looks at a source to pairs of words, and how far they are from what people say."""

from regard.looking.align.alignment_heads import AlignmentHead, AlignmentHeads, candidates
from regard.looking.align.error_rate import ErrorRate, error_rate
from regard.looking.align.head_choice import HeadChoice, by_anchors, by_gold, by_links, choose, choose_both
from regard.looking.align.links import Gold, Link, Links, pharaoh, read_gold, read_links, swap_links
from regard.looking.align.symmetrise import SYMMETRIES, symmetrise
from regard.looking.align.words import links, word_weights

__all__ = [
    "SYMMETRIES",
    "AlignmentHead",
    "AlignmentHeads",
    "ErrorRate",
    "Gold",
    "HeadChoice",
    "Link",
    "Links",
    "by_anchors",
    "by_gold",
    "by_links",
    "candidates",
    "choose",
    "choose_both",
    "error_rate",
    "links",
    "pharaoh",
    "read_gold",
    "read_links",
    "swap_links",
    "symmetrise",
    "word_weights",
]  # fmt: skip
