"""A run as an animated picture: the answer being written."""

from regard.errors import RegardError
from regard.pictures.writing import AnimationKind, WrittenText, animation
from regard.viewer.finished_run import FinishedRun
from regard.viewer.payload import TokenColumn


def animated_run(run: FinishedRun, kind: AnimationKind, *, dark: bool) -> bytes:
    """Of a translation: source, target and the alignment that the task itself tells, word by word."""
    payload = run.payload
    if payload.alignment is None or len(payload.sides) < 2:
        raise RegardError("only a translation with an alignment can be animated")
    source, target = payload.sides[0], payload.sides[1]
    rows, columns = word_tokens(target), word_tokens(source)
    weights = [
        [
            sum(payload.alignment.weights[row - 1][column] for row in tokens for column in keys) / len(tokens)
            for keys in columns.values()
        ]
        for tokens in rows.values()
    ]
    return animation(
        WrittenText(
            [joined(source, tokens) for tokens in columns.values()],
            [joined(target, tokens) for tokens in rows.values()],
            weights,
            title=f"{payload.model} writes a translation",
            footer="regard: a ribbon joins each word to those it was made from",
        ),
        kind,
        dark=dark,
    )


def word_tokens(side: TokenColumn) -> dict[int, list[int]]:
    """The tokens of each word, special ones left out."""
    words: dict[int, list[int]] = {}
    for token, (word, is_special) in enumerate(zip(side.words, side.special, strict=True)):
        if word is not None and not is_special:
            words.setdefault(word, []).append(token)
    return words


def joined(side: TokenColumn, tokens: list[int]) -> str:
    return "".join(side.texts[token] for token in tokens).strip()
