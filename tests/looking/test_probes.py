import numpy as np
import pytest
import torch
from looking.built import decoder
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from regard.errors import RegardError
from regard.looking.probes import fit_probe, probe


@pytest.mark.parametrize("penalty", [0.1, 1.0, 30.0])
def test_a_probe_is_the_logistic_regression_of_scikit_learn(penalty):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 6)) * [1, 5, 0.2, 1, 1, 1] + 3
    labels = (x @ rng.normal(size=(6, 4)) + rng.gumbel(size=(200, 4))).argmax(1)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=5000)
    scaled = StandardScaler().fit_transform(x)
    theirs.fit(scaled, labels)
    ours = fit_probe(torch.tensor(x), torch.tensor(labels), penalty=penalty)
    np.testing.assert_allclose(ours.weight, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours(torch.tensor(x)).softmax(-1), theirs.predict_proba(scaled), atol=1e-4)
    assert ours.accuracy(torch.tensor(x), torch.tensor(labels)) == theirs.score(scaled, labels)


def batches(count, label, seed):
    lot = torch.Generator().manual_seed(seed)
    for _ in range(count):
        tokens = torch.randint(12, (4, 20), generator=lot)
        yield tokens, label(tokens, lot)


def identity(tokens, lot):
    return tokens % 5


def coin(tokens, lot):
    return torch.randint(2, tokens.shape, generator=lot)


def test_every_layer_knows_the_token_and_none_knows_a_coin():
    torch.manual_seed(0)
    model = decoder(position="rotary")
    known = probe(model, batches(6, identity, 1), batches(3, identity, 2))
    assert list(known.accuracy) == ["decoder.0", "decoder.1"]
    assert min(known.accuracy.values()) > 0.99
    assert known.majority < 0.4
    tossed = probe(model, batches(6, coin, 1), batches(6, coin, 2), "decoder.1", penalty=10)
    # 480 tosses: five standard deviations above one half
    assert tossed.accuracy["decoder.1"] < 0.5 + 5 * 0.5 / 480**0.5


def test_tokens_without_a_label_are_left_out():
    torch.manual_seed(0)
    model = decoder(position="rotary")

    def some(tokens, lot):
        return torch.where(tokens < 6, tokens % 3, -100)

    found = probe(model, batches(4, some, 1), batches(2, some, 2))
    assert min(found.accuracy.values()) > 0.99
    assert found.probes["decoder.0"].weight.shape == (3, 32)


def test_lower_layers_are_told_apart_from_upper_ones():
    torch.manual_seed(0)
    model = decoder(layers=3, position="rotary")
    # The last block forgets everything: whatever comes in, it puts out noise of its own.
    last = model.decoder.stack.blocks[2]
    last.forward = lambda x, *given, **more: tapped(last, torch.randn_like(x))
    found = probe(model, batches(4, identity, 1), batches(2, identity, 2))
    lower, upper = found.lower_and_upper()
    assert lower > 0.99
    assert upper < 0.8


def tapped(block, x):
    from regard.attention.taps import active_taps

    for tap in active_taps(block.taps):
        tap.block_output(x)
    return x


def test_what_cannot_be_told_apart_is_refused():
    with pytest.raises(RegardError, match="2 or more expected, got 1"):
        fit_probe(torch.randn(4, 2), torch.zeros(4, dtype=torch.long))
    with pytest.raises(RegardError, match="got no batch"):
        probe(decoder(), [], [])
