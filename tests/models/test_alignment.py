"""Every recurrent translator of the papers equals its equations, in teacher forcing and step by step.

Also tests: layers/alignment_attention.py, layers/deep_output.py.
"""

import math
from dataclasses import replace

import pytest
import torch
from models.plain_alignment import written
from torch.testing import assert_close

import regard
from regard.architectures.weights import count_weights
from regard.attention import SCORES, Additive, Dot, Pattern
from regard.errors import RegardError, ShapeError
from regard.models import AlignConfig, Aligner, AlignerConfig, OutputConfig, RecurrentConfig
from regard.models.alignment import build_alignment

SOURCE = torch.tensor([[5, 6, 7, 8, 9, 3], [10, 4, 12, 0, 0, 0], [2, 1, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 4, 3, 2], [1, 13, 2, 0], [1, 7, 0, 0]])
REAL, TARGET_REAL = SOURCE > 0, TARGET > 0
CLOSE = {"rtol": 0, "atol": 1e-10}
SIDES = RecurrentConfig(14, 6, 4, 2), RecurrentConfig(15, 6, 8, 2)

BAHDANAU = AlignerConfig(*SIDES, AlignConfig("additive", "before", score_width=5))
LUONG = AlignerConfig(*SIDES, AlignConfig("bilinear", "after"), deep="tanh", skips=False)
MODELS = {
    "bahdanau": BAHDANAU,
    "bahdanau, lstm": replace(BAHDANAU, cell="lstm", deep="tanh"),
    "general": LUONG,
    "dot, fed": replace(LUONG, align=AlignConfig("dot", "after"), feeding=True, cell="lstm"),
    "cosine": replace(LUONG, align=AlignConfig("cosine", "after")),
    "concat, fed": replace(LUONG, align=AlignConfig("additive", "after"), feeding=True),
    "additive, fed": replace(BAHDANAU, feeding=True),
    "multihead": replace(LUONG, align=AlignConfig("multihead", "after", heads=2)),
    "multihead, before": replace(BAHDANAU, align=AlignConfig("multihead", "before", heads=4)),
    "multihead, between": replace(
        LUONG, align=AlignConfig("multihead", "between", 2), narrow=7, begins=False, deep=None
    ),
    "local-m": replace(LUONG, align=AlignConfig("dot", "after", local="monotonic", reach=1)),
    "local-p": replace(LUONG, align=AlignConfig("bilinear", "after", local="predictive", reach=2)),
    "local-m, before": replace(BAHDANAU, align=AlignConfig(local="monotonic", reach=1)),
    "local-p, fed": replace(LUONG, align=AlignConfig("dot", "after", local="predictive", reach=3), feeding=True),
    "none": replace(BAHDANAU, align=None),
    "none, fed": replace(BAHDANAU, align=None, feeding=True, cell="lstm"),
    "one table": replace(
        BAHDANAU, reads=SIDES[1], writes=SIDES[1], shared=True, output=OutputConfig(tied=True), begins=False
    ),
}
LOOKING = [name for name, config in MODELS.items() if config.align is not None]


def model(name):
    torch.manual_seed(3)
    made = Aligner(MODELS[name]).double().eval()
    for weight in made.parameters():  # large enough for looks to differ from each other
        weight.data = torch.randn_like(weight) / math.sqrt(weight.shape[-1])
    return made


def left(x, attention_mask):
    """The same texts with their padding on the left."""
    return torch.stack([row.roll(int((~mine).sum())) for row, mine in zip(x, attention_mask, strict=True)])


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_a_batch_with_padding_gives_what_the_equations_give_for_each_pair_alone(name):
    network = model(name)
    logits = network(SOURCE, TARGET, attention_mask=REAL, target_attention_mask=TARGET_REAL)
    for row in range(len(SOURCE)):
        expected, _ = written(network, SOURCE[row][REAL[row]], TARGET[row][TARGET_REAL[row]])
        assert_close(logits[row][TARGET_REAL[row]], expected, **CLOSE)


