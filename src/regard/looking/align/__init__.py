"""Which heads align words. What they are measured by, pairs of words, is in regard.text.align, and here by name."""

from regard.looking.align.alignment_heads import AlignmentHead, AlignmentHeads, candidates
from regard.looking.align.head_choice import HeadChoice, by_anchors, by_gold, by_links, choose, choose_both
from regard.text.align.error_rate import ErrorRate, error_rate
from regard.text.align.links import Gold, Link, Links, pharaoh, read_gold, read_links, swap_links
from regard.text.align.symmetrise import SYMMETRIES, symmetrise
from regard.text.align.words import links, word_weights

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
