"""The one call that every task makes: token ids in, token ids out."""

from collections.abc import Sequence

from regard.decoding.beam import Beam, beam_search
from regard.decoding.constraints import Constraints
from regard.decoding.hypothesis import DecodeResult
from regard.decoding.likeliest import choose_likeliest
from regard.decoding.limits import LENGTH_PENALTIES, MAX_HYPOTHESES, check_real, check_whole
from regard.decoding.progress import OnStep, report_steps
from regard.decoding.request import DecodeRequest
from regard.decoding.sampling import Sampling
from regard.decoding.serving import serve_model
from regard.decoding.single import collect, decode_steps
from regard.errors import RegardError


def decode(
    model: object,
    source: object,
    *,
    attention_mask: object = None,
    beam: int | Beam = 1,
    min_new_tokens: int = 0,
    max_new_tokens: int | Sequence[int] | None = None,
    length_penalty: float = 1.0,
    num_hypotheses: int = 1,
    prefix: object = None,
    prefix_attention_mask: object = None,
    sampling: Sampling | None = None,
    precision: str = "float32",
    constraints: Constraints = Constraints(),
    tree: bool = False,
    on_step: OnStep | None = None,
) -> list[DecodeResult]:
    """What a model writes for each source, or after each prompt: the likeliest tokens, a beam's, or drawn ones.

    `prefix` is what a text begins with, as tokens: the start token of a translator, or the prompt of a model that
    only writes on (its `source` is None). Masks are of bool, or of 1 for a token and 0 for padding. Lengths count new
    tokens, a million at most; `max_new_tokens` is one number or one for each row.
    `tree` keeps how a beam search came to its answer. `on_step` is told how far it is; what it raises ends the search.
    """
    beam = beam if isinstance(beam, Beam) else Beam(beam)
    check_search(beam, num_hypotheses, length_penalty, sampling, tree)
    request = DecodeRequest.of(
        model,
        source,
        prefix,
        attention_mask=attention_mask,
        prefix_attention_mask=prefix_attention_mask,
        max_new_tokens=max_new_tokens,
        constraints=constraints.with_min_new_tokens(min_new_tokens),
    )
    serving = serve_model(model, precision)
    if sampling is not None:
        from regard.decoding.draws import sample_texts

        drawn = sample_texts(serving, request, sampling, num_hypotheses, length_penalty, on_step)
        return [DecodeResult(tuple(texts)) for texts in drawn]
    if beam.size > 1 or tree:
        return beam_search(
            serving,
            request,
            beam,
            length_penalty=length_penalty,
            num_hypotheses=num_hypotheses,
            tree=tree,
            coverage_model=model,
            on_step=on_step,
        )
    steps, count = decode_steps(serving, request, choose_likeliest(request)), len(request.max_new_tokens)
    texts = collect(report_steps(steps, count, request.longest, on_step), count, length_penalty)
    return [DecodeResult((text,)) for text in texts]


def check_search(
    beam: Beam, num_hypotheses: int, length_penalty: float, sampling: Sampling | None, tree: bool = False
) -> None:
    """Raise where what is asked of a search does not go together."""
    most, hint = (beam.size, f" of a beam of {beam.size}") if sampling is None else (MAX_HYPOTHESES, "")
    check_whole("num_hypotheses", num_hypotheses, 1, most, hint)
    check_real("length_penalty", length_penalty, *LENGTH_PENALTIES)
    if sampling is not None and (beam.size > 1 or tree):
        raise RegardError("tokens are drawn without a beam: sampling= or beam=, not both; a tree is of a beam search")
