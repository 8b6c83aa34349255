"""Which heads align: chosen by the links they make, never by their place.

Whatever is known serves as the truth that candidates are measured by: links that people made (`by_gold`), those of a
model of the other direction (`choose_both`), or, where there is nothing else, words spelled alike on both sides
(`by_anchors`). The error rate is the same in all three.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.looking.align.error_rate import counted, error_rate, total
from regard.looking.align.links import Gold, Links, swapped
from regard.looking.align.look import Look, Part
from regard.looking.align.words import links

WordLooks = Mapping[Part, Sequence[Tensor]]
"""What each candidate makes of every line, (target words, source words): how much each looked at each."""
Judge = Callable[[Sequence[Links]], float]
"""How wrong the links of all lines are: 0 is best, 1 is worst."""

MIXED = 8  # candidates, the best alone, that may take part in a mix
ROUNDS = 8  # times that one of them is added
WORTH = 0.001  # by which the error has to fall each time


@dataclass(frozen=True)
class Choice:
    """The look that was chosen, its error by the rule, and the error of each candidate alone, the best first."""

    look: Look
    error: float
    ranking: tuple[tuple[Part, float], ...]
    rule: str = ""


def choose(looks: WordLooks, judge: Judge, *, mix: bool = True, rule: str = "") -> Choice:
    """The candidate with the least error, then those added that lower it: Caruana et al. 2004, "Ensemble selection".

    One that is added again counts for more. `mix=False` stays with the best one.
    """
    if not looks:
        raise RegardError("no head to choose from")
    alone = ((part, judge([links(one) for one in lines])) for part, lines in looks.items())
    ranking = tuple(sorted(alone, key=lambda entry: entry[1]))
    chosen, error = [ranking[0][0]], ranking[0][1]
    sums = list(looks[chosen[0]])
    for _ in range(ROUNDS if mix else 0):
        tried = []
        for part, _ in ranking[:MIXED]:
            mixed = [line + more for line, more in zip(sums, looks[part], strict=True)]
            tried.append((judge([links(one) for one in mixed]), part, mixed))
        found, part, mixed = min(tried, key=lambda entry: entry[0])
        if found > error - WORTH:
            break
        chosen, error, sums = [*chosen, part], found, mixed
    counts = {part: chosen.count(part) for part in chosen}
    return Choice(
        Look(tuple(replace(part, weight=float(count)) for part, count in counts.items())), error, ranking, rule
    )


def choose_both(forward: WordLooks, backward: WordLooks, *, mix: bool = True) -> tuple[Choice, Choice]:
    """A look for each direction, so that the two agree best: the rule of Chen et al. 2020 (section 3.2), for heads.

    Both readings are of the same lines, `backward` with source and target swapped. First the best of all pairs of
    heads; then a mix for each, with the other's links as the truth. A reading at the wrong step cannot agree with the
    other direction, which would have to be wrong by a step to the other side.
    """
    rule = "agreement of the two directions"
    ours = {part: [links(one) for one in lines] for part, lines in forward.items()}
    theirs = {part: [swapped(links(one)) for one in lines] for part, lines in backward.items()}
    pairs = ((disagreement(mine, other), one, two) for one, mine in ours.items() for two, other in theirs.items())
    _, _, best = min(pairs, key=lambda entry: entry[0])
    found = choose(forward, by_links(theirs[best]), mix=mix, rule=rule)
    answer = choose(backward, by_links([swapped(one) for one in made(forward, found.look)]), mix=mix, rule=rule)
    return found, answer


def made(looks: WordLooks, look: Look) -> list[Links]:
    """The links of every line under a mix."""
    parts = [looks[replace(part, weight=1.0)] for part in look.parts]
    weights = torch.tensor([part.weight for part in look.parts])
    mixed = (torch.tensordot(weights, torch.stack(lines), 1) for lines in zip(*parts, strict=True))
    return [links(one) for one in mixed]


def by_gold(gold: Sequence[Gold]) -> Judge:
    """The error rate against links that people made."""
    return lambda found: error_rate(found, gold).aer


def by_links(truth: Sequence[Links]) -> Judge:
    """The error rate against links that are taken for sure."""
    return by_gold([Gold(one, one) for one in truth])


def disagreement(one: Sequence[Links], other: Sequence[Links]) -> float:
    return by_links(other)(one)


def by_anchors(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Judge:
    """The error rate on words that stand once on each side, spelled alike: names and numbers.

    Only links that touch such a word count: a head that always looks at one place finds it, and much that is wrong
    besides.
    """
    truth = [anchors(source, target) for source, target in pairs]
    if not any(truth):
        raise RegardError(
            "no word stands on both sides: give aligned lines (--gold), a model of the other direction "
            "(--reverse) or the heads themselves (--look)"
        )

    def judge(found: Sequence[Links]) -> float:
        return total(counted(touching(one, sure), Gold(sure, sure)) for one, sure in zip(found, truth, strict=True)).aer

    return judge


def anchors(source: Sequence[str], target: Sequence[str]) -> Links:
    """Links between words that occur once in each text. Punctuation is no word: heads that rest on it are many."""
    return frozenset(
        (source.index(word), target.index(word))
        for word in {*source} & {*target}
        if source.count(word) == target.count(word) == 1 and any(letter.isalnum() for letter in word)
    )


def touching(found: Links, sure: Links) -> Links:
    """The links that have an end in common with one that is sure."""
    sources, targets = {source for source, _ in sure}, {target for _, target in sure}
    return frozenset(link for link in found if link[0] in sources or link[1] in targets)
