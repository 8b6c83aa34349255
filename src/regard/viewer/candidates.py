"""The words that competed: the likeliest tokens wherever one was written, or could be."""

from torch import Tensor

from regard.decoding import Hypothesis
from regard.models import Aligner, Decoder, Encoder, Model, Transformer
from regard.text import Tokenizer
from regard.viewer.payload import CandidateTokens, Option, TokenColumn
from regard.viewer.token_columns import option_texts, special_ids

OPTIONS = 5  # likeliest words that are told of each position


def next_token_probabilities(model: Model, x: Tensor) -> Tensor:
    """Probabilities of the words after some tokens: (tokens, vocabulary)."""
    assert isinstance(model, Transformer | Aligner | Decoder | Encoder)
    assert model.output is not None
    return model.output(x[None])[0].float().softmax(-1)


def candidate_tokens(
    model: Model, x: Tensor, column: TokenColumn, hypothesis: Hypothesis, tokenizer: Tokenizer, least: int = 0
) -> tuple[CandidateTokens, ...]:
    """The likeliest tokens at each position after which one was written, and at `least` so many."""
    first = max(column.prefix_length - 1, 0)
    count = max(len(hypothesis.ids) + hypothesis.is_finished, least)
    rows = range(first, min(first + count, len(column.ids)))
    if not rows:
        return ()
    probabilities = next_token_probabilities(model, x[rows.start : rows.stop])
    likeliest = probabilities.topk(min(OPTIONS, probabilities.shape[-1]))
    written, special = column.ids[first + 1 :], special_ids(tokenizer)
    candidates = []
    for step, row in enumerate(rows):
        ids, shares = likeliest.indices[step].tolist(), likeliest.values[step].tolist()
        texts = option_texts(column.ids[: row + 1], ids, tokenizer)
        options = [
            Option(text=text, id=number, probability=share)
            for text, number, share in zip(texts, ids, shares, strict=True)
        ]
        chosen = written[step] if step < len(written) else None
        if chosen is None and hypothesis.is_finished:
            choice = next((at for at, number in enumerate(ids) if number in special), None)
        else:
            choice = ids.index(chosen) if chosen in ids else None
        candidates.append(CandidateTokens(row=row, choice=choice, options=options))
    return tuple(candidates)
