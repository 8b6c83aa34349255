"""Path patching: all paths together carry everything, none carries nothing, and a direct path is a sum."""

import pytest
import torch
from looking.activations.zoo import inputs_of, logits_of, model_of
from torch.testing import assert_close

import regard
from regard.errors import RegardError


def metric(logits):
    return logits[:, -1, 5].sum()


def test_the_direct_path_of_a_head_to_the_logits_is_what_its_contribution_changes():
    model, clean, corrupt = model_of("gpt2"), inputs_of("gpt2"), inputs_of("gpt2", seed=1)
    site, last = "decoder.0.self.contribution", "decoder.1.stream.after"
    result = regard.path_patch(
        model, clean, corrupt, metric, senders={"decoder.0.self.head_output": [1]}, receivers=["logits"]
    )
    with torch.no_grad():
        with regard.watch(model, site) as clean_seen:
            logits_of(model, clean)
        with regard.watch(model, site, last) as seen:
            logits_of(model, corrupt)
        moved = clean_seen.activation(site)[:, 1] - seen.activation(site)[:, 1]
        with regard.edit(model) as edit:
            edit.site(last).set(seen.activation(last) + moved)
            by_hand = float(metric(logits_of(model, corrupt)))
    assert result.patched == pytest.approx(by_hand, abs=1e-4)
    assert result.effect == pytest.approx((by_hand - result.corrupt) / (result.clean - result.corrupt), abs=1e-4)


@pytest.mark.parametrize("kind", ["live gpt2", "live llama"])
def test_a_sender_behind_its_receiver_tells_it_nothing(kind):
    model, clean, corrupt = model_of(kind), inputs_of(kind), inputs_of(kind, seed=1)
    late = regard.path_patch(
        model, clean, corrupt, metric, senders=["decoder.1.feed_forward.output"], receivers=["decoder.1.self.query"]
    )
    assert late.patched == pytest.approx(late.corrupt, abs=1e-5)
    early = regard.path_patch(
        model, clean, corrupt, metric, senders=["decoder.0.feed_forward.output"],
        receivers={"decoder.1.self.key": [0], "decoder.1.feed_forward.input": None},
    )  # fmt: skip
    assert abs(early.patched - early.corrupt) > 1e-5


def test_a_path_from_a_run_to_itself_changes_nothing():
    model, inputs = model_of("t5"), inputs_of("t5")
    same = regard.path_patch(
        model, inputs, inputs, metric, senders=["decoder.0.cross.head_output"], receivers=["decoder.1.cross.query"]
    )
    assert_close(same.patched, same.clean, atol=1e-5, rtol=0)
    with pytest.raises(RegardError, match="is no sender"):
        regard.path_patch(model, inputs, inputs, metric, senders=["logits"], receivers=["logits"])