@pytest.mark.parametrize("name", LOOKING)
@torch.no_grad()
def test_the_patterns_hold_the_weights_of_the_equations(name):
    network = model(name)
    with regard.watch(network, values=True) as seen:
        network(SOURCE, TARGET, attention_mask=REAL, target_attention_mask=TARGET_REAL)
    assert list(seen) == ["align"]
    (pattern,) = seen.all("align")
    for row in range(len(SOURCE)):
        _, expected = written(network, SOURCE[row][REAL[row]], TARGET[row][TARGET_REAL[row]])
        found = pattern[row][:, TARGET_REAL[row]]
        assert_close(found[..., REAL[row]], expected, **CLOSE)
        assert not found[..., ~REAL[row]].any()
        assert_close(pattern.top(2).weights[row][:, TARGET_REAL[row]], expected.topk(2).values, **CLOSE)


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_steps_give_the_logits_of_teacher_forcing_and_join_to_its_pattern(name):
    network = model(name)
    expected = network(SOURCE, TARGET, attention_mask=REAL)
    state = network.start(SOURCE, REAL)
    for position in range(TARGET.shape[1]):
        logits, state = network.step(state, TARGET[:, position : position + 1])
        assert_close(logits, expected[:, position : position + 1], **CLOSE)
    if name not in LOOKING:
        return
    with regard.watch(network) as seen:
        network(SOURCE, TARGET, attention_mask=REAL)
        whole = seen["align"]
        state = network.start(SOURCE, REAL)
        for position in range(TARGET.shape[1]):
            _, state = network.step(state, TARGET[:, position : position + 1])
    steps = seen.all("align")[1:]
    assert len(steps) == TARGET.shape[1]
    assert_close(Pattern.join(steps).weights(), whole.weights(), **CLOSE)


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_padding_may_stand_anywhere(name):
    network = model(name)
    expected = network(SOURCE, TARGET, attention_mask=REAL)
    moved = left(SOURCE, REAL), left(REAL, REAL)
    assert_close(network(moved[0], TARGET, attention_mask=moved[1]), expected, **CLOSE)
    holes, attention_mask = SOURCE[:, [0, 3, 1, 4, 2, 5]], REAL[:, [0, 3, 1, 4, 2, 5]]
    rows = [1, 2]  # their words stay in order
    assert_close(network(holes[rows], TARGET[rows], attention_mask=attention_mask[rows]), expected[rows], **CLOSE)
    target, target_attention_mask = left(TARGET, TARGET_REAL), left(TARGET_REAL, TARGET_REAL)
    found = network(SOURCE, target, attention_mask=REAL, target_attention_mask=target_attention_mask)
    assert_close(found[target_attention_mask], expected[TARGET_REAL], **CLOSE)


@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_a_prompt_may_be_read_at_once_and_members_reordered_repeated_and_dropped(name):
    network = model(name)
    prompt, attention_mask = left(TARGET, TARGET_REAL), left(TARGET_REAL, TARGET_REAL)
    logits, state = network.step(network.start(SOURCE, REAL), prompt, attention_mask)
    rows = torch.tensor([2, 2, 0, 0])
    following, state = network.step(state.select(rows), torch.tensor([[3], [4], [5], [6]]))
    last, state = network.step(state.select(torch.tensor([3, 0, 1])), torch.tensor([[7], [8], [9]]))
    for row in range(3):
        expected, _ = written(network, SOURCE[row][REAL[row]], TARGET[row][TARGET_REAL[row]])
        assert_close(logits[row, 0], expected[-1], **CLOSE)
    texts = [(2, [3]), (2, [4]), (0, [5]), (0, [6])]
    for found, (row, more) in zip(following[:, 0], texts, strict=True):
        text = [*TARGET[row][TARGET_REAL[row]].tolist(), *more]
        assert_close(found, written(network, SOURCE[row][REAL[row]], text)[0][-1], **CLOSE)
    for found, (number, token) in zip(last[:, 0], [(3, 7), (0, 8), (1, 9)], strict=True):
        row, more = texts[number]
        text = [*TARGET[row][TARGET_REAL[row]].tolist(), *more, token]
        assert_close(found, written(network, SOURCE[row][REAL[row]], text)[0][-1], **CLOSE)


@pytest.mark.parametrize("name", MODELS)
def test_gradients_are_those_of_the_equations(name):
    network = model(name)
    logits = network(SOURCE, TARGET, attention_mask=REAL)
    logits[TARGET_REAL].square().sum().backward()
    found = {path: weight.grad.clone() for path, weight in network.named_parameters() if weight.grad is not None}
    network.zero_grad()
    for row in range(len(SOURCE)):
        expected, _ = written(network, SOURCE[row][REAL[row]], TARGET[row][TARGET_REAL[row]])
        expected.square().sum().backward()
    for path, weight in network.named_parameters():
        assert_close(found[path], weight.grad, rtol=1e-7, atol=1e-8)


