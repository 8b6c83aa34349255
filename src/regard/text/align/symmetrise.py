"""Two readings of the same lines, one from each side, become one.

In each reading a word of one side has at most one partner. What both say is right more often, what either says leaves
less out; the ways between start from what both say and grow.
"""

from collections.abc import Callable

from regard.errors import lookup
from regard.text.align.links import Link, Links

NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Links, backward: Links) -> Links:
    """What both say."""
    return forward & backward


def union(forward: Links, backward: Links) -> Links:
    """What either says."""
    return forward | backward


def grow_diag(forward: Links, backward: Links) -> Links:
    """What both say, and links of either beside those, by side or corner, for a word that has none: Koehn et al. 2003.

    The grid is gone through word by word until nothing is added; a link that was added is grown from in the same round.
    """
    grown = GrowingLinks(forward & backward)
    either = forward | backward
    is_growing = bool(grown.links)
    while is_growing:
        is_growing = False
        for source, target in sorted(either, key=by_target):
            if (source, target) not in grown.links:
                continue
            for down, right in NEIGHBOURS:
                near = source + down, target + right
                if near in either and near not in grown.links and (grown.lacks(near, 0) or grown.lacks(near, 1)):
                    grown.add(near)
                    is_growing = True
    return frozenset(grown.links)


def grow_diag_final(forward: Links, backward: Links) -> Links:
    """The same, then links of either reading for a word that still has none."""
    return add_final(grow_diag(forward, backward), forward, backward, any)


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """The same, but only links between two words that both have none."""
    return add_final(grow_diag(forward, backward), forward, backward, all)


class GrowingLinks:
    """Links that grow, and which words of both sides they reach."""

    def __init__(self, links: Links) -> None:
        self.links: set[Link] = set(links)
        self.reached: tuple[set[int], set[int]] = {source for source, _ in links}, {target for _, target in links}

    def lacks(self, link: Link, side: int) -> bool:
        """Whether the word of a link on this side has no partner yet."""
        return link[side] not in self.reached[side]

    def add(self, link: Link) -> None:
        self.links.add(link)
        for side in (0, 1):
            self.reached[side].add(link[side])


def add_final(links: Links, forward: Links, backward: Links, lonely: Callable[[tuple[bool, bool]], bool]) -> Links:
    """Links of one reading, then of the other, as long as a word of theirs, or both, is alone."""
    grown = GrowingLinks(links)
    for reading in (forward, backward):
        for link in sorted(reading, key=by_target):
            if lonely((grown.lacks(link, 0), grown.lacks(link, 1))):
                grown.add(link)
    return frozenset(grown.links)


def by_target(link: Link) -> Link:
    return link[1], link[0]


SYMMETRIES: dict[str, Callable[[Links, Links], Links]] = {
    "intersection": intersection,
    "union": union,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
    "grow-diag-final-and": grow_diag_final_and,
}
"""How two readings become one."""


def symmetrise(forward: Links, backward: Links, how: str = "grow-diag-final-and") -> Links:
    """One alignment from two readings, both with the source first."""
    return lookup(SYMMETRIES, how, "way to symmetrise")(forward, backward)
