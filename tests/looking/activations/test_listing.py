"""One call lists every site, with shapes that hold; watching sites changes no bit.

Also tests: looking/activations/parts.py, looking/activations/own_parts.py, looking/activations/torch_parts.py,
looking/activations/live_parts.py, looking/activations/site.py, looking/activations/site_hooks.py,
looking/activations/where.py, looking/activations/watching.py, looking/activations/tl_names.py.
"""

import pytest
import torch
from looking.activations.zoo import ALL, inputs_of, lengths, logits_of, model_of, side_of
from torch import nn
from torch.testing import assert_close

import regard
from regard.errors import UnknownName
from regard.looking.activations.site import by_linearity, contributions, split_heads
from regard.looking.activations.tl_names import NAMES


def watched(kind):
    model = model_of(kind)
    known = regard.sites(model)
    with torch.no_grad(), regard.watch(model, *known) as seen:
        logits = logits_of(model, inputs_of(kind))
    return known, seen, logits


@pytest.mark.parametrize("kind", ALL)
def test_every_site_has_the_shape_that_is_listed_and_is_watched_without_a_trace(kind):
    model = model_of(kind)
    with torch.no_grad():
        plain = logits_of(model, inputs_of(kind))
    known, seen, logits = watched(kind)
    assert torch.equal(plain, logits)
    for name, site in known.items():
        sizes = lengths(kind, name)
        expected = tuple(size if isinstance(size, int) else sizes[size] for size in site.shape)
        shape = seen[name].shape if site.view == "pattern" else tuple(seen.activation(name).shape)
        assert shape == expected, name
    assert not any("_regard_sites" in vars(module) for module in model.modules())
    assert torch.equal(seen.activation("logits"), logits)


@pytest.mark.parametrize("kind", ALL)
def test_the_stream_is_the_sum_of_what_is_written(kind):
    known, seen, _ = watched(kind)
    for name, block in known.parts:
        written = seen.activation(f"{name}.self.contribution").sum(1)
        bias = seen.activation(f"{name}.self.output") - written
        assert_close(bias, bias[:1, :1].expand_as(bias), atol=1e-5, rtol=1e-4)  # the projection's, whoever looks
        outputs = [seen.activation(f"{name}.{sublayer.kind}.output") for sublayer in block.sublayers]
        if block.sublayers[0].norm_after is None:
            total = seen.activation(f"{name}.stream.before") + sum(outputs)
            assert_close(total, seen.activation(f"{name}.stream.after"), atol=1e-5, rtol=1e-4)


def test_torch_layers_have_sites_too():
    layer = nn.TransformerDecoderLayer(32, 4, 64, batch_first=True, norm_first=True)
    model = nn.ModuleDict({"decoder": nn.TransformerDecoder(layer, 1)}).eval()
    source, target = torch.randn(2, 6, 32), torch.randn(2, 5, 32)
    known = regard.sites(model)
    with torch.no_grad():
        plain = model["decoder"](target, source)
        with regard.watch(model, *known) as seen:
            assert_close(model["decoder"](target, source), plain)
    assert seen.activation("decoder.0.cross.head_output").shape == (2, 4, 5, 8)
    total = sum(seen.activation(f"decoder.0.{part}.output") for part in ("self", "cross", "feed_forward"))
    stream = seen.activation("decoder.0.stream.before") + total
    assert_close(stream, seen.activation("decoder.0.stream.after"))
    assert_close(
        seen.activation("decoder.0.stream.after_cross"),
        seen.activation("decoder.0.stream.middle") + seen.activation("decoder.0.cross.output"),
    )
    with torch.no_grad(), regard.watch(model, "decoder.0.stream.after_cross") as alone:
        model["decoder"](target, source)
    assert torch.equal(
        alone.activation("decoder.0.stream.after_cross"), seen.activation("decoder.0.stream.after_cross")
    )


def test_a_length_first_model_is_seen_batch_first():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 24), 2, enable_nested_tensor=False).eval()
    x = torch.randn(6, 2, 16)
    with torch.no_grad(), regard.watch(model, "*.stream.*", "*.head_output") as seen:
        output = model(x)
    assert_close(seen.activation("1.stream.after"), output.transpose(0, 1))
    assert seen.activation("0.self.head_output").shape == (2, 4, 6, 4)


@pytest.mark.parametrize("kind", ["gpt2", "live gpt2"])
def test_names_of_transformer_lens_find_the_same_sites(kind):
    known = regard.sites(model_of(kind))
    for theirs, ours in NAMES.items():
        if "cross" not in theirs:
            name = theirs.format(n=1)
            assert known[name].name == ours.format(side="decoder", n=1)
            assert name in known
    with torch.no_grad(), regard.watch(model_of(kind), "blocks.*.attn.hook_z") as seen:
        logits_of(model_of(kind), inputs_of(kind))
    assert seen.activation("decoder.1.self.head_output").shape[1] == known["blocks.1.attn.hook_z"].shape[1]


def test_memory_is_told_before_it_is_spent():
    known, seen, _ = watched("gpt2")
    names = [name for name in known if known[name].view != "pattern"]
    kept = sum(seen.activation(name).nbytes for name in names)
    assert known.memory(*names, batch=2, length=6) == kept
    layer = "decoder.0.self"
    pattern = seen[layer]
    own = pattern.query.nbytes + pattern.key.nbytes + pattern.statistics[0].nbytes
    positions_and_padding = 2 * 6 * 9
    assert known.memory(f"{layer}.pattern", batch=2, length=6) == own + positions_and_padding
    assert known.memory(batch=2, length=12) > known.memory(batch=2, length=6)


def test_what_is_kept_owns_its_memory_and_may_lie_elsewhere():
    model = model_of("gpt2")
    with regard.watch(model, "decoder.*.feed_forward.output", device="cpu") as seen:
        model(**inputs_of("gpt2"))
        model(**inputs_of("gpt2", seed=1))
    first, second = seen.activations("decoder.1.feed_forward.output")
    assert not first.requires_grad
    assert first.device.type == "cpu"
    assert not torch.equal(first, second)
    with regard.watch(model, "decoder.0.stream.after", grad=True) as seen:
        model(**inputs_of("gpt2"))
    assert seen.activation("decoder.0.stream.after").requires_grad


def test_another_thread_is_not_watched():
    from concurrent.futures import ThreadPoolExecutor

    model = model_of("gpt2")
    with ThreadPoolExecutor() as pool, regard.watch(model, "logits") as seen:
        pool.submit(model, **inputs_of("gpt2")).result()
    with pytest.raises(UnknownName, match="logits was watched, and nothing passed it"):
        seen.activation("logits")


def test_a_name_that_fits_no_site_lists_the_sites():
    with (
        pytest.raises(UnknownName, match=r"no layer fits 'decoder.9.mlp': known: decoder.0.self, .* nor a site"),
        regard.watch(model_of("gpt2"), "decoder.9.mlp"),
    ):
        pass
    with pytest.raises(UnknownName, match="unknown site"):
        regard.sites(model_of("gpt2"))["decoder.0.stream.afterwards"]


def test_a_listing_says_what_there_is():
    text = repr(regard.sites(model_of("live gpt2")))
    assert "decoder.0.self.head_output  batch x 4 x length x 4" in text
    assert side_of("live gpt2") == "decoder"


def test_contributions_are_the_same_whatever_the_projection_is():
    projection, inner = nn.Linear(8, 5), torch.randn(2, 3, 8)
    expected = by_linearity(projection, split_heads(inner, 4), inner)
    assert_close(contributions(projection, inner, 4), expected)
    assert_close(expected.sum(1) + projection.bias, projection(inner))
