import pytest
import torch
from looking.built import PREVIOUS, built, decoder

from regard.errors import RegardError
from regard.looking.composition import HeadWeights, chance, composition
from regard.models import ScoreConfig


def brute(model):
    """The scores from whole matrices, width x width, one pair of heads at a time."""
    lower, upper = (HeadWeights.of(block) for block in model.decoder.stack.blocks)

    def share(one, other):
        return float(torch.linalg.norm(one @ other) / (torch.linalg.norm(one) * torch.linalg.norm(other)))

    found = {kind: torch.zeros(len(upper.query), len(lower.query)) for kind in ("query", "key", "value")}
    for later in range(len(upper.query)):
        qk = upper.query[later].T @ upper.key[later]
        ov = upper.output[later] @ upper.value[later]
        for earlier in range(len(lower.query)):
            wrote = lower.output[earlier] @ lower.value[earlier]
            found["query"][later, earlier] = share(qk.T, wrote)
            found["key"][later, earlier] = share(qk, wrote)
            found["value"][later, earlier] = share(ov, wrote)
    return found


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_thin_matrices_give_the_scores_of_whole_ones(kv_heads):
    torch.manual_seed(0)
    model = decoder(kv_heads=kv_heads)
    scores, expected = composition(model).scores, brute(model)
    for kind, grid in expected.items():
        torch.testing.assert_close(scores[kind]["decoder.1.self", "decoder.0.self"], grid, rtol=1e-5, atol=1e-6)


def test_the_weights_of_a_head_are_those_with_which_it_looks():
    import regard

    torch.manual_seed(0)
    model = decoder(kv_heads=2, bias=False)
    x = torch.randn(1, 5, 32)
    block = model.decoder.stack.blocks[0]
    torch.nn.init.uniform_(block.self_norm.weight, 0.5, 2)
    with regard.watch(block, "self") as seen, torch.no_grad():
        block(x)
    bare = torch.nn.functional.rms_norm(x, (32,), eps=1e-5)[0].double()
    weights = HeadWeights.of(block)
    scores = torch.einsum("iw,haw,hav,jv->hij", bare, weights.query, weights.key, bare) * weights.scale
    torch.testing.assert_close(seen["self"].scores(slice(0, 5), slice(0, 5))[0], scores.float(), rtol=1e-4, atol=1e-5)


def test_an_induction_head_reads_the_keys_that_a_previous_token_head_wrote():
    scores = composition(built()).scores
    grid = scores["key"]["decoder.1.self", "decoder.0.self"]
    assert grid.argmax() == PREVIOUS  # of head 0, which is the first row
    assert scores["query"]["decoder.1.self", "decoder.0.self"][0, PREVIOUS] == 0


def test_random_heads_score_what_chance_does():
    torch.manual_seed(0)
    found = composition(decoder(heads=8, width=128))
    assert found.scores["key"]["decoder.1.self", "decoder.0.self"].mean() == pytest.approx(chance(128, 16), rel=0.05)
    assert found.chance == chance(128, 16)


def test_pairs_are_ranked_and_drawn():
    found = composition(built())
    score, kind, later, head, earlier, other = found.strongest(1)[0]
    assert (kind, later, head, earlier, other) == ("key", "decoder.1.self", 0, "decoder.0.self", PREVIOUS)
    assert 0 < score <= 1
    (picture,) = (one for one in found.album().pictures if one.title == "key composition")
    assert picture.rows[0] == "decoder.1.self 0"
    assert picture.table[0][PREVIOUS] == pytest.approx(score)


def test_one_layer_composes_with_nothing():
    with pytest.raises(RegardError, match="at least two"):
        composition(decoder(layers=1))


def test_other_scores_have_no_such_product():
    with pytest.raises(RegardError, match="compares in another way"):
        composition(decoder(score=ScoreConfig("cosine")))
