import json
from pathlib import Path

import pytest

from regard.checkpoints import load_model, save_model
from regard.config import AlignerConfig, DecoderConfig, EncoderConfig, MemoryNetworkConfig, TransformerConfig, XLConfig
from regard.errors import CheckpointError, RecipeError, RegardError
from regard.families import EXAMPLES, preset
from regard.models import build
from regard.tasks.find import builtin
from regard.tasks.model_config import config_tensors, find_config, folder_config

RECIPES = Path(__file__).parents[2] / "recipes"
KINDS = {
    "tatoeba-en-de": TransformerConfig,
    "wikitext2-masked": EncoderConfig,
    "shakespeare": DecoderConfig,
    "shakespeare-xl": XLConfig,
    "multi30k-alignment": AlignerConfig,
    "babi": MemoryNetworkConfig,
}


def test_a_published_size_is_found_by_its_name():
    assert find_config("bert-base").config == preset("bert-base")
    assert find_config("gpt2", vocabulary=99).config == preset("gpt2", vocabulary=99)


@pytest.mark.parametrize("name", builtin())
def test_a_built_in_model_is_what_its_weights_say(name):
    found = find_config(name)
    assert found.name == name
    assert found.config == load_model(builtin()[name]).model.config


@pytest.mark.parametrize("family", EXAMPLES)
def test_a_folder_is_read_as_loading_reads_it(family, tmp_path):
    example = EXAMPLES[family]()
    if family == "gpt2":
        pytest.skip("its example is the published model, too large to be written in a test")
    folder = save_model(build(example.config), tmp_path / "model", example.config_entries, example.architecture)
    assert folder_config(folder) == load_model(folder).model.config
    assert find_config(str(folder)).name == "model"


def test_a_folder_without_weights_can_be_read(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2", "n_layer": 3}))
    assert find_config(str(tmp_path)).config.decoder.stack.layers == 3
    assert config_tensors(tmp_path) == {}


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"\x02\0\0\0\0\0\0\0[]", b'\x0a\0\0\0\0\0\0\0{"a": {}}  '])
def test_weights_that_cannot_be_read_are_one_line(content, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="no readable safetensors"):
        folder_config(tmp_path)


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_a_recipe_is_read_as_training_reads_it(name, kind):
    config = find_config(str(RECIPES / f"{name}.toml"), vocabulary=77).config
    assert type(config) is kind
    words = {
        TransformerConfig: lambda: config.encoder.embedding.vocabulary,
        EncoderConfig: lambda: config.encoder.embedding.vocabulary,
        AlignerConfig: lambda: config.reads.vocabulary,
        MemoryNetworkConfig: lambda: config.vocabulary,
    }.get(kind, lambda: config.decoder.embedding.vocabulary)
    assert words() == 77


def test_a_recipe_has_as_many_words_as_its_tokeniser():
    assert find_config(str(RECIPES / "tatoeba-en-de.toml")).config.encoder.embedding.vocabulary == 8000


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ('run = "x"\n[data]\ntrain = "a"\n[tokenizer]\nsize = 0\n', "give --vocabulary"),
        ('run = "x"\n[data]\ntrain = "a"\n[model]\nwidth = 10\nheads = 3\n', "cannot be split into so many"),
        ('run = "x"\n[data]\ntrain = "a"\n[model]\nwidht = 10\n', "unknown key"),
        ('run = "x"\n[data]\ntrain = "a"\n[model]\nkind = "x"\n', "model kind"),
        ("run = ", "no readable recipe"),
    ],
)
def test_a_recipe_that_cannot_be_drawn_is_one_line(recipe, message, tmp_path):
    (tmp_path / "a.toml").write_text(recipe)
    with pytest.raises((RecipeError, RegardError), match=message):
        find_config(str(tmp_path / "a.toml"))


@pytest.mark.parametrize(
    ("name", "message"),
    [("brt-base", "did you mean 'bert-base'"), ("no.toml", "no readable recipe"), ("./nowhere", "no such folder")],
)
def test_a_name_that_is_not_known_is_one_line(name, message):
    with pytest.raises(RegardError, match=message):
        find_config(name)


def test_a_model_has_the_words_that_it_has():
    with pytest.raises(RegardError, match="--vocabulary is for sizes and recipes"):
        find_config("en-de", vocabulary=5)
