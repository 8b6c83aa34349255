"""Direct logit attribution: the parts sum to the logit, on every shape of model.

Also tests: looking/stream_terms.py, looking/norm_scale.py.
"""

import pytest
import torch
from looking.activations.zoo import ALL, inputs_of, logits_of, model_of
from torch import nn
from torch.testing import assert_close

from regard.errors import RegardError
from regard.looking import logit_attribution
from regard.looking.norm_scale import FrozenNorm
from regard.looking.stream_terms import StreamWriters


@pytest.mark.parametrize("kind", ALL)
def test_the_parts_of_a_logit_sum_to_it(kind):
    model, inputs = model_of(kind), inputs_of(kind)
    with torch.no_grad():
        logits = logits_of(model, inputs)
    whole = logit_attribution(model, inputs, 7, position=2, batch=1)
    assert whole.logit == float(logits[1, 2, 7])
    assert abs(whole.rest) < 1e-4 * max(1, abs(whole.logit))
    difference = logit_attribution(model, inputs, 7, against=9)
    assert difference.logit == pytest.approx(float(logits[0, -1, 7] - logits[0, -1, 9]), abs=1e-5)
    assert abs(difference.rest) < 1e-4 * max(1, abs(difference.logit))
    assert sum(whole.by_layer().values()) == pytest.approx(sum(whole.parts.values()), abs=1e-4)


@pytest.mark.parametrize("kind", ["llama", "marian", "live gpt_neox", "live bert", "live t5"])
def test_the_writers_of_a_stream_sum_to_it_before_every_block(kind):
    writers = StreamWriters(model_of(kind), inputs_of(kind))
    for name, _ in writers.blocks:
        total = sum(writers.before(name).values())
        assert_close(total, writers.seen.activation(f"{name}.stream.before"), atol=1e-4, rtol=1e-4)
    with pytest.raises(RegardError, match=r"no block 'decoder\.9'"):
        writers.before("decoder.9")


def test_a_part_is_what_its_writer_alone_gives_where_the_norm_is_frozen():
    model, inputs = model_of("live llama"), inputs_of("live llama")
    parts = logit_attribution(model, inputs, 7).parts
    writers = StreamWriters(model, inputs)
    last = writers.seen.activation("decoder.1.stream.after")[0, -1]
    scale = (last.square().mean() + model.config.rms_norm_eps).rsqrt()
    head = writers.before()["decoder.1.self.2"][0, -1]
    with torch.no_grad():
        by_hand = (head * scale * model.model.norm.weight) @ model.lm_head.weight[7]
    assert parts["decoder.1.self.2"] == pytest.approx(float(by_hand), abs=1e-5)


def test_a_result_says_what_it_is():
    result = logit_attribution(model_of("gpt2"), inputs_of("gpt2"), 7)
    assert repr(result).startswith("LogitAttribution(")
    assert result.show().title == "direct logit attribution"
    assert result.top(1)[0][1] == max(result.parts.values(), key=abs)


def test_a_norm_that_is_none_is_refused():
    with pytest.raises(RegardError, match="Tanh is no norm that is known"), torch.no_grad():
        FrozenNorm.of(nn.Tanh(), torch.randn(1, 2, 4))
