import pytest
import torch
from torch import nn

from regard.errors import UnknownName
from regard.families import family_of
from regard.families.options import Options
from regard.models import PRESETS, build, preset

transformers = pytest.importorskip("transformers")

PUBLISHED = {  # millions
    "transformer-base": 65,  # Vaswani et al. 2017, table 3
    "transformer-big": 213,
    "bert-base": 110,  # Devlin et al. 2019, 3
    "bert-large": 340,
    "gpt2": 124,  # github.com/openai/gpt-2, which corrects table 2 of the paper
    "gpt2-medium": 355,
    "gpt2-large": 774,
    "gpt2-xl": 1558,
    "t5-small": 60,  # Raffel et al. 2020, 3.7
    "t5-base": 220,
}


def marian(width, inner, heads):
    shape = {f"{side}_{what}": size for side in ("encoder", "decoder") for what, size in (
        ("layers", 6), ("attention_heads", heads), ("ffn_dim", inner),
    )}  # fmt: skip
    return transformers.MarianConfig(vocab_size=37000, d_model=width, pad_token_id=0, **shape)


REFERENCES = {
    "transformer-base": ("MarianMTModel", marian(512, 2048, 8)),
    "transformer-big": ("MarianMTModel", marian(1024, 4096, 16)),
    "bert-base": ("BertForPreTraining", transformers.BertConfig()),
    "bert-large": (
        "BertForPreTraining",
        transformers.BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096),
    ),
    "gpt2": ("GPT2LMHeadModel", transformers.GPT2Config()),
    "gpt2-medium": ("GPT2LMHeadModel", transformers.GPT2Config(n_embd=1024, n_layer=24, n_head=16)),
    "gpt2-large": ("GPT2LMHeadModel", transformers.GPT2Config(n_embd=1280, n_layer=36, n_head=20)),
    "gpt2-xl": ("GPT2LMHeadModel", transformers.GPT2Config(n_embd=1600, n_layer=48, n_head=25)),
    "t5-small": ("T5ForConditionalGeneration", transformers.T5Config()),
    "t5-base": (
        "T5ForConditionalGeneration",
        transformers.T5Config(d_model=768, d_ff=3072, num_layers=12, num_heads=12),
    ),
}


def count(model: nn.Module) -> int:
    """Parameters that are learned: Marian's table of sinusoids is none."""
    return sum(p.numel() for name, p in model.named_parameters() if not name.endswith("embed_positions.weight"))


@pytest.mark.parametrize("name", PRESETS)
def test_the_parameters_are_as_many_as_the_reference_has_and_as_the_paper_says(name):
    architecture, told = REFERENCES[name]
    with torch.device("meta"):
        ours, reference = build(preset(name)), getattr(transformers, architecture)(told)
    reference.tie_weights()
    assert count(ours) == count(reference)
    assert abs(count(ours) / 1e6 / PUBLISHED[name] - 1) < 0.04


def test_the_transformer_has_the_parameters_of_the_formula():
    """Table 3 of Vaswani et al. 2017: attention 4 d² + 4 d, feed-forward 2 d f + d + f, norms 2 d."""
    for name, width, inner in (("transformer-base", 512, 2048), ("transformer-big", 1024, 4096)):
        look, think, norm = 4 * width**2 + 4 * width, 2 * width * inner + width + inner, 2 * width
        expected = 37000 * width + 6 * (look + think + 2 * norm) + 6 * (2 * look + think + 3 * norm)
        with torch.device("meta"):
            assert count(build(preset(name))) == expected


@pytest.mark.parametrize("name", [name for name in PRESETS if not name.startswith("transformer")])
def test_a_preset_is_what_the_published_config_reads_as(name):
    architecture, told = REFERENCES[name]
    config = told.to_dict()
    assert family_of(config, "").read(Options(config, ""), architecture) == preset(name)


def test_another_vocabulary_changes_the_words_only():
    with torch.device("meta"):
        small, large = (build(preset("gpt2", vocabulary=size)) for size in (1000, 1001))
    assert count(large) - count(small) == 768


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"unknown preset 'gpt3': .*known: .*gpt2-xl"):
        preset("gpt3")
