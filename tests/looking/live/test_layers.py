"""The attention layers of live models, found and named."""

import pytest
from looking.live.families import transformers
from torch import nn

from regard.looking.live.layers import attention_layers, is_live

TEXT = {
    "vocab_size": 61, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 32,
}  # fmt: skip
IMAGE = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "image_size": 8,
    "patch_size": 4,
}  # fmt: skip
SELF = ["decoder.0.self", "decoder.1.self"]
PAIR = ["encoder.0.self", "encoder.1.self", "decoder.0.self", "decoder.0.cross", "decoder.1.self", "decoder.1.cross"]


def decoder():
    return transformers.BertLMHeadModel(transformers.BertConfig(**TEXT, is_decoder=True))


def decoder_with_cross_attention():
    return transformers.BertLMHeadModel(transformers.BertConfig(**TEXT, is_decoder=True, add_cross_attention=True))


def reader_of_images():
    image, text = (
        transformers.ViTConfig(**IMAGE),
        transformers.GPT2Config(vocab_size=61, n_embd=16, n_layer=2, n_head=2),
    )
    both = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(image, text)
    return transformers.VisionEncoderDecoderModel(both)


def latent():
    sizes = {"num_layers": 1, "num_attention_heads": 2, "kv_lora_rank": 8, "q_lora_rank": 8, "qk_rope_head_dim": 4}
    sizes |= {"v_head_dim": 4, "qk_nope_head_dim": 4, "ffn_hidden_size": 16, "expert_ffn_hidden_size": 8}
    sizes |= {"vocab_size": 61, "hidden_size": 16, "n_routed_experts": 2, "zero_expert_num": 1, "moe_topk": 1}
    return transformers.LongcatFlashModel(transformers.LongcatFlashConfig(**sizes))


def clip():
    return transformers.CLIPModel(transformers.CLIPConfig(text_config=TEXT, vision_config=IMAGE))


def git():
    return transformers.GitForCausalLM(transformers.GitConfig(**TEXT, vision_config=IMAGE))


def paligemma():
    text = TEXT | {"model_type": "gemma", "num_key_value_heads": 1, "head_dim": 8}
    config = transformers.PaliGemmaConfig(text_config=text, vision_config=IMAGE | {"model_type": "siglip_vision_model"})
    return transformers.PaliGemmaForConditionalGeneration(config)


def swin():
    return transformers.SwinModel(transformers.SwinConfig(embed_dim=8, depths=[1, 2], num_heads=[1, 2], image_size=32))


@pytest.mark.parametrize(
    ("make", "names"),
    [(decoder, SELF), (decoder_with_cross_attention, [*PAIR[2:]]), (reader_of_images, PAIR)],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_layers_are_called_by_side_depth_and_what_they_look_at(make, names):
    layers = attention_layers(make())
    assert sorted(layers.layers) == sorted(names)
    assert set(layers.blocks) == {name.rpartition(".")[0] for name in names}
    assert not layers.left_out


@pytest.mark.parametrize("make", [clip, git, paligemma, swin], ids=lambda make: make.__name__)
def test_models_of_several_towers_have_full_paths(make):
    model = make()
    layers = attention_layers(model)
    assert {name: model.get_submodule(name) for name in layers.layers} == layers.layers
    assert {name: model.get_submodule(name) for name in layers.blocks} == layers.blocks
    assert len(layers.layers) >= 3
    assert not layers.layers.keys() & layers.blocks.keys()
    for name in layers.layers:
        assert any(name.startswith(f"{block}.") for block in layers.blocks)


def test_the_text_of_a_model_that_sees_is_among_its_layers():
    assert "git.encoder.layer.0.attention.self" in attention_layers(git()).layers
    assert "model.language_model.layers.1.self_attn" in attention_layers(paligemma()).layers


def test_a_layer_is_found_by_what_it_calls_though_its_name_says_nothing():
    layers = attention_layers(latent()).layers
    assert {type(module).__name__ for module in layers.values()} == {"LongcatFlashMLA"}
    assert len(layers) == 2


def test_blocks_inside_of_blocks_are_found():
    blocks = attention_layers(swin()).blocks
    assert "encoder.layers.1" in blocks
    assert "encoder.layers.1.blocks.1" in blocks


def test_only_models_of_transformers_are_live():
    assert is_live(decoder())
    assert is_live(nn.Sequential(decoder()))
    assert not is_live(nn.MultiheadAttention(8, 2))
