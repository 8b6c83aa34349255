"""Which words belong together: pairs of words, as other tools write them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from regard.text import DataError, read_lines

Link = tuple[int, int]
"""A word of the source and a word of the target, counted from 0."""
Links = frozenset[Link]

LINK = re.compile(r"(\d+)([-p])(\d+)")


@dataclass(frozen=True)
class Gold:
    """What people say belongs together: sure links, and possible ones, which include the sure (Och and Ney 2003)."""

    sure: Links
    possible: Links

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.possible | self.sure)

    def swap(self) -> "Gold":
        """The same read from the other side."""
        return Gold(swap_links(self.sure), swap_links(self.possible))


def pharaoh(links: Iterable[Link]) -> str:
    """Links as other tools read them: "0-0 1-2", source first, counted from 0."""
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def swap_links(links: Iterable[Link]) -> Links:
    """The same links read from the other side."""
    return frozenset((target, source) for source, target in links)


def read_links(path: str | Path, *, swap: bool = False) -> list[Links]:
    """The links of each line of a file, "0-0 1-2"; `swap` for a file that has the target first."""
    lines = [gold.possible for gold in read_gold(path, first=0)]
    return [swap_links(links) for links in lines] if swap else lines


def read_gold(path: str | Path, *, first: Literal[0, 1] = 0) -> list[Gold]:
    """Links that people made: "1-1" is sure, "1p2" possible. `first` is what the file calls the first word."""
    return [Gold(frozenset(sure), frozenset(all_of)) for sure, all_of in read_marked_links(path, first)]


def read_marked_links(path: str | Path, first: int) -> Iterator[tuple[list[Link], list[Link]]]:
    """The sure links of each line, and all of them."""
    for number, line in enumerate(read_lines(path), 1):
        sure: list[Link] = []
        links: list[Link] = []
        for word in line.split():
            match = LINK.fullmatch(word)
            if match is None:
                raise DataError(f"{path}:{number}: {word!r}, where a link such as 3-4 or 3p4 is expected")
            link = int(match[1]) - first, int(match[3]) - first
            if min(link) < 0:
                raise DataError(f"{path}:{number}: {word!r} in a file that counts words from {first}")
            links.append(link)
            sure += [link] if match[2] == "-" else []
        yield sure, links


def first_number(path: str | Path, sizes: Sequence[tuple[int, int]]) -> Literal[0, 1]:
    """What a file of links calls the first word, given how many words the two sides of each line have.

    A 0 says 0, a number as large as a side has words says 1; where neither occurs, 0 is meant, as in most tools.
    """
    numbers = [[number for link in links for number in link] for _, links in read_marked_links(path, 0)]
    if any(0 in line for line in numbers):
        return 0
    ends = (
        (source, target) in ((size[0], target), (source, size[1]))
        for size, (_, links) in zip(sizes, read_marked_links(path, 0), strict=False)
        for source, target in links
    )
    return 1 if any(ends) else 0
