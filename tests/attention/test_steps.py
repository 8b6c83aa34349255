"""The patterns of decoding steps, joined, are the pattern of the whole."""

import pytest
import torch
from attention.test_attend import Watcher, random_heads
from torch.testing import assert_close

from regard.attention import (
    AlibiBias,
    BucketBias,
    Cache,
    Causal,
    DenseMask,
    Dot,
    Kernel,
    Padding,
    Pattern,
    Shaw,
    TopK,
    Window,
    XLScore,
    attend,
)
from regard.errors import RegardError, ShapeError

TOLD = {
    "plain": {},
    "alibi": {"bias": AlibiBias(torch.rand(4))},
    "buckets": {"bias": BucketBias(torch.randn(4, 9))},
    "shaw": {"score": Shaw(torch.randn(4, 5, 8))},
    "xl": {"score": XLScore(torch.randn(4, 8), torch.randn(4, 8), torch.randn(4, 9, 8))},
    "kernel": {"score": Kernel()},
    "hard": {"normaliser": TopK(2)},
}


def decoded(heads, lengths, told, mask):
    """The patterns of a decode that reads so many tokens at a time, with a cache."""
    query, key, value = heads
    cache, watcher, start = Cache(), Watcher(), 0
    for length in lengths:
        now = slice(start, start + length)
        keys, values = cache.extend(key[:, :, now], value[:, :, now])
        attend(query[:, :, now], keys, values, **told, mask=mask(start + length), taps=(watcher,))
        start += length
    return watcher.seen


@pytest.mark.parametrize("lengths", [[1] * 9, [4, 1, 1, 1, 1, 1], [3, 2, 4], [9]], ids=str)
@pytest.mark.parametrize("told", TOLD)
def test_steps_with_a_growing_cache_join_to_the_whole(told, lengths):
    heads = [tensor.detach() for tensor in random_heads(queries=9, keys=9)]
    whole = Pattern(*heads[:2], **TOLD[told], mask=Causal())
    joined = Pattern.join(decoded(heads, lengths, TOLD[told], lambda length: Causal()))
    assert_close(joined.weights(), whole.weights())
    assert_close(joined[:, 1, 2:7, 3], whole[:, 1, 2:7, 3])
    assert_close(joined.received(), whole.received())
    if told not in ("kernel", "hard"):
        assert_close(joined.logsumexp, whole.logsumexp)


def test_one_query_at_a_time_needs_no_causal_mask():
    heads = [tensor.detach() for tensor in random_heads(queries=5, keys=5)]
    steps = decoded(heads, [1] * 5, {}, lambda length: None)
    assert_close(Pattern.join(steps).weights(), Pattern(*heads[:2], mask=Causal()).weights())


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_and_windows_are_joined_too(side):
    heads = [tensor.detach() for tensor in random_heads(queries=7, keys=7)]
    attention_mask = Padding.from_lengths([4, 7], side, 7).attention_mask

    def mask(length):
        return Causal() & Window(3) & Padding(attention_mask[:, :length])

    steps = decoded(heads, [3, 1, 1, 1, 1], {}, mask)
    assert_close(Pattern.join(steps).weights(), Pattern(*heads[:2], mask=mask(7)).weights())


def test_steps_over_fixed_keys_join_to_the_whole():
    query, key, _ = (tensor.detach() for tensor in random_heads(queries=5, keys=8))
    mask = Padding.from_lengths([6, 8])
    steps = [Pattern(query[:, :, row : row + 1], key, mask=mask) for row in range(5)]
    joined, whole = Pattern.join(steps), Pattern(query, key, mask=mask)
    assert joined.shape == (2, 4, 5, 8)
    assert_close(joined.weights(), whole.weights())
    assert_close(joined.entropy(), whole.entropy())


def test_edits_of_the_steps_are_joined():
    heads = [tensor.detach() for tensor in random_heads(queries=5, keys=5)]
    steps = [
        step.hide([0]).with_temperature(2.0, 1).scale(0, 3)
        for step in decoded(heads, [2, 1, 1, 1], {}, lambda _: Causal())
    ]
    steps[2] = steps[2].set(torch.tensor([0.25, 0.25, 0.5, 0]), heads=2, rows=0)  # the fourth token
    whole = Pattern(*heads[:2], mask=Causal()).hide([0]).with_temperature(2.0, 1).scale(0, 3)
    whole = whole.set(torch.tensor([0.25, 0.25, 0.5, 0, 0]), heads=2, rows=3)
    joined = Pattern.join(steps)
    assert_close(joined.weights(), whole.weights())
    assert torch.equal(joined.gate, whole.gate)


