"""Which layers say that they attend, and why some of them cannot be watched."""

import pytest
import torch
import torch.nn.functional as F
from looking.live.families import SMALL, VOCABULARY, transformers
from torch import nn

import regard
from regard.errors import RegardError
from regard.looking.live.obstacles import REFUSED, attends, meets, obstacle

NONE = "has no attention layer that could be watched$"
BLOCKS = "attends in blocks of its keys, with a softmax for each"


def small(kind, model, **changes):
    fields = transformers.AutoConfig.for_model(kind).to_dict()
    known = {name: value for name, value in SMALL.items() if name in fields} | changes
    return getattr(transformers, model)(transformers.AutoConfig.for_model(kind, **known)).eval()


class OwnAttention(nn.Module):
    """Attends by a softmax of its own."""

    def forward(self, x):
        return F.softmax(x @ x.transpose(-1, -2), -1) @ x


class Latent(nn.Module):
    """Attends by torch's kernel, and does not say so."""

    def forward(self, x):
        return F.scaled_dot_product_attention(x, x, x)


class SumAttention(nn.Module):
    """Says that it attends, and has no softmax."""

    def forward(self, x):
        return x.cumsum(1)


class AttentionProjection(nn.Linear):
    """Part of an attention layer."""


class WrapperAttention(nn.Module):
    """Adds something around a layer that attends."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.project = inner, AttentionProjection(2, 2)

    def forward(self, x):
        return x + self.inner(x)


class AttentionTables(nn.Module):
    """Computes nothing by itself."""


class Router(nn.Module):
    def forward(self, x):
        return x.softmax(-1)


@pytest.mark.parametrize("module", [OwnAttention(), Latent()], ids=lambda module: type(module).__name__)
def test_a_layer_that_calls_kernel_or_softmax_can_be_watched(module):
    assert attends(module)
    assert meets(module)
    assert obstacle(module) is None


def test_a_layer_that_only_says_so_is_named_with_the_reason():
    assert attends(SumAttention())
    assert obstacle(SumAttention()) == "calls neither torch's fused attention nor a softmax where it could be met"


@pytest.mark.parametrize(
    "module",
    [WrapperAttention(OwnAttention()), WrapperAttention(nn.MultiheadAttention(2, 1)), AttentionTables(), Router()],
    ids=["around a layer", "around torch's layer", "without a forward pass", "a softmax over experts"],
)
def test_what_does_not_attend_itself_is_no_layer(module):
    assert not attends(module)


def test_layers_of_torch_and_of_this_package_are_not_met_here():
    assert not attends(nn.MultiheadAttention(4, 2))
    assert not attends(regard.layers.MultiHead(4, 2))


CASES = {
    "longformer": ("longformer", "LongformerModel", {"attention_window": [4, 4]}, BLOCKS),
    "bigbird": ("big_bird", "BigBirdModel", {"attention_type": "block_sparse"}, BLOCKS),
    "reformer": (
        "reformer", "ReformerModel",
        {"attn_layers": ["lsh", "local"], "axial_pos_embds": False, "attention_head_size": 8, "is_decoder": False},
        f"encoder.0.self: attends among keys of like hashes, sorted and cut into blocks; encoder.1.self: {BLOCKS}",
    ),
    "nystromformer": ("nystromformer", "NystromformerModel", {"num_landmarks": 3, "segment_means_seq_len": 9},
                      "attends by way of landmarks: no query has weights of its own over the keys"),
    "yoso": ("yoso", "YosoModel", {}, "weighs keys by how often their hashes agree, not by a softmax"),
    "mra": ("mra", "MraModel", {}, "attends at several resolutions, in blocks that it chooses"),
    "rwkv": ("rwkv", "RwkvModel", {"attention_hidden_size": 32},
             "has no softmax: it is a sum over the past that decays"),
    "granite_swa": ("granite_swa", "GraniteSWAModel", {},
                    "takes the share of its sink off after the softmax, where it cannot be met"),
    "diffllama": ("diffllama", "DiffLlamaModel", {}, "takes one softmax from another"),
    "fnet": ("fnet", "FNetModel", {}, NONE),
    "mamba": ("mamba", "MambaModel", {"state_size": 4, "conv_kernel": 2, "expand": 2}, NONE),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_family_that_cannot_be_watched_says_why(name):
    kind, model, changes, reason = CASES[name]
    with pytest.raises(RegardError, match=reason), regard.watch(small(kind, model, **changes)):
        pass


@pytest.mark.parametrize(
    ("kind", "model", "changes"),
    [
        ("led", "LEDModel", {"attention_window": [4, 4]}),
        ("longt5", "LongT5Model", {"encoder_attention_type": "local", "local_radius": 2}),
        ("longt5", "LongT5Model", {"encoder_attention_type": "transient-global", "local_radius": 2}),
        ("bigbird_pegasus", "BigBirdPegasusModel", {"block_size": 2, "num_random_blocks": 1}),
        ("pegasus_x", "PegasusXModel", {"num_global_tokens": 2, "block_size": 4}),
    ],
)
def test_an_encoder_in_blocks_is_left_out_with_a_warning_and_its_decoder_is_watched(kind, model, changes):
    model = small(kind, model, **changes)
    layers = regard.watchable(model)
    assert layers.names == [f"decoder.{depth}.{what}" for depth in range(2) for what in ("self", "cross")]
    assert layers.left_out == dict.fromkeys(["encoder.0.self", "encoder.1.self"], BLOCKS)
    tokens = torch.randint(5, VOCABULARY, (1, 16))
    with torch.no_grad():
        plain = model(input_ids=tokens, decoder_input_ids=tokens).last_hidden_state
        warns = pytest.warns(UserWarning, match=f"not watched: encoder.0.self, encoder.1.self: {BLOCKS}")
        with warns, regard.watch(model) as seen:
            watched = model(input_ids=tokens, decoder_input_ids=tokens).last_hidden_state
    assert torch.equal(watched, plain)
    assert set(seen) == set(layers.names)


def test_a_decoder_that_looks_ahead_in_streams_is_left_out_and_its_encoder_is_watched():
    layers = regard.watchable(small("prophetnet", "ProphetNetModel", num_encoder_layers=2))
    assert "encoder.1.self" in layers.names
    assert layers.left_out["decoder.1.self"] == "attends in several streams at once, with a softmax for each"


def test_layers_with_compressed_keys_are_left_out_and_the_others_of_the_model_are_not():
    kinds = ["sliding_attention", "compressed_sparse_attention"]
    model = small("deepseek_v4", "DeepseekV4Model", layer_types=kinds, o_groups=2, o_lora_rank=8)
    layers = regard.watchable(model)
    assert layers.names == ["decoder.0.self"]
    assert layers.left_out == {"decoder.1.self": "attends to keys that stand for several tokens each"}


@pytest.mark.proof
def test_every_layer_of_the_table_is_one_of_transformers():
    import ast
    from pathlib import Path

    sources = Path(transformers.__file__).parent.glob("models/*/modeling_*.py")
    classes = {node.name for path in sources for node in ast.parse(path.read_text()).body if hasattr(node, "name")}
    assert REFUSED.keys() <= classes
