import pytest
from parity import decoder_parity, encoder_parity, positions, refused, transformers

from regard.families import bert_generation
from regard.families.options import Options
from regard.models.embedded_stack import EmbeddedStack


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 32,
    }  # fmt: skip
    return transformers.BertGenerationConfig(**(small | changes))


def told(tokens, attention_mask):
    return {"position_ids": positions(attention_mask)}, {}


@pytest.mark.parametrize("changes", [{}, {"num_hidden_layers": 1, "hidden_act": "relu"}])
def test_the_encoder_equals_the_reference(changes, tmp_path):
    encoder_parity(transformers.BertGenerationEncoder(config(**changes)), tmp_path, told=told)


@pytest.mark.parametrize("changes", [{}, {"num_hidden_layers": 1, "tie_word_embeddings": False}])
def test_the_decoder_alone_equals_the_reference(changes, tmp_path):
    decoder_parity(transformers.BertGenerationDecoder(config(is_decoder=True, **changes)), tmp_path)


def test_what_does_not_fit_is_named(tmp_path):
    model = transformers.BertGenerationEncoder(config())
    refused(model, tmp_path, {"is_decoder": True}, "embeddings.LayerNorm.bias")


def test_rows_with_cross_attention_name_every_tensor_of_the_reference():
    model = transformers.BertGenerationEncoder(config(is_decoder=True, add_cross_attention=True))
    side = bert_generation.side(Options(model.config.to_dict(), "config.json"))
    ours = EmbeddedStack(side, is_causal=True, source_width=24)
    table = bert_generation.body(side, "decoder", "", cross=True)
    assert {name for row in table.rows for name in row.file_names} == set(model.state_dict())
    assert {row.name.removeprefix("decoder.") for row in table.rows} == set(ours.state_dict())
