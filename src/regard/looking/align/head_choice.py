"""Which heads align: chosen by the links they make, never by their layer.

Whatever is known serves as the truth that candidates are measured by: links that people made (`by_gold`), those of a
model of the other direction (`choose_both`), or, where there is nothing else, words spelled alike on both sides
(`by_anchors`). The error rate is the same in all three.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regard.errors import RegardError
from regard.looking.align.alignment_heads import AlignmentHead, AlignmentHeads
from regard.text.align.error_rate import count_links, error_rate, total
from regard.text.align.links import Gold, Links, swap_links
from regard.text.align.words import links

WordWeights = Mapping[AlignmentHead, Sequence[np.ndarray]]
"""What each candidate makes of every line, (target words, source words): how much each looked at each."""
ErrorFunction = Callable[[Sequence[Links]], float]
"""How wrong the links of all lines are: 0 is best, 1 is worst."""

MIXED = 8  # candidates, the best alone, that may take part in a mix
ROUNDS = 8  # times that one of them is added
WORTH = 0.001  # by which the error has to fall each time


@dataclass(frozen=True)
class HeadChoice:
    """The look that was chosen, its error by the rule, and the error of each candidate alone, the best first."""

    heads: AlignmentHeads
    error: float
    ranking: tuple[tuple[AlignmentHead, float], ...]
    rule: str = ""


def choose(word_weights: WordWeights, error_of: ErrorFunction, *, mix: bool = True, rule: str = "") -> HeadChoice:
    """The candidate with the least error, then those added that lower it: Caruana et al. 2004, "Ensemble selection".

    One that is added again counts for more. `mix=False` stays with the best one.
    """
    if not word_weights:
        raise RegardError("no head to choose from")
    errors = ((head, error_of([links(weights) for weights in lines])) for head, lines in word_weights.items())
    ranking = tuple(sorted(errors, key=lambda entry: entry[1]))
    chosen, error = [ranking[0][0]], ranking[0][1]
    sums = list(word_weights[chosen[0]])
    for _ in range(ROUNDS if mix else 0):
        trials = []
        for head, _ in ranking[:MIXED]:
            mixed = [line + more for line, more in zip(sums, word_weights[head], strict=True)]
            trials.append((error_of([links(weights) for weights in mixed]), head, mixed))
        lowest, head, mixed = min(trials, key=lambda entry: entry[0])
        if lowest > error - WORTH:
            break
        chosen, error, sums = [*chosen, head], lowest, mixed
    counts = {head: chosen.count(head) for head in chosen}
    return HeadChoice(
        AlignmentHeads(tuple(replace(head, weight=float(count)) for head, count in counts.items())),
        error,
        ranking,
        rule,
    )


def choose_both(forward: WordWeights, backward: WordWeights, *, mix: bool = True) -> tuple[HeadChoice, HeadChoice]:
    """A look for each direction, so that the two agree best: the rule of Chen et al. 2020 (section 3.2), for heads.

    Both readings are of the same lines, `backward` with source and target swapped. First the best of all pairs of
    heads; then a mix for each, with the other's links as the truth. A reading at the wrong step cannot agree with the
    other direction, which would have to be wrong by a step to the other side.
    """
    rule = "agreement of the two directions"
    forward_links = {head: [links(weights) for weights in lines] for head, lines in forward.items()}
    backward_links = {head: [swap_links(links(weights)) for weights in lines] for head, lines in backward.items()}
    disagreements = (
        (disagreement(head_links, other), weights, two)
        for weights, head_links in forward_links.items()
        for two, other in backward_links.items()
    )
    _, _, best_backward = min(disagreements, key=lambda entry: entry[0])
    forward_choice = choose(forward, by_links(backward_links[best_backward]), mix=mix, rule=rule)
    backward_choice = choose(
        backward,
        by_links([swap_links(weights) for weights in links_of(forward, forward_choice.heads)]),
        mix=mix,
        rule=rule,
    )
    return forward_choice, backward_choice


def links_of(word_weights: WordWeights, heads: AlignmentHeads) -> list[Links]:
    """The links of every line under a mix."""
    parts = [word_weights[replace(head, weight=1.0)] for head in heads.heads]
    factors = np.array([head.weight for head in heads.heads], dtype=np.float32)
    mixed = (np.tensordot(factors, np.stack(lines), 1) for lines in zip(*parts, strict=True))
    return [links(weights) for weights in mixed]


def by_gold(gold: Sequence[Gold]) -> ErrorFunction:
    """The error rate against links that people made."""
    return lambda predicted: error_rate(predicted, gold).aer


def by_links(truth: Sequence[Links]) -> ErrorFunction:
    """The error rate against links that are taken for sure."""
    return by_gold([Gold(sure, sure) for sure in truth])


def disagreement(first: Sequence[Links], second: Sequence[Links]) -> float:
    return by_links(second)(first)


def by_anchors(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ErrorFunction:
    """The error rate on words that stand once on each side, spelled alike: names and numbers.

    Only links that touch such a word count: a head that always looks at one position finds it, and much that is wrong
    besides.
    """
    truth = [anchors(source, target) for source, target in pairs]
    if not any(truth):
        raise RegardError(
            "no word stands on both sides: give aligned lines (--gold), a model of the other direction "
            "(--reverse) or the heads themselves (--heads)"
        )

    def error_of(all_links: Sequence[Links]) -> float:
        return total(
            count_links(links_touching(line_links, sure), Gold(sure, sure))
            for line_links, sure in zip(all_links, truth, strict=True)
        ).aer

    return error_of


def anchors(source: Sequence[str], target: Sequence[str]) -> Links:
    """Links between words that occur once in each text. Punctuation is no word: heads that rest on it are many."""
    return frozenset(
        (source.index(word), target.index(word))
        for word in {*source} & {*target}
        if source.count(word) == target.count(word) == 1 and any(letter.isalnum() for letter in word)
    )


def links_touching(all_links: Links, sure: Links) -> Links:
    """The links that have an end in common with one that is sure."""
    sources, targets = {source for source, _ in sure}, {target for _, target in sure}
    return frozenset(link for link in all_links if link[0] in sources or link[1] in targets)
