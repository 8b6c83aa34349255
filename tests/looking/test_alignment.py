"""The one look of a recurrent translator is watched and edited like any other, though its steps come one by one."""

import pytest
import torch
from models.test_alignment import LOOKING, REAL, SOURCE, TARGET, model
from torch.testing import assert_close

import regard
from regard.attention import Tap
from regard.attention.taps import active


class Rewritten(Tap):
    """Sets all weights to what a pattern of the whole has after an edit, one row at a time."""

    def __init__(self, weights):
        self.weights, self.step = weights, 0

    def edit(self, pattern):
        count = pattern.shape[2]
        rows = self.weights[:, :, self.step : self.step + count]
        self.step += count
        return pattern.set(rows)


EDITS = {
    "hide": lambda edit: edit.hide(source=[1, 0]),
    "off": lambda edit: edit.head("align", 0).off(),
    "temperature": lambda edit: edit.head("align", 0).temperature(0.3),
    "set": lambda edit: edit.head("align", 0).set(torch.tensor([0.25, 0.75, 0, 0, 0, 0]).double(), rows=[2]),
}


def by_steps(network):
    state, found = network.start(SOURCE, REAL), []
    for position in range(TARGET.shape[1]):
        logits, state = network.step(state, TARGET[:, position : position + 1])
        found.append(logits)
    return torch.cat(found, 1)


@pytest.mark.parametrize("name", LOOKING)
@pytest.mark.parametrize("what", EDITS)
@torch.no_grad()
def test_an_edit_changes_the_weights_that_it_names_and_what_follows_from_them(name, what):
    network = model(name)
    plain = network(SOURCE, TARGET, attention_mask=REAL)
    with regard.edit(network) as edit:
        EDITS[what](edit)
        with regard.watch(network) as seen:
            edited = network(SOURCE, TARGET, attention_mask=REAL)
        (pattern,) = seen.all("align")
        assert_close(by_steps(network), edited, rtol=0, atol=1e-10)
    assert not torch.allclose(edited, plain)
    weights = pattern.weights()
    if what == "hide":
        assert not weights[..., :2].any()
    if what == "set":
        assert_close(weights[:, 0, 2], torch.tensor([0.25, 0.75, 0, 0, 0, 0]).double().expand(3, -1))
        assert_close(edited[:, :2], plain[:, :2])  # the rows before it know nothing of it
    if what in ("hide", "temperature"):  # the same weights by hand, step by step, give the same words
        tap = Rewritten(weights)
        network.align.taps = (tap,)
        with active(tap):
            assert_close(by_steps(network), edited, rtol=0, atol=1e-10)
        network.align.taps = ()


@torch.no_grad()
def test_nobody_notices_who_looked():
    network = model("bahdanau")
    plain = network(SOURCE, TARGET, attention_mask=REAL)
    with regard.watch(network):
        assert torch.equal(network(SOURCE, TARGET, attention_mask=REAL), plain)
    assert network.align.taps == ()
    assert torch.equal(network(SOURCE, TARGET, attention_mask=REAL), plain)


def test_a_loss_of_the_weights_can_be_learned_from():
    network = model("bahdanau")
    with regard.watch(network, grad=True) as seen:
        network(SOURCE, TARGET, attention_mask=REAL)
    seen["align"].entropy().sum().backward()
    assert network.align.score.vector.grad.abs().sum() > 0
    assert network.encoder.cells.weight_hh_l0.grad.abs().sum() > 0
