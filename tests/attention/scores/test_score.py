"""What every score can do, over the table: its gradients, its tiles and its heads; and the definitions of those that
are written out here or in plain_scores.py."""

import math

import pytest
import torch
import torch.nn.functional as F
from attention.drawn import blocks_of
from attention.plain import Sizes, ahead, softmax
from attention.plain_scores import SCORE_EXAMPLES
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import SCORES, Causal, Dot, Pattern, Score, attend
from regard.errors import UnknownName, lookup

SIZES = Sizes(queries=5, keys=6)
SMALL = Sizes(1, 2, 2, 3, 4, 2, 2)
ROWS, COLUMNS = torch.arange(SIZES.queries) + SIZES.behind, torch.arange(SIZES.keys)


def distances(module, sizes):
    """Sinusoids of how far a key stands before a query, read by the module's projection: (heads, q, k, width)."""
    back = -ahead(sizes).to(module.u)
    rates = 10000 ** (-torch.arange(0, sizes.width, 2) / sizes.width)
    waves = torch.cat([(back[..., None] * rates).sin(), (back[..., None] * rates).cos()], -1)
    return torch.einsum("qkw,hwv->hqkv", waves[..., : sizes.width].to(module.u), module.project)


PLAIN = {
    "dot": lambda m, q, k, s: torch.einsum("bhqw,bhkw->bhqk", q, k) / math.sqrt(s.width),
    "cosine": lambda m, q, k, s: (
        F.cosine_similarity(q[:, :, :, None], k[:, :, None], dim=-1) * m.inverse_temperature[:, None, None]
    ),
    "tempered": lambda m, q, k, s: (
        torch.einsum("bhqw,bhkw->bhqk", q, k) / math.sqrt(s.width) / m.log_temperature.exp()[:, None, None]
    ),
    "bilinear": lambda m, q, k, s: torch.einsum("bhqv,hvw,bhkw->bhqk", q, m.weight, k),
    "additive": lambda m, q, k, s: torch.einsum(
        "bhqkw,hw->bhqk",
        torch.tanh(
            torch.einsum("bhqv,hvw->bhqw", q, m.query_weight)[:, :, :, None]
            + torch.einsum("bhkv,hvw->bhkw", k, m.key_weight)[:, :, None]
        ),
        m.vector,
    ),
    "location": lambda m, q, k, s: torch.einsum("bhqw,hkw->bhqk", q, m.table[:, : s.keys]),
    "shaw": lambda m, q, k, s: (
        torch.einsum("bhqw,bhqkw->bhqk", q, k[:, :, None] + m.table[:, ahead(s).clamp(-2, 2) + 2]) / math.sqrt(s.width)
    ),
    "xl": lambda m, q, k, s: (
        (
            torch.einsum("bhqw,bhkw->bhqk", q + m.u[:, None], k)
            + torch.einsum("bhqw,hqkw->bhqk", q + m.v[:, None], distances(m, s))
        )
        / math.sqrt(s.width)
    ),
    "kernel": lambda m, q, k, s: torch.einsum("bhqw,bhkw->bhqk", F.elu(q) + 1, F.elu(k) + 1),
    "softcap": lambda m, q, k, s: torch.tanh(torch.einsum("bhqw,bhkw->bhqk", q, k) / math.sqrt(s.width) / 2) * 2,
}


def module_for(name, sizes, dtype=torch.float64):
    module = SCORES[name].example(sizes.heads, sizes.width).to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += torch.randn_like(parameter) / 4
    return module


def heads_for(sizes):
    return random_heads(*sizes[:2], *sizes[3:], dtype=torch.float64)


@pytest.mark.parametrize("sizes", [SIZES, Sizes(queries=6, keys=6), Sizes(queries=7, keys=4)], ids=str)
@pytest.mark.parametrize("name", PLAIN)
def test_what_a_module_learns_enters_attention_as_its_definition_says(name, sizes):
    module, (query, key, value) = module_for(name, sizes), heads_for(sizes)
    projected, keys, score = module(query, key)
    scores = PLAIN[name](module, query, key, sizes)
    weights = scores / scores.sum(-1, keepdim=True) if name == "kernel" else softmax(scores)
    assert_close(Pattern(projected, keys, score).weights(), weights)
    leaves = [query, key, value, *module.parameters()]
    toward = torch.randn_like(weights @ value)
    ours = torch.autograd.grad(attend(projected, keys, value, score=score), leaves, toward, allow_unused=True)
    theirs = torch.autograd.grad(weights @ value, leaves, toward, allow_unused=True)
    for our, their in zip(ours, theirs, strict=True):
        assert_close(torch.zeros(()) if our is None else our, torch.zeros(()) if their is None else their)


