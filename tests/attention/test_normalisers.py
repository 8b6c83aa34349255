"""Every normaliser: a tile from the summary is that of the whole row; the forbidden gets exactly nothing."""

import pytest
import torch
from attention.plain import NORMALISER_EXAMPLES
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import (
    NORMALISERS,
    Causal,
    DenseMask,
    Pattern,
    Sink,
    Softmax,
    SumNormaliser,
    TopK,
    Unnormalised,
    attend,
)
from regard.errors import ShapeError


def some_scores(dtype=torch.float32):
    """Positive, some forbidden, one row wholly so."""
    scores = torch.rand(2, 3, 4, 9, dtype=dtype) + 0.1
    scores[torch.rand(2, 3, 4, 9) < 0.3] = -torch.inf
    scores[0, 1, 2] = -torch.inf
    return scores


@pytest.mark.parametrize("name", NORMALISER_EXAMPLES)
def test_whole_rows_equal_the_definition(name):
    normaliser, plain = NORMALISER_EXAMPLES[name]
    scores = some_scores()
    assert_close(normaliser.whole(scores.clone(), torch.arange(9)), plain(scores))


@pytest.mark.parametrize("name", NORMALISERS)
def test_the_forbidden_gets_nothing_and_the_rest_adds_up_as_it_should(name):
    normaliser, scores = NORMALISERS[name].example(heads=3), some_scores()
    weights = normaliser.whole(scores.clone(), torch.arange(9))
    assert (weights[scores == -torch.inf] == 0).all()
    least, most = normaliser.sums
    sums = weights.sum(-1)[(scores > -torch.inf).any(-1)]
    assert (sums >= least - 1e-6).all()
    assert (sums <= most + 1e-6).all()


@pytest.mark.parametrize("name", NORMALISERS)
@pytest.mark.parametrize("columns", [slice(0, 9), slice(2, 5), slice(8, 9)], ids=str)
def test_a_tile_and_the_summary_give_that_part_of_the_row(name, columns):
    normaliser = NORMALISERS[name].example(heads=3)
    scores, positions = some_scores(), torch.arange(20, 29)
    summary = normaliser.row_statistics(scores.clone(), positions)
    assert all(part.shape[:-1] == scores.shape[:-1] for part in summary)
    tile = normaliser.weights(scores[..., columns].clone(), summary, positions[columns])
    assert_close(tile, normaliser.whole(scores.clone(), positions)[..., columns])


@pytest.mark.parametrize("name", NORMALISERS)
def test_some_heads_keep_what_is_theirs(name):
    normaliser, scores = NORMALISERS[name].example(heads=3), some_scores()
    some, whole = torch.tensor([2, 0]), normaliser.whole(scores.clone(), torch.arange(9))
    assert_close(normaliser.heads(some).whole(scores[:, some], torch.arange(9)), whole[:, some])


@pytest.mark.parametrize("name", NORMALISERS)
def test_no_keys_give_no_weights(name):
    normaliser = NORMALISERS[name].example(heads=2)
    scores, positions = torch.zeros(1, 2, 3, 0), torch.arange(0)
    assert normaliser.whole(scores, positions).shape == scores.shape
    assert normaliser.weights(scores, normaliser.row_statistics(scores, positions), positions).shape == scores.shape


@pytest.mark.parametrize("normaliser", [Softmax(), Unnormalised(), SumNormaliser()], ids=repr)
def test_gradients_are_those_of_finite_differences(normaliser):
    scores = some_scores(torch.float64)
    free = (scores != -torch.inf).nonzero(as_tuple=True)
    numbers = scores[free].requires_grad_()
    positions = torch.arange(9)

    def whole(numbers):
        return normaliser.whole(torch.full_like(scores, -torch.inf).index_put(free, numbers), positions)

    def by_summary(numbers):
        filled = torch.full_like(scores, -torch.inf).index_put(free, numbers)
        return normaliser.weights(filled, normaliser.row_statistics(filled, positions), positions)

    assert torch.autograd.gradcheck(whole, numbers)
    assert torch.autograd.gradcheck(by_summary, numbers)


