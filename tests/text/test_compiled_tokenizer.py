"""A tokenizer.json that makes no sense is one line that names it, whatever the package thinks of it."""

import json
from random import Random

import pytest
from checkpoints.damage.sound import tokenizer

from regard.tasks.find import builtin
from regard.text import TokenizerError, load_tokenizer


def changed(folder, *path, to):
    """A folder with a tokeniser of 24 words, in which one value became another."""
    description = tokenizer(24, is_encoder=True)
    part = description
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    (folder / "tokenizer.json").write_text(json.dumps(description))
    return folder


@pytest.mark.parametrize("number", [2**31, 2**32 - 1, 2**32, 2**64, -1, 1.5, "7", None])
def test_the_number_of_a_token_has_a_bound(tmp_path, number):
    with pytest.raises(TokenizerError, match=r"tokenizer\.json: [^\n]+$"):
        load_tokenizer(changed(tmp_path, "model", "vocab", "dog", to=number))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("post_processor", "special_tokens"), {}),
        (("post_processor", "single", 0), {"SpecialToken": {"id": "nowhere", "type_id": 0}}),
        (("post_processor", "pair", 4), {"SpecialToken": {"id": "a" * 5000, "type_id": 0}}),
        (("model",), {"type": "Unigram", "unk_id": 5, "vocab": [["a", 0.0]]}),
        (("normalizer",), {"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        (("pre_tokenizer",), {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False}),
        (("version",), "9"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_parts_that_do_not_go_together_are_told_when_loaded(tmp_path, path, value):
    with pytest.raises(TokenizerError, match=r"tokenizer\.json: no readable tokeniser \([^\n]+\)$") as caught:
        load_tokenizer(changed(tmp_path, *path, to=value))
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("tokenizer_config.json", {"mask_token": 7}, "mask_token = 7: a token"),
        ("tokenizer_config.json", {"padding_side": "up"}, "padding_side = 'up' is not supported, only left, right"),
        ("tokenizer_config.json", {"tokenizer_class": ["Bert"]}, "tokenizer_class = .*: a string expected"),
        ("special_tokens_map.json", {"unk_token": {"content": [1]}}, "unk_token = .*: a token"),
        ("config.json", {"eos_token_id": -5}, "eos_token_id = -5: the number of a token"),
        ("config.json", {"pad_token_id": 2**31}, "pad_token_id = 2147483648: the number of a token"),
        ("tokenizer_config.json", [], "an object expected, got list"),
    ],
)
def test_settings_that_make_no_sense_name_file_and_key(tmp_path, file, content, message):
    (changed(tmp_path, "version", to="1.0") / file).write_text(json.dumps(content))
    with pytest.raises(TokenizerError, match=rf"{file}: {message}"):
        load_tokenizer(tmp_path)


def test_what_published_folders_say_is_taken(tmp_path):
    settings = {
        "model_max_length": int(1e30), "add_prefix_space": None, "padding_side": "left", "unk_token": "<unk>",
        "additional_special_tokens": None, "extra_special_tokens": {"image": "the"}, "bos_token": None,
        "added_tokens_decoder": {"2": {"content": "<unk>", "lstrip": False, "special": True}},
    }  # fmt: skip
    (changed(tmp_path, "version", to="1.0") / "tokenizer_config.json").write_text(json.dumps(settings))
    (tmp_path / "config.json").write_text(
        json.dumps({"pad_token_id": -1, "eos_token_id": [1, 4], "model_type": "llama"})
    )
    loaded = load_tokenizer(tmp_path)
    assert (loaded.side, loaded.specials.eos, loaded.specials.unk) == ("left", 1, 2)


@pytest.mark.parametrize("name", ["en-de", "de-en", "shakespeare", "masked-en"])
def test_a_text_without_the_signs_of_special_tokens_is_read_alike_by_all_copies(name):
    if name not in builtin():
        pytest.skip(f"{name} is not built in")
    compiled = load_tokenizer(builtin()[name]).model
    letters = "aAzZ äß.,;:!?()|/-_'0…＜［ \t\n▁Ġ\u0301 the and"
    random = Random(0)
    texts = ["", "Where is it?", *("".join(random.choices(letters, k=30)) for _ in range(200))]
    for text in texts:
        for pair in (None, "b"):
            wanted = compiled.reader(frozenset()).encode(text, pair)
            found = compiled.encode(text, pair, (), bare=False)
            assert found.ids == tuple(wanted.ids)
            assert found.tokens == tuple(wanted.tokens)
            assert found.offsets == tuple(wanted.offsets)
    assert not compiled.may_spell_special("Where is it?")
    assert compiled.may_spell_special(f"Where is {next(iter(compiled.special_signs))}?")