@pytest.mark.parametrize("budget", [1 << 20, 20])
@pytest.mark.parametrize("name", SCORES)
def test_gradients_are_those_of_finite_differences(name, budget):
    module, heads = module_for(name, SMALL), heads_for(SMALL)
    names, leaves = zip(*module.named_parameters(), strict=True) if [*module.parameters()] else ((), ())

    def of(query, key, value, *parameters):
        weights = dict(zip(names, parameters, strict=True))
        projected, keys, score = torch.func.functional_call(module, weights, (query, key))
        return attend(projected, keys, value, score=score, mask=Causal())

    with blocks_of(budget):
        assert torch.autograd.gradcheck(of, (*heads, *leaves), fast_mode=budget < 1 << 20)


@pytest.mark.parametrize("name", SCORE_EXAMPLES)
def test_the_whole_is_the_definition(name):
    score, _, plain = SCORE_EXAMPLES[name](SIZES)
    query, key, _ = random_heads(*SIZES[:2], *SIZES[3:])
    assert_close(score.tile(query, key, ROWS, COLUMNS), plain(query, key))


@pytest.mark.parametrize("name", SCORES)
def test_a_tile_is_that_region_of_the_whole(name):
    query, key, _ = heads_for(SIZES)
    query, key, score = module_for(name, SIZES)(query, key)
    whole = score.tile(query, key, ROWS, COLUMNS)
    assert whole.shape == (SIZES.batch, SIZES.heads, SIZES.queries, SIZES.keys)
    rows, columns = torch.tensor([4, 0, 1]), torch.tensor([5, 2])
    tile = score.tile(query[:, :, rows], key[:, :, columns], rows + SIZES.behind, columns)
    assert_close(tile, whole[:, :, rows[:, None], columns])


@pytest.mark.parametrize("name", SCORES)
def test_some_heads_keep_what_is_theirs(name):
    query, key, _ = heads_for(SIZES)
    query, key, score = module_for(name, SIZES)(query, key)
    whole = score.tile(query, key, ROWS, COLUMNS)
    for some in (torch.tensor([3, 1]), slice(1, 3)):
        assert_close(score.heads(some).tile(query[:, some], key[:, some], ROWS, COLUMNS), whole[:, some])


@pytest.mark.parametrize("name", SCORES)
def test_keys_are_projected_once_and_queries_as_they_come(name):
    module, (query, key, _) = module_for(name, Sizes(queries=6, keys=6)), heads_for(Sizes(queries=6, keys=6))
    projected, keys, _ = module(query, key)
    assert_close(torch.cat([module.query(query[:, :, :2]), module.query(query[:, :, 2:])], 2), projected)
    assert_close(torch.cat([module.key(key[:, :, :2]), module.key(key[:, :, 2:])], 2), keys)


def test_a_score_of_ones_own_needs_only_its_tile():
    class Distance(Score):
        def tile(self, query, key, rows, columns):
            return -torch.cdist(query, key)

    query, key, value = random_heads()
    assert_close(attend(query, key, value, score=Distance()), torch.softmax(-torch.cdist(query, key), -1) @ value)


def test_an_unknown_score_is_refused_and_the_known_ones_are_listed():
    with pytest.raises(
        UnknownName, match=r"unknown score 'bilinaer': did you mean 'bilinear'\? known: additive, bilinear, "
    ):
        lookup(SCORES, "bilinaer", "score")


@pytest.mark.parametrize("name", ["dot", "cosine", "tempered", "bilinear"])
def test_a_score_that_is_a_dot_product_meets_the_kernel(name):
    assert isinstance(module_for(name, SIZES).score(5, 6), Dot)
