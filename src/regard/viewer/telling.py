"""What a page is told of an answer: the search for it, the words that competed, the words that it came from."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from regard.attention import Pattern
from regard.decoding import Hypothesis
from regard.decoding.beam_tree import BeamTree
from regard.errors import lookup
from regard.tasks.replay import decoder_input
from regard.tasks.translation import SourceSentence, TranslationDraft
from regard.text import Tokenizer
from regard.viewer import payload, sides
from regard.viewer.payload import TokenColumn

OPTIONS = 5  # likeliest words that are told of each place


def scored(task: Any, x: Tensor) -> Tensor:
    """Probabilities of the words after some tokens: (tokens, vocabulary)."""
    return task.model.output(x[None])[0].float().softmax(-1)


def candidates(
    task: Any, x: Tensor, side: TokenColumn, count: int, tokenizer: Tokenizer, one: Hypothesis
) -> tuple[payload.CandidateTokens, ...]:
    """The likeliest words at each place where one was written, or could be."""
    if not count or task.model.output is None:
        return ()
    first = max(side.prefix_length - 1, 0)
    rows = range(first, min(first + count, len(side.ids)))
    likeliest = scored(task, x[rows.start : rows.stop]).topk(min(OPTIONS, task.model.output.weight.shape[0]))
    ends = side.ids[first + 1 :]
    found = []
    for place, row in enumerate(rows):
        ids, shares = likeliest.indices[place].tolist(), likeliest.values[place].tolist()
        chosen = ends[place] if place < len(ends) else None
        options = [
            payload.Option(text=shown(side.ids[: row + 1], number, tokenizer), id=number, probability=share)
            for number, share in zip(ids, shares, strict=True)
        ]
        if chosen is None and one.is_finished:
            which = next((at for at, option in enumerate(options) if sides.is_special(option.id or 0, tokenizer)), None)
        else:
            which = ids.index(chosen) if chosen in ids else None
        found.append(payload.CandidateTokens(row=row, choice=which, options=options))
    return tuple(found)


def shown(before: Sequence[int], number: int, tokenizer: Tokenizer) -> str:
    """What a token would add to the text, or its name if that is nothing."""
    return sides.pieces(before, [number], tokenizer)[0] or tokenizer.token(number)


def tree_of(tree: BeamTree | None, prefix: Sequence[int], tokenizer: Tokenizer) -> payload.BeamTreePayload | None:
    """A beam search for the page."""
    if tree is None:
        return None
    nodes = []
    for node, (token, score, parent) in enumerate(zip(tree.tokens, tree.scores, tree.parents, strict=True)):
        before = [*prefix[-sides.CONTEXT :], *(tree.tokens[step] for step in tree.path(node)[:-1])]
        nodes.append(payload.BeamNode(text=shown(before, token, tokenizer), id=token, parent=parent, score=score))
    return payload.BeamTreePayload(nodes=nodes, leaves=list(tree.leaves), winner=list(tree.winner))


def aligned(
    task: Any, piece: SourceSentence, one: Hypothesis, patterns: Mapping[str, Pattern]
) -> payload.AlignmentPayload:
    """Which source tokens each written token came from: what `task(text).alignment` says, of the run that is kept."""
    rows = len(decoder_input([task.start()], one.ids, one.is_finished))
    weights = {place: lookup(patterns, place, "place")[0, :, :rows].float().cpu() for place in task.look.places}
    found = TranslationDraft(piece.sentence, (piece,), (one,), task.tokenizer.target).alignment([task.look.of(weights)])
    return payload.AlignmentPayload(heads=str(task.look), weights=found.weights.tolist(), words=list(found.words))