def test_steps_that_do_not_follow_each_other_are_refused():
    query, key, _ = random_heads(queries=1, keys=9)
    steps = [Pattern(query, key[:, :, :length]) for length in (3, 5, 6)]
    with pytest.raises(
        ShapeError, match=r"keys that stay, or grow by the queries of each step, expected, got \[3, 5, 6\] keys"
    ):
        Pattern.join(steps)
    with pytest.raises(ShapeError, match="there are no steps to join"):
        Pattern.join([])


def test_a_joined_pattern_does_not_need_the_kernel_again():
    heads = [tensor.detach() for tensor in random_heads(queries=4, keys=4)]
    joined = Pattern.join(decoded(heads, [1] * 4, {}, lambda length: Causal()))
    assert joined.row_statistics is not None
    assert isinstance(joined.score, Dot)


def prompt_that_sees_ahead(query, key):
    return [Pattern(query[:, :, :2], key[:, :, :2]), Pattern(query[:, :, 2:3], key[:, :, :3])]


def fixed_keys_and_positions(query, key):
    return [Pattern(query[:, :, [row]], key, bias=AlibiBias(torch.rand(4))) for row in range(3)]


def fixed_keys_and_distances(query, key):
    return [Pattern(query[:, :, [row]], key, Shaw(torch.randn(4, 5, 8))) for row in range(3)]


def masks_written_out(query, key):
    allowed = torch.tensor([[True, True, False], [True, False, True]])
    return [
        Pattern(query[:, :, [row]], key[:, :, : row + 2], mask=DenseMask(allowed[[row], : row + 2])) for row in range(2)
    ]


def test_masks_written_out_for_each_step_are_put_together():
    query, key, _ = (tensor.detach() for tensor in random_heads(queries=4, keys=4))
    steps = masks_written_out(query, key)
    joined = Pattern.join(steps)
    for row, step in enumerate(steps):
        assert_close(joined[:, :, row, : row + 2], step[:, :, 0])
        assert not joined[:, :, row, row + 2 :].any()


def windowed(query, key, window, pads):
    """Steps with a cache that keeps the last keys of a window, for a batch whose first text is padded on the left."""
    steps, attention_mask = [], torch.ones(len(query), key.shape[2], dtype=torch.bool)
    attention_mask[0, :pads] = False
    positions = torch.where(attention_mask, attention_mask.cumsum(-1) - 1, -1)
    for row in range(query.shape[2]):
        first = max(row - window + 1, 0)
        here = slice(first, row + 1)
        steps.append(
            Pattern(
                query[:, :, [row]],
                key[:, :, here],
                mask=Padding(attention_mask[:, here]),
                query_positions=positions[:, [row]],
                key_positions=positions[:, here],
                first_key=first,
            )
        )
    return steps, positions


def test_keys_that_a_cache_has_dropped_are_there_again():
    query, key, _ = (tensor.detach() for tensor in random_heads(queries=6, keys=6))
    steps, positions = windowed(query, key, window=3, pads=1)
    joined = Pattern.join(steps)
    assert torch.equal(joined.key, key)
    assert joined.positions.tolist() == positions.tolist()
    for row, step in enumerate(steps):
        first = step.first_key
        assert_close(joined[:, :, row, first : row + 1], step[:, :, 0])
        assert not joined[:, :, row, :first].any()
        assert not joined[:, :, row, row + 1 :].any()


def test_a_token_is_hidden_in_every_step_that_still_has_it():
    query, key, _ = (tensor.detach() for tensor in random_heads(queries=6, keys=6))
    steps, _ = windowed(query, key, window=3, pads=1)
    hidden = [step.hide([1]) if int(step.positions.max()) >= 1 else step for step in steps]
    for number, step in enumerate(hidden):
        weights = step.weights()
        for member, column in ((0, 2), (1, 1)):  # where the token stands in each text
            at = column - step.first_key
            if 0 <= at < step.shape[3]:
                assert not weights[member, :, 0, at].any(), number
    joined = Pattern.join(hidden[2:])
    assert not joined[0, :, :, 2 - joined.first_key].any()


@pytest.mark.parametrize("steps", [prompt_that_sees_ahead, fixed_keys_and_positions, fixed_keys_and_distances])
def test_steps_that_would_look_otherwise_in_the_whole_are_refused(steps):
    query, key, _ = (tensor.detach() for tensor in random_heads(queries=4, keys=4))
    with pytest.raises(RegardError, match="steps in which every query looks as it would in the whole expected"):
        Pattern.join(steps(query, key))
