"""More families of transformers: their blocks add up, and their logits too; one that adds up otherwise is refused."""

import pytest
import torch
from looking.live.families import FAMILIES, build
from torch.testing import assert_close

import regard
from regard.errors import RegardError

TOKENS = torch.tensor([[5, 9, 7, 12, 6, 8], [11, 6, 6, 5, 9, 10]])


def read(name, **changes):
    model = build(FAMILIES[name], "sdpa", **changes).eval()
    known = regard.sites(model)
    inputs = {"input_ids": TOKENS} | ({"decoder_input_ids": TOKENS[:, :5]} if len(known.sides) == 2 else {})
    return model, known, inputs


@pytest.mark.parametrize(
    "name",
    [
        *("gemma3_text", "qwen3", "opt", "olmo2", "phi", "mbart"),
        *("bart", "electra", "distilbert", "modernbert", "mixtral"),
    ],
)
def test_what_is_written_adds_up_to_the_stream_and_to_the_logit(name):
    model, known, inputs = read(name)
    with torch.no_grad(), regard.watch(model, "*.stream.*", "*.output") as seen:
        model(**inputs)
    for block, parts in known.parts:
        assert parts.sublayer("feed_forward") is not None
        if parts.sublayers[0].norm_after is None:
            written = sum(seen.activation(f"{block}.{sublayer.kind}.output") for sublayer in parts.sublayers)
            total = seen.activation(f"{block}.stream.before") + written
            assert_close(total, seen.activation(f"{block}.stream.after"), atol=1e-5, rtol=1e-4)
    assert abs(regard.logit_attribution(model, inputs, 7).rest) < 1e-5


def test_a_block_that_adds_up_in_another_way_is_refused():
    model, _, inputs = read("granite", residual_multiplier=0.5)
    with (
        torch.no_grad(),
        regard.watch(model, "decoder.0.stream.middle"),
        pytest.raises(RegardError, match=r"decoder\.0\.stream\.middle: what is written in decoder\.0 does not add up"),
    ):
        model(**inputs)
    with pytest.raises(RegardError, match="GraniteForCausalLM: its parts are not known well enough"):
        regard.logit_attribution(model, inputs, 7)
    with torch.no_grad(), regard.watch(model, "*.stream.after") as seen:  # the rest is there
        model(**inputs)
    assert "decoder.1.stream.after" in repr(seen)
