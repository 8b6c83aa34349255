"""Alone or in a batch, in any order, streamed or not, watched or not: the same answer, from real models.

Also tests: decoding/streaming.py.
"""

import pytest
import torch

import regard
from regard.decoding import Beam, Constraints, Sampling, StreamedToken, decode, stream
from regard.models import (
    AttentionConfig,
    Decoder,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    Transformer,
    TransformerConfig,
)

VOCABULARY, START, END, LONGEST = 23, 1, 2, 6
LENGTHS = (6, 1, 4, 0, 3)
RULES = Constraints(ends=(END,), banned=(0,))


def side(position=True):
    stack = StackConfig(2, 16, AttentionConfig(4, kv_heads=2), FeedForwardConfig(24))
    turned = PositionConfig("rotary", {"head_width": 4}) if position else PositionConfig("none", {})
    return EmbeddedStackConfig(EmbeddingConfig(VOCABULARY), stack, turned)


def sharpened(model):
    """Random weights that find some words likelier than others."""
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.6)
    return model.eval()


@pytest.fixture(scope="module")
def translator():
    torch.manual_seed(2)
    return sharpened(Transformer(TransformerConfig(side(), side(), OutputConfig(tied=False))))


@pytest.fixture(scope="module")
def writer():
    torch.manual_seed(5)
    return sharpened(Decoder(DecoderConfig(side(), OutputConfig(tied=False))))


def asked(kind, chosen, left=False):
    """Texts of several lengths, padded on the right or on the left; a prompt has one token more."""
    numbers = torch.randint(3, VOCABULARY, (len(LENGTHS), max(LENGTHS)), generator=torch.Generator().manual_seed(0))
    rows = [numbers[row, : LENGTHS[row]].tolist() for row in chosen]
    rows = [[START, *row] for row in rows] if kind == "writer" else rows
    longest = max(map(len, rows))
    pads = [[0] * (longest - len(row)) for row in rows]
    tokens = torch.tensor([pad + row if left else row + pad for row, pad in zip(rows, pads, strict=True)]).long()
    attention_mask = torch.tensor([[position < len(row) for position in range(longest)] for row in rows]).bool()
    tokens, attention_mask = (
        tokens.reshape(len(rows), longest),
        (attention_mask.flip(1) if left else attention_mask).reshape(len(rows), longest),
    )
    if kind == "writer":
        return {"source": None, "prefix": tokens, "prefix_attention_mask": attention_mask}
    return {"source": tokens, "attention_mask": attention_mask, "prefix": torch.full((len(rows), 1), START)}


WAYS = {
    "greedy": {},
    "beam": {"beam": 4, "num_hypotheses": 3},
    "patient beam": {"beam": Beam(3, early_stop=False), "length_penalty": 0.7, "num_hypotheses": 2},
    "rules": {"beam": 3, "constraints": Constraints(ends=(END,), no_repeat=2, repetition_penalty=1.2)},
    "sample": {"sampling": Sampling(0.8, seed=7)},
    "several samples": {"sampling": Sampling(top_p=0.9, seed=7), "num_hypotheses": 3},
}


def plain(found):
    return [[(text.ids, text.is_finished) for text in one.hypotheses] for one in found]


@pytest.fixture(params=["model", "engine"])
def stepping(request, monkeypatch):
    """Who takes the steps; where there is no engine, the model does."""
    if request.param == "model":
        monkeypatch.setenv("REGARD_ENGINE", "off")


@pytest.mark.usefixtures("stepping")
@pytest.mark.parametrize("kind", ["translator", "writer"])
@pytest.mark.parametrize("way", WAYS)
def test_neighbours_order_and_padding_change_nothing(request, kind, way):
    model, told = request.getfixturevalue(kind), {"max_new_tokens": LONGEST, "constraints": RULES} | WAYS[way]
    everyone = range(len(LENGTHS))
    together = decode(model, **asked(kind, everyone), **told)
    assert len({one.best.ids for one in together}) > 1
    alone = [decode(model, **asked(kind, [row]), **told)[0] for row in everyone]
    assert plain(alone) == plain(together)
    order = [4, 1, 0, 3, 2]
    shuffled = decode(model, **asked(kind, order, left=True), **told)
    assert plain(shuffled) == plain([together[row] for row in order])
    for one, other in zip(together, alone, strict=True):
        assert [text.rank_score for text in one.hypotheses] == pytest.approx(
            [t.rank_score for t in other.hypotheses], abs=1e-4
        )