@pytest.mark.parametrize("k", [1, 2, 20])
def test_hard_attention_learns_by_the_gradient_of_the_softmax(k):
    query, key, value = random_heads(dtype=torch.float64)
    toward = torch.randn(2, 4, 6, 8, dtype=torch.float64)

    def of_scores(normaliser):
        scores = (query @ key.transpose(-1, -2)).detach().requires_grad_()
        weights = normaliser.whole(scores, torch.arange(6))
        return torch.autograd.grad((weights @ value * toward).sum(), scores)[0]

    assert_close(of_scores(TopK(k)), of_scores(Softmax()))
    hard, soft = (attend(query, key, value, normaliser=n, mask=Causal()) for n in (TopK(k), Softmax()))
    for mine, theirs in zip(
        *(torch.autograd.grad((x * toward).sum(), (query, key)) for x in (hard, soft)), strict=True
    ):
        assert_close(mine, theirs)


def test_hard_attention_looks_at_the_best_keys_alone():
    query, key, value = random_heads()
    scores = query @ key.transpose(-1, -2) / 8**0.5
    best = value.gather(2, scores.argmax(-1)[..., None].expand(-1, -1, -1, 8))
    assert_close(attend(query, key, value, normaliser=TopK()), best)
    weights = Pattern(query, key, normaliser=TopK(3)).weights()
    assert ((weights > 0).sum(-1) == 3).all()
    assert_close(weights.sum(-1), torch.ones(2, 4, 6))
    assert_close(Pattern(query, key, normaliser=TopK(99)).weights(), Pattern(query, key).weights())


def test_hard_attention_among_equals_takes_one():
    query, key, _ = random_heads()
    weights = Pattern(query, 0 * key, mask=Causal(), normaliser=TopK()).weights()
    assert ((weights == 1).sum(-1) == 1).all()
    assert_close(weights.sum(-1), torch.ones(2, 4, 6))


def test_hard_attention_needs_a_key():
    with pytest.raises(ShapeError, match="hard attention keeps 1 key or more, got k=0"):
        TopK(0)


def test_the_linear_start_gathers_the_scores_themselves():
    query, key, value = random_heads()
    assert_close(attend(query, key, value, normaliser=Unnormalised()), query @ key.transpose(-1, -2) / 8**0.5 @ value)


# ---- a sink: one more logit per head, which no key stands behind

LOGITS = torch.tensor([-2.0, 0.0, 1.5])


def with_a_sink(scores, logits):
    """The definition: exp of a score over the sum of all exps and that of the sink."""
    powers = scores.exp()
    return powers / (powers.sum(-1, keepdim=True) + logits[:, None, None].exp())


def test_part_of_the_weight_goes_to_the_sink():
    scores = some_scores()
    weights = Sink(LOGITS).whole(scores.clone(), torch.arange(9))
    assert_close(weights, with_a_sink(scores, LOGITS))
    assert (weights[scores == -torch.inf] == 0).all()
    assert (weights.sum(-1) < 1).all()


@pytest.mark.parametrize("columns", [slice(0, 9), slice(2, 5), slice(8, 9)], ids=str)
def test_a_tile_of_a_row_with_a_sink_is_part_of_the_row(columns):
    scores, positions = some_scores(), torch.arange(20, 29)
    summary = Sink(LOGITS).row_statistics(scores.clone(), positions)
    tile = Sink(LOGITS).weights(scores[..., columns].clone(), summary, positions[columns])
    assert_close(tile, with_a_sink(scores, LOGITS)[..., columns])


def test_a_sink_far_below_all_scores_is_none():
    scores, positions = some_scores(), torch.arange(9)
    assert_close(Sink(torch.full((3,), -1e4)).whole(scores, positions), Softmax().whole(scores, positions))


def test_a_sink_alone_takes_everything():
    scores, positions = torch.zeros(1, 3, 4, 0), torch.arange(0)
    (summary,) = Sink(LOGITS).row_statistics(scores, positions)
    assert_close(summary, LOGITS[None, :, None, None].expand(1, 3, 4, 1))
    assert Sink(LOGITS).whole(scores, positions).shape == scores.shape


