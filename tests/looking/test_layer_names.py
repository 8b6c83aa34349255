import pytest
import torch
from looking.readers import HEADS, WIDTH, Reader, Translator, block, stream
from torch import nn

import regard
from regard.errors import RegardError, UnknownName
from regard.layers import MultiHead
from regard.looking.layer_names import LayerNames, short_name


def test_layers_are_paths_without_containers_and_wrappers():
    assert short_name("encoder.blocks.0.self") == "encoder.0.self"
    assert short_name("module.encoder.layers.1.self_attn") == "encoder.1.self"
    assert short_name("_orig_mod.decoder.layers.1.multihead_attn") == "decoder.1.cross"
    assert short_name("encoder.blocks.2._checkpoint_wrapped_module.self") == "encoder.2.self"


def test_layers_come_in_the_order_of_the_model_and_blocks_after_them():
    assert LayerNames(Translator()).names == [
        *("encoder.0.self", "encoder.1.self"),
        *("decoder.0.self", "decoder.0.cross", "decoder.1.self", "decoder.1.cross"),
        *("encoder.0", "encoder.1", "decoder.0", "decoder.1"),
    ]


def test_torchs_transformer_has_the_same_names():
    theirs = nn.Transformer(WIDTH, HEADS, 2, 2, 12, batch_first=True)
    assert LayerNames(theirs).names == LayerNames(Translator()).names


def test_a_layer_alone_is_called_self():
    assert LayerNames(MultiHead(WIDTH, HEADS)).names == ["self"]
    assert LayerNames(nn.MultiheadAttention(WIDTH, HEADS)).names == ["self"]


@pytest.mark.parametrize(
    "alone", [block(across=True), nn.TransformerDecoderLayer(WIDTH, HEADS, 12, 0.0, batch_first=True)]
)
def test_a_block_alone_has_a_name_of_its_own(alone):
    assert LayerNames(alone).names == ["self", "cross", "block"]
    with regard.watch(alone) as seen:
        out = alone(stream(), stream())
    assert list(seen) == ["self", "cross"]
    assert torch.equal(seen.stream("block"), out)


def test_names_are_chosen_by_pattern_in_the_order_of_the_model():
    layers = LayerNames(Translator())
    assert layers.match(["encoder.*.self"]) == ["encoder.0.self", "encoder.1.self"]
    assert layers.match(["decoder.1.cross", "encoder.0"]) == ["decoder.1.cross", "encoder.0"]
    assert layers.match(["decoder.?"]) == ["decoder.0", "decoder.1"]
    assert layers.match(["*.cross", "decoder.0.*"]) == ["decoder.0.self", "decoder.0.cross", "decoder.1.cross"]
    assert layers.match(["*"]) == layers.names


def test_a_name_that_fits_nothing_gets_the_list_of_those_there_are():
    with pytest.raises(UnknownName, match=r"no layer fits 'encoder.5.\*': known: encoder.0.self, encoder.1.self, enco"):
        LayerNames(Reader()).match(["encoder.5.*"])


def test_a_long_list_of_names_is_cut():
    many = nn.ModuleList(MultiHead(WIDTH, HEADS) for _ in range(30))
    with pytest.raises(UnknownName, match=r"known: 0, 1, 2, .*, 11, … \(30 in all\)$"):
        LayerNames(many).match(["encoder"])


def test_two_layers_never_share_a_name():
    odd = nn.ModuleDict({"blocks": nn.ModuleList([block()]), "layers": nn.ModuleList([block()])})
    layer_names = LayerNames(odd)
    assert len(set(layer_names.layers.values())) == len(layer_names.layers) == 2
    assert len(set(layer_names.blocks.values())) == len(layer_names.blocks) == 2


def test_a_layer_that_stands_twice_has_two_names():
    shared = block()
    model = nn.ModuleDict({"encoder": nn.ModuleList([shared, shared])})
    assert LayerNames(model).names == ["encoder.0.self", "encoder.1.self", "encoder.0", "encoder.1"]


def test_a_model_without_attention_is_refused():
    with pytest.raises(RegardError, match="Linear has no attention layer that could be watched"):
        LayerNames(nn.Linear(2, 2))
