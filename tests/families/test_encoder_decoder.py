import json

import pytest
from parity import transformer_parity, transformers

from regard.checkpoints import CheckpointError, load_model

SMALL = {
    "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "max_position_embeddings": 32,
}  # fmt: skip


def bert(**changes):
    return transformers.BertConfig(**(SMALL | changes))


def roberta(**changes):
    return transformers.RobertaConfig(**(SMALL | changes))


def generation(**changes):
    return transformers.BertGenerationConfig(**(SMALL | changes))


def gpt2(**changes):
    return transformers.GPT2Config(
        **{"vocab_size": 53, "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 32, "bos_token_id": 0, **changes}
    )


def distilbert():
    return transformers.DistilBertConfig(vocab_size=61, dim=24, n_layers=1, n_heads=3, hidden_dim=40)


def albert():
    return transformers.AlbertConfig(**(SMALL | {"embedding_size": 8}))


def joined(encoder, decoder):
    config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    return transformers.EncoderDecoderModel(config=config)


@pytest.mark.parametrize(
    ("encoder", "decoder"),
    [
        (bert(), bert(vocab_size=47, num_hidden_layers=1)),
        (bert(num_hidden_layers=1), bert(hidden_size=18, tie_word_embeddings=False)),
        (bert(), gpt2()),
        (bert(hidden_size=16, num_attention_heads=2), gpt2(n_layer=2, tie_word_embeddings=False)),
        (generation(), generation(num_hidden_layers=1)),
        (roberta(), roberta(num_hidden_layers=1)),
        (distilbert(), bert()),
        (albert(), gpt2()),
    ],
    ids=lambda config: config.model_type,
)
def test_an_encoder_decoder_equals_the_reference(encoder, decoder, tmp_path):
    transformer_parity(joined(encoder, decoder), tmp_path)


def changed(tmp_path, change):
    joined(bert(), bert()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    change(config)
    path.write_text(json.dumps(config))
    return tmp_path


@pytest.mark.parametrize(
    ("side", "change", "named"),
    [
        ("encoder", {"model_type": "t5"}, "model_type = 't5' is not supported as encoder, only albert, bert"),
        ("decoder", {"model_type": "albert"}, "model_type = 'albert' is not supported as decoder, only bert, "),
        ("decoder", {"is_decoder": False}, "decoder: is_decoder = False: true expected"),
        ("decoder", {"add_cross_attention": False}, "decoder: add_cross_attention = False: true expected"),
        ("decoder", {"cross_attention_hidden_size": 8}, "decoder: cross_attention_hidden_size = 8 is not supported"),
        ("encoder", {"is_decoder": True}, "encoder: is_decoder = True is not supported, only False"),
        ("encoder", {"news": 1}, "encoder: options that are not supported: news"),
        ("decoder", {"news": 1}, "decoder: options that are not supported: news"),
    ],
)
def test_an_unsupported_option_of_a_side_is_named_in_one_line(side, change, named, tmp_path):
    folder = changed(tmp_path, lambda config: config[side].update(change))
    with pytest.raises(CheckpointError, match=named) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_side_that_is_missing_or_no_config_is_an_error(side, tmp_path):
    folder = changed(tmp_path, lambda config: config.update({side: "bert"}))
    with pytest.raises(CheckpointError, match=f"model_type = None is not supported as {side}"):
        load_model(folder)


def test_weights_that_both_sides_share_are_refused(tmp_path):
    folder = changed(tmp_path, lambda config: config.update(tie_encoder_decoder=True))
    with pytest.raises(CheckpointError, match="tie_encoder_decoder = True is not supported, only False"):
        load_model(folder)
