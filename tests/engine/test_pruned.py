"""A model without some of its heads answers in a large batch what it answers alone."""

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import WORDS, made, texts

import regard
from regard.decoding import Constraints, decode
from regard.engine import PRECISIONS, serve
from regard.engine.steps import Engine
from regard.models import Transformer

pytestmark = needs_engine

END, START, TEXTS, BEAM, LONGEST = 0, 1, 250, 4, 6

ENCODER_DECODER = {
    "encoder self": {"encoder.0.self": [1, 3]},
    "one head of encoder self": {"encoder.*.self": [0, 1, 2]},
    "decoder self": {"decoder.1.self": [0, 2]},
    "one head of decoder self": {"decoder.0.self": [0, 1, 3]},
    "cross": {"decoder.0.cross": [2], "decoder.1.cross": [0, 1]},
    "one head of cross": {"decoder.*.cross": [1, 2, 3]},
    "one head everywhere": {"*": [1, 2, 3]},
    "uneven": {"encoder.1.self": [0], "decoder.0.self": [0, 1, 2], "decoder.1.self": [3], "decoder.1.cross": [0, 3]},
}
DECODER_ONLY = {
    "some": {"decoder.0.self": [1]},
    "one head": {"decoder.1.self": [0, 1, 2]},
    "one head everywhere": {"decoder.*.self": [0, 2, 3]},
    "uneven": {"decoder.0.self": [0, 1, 2], "decoder.1.self": [3]},
}
GROUPED_PAIR = {
    "one head of decoder self": {"decoder.*.self": [0, 1, 3]},
    "a group of cross": {"decoder.0.cross": [0, 1]},
    "uneven": {"encoder.0.self": [1], "decoder.0.self": [0, 1, 2], "decoder.1.self": [0, 3], "decoder.1.cross": [1]},
}
GROUPED = {
    "a head of each group": {"decoder.0.self": [0, 3]},
    "a whole group": {"decoder.1.self": [0, 1]},
    "one head": {"decoder.0.self": [0, 1, 2], "decoder.1.self": [1]},
}
CASES = [
    *(("pre-norm", name, heads) for name, heads in ENCODER_DECODER.items()),
    *(("t5", name, heads) for name, heads in ENCODER_DECODER.items()),
    *(("marian", name, heads) for name, heads in ENCODER_DECODER.items()),
    *(("grouped", name, heads) for name, heads in GROUPED_PAIR.items()),
    *(("gpt2", name, heads) for name, heads in DECODER_ONLY.items()),
    *(("neighbours", name, heads) for name, heads in DECODER_ONLY.items()),
    *(("alibi", name, heads) for name, heads in DECODER_ONLY.items()),
    *(("llama", name, heads) for name, heads in GROUPED.items()),
]


def pruned(name, heads):
    return regard.prune(made(name, spread=0.6), heads)


def written(model, rows, sources, prompts):
    """What is written for these of the texts, asked together."""
    is_pair = isinstance(model, Transformer)
    answers = decode(
        model,
        sources[rows] if is_pair else None,
        prefix=torch.full((len(sources[rows]), 1), START) if is_pair else prompts[rows],
        beam=BEAM,
        max_new_tokens=LONGEST,
        constraints=Constraints(ends=(END,)),
    )
    return [answer.best for answer in answers]


@pytest.mark.parametrize(("model", "heads"), [(a, c) for a, _, c in CASES], ids=[f"{a}, {b}" for a, b, _ in CASES])
def test_a_thousand_beams_answer_as_one_text_alone(model, heads):
    smaller = pruned(model, heads)
    assert isinstance(serve(smaller), Engine)
    sources, prompts = texts(TEXTS, 7, seed=2)[0], texts(TEXTS, 3, seed=3)[0]
    together = written(smaller, slice(None), sources, prompts)
    for row in range(0, TEXTS, 5):
        assert written(smaller, slice(row, row + 1), sources, prompts) == [together[row]]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("model", "heads"), [(a, c) for a, _, c in CASES], ids=[f"{a}, {b}" for a, b, _ in CASES])
def test_rows_of_other_slabs_change_no_bit_and_the_scores_are_those_of_the_model(model, heads, precision):
    smaller = pruned(model, heads)
    engine = serve(smaller, precision)
    rows = 530  # more than two slabs of one token each
    source = texts(rows, 5, seed=4)[0] if isinstance(smaller, Transformer) else None
    tokens = texts(rows, 2, seed=5)[0]

    def logits(steps, some):
        with torch.no_grad():
            return steps.step(steps.start(None if source is None else source[some]), tokens[some])[0][:, 0].clone()

    together = logits(engine, slice(None))
    for row in range(0, rows, 23):
        assert torch.equal(logits(engine, slice(row, row + 1))[0], together[row])
    if precision == "float32":
        torch.testing.assert_close(together, logits(smaller, slice(None))[:, :WORDS], rtol=0, atol=1e-4)
