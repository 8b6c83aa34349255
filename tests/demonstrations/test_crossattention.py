"""docs/crossattention.md: queries of one sequence, keys and values of another."""

import torch
from diagram_examples import CONFIGS
from torch import nn
from torch.testing import assert_close

import regard
from regard.attention import attend
from regard.layers import MultiHead
from regard.models import build


def test_cross_attention_is_torchs_with_the_same_weights():
    ours = MultiHead(12, 3, source_width=8).double()
    theirs = nn.MultiheadAttention(12, 3, kdim=8, vdim=8, batch_first=True).double()
    ours.query.weight.data = theirs.q_proj_weight.data
    ours.kv.weight.data = torch.cat([theirs.k_proj_weight.data, theirs.v_proj_weight.data])
    bias = theirs.in_proj_bias.data
    ours.query.bias.data, ours.kv.bias.data = bias[:12], bias[12:]
    ours.output.weight.data, ours.output.bias.data = theirs.out_proj.weight.data, theirs.out_proj.bias.data
    x, source = torch.randn(2, 5, 12).double(), torch.randn(2, 7, 8).double()
    assert_close(ours(x, source), theirs(x, source, source, need_weights=False)[0])


def test_a_transformer_has_three_kinds_of_attention():
    model = build(CONFIGS["marian"]).eval()
    source, target = torch.randint(40, (1, 6)), torch.randint(40, (1, 4))
    with regard.watch(model) as seen:
        model(source, target)
    shapes = {layer: tuple(seen[layer].shape[2:]) for layer in ("encoder.1.self", "decoder.1.self", "decoder.1.cross")}
    assert shapes == {"encoder.1.self": (6, 6), "decoder.1.self": (4, 4), "decoder.1.cross": (4, 6)}
    assert seen["encoder.1.self"][0, 0].triu(1).sum() > 0
    assert seen["decoder.1.self"][0, 0].triu(1).sum() == 0
    assert seen["decoder.1.cross"][0, 0].min() > 0


def test_what_every_block_looks_at_is_the_last_block_of_the_encoder():
    model = build(CONFIGS["marian"]).eval()
    source, target = torch.randint(40, (1, 6)), torch.randint(40, (1, 4))
    with regard.watch(model) as seen:
        model(source, target)
    x = model.encode(source)
    for layer, block in enumerate(model.decoder.stack.blocks):
        key, _ = block.cross.kv(x).chunk(2, -1)
        assert_close(seen[f"decoder.{layer}.cross"].key, block.cross.split_heads(key))


def test_one_query_is_one_row_of_self_attention():
    x = torch.randn(1, 2, 6, 4).double()
    for position in range(6):
        alone = attend(x[:, :, position : position + 1], x, x)
        assert_close(alone, attend(x, x, x)[:, :, position : position + 1])
