"""Tokens as they are written."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from torch import Tensor

from regard.decoding.greedy import likeliest
from regard.decoding.request import Request
from regard.decoding.rules import Rules
from regard.decoding.sampling import Sample, drawn
from regard.decoding.serving import served
from regard.decoding.single import walk
from regard.shapes import AttentionMask, Tokens


class Token(NamedTuple):
    """A token, the text it belongs to, its log-probability, and whether it only ends the text."""

    row: int
    id: int
    score: float
    is_end: bool


def stream(
    model: Any,
    source: Tokens | None,
    *,
    attention_mask: AttentionMask | None = None,
    min_length: int = 0,
    max_length: int | Sequence[int] | None = None,
    prefix: Tensor | None = None,
    prefix_attention_mask: Tensor | None = None,
    sample: Sample | None = None,
    precision: str = "float32",
    rules: Rules = Rules(),
) -> Iterator[Token]:
    """What `decode` writes with one beam, a token at a time; of several texts one token each in turn.

    Put together they are the hypotheses of `decode`. A beam search is not streamed: what is best is known at its end.
    """
    rules = replace(rules, shortest=max(min_length, rules.shortest))
    request = Request.of(
        source,
        prefix,
        attention_mask=attention_mask,
        prefix_attention_mask=prefix_attention_mask,
        max_length=max_length,
        rules=rules,
    )
    choose = likeliest(request) if sample is None else drawn(request, sample)
    return tokens(served(model, precision), request, choose)


def tokens(model: Any, request: Request, choose: Any) -> Iterator[Token]:
    for step in walk(model, request, choose):
        columns = (step.texts.tolist(), step.ids.tolist(), step.scores.tolist(), step.ended.tolist())
        yield from map(Token, *columns)
