"""Tokens as they are written."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from torch import Tensor

from regard.decoding.constraints import Constraints
from regard.decoding.draws import choose_sampled
from regard.decoding.likeliest import choose_likeliest
from regard.decoding.request import DecodeRequest
from regard.decoding.sampling import Sampling
from regard.decoding.serving import serve_model
from regard.decoding.single import Choose, decode_steps
from regard.decoding.step_model import State, StepModel


class StreamedToken(NamedTuple):
    """A token, the text it belongs to, its log-probability, and whether it only ends the text."""

    row: int
    id: int
    score: float
    is_end: bool


def stream(
    model: object,
    source: Tensor | None,
    *,
    attention_mask: Tensor | None = None,
    min_new_tokens: int = 0,
    max_new_tokens: int | Sequence[int] | None = None,
    prefix: Tensor | None = None,
    prefix_attention_mask: Tensor | None = None,
    sampling: Sampling | None = None,
    precision: str = "float32",
    constraints: Constraints = Constraints(),
) -> Iterator[StreamedToken]:
    """What `decode` writes with one beam, a token at a time; of several texts one token each in turn.

    Put together they are the hypotheses of `decode`. A beam search is not streamed: what is best is known at its end.
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
    return tokens(serve_model(model, precision), request, choose)


def tokens(model: StepModel[State], request: DecodeRequest, choose: Choose) -> Iterator[StreamedToken]:
    for step in decode_steps(model, request, choose):
        columns = (step.texts.tolist(), step.ids.tolist(), step.scores.tolist(), step.ended.tolist())
        yield from map(StreamedToken, *columns)
