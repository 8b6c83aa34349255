"""What live layers are called."""

import pytest
from looking.live.families import SMALL, transformers
from torch import nn

from regard.looking.live.names import depths, layer_name, side_of


def config(kind, **changes):
    fields = transformers.AutoConfig.for_model(kind).to_dict()
    known = {name: value for name, value in SMALL.items() if name in fields} | changes
    return transformers.AutoConfig.for_model(kind, **known)


class FancyDecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn, self.encoder_attn = nn.Identity(), nn.Identity()


@pytest.mark.parametrize(
    ("path", "block", "kind", "changes", "side"),
    [
        ("bert.encoder.layer.0.attention.self", "BertLayer", "bert", {}, "encoder"),
        ("bert.encoder.layer.0.attention.self", "BertLayer", "bert", {"is_decoder": True}, "decoder"),
        ("decoder.bert.encoder.layer.0.attention.self", "BertLayer", "bert", {}, "decoder"),
        ("model.layers.0.self_attn", "LlamaDecoderLayer", "llama", {}, "decoder"),
        ("model.layers.0.self_attn", "EuroBertDecoderLayer", "eurobert", {}, "encoder"),
        ("transformer.h.0.attn", "GPT2Block", "gpt2", {}, "decoder"),
        ("transformer.h.0.attn", "ImageGPTBlock", "imagegpt", {}, "decoder"),
        ("layers.0.self_attn", "BartDecoderLayer", "bart", {}, "decoder"),
        ("layers.0.self_attn", "BartEncoderLayer", "bart", {}, "encoder"),
        ("transformer.attentions.0", "MultiHeadAttention", "xlm", {}, "encoder"),
        ("transformer.attentions.0", "MultiHeadAttention", "xlm", {"causal": True}, "decoder"),
        ("transformer.layer.0.rel_attn", "XLNetLayer", "xlnet", {}, "encoder"),
    ],
)
def test_the_side_of_a_layer(path, block, kind, changes, side):
    assert side_of(path.split("."), block, nn.Identity(), config(kind, **changes)) == side


def test_a_layer_of_no_known_family_goes_by_itself():
    module = nn.Identity()
    assert side_of(["layers", "0", "attn"], "Block", module, None) == "encoder"
    module.is_causal = True
    assert side_of(["layers", "0", "attn"], "Block", module, None) == "decoder"


@pytest.mark.parametrize(
    ("path", "name", "blocks"),
    [
        ("layers.1.self_attn", "decoder.1.self", ("layers.1",)),
        ("layers.1.encoder_attn", "decoder.1.cross", ("layers.1",)),
    ],
)
def test_the_name_of_a_layer(path, name, blocks):
    model = nn.Module()
    model.layers = nn.ModuleList([FancyDecoderLayer(), FancyDecoderLayer()])
    found = layer_name(model, path)
    assert found.short(1) == name
    assert found.blocks == blocks


def test_a_layer_outside_of_the_blocks_goes_by_its_path():
    model = nn.ModuleDict({"pool": nn.ModuleDict({"head": nn.Identity()})})
    assert layer_name(model, "pool.head").short(0) == "pool.head"
    assert layer_name(model, "pool.head").blocks == ()


@pytest.mark.parametrize(("groups", "served"), [(1, [[0, 1, 2, 3, 4, 5]]), (2, [[0, 1, 2], [3, 4, 5]])])
def test_layers_that_are_shared_serve_several_depths(groups, served):
    shared = config("albert", num_hidden_layers=6, num_hidden_groups=groups)
    assert [depths(shared, number) for number in range(groups)] == served
    assert depths(config("bert"), 1) == [1]
