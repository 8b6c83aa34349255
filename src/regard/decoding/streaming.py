"""Tokens as they are written."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from regard.decoding.constraints import Constraints
from regard.decoding.draws import choose_sampled
from regard.decoding.likeliest import choose_likeliest
from regard.decoding.request import DecodeRequest
from regard.decoding.sampling import Sampling
from regard.decoding.serving import serve_model
from regard.decoding.single import Choose, decode_steps


class StreamedToken(NamedTuple):
    """A token, the text it belongs to, its log-probability, and whether it only ends the text."""

    row: int
    id: int
    score: float
    is_end: bool


def stream(
    model: object,
    source: object,
    *,
    attention_mask: object = None,
    min_new_tokens: int = 0,
    max_new_tokens: int | Sequence[int] | None = None,
    prefix: object = None,
    prefix_attention_mask: object = None,
    sampling: Sampling | None = None,
    precision: str = "float32",
    constraints: Constraints = Constraints(),
    is_wanted: Callable[[int], bool] | None = None,
) -> Iterator[StreamedToken]:
    """What `decode` writes with one beam, a token at a time; of several texts one token each in turn.

    Put together they are the hypotheses of `decode`. A beam search is not streamed: what is best is known at its end.
    A row of which `is_wanted` says no after a step is not written on; the others are as they would be without it.
    """
    request = DecodeRequest.of(
        model,
        source,
        prefix,
        attention_mask=attention_mask,
        prefix_attention_mask=prefix_attention_mask,
        max_new_tokens=max_new_tokens,
        constraints=constraints.with_min_new_tokens(min_new_tokens),
    )
    choose = choose_likeliest(request) if sampling is None else choose_sampled(request, sampling)
    return tokens(serve_model(model, precision), request, choose, is_wanted)


def tokens(
    model: object,
    request: DecodeRequest,
    choose: Choose,
    is_wanted: Callable[[int], bool] | None = None,
) -> Iterator[StreamedToken]:
    for step in decode_steps(model, request, choose, is_wanted=is_wanted):
        columns = (step.texts.tolist(), step.ids.tolist(), step.scores.tolist(), step.ended.tolist())
        yield from map(StreamedToken, *columns)
