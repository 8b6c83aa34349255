"""What a page is told of a run: one function for the result of each task, and one for all of it."""

from collections.abc import Mapping, Sequence

import numpy as np

from regard.attention import Pattern
from regard.decoding import BeamTree
from regard.looking.align.alignment_heads import AlignmentHeads
from regard.tasks.alignment import Alignment
from regard.tasks.processors.answer import AnswerResult
from regard.tasks.processors.classify import Classification, TokenLabels
from regard.tasks.processors.embed import TextEmbedding
from regard.tasks.processors.fill import FilledText
from regard.tasks.processors.generate import Generation
from regard.tasks.translation import Translation
from regard.text import Tokenizer
from regard.viewer import maps, payload, pyramid
from regard.viewer.candidates import OPTIONS
from regard.viewer.payload import AnswerPayload, Option, RunRequest
from regard.viewer.run_result import RunResult
from regard.viewer.token_columns import option_texts


def written_payload(written: Translation | Generation) -> AnswerPayload:
    return AnswerPayload(
        text=written.text, score=written.score, rank_score=written.rank_score, is_finished=written.is_finished
    )


def labels_payload(labels: Classification | TokenLabels) -> AnswerPayload:
    """The likeliest label and all of them, the likeliest first; or the label of each token."""
    if isinstance(labels, TokenLabels):
        tags = [Option(text=f"{tag.token} {tag.label}", probability=tag.score) for tag in labels.tokens]
        return AnswerPayload(text=" ".join(tag.text for tag in tags), options=tags)
    ordered = sorted(labels.scores.items(), key=lambda pair: -pair[1])
    options = [Option(text=label, probability=score) for label, score in ordered]
    return AnswerPayload(text=labels.label, score=labels.score, options=options)


def filled_payload(filled: FilledText) -> AnswerPayload:
    gaps = [
        [Option(text=candidate.token, id=candidate.id, probability=candidate.score) for candidate in gap]
        for gap in filled.candidates
    ]
    return AnswerPayload(text=filled.text, score=filled.score, gaps=gaps)


def embedding_payload(embedding: TextEmbedding) -> AnswerPayload:
    return AnswerPayload(text="", vector=embedding.vector.tolist())


def answer_payload(answer: AnswerResult, probabilities: np.ndarray, names: Sequence[str]) -> AnswerPayload:
    """The answer, and the likeliest words of all, whose names are given."""
    best: list[int] = (-probabilities).argsort(kind="stable")[: 2 * OPTIONS].tolist()
    options = [Option(text=names[number], id=number, probability=float(probabilities[number])) for number in best]
    return AnswerPayload(text=answer.text, score=answer.score, options=options)


def beam_tree_payload(
    tree: BeamTree | None, prefix: Sequence[int], tokenizer: Tokenizer
) -> payload.BeamTreePayload | None:
    """How a beam search came to its answer, if there was one."""
    if tree is None:
        return None
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(tree.parents):
        children.setdefault(parent, []).append(node)
    texts, before = [""] * len(tree.tokens), {-1: list(prefix)}
    for parent, nodes_after in children.items():  # parents come before their children
        ids = [tree.tokens[node] for node in nodes_after]
        for node, number, text in zip(nodes_after, ids, option_texts(before[parent], ids, tokenizer), strict=True):
            texts[node], before[node] = text, [*before[parent], number]
    rows = zip(texts, tree.tokens, tree.parents, tree.scores, strict=True)
    nodes = [payload.BeamNode(text=text, id=token, parent=parent, score=score) for text, token, parent, score in rows]
    return payload.BeamTreePayload(nodes=nodes, leaves=list(tree.leaves), winner=list(tree.winner))


def alignment_payload(alignment: Alignment, heads: AlignmentHeads) -> payload.AlignmentPayload:
    """Which source tokens each written token came from."""
    return payload.AlignmentPayload(heads=str(heads), weights=alignment.weights.tolist(), words=list(alignment.words))


def run_payload(
    name: str,
    task: str,
    request: RunRequest,
    result: RunResult,
    patterns: Mapping[str, Pattern],
    effect: payload.EditEffect | None,
    seconds: float,
) -> payload.RunPayload:
    """What a page is told of a run."""
    return payload.RunPayload(
        id=name,
        model=request.model,
        task=task,
        text=result.sentences[request.sentence] if result.sentences else request.text,
        second=request.second,
        sentences=list(result.sentences),
        sentence=request.sentence,
        answer=result.answer,
        sides=list(result.sides),
        layers=[layer_info(layer, pattern, result) for layer, pattern in patterns.items()],
        beam_tree=result.beam_tree,
        alignment=result.alignment,
        candidates=list(result.candidates),
        edits=request.edits,
        edit_effect=effect,
        seconds=seconds,
    )


def layer_info(name: str, pattern: Pattern, result: RunResult) -> payload.LayerInfo:
    _, heads, queries, keys = pattern.shape
    return payload.LayerInfo(
        name=name,
        heads=heads,
        queries=queries,
        keys=keys,
        rows=result.layers[name].rows,
        columns=result.layers[name].columns,
        mask=maps.mask_name(pattern),
        score=type(pattern.score).__name__,
        levels=pyramid.levels(pattern),
        base=pyramid.stored_level(pattern),
        width=pattern.key.shape[-1],
    )