def test_additive_on_weights_made_by_hand_is_a_closed_form():
    # tanh(q + k) with q = 0 or a large number: a key of 0.5 counts tanh(0.5), or all keys count alike.
    align = build_alignment(AlignConfig("additive", score_width=1), 1, 1)
    for weight, number in (
        (align.score.query_weight, 1.0),
        (align.score.key_weight, 1.0),
        (align.score.vector, 2.0),
    ):
        weight.data.fill_(number)
    source = torch.tensor([[[0.5], [-0.5], [0.0]]])
    gathered = align(torch.tensor([[[0.0], [20.0]]]), source)
    up, down = math.exp(2 * math.tanh(0.5)), math.exp(-2 * math.tanh(0.5))
    assert_close(gathered[0, 0, 0].item(), 0.5 * (up - down) / (up + down + 1), rtol=0, atol=1e-6)
    assert_close(gathered[0, 1, 0].item(), 0.0, rtol=0, atol=1e-6)


def test_general_on_weights_made_by_hand_is_a_closed_form():
    # A matrix that turns the plane by a quarter: the query looks at the key a quarter ahead of it.
    align = build_alignment(AlignConfig("bilinear", "after"), 2, 2)
    align.score.weight.data = math.log(3) * torch.tensor([[[0.0, 1.0], [-1.0, 0.0]]])
    source = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]])
    gathered = align(torch.tensor([[[1.0, 0.0]]]), source)
    assert_close(gathered[0, 0], torch.tensor([0.0, 3 / 5]))  # weights 1/5, 3/5, 1/5
    identity = build_alignment(AlignConfig("bilinear", "after"), 2, 2)
    identity.score.weight.data = torch.eye(2)[None]
    query = torch.randn(1, 3, 2)
    assert_close(identity(query, source), build_alignment(AlignConfig("dot", "after"), 2, 2)(query, source))


@pytest.mark.parametrize("name", [name for name, score in SCORES.items() if not score.is_relative])
def test_every_score_without_distances_can_align(name):
    network = Aligner(replace(LUONG, align=AlignConfig(name, "after"))).eval()
    with regard.watch(network) as seen:
        logits = network(SOURCE, TARGET, attention_mask=REAL, target_attention_mask=TARGET_REAL)
    weights = seen["align"].weights()
    assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert not weights[1, ..., 3:].any()
    assert count_weights(network.config).total() == sum(part.numel() for part in network.parameters())
    other = SOURCE.clone()
    other[0, 2] = 11
    assert not torch.allclose(network(other, TARGET)[0], logits[0])


def test_a_local_look_is_refused_where_weights_are_no_softmax():
    with pytest.raises(ShapeError, match="a local look weighs by a softmax, a score of kind 'kernel' does not"):
        build_alignment(AlignConfig("kernel", local="monotonic"), 8, 8)


def test_scores_become_what_the_table_of_scores_says():
    network = model("general")
    with regard.watch(network) as seen:
        network(SOURCE, TARGET)
    assert seen["align"].score == Dot(1.0)
    network = model("bahdanau")
    with regard.watch(network) as seen:
        network(SOURCE, TARGET)
    assert isinstance(seen["align"].score, Additive)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (AlignConfig("dot", "after"), "'dot' compares equal widths, got a state of 8, a source of 6"),
        (AlignConfig("cosine"), "'cosine' compares equal widths"),
        (AlignConfig("shaw"), "no distance .* additive, bilinear, cosine, .* expected, got 'shaw'"),
        (AlignConfig("bilinaer"), "did you mean 'bilinear'"),
        (AlignConfig("multihead", heads=2, local="predictive"), "a local look is of one head"),
        (AlignConfig(local="sideways"), "unknown local look 'sideways'"),
        (AlignConfig("multihead", heads=3), "cannot be split into 3 heads"),
    ],
)
def test_what_cannot_be_built_is_said_in_a_line(config, message):
    with pytest.raises(RegardError, match=message):
        build_alignment(config, 8, 6)


def test_a_local_look_reaches_somewhere():
    network = Aligner(replace(BAHDANAU, align=AlignConfig(local="monotonic", reach=0)))
    with pytest.raises(ShapeError, match="reaches 1 position or more"):
        network(SOURCE, TARGET)


def test_without_attention_there_is_nothing_to_watch():
    with pytest.raises(RegardError, match="no attention layer"), regard.watch(model("none")):
        pass
