"""Language models: their parts, read at once and step by step.

Also tests: layers/embedding.py, layers/output.py, models/embedded_stack.py.
"""

import pytest
import torch
from torch.testing import assert_close

from regard.attention import Padding
from regard.models import (
    AttentionConfig,
    ClassificationHeadConfig,
    Decoder,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)

VOCABULARY, WIDTH, LENGTH = 31, 16, 11
LENGTHS = [11, 4, 1, 7]

learned = PositionConfig("learned", {"length": 40, "width": WIDTH})
rotary = PositionConfig("rotary", {"head_width": 6})
STYLES = {
    "gpt": (learned, {}),
    "first-gpt": (learned, {"pre_norm": False, "final_norm": False}),
    "llama": (
        rotary,
        {"norm": NormConfig("rms"), "feed_forward": FeedForwardConfig(24, "silu", gated=True, bias=False)},
    ),
    "windowed": (rotary, {"window": 3}),
    "one-position-window": (rotary, {"window": 1}),
    "alibi": (PositionConfig("alibi", {"heads": 4}), {}),
    "buckets": (PositionConfig("buckets", {"heads": 4, "both_ways": False}), {}),
    "sinusoidal": (PositionConfig("sinusoidal", {"width": WIDTH}), {"layers": 1}),
}
styles = pytest.mark.parametrize("style", STYLES)


def config(style, **asked):
    position, changes = STYLES[style]
    shape = {
        "layers": 2,
        "width": WIDTH,
        "attention": AttentionConfig(4, 6, 2),
        "feed_forward": FeedForwardConfig(24, "gelu"),
    }
    return DecoderConfig(
        EmbeddedStackConfig(EmbeddingConfig(VOCABULARY), StackConfig(**(shape | changes)), position), **asked
    )


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


def text():
    return torch.randint(0, VOCABULARY, (len(LENGTHS), LENGTH))


def sides(tokens, lengths=LENGTHS):
    """The same texts padded on the left and on the right: (tokens, real) each."""
    for side in ("left", "right"):
        attention_mask = Padding.from_lengths(lengths, side, tokens.shape[1]).attention_mask
        laid = torch.randint(0, VOCABULARY, tokens.shape)
        for row, length in enumerate(lengths):
            laid[row, attention_mask[row]] = tokens[row, :length]
        yield laid, attention_mask


@styles
def test_one_by_one_after_a_prompt_gives_the_scores_of_the_full_pass(style):
    model, tokens = Decoder(config(style)).eval(), text()
    expected = model(tokens)
    scores, state = model.step(model.start(), tokens[:, :5])
    assert_close(scores, expected[:, 4:5])
    for column in range(5, LENGTH):
        scores, state = model.step(state, tokens[:, column : column + 1])
        assert_close(scores, expected[:, column : column + 1])
    assert state.length == LENGTH


@styles
def test_several_tokens_after_a_prompt_give_the_scores_of_the_full_pass(style):
    model, tokens = Decoder(config(style)).eval(), text()
    _, state = model.step(model.start(), tokens[:, :4])
    scores, _ = model.step(state, tokens[:, 4:])
    assert_close(scores, model(tokens)[:, -1:])


@styles
def test_padding_on_either_side_changes_no_score(style):
    model, tokens = Decoder(config(style)).eval(), text()
    alone = [model(tokens[row : row + 1, :length])[0] for row, length in enumerate(LENGTHS)]
    for laid, attention_mask in sides(tokens):
        found = model(laid, attention_mask=attention_mask)
        for row, expected in enumerate(alone):
            assert_close(found[row, attention_mask[row]], expected, rtol=0, atol=1e-5)


@styles
def test_a_padded_prompt_goes_on_as_if_alone(style):
    model, tokens = Decoder(config(style)).eval(), text()
    more = torch.randint(0, VOCABULARY, (len(LENGTHS), 4))
    for laid, attention_mask in sides(tokens):
        scores, state = model.step(model.start(), laid, attention_mask)
        found = [scores]
        for column in range(more.shape[1]):
            scores, state = model.step(state, more[:, column : column + 1])
            found.append(scores)
        for row, length in enumerate(LENGTHS):
            whole = torch.cat([tokens[row, :length], more[row]])[None]
            assert_close(torch.cat(found, 1)[row], model(whole)[0, length - 1 :], rtol=0, atol=1e-5)


@styles
def test_select_reorders_repeats_and_drops(style):
    model, tokens = Decoder(config(style)).eval(), text()
    rows = torch.tensor([3, 0, 3])
    laid, attention_mask = next(sides(tokens))
    _, state = model.step(model.start(), laid, attention_mask)
    more = torch.randint(0, VOCABULARY, (len(rows), 2))
    state = state.select(rows)
    for column in range(2):
        scores, state = model.step(state, more[:, column : column + 1])
    for position, row in enumerate(rows.tolist()):
        whole = torch.cat([tokens[row, : LENGTHS[row]], more[position]])[None]
        assert_close(scores[position, 0], model(whole)[0, -1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("pool", ["first", "last", "mean", None])
def test_labels_are_the_same_whatever_the_padding(pool):
    model = Decoder(config("llama", output=None, classify=ClassificationHeadConfig(3, pool))).eval()
    tokens = text()
    alone = [model(tokens[row : row + 1, :length])[0] for row, length in enumerate(LENGTHS)]
    for laid, attention_mask in sides(tokens):
        for row, found in enumerate(model(laid, attention_mask=attention_mask)):
            assert_close(found if pool else found[attention_mask[row]], alone[row], rtol=0, atol=1e-5)


def test_no_token_sees_what_follows_it():
    model, tokens = Decoder(config("gpt")).eval(), text()
    changed = tokens.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % VOCABULARY
    assert torch.equal(model(tokens)[:, :6], model(changed)[:, :6])
    assert not torch.allclose(model(tokens)[:, 6:], model(changed)[:, 6:])


def test_a_model_that_is_asked_nothing_gives_its_vectors():
    model, tokens = Decoder(config("gpt", output=None)).eval(), text()
    assert torch.equal(model(tokens), model.hidden(tokens))


def test_a_tied_output_has_no_weights_of_its_own():
    tied, untied = (Decoder(config("gpt", output=OutputConfig(tied))) for tied in (True, False))
    assert tied.output.weight is tied.decoder.embedding.table.weight
    count = {model: sum(parameter.numel() for parameter in model.parameters()) for model in (tied, untied)}
    assert count[untied] - count[tied] == VOCABULARY * WIDTH