def test_a_sink_learns():
    scores = some_scores(torch.float64)
    free = (scores != -torch.inf).nonzero(as_tuple=True)
    numbers, logits, positions = scores[free].requires_grad_(), LOGITS.double().requires_grad_(), torch.arange(9)

    def whole(numbers, logits):
        return Sink(logits).whole(torch.full_like(scores, -torch.inf).index_put(free, numbers), positions)

    def by_summary(numbers, logits):
        filled = torch.full_like(scores, -torch.inf).index_put(free, numbers)
        return Sink(logits).weights(filled, Sink(logits).row_statistics(filled, positions), positions)

    assert torch.autograd.gradcheck(whole, (numbers, logits))
    assert torch.autograd.gradcheck(by_summary, (numbers, logits))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_every_head_has_the_sink_of_its_own(groups):
    query, key, value = random_heads(groups=groups)
    logits = torch.tensor([-3.0, 0.0, 1.0, 4.0])
    scores = torch.einsum("bhqw,bhkw->bhqk", query, key.repeat_interleave(4 // groups, 1)) / 8**0.5
    scores = scores.masked_fill(~torch.ones(6, 6, dtype=torch.bool).tril(), -torch.inf)
    weights = with_a_sink(scores, logits).detach()
    pattern = Pattern(query.detach(), key.detach(), mask=Causal(), normaliser=Sink(logits))
    assert_close(pattern.weights(), weights)
    assert_close(pattern[1, [3, 1], 2:4, 1:3], weights[1, [3, 1], 2:4, 1:3])
    assert_close(pattern.top(2).weights, weights.topk(2).values)
    assert_close(pattern.received(), weights.sum(2))
    assert_close(pattern.logsumexp, torch.logaddexp(scores.logsumexp(-1), logits[:, None]).detach())
    gathered = attend(query, key, value, mask=Causal(), normaliser=Sink(logits))
    assert_close(gathered, weights @ value.repeat_interleave(4 // groups, 1))


def test_the_weight_of_what_is_hidden_goes_to_the_sink_too():
    query, key, _ = (x.detach() for x in random_heads())
    pattern = Pattern(query, key, normaliser=Sink(torch.zeros(4)))
    before, after = (1 - some.weights().sum(-1) for some in (pattern, pattern.hide([1, 2])))
    assert (after > before).all()


def test_a_query_that_sees_nothing_but_the_sink_looks_nowhere():
    query, key, value = random_heads()
    blind = DenseMask(torch.arange(6)[:, None] != 2 * torch.ones(6, dtype=torch.long))
    gathered = attend(query, key, value, mask=blind, normaliser=Sink(torch.zeros(4)))
    assert (gathered[:, :, 2] == 0).all()
    assert (gathered[:, :, [0, 1, 3, 4, 5]] != 0).any(-1).all()
    assert all(part.isfinite().all() for part in torch.autograd.grad(gathered.sum(), (query, key, value)))


def test_steps_with_a_sink_join():
    query, key, _ = (x.detach() for x in random_heads())
    sink = Sink(torch.arange(4.0))
    whole = Pattern(query, key, mask=Causal(), normaliser=sink)
    steps = [Pattern(query[:, :, i : i + 1], key[:, :, : i + 1], normaliser=sink) for i in range(6)]
    assert_close(Pattern.join(steps).weights(), whole.weights())


def test_a_pattern_that_is_kept_owns_its_sink():
    query, key, _ = (x.detach() for x in random_heads())
    logits = torch.zeros(4)
    kept = Pattern(query, key, normaliser=Sink(logits)).with_tensors(torch.clone)
    before = kept.weights()
    logits += 5
    assert_close(kept.weights(), before)


def test_a_sink_in_half_precision_counts_in_full():
    scores = some_scores()
    weights = Sink(LOGITS.bfloat16()).whole(scores.clone(), torch.arange(9))
    assert weights.dtype == torch.float32
    assert_close(weights, with_a_sink(scores, LOGITS))