@pytest.mark.parametrize("kind", ["translator", "writer"])
def test_the_scores_of_a_beam_are_those_of_reading_all_at_once(request, kind):
    model = request.getfixturevalue(kind)
    given = asked(kind, range(len(LENGTHS)))
    for row, one in enumerate(
        decode(model, **given, beam=4, num_hypotheses=4, max_new_tokens=LONGEST, constraints=RULES)
    ):
        for text in one.hypotheses:
            written = [*text.ids, *([END] if text.is_finished else [])]
            with torch.no_grad():
                if kind == "writer":
                    before = given["prefix"][row, given["prefix_attention_mask"][row]].tolist()
                    logits = model(torch.tensor([[*before, *written]]))[0, len(before) - 1 : -1]
                else:
                    source = given["source"][row : row + 1, given["attention_mask"][row]]
                    logits = model(source, torch.tensor([[START, *written[:-1]]]))[0]
            told = logits.log_softmax(-1)[range(len(written)), written].tolist()
            assert text.scores == pytest.approx(told, abs=1e-4)


@pytest.mark.parametrize("kind", ["translator", "writer"])
@pytest.mark.parametrize("way", ["greedy", "sample"])
def test_what_is_streamed_is_what_is_written(request, kind, way):
    model, told = request.getfixturevalue(kind), {"max_new_tokens": LONGEST, "constraints": RULES} | WAYS[way]
    given = asked(kind, range(len(LENGTHS)))
    whole = decode(model, **given, **told)
    tokens = list(stream(model, **given, **told))
    assert all(isinstance(token, StreamedToken) for token in tokens)
    for row, one in enumerate(whole):
        mine = [token for token in tokens if token.row == row]
        assert tuple(token.id for token in mine if not token.is_end) == one.best.ids
        assert tuple(token.score for token in mine) == pytest.approx(one.best.scores)
        assert [token.is_end for token in mine[:-1]] == [False] * (len(mine) - 1)


def test_a_stream_takes_no_step_before_it_is_asked(writer, monkeypatch):
    monkeypatch.setenv("REGARD_ENGINE", "off")
    steps, step = [], writer.step
    monkeypatch.setattr(writer, "step", lambda *told: steps.append(1) or step(*told))
    tokens = stream(writer, **asked("writer", [0]), max_new_tokens=LONGEST)
    assert not steps
    next(tokens)
    assert len(steps) == 1
    assert torch.is_grad_enabled()
    next(tokens)
    assert len(steps) == 2


@pytest.mark.parametrize("way", ["greedy", "beam", "several samples"])
def test_watching_changes_no_answer_and_sees_every_member(translator, way):
    told, given = {"max_new_tokens": 4} | WAYS[way], asked("translator", [0, 2])
    before = decode(translator, **given, **told)
    with regard.watch(translator, "decoder.1.cross") as seen:
        watched = decode(translator, **given, **told)
    assert plain(before) == plain(watched)
    patterns = seen.all("decoder.1.cross")
    beams = {"greedy": 1, "beam": 4, "several samples": 3}[way]
    assert [pattern.shape for pattern in patterns] == [(2, 4, 1, 6)] + [(2 * beams, 4, 1, 6)] * 3
    assert torch.allclose(patterns[-1].weights().sum(-1), torch.ones(2 * beams, 4, 1))
    assert patterns[-1][beams:, :, :, 4:].eq(0).all()  # the padding of the second source


def test_an_edit_works_under_a_beam(translator):
    given = asked("translator", [0, 2])
    hidden = given["source"].clone()
    with regard.edit(translator) as edit:
        edit.hide(source=[1])
        found = decode(translator, **given, beam=3, max_new_tokens=5, constraints=RULES)
        with torch.no_grad():
            ids = found[0].best.ids
            told = translator(given["source"][:1], torch.tensor([[START, *ids[:-1]]])).log_softmax(-1)
    assert found[0].best.scores[: len(ids)] == pytest.approx(told[0, range(len(ids)), ids].tolist(), abs=1e-4)
    assert torch.equal(hidden, given["source"])


def test_a_row_that_nobody_wants_leaves_and_the_others_write_on(writer):
    options = asked("writer", (0, 2, 4), left=True) | {"max_new_tokens": LONGEST, "constraints": RULES}
    whole = list(stream(writer, **options))
    counts = {row: sum(token.row == row for token in whole) for row in range(3)}
    assert counts[1] > 2
    written = [0, 0, 0]
    streamed = []
    for token in stream(writer, **options, is_wanted=lambda row: row != 1 or written[1] < 2):
        written[token.row] += 1
        streamed.append(token)
    assert written == [counts[0], 2, counts[2]]
    for row in (0, 2):
        assert [token for token in streamed if token.row == row] == [token for token in whole if token.row == row]
