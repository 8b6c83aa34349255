"""Two texts that say the same: which words of them belong together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from regard.checkpoints import load_model
from regard.checkpoints.device import check_device
from regard.config import MaskedAlignerConfig
from regard.errors import RegardError, expect, lookup
from regard.looking.align import (
    SYMMETRIES,
    AlignmentHead,
    AlignmentHeads,
    ErrorRate,
    Gold,
    HeadChoice,
    Links,
    by_anchors,
    by_gold,
    candidates,
    choose,
    choose_both,
    error_rate,
    swap_links,
    symmetrise,
    word_weights,
)
from regard.tasks.alignment import Alignment, texts_at, words_at
from regard.tasks.find import find
from regard.tasks.inputs import Reading, SourceSentence
from regard.tasks.loading import load
from regard.tasks.masked_alignment import MaskedWordAligner
from regard.tasks.processors.processor import LONGEST_TEXT, TextTooLong
from regard.tasks.replay import alignment_weights, cross_layers, cross_weights
from regard.tasks.spelling import token_texts
from regard.tasks.task import Task, as_array
from regard.tasks.torch_loading import config_of_folder
from regard.tasks.translate import TranslateTask
from regard.text import Tokenizer, load_tokenizer
from regard.text.align.mean import mean_links

CHOSEN = 200  # pairs that heads are chosen on, where nobody aligned any
MEAN = "mean"  # of the weights of both directions, beside the ways of SYMMETRIES, which join links
LINES = 500  # pairs whose weights are kept at a time
TextPair = tuple[str, str]
"""A source and what it became."""


@dataclass(frozen=True)
class SentencePair:
    """A source and its target as a translator reads them; the token that ends the target is left out."""

    source: SourceSentence
    target: SourceSentence

    @property
    def words(self) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
        """The words to which the tokens of the target and of the source belong."""
        return words_at(self.target.sentence, self.target.ends()), words_at(self.source.sentence, self.source.ends())

    def alignment(self, weights: np.ndarray, tokenizer: Tokenizer) -> Alignment:
        source, target, ends = (
            self.source.tokens,
            self.target.tokens,
            (self.target.ends(), self.source.ends()),
        )
        return Alignment(
            weights[: len(target)],
            target.tokens,
            source.tokens,
            *self.words,
            texts_at(self.target.sentence, ends[0], token_texts(tokenizer.target, target.ids)),
            texts_at(self.source.sentence, ends[1], token_texts(tokenizer, source.ids)),
            tuple(ends[0]),
            tuple(ends[1]),
        )


@dataclass(frozen=True)
class Direction:
    """A translator that is not asked to write, but shown what was written: with teacher forcing, nothing searched."""

    task: TranslateTask
    heads: AlignmentHeads
    code: str = ""
    has_own_heads: bool = False

    @classmethod
    def of(cls, task: Task, *, heads: AlignmentHeads | str | None = None, language: str | None = None) -> "Direction":
        if not isinstance(task, TranslateTask):
            raise RegardError("words are aligned by a model that reads one text and writes another")
        own_heads = AlignmentHeads.read(heads) if isinstance(heads, str) else heads or task.own_alignment_heads()
        return cls(
            task,
            own_heads or task.alignment_heads,
            "" if language is None else task.processor.code(language),
            own_heads is not None,
        )

    def read(self, source: str, target: str, number: int) -> SentencePair:
        """The tokens of both; what is too long for the model is an error."""
        task, ends = self.task, self.task.processor.constraints(0).ends
        source_encoding, target_encoding = (
            task.processor.encode_source(source, self.code),
            task.processor.encode_target(target),
        )
        for side, size, most in (
            ("source", len(source_encoding), task.processor.read_limit),
            ("target", len(target_encoding), task.processor.max_target_length() or LONGEST_TEXT),
        ):
            if size > most:
                raise TextTooLong(f"pair {number}: its {side} has {size} tokens, the model has positions for {most}")
        if target_encoding.ids and target_encoding.ids[-1] in ends:
            target_encoding = target_encoding.take(range(len(target_encoding) - 1))
        return SentencePair(
            SourceSentence(source, "", source_encoding, code=self.code), SourceSentence(target, "", target_encoding)
        )

    def read_all(self, pairs: Iterable[TextPair], first: int) -> list[SentencePair]:
        return [self.read(*pair, number) for number, pair in enumerate(pairs, first)]

    def readings(self, pairs: Sequence[SentencePair]) -> list[Reading]:
        start = self.task.processor.start()
        return [Reading(pair.source.tokens.ids, (start, *pair.target.tokens.ids)) for pair in pairs]

    def alignments(self, pairs: Iterable[TextPair], first: int = 1) -> list[Alignment]:
        """Who looked at whom in each pair, under this look."""
        sentence_pairs = self.read_all(pairs, first)
        weights_of_pairs = alignment_weights(
            self.task.model, self.readings(sentence_pairs), self.task.device, self.heads
        )
        tokenizer = self.task.tokenizer
        return [
            pair.alignment(weights, tokenizer) for pair, weights in zip(sentence_pairs, weights_of_pairs, strict=True)
        ]

    def word_weights_of(self, pairs: Iterable[TextPair]) -> dict[AlignmentHead, list[np.ndarray]]:
        """What every head makes of each pair, read both ways: to choose from."""
        sentence_pairs = self.read_all(pairs, 1)
        layers = cross_layers(self.task.model)
        weights_by_head: dict[AlignmentHead, list[np.ndarray]] = {}
        for pair, weights in zip(
            sentence_pairs,
            cross_weights(self.task.model, self.readings(sentence_pairs), self.task.device, layers),
            strict=True,
        ):
            all_heads = candidates({layer: len(heads) for layer, heads in weights.items()})
            rows = as_array(torch.stack([head.of(weights) for head in all_heads]))[:, : len(pair.target.tokens)]
            for head, head_weights in zip(all_heads, word_weights(rows, *pair.words), strict=True):
                weights_by_head.setdefault(head, []).append(head_weights)
        return weights_by_head


@dataclass(frozen=True)
class WordAligner:
    """Which words belong together, by one translator or by two of opposite directions.

    `aligner(pairs)` gives the links of each pair, source first, counted between spaces from 0. `choices` say how the
    looks were chosen, if they were.
    """

    forward: Direction
    backward: Direction | None = None
    how: str = MEAN
    choices: tuple[HeadChoice, ...] = ()

    def __post_init__(self) -> None:
        lookup({MEAN: mean_links, **SYMMETRIES}, self.how, "way to symmetrise")

    @property
    def has_own_heads(self) -> bool:
        """Whether somebody said which heads to read: the caller, or the folder."""
        return self.forward.has_own_heads and (self.backward is None or self.backward.has_own_heads)

    def __call__(self, pairs: Sequence[TextPair]) -> list[Links]:
        return [
            links
            for first in range(0, len(pairs), LINES)
            for links in self.links_of(pairs[first : first + LINES], first)
        ]

    def links_of(self, pairs: Sequence[TextPair], first: int) -> list[Links]:
        """The links of pairs that are read together; `first` is the number of pairs before them."""
        there = self.forward.alignments(pairs, first + 1)
        if self.backward is None:
            return [frozenset(alignment.words) for alignment in there]
        back = self.backward.alignments([swap_pair(pair) for pair in pairs], first + 1)
        return [joined_links(*both, self.how) for both in zip(there, back, strict=True)]

    def choose_heads(
        self, pairs: Sequence[TextPair], gold: Sequence[Gold] | None = None, *, mix: bool = True
    ) -> "WordAligner":
        """The same with looks that fit these pairs: by links that people made, if there are any; else so that the two
        directions agree; else by words that are spelled alike on both sides."""
        forward_weights = self.forward.word_weights_of(pairs)
        if self.backward is None:
            texts = [(source.split(), target.split()) for source, target in pairs]
            error_of, rule = (by_anchors(texts), "words spelled alike") if gold is None else (by_gold(gold), "gold")
            choice = choose(forward_weights, error_of, mix=mix, rule=rule)
            return replace(self, forward=replace(self.forward, heads=choice.heads), choices=(choice,))
        backward_weights = self.backward.word_weights_of([swap_pair(pair) for pair in pairs])
        if gold is None:
            both = choose_both(forward_weights, backward_weights, mix=mix)
        else:
            backward_error = by_gold([line_gold.swap() for line_gold in gold])
            both = (
                choose(forward_weights, by_gold(gold), mix=mix, rule="gold"),
                choose(backward_weights, backward_error, mix=mix, rule="gold"),
            )
        sides = zip((self.forward, self.backward), both, strict=True)
        forward, backward = (replace(side, heads=choice.heads) for side, choice in sides)
        return replace(self, forward=forward, backward=backward, choices=both)


def joined_links(forward: Alignment, backward: Alignment, how: str) -> Links:
    """The links of a pair that was read in both directions: of the mean of both weights, or of the links of each."""
    if how == MEAN:
        return mean_links(forward.word_weights, backward.word_weights)
    return symmetrise(frozenset(forward.words), swap_links(backward.words), how)


@dataclass(frozen=True)
class AlignmentResult:
    """The links of each pair, what made them, and how far they are from what people say on `scored` lines."""

    links: list[Links]
    aligner: WordAligner | MaskedWordAligner
    scores: ErrorRate | None = None
    scored: int = 0


def load_aligner(
    name: str | Path,
    *,
    reverse: str | Path | None = None,
    heads: str | None = None,
    reverse_heads: str | None = None,
    language: str | None = None,
    how: str = MEAN,
    device: str | None = None,
) -> WordAligner | MaskedWordAligner:
    """What aligns words: a model that was made for it, or a translator, or two of opposite directions."""
    folder = find(name)
    if not isinstance(config_of_folder(folder), MaskedAlignerConfig):
        forward = Direction.of(load(name, device=device), heads=heads, language=language)
        backward = Direction.of(load(reverse, device=device), heads=reverse_heads) if reverse else None
        return WordAligner(forward, backward, how)
    options = {"reverse": reverse, "heads": heads, "language": language}
    if said := [option for option, value in options.items() if value]:
        raise RegardError(f"{name}: a masked aligner has both directions and one look: no {said[0]} expected")
    return MaskedWordAligner(load_model(folder, device=check_device(device)), load_tokenizer(folder))


def align_words(
    aligner: WordAligner | MaskedWordAligner,
    pairs: Sequence[TextPair],
    *,
    gold: Sequence[Gold] | None = None,
    lines: int | None = None,
) -> AlignmentResult:
    """Align pairs. The heads are those that somebody told, else chosen: on the first `lines` of the gold, which are
    then left out of the score; without `lines`, on the first pairs themselves, their gold unseen."""
    if gold is not None:
        expect("the gold alignment", "lines", len(gold), len(pairs))
    if lines is not None and (gold is None or lines >= len(pairs)):
        raise RegardError(f"to choose heads on {lines} lines and score the rest takes gold for more lines than that")
    if isinstance(aligner, MaskedWordAligner):
        if lines is not None:
            raise RegardError(f"{aligner.folder}: heads are chosen of translators, a masked aligner has none to choose")
    elif lines is not None:
        aligner = aligner.choose_heads(pairs[:lines], gold and gold[:lines])
    elif not aligner.has_own_heads:
        aligner = aligner.choose_heads(pairs[:CHOSEN])
    links = aligner(pairs)
    if gold is None:
        return AlignmentResult(links, aligner)
    unseen = slice(lines or 0, None)
    return AlignmentResult(links, aligner, error_rate(links[unseen], gold[unseen]), len(links[unseen]))


def swap_pair(pair: TextPair) -> TextPair:
    return pair[1], pair[0]
