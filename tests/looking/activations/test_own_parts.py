"""Every family of ours has sites, and what its blocks add is what its stream is made of."""

import pytest
import torch
from looking.families import sound

import regard
from regard.families import EXAMPLES
from regard.models import Decoder, Encoder, SpeechTransformer, Transformer, build

TOKENS = torch.tensor([[3, 5, 4, 8, 6, 7], [7, 3, 3, 5, 8, 4]])


def model_of(name):
    torch.manual_seed(0)
    model = build(EXAMPLES[name]().config).eval()
    if not isinstance(model, Decoder | Encoder | Transformer | SpeechTransformer):
        pytest.skip(f"{type(model).__name__} has no blocks of a stream")
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.1)
    if isinstance(model, SpeechTransformer):
        return model, {"source": sound(model, torch.Generator().manual_seed(0)), "target": TOKENS[:, :5]}
    inputs = {"source": TOKENS, "target": TOKENS[:, :5]} if isinstance(model, Transformer) else {"tokens": TOKENS}
    return model, inputs


@pytest.mark.parametrize("name", EXAMPLES)
def test_all_sites_are_watched_without_a_change_and_add_up(name):
    model, inputs = model_of(name)
    names = list(regard.sites(model))
    with torch.no_grad():
        plain = model(**inputs)
        with regard.watch(model, *names) as seen:
            assert torch.equal(model(**inputs), plain)
    side = "encoder" if isinstance(model, Encoder) else "decoder"
    stack = getattr(model.config, side).stack
    if not (stack.pre_norm or stack.output_norm):
        return  # the sum is normed: test_listing.py has these
    for block in (f"{side}.{layer}" for layer in range(stack.layers)):
        parts = [f"{block}.{kind}.output" for kind in ("self", "cross", "feed_forward")]
        written = [seen.activation(part) for part in parts if part in names]
        total = sum(written, seen.activation(f"{block}.stream.before"))
        torch.testing.assert_close(total, seen.activation(f"{block}.stream.after"), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_logit_is_the_sum_of_its_parts(name):
    model, inputs = model_of(name)
    if isinstance(model, Encoder) and model.output is None:
        pytest.skip("it scores no words")
    attribution = regard.logit_attribution(model, inputs, token=4)
    with torch.no_grad():
        logit = float(model(**inputs)[0, -1, 4])
    assert attribution.logit == pytest.approx(logit, abs=1e-5)
    assert abs(attribution.rest) < 1e-4 * max(1.0, abs(logit))
